//! Names what limited a TCP transfer, from a packet capture.

mod capture;
mod error;
mod flow;
mod limit;
pub mod report;
mod round;
mod sender;
mod units;
mod vantage;
mod wire;
