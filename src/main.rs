//! The binary: reads the command line and hands over.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use noregret::cli::stream::{self, StreamArgs};

#[derive(Parser)]
#[command(name = "noregret", version, about)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Stream(StreamArgs),
}

fn main() -> ExitCode {
    let Command::Stream(args) = CommandLine::parse().command;
    match stream::run(&args, &|| false, &mut |line| eprintln!("{line}")) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(error.exit_status())
        }
    }
}
