//! One learner that plays for Python.

use std::sync::{Mutex, MutexGuard, PoisonError};

use noregret_core::draw::{Draws, Role};
use noregret_core::learner::LEARNERS;
use noregret_core::learner::api::{AnyLearner, Block, Setting};
use noregret_core::linalg::matrix::Rows;
use noregret_core::params::check::check;
use noregret_core::parts::AllParts;
use noregret_core::protocol::clock::Stopwatch;
use noregret_core::protocol::full::FullPlayer;
use noregret_core::protocol::run::{BLOCK, Scored, play_and_score};
use noregret_core::protocol::tally::Tally;
use noregret_core::state::{Array, StateError, Store};
use numpy::{PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArrayDyn};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::path::PathBuf;
use toml::Table;

use crate::convert::{dense, row_major, table};
use crate::error::{Breakdown, refused};
use crate::pool;
use crate::saved::Saved;

/// The most numbers in the inputs of a block, as where `noregret stream` plays a file.
const MOST_NUMBERS: usize = 1 << 22;

/// A learner with what it has learnt.
///
/// It draws the random numbers of `noregret stream --seed SEED`, and blocks end at the same rounds, so that predictions are
/// the same to the bit.
#[pyclass(frozen, module = "noregret._core")]
pub struct Learner {
    name: &'static str,
    /// The parameters as they were given.
    table: Table,
    /// All parameters, in canonical form.
    parameters: Json,
    seed: u64,
    setting: Setting,
    wants_labels: bool,
    takes_absent: bool,
    playing: Mutex<Playing>,
}

/// What changes while rounds are played.
struct Playing {
    learner: Box<dyn noregret_core::learner::api::Learner>,
    tally: Tally,
    /// The number of the last round.
    rounds: u64,
    /// Why the learner cannot go on.
    broken: Option<String>,
}

/// Predictions and losses, one for each round.
type Played<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

#[pymethods]
impl Learner {
    /// The learner `name` with `parameters`, for `dim` inputs; `horizon` is the n of formulas such as 1/sqrt(n).
    #[new]
    #[pyo3(signature = (name, parameters, dim, horizon=None, seed=0))]
    fn new(name: &str, parameters: &Bound<'_, PyDict>, dim: usize, horizon: Option<u64>, seed: u64) -> PyResult<Self> {
        Self::build(name, table(parameters)?, dim, horizon, seed)
    }

    /// Its name in the registry.
    #[getter]
    fn name(&self) -> &str {
        self.name
    }

    /// Number of inputs.
    #[getter]
    fn dim(&self) -> usize {
        self.setting.dim
    }

    /// The number of rounds played.
    #[getter]
    fn rounds(&self) -> u64 {
        self.lock().rounds
    }

    /// The sum of the squared losses of all rounds.
    #[getter]
    fn loss(&self) -> f64 {
        self.lock().tally.loss()
    }

    /// Whether it needs all inputs before the first round and has not seen them.
    #[getter]
    fn foresees(&self) -> bool {
        self.lock().learner.foresees()
    }

    /// Whether targets must be -1 or 1.
    #[getter]
    fn wants_labels(&self) -> bool {
        self.wants_labels
    }

    /// Whether an input that is NaN stands for an absent forecast.
    #[getter]
    fn takes_absent(&self) -> bool {
        self.takes_absent
    }

    /// Shows the inputs of all rounds, before the first one.
    fn foresee(&self, py: Python<'_>, inputs: PyReadonlyArray2<'_, f64>) -> PyResult<()> {
        let rows = row_major(&inputs);
        self.check_inputs(&inputs, &rows)?;
        let (rows, draws) = (Rows::new(self.setting.dim, &rows), &self.setting.draws);
        let outcome = py.detach(|| pool::run(|| self.lock().learner.foresee(rows, draws)));
        outcome.map_err(|breakdown| Breakdown::new_err(format!("{}: {}", self.name, breakdown.cause)))
    }

    /// Plays rounds: predicts each row, then learns from its target. Returns the predictions and the squared losses.
    fn play<'py>(
        &self,
        py: Python<'py>,
        inputs: PyReadonlyArray2<'py, f64>,
        targets: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<Played<'py>> {
        let (rows, targets) = (row_major(&inputs), dense(&targets));
        self.check_inputs(&inputs, &rows)?;
        self.check_targets(&targets, inputs.as_array().nrows())?;
        let (dim, most) = (self.setting.dim, BLOCK.min(MOST_NUMBERS / self.setting.dim.max(1)).max(1));
        let (mut predictions, mut losses) = (vec![f64::NAN; targets.len()], Vec::with_capacity(targets.len()));
        let mut from = 0;
        while from < targets.len() {
            let (rows, targets) = (Rows::new(dim, &rows), &*targets);
            let (rest, losses) = (&mut predictions[from..], &mut losses);
            let played = py.detach(|| pool::run(|| self.play_block(rows, targets, from, most, rest, losses)));
            from += played.map_err(Breakdown::new_err)?;
            py.check_signals()?;
        }
        Ok((PyArray1::from_vec(py, predictions), PyArray1::from_vec(py, losses)))
    }

    /// Predicts rows without learning from them.
    fn predict<'py>(&self, py: Python<'py>, inputs: PyReadonlyArray2<'py, f64>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let rows = row_major(&inputs);
        self.check_inputs(&inputs, &rows)?;
        let rows = Rows::new(self.setting.dim, &rows);
        let predictions = py.detach(|| {
            pool::run(|| {
                let playing = self.lock();
                rows.iter().map(|x| self.forecast(&playing, x)).collect()
            })
        });
        Ok(PyArray1::from_vec(py, predictions))
    }

    /// Plays one round with the row that a dictionary holds.
    fn learn_one(
        &self,
        py: Python<'_>,
        x: &Bound<'_, PyDict>,
        columns: &Bound<'_, PyList>,
        target: f64,
    ) -> PyResult<()> {
        let (row, targets, mut losses) = (self.row(x, columns)?, [target], Vec::with_capacity(1));
        self.check_targets(&targets, 1)?;
        let rows = Rows::new(self.setting.dim, &row);
        let play = || self.play_block(rows, &targets, 0, BLOCK, &mut [f64::NAN], &mut losses);
        py.detach(|| pool::run(play)).map(drop).map_err(Breakdown::new_err)
    }

    /// Predicts the row that a dictionary holds, without learning from it.
    fn predict_one(&self, py: Python<'_>, x: &Bound<'_, PyDict>, columns: &Bound<'_, PyList>) -> PyResult<f64> {
        let row = self.row(x, columns)?;
        Ok(py.detach(|| pool::run(|| self.forecast(&self.lock(), &row))))
    }

    /// What the learner holds and has spent, as far as it says so.
    fn gauges(&self) -> BTreeMap<&'static str, f64> {
        let gauges = self.lock().learner.gauges();
        let count = |count: Option<u64>| count.map(|count| count as f64);
        let all = [
            ("stored_points", count(gauges.stored_points)),
            ("features", count(gauges.features)),
            ("kernel_evaluations", count(gauges.kernel_evaluations)),
            ("norm", gauges.norm),
            ("state_bytes", count(gauges.state_bytes)),
            ("lower", gauges.lower),
            ("upper", gauges.upper),
            ("missed", count(gauges.missed)),
        ];
        all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }

    /// What was learnt, as arrays by name.
    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<BTreeMap<String, Bound<'py, PyArrayDyn<f64>>>> {
        let mut store = Store::saving();
        visit(&mut store, &mut self.lock()).map_err(unfit)?;
        let array = |Array { shape, values }| PyArray1::from_vec(py, values).reshape(shape);
        store.into_arrays().into_iter().map(|(name, stored)| Ok((name, array(stored)?))).collect()
    }

    /// Saves the learner as `noregret stream --save` does, over columns of these names.
    fn save(&self, path: PathBuf, inputs: Vec<String>, target: String) -> PyResult<()> {
        if inputs.len() != self.setting.dim {
            let (found, wanted) = (inputs.len(), self.setting.dim);
            return Err(PyValueError::new_err(format!("{found} names for the {wanted} inputs of {}", self.name)));
        }
        let mut playing = self.lock();
        let mut store = Store::saving();
        visit(&mut store, &mut playing).map_err(unfit)?;
        let (table, parameters) = (self.table.clone(), self.parameters.clone());
        let (name, rounds) = (self.name.to_owned(), playing.rounds);
        let Setting { horizon, .. } = self.setting;
        let saved = Saved { name, table, parameters, seed: self.seed, horizon, rounds, inputs, target };
        saved.write(&path, &store.into_arrays())
    }

    /// A learner that was saved, the seed and the horizon that it was built with, its parameters in JSON, and the names of its
    /// inputs.
    #[staticmethod]
    fn load(path: PathBuf) -> PyResult<Loaded> {
        let (saved, arrays) = Saved::read(&path)?;
        let Saved { name, table, parameters, seed, horizon, rounds, inputs, .. } = saved;
        let given = serde_json::to_string(&table).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let learner = Self::build(&name, table, inputs.len(), horizon, seed)?;
        if learner.parameters != parameters {
            let why = format!("{}: it has other parameters than its options give", path.display());
            return Err(PyValueError::new_err(why));
        }
        learner.fill(arrays, rounds)?;
        Ok((learner, seed, horizon, given, inputs))
    }

    /// For pickle and copy.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Reduced<'py>)> {
        let this = slf.get();
        let (rounds, arrays) = (this.rounds(), this.arrays(slf.py())?);
        let Setting { dim, horizon, .. } = this.setting;
        let arguments = (this.name, this.table.to_string(), dim, horizon, this.seed, rounds, arrays);
        Ok((slf.get_type().getattr("restore")?, arguments))
    }

    /// A learner as it was saved; `parameters` are TOML.
    #[staticmethod]
    fn restore(
        name: &str,
        parameters: &str,
        dim: usize,
        horizon: Option<u64>,
        seed: u64,
        rounds: u64,
        arrays: BTreeMap<String, PyReadonlyArrayDyn<'_, f64>>,
    ) -> PyResult<Self> {
        let table = parameters.parse().map_err(|error: toml::de::Error| PyValueError::new_err(error.to_string()))?;
        let learner = Self::build(name, table, dim, horizon, seed)?;
        let array = |array: PyReadonlyArrayDyn<'_, f64>| {
            let array = array.as_array();
            Array { shape: array.shape().to_vec(), values: array.iter().copied().collect() }
        };
        learner.fill(arrays.into_iter().map(|(name, stored)| (name, array(stored))).collect(), rounds)?;
        Ok(learner)
    }
}

/// The arguments of [`Learner::restore`].
type Reduced<'py> = (&'static str, String, usize, Option<u64>, u64, u64, BTreeMap<String, Bound<'py, PyArrayDyn<f64>>>);

/// A learner that was saved, its seed, its horizon, its parameters in JSON, and the names of its inputs.
type Loaded = (Learner, u64, Option<u64>, String, Vec<String>);

/// Saves or loads what was learnt, under the names of `noregret stream --save`.
fn visit(store: &mut Store, playing: &mut Playing) -> Result<(), StateError> {
    store.within("learner", |store| playing.learner.state(store))?;
    store.keep("tally", &mut playing.tally)
}

fn unfit(error: StateError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

impl Learner {
    fn build(name: &str, table: Table, dim: usize, horizon: Option<u64>, seed: u64) -> PyResult<Self> {
        let entry = LEARNERS.find(name).map_err(refused)?;
        let params = check(entry.params, &table, "", &AllParts).map_err(refused)?;
        let parameters = params.canonical();
        let draws = Draws::named(&["stream", &seed.to_string(), "learner", entry.name, &parameters.to_string()]);
        let setting = Setting { dim, horizon, draws };
        let AnyLearner::Full(learner) = (entry.build.learner)(&params, &setting).map_err(refused)? else {
            return Err(PyValueError::new_err(format!("{name} learns from noisy copies only")));
        };
        Ok(Self {
            name: entry.name,
            table,
            parameters,
            seed,
            setting,
            wants_labels: learner.wants_labels(),
            takes_absent: learner.takes_absent(),
            playing: Mutex::new(Playing { learner, tally: Tally::default(), rounds: 0, broken: None }),
        })
    }

    /// Takes what was learnt from arrays.
    fn fill(&self, arrays: BTreeMap<String, Array>, rounds: u64) -> PyResult<()> {
        let (mut store, mut playing) = (Store::loading(arrays), self.lock());
        visit(&mut store, &mut playing).and_then(|()| store.finish()).map_err(unfit)?;
        playing.rounds = rounds;
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Playing> {
        self.playing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The prediction in the coming round, whatever else is predicted there.
    fn forecast(&self, Playing { learner, rounds, .. }: &Playing, x: &[f64]) -> f64 {
        learner.predict(x, &mut self.setting.draws.at(Role::Predict, rounds + 1))
    }

    /// Plays the block of `most` rounds that round `from` (from 0) of the call lies in, or what is left of it; returns how
    /// many rounds these are.
    fn play_block(
        &self,
        rows: Rows<'_>,
        targets: &[f64],
        from: usize,
        most: usize,
        predictions: &mut [f64],
        losses: &mut Vec<f64>,
    ) -> Result<usize, String> {
        let mut playing = self.lock();
        let Playing { learner, tally, rounds, broken } = &mut *playing;
        if let Some(cause) = broken {
            return Err(cause.clone());
        }
        let count = (most - (*rounds % most as u64) as usize).min(targets.len() - from);
        let block = Block { first_round: *rounds + 1, inputs: rows, targets }.part(from, from + count);
        let block = Block { first_round: *rounds + 1, ..block };
        let mut player = FullPlayer::new(&mut **learner, &self.setting.draws);
        let before = losses.len();
        let (watch, each) = (&mut Stopwatch::default(), |round: Scored| losses.push(round.loss));
        let outcome = play_and_score(&mut player, block, &mut predictions[..count], tally, watch, each);
        *rounds += (losses.len() - before) as u64;
        outcome.map_err(|stop| {
            broken.insert(format!("{} broke down in round {}: {}", self.name, *rounds + 1, stop.cause)).clone()
        })?;
        Ok(count)
    }

    fn check_inputs(&self, inputs: &PyReadonlyArray2<'_, f64>, rows: &[f64]) -> PyResult<()> {
        let (found, wanted) = (inputs.as_array().ncols(), self.setting.dim);
        if found != wanted {
            return Err(PyValueError::new_err(format!("X has {found} columns, but {} expects {wanted}", self.name)));
        }
        match rows.iter().position(|value| !self.allows(*value)) {
            Some(at) => Err(PyValueError::new_err(format!(
                "X has {} in row {} and column {}",
                rows[at],
                at / wanted,
                at % wanted
            ))),
            None => Ok(()),
        }
    }

    /// Whether an input may have this value.
    fn allows(&self, value: f64) -> bool {
        value.is_finite() || (self.takes_absent && value.is_nan())
    }

    /// The columns of a dictionary in their order; 0 where it has none.
    fn row(&self, x: &Bound<'_, PyDict>, columns: &Bound<'_, PyList>) -> PyResult<Vec<f64>> {
        if columns.len() != self.setting.dim {
            let (found, name) = (columns.len(), self.name);
            return Err(PyValueError::new_err(format!(
                "{found} columns for {name}, which expects {}",
                self.setting.dim
            )));
        }
        let value = |name: Bound<'_, PyAny>| {
            let value = x.get_item(&name)?.map_or(Ok(0.0), |value| value.extract())?;
            let refused = || PyValueError::new_err(format!("x has {value} in column {name}"));
            self.allows(value).then_some(value).ok_or_else(refused)
        };
        columns.iter().map(value).collect()
    }

    fn check_targets(&self, targets: &[f64], rows: usize) -> PyResult<()> {
        if targets.len() != rows {
            return Err(PyValueError::new_err(format!("X has {rows} rows and y has {}", targets.len())));
        }
        let allowed = |target: f64| if self.wants_labels { target.abs() == 1.0 } else { target.is_finite() };
        match targets.iter().position(|target| !allowed(*target)) {
            Some(at) => Err(PyValueError::new_err(format!(
                "y has {} in row {at}; {} takes {}",
                targets[at],
                self.name,
                if self.wants_labels { "labels -1 and 1 only" } else { "finite targets only" }
            ))),
            None => Ok(()),
        }
    }
}
