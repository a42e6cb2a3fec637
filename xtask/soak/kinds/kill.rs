//! Commands are killed at any moment.

use rustix::process::Signal;

use super::{Kind, Outcome};
use crate::attempt::Try;

pub const KIND: Kind = Kind { name: "kill", about: "SIGKILL, SIGTERM or SIGINT at any moment of a command", attempt };

const COMMANDS: [&[&str]; 12] = [
    &["run"],
    &["run", "-j", "1"],
    &["run", "-j", "4"],
    &["run", "-f", "run/own"],
    &["run", "-f", "fetch/*"],
    &["run", "figure/loss"],
    &["gc"],
    &["clean"],
    &["clean", "run/*"],
    &["clean", "fetch/*"],
    &["verify"],
    &["report"],
];

fn attempt(this: &mut Try) -> Outcome {
    this.begin();
    for _ in 0..3 + this.below(5) {
        let words = *this.pick(&COMMANDS);
        let mut running = this.start(words);
        this.pause(if ["run", "report"].contains(&words[0]) { 700 } else { 40 });
        running.signal(*this.pick(&[Signal::KILL, Signal::TERM, Signal::INT]));
        // What a killed command has left undone, `verify` calls gone, and a report from what is there incomplete.
        let incomplete: &[i32] = if ["verify", "report"].contains(&words[0]) { &[1] } else { &[] };
        running.end().with(&[&[0, 130, 143, -2, -9, -15], incomplete].concat());
    }
    Outcome::Made
}
