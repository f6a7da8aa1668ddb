//! The sizes of the buffers that limit, as far as the wire shows them.

use serde::Serialize;

/// The sender's socket buffer, where it limits for 5 % of the time or more.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SendBuffer {
    /// Payload octets in flight when it was full, on average.
    pub held_bytes: f64,
    /// The buffer's size (Linux `sk_sndbuf`: twice `SO_SNDBUF`, at most `tcp_wmem`) is at least about
    /// this.
    pub size_low_bytes: f64,
    /// And at most about this.
    pub size_high_bytes: f64,
}

/// The receiver's socket buffer, where its window limits for 5 % of the time or more.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ReceiveBuffer {
    /// How the advertised window moved.
    pub growth: WindowGrowth,
    /// The largest advertised window.
    pub window_max_bytes: u64,
    /// The receiving application reads more slowly than data comes, at least at times: the window opened
    /// without new data, or grew again from below half of its largest.
    pub is_drained_slowly: bool,
    /// The buffer's size (Linux `rcvbuf`: twice `SO_RCVBUF`, at most `tcp_rmem`) is at least about
    /// this.
    pub size_low_bytes: f64,
    /// And at most about this.
    pub size_high_bytes: f64,
}

/// How an advertised window moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum WindowGrowth {
    /// It never doubled: a fixed buffer.
    Fixed,
    /// It grew, and then no more: autotuned up to a bound.
    Capped,
    /// It still grew in the last quarter of the time: autotuned.
    Growing,
}
