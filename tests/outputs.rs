//! Where results go: what may be replaced by them, and what may not.
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
