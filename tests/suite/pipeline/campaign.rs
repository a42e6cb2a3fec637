//! What a campaign against the program from outside has broken: stale or wrong results that nothing told of.

use std::collections::BTreeSet;
use std::path::Path;

use noregret_engine::exec::engine::{self, RunRequest};
use noregret_engine::exec::interrupt::Interrupt;
use noregret_engine::exec::progress::Silent;
use noregret_engine::exec::store::ResultStore;
use noregret_study::config::declared::Declared;
use noregret_study::config::project::Project;
use noregret_study::graph::{Access, graph};

use super::inputs::{TINY, mirrored, with_own_data};
use super::project::{Small, read};

/// Changes a byte in the middle of a file and leaves its size and time as they were.
fn flip(path: &Path) {
    let time = path.metadata().unwrap().modified().unwrap();
    let mut bytes = std::fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(path, bytes).unwrap();
    std::fs::File::open(path).unwrap().set_modified(time).unwrap();
}

/// A figure, a row of rates and the report read files that other stages have published.
#[test]
fn nothing_is_made_from_a_damaged_file() {
    let project = Small::new();
    project.write("pipeline/rates/spline.toml", super::project::SPLINE_RATE);
    project.edit("pipeline/experiments/spline-regret.toml", "[32, 64]", "[16, 32, 64, 128]");
    project.run(&["-j", "2"]);
    let sound = project.results();
    let cases = [
        ("results/traces/wine-quality.parquet", "reports/figures/wine-quality-loss.svg"),
        ("results/runs/spline-regret.parquet", "results/rates/spline.json"),
        ("reports/figures/wine-quality-loss.json", "reports/report.md"),
    ];
    for (damaged, made) in cases {
        flip(&project.path().join(damaged));
        std::fs::remove_file(project.path().join(made)).unwrap();
        let ended = project.run(&[]);
        assert!(ended.stderr.contains("a published file is damaged; rebuilding it"), "{damaged}: {}", ended.stderr);
        let now = project.results();
        let differ: Vec<&String> = sound.keys().filter(|path| sound.get(*path) != now.get(*path)).collect();
        assert!(differ.is_empty() && now.len() == sound.len(), "{damaged}: {differ:?}");
    }
    assert!(!read(&project.path().join("reports/report.md")).is_empty());
}

/// The same without the lines that begin with `field`.
fn without(project: &Small, file: &str, field: &str) {
    let text = read(&project.path().join(file));
    let kept: Vec<&str> = text.lines().filter(|line| !line.starts_with(field)).collect();
    assert!(kept.len() < text.lines().count(), "{text}");
    project.write(file, &kept.join("\n"));
}

/// A project whose dataset `tiny` is a file of the user's own, whose declaration holds no hash.
fn with_own_unpinned_data() -> Small {
    let project = with_own_data(TINY);
    let added = project.noregret(&["data", "add", "own/tiny.csv", "--name", "tiny", "--target", "y"]);
    assert_eq!(added.status, 0, "{}", added.stderr);
    without(&project, "data/added/tiny.toml", "content_sha256");
    project
}

/// A project whose dataset `tiny` only a mirror has, and the mirror.
fn with_mirror() -> (Small, String) {
    let project = with_own_data(TINY);
    let mirror = project.path().join("mirror");
    mirrored(&project, &mirror);
    without(&project, "pipeline/datasets/tiny.toml", "addresses");
    project.edit("pipeline/datasets/tiny.toml", "[[files]]", "[[files]]\naddresses = []");
    (project, mirror.to_str().unwrap().to_owned())
}

/// Whoever does what the message advises gets the data at once, not in ten minutes.
#[test]
fn a_remedy_helps_at_once() {
    for fetched in [false, true] {
        let (project, mirror) = with_mirror();
        let empty = project.path().join("empty");
        std::fs::create_dir(&empty).unwrap();
        let run = || project.noregret(&["run", "summarise/*", "--mirror", empty.to_str().unwrap()]);
        let everything = || project.noregret(&["run", "--mirror", empty.to_str().unwrap()]);
        assert!(run().stderr.contains("unavailable"));
        assert!(everything().stderr.contains("unavailable"));
        let again = everything();
        assert!(again.stdout.contains("nothing to do") || again.stderr.contains("nothing to do"), "{}", again.stderr);
        if fetched {
            let fetch = project.noregret(&["data", "fetch", "tiny", "--mirror", &mirror]);
            assert_eq!(fetch.status, 0, "{}", fetch.stderr);
        } else {
            std::fs::copy(Path::new(&mirror).join("tiny.csv"), empty.join("tiny.csv")).unwrap();
        }
        let mended = everything();
        assert_eq!(mended.status, 0, "{}", mended.stderr);
        assert!(project.path().join("results/runs/own.parquet").is_file(), "{}", mended.stderr);
    }
}

/// The keys of the stored objects.
fn keys(project: &Small) -> BTreeSet<String> {
    let objects = project.files(&["results/store/objects"]);
    objects.iter().map(|path| path.file_name().unwrap().to_str().unwrap()[..64].to_owned()).collect()
}

/// Data that nobody has pinned are known by the hash that the first fetch records: it is in the keys.
#[test]
fn other_bytes_of_data_without_a_hash_have_other_keys() {
    let (project, mirror) = with_mirror();
    without(&project, "pipeline/datasets/tiny.toml", "content_sha256");
    let run = |project: &Small| project.run(&["summarise/own", "--mirror", &mirror]);
    run(&project);
    let (old, runs) = (keys(&project), std::fs::read(project.path().join("results/runs/own.parquet")).unwrap());
    let before = project.stamps();
    run(&project);
    assert_eq!(before, project.stamps(), "the second run knows the key that the first has found");

    // The source has changed, and the user does what the message advises.
    std::fs::write(Path::new(&mirror).join("tiny.csv"), TINY.replace("0.25", "0.26")).unwrap();
    std::fs::remove_dir_all(project.path().join("data/raw/tiny")).unwrap();
    let fetch = project.noregret(&["data", "fetch", "tiny", "--offline", "--mirror", &mirror]);
    assert_eq!(fetch.status, 0, "{}", fetch.stderr);
    run(&project);
    let new = keys(&project);
    assert!(new.len() == 2 * old.len() && new.is_superset(&old), "old results stay, and none of them is used");
    assert_ne!(std::fs::read(project.path().join("results/runs/own.parquet")).unwrap(), runs);

    // Pinned, they stay what they are, and nothing else is accepted.
    let pin = project.noregret(&["data", "pin", "tiny"]);
    assert_eq!(pin.status, 0, "{}", pin.stderr);
    let declared = read(&project.path().join("pipeline/datasets/tiny.toml"));
    assert!(declared.contains("\ncontent_sha256 = \""), "{declared}");
    assert!(!project.planned(&["fetch/tiny"]).contains("fetch/tiny"), "the key of the files stays as it is");

    // Another machine, with the changed file from the beginning.
    let (other, _) = with_mirror();
    without(&other, "pipeline/datasets/tiny.toml", "content_sha256");
    run(&other);
    assert_eq!(keys(&other), new.difference(&old).cloned().collect());
}

/// Shards of one batch divide the cells, although the first of them fetches the data that the keys of cells follow.
#[test]
fn a_batch_holds_when_its_first_shard_fetches_the_data() {
    let (project, mirror) = with_mirror();
    without(&project, "pipeline/datasets/tiny.toml", "content_sha256");
    project.edit("pipeline/experiments/own.toml", "replicates = 1", "replicates = 4");
    for shard in ["1/2", "2/2"] {
        project.run(&["run/own", "--mirror", &mirror, "--shard", shard, "--batch", "b"]);
    }
    let rest = project.run(&["summarise/own"]);
    assert!(!rest.stderr.contains("run/own"), "{}", rest.stderr);
}

/// A file of the user's own that is replaced after planning has hashed it and before it is read.
#[test]
fn what_is_read_is_what_was_hashed() {
    let project = with_own_unpinned_data();
    let targets = vec!["summarise/own".to_owned()];
    let opened = Project::find(project.path()).unwrap();
    let declared = Declared::load(&opened, "paper", &[], &targets).unwrap();
    let planned = graph(&opened, &declared, &Access { mirrors: Vec::new(), online: false });
    project.edit("own/tiny.csv", "0.25", "0.26");
    let (request, store) = (RunRequest { targets, ..RunRequest::default() }, ResultStore::new(project.path()));
    let summary = engine::run(&planned, &request, &store, &Silent, &Interrupt::default()).unwrap();
    let why: Vec<&str> = summary.failed.iter().map(|end| end.why.as_str()).collect();
    assert!(why.iter().any(|why| why.contains("tiny.csv: changed during this run; run the same")), "{why:?}");
    assert!(keys(&project).is_empty(), "nothing is stored under the key of the old file");
    let runs = || {
        project.run(&["summarise/own"]);
        std::fs::read(project.path().join("results/runs/own.parquet")).unwrap()
    };
    let new = runs();
    project.edit("own/tiny.csv", "0.26", "0.25");
    assert_ne!(runs(), new);
}

/// A file of the user's own with other bytes, but the size and the time that it had.
#[test]
fn a_file_that_keeps_its_size_and_time_is_seen_to_change() {
    let project = with_own_unpinned_data();
    project.run(&["summarise/own"]);
    let before = keys(&project);
    assert!(!project.planned(&["summarise/own"]).contains("run/own"));
    let file = project.path().join("own/tiny.csv");
    let time = file.metadata().unwrap().modified().unwrap();
    project.edit("own/tiny.csv", "0.25", "0.26");
    std::fs::File::options().write(true).open(&file).unwrap().set_modified(time).unwrap();
    project.run(&["summarise/own"]);
    assert_eq!(keys(&project).len(), 2 * before.len());
}
