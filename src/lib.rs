//! Names what limited a TCP transfer, from a packet capture.

mod capture;
mod error;
mod flow;
pub mod report;
mod sender;
mod units;
mod wire;
