//! Does the output of many captures depend on how many are analysed at a time?
#![expect(clippy::unwrap_used, reason = "test code")]

mod program;

use std::fs;

use tempfile::TempDir;

use program::run;

/// Half-open connections from 50 000 ports of 10.0.`network`.1, a packet each.
fn flood(network: u8) -> Vec<u8> {
    let mut file = vec![0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0];
    file.extend([0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 0, 0, 1, 0, 0, 0]);
    for port in 1000..51_000_u16 {
        let [high, low] = port.to_be_bytes();
        file.extend([1, 0, 0, 0]);
        file.extend(u32::from(port).to_le_bytes());
        file.extend([54, 0, 0, 0, 54, 0, 0, 0]);
        file.extend([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0]);
        file.extend([0x45, 0, 0, 40, 0, 0, 0, 0, 64, 6, 0, 0, 10, 0, network, 1, 10, 255, 255, 1]);
        file.extend([high, low, 0, 80, 0, 0, 0, 1, 0, 0, 0, 0, 0x50, 2, 16, 0, 0, 0, 0, 0]);
    }
    file
}

/// Each needs more than there is, and gives up the same as if it were alone.
#[test]
fn what_memory_leaves_out_does_not_depend_on_the_number_of_jobs() {
    let folder = TempDir::new().unwrap();
    for network in 1..=3 {
        fs::write(folder.path().join(format!("{network}.pcap")), flood(network)).unwrap();
    }
    let path = folder.path().to_str().unwrap();
    let analyze = |jobs| {
        let args = ["analyze", path, "--separate", "--ndjson", "--memory", "64M", "--jobs", jobs];
        let (out, errors, status) = run(&args);
        assert!(status == 0 && errors.is_empty(), "{errors}");
        out
    };
    let alone = analyze("1");
    assert!(alone.lines().count() == 3 * 2048, "{}", alone.lines().count());
    for jobs in ["2", "4"] {
        assert!(analyze(jobs) == alone, "{jobs} jobs");
    }
    let text = |jobs| run(&["analyze", path, "--separate", "--memory", "64M", "--jobs", jobs]);
    let (said, ..) = text("1");
    assert_eq!(said.matches("given up early for lack of memory").count(), 3, "{said}");
    assert_eq!(text("3").0, said);
}

/// What stands beside captures is passed over, as where they are read as one.
#[test]
fn a_directory_may_hold_other_files() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().to_str().unwrap();
    fs::write(folder.path().join("README.md"), "Taken at the sender.\n").unwrap();
    let (out, errors, status) = run(&["analyze", path, "--separate", "--csv"]);
    assert!(status == 3 && errors.contains("holds no packet capture (1 other file)"), "{errors}");
    assert_eq!(out.lines().count(), 2, "{out}");

    fs::copy("fixtures/receiver-window.pcap", folder.path().join("a.pcap")).unwrap();
    for options in [&["--separate"][..], &["--separate", "--jobs", "2"], &[]] {
        let (out, errors, status) = run(&[&["analyze", path, "--csv"], options].concat());
        assert!(status == 0 && out.lines().count() == 2, "{options:?}: {out}{errors}");
        assert!(errors.starts_with("warning W003: ") && errors.contains("README.md"), "{errors}");
    }
    let (_, errors, _) = run(&["analyze", path, "--separate", "-q"]);
    assert_eq!(errors, "");

    // By its name it should be one, so it has its row.
    fs::write(folder.path().join("b.pcap"), "cut off").unwrap();
    let (out, errors, status) = run(&["analyze", path, "--separate", "--csv"]);
    assert!(status == 4 && out.lines().count() == 3 && out.contains("b.pcap"), "{out}{errors}");
}
