//! The founding paper's method, taken literally: Lü, Yan and Li, "The Measurement and Diagnosis of
//! TCP Throughput Limiting Factors" (2007), sections 2.1 to 2.3. Takes one flow's
//! [`SenderEvent`]s, gives [`Findings`]. It stands beside the default method as a baseline.
//!
//! At each ACK, once its burst is out: `wnd = snd_max - snd_una`. Figure 1 follows `cwnd` by a
//! shadow (one `mss * mss / cwnd` per ACK; where the real window outgrows it, `cwnd = wnd`) and
//! names the limit: `rwnd` if `wnd > rwnd - 2 mss`, else the send buffer if `wnd < cwnd - 2 mss`,
//! else `cwnd`. That limit holds until the next ACK.
//!
//! **Why the figure cannot give the paper's own table 1.** Nothing in it ever lowers the shadow.
//! Each ACK adds `mss² / cwnd`, so `cwnd²` grows by at least `2 mss²` and after `n` ACKs
//! `cwnd >= mss * sqrt(2 n)`, whatever was lost. At 1 % loss and a 200 kB window the table says
//! 73 Mbit/s for 10 s with a mean wnd of 13 kB: some 31 000 ACKs (one for two segments), hence a
//! shadow of 250 mss or 365 kB. It passes `wnd + 2 mss`, 11 mss, after the first 60 ACKs, and
//! every ACK after that is `SND_LIMIT`, where the table prints 90 % for the congestion window. The
//! printed figure must have lost a line; we keep it as printed. For the same reason it calls every
//! lossy, paced or idle transfer send-buffer limited: it knows no loss, no pacing and no idle
//! application.

use crate::sender::{Acknowledge, RttMatcher, SenderEvent};
use crate::units::{Bytes, Duration, StreamOffset, Timestamp};

/// The paper's method over one flow. Constant memory.
#[derive(Debug, Default)]
pub(crate) struct Lu2007 {
    /// Highest offset sent so far.
    snd_max: StreamOffset,
    /// The connection's largest segment so far; zero before the first data.
    mss: Bytes,
    /// Octets. The paper gives no first value: zero lets the first burst set it.
    shadow_cwnd: f64,
    /// The last ACK; its burst may not be over.
    last_ack: Option<LastAck>,
    rlimit_time: Duration,
    slimit_time: Duration,
    climit_time: Duration,
    /// Octets times seconds, over the three times above.
    wnd_area: f64,
    rtt_sum: Duration,
    rtt_count: u32,
}

/// What the method found in one flow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Findings {
    /// Share of the connection's time under `RCV_LIMIT`, 0 to 1. The three sum to less than 1 by
    /// the time before the first ACK.
    pub(crate) rlimit: f64,
    /// The same under `SND_LIMIT`.
    pub(crate) slimit: f64,
    /// The same under `CWND_LIMIT`.
    pub(crate) climit: f64,
    /// wnd in octets, time-weighted mean since the first ACK that was classified; 0 without one.
    pub(crate) wnd_mean_bytes: f64,
    /// Mean over the samples; `None` without one.
    pub(crate) rtt_mean: Option<Duration>,
    /// The shadow cwnd after the last ACK, octets.
    pub(crate) cwnd_end_bytes: f64,
}

#[derive(Debug, Clone, Copy)]
struct LastAck {
    time: Timestamp,
    snd_una: StreamOffset,
    /// `None`: its scale is not known, so the receive window is never named.
    rwnd: Option<Bytes>,
}

/// `wlimit` of figure 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WindowLimit {
    Receive,
    Send,
    Congestion,
}

impl Lu2007 {
    /// Takes the flow's next event; times never decrease.
    pub(crate) fn on_event(&mut self, event: &SenderEvent) {
        match event {
            SenderEvent::Send(send) => {
                // A burst of retransmissions alone leaves the highest offset where it was; read
                // to the letter, "the highest sequence of the burst" would put wnd below mss then.
                self.snd_max = self.snd_max.max(send.after.snd_nxt);
                if send.len > Bytes(0) {
                    self.mss = self.mss.max(send.smss);
                }
            }
            SenderEvent::Acknowledge(ack) => self.on_ack(ack),
            SenderEvent::Gap(_) => {}
        }
    }

    /// Closes the last ACK's interval at `end`. `start` and `end` are the times of the connection's
    /// first and last packet.
    pub(crate) fn finish(mut self, start: Timestamp, end: Timestamp) -> Findings {
        self.close_interval(end);
        let duration = end.since(start).as_secs_f64();
        let share = |time: Duration| {
            if duration > 0.0 { (time.as_secs_f64() / duration).min(1.0) } else { 0.0 }
        };
        let classified = self
            .rlimit_time
            .saturating_add(self.slimit_time)
            .saturating_add(self.climit_time)
            .as_secs_f64();
        Findings {
            rlimit: share(self.rlimit_time),
            slimit: share(self.slimit_time),
            climit: share(self.climit_time),
            wnd_mean_bytes: if classified > 0.0 { self.wnd_area / classified } else { 0.0 },
            rtt_mean: self.rtt_sum.checked_div(self.rtt_count),
            cwnd_end_bytes: self.shadow_cwnd,
        }
    }

    fn on_ack(&mut self, ack: &Acknowledge) {
        self.close_interval(ack.time);
        // Section 2.3: the ACK of a segment's end. DupAcks are left out, as the paper allows.
        if let Some(sample) = ack.rtt.filter(|sample| sample.matcher == RttMatcher::SegmentEnd) {
            self.rtt_sum = self.rtt_sum.saturating_add(sample.rtt);
            self.rtt_count = self.rtt_count.saturating_add(1);
        }
        self.last_ack =
            Some(LastAck { time: ack.time, snd_una: ack.after.snd_una, rwnd: ack.after.snd_wnd });
    }

    /// The last ACK's burst is out: classifies it and books the time until `now`.
    fn close_interval(&mut self, now: Timestamp) {
        let Some(ack) = self.last_ack.take() else { return };
        if self.mss == Bytes(0) {
            return; // No data yet: figure 1 has no mss to compare with.
        }
        let wnd = self.snd_max.since(ack.snd_una).as_f64();
        let limit = self.classify(wnd, ack.rwnd.map(Bytes::as_f64));
        let time = now.since(ack.time);
        let total = match limit {
            WindowLimit::Receive => &mut self.rlimit_time,
            WindowLimit::Send => &mut self.slimit_time,
            WindowLimit::Congestion => &mut self.climit_time,
        };
        *total = total.saturating_add(time);
        self.wnd_area += wnd * time.as_secs_f64();
    }

    /// Figure 1, line by line.
    fn classify(&mut self, wnd: f64, rwnd: Option<f64>) -> WindowLimit {
        let mss = self.mss.as_f64();
        if wnd > self.shadow_cwnd {
            self.shadow_cwnd = wnd;
        } else if self.shadow_cwnd > 0.0 {
            self.shadow_cwnd += mss * mss / self.shadow_cwnd;
        }
        if rwnd.is_some_and(|rwnd| wnd > rwnd - 2.0 * mss) {
            WindowLimit::Receive
        } else if wnd < self.shadow_cwnd - 2.0 * mss {
            WindowLimit::Send
        } else {
            WindowLimit::Congestion
        }
    }
}

#[cfg(test)]
mod tests;
