//! The recipe for Grid Engine in docs/src/cluster.md, on a real cluster, which tests/sge/cluster.sh starts on this machine. If
//! Grid Engine is not installed or cannot be started, the test says that it is skipped.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::docs::pages::{blocks, text};
use crate::pipeline::project::{Small, read};
use crate::pipeline::shards::makes;

/// A cluster, stopped when dropped.
struct Cluster {
    folder: tempfile::TempDir,
}

impl Cluster {
    /// Starts a cluster. Without Grid Engine, it prints a message and returns None.
    fn start() -> Option<Self> {
        let cluster = Self { folder: tempfile::tempdir().unwrap() };
        let ports: Vec<TcpListener> = (0..2).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
        let numbers: Vec<String> = ports.iter().map(|port| port.local_addr().unwrap().port().to_string()).collect();
        drop(ports);
        let output = cluster.script("start", &numbers);
        if !output.status.success() {
            let why = String::from_utf8_lossy(&output.stderr).into_owned();
            // The test harness does not capture this, so that readers of the log see it.
            drop(writeln!(std::io::stderr(), "skipped the test of the recipe for Grid Engine: {}", why.trim_end()));
            return None;
        }
        Some(cluster)
    }

    fn script(&self, action: &str, ports: &[String]) -> Output {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sge/cluster.sh");
        Command::new(script).arg(action).arg(self.folder.path()).args(ports).output().unwrap()
    }

    /// The output of lines of shell in a project's folder, with this cluster and the program.
    fn shell(&self, project: &Small, lines: &str) -> String {
        let program = Path::new(env!("CARGO_BIN_EXE_noregret")).parent().unwrap();
        let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
        let mut command = Command::new("sh");
        command.args(["-euc", &format!(". '{}/settings.sh'\n{lines}", self.folder.path().display())]);
        command.current_dir(project.path()).env("PATH", path);
        for variable in ["NOREGRET_MIRROR", "NOREGRET_PROFILE", "NOREGRET_FAIL_CELLS"] {
            command.env_remove(variable);
        }
        let output = command.output().unwrap();
        assert!(output.status.success(), "{lines}\n{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Does what the recipe says; returns the id of the array job.
    fn submit(&self, project: &Small) -> String {
        let said = self.shell(project, &recipe());
        let id = said.strip_prefix("Your job-array ").and_then(|rest| rest.split_once(".1-4:1 ("));
        id.unwrap_or_else(|| panic!("{said}")).0.to_owned()
    }

    /// Waits until no task waits or runs.
    fn wait(&self, project: &Small) {
        self.until(project, "the tasks to end", || self.shell(project, "qstat").is_empty());
    }

    fn until(&self, project: &Small, what: &str, done: impl Fn() -> bool) {
        let begin = Instant::now();
        while !done() {
            assert!(
                begin.elapsed() < Duration::from_secs(180),
                "waited in vain for {what}\n{}\n{}",
                self.shell(project, "qstat -f"),
                logs(project)
            );
            sleep(Duration::from_millis(100));
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.script("stop", &[]);
    }
}

/// The block of the page, with four tasks.
fn recipe() -> String {
    let mut found = blocks(&text("docs/src/cluster.md"));
    found.retain(|block| block.tag == "not run: needs Grid Engine");
    assert_eq!(found.len(), 1, "{found:?}");
    let code = found.remove(0).code;
    assert_eq!(code.matches("64").count(), 1, "{code}");
    code.replace("64", "4")
}

/// The logs of all tasks.
fn logs(project: &Small) -> String {
    let files = project.files(&["results/log/sge"]).into_iter();
    files.map(|path| format!("{}:\n{}", path.display(), read(&path))).collect()
}

/// The number of objects in the store: cells and prepared data.
fn cells_made(project: &Small) -> usize {
    project.stored().len()
}

/// Checks that the tasks have made every cell once: a run here makes none, and traces, tables and figures are those of a local
/// run, byte for byte.
fn assert_complete(project: &Small, local: &Small) {
    assert_eq!(cells_made(project), 221, "{}", logs(project));
    let made = makes(project);
    assert_eq!(made.keys().filter(|(stage, _)| stage.starts_with("run/")).count(), 200);
    let ended = project.run(&[]);
    // A cell that is made again is logged again.
    let made = makes(project);
    assert!(made.values().all(|&times| times == 1), "{made:?}\n{}\n{}", ended.stderr, logs(project));
    assert_eq!(cells_made(project), 221, "{}", ended.stderr);
    let (here, there) = (project.results(), local.results());
    let names = here.keys().chain(there.keys());
    let other: BTreeSet<&String> = names.filter(|name| here.get(*name) != there.get(*name)).collect();
    assert!(other.is_empty(), "other than locally: {other:?}\n{}", logs(project));
    assert!(project.planned(&[]).is_empty(), "{}", project.planned(&[]));
}

#[test]
fn an_array_job_is_a_local_run() {
    let Some(cluster) = Cluster::start() else { return };
    let local = Small::grid(1500, 50_000);
    local.run(&[]);

    // Undisturbed: four tasks on two slots, then the rest here.
    let project = Small::grid(1500, 50_000);
    let job = cluster.submit(&project);
    cluster.wait(&project);
    let names: Vec<_> =
        project.files(&["results/log/sge"]).iter().map(|path| path.extension().unwrap().to_owned()).collect();
    assert_eq!(names, ["1", "2", "3", "4"], "a log for each task of job {job}");
    assert_complete(&project, &local);

    // One task is killed in the middle, and the others go on. The second array makes what the task has left.
    let project = Small::grid(1500, 50_000);
    let job = cluster.submit(&project);
    cluster.until(&project, "the first cells", || cells_made(&project) >= 10);
    cluster.shell(&project, &format!("qdel {job} -t 2"));
    cluster.wait(&project);
    let (before, there) = (makes(&project), cells_made(&project));
    assert!((166..221).contains(&there), "{there} objects beside the killed task's\n{}", logs(&project));
    cluster.submit(&project);
    cluster.wait(&project);
    assert_complete(&project, &local);
    let after = makes(&project);
    assert!(before.keys().all(|key| after.contains_key(key)));
}
