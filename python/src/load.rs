//! What is in a saved model.

use std::path::PathBuf;

use noregret_core::learner::api::AnyLearner;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::learner::Learner;
use crate::noisy::{Noise, NoisyLearner};
use crate::origin::Origin;
use crate::saved::Saved;

/// A learner that was saved, with what it was built from.
#[pyclass(frozen, get_all, name = "Saved", module = "noregret_kernels._core")]
pub struct Loaded {
    /// A `Learner`, or a `NoisyLearner` where it learned from noisy copies.
    learner: Py<PyAny>,
    /// The noise, where it was saved with one.
    noise: Option<Py<Noise>>,
    /// The parameters as they were given, and every bandwidth, in JSON.
    parameters: String,
    /// The seed of its draws.
    seed: u64,
    /// The n of formulas.
    horizon: Option<u64>,
    /// Whether this n doubles whenever so many rounds were played.
    doubling: bool,
    /// The names of its inputs.
    inputs: Vec<String>,
    /// Whether all that may be scaled for it is scaled over epochs.
    epochs: bool,
    /// What becomes of the columns of a file, in TOML, where these are not the inputs themselves.
    plan: Option<String>,
}

/// The learner in a file of `noregret stream --save`.
#[pyfunction]
pub fn load(py: Python<'_>, path: PathBuf) -> PyResult<Loaded> {
    let saved = Saved::read(&path)?;
    let built = Origin::of(&saved)?;
    let Origin { table, options, inputs, setting, .. } = &built.0;
    let parameters =
        serde_json::to_string(&built.0.with_widths()).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let (seed, horizon, inputs, doubling) = (options.seed, setting.horizon, inputs.clone(), options.doubling);
    // Where nothing may be scaled, both words of `scaling` mean the same.
    let epochs = options.over_epochs() == Origin::scalable(&options.learner, table, inputs.len(), setting.horizon)?;
    let plan = saved.header().plan.clone();
    let noise = Noise::of(options)?.map(|noise| Py::new(py, noise)).transpose()?;
    let noisy = noise.is_some() || options.copies.is_some() || matches!(built.1, AnyLearner::Noisy(_));
    let learner = match noisy {
        true => Py::new(py, NoisyLearner::loaded(built, saved)?)?.into_any(),
        false => Py::new(py, Learner::loaded(built, saved)?)?.into_any(),
    };
    Ok(Loaded { learner, noise, parameters, seed, horizon, doubling, inputs, epochs, plan })
}
