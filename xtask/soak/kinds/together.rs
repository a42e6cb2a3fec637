//! Commands that run at the same time.

use super::{Kind, Outcome};
use crate::attempt::Try;

pub const KIND: Kind = Kind { name: "together", about: "three to seven commands at the same time", attempt };

/// Commands, and the statuses that they may end with beside others.
const COMMANDS: [(&[&str], &[i32]); 12] = [
    (&["run"], &[0]),
    (&["run", "-j", "1"], &[0]),
    (&["run", "-f", "summarise/own"], &[0]),
    (&["run", "figure/*"], &[0]),
    (&["run", "--no-wait"], &[0, 75]),
    (&["run", "-n"], &[0]),
    (&["gc"], &[0, 75]),
    (&["clean", "run/own"], &[0, 75]),
    (&["clean"], &[0, 75]),
    (&["status", "--why"], &[0]),
    // What is not made yet, or was removed, is missed by those who look at it.
    (&["verify"], &[0, 1]),
    (&["report"], &[0, 1]),
];

fn attempt(this: &mut Try) -> Outcome {
    this.begin();
    for _ in 0..=this.below(2) {
        let mut started = vec![(this.start(&["run"]), &[0][..])];
        for _ in 0..2 + this.below(5) {
            this.pause(150);
            let (words, statuses) = *this.pick(&COMMANDS);
            started.push((this.start(words), statuses));
        }
        for (running, statuses) in started {
            running.end().with(statuses);
        }
    }
    Outcome::Made
}
