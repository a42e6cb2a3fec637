//! `noregret init`: a new project, from the templates in the program.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::data::size;
use super::error::CliError;
use super::show::{below, counted, show};
use crate::cli::show::quoted;
use crate::project::embedded;
use crate::project::own::{self, OwnData};
use crate::project::write::{WriteError, write};
use noregret_data::listing::is_name;
use noregret_data::user::{Addition, Registered, add};
use noregret_stream::file_args::FileArgs;

/// Which project is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "kebab-case")]
pub(crate) enum From {
    /// One of your own, to edit: an experiment, a figure, tables and profiles, with comments.
    #[default]
    Own,
    /// The experiments, figures and tables of the papers.
    Paper,
    /// The bench: public streams, learners of this program and of other libraries, and a page that compares them.
    Streams,
}

/// Arguments of `noregret init`.
#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// The folder of the new project; it is created if it does not exist, and no file in it is overwritten
    #[arg(default_value = ".")]
    dir: PathBuf,
    /// A file of your own that the experiment plays on: CSV, JSON lines, Parquet, Arrow IPC, ARFF or LIBSVM text, plain or
    /// compressed. It stays where it is [default: the red wines that are compiled into the program]
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,
    /// What the data are called in the project [default: the name of the file]
    #[arg(long, requires = "data")]
    name: Option<String>,
    #[command(flatten)]
    file: FileArgs,
    /// Which project
    #[arg(long, value_enum, default_value_t)]
    from: From,
}

/// Writes the project and says how to go on.
pub(crate) fn run(args: &InitArgs) -> Result<u8, CliError> {
    let template = match (args.from, &args.data) {
        (From::Paper | From::Streams, Some(_)) => {
            return Err(CliError::usage(
                "--data is for a project of your own; `--from paper` and `--from streams` have their data declared",
            ));
        }
        (_, None) if args.file != FileArgs::default() => {
            return Err(CliError::usage("these options say how a file of your own is read: name it with --data FILE"));
        }
        (From::Paper, None) => embedded::paper().map_err(CliError::failed)?,
        (From::Streams, None) => embedded::streams().map_err(CliError::failed)?,
        (From::Own, None) => own::template(&OwnData::embedded(), true),
        (From::Own, Some(file)) => {
            let addition = addition(args, file)?;
            // Before the data are registered: the names of the files do not depend on them.
            own::template(&OwnData::embedded(), false).fits(&args.dir).map_err(refused)?;
            let Registered { dataset, notes } = add(&addition, &BTreeMap::new(), &args.dir.join("data"))?;
            show(&format!("{}{}\n", size(&dataset), below(&notes)))?;
            own::template(&OwnData::of(&dataset)?, false)
        }
    };
    let written = write(&args.dir, &template).map_err(refused)?;
    let run = match args.from {
        From::Own => "noregret run --profile quick    # a first look, in seconds; then `noregret run`",
        From::Paper => "noregret run --profile quick    # minutes; `noregret run` takes about 40 minutes on two cores",
        From::Streams => {
            "make peers    # the other libraries, in Python; without it they are left out\n  \
             noregret run --profile quick    # 500 rows of each stream; then `noregret run`"
        }
    };
    let folder = args.dir.display();
    let enter =
        if args.dir == Path::new(".") { String::new() } else { format!("  cd {}\n", quoted(&folder.to_string())) };
    let first = match args.from {
        From::Own => "  pipeline/experiments/learners.toml says who plays on which data; edit it\n",
        From::Paper | From::Streams => "",
    };
    show(&format!(
        "{folder}: {} written\n{enter}  {run}\n  noregret report --open\n{first}",
        counted(written.len(), "file")
    ))
}

/// The user's file under a name that experiments can use.
fn addition(args: &InitArgs, file: &Path) -> Result<Addition, CliError> {
    let name = match &args.name {
        Some(name) => name.clone(),
        None => name_of(file).ok_or_else(|| {
            let shown = file.display();
            CliError::usage(format!(
                "--data {shown}: no name can be made from it; give one with --name, as in --name mine"
            ))
        })?,
    };
    Ok(Addition { file: file.to_owned(), name, options: args.file.options() })
}

/// `My Data.csv.gz` is called `my-data`.
fn name_of(file: &Path) -> Option<String> {
    let stem = file.file_name()?.to_str()?.split('.').find(|part| !part.is_empty())?.to_lowercase();
    let plain: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).take(64).collect();
    let name = plain.trim_matches('-');
    is_name(name).then(|| name.to_owned())
}

fn refused(error: WriteError) -> CliError {
    match error {
        WriteError::Io { .. } => CliError::failed(error),
        WriteError::Project { .. } | WriteError::Exists { .. } => CliError::usage(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_give_names() {
        for (file, name) in [
            ("data/My Data.csv.gz", Some("my-data")),
            ("iris.parquet", Some("iris")),
            (".hidden.csv", Some("hidden")),
            ("_.csv", None),
        ] {
            assert_eq!(name_of(Path::new(file)).as_deref(), name, "{file}");
        }
    }
}
