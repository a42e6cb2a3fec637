//! A small project in a temporary folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};

use noregret_engine::exec::records::snapshot;
use noregret_engine::exec::store::ResultStore;
use noregret_study::config::study::ItemKind;

use crate::studies::{keys, text};

/// A project folder with two small experiments, removed when dropped.
pub struct Small {
    folder: tempfile::TempDir,
}

/// The output and the exit status of one invocation.
#[derive(Debug)]
pub struct Ended {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        Self {
            status: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// Sends `signal` as soon as `begun`, and returns the status with which the process ends; 20 s are enough for each.
#[cfg(target_os = "linux")]
pub fn signalled(child: &mut Child, signal: rustix::process::Signal, begun: impl Fn() -> bool) -> Option<i32> {
    let waited = |done: &mut dyn FnMut() -> bool| {
        (0..4000).any(|_| {
            done() || {
                std::thread::sleep(std::time::Duration::from_millis(5));
                false
            }
        })
    };
    assert!(waited(&mut || begun()), "the process does not begin");
    rustix::process::kill_process(rustix::process::Pid::from_child(child), signal).unwrap();
    let mut status = None;
    waited(&mut || {
        status = child.try_wait().unwrap();
        status.is_some()
    });
    let _ = child.kill();
    status?.code()
}

pub const WINE: &str = r#"
title = "Wine"
replicates = 2
horizons = [300]
[stream]
dataset = "wine-quality"
scale = "unit"
[[learners]]
name = "pkrr-taylor"
label = "PKRR M = {order}, lambda = {lambda}"
lambda = [1, 1e-3]
order = 1
[[learners]]
name = "fogd"
label = "FOGD"
features = 20
"#;

pub const WINE_LOSS: &str = r#"
kind = "curves"
paper = "pkawv"
experiments = ["wine-quality"]
title = "Wine"
x = "round t"
y = "average squared loss"
shows = "Average squared loss"
[options]
show = "average_loss"
against = "round"
order = ["FOGD"]
"#;

pub const SPLINE: &str = r#"
title = "Spline"
replicates = 2
horizons = [32, 64]
[stream]
law = "periodic-spline"
[[learners]]
name = "kernel-awv"
label = "AWV"
lambda = { horizon_power = 0.5 }
kernel = { name = "sobolev-periodic", smoothness = 1, frequency = "angular" }
[comparator]
name = "penalised"
lambda = { horizon_power = 0.5 }
kernel = { name = "sobolev-periodic", smoothness = 1, frequency = "angular" }
"#;

/// A row of rates for the experiment [`SPLINE`].
pub const SPLINE_RATE: &str = r#"
theorem = "pkawv-capacity"
parameters = { gamma = 0.5 }
experiment = "spline-regret"
label = "AWV"
setting = "spline"
horizons = [16, 32, 64, 128]
"#;

impl Small {
    pub fn new() -> Self {
        let project = Self { folder: tempfile::tempdir().unwrap() };
        let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
        // Without the rule of quick, which would leave next to nothing of these sizes.
        let profiles = read(&repository.join("pipeline/profiles.toml"));
        let profiles = profiles.lines().filter(|line| !line.starts_with("sizes")).collect::<Vec<_>>().join("\n");
        project.write("pipeline/profiles.toml", &profiles);
        project.write(
            "pipeline/datasets/wine-quality.toml",
            &read(&repository.join("pipeline/datasets/wine-quality.toml")),
        );
        project.write("pipeline/experiments/wine-quality.toml", WINE);
        project.write("pipeline/experiments/spline-regret.toml", SPLINE);
        project.write("pipeline/figures/wine-quality-loss.toml", WINE_LOSS);
        // Its claims name rows of rates that are not here.
        let mut figure = keys(ItemKind::Figure, "spline-regret");
        figure.remove("claims");
        project.write("pipeline/figures/spline-regret.toml", &toml::to_string(&figure).unwrap());
        project.write("pipeline/tables/leaderboard.toml", &text(ItemKind::Table, "leaderboard"));
        project.edit("pipeline/tables/leaderboard.toml", "\"casp\", \"ijcnn1\", \"cod-rna\", \"susy\", ", "");
        project
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Replaces text in a file, which must contain it.
    pub fn edit(&self, name: &str, from: &str, to: &str) {
        let text = read(&self.path().join(name));
        assert!(text.contains(from), "{name} does not hold {from}");
        self.write(name, &text.replace(from, to));
    }

    /// A project with 200 cells, of which 60 take a while, by their rounds and features, and 20 comparators.
    pub fn grid(rounds: usize, features: usize) -> Self {
        let (project, horizons, features) = (Self::new(), format!("[{rounds}]"), format!("features = {features}"));
        let longer = [("replicates = 2", "replicates = 60"), ("[300]", &horizons), ("order = 1", "order = 2")];
        for (from, to) in longer.into_iter().chain([("features = 20", &*features)]) {
            project.edit("pipeline/experiments/wine-quality.toml", from, to);
        }
        project.edit("pipeline/experiments/spline-regret.toml", "replicates = 2", "replicates = 10");
        project
    }

    /// The command that runs the binary in this project, without the caller's settings.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_noregret"));
        command.args(arguments).current_dir(self.path());
        for variable in ["NOREGRET_MIRROR", "NOREGRET_PROFILE", "NOREGRET_FAIL_CELLS"] {
            command.env_remove(variable);
        }
        command
    }

    pub fn noregret(&self, arguments: &[&str]) -> Ended {
        self.command(arguments).output().unwrap().into()
    }

    /// Runs `noregret run --offline` with further arguments. It must succeed.
    pub fn run(&self, arguments: &[&str]) -> Ended {
        let ended = self.noregret(&[&["run", "--offline"], arguments].concat());
        assert_eq!(ended.status, 0, "{}", ended.stderr);
        ended
    }

    /// Every file below results and reports that counts as a result, without bookkeeping and times.
    pub fn results(&self) -> BTreeMap<String, Vec<u8>> {
        self.files(&["results", "reports"])
            .into_iter()
            .filter(|path| {
                let name = path.strip_prefix(self.path()).unwrap().to_string_lossy().into_owned();
                let bookkeeping = ["results/log", "results/store/", "reports/timings", "reports/report.md"];
                let page = name.starts_with("reports/") && name.ends_with(".html");
                !(page || bookkeeping.iter().any(|prefix| name.starts_with(prefix)))
                    || name.starts_with("results/store/objects")
            })
            .map(|path| (path.strip_prefix(self.path()).unwrap().display().to_string(), std::fs::read(path).unwrap()))
            .chain(self.objects())
            .collect()
    }

    /// The names of all sound objects.
    pub fn stored(&self) -> Vec<String> {
        let found = snapshot(&ResultStore::new(self.path()), false, None).unwrap();
        found.objects.into_values().map(|object| object.file).collect()
    }

    /// All sound objects, as if each lay by itself.
    fn objects(&self) -> BTreeMap<String, Vec<u8>> {
        let store = ResultStore::new(self.path());
        let found = self.stored().into_iter().map(|name| {
            let path = store.object_path(&name);
            (path.strip_prefix(self.path()).unwrap().display().to_string(), store.read(&name).unwrap())
        });
        found.collect()
    }

    /// All files below the given folders, sorted.
    pub fn files(&self, folders: &[&str]) -> Vec<PathBuf> {
        let mut files = Vec::new();
        let mut waiting: Vec<PathBuf> = folders.iter().map(|folder| self.path().join(folder)).collect();
        while let Some(folder) = waiting.pop() {
            let Ok(entries) = std::fs::read_dir(&folder) else { continue };
            for entry in entries {
                let path = entry.unwrap().path();
                if path.is_dir() { waiting.push(path) } else { files.push(path) }
            }
        }
        files.sort();
        files
    }

    /// Names, sizes and modification times of everything in the project.
    pub fn stamps(&self) -> Vec<(PathBuf, u64, std::time::SystemTime)> {
        self.files(&["."])
            .into_iter()
            .map(|path| {
                let metadata = path.metadata().unwrap();
                let modified = metadata.modified().unwrap();
                (path, metadata.len(), modified)
            })
            .collect()
    }

    /// What `run -n -v --offline` prints for the targets: a line for each step.
    pub fn planned(&self, arguments: &[&str]) -> String {
        let ended = self.noregret(&[&["run", "-n", "-v", "--offline"], arguments].concat());
        assert_eq!(ended.status, 0, "{}", ended.stderr);
        ended.stdout
    }
}

pub fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
