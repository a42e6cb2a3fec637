//! The disk is full: a small file system in memory, mounted where root may.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Kind, Outcome};
use crate::attempt::Try;

pub const KIND: Kind =
    Kind { name: "full", about: "a full disk under the project, its results or its reports", attempt };

/// A file system that is unmounted when dropped.
struct Mount(PathBuf);

impl Mount {
    fn new(at: &Path) -> Result<Self, String> {
        fs::create_dir_all(at).unwrap();
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=32m", "none"]).arg(at).output();
        match mounted {
            Ok(done) if done.status.success() => Ok(Self(at.to_owned())),
            Ok(done) => Err(String::from_utf8_lossy(&done.stderr).trim().to_owned()),
            Err(error) => Err(format!("mount: {error}")),
        }
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // What is left in a try that failed is to be looked at.
            let _ = Command::new("cp").arg("-a").arg(&self.0).arg(self.0.with_extension("mounted")).status();
        }
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

/// Fills the file system of `folder` with a file until `left` bytes are left.
fn fill(ballast: &Path, left: u64) {
    let free = rustix::fs::statvfs(ballast.parent().unwrap()).unwrap();
    let free = free.f_bavail * free.f_frsize;
    fs::write(ballast, vec![0; usize::try_from(free.saturating_sub(left)).unwrap()]).unwrap();
}

fn attempt(this: &mut Try) -> Outcome {
    let place = *this.pick(&["project", "project/results", "project/reports"]);
    let small = this.folder.join(place);
    // What is there already comes with it.
    let aside = this.folder.join("aside");
    fs::create_dir_all(&small).unwrap();
    fs::rename(&small, &aside).unwrap();
    let mount = match Mount::new(&small) {
        Ok(mount) => mount,
        Err(why) => return Outcome::Skipped(format!("no small file system can be mounted here ({why})")),
    };
    crate::project::copy(&aside, &small);
    fs::remove_dir_all(&aside).unwrap();
    this.begin();
    let ballast = small.join(".ballast");
    for _ in 0..1 + this.below(3) {
        // A run needs less than two megabytes.
        fill(&ballast, this.below(1 << 21));
        this.run(&["run"]).with(&[0, 1]);
        let words =
            *this.pick(&[&["run", "-f", "run/*"][..], &["verify"], &["gc"], &["report"], &["clean", "run/own"]]);
        this.run(words).with(&[0, 1]);
        fs::remove_file(&ballast).unwrap();
    }
    this.settle();
    drop(mount);
    Outcome::Settled
}
