//! Waits about which the capture does not tell.

use super::{Context, Limit, Ruling};
use crate::round::Wait;

/// The capture missed packets in the wait: what the sender did then is not known.
pub(super) fn examine(wait: &Wait, _: &Context) -> Option<Ruling> {
    wait.sign.has_gap.then_some(Ruling::uncaused(Limit::CaptureGap))
}
