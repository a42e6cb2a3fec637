//! What is stored under a name belongs to it: under another one it is not believed.

use std::fs::{read_dir, rename};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use super::project::Small;

/// Swaps two files.
fn swap(one: &Path, other: &Path) {
    let aside = one.with_extension("aside");
    for (from, to) in [(one, &*aside), (other, one), (&*aside, other)] {
        rename(from, to).unwrap();
    }
}

/// The states of two unfinished cells of one learner, each under the other's name, are not gone on with: the results are
/// those of an undisturbed run.
#[test]
fn cells_do_not_go_on_from_the_states_of_others() {
    let project = || {
        let project = Small::new();
        let long = "title = \"Long\"\nhorizons = [200000]\nreplicates = 2\n[stream]\nlaw = \"uniform-inputs\"\ndim = 2\n\
                    [[learners]]\nname = \"pkrr-taylor\"\nlabel = \"it\"\norder = 12\n";
        project.write("pipeline/experiments/long.toml", long);
        project
    };
    let killed = project();
    let kept = || killed.files(&["results/store/partial"]);
    let mut command = killed.command(&["run", "--offline", "run/long", "-j", "2"]);
    let mut child = command.env("NOREGRET_KEEP_EVERY", "0").stderr(Stdio::null()).spawn().unwrap();
    while kept().len() < 2 {
        assert!(child.try_wait().unwrap().is_none(), "a cell ended before it was kept");
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let [one, other] = &kept()[..] else { panic!("{:?}", kept()) };
    swap(one, other);
    let ended = killed.run(&["run/long"]);
    assert!(!ended.stderr.contains("goes on where"), "{}", ended.stderr);
    let undisturbed = project();
    undisturbed.run(&["run/long"]);
    assert_eq!(killed.results(), undisturbed.results());
}

/// Two streams that differ in their input alone write lines of the same lengths. The model of one, under the name of the
/// other's, is no state to resume from; under its own name it is.
#[test]
fn streams_do_not_resume_from_the_models_of_others() {
    for kind in ["csv", "parquet"] {
        let project = Small::new();
        let run = |which: &str, more: &[&str]| {
            let names = ["in.csv", "m", &format!("out.{kind}")].map(|name| format!("{which}-{name}"));
            let files = ["--input", &*names[0], "--save", &*names[1], "--output", &*names[2]];
            let learner = ["stream", "--learner", "running-mean", "--target", "y", "--save-every", "10"];
            project.noregret(&[&learner[..], &files, more].concat())
        };
        for (which, target) in [("a", 1), ("b", 2)] {
            let rows: String = (0..40).map(|t| format!("{},{target}\n", t % 3)).collect();
            project.write(&format!("{which}-in.csv"), &format!("x,y\n{rows}"));
            let ended = run(which, &["--limit", "20"]);
            assert_eq!(ended.status, 0, "{}", ended.stderr);
        }
        let swap = || swap(&project.path().join("a-m"), &project.path().join("b-m"));
        swap();
        for which in ["a", "b"] {
            let ended = run(which, &["--resume"]);
            assert_eq!(ended.status, 1, "{}", ended.stderr);
            assert!(ended.stderr.contains("cannot resume") && ended.stderr.contains("run"), "{}", ended.stderr);
        }
        swap();
        for (which, loss) in [("a", "0.025"), ("b", "0.1")] {
            let ended = run(which, &["--resume"]);
            assert_eq!(ended.status, 0, "{}", ended.stderr);
            assert!(ended.stderr.contains(&format!("40 rounds, average loss {loss} ")), "{}", ended.stderr);
        }
        let left = read_dir(project.path()).unwrap().filter_map(|entry| entry.unwrap().file_name().into_string().ok());
        assert!(left.into_iter().all(|name| !name.ends_with(".partial") && !name.ends_with(".tmp")));
    }
}
