//! Where the capture was taken, as the user says.

use clap::ValueEnum;
use tcplimit::model::Vantage;

/// The option of every command that analyses captures.
#[derive(Debug, clap::Args)]
pub(super) struct VantageOption {
    /// Where it was captured, for all data in it: at the sender, the receiver, or between
    #[arg(long, value_name = "PLACE", default_value = "auto")]
    vantage: Place,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Place {
    /// Inferred from the packets, for each direction
    Auto,
    /// Where the data is sent
    Sender,
    /// Where the data arrives
    Receiver,
    /// Between sender and receiver
    Middle,
}

impl VantageOption {
    /// `None` where it is to be found out.
    pub(super) fn told(&self) -> Option<Vantage> {
        match self.vantage {
            Place::Auto => None,
            Place::Sender => Some(Vantage::Sender),
            Place::Receiver => Some(Vantage::Receiver),
            Place::Middle => Some(Vantage::Middle),
        }
    }
}
