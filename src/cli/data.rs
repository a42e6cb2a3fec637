//! `noregret data fetch|verify|pin|add|list`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::error::CliError;
use super::select::{Select, profile};
use super::show::show;
use crate::config::project::{Declared, Project};
use crate::dataset::declaration::{Dataset, Origin, declared_in, find, load_all};
use crate::dataset::error::DataError;
use crate::dataset::fetch::{FetchError, fetch, verify};
use crate::dataset::format::{Format, ReadOptions, Targets};
use crate::dataset::pin::pin;
use crate::dataset::user::{Addition, add};
use noregret_engine::exec::progress::tell;

/// Subcommands of `noregret data`.
#[derive(Debug, Subcommand)]
pub enum DataCommand {
    /// Download datasets, or copy them from a mirror, and verify them; damaged files are moved aside and replaced
    Fetch(FetchArgs),
    /// Check the datasets that are here against their declared shape and content hash; this changes nothing
    Verify(VerifyArgs),
    /// Write the content hash of datasets that are here into their declarations, so that no other data are accepted
    Pin(PinArgs),
    /// Register a file of your own under a name that experiments can use
    Add(AddArgs),
    /// List the datasets and say which are here
    List,
}

/// Arguments of `noregret data verify`.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// Names of datasets [default: all]
    names: Vec<String>,
}

/// Arguments of `noregret data pin`.
#[derive(Debug, Args)]
pub struct PinArgs {
    /// Names of datasets
    #[arg(required = true)]
    names: Vec<String>,
}

/// Arguments of `noregret data fetch`.
#[derive(Debug, Args)]
pub struct FetchArgs {
    /// Names of datasets [default: all that are not embedded]
    names: Vec<String>,
    /// Do not use the network
    #[arg(long)]
    offline: bool,
    /// A folder that holds data files under their upstream names; tried before the network (also: NOREGRET_MIRROR)
    #[arg(long = "mirror", value_name = "DIR")]
    mirrors: Vec<PathBuf>,
}

/// Arguments of `noregret data add`.
#[derive(Debug, Args)]
pub struct AddArgs {
    /// A file of CSV, Parquet or LIBSVM text, plain or compressed; it stays where it is
    file: PathBuf,
    /// The dataset's name
    #[arg(long)]
    name: String,
    /// The target column: its name, or its number from 1 if there is no header (not for LIBSVM text: its label)
    #[arg(long)]
    target: Option<String>,
    /// The input columns [default: all others, in file order]
    #[arg(long, value_delimiter = ',')]
    inputs: Option<Vec<String>>,
    /// The format, if it cannot be told from the file
    #[arg(long)]
    format: Option<Format>,
    /// The CSV file has no header line
    #[arg(long)]
    no_header: bool,
}

/// Runs the subcommand and returns the exit status.
pub fn run(project: &Project, command: &DataCommand) -> Result<u8, CliError> {
    let known = load_all(&project.pipeline(), &project.data()).map_err(wrong)?;
    let chosen = |names: &[String]| -> Result<Vec<&Dataset>, CliError> {
        if names.is_empty() {
            Ok(known.values().collect())
        } else {
            names.iter().map(|n| find(&known, n).map_err(wrong)).collect()
        }
    };
    let raw = |dataset: &Dataset| project.data().join("raw").join(&dataset.name);
    match command {
        DataCommand::Fetch(args) => {
            let select = Select { offline: args.offline, mirrors: args.mirrors.clone(), ..Select::default() };
            let access = select.access();
            let mut status = super::exit::DONE;
            for dataset in chosen(&args.names)? {
                if matches!(dataset.origin, Origin::Embedded(_)) {
                    continue;
                }
                match fetch(dataset, &raw(dataset), &access.mirrors, access.online, &|line| tell(&format!("{line}\n")))
                {
                    Ok(fetched) => {
                        let Dataset { name, rows, inputs, .. } = dataset;
                        show(&format!("{name}: {rows} rows x {inputs} inputs, content {}\n", fetched.content_sha256))?;
                    }
                    // Nothing was asked for but the data, so that data that cannot be had are a failure here.
                    Err(error) => {
                        let what =
                            if matches!(error, FetchError::Unavailable { .. }) { "unavailable" } else { "error" };
                        tell(&format!("{what}: {error}\n"));
                        status = super::exit::FAILED;
                    }
                }
            }
            Ok(status)
        }
        DataCommand::Verify(args) => {
            let mut status = super::exit::DONE;
            for dataset in chosen(&args.names)? {
                let absent = dataset.paths(&raw(dataset)).iter().any(|path| !path.is_file());
                if absent && !matches!(dataset.origin, Origin::Path(_)) {
                    show(&format!("{}: not here (`noregret data fetch {0}`)\n", dataset.name))?;
                    if !args.names.is_empty() {
                        status = super::exit::FAILED;
                    }
                    continue;
                }
                match verify(dataset, &raw(dataset)) {
                    Ok(fetched) => {
                        show(&format!("{}: sound, content {}\n", dataset.name, fetched.content_sha256))?;
                    }
                    Err(error) => {
                        tell(&format!("error: {error}\n"));
                        status = super::exit::FAILED;
                    }
                }
            }
            Ok(status)
        }
        DataCommand::Pin(args) => {
            for dataset in chosen(&args.names)? {
                let verified = verify(dataset, &raw(dataset)).map_err(|error| CliError::failed(error.to_string()))?;
                let file = declared_in(&project.pipeline(), &project.data(), &dataset.name);
                let done = pin(dataset, &verified.content_sha256, &file).map_err(wrong)?;
                let what = if done { "pinned in" } else { "is pinned already in" };
                show(&format!("{}: {what} {}, content {}\n", dataset.name, file.display(), verified.content_sha256))?;
            }
            Ok(super::exit::DONE)
        }
        DataCommand::Add(args) => {
            let addition = Addition {
                file: args.file.clone(),
                name: args.name.clone(),
                options: ReadOptions {
                    format: args.format,
                    header: !args.no_header,
                    target: args.target.clone(),
                    inputs: args.inputs.clone(),
                    width: None,
                    targets: Targets::Required,
                },
            };
            let dataset = add(&addition, &known, &project.data()).map_err(wrong)?;
            show(&format!(
                "{}: {} rows x {} inputs; use `dataset = \"{0}\"` in an experiment\n",
                dataset.name, dataset.rows, dataset.inputs
            ))
        }
        DataCommand::List => {
            let declared = Declared::load(project, &profile(None), &[], &[])?;
            let mut text = String::new();
            for dataset in known.values() {
                let here = match &dataset.origin {
                    Origin::Embedded(_) => "embedded",
                    _ if dataset.paths(&raw(dataset)).iter().all(|path| path.is_file()) => "here",
                    _ => "not here",
                };
                let users = declared
                    .experiments
                    .values()
                    .filter(|experiment| experiment.design.streams.iter().any(|stream| stream.name() == dataset.name));
                let users: Vec<&str> = users.map(|experiment| experiment.design.name.as_str()).collect();
                let users = if users.is_empty() { "no experiment".to_owned() } else { users.join(", ") };
                text += &format!(
                    "{:16} {:9} {:>9} x {:<3} {} (used by {users})\n",
                    dataset.name, here, dataset.rows, dataset.inputs, dataset.title
                );
            }
            show(&text)
        }
    }
}

/// Unknown names and wrong declarations are errors of usage; all other errors of data are failures.
fn wrong(error: DataError) -> CliError {
    match error {
        DataError::Unknown { .. } | DataError::Name { .. } | DataError::Declaration { .. } => {
            CliError::usage(error.to_string())
        }
        error => CliError::failed(error.to_string()),
    }
}
