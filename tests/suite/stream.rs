//! `noregret stream`, end to end through the binary.

mod ahead;
mod bucket;
mod causal;
mod classes;
mod derived;
mod distributions;
mod errors;
mod files;
mod forecasts;
mod further;
mod groups;
mod jsonl;
mod kafka;
mod kinds;
mod live;
mod lost;
mod memory;
mod models;
mod models_kept;
mod models_of_versions;
mod noise;
mod output;
mod parts;
mod raw;
mod reference;
mod remote;
mod report;
mod resumed;
mod rows;
mod service;
mod weights;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder that is removed with the test.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file; returns its path as an argument.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// The names of all files, sorted.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.0.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

/// `noregret stream`, not yet started.
pub fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_noregret"));
    command.arg("stream").args(args).stdin(Stdio::null());
    command
}

/// Runs `noregret stream` to its end.
pub fn stream(args: &[&str]) -> Output {
    command(args).output().unwrap()
}

/// Runs `noregret stream --input -` on `input`.
pub fn stream_from(input: &[u8], args: &[&str]) -> Output {
    let mut child = command(&["--input", "-"])
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        // A process that fails early does not read its whole input.
        scope.spawn(move || pipe.write_all(input).ok());
        child.wait_with_output().unwrap()
    })
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// The rounds of a CSV output: round, target, prediction, loss, cumulative loss.
pub type Rounds = Vec<[f64; 5]>;

pub fn parse(csv: &[u8]) -> Rounds {
    let text = std::str::from_utf8(csv).unwrap();
    let mut lines = text.lines();
    let header = lines.next().unwrap();
    assert!(header.starts_with("round,target,prediction,loss,cumulative_loss"), "{header}");
    lines
        .map(|line| {
            let values: Vec<f64> = line.split(',').take(5).map(|field| field.parse().unwrap()).collect();
            values.try_into().unwrap()
        })
        .collect()
}

/// The rounds of a run, which must succeed. They are checked for consistency.
pub fn rounds(output: &Output) -> Rounds {
    assert!(output.status.success(), "{}", stderr(output));
    let rounds = parse(&output.stdout);
    let mut sum = 0.0;
    for (i, [round, target, prediction, loss, cumulative]) in rounds.iter().enumerate() {
        assert_eq!(*round, (i + 1) as f64);
        assert_eq!(*loss, (prediction - target).powi(2));
        sum += loss;
        assert!((cumulative - sum).abs() <= 1e-12 * sum.max(1e-300));
    }
    rounds
}

pub fn column(rounds: &Rounds, column: usize) -> Vec<f64> {
    rounds.iter().map(|round| round[column]).collect()
}

/// A table with header a,b,y: y is a smooth function of two inputs between -1 and 1.
pub fn table(rows: usize) -> String {
    let mut text = String::from("a,b,y\n");
    for i in 0..rows {
        let (a, b) = ((i as f64 * 0.7).sin(), (i as f64 * 1.3).cos());
        text += &format!("{a},{b},{}\n", (a - 2.0 * b).sin());
    }
    text
}

/// Arguments of a learner that plays on [`table`] for any number of rows.
pub const RIDGE: [&str; 4] = ["--learner", "pkrr-taylor", "--target", "y"];

pub fn read(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap()
}
