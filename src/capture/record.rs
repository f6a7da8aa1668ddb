//! What the header of one record says, whatever the format.

use super::LinkType;
use super::clock::Stamp;
use super::window::Span;

/// A frame's place in the window, and what its record header says.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) span: Span,
    /// `None` for simple packet blocks.
    pub(super) stamp: Option<Stamp>,
    pub(super) link_type: LinkType,
    /// Its number in the section; 0 where the format knows only one.
    pub(super) interface: u32,
    /// The length on the wire as written, which may be wrong: smaller than what was captured.
    pub(super) original_len: u32,
}
