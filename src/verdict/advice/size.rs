//! How large does a window or a buffer have to be, and what makes it so?

use super::gain::{GAIN_MIN, Gain};
use crate::model::figures::bytes_f64;
use crate::model::{Advice, codes};
use crate::verdict::already::Already;
use crate::verdict::facts::Facts;
use crate::verdict::lever::{Lever, Side};

pub(super) fn window(facts: &Facts, gain: &Gain) -> Advice {
    match facts.window_lever {
        Lever::Scaling(side) => Advice { code: codes::SCALE_WINDOW, text: scaling(side, gain) },
        _ => Advice { code: codes::RAISE_RECEIVE_BUFFER, text: receive_buffer(facts, gain) },
    }
}

fn scaling(side: Side, gain: &Gain) -> String {
    format!(
        "enable window scaling: the {}'s SYN lacks the option, so the window is at most 65 535 bytes \
         whatever the buffer{}. On Linux there: sysctl net.ipv4.tcp_window_scaling=1; if that is set, look for \
         a middlebox that strips the option",
        side.words(),
        gain.words()
    )
}

fn receive_buffer(facts: &Facts, gain: &Gain) -> String {
    let size = Size::of(facts.window, gain);
    format!(
        "raise the receiver's buffer{}{}. {}",
        size.words("of window", window_was),
        gain.words(),
        size.turned(facts.window_lever, &["receiving", "SO_RCVBUF", "rmem"])
    )
}

pub(super) fn send_buffer(facts: &Facts, gain: &Gain) -> String {
    let size = Size::of(facts.send_buffer, gain);
    format!(
        "raise the sender's socket buffer{}{}. {}",
        size.words("in flight when full", buffer_was),
        gain.words(),
        size.turned(facts.send_lever, &["sending", "SO_SNDBUF", "wmem"])
    )
}

fn window_was(Already { used, whole, .. }: Already) -> String {
    let [used, whole] = [used, whole].map(bytes_f64);
    format!("its window was {whole} at its largest, {used} on average when it was full")
}

fn buffer_was(Already { whole, .. }: Already) -> String {
    format!("{} were in flight when it was full", bytes_f64(whole))
}

/// Whether the window was as large as it has to be already, when it was full: it is not its buffer that is
/// too small, but what fills that, as data does that waits behind a loss.
pub(super) fn is_enough(already: Option<Already>, gain: &Gain) -> bool {
    already.is_some_and(|already| gain.flight() <= already.used)
}

/// What to make of a window or a buffer.
#[derive(Debug, Clone, Copy)]
enum Size {
    /// So many octets of window, or in flight: more than there is.
    To(f64),
    /// Nothing tells a size that there is not already.
    Above(Already),
    Unknown,
}

impl Size {
    /// A gain is of what was in use on average, and so is what it takes; the whole has to be larger by as
    /// much. What grew by itself was in use at many sizes.
    fn of(already: Option<Already>, gain: &Gain) -> Self {
        let flight = gain.flight();
        let Some(already) = already.filter(|already| already.used > 0.0) else {
            return if flight > 0.0 { Self::To(flight) } else { Self::Unknown };
        };
        let spare = if already.is_fixed { (already.whole / already.used).max(1.0) } else { 1.0 };
        let size = flight * spare;
        if size >= GAIN_MIN * already.whole { Self::To(size) } else { Self::Above(already) }
    }

    /// ` to 53.6 MB (26.8 MB as a window)`; Linux makes half of a buffer window at first
    /// (`tcp_rmem`), and counts up to twice the payload in flight (`tcp_wmem`).
    fn words(self, what: &str, was: fn(Already) -> String) -> String {
        match self {
            Self::To(size) => format!(" to {} ({} {what})", bytes_f64(2.0 * size), bytes_f64(size)),
            Self::Above(already) => format!(" ({})", was(already)),
            Self::Unknown => String::new(),
        }
    }

    /// How to: `names` are the program's part, the socket option, and what the system's settings end in. A
    /// system's bound below what is there already would shrink the buffers of others.
    fn turned(self, lever: Lever, names: &[&str; 3]) -> String {
        let [program, option, setting] = names;
        if lever == Lever::Program {
            // The kernel doubles what is set (socket(7)), and makes half of that window.
            let to = match self {
                Self::To(size) => format!("set it to {}", bytes_f64(size)),
                Self::Above(_) | Self::Unknown => "set it higher".to_owned(),
            };
            return format!(
                "The {program} program seems to set {option}: remove that, or {to} (Linux caps it at \
                 net.core.{setting}_max)"
            );
        }
        let third = format!("the third value of sysctl net.ipv4.tcp_{setting}");
        let system = match self {
            Self::To(size) => format!("make {third} at least {}", bytes_f64(2.0 * size)),
            Self::Above(_) | Self::Unknown => format!("raise {third}"),
        };
        format!("If the {program} program sets {option}, remove that; if not, on Linux {system}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Lifted;

    /// Twice the goodput takes 200 kB in flight.
    fn told(window: Already) -> String {
        let facts = Facts { window: Some(window), ..Facts::sample() };
        super::window(&facts, &Gain::of(Lifted::ReceiveWindow, &facts, &[])).text
    }

    /// `raise the receiver's buffer to 26.4 kB (13.2 kB of window)` stood beside `it reached 21.7 kB`.
    #[test]
    fn no_size_is_named_that_is_there_already() {
        let already = |used, whole, is_fixed| told(Already { used, whole, is_fixed });
        let grown = already(100e3, 250e3, false);
        assert!(
            grown.contains("250 kB at its largest, 100 kB on average when it was full"),
            "{grown}"
        );
        assert!(!grown.contains("buffer to") && grown.ends_with("net.ipv4.tcp_rmem"), "{grown}");
        let small = already(100e3, 100e3, false);
        assert!(small.contains("buffer to 400 kB (200 kB of window)"), "{small}");
        // A fifth of it was never offered again, and would not be of a larger one.
        let fixed = already(100e3, 125e3, true);
        assert!(fixed.contains("buffer to 500 kB (250 kB of window)"), "{fixed}");
        assert!(fixed.ends_with("tcp_rmem at least 500 kB"), "{fixed}");
        let hardly = already(198e3, 198e3, true);
        assert!(!hardly.contains("buffer to"), "{hardly}");
    }

    /// What a blocked writer leaves in flight on average is less than what a full buffer holds.
    #[test]
    fn a_send_buffer_has_to_hold_more_than_it_did() {
        let text = |goodput, whole| {
            let send_buffer = Some(Already { used: 100e3, whole, is_fixed: true });
            let facts = Facts { send_buffer, goodput: Some(goodput), ..Facts::sample() };
            super::send_buffer(&facts, &Gain::of(Lifted::SendBuffer, &facts, &[]))
        };
        let larger = text(8e6, 140e3);
        assert!(larger.contains("buffer to 560 kB (280 kB in flight when full)"), "{larger}");
        let untold = text(4e6, 140e3);
        assert!(untold.contains("(140 kB were in flight when it was full)"), "{untold}");
    }
}
