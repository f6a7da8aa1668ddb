//! The only file with unsafe code: calls to libpcap, behind types whose use is safe.
//!
//! Types and signatures are those of `pcap/pcap.h` and `pcap/bpf.h`, which have not changed since
//! libpcap 1.5 (2013) and cannot without breaking every program that links it.
#![expect(unsafe_code, reason = "calls to a C library that is found at run time")]

use std::ffi::{CStr, c_char, c_int, c_uchar, c_uint};
use std::fmt;
use std::ptr;

use libloading::Library;

/// `MAXIMUM_SNAPLEN`: what tcpdump passes for "all".
const SNAP_LEN_ALL: c_int = 262_144;
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

impl Handle {
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
