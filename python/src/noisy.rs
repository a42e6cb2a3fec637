//! Learners that see noisy copies of examples, which an oracle hands out.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use noregret_core::draw::{Draws, Role};
use noregret_core::learner::LEARNERS;
use noregret_core::learner::api::{AnyLearner, Block, OracleLearner, Setting};
use noregret_core::linalg::matrix::Rows;
use noregret_core::noise::NOISES;
use noregret_core::noise::api::{NOISE_STD, NoiseLaw, Oracle};
use noregret_core::params::check::check;
use noregret_core::parts::AllParts;
use noregret_core::protocol::adapter::FromCopies;
use noregret_core::protocol::clock::Stopwatch;
use noregret_core::protocol::noisy::{Channel, NoisyPlayer};
use noregret_core::protocol::run::{BLOCK, Player, Scored, play_and_score};
use noregret_core::protocol::tally::Tally;
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::num::NonZeroU32;
use toml::{Table, Value};

use crate::convert::{dense, row_major, table};
use crate::error::{Breakdown, refused};
use crate::pool;

/// The noise between examples and a learner, drawn as by `noregret stream --noise LAW --seed SEED`.
#[pyclass(frozen, module = "noregret._core")]
pub struct Noise(Channel);

#[pymethods]
impl Noise {
    /// The law `name` with `parameters` on the inputs, and on the targets with `target_std` as its standard deviation.
    #[new]
    #[pyo3(signature = (name, parameters, target_std=0.0, seed=0))]
    fn new(name: &str, parameters: &Bound<'_, PyDict>, target_std: f64, seed: u64) -> PyResult<Self> {
        let law = |name: &str, table: Table, path: &str| -> PyResult<Arc<dyn NoiseLaw>> {
            let entry = NOISES.find(name).map_err(refused)?;
            let params = check(entry.params, &table, path, &AllParts).map_err(refused)?;
            (entry.build)(&params).map_err(refused)
        };
        let given = table(parameters)?;
        let entry = NOISES.find(name).map_err(refused)?;
        // A law without a standard deviation has Gaussian noise on the targets.
        let same = entry.params.iter().any(|spec| spec.name == NOISE_STD.name);
        let (of_targets, mut on_targets) = if same { (name, given.clone()) } else { ("gaussian", Table::new()) };
        on_targets.insert(NOISE_STD.name.into(), Value::Float(target_std));
        let (inputs, targets) = (law(name, given, "")?, law(of_targets, on_targets, "target_")?);
        Ok(Self(Channel { inputs, targets, draws: Draws::named(&["stream", &seed.to_string(), "noise"]) }))
    }
}

/// A learner that sees noisy copies only, with what it has learnt.
#[pyclass(frozen, module = "noregret._core")]
pub struct NoisyLearner {
    name: &'static str,
    setting: Setting,
    playing: Mutex<Playing>,
}

/// What changes while rounds are played.
struct Playing {
    learner: Box<dyn OracleLearner>,
    tally: Tally,
    rounds: u64,
    queries: u64,
}

/// Predictions and losses, one for each round.
type Played<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

#[pymethods]
impl NoisyLearner {
    /// The learner `name` with `parameters`, for `dim` inputs. One that is made for exact data takes the mean of `copies`
    /// copies for the example.
    #[new]
    #[pyo3(signature = (name, parameters, dim, horizon=None, seed=0, copies=None))]
    fn new(
        name: &str,
        parameters: &Bound<'_, PyDict>,
        dim: usize,
        horizon: Option<u64>,
        seed: u64,
        copies: Option<NonZeroU32>,
    ) -> PyResult<Self> {
        let entry = LEARNERS.find(name).map_err(refused)?;
        let params = check(entry.params, &table(parameters)?, "", &AllParts).map_err(refused)?;
        let key = params.canonical().to_string();
        let draws = Draws::named(&["stream", &seed.to_string(), "learner", entry.name, &key]);
        let setting = Setting { dim, horizon, draws };
        let learner: Box<dyn OracleLearner> = match (entry.build.learner)(&params, &setting).map_err(refused)? {
            AnyLearner::Noisy(_) if copies.is_some() => {
                return Err(PyValueError::new_err(format!("`copies`: {name} asks for the copies that it needs")));
            }
            AnyLearner::Noisy(learner) => learner,
            AnyLearner::Full(learner) if learner.foresees() => {
                return Err(PyValueError::new_err(format!("{name} needs all inputs before the first round")));
            }
            AnyLearner::Full(learner) => Box::new(FromCopies::new(learner, copies.unwrap_or(NonZeroU32::MIN))),
        };
        let playing = Mutex::new(Playing { learner, tally: Tally::default(), rounds: 0, queries: 0 });
        Ok(Self { name: entry.name, setting, playing })
    }

    /// The number of rounds played.
    #[getter]
    fn rounds(&self) -> u64 {
        self.lock().rounds
    }

    /// The number of copies that it has asked for where `play` counted them.
    #[getter]
    fn queries(&self) -> u64 {
        self.lock().queries
    }

    /// Plays rounds behind noise. Predictions and losses are those for the clean rows, of which it sees copies only.
    fn play<'py>(
        &self,
        py: Python<'py>,
        inputs: PyReadonlyArray2<'py, f64>,
        targets: PyReadonlyArray1<'py, f64>,
        noise: &Noise,
    ) -> PyResult<Played<'py>> {
        self.check(inputs.as_array().ncols())?;
        let (rows, targets) = (row_major(&inputs), dense(&targets));
        if targets.len() != inputs.as_array().nrows() || !rows.iter().chain(&*targets).all(|value| value.is_finite()) {
            return Err(PyValueError::new_err("X and y must have equally many rows, of finite numbers"));
        }
        noise.0.inputs.accepts(self.setting.dim).map_err(PyValueError::new_err)?;
        let (mut predictions, mut losses) = (vec![f64::NAN; targets.len()], Vec::with_capacity(targets.len()));
        let mut from = 0;
        while from < targets.len() {
            let (rows, targets) = (Rows::new(self.setting.dim, &rows), &*targets);
            let (predictions, losses) = (&mut predictions[from..], &mut losses);
            let play = || {
                let mut playing = self.lock();
                let Playing { learner, tally, rounds, queries } = &mut *playing;
                let count = (BLOCK - (*rounds % BLOCK as u64) as usize).min(targets.len() - from);
                let block = Block { first_round: 1, inputs: rows, targets }.part(from, from + count);
                let block = Block { first_round: *rounds + 1, ..block };
                let mut player = NoisyPlayer::new(&mut **learner, &self.setting.draws, &noise.0);
                let (watch, before) = (&mut Stopwatch::default(), tally.rounds());
                let each = |round: Scored| losses.push(round.loss);
                let outcome = play_and_score(&mut player, block, &mut predictions[..count], tally, watch, each);
                *queries += Player::queries(&player).unwrap_or(0);
                *rounds += tally.rounds() - before;
                outcome.map(|()| count).map_err(|stop| (*rounds + 1, stop.cause))
            };
            let broken =
                |(round, cause)| Breakdown::new_err(format!("{} broke down in round {round}: {cause}", self.name));
            from += py.detach(|| pool::run(play)).map_err(broken)?;
            py.check_signals()?;
        }
        Ok((PyArray1::from_vec(py, predictions), PyArray1::from_vec(py, losses)))
    }

    /// Learns from the copies of an oracle: an object with `x()` and `y()`, which return one more copy of the inputs and
    /// of the target, and `covariance_times(w)` for learners that ask for it.
    fn learn(&self, oracle: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut asked = Asked { oracle, dim: self.setting.dim, error: None };
        let mut playing = self.lock();
        let draw = &mut self.setting.draws.at(Role::Learn, playing.rounds + 1);
        let outcome = playing.learner.learn(&mut asked, draw);
        if let Some(error) = asked.error {
            return Err(error);
        }
        outcome.map_err(|breakdown| Breakdown::new_err(format!("{}: {}", self.name, breakdown.cause)))?;
        playing.rounds += 1;
        Ok(())
    }

    /// Predicts rows without learning.
    fn predict<'py>(&self, py: Python<'py>, inputs: PyReadonlyArray2<'py, f64>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        self.check(inputs.as_array().ncols())?;
        let rows = row_major(&inputs);
        let predict = || {
            let playing = self.lock();
            let draw = || self.setting.draws.at(Role::Predict, playing.rounds + 1);
            Rows::new(self.setting.dim, &rows).iter().map(|x| playing.learner.predict(x, &mut draw())).collect()
        };
        let predictions = py.detach(|| pool::run(predict));
        Ok(PyArray1::from_vec(py, predictions))
    }
}

impl NoisyLearner {
    fn lock(&self) -> MutexGuard<'_, Playing> {
        self.playing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn check(&self, found: usize) -> PyResult<()> {
        let wanted = self.setting.dim;
        let wrong = || PyValueError::new_err(format!("X has {found} columns, but {} expects {wanted}", self.name));
        (found == wanted).then_some(()).ok_or_else(wrong)
    }
}

/// An oracle of Python. What it raises is kept, and its answers are NaN from then on.
struct Asked<'a, 'py> {
    oracle: &'a Bound<'py, PyAny>,
    dim: usize,
    error: Option<PyErr>,
}

impl Asked<'_, '_> {
    /// The answer, unless something was raised.
    fn answer<T>(&mut self, answer: PyResult<T>) -> Option<T> {
        answer.map_err(|error| self.error.get_or_insert(error)).ok()
    }

    /// Writes the numbers of an answer.
    fn write(&mut self, answer: PyResult<Bound<'_, PyAny>>, what: &str, out: &mut [f64]) {
        out.fill(f64::NAN);
        let numbers = answer.and_then(|answer| {
            let numbers: Vec<f64> = answer.try_iter()?.map(|value| value?.extract()).collect::<PyResult<_>>()?;
            let wrong =
                || PyValueError::new_err(format!("{what} gave {} numbers instead of {}", numbers.len(), out.len()));
            (numbers.len() == out.len()).then_some(()).ok_or_else(wrong)?;
            Ok(numbers)
        });
        if let Some(numbers) = self.answer(numbers) {
            out.copy_from_slice(&numbers);
        }
    }
}

impl Oracle for Asked<'_, '_> {
    fn dim(&self) -> usize {
        self.dim
    }

    fn x(&mut self, out: &mut [f64]) {
        let answer = self.oracle.call_method0("x");
        self.write(answer, "x()", out);
    }

    fn y(&mut self) -> f64 {
        let answer = self.oracle.call_method0("y").and_then(|answer| answer.extract());
        self.answer(answer).unwrap_or(f64::NAN)
    }

    fn covariance_times(&mut self, w: &[f64], out: &mut [f64]) {
        let answer = self.oracle.call_method1("covariance_times", (PyArray1::from_slice(self.oracle.py(), w),));
        self.write(answer, "covariance_times(w)", out);
    }
}
