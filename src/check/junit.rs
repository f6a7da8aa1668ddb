//! Outcomes as JUnit's XML, the form that CI systems read.

use std::io::{self, Write};

use super::{Outcome, Verdict};
use crate::report;

/// Writes one test suite; an inconclusive outcome is a skipped test.
///
/// # Errors
/// If `out` fails.
pub fn write_junit(outcomes: &[Outcome], suite: &str, out: &mut dyn Write) -> io::Result<()> {
    let count = |result| outcomes.iter().filter(|outcome| outcome.result == result).count();
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    writeln!(
        out,
        r#"<testsuites><testsuite name="{}" tests="{}" failures="{}" errors="0" skipped="{}">"#,
        escaped(suite),
        outcomes.len(),
        count(Verdict::Fail),
        count(Verdict::Inconclusive)
    )?;
    for outcome in outcomes {
        let flow = outcome.flow.as_deref().unwrap_or("no flow");
        write!(
            out,
            r#"<testcase classname="{}" name="{}""#,
            escaped(flow),
            escaped(&outcome.rule)
        )?;
        // The name is the test's from run to run; what is wanted may change.
        let message = escaped(&format!("{}: {}", outcome.wanted, outcome.measured));
        let evidence = escaped(outcome.evidence.as_deref().unwrap_or_default());
        match outcome.result {
            Verdict::Pass => writeln!(out, "/>")?,
            Verdict::Fail => writeln!(
                out,
                r#"><failure message="{message}" type="assertion">{evidence}</failure></testcase>"#
            )?,
            Verdict::Inconclusive => {
                writeln!(out, r#"><skipped message="{message}"/></testcase>"#)?;
            }
        }
    }
    writeln!(out, "</testsuite></testsuites>")
}

/// Writes one test suite of a capture that could not be read: one test, which `error` ended. Without it, a CI
/// system would go on showing the result of the run before.
///
/// # Errors
/// If `out` fails.
pub fn write_junit_error(error: &str, suite: &str, out: &mut dyn Write) -> io::Result<()> {
    let (suite, error) = (escaped(suite), escaped(error));
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    writeln!(
        out,
        r#"<testsuites><testsuite name="{suite}" tests="1" failures="0" errors="1" skipped="0">"#
    )?;
    writeln!(
        out,
        r#"<testcase classname="{suite}" name="input"><error message="{error}" type="input"/></testcase>"#
    )?;
    writeln!(out, "</testsuite></testsuites>")
}

/// Control characters, which XML cannot hold, become spaces.
fn escaped(text: &str) -> String {
    report::escaped(&text.replace(char::is_control, " "))
}
