//! Where results go: what may be replaced by them, and what is left as it was where there are none.
#![expect(clippy::unwrap_used, reason = "test code")]

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use tempfile::TempDir;

const FIXTURE: &str = "fixtures/receiver-window.pcap";
const COMPRESSED: &str = "fixtures/congestion-window--bottleneck.pcap.zst";

/// Standard output, standard error and status of a run in `folder`.
fn run_in(folder: &Path, arguments: &str) -> (String, String, i32) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tcplimit"));
    let output = command.current_dir(folder).args(arguments.split(' ')).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code().unwrap())
}

/// `one.pcap`, `other.pcap.zst`, and links to the first.
fn captures() -> TempDir {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::copy(FIXTURE, path("one.pcap")).unwrap();
    fs::copy(COMPRESSED, path("other.pcap.zst")).unwrap();
    fs::copy(COMPRESSED, path("unnamed")).unwrap();
    fs::hard_link(path("one.pcap"), path("hard")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("one.pcap", path("soft")).unwrap();
    #[cfg(not(unix))]
    fs::hard_link(path("one.pcap"), path("soft")).unwrap();
    folder
}

#[test]
fn no_capture_is_replaced_by_what_is_said_of_it() {
    let folder = captures();
    for (arguments, place, words) in [
        ("analyze one.pcap -o one.pcap", "one.pcap", "is an input"),
        ("analyze one.pcap -o ./hard", "hard", "is an input"),
        ("analyze one.pcap --csv -o soft", "soft", "is an input"),
        ("analyze . --separate --json -o one.pcap", "one.pcap", "is a packet capture"),
        ("analyze one.pcap -o unnamed", "unnamed", "is a packet capture"),
        ("report -o one.pcap other.pcap.zst", "one.pcap", "is a packet capture"),
        ("report -o other.pcap.zst one.pcap", "other.pcap.zst", "is a packet capture"),
        ("plot one.pcap -o one.pcap --format xpl", "one.pcap", "is an input"),
        ("check one.pcap --assert stalls==0 --junit soft", "soft", "is an input"),
    ] {
        let before = fs::read(folder.path().join(place)).unwrap();
        let (stdout, stderr, status) = run_in(folder.path(), arguments);
        assert_eq!((stdout.as_str(), status), ("", 2), "{arguments}: {stderr}");
        assert!(stderr.contains(place) && stderr.contains(words), "{arguments}: {stderr}");
        assert!(stderr.contains("name another file"), "{arguments}: {stderr}");
        assert!(fs::read(folder.path().join(place)).unwrap() == before, "{arguments}");
    }
}

/// A picture for a file's name, and a directory of pictures for a directory's.
#[test]
fn a_directory_of_plots_has_no_name_of_a_file() {
    let folder = captures();
    let all = |output: &str| run_in(folder.path(), &format!("plot one.pcap --all -o {output}"));
    for (name, format) in [("p.png", "png"), ("p.SVG", "svg"), ("p.trace.json", "perfetto")] {
        let (_, stderr, status) = all(name);
        assert!(status == 2 && stderr.contains("writes into a directory"), "{name}: {stderr}");
        assert!(stderr.contains(&format!("--format {format} ")), "{name}: {stderr}");
        assert!(!folder.path().join(name).exists(), "{name}");
    }
    fs::create_dir(folder.path().join("there.svg")).unwrap();
    assert_eq!((all("there.svg").2, all("plots --format xpl").2), (0, 0));
    assert!(folder.path().join("there.svg/flow-0.svg").exists());
    assert!(folder.path().join("plots/flow-0.xpl").exists());
}

/// No picture, no page and no packets are nothing to ask for.
#[test]
fn none_of_something_is_no_number_of_it() {
    let folder = captures();
    for command in [
        "plot one.pcap --all -o plots --top 0",
        "report one.pcap -o page.html --top 0",
        "capture -i lo --count 0",
    ] {
        let (_, stderr, status) = run_in(folder.path(), command);
        assert!(status == 2 && stderr.contains("a whole number from 1 on"), "{command}: {stderr}");
    }
    assert!(!folder.path().join("plots").exists() && !folder.path().join("page.html").exists());
}

/// As of every command that reads a capture.
#[test]
fn an_explanation_says_where_its_capture_is_cut() {
    let folder = captures();
    let whole = fs::read(FIXTURE).unwrap();
    fs::write(folder.path().join("cut.pcap"), &whole[..whole.len() / 2]).unwrap();
    let (stdout, stderr, status) = run_in(folder.path(), "explain cut.pcap");
    assert!(status == 4 && stderr.contains("W001: cut.pcap ends inside packet"), "{stderr}");
    assert!(stdout.contains("receive window, window full"), "{stdout}");
    let (stdout, stderr, status) = run_in(folder.path(), "explain --flow 0");
    assert!(stdout.is_empty() && status == 2 && stderr.contains("no capture: name"), "{stderr}");
}

/// Rules and a baseline are read as well, and an earlier report is there to be replaced.
#[test]
fn what_check_reads_is_not_replaced_and_an_older_result_is() {
    let folder = captures();
    let rules = "[[rule]]\nassert = 'stalls == 0'\n";
    for name in ["rules.toml", "result.xml"] {
        fs::write(folder.path().join(name), rules).unwrap();
    }
    let check = |junit| {
        run_in(folder.path(), &format!("check one.pcap --rules rules.toml --junit {junit}")).2
    };
    assert_eq!((check("rules.toml"), check("result.xml")), (2, 0));
    assert_eq!(fs::read_to_string(folder.path().join("rules.toml")).unwrap(), rules);
    assert!(fs::read_to_string(folder.path().join("result.xml")).unwrap().starts_with("<?xml"));
}

/// The same of every output, and no page or text of nothing.
#[test]
fn a_connection_that_is_not_there_is_no_report() {
    let folder = captures();
    let wanted = "no connection 9 in the capture: it has 1, numbered from 0";
    for (command, start) in [
        ("analyze one.pcap --flow 9", ""),
        ("analyze one.pcap --flow 9 --json", "{"),
        ("analyze one.pcap --flow 9-20,30 --csv", "file,stream"),
        ("analyze one.pcap --flow 9 --ndjson", ""),
        ("report one.pcap --flow 9 -o page.html", ""),
        ("plot one.pcap --flow 9 -o plot.xpl", ""),
        ("explain one.pcap --flow 9", ""),
    ] {
        let (stdout, stderr, status) = run_in(folder.path(), command);
        assert!(status == 3 && stderr.contains(wanted), "{command}: {status} {stderr}");
        assert!(stdout.starts_with(start) && stdout.is_empty() == start.is_empty(), "{stdout}");
    }
    assert!(!folder.path().join("page.html").exists());
    let (stdout, stderr, status) = run_in(folder.path(), "analyze one.pcap --flow 0,9");
    assert!(status == 0 && stderr.contains(wanted) && stdout.contains("stream 0"), "{stderr}");
    assert_eq!(run_in(folder.path(), "analyze one.pcap --flow 0-9").1, "");
    let separate = |flow: &str| {
        let command = format!("analyze one.pcap hard --separate --flow {flow}");
        run_in(folder.path(), &command)
    };
    let (_, stderr, status) = separate("9");
    assert!(status == 3 && stderr.contains("none of the captures has"), "{stderr}");
    assert_eq!(separate("0-9").2, 0);
}

/// A row of CSV has the figures of the flow's JSON, digit by digit.
#[test]
fn figures_are_the_same_in_csv_and_json() {
    let folder = captures();
    let output =
        |format: &str| run_in(folder.path(), &format!("analyze other.pcap.zst {format}")).0;
    let (csv, json) = (output("--csv"), output("--ndjson"));
    let mut rows = csv.lines().map(|row| row.split(',').collect::<Vec<_>>());
    let columns = rows.next().unwrap().into_iter().zip(rows.next().unwrap());
    let figures: Vec<_> = columns
        .filter(|(name, _)| ["start_s", "duration_s", "goodput_bps"].contains(name))
        .collect();
    assert_eq!(figures.len(), 3);
    for (name, figure) in figures {
        assert!(json.contains(&format!("\"{name}\":{figure},")), "{name} {figure}: {json}");
    }
}

/// Every command that reads captures takes the bounds, and says the same within them.
#[test]
fn bounds_change_no_output() {
    let folder = captures();
    for arguments in [
        "analyze one.pcap",
        "check one.pcap --assert stalls==0",
        "explain one.pcap",
        "plot one.pcap -o - --format svg",
        "report one.pcap",
    ] {
        let (unbounded, stderr, status) = run_in(folder.path(), arguments);
        assert!(status <= 1 && !unbounded.is_empty(), "{arguments}: {stderr}");
        let bounded = run_in(folder.path(), &format!("{arguments} --memory 64M --threads 2"));
        assert_eq!((bounded.0, bounded.2), (unbounded, status), "{arguments}: {}", bounded.1);
    }
    let (_, stderr, status) = run_in(folder.path(), "explain W001 --threads 2");
    assert!(status == 2 && stderr.contains("without a capture or options"), "{stderr}");
}
