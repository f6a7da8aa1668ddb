//! How large is what is to be made larger?

/// How large a window or a buffer was already, octets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Already {
    /// What of it was in use, on average, where it limited.
    pub(super) used: f64,
    /// The whole of it: a larger one has to have more.
    pub(super) whole: f64,
    /// It did not grow by itself, so that of a larger one as large a part would be of use.
    pub(super) is_fixed: bool,
}
