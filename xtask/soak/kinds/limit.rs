//! Files may not grow beyond a limit, which acts like a full disk and needs no rights.

use super::{Kind, Outcome};
use crate::attempt::Try;

pub const KIND: Kind = Kind { name: "limit", about: "a limit on the size of files (RLIMIT_FSIZE)", attempt };

fn attempt(this: &mut Try) -> Outcome {
    this.begin();
    for _ in 0..1 + this.below(4) {
        let words = *this.pick(&[
            &["run"][..],
            &["run", "-f", "run/*"],
            &["run", "-f", "fetch/*"],
            &["run", "-f", "figure/*"],
            &["verify"],
            &["verify", "--write-lock"],
            &["gc"],
            &["report"],
        ]);
        // In blocks of 512 bytes. The largest file has some hundred kilobytes.
        let magnitude = this.below(10);
        let blocks = this.below(1 << magnitude);
        this.run_in(&format!("ulimit -f {blocks};"), words).with(&[0, 1]);
    }
    Outcome::Made
}
