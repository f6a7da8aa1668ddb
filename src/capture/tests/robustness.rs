//! Any octets at all: no panic, no endless loop, and no more frames than octets could hold.

use proptest::prelude::*;

use super::*;
use crate::capture::DamageKind;
use crate::capture::framing::Framing;
use crate::capture::pcap::Records;
use crate::capture::pcapng::Sections;
use crate::capture::record::Record;
use crate::capture::window::Window;

/// Files to be damaged: each format, both orders, and every compression of this build.
fn seeds() -> Vec<Vec<u8>> {
    let mut modified = pcap_header(To::Big, MODIFIED, 0, 1);
    modified.extend(pcap_record(To::Big, 6, 7, &[0; 19], 11));
    let plain = [small_pcap(), modified, small_pcapng(To::Little), small_pcapng(To::Big)];
    let mut seeds = plain.to_vec();
    for (_, compress) in super::containers::compressors() {
        seeds.extend(plain.iter().map(|file| compress(file)));
    }
    seeds
}

fn survive(octets: &[u8]) {
    if let Ok((frames, summary)) = read_octets(octets) {
        assert_eq!(summary.tally.packets, frames.len() as u64);
        assert!(summary.damage.len() <= 2);
    }
}

/// A file opened without a [`Reader`].
struct Opened {
    window: Window,
    framing: Framing,
}

impl Opened {
    fn new(file: &[u8]) -> Option<Self> {
        let mut window = Window::new(Box::new(io::Cursor::new(file.to_vec())));
        window.fill(32);
        let framing = match Records::open(&mut window).ok()? {
            Some(records) => Framing::Pcap(records),
            None => Framing::Pcapng(Box::new(Sections::open(&mut window).ok()??)),
        };
        Some(Self { window, framing })
    }

    fn next_whole(&mut self) -> Option<Record> {
        match &mut self.framing {
            Framing::Pcap(records) => records.next_whole(&mut self.window),
            Framing::Pcapng(sections) => sections.next_whole(&mut self.window),
            Framing::Reordered(_) => None,
        }
    }

    fn next(&mut self) -> Result<Option<Record>, DamageKind> {
        match &mut self.framing {
            Framing::Pcap(records) => records.next(&mut self.window),
            Framing::Pcapng(sections) => sections.next(&mut self.window),
            Framing::Reordered(_) => Ok(None),
        }
    }
}

/// Reads `file` the short way wherever that can be gone, and tells how often it was: what it gives
/// must be what the whole way gives.
fn read_both_ways(file: &[u8]) -> usize {
    let (Some(mut short), Some(mut whole)) = (Opened::new(file), Opened::new(file)) else {
        return 0;
    };
    let mut count = 0;
    loop {
        let record = short.next_whole();
        count += usize::from(record.is_some());
        let given = record.map_or_else(|| short.next(), |record| Ok(Some(record)));
        assert_eq!(given, whole.next());
        assert_eq!(short.window.offset(), whole.window.offset());
        if !matches!(given, Ok(Some(_))) {
            return count;
        }
    }
}

#[test]
fn the_short_way_gives_what_the_whole_way_gives() {
    // What follows another block is left to the whole way.
    let more = [6, 7].map(|ticks| enhanced(To::Little, 0, ticks, &[8; 21], &[])).concat();
    for file in [small_pcap(), [small_pcapng(To::Little), more].concat()] {
        assert_eq!(read_both_ways(&file), 2);
        for at in 0..file.len() {
            for octet in [0, 1, 4, 6, 0x7f, 0xff] {
                let mut changed = file.clone();
                changed[at] = octet;
                read_both_ways(&changed);
            }
            read_both_ways(&file[..at]);
        }
    }
}

#[test]
fn every_change_of_one_octet() {
    for file in seeds() {
        for at in 0..file.len() {
            for mask in [0x01, 0x80, 0xff] {
                let mut changed = file.clone();
                changed[at] ^= mask;
                survive(&changed);
            }
        }
    }
}

proptest! {
    #[test]
    fn random_octets(octets in proptest::collection::vec(any::<u8>(), 0..400)) {
        survive(&octets);
    }

    /// Behind a right magic number.
    #[test]
    fn random_octets_behind_a_header(
        seed in 0..seeds().len(),
        keep in 4..64_usize,
        tail in proptest::collection::vec(any::<u8>(), 0..400),
    ) {
        let file = &seeds()[seed];
        let keep = keep.min(file.len());
        survive(&[&file[..keep], &tail].concat());
    }

    #[test]
    fn words_replaced_by_hostile_ones(
        seed in 0..seeds().len(),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), word()), 1..6),
    ) {
        let mut file = seeds()[seed].clone();
        for (index, word) in changes {
            let at = index.index(file.len().saturating_sub(4).max(1)) & !3;
            if let Some(place) = file.get_mut(at..at + 4) {
                place.copy_from_slice(&word);
            }
        }
        survive(&file);
    }
}

/// Lengths at their limits in either order, small ones, and any.
fn word() -> impl Strategy<Value = [u8; 4]> {
    prop_oneof![
        Just([0; 4]),
        Just([0xff; 4]),
        Just([0xff, 0xff, 0xff, 0x7f]),
        (0..64_u32).prop_map(u32::to_le_bytes),
        (0..64_u32).prop_map(u32::to_be_bytes),
        any::<[u8; 4]>(),
    ]
}
