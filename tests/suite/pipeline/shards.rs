//! `noregret run --shard` and `noregret submit --print` through the binary: many processes on one folder.

use std::collections::BTreeMap;
use std::process::Stdio;

use super::project::{Ended, Small};

/// How often each item was made according to the log, by stage and key.
pub fn makes(project: &Small) -> BTreeMap<(String, String), usize> {
    let mut makes = BTreeMap::new();
    for path in project.files(&["results/log"]) {
        if path.extension().is_none_or(|extension| extension != "jsonl") {
            continue;
        }
        for line in std::fs::read_to_string(path).unwrap().lines() {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            if let (Some(stage), Some(key)) = (line["stage"].as_str(), line["key"].as_str()) {
                *makes.entry((stage.to_owned(), key.to_owned())).or_default() += 1;
            }
        }
    }
    makes
}

#[test]
fn shards_at_once_are_one_run() {
    let undisturbed = Small::new();
    undisturbed.run(&[]);
    for batch in [&[][..], &["--batch", "job-1"]] {
        let project = Small::new();
        let children: Vec<_> = (1..=4)
            .map(|index| {
                let shard = format!("{index}/4");
                let arguments = [&["run", "--offline", "-j", "1", "--shard", &shard], batch].concat();
                project.command(&arguments).stderr(Stdio::piped()).spawn().unwrap()
            })
            .collect();
        for child in children {
            let ended: Ended = child.wait_with_output().unwrap().into();
            assert_eq!(ended.status, 0, "{}", ended.stderr);
        }
        let made = makes(&project);
        assert!(made.values().all(|&times| times == 1), "{made:?}");
        assert_eq!(made.keys().filter(|(stage, _)| stage.starts_with("run/")).count(), 10);
        assert!(made.keys().all(|(stage, _)| !stage.starts_with("summarise")), "{made:?}");
        project.run(&["--no-cells"]);
        assert_eq!(project.results(), undisturbed.results());
        // Each of the four shards contributed to what is recorded for `explain`.
        let explained = project.noregret(&["explain", "run/wine-quality"]);
        assert!(explained.stdout.contains("6 of 6 fresh"), "{}", explained.stdout);
        let manifest = std::fs::read_to_string(project.path().join("results/store/manifests/run/wine-quality.json"));
        assert_eq!(manifest.unwrap().matches("\"label\"").count(), 6);
    }
}

#[test]
fn wrong_shards_are_usage_errors() {
    let project = Small::new();
    for (arguments, told) in [
        (&["--shard", "5/4"][..], "a shard is I/N"),
        (&["--batch", "a"], "--shard"),
        (&["--shard", "1/2", "--no-cells"], "cannot be used with"),
        (&["--shard", "1/2", "--batch", "../a"], "a batch name has"),
    ] {
        let ended = project.noregret(&[&["run", "--offline"], arguments].concat());
        assert_eq!(ended.status, 2, "{}", ended.stderr);
        assert!(ended.stderr.contains(told), "{}", ended.stderr);
    }
    project.run(&["--shard", "1/2", "--batch", "a"]);
    let ended = project.noregret(&["run", "--offline", "--shard", "1/3", "--batch", "a"]);
    assert_eq!((ended.status, ended.stderr.contains("2 shards, not 3")), (2, true), "{}", ended.stderr);
}

#[test]
fn a_script_is_printed_without_slurm_and_without_writing() {
    let project = Small::new();
    let without_slurm = |arguments: &[&str]| -> Ended {
        project.command(arguments).env("PATH", project.path()).output().unwrap().into()
    };
    let before = project.stamps();
    let ended = without_slurm(&[
        "submit",
        "figure/*",
        "wine-quality.replicates=3",
        "--print",
        "--jobs",
        "3",
        "--time",
        "0:30:00",
        "--partition",
        "long",
        "--sbatch-arg=--account=lab",
    ]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    for wanted in [
        "#!/bin/sh\n",
        "#SBATCH --array=1-3\n",
        "#SBATCH --time=0:30:00\n",
        "#SBATCH --signal=B:USR1@180\n",
        "#SBATCH --partition=long\n",
        "#SBATCH --account=lab\n",
        " run 'figure/*' wine-quality.replicates=3 --profile paper ",
        "--shard \"$SLURM_ARRAY_TASK_ID/3\"",
    ] {
        assert!(ended.stdout.contains(wanted), "{wanted} is not in\n{}", ended.stdout);
    }
    assert!(ended.stderr.contains("17 cells missing"), "{}", ended.stderr);
    assert_eq!(project.stamps(), before);

    let ended = without_slurm(&["submit", "--jobs", "3"]);
    assert_eq!(ended.status, 1);
    assert!(ended.stderr.contains("sbatch is not on the PATH"), "{}", ended.stderr);
    assert_eq!(project.stamps(), before);
    for wrong in [&["--time", "soon"][..], &["--jobs", "0"], &["--sbatch-arg=a\nb"], &["figure/none"]] {
        let ended = without_slurm(&[&["submit", "--print"], wrong].concat());
        assert_eq!(ended.status, 2, "{}", ended.stderr);
    }
    project.run(&[]);
    let ended = without_slurm(&["submit"]);
    assert_eq!((ended.status, ended.stderr.contains("nothing to do")), (0, true), "{}", ended.stderr);
}
