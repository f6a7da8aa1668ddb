//! Whose packet is next? Captures of several interfaces (`dumpcap -i a -i b`) are written as a thread for
//! each hands its packets over, some late against those of another; `mergecap -a` puts files into one
//! whatever their times. Here the earliest comes first, as `reordercap` would write them, those of one
//! interface in their order.
//!
//! Times are believed as they stand, also where the clocks of two interfaces are apart. Where that takes more
//! room than there is, the rest of the section is read as it stands.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::outlier::{self, Outliers};
use super::pcapng::Sections;
use super::record::Record;
use super::summary::DamageKind;
use super::window::Window;
use crate::units::{Duration, Timestamp};

/// Reads a pcapng file from its first section of several interfaces on.
pub(super) struct Reorder {
    sections: Sections,
    /// By interface.
    queues: Vec<Queue>,
    /// The front packet of each queue that holds some, the next one to be given on top.
    fronts: BinaryHeap<Reverse<(Place, usize)>>,
    /// That the packets held take.
    octets: usize,
    /// Packets of the file read so far.
    read: u64,
    section: u64,
    stretch: u64,
    /// Of the latest packet of this stretch that was given though there was none of some interface to
    /// compare it with.
    unsure: Timestamp,
    /// The room did not do: packets come as they stand.
    has_given_up: bool,
    has_ended: bool,
    given: Held,
}

/// Packets of an interface that wait for those of others.
#[derive(Default)]
struct Queue {
    held: VecDeque<Held>,
    /// Of the last packet that was read.
    last: Place,
}

/// Which packet comes first: that of an earlier stretch, then by time, then as in the file.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    /// Times are compared within one: a new one begins with a section, and where a clock was set.
    stretch: u64,
    time: Timestamp,
    /// Position in the file, from 1.
    number: u64,
}

#[derive(Default)]
struct Held {
    place: Place,
    record: Record,
    octets: Box<[u8]>,
}

impl Held {
    fn memory(&self) -> usize {
        self.octets.len().saturating_add(size_of::<Self>())
    }
}

impl Reorder {
    /// Octets held at most, about. dumpcap takes what an interface's buffer holds when a part of that is
    /// full, or after 250 ms (`CAP_READ_TIMEOUT`), and queues at most 1000 packets or 1 MB of them (`-N`,
    /// `-C`). This is what comes in 250 ms at 1 Gbit/s, or in 2 s of 75 000 packets a second cut to 128
    /// octets.
    const OCTETS_MAX: usize = if cfg!(test) { 1 << 16 } else { 32 << 20 };
    /// The clock of an interface that goes back so far was set: less than this ntpd corrects step by step
    /// (its step threshold), and packets that several processors took are a few microseconds out of order.
    const CLOCK_SET_MIN: Duration = Duration::from_millis(128);

    /// Goes on after so many packets.
    pub(super) fn new(sections: Sections, packets: u64) -> Self {
        Self {
            section: sections.ordinal(),
            sections,
            queues: Vec::new(),
            fronts: BinaryHeap::new(),
            octets: 0,
            read: packets,
            stretch: 0,
            unsure: Timestamp::default(),
            has_given_up: false,
            has_ended: false,
            given: Held::default(),
        }
    }

    /// The next packet, for which further ones are taken off `window` as need be. How the file ends, well or
    /// not, comes after all packets.
    pub(super) fn next(
        &mut self,
        window: &mut Window,
        outliers: &mut Outliers,
    ) -> Result<Option<Record>, DamageKind> {
        while !self.is_next_known() {
            // The end stays where it is, to be told when the last packet was given.
            match self.sections.next_of_any(window) {
                Ok(Some(record)) => self.hold(record, window, outliers),
                end if self.fronts.is_empty() => return end,
                _ => self.has_ended = true,
            }
        }
        Ok(self.give())
    }

    pub(super) fn sections(&self) -> &Sections {
        &self.sections
    }

    /// Position in the file of the packet that was given last, from 1.
    pub(super) fn number(&self) -> u64 {
        self.given.place.number
    }

    /// What was kept of it.
    pub(super) fn octets(&self) -> &[u8] {
        &self.given.octets
    }

    fn is_next_known(&self) -> bool {
        let Some(Reverse((place, _))) = self.fronts.peek() else { return false };
        self.has_some_of_each()
            || place.stretch < self.stretch
            || self.octets >= Self::OCTETS_MAX
            || self.has_given_up
            || self.has_ended
    }

    /// Whether none that is still to be read comes first, as an interface's packets are in order.
    fn has_some_of_each(&self) -> bool {
        self.fronts.len() >= self.sections.interfaces()
    }

    /// The next of the packets held, be it known or not that none that is still to be read comes first.
    pub(super) fn give(&mut self) -> Option<Record> {
        let is_unsure = !self.has_some_of_each();
        let Reverse((place, interface)) = self.fronts.pop()?;
        if is_unsure && place.stretch == self.stretch {
            self.unsure = self.unsure.max(place.time);
        }
        let queue = self.queues.get_mut(interface)?;
        self.given = queue.held.pop_front()?;
        self.octets = self.octets.saturating_sub(self.given.memory());
        if let Some(front) = queue.held.front() {
            self.fronts.push(Reverse((front.place, interface)));
        }
        Some(self.given.record)
    }

    /// Takes the packet of `record`, the next one of the file.
    pub(super) fn hold(
        &mut self,
        mut record: Record,
        window: &mut Window,
        outliers: &mut Outliers,
    ) {
        let interface = record.interface as usize;
        if self.queues.len() <= interface {
            self.queues.resize_with(interface.saturating_add(1), Queue::default);
        }
        let last = self.queues.get(interface).map_or_else(Place::default, |queue| queue.last);
        self.believe(&mut record, last, window, outliers);
        let place = self.place(&record, last);
        let held = Held { place, record, octets: window.octets(record.span).into() };
        let Some(queue) = self.queues.get_mut(interface) else { return };
        queue.last = place;
        if queue.held.is_empty() {
            self.fronts.push(Reverse((place, interface)));
        }
        self.octets = self.octets.saturating_add(held.memory());
        queue.held.push_back(held);
    }

    /// Has a time that its interface's packets contradict taken as theirs.
    fn believe(
        &self,
        record: &mut Record,
        last: Place,
        window: &mut Window,
        outliers: &mut Outliers,
    ) {
        let is_same_clock = last.stretch == self.stretch && self.section == self.sections.ordinal();
        let previous = (last.number > 0 && is_same_clock).then_some(last.time);
        let Some(stamp) = record.stamp else { return };
        if previous.is_some_and(|previous| outlier::is_near(previous, stamp)) {
            return; // Nearly always.
        }
        if let Some(ahead) = self.sections.ahead(window, &mut record.span, record.interface) {
            let packet = self.read.saturating_add(1);
            record.stamp = Some(outliers.believe(packet, stamp, previous, ahead));
        }
    }

    /// Where the packet of `record` comes, of which the interface's `last` was before it.
    fn place(&mut self, record: &Record, last: Place) -> Place {
        self.read = self.read.saturating_add(1);
        if self.section != self.sections.ordinal() {
            self.section = self.sections.ordinal();
            self.begin_stretch();
            self.has_given_up = false;
        }
        let last_time = if last.stretch == self.stretch { last.time } else { Timestamp::default() };
        let time = record.stamp.map_or(last_time, |stamp| stamp.time);
        if last_time.since(time) >= Self::CLOCK_SET_MIN {
            self.begin_stretch();
        } else if time < self.unsure {
            self.begin_stretch();
            self.has_given_up = true;
        }
        Place { stretch: self.stretch, time, number: self.read }
    }

    fn begin_stretch(&mut self) {
        self.stretch = self.stretch.saturating_add(1);
        self.unsure = Timestamp::default();
    }
}
