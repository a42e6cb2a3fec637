//! The traits of learners. Their signatures say who may know what: a prediction for x_t may use x_t but never y_t; a
//! learner learns nothing from being asked for a prediction; a noisy learner sees nothing but an oracle.

use crate::epoch::Scales;
use crate::learner::about::About;
pub use crate::learner::breakdown::Breakdown;
pub(crate) use crate::learner::breakdown::{in_round, label, predicts_only};
use crate::learner::predictive::Predictive;
use crate::learner::said::{Attended, Estimated, Expanded, Foretold};
pub use crate::learner::said::{Gauges, Interval, WEIGHTS};
pub use crate::learner::setting::Setting;
use crate::learner::weight::whole;
use crate::noise::api::Oracle;
use crate::params::entry::{Chosen, Entry};
use crate::params::{ParamError, Params};
use noregret_numeric::draw::{Draw, Draws, Role};
use noregret_numeric::linalg::matrix::Rows;
use noregret_numeric::state::{StateError, Store};

/// The function that a learner currently plays.
///
/// ```
/// use noregret_core::prelude::*;
///
/// let entry = LEARNERS.find("kernel-ogd")?;
/// let setting = Setting { dim: 1, horizon: Some(100), draws: Draws::named(&["learner"]) };
/// let params = check(entry.params, &json!({}), "", &AllParts)?;
/// let AnyLearner::Full(mut learner) = (entry.build.learner)(&params, &setting)? else { unreachable!() };
/// let draw = || setting.draws.at(Role::Learn, 1);
/// assert_eq!(learner.predict(&[0.5], &mut draw()), 0.0);
/// learner.learn(&[0.5], 1.0, &mut draw()).unwrap();
/// assert!(learner.predict(&[0.5], &mut draw()) > 0.0);
/// assert_eq!(learner.gauges().stored_points, Some(1));
/// # Ok::<(), ParamError>(())
/// ```
pub trait Hypothesis: Send {
    /// The prediction at `x`. It takes `&self`, so that a learner cannot learn from being scored. Predictions that are
    /// themselves estimates use `draw`; the same draw gives the same prediction.
    fn predict(&self, x: &[f64], draw: &mut Draw) -> f64;

    /// Writes the predictions at `inputs`, one for each row, with the draws that `draw` gives for each: those of
    /// [`predict`](Hypothesis::predict), to 1e-9 relative. Learners for which many rows take less than one after the
    /// other override it.
    fn predict_rows(&self, inputs: Rows<'_>, draw: &dyn Fn(usize) -> Draw, out: &mut [f64]) {
        for ((i, x), prediction) in inputs.iter().enumerate().zip(out) {
            *prediction = self.predict(x, &mut draw(i));
        }
    }

    /// The storage and the computation that the learner has used so far.
    fn gauges(&self) -> Gauges;

    /// The prediction of the averaged iterate at `x`, for learners that have one; `draw` as in
    /// [`predict`](Hypothesis::predict).
    fn predict_averaged(&self, x: &[f64], draw: &mut Draw) -> Option<f64> {
        let _ = (x, draw);
        None
    }

    /// Whether predictions are estimates of the function's values, with an error of their own. The mean of a squared
    /// loss is then that of the function plus the variance of the estimate.
    fn estimates(&self) -> bool {
        false
    }

    /// An estimate of the averaged iterate at `x` of a promised precision, for learners that promise one and whose
    /// averaged iterate can also be evaluated with a smaller error.
    fn estimate_averaged(&self, x: &[f64], draw: &mut Draw) -> Option<Estimated> {
        let _ = (x, draw);
        None
    }

    /// An estimate of the prediction at x from `copy`, a noisy copy of x, for learners that have one. It is unbiased: its
    /// mean over the noise is [`predict`](Hypothesis::predict) at x, which a prediction at the copy itself is not unless
    /// the function is linear.
    fn predict_copy(&self, copy: &[f64]) -> Option<f64> {
        let _ = copy;
        None
    }

    /// What becomes of the prediction at `x` when the learner attends to `x` ([`Learner::attend`]), where a coin decides.
    fn attended(&self, x: &[f64]) -> Option<Attended> {
        let _ = x;
        None
    }

    /// The function as a sum of kernel functions, for learners that hold it so.
    fn expansion(&self) -> Option<Expanded<'_>> {
        None
    }

    /// The interval that the learner gives for the target of the coming round, around this prediction of it, for learners
    /// that give intervals.
    fn interval(&self, prediction: f64) -> Option<Interval> {
        let _ = prediction;
        None
    }

    /// The intervals of the rounds of the last block, or of the last round, in order; empty for learners that give none.
    fn intervals(&self) -> &[Interval] {
        &[]
    }

    /// What is known of a target at `x`, for learners over a ridge regression ([`crate::learner::predictive`]).
    fn predictive(&self, x: &[f64]) -> Option<Predictive> {
        let _ = x;
        None
    }

    /// What was known of the targets of the rounds of the last block, or of the last round, before each was seen, in order.
    fn predictives(&self) -> Option<Vec<Predictive>> {
        None
    }

    /// The probabilities of classes 0, 1, 2, ... in each round of the last block or of the last round, as they were before its
    /// target was known; empty for learners of numbers. Classes that were not seen before have none.
    fn probabilities(&self) -> &[Vec<f64>] {
        &[]
    }

    /// The probabilities of classes at `x`, for learners of classes; `draw` as in [`predict`](Hypothesis::predict).
    fn probabilities_at(&self, x: &[f64], draw: &mut Draw) -> Option<Vec<f64>> {
        let _ = (x, draw);
        None
    }

    /// What was said of targets that are not known yet, oldest first, by a learner that forecasts several steps ahead
    /// ([`ahead`](crate::learner::combine::ahead)); the last was said in the last round. Empty for others.
    fn waiting(&self) -> Vec<Foretold> {
        Vec::new()
    }

    /// What remains of a [`context`](Hypothesis::context) when targets become `offset` + `factor` times what they were.
    fn context_moved(&self, context: &[f64], offset: f64, factor: f64) -> Vec<f64> {
        let _ = (context, offset, factor);
        Vec::new()
    }

    /// What a prediction at `x` that is made now knows beside `x`, and learning from it later no longer would: past targets,
    /// forecasts. Empty for learners to which it makes no difference when a row is learnt.
    fn context(&self, x: &[f64], draw: &mut Draw) -> Vec<f64> {
        let _ = (x, draw);
        Vec::new()
    }

    /// Further numbers that describe a run, by name; they are recorded at its end.
    fn measures(&self) -> Vec<(&'static str, f64)> {
        Vec::new()
    }

    /// What the learner has to say of its run to a person, line by line: nothing, unless it can compare itself with others.
    fn account(&self) -> Vec<String> {
        Vec::new()
    }

    /// Drops what only learning needs, such as a factor where coefficients suffice. The learner predicts as before and
    /// refuses to learn. Returns whether there was anything to drop.
    fn keep_predictions(&mut self) -> bool {
        false
    }

    /// Saves what was learnt, or loads it into a freshly built learner with the same parameters and draws, which then
    /// goes on as the saved one does. Called between rounds. Learners of the registry all have a state; the law
    /// [`crate::laws::learner::saved`] tests it.
    ///
    /// # Errors
    /// As [`State::state`](noregret_numeric::state::State::state); for learners that cannot be saved, [`StateError::Unsupported`].
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let _ = store;
        Err(StateError::Unsupported)
    }
}

/// A learner of the full-information protocol: in round t it sees x_t, predicts, then sees y_t.
///
/// ```
/// use noregret_core::prelude::*;
///
/// /// Predicts the mean of the targets that it has seen.
/// #[derive(Default)]
/// struct Mean { sum: f64, rounds: f64 }
/// impl Hypothesis for Mean {
///     fn predict(&self, _: &[f64], _: &mut Draw) -> f64 { self.sum / self.rounds.max(1.0) }
///     fn gauges(&self) -> Gauges { Gauges::default() }
/// }
/// impl Learner for Mean {
///     fn learn(&mut self, _: &[f64], y: f64, _: &mut Draw) -> Result<(), Breakdown> {
///         (self.sum, self.rounds) = (self.sum + y, self.rounds + 1.0);
///         Ok(())
///     }
/// }
/// let inputs = Matrix::zeros(3, 1);
/// let block = Block { first_round: 1, inputs: inputs.view(), targets: &[1.0, 3.0, 5.0] };
/// let mut predictions = [f64::NAN; 3];
/// Mean::default().play(block, &Draws::named(&["mean"]), &mut predictions).unwrap();
/// assert_eq!(predictions, [0.0, 1.0, 2.0]);
/// ```
pub trait Learner: Hypothesis {
    /// Says that targets will be the numbers 0, 1, ... of `count` classes. A learner that predicts such numbers itself returns
    /// true; any other one is played by [`Classes`](crate::learner::classes::Classes).
    fn plays_classes(&mut self, count: usize) -> bool {
        let _ = count;
        false
    }

    /// Whether the learner needs the inputs of all rounds before the first one ([`foresee`](Learner::foresee)) and has
    /// not seen them yet. The full-information protocol provides them if the stream does not react to the learner.
    /// Everywhere else such a learner is refused.
    fn foresees(&self) -> bool {
        false
    }

    /// Sees the inputs of rounds 1, 2, ..., without their targets, before the first round: the setting of features
    /// known beforehand (P. Gaillard, S. Gerchinovitz, M. Huard, G. Stoltz, ALT 2019). Called once, and only if
    /// [`foresees`](Learner::foresees) says so.
    ///
    /// # Errors
    /// If the learner cannot use these inputs; then no round is played.
    fn foresee(&mut self, inputs: Rows<'_>, draws: &Draws) -> Result<(), Breakdown> {
        let _ = (inputs, draws);
        Ok(())
    }

    /// Whether an input that is NaN stands for a forecast that is absent. Other learners take finite inputs only.
    fn takes_absent(&self) -> bool {
        false
    }

    /// Whether targets must be labels, -1 or +1. Another target is a breakdown.
    fn wants_labels(&self) -> bool {
        false
    }

    /// What may be scaled for it, as by epochs ([`crate::epoch`]): not the forecasts that are its inputs, nor labels. A learner
    /// that scales by itself, or predicts a value as it is given, says so here.
    fn scalable(&self) -> Scales {
        let any = !self.takes_absent();
        Scales { inputs: any, targets: any && !self.wants_labels() }
    }

    /// Sees x_t before predicting, without its target (dictionary growth).
    fn attend(&mut self, x: &[f64], draw: &mut Draw) -> Result<(), Breakdown> {
        let _ = (x, draw);
        Ok(())
    }

    /// Learns from (x_t, y_t).
    fn learn(&mut self, x: &[f64], y: f64, draw: &mut Draw) -> Result<(), Breakdown>;

    /// Learns from (x_t, y_t) with a weight >= 0: 2 is as much as the row twice, 0 as if it had not been. Learners that minimise
    /// a sum of losses take any weight as its factor in the sum; the others learn the row as often as a whole weight says.
    ///
    /// # Errors
    /// As [`learn`](Learner::learn); if the weight cannot be taken.
    fn learn_weighted(&mut self, x: &[f64], y: f64, weight: f64, draw: &mut Draw) -> Result<(), Breakdown> {
        (0..whole(weight)?).try_for_each(|_| self.learn(x, y, draw))
    }

    /// Plays consecutive rounds: `predictions[i]` is for `block.inputs.row(i)`, made before `block.targets[i]` is used.
    /// The predictions equal, to 1e-9 relative, those of playing round by round, for every way of cutting rounds into
    /// blocks.
    ///
    /// # Errors
    /// If the learner cannot go on. [`Breakdown::after`] rounds of the block were played; their predictions are valid.
    fn play(&mut self, block: Block<'_>, draws: &Draws, predictions: &mut [f64]) -> Result<(), Breakdown> {
        one_by_one(self, block, draws, predictions)
    }

    /// [`play`](Learner::play) with a weight for each round, told with its target: predictions do not know it. Rounds of weight 1
    /// that follow each other are one block, and what is said of the last block is that of the last of these.
    ///
    /// # Errors
    /// As [`play`](Learner::play); if a weight cannot be taken ([`learn_weighted`](Learner::learn_weighted)).
    fn play_weighted(
        &mut self,
        block: Block<'_>,
        weights: &[f64],
        draws: &Draws,
        predictions: &mut [f64],
    ) -> Result<(), Breakdown> {
        let mut from = 0;
        for part in weights.chunk_by(|one, next| *one == 1.0 && *next == 1.0) {
            let (i, rows) = (from, block.part(from, from + part.len()));
            from += part.len();
            let (x, round) = (rows.inputs.row(0), rows.first_round);
            let at = |breakdown: Breakdown| Breakdown { after: i + breakdown.after, ..breakdown };
            if part[0] == 1.0 {
                self.play(rows, draws, &mut predictions[i..from]).map_err(at)?;
                continue;
            }
            self.attend(x, &mut draws.at(Role::Attend, round)).map_err(at)?;
            predictions[i] = self.predict(x, &mut draws.at(Role::Predict, round));
            let learnt = self.learn_weighted(x, rows.targets[0], part[0], &mut draws.at(Role::Learn, round));
            learnt.map_err(at)?;
        }
        Ok(())
    }

    /// Lets [`waiting`](Hypothesis::waiting) be what was said of these targets before the learner was made anew.
    fn keep_waiting(&mut self, said: Vec<Foretold>) {
        let _ = said;
    }

    /// Learns from the one row of a block after later ones were predicted; `context` is what
    /// [`context`](Hypothesis::context) gave when it was.
    ///
    /// # Errors
    /// As [`play`](Learner::play).
    fn learn_late(&mut self, row: Block<'_>, context: &[f64], draws: &Draws) -> Result<(), Breakdown> {
        let _ = context;
        self.play(row, draws, &mut [f64::NAN])
    }
}

/// [`Learner::play`], one round after the other.
///
/// # Errors
/// If the learner cannot go on.
pub(crate) fn one_by_one<L: Learner + ?Sized>(
    learner: &mut L,
    block: Block<'_>,
    draws: &Draws,
    predictions: &mut [f64],
) -> Result<(), Breakdown> {
    for (i, (x, &y)) in block.inputs.iter().zip(block.targets).enumerate() {
        let round = block.first_round + i as u64;
        let at = |breakdown: Breakdown| Breakdown { after: i, ..breakdown };
        learner.attend(x, &mut draws.at(Role::Attend, round)).map_err(at)?;
        predictions[i] = learner.predict(x, &mut draws.at(Role::Predict, round));
        // The prediction of this round is valid even if learning from it fails.
        learner.learn(x, y, &mut draws.at(Role::Learn, round)).map_err(in_round(i))?;
    }
    Ok(())
}

/// A learner of the noisy protocol: its hypothesis is fixed before the round, and it learns only through an oracle.
///
/// ```
/// use noregret_core::{prelude::*, protocol::noisy};
/// use std::sync::Arc;
///
/// let entry = LEARNERS.find("noisy-linear-two-copy")?;
/// let params = check(entry.params, &json!({ "eta": 0.05 }), "", &AllParts)?;
/// let setting = Setting { dim: 1, horizon: None, draws: Draws::named(&["learner"]) };
/// let AnyLearner::Noisy(mut learner) = (entry.build.learner)(&params, &setting)? else { unreachable!() };
/// // y = x / 2, x_t = 1 or -1, each copy of x_t with noise of standard deviation 0.3.
/// let channel = noregret_core::laws::noisy::channel(0.3)?;
/// let inputs = Matrix::from_data(800, 1, (0..800).map(|t| if t % 2 == 0 { 1.0 } else { -1.0 }).collect()).unwrap();
/// let targets: Vec<f64> = inputs.data().iter().map(|x| 0.5 * x).collect();
/// let source = TableSource::in_file_order(Arc::new(Examples::new(inputs, targets).unwrap()));
/// let (stream, draws) = (Draws::named(&["stream"]), &setting.draws);
/// noisy::play(&mut *learner, &source, &channel, &stream, draws, &RunOptions::new(800), &|| false).unwrap();
/// assert!((learner.predict(&[1.0], &mut draws.at(Role::Predict, 801)) - 0.5).abs() < 0.2);
/// # Ok::<(), ParamError>(())
/// ```
pub trait OracleLearner: Hypothesis {
    /// Learns from as many noisy copies of the current example as it asks for. It asks for all of them before it changes anything
    /// that later rounds see: an oracle may end the round by unwinding, and the round is then not played.
    fn learn(&mut self, oracle: &mut dyn Oracle, draw: &mut Draw) -> Result<(), Breakdown>;

    /// The same learner, if it can play rounds together.
    fn in_blocks(&mut self) -> Option<&mut dyn BlockOracleLearner> {
        None
    }
}

/// A learner of the noisy protocol that asks for the same number of copies in every round, so that the copies of many
/// rounds can be drawn in advance.
pub trait BlockOracleLearner {
    /// How many copies of x_t each round takes, in addition to one copy of y_t.
    fn copies(&self) -> usize;

    /// Plays consecutive rounds. The predictions equal, to 1e-9 relative, those of playing round by round through an
    /// oracle that hands out these copies, for every way of cutting rounds into blocks.
    ///
    /// # Errors
    /// As [`Learner::play`].
    fn play(&mut self, block: DrawnBlock<'_>, predictions: &mut [f64]) -> Result<(), Breakdown>;
}

/// Consecutive rounds of the noisy protocol with the copies that they will ask for.
#[derive(Clone, Copy, Debug)]
pub struct DrawnBlock<'a> {
    /// The clean x_t, one row per round: the learner predicts there but must not learn from them.
    pub inputs: Rows<'a>,
    /// The copies of x_t, [`BlockOracleLearner::copies`] rows per round, round after round.
    pub copies: Rows<'a>,
    /// A copy of y_t per round.
    pub targets: &'a [f64],
}

/// Consecutive rounds of a stream.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    /// The number of the first round, from 1.
    pub first_round: u64,
    /// One row per round.
    pub inputs: Rows<'a>,
    /// One target per round.
    pub targets: &'a [f64],
}

impl<'a> Block<'a> {
    /// Rounds `from..to` of the block, counted from 0.
    pub fn part(&self, from: usize, to: usize) -> Block<'a> {
        Block {
            first_round: self.first_round + from as u64,
            inputs: self.inputs.slice(from, to),
            targets: &self.targets[from..to],
        }
    }
}

/// Either kind of learner, as the registry builds it.
pub enum AnyLearner {
    /// Plays the full-information protocol, or the noisy protocol through an adapter.
    Full(Box<dyn Learner>),
    /// Plays only the noisy protocol.
    Noisy(Box<dyn OracleLearner>),
}

impl AnyLearner {
    /// A learner of the full-information protocol, or why it could not be built.
    ///
    /// # Errors
    /// Those of `learner`.
    pub fn full(learner: Result<impl Learner + 'static, ParamError>) -> Result<Self, ParamError> {
        Ok(AnyLearner::Full(Box::new(learner?)))
    }

    /// A learner of the noisy protocol, or why it could not be built.
    ///
    /// # Errors
    /// Those of `learner`.
    pub fn noisy(learner: Result<impl OracleLearner + 'static, ParamError>) -> Result<Self, ParamError> {
        Ok(AnyLearner::Noisy(Box::new(learner?)))
    }
}

/// How a learner is built, and what it costs.
#[derive(Debug)]
pub struct Recipe {
    /// Builds the learner from checked parameters, for a setting.
    pub learner: fn(&Params, &Setting) -> Result<AnyLearner, ParamError>,
    /// Floating-point operations and bytes of state after `rounds` rounds in `dim` dimensions, for planning.
    pub cost: fn(&Params, rounds: u64, dim: usize) -> Cost,
    /// The parameters that shape the learner's random numbers (how many features, from which law). They name its draws,
    /// with its own name; other parameters (lambda, a step size) do not. Settings that differ in these alone are thus
    /// compared on the same random numbers, and tuning finds a good value instead of a lucky draw.
    pub drawn_by: &'static [&'static str],
    /// What else there is to know.
    pub about: About,
}

/// A registered learner.
pub type LearnerEntry = Entry<Recipe>;

/// A learner with its parameters, as a parameter of another one, which builds it when the setting is known.
pub type LearnerPart = Chosen<&'static LearnerEntry>;

impl LearnerEntry {
    /// The same, with this page in the book, each line after a blank as in `///` comments.
    pub(crate) const fn with_page(self, page: &'static str) -> Self {
        let about = About { page, ..self.build.about };
        Self { build: Recipe { about, ..self.build }, ..self }
    }

    /// What names the learner's draws, beside its own name: those of its parameters that shape them
    /// ([`Recipe::drawn_by`]), without the ones that were added later and are at their default
    /// ([`Fallback::Added`](crate::params::Fallback::Added)). A learner inside of it counts with the parameters that
    /// shape its own draws.
    ///
    /// ```
    /// use noregret_core::prelude::*;
    ///
    /// let entry = LEARNERS.find("fogd")?;
    /// let key = |given| Ok::<_, ParamError>(entry.draw_key(&check(entry.params, &given, "", &AllParts)?));
    /// assert_eq!(key(json!({ "eta": 0.1, "features": 20 }))?, key(json!({ "eta": 0.2, "features": 20 }))?);
    /// assert_ne!(key(json!({ "eta": 0.1, "features": 20 }))?, key(json!({ "eta": 0.1, "features": 30 }))?);
    /// # Ok::<(), ParamError>(())
    /// ```
    pub fn draw_key(&self, params: &Params) -> serde_json::Value {
        params.draw_key_of(
            |name| self.build.drawn_by.contains(&name),
            |part| match part.object::<&'static LearnerEntry>() {
                Some(entry) => part.named(entry.draw_key(&part.params)),
                None => part.draw_key(),
            },
        )
    }
}

/// A coarse estimate of the resources that a run needs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Total number of floating-point operations.
    pub flops: f64,
    /// Size of the largest state, in bytes.
    pub bytes: f64,
}
