//! Hand-written frames, one per layer.

#![expect(clippy::arithmetic_side_effects, reason = "test code")]

use super::*;
use crate::capture::LinkType;

const ETHERNET: LinkType = LinkType(1);

fn frame(link_type: LinkType, bytes: &[u8]) -> Frame<'_> {
    Frame {
        number: FrameNumber::new(1),
        time: Timestamp(1),
        link_type,
        bytes,
        wire_len: u32::try_from(bytes.len()).unwrap(),
    }
}

fn decode(link_type: LinkType, bytes: &[u8]) -> Result<Segment, Skip> {
    Decoder::default().decode(&frame(link_type, bytes))
}

/// Ports 1 and 2, seq 100, ack 200, PSH and ACK, window 300, timestamps 7 and 8.
fn tcp(payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0, 1, 0, 2, 0, 0, 0, 100, 0, 0, 0, 200, 0x80, 0x18, 1, 44, 0, 0, 0, 0];
    bytes.extend([1, 1, 8, 10, 0, 0, 0, 7, 0, 0, 0, 8]);
    bytes.extend(payload);
    bytes
}

fn ipv4(protocol: u8, payload: &[u8]) -> Vec<u8> {
    let len = u16::try_from(payload.len() + 20).unwrap().to_be_bytes();
    let mut bytes = vec![0x45, 2, len[0], len[1], 0, 9, 0, 0, 64, protocol, 0, 0];
    bytes.extend([10, 0, 0, 1, 10, 0, 0, 2]);
    bytes.extend(payload);
    bytes
}

fn ipv6(next: u8, payload: &[u8]) -> Vec<u8> {
    let len = u16::try_from(payload.len()).unwrap().to_be_bytes();
    let mut bytes = vec![0x60, 0, 0, 0, len[0], len[1], next, 64];
    bytes.extend([[0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]; 2].concat());
    bytes.extend(payload);
    bytes
}

fn ethernet(ether_type: [u8; 2], payload: &[u8]) -> Vec<u8> {
    [&[0; 12], &ether_type[..], payload].concat()
}

fn plain() -> Vec<u8> {
    ethernet([8, 0], &ipv4(6, &tcp(b"hello")))
}

#[test]
fn every_field_of_a_plain_segment_is_read() {
    let segment = decode(ETHERNET, &plain()).unwrap();
    let (src, dst) = (segment.src.endpoint(), segment.dst.endpoint());
    assert_eq!((src.port, dst.port), (1, 2));
    assert_eq!(src.addr.to_string(), "10.0.0.1");
    assert_eq!((segment.seq, segment.ack), (SeqNum(100), Some(SeqNum(200))));
    assert_eq!((segment.window_unscaled, segment.payload_len), (300, 5));
    assert_eq!(segment.options.timestamps, Some(TcpTimestamps { value: 7, echo: 8 }));
    assert_eq!(segment.ip_id, Some(9));
    assert!(segment.flags.has(TcpFlags::PSH) && !segment.flags.has(TcpFlags::SYN));
    assert_eq!(segment.scope, Scope(0));
}

#[test]
fn padding_is_no_payload() {
    let padded = [plain(), vec![0; 9]].concat();
    assert_eq!(decode(ETHERNET, &padded).unwrap().payload_len, 5);
}

#[test]
fn the_ip_header_tells_the_length_of_a_snapped_segment() {
    let whole = plain();
    for kept in [14 + 20 + 16, 14 + 20 + 20, 14 + 20 + 32] {
        let segment =
            Decoder::default().decode(&Frame { bytes: &whole[..kept], ..frame(ETHERNET, &whole) });
        let segment = segment.unwrap();
        assert_eq!(segment.payload_len, 5, "{kept} octets kept");
        assert_eq!(segment.options.is_cut, kept < 14 + 20 + 32);
    }
    assert_eq!(decode(ETHERNET, &whole[..14 + 20 + 15]), Err(Skip::Truncated));
}

/// A damaged length, or a file cut by a tool that forgot how long its frames were.
#[test]
fn no_segment_is_longer_than_its_frame() {
    let mut bytes = plain();
    bytes[16] = 0x10;
    assert_eq!(decode(ETHERNET, &bytes).unwrap().payload_len, 5);
}

/// Octets behind the PPPoE payload are no part of it, whatever the IP header says.
#[test]
fn pppoe_bounds_what_is_in_it() {
    let ip = ipv4(6, &tcp(b"hello"));
    let len = u8::try_from(ip.len() + 2 - 3).unwrap();
    let pppoe = [&[0x11, 0, 0, 1, 0, len, 0, 0x21], &ip[..]].concat();
    let bytes = ethernet([0x88, 0x64], &pppoe);
    assert_eq!(decode(ETHERNET, &bytes).unwrap().payload_len, 2);
}

#[test]
fn the_frame_tells_the_length_where_offload_left_it_zero() {
    let mut bytes = plain();
    bytes[16] = 0;
    bytes[17] = 0;
    assert_eq!(decode(ETHERNET, &bytes).unwrap().payload_len, 5);
}

/// The plain segment within each link layer.
fn link_samples() -> Vec<(u32, Vec<u8>)> {
    let ip = ipv4(6, &tcp(b"hello"));
    let ppp = [&[0xff, 0x03, 0, 0x21], &ip[..]].concat();
    let pppoe = [&[0x11, 0, 0, 1, 0, 0, 0, 0x21], &ip[..]].concat();
    let snap = [&[0xaa, 0xaa, 3, 0, 0, 0, 8, 0], &ip[..]].concat();
    let wifi = [&[0x88, 0x01][..], &[0; 22], &[0; 2], &snap].concat();
    let radiotap = [&[0, 0, 8, 0, 0, 0, 0, 0], &wifi[..]].concat();
    let mpls = [&[0, 0, 0, 64, 0, 0, 0x11, 64], &ip[..]].concat();
    vec![
        (1, ethernet([0x88, 0x64], &pppoe)),
        (1, ethernet([0x88, 0x47], &mpls)),
        (9, ppp),
        (12, ip.clone()),
        (101, ip.clone()),
        (228, ip.clone()),
        (104, [&[0x0f, 0, 8, 0], &ip[..]].concat()),
        (113, [&[0; 14][..], &[8, 0], &ip].concat()),
        (276, [&[8, 0][..], &[0; 18], &ip].concat()),
        (0, [&[2, 0, 0, 0], &ip[..]].concat()),
        (108, [&[0, 0, 0, 2], &ip[..]].concat()),
        (105, wifi),
        (127, radiotap),
    ]
}

#[test]
fn each_link_layer_leads_to_the_segment() {
    for (link_type, bytes) in link_samples() {
        let segment = decode(LinkType(link_type), &bytes);
        assert_eq!(segment.map(|s| s.payload_len), Ok(5), "link type {link_type}");
    }
}

#[test]
fn vlans_and_tunnels_keep_equal_tuples_apart() {
    let ip = ipv4(6, &tcp(b"hello"));
    let tagged = |id: u8| ethernet([0x81, 0], &[&[0, id, 8, 0], &ip[..]].concat());
    let vxlan = [&[0, 9, 0x12, 0xb5, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 42, 0], &plain()[..]].concat();
    let gre = ipv4(47, &[&[0, 0, 8, 0], &ip[..]].concat());
    let mut decoder = Decoder::default();
    let mut scopes = Vec::new();
    for bytes in
        [plain(), tagged(1), tagged(2), ethernet([8, 0], &ipv4(17, &vxlan)), gre_frame(&gre)]
    {
        let segment = decoder.decode(&frame(ETHERNET, &bytes)).unwrap();
        assert!(!scopes.contains(&segment.scope), "{scopes:?}");
        scopes.push(segment.scope);
    }
    assert_eq!(decoder.scope_name(scopes[1]), Some("vlan 1"));
    assert_eq!(decoder.scope_name(scopes[3]), Some("vxlan 42"));
}

/// A pseudowire with a control word and without, tagged and not, from addresses of all makers.
#[test]
fn vxlan_that_names_its_protocol_is_entered() {
    let frame = |flags: u8, protocol: u8, inside: &[u8]| {
        let vxlan = [&[0, 9, 0x12, 0xb6, 0, 0, 0, 0, flags, 0, 0, protocol, 0, 0, 42, 0], inside];
        ethernet([8, 0], &ipv4(17, &vxlan.concat()))
    };
    let datagram = &plain()[14..];
    for (flags, protocol, inside) in
        [(0x0c, 1, datagram), (0x0c, 3, &plain()[..]), (0x08, 0, &plain()[..])]
    {
        let segment = decode(ETHERNET, &frame(flags, protocol, inside));
        assert!(segment.is_ok_and(|segment| segment.payload_len == 5), "{flags} {protocol}");
    }
    assert_eq!(decode(ETHERNET, &frame(0x0c, 4, &plain())), Err(Skip::Udp));
}

#[test]
fn ethernet_below_labels_is_told_from_ip() {
    let ip = ipv4(6, &tcp(b"hello"));
    let labelled = |below: &[u8]| ethernet([0x88, 0x47], &[&[0, 0, 0x11, 64], below].concat());
    let tagged = [&[0x81, 0, 0, 7, 8, 0], &ip[..]].concat();
    let untagged = [&[8, 0], &ip[..]].concat();
    // The last reads as IPv4 with a length that the frame does not have.
    for first in [0x00, 0x02, 0x40, 0x60, 0xa4, 0x48] {
        let addresses = [first, 0x50, 0x56, 1, 2, 3, first, 0x0c, 0x29, 1, 2, 4];
        for rest in [&tagged, &untagged] {
            let inner = [&addresses, &rest[..]].concat();
            let with_control_word = [&[0, 0, 0, 9], &inner[..]].concat();
            for below in [inner, with_control_word] {
                let segment = decode(ETHERNET, &labelled(&below));
                assert_eq!(segment.map(|s| s.payload_len), Ok(5), "{below:x?}");
            }
        }
    }
    // IPv4 from 8.0.69.1, which is what a type and a version look like.
    let mut look_alike = ip.clone();
    look_alike[12..16].copy_from_slice(&[8, 0, 0x45, 1]);
    assert_eq!(decode(ETHERNET, &labelled(&look_alike)).unwrap().payload_len, 5);
    let tags = [0x81, 0, 0, 7].repeat(9);
    assert_eq!(decode(ETHERNET, &labelled(&[&[0xa4; 12], &tags[..]].concat())), Err(Skip::NotIp));
}

fn gre_frame(gre: &[u8]) -> Vec<u8> {
    ethernet([8, 0], gre)
}

#[test]
fn extension_headers_are_passed_over() {
    let hop_by_hop = [&[60, 0, 1, 4, 0, 0, 0, 0], &[6, 0, 1, 4, 0, 0, 0, 0], &tcp(b"hello")[..]];
    let bytes = ethernet([0x86, 0xdd], &ipv6(0, &hop_by_hop.concat()));
    assert_eq!(decode(ETHERNET, &bytes).unwrap().payload_len, 5);
}

/// The last segment is the same on all of the way; the header's destination is not.
#[test]
fn a_routing_header_names_the_connections_end() {
    let last = [0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9];
    let destination = |kind: u8, segments_left: u8, addresses: &[u8]| {
        let units = u8::try_from(addresses.len() / 8).unwrap();
        let routing = [6, units, kind, segments_left, 0, 0, 0, 0];
        let bytes = ipv6(43, &[&routing, addresses, &tcp(b"hello")].concat());
        let segment = decode(LinkType(101), &bytes).unwrap();
        assert_eq!(segment.payload_len, 5);
        segment.dst.endpoint().addr.to_string()
    };
    let two = [last, [0xee; 16]].concat();
    assert_eq!(destination(4, 1, &two), "fd00::9");
    assert_eq!(destination(2, 1, &last), "fd00::9");
    assert_eq!(destination(4, 0, &two), "fd00::1");
    // Another type, and a header too short for an address.
    assert_eq!(destination(3, 1, &two), "fd00::1");
    assert_eq!(destination(4, 1, &last[..8]), "fd00::1");
}

#[test]
fn authentication_headers_are_passed_over() {
    let ah = [&[6, 4, 0, 0], &[0; 20][..], &tcp(b"hello")].concat();
    assert_eq!(decode(LinkType(101), &ipv4(51, &ah)).unwrap().payload_len, 5);
    assert_eq!(decode(LinkType(101), &ipv6(51, &ah)).unwrap().payload_len, 5);
}

#[test]
fn radio_headers_of_every_kind_lead_to_the_segment() {
    let snap = [&[0xaa, 0xaa, 3, 0, 0, 0, 8, 0], &ipv4(6, &tcp(b"hello"))[..]].concat();
    let qos = [&[0x88, 0x01][..], &[0; 24], &snap].concat();
    let padded = [&[0x88, 0x01][..], &[0; 24], &[0; 2], &snap].concat();
    // Timer and flags present, the timer aligned; data padding.
    let radiotap = [&[0, 0, 17, 0, 3, 0, 0, 0], &[0; 8][..], &[0x20], &padded].concat();
    // Another word of presence bits moves the fields.
    let two_words = [&[0, 0, 13, 0, 2, 0, 0, 0x80, 0, 0, 0, 0], &[0x20][..], &padded].concat();
    let prism = [&[0, 0, 0, 0x44, 144, 0, 0, 0], &[0; 136][..], &qos].concat();
    let avs = [&[0x80, 0x21, 0x10, 1, 0, 0, 0, 64], &[0; 56][..], &qos].concat();
    let ppi = [&[0, 0, 8, 0, 105, 0, 0, 0], &qos[..]].concat();
    let cases = [
        (127, radiotap),
        (127, two_words),
        (119, prism),
        (119, avs.clone()),
        (163, avs),
        (192, ppi),
    ];
    for (link_type, bytes) in cases {
        let segment = decode(LinkType(link_type), &bytes);
        assert_eq!(segment.map(|s| s.payload_len), Ok(5), "link type {link_type}");
    }
}

#[test]
fn headers_of_a_hosts_own_making_lead_to_the_segment() {
    let ip = ipv4(6, &tcp(b"hello"));
    let ethernet = [&[0; 12][..], &[8, 0], &ip].concat();
    let pktap =
        |next| [&[108, 0, 0, 0, next, 0, 0, 0, 1, 0, 0, 0], &[0; 96][..], &ethernet].concat();
    // Packet header, prefix of 10 octets with padding, payload.
    let little = [
        &[2, 0, 0, 5][..],
        &[8, 0, 1, 0, 8, 0, 1, 0],
        &[14, 0, 10, 0],
        &[b'x'; 12],
        &[0, 0, 9, 0],
        &ip,
    ];
    let big = [
        &[2, 0, 0, 5][..],
        &[0, 8, 0, 1, 8, 0, 1, 0],
        &[0, 14, 0, 10],
        &[b'x'; 12],
        &[0, 0, 0, 9],
        &ip,
    ];
    let with_len = |parts: [&[u8]; 6], len: [u8; 2]| {
        let mut bytes = parts.concat();
        bytes[28..30].copy_from_slice(&len);
        bytes
    };
    let len = u16::try_from(ip.len() + 4).unwrap();
    let pflog = [&[61][..], &[0; 63], &ip].concat();
    let enc = [&[2, 0, 0, 0][..], &[0; 8], &ip].concat();
    let cases = [
        (258, pktap(1)),
        (239, with_len(little, len.to_le_bytes())),
        (239, with_len(big, len.to_be_bytes())),
        (117, pflog),
        (109, enc),
    ];
    for (link_type, bytes) in cases {
        let segment = decode(LinkType(link_type), &bytes);
        assert_eq!(segment.map(|s| s.payload_len), Ok(5), "link type {link_type}");
    }
    // What the host put in front was on no wire; the Ethernet header was.
    let on_wire = |link_type, bytes: &[u8]| decode(LinkType(link_type), bytes).unwrap().headers_len;
    assert_eq!([on_wire(258, &pktap(1)), on_wire(1, &ethernet)], [66, 66]);
    assert_eq!(decode(LinkType(258), &pktap(0)).unwrap_err(), Skip::NotIp);
    assert_eq!(decode(LinkType(258), &[0; 108]).unwrap_err(), Skip::BadLength);
}

#[test]
fn whole_blocks_of_a_cut_sack_option_are_kept() {
    let mut bytes = vec![0, 1, 0, 2, 0, 0, 0, 100, 0, 0, 0, 200, 0xa0, 0x10, 1, 44, 0, 0, 0, 0];
    bytes.extend([1, 1, 5, 18, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0]);
    let ip = ipv4(6, &bytes);
    let snapped = Frame { bytes: &ip[..ip.len() - 3], ..frame(LinkType(101), &ip) };
    let snapped = Decoder::default().decode(&snapped).unwrap();
    assert_eq!(snapped.options.sack.as_slice(), [(SeqNum(0x100), SeqNum(0x200))]);
    assert!(snapped.options.is_cut);
}

/// 16 octets of the datagram a fragment, in an order that neither starts nor ends it.
#[test]
fn fragments_in_any_order_make_one_segment() {
    let pieces = fragments(6, &tcp(b"hello, fragment"), 16);
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
        let mut decoder = Decoder::default();
        let results: Vec<_> =
            order.iter().map(|&i| decoder.decode(&frame(LinkType(101), &pieces[i]))).collect();
        assert_eq!(results[..2], [Err(Skip::Fragment), Err(Skip::Fragment)]);
        let segment = results[2].unwrap();
        assert_eq!((segment.payload_len, segment.seq), (15, SeqNum(100)));
    }
}

/// As `-i any` and a mirror of both directions record them.
#[test]
fn fragments_recorded_twice_make_one_segment() {
    let pieces = fragments(6, &tcp(b"hello, fragment"), 16);
    for order in [[0, 0, 1, 1, 2, 2], [0, 1, 2, 0, 1, 2]] {
        let mut decoder = Decoder::default();
        let whole =
            order.iter().filter(|&&i| decoder.decode(&frame(LinkType(101), &pieces[i])).is_ok());
        assert_eq!(whole.count(), 1, "{order:?}");
        assert_eq!(decoder.incomplete_datagrams_count(), 0, "{order:?}");
    }
}

/// The segment inside fits no single packet; destination options stand between.
#[test]
fn fragments_of_tunnels_and_behind_extension_headers_are_joined() {
    let vxlan = [&[0, 9, 0x12, 0xb5, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 42, 0], &plain()[..]].concat();
    let v4 = [0, 1].map(|part| {
        let piece = if part == 0 { &vxlan[..48] } else { &vxlan[48..] };
        let mut bytes = ipv4(17, piece);
        (bytes[6], bytes[7]) = if part == 0 { (0x20, 0) } else { (0, 6) };
        bytes
    });
    let options = [&[6, 0, 1, 4, 0, 0, 0, 0], &tcp(b"hello")[..]].concat();
    let v6 = [0, 1].map(|part| {
        let piece = if part == 0 { &options[..24] } else { &options[24..] };
        let offset = if part == 0 { 1 } else { 24 };
        ipv6(44, &[&[60, 0, 0, offset, 0, 0, 0, 7], piece].concat())
    });
    for (pieces, waiting) in [(v4, Skip::Udp), (v6, Skip::Fragment)] {
        for order in [[0, 1], [1, 0]] {
            let mut decoder = Decoder::default();
            let [first, last] = order.map(|i| decoder.decode(&frame(LinkType(101), &pieces[i])));
            assert_eq!(first, Err(waiting));
            assert_eq!(last.map(|s| (s.payload_len, s.seq)), Ok((5, SeqNum(100))));
        }
    }
}

#[test]
fn a_tunnel_in_fragments_is_entered() {
    let mut decoder = Decoder::default();
    let pieces = fragments(4, &ipv4(6, &tcp(b"hello")), 56);
    let (last, first) = pieces.split_last().unwrap();
    for piece in first {
        assert_eq!(decoder.decode(&frame(LinkType(101), piece)), Err(Skip::Fragment));
    }
    let segment = decoder.decode(&frame(LinkType(101), last)).unwrap();
    assert_eq!((segment.payload_len, segment.seq), (5, SeqNum(100)));
}

/// IPv4 fragments of `len` octets each.
fn fragments(protocol: u8, datagram: &[u8], len: usize) -> Vec<Vec<u8>> {
    let is_last = |index: usize| (index + 1) * len >= datagram.len();
    let piece = |(index, piece): (usize, &[u8])| {
        let mut bytes = ipv4(protocol, piece);
        bytes[6] = if is_last(index) { 0 } else { 0x20 };
        bytes[7] = u8::try_from(index * len / 8).unwrap();
        bytes
    };
    datagram.chunks(len).enumerate().map(piece).collect()
}

#[test]
fn what_is_no_tcp_is_named() {
    let quic = ipv4(17, &[0, 9, 1, 0xbb, 0, 8, 0, 0]);
    assert_eq!(decode(LinkType(101), &quic), Err(Skip::Quic));
    assert_eq!(decode(LinkType(101), &ipv4(1, &[0; 8])), Err(Skip::Icmp));
    assert_eq!(decode(ETHERNET, &ethernet([8, 6], &[0; 28])), Err(Skip::Arp));
    assert_eq!(decode(LinkType(147), &plain()), Err(Skip::UnsupportedLinkType));
}

/// Routers quote the packet, as far as its ports at least.
#[test]
fn what_routers_say_of_large_packets_is_kept() {
    let message = |icmp: [u8; 8], dropped: &[u8]| [&icmp[..], dropped].concat();
    let v4 = ipv4(1, &message([3, 4, 0, 0, 0, 0, 5, 20], &ipv4(6, &tcp(b"hello"))[..28]));
    let v6 = ipv6(58, &message([2, 0, 0, 0, 0, 0, 5, 0], &ipv6(6, &tcp(b"hello"))));
    let udp = ipv4(1, &message([3, 4, 0, 0, 0, 0, 5, 20], &ipv4(17, &[0; 8])));
    let cut = ipv4(1, &message([3, 4, 0, 0, 0, 0, 5, 20], &ipv4(6, &tcp(b""))[..23]));
    let [v4_tcp, v6_tcp] = [ipv4(6, &tcp(b"hello")), ipv6(6, &tcp(b"hello"))];
    let said = |bytes: &[u8]| {
        let mut decoder = Decoder::default();
        for _ in 0..2 {
            assert_eq!(decoder.decode(&frame(LinkType(101), bytes)), Err(Skip::Icmp));
        }
        let plain = decode(LinkType(101), if bytes[0] < 0x50 { &v4_tcp } else { &v6_tcp }).unwrap();
        let (src, dst) = (plain.src.endpoint(), plain.dst.endpoint());
        assert_eq!(decoder.too_big(plain.scope, dst, src).filter(|_| src != dst), None);
        decoder.too_big(plain.scope, src, dst).map(|told| (told.mtu, told.count))
    };
    assert_eq!(said(&v4), Some((Some(1300), 2)));
    assert_eq!(said(&v6), Some((Some(1280), 2)));
    assert_eq!(said(&udp), None);
    assert_eq!(said(&cut), None);
}

#[test]
fn nesting_without_end_is_cut_off() {
    let mut ip = ipv4(6, &tcp(b"hello"));
    for _ in 0..20 {
        ip = ipv4(4, &ip);
    }
    assert_eq!(decode(LinkType(101), &ip), Err(Skip::TooManyLayers));
}

/// Every octet of a frame of each kind takes every value.
#[test]
fn no_changed_octet_panics() {
    for (link_type, sample) in link_samples() {
        for at in 0..sample.len() {
            let mut bytes = sample.clone();
            for value in 0..=u8::MAX {
                bytes[at] = value;
                let _ = decode(LinkType(link_type), &bytes);
            }
        }
    }
}
