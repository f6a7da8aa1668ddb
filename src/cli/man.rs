//! `tcplimit man`: the manual page of the program or of a subcommand. What the help says below its options
//! (examples, exit statuses, notes) gets sections of its own, each line where it stands.

use std::io::{self, Write};

use clap::Command;

use super::output::Output;
use super::say;
use super::status::Status;

/// Writes the page of `command`, or of that subcommand of it.
pub(super) fn run(mut command: Command, subcommand: Option<&str>) -> Status {
    command.build();
    if let Some(name) = subcommand {
        let Some(found) = command.find_subcommand(name) else {
            say("error", format_args!("no subcommand {name:?}"));
            return Status::Usage;
        };
        command = found.clone();
    }
    Output::stdout().write(|out| write(&command, out))
}

fn write(command: &Command, out: &mut dyn Write) -> io::Result<()> {
    let source = concat!("tcplimit ", env!("CARGO_PKG_VERSION"));
    let page = clap_mangen::Man::new(command.clone()).source(source);
    page.render_title(out)?;
    page.render_name_section(out)?;
    page.render_synopsis_section(out)?;
    page.render_description_section(out)?;
    page.render_options_section(out)?;
    if command.has_subcommands() {
        page.render_subcommands_section(out)?;
    }
    let below = command.get_after_long_help().or(command.get_after_help());
    let below = below.map(ToString::to_string).unwrap_or_default();
    let mut section = "";
    for block in below.split("\n\n") {
        let (title, rows) = block.split_once('\n').unwrap_or((block, ""));
        let name = match title {
            "Examples:" => "EXAMPLES",
            "Exit status:" => "EXIT STATUS",
            _ => "NOTES",
        };
        if name != section && !block.is_empty() {
            section = name;
            writeln!(out, ".SH \"{name}\"")?;
        }
        match name {
            "NOTES" => write_note(block, out)?,
            _ => write_entries(rows, out)?,
        }
    }
    Ok(())
}

/// What stands left, and what it means below it: a wide line would be torn where the terminal ends.
fn write_entries(rows: &str, out: &mut dyn Write) -> io::Result<()> {
    for row in rows.lines().map(str::trim_end) {
        let is_meaning = row.starts_with("      ");
        let (left, meaning) = match row.trim_start().split_once("  ") {
            _ if is_meaning => ("", row),
            Some(parts) => parts,
            None => (row, ""),
        };
        if !left.is_empty() {
            writeln!(out, ".TP\n\\fB{}\\fR", escaped(left.trim()))?;
        }
        if !meaning.is_empty() {
            writeln!(out, "{}", escaped(meaning.trim()))?;
        }
    }
    Ok(())
}

/// A paragraph, or a sentence with indented lines, which stay as they are.
fn write_note(block: &str, out: &mut dyn Write) -> io::Result<()> {
    let mut is_shown = false;
    for (number, line) in block.lines().enumerate() {
        let is_indented = line.starts_with(' ');
        if number == 0 {
            writeln!(out, ".PP")?;
        } else if is_indented && !is_shown {
            writeln!(out, ".RS 4\n.nf")?;
        }
        is_shown |= is_indented;
        writeln!(out, "{}", escaped(line.trim()))?;
    }
    if is_shown { writeln!(out, ".fi\n.RE") } else { Ok(()) }
}

/// As roff reads it: a hyphen to be copied, no escape, no request.
fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq");
    if text.starts_with('.') { format!("\\&{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::Cli;

    fn page(subcommand: Option<&str>) -> String {
        let mut command = Cli::command();
        command.build();
        let found = subcommand.and_then(|name| command.find_subcommand(name));
        let mut page = Vec::new();
        write(found.unwrap_or(&command), &mut page).unwrap();
        String::from_utf8(page).unwrap()
    }

    #[test]
    fn examples_and_statuses_have_sections_and_lines_of_their_own() {
        let status = ".SH \"EXIT STATUS\"\n.TP\n\\fB0\\fR\nall input read, report complete\n.TP\n\\fB1\\fR\n";
        assert!(page(None).contains(status), "{}", page(None));
        let analyze = page(Some("analyze"));
        let example = ".SH \"EXAMPLES\"\n.TP\n\\fBtcplimit analyze trace.pcap\\fR\nwhat limited each transfer\n";
        assert!(analyze.contains(example), "{analyze}");
        let check = page(Some("check"));
        let rule = ".RS 4\n.nf\n[[rule]]\nname = \"fast enough\"\n";
        assert!(
            check.contains(".SH \"NOTES\"\n.PP\nA field is one of") && check.contains(rule),
            "{check}"
        );
        let explain = page(Some("explain"));
        let below =
            "\\fBtcplimit explain trace.pcap \\-\\-flow 3 \\-\\-at 1.5\\fR\nthe interval at 1.5 s";
        assert!(explain.contains(below), "{explain}");
    }

    #[test]
    fn nothing_is_a_request_that_is_none() {
        assert_eq!(escaped(".svg -o 'a\\b'"), "\\&.svg \\-o \\(aqa\\eb\\(aq");
    }
}
