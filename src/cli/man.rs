//! `noregret man`: manual pages, made from the same declarations as `--help`.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, Command, ValueHint};

use super::error::CliError;
use super::exit;

/// Arguments of `noregret man`.
#[derive(Args, Clone, Debug)]
pub(crate) struct ManArgs {
    /// Where to write noregret.1 and a page for each command; `man -M` needs a folder man1 [default: print noregret.1]
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub folder: Option<PathBuf>,
}

/// Writes the pages of `command` and its subcommands, or prints the first.
pub(crate) fn run(args: &ManArgs, command: Command, out: &mut dyn Write) -> Result<u8, CliError> {
    match &args.folder {
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(command).render(&mut page)?;
            out.write_all(&page)?;
        }
        Some(folder) => {
            std::fs::create_dir_all(folder).map_err(|error| CliError::io("cannot create", folder, error))?;
            let wrong = |error| CliError::io("cannot write into", folder, error);
            clap_mangen::generate_to(command, folder).map_err(wrong)?;
            writeln!(out, "{}", folder.join("noregret.1").display())?;
        }
    }
    out.flush()?;
    Ok(exit::DONE)
}
