//! What limited the flow, how sure, what to try? Takes a flow's [`Findings`], gives its
//! [`FlowReport`](crate::model::FlowReport). Knows no output format.

mod advice;
mod already;
mod bearing;
mod beside;
mod buffers;
mod confidence;
mod congestion;
mod direction;
mod doubts;
mod episodes;
mod evidence;
mod facts;
mod floor;
mod flow_report;
mod intervals;
mod judged;
mod kept;
mod large;
mod lever;
mod notes;
mod path;
mod poisson;
mod recovery;
mod room;
mod second;
mod series;
mod shares;
mod thin;
mod unopened;
mod what_if;
mod why;

pub(crate) use buffers::WindowTrack;
pub(crate) use floor::{Floor, Largest};
pub(crate) use flow_report::{Capture, of_connection};
pub(crate) use kept::{Ended, Kept, Remaining};
pub(crate) use large::hear;
pub(crate) use room::Room;

use kept::Told;

use crate::congestion as control;
use crate::cwnd;
use crate::episode;
use crate::limit::lu2007::Lu2007;
use crate::limit::{Ledger, Recording};
use crate::sender::SenderTotals;
use crate::series::Stretch;
use crate::units::Bytes;
use crate::vantage::Place;

/// What the chosen output shows beside what every output does: nothing else is collected.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Wanted {
    /// Somebody looks on while the capture is read.
    pub(crate) is_watched: bool,
    /// The 2007 paper's method was asked for.
    pub(crate) lu2007: bool,
    /// Most points of a line of the series, where they are kept.
    pub(crate) series_points: usize,
    /// The part of a flow's time that they are kept of.
    pub(crate) stretch: Stretch,
    pub(crate) recording: Recording,
}

/// What was found out about one direction, and from where.
#[derive(Debug)]
pub(crate) struct Found<S> {
    pub(crate) findings: Findings,
    pub(crate) place: Place,
    /// Keeps the series, where they are asked for.
    pub(crate) lines: S,
}

/// What those found who listened to the sender's steps.
#[derive(Debug)]
pub(crate) struct Findings {
    pub(crate) ledger: Ledger,
    pub(crate) cwnd: cwnd::Findings,
    pub(crate) congestion: control::Findings,
    pub(crate) episodes: episode::Findings,
    pub(crate) window: WindowTrack,
    pub(crate) totals: SenderTotals,
    pub(crate) lu2007: Option<Box<Lu2007>>,
    pub(crate) path: crate::path::Findings,
    /// Largest wire segment, payload octets; 0 without payload.
    pub(crate) smss: Bytes,
    /// Largest payload of what stood for several wire segments; 0 where nothing did.
    pub(crate) super_frame_max: Bytes,
    /// The sender's answers to ACKs passed late, one as late as the other.
    pub(crate) answers_late: bool,
    /// It opened at the pace that is BBR's before it has measured a rate.
    pub(crate) opens_as_bbr: bool,
}

impl Findings {
    /// Drops the lists, which only the first report tells.
    fn bare(&mut self) {
        self.ledger.spans = Vec::new();
        self.cwnd.points = Vec::new();
        self.congestion.epochs = Vec::new();
        self.episodes.bare();
    }
}
