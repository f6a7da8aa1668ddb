//! Link types and their names.

/// A link type of <https://www.tcpdump.org/linktypes.html>, FCS bits removed.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct LinkType(pub(crate) u32);

impl LinkType {
    /// From the last word of a pcap file header: its upper bits say whether frames end in an FCS
    /// and how long that is (draft-ietf-opsawg-pcap section 4).
    pub(super) fn from_pcap_header(word: u32) -> Self {
        Self(word & 0x03ff_ffff)
    }

    /// The registry's name in lower case without `LINKTYPE_`; `linktype_N` for rare ones.
    pub(crate) fn name(self) -> String {
        NAMES
            .iter()
            .find(|(number, _)| *number == self.0)
            .map_or_else(|| format!("linktype_{}", self.0), |(_, name)| (*name).to_owned())
    }
}

/// The link types that IP travels on, and those that people capture by mistake.
const NAMES: &[(u32, &str)] = &[
    (0, "null"),
    (1, "ethernet"),
    (6, "ieee802_5"),
    (8, "slip"),
    (9, "ppp"),
    (10, "fddi"),
    // Some systems wrote their own number of raw IP into files (DLT_RAW).
    (12, "raw"),
    (14, "raw"),
    (50, "ppp_hdlc"),
    (51, "ppp_ether"),
    (100, "atm_rfc1483"),
    (101, "raw"),
    (104, "c_hdlc"),
    (105, "ieee802_11"),
    (107, "frelay"),
    (108, "loop"),
    (109, "enc"),
    (113, "linux_sll"),
    (117, "pflog"),
    (119, "ieee802_11_prism"),
    (122, "ip_over_fc"),
    (123, "sunatm"),
    (127, "ieee802_11_radiotap"),
    (129, "arcnet_linux"),
    (138, "apple_ip_over_ieee1394"),
    (149, "user2"),
    (163, "ieee802_11_avs"),
    (166, "ppp_pppd"),
    (187, "bluetooth_hci_h4"),
    (189, "usb_linux"),
    (192, "ppi"),
    (195, "ieee802_15_4_withfcs"),
    (204, "ppp_with_dir"),
    (220, "usb_linux_mmapped"),
    (226, "ipnet"),
    (228, "ipv4"),
    (229, "ipv6"),
    (239, "nflog"),
    (240, "netanalyzer"),
    (249, "usbpcap"),
    (252, "wireshark_upper_pdu"),
    (253, "netlink"),
    (258, "pktap"),
    (276, "linux_sll2"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fcs_bits_are_not_part_of_the_link_type() {
        assert_eq!(LinkType::from_pcap_header(0x2400_0001), LinkType(1));
    }

    #[test]
    fn rare_link_types_keep_their_number() {
        assert_eq!(LinkType(276).name(), "linux_sll2");
        assert_eq!(LinkType(65_535).name(), "linktype_65535");
    }
}
