//! `noregret submit` on a real Slurm cluster of two nodes, which tests/slurm/cluster.sh starts on this machine. If
//! Slurm is not installed or cannot be started, the tests say that they are skipped.

use std::io::Write as _;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::pipeline::project::{Ended, Small};
use crate::pipeline::shards::makes;

/// A cluster, stopped when dropped.
struct Cluster {
    folder: tempfile::TempDir,
}

impl Cluster {
    /// Starts a cluster. Without Slurm, it prints a message and returns None.
    fn start() -> Option<Self> {
        // The test harness does not capture this, so that readers of the log see it.
        let skip = |why: &str| drop(writeln!(std::io::stderr(), "skipped the test of `noregret submit`: {why}"));
        let path = std::env::var_os("PATH").unwrap_or_default();
        if !std::env::split_paths(&path).any(|folder| folder.join("sbatch").is_file()) {
            skip("sbatch is not on the PATH (Debian: apt-get install slurm-wlm munge)");
            return None;
        }
        let cluster = Self { folder: tempfile::tempdir().unwrap() };
        let ports: Vec<TcpListener> = (0..3).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
        let numbers: Vec<String> = ports.iter().map(|port| port.local_addr().unwrap().port().to_string()).collect();
        drop(ports);
        let output = cluster.script("start", &numbers.iter().map(String::as_str).collect::<Vec<_>>());
        if !output.status.success() {
            skip(&format!("no cluster on this machine: {}", String::from_utf8_lossy(&output.stderr)));
            return None;
        }
        Some(cluster)
    }

    fn script(&self, action: &str, arguments: &[&str]) -> Output {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/slurm/cluster.sh");
        Command::new(script).arg(action).arg(self.folder.path()).args(arguments).output().unwrap()
    }

    fn configuration(&self) -> PathBuf {
        self.folder.path().join("slurm.conf")
    }

    /// The output of one of Slurm's commands.
    fn ask(&self, program: &str, arguments: &[&str]) -> String {
        let output = Command::new(program).args(arguments).env("SLURM_CONF", self.configuration()).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Runs the binary in a project, on this cluster.
    fn noregret(&self, project: &Small, arguments: &[&str]) -> Ended {
        project.command(arguments).env("SLURM_CONF", self.configuration()).output().unwrap().into()
    }

    /// Submits eight tasks; returns the ids of the array job and of the job that follows it.
    fn submit(&self, project: &Small) -> (String, String) {
        let arguments = ["submit", "--offline", "--jobs", "8", "--time", "10", "--sbatch-arg=--nice=0"];
        let ended = self.noregret(project, &arguments);
        assert_eq!(ended.status, 0, "{}", ended.stderr);
        let ids: Vec<String> = ended
            .stdout
            .lines()
            .filter_map(|line| line.strip_prefix("job ")?.split(':').next().map(str::to_owned))
            .collect();
        let [array, report] = ids.try_into().unwrap_or_else(|ids| panic!("{ids:?}: {}", ended.stdout));
        assert!(ended.stdout.contains(&format!("scancel {array} {report}")), "{}", ended.stdout);
        (array, report)
    }

    /// Waits until a job has left the queue.
    fn wait(&self, job: &str) {
        self.until(&format!("job {job} to end"), || {
            let states = self.ask("squeue", &["--noheader", "--array", "--states=all", "--format=%T", "--jobs", job]);
            let going = ["PENDING", "RUNNING", "COMPLETING", "CONFIGURING", "SUSPENDED", "REQUEUED"];
            states.lines().all(|state| !going.contains(&state))
        });
    }

    fn until(&self, what: &str, done: impl Fn() -> bool) {
        let begin = Instant::now();
        while !done() {
            assert!(
                begin.elapsed() < Duration::from_secs(180),
                "waited in vain for {what}\n{}",
                self.ask("squeue", &[])
            );
            sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.script("stop", &[]);
    }
}

/// The logs of the tasks of a job.
fn logs(project: &Small, job: &str) -> String {
    let files = project.files(&["results/log/slurm"]).into_iter();
    let files = files.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with(&format!("{job}_")));
    files.map(|path| format!("{}:\n{}", path.display(), std::fs::read_to_string(&path).unwrap())).collect()
}

/// Checks that traces, tables and figures are the same, byte for byte.
fn assert_same(project: &Small, local: &Small, jobs: &[&str]) {
    let (here, there) = (project.results(), local.results());
    let names = here.keys().chain(there.keys());
    let other: std::collections::BTreeSet<&String> = names.filter(|name| here.get(*name) != there.get(*name)).collect();
    let logs: String = jobs.iter().map(|job| logs(project, job)).collect();
    assert!(other.is_empty(), "other than locally: {other:?}\n{logs}");
}

/// The number of objects in the store: cells and prepared data.
fn cells_made(project: &Small) -> usize {
    project.stored().len()
}

#[test]
fn a_grid_on_two_nodes_is_a_local_run() {
    let Some(cluster) = Cluster::start() else { return };
    let local = Small::grid(1000, 400);
    local.run(&[]);

    // Undisturbed: eight tasks on two nodes, then the rest.
    let project = Small::grid(1000, 400);
    let (array, report) = cluster.submit(&project);
    let status = project.noregret(&["status"]);
    assert!(status.stdout.contains("run/wine-quality"), "{}", status.stdout);
    cluster.wait(&report);
    assert_same(&project, &local, &[&array, &report]);
    let made = makes(&project);
    assert_eq!(made.keys().filter(|(stage, _)| stage.starts_with("run/")).count(), 200);
    assert!(made.values().all(|&times| times == 1), "{made:?}");
    assert_eq!(project.files(&["results/log/slurm"]).len(), 10, "a script and nine logs");
    assert!(project.planned(&[]).is_empty(), "{}", project.planned(&[]));

    // One node crashes in the middle. Waiting tasks are cancelled, and the rest is submitted again.
    let project = Small::grid(1000, 400);
    let (array, report) = cluster.submit(&project);
    cluster.until("a quarter of the cells", || cells_made(&project) >= 55);
    let crash = cluster.script("crash", &["n2"]);
    assert!(crash.status.success(), "{}", String::from_utf8_lossy(&crash.stderr));
    cluster.ask("scancel", &[&array, &report]);
    cluster.wait(&array);
    cluster.wait(&report);
    let revive = cluster.script("revive", &["n2"]);
    assert!(revive.status.success(), "{}", String::from_utf8_lossy(&revive.stderr));
    let (before, there) = (makes(&project), cells_made(&project));
    assert!((55..220).contains(&there), "{there} cells were made before the crash");
    let (array, report) = cluster.submit(&project);
    cluster.wait(&report);
    assert_same(&project, &local, &[&array, &report]);
    // A cell is logged when it is complete. Cells that were cut off were not logged, so none is logged twice.
    let after = makes(&project);
    assert!(after.values().all(|&times| times == 1), "{after:?}");
    assert!(before.keys().all(|key| after.contains_key(key)));
    let again = cluster.noregret(&project, &["submit", "--offline"]);
    assert!(again.stderr.contains("nothing to do"), "{}", again.stderr);

    // A failing cell cancels nothing: all others are made, and the report says what is missing.
    let project = Small::grid(1000, 400);
    let ended: Ended = project
        .command(&["submit", "--offline", "--jobs", "2"])
        .env("SLURM_CONF", cluster.configuration())
        .env("NOREGRET_FAIL_CELLS", "run/spline-regret:*:3")
        .output()
        .unwrap()
        .into();
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    let report = ended.stdout.lines().nth(1).unwrap().split([' ', ':']).nth(1).unwrap().to_owned();
    cluster.wait(&report);
    assert_eq!(cells_made(&project), 220 + 1 - 2, "two of 220 failed; beside them, the prepared data");
    let page = std::fs::read_to_string(project.path().join("reports/report.md")).unwrap();
    assert!(page.contains("9 of 10"), "{}", logs(&project, &report));
    assert_eq!(project.noregret(&["run", "-n", "-v", "--offline"]).stdout.matches("failed last time").count(), 2);
}

/// A task near its limit finishes its current cell after the warning, and the next submission makes the rest.
#[test]
fn a_warned_task_ends_in_order() {
    let Some(cluster) = Cluster::start() else { return };
    let project = Small::grid(1000, 400);
    // The cluster allows indices up to 100.
    let ended = cluster.noregret(&project, &["submit", "--offline", "--print", "--mem", "4Q"]);
    assert!(ended.status == 2 && ended.stderr.contains("--mem 4Q: a size is"), "{}", ended.stderr);
    let ended = cluster.noregret(&project, &["submit", "--offline", "--print", "--jobs", "150"]);
    assert!(ended.stdout.contains("#SBATCH --array=1-100\n"), "{}", ended.stdout);
    assert!(ended.stderr.contains("MaxArraySize"), "{}", ended.stderr);

    let ended = cluster.noregret(&project, &["submit", "--offline", "run/*", "--jobs", "1"]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    let job = ended.stdout.lines().next().unwrap().split([' ', ':']).nth(1).unwrap().to_owned();
    cluster.until("some cells", || cells_made(&project) >= 20);
    cluster.ask("scancel", &["--batch", "--signal=USR1", &format!("{job}_1")]);
    cluster.wait(&job);
    let log = logs(&project, &job);
    assert!(log.contains("warned that time is running out") && log.contains("nothing is lost"), "{log}");
    let there = cells_made(&project);
    assert!(there < 201, "{there}");
    let ended = project.noregret(&["run", "--offline", "run/*"]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    assert!(makes(&project).values().all(|&times| times == 1));
    assert_eq!(cells_made(&project), 201, "200 cells and the data that they read");
}
