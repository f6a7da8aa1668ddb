//! `tcplimit plot`: flows over time, drawn or exported.

mod args;

use std::path::Path;
use std::sync::Arc;

use tcplimit::model::{FlowReport, Report};
use tcplimit::report::write_plot;
use tcplimit::{Config, Error};

pub(super) use self::args::Args;
use self::args::FormatName;
use super::output::Output;
use super::progress::Progress;
use super::signals::Signals;
use super::status::Status;
use super::{analyze, say};

pub(super) fn run(args: &Args) -> Status {
    let format = match args.checked() {
        Ok(format) => format,
        Err(message) => {
            say("error", message);
            return Status::Usage;
        }
    };
    let signals = match Signals::watch() {
        Ok(signals) => signals,
        Err(status) => return status,
    };
    // Early, so that a long run does not end with nowhere to write.
    let is_new = !args.output.exists();
    let output = match args.open() {
        Ok(output) => output,
        Err(status) => return status,
    };
    let status = draw(args, format, output, &signals);
    if args.all && is_new {
        // Succeeds only where nothing was drawn into it.
        let _ = std::fs::remove_dir(&args.output);
    }
    status
}

fn draw(args: &Args, format: FormatName, output: Option<Output>, signals: &Signals) -> Status {
    let mut config = Config::default();
    config.stop = Arc::clone(&signals.stop);
    config.series = Some(args.wanted());
    config.vantage = args.vantage.told();
    args.resources.bound(&mut config);
    config.filter = match args.filter.get() {
        Ok(filter) => filter,
        Err(status) => return status,
    };
    let progress = (!args.quiet).then(|| Progress::show(Arc::clone(&config.packets)));
    let report = analyze::analyze(&args.files, &config);
    drop(progress);
    let report = match report {
        Ok(report) => report,
        Err(error) => {
            say("error", &error);
            return Status::NoReport;
        }
    };
    if !args.quiet {
        analyze::warn_of_damage(&report.notes);
    }
    let written = match output {
        Some(output) => args.write_one(&report, format, output),
        None => args.write_all(&report, format),
    };
    written.or(signals.received().map_or(Status::of_input(&report.input), Status::Signal))
}

impl Args {
    /// `None` for a directory, which is made if need be.
    fn open(&self) -> Result<Option<Output>, Status> {
        if !self.all {
            return Output::file(&self.output, &self.files).map(Some);
        }
        let is_stdout = self.output == Path::new("-");
        if is_stdout || self.output.is_file() {
            let name = self.output.display();
            let what = if is_stdout { "standard output" } else { "a file" };
            say("error", format_args!("{name} is {what}: --all writes into a directory"));
            return Err(Status::Usage);
        }
        let made = std::fs::create_dir_all(&self.output);
        let failed = |error| Status::of_output_error(&error, &self.output.display().to_string());
        made.map(|()| None).map_err(failed)
    }

    fn write_one(&self, report: &Report, format: FormatName, output: Output) -> Status {
        let stream = self.flow.or_else(|| largest(report).first().map(|flow| flow.stream));
        let stream = stream.unwrap_or_default();
        let mut flows = largest(report);
        flows.retain(|flow| flow.stream == stream);
        let Some(flow) = flows.get(usize::from(self.reverse)) else {
            say(
                "error",
                match flows.len() {
                    0 => report.input.no_connection(stream),
                    _ => Error::NoReverse { stream },
                },
            );
            return Status::NoReport;
        };
        if self.from.is_some_and(|from| from >= flow.duration_s) {
            let end = flow.duration_s;
            say("error", format_args!("--from lies behind the flow's end, at {end:.6} s"));
            return Status::Usage;
        }
        let plot = (&self.options(), format.plot_format());
        output.write(|out| write_plot(report, flow, plot, out))
    }

    /// A file for each of the largest flows, named by its stream.
    fn write_all(&self, report: &Report, format: FormatName) -> Status {
        let flows = largest(report);
        let mut status = Status::Complete;
        let mut drawn: Vec<u32> = Vec::new();
        for flow in flows.iter().filter(|flow| flow.payload_bytes > 0).take(self.top.get()) {
            let reverse = if drawn.contains(&flow.stream) { "-reverse" } else { "" };
            drawn.push(flow.stream);
            let name = format!("flow-{}{reverse}{}", flow.stream, format.end());
            let plot = (&self.options(), format.plot_format());
            let written = match Output::file(&self.output.join(name), &self.files) {
                Ok(output) => output.write(|out| write_plot(report, flow, plot, out)),
                Err(status) => status,
            };
            status = status.or(written);
        }
        if drawn.is_empty() {
            say("error", "no flow carried data: there is nothing to draw");
            return Status::NoReport;
        }
        status
    }
}

/// The flows, those with most payload first.
fn largest(report: &Report) -> Vec<&FlowReport> {
    let mut flows: Vec<&FlowReport> = report.flows.iter().collect();
    flows.sort_by_key(|flow| (std::cmp::Reverse(flow.payload_bytes), flow.stream));
    flows
}
