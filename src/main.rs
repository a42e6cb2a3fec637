//! The `noregret` binary.

#![forbid(unsafe_code)]

use std::process::ExitCode;

/// With the allocator of musl itself, the quick profile takes a sixth more processor time.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(noregret::cli::main())
}
