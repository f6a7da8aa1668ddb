//! `tcplimit explain` of a capture: what it says of known fixtures, and of questions without answer.
#![expect(clippy::unwrap_used, reason = "test code")]

use std::path::PathBuf;

use tcplimit::model::{Cause, ExplainedInterval, Explanation, Limit};
use tcplimit::report::{TextOptions, write_explanation};
use tcplimit::{Error, Question, explain};

fn fixture(name: &str) -> Vec<PathBuf> {
    vec![PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)]
}

fn asked(name: &str, question: Question) -> Explanation {
    explain(&fixture(name), question).unwrap()
}

fn text(explanation: &Explanation) -> String {
    let mut out = Vec::new();
    write_explanation(explanation, TextOptions::default(), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// The second run judges as the first did: its records fill the intervals of the report.
#[test]
fn every_interval_has_its_test_and_its_frames() {
    let explanation = asked("receiver-window.pcap", Question::default());
    assert_eq!(explanation.intervals.len(), explanation.flow.intervals.len());
    for explained in &explanation.intervals {
        assert!(!explained.facts.is_empty(), "{explained:?}");
        let wanted = explained.interval.end_s - explained.interval.start_s;
        assert!(wanted >= 0.0, "{explained:?}");
    }
    insta::assert_snapshot!(text(&explanation));
}

#[test]
fn one_time_shows_the_waits_of_its_interval() {
    let mut question = Question::default();
    question.at_s = Some(1.5);
    let explanation = asked("send-buffer--64-kb.pcap.zst", question);
    let [explained] = explanation.intervals.as_slice() else { panic!("one interval") };
    assert_eq!(explained.interval.limit, Limit::SendBuffer);
    assert_eq!(explained.interval.cause, Some(Cause::WriterBlocked));
    assert!(!explained.waits.is_empty());
    let text = text(&explanation);
    assert!(!text.contains("  path ") && !text.contains("  if "), "of the whole flow: {text}");
    insta::assert_snapshot!(text);
}

/// What many waits have in common stands once above them, and the one that was asked for is marked; times
/// are seconds, as they are asked for.
#[test]
fn waits_alike_share_their_words() {
    let mut question = Question::default();
    question.at_s = Some(0.6);
    let text = text(&asked("receiver-window.pcap", question));
    let words = text.matches("a send at once after an ACK, a send of full segments").count();
    assert_eq!(words, 1, "{text}");
    let marked: Vec<&str> = text.lines().filter(|line| line.starts_with("    → ")).collect();
    let [line] = marked.as_slice() else { panic!("{text}") };
    let start: f64 = line.split(' ').nth(5).unwrap().parse().unwrap();
    assert!((0.5..=0.6).contains(&start), "{line}");
}

/// A reader sees how many there are and how far they go, not each of forty lines that say the same.
#[test]
fn many_waits_alike_are_told_together() {
    let mut question = Question::default();
    question.at_s = Some(1.0);
    let explanation = asked("application--request-response.pcap.zst", question);
    assert_eq!(explanation.intervals[0].waits.len(), 40);
    let text = text(&explanation);
    let rows: Vec<&str> =
        text.lines().skip_while(|line| !line.contains("0.324 s to 0.974 s: 20 waits")).collect();
    let [before, asked, after, ..] = rows.as_slice() else { panic!("{text}") };
    assert!(before.contains("20 waits of 32.5 ms, frames 94 to 271, 10.2 kB"), "{before}");
    assert!(asked.contains("→ 0.974 s for 32.5 ms, frames 274 to 280"), "{asked}");
    assert!(after.contains("19 waits of 32.5 ms, frames 283 to 451"), "{after}");
}

/// What is printed beside a decision decides it: a writer of small requests fills whole batches, too.
#[test]
fn what_is_told_of_a_blocked_writer_is_what_decided() {
    const PARTS: [&str; 4] =
        ["four in five: yes", "brings: yes", "held back: no", "in step with a timer: no"];
    let mut decided = [0, 0];
    for name in ["application--request-response.pcap.zst", "send-buffer--64-kb.pcap.zst"] {
        for at_s in [0.2, 0.5, 1.5, 3.0] {
            let mut question = Question::default();
            question.at_s = Some(at_s);
            for explained in asked(name, question).intervals {
                for told in explained.tallies.iter().filter(|it| it.starts_with("writer blocked")) {
                    let is_blocked = told.starts_with("writer blocked: yes");
                    let holds = PARTS.iter().all(|part| told.contains(part));
                    assert_eq!(is_blocked, holds, "{name} at {at_s} s: {told}");
                    decided[usize::from(is_blocked)] += 1;
                }
            }
        }
    }
    assert!(decided.iter().all(|count| *count > 0), "{decided:?}");
}

/// Forty are shown at most, of 400: those beside the time, not the first.
#[test]
fn the_wait_asked_for_is_among_those_shown() {
    let mut question = Question::default();
    for at_s in [0.05, 0.6, 1.1, 1.18] {
        question.at_s = Some(at_s);
        let explanation = asked("receiver-window.pcap", question.clone());
        let [explained] = explanation.intervals.as_slice() else { panic!("one interval") };
        let waits = &explained.waits;
        assert_eq!((waits.len(), explained.waits_left_out), (40, 21));
        let last = waits.iter().rposition(|wait| wait.start_s <= at_s).unwrap();
        let is_last_of_all = explained.waits_before == explained.waits_left_out;
        assert!(waits.get(last + 1).is_some() || is_last_of_all, "{at_s}: {last}");
    }
}

#[test]
fn of_many_intervals_the_longest_are_shown_in_their_order() {
    let name = "congestion-window--random-loss.pcap.zst";
    let all = asked(name, Question::default());
    let mut question = Question::default();
    question.longest = Some(3);
    let few = asked(name, question);
    let length = |it: &ExplainedInterval| it.interval.end_s - it.interval.start_s;
    let shortest = few.intervals.iter().map(length).fold(f64::MAX, f64::min);
    let longer =
        all.intervals.iter().filter(|it| length(it) >= shortest).cloned().collect::<Vec<_>>();
    assert_eq!(few.intervals, longer);
    assert_eq!(few.intervals_left_out, all.intervals.len() as u64 - 3);
    let time: f64 = all.intervals.iter().map(length).sum::<f64>()
        - few.intervals.iter().map(length).sum::<f64>();
    assert!((few.time_left_out_s - time).abs() < 1e-6);
    assert!(text(&few).contains("left out: --all shows each") && !text(&all).contains("left out"));
}

#[test]
fn a_repair_names_the_loss_behind_it() {
    let explanation = asked("congestion-window--random-loss.pcap.zst", Question::default());
    let is_repair = |cause| cause == Some(Cause::Recovery);
    let repair = explanation.intervals.iter().find(|e| is_repair(e.interval.cause)).unwrap();
    let loss = explanation.flow.episodes.losses[repair.interval.loss_episode.unwrap()];
    assert!(loss.start_s < repair.interval.end_s);
    assert!(text(&explanation).contains(&format!("frame {}", loss.first_frame)));
}

#[test]
fn a_time_outside_the_flow_has_no_interval() {
    let mut question = Question::default();
    question.at_s = Some(1e6);
    let explanation = asked("receiver-window.pcap", question);
    assert!(explanation.intervals.is_empty());
    assert!(text(&explanation).contains("no interval at that time"));
}

#[test]
fn a_connection_that_is_not_there_is_an_error() {
    let mut question = Question::default();
    question.stream = Some(7);
    let error = explain(&fixture("receiver-window.pcap"), question).unwrap_err();
    assert!(matches!(error, Error::NoFlow { stream: 7, connections: 1, .. }), "{error}");
    assert!(error.to_string().contains("numbered from 0"), "{error}");
}

#[test]
fn a_direction_without_data_is_an_error() {
    let mut question = Question::default();
    question.is_reverse = true;
    let error = explain(&fixture("receiver-window.pcap"), question.clone()).unwrap_err();
    assert!(matches!(error, Error::NoReverse { stream: 0, .. }), "{error}");
    let replies = asked("application--request-response.pcap.zst", question);
    assert!(replies.flow.payload_bytes < replies.flow.reverse_payload_bytes);
}
