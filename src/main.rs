//! The `noregret` binary.

#![forbid(unsafe_code)]

use std::process::ExitCode;

/// What musl has returns memory to the system at once, which costs a run a fifth of its time.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(noregret::cli::main())
}
