//! The author edits an experiment, a figure and data while runs go on.

use std::fs;

use super::{Kind, Outcome};
use crate::attempt::Try;

pub const KIND: Kind = Kind { name: "edit", about: "experiment, figure and data files edited during runs", attempt };

fn attempt(this: &mut Try) -> Outcome {
    this.begin();
    for _ in 0..2 + this.below(3) {
        let running = this.start(&["run"]);
        for _ in 0..1 + this.below(3) {
            this.pause(300);
            let which = this.below(3) as usize;
            match which {
                0 => this.state.experiment ^= true,
                1 => this.state.figure ^= true,
                _ => this.state.data ^= true,
            }
            let (name, text) = &this.state.files()[which];
            let path = this.folder.join(name);
            if this.below(2) == 0 {
                // Some editors write in place, so that a part may be read.
                fs::write(&path, &text[..text.len() / 2]).unwrap();
                this.pause(20);
                fs::write(&path, text).unwrap();
            } else {
                let beside = path.with_extension("swp");
                fs::write(&beside, text).unwrap();
                fs::rename(&beside, &path).unwrap();
            }
        }
        // A file may be read when it is half written, or change between two readings: the run says so.
        running.end().with(&[0, 1, 2]);
    }
    Outcome::Made
}
