//! Trace events in JSON (the "Trace Event Format" of Chromium's trace viewer), which Perfetto reads
//! too: the flow is a process, limits, losses, stalls and closed windows are slices of its threads,
//! lines are counters. Times are microseconds from the flow's start.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::model::{BytesLine, FlowReport, MicrosLine, Rates, Series};
use crate::report::text::name_of;
use crate::report::words;

/// Threads of the process, in the order in which they are shown.
const THREADS: [&str; 4] = ["limit", "loss repair", "stall", "closed window"];

pub(super) fn write(flow: &FlowReport, out: &mut dyn Write) -> io::Result<()> {
    let mut events = Events { out, stream: flow.stream, is_first: true };
    events.out.write_all(b"{\"displayTimeUnit\":\"ms\",\"traceEvents\":[")?;
    events.head(flow)?;
    events.limits(flow)?;
    events.episodes(flow)?;
    if let Some(series) = &flow.series {
        events.lines(series)?;
    }
    events.out.write_all(b"\n]}\n")
}

struct Events<'a> {
    out: &'a mut dyn Write,
    stream: u32,
    is_first: bool,
}

impl Events<'_> {
    fn push(&mut self, event: &Value) -> io::Result<()> {
        let comma: &[u8] = if std::mem::take(&mut self.is_first) { b"\n" } else { b",\n" };
        self.out.write_all(comma)?;
        serde_json::to_writer(&mut *self.out, event).map_err(io::Error::other)
    }

    /// The names of the process and its threads.
    fn head(&mut self, flow: &FlowReport) -> io::Result<()> {
        let pid = self.stream;
        let name = format!("{} (stream {pid})", crate::error::printable(&name_of(flow)));
        self.push(&json!({"ph": "M", "name": "process_name", "pid": pid, "tid": 0,
            "args": {"name": name}}))?;
        let verdict = &flow.verdict.text;
        self.push(&json!({"ph": "M", "name": "process_labels", "pid": pid, "tid": 0,
            "args": {"labels": verdict}}))?;
        for (tid, thread) in (1..).zip(THREADS) {
            self.push(&json!({"ph": "M", "name": "thread_name", "pid": pid, "tid": tid,
                "args": {"name": thread}}))?;
            self.push(&json!({"ph": "M", "name": "thread_sort_index", "pid": pid, "tid": tid,
                "args": {"sort_index": tid}}))?;
        }
        Ok(())
    }

    /// A slice of thread `tid` from second to second.
    fn slice(
        &mut self,
        (tid, name): (u32, &str),
        (start_s, end_s): (f64, f64),
        (first_frame, last_frame): (u64, u64),
    ) -> io::Result<()> {
        let thread = usize::try_from(tid).ok().and_then(|tid| THREADS.get(tid.checked_sub(1)?));
        self.push(&json!({"ph": "X", "cat": thread, "name": name, "pid": self.stream, "tid": tid,
            "ts": micros(start_s), "dur": micros(end_s - start_s),
            "args": {"first_frame": first_frame, "last_frame": last_frame}}))
    }

    fn limits(&mut self, flow: &FlowReport) -> io::Result<()> {
        for interval in &flow.intervals {
            let cause = interval.cause.map(|cause| format!(": {}", words::cause(cause)));
            let name = format!("{}{}", words::limit(interval.limit), cause.unwrap_or_default());
            let frames = (interval.first_frame, interval.last_frame);
            self.slice((1, &name), (interval.start_s, interval.end_s), frames)?;
        }
        Ok(())
    }

    fn episodes(&mut self, flow: &FlowReport) -> io::Result<()> {
        for loss in &flow.episodes.losses {
            let name = format!("{} retransmitted", loss.segments);
            let frames = (loss.first_frame, loss.last_frame);
            self.slice((2, &name), (loss.start_s, loss.end_s), frames)?;
        }
        for stall in &flow.episodes.stalls {
            let frames = (stall.first_frame, stall.last_frame);
            self.slice((3, words::stall(stall.cause)), (stall.start_s, stall.end_s), frames)?;
        }
        for window in &flow.episodes.zero_windows {
            let frames = (window.first_frame, window.last_frame);
            self.slice((4, "window closed"), (window.start_s, window.end_s), frames)?;
        }
        Ok(())
    }

    fn lines(&mut self, series: &Series) -> io::Result<()> {
        if let Some(rates) = &series.rates {
            self.rates(rates)?;
        }
        let counts = [
            ("flight (bytes)", &series.flight),
            ("pipe (bytes)", &series.pipe),
            ("receive window (bytes)", &series.rwnd),
        ];
        for (name, line) in counts {
            self.bytes(name, line)?;
        }
        let times = [
            ("RTT sample by segment end (us)", &series.rtt.segment_end),
            ("RTT sample by SACK (us)", &series.rtt.sack),
            ("RTT sample by timestamp (us)", &series.rtt.timestamp),
            ("SRTT (us)", &series.rtt.srtt),
            ("queueing delay (us)", &series.rtt.queue),
        ];
        for (name, line) in times {
            self.micros(name, line)?;
        }
        Ok(())
    }

    fn counter(&mut self, name: &str, t_s: f64, value: &Value) -> io::Result<()> {
        self.push(&json!({"ph": "C", "name": name, "pid": self.stream, "tid": 0,
            "ts": micros(t_s), "args": {"value": value}}))
    }

    fn rates(&mut self, rates: &Rates) -> io::Result<()> {
        for (name, bps) in [("goodput", &rates.goodput_bps), ("wire rate", &rates.wire_bps)] {
            let mut start_s = rates.start_s;
            for rate in bps {
                self.counter(&format!("{name} (Mbit/s)"), start_s, &json!(rate / 1e6))?;
                start_s += rates.window_s;
            }
        }
        Ok(())
    }

    fn bytes(&mut self, name: &str, line: &BytesLine) -> io::Result<()> {
        for (t_s, bytes) in line.t_s.iter().zip(&line.bytes) {
            self.counter(name, *t_s, &json!(bytes))?;
        }
        Ok(())
    }

    fn micros(&mut self, name: &str, line: &MicrosLine) -> io::Result<()> {
        for (t_s, us) in line.t_s.iter().zip(&line.us) {
            self.counter(name, *t_s, &json!(us))?;
        }
        Ok(())
    }
}

/// Microseconds with their nanoseconds.
fn micros(seconds: f64) -> f64 {
    (seconds.max(0.0) * 1e9).round() / 1e3
}

#[cfg(test)]
mod tests {
    use crate::model::sample;

    use super::*;

    /// Every event has what the format asks of its phase.
    #[test]
    fn every_event_is_one_that_the_format_knows() {
        let mut flow = sample::flow();
        flow.scope = Some("\u{1b}[31m\"\n".to_owned());
        flow.series = Some(Box::new(sample::series()));
        let mut out = Vec::new();
        write(&flow, &mut out).unwrap();
        let trace: Value = serde_json::from_slice(&out).unwrap();
        assert!(["ms", "ns"].contains(&trace["displayTimeUnit"].as_str().unwrap()));
        let events = trace["traceEvents"].as_array().unwrap();
        let mut counters = 0;
        for event in events {
            assert!(event["name"].is_string() && event["pid"].is_u64(), "{event}");
            assert!(event["args"].is_object() && event["tid"].is_u64(), "{event}");
            match event["ph"].as_str().unwrap() {
                "M" => assert!(event["ts"].is_null(), "{event}"),
                "X" => assert!(event["ts"].as_f64() >= Some(0.0) && event["dur"].is_f64()),
                "C" => {
                    assert!(event["ts"].is_f64() && event["args"]["value"].is_number(), "{event}");
                    counters += 1;
                }
                other => panic!("phase {other}"),
            }
        }
        let slices = events.iter().filter(|event| event["ph"] == "X").count();
        let episodes = &flow.episodes;
        let expected = flow.intervals.len() + episodes.losses.len() + episodes.stalls.len();
        assert_eq!(slices, expected + episodes.zero_windows.len());
        assert!(counters > 10, "{counters}");
    }
}
