//! A learner of your own, with a registry entry: tested by every law, then compared with two learners from the library.

use std::error::Error;

use noregret_core::laws;
use noregret_core::learner::api::{Cost, LearnerEntry, Recipe};
use noregret_core::params::typed::{Parameters, parameters};
use noregret_core::params::{Fallback, Kind, Range};
use noregret_core::prelude::*;
use noregret_core::protocol::full;

/// Normalised least mean squares: w <- w + rate (y - <w, x>) x / (1 + |x|^2), where the last coordinate of x is 1.
struct Lms {
    rate: f64,
    weights: Vec<f64>,
}

fn dot(w: &[f64], x: &[f64]) -> f64 {
    w.iter().zip(x.iter().chain(&[1.0])).map(|(w, x)| w * x).sum()
}

impl Hypothesis for Lms {
    fn predict(&self, x: &[f64], _: &mut Draw) -> f64 {
        dot(&self.weights, x)
    }

    fn gauges(&self) -> Gauges {
        let features = self.weights.len() as u64;
        Gauges { features: Some(features), state_bytes: Some(8 * features), ..Gauges::default() }
    }

    /// What is saved and loaded: without this, it could not be saved.
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        store.keep("weights", &mut self.weights[..])
    }
}

impl Learner for Lms {
    fn learn(&mut self, x: &[f64], y: f64, _: &mut Draw) -> Result<(), Breakdown> {
        let step = self.rate * (y - dot(&self.weights, x)) / (2.0 + x.iter().map(|x| x * x).sum::<f64>());
        if !step.is_finite() {
            return Err(Breakdown::new(format!("a step of {step}")));
        }
        self.weights.iter_mut().zip(x.iter().chain(&[1.0])).for_each(|(w, x)| *w += step * x);
        Ok(())
    }
}

parameters! {
    /// What can be set: by name in configuration, and as fields in a program.
    struct LmsParams {
        /// share of the error that a step removes
        rate: f64 = Kind::real(Range { max: 2.0, ..Range::POSITIVE }) => Fallback::Real(0.5);
    }
}

impl Lms {
    fn new(params: LmsParams, setting: &Setting) -> Result<Self, ParamError> {
        params.check()?;
        Ok(Self { rate: params.rate, weights: vec![0.0; setting.dim + 1] })
    }
}

/// Its registry entry.
static ENTRY: LearnerEntry = LearnerEntry {
    name: "lms",
    summary: "normalised least mean squares (Widrow, Hoff 1960)",
    module: module_path!(),
    params: LmsParams::SPECS,
    build: Recipe {
        learner: |params, setting| AnyLearner::full(Lms::new(Parameters::read(params), setting)),
        cost: |_, rounds, dim| Cost { flops: 6.0 * rounds as f64 * (dim + 1) as f64, bytes: 8.0 * (dim + 1) as f64 },
        drawn_by: &[],
        about: About::grid(&[]),
    },
};

/// Predicts how often it was asked, which breaks a law: being asked must not change a learner.
struct Asked(std::cell::Cell<f64>);

impl Hypothesis for Asked {
    fn predict(&self, _: &[f64], _: &mut Draw) -> f64 {
        self.0.replace(self.0.get() + 1.0)
    }

    fn gauges(&self) -> Gauges {
        Gauges { state_bytes: Some(8), ..Gauges::default() }
    }
}

impl Learner for Asked {
    fn learn(&mut self, _: &[f64], _: f64, _: &mut Draw) -> Result<(), Breakdown> {
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    laws::entry::all(&ENTRY)?;
    println!("{} keeps every law of entries, parameters and learners", ENTRY.name);
    match laws::learner::all(&|| Ok(Box::new(Asked(0.0.into()))), 2) {
        Ok(()) => return Err("a learner that moves when it is asked should be refused".into()),
        Err(broken) => println!("one that counts its questions does not: {broken}"),
    }

    let source = STREAMS.choose(&json!({ "name": "kernel-function", "dim": 2 }), None, "", &AllParts)?.object;
    let (stream, rounds) = (Draws::named(&["race"]), 1_000);
    for entry in [&ENTRY, LEARNERS.find("linear-ogd")?, LEARNERS.find("kernel-awv")?] {
        let params = check(entry.params, &json!({}), "", &AllParts)?;
        let own = Draws::named(&["race", entry.name]);
        let setting = Setting { dim: source.dim(), horizon: Some(rounds), draws: own.clone() };
        let AnyLearner::Full(mut learner) = (entry.build.learner)(&params, &setting)? else {
            return Err("this learner plays the noisy protocol".into());
        };
        let record = full::play(&mut *learner, &*source, &stream, &own, &RunOptions::new(rounds), &|| false)?;
        let loss = record.checkpoints.last().ok_or("no rounds")?.cumulative_loss;
        println!("{:<12} average loss {:.4} over {rounds} rounds", entry.name, loss / rounds as f64);
    }
    Ok(())
}
