//! The learners of a project: those of this program, and those that the project declares in `pipeline/learners/`, which
//! are processes of their own.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::path::{Component, Path};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::parts::suggest;
use super::plays::Plays;
use noregret_core::learner::LEARNERS;
use noregret_core::learner::api::LearnerEntry;
use noregret_core::params::check::{GivenTable as Named, Parts, check};
use noregret_core::params::registry::unknown_member;
use noregret_core::params::{Fallback, Kind, ParamError, Params, Part, PartKind, Range, Spec};
use noregret_core::parts::AllParts;
use schemars::JsonSchema;
use serde::Deserialize;
use toml::{Table, Value};

use super::ConfigError;
use crate::external::learner::{MODULE, PROGRAM, RECIPE};
use crate::external::program::{ProcessLimits, Program};
use noregret_data::listing;

/// The folder of declarations under the pipeline folder.
pub const FOLDER: &str = "learners";

/// Keys of a learner's table in an experiment that are no parameters.
const TAKEN: [&str; 11] =
    ["name", "label", "horizon", "longest", "replicates", "copies", "clean", "tune", "zip", "profile", PROGRAM];

/// A learner in a process of its own, written in any language.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LearnerFile {
    /// What it is, in one line, with its source.
    summary: String,
    /// Its version. Its process must give the same one. Another version is another learner: its runs are made again.
    version: String,
    /// The command that runs it, and its arguments. A word that is one of `files` stands for that file, and a command
    /// that is a path, such as `target/env/bin/python`, is relative to the project; everything else is passed as it is.
    /// It runs in an empty folder.
    command: Vec<String>,
    /// The files whose bytes identify it, relative to the project: scripts, lock files. Without any, its runs are never
    /// cached.
    #[serde(default)]
    files: Vec<String>,
    /// Whether it is made for noise: it then plays streams with noise, and asks for the noisy copies that it learns from.
    #[serde(default)]
    noisy: bool,
    /// Its parameters.
    #[serde(default)]
    parameters: Vec<DeclaredParameter>,
    /// Files and folders that its process may read besides installed programs, packages and `files`. Paths begin with `~/`
    /// or `/`, or are relative to the project.
    #[serde(default)]
    reads: Vec<String>,
    /// Whether its process is isolated, on Linux: it has no data, no network and no other processes. `false` for what
    /// needs more, such as a graphics card; `stream`, `describe` and `run` then say so.
    #[serde(default = "yes")]
    isolated: bool,
    /// How long its process may take.
    #[serde(default)]
    limits: Seconds,
    /// What to do where the command is not there.
    #[serde(default)]
    remedy: String,
    /// Where it plays, besides the experiments that name it. It is no part of what identifies the learner.
    #[serde(default)]
    plays: Vec<Plays>,
}

/// A parameter of a declared learner.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeclaredParameter {
    /// Its name: lower-case letters, digits and `_`.
    name: String,
    /// What it is, in one sentence.
    doc: String,
    /// Which values it takes.
    kind: ParameterKind,
    /// The smallest and the largest value, for numbers; without it, any.
    #[serde(default)]
    range: Option<[f64; 2]>,
    /// The words that it takes, for a choice.
    #[serde(default)]
    words: Vec<String>,
    /// Its value where none is given; without it, one must be.
    #[serde(default)]
    default: Option<DefaultValue>,
}

/// The kinds of parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ParameterKind {
    /// A number.
    Real,
    /// An integer.
    Integer,
    /// One of some words.
    Choice,
    /// true or false.
    Flag,
}

/// The default of a parameter.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum DefaultValue {
    /// true or false.
    Flag(bool),
    /// An integer.
    Integer(u64),
    /// A number.
    Real(f64),
    /// A word.
    Word(String),
}

/// How long a process may take, in seconds.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Seconds {
    /// From its start to its first answer.
    start: f64,
    /// For each answer.
    message: f64,
    /// For the answer to the last message.
    end: f64,
}

impl Default for Seconds {
    fn default() -> Self {
        Self { start: 60.0, message: 60.0, end: 60.0 }
    }
}

fn yes() -> bool {
    true
}

/// A text for the rest of the program's life: the registries hold such texts, and what is declared is read once.
fn forever(text: impl Into<String>) -> &'static str {
    String::leak(text.into())
}

/// Why a number, a word or a file of a declaration is refused: the key, and what is wrong.
type Wrong = (String, String);

impl DeclaredParameter {
    fn spec(&self) -> Result<Spec, Wrong> {
        let key = |key: &str| format!("parameters.{}.{key}", self.name);
        let wrong = |at: &str, why: &str| Err((key(at), why.to_owned()));
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if !self.name.starts_with(|c: char| c.is_ascii_lowercase()) || !self.name.chars().all(plain) {
            return wrong("name", "use lower-case letters, digits and `_`, beginning with a letter");
        }
        if TAKEN.contains(&self.name.as_str()) {
            return wrong("name", "this name has a meaning of its own in experiments; use another one");
        }
        let numbers = matches!(self.kind, ParameterKind::Real | ParameterKind::Integer);
        if self.range.is_some() && !numbers {
            return wrong("range", "is for numbers");
        }
        if self.words.is_empty() == (self.kind == ParameterKind::Choice) {
            return wrong("words", "are for a choice, which needs some");
        }
        let [min, max] = self.range.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        if min.is_nan() || max.is_nan() || min > max {
            return wrong("range", "write [SMALLEST, LARGEST]");
        }
        let kind = match self.kind {
            ParameterKind::Real => {
                let range = Range { min, min_open: min.is_infinite(), max, max_open: max.is_infinite() };
                Kind::Real { range, words: &[] }
            }
            // A cast takes what is beyond the integers to the nearest one.
            ParameterKind::Integer => Kind::Integer { min: min.ceil() as u64, max: max as u64 },
            ParameterKind::Choice => Kind::Choice(Vec::leak(self.words.iter().map(forever).collect())),
            ParameterKind::Flag => Kind::Flag,
        };
        let default = match (&self.default, self.kind) {
            (None, _) => Fallback::Required,
            (Some(DefaultValue::Integer(number)), ParameterKind::Real) => Fallback::Real(*number as f64),
            (Some(DefaultValue::Real(number)), ParameterKind::Real) => Fallback::Real(*number),
            (Some(DefaultValue::Integer(number)), ParameterKind::Integer) => Fallback::Integer(*number),
            (Some(DefaultValue::Word(word)), ParameterKind::Choice) => Fallback::Word(forever(word)),
            (Some(DefaultValue::Flag(flag)), ParameterKind::Flag) => Fallback::Flag(*flag),
            (Some(_), _) => return wrong("default", "is no value of this kind"),
        };
        let held = match (&kind, &default) {
            (Kind::Real { range, .. }, Fallback::Real(number)) => range.holds(*number),
            (Kind::Integer { min, max }, Fallback::Integer(number)) => (min..=max).contains(&number),
            (Kind::Choice(words), Fallback::Word(word)) => words.contains(word),
            _ => true,
        };
        if !held {
            return wrong("default", "is not among the values that the parameter takes");
        }
        Ok(Spec { name: forever(&self.name), doc: forever(&self.doc), kind, default })
    }
}

/// A declared learner.
#[derive(Clone, Debug)]
struct DeclaredLearner {
    entry: &'static LearnerEntry,
    /// The value of its parameter [`PROGRAM`].
    program: Part,
}

impl Seconds {
    /// The times that a process may take.
    fn checked(&self) -> Result<ProcessLimits, Wrong> {
        let seconds = |key: &str, seconds: f64| {
            let limit = Duration::try_from_secs_f64(seconds).ok().filter(|limit| !limit.is_zero());
            limit.ok_or_else(|| (format!("limits.{key}"), "must be a positive number of seconds".to_owned()))
        };
        let [start, message, end] = [("start", self.start), ("message", self.message), ("end", self.end)]
            .map(|(key, given)| seconds(key, given));
        Ok(ProcessLimits { start: start?, message: message?, end: end? })
    }
}

impl LearnerFile {
    /// What identifies the program whose files have this digest, as parameters.
    fn identity(&self, digest: String) -> Result<Params, ParamError> {
        let word = |key: &'static str, value: String| {
            let value = forever(value);
            Spec { name: key, doc: "", kind: Kind::Choice(Vec::leak(vec![value])), default: Fallback::Word(value) }
        };
        let identity = vec![
            word("command", self.command.join(" ")),
            word("files", digest),
            word("kind", if self.noisy { "noisy" } else { "full" }.to_owned()),
            word("version", self.version.clone()),
        ];
        check(Vec::leak(identity), &Table::new(), "", &AllParts)
    }

    /// The learner that the file declares in the project at `root`.
    fn declare(self, name: &str, root: &Path) -> Result<DeclaredLearner, Wrong> {
        let wrong = |key: &str, why: &str| (key.to_owned(), why.to_owned());
        if LEARNERS.get(name).is_some() {
            return Err(wrong("name", "there is a learner of this name in the program; rename the file"));
        }
        if self.command.first().is_none_or(String::is_empty) {
            return Err(wrong("command", "must name a command"));
        }
        let limits = self.limits.checked()?;
        for file in &self.files {
            let inside = |part: Component<'_>| matches!(part, Component::Normal(_));
            if !Path::new(file).components().all(inside) || file.is_empty() {
                return Err(wrong("files", &format!("`{file}` must be a path inside the project")));
            }
        }
        // What is not here plays nowhere, and stops nothing that does without it.
        let (mut digest, unread) = match Program::digest(root, &self.files) {
            Ok(digest) => (digest, None),
            Err((file, error)) => ("unread".to_owned(), Some((file, error.to_string()))),
        };
        if self.files.is_empty() {
            // What nothing identifies is another learner each time.
            static NEVER_AGAIN: OnceLock<u64> = OnceLock::new();
            digest = format!("undeclared {}", NEVER_AGAIN.get_or_init(|| RandomState::new().hash_one(name)));
        }
        let identity = self.identity(digest.clone()).map_err(|error| wrong("version", &error.to_string()))?;
        let mut specs = self.parameters.iter().map(DeclaredParameter::spec).collect::<Result<Vec<_>, _>>()?;
        if let Some(twice) = (1..specs.len()).find(|&i| specs[..i].iter().any(|one| one.name == specs[i].name)) {
            return Err((format!("parameters.{}", specs[twice].name), "is declared twice".into()));
        }
        let name = forever(name);
        specs.push(Spec {
            name: PROGRAM,
            doc: "The program itself: its version, its command and its files. No one sets it.",
            kind: Kind::Part(PartKind::Learner),
            default: Fallback::Added(Box::leak(Box::new(Fallback::Part(name)))),
        });
        let program = Program {
            name: name.to_owned(),
            version: self.version,
            command: self.command,
            files: self.files,
            digest,
            unread,
            // It runs in another folder.
            root: std::path::absolute(root).unwrap_or_else(|_| root.to_owned()),
            noisy: self.noisy,
            isolated: self.isolated,
            reads: self.reads,
            limits,
            remedy: self.remedy,
        };
        let summary = forever(self.summary);
        let entry = LearnerEntry { name, summary, module: MODULE, params: Vec::leak(specs), build: RECIPE };
        let program = Part::new(name, MODULE, identity, Arc::new(program));
        Ok(DeclaredLearner { entry: Box::leak(Box::new(entry)), program })
    }
}

/// The learners of this program and of a project, by name. As [`Parts`], it makes parts of them.
#[derive(Clone, Debug, Default)]
pub struct Learners {
    declared: BTreeMap<String, DeclaredLearner>,
    /// Why those cannot be used whose files are wrong.
    wrong: BTreeMap<String, String>,
    /// Where those play whose files say so, wrong or not: an entry of one that cannot be used is refused.
    plays: BTreeMap<String, Vec<Plays>>,
}

impl Learners {
    /// Those of the project whose folder is `root`, with what each file declares. What is wrong with a file matters where
    /// its learner is meant.
    ///
    /// # Errors
    /// The folder cannot be listed.
    pub fn load(root: &Path) -> Result<Self, ConfigError> {
        let data = |error: noregret_data::error::DataError| ConfigError::Data(error.to_string());
        let mut all = Self::default();
        for (name, path) in listing::declarations(&root.join("pipeline").join(FOLDER)).map_err(data)? {
            let shown = path.display().to_string();
            let text = listing::read(&path).map_err(data);
            let file = text.as_deref().map(toml::from_str::<LearnerFile>);
            let plays = match &file {
                Ok(Ok(file)) => file.plays.clone(),
                _ => text.as_deref().map(Plays::of).unwrap_or_default(),
            };
            all.plays.extend((!plays.is_empty()).then(|| (name.clone(), plays)));
            let read = || {
                let file = file.map_err(|error| ConfigError::Data(error.to_string()))?;
                let file = file.map_err(|error| ConfigError::malformed(&shown, &error))?;
                let one = file.declare(&name, root);
                one.map_err(|(field, why)| ConfigError::Field { path: shown.clone(), field, why })
            };
            match read() {
                Ok(one) => drop(all.declared.insert(name, one)),
                Err(error) => drop(all.wrong.insert(name, error.to_string())),
            }
        }
        Ok(all)
    }

    /// These and those of `other`, which give way where names are the same.
    #[must_use]
    pub fn with(mut self, other: &Self) -> Self {
        for (name, one) in &other.declared {
            self.declared.entry(name.clone()).or_insert_with(|| one.clone());
        }
        for (name, why) in &other.wrong {
            if !self.declared.contains_key(name) {
                self.wrong.entry(name.clone()).or_insert_with(|| why.clone());
            }
        }
        self
    }

    /// The entries of learners whose files enter them into this experiment, with their places, in the order of names.
    pub(super) fn entries(&self, experiment: &str) -> Vec<(String, Value)> {
        let of = |name: &str, all: &[Plays]| -> Vec<(String, Value)> {
            let place = |i| format!("plays[{i}] of pipeline/{FOLDER}/{name}.toml");
            let entry = |(i, one): (usize, &Plays)| Some((place(i), one.entry(name, experiment)?));
            all.iter().enumerate().filter_map(entry).collect()
        };
        self.plays.iter().flat_map(|(name, all)| of(name, all)).collect()
    }

    /// That no file enters its learner into an experiment whose name is misspelt; `known` are the names.
    ///
    /// # Errors
    /// The first such name.
    pub(super) fn entered(&self, known: &[&str]) -> Result<(), ConfigError> {
        let wrong = |(name, all): (&String, &Vec<Plays>)| {
            let why = all.iter().find_map(|one| one.misspelt(known))?;
            let path = format!("pipeline/{FOLDER}/{name}.toml");
            Some(ConfigError::Field { path, field: "plays.experiments".into(), why })
        };
        self.plays.iter().find_map(wrong).map_or(Ok(()), Err)
    }

    /// The learners whose files are wrong, with what is wrong with them.
    pub fn wrong(&self) -> impl Iterator<Item = (&str, &str)> {
        self.wrong.iter().map(|(name, why)| (&**name, &**why))
    }

    /// That the file of this learner is wrong, if it is.
    fn usable(&self, name: &str, path: &str) -> Result<(), ParamError> {
        self.wrong.get(name).map_or(Ok(()), |why| Err(ParamError::refused(format!("{path}name"), why)))
    }

    /// The learner of that name, if there is one.
    pub(crate) fn get(&self, name: &str) -> Option<&'static LearnerEntry> {
        LEARNERS.get(name).or_else(|| self.declared.get(name).map(|one| one.entry))
    }

    /// The learner of that name.
    ///
    /// # Errors
    /// There is none: the nearest name, and all names. Or its file is wrong.
    pub fn find(&self, name: &str) -> Result<&'static LearnerEntry, ParamError> {
        self.usable(name, "")?;
        let names: Vec<&str> = self.all().map(|(entry, _)| entry.name).collect();
        self.get(name).ok_or_else(|| unknown_member("learner", name, names.iter().copied()))
    }

    /// All of them, each with the parameters that can be set.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&'static LearnerEntry, &'static [Spec])> {
        LEARNERS.iter().map(|entry| (*entry, entry.params)).chain(self.declared())
    }

    /// Those that the project declares, in the order of their names, each with the parameters that can be set.
    pub fn declared(&self) -> impl Iterator<Item = (&'static LearnerEntry, &'static [Spec])> {
        self.declared.values().map(|one| (one.entry, settable(one.entry)))
    }

    /// What the user is to know of a learner before it plays, and does not know yet.
    pub(crate) fn notes(&self, name: &str, known: &[String]) -> Vec<String> {
        let program = self.declared.get(name).and_then(|one| one.program.object::<Program>());
        let never = format!("pipeline/{FOLDER}/{name}.toml names no `files`, so the runs of {name} are never cached");
        let unidentified = program.as_ref().filter(|program| !program.is_identified()).map(|_| never);
        let open = program.filter(|program| !program.is_isolated());
        let open = open.map(|program| format!("{name}: {}", program.isolation()));
        unidentified.into_iter().chain(open).filter(|note| !known.contains(note)).collect()
    }

    /// What the process of a declared learner can do.
    pub fn isolation(&self, name: &str) -> Option<String> {
        Some(self.declared.get(name)?.program.object::<Program>()?.isolation())
    }

    /// Checked parameters of a learner.
    ///
    /// # Errors
    /// As [`check`], with values as they were written and a parameter of a part that may have been meant.
    pub fn check(&self, entry: &'static LearnerEntry, table: &Table) -> Result<Params, ParamError> {
        match check(entry.params, table, "", self).map_err(|error| suggest(error, entry.params, table)) {
            Err(ParamError::Unknown { path, nearest, mut known }) => {
                known.retain(|name| name != PROGRAM);
                let nearest = nearest.filter(|name| name != PROGRAM);
                Err(ParamError::Unknown { path, nearest, known })
            }
            checked => checked,
        }
    }
}

/// The parameters of a learner that can be set: all but the program of a declared one, which is the last.
pub(crate) fn settable(entry: &'static LearnerEntry) -> &'static [Spec] {
    match entry.params {
        [own @ .., last] if last.name == PROGRAM => own,
        all => all,
    }
}

impl Parts for Learners {
    fn part(&self, kind: PartKind, table: &Named, default: Option<&str>, path: &str) -> Result<Part, ParamError> {
        if kind != PartKind::Learner {
            return AllParts.part(kind, table, default, path);
        }
        let held = path.strip_suffix('.').is_some_and(|path| path.rsplit('.').next() == Some(PROGRAM));
        if held {
            let program = default.and_then(|name| self.declared.get(name)).map(|one| one.program.clone());
            return program.ok_or_else(|| ParamError::refused(path.trim_end_matches('.'), "cannot be set"));
        }
        let named = table.get("name").and_then(|name| name.as_str()).or(default);
        self.usable(named.unwrap_or_default(), path)?;
        let (entry, params) = match named.and_then(|name| self.declared.get(name)) {
            None => LEARNERS.chosen(table, default, path, self)?,
            Some(one) => {
                let mut own = table.clone();
                own.remove("name");
                (one.entry, check(one.entry.params, &own, path, self)?)
            }
        };
        Ok(Part::new(entry.name, entry.module, params, Arc::new(entry)))
    }
}

#[cfg(test)]
mod tests;
