//! The streaming reconstruction against a slow one that remembers every octet, on simulated
//! transfers: counts that need no judgement have to agree exactly.
#![expect(clippy::arithmetic_side_effects, clippy::unwrap_used, reason = "test code")]

use proptest::prelude::*;
use tcplimit::testing::{Packets, Path, Side, ms};

/// What the slow tracker counts at the sender.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    payload: u64,
    retransmitted: u64,
    retransmitted_segments: u64,
    flight_max: u64,
}

impl Counts {
    /// Octets are numbered from the first one seen; a FIN takes a number like any octet.
    fn of(packets: &Packets) -> Self {
        let mut counts = Self::default();
        let mut sent: Vec<bool> = Vec::new();
        let syn = packets.packets.first().unwrap();
        let base = syn.seq.wrapping_add(1);
        let mut una = 0_usize;
        for packet in packets.packets.iter().skip(3) {
            if packet.from == Side::Server {
                let ack = packet.ack.unwrap().wrapping_sub(base);
                una = una.max(usize::try_from(ack).unwrap());
                continue;
            }
            let start = usize::try_from(packet.seq.wrapping_sub(base)).unwrap();
            let end = start + usize::try_from(packet.len).unwrap() + usize::from(packet.fin);
            sent.resize(sent.len().max(end), false);
            let octets = sent.get_mut(start..end).unwrap();
            let again = octets.iter().filter(|is_sent| **is_sent).count();
            octets.fill(true);
            let fin_again = packet.fin && again > 0;
            counts.payload += u64::from(packet.len);
            counts.retransmitted += u64::try_from(again).unwrap() - u64::from(fin_again);
            counts.retransmitted_segments += u64::from(again > 0);
            counts.flight_max = counts.flight_max.max(u64::try_from(sent.len() - una).unwrap());
        }
        counts
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn counts_agree_with_a_tracker_of_every_octet(
        seed in any::<u64>(),
        loss_one_in in 8_u64..400,
        rtt in 2_u64..150,
        queue in 8_000_u64..200_000,
        rcvbuf in 8_000_u64..500_000,
    ) {
        let path = Path {
            seed, loss_one_in, rtt: ms(rtt), queue, rcvbuf, duration: ms(700), ..Path::default()
        };
        let packets = path.capture();
        let flow = packets.client_flow();
        let counts = Counts {
            payload: flow.payload_bytes,
            retransmitted: flow.retransmitted_bytes,
            retransmitted_segments: flow.retransmitted_segments,
            flight_max: flow.flight_max_bytes,
        };
        prop_assert_eq!(counts, Counts::of(&packets), "{:?}", path);
        prop_assert_eq!(flow.artefacts.reordered_packets, 0, "{:?}", path);
    }
}
