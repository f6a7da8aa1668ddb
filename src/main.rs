//! Arguments in, report out.

mod cli;

fn main() -> std::process::ExitCode {
    cli::run().into()
}
