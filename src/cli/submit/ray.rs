//! Ray: a Python module plays the tasks and waits for them. It stands in the program, and is written with its settings.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::cli::error::CliError;
use crate::cli::exit::of_signal;
use crate::cli::show::{counted, pretty};
use noregret_engine::exec::interrupt::Interrupt;
use noregret_engine::exec::progress::{Verbosity, verbosity};

/// The folder of modules and of what tasks print, below the project's folder.
pub(super) const FOLDER: &str = "results/log/ray";

/// The module, with no settings.
const MODULE: &str = include_str!("ray.py");

/// The line of the module that the settings replace.
const SETTINGS: &str = "\nSETTINGS = {}\n";

/// Which Python has Ray.
const PYTHON_VARIABLE: &str = "NOREGRET_PYTHON";

/// How long tasks have to end after a signal. The module waits for them twice ten seconds.
const GRACE: Duration = Duration::from_secs(30);

/// The settings of a module.
#[derive(Clone, Debug)]
pub(super) struct RayJob {
    /// The project's folder.
    pub root: PathBuf,
    /// This program and its arguments, the same for all tasks.
    pub command: Vec<String>,
    /// How many tasks share the cells.
    pub tasks: usize,
    /// When it was written, in seconds since 1970: names of modules that were removed come again.
    pub moment: u64,
    /// Processors of each task.
    pub cpus: usize,
    /// Memory of each task in bytes, or 0 for none in particular.
    pub memory: u64,
}

impl RayJob {
    /// The batch of a module at `path`.
    pub(super) fn batch(&self, path: &Path) -> String {
        format!("ray-{}-{}", self.moment, path.file_stem().unwrap_or_default().display())
    }

    /// The text of the module that will be called `name`, in the folder of modules.
    pub(super) fn text(&self, name: &str) -> Result<String, CliError> {
        let path = Path::new(name);
        let logs = self.root.join(FOLDER).join(path.file_stem().unwrap_or_default());
        let settings = serde_json::json!({
            "root": self.root.display().to_string(),
            "command": self.command,
            "shards": self.tasks,
            "batch": self.batch(path),
            "cpus": self.cpus,
            "memory": self.memory,
            "logs": logs.display().to_string(),
        });
        // JSON of texts, numbers and lists is Python.
        Ok(MODULE.replacen(SETTINGS, &format!("\nSETTINGS = {}", pretty(&settings)?), 1))
    }
}

/// Refuses options that are Slurm's alone: names, and whether they were given.
pub(super) fn refuse(options: &[(&str, bool)]) -> Result<(), CliError> {
    match options.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((name, _)) => Err(CliError::usage(format!(
            "{name} is for Slurm alone: tasks on Ray have no such limit or place. `--engine ray` takes --jobs, --cpus \
             and --mem (docs/src/cluster.md)"
        ))),
    }
}

/// A size as Slurm writes it, in bytes: a number of megabytes, or with K, M, G or T.
pub(super) fn bytes(size: &str) -> Result<u64, CliError> {
    let (digits, unit) = match size.char_indices().last() {
        Some((at, unit)) if unit.is_ascii_alphabetic() => (&size[..at], unit.to_ascii_uppercase()),
        _ => (size, 'M'),
    };
    let power = "KMGT".find(unit).and_then(|at| 1024u64.checked_pow(at as u32 + 1));
    let number = digits.parse::<u64>().ok().filter(|number| *number > 0);
    let bytes = number.zip(power).and_then(|(number, power)| number.checked_mul(power));
    bytes.ok_or_else(|| {
        CliError::usage(format!("--mem {size}: a size is a whole number of megabytes, or as in 4G, 512M"))
    })
}

/// The Python that plays the module.
pub(super) fn python() -> String {
    std::env::var(PYTHON_VARIABLE).ok().filter(|name| !name.is_empty()).unwrap_or_else(|| "python3".to_owned())
}

/// Whether the Python is there and has Ray.
pub(super) fn check(python: &str) -> Result<(), CliError> {
    let find = "import importlib.util as u, sys; sys.exit(0 if u.find_spec('ray') else 3)";
    let ended = Command::new(python).args(["-c", find]).stdin(Stdio::null()).output();
    let other = "`noregret submit --engine ray --print` shows what would be played without it";
    match ended {
        Err(error) => Err(CliError::failed(format!(
            "cannot start {python}: {error}; `--engine ray` needs Python with Ray: `python3 -m pip install ray`, or name a \
             Python that has it in {PYTHON_VARIABLE}. {other}"
        ))),
        Ok(ended) if ended.status.code() == Some(3) => Err(CliError::failed(format!(
            "{python} has no Ray: `{python} -m pip install ray` installs it, or name a Python that has it in \
             {PYTHON_VARIABLE}. {other}"
        ))),
        Ok(ended) if !ended.status.success() => {
            let said = String::from_utf8_lossy(&ended.stderr);
            Err(CliError::failed(format!("{python} does not work: {}", said.trim())))
        }
        Ok(_) => Ok(()),
    }
}

/// What is played, and how to follow, cancel and collect it.
pub(super) fn told(module: &Path, tasks: usize, cells: usize) -> String {
    let name = module.file_stem().unwrap_or_default().display();
    let cells = match tasks {
        0 => String::new(),
        _ => format!("{} in {} on Ray, then ", counted(cells, "cell"), counted(tasks, "task")),
    };
    format!(
        "{cells}tables, figures and the report\n\
         script   {}\n\
         follow   noregret status; tail {FOLDER}/{name}_*.log\n\
         cancel   Ctrl-C\n\
         collect  noregret report; to make what was cut off or failed, run the same `noregret submit` again\n",
        module.display()
    )
}

/// Plays the module to its end. Returns the exit status.
pub(super) fn play(python: &str, module: &Path) -> Result<u8, CliError> {
    let failed = |error: io::Error| CliError::failed(format!("cannot play {}: {error}", module.display()));
    let interrupt = Interrupt::install_with(GRACE).map_err(failed)?;
    let mut command = Command::new(python);
    command.arg(module).arg("tied").args((verbosity() == Verbosity::Quiet).then_some("quiet"));
    let mut child = command.stdin(Stdio::piped()).spawn().map_err(failed)?;
    // The module ends its tasks, and then itself, when this pipe ends: after a signal, and with this process.
    let mut tie = child.stdin.take();
    loop {
        if interrupt.signal().is_some() {
            tie = None;
        }
        if let Some(status) = child.try_wait().map_err(failed)? {
            drop(tie);
            return match (interrupt.signal(), status.code()) {
                (Some(signal), _) => Ok(of_signal(signal)),
                (None, Some(code)) => Ok(u8::try_from(code).unwrap_or(1)),
                (None, None) => Err(CliError::failed(format!("{} was killed: {status}", module.display()))),
            };
        }
        sleep(Duration::from_millis(50));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_slurm() {
        let known = [("4G", 4 << 30), ("512", 512 << 20), ("512M", 512 << 20), ("8k", 8 << 10), ("1T", 1 << 40)];
        for (text, expected) in known {
            assert_eq!(bytes(text), Ok(expected), "{text}");
        }
        for wrong in ["", "G", "4X", "-1G", "0", "1.5G", "99999999999T", "4GB"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn settings_stand_in_the_module() -> Result<(), CliError> {
        let job = RayJob {
            root: "/my project".into(),
            command: vec!["/opt/noregret".into(), "run".into(), "stream.name=\"x\"".into()],
            tasks: 8,
            moment: 5,
            cpus: 2,
            memory: 1 << 30,
        };
        assert_eq!(MODULE.matches(SETTINGS).count(), 1);
        let text = job.text("results/log/ray/job-3.py")?;
        for wanted in [
            "\"batch\": \"ray-5-job-3\"",
            "\"logs\": \"/my project/results/log/ray/job-3\"",
            "\"memory\": 1073741824",
            "\"stream.name=\\\"x\\\"\"",
            "\"shards\": 8",
        ] {
            assert!(text.contains(wanted), "{wanted} is not in {text}");
        }
        assert!(!text.contains(SETTINGS));
        Ok(())
    }

    #[test]
    fn the_module_is_short() {
        assert!(MODULE.lines().count() <= 150);
    }
}
