//! The table of a running analysis: the largest flows with what limits them now.

use std::fmt::Write as _;
use std::net::SocketAddr;

use super::page::columns;
use super::table::{Align, Table};
use super::words;
use crate::model::figures::{bytes, counted, percent, rate, seconds};
use crate::model::{Glance, GlanceFlow, Peer};
use crate::units::as_f64;

/// Silent for longer, a flow has no present limit: the initial retransmission timeout (RFC 6298
/// section 2.1), after which any sender that could would have sent.
const QUIET_S: f64 = 1.0;

/// A heading and a line for each flow, at most `top`; none longer than `width`. `before`: an earlier
/// glance, from which on rates are counted.
#[must_use]
pub fn glance_lines(
    glance: &Glance,
    before: Option<&Glance>,
    top: usize,
    width: usize,
) -> Vec<String> {
    use Align::{Left, Right};
    let mut table = Table::new(&[Right, Right, Right, Left, Left]);
    table.row(["#", "bytes", "rate now", "limited by", "from → to"].map(str::to_owned));
    for flow in glance.flows.iter().take(top) {
        table.row([
            flow.stream.to_string(),
            bytes(flow.payload_bytes),
            rate_since(flow, glance, before),
            present_limit(flow),
            format!("{} → {}", end(flow.src), end(flow.dst)),
        ]);
    }
    table.lines(usize::MAX).into_iter().map(|line| cut(line, width)).collect()
}

/// `12.0 s: 3 456 packets, 7 connections; the kernel dropped 12 packets (0.3 %)`.
#[must_use]
pub fn glance_head(glance: &Glance, packets: u64, drops: (u64, u64)) -> String {
    let mut head = format!(
        "{}: {}, {}",
        seconds(glance.time_s),
        counted(packets, "packet"),
        counted(glance.connections, "connection")
    );
    for (who, dropped) in [("kernel", drops.0), ("interface", drops.1)] {
        if dropped > 0 {
            let share = as_f64(dropped) / as_f64(packets.saturating_add(dropped));
            let dropped = counted(dropped, "packet");
            // Writing to a String cannot fail.
            let _ = write!(head, "; the {who} dropped {dropped} ({})", percent(share));
        }
    }
    if drops == (0, 0) {
        head.push_str("; none dropped");
    }
    head
}

/// Payload since `before`, over the time since then.
fn rate_since(flow: &GlanceFlow, glance: &Glance, before: Option<&Glance>) -> String {
    let is_same = |other: &&GlanceFlow| other.stream == flow.stream && other.src == flow.src;
    let old = before.and_then(|glance| glance.flows.iter().find(is_same));
    let old_bytes = old.map_or(0, |old| old.payload_bytes);
    let time_s = glance.time_s - before.map_or(0.0, |before| before.time_s);
    if time_s <= 0.0 || (old.is_none() && before.is_some()) {
        return "-".to_owned();
    }
    let bits = as_f64(flow.payload_bytes.saturating_sub(old_bytes)) * 8.0;
    rate(bits / time_s)
}

fn present_limit(flow: &GlanceFlow) -> String {
    match flow.limit {
        _ if flow.quiet_s > QUIET_S => format!("quiet for {}", seconds(flow.quiet_s)),
        None => "too early to say".to_owned(),
        Some((limit, None)) => words::limit(limit).to_owned(),
        Some((limit, Some(cause))) => {
            format!("{}: {}", words::limit(limit), words::cause(cause))
        }
    }
}

fn end(peer: Peer) -> SocketAddr {
    SocketAddr::new(peer.ip, peer.port)
}

/// What fits; a line that does not would move the table.
fn cut(line: String, width: usize) -> String {
    if columns(&line) <= width {
        return line;
    }
    let mut kept: String = line.chars().take(width.saturating_sub(1)).collect();
    kept.push('…');
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Cause, Limit};

    /// As it stands in the README.
    #[test]
    fn a_glance_has_a_line_for_each_flow() {
        let peer =
            |end: &str| end.parse::<SocketAddr>().map(|it| Peer { ip: it.ip(), port: it.port() });
        let glance = |time_s: f64, payload_bytes: u64| Glance {
            time_s,
            packets: 4512,
            connections: 1,
            flows: vec![GlanceFlow {
                stream: 0,
                src: peer("10.77.0.1:50422").unwrap(),
                dst: peer("10.77.1.2:5001").unwrap(),
                payload_bytes,
                quiet_s: 0.0,
                limit: Some((Limit::ReceiveWindow, Some(Cause::WindowFull))),
            }],
        };
        let (before, now) = (glance(1.83, 4_225_000), glance(2.83, 6_600_000));
        let mut lines = vec![glance_head(&now, now.packets, (0, 0))];
        lines.extend(glance_lines(&now, Some(&before), 10, 100));
        let lines = lines.join("\n");
        let readme = include_str!("../../README.md");
        assert!(readme.contains(&format!("```text\n{lines}\n```")), "{lines}");
    }
}
