//! `tcplimit schema`.

use clap::ValueEnum;
use tcplimit::report::JsonDocument;

use super::print;
use super::status::Status;

/// Print the JSON Schema of what is written as JSON
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Of which document
    #[arg(value_enum, default_value = "report")]
    document: Document,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Document {
    /// `analyze --json` writes it, `check --baseline` reads it
    Report,
    /// A line of `analyze --ndjson`
    Flow,
    /// What stands for an input that cannot be read, or for its damage among lines
    Failure,
    /// Of `analyze --json --separate`
    ReportList,
}

pub(super) fn run(args: &Args) -> Status {
    let document = match args.document {
        Document::Report => JsonDocument::Report,
        Document::Flow => JsonDocument::Flow,
        Document::Failure => JsonDocument::Failure,
        Document::ReportList => JsonDocument::ReportList,
    };
    print(document.schema().as_bytes())
}
