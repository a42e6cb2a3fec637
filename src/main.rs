//! The `noregret` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(noregret::cli::main())
}
