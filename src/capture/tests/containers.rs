//! Compressed captures.

use std::io::Write as _;

use super::*;

#[cfg(feature = "gzip")]
fn gzip(octets: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(octets).unwrap();
    encoder.finish().unwrap()
}

#[cfg(feature = "lz4")]
fn lz4(octets: &[u8]) -> Vec<u8> {
    let mut encoder = lz4_flex::frame::FrameEncoder::new(Vec::new());
    encoder.write_all(octets).unwrap();
    encoder.finish().unwrap()
}

#[cfg(feature = "zstd")]
fn zstd(octets: &[u8]) -> Vec<u8> {
    zstd::encode_all(octets, 1).unwrap()
}

/// Names and compressors of this build.
#[expect(clippy::type_complexity, reason = "a name and its function")]
pub(super) fn compressors() -> Vec<(&'static str, fn(&[u8]) -> Vec<u8>)> {
    vec![
        #[cfg(feature = "gzip")]
        ("gzip", gzip),
        #[cfg(feature = "zstd")]
        ("zstd", zstd),
        #[cfg(feature = "lz4")]
        ("lz4", lz4),
    ]
}

#[test]
fn compressed_files_read_as_plain_ones() {
    for (_, compress) in compressors() {
        for plain in [small_pcap(), small_pcapng(To::Big)] {
            let (frames, _) = read_whole(&compress(&plain));
            assert_eq!(frames, read_whole(&plain).0);
        }
    }
}

#[test]
fn members_and_frames_that_follow_each_other_are_one_file() {
    for (name, compress) in compressors() {
        let plain = small_pcap();
        for at in [1, 24, 30, 60] {
            let (front, back) = plain.split_at(at);
            let file = [compress(front), compress(back)].concat();
            assert_eq!(read_whole(&file).0, read_whole(&plain).0, "{name} cut at {at}");
        }
    }
}

/// Cut anywhere, a compressed file gives a prefix of the frames and never passes for whole.
#[test]
fn every_prefix_of_a_compressed_file() {
    let (all, _) = read_whole(&small_pcap());
    for (name, compress) in compressors() {
        let file = compress(&small_pcap());
        for len in 0..file.len() {
            if let Ok((frames, summary)) = read_octets(&file[..len]) {
                assert_eq!(frames, all[..frames.len()]);
                assert_eq!(summary.damage.len(), 1, "{name} cut after {len}");
            }
        }
    }
}

#[cfg(feature = "gzip")]
#[test]
fn a_wrong_checksum_and_what_follows_the_end_are_damage() {
    let whole = gzip(&small_pcap());
    let mut wrong = whole.clone();
    let at = wrong.len() - 8;
    wrong[at] ^= 1;
    for file in [wrong, [&whole[..], b"garbage"].concat()] {
        let (frames, summary) = read_octets(&file).unwrap();
        assert_eq!(frames.len(), 3);
        let text = summary.damage[0].to_string();
        assert!(text.starts_with("test: reading failed (gzip: "), "{text}");
    }
}

#[cfg(feature = "gzip")]
#[test]
fn what_is_inside_must_be_a_capture() {
    let message = |octets: &[u8]| read_octets(octets).unwrap_err().to_string();
    assert!(message(&gzip(b"hello, world")).contains("not a packet capture"));
    assert!(message(&gzip(b"")).contains("is empty"));
    assert!(message(&gzip(&gzip(&small_pcap()))).contains("compressed twice (gzip inside)"));
    assert!(message(&gzip(&small_pcap())[..10]).contains("cannot read test"));
    assert!(message(b"\x1f\x8bjunk").contains("cannot read test"));
}

#[test]
fn what_this_build_cannot_read_names_the_command() {
    let message = |name: &str, octets: &'static [u8]| {
        let result = Reader::open(name.to_owned(), octets);
        result.err().expect("no capture").to_string()
    };
    assert_eq!(
        message("trace.pcap.xz", b"\xfd7zXZ\0\0"),
        "trace.pcap.xz is xz-compressed: run: xz -dc trace.pcap.xz | tcplimit analyze -"
    );
    assert_eq!(
        message("it's mine.bz2", b"BZh91AY"),
        r"it's mine.bz2 is bzip2-compressed: run: bzip2 -dc 'it'\''s mine.bz2' | tcplimit analyze -"
    );
    assert!(
        message("standard input", b"PK\x03\x04").ends_with("run: unzip -p | tcplimit analyze -")
    );
    #[cfg(not(feature = "gzip"))]
    assert!(message("a.gz", b"\x1f\x8b\x08").contains("gzip -dc a.gz"));
}
