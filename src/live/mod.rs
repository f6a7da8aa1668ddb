//! Which frames pass right now? Opens an interface through libpcap and gives what passes as a pcapng
//! stream, which the same stages read as any file: what is saved and what is analysed are the same
//! octets.

mod pcapng;
mod source;

use std::ffi::c_int;
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::capture::{Filter, LinkType};
use crate::libpcap::{self, Absent, Handle};

pub use source::Progress;

/// An interface to capture on.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Interface {
    /// Its name, safe to print.
    pub name: String,
    /// The system's words on it; empty if there are none.
    pub description: String,
    /// It is switched on.
    pub is_up: bool,
    /// Frames on it stay on this machine.
    pub is_loopback: bool,
}

/// The interfaces that this user may look at, in libpcap's order: the likely ones first.
///
/// # Errors
/// If there is no libpcap, or it cannot tell.
pub fn interfaces() -> Result<Vec<Interface>, LiveError> {
    // PCAP_IF_LOOPBACK and PCAP_IF_UP of pcap/pcap.h.
    const LOOPBACK: u32 = 1;
    const UP: u32 = 2;
    let devices = libpcap::library()?.devices();
    let devices = devices.map_err(|cause| LiveError::Interfaces { cause })?;
    let interface = |device: libpcap::Device| Interface {
        name: device.name,
        description: device.description,
        is_up: device.flags & UP != 0,
        is_loopback: device.flags & LOOPBACK != 0,
    };
    Ok(devices.into_iter().map(interface).collect())
}

/// Why there is no live capture. Each message says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LiveError {
    /// libpcap is not installed.
    #[error(transparent)]
    Absent(#[from] Absent),
    /// The interfaces cannot be named.
    #[error("cannot list the interfaces: libpcap says: {cause}")]
    Interfaces {
        /// What libpcap says.
        cause: String,
    },
    /// The user may not capture.
    #[error(
        "cannot capture on {interface}: {cause}\nThis needs the right CAP_NET_RAW: run with sudo, or  \
         sudo setcap cap_net_raw+ep $(command -v tcplimit)\nor let another machine or program \
         capture:  ssh host tcpdump -i {interface} -s 128 -U -w - | tcplimit analyze -"
    )]
    Refused {
        /// Its name.
        interface: String,
        /// What libpcap says.
        cause: String,
    },
    /// No such interface, or it cannot be opened.
    #[error("cannot capture on {interface}: {cause}\n{}", known(interfaces))]
    NoInterface {
        /// Its name.
        interface: String,
        /// What libpcap says.
        cause: String,
        /// Those that there are.
        interfaces: Vec<String>,
    },
    /// The interface's link type has no use for the filter.
    #[error("the filter cannot be used on {interface}: libpcap says: {cause}")]
    Filter {
        /// Its name.
        interface: String,
        /// What libpcap says.
        cause: String,
    },
}

fn known(interfaces: &[String]) -> String {
    match interfaces {
        [] => "There are no interfaces that this user may look at".to_owned(),
        names => format!("Interfaces (tcplimit capture --list): {}", names.join(", ")),
    }
}

/// How to capture.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Wish {
    /// The interface's name.
    pub interface: String,
    /// Only frames that pass; the kernel leaves out the others.
    pub filter: Option<Filter>,
    /// Octets kept of each frame.
    pub snap_len: u32,
    /// Octets that the kernel holds while the analysis is busy.
    pub buffer_bytes: u32,
}

impl Wish {
    /// Octets kept unless told otherwise: all headers, also inside tunnels.
    pub const SNAP_LEN: u32 = 256;
    /// A tenth of a second of a 10 Gbit/s link that is full of small frames, cut to 256 octets.
    pub const BUFFER_BYTES: u32 = 32 << 20;

    /// All frames of `interface`.
    #[must_use]
    pub fn new(interface: &str) -> Self {
        Self {
            interface: interface.to_owned(),
            filter: None,
            snap_len: Self::SNAP_LEN,
            buffer_bytes: Self::BUFFER_BYTES,
        }
    }
}

/// When a capture ends: at the first of these.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Until {
    /// After this many frames.
    pub packets: Option<u64>,
    /// After this time.
    pub time: Option<Duration>,
    /// Once it is set.
    pub stop: Arc<AtomicBool>,
}

/// An interface that is open, and not read yet: rights are no longer needed.
pub struct Live {
    handle: Handle,
    interface: String,
    link_type: LinkType,
    snap_len: u32,
}

impl Live {
    /// How long the kernel may hold frames together before it hands them on.
    const HOLD_MS: c_int = 100;
    // pcap/pcap.h.
    const PCAP_ERROR_NO_SUCH_DEVICE: c_int = -5;
    const PCAP_ERROR_PERM_DENIED: c_int = -8;

    /// Opens an interface. Frames pile up in the kernel from now on.
    ///
    /// # Errors
    /// If libpcap, the interface or the right to capture on it is missing.
    pub fn open(wish: &Wish) -> Result<Self, LiveError> {
        let library = libpcap::library()?;
        let interface = crate::error::printable(&wish.interface);
        let missing = |cause: String| LiveError::NoInterface {
            interface: interface.clone(),
            cause,
            interfaces: names(),
        };
        let name = libpcap::c_string(&wish.interface);
        let name = name.ok_or_else(|| missing("no interface has such a name".to_owned()))?;
        let handle = library.create(&name).map_err(missing)?;
        let int = |number: u32| c_int::try_from(number).unwrap_or(c_int::MAX);
        handle.configure(int(wish.snap_len), Self::HOLD_MS, int(wish.buffer_bytes));
        handle.activate().map_err(|(status, cause)| match status {
            Self::PCAP_ERROR_PERM_DENIED => {
                LiveError::Refused { interface: interface.clone(), cause }
            }
            Self::PCAP_ERROR_NO_SUCH_DEVICE => missing("there is no such interface".to_owned()),
            _ => missing(cause),
        })?;
        if let Some(filter) = &wish.filter {
            let refused = |cause| LiveError::Filter { interface: interface.clone(), cause };
            handle.set_filter(filter.c_expression()).map_err(refused)?;
        }
        handle.set_nonblocking().map_err(missing)?;
        let link_type = LinkType(libpcap::link_type_of(handle.dlt()));
        Ok(Self { handle, interface, link_type, snap_len: wish.snap_len })
    }

    /// The interface's name, safe to print.
    #[must_use]
    pub fn interface(&self) -> &str {
        &self.interface
    }

    /// Captures from now on, in a thread of its own. Gives a pcapng stream, which ends when the
    /// capture does; the same octets go to `save`.
    ///
    /// # Errors
    /// If the system has no thread or no socket left.
    pub fn start(
        self,
        until: Until,
        save: Option<Box<dyn Write + Send>>,
    ) -> io::Result<(impl Read + Send + 'static, Arc<Progress>)> {
        source::start(self, until, save)
    }
}

/// Names of the interfaces; none where they cannot be told.
fn names() -> Vec<String> {
    interfaces().unwrap_or_default().into_iter().map(|interface| interface.name).collect()
}
