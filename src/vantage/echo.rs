//! How far away is the sender, by the timestamps that it echoes (RFC 7323 section 4.1)? One acknowledgment
//! at a time is watched until its timestamp comes back.

use super::{AtSender, Vantage, resolution};
use crate::flow::{Ack, Consumer};
use crate::units::host::{HOST_BY_ECHO, RTO_INITIAL};
use crate::units::{Duration, Timestamp};
use crate::wire::TcpTimestamps;

/// An echo that does not come within twice the half and this has been lost.
pub(super) const ECHO_WAIT: Duration = RTO_INITIAL;

/// The acknowledgment whose timestamp the sender is to echo.
#[derive(Debug, Clone, Copy)]
pub(super) struct EchoProbe {
    value: u32,
    time: Timestamp,
    /// The half as it was known then.
    half: Option<Duration>,
    /// How long after it the last data without its echo passed.
    missed: Option<Duration>,
}

impl<C: Consumer> AtSender<C> {
    /// Data with `TSval` `value` and `TSecr` `echo` passed.
    pub(super) fn on_echo(&mut self, value: u32, echo: u32, now: Timestamp) {
        let is_in_order =
            self.newest_sent.is_none_or(|newest| !TcpTimestamps::is_newer(newest, value));
        if is_in_order {
            self.newest_sent = Some(value);
        }
        let tick = self.clock.tick().filter(|_| self.is_by_clock());
        if self.still_echo.is_some_and(|still| still != echo) {
            self.still_echo = None;
        }
        let Some(probe) = &mut self.echo_probe else { return };
        if now < probe.time {
            if tick.is_none() {
                self.echo_probe = None; // The clock went back.
            }
            return;
        }
        let passed = now.since(probe.time);
        if !TcpTimestamps::is_newer(probe.value, echo) {
            self.half = Some(match tick {
                Some(tick) => self.busy_echoes.half(self.half, probe.missed, passed, tick),
                None => between(self.half, probe.missed, passed),
            });
            let is_proven = is_way(probe.missed, passed);
            self.echo_probe = None;
            let is_news = is_proven && !self.is_half_proven;
            self.is_half_proven |= is_proven;
            if self.is_half_proven {
                self.learn(Some(passed), None);
            }
            let is_away = matches!(self.halves.position, Vantage::Middle | Vantage::Receiver);
            if is_news && is_away {
                self.consumer.on_way_found();
            }
        } else if passed
            > probe.half.unwrap_or_default().saturating_mul(2).saturating_add(ECHO_WAIT)
        {
            self.half = probe.half;
            self.still_echo = Some(echo);
            self.echo_probe = None;
        } else if is_in_order {
            probe.missed = Some(passed);
            if tick.is_none() {
                self.half = self.half.map(|half| half.max(passed));
            }
        }
    }

    /// Awaits the echo of the first acknowledgment with a timestamp, one at a time.
    #[inline]
    pub(super) fn probe_echo(&mut self, ack: &Ack) {
        let Some(stamps) = ack.timestamps else { return };
        if !self.host_queue.on_ack(stamps.value, ack.time) {
            return;
        }
        if self.echo_probe.is_none() && self.still_echo.is_none() {
            let (value, time, half) = (stamps.value, ack.time, self.half);
            self.echo_probe = Some(EchoProbe { value, time, half, missed: None });
        }
    }
}

/// Whether the time until an echo is a way there and back, and not the pause of a writer: it is no longer
/// than a host takes, or data without it passed after half of that.
fn is_way(missed: Option<Duration>, passed: Duration) -> bool {
    let is_bounded = missed.is_some_and(|missed| missed.saturating_mul(2) >= passed);
    passed <= HOST_BY_ECHO || is_bounded
}

/// The half after an echo that took `passed`, the last data without it having passed at `missed`.
/// A sender that waits for acknowledgments sends when they arrive: where the two proofs are as
/// close as can be told, the later one is it.
fn between(half: Option<Duration>, missed: Option<Duration>, passed: Duration) -> Duration {
    match missed {
        Some(missed) if passed.saturating_sub(missed) <= resolution(passed) => passed,
        _ => half.map_or(passed, |half| half.min(passed)),
    }
}

/// What echoes tell of the half where the sender's clock tells when it sent, without queues.
#[derive(Debug, Default)]
pub(super) struct BusyEchoes {
    /// The shortest that the last of a busy sender took.
    least: Option<Duration>,
    count: u32,
}

impl BusyEchoes {
    /// The shortest of so many, each at a place of its tick as it comes, is too long by a seventeenth of a
    /// tick on average.
    const ENOUGH: u32 = 16;

    /// The smallest half is it, until data that was sent a tick later at most proves it too small. An idle
    /// application does not.
    ///
    /// One that is busy in each tick answers as soon as an acknowledgment is there, in the first part of a
    /// tick or in the last: the shortest of many echoes took the half and no more. The half is longer than
    /// the handshake's where all segments that found no queue were sent at the same place of their tick, as
    /// those of the first round trips of an even path are: the least lag has that part of a tick in it.
    fn half(
        &mut self,
        half: Option<Duration>,
        missed: Option<Duration>,
        passed: Duration,
        tick: Duration,
    ) -> Duration {
        let Some(half) = half else { return passed };
        let missed = missed.unwrap_or_default();
        if missed.saturating_sub(tick) > half {
            *self = Self::default();
            return passed;
        }
        if passed.saturating_sub(missed) > tick {
            return half.min(passed);
        }
        let least = self.least.map_or(passed, |least| least.min(passed));
        (self.least, self.count) = (Some(least), self.count.saturating_add(1));
        if self.count < Self::ENOUGH {
            return half.min(passed);
        }
        *self = Self::default();
        least
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: fn(u64) -> Duration = Duration::from_micros;
    const TICK: Duration = Duration::from_millis(1);

    /// Arrivals lie anywhere in a tick, and the handshake's half is 0.6 ms short.
    #[test]
    fn a_busy_sender_tells_the_rest_of_the_half() {
        let (mut echoes, mut half) = (BusyEchoes::default(), US(40_000));
        for nth in 0..32 {
            let passed = US(40_600).saturating_add(US(nth * 370 % 1000));
            half = echoes.half(Some(half), Some(passed.saturating_sub(TICK)), passed, TICK);
        }
        assert!(half >= US(40_600) && half < US(40_660), "{half:?}");
    }

    /// What passes last without the echo was sent long before.
    #[test]
    fn an_idle_sender_tells_nothing() {
        let (mut echoes, mut half) = (BusyEchoes::default(), US(40_000));
        for _ in 0..32 {
            half = echoes.half(Some(half), Some(US(30_000)), US(45_000), TICK);
        }
        assert_eq!(half, US(40_000));
    }
}
