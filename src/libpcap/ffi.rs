//! The only file with unsafe code: calls to libpcap, behind types whose use is safe.
//!
//! Types and signatures are those of `pcap/pcap.h` and `pcap/bpf.h`, which have not changed since
//! libpcap 1.5 (2013) and cannot without breaking every program that links it.
#![expect(unsafe_code, reason = "calls to a C library that is found at run time")]

use std::ffi::{CStr, c_char, c_int, c_uchar, c_uint};
use std::fmt;
use std::ptr;

use libloading::Library;

use super::Device;

/// `PCAP_ERRBUF_SIZE`.
const ERRBUF_LEN: usize = 256;
/// `MAXIMUM_SNAPLEN`: what tcpdump passes for "all".
const SNAP_LEN_ALL: c_int = 262_144;
/// `PCAP_TSTAMP_PRECISION_NANO`.
const NANOSECONDS: c_int = 1;

/// `pcap_t`: only ever held by pointer.
#[repr(C)]
struct Pcap {
    _opaque: [u8; 0],
}

/// `struct bpf_program`. The instructions belong to libpcap.
#[repr(C)]
struct BpfProgram {
    len: c_uint,
    instructions: *mut Instruction,
}

/// `struct bpf_insn`.
#[repr(C)]
struct Instruction {
    code: u16,
    _jumps: [u8; 2],
    operand: u32,
}

/// `struct pcap_pkthdr`, as far as libpcap reads it for a filter.
#[repr(C)]
struct PacketHeader {
    time: libc::timeval,
    captured_len: u32,
    wire_len: u32,
}

/// `struct pcap_stat`, with room for what other systems add to it.
#[repr(C)]
#[derive(Default)]
struct Stat {
    received: c_uint,
    dropped: c_uint,
    dropped_by_interface: c_uint,
    _more: [c_uint; 5],
}

/// `pcap_if_t`.
#[repr(C)]
struct Interface {
    next: *mut Interface,
    name: *const c_char,
    description: *const c_char,
    addresses: *mut u8,
    flags: u32,
}

/// Declares the table of functions and how it is filled.
macro_rules! functions {
    ($($name:ident($($argument:ty),*) $(-> $result:ty)?;)*) => {
        struct Functions { $($name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)* }

        impl Functions {
            fn of(library: &Library) -> Result<Self, libloading::Error> {
                // SAFETY: each symbol is looked up by the name of the function whose C declaration
                // its type repeats.
                unsafe {
                    Ok(Self {
                        $($name: *library.get(concat!(stringify!($name), "\0").as_bytes())?,)*
                    })
                }
            }
        }
    };
}

functions! {
    pcap_lib_version() -> *const c_char;
    pcap_open_dead(c_int, c_int) -> *mut Pcap;
    pcap_compile(*mut Pcap, *mut BpfProgram, *const c_char, c_int, u32) -> c_int;
    pcap_freecode(*mut BpfProgram);
    pcap_offline_filter(*const BpfProgram, *const PacketHeader, *const c_uchar) -> c_int;
    pcap_geterr(*mut Pcap) -> *const c_char;
    pcap_close(*mut Pcap);
    pcap_findalldevs(*mut *mut Interface, *mut c_char) -> c_int;
    pcap_freealldevs(*mut Interface);
    pcap_create(*const c_char, *mut c_char) -> *mut Pcap;
    pcap_set_snaplen(*mut Pcap, c_int) -> c_int;
    pcap_set_timeout(*mut Pcap, c_int) -> c_int;
    pcap_set_buffer_size(*mut Pcap, c_int) -> c_int;
    pcap_set_tstamp_precision(*mut Pcap, c_int) -> c_int;
    pcap_get_tstamp_precision(*mut Pcap) -> c_int;
    pcap_activate(*mut Pcap) -> c_int;
    pcap_statustostr(c_int) -> *const c_char;
    pcap_setnonblock(*mut Pcap, c_int, *mut c_char) -> c_int;
    pcap_datalink(*mut Pcap) -> c_int;
    pcap_setfilter(*mut Pcap, *mut BpfProgram) -> c_int;
    pcap_next_ex(*mut Pcap, *mut *mut PacketHeader, *mut *const c_uchar) -> c_int;
    pcap_stats(*mut Pcap, *mut Stat) -> c_int;
}

/// libpcap, loaded; never unloaded, so that what it gave stays valid.
pub(crate) struct Libpcap {
    functions: Functions,
    _library: Library,
}

impl fmt::Debug for Libpcap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.version())
    }
}

impl Libpcap {
    /// Loads the library from the system's places under one of `names`; else why not.
    pub(super) fn load(names: &[&str]) -> Result<Self, String> {
        let mut why = String::new();
        for name in names {
            // SAFETY: loading runs the library's initialisers. The names are libpcap's own, looked
            // up where the system keeps its libraries; libpcap's initialisers do nothing that a
            // program linked with it does not rely on.
            let library = match unsafe { Library::new(name) } {
                Ok(library) => library,
                Err(error) => {
                    why = error.to_string();
                    continue;
                }
            };
            match Functions::of(&library) {
                Ok(functions) => return Ok(Self { functions, _library: library }),
                Err(error) => why = error.to_string(),
            }
        }
        Err(why)
    }

    /// What the library says of itself: `libpcap version 1.10.3 (with TPACKET_V3)`.
    pub(crate) fn version(&self) -> String {
        // SAFETY: takes nothing, and gives a constant string.
        unsafe { text((self.functions.pcap_lib_version)()) }
    }

    /// Compiles `expression` for frames of link type `dlt` (a `DLT_` number); else what libpcap
    /// says is wrong with it. Hosts and services are looked up by name.
    pub(crate) fn compile(&'static self, dlt: c_int, expression: &CStr) -> Result<Program, String> {
        // SAFETY: takes two numbers; gives a handle or null.
        let handle = unsafe { (self.functions.pcap_open_dead)(dlt, SNAP_LEN_ALL) };
        if handle.is_null() {
            return Err("out of memory".to_owned());
        }
        let handle = Handle { raw: handle, library: self };
        handle.compile(expression)
    }

    /// The interfaces that this user may look at; else what libpcap says.
    pub(crate) fn devices(&self) -> Result<Vec<Device>, String> {
        let mut first = ptr::null_mut();
        let mut errbuf = [0; ERRBUF_LEN];
        // SAFETY: both point to local variables, the buffer of the size that is asked for.
        let status =
            unsafe { (self.functions.pcap_findalldevs)(&raw mut first, errbuf.as_mut_ptr()) };
        if status != 0 {
            return Err(message(&errbuf));
        }
        let mut devices = Vec::new();
        let mut next = first;
        // SAFETY: the list is libpcap's until it is freed below; each entry is valid, and the last
        // one's `next` is null.
        while let Some(interface) = unsafe { next.as_ref() } {
            devices.push(Device {
                // SAFETY: strings of that entry, or null.
                name: unsafe { text(interface.name) },
                // SAFETY: as above.
                description: unsafe { text(interface.description) },
                flags: interface.flags,
            });
            next = interface.next;
        }
        // SAFETY: the list came from `pcap_findalldevs`, and nothing of it is kept.
        unsafe { (self.functions.pcap_freealldevs)(first) };
        Ok(devices)
    }

    /// A handle on an interface, not active yet.
    pub(crate) fn create(&'static self, interface: &CStr) -> Result<Handle, String> {
        let mut errbuf = [0; ERRBUF_LEN];
        // SAFETY: a string that ends in 0, and a buffer of the size that is asked for.
        let raw = unsafe { (self.functions.pcap_create)(interface.as_ptr(), errbuf.as_mut_ptr()) };
        if raw.is_null() { Err(message(&errbuf)) } else { Ok(Handle { raw, library: self }) }
    }
}

/// A compiled filter.
pub(crate) struct Program {
    raw: BpfProgram,
    library: &'static Libpcap,
}

// SAFETY: a program is memory that nothing changes once it is compiled; `pcap_offline_filter` only
// reads it, and keeps no state.
unsafe impl Send for Program {}
// SAFETY: as above.
unsafe impl Sync for Program {}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} instructions", self.raw.len)
    }
}

impl Program {
    /// Whether it asks for what only a kernel can tell, as the direction of a frame (`SKF_AD_OFF`
    /// of linux/filter.h: operands from there on are no offsets into the frame).
    pub(crate) fn needs_kernel(&self) -> bool {
        const SKF_AD_OFF: u32 = 0xffff_f000;
        // BPF_CLASS and BPF_MODE; BPF_LD with BPF_ABS or BPF_IND.
        let loads = |code: u16| matches!(code & 0xe7, 0x20 | 0x40);
        if self.raw.instructions.is_null() {
            return false;
        }
        // SAFETY: libpcap filled both when it compiled: a pointer to as many instructions as it
        // says. They are not changed while the slice is in use.
        let instructions =
            unsafe { std::slice::from_raw_parts(self.raw.instructions, self.raw.len as usize) };
        instructions.iter().any(|it| loads(it.code) && it.operand >= SKF_AD_OFF)
    }

    /// Whether a frame passes that had `wire_len` octets, of which `frame` was kept.
    #[inline]
    pub(crate) fn matches(&self, frame: &[u8], wire_len: u32) -> bool {
        let header = PacketHeader {
            time: libc::timeval { tv_sec: 0, tv_usec: 0 },
            captured_len: u32::try_from(frame.len()).unwrap_or(u32::MAX),
            wire_len,
        };
        // SAFETY: the program is whole, and it reads no further than `captured_len`, which is the
        // frame's length at most.
        let verdict = unsafe {
            (self.library.functions.pcap_offline_filter)(
                &raw const self.raw,
                &raw const header,
                frame.as_ptr(),
            )
        };
        verdict != 0
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: it came from `pcap_compile`, and is not used again.
        unsafe { (self.library.functions.pcap_freecode)(&raw mut self.raw) }
    }
}

/// A `pcap_t`.
pub(crate) struct Handle {
    raw: *mut Pcap,
    library: &'static Libpcap,
}

// SAFETY: a handle may move to another thread; it is bound to none. It is not `Sync`: two threads
// never use it at once.
unsafe impl Send for Handle {}

/// A captured frame, valid until the next is asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Packet<'a> {
    pub(crate) seconds: i64,
    /// Of a microsecond or a nanosecond, as [`Handle::has_nanoseconds`] tells.
    pub(crate) fraction: i64,
    pub(crate) wire_len: u32,
    pub(crate) bytes: &'a [u8],
}

impl Handle {
    /// Before it is active: octets kept of each frame, milliseconds for which frames may be held
    /// together, octets that the kernel holds for us; and times in nanoseconds. What the system
    /// cannot do stays as it was.
    pub(crate) fn configure(&self, snap_len: c_int, hold_ms: c_int, buffer_len: c_int) {
        let functions = &self.library.functions;
        // SAFETY: each takes the handle, which is not active yet, and a number.
        unsafe {
            (functions.pcap_set_snaplen)(self.raw, snap_len);
            (functions.pcap_set_timeout)(self.raw, hold_ms);
            (functions.pcap_set_buffer_size)(self.raw, buffer_len);
            (functions.pcap_set_tstamp_precision)(self.raw, NANOSECONDS);
        }
    }

    /// Opens the interface. An error has libpcap's number (`PCAP_ERROR_...`) and its words.
    pub(crate) fn activate(&self) -> Result<(), (c_int, String)> {
        let functions = &self.library.functions;
        // SAFETY: takes the handle.
        let status = unsafe { (functions.pcap_activate)(self.raw) };
        if status >= 0 {
            return Ok(()); // Above 0 are warnings: promiscuous mode, say, is not to be had.
        }
        // SAFETY: takes any number, and gives a string that stays until the next call.
        let status_text = unsafe { text((functions.pcap_statustostr)(status)) };
        let said = self.error();
        let what = if said.is_empty() { status_text } else { format!("{status_text}: {said}") };
        Err((status, what))
    }

    /// Has [`Self::next`] return at once where no frame waits.
    pub(crate) fn set_nonblocking(&self) -> Result<(), String> {
        let mut errbuf = [0; ERRBUF_LEN];
        // SAFETY: takes the handle, a number and a buffer of the size that is asked for.
        let status =
            unsafe { (self.library.functions.pcap_setnonblock)(self.raw, 1, errbuf.as_mut_ptr()) };
        if status == 0 { Ok(()) } else { Err(message(&errbuf)) }
    }

    pub(crate) fn has_nanoseconds(&self) -> bool {
        // SAFETY: takes the handle.
        unsafe { (self.library.functions.pcap_get_tstamp_precision)(self.raw) == NANOSECONDS }
    }

    /// The link type of its frames, a `DLT_` number.
    pub(crate) fn dlt(&self) -> c_int {
        // SAFETY: takes the handle.
        unsafe { (self.library.functions.pcap_datalink)(self.raw) }
    }

    /// Compiles for this handle's frames; else what libpcap says.
    fn compile(&self, expression: &CStr) -> Result<Program, String> {
        const OPTIMIZE: c_int = 1;
        /// What tcpdump passes when it reads a file.
        const NETMASK: u32 = 0;
        let functions = &self.library.functions;
        let mut raw = BpfProgram { len: 0, instructions: ptr::null_mut() };
        // SAFETY: takes the handle, an empty program to fill and a string that ends in 0.
        let status = unsafe {
            (functions.pcap_compile)(self.raw, &raw mut raw, expression.as_ptr(), OPTIMIZE, NETMASK)
        };
        if status != 0 {
            return Err(self.error());
        }
        Ok(Program { raw, library: self.library })
    }

    /// Has the kernel hand on only frames that pass `expression`; else what libpcap says.
    pub(crate) fn set_filter(&self, expression: &CStr) -> Result<(), String> {
        let mut program = self.compile(expression)?;
        // SAFETY: takes the handle and a whole program, of which libpcap makes a copy.
        let status =
            unsafe { (self.library.functions.pcap_setfilter)(self.raw, &raw mut program.raw) };
        if status == 0 { Ok(()) } else { Err(self.error()) }
    }

    /// The next frame; `None` where none waits. Else what libpcap says.
    pub(crate) fn next(&mut self) -> Result<Option<Packet<'_>>, String> {
        let mut header: *mut PacketHeader = ptr::null_mut();
        let mut data: *const c_uchar = ptr::null();
        // SAFETY: takes the active handle and two places to fill.
        let status = unsafe {
            (self.library.functions.pcap_next_ex)(self.raw, &raw mut header, &raw mut data)
        };
        if status < 0 {
            return Err(self.error());
        }
        if status == 0 || header.is_null() || data.is_null() {
            return Ok(None);
        }
        // SAFETY: libpcap filled both: a header, and as many octets as it says were captured. They
        // stay until the next call, which needs the handle that the result borrows.
        let (header, bytes) = unsafe {
            let header = &*header;
            (header, std::slice::from_raw_parts(data, header.captured_len as usize))
        };
        Ok(Some(Packet {
            seconds: header.time.tv_sec,
            fraction: header.time.tv_usec,
            wire_len: header.wire_len,
            bytes,
        }))
    }

    /// Frames that the kernel and the interface dropped since the start, 32 bits wide each; `None`
    /// if libpcap cannot tell.
    pub(crate) fn drops(&self) -> Option<(u32, u32)> {
        let mut stat = Stat::default();
        // SAFETY: takes the active handle and a place to fill, at least as large as it fills.
        let status = unsafe { (self.library.functions.pcap_stats)(self.raw, &raw mut stat) };
        (status == 0).then_some((stat.dropped, stat.dropped_by_interface))
    }

    fn error(&self) -> String {
        // SAFETY: takes the handle, and gives its string.
        unsafe { text((self.library.functions.pcap_geterr)(self.raw)) }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: the handle is not used again; programs compiled with it are independent of it.
        unsafe { (self.library.functions.pcap_close)(self.raw) }
    }
}

/// A copy of a C string, safe to print; empty for null.
///
/// # Safety
/// `raw` is null, or points to octets that end in 0.
unsafe fn text(raw: *const c_char) -> String {
    if raw.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    let string = unsafe { CStr::from_ptr(raw) };
    crate::error::printable(&string.to_string_lossy())
}

/// What stands in a buffer for errors.
fn message(errbuf: &[c_char; ERRBUF_LEN]) -> String {
    let octets: Vec<u8> =
        errbuf.iter().map(|octet| octet.to_ne_bytes()[0]).take_while(|octet| *octet != 0).collect();
    crate::error::printable(&String::from_utf8_lossy(&octets))
}
