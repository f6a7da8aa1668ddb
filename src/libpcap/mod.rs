//! What does libpcap say? The system's library, found at run time: the program neither links it nor
//! needs its header files, and runs without it but for filters and live capture.
//!
//! Gives tcpdump's filter language (pcap-filter(7)) and the system's interfaces. All unsafe code of
//! the program stands in `ffi.rs`.

mod ffi;
mod place;

use std::ffi::{CString, c_int};
use std::sync::OnceLock;

pub(crate) use ffi::{Handle, Libpcap, Program};
pub(crate) use place::{is_syntax_error, place_of_error};

/// What the library is called: Debian, then Fedora, Alpine and Arch, then a `-dev` package, then
/// macOS.
const NAMES: &[&str] =
    &["libpcap.so.0.8", "libpcap.so.1", "libpcap.so", "libpcap.A.dylib", "libpcap.dylib"];

/// libpcap cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "no libpcap here ({cause}): install the package libpcap0.8t64 or libpcap0.8 (Debian, Ubuntu), \
     libpcap (Fedora, Alpine, Arch); all else works without"
)]
pub struct Absent {
    /// What the loader says.
    cause: String,
}

/// An interface to capture on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Device {
    pub(crate) name: String,
    /// Empty if there is none.
    pub(crate) description: String,
    /// `PCAP_IF_...`
    pub(crate) flags: u32,
}

/// The library, loaded on first use.
///
/// # Errors
/// If it is not installed.
pub(crate) fn library() -> Result<&'static Libpcap, Absent> {
    static LIBRARY: OnceLock<Result<Libpcap, String>> = OnceLock::new();
    let loaded = LIBRARY.get_or_init(|| Libpcap::load(NAMES));
    loaded.as_ref().map_err(|cause| Absent { cause: crate::error::printable(cause) })
}

/// What the library says of itself (`libpcap version 1.10.3 (with TPACKET_V3)`).
///
/// # Errors
/// If it is not installed.
pub fn version() -> Result<String, Absent> {
    library().map(Libpcap::version)
}

/// `expression` as C wants it; `None` if it holds a zero octet.
pub(crate) fn c_string(expression: &str) -> Option<CString> {
    CString::new(expression).ok()
}

/// The system's number (`DLT_...`) of a file's link type (`LINKTYPE_...`): they differ where systems
/// disagreed (<https://www.tcpdump.org/linktypes.html>).
pub(crate) fn dlt_of(link_type: u32) -> c_int {
    const RAW: c_int = if cfg!(target_os = "openbsd") { 14 } else { 12 };
    match link_type {
        100 => 11, // ATM, RFC 1483.
        101 => RAW,
        other => c_int::try_from(other).unwrap_or(-1),
    }
}

/// The file's link type of a system's number: the reverse of [`dlt_of`].
pub(crate) fn link_type_of(dlt: c_int) -> u32 {
    match dlt {
        11 => 100,
        12 | 14 => 101,
        other => u32::try_from(other).unwrap_or(0),
    }
}
