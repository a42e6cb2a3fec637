//! `noregret export`: what is in a crate, and that the validator of RO-Crate accepts it.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use sha2::{Digest as _, Sha256};

use crate::pipeline::project::Small;

/// A small project with results, and a crate of it.
fn exported() -> (Small, serde_json::Value) {
    let project = Small::new();
    project.run(&["figure/spline-regret"]);
    let ended = project.noregret(&["export", "--crate", "crate", "figure/spline-regret", "--offline"]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    let metadata = fs::read(project.path().join("crate/ro-crate-metadata.json")).unwrap();
    (project, serde_json::from_slice(&metadata).unwrap())
}

/// Declarations of added data, and the scripts of external learners.
#[test]
fn a_crate_holds_what_the_pipeline_names() {
    let project = Small::new();
    project.write("own/tiny.csv", "a,y\n1,2\n2,4\n3,7\n");
    let added = project.noregret(&["data", "add", "own/tiny.csv", "--name", "tiny", "--target", "y"]);
    assert_eq!(added.status, 0, "{}", added.stderr);
    project.write("own/learner.py", "pass\n");
    project.write(
        "pipeline/learners/mine.toml",
        "summary = \"mine\"\nversion = \"1\"\ncommand = [\"python3\", \"own/learner.py\"]\nfiles = [\"own/learner.py\"]\n",
    );
    project.run(&["summarise/spline-regret"]);
    let ended = project.noregret(&["export", "--crate", "crate", "summarise/spline-regret", "--offline"]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    for file in ["data/added/tiny.toml", "pipeline/learners/mine.toml", "own/learner.py"] {
        assert!(project.path().join("crate").join(file).is_file(), "{file}");
    }
    assert!(!project.path().join("crate/own/tiny.csv").exists());
}

#[test]
fn a_crate_describes_every_file_that_it_holds() {
    let (project, metadata) = exported();
    let folder = project.path().join("crate");
    let graph = metadata["@graph"].as_array().unwrap();
    let is_file = |entity: &serde_json::Value| {
        entity["@type"] == "File" || entity["@type"].as_array().is_some_and(|types| types.contains(&"File".into()))
    };
    let files: Vec<_> = graph.iter().filter(|entity| is_file(entity)).collect();
    let mut described = BTreeSet::from(["ro-crate-metadata.json".to_owned()]);
    for file in &files {
        let name = file["name"].as_str().unwrap();
        let bytes = fs::read(folder.join(name)).unwrap();
        assert_eq!(file["sha256"], hex::encode(Sha256::digest(&bytes)), "{name}");
        assert_eq!(file["contentSize"], bytes.len().to_string(), "{name}");
        described.insert(name.to_owned());
    }
    let there: BTreeSet<String> = project
        .files(&["crate"])
        .iter()
        .map(|path| path.strip_prefix(&folder).unwrap().display().to_string())
        .collect();
    assert_eq!(described, there);
    for name in ["pipeline/experiments/spline-regret.toml", "results/runs/spline-regret.parquet"] {
        assert!(there.contains(name), "{there:?}");
    }
    assert!(there.contains("reports/figures/spline-regret.svg"), "{there:?}");
    // Every reference leads to an entity or out of the crate.
    let ids: BTreeSet<&str> = graph.iter().filter_map(|entity| entity["@id"].as_str()).collect();
    assert_eq!(ids.len(), graph.len());
    let mut open = vec![&metadata["@graph"]];
    while let Some(value) = open.pop() {
        match value {
            serde_json::Value::Array(items) => open.extend(items),
            serde_json::Value::Object(entity) => {
                if let (1, Some(id)) = (entity.len(), entity.get("@id").and_then(|id| id.as_str())) {
                    assert!(ids.contains(id) || id.starts_with("https://"), "{id}");
                }
                open.extend(entity.values());
            }
            _ => {}
        }
    }
    let workflow: serde_json::Value = serde_json::from_slice(&fs::read(folder.join("workflow.json")).unwrap()).unwrap();
    let stage = |name: &str| workflow["stages"].as_array().unwrap().iter().find(|stage| stage["name"] == name).cloned();
    let cell = &stage("run/spline-regret").unwrap()["items"][0];
    assert_eq!(cell["parameters"]["learner"], "kernel-awv", "{cell}");
    let code = &workflow["code"][cell["code"].as_str().unwrap()];
    assert!(code["noregret_core::learner::ridge::exact"].is_string(), "{code}");
    assert!(stage("run/wine-quality").is_none(), "nobody asked for it");
}

#[test]
fn a_crate_is_made_of_what_is_there() {
    let (project, _) = exported();
    let again = project.noregret(&["export", "--crate", "crate", "--offline"]);
    assert_eq!(again.status, 2, "{}", again.stderr);
    assert!(again.stderr.contains("crate holds something already"), "{}", again.stderr);
    let all = project.noregret(&["export", "--crate", "whole", "--offline", "--license", "CC-BY-4.0"]);
    assert_eq!(all.status, 0, "{}", all.stderr);
    assert!(all.stderr.contains("missing or stale and left out; `noregret run` makes them"), "{}", all.stderr);
    assert!(fs::read_to_string(project.path().join("whole/ro-crate-metadata.json")).unwrap().contains("CC-BY-4.0"));
    // A file that is not what was made is left out.
    let runs = "results/runs/spline-regret.parquet";
    fs::write(project.path().join(runs), "other").unwrap();
    let damaged = project.noregret(&["export", "--crate", "third", "--offline"]);
    assert!(damaged.status == 0 && !project.path().join("third").join(runs).exists(), "{}", damaged.stderr);
    let none = Small::new().noregret(&["export", "--crate", "crate", "--offline"]);
    assert_eq!(none.status, 1, "{}", none.stderr);
    assert!(none.stderr.contains("`noregret run` makes results"), "{}", none.stderr);
}

/// The validator is `roc-validator` with `rocrate` 0.13, both from PyPI. NOREGRET_ROC names a Python that has them.
#[test]
fn the_validator_accepts_a_crate() {
    let python = std::env::var("NOREGRET_ROC").unwrap_or_else(|_| "python3".into());
    let has = Command::new(&python).args(["-c", "import rocrate, rocrate_validator"]).output();
    if !has.is_ok_and(|ended| ended.status.success()) {
        eprintln!("skipped: the_validator_accepts_a_crate: {python} has no roc-validator (NOREGRET_ROC names one)");
        return;
    }
    let (project, _) = exported();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/suite/docs/validate.py");
    let validate = || Command::new(&python).args([script, "crate"]).current_dir(project.path()).output().unwrap();
    let ended = validate();
    let said = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert!(ended.status.success(), "{said}\n{}", String::from_utf8_lossy(&ended.stderr));
    assert_eq!(said.matches(" passed").count(), 4, "{said}");
    // It refuses what is wrong.
    let path = project.path().join("crate/ro-crate-metadata.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("\"ComputationalWorkflow\"", "\"Thing\"")).unwrap();
    assert!(!validate().status.success());
}
