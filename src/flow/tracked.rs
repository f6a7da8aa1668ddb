//! What the table keeps of one connection, and what it is worth when memory runs out.

use super::Consumer;
use super::connection::Connection;
use super::handshake::OpeningSyn;
use super::index::Index;
use super::key::FlowKey;
use super::live::{Live, Origin, Phase};
use super::queues::Queues;
use super::size_class::{Growth, SizeClass};
use super::time_wait::Gone;
use crate::units::{FrameNumber, Timestamp};
use crate::wire::{Scope, Segment, TcpFlags};

/// Half-open, closed, then open by order of magnitude.
pub(super) const QUEUE_COUNT: usize = 11;
pub(super) const HALF_OPEN: u8 = 0;
pub(super) const CLOSED: u8 = 1;

/// What a connection holds is counted each time that its segments doubled, and then after so many
/// more: each may add some hundred octets.
const CHARGED_EACH: u32 = 64;

/// What each segment needs stands first, as in [`Side`](super::side::Side).
#[derive(Debug)]
#[repr(C)]
pub(super) struct Tracked<C> {
    pub(super) key: FlowKey,
    /// Seen so far; wraps.
    pub(super) segments: u32,
    /// The end seen first is the lower one of the key.
    pub(super) is_low_first: bool,
    /// Had a segment since it was queued.
    pub(super) was_active: bool,
    pub(super) queue: u8,
    /// Can be found without its scope, too.
    pub(super) is_waiting: bool,
    pub(super) first_frame: FrameNumber,
    pub(super) last_time: Timestamp,
    pub(super) state: State<C>,
    pub(super) first_time: Timestamp,
    /// The network of the other direction, where it is not the key's.
    pub(super) other_scope: Option<Box<Scope>>,
    pub(super) tag: u32,
    pub(super) stream: u32,
    /// Octets accounted for; 4 GiB at most.
    pub(super) charged: u32,
    /// Of its two flows, when they were last counted.
    pub(super) sizes: [SizeClass; 2],
    /// Its flows were told of as they are at the end.
    pub(super) is_told: bool,
    /// The end seen first sent what came last.
    pub(super) is_last_from_first: bool,
}

/// Most connections of a flood never get beyond their SYN, so that state is kept small.
#[derive(Debug)]
pub(super) enum State<C> {
    Opening(OpeningSyn),
    Live(Box<Live<C>>),
}

impl<C: Consumer> Tracked<C> {
    /// Whether segments with this key belong here.
    pub(super) fn is_at(&self, key: &FlowKey) -> bool {
        let is_in_other = |scope: &Option<Box<Scope>>| {
            scope.as_ref().is_some_and(|it| self.key.within(**it) == *key)
        };
        self.key == *key || is_in_other(&self.other_scope)
    }

    /// Whether `segment` fits for the direction that has not been seen.
    pub(super) fn lacks(&self, segment: &Segment, is_from_low: bool) -> bool {
        if self.origin(is_from_low) == Origin::First {
            return false;
        }
        match &self.state {
            State::Opening(syn) => segment.ack.is_some_and(|ack| ack.distance_from(syn.seq) == 1),
            State::Live(live) => live.lacks(segment),
        }
    }

    pub(super) fn has_both_sides(&self) -> bool {
        match &self.state {
            State::Opening(_) => false,
            State::Live(live) => live.has_both_sides(),
        }
    }

    pub(super) fn on_segment(
        &mut self,
        segment: &Segment,
        is_from_low: bool,
        settings: &C::Settings,
    ) {
        let from = self.origin(is_from_low);
        let time = match &mut self.state {
            State::Live(live) => live.time_of(segment, from, self.last_time),
            State::Opening(_) => segment.time,
        };
        self.last_time = self.last_time.max(time);
        self.is_last_from_first = from == Origin::First;
        if time == segment.time {
            self.advance(segment, from, settings);
        } else {
            self.advance(&Segment { time, ..*segment }, from, settings);
        }
        // It is queued when it opens; the opening segment is no reason to look again.
        self.was_active = segment.frame != self.first_frame;
        self.segments = self.segments.wrapping_add(1);
    }

    /// Whether what it holds is to be counted after this segment.
    pub(super) fn is_due(&self) -> bool {
        self.segments % CHARGED_EACH == 0
            || (self.segments < CHARGED_EACH && self.segments.is_power_of_two())
    }

    fn advance(&mut self, segment: &Segment, from: Origin, settings: &C::Settings) {
        match &mut self.state {
            State::Live(live) => live.on_segment(segment, from, settings),
            State::Opening(syn) if from == Origin::First && is_plain_syn(segment) => {
                syn.take(segment);
            }
            State::Opening(syn) => {
                let packets = syn.packets();
                let syn = syn.clone().into_syn(self.first_frame, self.first_time);
                let mut live = Box::new(Live::after_syn(syn, packets));
                live.on_segment(segment, from, settings);
                self.state = State::Live(live);
            }
        }
    }

    /// Whether a SYN without ACK opens a new connection.
    pub(super) fn starts_anew(&self, segment: &Segment, is_from_low: bool) -> bool {
        let from = self.origin(is_from_low);
        match &self.state {
            State::Opening(syn) => from == Origin::First && syn.seq != segment.seq,
            State::Live(live) => live.starts_anew(segment, from),
        }
    }

    /// Counts its flows by how large they are now.
    pub(super) fn count_sizes(&mut self, grown: &mut Vec<Growth>) {
        let State::Live(live) = &self.state else { return };
        for (before, side) in self.sizes.iter_mut().zip([live.first(), live.other()]) {
            let after = SizeClass::of(side.payload_bytes);
            if after > *before && side.consumer.is_some() {
                grown.push(Growth { before: std::mem::replace(before, after), after });
            }
        }
    }

    /// Accounts for what is held now; gives the `memory` of all, which was counted with what it held before.
    pub(super) fn charged_anew(&mut self, memory: u64) -> u64 {
        let others = memory.saturating_sub(u64::from(self.charged));
        self.charge();
        others.saturating_add(u64::from(self.charged))
    }

    fn charge(&mut self) {
        let state = match &self.state {
            State::Opening(syn) => u64::try_from(syn.memory()).unwrap_or(0),
            State::Live(live) => live.memory(),
        };
        self.charged = u32::try_from(Self::COST.saturating_add(state)).unwrap_or(u32::MAX);
    }

    /// Octets of the record itself, its entry in the index and its link in a queue.
    pub(super) const COST: u64 =
        size_of::<Self>() as u64 + Index::ENTRY_COST + Queues::<0>::LINK_COST;

    pub(super) fn origin(&self, is_from_low: bool) -> Origin {
        if is_from_low == self.is_low_first { Origin::First } else { Origin::Other }
    }

    pub(super) fn phase(&self) -> Phase {
        match &self.state {
            State::Opening(_) => Phase::HalfOpen,
            State::Live(live) => live.phase(),
        }
    }

    /// The queue it belongs to; they are numbered in the order of eviction. Open connections stand by the
    /// octets that it takes to count their payload: each queue holds 256 times as much as the one before.
    pub(super) fn worth(&self) -> u8 {
        match self.phase() {
            Phase::HalfOpen => HALF_OPEN,
            Phase::Closed => CLOSED,
            Phase::Open(payload_bytes) => {
                let bits = u64::BITS.saturating_sub(payload_bytes.leading_zeros());
                u8::try_from(bits.div_ceil(8)).unwrap_or(8).saturating_add(2)
            }
        }
    }

    /// Whether it closed by the FINs of both sides.
    pub(super) fn is_over(&self) -> bool {
        matches!(&self.state, State::Live(live) if live.is_over())
    }

    /// Whether it closed by a RST that its receiver believes.
    pub(super) fn is_cut_off(&self) -> bool {
        matches!(&self.state, State::Live(live) if live.is_cut_off())
    }

    /// Tells its consumers that it is closed, if it is: a RST may have done that, and it may go on.
    pub(super) fn settle_closed(&mut self) {
        match &mut self.state {
            State::Live(live) if live.phase() == Phase::Closed => live.settle(),
            _ => {}
        }
    }

    /// Tells its consumers that it is over, and `over` of its flows that have one: how much they carried.
    /// That was done before if it is `false`.
    pub(super) fn tell_over(&mut self, over: &mut Vec<(u64, FrameNumber)>) -> bool {
        let State::Live(live) = &mut self.state else { return false };
        let is_new = !std::mem::replace(&mut self.is_told, true);
        if is_new {
            live.settle();
            let sides = [live.first(), live.other()].into_iter();
            let followed = sides.filter(|side| side.consumer.is_some());
            over.extend(followed.map(|side| (side.payload_bytes, self.first_frame)));
        }
        is_new
    }

    /// What tells its late segments, where `has_use` neither for its larger flow nor for the other. `None`
    /// where it is found in several networks, too, which are seldom, or one side has not been seen.
    pub(super) fn gone(&self, has_use: &impl Fn(u64, FrameNumber) -> bool) -> Option<Gone> {
        let State::Live(live) = &self.state else { return None };
        let octets = live.first().payload_bytes.max(live.other().payload_bytes);
        if self.is_waiting || self.other_scope.is_some() || has_use(octets, self.first_frame) {
            return None;
        }
        let ([first, other], resets) = (live.begins()?, live.resets());
        let last_time = self.last_time;
        Some(if self.is_low_first {
            Gone { begins: [first, other], resets, last_time }
        } else {
            let [first_resets, other_resets] = resets;
            Gone { begins: [other, first], resets: [other_resets, first_resets], last_time }
        })
    }

    pub(super) fn into_connection(self, settings: &C::Settings) -> Connection<C> {
        let ends = self.key.endpoints(self.is_low_first);
        let live = match self.state {
            State::Live(live) => *live,
            State::Opening(syn) => {
                let packets = syn.packets();
                Live::after_syn(syn.into_syn(self.first_frame, self.first_time), packets)
            }
        };
        Connection {
            stream: self.stream,
            scope: self.key.scope(),
            first_frame: self.first_frame,
            first_time: self.first_time,
            last_time: self.last_time,
            is_last_from_first: self.is_last_from_first,
            is_closed: live.phase() == Phase::Closed,
            has_handshake: live.has_handshake(),
            flows: live.into_flows(ends, settings),
        }
    }
}

impl<C: Consumer> State<C> {
    pub(super) fn new(segment: &Segment) -> Self {
        if is_plain_syn(segment) {
            Self::Opening(OpeningSyn::of(segment))
        } else {
            Self::Live(Box::new(Live::new()))
        }
    }
}

/// A SYN that opens: no ACK, no RST, no payload (RFC 7413).
fn is_plain_syn(segment: &Segment) -> bool {
    let flags = segment.flags;
    flags.has(TcpFlags::SYN)
        && !flags.has(TcpFlags::ACK | TcpFlags::RST | TcpFlags::FIN)
        && segment.payload_len == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A class of sizes less of some allocators.
    #[test]
    fn a_connection_at_all_is_small() {
        assert!(size_of::<Live<()>>() <= 320, "{}", size_of::<Live<()>>());
    }

    /// A flood has a million of them, and nothing beside.
    #[test]
    fn a_connection_that_shows_one_syn_is_small() {
        assert!(size_of::<Option<Tracked<()>>>() <= 152, "{}", size_of::<Option<Tracked<()>>>());
    }
}
