//! One learner that plays for Python.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use noregret_core::learner::api::{AnyLearner, Block, Interval};
use noregret_core::learner::predictive::Predictive;
use noregret_core::protocol::clock::Stopwatch;
use noregret_core::protocol::full::FullPlayer;
use noregret_core::protocol::run::{BLOCK, Scored, play_and_score};
use noregret_model::header::Names;
use noregret_model::inputs::Scaling;
use noregret_numeric::draw::Role;
use noregret_numeric::linalg::matrix::Rows;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use crate::checks::{broke_down, stopped};
use crate::convert::{dense, padded, row_major, table};
use crate::distribution::mapped;
use crate::error::Breakdown;
use crate::held::{Held, Lock};
use crate::origin::{Origin, Progress};
use crate::pool;
use crate::saved::{Options, Saved};

/// The most numbers in the inputs of a block, as where `noregret stream` plays a file.
const MOST_NUMBERS: usize = 1 << 22;

/// A learner with what it has learnt.
///
/// It draws the random numbers of `noregret stream --seed SEED`, and blocks end at the same rounds, so that predictions are
/// the same to the bit.
#[pyclass(frozen, module = "noregret_kernels._core")]
pub struct Learner {
    pub(crate) origin: Origin,
    pub(crate) wants_labels: bool,
    pub(crate) takes_absent: bool,
    /// Whether it is known to take whole weights of rows, and others.
    pub(crate) taken: [AtomicBool; 2],
    playing: Held<Playing>,
}

/// What changes while rounds are played.
pub(crate) struct Playing {
    pub(crate) learner: Box<dyn noregret_core::learner::api::Learner>,
    pub(crate) progress: Progress,
    /// The probabilities of classes in the rounds of the last call, for a learner of classes.
    told: Vec<Vec<f64>>,
    /// The ends of the intervals in these rounds, for a learner that gives intervals.
    given: [Vec<f64>; 2],
    /// What was known of the targets of these rounds, for a learner over a ridge regression.
    pub(crate) known: Vec<Predictive>,
    /// Why the learner cannot go on.
    pub(crate) broken: Option<String>,
}

/// The weight of row `from`, and up to which row (exclusive) rows are played with it: those of weight 1 together, others one by one.
fn stretch(weights: &[f64], from: usize, rows: usize) -> (f64, usize) {
    match weights.get(from) {
        Some(weight) if *weight != 1.0 => (*weight, from + 1),
        _ => (1.0, weights.iter().skip(from).position(|weight| *weight != 1.0).map_or(rows, |more| from + more)),
    }
}

/// Predictions and losses, one for each round.
type Played<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

#[pymethods]
impl Learner {
    /// The learner `name` with `parameters`, for `dim` inputs; `horizon` is the n of formulas such as 1/sqrt(n). With `epochs`, it
    /// sees inputs and targets on causal scales, as far as it may have them. With `classes`, targets are the numbers 0, 1, 2, ...
    /// of classes, of which so many are known beforehand. A bandwidth that is the word `scale` is that of the number of inputs, and
    /// with `widths` so is one that is not given. A model says whether the horizon is `doubling`.
    #[new]
    #[pyo3(signature = (name, parameters, dim, horizon=None, seed=0, epochs=false, classes=None, widths=false, doubling=false))]
    #[expect(clippy::too_many_arguments, reason = "what a learner is made of, by name in Python")]
    fn new(
        name: &str,
        parameters: &Bound<'_, PyDict>,
        dim: usize,
        horizon: Option<u64>,
        seed: u64,
        epochs: bool,
        classes: Option<usize>,
        widths: bool,
        doubling: bool,
    ) -> PyResult<Self> {
        let (none, mut table) = (Options::default(), table(parameters)?);
        Origin::resolve_widths(name, &mut table, dim, widths);
        let mut options = Options { learner: name.to_owned(), seed, of_classes: classes, doubling, ..none };
        if epochs {
            options.scale_over_epochs(Origin::scalable(name, &table, dim, horizon)?);
        }
        Self::of(Origin::build(options, table, Origin::unnamed(dim), horizon)?)
    }

    /// Its name in the registry.
    #[getter]
    fn name(&self) -> &str {
        self.origin.name
    }

    /// Number of inputs.
    #[getter]
    fn dim(&self) -> usize {
        self.origin.setting.dim
    }

    /// The number of rounds played.
    #[getter]
    fn rounds(&self, py: Python<'_>) -> PyResult<u64> {
        let playing = self.lock(py)?;
        Ok(py.detach(|| playing.take().progress.rounds))
    }

    /// The sum of the squared losses of all rounds.
    #[getter]
    fn loss(&self, py: Python<'_>) -> PyResult<f64> {
        let playing = self.lock(py)?;
        Ok(py.detach(|| playing.take().progress.tally.loss()))
    }

    /// Whether it needs all inputs before the first round and has not seen them.
    #[getter]
    fn foresees(&self, py: Python<'_>) -> PyResult<bool> {
        let playing = self.lock(py)?;
        Ok(py.detach(|| playing.take().learner.foresees()))
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
        let (rows, draws) = (Rows::new(self.origin.setting.dim, &rows), &self.origin.setting.draws);
        let playing = self.lock(py)?;
        let outcome = pool::run(py, || playing.take().learner.foresee(rows, draws));
        outcome.map_err(|breakdown| Breakdown::new_err(format!("{}: {}", self.origin.name, breakdown.cause)))
    }

    /// Refuses rows that `play` would refuse, and plays none.
    #[pyo3(signature = (inputs, targets, weights=None))]
    fn check(
        &self,
        py: Python<'_>,
        inputs: PyReadonlyArray2<'_, f64>,
        targets: PyReadonlyArray1<'_, f64>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
    ) -> PyResult<()> {
        let weights = weights.as_ref().map_or(Cow::Borrowed(&[][..]), dense);
        self.check_weights(py, &weights, targets.as_array().len())?;
        self.check_inputs(&inputs, &row_major(&inputs))?;
        self.check_targets(&dense(&targets), inputs.as_array().nrows())
    }

    /// Plays rounds: predicts each row, then learns from its target, as much as its weight says. Returns the predictions and the
    /// squared losses.
    #[pyo3(signature = (inputs, targets, weights=None))]
    fn play<'py>(
        &self,
        py: Python<'py>,
        inputs: PyReadonlyArray2<'py, f64>,
        targets: PyReadonlyArray1<'py, f64>,
        weights: Option<PyReadonlyArray1<'py, f64>>,
    ) -> PyResult<Played<'py>> {
        let (rows, targets) = (row_major(&inputs), dense(&targets));
        let weights = weights.as_ref().map_or(Cow::Borrowed(&[][..]), dense);
        self.check_weights(py, &weights, targets.len())?;
        self.check_inputs(&inputs, &rows)?;
        self.check_targets(&targets, inputs.as_array().nrows())?;
        let (dim, most) = (self.origin.setting.dim, BLOCK.min(MOST_NUMBERS / self.origin.setting.dim.max(1)).max(1));
        let (mut predictions, mut losses) = (vec![f64::NAN; targets.len()], Vec::with_capacity(targets.len()));
        let mut from = 0;
        while from < targets.len() {
            let (weight, to) = stretch(&weights, from, targets.len());
            let (rows, targets) = (Rows::new(dim, &rows), &targets[..to]);
            let (rest, losses) = (&mut predictions[from..], &mut losses);
            let playing = self.lock(py)?;
            let played = pool::run(py, || self.play_block(&playing, rows, targets, weight, from, most, rest, losses));
            from += played.map_err(stopped)?;
            py.check_signals()?;
        }
        Ok((PyArray1::from_vec(py, predictions), PyArray1::from_vec(py, losses)))
    }

    /// Predicts rows without learning from them.
    fn predict<'py>(&self, py: Python<'py>, inputs: PyReadonlyArray2<'py, f64>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let rows = row_major(&inputs);
        self.check_inputs(&inputs, &rows)?;
        let rows = Rows::new(self.origin.setting.dim, &rows);
        let playing = self.lock(py)?;
        let predictions: Result<Vec<f64>, String> = pool::run(py, || {
            let playing = playing.take();
            let Playing { learner, progress, .. } = playing.sound()?;
            let shown = progress.shown(rows.data());
            let mut predictions = vec![f64::NAN; rows.rows()];
            let draw = |_| self.origin.setting.draws.at(Role::Predict, progress.rounds + 1);
            learner.predict_rows(Rows::new(rows.cols(), &shown), &draw, &mut predictions);
            predictions.iter_mut().for_each(|prediction| *prediction = progress.back(*prediction));
            Ok(predictions)
        });
        predictions.map(|predictions| PyArray1::from_vec(py, predictions)).map_err(Breakdown::new_err)
    }

    /// The probability of each class, for rows that teach nothing.
    fn probabilities<'py>(
        &self,
        py: Python<'py>,
        inputs: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let rows = row_major(&inputs);
        self.check_inputs(&inputs, &rows)?;
        let rows = Rows::new(self.origin.setting.dim, &rows);
        let playing = self.lock(py)?;
        let told: Result<Option<Vec<Vec<f64>>>, String> = pool::run(py, || {
            let playing = playing.take();
            let Playing { learner, progress, .. } = playing.sound()?;
            let draw = || self.origin.setting.draws.at(Role::Predict, progress.rounds + 1);
            let one = |x: &[f64]| learner.probabilities_at(&progress.shown(x), &mut draw());
            Ok(rows.iter().map(one).collect())
        });
        let told = told.map_err(Breakdown::new_err)?;
        let told = told.ok_or_else(|| PyValueError::new_err(format!("{} tells no classes", self.origin.name)))?;
        let width = told.first().map_or(0, Vec::len);
        Ok(PyArray2::from_owned_array(py, padded(&told, width)))
    }

    /// The probabilities of classes in the rounds that were played last, each from before its target was seen; NaN for classes
    /// that were not known yet.
    fn last_probabilities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let playing = self.lock(py)?;
        let told = py.detach(|| {
            let told = &playing.take().told;
            padded(told, told.iter().map(Vec::len).max().unwrap_or(0))
        });
        Ok(PyArray2::from_owned_array(py, told))
    }

    /// The intervals for the targets of rows that teach nothing, around predictions of theirs; None where the learner gives none.
    fn predict_interval<'py>(
        &self,
        py: Python<'py>,
        inputs: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<Option<Played<'py>>> {
        let predictions = self.predict(py, inputs)?.readonly();
        let (predictions, playing) = (dense(&predictions), self.lock(py)?);
        let ends = pool::run(py, || {
            let Playing { learner, progress, .. } = &*playing.take();
            let one = |prediction: &f64| learner.interval(progress.to(*prediction));
            let ends = |interval: Interval| (progress.back(interval.lower), progress.back(interval.upper));
            predictions.iter().map(|prediction| one(prediction).map(ends)).collect::<Option<(Vec<f64>, Vec<f64>)>>()
        });
        Ok(ends.map(|(lower, upper)| (PyArray1::from_vec(py, lower), PyArray1::from_vec(py, upper))))
    }

    /// The ends of the intervals in the rounds that were played last, each from before its target was seen; None where the
    /// learner gives none.
    fn last_intervals<'py>(&self, py: Python<'py>) -> PyResult<Option<Played<'py>>> {
        let playing = self.lock(py)?;
        let given = py.detach(|| {
            let playing = playing.take();
            playing.learner.interval(0.0).map(|_| playing.given.clone())
        });
        Ok(given.map(|[lower, upper]| (PyArray1::from_vec(py, lower), PyArray1::from_vec(py, upper))))
    }

    /// The weights of the first ten forecasts of a mixture in the last round; empty for other learners.
    fn weights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let playing = self.lock(py)?;
        let weights = py.detach(|| playing.take().learner.gauges().weights);
        Ok(PyArray1::from_vec(py, weights.into_iter().flatten().collect()))
    }

    /// All its parameters in canonical form, in JSON.
    #[getter]
    fn parameters(&self) -> String {
        self.origin.parameters.to_string()
    }

    /// Whether it can only be built where the number of rounds is known.
    #[staticmethod]
    fn needs_horizon(name: &str, parameters: &Bound<'_, PyDict>, dim: usize) -> PyResult<bool> {
        let mut table = table(parameters)?;
        Origin::resolve_widths(name, &mut table, dim, false);
        let build = |horizon| {
            Origin::build(
                Options { learner: name.to_owned(), ..Options::default() },
                table.clone(),
                Origin::unnamed(dim),
                horizon,
            )
        };
        Ok(build(None).is_err() && build(Some(1)).is_ok())
    }

    /// The same learner with what it has learnt, for another n of formulas.
    fn with_horizon(&self, py: Python<'_>, horizon: u64) -> PyResult<Self> {
        let names = Names { inputs: self.origin.inputs.clone(), target: "y".to_owned() };
        let saved = self.saved(py, names)?.with_horizon(horizon);
        Self::loaded(Origin::of(&saved)?, saved)
    }

    /// Plays one round with the row that a dictionary holds.
    #[pyo3(signature = (x, columns, target, weight=1.0))]
    fn learn_one(
        &self,
        py: Python<'_>,
        x: &Bound<'_, PyDict>,
        columns: &Bound<'_, PyList>,
        target: f64,
        weight: f64,
    ) -> PyResult<()> {
        let (row, targets, mut losses) = (self.row(x, columns)?, [target], Vec::with_capacity(1));
        self.check_targets(&targets, 1)?;
        self.check_weights(py, &[weight], 1)?;
        let rows = Rows::new(self.origin.setting.dim, &row);
        let playing = self.lock(py)?;
        let play = || self.play_block(&playing, rows, &targets, weight, 0, BLOCK, &mut [f64::NAN], &mut losses);
        pool::run_in(playing.process, py, play).map(drop).map_err(stopped)
    }

    /// Predicts the row that a dictionary holds, without learning from it.
    fn predict_one(&self, py: Python<'_>, x: &Bound<'_, PyDict>, columns: &Bound<'_, PyList>) -> PyResult<f64> {
        let (row, playing) = (self.row(x, columns)?, self.lock(py)?);
        let forecast: Result<f64, String> = pool::run_in(playing.process, py, || {
            let playing = playing.take();
            let sound = playing.sound()?;
            Ok(self.forecast(sound, &sound.progress.shown(&row)))
        });
        forecast.map_err(Breakdown::new_err)
    }

    /// What the learner holds and has spent, as far as it says so.
    fn gauges(&self, py: Python<'_>) -> PyResult<BTreeMap<&'static str, f64>> {
        let playing = self.lock(py)?;
        let gauges = py.detach(|| playing.take().learner.gauges());
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
        Ok(all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect())
    }

    /// Saves the learner as `noregret stream --save` does, over columns of these names; with `predict_only`, what predictions
    /// need. Returns whether that is less than all.
    fn save(
        &self,
        py: Python<'_>,
        path: PathBuf,
        inputs: Vec<String>,
        target: String,
        predict_only: bool,
    ) -> PyResult<bool> {
        if self.origin.options.of_classes.is_some() {
            let why = "a learner of classes knows their numbers, not their words, which a model for the program needs; pickle it, \
                       or learn with `noregret stream --save`";
            return Err(PyValueError::new_err(why));
        }
        let saved = self.saved(py, Names { inputs: inputs.clone(), target: target.clone() })?;
        if !predict_only {
            return saved.write(&path).map(|()| false);
        }
        // Of a copy, because this learner may go on.
        let mut copy = Self::loaded(Origin::of(&saved)?, saved)?;
        let less = copy.playing.get_mut().learner.keep_predictions();
        copy.saved(py, Names { inputs, target })?.write(&path).map(|()| less)
    }

    /// For pickle and copy.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let names = Names { inputs: slf.get().origin.inputs.clone(), target: "y".to_owned() };
        let saved = slf.get().saved(slf.py(), names)?;
        Ok((slf.get_type().getattr("restore")?, (PyBytes::new(slf.py(), &saved.bytes()?),)))
    }

    /// The learner in the bytes of a model.
    #[staticmethod]
    fn restore(bytes: &[u8]) -> PyResult<Self> {
        let saved = Saved::parse(bytes)?;
        Self::loaded(Origin::of(&saved)?, saved)
    }
}

impl Learner {
    /// A learner before its first round.
    fn of((origin, learner): (Origin, AnyLearner)) -> PyResult<Self> {
        let AnyLearner::Full(learner) = learner else {
            return Err(PyValueError::new_err(format!("{} learns from noisy copies only", origin.name)));
        };
        let progress = Progress::new(&origin)?;
        Ok(Self {
            wants_labels: learner.wants_labels(),
            takes_absent: learner.takes_absent(),
            taken: Default::default(),
            playing: Held::new(Playing {
                learner,
                progress,
                told: Vec::new(),
                given: Default::default(),
                known: Vec::new(),
                broken: None,
            }),
            origin,
        })
    }

    /// The learner of a model.
    pub fn loaded(built: (Origin, AnyLearner), saved: Saved) -> PyResult<Self> {
        let mut this = Self::of(built)?;
        let Playing { learner, progress, .. } = this.playing.get_mut();
        progress.fill(&mut **learner, saved)?;
        Ok(this)
    }

    fn saved(&self, py: Python<'_>, columns: Names) -> PyResult<Saved> {
        let playing = self.lock(py)?;
        py.detach(|| {
            let mut playing = playing.take();
            playing.sound().map_err(Breakdown::new_err)?;
            let Playing { learner, progress, .. } = &mut *playing;
            self.origin.saved(self.origin.options.clone(), columns, &mut **learner, progress)
        })
    }

    pub(crate) fn lock(&self, py: Python<'_>) -> PyResult<Lock<'_, Playing>> {
        self.playing.here(py, self.origin.name)
    }

    /// The prediction in the coming round for a row on the learner's scale, whatever else is predicted there.
    fn forecast(&self, Playing { learner, progress, .. }: &Playing, x: &[f64]) -> f64 {
        progress.back(learner.predict(x, &mut self.origin.setting.draws.at(Role::Predict, progress.rounds + 1)))
    }

    /// Plays the block of `most` rounds that round `from` (from 0) of the call lies in, or what is left of it, with rows of this
    /// weight; returns how many rounds these are.
    #[expect(clippy::too_many_arguments, reason = "a call of Python's and the part of it that is played")]
    fn play_block(
        &self,
        playing: &Lock<'_, Playing>,
        rows: Rows<'_>,
        targets: &[f64],
        weight: f64,
        from: usize,
        most: usize,
        predictions: &mut [f64],
        losses: &mut Vec<f64>,
    ) -> Result<usize, String> {
        let Playing {
            learner,
            progress: Progress { rounds, tally, misses, targets: scale, inputs, service: _ },
            told,
            given: [lower, upper],
            known,
            broken,
        } = &mut *playing.take();
        if let Some(cause) = broken {
            return Err(cause.clone());
        }
        if from == 0 {
            told.clear();
            known.clear();
            lower.clear();
            upper.clear();
        }
        let count = (most - (*rounds % most as u64) as usize).min(targets.len() - from);
        let mut shown = Cow::Borrowed(rows.slice(from, from + count).data());
        if *inputs != Scaling::None {
            inputs.apply(shown.to_mut());
        }
        let rows = Rows::new(rows.cols(), &shown);
        let block = Block { first_round: *rounds + 1, inputs: rows, targets: &targets[from..from + count] };
        let mut player = FullPlayer::weighted(&mut **learner, &self.origin.setting.draws, weight);
        let before = losses.len();
        let (watch, each) = (&mut Stopwatch::idle(), |round: Scored| losses.push(round.loss));
        let predictions = &mut predictions[..count];
        let outcome = scale.over(&mut player, |player| play_and_score(player, block, predictions, tally, watch, each));
        for (i, interval) in learner.intervals().iter().take(losses.len() - before).enumerate() {
            lower.push(scale.back_in(i, interval.lower));
            upper.push(scale.back_in(i, interval.upper));
            if let Some(missed) = interval.missed {
                misses.add(missed);
            }
        }
        told.extend_from_slice(learner.probabilities());
        let each = learner.predictives().into_iter().flatten().enumerate();
        known.extend(each.map(|(i, one)| mapped(one, scale.map_in(i))));
        *rounds += (losses.len() - before) as u64;
        outcome.map_err(|stop| broke_down(broken, self.origin.name, *rounds + 1, &stop.cause))?;
        Ok(count)
    }
}
