//! `noregret stream` on rows from a pipe, killed at any moment.

use std::fs;

use rustix::process::Signal;

use super::{Kind, Outcome};
use crate::attempt::Try;
use crate::project::{command, files, table};
use crate::running::Running;

pub const KIND: Kind = Kind { name: "stream", about: "a stream from a pipe killed at any moment", attempt };

fn attempt(this: &mut Try) -> Outcome {
    this.complete();
    let body = table(7);
    let (head, rows) = body.split_once('\n').unwrap();
    let input = format!("{head}\n{}", rows.repeat(100 + this.below(2000) as usize)).into_bytes();
    fs::create_dir(this.folder.join("out")).unwrap();
    let words = ["stream", "--learner", "pkawv-taylor", "--set", "order=2", "--input", "-", "--target", "y"];
    let words = [&words[..], &["--scale", "unit", "--output", "../out/rounds.csv"]].concat();
    let start = |this: &Try| Running::start(command(&this.folder, "", &words), Some(input.clone()));
    start(this).end().with(&[0]);
    let place = this.folder.join("out/rounds.csv");
    let sound = fs::read(&place).unwrap();
    for _ in 0..1 + this.below(3) {
        fs::remove_file(&place).unwrap();
        let mut running = start(this);
        this.pause(300);
        let signal = *this.pick(&[Signal::KILL, Signal::TERM, Signal::INT]);
        running.signal(signal);
        let ended = running.end().with(&[0, 130, 143, -2, -9, -15]);
        assert!(files(&this.folder.join("tmp")).is_empty(), "the copy of the pipe stays: {ended:#?}");
        // After a signal that can be caught, the rounds that were played are there; after SIGKILL, all or nothing.
        if let Ok(written) = fs::read(&place) {
            let complete = written == sound;
            assert!(sound.starts_with(&written) && (complete || signal != Signal::KILL), "{ended:#?}");
        }
        // SIGKILL leaves the unfinished output under its temporary name.
        for left in files(&this.folder.join("out")).iter().filter(|path| !path.ends_with("rounds.csv")) {
            assert!(
                signal == Signal::KILL && left.to_string_lossy().starts_with(".rounds.csv."),
                "{left:?}: {ended:#?}"
            );
            fs::remove_file(this.folder.join("out").join(left)).unwrap();
        }
        start(this).end().with(&[0]);
        assert!(fs::read(&place).unwrap() == sound, "the same rows give other rounds");
    }
    Outcome::Made
}
