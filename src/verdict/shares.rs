//! The ledger's time as shares of the connection's duration, each with its range.

use std::collections::BTreeMap;

use crate::limit::{Cause, Ledger, Limit};
use crate::model::{CauseShare, LimitShare, Limits, POINT, PaperShares};
use crate::units::Duration;

/// A smaller part of the time is worth no prediction, no look at a buffer and no note.
pub(super) const SHARE_MIN: f64 = 0.05;

/// What held a direction while nothing of it passed.
pub(super) type Outside = (Limit, Option<Cause>);

/// One direction's time by limit.
#[derive(Debug)]
pub(super) struct Shares {
    time: BTreeMap<Limit, Duration>,
    /// Time charged to a limit although another would fit too.
    doubted: BTreeMap<Limit, Duration>,
    /// Time charged elsewhere that would fit this limit too.
    claimed: BTreeMap<Limit, Duration>,
    causes: BTreeMap<(Limit, Cause), Duration>,
    duration: Duration,
    /// Pacing time of a sender that a full buffer or window holds down again and again.
    hidden: BTreeMap<Limit, Duration>,
    /// Of that, what is not among the claimed as well.
    hidden_surely: BTreeMap<Limit, Duration>,
    round_trips: u32,
    /// Half width of every range: what no test can resolve.
    blur: f64,
}

impl Shares {
    /// `duration` is the connection's; what the ledger does not cover (before the first and after
    /// the last packet of this direction) counts as `outside`. `rtt` sets the blur.
    pub(super) fn new(
        ledger: &Ledger,
        duration: Duration,
        outside: Outside,
        rtt: Option<Duration>,
    ) -> Self {
        let duration = duration.max(ledger.total());
        let mut shares = Self {
            time: BTreeMap::new(),
            doubted: BTreeMap::new(),
            claimed: BTreeMap::new(),
            causes: BTreeMap::new(),
            hidden: BTreeMap::new(),
            hidden_surely: BTreeMap::new(),
            duration,
            round_trips: round_trips(duration, rtt),
            blur: blur(duration, rtt),
        };
        for (&(limit, cause, rival), &time) in &ledger.time {
            add(&mut shares.time, limit, time);
            if let Some(cause) = cause {
                add(&mut shares.causes, (limit, cause), time);
            }
            if let Some(rival) = rival {
                add(&mut shares.doubted, limit, time);
                add(&mut shares.claimed, rival, time);
            }
        }
        for (&(behind, rival), &time) in &ledger.hidden {
            add(&mut shares.hidden, behind, time);
            if rival != Some(behind) {
                add(&mut shares.hidden_surely, behind, time);
            }
        }
        shares.add_outside(duration.saturating_sub(ledger.total()), outside);
        shares
    }

    fn add_outside(&mut self, time: Duration, (limit, cause): Outside) {
        add(&mut self.time, limit, time);
        if let Some(cause) = cause.filter(|_| !time.is_zero()) {
            add(&mut self.causes, (limit, cause), time);
        }
    }

    /// 0 to 1. Of a connection seen at one instant only, all is unknown.
    pub(super) fn of(&self, limit: Limit) -> f64 {
        if self.duration.is_zero() {
            return if limit == Limit::Unknown { 1.0 } else { 0.0 };
        }
        self.part(self.time.get(&limit))
    }

    /// With everything doubtful counted against it.
    pub(super) fn low(&self, limit: Limit) -> f64 {
        (self.of(limit) - self.doubted(limit) - self.blur).max(0.0)
    }

    /// What of it would fit another limit, too.
    pub(super) fn doubted(&self, limit: Limit) -> f64 {
        self.part(self.doubted.get(&limit))
    }

    /// With everything doubtful counted for it.
    pub(super) fn high(&self, limit: Limit) -> f64 {
        let unseen = self.of(Limit::Unknown) + self.of(Limit::CaptureGap);
        (self.of(limit) + self.claimed(limit) + unseen + self.blur).min(1.0)
    }

    /// The share with the pacing time that `limit` causes: a paced sender paces at the rate which a
    /// too small buffer or window lets it measure, so it waits for its timer, but the buffer or the
    /// window is why.
    pub(super) fn with_hidden(&self, limit: Limit) -> f64 {
        self.of(limit) + self.moved(limit, &self.hidden)
    }

    /// The same with everything else that is doubtful counted against it.
    pub(super) fn low_with_hidden(&self, limit: Limit) -> f64 {
        // What is doubted of a congestion window, a claim of the limit behind it, is off already.
        let hidden = match limit {
            Limit::CongestionWindow => &self.hidden_surely,
            _ => &self.hidden,
        };
        (self.low(limit) + self.moved(limit, hidden)).max(0.0)
    }

    /// The same with everything else that is doubtful counted for it.
    pub(super) fn high_with_hidden(&self, limit: Limit) -> f64 {
        match limit {
            // That another limit is behind its pacing is an inference.
            Limit::CongestionWindow => self.high(limit),
            _ => (self.high(limit) + self.moved(limit, &self.hidden_surely)).min(1.0),
        }
    }

    /// What `limit` has more if pacing time counts for the limits behind it; less than nothing for the
    /// congestion window, which has it all.
    fn moved(&self, limit: Limit, hidden: &BTreeMap<Limit, Duration>) -> f64 {
        match limit {
            Limit::CongestionWindow => -self.part(Some(&hidden.values().sum())),
            _ => self.part(hidden.get(&limit)),
        }
    }

    /// Time charged elsewhere that would fit this limit too, as a share.
    pub(super) fn claimed(&self, limit: Limit) -> f64 {
        self.part(self.claimed.get(&limit))
    }

    /// The connection's.
    pub(super) fn duration(&self) -> Duration {
        self.duration
    }

    /// Round trips in the duration.
    pub(super) fn round_trips(&self) -> u32 {
        self.round_trips
    }

    /// The four limits that a verdict can name, largest share with what is hidden first; of equal ones that
    /// with the larger share of its own.
    pub(super) fn ranked(&self) -> [Limit; 4] {
        let mut limits = NAMED;
        let shares = |limit| (self.with_hidden(limit), self.of(limit));
        limits.sort_by(|a, b| {
            let ((a, own_a), (b, own_b)) = (shares(*a), shares(*b));
            b.total_cmp(&a).then(own_b.total_cmp(&own_a))
        });
        limits
    }

    /// The largest cause within `limit`; `None` if it has none.
    pub(super) fn main_cause(&self, limit: Limit) -> Option<Cause> {
        self.causes_of(limit).first().map(|share| share.cause)
    }

    /// Rlimit, Slimit and Climit over their sum; `None` if none of them ever held.
    pub(super) fn paper(&self) -> Option<PaperShares> {
        let [rlimit, slimit, climit] =
            [Limit::ReceiveWindow, Limit::SendBuffer, Limit::CongestionWindow].map(|l| self.of(l));
        let sum = rlimit + slimit + climit;
        (sum > 0.0).then(|| PaperShares {
            rlimit: rlimit / sum,
            slimit: slimit / sum,
            climit: climit / sum,
        })
    }

    /// All seven, for the report.
    pub(super) fn limits(&self) -> Limits {
        Limits {
            receive_window: self.limit_share(Limit::ReceiveWindow),
            send_buffer: self.limit_share(Limit::SendBuffer),
            congestion_window: self.limit_share(Limit::CongestionWindow),
            application: self.limit_share(Limit::Application),
            handshake_close: self.limit_share(Limit::HandshakeClose),
            capture_gap: self.limit_share(Limit::CaptureGap),
            unknown: self.limit_share(Limit::Unknown),
        }
    }

    /// Time of `limit`.
    pub(super) fn time(&self, limit: Limit) -> Duration {
        self.time.get(&limit).copied().unwrap_or_default()
    }

    fn limit_share(&self, limit: Limit) -> LimitShare {
        LimitShare {
            share: self.of(limit),
            share_low: self.low(limit),
            share_high: self.high(limit),
            time_s: self.time(limit).as_secs_f64(),
            causes: self.causes_of(limit),
        }
    }

    fn causes_of(&self, limit: Limit) -> Vec<CauseShare> {
        let mut causes: Vec<CauseShare> = self
            .causes
            .iter()
            .filter(|((of, _), _)| *of == limit)
            .map(|(&(_, cause), time)| CauseShare {
                cause,
                share: self.part(Some(time)),
                time_s: time.as_secs_f64(),
            })
            .collect();
        causes.sort_by(|a, b| b.share.total_cmp(&a.share));
        causes
    }

    fn part(&self, time: Option<&Duration>) -> f64 {
        let (Some(time), false) = (time, self.duration.is_zero()) else { return 0.0 };
        time.as_secs_f64() / self.duration.as_secs_f64()
    }
}

/// The limits that a verdict can name.
const NAMED: [Limit; 4] =
    [Limit::ReceiveWindow, Limit::SendBuffer, Limit::CongestionWindow, Limit::Application];

/// Round trips in `duration`; none where the RTT is not known.
fn round_trips(duration: Duration, rtt: Option<Duration>) -> u32 {
    let ratio = rtt.map_or(0.0, |rtt| duration.as_secs_f64() / rtt.as_secs_f64().max(1e-9));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    let whole = ratio as u32;
    whole
}

/// One point for what each test blurs at the edges of waits, and half a round trip at each end of
/// the connection, where it is not seen what the application still had to send; five points at
/// most, so that a short flow's range still says something.
fn blur(duration: Duration, rtt: Option<Duration>) -> f64 {
    let ends = rtt.unwrap_or_default().as_secs_f64() / duration.as_secs_f64().max(1e-9);
    (POINT + ends).min(0.05)
}

fn add<K: Ord>(sums: &mut BTreeMap<K, Duration>, key: K, time: Duration) {
    let sum = sums.entry(key).or_default();
    *sum = sum.saturating_add(time);
}
