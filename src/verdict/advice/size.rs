//! How large a window or a buffer has to be, and what makes it so.

use super::gain::Gain;
use crate::model::figures::bytes_f64;
use crate::model::{Advice, codes};
use crate::verdict::facts::Facts;
use crate::verdict::lever::{Lever, Side};

pub(super) fn window(facts: &Facts, gain: &Gain) -> Advice {
    match facts.window_lever {
        Lever::Scaling(side) => Advice { code: codes::SCALE_WINDOW, text: scaling(side, gain) },
        lever => Advice { code: codes::RAISE_RECEIVE_BUFFER, text: receive_buffer(lever, gain) },
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

fn receive_buffer(lever: Lever, gain: &Gain) -> String {
    format!(
        "raise the receiver's buffer{}{}. {}",
        gain.size("of window"),
        gain.words(),
        turned(lever, gain, &["receiving", "SO_RCVBUF", "rmem"])
    )
}

pub(super) fn send_buffer(lever: Lever, gain: &Gain) -> String {
    format!(
        "raise the sender's socket buffer{}{}. {}",
        gain.size("in flight"),
        gain.words(),
        turned(lever, gain, &["sending", "SO_SNDBUF", "wmem"])
    )
}

/// How to: `names` are the program's part, the socket option, and what the system's settings end in. A
/// system's bound below what is there already would shrink the buffers of others.
fn turned(lever: Lever, gain: &Gain, names: &[&str; 3]) -> String {
    let [program, option, setting] = names;
    let window = gain.window();
    if lever == Lever::Program {
        // The kernel doubles what is set (socket(7)), and makes half of that window.
        let to = window.map_or("more".to_owned(), bytes_f64);
        return format!(
            "The {program} program seems to set {option}: remove that, or set it to {to} (Linux caps it at \
             net.core.{setting}_max)"
        );
    }
    let least = window.map_or("more".to_owned(), |window| bytes_f64(2.0 * window));
    format!(
        "If the {program} program sets {option}, remove that; if not, on Linux make the third value of \
         sysctl net.ipv4.tcp_{setting} at least {least}"
    )
}
