//! Rows of a Kafka topic, through kcat and the broker that it brings for tests. Where kcat is not installed, the test says that it
//! is skipped.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Child;

use super::*;

/// A broker on this machine, stopped when dropped.
struct Broker {
    process: Child,
    address: String,
}

impl Broker {
    /// The broker lives in a producer that waits for a message, and says its address on standard error.
    fn start() -> Option<Self> {
        let waits = ["-P", "-b", "none", "-t", "none", "-X", "test.mock.num.brokers=1", "-d", "mock"];
        let started = Command::new("kcat").args(waits).stdin(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let Ok(mut process) = started else {
            // The test harness does not capture this, so that readers of the log see it.
            let why = "skipped the test of Kafka: kcat is not on the PATH (Debian: apt-get install kcat)";
            drop(writeln!(std::io::stderr(), "{why}"));
            return None;
        };
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines().map_while(Result::ok);
        let address = lines.find_map(|line| line.split("bootstrap.servers=").nth(1).map(str::to_owned)).unwrap();
        // A broker whose standard error is full would stand still.
        std::thread::spawn(move || lines.for_each(drop));
        Some(Self { process, address })
    }

    /// kcat on a topic.
    fn kcat(&self, topic: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new("kcat");
        command.args(["-q", "-b", &self.address, "-t", topic, "-p", "0"]).args(arguments);
        command
    }

    fn send(&self, topic: &str, lines: &str) {
        let mut child = self.kcat(topic, &["-P"]).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
        assert!(child.wait().unwrap().success());
    }

    /// What `noregret stream` makes of the messages so far, in this form, behind a header.
    fn play(&self, topic: &str, (header, form): (&str, &str), arguments: &[&str]) {
        let found = self.kcat(topic, &["-C", "-u", "-e", "-f", form]).stdin(Stdio::null()).output().unwrap();
        assert!(found.status.success());
        let played = stream_from(&[header.as_bytes(), &found.stdout].concat(), arguments);
        assert!(played.status.success(), "{}", stderr(&played));
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

#[test]
fn messages_are_rows_and_a_run_goes_on_where_it_was_saved() {
    let Some(broker) = Broker::start() else { return };
    let folder = Folder::new();
    let json = |from: u32, to: u32| -> String {
        (from..to).map(|t| format!("{{\"at\":{t},\"a\":{},\"y\":{}}}\n", t % 7, 2 * (t % 7) + t % 2)).collect()
    };
    let csv =
        |from: u32, to: u32| -> String { (from..to).map(|t| format!("{},{}\n", t % 7, 2 * (t % 7) + t % 2)).collect() };
    let learner = ["--target", "y", "--learner", "kernel-awv", "--position", "at", "--drop", "at"];
    let file = folder.file("rows.jsonl", json(0, 200));
    let whole = stream(&[&[&*file, "--live"], &learner[..]].concat());
    assert_eq!(rounds(&whole).len(), 200);
    let (model, output) = (folder.path("model"), folder.path("out.csv"));
    let save = ["--save", model.to_str().unwrap(), "--output", output.to_str().unwrap(), "--resume"];
    // Where messages are CSV, offsets, from 0, are the column `at`.
    for (topic, format, form) in [("rows", "jsonl", ("", "%s\n")), ("rows-csv", "csv", ("at,a,y\n", "%o,%s\n"))] {
        for (from, to) in [(0, 120), (120, 200)] {
            broker.send(topic, &if topic == "rows" { json(from, to) } else { csv(from, to) });
            broker.play(topic, form, &[&learner[..], &["--format", format], &save].concat());
        }
        assert_eq!(fs::read(&output).unwrap(), whole.stdout, "{topic}");
        [&model, &output].iter().for_each(|path| fs::remove_file(path).unwrap());
    }
}
