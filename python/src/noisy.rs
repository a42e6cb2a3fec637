//! Learners that see noisy copies of examples, which an oracle hands out.

use std::borrow::Cow;
use std::num::NonZeroU32;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::PathBuf;
use std::sync::Arc;

use noregret_core::learner::api::{AnyLearner, Block, Breakdown as CoreBreakdown, OracleLearner};
use noregret_core::noise::NOISES;
use noregret_core::noise::api::{NOISE_STD, NoiseLaw, Oracle};
use noregret_core::params::check::check;
use noregret_core::parts::AllParts;
use noregret_core::protocol::adapter::FromCopies;
use noregret_core::protocol::clock::Stopwatch;
use noregret_core::protocol::copies;
use noregret_core::protocol::noisy::{Channel, NoisyPlayer};
use noregret_core::protocol::run::{BLOCK, Player, Scored, play_and_score};
use noregret_model::header::Names;
use noregret_model::inputs::Scaling;
use noregret_numeric::draw::{Draws, Role};
use noregret_numeric::linalg::matrix::Rows;
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use toml::{Table, Value};

use crate::checks::{broke_down, unbroken};
use crate::convert::{dense, row_major, table};
use crate::error::{Breakdown, refused};
use crate::held::{Held, Lock};
use crate::origin::{Origin, Progress};
use crate::pool;
use crate::saved::{self, Options, Saved, assignments};

/// The noise between examples and a learner, drawn as by `noregret stream --noise LAW --seed SEED`.
#[pyclass(frozen, module = "noregret_kernels._core")]
pub struct Noise {
    channel: Channel,
    law: String,
    table: Table,
    target_std: f64,
    seed: u64,
}

/// The arguments of [`Noise::restore`].
type Reduced = (String, Vec<String>, f64, u64);

#[pymethods]
impl Noise {
    /// The law `name` with `parameters` on the inputs, and on the targets with `target_std` as its standard deviation.
    #[new]
    #[pyo3(signature = (name, parameters, target_std=0.0, seed=0))]
    fn new(name: &str, parameters: &Bound<'_, PyDict>, target_std: f64, seed: u64) -> PyResult<Self> {
        Self::build(name, table(parameters)?, target_std, seed)
    }

    /// For pickle and copy.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Reduced)> {
        let Self { law, table, target_std, seed, .. } = slf.get();
        Ok((slf.get_type().getattr("restore")?, (law.clone(), assignments(table), *target_std, *seed)))
    }

    /// The noise of a pickle; `set` has the parameters as `NAME=VALUE`.
    #[staticmethod]
    fn restore(law: &str, set: Vec<String>, target_std: f64, seed: u64) -> PyResult<Self> {
        Self::build(law, saved::table(&set)?, target_std, seed)
    }
}

impl Noise {
    fn build(name: &str, given: Table, target_std: f64, seed: u64) -> PyResult<Self> {
        let law = |name: &str, table: &Table, path: &str| -> PyResult<Arc<dyn NoiseLaw>> {
            let entry = NOISES.find(name).map_err(refused)?;
            let params = check(entry.params, table, path, &AllParts).map_err(refused)?;
            (entry.build)(&params).map_err(refused)
        };
        // A law without a standard deviation has Gaussian noise on the targets.
        let same = by_deviation(name)?;
        let (of_targets, mut on_targets) = if same { (name, given.clone()) } else { ("gaussian", Table::new()) };
        on_targets.insert(NOISE_STD.name.into(), Value::Float(target_std));
        let (inputs, targets) = (law(name, &given, "")?, law(of_targets, &on_targets, "target_")?);
        let channel = Channel { inputs, targets, draws: Draws::named(&["stream", &seed.to_string(), "noise"]) };
        Ok(Self { channel, law: name.to_owned(), table: given, target_std, seed })
    }

    /// The noise that a model was saved behind.
    pub fn of(options: &Options) -> PyResult<Option<Self>> {
        let Some(name) = &options.noise else { return Ok(None) };
        let mut table = saved::table(&options.noise_set)?;
        if let Some(deviation) = options.noise_std {
            table.insert(NOISE_STD.name.into(), Value::Float(deviation));
        } else if by_deviation(name)? {
            // As on the command line.
            table.entry(NOISE_STD.name).or_insert(Value::Float(0.0));
        }
        Self::build(name, table, options.target_noise_std.unwrap_or(0.0), options.seed).map(Some)
    }

    /// The options of the command line that ask for it, added to those of a learner.
    fn added_to(&self, options: &Options) -> PyResult<Options> {
        if self.seed != options.seed {
            let (seed, other) = (options.seed, self.seed);
            let why =
                format!("`seed`: the learner has {seed} and its noise {other}, but a model has one seed for both");
            return Err(PyValueError::new_err(why));
        }
        Ok(Options {
            noise: Some(self.law.clone()),
            noise_set: assignments(&self.table),
            noise_std: None,
            target_noise_std: Some(self.target_std),
            ..options.clone()
        })
    }
}

/// Whether a law has a standard deviation among its parameters.
fn by_deviation(law: &str) -> PyResult<bool> {
    Ok(NOISES.find(law).map_err(refused)?.params.iter().any(|spec| spec.name == NOISE_STD.name))
}

/// A learner that sees noisy copies only, with what it has learnt.
#[pyclass(frozen, module = "noregret_kernels._core")]
pub struct NoisyLearner {
    origin: Origin,
    playing: Held<Playing>,
}

/// What changes while rounds are played.
struct Playing {
    learner: Box<dyn OracleLearner>,
    progress: Progress,
    queries: u64,
    /// Why the learner cannot go on.
    broken: Option<String>,
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
        let options = Options { learner: name.to_owned(), seed, copies, ..Options::default() };
        let mut table = table(parameters)?;
        Origin::resolve_widths(name, &mut table, dim, false);
        Self::of(Origin::build(options, table, Origin::unnamed(dim), horizon)?)
    }

    /// The number of rounds played.
    #[getter]
    fn rounds(&self, py: Python<'_>) -> PyResult<u64> {
        let playing = self.lock(py)?;
        Ok(py.detach(|| playing.take().progress.rounds))
    }

    /// The number of copies that it has asked for where `play` counted them.
    #[getter]
    fn queries(&self, py: Python<'_>) -> PyResult<u64> {
        let playing = self.lock(py)?;
        Ok(py.detach(|| playing.take().queries))
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
        noise.channel.inputs.accepts(self.origin.setting.dim).map_err(PyValueError::new_err)?;
        let (mut predictions, mut losses) = (vec![f64::NAN; targets.len()], Vec::with_capacity(targets.len()));
        let mut from = 0;
        while from < targets.len() {
            let (rows, targets) = (Rows::new(self.origin.setting.dim, &rows), &*targets);
            let (predictions, losses) = (&mut predictions[from..], &mut losses);
            let playing = self.lock(py)?;
            let play = || {
                let Playing { learner, progress, queries, broken } = &mut *playing.take();
                unbroken(broken.as_ref())?;
                let Progress { rounds, tally, targets: scale, inputs, .. } = progress;
                let count = (BLOCK - (*rounds % BLOCK as u64) as usize).min(targets.len() - from);
                let mut shown = Cow::Borrowed(rows.slice(from, from + count).data());
                if *inputs != Scaling::None {
                    inputs.apply(shown.to_mut());
                }
                let (inputs, targets) = (Rows::new(rows.cols(), &shown), &targets[from..from + count]);
                let block = Block { first_round: *rounds + 1, inputs, targets };
                let mut player = NoisyPlayer::new(&mut **learner, &self.origin.setting.draws, &noise.channel);
                let (watch, before) = (&mut Stopwatch::default(), tally.rounds());
                let each = |round: Scored| losses.push(round.loss);
                let predictions = &mut predictions[..count];
                let outcome =
                    scale.over(&mut player, |player| play_and_score(player, block, predictions, tally, watch, each));
                *queries += Player::queries(&player).unwrap_or(0);
                *rounds += tally.rounds() - before;
                outcome.map_err(|stop| broke_down(broken, self.origin.name, *rounds + 1, &stop.cause))?;
                Ok(count)
            };
            let played: Result<usize, String> = pool::run(py, play);
            from += played.map_err(Breakdown::new_err)?;
            py.check_signals()?;
        }
        Ok((PyArray1::from_vec(py, predictions), PyArray1::from_vec(py, losses)))
    }

    /// Learns from the copies of an oracle: an object with `x()` and `y()`, which return one more copy of the inputs and
    /// of the target, and `covariance_times(w)` for learners that ask for it.
    fn learn(&self, oracle: &Bound<'_, PyAny>) -> PyResult<()> {
        let Options { scale, target_scale, .. } = &self.origin.options;
        if scale != "none" || target_scale != "none" {
            let why = format!("{} was saved with scales, which an oracle does not know; use play", self.origin.name);
            return Err(PyValueError::new_err(why));
        }
        let mut asked = Asked { oracle, dim: self.origin.setting.dim };
        let lock = self.lock(oracle.py())?;
        let mut playing = lock.take();
        unbroken(playing.broken.as_ref()).map_err(Breakdown::new_err)?;
        let draw = &mut self.origin.setting.draws.at(Role::Learn, playing.progress.rounds + 1);
        // Learners ask for all copies of a round before they learn from any.
        let outcome = catch_unwind(AssertUnwindSafe(|| playing.learner.learn(&mut asked, draw)));
        let outcome = outcome.or_else(|raised| match raised.downcast::<PyErr>() {
            Ok(error) => Err(*error),
            Err(panic) => resume_unwind(panic),
        })?;
        let Playing { progress: Progress { rounds, .. }, broken, .. } = &mut *playing;
        let stopped = |breakdown: CoreBreakdown| broke_down(broken, self.origin.name, *rounds + 1, &breakdown.cause);
        outcome.map_err(stopped).map_err(Breakdown::new_err)?;
        *rounds += 1;
        Ok(())
    }

    /// Predicts rows without learning: row i as in round i after the last one, like `noregret predict`.
    fn predict<'py>(&self, py: Python<'py>, inputs: PyReadonlyArray2<'py, f64>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        self.check(inputs.as_array().ncols())?;
        let rows = row_major(&inputs);
        let playing = self.lock(py)?;
        let predict = || {
            let Playing { learner, progress, broken, .. } = &*playing.take();
            unbroken(broken.as_ref())?;
            let draws = (progress.rounds + 1..).map(|round| self.origin.setting.draws.at(Role::Predict, round));
            let shown = progress.shown(&rows);
            let rows = Rows::new(self.origin.setting.dim, &shown);
            Ok(rows.iter().zip(draws).map(|(x, mut draw)| progress.back(learner.predict(x, &mut draw))).collect())
        };
        let predictions: Result<Vec<f64>, String> = pool::run(py, predict);
        predictions.map(|predictions| PyArray1::from_vec(py, predictions)).map_err(Breakdown::new_err)
    }

    /// Saves the learner as `noregret stream --save` does, over columns of these names, with the noise that the command
    /// line is to add where it goes on.
    fn save(
        &self,
        py: Python<'_>,
        path: PathBuf,
        noise: Option<&Noise>,
        inputs: Option<Vec<String>>,
        target: String,
    ) -> PyResult<()> {
        let options = &self.origin.options;
        let options = noise.map_or_else(|| Ok(options.clone()), |noise| noise.added_to(options))?;
        let inputs = inputs.unwrap_or_else(|| self.origin.inputs.clone());
        self.saved(py, options, Names { inputs, target })?.write(&path)
    }

    /// For pickle and copy.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let Origin { options, inputs, .. } = &slf.get().origin;
        let names = Names { inputs: inputs.clone(), target: "y".to_owned() };
        let saved = slf.get().saved(slf.py(), options.clone(), names)?;
        Ok((slf.get_type().getattr("restore")?, (PyBytes::new(slf.py(), &saved.bytes()?),)))
    }

    /// The learner in the bytes of a model. What it has asked for is counted from here on.
    #[staticmethod]
    fn restore(bytes: &[u8]) -> PyResult<Self> {
        let saved = Saved::parse(bytes)?;
        Self::loaded(Origin::of(&saved)?, saved)
    }
}

impl NoisyLearner {
    /// A learner before its first round.
    fn of((origin, learner): (Origin, AnyLearner)) -> PyResult<Self> {
        let (name, copies) = (origin.name, origin.options.copies);
        let learner: Box<dyn OracleLearner> = match learner {
            AnyLearner::Noisy(_) if copies.is_some() => {
                return Err(PyValueError::new_err(format!("`copies`: {name} asks for the copies that it needs")));
            }
            AnyLearner::Noisy(learner) => learner,
            AnyLearner::Full(learner) if learner.foresees() => {
                return Err(PyValueError::new_err(format!("{name} needs all inputs before the first round")));
            }
            AnyLearner::Full(learner) => {
                let copies = copies.unwrap_or(NonZeroU32::MIN);
                copies::check(copies, origin.setting.dim)
                    .map_err(|why| PyValueError::new_err(format!("`copies`: {why}")))?;
                Box::new(FromCopies::new(learner, copies))
            }
        };
        let playing = Held::new(Playing { learner, progress: Progress::new(&origin)?, queries: 0, broken: None });
        Ok(Self { origin, playing })
    }

    /// The learner of a model.
    pub fn loaded(built: (Origin, AnyLearner), saved: Saved) -> PyResult<Self> {
        let mut this = Self::of(built)?;
        let Playing { learner, progress, .. } = this.playing.get_mut();
        progress.fill(&mut **learner, saved)?;
        Ok(this)
    }

    fn saved(&self, py: Python<'_>, options: Options, columns: Names) -> PyResult<Saved> {
        let playing = self.lock(py)?;
        py.detach(|| {
            let Playing { learner, progress, broken, .. } = &mut *playing.take();
            unbroken(broken.as_ref()).map_err(Breakdown::new_err)?;
            self.origin.saved(options, columns, &mut **learner, progress)
        })
    }

    fn lock(&self, py: Python<'_>) -> PyResult<Lock<'_, Playing>> {
        self.playing.here(py, self.origin.name)
    }

    fn check(&self, found: usize) -> PyResult<()> {
        let wanted = self.origin.setting.dim;
        let wrong =
            || PyValueError::new_err(format!("X has {found} columns, but {} expects {wanted}", self.origin.name));
        (found == wanted).then_some(()).ok_or_else(wrong)
    }
}

/// An oracle of Python. What it raises ends the round as a panic with a `PyErr`, because a learner takes numbers only.
struct Asked<'a, 'py> {
    oracle: &'a Bound<'py, PyAny>,
    dim: usize,
}

/// The answer of an oracle, which is no answer where something was raised.
fn answered<T>(answer: PyResult<T>) -> T {
    answer.unwrap_or_else(|error| resume_unwind(Box::new(error)))
}

/// Refuses an answer that is no number to learn from.
fn finite(number: f64, what: &str) -> PyResult<()> {
    let wrong = || PyValueError::new_err(format!("{what} gave {number}; an oracle answers with finite numbers"));
    number.is_finite().then_some(()).ok_or_else(wrong)
}

/// Writes the numbers of an answer.
fn write(answer: PyResult<Bound<'_, PyAny>>, what: &str, out: &mut [f64]) {
    let numbers = answer.and_then(|answer| {
        let numbers: Vec<f64> = answer.try_iter()?.map(|value| value?.extract()).collect::<PyResult<_>>()?;
        let wrong = || PyValueError::new_err(format!("{what} gave {} numbers instead of {}", numbers.len(), out.len()));
        (numbers.len() == out.len()).then_some(()).ok_or_else(wrong)?;
        numbers.iter().try_for_each(|number| finite(*number, what))?;
        Ok(numbers)
    });
    out.copy_from_slice(&answered(numbers));
}

impl Oracle for Asked<'_, '_> {
    fn dim(&self) -> usize {
        self.dim
    }

    fn x(&mut self, out: &mut [f64]) {
        let answer = self.oracle.call_method0("x");
        write(answer, "x()", out);
    }

    fn y(&mut self) -> f64 {
        let answer = self.oracle.call_method0("y").and_then(|answer| answer.extract());
        answered(answer.and_then(|number| finite(number, "y()").map(|()| number)))
    }

    fn covariance_times(&mut self, w: &[f64], out: &mut [f64]) {
        let answer = self.oracle.call_method1("covariance_times", (PyArray1::from_slice(self.oracle.py(), w),));
        write(answer, "covariance_times(w)", out);
    }
}
