//! Which format is it? Told by content; what is no capture, or none that can be read, is told with what
//! would help.

use super::compression;
use super::framing::Framing;
use super::input::{Input, STDIN_NAME};
use super::pcap::Records;
use super::pcapng::Sections;
use super::refusal::Refusal;
use super::window::Window;
use crate::error::Error;

/// What is in the compressed `window`, to be read on.
pub(super) fn decompress(
    name: &str,
    compression: &'static compression::Compression,
    window: Window,
) -> Result<Input, Error> {
    let Some(decompress) = compression.decompress else {
        let format = format!("{}-compressed", compression.name);
        return Err(Error::OtherFormat {
            command: piped(compression, name),
            format,
            name: name.to_owned(),
        });
    };
    decompress(window.into_input())
        .map_err(|cause| Error::Read { name: name.to_owned(), cause: cause.to_string() })
}

/// Takes the header of the format off `window` that it begins with.
pub(super) fn recognise(name: &str, window: &mut Window) -> Result<Framing, Error> {
    let len = window.unread().len() as u64;
    let refuse = |format, refusal| refuse(name, format, len, refusal);
    if let Some(records) = Records::open(window).map_err(|refusal| refuse("pcap", refusal))? {
        return Ok(Framing::Pcap(records));
    }
    if let Some(sections) = Sections::open(window).map_err(|refusal| refuse("pcapng", refusal))? {
        return Ok(Framing::Pcapng(Box::new(sections)));
    }
    Err(not_a_capture(name, window))
}

fn refuse(name: &str, format: &'static str, len: u64, refusal: Refusal) -> Error {
    let name = name.to_owned();
    match refusal {
        Refusal::HeaderCut => Error::HeaderCut { name, format, len },
        Refusal::Version { major, minor } => {
            let cause = format!("version {major}.{minor} is not known");
            Error::BadHeader { name, format, cause }
        }
        Refusal::Damaged(kind) => Error::BadHeader { name, format, cause: kind.to_string() },
    }
}

/// Captures of other formats, which Wireshark's `editcap` converts.
const OTHER_FORMATS: &[(&[u8], &str)] = &[
    (b"snoop\0\0\0", "a snoop capture"),
    (b"GMBU", "a Network Monitor capture"),
    (b"RTSS", "a Network Monitor capture"),
];

fn not_a_capture(name: &str, window: &Window) -> Error {
    let head = window.unread();
    let owned = name.to_owned();
    if head.is_empty() {
        return match window.failure() {
            Some(cause) => Error::Read { name: owned, cause: cause.to_string() },
            None => Error::Empty { name: owned },
        };
    }
    if let Some(inner) = compression::recognise(head) {
        let format = format!("compressed twice ({} inside)", inner.name);
        return Error::OtherFormat { command: piped(inner, name), format, name: owned };
    }
    if let Some((_, format)) = OTHER_FORMATS.iter().find(|(magic, _)| head.starts_with(magic)) {
        let file = if name == STDIN_NAME { "-".to_owned() } else { shell_word(name) };
        let command = format!("editcap -F pcap {file} - | tcplimit analyze -");
        return Error::OtherFormat { name: owned, format: (*format).to_owned(), command };
    }
    Error::NotACapture { name: owned, first_bytes: hexadecimal(head.get(..4).unwrap_or(head)) }
}

fn hexadecimal(octets: &[u8]) -> String {
    octets.iter().map(|octet| format!("{octet:02x}")).collect::<Vec<_>>().join(" ")
}

/// The command line that hands the decompressed file over.
fn piped(compression: &compression::Compression, name: &str) -> String {
    let command = compression.command;
    if name == STDIN_NAME {
        return format!("{command} | tcplimit analyze -");
    }
    format!("{command} {} | tcplimit analyze -", shell_word(name))
}

/// `name` quoted for a POSIX shell where it must be.
fn shell_word(name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+,:=@%".contains(c);
    if !name.is_empty() && name.chars().all(is_plain) {
        return name.to_owned();
    }
    format!("'{}'", name.replace('\'', r"'\''"))
}
