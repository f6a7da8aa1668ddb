use serde_json::json;

use super::field::Unit;
use super::*;

fn flow() -> Value {
    json!({
        "stream": 3, "payload_bytes": 1000, "goodput_bps": 941e6, "duration_s": 2.5,
        "src": {"ip": "10.0.0.1", "port": 40000}, "dst": {"ip": "10.0.0.2", "port": 5201},
        "rtt": {"mean_us": 20_000.0, "usual_us": 20_000.0, "min_us": null},
        "limits": {"receive_window": {"share": 0.25}},
        "verdict": {"limit": "receive_window", "confidence": "medium"},
        "has_handshake": true, "path": {"loss_share": 0.02, "utilization": 1.02, "capacity": {"bps": 2e6}},
        "recovery": {"loss_rate": 0.005},
    })
}

fn judged(text: &str) -> Verdict {
    text.parse::<Assertion>().unwrap().judge(&flow(), Before::NotGiven).0
}

fn refused(text: &str) -> String {
    text.parse::<Assertion>().unwrap_err().to_string()
}

#[test]
fn numbers_are_compared_in_their_units() {
    for (text, expected) in [
        ("goodput >= 900Mbit/s", Verdict::Pass),
        ("goodput>=0.95 Gbit/s", Verdict::Fail),
        ("goodput_bps < 1_000_000_000 bit/s", Verdict::Pass),
        ("goodput > 0", Verdict::Pass),
        ("rtt == 0", Verdict::Fail),
        ("rlimit < 20%", Verdict::Fail),
        ("rlimit <= 0.25", Verdict::Pass),
        ("path.loss_share < 1%", Verdict::Fail),
        ("path.utilization >= 101%", Verdict::Pass),
        ("path.capacity.bps == 2Mbit/s", Verdict::Pass),
        ("recovery.loss_rate < 0.4%", Verdict::Fail),
        ("rtt == 20ms", Verdict::Pass),
        ("rtt.mean_us > 20ms", Verdict::Fail),
        ("duration < 1min", Verdict::Pass),
        ("payload_bytes != 1 kB", Verdict::Fail),
    ] {
        assert_eq!(judged(text), expected, "{text}");
    }
}

/// What fails by a share that the verdict counts otherwise is told so; what holds needs no reason.
#[test]
fn a_failed_share_tells_what_the_verdict_counts() {
    let mut flow = flow();
    flow["verdict"]["share"] = 0.96.into();
    let judged = |text: &str| text.parse::<Assertion>().unwrap().judge(&flow, Before::NotGiven).1;
    assert_eq!(
        judged("rlimit > 90%"),
        "25.0 % of its own; verdict.share counts 96.0 % with pacing"
    );
    assert_eq!(judged("rlimit < 90%"), "25.0 %");
    assert_eq!(judged("verdict.share > 97%"), "96.0 %");
}

/// A capture of the other direction alone counts nothing of this one.
/// 9 * 0.001 is more than the 0.009 of a flow of 9 ms.
#[test]
fn small_units_lose_no_digit() {
    for (number, suffix, unit, expected) in [
        (9.0, "ms", Unit::Seconds, 0.009),
        (35.0, "us", Unit::Seconds, 35e-6),
        (35.0, "%", Unit::Share, 0.35),
        (1.5, "min", Unit::Seconds, 90.0),
    ] {
        assert_eq!(unit.of(number, suffix), Some(expected), "{number} {suffix}");
    }
}

#[test]
fn nothing_is_known_of_a_direction_without_packets() {
    let mut flow = flow();
    flow["packets"] = 0.into();
    let judged = |text: &str| text.parse::<Assertion>().unwrap().judge(&flow, Before::NotGiven).0;
    assert_eq!(judged("retransmissions == 0"), Verdict::Inconclusive);
    assert_eq!(judged("goodput >= 900Mbit/s"), Verdict::Inconclusive);
}

#[test]
fn words_are_compared_as_the_schema_knows_them() {
    assert_eq!(judged("limit != receive_window"), Verdict::Fail);
    assert_eq!(judged("verdict.limit == receive_window"), Verdict::Pass);
    assert_eq!(judged("confidence >= medium"), Verdict::Pass);
    assert_eq!(judged("confidence > medium"), Verdict::Fail);
    assert_eq!(judged("has_handshake == true"), Verdict::Pass);
}

#[test]
fn what_is_not_known_is_no_failure() {
    assert_eq!(judged("min_rtt < 1s"), Verdict::Inconclusive);
    let gap = json!({"verdict": {"limit": "capture_gap"}});
    let assertion: Assertion = "limit != receive_window".parse().unwrap();
    assert_eq!(assertion.judge(&gap, Before::NotGiven).0, Verdict::Inconclusive);
}

#[test]
fn a_wrong_assertion_says_what_is_right() {
    for (text, hint) in [
        ("goodput 900Mbit/s", "FIELD OPERATOR VALUE"),
        ("godput > 1", "did you mean goodput?"),
        ("rtt.mean < 1ms", "did you mean rtt.mean_us?"),
        ("path.state == full", "did you mean one of path.busy_share, path.confidence, "),
        ("zzz > 1", "tcplimit schema lists them"),
        ("goodput > 1MB", "bit/s, kbit/s, Mbit/s, Gbit/s"),
        ("rtt < 50", "50 what? e.g. 50ms (us, ms, s)"),
        ("goodput >= 900", "900 what? e.g. 900Mbit/s"),
        ("bytes > 5", "5 what? e.g. 5MB"),
        ("limit == receiver_window", "did you mean receive_window?"),
        ("limit < application", "== or !="),
        ("has_handshake == yes", "true or false"),
        ("rlimit < 20", "from 0 to 1, or from 0% to 100%"),
        ("rlimit > -1%", "from 0 to 1, or from 0% to 100%"),
        ("recovery.loss_rate < 2", "from 0 to 1, or from 0% to 100%"),
        ("goodput > NaN", "a number"),
        ("goodput >> 5Mbit/s", "a number"),
    ] {
        let message = refused(text);
        assert!(message.contains(hint), "{text}: {message}");
    }
}

#[test]
fn a_baseline_is_matched_by_its_ends_and_the_servers_port() {
    let assertion: Assertion = "goodput >= 0.95 * baseline".parse().unwrap();
    let mut before = flow();
    before["src"]["port"] = json!(51_234);
    before["goodput_bps"] = json!(950e6);
    let found = same_flow(&flow(), std::slice::from_ref(&before)).unwrap().clone();
    assert_eq!(assertion.judge(&flow(), Before::Flow(&found)).0, Verdict::Pass);
    let turned: Assertion = "goodput >= baseline * 0.95".parse().unwrap();
    assert_eq!(turned, assertion);
    before["goodput_bps"] = json!(2e9);
    assert_eq!(assertion.judge(&flow(), Before::Flow(&before)).0, Verdict::Fail);
    assert_eq!(assertion.judge(&flow(), Before::NoFlow).0, Verdict::Inconclusive);
    assert_eq!(assertion.judge(&flow(), Before::NotGiven).0, Verdict::Inconclusive);
    before["dst"]["ip"] = json!("10.0.0.9");
    assert_eq!(same_flow(&flow(), &[before]), None);
}

#[test]
fn rules_are_read_in_order_and_wrong_ones_named() {
    let rules = read_rules(
        "[[rule]]\nname = 'fast'\nassert = 'goodput >= 1Mbit/s'\n[[rule]]\nassert = 'rlimit < 5%'\nflow = 2",
    );
    let rules = rules.unwrap();
    let seen: Vec<_> =
        rules.iter().map(|rule| (rule.name.as_str(), rule.flow, rule.line)).collect();
    assert_eq!(seen, [("fast", None, Some(3)), ("rlimit < 5%", Some(2), Some(5))]);
    for (text, hint) in [
        ("", "no rules"),
        ("[[rule]]\nname = 'x'", "missing field"),
        ("[[rule]]\nasert = 'x'", "unknown field"),
        ("[[rule]]\nname = 'slow'\nassert = 'godput > 1'", "\"slow\": no field"),
    ] {
        let error = read_rules(text).unwrap_err().to_string();
        assert!(error.contains(hint), "{text}: {error}");
    }
}

#[test]
fn evidence_is_the_longest_of_what_the_field_counts() {
    let stretch = |kind: &str, value: &str, start: f64, end: f64| json!({kind: value, "start_s": start, "end_s": end, "first_frame": 7, "last_frame": 9});
    let mut flow = flow();
    flow["intervals"] = json!([
        stretch("limit", "receive_window", 0.0, 1.0),
        stretch("limit", "receive_window", 2.0, 4.5),
        stretch("limit", "application", 5.0, 6.0),
    ]);
    flow["episodes"] = json!({
        "stalls": [stretch("cause", "late_ack", 1.0, 3.0)],
        "losses": [stretch("trigger", "acks", 3.0, 3.5)],
    });
    for (field, expected) in [
        ("goodput_bps", Some("receive_window from 2.000 s to 4.500 s (frames 7 to 9)")),
        ("limits.application.share", Some("application from 5.000 s to 6.000 s (frames 7 to 9)")),
        ("limits.send_buffer.share", None),
        (
            "episodes.stalls_count",
            Some("longest stall (late_ack) from 1.000 s to 3.000 s (frames 7 to 9)"),
        ),
        ("retransmissions.timeouts", Some("longest loss from 3.000 s to 3.500 s (frames 7 to 9)")),
    ] {
        assert_eq!(evidence::of(&flow, field).as_deref(), expected, "{field}");
    }
}

#[test]
fn streams_are_looked_at_each_in_its_larger_direction() {
    let flow = |stream: u32, payload: u64| json!({"stream": stream, "payload_bytes": payload});
    let all = [flow(0, 5), flow(0, 50), flow(1, 9), flow(2, 7), flow(2, 0)];
    let asked = Flows::Streams(vec![0..=0, 2..=9]);
    let chosen: Vec<u64> = choose(&all, &asked).into_iter().map(payload).collect();
    assert_eq!(chosen, [50, 7]);
}

#[test]
fn junit_escapes_what_a_rule_is_called() {
    let outcome = Outcome {
        rule: "a<b & \"c\"\u{1}".to_owned(),
        wanted: "rtt < 1s".to_owned(),
        flow: None,
        result: Verdict::Fail,
        measured: "1 > 2".to_owned(),
        evidence: None,
        line: None,
    };
    let mut out = Vec::new();
    write_junit(&[outcome], "trace.pcap", &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert!(text.contains("name=\"a&lt;b &amp; &quot;c&quot; \""), "{text}");
    assert!(
        text.contains("failures=\"1\"") && text.contains("message=\"rtt &lt; 1s: 1 &gt; 2\""),
        "{text}"
    );
}

proptest::proptest! {
    #[test]
    fn no_text_makes_the_parser_panic(text in ".{0,60}") {
        let _ = text.parse::<Assertion>();
        let _ = read_rules(&text);
    }

    #[test]
    fn a_number_holds_against_itself(number in -1e12..1e12_f64) {
        let assertion: Assertion = format!("goodput == {number:.3} bit/s").parse().unwrap();
        let flow = json!({"goodput_bps": format!("{number:.3}").parse::<f64>().unwrap()});
        proptest::prop_assert_eq!(assertion.judge(&flow, Before::NotGiven).0, Verdict::Pass);
    }
}
