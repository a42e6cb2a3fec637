//! `comparator/...`: the best fixed predictor in hindsight, solved once for each stream, horizon and replicate.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::tables::Tables;
use super::{fingerprint, run};
use crate::code::{self, Identity};
use crate::config::cell::Comparison;
use crate::config::experiment::Experiment;
use crate::config::stream::{Corruption, Origin};
use crate::linalg::matrix::Matrix;
use crate::plan::work::{Estimate, Facts, Failure, Input, Item, Job, Product, Work};

/// What a comparator's object holds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Solved {
    /// Stream, by index.
    pub stream: usize,
    /// Number of rounds.
    pub horizon: u64,
    /// Replicate.
    pub replicate: u32,
    /// Sum of losses of the best fixed predictor.
    pub loss: f64,
    /// What it minimised.
    pub objective: f64,
}

/// The items and the work of `comparator/NAME`, for an experiment that has a comparator.
pub fn stage(
    experiment: &Arc<Experiment>,
    prepared: &[Option<Input>],
    tables: &Arc<Tables>,
) -> Option<(Vec<Item>, Arc<dyn Work>)> {
    experiment.comparison.as_ref()?;
    let work = Solve { experiment: experiment.clone(), tables: tables.clone() };
    let items = (0..experiment.problems.len())
        .map(|item| {
            let facts = work.facts(item);
            Item {
                fingerprint: fingerprint(&facts.parameters.to_string(), &facts.code),
                inputs: prepared[experiment.problems[item].0].iter().copied().collect(),
            }
        })
        .collect();
    Some((items, Arc::new(work)))
}

struct Solve {
    experiment: Arc<Experiment>,
    tables: Arc<Tables>,
}

impl Solve {
    fn comparison(&self) -> Result<&Comparison, Failure> {
        self.experiment.comparison.as_ref().ok_or_else(|| Failure::Failed("the experiment has no comparator".into()))
    }

    fn code(&self, stream: usize) -> Identity {
        let mut files = Vec::new();
        if let Some(comparison) = &self.experiment.comparison {
            files.push(comparison.entry.file);
            files.extend(comparison.at(1).map(|params| params.files()).unwrap_or_default());
        }
        files.extend(self.experiment.measure.files());
        files.push(match &self.experiment.streams[stream].origin {
            Origin::Dataset { .. } => "src/stream/table.rs",
            Origin::Law { entry, .. } => entry.file,
            Origin::Adversary { entry, .. } => entry.file,
        });
        files.extend(self.experiment.streams[stream].corruption.iter().flat_map(Corruption::files));
        code::closure(&files).union(&code::shallow(&[file!(), "src/stages/run.rs"]))
    }
}

impl Work for Solve {
    fn label(&self, item: usize) -> String {
        let (stream, horizon, replicate) = self.experiment.problems[item];
        format!("{}, n = {horizon}, replicate {replicate}", self.experiment.streams[stream].name())
    }

    fn facts(&self, item: usize) -> Facts {
        let (stream, horizon, replicate) = self.experiment.problems[item];
        let comparison = self.experiment.comparison.as_ref().and_then(|comparison| {
            let params = comparison.at(horizon).ok()?;
            Some(json!({ "name": comparison.entry.name, "parameters": params.canonical() }))
        });
        let parameters = json!({
            "comparator": comparison,
            "experiment": self.experiment.name,
            "seed": self.experiment.seed,
            "stream": self.experiment.streams[stream].canonical(),
            "horizon": horizon,
            "loss": self.experiment.measure.part.canonical(),
            "replicate": replicate,
        });
        Facts { parameters, code: self.code(stream) }
    }

    fn estimate(&self, item: usize) -> Estimate {
        let (stream, horizon, _) = self.experiment.problems[item];
        let built = self.experiment.comparison.as_ref().and_then(|comparison| {
            let params = comparison.at(horizon).ok()?;
            (comparison.entry.build)(&params).ok()
        });
        let dim = self.experiment.streams[stream].dim();
        let (cost, bytes) = built.map_or((0.0, 0.0), |comparator| comparator.cost(horizon, dim));
        Estimate { cost, bytes, group: "comparator".into() }
    }

    fn is_cell(&self) -> bool {
        true
    }

    fn value(&self, object: &[u8]) -> Option<f64> {
        serde_json::from_slice::<Solved>(object).ok().map(|solved| solved.objective)
    }

    fn execute(&self, item: usize, job: &dyn Job) -> Result<Product, Failure> {
        let experiment = &*self.experiment;
        let (stream, horizon, replicate) = experiment.problems[item];
        let source = run::source(experiment, stream, replicate, &self.tables, job)?;
        let draws = experiment.streams[stream].draws(experiment.seed, &experiment.name, replicate);
        let mut inputs = Matrix::zeros(horizon as usize, source.dim());
        let mut targets = vec![0.0; horizon as usize];
        source.fill(1, &draws, inputs.data_mut(), &mut targets);
        let comparison = self.comparison()?;
        let failed = |error: String| Failure::Failed(error);
        let params = comparison.at(horizon).map_err(|error| failed(error.to_string()))?;
        let comparator = (comparison.entry.build)(&params).map_err(|error| failed(error.to_string()))?;
        let best = match &experiment.measure {
            measure if measure.is_squared() => comparator.solve(inputs.view(), &targets),
            measure => comparator.solve_for(&*measure.loss, inputs.view(), &targets),
        }
        .map_err(|error| failed(error.to_string()))?;
        let solved = Solved { stream, horizon, replicate, loss: best.loss, objective: best.objective };
        let bytes = serde_json::to_vec(&solved).map_err(|error| failed(error.to_string()))?;
        Ok(Product::Object { bytes, measurements: None })
    }
}
