//! Options that every command takes.

use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use clap::{Args, ColorChoice, ValueHint};

use super::error::CliError;
use noregret_engine::exec::interrupt::Interrupt;
use noregret_engine::exec::progress::{Verbosity, set_verbosity};
use noregret_stream::value::MOST_THREADS;
use noregret_study::config::ConfigError;
use noregret_study::config::project::Project;

/// Options that every command takes.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Options of all commands")]
pub(crate) struct Globals {
    /// The project folder; by default the nearest one at or above the current folder
    #[arg(long, global = true, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub project: Option<PathBuf>,
    /// Do as if started in this folder
    #[arg(short = 'C', long = "directory", global = true, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub directory: Option<PathBuf>,
    /// Say nothing on standard error but what went wrong
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Say more: every step of a plan on a line of its own, and why a stage is not fresh
    #[arg(short, long, global = true)]
    pub verbose: bool,
    /// Colours on the terminal; NO_COLOR turns them off too
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: ColorChoice,
}

impl Globals {
    /// Changes to the folder of `-C` and sets how much is said.
    ///
    /// # Errors
    /// A folder that is not there.
    pub(crate) fn apply(&self) -> Result<(), CliError> {
        set_verbosity(match (self.quiet, self.verbose) {
            (true, _) => Verbosity::Quiet,
            (_, true) => Verbosity::Verbose,
            _ => Verbosity::Normal,
        });
        for name in ["RAYON_NUM_THREADS", "POLARS_MAX_THREADS"] {
            let threads = std::env::var(name).ok().and_then(|text| text.trim().parse::<usize>().ok());
            if let Some(threads) = threads.filter(|threads| *threads > MOST_THREADS) {
                return Err(CliError::usage(format!("{name} is {threads}: it may be {MOST_THREADS} at most")));
            }
        }
        match &self.directory {
            None => Ok(()),
            Some(folder) => {
                std::env::set_current_dir(folder).map_err(|source| CliError::from(unreadable(folder, source)))
            }
        }
    }

    /// The project that a command needs.
    ///
    /// # Errors
    /// There is none here.
    pub(crate) fn project(&self) -> Result<Project, CliError> {
        let start = match &self.project {
            // A relative path has the current folder among its ancestors, and a path that is not there has a parent.
            Some(folder) => folder.canonicalize().map_err(|source| unreadable(folder, source))?,
            None => std::env::current_dir().map_err(|source| unreadable(Path::new("."), source))?,
        };
        Ok(Project::find(&start)?)
    }

    /// The project, if there is one; one that was named must be there.
    ///
    /// # Errors
    /// The named project is not there.
    pub(crate) fn project_if_any(&self) -> Result<Option<Project>, CliError> {
        match (self.project(), &self.project) {
            (Err(error), Some(_)) => Err(error),
            (found, _) => Ok(found.ok()),
        }
    }
}

fn unreadable(path: &Path, source: std::io::Error) -> ConfigError {
    ConfigError::Unreadable { path: path.display().to_string(), source }
}

/// The colours that the arguments ask for, read before they are checked, so that it holds for complaints about them.
pub(crate) fn color(arguments: impl Iterator<Item = OsString>) -> ColorChoice {
    let mut arguments = arguments.filter_map(|one| one.into_string().ok()).take_while(|one| one != "--");
    let mut choice = ColorChoice::Auto;
    while let Some(argument) = arguments.next() {
        let given = match argument.strip_prefix("--color") {
            Some("") => arguments.next(),
            Some(rest) => rest.strip_prefix('=').map(str::to_owned),
            None => None,
        };
        choice = given.and_then(|word| word.parse().ok()).unwrap_or(choice);
    }
    choice
}

/// `error: `, in red where colours are wanted.
pub(crate) fn error_label(choice: ColorChoice) -> String {
    let unset = |name: &str| std::env::var_os(name).is_none_or(|value| value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let colored = match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => std::io::stderr().is_terminal() && unset("NO_COLOR") && !dumb,
    };
    let red = clap::builder::styling::AnsiColor::Red.on_default().bold();
    if colored { format!("{red}error:{red:#} ") } else { "error: ".to_owned() }
}

/// From now on, signals ask the work to stop.
pub(super) fn interrupt() -> Result<Interrupt, CliError> {
    Interrupt::install().map_err(|error| CliError::failed(format!("cannot catch signals: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_known_before_arguments_are_checked() {
        let read = |words: &[&str]| color(words.iter().map(OsString::from));
        assert_eq!(read(&["noregret", "nope", "--color=always"]), ColorChoice::Always);
        assert_eq!(read(&["noregret", "--color", "never", "run"]), ColorChoice::Never);
        assert_eq!(read(&["noregret", "--color=pink"]), ColorChoice::Auto);
        assert_eq!(read(&["noregret", "--", "--color=always"]), ColorChoice::Auto);
        assert_eq!(error_label(ColorChoice::Never), "error: ");
        assert!(error_label(ColorChoice::Always).starts_with('\u{1b}'));
    }
}
