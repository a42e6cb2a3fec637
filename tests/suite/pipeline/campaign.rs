//! What a campaign against the program from outside has broken: stale or wrong results that nothing told of.

use std::path::Path;

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
