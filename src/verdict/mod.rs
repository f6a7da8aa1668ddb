//! What limited the flow, how sure, what to try? Takes a flow's [`Findings`], gives its
//! [`FlowReport`](crate::report::FlowReport). Knows no output format.

mod advice;
mod confidence;
mod evidence;
mod flow_report;
mod kept;
mod notes;
mod shares;
mod why;

pub(crate) use flow_report::{Capture, of_connection};
pub(crate) use kept::Kept;

use crate::flow::{Ack, Consumer, Data, Handshake};
use crate::limit::lu2007::Lu2007;
use crate::limit::{Judge, Ledger};
use crate::round::RoundBuilder;
use crate::sender::{Sender, SenderEvent, SenderTotals};
use crate::units::{Bytes, FrameNumber, Timestamp};

/// All that is followed of one direction: its sender, and what each event of it means.
#[derive(Debug, Default)]
pub(crate) struct Analysis {
    sender: Sender,
    rounds: RoundBuilder,
    judge: Judge,
    lu2007: Lu2007,
    last_frame: FrameNumber,
    smss: Bytes,
    super_frame_max: Bytes,
}

impl Analysis {
    /// Closes the books at `end`, the connection's last packet.
    fn finish(mut self, end: Timestamp) -> Findings {
        if let Some(round) = self.rounds.finish(end, self.last_frame) {
            self.judge.on_round(round);
        }
        let Self { sender, judge, lu2007, smss, super_frame_max, .. } = self;
        Findings {
            ledger: judge.finish(),
            totals: sender.into_totals(),
            lu2007,
            smss,
            super_frame_max,
        }
    }
}

impl Consumer for Analysis {
    fn on_handshake(&mut self, handshake: &Handshake) {
        self.sender.on_handshake(handshake);
    }

    fn on_data(&mut self, data: &Data) {
        self.last_frame = data.frame;
        let Self { sender, rounds, judge, lu2007, smss, super_frame_max, .. } = self;
        sender.on_data(data, &mut |event| {
            if let SenderEvent::Send(send) = &event {
                *smss = send.smss;
                if send.segments > 1 {
                    *super_frame_max = send.len.max(*super_frame_max);
                }
            }
            take(&event, rounds, judge, lu2007);
        });
    }

    fn on_ack(&mut self, ack: &Ack) {
        self.last_frame = ack.frame;
        let Self { sender, rounds, judge, lu2007, .. } = self;
        sender.on_ack(ack, &mut |event| take(&event, rounds, judge, lu2007));
    }
}

fn take(event: &SenderEvent, rounds: &mut RoundBuilder, judge: &mut Judge, lu2007: &mut Lu2007) {
    lu2007.on_event(event);
    if let Some(round) = rounds.on_event(event) {
        judge.on_round(round);
    }
}

/// What was found out about one direction.
#[derive(Debug)]
struct Findings {
    ledger: Ledger,
    totals: SenderTotals,
    lu2007: Lu2007,
    /// Largest wire segment, payload octets; 0 without payload.
    smss: Bytes,
    /// Largest payload of what stood for several wire segments; 0 where nothing did.
    super_frame_max: Bytes,
}
