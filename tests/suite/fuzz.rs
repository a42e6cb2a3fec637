//! The inputs that coverage-guided fuzzing kept are read again: `make fuzz` looks for more.

#[path = "../../xtask/fuzz/targets.rs"]
pub mod targets;

use std::fs;
use std::path::{Path, PathBuf};

use targets::{TARGETS, Target};

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("xtask/fuzz/corpus")
}

/// Reads every input of a target's corpus; says how many there are.
fn replay(target: &Target, folder: &Path) -> usize {
    let files = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let inputs = files.map(|file| file.unwrap().path());
    inputs.map(|path| (target.read)(&fs::read(&path).unwrap())).count()
}

#[test]
fn no_kept_input_makes_a_reader_panic() {
    for target in TARGETS {
        assert!(replay(target, &corpus().join(target.name)) > 0, "{} has no input", target.name);
    }
}

#[test]
fn every_corpus_has_a_reader() {
    for folder in fs::read_dir(corpus()).unwrap() {
        let name = folder.unwrap().file_name();
        assert!(TARGETS.iter().any(|target| *target.name == *name), "{name:?} is the corpus of no reader");
    }
}

#[test]
#[should_panic = "refused"]
fn a_reader_that_panics_is_noticed() {
    let target = Target { name: "csv", read: |_| panic!("refused") };
    replay(&target, &corpus().join(target.name));
}
