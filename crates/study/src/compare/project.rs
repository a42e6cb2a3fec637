//! The project that `compare` leaves: files with comments, which the user edits and `noregret run` makes again. A file
//! that the user changed since it was written is left alone; what would be written now stands beside it as `FILE.new`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use toml::{Table, Value};

use crate::compare::candidates::Candidate;
use crate::compare::error::CompareError;
use crate::compare::halving::Judged;
use crate::compare::played::{CompareMetric, put};
use noregret_data::error::DataError;
use noregret_data::files::write;

/// Writes files of a project, and remembers which bytes it wrote.
#[derive(Debug)]
pub struct ProjectWriter {
    root: PathBuf,
    record: PathBuf,
    /// SHA-256 of what was written last, by path below the root.
    written: BTreeMap<String, String>,
    /// Files that the user changed.
    pub kept: Vec<String>,
}

fn sha256(text: &str) -> String {
    hex::encode(Sha256::digest(text.as_bytes()))
}

impl ProjectWriter {
    /// A writer for the project at `root`; what it wrote is remembered in `record`, a path below the root.
    pub fn open(root: &Path, record: &str) -> Self {
        let record = root.join(record);
        let written = fs::read(&record).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        Self { root: root.to_owned(), record, written, kept: Vec::new() }
    }

    /// Writes a file, unless the user changed it.
    ///
    /// # Errors
    /// Why it cannot be written.
    pub fn put(&mut self, path: &str, text: &str) -> Result<(), DataError> {
        let target = self.root.join(path);
        let new = self.root.join(format!("{path}.new"));
        match fs::read_to_string(&target) {
            Ok(found) if found == text => {}
            Ok(found) if self.written.get(path) != Some(&sha256(&found)) => {
                write(&new, text.as_bytes())?;
                self.kept.push(path.to_owned());
                return Ok(());
            }
            _ => write(&target, text.as_bytes())?,
        }
        // An earlier proposal beside it is out of date.
        let _ = fs::remove_file(new);
        self.written.insert(path.to_owned(), sha256(text));
        Ok(())
    }

    /// Writes a file that the user may keep as it is, if there is none yet.
    ///
    /// # Errors
    /// Why it cannot be written.
    pub fn put_once(&mut self, path: &str, text: &str) -> Result<(), DataError> {
        match fs::read_to_string(self.root.join(path)) {
            // The record of an earlier call that was killed may not know it.
            Ok(found) if found == text => self.put(path, text),
            Ok(_) => Ok(()),
            Err(_) if self.root.join(path).exists() => Ok(()),
            Err(_) => self.put(path, text),
        }
    }

    /// Removes a file that an earlier version wrote, unless the user changed it.
    pub fn retire(&mut self, path: &str) {
        let target = self.root.join(path);
        let known = self.written.remove(path);
        if fs::read_to_string(&target).is_ok_and(|found| known == Some(sha256(&found))) {
            let _ = fs::remove_file(target);
        }
    }

    /// Remembers what was written.
    ///
    /// # Errors
    /// Why it cannot be.
    pub fn close(self) -> Result<Vec<String>, CompareError> {
        put(&self.record, &self.written)?;
        Ok(self.kept)
    }
}

/// A learner of the experiment.
pub struct Entrant<'a> {
    /// Its chosen setting.
    pub candidate: &'a Candidate,
    /// How it was chosen.
    pub choice: &'a Judged,
    /// How often it plays.
    pub replicates: u32,
}

/// What the study says.
pub struct Study<'a> {
    /// The name of dataset and experiment.
    pub name: &'a str,
    /// The file as the user named it.
    pub file: &'a str,
    /// Its number of rows.
    pub rows: u64,
    /// How many of them were in play.
    pub played: u64,
    /// Seed of all random draws.
    pub seed: u64,
    /// What decides.
    pub metric: CompareMetric,
    /// The experiment's `[stream]`.
    pub stream: &'a Table,
    /// What targets are, to which losses compare.
    pub unit: &'a str,
    /// The most replicates.
    pub replicates: u32,
    /// The learner that read the file in another way than experiments do.
    pub apart: Option<&'a str>,
    /// The entrants, best first.
    pub entrants: &'a [Entrant<'a>],
    /// Who is drawn.
    pub drawn: &'a [&'a str],
    /// Who was left out, and why.
    pub left_out: &'a [(&'static str, String)],
}

impl Study<'_> {
    /// The text of the study: the experiment and its figure.
    pub fn text(&self) -> String {
        self.experiment() + &self.figure()
    }

    fn experiment(&self) -> String {
        let Self { name, file, seed, .. } = self;
        let about = format!(
            "Every learner at the setting that `noregret compare` chose on the first {} rows; {} rows. {}",
            self.played / 2,
            self.rows,
            self.unit
        );
        let scales = match self.stream.get("target").and_then(Value::as_str) {
            Some("symmetric") => {
                "Inputs are scaled by epochs, as there: by earlier rows alone. The two targets\n\
                 # become -1 and 1 here; there they are those of the file, so that losses differ."
            }
            _ => "Inputs and targets are scaled by epochs, as there: by earlier rows alone.",
        };
        let replicates = "# Seeds of the learners that draw random numbers; the others play the rows of the file once.";
        let mut text = format!(
            "# The learners of `noregret compare {file}`, at the settings that it chose, with the baselines. Edit this file\n\
             # and run `noregret run`: learners that did not change are not played again. A list of values, as in\n\
             # `lambda = [0.1, 1]`, makes a curve of each; `noregret describe LEARNER` explains the parameters.\n\
             # Losses here are over all rows, those that chose the settings among them: what was judged, on the other rows, is\n\
             # in leaderboard.txt. {scales}\n\
             title = {}\nabout = {}\n\n{replicates}\nreplicates = {}\n\
             # \"all\" rows, or a number of them: [1000, \"all\"] plays both.\nhorizons = [\"all\"]\n\
             # Keys all random draws.\nseed = {seed}\nloss = \"{}\"\n\n",
            string(&format!("{name}: learners compared")),
            string(&about),
            self.replicates,
            self.metric.loss(),
        );
        text += "[stream]\n";
        for (key, value) in self.stream {
            text += &format!("{key} = {value}\n");
        }
        for entrant in self.entrants {
            text += &self.learner(entrant);
        }
        if !self.left_out.is_empty() {
            text += "\n# Left out:\n";
            for (learner, why) in self.left_out {
                text += &format!("# {learner}: {why}\n");
            }
        }
        text
    }

    fn learner(&self, Entrant { candidate, choice, replicates }: &Entrant<'_>) -> String {
        let learner = candidate.learner.name;
        let apart = match learner {
            _ if self.apart == Some(learner) => {
                " There it read words as codes and dates with a calendar, which experiments cannot: losses differ."
            }
            "discount-mixture" => {
                " Losses differ: here it is told the number of rows, and has no memory longer than that; there it is not."
            }
            _ => "",
        };
        let mut text =
            format!("\n# {}{apart}\n[[learners]]\nname = \"{learner}\"\nlabel = \"{learner}\"\n", told(choice));
        if *replicates != self.replicates {
            text += &format!("replicates = {replicates}\n");
        }
        if choice.runs.is_empty() || self.played + 1 < self.rows {
            let rows = if choice.runs.is_empty() { self.played / 2 } else { self.played };
            text += &format!("# All rows would take longer than the budget.\nhorizon = {}\n", rows.max(1));
        }
        for (key, value) in &candidate.table {
            text += &format!("{key} = {value}\n");
        }
        text
    }

    fn figure(&self) -> String {
        let only: Vec<String> = self.drawn.iter().map(|learner| format!("\"{learner}\"")).collect();
        let from = (self.rows / 50).clamp(1, 1000);
        let (show, axis, what) = match self.metric {
            CompareMetric::Error => ("error_rate", "error rate", "Share of wrong predictions up to round t"),
            _ => ("average_loss", "average loss", "Average loss of the predictions up to round t"),
        };
        // An error has no unit.
        let unit = if self.metric == CompareMetric::Error { "" } else { self.unit };
        format!(
            "\n# The best learners along the rows. `noregret run figure/{name}-loss` draws it.\n[figure.{name}-loss]\n\
             title = {}\ny = \"{axis}\"\nshows = {}\n\n[figure.{name}-loss.options]\n\
             show = \"{show}\"\nagainst = \"round\"\n# Leave `only` out to draw all.\nonly = [{}]\n\
             # Averages say little about the first few rounds.\nfrom_round = {from}\ntell = \"ends\"\n",
            string(&format!("{}: {axis}", self.name)),
            string(format!("{what} on {} ({} rows). {unit}", self.name, self.rows).trim_end()),
            only.join(", "),
            name = self.name,
        )
    }
}

/// How a setting was chosen, in a sentence.
fn told(choice: &Judged) -> String {
    match (choice.settings, choice.chosen_on) {
        (1, _) | (_, 0) => "The only setting.".into(),
        (settings, rows) if choice.finalists == settings => {
            format!("The best of {settings} settings on the first {rows} rows.")
        }
        (settings, rows) => {
            format!("The best of {settings} settings, of which {} played the first {rows} rows.", choice.finalists)
        }
    }
}

/// Text as TOML writes it.
fn string(text: &str) -> String {
    Value::String(text.to_owned()).to_string()
}

/// The profiles of a new project.
pub const PROFILES: &str = "\
# Profiles: sizes of all experiments. An experiment says in [profile.NAME] what a profile changes for it.

[standard]
description = \"All rows.\"
default = true

[quick]
description = \"A first look: what experiments say in [profile.quick].\"
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_files_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let put = |text: &str| {
            let mut writer = ProjectWriter::open(folder.path(), "results/written.json");
            writer.put("pipeline/a.toml", text).unwrap();
            writer.close().unwrap()
        };
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).ok();
        assert_eq!(put("one"), Vec::<String>::new());
        // Nobody changed it: it follows.
        assert_eq!(put("two"), Vec::<String>::new());
        assert_eq!(read("pipeline/a.toml").as_deref(), Some("two"));
        fs::write(folder.path().join("pipeline/a.toml"), "mine").unwrap();
        assert_eq!(put("three"), ["pipeline/a.toml"]);
        assert_eq!(read("pipeline/a.toml").as_deref(), Some("mine"));
        assert_eq!(read("pipeline/a.toml.new").as_deref(), Some("three"));
        fs::write(folder.path().join("pipeline/a.toml"), "three").unwrap();
        assert_eq!(put("three"), Vec::<String>::new());
        assert_eq!(read("pipeline/a.toml.new"), None);
    }

    #[test]
    fn what_an_earlier_version_wrote_goes_unless_it_was_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipeline/figures/a-loss.toml");
        for (changed, stays) in [(false, false), (true, true)] {
            let mut writer = ProjectWriter::open(folder.path(), "results/written.json");
            writer.put("pipeline/figures/a-loss.toml", "one").unwrap();
            writer.close().unwrap();
            if changed {
                fs::write(&path, "mine").unwrap();
            }
            let mut writer = ProjectWriter::open(folder.path(), "results/written.json");
            writer.retire("pipeline/figures/a-loss.toml");
            writer.close().unwrap();
            assert_eq!(path.exists(), stays);
        }
    }
}
