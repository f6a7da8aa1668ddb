//! Which window does a congestion control hold at a loss rate?

use crate::model::CongestionClass;
use crate::response::{cubic_window, highspeed_window, reno_window, scalable_window};

/// How a congestion control answers losses.
#[derive(Debug, Clone, Copy)]
pub(super) enum Law {
    Reno,
    Cubic,
    HighSpeed,
    Scalable,
    NotKnown,
}

impl Law {
    pub(super) fn of(class: CongestionClass) -> Self {
        match class {
            CongestionClass::RenoLike => Self::Reno,
            CongestionClass::Cubic => Self::Cubic,
            CongestionClass::Highspeed => Self::HighSpeed,
            CongestionClass::Scalable => Self::Scalable,
            _ => Self::NotKnown,
        }
    }

    /// Mean window in segments; CUBIC's where the law is not known: what Linux, Windows and macOS have
    /// unless told otherwise.
    pub(super) fn window(self, loss_rate: f64, rtt: f64) -> f64 {
        match self {
            Self::Reno => reno_window(loss_rate),
            Self::HighSpeed => highspeed_window(loss_rate),
            Self::Scalable => scalable_window(loss_rate),
            Self::Cubic | Self::NotKnown => cubic_window(loss_rate, rtt),
        }
    }

    /// Of a law that is not known, the least that one of them has.
    pub(super) fn low(self, loss_rate: f64, rtt: f64) -> f64 {
        match self {
            Self::NotKnown => reno_window(loss_rate),
            known => known.window(loss_rate, rtt),
        }
    }

    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Reno => "answered as Reno does",
            Self::Cubic => "answered as CUBIC does",
            Self::HighSpeed => "answered as HighSpeed TCP does",
            Self::Scalable => "answered as Scalable TCP does",
            Self::NotKnown => "answered as CUBIC would",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 9438 section 5.1, RFC 3649 section 5: at a loss in ten thousand segments and 100 ms, Reno holds
    /// the smallest window of those that are known.
    #[test]
    fn each_law_holds_its_own_window_and_an_unknown_one_perhaps_renos() {
        let window = |class| Law::of(class).window(1e-4, 0.1).round();
        let reno = window(CongestionClass::RenoLike);
        let cubic = window(CongestionClass::Cubic);
        let high_speed = window(CongestionClass::Highspeed);
        let scalable = window(CongestionClass::Scalable);
        assert!(
            reno < cubic && cubic < scalable && reno < high_speed,
            "{reno} {cubic} {high_speed}"
        );
        let unknown = Law::of(CongestionClass::Unknown);
        let [low, best] = [unknown.low(1e-4, 0.1), unknown.window(1e-4, 0.1)].map(f64::round);
        assert!((low - reno).abs() < 0.5 && (best - cubic).abs() < 0.5, "{low} {best}");
    }
}
