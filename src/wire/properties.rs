//! What must hold of any frame: agreement with etherparse, and no panic.

#![expect(clippy::arithmetic_side_effects, reason = "test code")]

use etherparse::{
    IpFragOffset, IpHeaders, IpNumber, Ipv4Header, Ipv6Header, PacketBuilder, TcpHeader,
    TcpOptionElement, VlanHeader, VlanId,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::*;
use crate::capture::LinkType;

/// A segment as etherparse writes it, and where its TCP header starts.
#[derive(Debug, Clone)]
struct Sample {
    bytes: Vec<u8>,
    tcp_at: usize,
    payload_len: usize,
    tcp: TcpHeader,
    options: Vec<TcpOptionElement>,
    ip: IpHeaders,
}

fn tcp_option() -> impl Strategy<Value = TcpOptionElement> {
    prop_oneof![
        Just(TcpOptionElement::Noop),
        Just(TcpOptionElement::SelectiveAcknowledgementPermitted),
        any::<u16>().prop_map(TcpOptionElement::MaximumSegmentSize),
        (0..=14_u8).prop_map(TcpOptionElement::WindowScale),
        any::<(u32, u32)>().prop_map(|(value, echo)| TcpOptionElement::Timestamp(value, echo)),
        any::<((u32, u32), (u32, u32))>().prop_map(|(first, second)| {
            TcpOptionElement::SelectiveAcknowledgement(first, [Some(second), None, None])
        }),
    ]
}

fn tcp_header() -> impl Strategy<Value = (TcpHeader, Vec<TcpOptionElement>)> {
    let numbers = any::<(u16, u16, u32, u32, u16)>();
    (numbers, any::<[bool; 9]>(), vec(tcp_option(), 0..4)).prop_map(|(numbers, flags, options)| {
        let (src, dst, seq, ack, window) = numbers;
        let mut tcp = TcpHeader::new(src, dst, seq, window);
        tcp.acknowledgment_number = ack;
        [tcp.ns, tcp.cwr, tcp.ece, tcp.urg, tcp.ack, tcp.psh, tcp.rst, tcp.syn, tcp.fin] = flags;
        let fits = tcp.set_options(&options).is_ok();
        (tcp, if fits { options } else { Vec::new() })
    })
}

fn ip_headers() -> impl Strategy<Value = IpHeaders> {
    let v4 = (any::<[u8; 4]>(), any::<(u16, u8, bool)>(), 0..4_u8, 0..=10_usize);
    let v4 = v4.prop_map(|(src, (id, ttl, dont_fragment), ecn, option_words)| {
        let mut header = Ipv4Header::new(0, ttl, IpNumber::TCP, src, [192, 0, 2, 1]).unwrap();
        header.identification = id;
        header.dont_fragment = dont_fragment;
        header.fragment_offset = IpFragOffset::ZERO;
        header.ecn = ecn.try_into().unwrap();
        header.options = vec![1; option_words * 4].as_slice().try_into().unwrap();
        IpHeaders::Ipv4(header, etherparse::Ipv4Extensions::default())
    });
    let v6 = any::<([u8; 16], u8, u8)>().prop_map(|(source, hop_limit, traffic_class)| {
        let header = Ipv6Header {
            source,
            hop_limit,
            traffic_class,
            next_header: IpNumber::TCP,
            ..Ipv6Header::default()
        };
        IpHeaders::Ipv6(header, etherparse::Ipv6Extensions::default())
    });
    prop_oneof![v4, v6]
}

fn sample() -> impl Strategy<Value = Sample> {
    let vlan = option::of(0..4096_u16);
    (vlan, ip_headers(), tcp_header(), 0..80_usize).prop_map(|(vlan, ip, tcp, payload_len)| {
        let (tcp, options) = tcp;
        let link = PacketBuilder::ethernet2([2; 6], [4; 6]);
        let mut bytes = Vec::new();
        let payload = vec![0xee; payload_len];
        let ip_header = ip.clone();
        if let Some(id) = vlan {
            let single = etherparse::SingleVlanHeader {
                vlan_id: VlanId::try_new(id).unwrap(),
                ..etherparse::SingleVlanHeader::default()
            };
            let builder = link.vlan(VlanHeader::Single(single)).ip(ip);
            builder.tcp_header(tcp.clone()).write(&mut bytes, &payload).unwrap();
        } else {
            let builder = link.ip(ip).tcp_header(tcp.clone());
            builder.write(&mut bytes, &payload).unwrap();
        }
        let tcp_at = bytes.len() - payload_len - tcp.header_len();
        Sample { bytes, tcp_at, payload_len, tcp, options, ip: ip_header }
    })
}

/// Decodes `bytes` as the kept part of a frame of `wire_len` octets.
fn decode_kept(link_type: u32, bytes: &[u8], wire_len: usize) -> Result<Segment, Skip> {
    let (number, time) = (FrameNumber::new(1), Timestamp(1));
    let wire_len = u32::try_from(wire_len).unwrap();
    let frame = Frame { number, time, link_type: LinkType(link_type), bytes, wire_len };
    Decoder::default().decode(&frame)
}

/// Whether the short way gives what the layers give, or leaves the frame to them; and which.
fn is_plain_and_agrees(frame: &Frame<'_>) -> bool {
    let [mut plain, mut layers] = [Segment::default(); 2];
    let is_plain = plain::decode(frame, &mut plain).is_some();
    if is_plain {
        assert_eq!(Decoder::default().decode_layers(frame, &mut layers), Ok(()));
        assert_eq!(plain, layers);
    }
    is_plain
}

fn agree(segment: &Segment, sample: &Sample) {
    let tcp = &sample.tcp;
    let (from, to) = (segment.src.endpoint(), segment.dst.endpoint());
    assert_eq!((from.port, to.port), (tcp.source_port, tcp.destination_port));
    assert_eq!(segment.seq.0, tcp.sequence_number);
    assert_eq!(segment.ack, tcp.ack.then_some(SeqNum(tcp.acknowledgment_number)));
    assert_eq!(segment.window_unscaled, tcp.window_size);
    assert_eq!(segment.payload_len, u32::try_from(sample.payload_len).unwrap());
    let flags = [tcp.ns, tcp.cwr, tcp.ece, tcp.urg, tcp.ack, tcp.psh, tcp.rst, tcp.syn, tcp.fin];
    let bits = flags.iter().fold(0, |bits, flag| bits << 1 | u16::from(*flag));
    assert_eq!(segment.flags, TcpFlags(bits));
    let (src, ip_id): (std::net::IpAddr, _) = match &sample.ip {
        IpHeaders::Ipv4(ip, _) => (ip.source.into(), Some(ip.identification)),
        IpHeaders::Ipv6(ip, _) => (ip.source.into(), None),
    };
    assert_eq!(from.addr, src);
    assert_eq!(segment.ip_id, ip_id.filter(|id| *id != 0));
}

/// What the options say, a later one overriding an earlier one.
fn expected_options(elements: &[TcpOptionElement]) -> TcpOptions {
    let mut options = TcpOptions::default();
    for element in elements {
        match *element {
            TcpOptionElement::Noop => {}
            TcpOptionElement::MaximumSegmentSize(mss) => options.mss = Some(mss),
            TcpOptionElement::WindowScale(shift) => {
                options.window_shift = Some(WindowShift::new(shift));
            }
            TcpOptionElement::SelectiveAcknowledgementPermitted => options.is_sack_permitted = true,
            TcpOptionElement::SelectiveAcknowledgement(first, more) => {
                options.sack = SackList::default();
                for (left, right) in [Some(first)].into_iter().chain(more).flatten() {
                    options.sack.push(SeqNum(left), SeqNum(right));
                }
            }
            TcpOptionElement::Timestamp(value, echo) => {
                options.timestamps = Some(TcpTimestamps { value, echo });
            }
        }
    }
    options
}

proptest! {
    #[test]
    fn whole_segments_agree_with_etherparse(sample in sample()) {
        let segment = decode_kept(1, &sample.bytes, sample.bytes.len()).unwrap();
        agree(&segment, &sample);
        prop_assert_eq!(segment.options, expected_options(&sample.options));
    }

    /// Up to the window nothing can be said, from there on everything but the options.
    #[test]
    fn snapped_segments_agree_with_etherparse(sample in sample(), kept in 0.0..1.0_f64) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss,
                 clippy::cast_precision_loss, reason = "a share of a small length")]
        let kept = (sample.bytes.len() as f64 * kept) as usize;
        match decode_kept(1, &sample.bytes[..kept], sample.bytes.len()) {
            Ok(segment) => {
                agree(&segment, &sample);
                let options_end = sample.tcp_at + sample.tcp.header_len();
                prop_assert_eq!(segment.options.is_cut, kept < options_end.max(sample.tcp_at + 20)
                    && !sample.options.is_empty());
            }
            Err(reason) => {
                prop_assert_eq!(reason, Skip::Truncated);
                prop_assert!(kept < sample.tcp_at + 16);
            }
        }
    }

    /// Snapped anywhere, and with any three octets changed.
    #[test]
    fn plain_frames_are_read_as_layer_by_layer(
        sample in sample(),
        link in prop_oneof![Just((1, 14)), Just((113, 16)), Just((276, 20))],
        kept in 0..200_usize,
        changes in vec((0..120_usize, any::<u8>()), 0..4),
    ) {
        let (link_type, link_len) = link;
        let mut bytes = vec![0; link_len];
        let ether_type = &sample.bytes[12..14];
        bytes[if link_type == 276 { 0..2 } else { link_len - 2..link_len }].copy_from_slice(ether_type);
        bytes.extend(&sample.bytes[14..]);
        for (at, octet) in changes {
            if let Some(slot) = bytes.get_mut(at) {
                *slot = octet;
            }
        }
        let wire_len = u32::try_from(bytes.len()).unwrap();
        let (number, time) = (FrameNumber::new(1), Timestamp(1));
        let bytes = bytes.get(..kept).unwrap_or(&bytes);
        is_plain_and_agrees(&Frame { number, time, link_type: LinkType(link_type), bytes, wire_len });
    }

    #[test]
    fn the_usual_options_are_read_as_any(
        start in prop_oneof![Just([1, 1, 8, 10]), any::<[u8; 4]>()],
        rest in vec(any::<u8>(), 0..36),
        len in 0..40_u32,
    ) {
        let bytes = [&start[..], &rest].concat();
        let kept = bytes.get(..len as usize);
        let each = tcp_options::parse_each(kept.unwrap_or(&bytes), kept.is_none());
        let mut options = TcpOptions::default();
        tcp_options::parse(&bytes, len + 20, &mut options);
        prop_assert_eq!(options, each);
    }

    #[test]
    fn arbitrary_octets_never_panic(link_type in 0u32..300, bytes: Vec<u8>, more in 0..3000_usize) {
        let _ = decode_kept(link_type, &bytes, bytes.len() + more);
    }

    /// In whatever order the fragments come and however they overlap, the segment is the same.
    #[test]
    fn fragments_in_any_order_give_the_same_segment(
        cuts in vec(1..40_usize, 1..8),
        order in Just((0..16).collect::<Vec<usize>>()).prop_shuffle(),
        overlap in 0..2_usize,
    ) {
        let datagram = [&[0, 1, 0, 2, 0, 0, 0, 100, 0, 0, 0, 200, 0x50, 0x18, 1, 44][..], &[7; 300]].concat();
        let mut starts = vec![0];
        starts.extend(cuts.iter().scan(0, |at, cut| { *at += cut * 8; Some(*at) }));
        starts.retain(|start| *start < datagram.len());
        let pieces: Vec<Vec<u8>> = (0..starts.len()).map(|index| {
            let end = starts.get(index + 1).map_or(datagram.len(), |next| next + overlap * 8);
            fragment(&datagram, starts[index], end.min(datagram.len()))
        }).collect();
        let mut decoder = Decoder::default();
        let decoded = order.iter().filter_map(|index| pieces.get(*index)).map(|bytes| {
            let wire_len = u32::try_from(bytes.len()).unwrap();
            let link_type = LinkType(101);
            decoder.decode(&Frame { number: FrameNumber::new(1), time: Timestamp(1), link_type, bytes, wire_len })
        });
        let segments: Vec<Segment> = decoded.filter_map(Result::ok).collect();
        prop_assert_eq!(segments.len(), 1);
        prop_assert_eq!((segments[0].payload_len, segments[0].seq), (296, SeqNum(100)));
    }
}

/// The short way is taken: else its tests would say nothing.
#[test]
fn usual_frames_are_plain() {
    let tcp =
        [&[0, 1, 0, 2, 0, 0, 0, 100, 0, 0, 0, 200, 0x50, 0x10, 1, 44, 0, 0, 0, 0][..]].concat();
    let v4 = [&[0x45, 0, 0, 40, 0, 9, 0x40, 0, 64, 6, 0, 0], &[10; 8][..], &tcp].concat();
    let v6 = [&[0x60, 0, 0, 0, 0, 20, 6, 64], &[0xfd; 32][..], &tcp].concat();
    for (ether_type, datagram) in [([8, 0], v4), ([0x86, 0xdd], v6)] {
        for (link_type, link) in [
            (1, [&[0; 12], &ether_type[..]].concat()),
            (113, [&[0; 14], &ether_type[..]].concat()),
            (276, [&ether_type[..], &[0; 18]].concat()),
        ] {
            let bytes = [link, datagram.clone()].concat();
            let (number, time, link_type) =
                (FrameNumber::new(1), Timestamp(1), LinkType(link_type));
            let wire_len = u32::try_from(bytes.len()).unwrap();
            let frame = Frame { number, time, link_type, bytes: &bytes, wire_len };
            assert!(is_plain_and_agrees(&frame), "link type {link_type:?}, {ether_type:x?}");
        }
    }
}

/// An IPv4 packet with the octets `start..end` of a datagram.
fn fragment(datagram: &[u8], start: usize, end: usize) -> Vec<u8> {
    let len = u16::try_from(20 + end - start).unwrap().to_be_bytes();
    let more = if end < datagram.len() { 0x2000 } else { 0 };
    let field = (u16::try_from(start / 8).unwrap() | more).to_be_bytes();
    let mut bytes = vec![0x45, 0, len[0], len[1], 0, 9, field[0], field[1], 64, 6, 0, 0];
    bytes.extend([10, 0, 0, 1, 10, 0, 0, 2]);
    bytes.extend(&datagram[start..end]);
    bytes
}

/// A first fragment of each of many datagrams, and never the rest.
#[test]
fn a_flood_of_fragments_is_bounded_and_counted() {
    let mut decoder = Decoder::default();
    let datagram = [6; 64];
    let mut bytes = fragment(&datagram, 0, 32);
    for n in 0..20_000_u16 {
        bytes[4..6].copy_from_slice(&n.to_be_bytes());
        let (number, time, wire_len) = (FrameNumber::new(1), Timestamp(u64::from(n)), 52);
        let link_type = LinkType(101);
        let result = decoder.decode(&Frame { number, time, link_type, bytes: &bytes, wire_len });
        assert_eq!(result, Err(Skip::Fragment));
        assert!(decoder.fragments.waiting_count() <= 4096);
    }
    assert_eq!(decoder.incomplete_datagrams_count(), 20_000);
}

/// Sixty seconds later what was waited for is given up, the same identification or not.
#[test]
fn an_old_fragment_joins_no_later_datagram() {
    let datagram = [&[0, 1, 0, 2, 0, 0, 0, 100, 0, 0, 0, 200, 0x50, 0x10, 1, 44][..], &[0; 16]];
    let datagram = datagram.concat();
    let [first, last] = [(0, 16), (16, 32)].map(|(from, to)| fragment(&datagram, from, to));
    for (seconds, is_joined) in [(59, true), (61, false)] {
        let mut decoder = Decoder::default();
        let mut decode = |bytes: &[u8], at: u64| {
            let (number, link_type) = (FrameNumber::new(1), LinkType(101));
            decoder.decode(&Frame { number, time: Timestamp(at), link_type, bytes, wire_len: 36 })
        };
        assert_eq!(decode(&first, 0), Err(Skip::Fragment));
        assert_eq!(decode(&last, seconds * 1_000_000_000).is_ok(), is_joined, "{seconds} s");
    }
}
