//! Which frames are asked for? tcpdump's filter language, compiled by libpcap for each link type that
//! the capture turns out to hold, and given the length that a frame had on the wire, so that
//! `greater 1000` means what it says where the snap length cut frames.

use std::ffi::CString;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Frame, LinkType};
use crate::error::printable;
use crate::libpcap::{self, Absent, Libpcap, Program};

/// Link types to try before a filter is called wrong: Ethernet, raw IP, Linux cooked 1 and 2, PPP,
/// BSD loopback, and 802.11 with and without radiotap. Some words mean something on some of them
/// only.
const LINK_TYPES_TRIED: [LinkType; 8] = [
    LinkType(1),
    LinkType(101),
    LinkType(113),
    LinkType(276),
    LinkType(9),
    LinkType(0),
    LinkType(105),
    LinkType(127),
];

/// A filter in tcpdump's language (pcap-filter(7)): only packets that pass it are analysed, as if the
/// capture had been made with it.
#[derive(Debug, Clone)]
pub struct Filter {
    expression: Arc<str>,
    c_expression: CString,
    library: &'static Libpcap,
}

/// Why there is no filter.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FilterError {
    /// libpcap is not installed.
    #[error(transparent)]
    Absent(#[from] Absent),
    /// libpcap refuses the expression, whatever the link type.
    #[error(transparent)]
    Wrong(#[from] WrongFilter),
}

/// What is wrong with a filter, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct WrongFilter {
    expression: String,
    /// In words, safe to print.
    said: String,
    /// Octets of the expression that it cannot be about; empty at the end if something is missing.
    place: Range<usize>,
}

impl fmt::Display for WrongFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { expression, said, place } = self;
        writeln!(f, "bad filter: {said}")?;
        writeln!(f, "  {}", printable(expression))?;
        let before = expression.get(..place.start).unwrap_or_default();
        let wrong = expression.get(place.clone()).unwrap_or_default();
        let columns = |text: &str| printable(text).chars().count();
        let (indent, width) = (columns(before), columns(wrong).max(1));
        write!(f, "  {:indent$}{} ", "", "^".repeat(width))?;
        let at = before.chars().count().saturating_add(1);
        if place.is_empty() {
            return write!(f, "something is missing at character {at}");
        }
        write!(f, "at character {at}")?;
        let near = nearest_word(wrong).filter(|_| libpcap::is_syntax_error(said));
        if let Some(near) = near {
            write!(f, ": did you mean {near:?}?")?;
        }
        Ok(())
    }
}

impl Filter {
    /// Loads libpcap and has it look at `expression`.
    ///
    /// # Errors
    /// If there is no libpcap, or if it refuses the expression for every common link type.
    pub fn new(expression: &str) -> Result<Self, FilterError> {
        let library = libpcap::library()?;
        let wrong = |said: String| {
            let judge = |text: &str| {
                let text = libpcap::c_string(text)?;
                library.compile(libpcap::dlt_of(1), &text).err()
            };
            let place = libpcap::place_of_error(expression, &said, judge);
            WrongFilter { expression: expression.to_owned(), said, place }
        };
        let Some(c_expression) = libpcap::c_string(expression) else {
            return Err(wrong("a zero octet".to_owned()).into());
        };
        let filter = Self { expression: expression.into(), c_expression, library };
        let mut said = None;
        for link_type in LINK_TYPES_TRIED {
            match filter.compile(link_type) {
                Ok(_) => return Ok(filter),
                Err(error) => said = said.or(Some(error)),
            }
        }
        Err(wrong(said.unwrap_or_default()).into())
    }

    /// The expression as it was given.
    #[must_use]
    pub fn expression(&self) -> &str {
        &self.expression
    }

    /// The same, for libpcap.
    pub(crate) fn c_expression(&self) -> &std::ffi::CStr {
        &self.c_expression
    }

    fn compile(&self, link_type: LinkType) -> Result<Program, String> {
        let program = self.library.compile(libpcap::dlt_of(link_type.0), &self.c_expression);
        let program = program.map_err(|said| format!("libpcap says: {said}"))?;
        if program.needs_kernel() {
            return Err("a file does not tell this: only a live capture knows the direction of a \
                        frame"
                .to_owned());
        }
        Ok(program)
    }
}

/// The word of the language that is nearest to `word`, if it is near: two letters off at most.
fn nearest_word(word: &str) -> Option<&'static str> {
    const NEAR: usize = 2;
    if WORDS.contains(&word) {
        return None;
    }
    let distances = WORDS.iter().map(|known| (strsim::damerau_levenshtein(word, known), *known));
    let near = distances
        .filter(|(distance, known)| *distance <= NEAR && *distance < known.len().min(word.len()));
    near.min_by_key(|(distance, _)| *distance).map(|(_, known)| known)
}

/// The words of pcap-filter(7) that people mistype.
const WORDS: &[&str] = &[
    "and",
    "or",
    "not",
    "host",
    "net",
    "port",
    "portrange",
    "src",
    "dst",
    "proto",
    "tcp",
    "udp",
    "icmp",
    "icmp6",
    "ip",
    "ip6",
    "arp",
    "ether",
    "vlan",
    "mpls",
    "pppoes",
    "geneve",
    "vxlan",
    "greater",
    "less",
    "len",
    "mask",
    "gateway",
    "broadcast",
    "multicast",
    "inbound",
    "outbound",
    "tcpflags",
    "tcp-syn",
    "tcp-ack",
    "tcp-fin",
    "tcp-rst",
    "tcp-push",
    "tcp-urg",
];

/// A filter at work on one capture.
#[derive(Debug)]
pub(super) struct Sieve {
    filter: Filter,
    /// One for each link type met, at most [`Sieve::PROGRAMS_MAX`]; `None` where the filter means
    /// nothing.
    programs: Vec<(LinkType, Option<Program>)>,
    tally: FilterTally,
    stop: Arc<AtomicBool>,
}

/// What a filter let pass.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct FilterTally {
    pub(crate) expression: String,
    pub(crate) packets_passed: u64,
    pub(crate) packets_left_out: u64,
    /// Of these, packets of link types on which the filter means nothing.
    pub(crate) packets_meaningless: u64,
    /// What libpcap says of the first of them, with the link type's name.
    pub(crate) meaningless: Option<String>,
}

impl Sieve {
    /// More link types than libpcap can filter; packets of further ones do not pass.
    const PROGRAMS_MAX: usize = 256;
    /// The link type of BSD's loopback in network order (`DLT_LOOP`).
    const LOOP: LinkType = LinkType(108);
    const NULL: LinkType = LinkType(0);

    pub(super) fn new(filter: Filter, stop: Arc<AtomicBool>) -> Self {
        let expression = filter.expression().to_owned();
        let tally = FilterTally { expression, ..FilterTally::default() };
        Self { filter, programs: Vec::new(), tally, stop }
    }

    pub(super) fn tally(&self) -> &FilterTally {
        &self.tally
    }

    /// Whether reading is to end.
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Whether `frame` passes.
    pub(super) fn passes(&mut self, frame: &Frame) -> bool {
        let link_type = as_written(frame);
        let place = self.programs.iter().position(|(known, _)| *known == link_type);
        let place = place.unwrap_or_else(|| self.learn(link_type));
        let program = self.programs.get(place).and_then(|(_, program)| program.as_ref());
        let is_passing = program.is_some_and(|it| it.matches(frame.bytes, frame.wire_len));
        let is_meaningless = u64::from(program.is_none());
        self.tally.packets_meaningless =
            self.tally.packets_meaningless.saturating_add(is_meaningless);
        let count = if is_passing {
            &mut self.tally.packets_passed
        } else {
            &mut self.tally.packets_left_out
        };
        *count = count.saturating_add(1);
        is_passing
    }

    /// Compiles for a further link type; gives its place, beyond the end if there is none left.
    #[cold]
    fn learn(&mut self, link_type: LinkType) -> usize {
        let place = self.programs.len();
        if place < Self::PROGRAMS_MAX {
            let program = self.filter.compile(link_type);
            if let Err(said) = &program {
                let why = || format!("{}: {said}", link_type.name());
                self.tally.meaningless.get_or_insert_with(why);
            }
            self.programs.push((link_type, program.ok()));
        }
        place
    }
}

/// The link type to compile for. BSD's loopback has its address family in the order of the machine
/// that captured; in the other order it reads as `DLT_LOOP`. Families are below 65536.
fn as_written(frame: &Frame) -> LinkType {
    let family = frame.bytes.first_chunk::<4>().map_or(0, |octets| u32::from_ne_bytes(*octets));
    match frame.link_type {
        Sieve::NULL if family > u32::from(u16::MAX) => Sieve::LOOP,
        link_type => link_type,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistyped_word_is_recognised() {
        assert_eq!(nearest_word("prot"), Some("port"));
        assert_eq!(nearest_word("hsot"), Some("host"));
        assert_eq!(nearest_word("80"), None);
        assert_eq!(nearest_word("host"), None);
    }

    #[test]
    fn the_place_of_an_error_is_shown_under_the_expression() {
        let wrong = WrongFilter {
            expression: "tcp prot 443".to_owned(),
            said: "libpcap says: syntax error".to_owned(),
            place: 4..8,
        };
        let shown = "bad filter: libpcap says: syntax error\n  tcp prot 443\n      ^^^^ at character 5: \
                     did you mean \"port\"?";
        assert_eq!(wrong.to_string(), shown);
    }
}
