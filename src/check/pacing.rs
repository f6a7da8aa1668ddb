//! Where does a limit's share differ from what the verdict counts of it? By the pacing at a full buffer or
//! window, which the shares list under the congestion window, and the verdict under what sets the pace.

use serde_json::Value;

use super::field::Unit;
use super::shown::value;
use crate::model::POINT;

/// What is beside the share at `path` of `flow`; `None` where the verdict counts no other.
pub(super) fn remark(flow: &Value, path: &str) -> Option<String> {
    let asked = path.strip_prefix("limits.")?.strip_suffix(".share")?;
    let named = flow.pointer("/verdict/limit")?.as_str()?;
    let counted = flow.pointer("/verdict/share")?.as_f64()?;
    let own = flow.pointer(&format!("/limits/{named}/share"))?.as_f64()?;
    let paced = counted - own;
    let share = |share| value(Unit::Share, share);
    match (paced.abs() > POINT, asked == named) {
        (true, true) if paced > 0.0 => {
            Some(format!(" of its own; verdict.share counts {} with pacing", share(counted)))
        }
        (true, true) => Some(format!(
            "; verdict.share counts {} without pacing at a full buffer or window",
            share(counted)
        )),
        (true, false) if paced > 0.0 && asked == "congestion_window" => Some(format!(
            "; verdict.share counts {} of it, which is pacing, as {named}",
            share(paced)
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(path: &str, limit: &str, counted: f64) -> Option<String> {
        let flow = json!({
            "verdict": {"limit": limit, "share": counted},
            "limits": {
                "send_buffer": {"share": 0.256}, "congestion_window": {"share": 0.713},
                "receive_window": {"share": 0.0},
            },
        });
        remark(&flow, path)
    }

    /// `SEND BUFFER: 96 % of the time` stood in the report, and `slimit > 90%` failed at 25.6 %.
    #[test]
    fn a_share_without_the_pacing_that_the_verdict_counts_says_so() {
        let [buffer, window] = ["limits.send_buffer.share", "limits.congestion_window.share"];
        let own = told(buffer, "send_buffer", 0.96).unwrap();
        assert_eq!(own, " of its own; verdict.share counts 96.0 % with pacing");
        let other = told(window, "send_buffer", 0.96).unwrap();
        assert_eq!(other, "; verdict.share counts 70.4 % of it, which is pacing, as send_buffer");
        let rest = told(window, "congestion_window", 0.4).unwrap();
        assert!(rest.starts_with("; verdict.share counts 40.0 % without pacing"), "{rest}");
        assert_eq!(told(buffer, "send_buffer", 0.256), None, "no pacing");
        assert_eq!(told("limits.receive_window.share", "send_buffer", 0.96), None, "not its own");
        assert_eq!(told("goodput_bps", "send_buffer", 0.96), None);
    }
}
