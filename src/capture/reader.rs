//! One stream of octets: frame after frame until its end or damage.

use std::io::Read;

use super::Frame;
use super::clock::Stamp;
use super::compression;
use super::framing::Framing;
use super::outlier::Outliers;
use super::pcap::{WHOLE_HEADER_LEN, Whole};
use super::pcapng::Sections;
use super::recognise::{decompress, recognise};
use super::record::Record;
use super::reorder::Reorder;
use super::summary::{Damage, DamageKind, FileSummary, Format, Tally};
use super::window::Window;
use crate::error::{Error, printable};
use crate::units::{FrameNumber, Timestamp};

/// Enough for every magic number and the fixed part of every header. Waited for, however little
/// a pipe gives at once; more is not, so that a slow live capture shows its first packets.
const HEAD_LEN: usize = 32;

/// Reads one file.
pub(crate) struct Reader {
    name: String,
    compression: Option<&'static str>,
    window: Window,
    framing: Framing,
    tally: Tally,
    outliers: Outliers,
    /// No packet waits for the times of those behind it.
    is_at_once: bool,
    current: Record,
    current_time: Timestamp,
    /// `current` was read ahead of the call that asks for it.
    is_read_ahead: bool,
    damage: Option<Damage>,
}

impl Reader {
    /// Recognises compression and format by content. `name` must be safe to print.
    ///
    /// # Errors
    /// If this is no capture, or none that this build reads, or its header is not whole.
    pub(crate) fn open(name: String, input: impl Read + Send + 'static) -> Result<Self, Error> {
        let mut window = Window::new(Box::new(input));
        window.fill(HEAD_LEN);
        let compression = compression::recognise(window.unread());
        if let Some(compression) = compression {
            window = Window::new(decompress(&name, compression, window)?);
            // Plain files gain nothing from that.
            window.read_ahead();
            window.fill(HEAD_LEN);
        }
        let framing = recognise(&name, &mut window)?;
        Ok(Self {
            name,
            compression: compression.map(|compression| compression.name),
            window,
            framing,
            tally: Tally::default(),
            outliers: Outliers::default(),
            is_at_once: false,
            current: Record::default(),
            current_time: Timestamp(0),
            is_read_ahead: false,
            damage: None,
        })
    }

    /// Gives each frame as soon as it is read, and so believes its time: those behind it, which would tell
    /// whether it is damaged, may be long in coming.
    pub(super) fn at_once(&mut self) {
        self.is_at_once = true;
    }

    /// The next frame, numbered from 1 in this file; `None` at the end, be it good or bad.
    #[cfg(test)]
    pub(crate) fn next_frame(&mut self) -> Option<Frame<'_>> {
        self.advance().then(|| self.frame())
    }

    /// Moves to the next frame; false at the end.
    pub(super) fn advance(&mut self) -> bool {
        if self.is_read_ahead {
            self.is_read_ahead = false;
            return true;
        }
        self.advance_whole() || self.advance_or_end()
    }

    /// The next frame's record, if it is there as a whole in the layout of nearly all files, and its time is
    /// no surprise.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "half of what it takes are calls: `read/pcap`")]
    pub(super) fn whole(&self) -> Option<Whole> {
        match &self.framing {
            Framing::Pcap(records) if !self.is_read_ahead => {
                let whole = records.whole(self.window.held()?);
                whole.filter(|whole| self.tally.is_near(whole.stamp))
            }
            _ => None,
        }
    }

    /// Takes the frame that [`Self::whole`] told of.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "as above")]
    pub(super) fn take_whole(&mut self, whole: Whole) -> Frame<'_> {
        let Whole { captured, original_len, stamp, link_type } = whole;
        let bytes = self.window.take(WHOLE_HEADER_LEN, captured as usize);
        self.tally.count(link_type, Some(stamp), captured < original_len);
        self.current_time = stamp.time;
        let (number, wire_len) = (FrameNumber::new(self.tally.packets), captured.max(original_len));
        Frame { number, time: stamp.time, link_type, bytes, wire_len }
    }

    /// Moves to the next frame if it is there as a whole, as nearly all are; else does nothing.
    fn advance_whole(&mut self) -> bool {
        // Damage stays where it is, and is no whole record: none is read behind it.
        let whole = match &mut self.framing {
            Framing::Pcap(records) => records.next_whole(&mut self.window),
            Framing::Pcapng(sections) => sections.next_whole(&mut self.window),
            Framing::Reordered(_) => None,
        };
        whole.map(|record| self.believe_and_take(record)).is_some()
    }

    #[inline(never)]
    fn advance_or_end(&mut self) -> bool {
        if self.damage.is_some() {
            return false;
        }
        let next = match &mut self.framing {
            Framing::Pcap(records) => records.next(&mut self.window),
            Framing::Pcapng(sections) => sections.next(&mut self.window),
            Framing::Reordered(reorder) => reorder.next(&mut self.window, &mut self.outliers),
        };
        match next {
            Ok(Some(record)) if self.begins_reorder(record) => self.advance_or_end(),
            Ok(Some(record)) => {
                self.believe_and_take(record);
                true
            }
            Ok(None) => {
                if let Some(kind) = self.read_failure() {
                    self.note_damage(kind);
                }
                false
            }
            Err(kind) => {
                self.note_damage(kind);
                false
            }
        }
    }

    /// Has packets of the several interfaces that the section of `record` tells of put in order from it on.
    fn begins_reorder(&mut self, record: Record) -> bool {
        let Framing::Pcapng(sections) = &mut self.framing else { return false };
        if sections.interfaces() < 2 {
            return false;
        }
        let sections = std::mem::take(&mut **sections);
        let mut reorder = Reorder::new(sections, self.tally.packets);
        reorder.hold(record, &mut self.window, &mut self.outliers);
        self.framing = Framing::Reordered(Box::new(reorder));
        true
    }

    #[inline]
    fn believe_and_take(&mut self, record: Record) {
        match record.stamp {
            Some(stamp) if !self.is_at_once && !self.tally.is_near(stamp) => {
                self.take_doubted(record, stamp);
            }
            _ => self.take(record),
        }
    }

    /// Takes a record whose time may be damaged, once the times behind it are known.
    #[cold]
    fn take_doubted(&mut self, mut record: Record, stamp: Stamp) {
        let (window, kept) = (&mut self.window, &mut record.span);
        let (ahead, is_first) = match &self.framing {
            Framing::Pcap(records) => (Some(records.ahead(window, kept)), false),
            Framing::Pcapng(sections) => {
                (sections.ahead(window, kept, record.interface), sections.is_first())
            }
            Framing::Reordered(_) => (None, false), // It saw to that.
        };
        if let Some(ahead) = ahead {
            let packet = self.tally.packets.saturating_add(1);
            let previous = self.tally.previous_time().filter(|_| !is_first);
            record.stamp = Some(self.outliers.believe(packet, stamp, previous, ahead));
        }
        self.take(record);
    }

    #[inline]
    fn take(&mut self, record: Record) {
        let len = record.span.len();
        self.tally.count(record.link_type, record.stamp, len < record.original_len as usize);
        if let Some(stamp) = record.stamp {
            self.current_time = stamp.time;
        }
        self.current = record;
    }

    /// Moves to the next of the frames that were read and wait for those of other interfaces; false if there
    /// are none.
    pub(super) fn advance_waiting(&mut self) -> bool {
        let Framing::Reordered(reorder) = &mut self.framing else { return false };
        let record = reorder.give();
        record.map(|record| self.take(record)).is_some()
    }

    /// The frame that [`Self::advance`] moved to.
    #[inline]
    pub(super) fn frame(&self) -> Frame<'_> {
        let (number, bytes) = match &self.framing {
            Framing::Reordered(reorder) => {
                (FrameNumber::displaced(self.tally.packets, reorder.number()), reorder.octets())
            }
            _ => (FrameNumber::new(self.tally.packets), self.window.octets(self.current.span)),
        };
        Frame {
            number,
            time: self.current_time,
            link_type: self.current.link_type,
            bytes,
            wire_len: u32::try_from(bytes.len()).unwrap_or(0).max(self.current.original_len),
        }
    }

    /// The time of the next frame, which is then still to come; `None` if there is none.
    pub(super) fn next_time(&mut self) -> Option<Timestamp> {
        self.is_read_ahead = self.advance();
        self.is_read_ahead.then_some(self.current_time)
    }

    /// Moves to the next frame if its time is not beyond `until`; if it is, the frame is still to come.
    pub(super) fn advance_until(&mut self, until: Timestamp) -> bool {
        let is_there = self.advance();
        self.is_read_ahead = is_there && self.current_time > until;
        is_there && !self.is_read_ahead
    }

    /// Whether a frame was read that is still to come.
    pub(super) fn is_read_ahead(&self) -> bool {
        self.is_read_ahead
    }

    /// Of the last frame that was read.
    pub(super) fn time(&self) -> Timestamp {
        self.current_time
    }

    #[cold]
    fn note_damage(&mut self, kind: DamageKind) {
        // A file whose input failed is not cut: the failure says more.
        let kind = match kind {
            DamageKind::Truncated => self.read_failure().unwrap_or(kind),
            kind => kind,
        };
        self.damage = Some(self.damage_at(self.window.offset(), kind));
    }

    fn read_failure(&self) -> Option<DamageKind> {
        self.window.failure().map(|cause| {
            let cause = printable(&cause.to_string());
            DamageKind::ReadFailed(match self.compression {
                Some(compression) => format!("{compression}: {cause}"),
                None => cause,
            })
        })
    }

    fn damage_at(&self, offset: u64, kind: DamageKind) -> Damage {
        let packets_before = self.tally.packets;
        Damage { file: self.name.clone(), offset, packets_before, kind }
    }

    /// Frames given so far.
    pub(super) fn packets(&self) -> u64 {
        self.tally.packets.saturating_sub(u64::from(self.is_read_ahead))
    }

    /// What was read so far.
    pub(crate) fn summary(&self) -> FileSummary {
        let mut tally = self.tally.clone();
        tally.packets = self.packets();
        let mut damage = Vec::new();
        let format = match &self.framing {
            Framing::Pcap(records) => {
                tally.snap_len = Some(records.snap_len).filter(|len| *len > 0);
                records.format
            }
            Framing::Pcapng(sections) => self.describe(sections, &mut tally, &mut damage),
            Framing::Reordered(reorder) => {
                self.describe(reorder.sections(), &mut tally, &mut damage)
            }
        };
        damage.extend(self.damage.clone());
        FileSummary { name: self.name.clone(), format, tally, outliers: self.outliers, damage }
    }

    /// Adds what the blocks of a pcapng file say that hold no packets.
    fn describe(&self, sections: &Sections, tally: &mut Tally, damage: &mut Vec<Damage>) -> Format {
        tally.snap_len = sections.snap_len;
        tally.capture_drops = sections.drops();
        let bad_options = sections.bad_options.as_ref();
        damage.extend(bad_options.map(|(offset, packets_before)| Damage {
            packets_before: *packets_before,
            ..self.damage_at(*offset, DamageKind::BadOptions)
        }));
        Format::Pcapng
    }
}
