//! How long hosts take, where it was measured, and how long they wait at first: one answer to what is one
//! burst, what the kernel does by itself and what a program does that was woken up, for all stages.

use super::Duration;

/// Sends this close together, without an ACK between them, are one burst and no waiting. Inside bursts 2 to
/// 43 us were measured (Linux 6.12, segmentation offload on and off, 1 Gbit/s). A clock that tells them apart
/// is fine enough.
pub(crate) const BACK_TO_BACK: Duration = Duration::from_micros(100);

/// A send this soon after an ACK was made by the kernel itself, inside the soft interrupt that took
/// the ACK in: 7 to 20 us after it (measured on Linux 6.12 and 6.18 senders, taps on the sending
/// host); the rest is for ACKs that a driver hands over in one batch. Slower machines get more (see
/// the module `round::reaction`).
pub(crate) const IMMEDIATE: Duration = Duration::from_micros(100);

/// A send this soon after an ACK may come from a writer that the ACK woke up: 14 to 250 us after it
/// (same measurements).
pub(crate) const WAKE_UP: Duration = Duration::from_micros(400);

/// Most of what a writer takes to wake up, see [`WAKE_UP`].
const WAKING_MAX: Duration = Duration::from_micros(250);

/// A longer half of the RTT is to be taken off, be it a way or a slow host's, however short it is against the
/// RTT: a writer that an acknowledgment wakes takes [`WAKING_MAX`] more, and what comes later than
/// [`WAKE_UP`] after it does not count as its answer.
pub(crate) const HOST: Duration = WAKE_UP.saturating_sub(WAKING_MAX);

/// The same where nothing but echoes told the half: what it is more may have been the writer's waking up.
pub(crate) const HOST_BY_ECHO: Duration = WAKE_UP;

/// The retransmission timeout before the first RTT sample (RFC 6298 section 2.1).
pub(crate) const RTO_INITIAL: Duration = Duration::from_secs(1);

// What is one burst is no answer to what came in its midst, and the kernel is sooner than a program.
const _: () = assert!(BACK_TO_BACK.as_nanos() <= IMMEDIATE.as_nanos());
const _: () = assert!(IMMEDIATE.as_nanos() < HOST.as_nanos());
