//! What learners of both kinds are built from, and what they have come to.

use std::sync::Arc;

use noregret_core::epoch::Scales;
use noregret_core::learner::LEARNERS;
use noregret_core::learner::api::{AnyLearner, Hypothesis, Learner, Setting};
use noregret_core::learner::classes::{Classes, Misclassified};
use noregret_core::learner::over_epochs::OverEpochs;
use noregret_core::params::ParamError;
use noregret_core::params::check::check;
use noregret_core::parts::AllParts;
use noregret_core::protocol::tally::Tally;
use noregret_core::view::ColumnKind;
use noregret_model::contents::RunContents;
use noregret_model::header::Names;
use noregret_model::inputs::Scaling;
use noregret_model::misses::Misses;
use noregret_model::running::is_quantity;
use noregret_model::service::Service;
use noregret_model::targets::Rescale;
use noregret_numeric::draw::Draws;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::Value as Json;
use toml::{Table, Value};

use crate::bandwidth::{self, Absent};
use crate::error::refused;
use crate::saved::{Options, Saved, assignments};

/// What a learner was built from.
pub struct Origin {
    /// Its name in the registry.
    pub name: &'static str,
    /// The options of `noregret stream` that describe it.
    pub options: Options,
    /// Its parameters as they were given.
    pub table: Table,
    /// All its parameters, in canonical form.
    pub parameters: Json,
    /// The names of its inputs: those of the model that it was loaded from, or x1, x2, ...
    pub inputs: Vec<String>,
    /// Number of inputs, horizon and draws.
    pub setting: Setting,
}

impl Origin {
    /// The learner that `options` name, with the parameters `table`, over these inputs.
    pub fn build(
        mut options: Options,
        table: Table,
        inputs: Vec<String>,
        horizon: Option<u64>,
    ) -> PyResult<(Self, AnyLearner)> {
        let entry = LEARNERS.find(&options.learner).map_err(refused)?;
        let params = check(entry.params, &table, "", &AllParts).map_err(refused)?;
        let parameters = params.canonical();
        // The draws of `noregret stream --seed`.
        let draws = options.draws.draws(options.seed, entry, &params);
        let setting = Setting { dim: inputs.len(), horizon, draws };
        let (scales, classes) = (options.over_epochs(), options.of_classes);
        let learner = match (entry.build.learner)(&params, &setting).map_err(refused)? {
            learner if scales == Scales::default() && classes.is_none() => learner,
            AnyLearner::Noisy(_) => {
                return Err(PyValueError::new_err(format!(
                    "{} sees noisy copies only, which no scale is made of and no classes are told by",
                    entry.name
                )));
            }
            AnyLearner::Full(_) => {
                let quantities: Vec<bool> = inputs.iter().map(|name| is_quantity(name)).collect();
                let (params, own, draws) = (params.clone(), setting.clone(), setting.draws.clone());
                let (dim, view) = (inputs.len(), options.view()?);
                let build = move |dim| match (entry.build.learner)(&params, &Setting { dim, ..own.clone() })? {
                    AnyLearner::Full(learner) => Ok(learner),
                    AnyLearner::Noisy(_) => Err(ParamError::refused("learner", "it sees noisy copies only")),
                };
                let scaled = move || -> Result<Box<dyn Learner>, ParamError> {
                    let (build, draws) = (build.clone(), draws.clone());
                    match view {
                        None if scales == Scales::default() => build(dim),
                        None => {
                            Ok(Box::new(OverEpochs::new(Box::new(move || build(dim)), draws, &quantities, scales)?))
                        }
                        // Which columns hold words is loaded.
                        Some(kind) => {
                            let part = |quantity: &bool| if *quantity { ColumnKind::Number } else { ColumnKind::Part };
                            let columns = quantities.iter().map(part).collect();
                            let most = OverEpochs::most(dim);
                            let over = OverEpochs::viewing(most, Box::new(build), draws, columns, kind, scales.targets);
                            Ok(Box::new(over?))
                        }
                    }
                };
                let built = match classes {
                    None => scaled(),
                    Some(known) => Classes::new(Box::new(scaled), setting.draws.clone(), inputs.len(), known)
                        .map(|classes| Box::new(classes) as Box<dyn Learner>),
                };
                AnyLearner::Full(built.map_err(refused)?)
            }
        };
        options.set = assignments(&table);
        Ok((Self { name: entry.name, options, table, parameters, inputs, setting }, learner))
    }

    /// What may be scaled for the learner `name` with the parameters `table`, for `dim` inputs and this n of formulas.
    pub fn scalable(name: &str, table: &Table, dim: usize, horizon: Option<u64>) -> PyResult<Scales> {
        let entry = LEARNERS.find(name).map_err(refused)?;
        let params = check(entry.params, table, "", &AllParts).map_err(refused)?;
        let setting = Setting { dim, horizon, draws: Draws::named(&[]) };
        Ok(match (entry.build.learner)(&params, &setting) {
            Ok(AnyLearner::Full(learner)) => learner.scalable(),
            // It is refused where it is built to play, with a reason.
            Ok(AnyLearner::Noisy(_)) | Err(_) => Scales::default(),
        })
    }

    /// Gives bandwidths of the learner `name` that are the word `scale` their number, and with `absent` those that are not given too.
    pub fn resolve_widths(name: &str, table: &mut Table, dim: usize, absent: bool) {
        let (Ok(entry), scale) = (LEARNERS.find(name), bandwidth::scale(dim)) else { return };
        bandwidth::resolve(entry.params, table, scale, if absent { Absent::Become(scale) } else { Absent::Stay });
    }

    /// The parameters as they were given, and every bandwidth that was not, as a number.
    pub fn with_widths(&self) -> Table {
        let (mut table, scale) = (self.table.clone(), bandwidth::scale(self.setting.dim));
        if let Ok(entry) = LEARNERS.find(self.name) {
            bandwidth::resolve(entry.params, &mut table, scale, Absent::Default);
        }
        table
    }

    /// The learner of a model, before anything is loaded.
    pub fn of(saved: &Saved) -> PyResult<(Self, AnyLearner)> {
        let (header, options) = (saved.header(), saved.options.clone());
        let (mut table, codes) = (options.parameters()?, saved.codes()?);
        let build = |table| Self::build(options.clone(), table, header.columns.inputs.clone(), header.horizon);
        let built = build(table.clone())?;
        saved.check(&built.0.parameters)?;
        if options.learner != "auto" || codes.is_empty() || table.contains_key("words") {
            return Ok(built);
        }
        // The program tells this learner which columns hold codes of words, and saves what was given.
        let words = codes.into_iter().map(Value::Integer).collect();
        table.insert("words".into(), Value::Array(vec![Value::Array(words)]));
        build(table)
    }

    /// Names for inputs that have none.
    pub fn unnamed(dim: usize) -> Vec<String> {
        (1..=dim).map(|column| format!("x{column}")).collect()
    }

    /// The learner as a model over columns of these names.
    pub fn saved(
        &self,
        options: Options,
        columns: Names,
        learner: &mut dyn Hypothesis,
        progress: &mut Progress,
    ) -> PyResult<Saved> {
        if columns.inputs.len() != self.setting.dim {
            let (found, wanted) = (columns.inputs.len(), self.setting.dim);
            return Err(PyValueError::new_err(format!("{found} names for the {wanted} inputs of {}", self.name)));
        }
        let (horizon, rounds) = (self.setting.horizon, progress.rounds);
        Saved::new(options, self.parameters.clone(), columns, horizon, rounds, progress.contents(learner))
    }
}

/// What a learner has come to, apart from what it has learnt itself.
pub struct Progress {
    /// The number of the last round.
    pub rounds: u64,
    /// The losses so far.
    pub tally: Tally,
    /// Which of the last targets lay outside of their intervals.
    pub misses: Misses,
    /// The scale of the targets.
    pub targets: Rescale,
    /// The scale of the inputs.
    pub inputs: Scaling,
    /// What the command line kept beside the learner.
    pub service: Service,
}

impl Progress {
    /// Before the first round.
    pub fn new(origin: &Origin) -> PyResult<Self> {
        let (targets, inputs) = (origin.options.targets()?, origin.options.inputs(&origin.inputs)?);
        let tally = match origin.options.of_classes {
            None => Tally::default(),
            Some(_) => Tally::new(Arc::new(Misclassified)),
        };
        let (misses, service) = (Misses::default(), Service::default());
        Ok(Self { rounds: 0, tally, misses, targets, inputs, service })
    }

    /// What is saved, with the learner's state.
    pub fn contents<'a>(&'a mut self, learner: &'a mut dyn Hypothesis) -> RunContents<'a> {
        let Self { tally, misses, targets, inputs, service, .. } = self;
        RunContents { learner, tally, misses, targets, inputs, service }
    }

    /// Puts what was learnt into the learner and in here.
    pub fn fill(&mut self, learner: &mut dyn Hypothesis, saved: Saved) -> PyResult<()> {
        self.rounds = saved.header().rounds;
        saved.fill(self.contents(learner))
    }

    /// The prediction of a learner on the scale of the file.
    pub fn back(&self, prediction: f64) -> f64 {
        self.targets.back(prediction)
    }

    /// A number of the scale of the file on that of the learner.
    pub fn to(&self, number: f64) -> f64 {
        let (zero, one) = (self.back(0.0), self.back(1.0));
        if (zero, one) == (0.0, 1.0) { number } else { (number - zero) / (one - zero) }
    }

    /// Rows on the learner's scale, each as if it were that of the next round.
    pub fn shown(&self, rows: &[f64]) -> Vec<f64> {
        let mut rows = rows.to_vec();
        self.inputs.apply_each(&mut rows);
        rows
    }
}
