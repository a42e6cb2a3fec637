//! The arguments of `noregret compare`.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};

use noregret_data::declaration::Task;
use noregret_stream::file_args::FileArgs;
use noregret_study::compare::metric::Metric;
use noregret_study::compare::project::slug;

/// Play every learner that fits a file over a small grid of its parameters, print a leaderboard, and write a project
#[derive(Args, Clone, Debug)]
pub(crate) struct CompareArgs {
    /// A file of CSV, Parquet, Arrow IPC or LIBSVM text, plain or compressed; it stays where it is. Columns of words and dates
    /// are recognised, and gaps are filled
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// How the file is read
    #[command(flatten)]
    pub columns: FileArgs,
    /// Further columns to predict. The targets are compared one after the other, each within its share of the budget and in a
    /// folder of its own; no target is an input of another one
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', requires = "target")]
    pub further_targets: Vec<String>,
    /// What is predicted [default: binary if the target has two values, classes if it has other words]
    #[arg(long, value_enum, value_name = "TASK")]
    pub task: Option<TaskChoice>,
    /// The order of the rows: of the file, or a random one, the same for all learners
    #[arg(long, value_enum, value_name = "ORDER", default_value_t)]
    pub order: RowOrder,
    /// Only these learners, beside the baselines and `auto`; also those that the project around declares [default: all that
    /// fit; `noregret list learners` names them]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub learners: Vec<String>,
    /// Values to try in place of the default ones: `fogd.eta=0.01,0.1,1`, `kernel-ridge.kernel.name=gaussian,laplace`
    /// (may be repeated; values are for scaled inputs and targets)
    #[arg(long, value_name = "LEARNER.KEY=A,B,C")]
    pub grid: Vec<String>,
    /// Seeds under which learners that draw random numbers are judged: this one and the next ones [default: 3]
    #[arg(long, value_name = "N")]
    pub replicates: Option<NonZeroU32>,
    /// What decides
    #[arg(long, value_enum, value_name = "METRIC", default_value_t)]
    pub metric: Metric,
    /// How long it may take: `30s`, `2m`, `1h`. Nothing starts after this time, and everything has ended by 5/4 of it; where
    /// that is too short for all rows, fewer are played
    #[arg(long, value_name = "TIME", default_value = "2m", value_parser = duration)]
    pub budget: Duration,
    /// The folder of the project [default: NAME-TARGET-compare, with the names of the file and of the target]. Of several
    /// targets, each has a folder in it that is called after the target
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Seed of all random draws
    #[arg(long, value_name = "N", default_value_t)]
    pub seed: u32,
    /// Threads that share the work [default: one per core]
    #[arg(short, long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
    /// Print the leaderboard as JSON; of several targets, a list of them
    #[arg(long)]
    pub json: bool,
}

/// What is predicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TaskChoice {
    /// A quantity
    Regression,
    /// One of two classes
    Binary,
    /// One of several classes, in the words of the file; errors decide
    Classes,
}

impl From<TaskChoice> for Task {
    fn from(choice: TaskChoice) -> Self {
        match choice {
            TaskChoice::Regression => Task::Regression,
            TaskChoice::Binary | TaskChoice::Classes => Task::Classification,
        }
    }
}

/// The order of the rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum RowOrder {
    /// As in the file
    #[default]
    File,
    /// Random, by the seed
    Shuffle,
}

impl CompareArgs {
    /// The name of dataset and experiment.
    pub(crate) fn name(&self) -> String {
        slug(&self.file)
    }

    /// A call for each target, with the budget of all.
    ///
    /// # Errors
    /// A target that is named twice.
    pub(crate) fn each(&self) -> Result<Vec<Self>, String> {
        let targets: Vec<&String> = self.columns.target.iter().chain(&self.further_targets).collect();
        if targets.len() <= 1 {
            return Ok(vec![self.clone()]);
        }
        if let Some(twice) = targets.iter().enumerate().find(|(i, name)| targets[..*i].contains(name)) {
            return Err(format!("--further-targets: {} is named twice", twice.1));
        }
        let one = |target: &&String| {
            let mut call = Self { further_targets: Vec::new(), ..self.clone() };
            call.columns.target = Some((*target).clone());
            if self.columns.inputs.is_none() {
                let others = targets.iter().filter(|other| *other != target && !self.columns.drop.contains(other));
                call.columns.drop.extend(others.map(|other| (*other).clone()));
            }
            call.output = self.output.as_ref().map(|folder| folder.join(slug(Path::new(target.as_str()))));
            call
        };
        Ok(targets.iter().map(one).collect())
    }

    /// Whether rows are in the order of the file.
    pub(crate) fn in_order(&self) -> bool {
        self.order == RowOrder::File
    }

    /// Seeds.
    pub(crate) fn replicates(&self) -> u32 {
        self.replicates.map_or(3, NonZeroU32::get)
    }
}

/// `30s`, `2m`, `1h`, `1.5m`; a plain number is in seconds.
fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is not a time; write 30s, 2m or 1h");
    let (number, unit) = match text.trim().char_indices().last() {
        Some((at, 's')) => (&text.trim()[..at], 1.0),
        Some((at, 'm')) => (&text.trim()[..at], 60.0),
        Some((at, 'h')) => (&text.trim()[..at], 3600.0),
        _ => (text.trim(), 1.0),
    };
    let seconds = number.parse::<f64>().map_err(|_| wrong())? * unit;
    if !(1.0..=1e7).contains(&seconds) {
        return Err(format!("`{text}` is not a time between one second and 100 days"));
    }
    Ok(Duration::from_secs_f64(seconds))
}

#[cfg(test)]
mod tests {
    use super::duration;

    #[test]
    fn budgets_have_units() {
        let seconds = |text| duration(text).map(|time| time.as_secs_f64());
        assert_eq!(["30s", "2m", "1h", "1.5m", "45"].map(|text| seconds(text).unwrap()), [30., 120., 3600., 90., 45.]);
        for wrong in ["", "m", "fast", "0s", "-1m", "1d", "1e99h", "ö"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }
}
