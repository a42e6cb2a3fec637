//! One try: its folder, its draws, its commands, and what must hold after it.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use crate::project::{self, References, State, VICTIM, command, copy, files};
use crate::running::{Ended, Running};
use crate::splitmix::SplitMix64;

/// Where the results of an undisturbed run are compared with.
const LOCK: &str = "project/results/pipeline.lock";

/// A try in progress.
pub struct Try<'a> {
    /// Holds `project`, `outside`, `tmp` and `home`.
    pub folder: PathBuf,
    /// What the author has written.
    pub state: State,
    references: &'a References<'a>,
    draw: SplitMix64,
}

impl<'a> Try<'a> {
    /// A project in which nothing was run yet.
    pub fn new(folder: &Path, seed: u64, references: &'a References<'a>) -> Self {
        let state = State::default();
        references.host.mend();
        project::write(folder, state, references.host);
        Self { folder: folder.to_owned(), state, references, draw: SplitMix64(seed) }
    }

    /// Lets everything be there already.
    pub fn complete(&mut self) {
        copy(&self.references.of(self.state).folder, &self.folder);
    }

    /// Begins with nothing, with everything, or with a part.
    pub fn begin(&mut self) {
        match self.below(3) {
            0 => {}
            1 => self.complete(),
            _ => {
                self.complete();
                let stages = ["run/own", "comparator/*", "summarise/*", "figure/*", "prepare/own", "fetch/*"];
                let target = *self.pick(&stages);
                self.run(&["clean", target]).with(&[0]);
            }
        }
    }

    /// The server.
    pub fn host(&self) -> &'a crate::host::Host {
        self.references.host
    }

    /// The project's folder.
    pub fn project(&self) -> PathBuf {
        self.folder.join("project")
    }

    /// A number below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.draw.next() % n
    }

    /// One of these.
    pub fn pick<'t, T>(&mut self, these: &'t [T]) -> &'t T {
        &these[self.below(these.len() as u64) as usize]
    }

    /// Bytes without meaning.
    pub fn noise(&mut self, length: u64) -> Vec<u8> {
        (0..length).map(|_| self.draw.next() as u8).collect()
    }

    /// Waits for less than this many milliseconds.
    pub fn pause(&mut self, milliseconds: u64) {
        let time = Duration::from_millis(self.below(milliseconds));
        sleep(time);
    }

    /// Starts a command.
    pub fn start(&self, words: &[&str]) -> Running {
        Running::start(command(&self.folder, "", words), None)
    }

    /// Runs a command to its end.
    pub fn run(&self, words: &[&str]) -> Ended {
        self.start(words).end()
    }

    /// Runs a command behind the beginning of a line of shell, such as `ulimit -f 8;`.
    pub fn run_in(&self, shell: &str, words: &[&str]) -> Ended {
        Running::start(command(&self.folder, shell, words), None).end()
    }

    /// What must hold when the trouble is over: a plain run succeeds, and another one where it says that results have
    /// become stale; `verify` and `gc` find nothing wrong; then nothing is
    /// left to do; every file of the project is that of an undisturbed run; nothing is left in `tmp`, and nothing outside
    /// the project has changed.
    ///
    /// # Panics
    /// Where it does not hold.
    pub fn settle(&mut self) {
        self.references.host.mend();
        let reference = self.references.of(self.state);
        fs::create_dir_all(self.project().join("results")).unwrap();
        fs::copy(reference.folder.join("project/results/pipeline.lock"), self.folder.join(LOCK)).unwrap();
        let mut ended = self.run(&["run"]).with(&[0]);
        if ended.said.contains("unavailable") {
            // It is remembered for a while that a server did not answer, unless one does what the remedy says.
            self.run(&["status", "--why"]).with(&[0]).saying("noregret data fetch net");
            self.run(&["data", "fetch", "net"]).with(&[0]);
            ended = self.run(&["run"]).with(&[0]);
        }
        assert!(!ended.said.contains("unavailable"), "{ended:#?}");
        if ended.said.contains("stale now") {
            self.run(&["run"]).with(&[0]);
        }
        self.run(&["verify"]).with(&[0]).saying(" 0 damaged; 0 of ");
        self.run(&["gc"]).with(&[0]);
        self.run(&["run"]).with(&[0]).saying("nothing to do");
        let differ = reference.differences(&self.project());
        assert!(differ.is_empty(), "not what an undisturbed run makes: {differ:#?}");
        let left: Vec<PathBuf> = ["tmp", "home"].iter().flat_map(|name| files(&self.folder.join(name))).collect();
        assert!(left.is_empty(), "left behind: {left:?}");
        let outside = files(&self.folder.join("outside"));
        assert_eq!(outside, [Path::new("own.csv"), Path::new("victim.txt")]);
        assert_eq!(fs::read_to_string(self.folder.join(VICTIM)).unwrap(), "precious");
        for (name, text) in self.state.files() {
            assert!(fs::read(self.folder.join(name)).unwrap() == text.as_bytes(), "{name} was changed");
        }
    }
}
