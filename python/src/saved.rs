//! Saved models: files of `noregret stream --save`, which the program reads too.

use std::collections::BTreeMap;
use std::path::Path;

use noregret_core::state::Array;
use pyo3::PyErr;
use pyo3::exceptions::{PyOSError, PyValueError};
use safetensors::SafeTensors;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use toml::Table;

use crate::config::assignment::Assignment;
use crate::model::error::ModelError;
use crate::model::file::{KEY, Model, read, write};
use crate::model::header::{Header, Names, Position, VERSION};

/// What to do with a model that is refused.
const ELSEWHERE: &str = "`noregret predict` reads it, Python does not";

/// Whether a model has encoders of columns.
fn encodes(path: &Path) -> bool {
    let bytes = std::fs::read(path).unwrap_or_default();
    let header = SafeTensors::read_metadata(&bytes)
        .ok()
        .and_then(|(_, metadata)| metadata.metadata().as_ref()?.get(KEY).cloned());
    header.and_then(|text| serde_json::from_str::<Json>(&text).ok()).is_some_and(|header| header["plan"].is_string())
}

/// What a file says of a learner.
pub struct Saved {
    /// Its name.
    pub name: String,
    /// Its parameters as they were given.
    pub table: Table,
    /// All its parameters, in canonical form.
    pub parameters: Json,
    /// The seed of its draws.
    pub seed: u64,
    /// The n of formulas.
    pub horizon: Option<u64>,
    /// The number of the last round.
    pub rounds: u64,
    /// The names of the inputs.
    pub inputs: Vec<String>,
    /// The name of the target.
    pub target: String,
}

/// The options of `noregret stream` that matter here; the others name files, or how they are read.
#[derive(Deserialize)]
#[serde(default)]
struct Options {
    learner: String,
    set: Vec<String>,
    seed: u64,
    scale: String,
    target_scale: String,
    noise: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        let none = || "none".to_owned();
        let (learner, set, noise) = (String::new(), Vec::new(), None);
        Self { learner, set, seed: 0, scale: none(), target_scale: none(), noise }
    }
}

/// The error in Python.
fn failed(error: &ModelError) -> PyErr {
    match error {
        ModelError::Io { .. } => PyOSError::new_err(error.to_string()),
        _ => PyValueError::new_err(error.to_string()),
    }
}

impl Saved {
    /// Writes a file.
    pub fn write(self, path: &Path, arrays: &BTreeMap<String, Array>) -> Result<(), PyErr> {
        let set: Vec<String> = self.table.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let header = Header {
            version: VERSION,
            program: concat!("noregret ", env!("CARGO_PKG_VERSION")).into(),
            options: json!({ "learner": self.name, "set": set, "seed": self.seed }),
            learner: self.name,
            parameters: self.parameters,
            columns: Names { inputs: self.inputs, target: self.target },
            plan: None,
            horizon: self.horizon,
            rounds: self.rounds,
            position: Position::default(),
            sha256: String::new(),
        };
        write(path, header, arrays).map_err(|error| failed(&error))
    }

    /// Reads a file.
    pub fn read(path: &Path) -> Result<(Self, BTreeMap<String, Array>), PyErr> {
        let wrong = |why: String| PyValueError::new_err(format!("{}: {why}", path.display()));
        if encodes(path) {
            return Err(wrong(format!("it was saved with columns of words or dates; {ELSEWHERE}")));
        }
        let Model { header, arrays } = read(path).map_err(|error| failed(&error))?;
        let options: Options = serde_json::from_value(header.options).map_err(|error| wrong(error.to_string()))?;
        let scaled = (options.scale != "none").then(|| format!("with --scale {}", options.scale));
        let target = (options.target_scale != "none").then(|| format!("with --target-scale {}", options.target_scale));
        let noisy = options.noise.map(|law| format!("with --noise {law}"));
        if let Some(how) = scaled.or(target).or(noisy) {
            return Err(wrong(format!("it was saved {how}; {ELSEWHERE}")));
        }
        let mut table = Table::new();
        for given in &options.set {
            Assignment::parse(given).and_then(|one| one.apply(&mut table)).map_err(wrong)?;
        }
        let Names { inputs, target } = header.columns;
        let saved = Self {
            name: options.learner,
            table,
            parameters: header.parameters,
            seed: options.seed,
            horizon: header.horizon,
            rounds: header.rounds,
            inputs,
            target,
        };
        Ok((saved, arrays))
    }
}
