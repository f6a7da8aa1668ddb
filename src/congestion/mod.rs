//! Which congestion control is this? Takes [`SenderEvent`](crate::sender::SenderEvent)s, cuts the
//! flow into [`Epoch`]s from one back-off to the next, and asks of each growth law (`law`) how well
//! it predicts the window from the epoch's start (`fit`).
//!
//! All of it rests on what is in the pipe at the end of a send: that is cwnd only where cwnd is the
//! limit, which is not asked here.

mod epoch;
mod fit;
mod follow;
mod identify;
mod law;
mod samples;
#[cfg(test)]
mod tests;

pub use epoch::BackOff;
pub(crate) use epoch::Epoch;
pub(crate) use follow::{Epochs, Findings};
pub(crate) use identify::{Class, Context, EPOCHS_MIN, Identity, identify, is_usable};
pub use identify::{ClassBasis, UnknownReason};
