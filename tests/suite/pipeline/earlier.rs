//! Projects and results of earlier versions. `earlier/VERSION` holds a project as that version read it, the results that it
//! made, and what it said of them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

use super::project::Ended;

/// A copy of a folder, or of what is in it but for one folder.
fn copy(from: &Path, to: &Path, without: &str) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name()))?;
        match path.is_dir() {
            true if name == without => {}
            true => copy(&path, &to.join(name), without)?,
            false => drop(fs::copy(&path, to.join(name))?),
        }
    }
    Ok(())
}

fn noregret(words: &[&str]) -> Ended {
    Command::new(env!("CARGO_BIN_EXE_noregret")).args(words).output().unwrap().into()
}

/// A project of an earlier version is read, its results are shown as they were, and are found again where it is run anew. Other
/// values are told from them.
#[test]
fn projects_and_results_of_earlier_versions_are_read_and_found_again() {
    let earlier = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/pipeline/earlier");
    let versions: Vec<PathBuf> = fs::read_dir(earlier).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(!versions.is_empty());
    for version in versions {
        let folder = tempfile::tempdir().unwrap();
        let [old, new] = ["old", "new"].map(|name| folder.path().join(name));
        copy(&version, &old, "").unwrap();
        copy(&version, &new, "results").unwrap();
        let [old_name, new_name] = [&old, &new].map(|path| path.to_str().unwrap());
        let asked = ["query", "runs/earlier", "-c", "label,horizon,replicate,average_loss", "--format", "csv"];
        let told = noregret(&[&["-C", old_name], &asked[..]].concat());
        assert_eq!((told.stdout, told.status), (fs::read_to_string(old.join("averages.csv")).unwrap(), 0));
        for (lambda, found) in [("0.1", "28 runs compared with 28: 0 differ"), ("0.2", "differ by more than")] {
            let study = fs::read_to_string(old.join("pipeline/experiments/earlier.toml")).unwrap();
            let study = study.replace("lambda = 0.1", &format!("lambda = {lambda}"));
            fs::write(new.join("pipeline/experiments/earlier.toml"), study).unwrap();
            let made = noregret(&["-q", "-C", new_name, "run"]);
            assert_eq!(made.status, 0, "{made:?}");
            let compared = noregret(&["diff", old_name, new_name]);
            let same = lambda == "0.1";
            assert!(compared.stdout.contains(found), "{compared:?}");
            assert_eq!(compared.stdout.contains(": 0 differ"), same, "{compared:?}");
        }
        assert!(new.join("reports/figures/average-loss.svg").exists());
    }
}
