use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::*;

#[test]
fn codes_are_unique_and_well_formed() {
    let mut seen = BTreeSet::new();
    for entry in ALL {
        let Code(code) = entry.code;
        let (kind, number) = code.split_at(1);
        assert!("WNEA".contains(kind) && number.len() == 3, "{code}");
        assert!(number.bytes().all(|b| b.is_ascii_digit()), "{code}");
        assert!(seen.insert(code), "{code} is declared twice");
        assert!(!entry.title.is_empty() && entry.meaning.ends_with('.'), "{code}");
        assert!(entry.remedy.ends_with('.'), "{code}");
    }
}

#[test]
fn codes_of_a_kind_are_listed_in_order() {
    for pair in ALL.windows(2) {
        let [Code(before), Code(after)] = [pair[0].code, pair[1].code];
        assert!(before < after || before[..1] != after[..1], "{before}, {after}");
    }
}

#[test]
fn a_code_is_found_in_either_case() {
    assert_eq!(find("w001").map(|entry| entry.code), Some(FILE_CUT));
    assert_eq!(find("W999"), None);
    assert_eq!(find(""), None);
}

#[test]
fn every_code_that_the_sources_mention_has_an_entry() {
    let known: BTreeSet<&str> = ALL.iter().map(|entry| entry.code.0).collect();
    let sources = rust_sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    let mut met = 0;
    for (name, text) in &sources {
        for code in text.split("Code(\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            met += 1;
            assert!(known.contains(code), "{name} uses {code}, which has no entry");
        }
    }
    assert!(met > 0, "the search found no code at all");
}

#[test]
fn every_entry_is_used_somewhere() {
    let sources = rust_sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    for (name, code) in NAMES {
        let used = format!("codes::{name}");
        assert!(sources.iter().any(|(_, text)| text.contains(&used)), "{} {name}", code.0);
    }
}

fn rust_sources(directory: &Path) -> Vec<(String, String)> {
    let mut sources = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources.extend(rust_sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && !path.ends_with("tests.rs")
            && !path.ends_with("sample.rs")
        {
            let is_this_file = path.ends_with("model/codes.rs");
            let text = if is_this_file {
                "Code(\"W001\")".to_owned()
            } else {
                fs::read_to_string(&path).unwrap()
            };
            sources.push((path.display().to_string(), text));
        }
    }
    sources
}
