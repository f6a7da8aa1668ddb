//! What the README shows is what the program prints.
#![expect(clippy::unwrap_used, reason = "test code")]

use std::process::Command;

use tcplimit::model::codes;

const README: &str = include_str!("../README.md");

/// The first block is the two commands, the second what the first of them prints.
#[test]
fn the_first_command_prints_what_the_readme_shows() {
    let command = block("sh").lines().next().unwrap();
    let arguments = command.strip_prefix("cargo run --release -- ").unwrap().split(' ');
    let output = Command::new(env!("CARGO_BIN_EXE_tcplimit"))
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(printed.trim_end(), block("text").trim_end(), "paste this:\n{printed}");
}

/// W006 and A009 give the same advice.
#[test]
fn the_buffer_for_tcpdump_is_one_size_everywhere() {
    let mut texts = vec![README];
    texts.extend(codes::ALL.iter().flat_map(|entry| [entry.meaning, entry.remedy]));
    let after = texts.iter().flat_map(|text| text.split("-B ").skip(1));
    let sizes: Vec<&str> = after.filter_map(|rest| rest.split(['`', ' ']).next()).collect();
    assert_eq!(sizes, ["65536"; 3]);
}

/// The first block of that language.
fn block(language: &str) -> &'static str {
    let (_, rest) = README.split_once(&format!("\n```{language}\n")).unwrap();
    rest.split_once("\n```").unwrap().0
}
