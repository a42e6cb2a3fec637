//! Nothing stale is kept, and nothing fresh is made again.

use std::time::{Duration, SystemTime};

use noregret_engine::exec::store::{ObjectName, ResultStore};
use noregret_engine::plan::key::unhex;

use super::project::{Small, read};

/// The number of run cells in a plan.
fn cells(plan: &str) -> usize {
    plan.lines().filter(|line| line.contains("run/")).filter(|line| line.contains("replicate")).count()
}

#[test]
fn a_second_run_has_nothing_to_do_and_writes_nothing() {
    let project = Small::new();
    let first = project.run(&[]);
    assert!(first.stderr.contains("run/wine-quality"), "{}", first.stderr);
    let before = project.stamps();
    let second = project.run(&[]);
    assert_eq!(before, project.stamps());
    assert_eq!(second.stderr.trim().lines().count(), 1, "{}", second.stderr);
    assert!(second.stderr.to_lowercase().contains("nothing to do"), "{}", second.stderr);
    assert!(second.stdout.is_empty(), "{}", second.stdout);
    for file in [
        "reports/report.md",
        "reports/index.html",
        "reports/figures/wine-quality-loss.svg",
        "reports/figures/spline-regret.png",
        "results/runs.parquet",
        "results/traces/wine-quality.parquet",
        "reports/tables/leaderboard.md",
    ] {
        assert!(project.path().join(file).is_file(), "{file}");
    }
}

#[test]
fn touching_everything_reruns_nothing() {
    let project = Small::new();
    project.run(&[]);
    let before = project.results();
    let stamp = SystemTime::now() - Duration::from_secs(1000);
    for path in project.files(&["."]) {
        let file = std::fs::File::open(&path).unwrap();
        file.set_modified(stamp).unwrap();
    }
    assert_eq!(cells(&project.planned(&[])), 0);
    let ended = project.run(&[]);
    assert!(ended.stderr.to_lowercase().contains("nothing to do"), "{}", ended.stderr);
    assert_eq!(before, project.results());
}

#[test]
fn values_compare_as_values_and_a_new_value_runs_alone() {
    let project = Small::new();
    project.run(&[]);
    project.edit("pipeline/experiments/wine-quality.toml", "lambda = [1, 1e-3]", "lambda = [1.0, 0.0010]  # the same");
    assert_eq!(cells(&project.planned(&["run/*"])), 0, "{}", project.planned(&["run/*"]));
    project.edit("pipeline/experiments/wine-quality.toml", "[1.0, 0.0010]", "[1.0, 0.0010, 10]");
    let plan = project.planned(&["run/*"]);
    assert_eq!(cells(&plan), 2, "{plan}");
    project.run(&["run/*"]);
    assert_eq!(cells(&project.planned(&["run/*"])), 0);
    // A different number of replicates keeps the old ones.
    project.edit("pipeline/experiments/spline-regret.toml", "replicates = 2", "replicates = 3");
    assert_eq!(cells(&project.planned(&["run/spline-regret"])), 2);
}

#[test]
fn explain_names_the_field_with_old_and_new_value() {
    let project = Small::new();
    project.run(&[]);
    project.edit("pipeline/experiments/wine-quality.toml", "features = 20", "features = 30");
    let ended = project.noregret(&["explain", "run/wine-quality"]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    assert!(
        ended.stdout.contains("features") && ended.stdout.contains("20") && ended.stdout.contains("30"),
        "{}",
        ended.stdout
    );
}

#[test]
fn the_number_of_threads_changes_no_byte() {
    let (one, two) = (Small::new(), Small::new());
    one.run(&["-j", "1"]);
    two.run(&["-j", "2"]);
    let (one, two) = (one.results(), two.results());
    assert!(one.keys().any(|name| name.ends_with(".svg")) && one.len() > 10);
    assert_eq!(one.keys().collect::<Vec<_>>(), two.keys().collect::<Vec<_>>());
    for (name, bytes) in &one {
        assert!(two[name] == *bytes, "{name} differs");
    }
}

#[test]
fn a_target_runs_what_it_needs_and_nothing_else() {
    let project = Small::new();
    project.run(&["figure/spline-regret"]);
    assert!(project.path().join("reports/figures/spline-regret.svg").is_file());
    assert!(!project.path().join("results/runs/wine-quality.parquet").exists());
    let ended = project.noregret(&["run", "figure/spline-regert"]);
    assert_eq!(ended.status, 2);
    assert!(ended.stderr.contains("figure/spline-regret"), "{}", ended.stderr);
}

#[test]
fn overrides_change_cells_and_misspelt_ones_are_refused() {
    let project = Small::new();
    project.run(&["run/wine-quality"]);
    assert_eq!(cells(&project.planned(&["run/wine-quality", "fogd.features=10"])), 2);
    assert_eq!(cells(&project.planned(&["run/wine-quality", "seed=1"])), 6);
    assert_eq!(cells(&project.planned(&["run/wine-quality", "wine-quality.replicates=1"])), 0);
    let ended = project.noregret(&["run", "-n", "lamda=1"]);
    assert_eq!(ended.status, 2);
    assert!(ended.stderr.contains("lamda") && ended.stderr.contains("lambda"), "{}", ended.stderr);
}

#[test]
fn every_damaged_file_is_found_and_rebuilt() {
    let project = Small::new();
    project.run(&[]);
    let sound = project.results();
    let damaged: Vec<_> = sound.keys().cloned().collect();
    for (i, name) in damaged.iter().enumerate() {
        let path = project.path().join(name);
        let mut permissions = path.metadata().unwrap().permissions();
        #[expect(clippy::permissions_set_readonly_false, reason = "the file is removed with its folder")]
        permissions.set_readonly(false);
        std::fs::set_permissions(&path, permissions).unwrap();
        let mut bytes = sound[name].clone();
        if i % 2 == 0 {
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
        } else {
            bytes.truncate(bytes.len() / 2);
        }
        std::fs::write(&path, bytes).unwrap();
    }
    let ended = project.run(&[]);
    assert!(ended.stderr.contains("damaged"), "{}", ended.stderr);
    let rebuilt = project.results();
    for (name, bytes) in &sound {
        assert!(rebuilt.get(name) == Some(bytes), "{name} was not rebuilt");
    }
}

#[test]
fn two_runs_at_once_share_the_work() {
    let project = Small::new();
    let start = || project.command(&["run", "--offline"]).stderr(std::process::Stdio::piped()).spawn().unwrap();
    let (first, second) = (start(), start());
    let (first, second) = (first.wait_with_output().unwrap(), second.wait_with_output().unwrap());
    assert!(first.status.success() && second.status.success(), "{first:?}\n{second:?}");
    // Each executed object is measured once, by the run that executed it.
    let mut keys = Vec::new();
    for path in project.files(&["results/log"]) {
        if path.file_name().unwrap().to_string_lossy().starts_with("measurements") {
            for line in std::fs::read_to_string(&path).unwrap().lines() {
                let line: serde_json::Value = serde_json::from_str(line).unwrap();
                keys.push(line["key"].as_str().unwrap().to_owned());
            }
        }
    }
    let all = keys.len();
    keys.sort();
    keys.dedup();
    assert_eq!(all, keys.len(), "a cell was computed twice");
    assert!(all >= 10);
}

#[test]
fn damage_that_left_the_time_alone_is_found_by_verify_and_then_rebuilt() {
    let project = Small::new();
    project.run(&[]);
    let sound = project.results();
    for name in ["results/runs/wine-quality.parquet", sound.keys().find(|name| name.contains("/objects/")).unwrap()] {
        let path = project.path().join(name);
        let modified = path.metadata().unwrap().modified().unwrap();
        let mut permissions = path.metadata().unwrap().permissions();
        #[expect(clippy::permissions_set_readonly_false, reason = "the file is removed with its folder")]
        permissions.set_readonly(false);
        std::fs::set_permissions(&path, permissions).unwrap();
        let mut bytes = sound[name].clone();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(&path, bytes).unwrap();
        std::fs::File::open(&path).unwrap().set_modified(modified).unwrap();
    }
    let verified = project.noregret(&["verify"]);
    assert_eq!(verified.status, 1, "{}{}", verified.stdout, verified.stderr);
    project.run(&[]);
    assert_eq!(project.results(), sound);
    assert_eq!(project.noregret(&["verify"]).status, 0);
}

#[test]
fn gc_removes_what_is_no_longer_declared() {
    let project = Small::new();
    project.run(&[]);
    let figure = project.path().join("reports/figures/spline-regret.svg");
    let kept = project.path().join("reports/figures/wine-quality-loss.svg");
    assert!(figure.is_file() && kept.is_file());
    let counted = || {
        let report = read(&project.path().join("reports/report.md"));
        report.lines().find(|line| line.starts_with("| Runs |")).unwrap().to_owned()
    };
    assert_eq!(counted(), "| Runs | 10 |");
    for name in ["figures/spline-regret.toml", "experiments/spline-regret.toml"] {
        std::fs::remove_file(project.path().join("pipeline").join(name)).unwrap();
    }
    // The report counts what is declared, whatever else is in the folder of results.
    project.run(&[]);
    assert_eq!(counted(), "| Runs | 6 |");
    assert_eq!(project.noregret(&["gc", "-n"]).status, 0);
    assert!(figure.is_file());
    assert_eq!(project.noregret(&["gc"]).status, 0);
    assert!(!figure.exists() && kept.is_file());
    project.run(&["figure/wine-quality-loss"]);
}

/// As after a forced remake with other code, the trace of another cell is stored under the key of the first.
#[test]
fn tables_and_figures_follow_the_bytes_of_a_cell_not_only_its_key() {
    let project = Small::new();
    project.run(&[]);
    let before = project.results();
    let store = ResultStore::new(project.path());
    let manifest = read(&store.folder("manifests/run").join("wine-quality.json"));
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    let objects: Vec<String> = [0, 3]
        .map(|item: usize| unhex(manifest["items"][item]["key"].as_str().unwrap()).unwrap())
        .map(|key| store.find(&key).unwrap().unwrap())
        .into();
    let (first, bytes) = (ObjectName::parse(&objects[0]).unwrap(), store.read(&objects[1]).unwrap());
    let name = ObjectName::format(&first.key, &bytes, &first.sources, objects[0].rsplit('.').next().unwrap());
    std::fs::write(store.object_path(&name), bytes).unwrap();
    store.remove(&store.object_path(&objects[0])).unwrap();

    let plan = project.planned(&[]);
    assert!(plan.contains("summarise/wine-quality: the bytes of run/wine-quality changed\n"), "{plan}");
    assert!(plan.contains(": only if the bytes of summarise/wine-quality change"), "{plan}");
    assert!(!plan.contains("spline-regret: the bytes"), "{plan}");
    project.run(&[]);
    let changed = |name: &str| before[name] != project.results()[name];
    assert!(changed("results/runs/wine-quality.parquet") && changed("reports/figures/wine-quality-loss.svg"));
    assert!(!changed("results/runs/spline-regret.parquet"));
    assert!(project.run(&[]).stderr.contains("nothing to do"));
}
