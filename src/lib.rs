//! Names what limited a TCP transfer, from a packet capture.

mod analyze;
mod capture;
mod error;
mod flow;
mod limit;
pub mod report;
mod round;
mod sender;
#[cfg(any(test, feature = "_testing"))]
pub mod testing;
mod units;
mod vantage;
mod verdict;
mod wire;

pub use analyze::{Config, Method, analyze, analyze_stream};
pub use error::Error;
