//! Names what limited a TCP transfer, from a packet capture.
//!
//! [`analyze()`] reads a capture and gives a [`model::Report`], plain data:
//!
//! ```
//! use tcplimit::model::{Confidence, Limit};
//! use tcplimit::{Config, analyze};
//!
//! let report = analyze(&["fixtures/receiver-window.pcap".into()], &Config::default())?;
//! let flow = &report.flows[0];
//! assert_eq!(flow.verdict.limit, Limit::ReceiveWindow);
//! assert_eq!(flow.verdict.confidence, Confidence::High);
//! println!("{}:{}: {}", flow.src.ip, flow.src.port, flow.verdict.text);
//! # Ok::<(), tcplimit::Error>(())
//! ```
//!
//! [`analyze_stream`] takes any reader, and `live` an interface (on Unix). [`Config`] says how: which
//! packets, where they were captured, in how much memory. [`report::write`] shows a report as the program
//! does, [`explain()`] what one flow's verdict rests on, and [`check`] holds a report against what was
//! promised.
//!
//! # Map
//!
//! Data flows one way, in the order of this table. A stage never sees the types of the one after
//! it, so a new statistic goes to the stage that asks its question. Nor do files anywhere name each other
//! in a circle: what two of them need has a file of its own below both.
//!
//! | module | takes | gives | asks |
//! | --- | --- | --- | --- |
//! | `capture` | octets | `Frame` | Where are the frames? |
//! | `wire` | `Frame` | `Segment` or `Skip` | What does this frame say? |
//! | `flow` | `Segment` | `Data`, `Ack` | Whose is it, at which stream offset, which window after scaling? |
//! | `backlog` | `Data`, `Ack` | the same, later | When is a flow's work done? |
//! | `vantage` | `Data`, `Ack` | the same, as the sender saw them | What had the sender seen when it sent? |
//! | `sender` | `Data`, `Ack` | `SenderEvent` | What did the sender know and do? |
//! | `series` | `SenderEvent` | lines | How did the flow look over time? (only when asked) |
//! | `round` | `SenderEvent` | `Round` of `Wait`s | What are the facts of this round trip? |
//! | `cwnd` | `SenderEvent` | `Shadow` | What was the congestion window? |
//! | `congestion` | `SenderEvent` | `Epoch`s | Which law did the window follow from back-off to back-off? |
//! | `episode` | `SenderEvent` | lists | Which stalls, losses and closed windows stand out? |
//! | `path` | `SenderEvent` | `Findings` | How fast is the bottleneck, and was it full? |
//! | `limit` | `Round` | `Ruling`s, `Ledger` | Which limit held, and why do we say so? |
//! | `model` | `Limit`, `Cause`, `StallCause` .. | the types of a `Report`, codes, names | What can a report say? (plain data) |
//! | `verdict` | `Ledger`, `Findings` | `FlowReport` | What limited the flow, how sure, what to try? What do flows beside each other tell together? |
//! | `report` | `Report` | octets | How does a reader see it? |
//!
//! `response` holds what RFCs and papers compute of a window and its losses: pure functions.
//!
//! `check` asks afterwards: does a report keep what was promised?
//!
//! `budget` lets analyses that run beside each other keep to one bound of memory.
//!
//! `units` are the types of octets, rates, times and positions, and `error` is why an input is of no use:
//! all stages share them.
//!
//! `analyze` reads and decodes; `shards` runs the stages from `flow` to `verdict`, on that thread or on
//! others; `listeners` joins those behind `flow` for each direction of a connection; no stage knows of them.
//! `explain` runs them again for one flow, and keeps what each ruling rests on.
//!
//! `live` gives `capture` the octets of an interface in place of a file's, and `glance` looks into an
//! analysis that runs. `libpcap` is the system's library, found at run time, with all unsafe code.
//!
//! # Invariants
//!
//! - Memory is bounded: by the flow table's bounds, by each flow's window and the caps named in
//!   its stages, and by the number of reports kept; never by the size of a file or by what a length
//!   field claims. What a bound drops is counted and reported.
//! - There is no clock but the capture's.
//! - No input can panic. Damage ends a file, not the run; what was read is reported.
//! - Sequence numbers end at `flow`: after it, positions are 64 bits wide and never wrap.
//! - A detector sees one wait and the tallies of the rounds around it, no packets, and gives
//!   numbers, no wording. A report computes nothing.
//! - The same input gives the same octets. No hash map is iterated where output is made.
//! - A threshold names its source: an RFC, a kernel function, or a measurement to repeat.

mod analyze;
mod backlog;
mod budget;
mod capture;
pub mod check;
mod congestion;
mod cwnd;
mod episode;
mod error;
mod explain;
mod flow;
mod glance;
pub mod libpcap;
mod limit;
mod listeners;
#[cfg(unix)]
pub mod live;
pub mod model;
mod path;
pub mod report;
pub mod response;
mod round;
mod sender;
mod series;
mod shards;
#[cfg(any(test, feature = "_testing"))]
pub mod testing;
mod units;
mod vantage;
mod verdict;
mod wire;

pub use analyze::{Config, Memory, Method, analyze, analyze_stream};
pub use budget::{Budget, Lease};
pub use capture::{
    CapturesIn, Filter, FilterError, WrongFilter, captures_in, is_capture, is_same_file,
};
pub use error::Error;
pub use explain::{Question, explain};
pub use glance::Watch;
pub use series::SeriesWanted;
