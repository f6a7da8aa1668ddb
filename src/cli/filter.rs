//! `--filter`, for the commands that read captures.

use tcplimit::{Filter, FilterError};

use super::say;
use super::status::Status;

#[derive(Debug, clap::Args)]
pub(super) struct FilterOption {
    /// Only packets that pass this filter, in tcpdump's language: 'tcp port 443 and host 10.0.0.7'
    ///
    /// As if the capture had been made with it; man pcap-filter describes the language. Needs the
    /// system's libpcap. Lengths are those on the wire, also where the capture cut packets.
    #[arg(long, value_name = "EXPR")]
    filter: Option<String>,
}

impl FilterOption {
    pub(super) fn is_given(&self) -> bool {
        self.filter.is_some()
    }

    /// The filter, if one is asked for.
    pub(super) fn get(&self) -> Result<Option<Filter>, Status> {
        self.filter.as_deref().map(compiled).transpose()
    }
}

/// `expression`, looked at by libpcap.
pub(super) fn compiled(expression: &str) -> Result<Filter, Status> {
    Filter::new(expression).map_err(|error| {
        say("error", &error);
        match error {
            FilterError::Absent(_) => Status::NoReport,
            _ => Status::Usage,
        }
    })
}
