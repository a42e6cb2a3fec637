//! Saved models: files of `noregret stream --save`, which the program reads too, and the same bytes in pickles.

use std::num::NonZeroU32;
use std::path::Path;

use noregret_core::epoch::Scales;
use noregret_core::view::ViewKind;
use noregret_model::assignment::Assignment;
use noregret_model::contents::RunContents;
use noregret_model::draws::DrawNames;
use noregret_model::error::ModelError;
use noregret_model::file::{Model, bytes, parse, read, write};
use noregret_model::header::{Header, Names, Position, VERSION};
use noregret_model::inputs::{Bounds, Scaler, Scaling};
use noregret_model::running::{RunningScaler, is_quantity};
use noregret_model::targets::Rescale;
use noregret_numeric::state::{State as _, Store};
use pyo3::PyErr;
use pyo3::exceptions::{PyOSError, PyValueError};
use serde::{Deserialize, Serialize};
use toml::Table;

/// The scale of `--scale epochs` and `--target-scale epochs`.
const EPOCHS: &str = "epochs";

/// The options of `noregret stream` that matter here; the others name files, or how they are read.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Options {
    /// The learner.
    pub learner: String,
    /// Its parameters, as `NAME=VALUE`.
    pub set: Vec<String>,
    /// How the learner's draws are named.
    #[serde(default = "DrawNames::unsaid", skip_serializing_if = "DrawNames::is_unsaid")]
    pub draws: DrawNames,
    /// The seed of all draws.
    pub seed: u64,
    /// How inputs are scaled.
    pub scale: String,
    /// How the targets that the learner sees are scaled.
    pub target_scale: String,
    /// How many classes are known beforehand, where targets are the numbers of classes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of_classes: Option<usize>,
    /// Whether the n of its formulas doubles whenever so many rounds were played, which Python does.
    #[serde(skip_serializing_if = "is_false")]
    pub doubling: bool,
    /// What it is shown of a row.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub views: Vec<String>,
    /// How many noisy copies a learner for exact data averages.
    pub copies: Option<NonZeroU32>,
    /// The law of the noise.
    pub noise: Option<String>,
    /// The parameters of this law, as `NAME=VALUE`.
    pub noise_set: Vec<String>,
    /// Its standard deviation on each input.
    pub noise_std: Option<f64>,
    /// Its standard deviation on the target.
    pub target_noise_std: Option<f64>,
}

impl Default for Options {
    fn default() -> Self {
        let none = || "none".to_owned();
        Self {
            learner: String::new(),
            set: Vec::new(),
            draws: DrawNames::default(),
            seed: 0,
            scale: none(),
            target_scale: none(),
            of_classes: None,
            doubling: false,
            views: Vec::new(),
            copies: None,
            noise: None,
            noise_set: Vec::new(),
            noise_std: None,
            target_noise_std: None,
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

impl Options {
    /// The learner's parameters.
    pub fn parameters(&self) -> Result<Table, PyErr> {
        table(&self.set)
    }

    /// The scale of the inputs that have these names, before any row.
    pub fn inputs(&self, names: &[String]) -> Result<Scaling, PyErr> {
        let whole = |bounds| Scaling::Whole(Scaler::new(bounds, names.len()));
        let quantities = || names.iter().map(|name| is_quantity(name)).collect::<Vec<bool>>();
        match self.scale.as_str() {
            // Over epochs, the learner scales by itself.
            "none" | EPOCHS => Ok(Scaling::None),
            "unit" => Ok(whole(Bounds::Unit)),
            "symmetric" => Ok(whole(Bounds::Symmetric)),
            "running" => Ok(Scaling::Running(RunningScaler::new(&quantities()))),
            other => Err(unknown("--scale", other)),
        }
    }

    /// Scales this over epochs.
    pub fn scale_over_epochs(&mut self, Scales { inputs, targets }: Scales) {
        for (scale, epochs) in [(&mut self.scale, inputs), (&mut self.target_scale, targets)] {
            if epochs {
                EPOCHS.clone_into(scale);
            }
        }
    }

    /// What is scaled over epochs.
    pub fn over_epochs(&self) -> Scales {
        Scales { inputs: self.scale == EPOCHS, targets: self.target_scale == EPOCHS }
    }

    /// What it is shown of a row; None where that is its columns.
    pub fn view(&self) -> Result<Option<ViewKind>, PyErr> {
        let mut kind = ViewKind::default();
        for view in &self.views {
            match view.as_str() {
                "past" => kind.past = true,
                "categories" => kind.categories = true,
                other => return Err(unknown("--views", other)),
            }
        }
        Ok((kind != ViewKind::default()).then_some(kind))
    }

    /// The scale of the targets, before any row; what fixes it is loaded.
    pub fn targets(&self) -> Result<Rescale, PyErr> {
        match self.target_scale.as_str() {
            "none" | EPOCHS => Ok(Rescale::default()),
            "unit" | "symmetric" | "standardise" => Ok(Rescale::fixed(0.0, 1.0)),
            "running" => Ok(Rescale::running()),
            other => Err(unknown("--target-scale", other)),
        }
    }
}

fn unknown(flag: &str, word: &str) -> PyErr {
    PyValueError::new_err(format!(
        "{flag} {word} is unknown here; `noregret predict` of the program that saved it knows it"
    ))
}

/// The table that `NAME=VALUE` give.
pub fn table(set: &[String]) -> Result<Table, PyErr> {
    let mut table = Table::new();
    for given in set {
        Assignment::parse(given)
            .and_then(|one| one.apply(&mut table))
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
    }
    Ok(table)
}

/// A table as `NAME=VALUE`.
pub fn assignments(table: &Table) -> Vec<String> {
    table.iter().map(|(name, value)| format!("{name}={value}")).collect()
}

/// What the targets of this plan are where they are no numbers to learn.
fn no_numbers(plan: &str) -> Option<&'static str> {
    let words = Some("its targets are words");
    let Ok(plan) = plan.parse::<Table>() else { return words };
    let Some(target) = plan.get("target") else { return words };
    if target.get("number").is_some() {
        return None;
    }
    let classes = target.get("classes").and_then(|classes| classes.get("words")).and_then(|words| words.as_array());
    let number = |word: &toml::Value| word.as_str().is_some_and(|word| word.parse::<f64>().is_ok());
    match classes {
        Some(classes) if classes.iter().all(number) => {
            Some("it was learnt with `--classes`, and its targets are classes")
        }
        _ => words,
    }
}

/// The error in Python.
fn failed(error: &ModelError) -> PyErr {
    match error {
        ModelError::Io { .. } => PyOSError::new_err(error.to_string()),
        _ => PyValueError::new_err(error.to_string()),
    }
}

/// A model on its way to or from a file.
pub struct Saved {
    /// Its name in messages.
    file: String,
    /// The options that it is made with.
    pub options: Options,
    model: Model,
}

impl Saved {
    /// The model of a learner with these parameters (in canonical form) and `contents`, after `rounds` rounds.
    pub fn new(
        options: Options,
        parameters: serde_json::Value,
        columns: Names,
        horizon: Option<u64>,
        rounds: u64,
        mut contents: RunContents<'_>,
    ) -> Result<Self, PyErr> {
        let mut store = Store::saving();
        contents.state(&mut store).map_err(|error| failed(&ModelError::Save(error)))?;
        let header = Header {
            version: VERSION,
            program: concat!("noregret ", env!("CARGO_PKG_VERSION")).into(),
            learner: options.learner.clone(),
            parameters,
            options: serde_json::to_value(&options).map_err(|error| PyValueError::new_err(error.to_string()))?,
            columns,
            plan: None,
            horizon,
            rounds,
            position: Position::default(),
            last: None,
            groups: None,
            sha256: String::new(),
        };
        Ok(Self { file: "the model".into(), options, model: Model { header, arrays: store.into_arrays() } })
    }

    /// Writes a file.
    pub fn write(self, path: &Path) -> Result<(), PyErr> {
        write(path, self.model.header, &self.model.arrays).map_err(|error| failed(&error))
    }

    /// The bytes of such a file.
    pub fn bytes(self) -> Result<Vec<u8>, PyErr> {
        bytes(self.model.header, &self.model.arrays).map_err(|error| failed(&error))
    }

    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, PyErr> {
        Self::of(path.display().to_string(), read(path))
    }

    /// Reads the bytes of a file.
    pub fn parse(bytes: &[u8]) -> Result<Self, PyErr> {
        let file = "the pickled model".to_owned();
        let model = parse(&file, bytes);
        Self::of(file, model)
    }

    fn of(file: String, model: Result<Model, ModelError>) -> Result<Self, PyErr> {
        let model = model.map_err(|error| failed(&error))?;
        if let Some(what) = model.header.plan.as_ref().and_then(|plan| no_numbers(plan)) {
            return Err(PyValueError::new_err(format!(
                "{file}: {what}, of which Python has no saved learner; `noregret predict` reads it"
            )));
        }
        let derived = "its inputs are made of earlier targets, for which Python has no saved learner; `noregret predict` reads it";
        for (option, why) in [
            ("lags", derived),
            ("means", derived),
            ("periods", derived),
            (
                "further_targets",
                "it predicts further targets, for which Python has no learner; `noregret predict` reads it",
            ),
            (
                "ahead",
                "it forecasts at several horizons, as `Forecaster` does; `noregret stream --load` goes on with it",
            ),
        ] {
            if model.header.options[option].as_array().is_some_and(|given| !given.is_empty()) {
                return Err(PyValueError::new_err(format!("{file}: {why}")));
            }
        }
        let options = serde_json::from_value(model.header.options.clone());
        let options = options.map_err(|error| PyValueError::new_err(format!("{file}: {error}")))?;
        Ok(Self { file, options, model })
    }

    /// The same for another n of formulas.
    pub fn with_horizon(mut self, horizon: u64) -> Self {
        self.model.header.horizon = Some(horizon);
        self
    }

    /// What it says about itself.
    pub fn header(&self) -> &Header {
        &self.model.header
    }

    /// The inputs, counted from 1, that hold codes of words, by the plan of the columns that it was learnt from.
    pub fn codes(&self) -> Result<Vec<i64>, PyErr> {
        let Some(text) = &self.model.header.plan else { return Ok(Vec::new()) };
        let wrong = |error| PyValueError::new_err(format!("{}: its plan of columns: {error}", self.file));
        let plan: Table = text.parse().map_err(wrong)?;
        let columns = plan.get("columns").and_then(|columns| columns.as_array()).into_iter().flatten();
        let coded = |column: &&toml::Value| {
            let how =
                |column: &toml::Value| column.get("encoder")?.get("category")?.get("how")?.as_str().map(str::to_owned);
            how(column).as_deref() == Some("codes")
        };
        let names: Vec<&str> = columns.filter(coded).filter_map(|column| column.get("name")?.as_str()).collect();
        let inputs = self.model.header.columns.inputs.iter().zip(1..);
        Ok(inputs.filter(|(name, _)| names.contains(&name.as_str())).map(|(_, number)| number).collect())
    }

    /// Refuses a learner that has other parameters than the saved one.
    pub fn check(&self, parameters: &serde_json::Value) -> Result<(), PyErr> {
        let why = || PyValueError::new_err(format!("{}: it has other parameters than its options give", self.file));
        (*parameters == self.model.header.parameters).then_some(()).ok_or_else(why)
    }

    /// Puts what was learnt into `contents`.
    pub fn fill(self, mut contents: RunContents<'_>) -> Result<(), PyErr> {
        let mut store = Store::loading(self.model.arrays);
        let outcome = contents.state(&mut store).and_then(|()| store.finish());
        outcome.map_err(|error| PyValueError::new_err(format!("{}: {error}", self.file)))
    }
}
