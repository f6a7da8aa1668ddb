//! Where in the capture to look for what an assertion speaks of.

use serde_json::Value;

/// The longest stretch that `field` of `flow` speaks of: a stall, a loss, a closed window, or an
/// interval of its limit; for other fields one of the verdict's limit. `None` where there is none.
pub(super) fn of(flow: &Value, field: &str) -> Option<String> {
    let mut parts = field.split('.');
    match (parts.next()?, parts.next().unwrap_or_default()) {
        ("episodes", list) if list.starts_with("stalls") => {
            let stall = longest(flow.pointer("/episodes/stalls")?, |_| true)?;
            told(&format!("longest stall ({})", stall.get("cause")?.as_str()?), stall)
        }
        ("episodes", list) if list.starts_with("zero_windows") => told(
            "longest closed window",
            longest(flow.pointer("/episodes/zero_windows")?, |_| true)?,
        ),
        ("episodes" | "retransmissions" | "retransmitted_segments" | "retransmitted_bytes", _) => {
            told("longest loss", longest(flow.pointer("/episodes/losses")?, |_| true)?)
        }
        ("limits", limit) => interval(flow, limit),
        _ => interval(flow, flow.pointer("/verdict/limit")?.as_str()?),
    }
}

fn interval(flow: &Value, limit: &str) -> Option<String> {
    let is_of_limit =
        |interval: &Value| interval.get("limit").and_then(Value::as_str) == Some(limit);
    told(limit, longest(flow.get("intervals")?, is_of_limit)?)
}

/// The longest entry of `list` that `is_asked`.
fn longest(list: &Value, is_asked: impl Fn(&Value) -> bool) -> Option<&Value> {
    let number = |entry: &Value, key: &str| entry.get(key).and_then(Value::as_f64);
    let length = |entry: &Value| {
        number(entry, "end_s").unwrap_or_default() - number(entry, "start_s").unwrap_or_default()
    };
    let asked = list.as_array()?.iter().filter(|entry| is_asked(entry));
    asked.max_by(|a, b| length(a).total_cmp(&length(b)))
}

fn told(what: &str, entry: &Value) -> Option<String> {
    Some(format!(
        "{what} from {:.3} s to {:.3} s (frames {} to {})",
        entry.get("start_s")?.as_f64()?,
        entry.get("end_s")?.as_f64()?,
        entry.get("first_frame")?,
        entry.get("last_frame")?
    ))
}
