//! Folders vanish while runs go on.

use std::fs;

use super::{Kind, Outcome};
use crate::attempt::Try;

pub const KIND: Kind = Kind { name: "vanish", about: "folders removed during runs", attempt };

const FOLDERS: [&str; 13] = [
    "results",
    "results/store",
    "results/store/objects",
    "results/store/packs",
    "results/store/records",
    "results/store/manifests",
    "results/store/tmp",
    "results/store/claims",
    "results/runs",
    "results/log",
    "reports",
    "data/raw/net",
    "data",
];

fn attempt(this: &mut Try) -> Outcome {
    this.begin();
    for _ in 0..1 + this.below(3) {
        let running = this.start(&["run"]);
        for _ in 0..1 + this.below(2) {
            this.pause(500);
            let folder = this.project().join(this.pick(&FOLDERS));
            // It may not be there yet, or be written to at the same time.
            let _ = fs::remove_dir_all(folder);
        }
        running.end().with(&[0, 1]);
    }
    Outcome::Made
}
