//! Arguments in, report out.

mod cli;

/// Short flows come and go by the million, each with a dozen small allocations, some of which end on
/// another thread: the C library's allocator takes a fifth of the time there.
#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    cli::run().into()
}
