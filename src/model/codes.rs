//! Every code that a report can show, each worded once; in one file, as one list makes constants and entries.
//! `W` warning: something is missing, the verdict may suffer. `N` note: good to know, no harm. `E` evidence:
//! what a measured number says. `A` advice: what to try. A code keeps its meaning for ever; a new one is
//! one constant and one entry of [`ALL`], which `tcplimit explain` prints.

use std::fmt;

use super::Code;

/// A code in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// The code.
    pub code: Code,
    /// In a few words.
    pub title: &'static str,
    /// What it means, and what follows for the verdict.
    pub meaning: &'static str,
    /// What to do about it.
    pub remedy: &'static str,
}

/// Declares the constants and [`ALL`] in one list, so that no code can be without its entry.
macro_rules! codes {
    ($($name:ident = $code:literal: $title:literal, $meaning:literal, $remedy:literal;)*) => {
        $(
            #[doc = $title]
            pub const $name: Code = Code($code);
        )*

        #[cfg(test)]
        const NAMES: &[(&str, Code)] = &[$((stringify!($name), $name)),*];

        /// All entries: warnings, notes, evidence, advice.
        pub const ALL: &[Entry] = &[
            $(Entry { code: $name, title: $title, meaning: $meaning, remedy: $remedy },)*
        ];
    };
}

codes! {
    FILE_CUT = "W001":
        "the file ends inside a packet",
        "The last packet is not whole: the disk was full, the capture was killed, or the file was \
         copied while it was still being written. All whole packets before it were analysed; the \
         report is complete for them. The exit status is 4.",
        "Nothing, if the part before it is enough. Else stop the capture before copying the file, \
         or capture with `tcpdump -U`.";
    FILE_DAMAGED = "W002":
        "the file is corrupt from some byte on",
        "A record or block contradicts itself, so where the next one begins is not known. What \
         precedes it was analysed. The exit status is 4.",
        "Look at the byte offset in the message. Two captures joined with `cat` look like this: \
         name both files on the command line instead. A transfer in text mode does too. Zeros are what a file \
         system leaves of a file when the power fails.";
    FILE_SKIPPED = "W003":
        "a file was passed over",
        "A file of the directory is no capture, or could not be read when its turn came: if it held \
         packets, they are missing. Or it is empty, or one of the others, named twice or by a link: \
         that was read once. The others were analysed.",
        "Name the capture files one by one, each once, or move the others away.";
    ONE_DIRECTION = "W004":
        "only one direction was captured",
        "Data without the acknowledgments for it, or the reverse: the paths differ \
         (asymmetric routing), or a filter kept one side, or only the segments with payload. RTT, receive \
         window and bytes in flight cannot be known from half a conversation, so the verdict rests on little.",
        "Capture at the sender or the receiver, and filter by host and port, not by direction or length.";
    WINDOW_SCALE_UNKNOWN = "W005":
        "the window scale is not from the handshake",
        "Windows on the wire are to be multiplied by a factor that only the SYNs carry (RFC 7323 \
         section 2.2), and those, or their options, were not captured. The smallest factor under which the data that \
         flowed fits was taken, or none: the receive window may be larger than shown, and the \
         share of the receive window with it less. Only a closed window, zero times any factor, is \
         known for sure.",
        "Start the capture before the connection, and keep 128 bytes of each packet (-s 128).";
    CAPTURE_LOST_PACKETS = "W006":
        "the capture itself lost packets",
        "The capture's own counters say so, or data was acknowledged that was never seen. Gaps \
         are counted as `capture_gap`, never as loss in the network.",
        "Capture fewer bytes (`tcpdump -s 128`), give it a larger buffer (`-B 65536`), filter by \
         port, or write to a faster disk.";
    CLOCK_STEPPED_BACK = "W007":
        "times run backwards",
        "Some packets carry an earlier time than the one before them, or a time that cannot be: \
         several interfaces or processors stamped them, or the clock was set. Differences of such times \
         count as zero; RTTs near them are left out or too small. Of a flow: the clock was set back while \
         it lasted, by 2 ms or more, and its times go on from there, without RTTs across it.",
        "For one file: `reordercap`; its interfaces are read by time as far as 32 MiB of packets do. Several \
         files are read by time, up to 16 that overlap; for more: `mergecap`.";
    BOUND_REACHED = "W008":
        "a memory bound of this flow was reached",
        "The flow has more unacknowledged segments, unseen stretches or SACK ranges than are kept (a \
         million, and half a million of either other). The oldest segments and stretches were given up, the \
         bytes of the latter counted as missed in the capture; further SACK ranges were passed over. Losses \
         and retransmissions are lower bounds from there on.",
        "Where one direction alone was captured (W004), nothing is ever acknowledged: capture both. Else \
         a flow like this is a broken receiver or an attack.";
    CONNECTIONS_DROPPED = "W009":
        "connections were left out of the report",
        "More connections than the memory bound holds were open at once (a scan or a SYN flood): \
         half-open and idle ones were given up first, large transfers last.",
        "Cut the capture down to the hosts in question.";
    OPTIONS_CUT = "W010":
        "TCP options were cut off",
        "The snap length ended inside the TCP header: SACK blocks and timestamps are missing, so \
         RTT and losses are known less well.",
        "Capture at least 128 bytes of each packet: `tcpdump -s 128`.";
    NO_TCP = "W011":
        "no TCP in the capture",
        "Packets were read, but none held a TCP segment. The report says what they held.",
        "If most are UDP port 443, it is QUIC, which this program does not read. If they are \
         tunnelled, capture inside the tunnel.";
    INTERRUPTED = "W012":
        "interrupted",
        "A signal ended reading early. The report is complete for what was read until then.",
        "Run again without interrupting, if the rest matters.";
    TIMES_MISSING = "W013":
        "packets without a time",
        "Simple packet blocks carry no time; they were given that of the packet before.",
        "Capture with a tool that writes enhanced packet blocks (tcpdump, dumpcap).";
    FRAGMENTS_MISSING = "W014":
        "IP fragments missing",
        "Datagrams arrived in fragments of which some are not in the capture. Segments inside them count as not captured.",
        "Capture without a filter on ports: only a datagram's first fragment holds them.";
    FILTER_WITHOUT_MEANING = "W015":
        "the filter means nothing on a link type",
        "The capture holds frames of a link type for which libpcap cannot compile the filter. They \
         were left out, as those that do not pass.",
        "Write the filter for that link type, too (`man pcap-filter`), or read the files apart.";
    CLOCK_STEPPED_AHEAD = "W016":
        "the clock jumped ahead",
        "More time passed between two packets than on the sender's timestamp clock (RFC 7323): the clock \
         that stamped the capture was set, or the sender's machine was suspended. That time counts as \
         `capture_gap`, and RTTs across it are left out.",
        "Let the clock of the capturing host be slewed, not set (`chronyd`, `ntpd -x`).";
    TIMES_CONTRADICTED = "W017":
        "a packet's time cannot be right",
        "The times of the packets around it, which are in order, contradict it by more than half a second: a clock \
         that was set would stay set, and a pause be over. Bytes of the file are damaged, or another clock \
         stamped this packet. It is kept, and its time taken as between theirs.",
        "If it is one packet of many, copy the file again, and compare checksums: other damage may go unseen. If \
         there are many, capture with one clock.";

    VANTAGE_NOT_SENDER = "N001":
        "not captured at the sender",
        "The capture was taken at the receiver, or between sender and receiver. When the sender sent, and when it had \
         which acknowledgment, is read from the timestamps (RFC 7323) to one tick of its clock. \
         Where there are none, acknowledgments are held back by the sender's half of the round \
         trip, and bursts show as the bottleneck stretched them. Where no handshake tells that half either, the \
         RTT is not known, and only long pauses are told for sure.",
        "For the surest verdict capture at the sender.";
    SUPER_FRAMES = "N002":
        "frames larger than the network carries",
        "The network card cuts (TSO, GSO) or joins (GRO, LRO) segments on the other side of the \
         capture point. Bytes and windows are right; the spacing of single segments on the wire \
         is not visible.",
        "Nothing for a verdict. To see single segments: `ethtool -K IF tso off gso off gro off`, \
         or capture on the other host or on a switch port.";
    TOO_SHORT = "N003":
        "only a few round trips long",
        "The connection lasted fewer than four round trips: opening and closing took much of its time, \
         whatever the network could do.",
        "Look at a longer transfer. For many short ones: keep connections open and reuse them.";
    NO_HANDSHAKE = "N004":
        "the start was not captured",
        "The connection was already open. Offsets count from the first byte seen, and the \
         segment size is taken from the data.",
        "Start the capture before the connection.";
    RESET = "N005":
        "ended by a reset",
        "One side sent RST instead of FIN: a crash, a timeout, a load balancer, or a program that \
         closes a socket with unread data.",
        "If the transfer is incomplete, look at which side reset it and when.";
    RECORDED_TWICE = "N006":
        "packets were recorded twice",
        "Equal packets stand in the capture a moment apart: two interfaces of one host, or both \
         directions of a mirror port. The copies were left out and not taken for retransmissions.",
        "Capture one interface: `tcpdump -i IF`, not `-i any`.";
    CLOSE_CALL = "N007":
        "two limits are close together, or their ranges overlap",
        "The shares of the first two limits are less than 20 points apart, or their ranges overlap: part of \
         the time may belong to either. Removing one will show the other.",
        "Where there are two lines of advice, read both: the second is for the second limit.";
    WINDOW_SCALE_INFERRED = "N008":
        "the window scale was inferred",
        "The handshake, or its options, were not captured, and with them the factor by which windows on the wire \
         are multiplied (RFC 7323 section 2.2). The least factor that fits what was in flight was taken. If, seen \
         at the sender, the data fills that window again and again and never exceeds it, the factor is certain. \
         Elsewhere less shows in flight than the sender counts, so the factor may be larger, and a verdict \
         that rests on the receive window has low confidence.",
        "Start the capture before the connection, and keep 128 bytes of each packet (-s 128), to be sure.";
    NAGLE = "N009":
        "small writes waited for acknowledgments",
        "Nagle's algorithm (RFC 9293 section 3.7.4) held less than a segment back until everything \
         before it was acknowledged. Where the receiver delays its ACKs (RFC 9293 section 3.8.6.3; \
         Linux: 40 to 200 ms), each such write waits for that timer.",
        "Set TCP_NODELAY at the sender, or gather a message into one write.";
    VANTAGE_TOLD = "N010":
        "captured elsewhere than told",
        "`--vantage` says where the capture was taken, and the analysis went by that; the packet times \
         contradict it, or do not tell. In a connection that carries data both ways, one direction's \
         sender is the other's receiver.",
        "Leave `--vantage` out, unless you know where the capture was taken.";
    SERIES_LEFT_OUT = "N011":
        "some flows have no series",
        "The series that plots are drawn from are kept of so many flows at most, those with the \
         most payload. Verdicts and all other numbers are those of every flow.",
        "Name the flows that you want: `--flow 3,7`.";
    MULTIPATH = "N012":
        "a subflow of multipath TCP",
        "Both ends speak multipath TCP (RFC 8684). The receive window is one for all subflows, and a \
         scheduler decides which of them the next data takes: a subflow that has nothing to send, or \
         waits for the window, may do so for what happens on another.",
        "Look at all subflows of the connection together: the sum of their rates over time.";
    COARSE_CLOCK = "N013":
        "the capture's clock is coarse",
        "Many packets have the same time, and the others are at least one tick apart: an old driver \
         captured them, or the file was converted to whole milliseconds. Whether an ACK, a timer or the \
         application prompted a send shows in intervals of 20 to 250 microseconds.",
        "Capture with a clock of microseconds (tcpdump's is).";
    INTERVALS_JOINED = "N014":
        "more intervals than are kept",
        "The limit changed more than two thousand times. Where it did so fastest, one interval stands for all of \
         its kind nearby: it is as long as they are together, and other limits' frames lie between its own. \
         The shares are exact.",
        "To see single waits, cut the capture: `editcap -A` and `-B`.";
    NOT_OPENED = "N015":
        "no connection was opened",
        "A SYN asked for a connection (RFC 9293 section 3.5), and no answer to it is in the capture, or none \
         but a reset. A reset comes from a host at whose port nothing listens, or from a firewall that refuses; \
         silence from a host that is down, or a firewall that drops.",
        "See whether the server runs and listens (`ss -ltn` there), and whether a capture there has the SYN.";
    PLACE_UNKNOWN = "N016":
        "it is not known where the capture was taken",
        "Data was acknowledged within a fraction of a millisecond, as happens at a receiving host or on a short \
         path, and neither a handshake nor timestamps tell how far away the sender was, nor do the packets' times \
         to live that routers stand on one side only. At the receiver, what the sender waits for cannot be \
         seen, so the verdict is a guess. Or there is a handshake, and one host \
         answers within a seventh of a millisecond: as fast as the capturing host itself, or as one nearby.",
        "Start the capture before the connection, or say where it was taken: `--vantage`.";
    LATE_ANSWERS = "N017":
        "acknowledgments may have been answered late",
        "Most sends came with the same delay, up to 4 ms, after an acknowledgment passed. An application that \
         writes by a timer in step with the round trips looks like this, and so does a sender that reacts to each \
         acknowledgment once it sees it: a capture point a little ahead of the host, coalesced interrupts, a slow \
         host. In those cases the application was not the limit.",
        "Capture on the sending host itself, from before the connection on.";
    PACKET_TOO_BIG = "N018":
        "a router said that packets are too large",
        "A link of the path carries less than the sender's packets, and the router in front of it said so (ICMP type \
         3 code 4, RFC 1191; ICMPv6 type 2, RFC 8201). The sender then sends smaller ones, which costs a round \
         trip each time that it forgets. Where it goes on with large ones, a firewall keeps ICMP from it, or the \
         message came from behind a translation of addresses that did not translate it.",
        "Nothing if the sender obeys. Else see A011.";
    HOST_QUEUE = "N019":
        "the sending host's own queue held data back",
        "Segments left the host long after TCP had made them: acknowledgments had come before they passed the \
         capture point there, and yet they echo an older timestamp (RFC 7323 section 4.3). In between they stood \
         in the queue discipline of the sending interface (`fq` paces so, `tbf` and `htb` shape), or waited for a \
         slow line. A capture there does not see that queue in the RTT.",
        "`tc -s qdisc show` on the sending host. If the rate there is meant, it is the limit; if not, remove the \
         shaper, or raise its rate, `maxrate` or SO_MAX_PACING_RATE.";

    WINDOW_FULL = "E001":
        "the receive window was full",
        "The bytes in flight left less than one segment of the advertised window, and sending \
         went on when an acknowledgment opened it (RFC 9293 section 3.8.6).",
        "See A001 and A002.";
    WINDOW_OVER_RTT = "E002":
        "window over RTT equals the rate",
        "A sender that may have no more than W bytes in flight sends W per round trip. Where \
         that quotient is the rate you see, the window explains it.",
        "Divide the rate you want by this: the window has to grow by the same factor.";
    ZERO_WINDOW = "E003":
        "the receiver closed its window",
        "The advertised window fell below one segment: the receiving program does not read as \
         fast as data arrives.",
        "See A002.";
    FLIGHT_LEVEL = "E010":
        "the bytes in flight stay level",
        "Round after round the sender stopped at the same number of bytes in flight, below the \
         receive window and without a loss: a buffer of fixed size.",
        "See A003.";
    LOSS = "E020":
        "segments were retransmitted",
        "Losses make the sender shrink its congestion window; what it can send per round trip \
         follows the loss rate.",
        "See A004.";
    GROWTH = "E021":
        "the bytes in flight grew each round",
        "Data was sent as acknowledgments arrived, and the sender used all that its congestion \
         window allowed.",
        "See A005.";
    TIMER_WAIT = "E022":
        "the retransmission timer ran out",
        "Nothing was sent until a timer of at least 200 ms (Linux) or 1 s (RFC 6298) expired: too \
         few acknowledgments came back to repair the loss sooner.",
        "See A004.";
    QUEUE = "E023":
        "the RTT shows a queue",
        "The RTT under load against its smallest value is the time spent in queues, the \
         bottleneck's above all. Level RTT: no queue was building.",
        "A queue of many times the smallest RTT hurts everybody on the path: see A005.";
    TOO_LARGE = "E024":
        "large segments never got through",
        "Segments larger than any that got through were sent again three times or more, in vain. The \
         threshold is the payload of the largest that did get through.",
        "See A011.";
    NOTHING_TO_SEND = "E030":
        "the application had nothing to send",
        "Everything sent was acknowledged, the windows were open, and still nothing was sent.",
        "See A006.";
    SMALL_WRITES = "E031":
        "writes slower than the path",
        "Data left in pieces smaller than the windows allowed, as the application wrote them.",
        "See A006 and A007.";
    UNSEEN = "E040":
        "a part was not captured",
        "Bytes were acknowledged that the capture does not hold.",
        "See W006.";

    RAISE_RECEIVE_BUFFER = "A001":
        "raise the receiver's buffer",
        "The receiver offers less than the path's rate times its RTT. No size is named where its window was as \
         large at times: a buffer holds what was not read and what waits behind a loss, too, and what segments \
         take beside their payload.",
        "A window that never grew: the program seems to set SO_RCVBUF, which turns the kernel's own tuning \
         off. Leave it out, or set more; Linux doubles the number, cuts it to `net.core.rmem_max` before, and \
         does not look at `tcp_rmem` then. A window that grew up to a bound: the third value of `sysctl \
         net.ipv4.tcp_rmem`, by default 6 MB; set it to no less than it is. Windows: `netsh int tcp set global autotuninglevel=normal`.";
    READ_FASTER = "A002":
        "make the receiving program read faster",
        "Its buffer runs full: it is busy with something else (disk, decryption, one thread for \
         all).",
        "Profile the receiver. A larger buffer only delays the stop.";
    RAISE_SEND_BUFFER = "A003":
        "raise the sender's buffer",
        "The sending socket holds less than the path's rate times its RTT.",
        "A buffer smaller than the system's bound: the program seems to set SO_SNDBUF, which turns the \
         kernel's own tuning off. Leave it out, or set more; Linux doubles the number, cuts it to \
         `net.core.wmem_max` before, and does not look at `tcp_wmem` then. Else: the third value of `sysctl \
         net.ipv4.tcp_wmem`, by default 4 MB; set it to no less than it is.";
    FIND_LOSS = "A004":
        "find where packets are lost",
        "Losses govern the rate.",
        "Look at drop counters of interfaces and queues along the path, at duplex and optics, and \
         at policers. If the loss is not congestion, a loss-tolerant algorithm (BBR) helps.";
    PATH_IS_FULL = "A005":
        "the path or its queue is full",
        "The congestion window did its work: the transfer took what the path gave.",
        "More speed needs a faster or less used path. If the RTT grows under load, put a queue \
         discipline such as fq_codel or CAKE at the bottleneck.";
    WRITE_FASTER = "A006":
        "look at the sending program",
        "The network waited for the program.",
        "Profile it: disk, database, one request at a time, a rate limit of its own. Ask for more \
         at once (pipelining, larger reads), or run several transfers in parallel.";
    NO_DELAY = "A007":
        "send small messages at once",
        "Small writes wait for the acknowledgment of the one before (Nagle's algorithm, RFC 9293 \
         section 3.7.4), which the receiver may delay.",
        "Set TCP_NODELAY, or gather writes into one (`writev`, MSG_MORE).";
    REUSE_CONNECTION = "A008":
        "reuse the connection",
        "It was over within a few round trips of data, or before slow start was. Each connection takes others to \
         open, and begins with a small window.",
        "Keep connections open. Linux: `net.ipv4.tcp_slow_start_after_idle=0`.";
    CAPTURE_AGAIN = "A009":
        "capture again",
        "The packets that would decide are not in the capture.",
        "At the sender, before the connection starts, both directions: \
         `tcpdump -i IF -s 128 -B 65536 -w trace.pcap host H and port P`.";
    SCALE_WINDOW = "A010":
        "enable window scaling",
        "A SYN came without the window scale option (RFC 7323), and scaling holds only if both sides \
         offer it. The window is then a number of 16 bits: 65 535 bytes per round trip at most, \
         however large the buffer.",
        "Linux: `sysctl net.ipv4.tcp_window_scaling=1` on the side whose SYN lacks the option. If it is \
         on there, capture on both sides: what is sent and does not arrive was stripped by a firewall or \
         a load balancer between them.";
    LOWER_MTU = "A011":
        "find what drops large packets",
        "A link of the path carries less than the sender believes, and no ICMP message reaches it that says so: what is too \
         large vanishes however often it is sent again, while handshakes and small messages pass (RFC 2923 \
         section 2.1). Tunnels, VPNs and PPPoE are the usual places.",
        "Find the largest packet that passes: `ping -M do -s 1472 HOST` (packets of 1500 bytes) and smaller. \
         Let ICMP type 3 code 4, and ICMPv6 type 2, through the firewalls; or clamp the MSS at the tunnel (`TCPMSS --clamp-mss-to-pmtu`, \
         `tcp option maxseg size set rt mtu`), or lower the MTU of the sender's interface or route. On Linux \
         `sysctl net.ipv4.tcp_mtu_probing=1` lets the sender find out after some timeouts.";
    CLEAR_WAY_BACK = "A012":
        "look at the way back",
        "ACKs queue on their way to the sender, so that each round trip takes longer and each window brings less. The \
         receiver stamps them as they leave (RFC 7323 section 3), and their stamps keep the pace that they lose on the way. \
         Often uploads fill that direction; on a very asymmetric line ACKs alone do (RFC 3449).",
        "Look at what else is sent that way. Put a queue discipline in front of the slow line that does not make ACKs wait \
         behind uploads: fq_codel, or CAKE, which can drop those that later ones replace (`ack-filter`).";
}

/// The entry for a code as a user types it, in either case.
#[must_use]
pub fn find(code: &str) -> Option<&'static Entry> {
    ALL.iter().find(|entry| entry.code.0.eq_ignore_ascii_case(code))
}

impl Entry {
    /// `warning`, `note`, `evidence` or `advice`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self.code.0.bytes().next() {
            Some(b'W') => "warning",
            Some(b'N') => "note",
            Some(b'E') => "evidence",
            _ => "advice",
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0)
    }
}

#[cfg(test)]
mod tests;
