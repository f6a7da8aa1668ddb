//! `tcplimit plot` as a user calls it, and the structure of the pages that it draws.
#![expect(
    clippy::unwrap_used,
    clippy::arithmetic_side_effects,
    clippy::print_stderr,
    reason = "test code"
)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use assert_cmd::Command;

const BOTTLENECK: &str = "fixtures/congestion-window--bottleneck.pcap.zst";

fn plot(arguments: &[&str]) -> std::process::Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tcplimit"));
    command.arg("plot").args(arguments).output().unwrap()
}

fn drawn(arguments: &[&str]) -> String {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("flow.svg");
    let output = plot(&[arguments, &["-o", file.to_str().unwrap()]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::read_to_string(file).unwrap()
}

/// The words of a page in their order, and how many shapes of each kind and colour stand under them.
fn structure(svg: &str) -> String {
    let mut words = String::new();
    let mut shapes = BTreeMap::new();
    let mut lines = svg.lines();
    while let Some(line) = lines.next() {
        let Some(kind) = line.strip_prefix('<').and_then(|rest| rest.split([' ', '>']).next())
        else {
            continue;
        };
        match kind {
            "text" => writeln!(words, "{}", lines.next().unwrap()).unwrap(),
            "title" => writeln!(words, "{line}").unwrap(),
            "rect" | "polyline" | "polygon" | "circle" | "line" => {
                let value = |name: &str| line.split(name).nth(1)?.split('"').nth(1);
                let color = value(" fill=").filter(|fill| *fill != "none");
                let color = color.or_else(|| value(" stroke=")).unwrap_or_default();
                *shapes.entry(format!("{kind} {color}")).or_insert(0) += 1;
            }
            _ => {}
        }
    }
    // A pixel more or less of a line is no change of structure.
    for (shape, count) in shapes {
        let size = if count < 5 { count.to_string() } else { format!("about 2^{}", ilog(count)) };
        writeln!(words, "[{shape}: {size}]").unwrap();
    }
    words.replace(env!("CARGO_PKG_VERSION"), "VERSION")
}

fn ilog(count: i32) -> u32 {
    count.ilog2()
}

#[test]
fn pages_have_the_structure_that_was_reviewed() {
    let fixtures = [
        "receiver-window.pcap",
        "receiver-window--slow-reader.pcap.zst",
        "send-buffer--64-kb.pcap.zst",
        "congestion-window--random-loss.pcap.zst",
        "congestion-window--bottleneck.pcap.zst",
        "congestion-window--bbr.pcap.zst",
        "application--request-response.pcap.zst",
        "capture-gap--lost-frames.pcap.zst",
    ];
    for fixture in fixtures {
        let name = fixture.split('.').next().unwrap();
        let file = format!("fixtures/{fixture}");
        insta::assert_snapshot!(format!("{name}.svg"), structure(&drawn(&[&file])));
    }
    let sequence = drawn(&[BOTTLENECK, "--kind", "seq", "--from", "1", "--to", "1.4"]);
    insta::assert_snapshot!("sequence.svg", structure(&sequence));
}

#[test]
fn the_same_capture_gives_the_same_octets() {
    assert_eq!(drawn(&[BOTTLENECK]), drawn(&[BOTTLENECK]));
}

#[test]
fn the_name_or_an_option_tells_the_format() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    for (name, options, start) in [
        ("a.png", &[][..], &b"\x89PNG"[..]),
        ("a.xpl", &[], b"dtime signed\ntitle\n10.80.0.2:45583"),
        ("a.trace.json", &[], b"{\"displayTimeUnit\":\"ms\""),
        ("a.json", &["--format", "perfetto"], b"{\"displayTimeUnit\":\"ms\""),
    ] {
        let output = plot(&[options, &[BOTTLENECK, "-o", &path(name)]].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let octets = std::fs::read(path(name)).unwrap();
        assert!(octets.starts_with(start), "{name}: {:?}", octets.get(..40));
    }
}

/// Debian's tcptrace brings a reader of xplot's language.
#[test]
fn xpl2gpl_reads_the_time_sequence_graph() {
    let tool = Path::new("/usr/bin/xpl2gpl");
    let has_gawk = std::process::Command::new("gawk").arg("--version").output().is_ok();
    if !tool.exists() || !has_gawk {
        eprintln!("SKIPPED: no xpl2gpl with gawk here (Debian: tcptrace, gawk)");
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("flow.xpl");
    let output = plot(&[BOTTLENECK, "-o", file.to_str().unwrap()]);
    assert!(output.status.success());
    let read = std::process::Command::new(tool)
        .arg("flow.xpl")
        .current_dir(directory.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&read.stdout).into_owned();
    assert!(read.status.success() && !said.contains("Unknown"), "{said}");
    let data = std::fs::read_to_string(directory.path().join("flow.datasets")).unwrap();
    // Each retransmitted segment, each acknowledgment line.
    assert!(data.lines().count() > 1000, "{}", data.lines().count());
    let labels = std::fs::read_to_string(directory.path().join("flow.labels")).unwrap();
    let count = |letter: &str| labels.matches(&format!("label \"{letter}\"")).count();
    assert_eq!((count("R"), count("S")), (41, 312));
}

#[test]
fn all_draws_a_file_for_each_flow() {
    let directory = tempfile::tempdir().unwrap();
    let plots = directory.path().join("plots");
    let output = plot(&["fixtures", "--all", "--top", "3", "-o", plots.to_str().unwrap()]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let files = std::fs::read_dir(&plots).unwrap();
    let mut names: Vec<String> =
        files.map(|file| file.unwrap().file_name().to_str().unwrap().to_owned()).collect();
    names.sort();
    assert_eq!(names.len(), 3, "{names:?}");
    assert!(names.iter().all(|name| name.starts_with("flow-") && name.contains(".svg")));
}

#[test]
fn what_cannot_be_drawn_is_said() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("a.svg");
    let file = file.to_str().unwrap();
    let folder = directory.path().to_str().unwrap();
    for (arguments, status, words) in [
        (
            &[BOTTLENECK, "--flow", "7", "-o", file][..],
            3,
            "no connection 7 in the capture: it has 1",
        ),
        (&[BOTTLENECK, "-o", "a.gif"], 2, "ends in none of .svg, .png, .xpl, .trace.json"),
        (&[BOTTLENECK, "-o", "-"], 2, "standard output has no name that tells the format"),
        (&[BOTTLENECK, "--kind", "rtt", "-o", "a.xpl"], 2, "the time-sequence graph alone"),
        (&[BOTTLENECK, "--kind", "seq", "-o", "a.trace.json"], 2, "leave out --kind"),
        (&[BOTTLENECK, "-o", "no/such/place.svg"], 5, "cannot write no/such/place.svg"),
        (&[BOTTLENECK, "--format", "svg", "-o", folder], 5, "is a directory"),
        (&[BOTTLENECK, "--all", "-o", "README.md"], 2, "README.md is a file: --all writes"),
        (&[BOTTLENECK, "--all", "-o", "-"], 2, "- is standard output: --all writes"),
        (&["README.md", "-o", file], 3, "is not a packet capture"),
        (&[BOTTLENECK, "--from", "2", "--to", "1", "-o", file], 2, "--to 1 is not after --from 2"),
        (&[BOTTLENECK, "--from", "99", "-o", file], 2, "behind the flow's end, at 17."),
        (&[BOTTLENECK, "--size", "9x9", "-o", file], 2, "from 480x400 to 5000x5000"),
        (&[BOTTLENECK, "--top", "3", "-o", file], 2, "--all"),
    ] {
        let output = plot(arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{arguments:?}: {said}");
        assert!(said.contains(words), "{arguments:?}: {said}");
        assert!(!Path::new(file).exists(), "{arguments:?}");
    }
}

/// A directory that was there stays, and so does one that was drawn into.
#[test]
fn nothing_to_draw_leaves_no_directory() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let whole = std::fs::read("fixtures/receiver-window.pcap").unwrap();
    std::fs::write(path("none.pcap"), whole.get(..24).unwrap()).unwrap();
    std::fs::create_dir(path("old")).unwrap();
    for (name, remains) in [("new", false), ("old", true)] {
        let (file, directory) = (path("none.pcap"), path(name));
        let output = plot(&[file.to_str().unwrap(), "--all", "-o", directory.to_str().unwrap()]);
        assert_eq!((output.status.code(), directory.exists()), (Some(3), remains));
    }
}
