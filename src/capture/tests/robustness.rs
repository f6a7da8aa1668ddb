//! Any octets at all: no panic, no endless loop, and no more frames than octets could hold.

use proptest::prelude::*;

use super::*;

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
