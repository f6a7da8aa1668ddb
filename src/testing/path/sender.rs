//! The sending host: IW10, slow start and Reno, SACK recovery (RFC 6675), the timer of RFC 6298
//! with Linux's floor, and a socket whose blocked writer wakes when a third of it is free.

use std::collections::{BTreeSet, VecDeque};

use super::{Ack, Application, Data, MSS, Path};

/// RFC 6928.
const INITIAL_WINDOW: u64 = 10 * MSS;
/// Linux's `TCP_RTO_MIN`.
const RTO_MIN: u64 = 200_000_000;
/// RFC 6298 section 2.1.
const RTO_FIRST: u64 = 1_000_000_000;
/// RFC 6675 section 5: so many segments selectively acknowledged above one: it is lost.
const DUP_THRESH: u64 = 3;
/// One call of the application writes this much.
const WRITE: u64 = 65_536;

/// A segment between SND.UNA and SND.NXT.
struct Sent {
    start: u64,
    len: u64,
    fin: bool,
    is_sacked: bool,
    is_lost: bool,
    is_resent: bool,
}

impl Sent {
    fn end(&self) -> u64 {
        self.start + self.len + u64::from(self.fin)
    }

    fn is_in_network(&self) -> bool {
        !self.is_sacked && (!self.is_lost || self.is_resent)
    }
}

pub(super) struct Sender {
    sent: VecDeque<Sent>,
    snd_una: u64,
    snd_nxt: u64,
    right_edge: u64,
    cwnd: u64,
    ssthresh: u64,
    /// Recovery lasts until this is acknowledged.
    recovery_point: Option<u64>,
    srtt: Option<u64>,
    rttvar: u64,
    backoff: u32,
    arming: u64,
    is_armed: bool,
    sndbuf: u64,
    written: u64,
    /// Where writes ended or had to wait: Linux sets PSH there.
    pushes: BTreeSet<u64>,
    /// A blocked writer sleeps until a third of the buffer is free (`sk_stream_write_space`).
    is_blocked: bool,
    is_finished: bool,
    has_sent_fin: bool,
    /// Octets that the paced application still wants to write.
    owed: u64,
    pub(super) paced_until: u64,
    /// When the last acknowledgment left the receiver: what TSecr echoes.
    pub(super) peer_time: u64,
}

impl Sender {
    pub(super) fn new(path: &Path) -> Self {
        Self {
            sent: VecDeque::new(),
            snd_una: 0,
            snd_nxt: 0,
            right_edge: path.rcvbuf.min(65_535),
            cwnd: INITIAL_WINDOW,
            ssthresh: u64::MAX,
            recovery_point: None,
            srtt: None,
            rttvar: 0,
            backoff: 0,
            arming: 0,
            is_armed: false,
            sndbuf: path.sndbuf,
            written: 0,
            pushes: BTreeSet::new(),
            is_blocked: false,
            is_finished: false,
            has_sent_fin: false,
            owed: 0,
            paced_until: 0,
            peer_time: 0,
        }
    }

    /// The paced application wants to write `octets` more.
    pub(super) fn owe(&mut self, octets: u64) {
        self.owed += octets;
    }

    /// The application's turn, if it has anything to write and is not asleep; it closes once
    /// `is_over`. Linux looks at the buffer's bound before it begins a segment, not within.
    pub(super) fn write(&mut self, application: &Application, is_over: bool) {
        self.is_finished |= is_over;
        let is_asleep =
            self.is_blocked && self.written.saturating_sub(self.snd_una) > self.sndbuf * 2 / 3;
        if self.is_finished || is_asleep {
            return;
        }
        self.is_blocked = false;
        loop {
            let wanted = match application {
                Application::Bulk => WRITE - self.written % WRITE,
                Application::Paced { .. } => self.owed,
            };
            if wanted == 0 {
                return;
            }
            if self.written - self.snd_una >= self.sndbuf {
                self.is_blocked = true;
                self.pushes.insert(self.written);
                return;
            }
            let taken = wanted.min(MSS - self.written % MSS);
            self.written += taken;
            self.owed = self.owed.saturating_sub(taken);
            if taken == wanted {
                self.pushes.insert(self.written);
            }
        }
    }

    /// The next segment that all windows allow, now on the wire.
    pub(super) fn next_segment(&mut self, now: u64) -> Option<Data> {
        let pipe: u64 =
            self.sent.iter().filter(|sent| sent.is_in_network()).map(|sent| sent.len).sum();
        if now < self.paced_until || pipe + MSS > self.cwnd {
            return None;
        }
        if let Some(sent) = self.sent.iter_mut().find(|sent| sent.is_lost && !sent.is_resent) {
            sent.is_resent = true;
            let (start, len, fin) = (sent.start, sent.len, sent.fin);
            return Some(Data { start, len, psh: false, fin, sent_at: now });
        }
        // No Nagle: a short segment goes out at once (TCP_NODELAY).
        let len = MSS.min(self.written.saturating_sub(self.snd_nxt));
        let fin = self.is_finished && self.snd_nxt + len == self.written && !self.has_sent_fin;
        let fits = self.snd_nxt + len <= self.right_edge;
        if (len == 0 && !fin) || !fits {
            return None;
        }
        let start = self.snd_nxt;
        let push = self.pushes.iter().any(|push| start < *push && *push <= start + len);
        self.has_sent_fin |= fin;
        let sent = Sent { start, len, fin, is_sacked: false, is_lost: false, is_resent: false };
        self.snd_nxt = sent.end();
        self.sent.push_back(sent);
        Some(Data { start, len, psh: push, fin, sent_at: now })
    }

    pub(super) fn on_ack(&mut self, ack: &Ack, now: u64) {
        self.peer_time = ack.sent_at;
        self.right_edge = self.right_edge.max(ack.rcv_nxt + ack.window);
        let newly_acked = ack.rcv_nxt.saturating_sub(self.snd_una);
        while self.sent.front().is_some_and(|sent| sent.end() <= ack.rcv_nxt) {
            self.sent.pop_front();
        }
        self.snd_una = self.snd_una.max(ack.rcv_nxt);
        self.pushes = self.pushes.split_off(&self.snd_una);
        self.mark(&ack.sack);
        if newly_acked > 0 {
            self.is_armed = false;
            self.backoff = 0;
            self.measure(now - ack.echo);
        }
        if self.recovery_point.is_some_and(|point| ack.rcv_nxt >= point) {
            self.recovery_point = None;
            self.cwnd = self.ssthresh;
        } else if self.recovery_point.is_none() && self.sent.iter().any(|sent| sent.is_lost) {
            self.ssthresh = ((self.snd_nxt - self.snd_una) / 2).max(2 * MSS);
            self.cwnd = self.ssthresh;
            self.recovery_point = Some(self.snd_nxt);
        } else if self.recovery_point.is_none() || self.cwnd < self.ssthresh {
            self.grow(newly_acked);
        }
    }

    /// Everything is lost; start again from one segment. False for a timer that was rearmed.
    pub(super) fn on_timeout(&mut self, arming: u64) -> bool {
        if arming != self.arming || !self.is_armed || self.sent.is_empty() {
            return false;
        }
        self.is_armed = false;
        self.backoff += 1;
        self.ssthresh = ((self.snd_nxt - self.snd_una) / 2).max(2 * MSS);
        self.cwnd = MSS;
        self.recovery_point = Some(self.snd_nxt);
        for sent in &mut self.sent {
            sent.is_lost = !sent.is_sacked;
            sent.is_resent = false;
        }
        true
    }

    /// Starts the timer if it has to run and does not; when it runs out.
    pub(super) fn arm_timer(&mut self, now: u64) -> Option<(u64, u64)> {
        if self.is_armed || self.sent.is_empty() {
            return None;
        }
        self.is_armed = true;
        self.arming += 1;
        let rto = self.srtt.map_or(RTO_FIRST, |srtt| srtt + (4 * self.rttvar).max(RTO_MIN));
        Some((now + (rto << self.backoff.min(6)), self.arming))
    }

    fn mark(&mut self, sack: &[(u64, u64)]) {
        for sent in &mut self.sent {
            sent.is_sacked |=
                sack.iter().any(|range| range.0 <= sent.start && sent.end() <= range.1);
        }
        let mut sacked_above = 0;
        for sent in self.sent.iter_mut().rev() {
            if sent.is_sacked {
                sacked_above += sent.len;
            } else {
                sent.is_lost |= sacked_above >= DUP_THRESH * MSS;
            }
        }
    }

    /// RFC 6298 section 2; the echo makes samples of retransmissions right as well.
    fn measure(&mut self, rtt: u64) {
        let srtt = self.srtt.unwrap_or(rtt);
        let deviation = srtt.abs_diff(rtt);
        self.rttvar = if self.srtt.is_some() { (3 * self.rttvar + deviation) / 4 } else { rtt / 2 };
        self.srtt = Some((7 * srtt + rtt) / 8);
    }

    /// Slow start, or one segment per round (RFC 5681 section 3.1), while the window is in use.
    fn grow(&mut self, newly_acked: u64) {
        let flight = self.snd_nxt - self.snd_una + newly_acked;
        if self.cwnd < self.ssthresh {
            // Linux grows to twice what was in flight (`tcp_is_cwnd_limited`).
            self.cwnd = (self.cwnd + newly_acked).min((2 * flight).max(self.cwnd));
        } else if flight + MSS >= self.cwnd {
            self.cwnd += MSS * newly_acked / self.cwnd;
        }
    }
}
