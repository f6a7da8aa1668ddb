//! The time-sequence graph in xplot's language, in the colours of tcptrace: white what was sent, red
//! what was sent again, green the acknowledgments, yellow the window's edge, purple SACK. A file is
//! the types of the axes, title and labels, then one command a line, `go` last; a command whose
//! name ends in `text` is followed by a line of text. Commands and colours are those that
//! `xplot.org` and tcptrace's `xpl2gpl` read.

use std::io::{self, Write};

use crate::model::{BytesLine, FlowReport, Ranges, SentKind, Series};
use crate::report::text::name_of;

pub(super) fn write(flow: &FlowReport, out: &mut dyn Write) -> io::Result<()> {
    // Seconds from the start, and octets from the SYN.
    writeln!(out, "dtime signed")?;
    writeln!(out, "title\n{} (time sequence graph)", one_line(&name_of(flow)))?;
    writeln!(out, "xlabel\ntime from the first packet, seconds")?;
    writeln!(out, "ylabel\nsequence offset")?;
    if let Some(series) = &flow.series {
        write_lines(series, flow.duration_s, out)?;
        for sent in &series.sent {
            write_sent(sent.kind, &sent.ranges, out)?;
        }
        write_sack(&series.sacked, "S", out)?;
        write_sack(&series.dsacked, "D", out)?;
        write_closed(flow, &series.acked, out)?;
    }
    writeln!(out, "go")
}

/// What stands in a capture must not become a command.
fn one_line(text: &str) -> String {
    crate::error::printable(text)
}

fn write_lines(series: &Series, end_s: f64, out: &mut dyn Write) -> io::Result<()> {
    for (color, line) in [("green", &series.acked), ("yellow", &series.window_edge)] {
        writeln!(out, "{color}")?;
        let mut before: Option<(f64, u64)> = None;
        for (t_s, bytes) in line.t_s.iter().zip(&line.bytes) {
            if let Some((start_s, level)) = before {
                writeln!(out, "line {start_s:.6} {level} {t_s:.6} {level}")?;
                writeln!(out, "line {t_s:.6} {level} {t_s:.6} {bytes}")?;
            }
            before = Some((*t_s, *bytes));
        }
        if let Some((start_s, level)) = before.filter(|(start_s, _)| *start_s < end_s) {
            writeln!(out, "line {start_s:.6} {level} {end_s:.6} {level}")?;
        }
    }
    writeln!(out, "green")?;
    for (t_s, bytes) in series.dup_acks.t_s.iter().zip(&series.dup_acks.bytes) {
        writeln!(out, "dtick {t_s:.6} {bytes}")?;
    }
    Ok(())
}

/// Strokes with arrows at their ends; what stands for several is a box of four lines.
fn write_sent(kind: SentKind, ranges: &Ranges, out: &mut dyn Write) -> io::Result<()> {
    let (color, letter) = match kind {
        SentKind::New => ("white", None),
        SentKind::Fast => ("red", Some("R")),
        SentKind::Timeout => ("red", Some("T")),
        SentKind::LossProbe => ("red", Some("P")),
        SentKind::Handshake => ("red", Some("H")),
        SentKind::KeepAlive | SentKind::WindowProbe => ("orange", Some("P")),
        SentKind::Duplicate => ("blue", Some("D")),
        SentKind::Reordered => ("pink", Some("O")),
    };
    writeln!(out, "{color}")?;
    let Ranges { t_s, end_t_s, start_bytes, end_bytes, .. } = ranges;
    let times = t_s.iter().zip(end_t_s);
    for ((from, to), (start, end)) in times.zip(start_bytes.iter().zip(end_bytes)) {
        writeln!(out, "darrow {from:.6} {start}\nuarrow {from:.6} {end}")?;
        writeln!(out, "line {from:.6} {start} {from:.6} {end}")?;
        if to > from {
            writeln!(out, "line {from:.6} {start} {to:.6} {start}")?;
            writeln!(out, "line {to:.6} {start} {to:.6} {end}")?;
            writeln!(out, "line {from:.6} {end} {to:.6} {end}")?;
        }
        if let Some(letter) = letter {
            writeln!(out, "atext {from:.6} {end}\n{letter}")?;
        }
    }
    Ok(())
}

fn write_sack(ranges: &Ranges, letter: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "purple")?;
    let octets = ranges.start_bytes.iter().zip(&ranges.end_bytes);
    for (t_s, (start, end)) in ranges.t_s.iter().zip(octets) {
        writeln!(out, "line {t_s:.6} {start} {t_s:.6} {end}\natext {t_s:.6} {end}\n{letter}")?;
    }
    Ok(())
}

/// `Z` at the acknowledgment line where the window closed, as tcptrace has it.
fn write_closed(flow: &FlowReport, acked: &BytesLine, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "green")?;
    for window in &flow.episodes.zero_windows {
        let before = acked.t_s.partition_point(|t_s| *t_s <= window.start_s);
        let level = before.checked_sub(1).and_then(|at| acked.bytes.get(at)).unwrap_or(&0);
        writeln!(out, "atext {:.6} {level}\nZ", window.start_s)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::arithmetic_side_effects, reason = "test code")]

    use super::*;
    use crate::model::sample;

    /// Checks each line against the language; gives the number of commands.
    fn commands(text: &str) -> usize {
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("dtime signed"));
        let mut count = 0;
        while let Some(line) = lines.next() {
            let mut words = line.split(' ');
            let numbers = match words.next().unwrap() {
                "title" | "xlabel" | "ylabel" => {
                    assert!(!lines.next().unwrap().is_empty());
                    continue;
                }
                "white" | "green" | "yellow" | "red" | "purple" | "orange" | "blue" | "pink" => 0,
                "line" => 4,
                "uarrow" | "darrow" | "dtick" => 2,
                "atext" => {
                    assert_eq!(lines.next().unwrap().len(), 1, "after {line:?}");
                    2
                }
                "go" => {
                    assert_eq!(lines.next(), None);
                    return count;
                }
                other => panic!("{other:?} in {line:?}"),
            };
            let given: Vec<f64> = words.map(|word| word.parse().unwrap()).collect();
            assert_eq!(given.len(), numbers, "{line:?}");
            if numbers > 0 {
                count += 1;
            }
        }
        panic!("no go");
    }

    fn text(flow: &FlowReport) -> String {
        let mut out = Vec::new();
        write(flow, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_line_is_one_that_xplot_knows() {
        let mut flow = sample::flow();
        assert_eq!(commands(&text(&flow)), 0);
        flow.series = Some(Box::new(sample::series()));
        assert!(commands(&text(&flow)) > 20, "{}", text(&flow));
    }

    #[test]
    fn a_name_cannot_become_a_command() {
        let mut flow = sample::flow();
        flow.scope = Some("x\nred\nline 0 0 1 1".to_owned());
        assert_eq!(commands(&text(&flow)), 0);
    }
}
