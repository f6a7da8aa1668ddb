//! What a queue of ACKs means: windows and buffers bring less for it, whatever their size.

use crate::limit::Limit;
use crate::model::figures::micros;
use crate::model::{Advice, PathReport, Queueing, codes};

/// The queue, where it holds up what `limit` lets out in each round trip.
fn queue(limit: Limit, path: &PathReport) -> Option<&Queueing> {
    let is_clocked =
        matches!(limit, Limit::ReceiveWindow | Limit::SendBuffer | Limit::CongestionWindow);
    path.queue_of_acks().filter(|_| is_clocked)
}

pub(super) fn remark(limit: Limit, path: &PathReport) -> Option<String> {
    queue(limit, path).map(|_| "ACKs queue on the way back".to_owned())
}

pub(super) fn advice(limit: Limit, path: &PathReport) -> Option<Advice> {
    let queue = queue(limit, path)?;
    let wait = micros(queue.p50_us * queue.way_back_share.unwrap_or(1.0));
    let text = format!(
        "ACKs wait for {wait} on the way back: look at what fills that direction (uploads, or a line too slow \
         for the ACKs); fq_codel or CAKE in front of it would let them pass"
    );
    Some(Advice { code: codes::CLEAR_WAY_BACK, text })
}
