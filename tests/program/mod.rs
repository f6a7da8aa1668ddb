//! The program as the tests run it.

use assert_cmd::Command;

pub(crate) fn tcplimit() -> Command {
    Command::new(env!("CARGO_BIN_EXE_tcplimit"))
}

/// Standard output, standard error and status of a run.
pub(crate) fn run(arguments: &[&str]) -> (String, String, i32) {
    let output = tcplimit().args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code().unwrap())
}
