//! Any learner of labels -1 and 1 as one of classes 0, 1, 2, ..., which may appear one after the other.
//!
//! Of two classes, one learner forecasts a margin m: the target is 1 for class 1 and -1 for class 0, and class 1 is predicted
//! where m > 0. Of K > 2 classes each has a learner of its own, whose target is 1 for its class and -1 for all others, and the
//! class with the largest margin is predicted. Where margins are equal, the class that was seen most often is.
//!
//! Probabilities are calibrated causally: for each learner an online logistic regression ([`crate::learner::newton::aioli`]) over
//! (m, 1) has the logit z of its class, from the rows before. Then
//!
//! ```text
//! one class seen in n rows:  (n + 1/2) / (n + 1),
//! two classes:               1 / (1 + exp(-z)),
//! K classes:                 exp(z_k) / sum_j exp(z_j),
//! ```
//!
//! each at least 10^-6. A class that has not been seen yet has no probability; count 10^-6 where one is needed.
//!
//! The learner of a class that appears late learns all rows so far, of which the newest 32,768 at most are kept (fewer where
//! they are wide): it is what it would have been from the start, as long as no more rows have passed.

use rayon::iter::{IntoParallelRefMutIterator as _, ParallelIterator as _};

use crate::feature::identity::IdentityMap;
use crate::learner::api::{Block, Breakdown, Gauges, Hypothesis, Learner, WEIGHTS, in_round, predicts_only};
use crate::learner::newton::aioli::{Aioli, sigma};
use crate::learner::over_epochs::{BuildLearner, OverEpochs};
use crate::loss::api::{Form, Loss};
use crate::params::ParamError;
use crate::recent::Recent;
use noregret_numeric::draw::{Draw, Draws, Role};
use noregret_numeric::linalg::matrix::Rows;
use noregret_numeric::meter::CpuMeter;
use noregret_numeric::state::{StateError, Store};

/// The smallest probability.
pub const LEAST: f64 = 1e-6;

/// What is predicted before any class was seen.
pub const NONE: f64 = -1.0;

/// The most classes.
pub const MOST: usize = 256;

/// Margins are clipped to this size before they are calibrated.
const WIDEST: f64 = 4.0;

/// lambda and C of the calibration.
const CALIBRATION: [f64; 2] = [0.01, 10.0];

/// Rows that are learnt together when a learner is made late.
const BLOCK: usize = 256;

/// 0 for the right class, 1 for another one. It is not convex: it scores, and nothing learns from it.
#[derive(Clone, Copy, Debug)]
pub struct Misclassified;

impl Loss for Misclassified {
    fn form(&self) -> Form {
        Form::Residual
    }

    fn value(&self, a: f64) -> f64 {
        f64::from(u8::from(a != 0.0))
    }

    fn derivative(&self, _: f64) -> f64 {
        0.0
    }
}

/// The learner of one class.
struct ClassLearner {
    /// The class whose target is 1.
    class: usize,
    learner: Box<dyn Learner>,
    calibration: Aioli,
    /// Rounds that the learner has played.
    rounds: u64,
    /// Its margins in the last block.
    margins: Vec<f64>,
}

/// The learner that `build` makes, for each class.
///
/// ```
/// use noregret_core::learner::classes::Classes;
/// use noregret_core::prelude::*;
///
/// let entry = LEARNERS.find("neighbours")?;
/// let params = check(entry.params, &json!({}), "", &AllParts)?;
/// let setting = Setting { dim: 1, horizon: None, draws: Draws::named(&["learner"]) };
/// let draws = setting.draws.clone();
/// let build = move || match (entry.build.learner)(&params, &setting)? {
///     AnyLearner::Full(learner) => Ok(learner),
///     AnyLearner::Noisy(_) => Err(ParamError::refused("learner", "plays the noisy protocol")),
/// };
/// let mut learner = Classes::new(Box::new(build), draws.clone(), 1, 0)?;
/// for t in 0..90 {
///     let class = f64::from(t % 3);
///     learner.learn(&[class], class, &mut draws.at(Role::Learn, 1)).unwrap();
/// }
/// let draw = || draws.at(Role::Predict, 91);
/// assert_eq!(learner.predict(&[2.0], &mut draw()), 2.0);
/// let probabilities = learner.probabilities_at(&[2.0], &mut draw()).unwrap();
/// assert!(probabilities[2] > 0.5 && (probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-12);
/// # Ok::<(), ParamError>(())
/// ```
pub struct Classes {
    build: BuildLearner,
    draws: Draws,
    seats: Vec<ClassLearner>,
    /// How often each class was seen.
    counts: Vec<usize>,
    /// Rows with their classes.
    rows: Recent,
    /// Probabilities of the rows of the last block.
    told: Vec<Vec<f64>>,
    /// The weight of the rows that are being learnt.
    weight: f64,
    /// Whether it still has what learning needs.
    learns: bool,
}

impl Classes {
    /// The learner that `build` makes with the draws `draws`, for rows of `dim` inputs and `classes` classes that are known
    /// beforehand; others may follow. All learners have the same draws.
    ///
    /// # Errors
    /// Those of `build`, and more classes than [`MOST`].
    pub fn new(build: BuildLearner, draws: Draws, dim: usize, classes: usize) -> Result<Self, ParamError> {
        if classes > MOST {
            return Err(ParamError::refused("classes", format!("there are {classes}, and there may be {MOST}")));
        }
        let rows = Recent::new(dim, OverEpochs::most(dim));
        let (seats, counts, told) = (Vec::new(), vec![0; classes], Vec::new());
        let mut all = Self { build, draws, seats, counts, rows, told, weight: 1.0, learns: true };
        for class in wanted(classes) {
            all.seats.push(all.seat(class)?);
        }
        Ok(all)
    }

    /// A learner of a class that has seen nothing.
    fn seat(&self, class: usize) -> Result<ClassLearner, ParamError> {
        let [lambda, bound] = CALIBRATION;
        let calibration = Aioli::new(Box::new(IdentityMap(2)), lambda, bound);
        Ok(ClassLearner { class, learner: (self.build)()?, calibration, rounds: 0, margins: Vec::new() })
    }

    /// The class with these margins, one for each seat.
    fn class(&self, margins: &[f64]) -> f64 {
        let size = |k: usize| match (self.counts.len(), margins) {
            (2, [margin]) => {
                if k == 1 {
                    *margin
                } else {
                    -margin
                }
            }
            _ => margins.get(k).copied().unwrap_or(0.0),
        };
        let better = |best: usize, k: usize| {
            let more = size(k) > size(best) || (size(k) == size(best) && self.counts[k] > self.counts[best]);
            if more { k } else { best }
        };
        (0..self.counts.len()).reduce(better).map_or(NONE, |class| class as f64)
    }

    /// The probabilities of the classes with these logits, one for each seat.
    fn probabilities_of(&self, logits: &[f64]) -> Vec<f64> {
        let seen = self.counts.iter().filter(|count| **count > 0).count();
        let mut all: Vec<f64> = match (self.counts.len(), logits) {
            (0, _) => Vec::new(),
            // Declared classes of which none was seen are as likely as each other.
            (classes, _) if seen == 0 => vec![1.0 / classes as f64; classes],
            (classes, _) if seen == 1 => {
                let rows: usize = self.counts.iter().sum();
                let other = 0.5 / (rows as f64 + 1.0) / (classes.max(2) - 1) as f64;
                let only = 1.0 - other * (classes.max(2) - 1) as f64;
                self.counts.iter().map(|count| if *count > 0 { only } else { other }).collect()
            }
            (2, [logit]) => vec![sigma(-logit), sigma(*logit)],
            _ => {
                let largest = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                logits.iter().map(|logit| (logit - largest).exp()).collect()
            }
        };
        if all.len() > 1 {
            let total: f64 = all.iter().sum();
            all.iter_mut().for_each(|p| *p = (*p / total).max(LEAST));
            let total: f64 = all.iter().sum();
            all.iter_mut().for_each(|p| *p /= total);
        }
        all
    }

    /// Plays rows of known classes, of which the last one may be new.
    fn play_part(&mut self, inputs: Rows<'_>, targets: &[f64], predictions: &mut [f64]) -> Result<(), Breakdown> {
        let (draws, weights) = (&self.draws, vec![self.weight; targets.len()]);
        let meter = CpuMeter::current();
        let play = |seat: &mut ClassLearner| meter.charge(|| seat.play(draws, inputs, targets, &weights));
        let played = self.seats.par_iter_mut().map(play).collect();
        self.note(played, inputs, targets, predictions)
    }

    /// Takes note of what the learners have played.
    fn note(
        &mut self,
        played: Vec<Result<(), Breakdown>>,
        inputs: Rows<'_>,
        targets: &[f64],
        predictions: &mut [f64],
    ) -> Result<(), Breakdown> {
        // Rows that all learners have played count.
        let first = played.into_iter().filter_map(Result::err).min_by_key(|breakdown| breakdown.after);
        let rows = first.as_ref().map_or(targets.len(), |breakdown| breakdown.after.min(targets.len()));
        let (mut margins, mut logits) = (Vec::new(), Vec::new());
        for (i, y) in targets.iter().enumerate().take(rows) {
            margins.clear();
            logits.clear();
            for seat in &mut self.seats {
                margins.push(seat.margins[i]);
                logits.push(seat.calibrated(seat.margins[i]));
            }
            predictions[i] = self.class(&margins);
            self.told.push(self.probabilities_of(&logits));
            for seat in &mut self.seats {
                seat.calibrate(seat.margins[i], *y).map_err(in_round(i))?;
            }
            if let Some(count) = self.counts.get_mut(*y as usize) {
                *count += 1;
            }
            self.rows.push(inputs.row(i), *y, self.weight);
        }
        first.map_or(Ok(()), Err)
    }

    /// Makes room for a class that was just seen for the first time, and lets its learner learn what is known.
    fn admit(&mut self, class: usize) -> Result<(), Breakdown> {
        self.counts.resize(class + 1, 0);
        self.counts[class] += 1;
        self.rows.straighten();
        let failed = |error: ParamError| Breakdown::new(format!("a learner for a further class: {error}"));
        for class in wanted(self.counts.len()) {
            if self.seats.iter().any(|seat| seat.class == class) {
                continue;
            }
            let mut seat = self.seat(class).map_err(failed)?;
            let mut from = 0;
            let (inputs, classes) = (Rows::new(self.rows.dim, &self.rows.inputs), &self.rows.targets);
            while from < classes.len() {
                let to = classes.len().min(from + BLOCK);
                let targets = &classes[from..to];
                let weights = self.rows.weights.get(from..to).map_or_else(|| vec![1.0; to - from], <[f64]>::to_vec);
                seat.play(&self.draws, inputs.slice(from, to), targets, &weights)?;
                for (i, y) in targets.iter().enumerate() {
                    seat.calibrate(seat.margins[i], *y)?;
                }
                from = to;
            }
            self.seats.push(seat);
        }
        self.seats.sort_by_key(|seat| seat.class);
        Ok(())
    }

    /// The margins and logits of the seats at a row.
    fn asked(&self, x: &[f64], draw: &Draw) -> [Vec<f64>; 2] {
        let margin = |seat: &ClassLearner| seat.learner.predict(x, &mut draw.clone());
        let margins: Vec<f64> = self.seats.iter().map(margin).collect();
        let logits = self.seats.iter().zip(&margins).map(|(seat, margin)| seat.calibrated(*margin)).collect();
        [margins, logits]
    }
}

/// Which classes have learners of their own, of so many.
fn wanted(classes: usize) -> std::ops::Range<usize> {
    // Class 1 alone tells two classes apart. It has a learner from the start, which sees class 0 from its first row on.
    if classes <= 2 { 1..2 } else { 0..classes }
}

impl ClassLearner {
    /// The label of a class here.
    fn label(&self, y: f64) -> f64 {
        if y == self.class as f64 { 1.0 } else { -1.0 }
    }

    /// Plays rows with these classes, and keeps the margins.
    fn play(&mut self, draws: &Draws, inputs: Rows<'_>, classes: &[f64], weights: &[f64]) -> Result<(), Breakdown> {
        let labels: Vec<f64> = classes.iter().map(|y| self.label(*y)).collect();
        self.margins.clear();
        self.margins.resize(labels.len(), f64::NAN);
        let block = Block { first_round: self.rounds + 1, inputs, targets: &labels };
        self.learner.play_weighted(block, weights, draws, &mut self.margins)?;
        self.rounds += labels.len() as u64;
        match self.margins.iter().position(|margin| !margin.is_finite()) {
            None => Ok(()),
            Some(after) => {
                let cause = format!("the margin of class {} is {}", self.class, self.margins[after]);
                Err(Breakdown { after, cause })
            }
        }
    }

    /// Learns a row of this class that was predicted earlier, with a margin and in a context.
    fn learn_late(
        &mut self,
        draws: &Draws,
        x: &[f64],
        y: f64,
        (margin, context): (f64, &[f64]),
    ) -> Result<(), Breakdown> {
        self.rounds += 1;
        let row = Block { first_round: self.rounds, inputs: Rows::single(x), targets: &[self.label(y)] };
        self.learner.learn_late(row, context, draws)?;
        self.margins = vec![margin];
        Ok(())
    }

    fn features(margin: f64) -> [f64; 2] {
        [margin.clamp(-WIDEST, WIDEST), 1.0]
    }

    /// The logit at a margin.
    fn calibrated(&self, margin: f64) -> f64 {
        self.calibration.predict(&Self::features(margin), &mut nothing())
    }

    /// Learns what class a margin went with.
    fn calibrate(&mut self, margin: f64, y: f64) -> Result<(), Breakdown> {
        let label = self.label(y);
        self.calibration.learn(&Self::features(margin), label, &mut nothing())
    }
}

/// The calibration draws nothing.
fn nothing() -> Draw {
    Draws::named(&[]).at(Role::Predict, 0)
}

impl Hypothesis for Classes {
    /// The number of a class, or [`NONE`].
    fn predict(&self, x: &[f64], draw: &mut Draw) -> f64 {
        let [margins, _] = self.asked(x, draw);
        self.class(&margins)
    }

    fn predict_rows(&self, inputs: Rows<'_>, draw: &dyn Fn(usize) -> Draw, out: &mut [f64]) {
        let mut margins = vec![vec![0.0; inputs.rows()]; self.seats.len()];
        self.seats.iter().zip(&mut margins).for_each(|(seat, out)| seat.learner.predict_rows(inputs, draw, out));
        for (i, out) in out.iter_mut().enumerate() {
            *out = self.class(&margins.iter().map(|margins| margins[i]).collect::<Vec<f64>>());
        }
    }

    fn probabilities(&self) -> &[Vec<f64>] {
        &self.told
    }

    fn probabilities_at(&self, x: &[f64], draw: &mut Draw) -> Option<Vec<f64>> {
        let [_, logits] = self.asked(x, draw);
        Some(self.probabilities_of(&logits))
    }

    /// The number of learners; then of each its margin, and its own context.
    fn context(&self, x: &[f64], draw: &mut Draw) -> Vec<f64> {
        let each = |seat: &ClassLearner| {
            let margin = seat.learner.predict(x, &mut draw.clone());
            std::iter::once(margin).chain(seat.learner.context(x, &mut draw.clone())).collect::<Vec<f64>>()
        };
        std::iter::once(self.seats.len() as f64).chain(self.seats.iter().flat_map(each)).collect()
    }

    fn gauges(&self) -> Gauges {
        let each: Vec<Gauges> = self.seats.iter().map(|seat| seat.learner.gauges()).collect();
        let sum = |of: fn(&Gauges) -> Option<u64>| each.iter().map(of).sum::<Option<u64>>();
        Gauges {
            stored_points: sum(|gauges| gauges.stored_points),
            features: each.first().and_then(|gauges| gauges.features),
            kernel_evaluations: sum(|gauges| gauges.kernel_evaluations),
            state_bytes: Some(sum(|gauges| gauges.state_bytes).unwrap_or(0) + self.rows.bytes()),
            weights: if let [one] = &each[..] { one.weights } else { [None; WEIGHTS] },
            ..Gauges::default()
        }
    }

    fn estimates(&self) -> bool {
        self.seats.iter().any(|seat| seat.learner.estimates())
    }

    fn measures(&self) -> Vec<(&'static str, f64)> {
        if let [one] = &self.seats[..] { one.learner.measures() } else { Vec::new() }
    }

    fn account(&self) -> Vec<String> {
        if let [one] = &self.seats[..] {
            return one.learner.account();
        }
        let said = |seat: &ClassLearner| {
            seat.learner.account().first().map(|line| format!("class {}: {line}", seat.class + 1))
        };
        self.seats.iter().filter_map(said).collect()
    }

    fn keep_predictions(&mut self) -> bool {
        self.learns = false;
        self.rows = Recent::new(self.rows.dim, self.rows.most);
        self.seats.iter_mut().for_each(|seat| {
            seat.learner.keep_predictions();
        });
        true
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        store.keep("counts", &mut self.counts)?;
        store.check(self.counts.len() <= MOST, "has too many classes")?;
        store.keep("rows", &mut self.rows)?;
        store.keep("learns", &mut self.learns)?;
        if store.is_loading() {
            let cannot = |error: ParamError| StateError::Unfit { name: "classes".into(), why: error.to_string() };
            self.seats =
                wanted(self.counts.len()).map(|class| self.seat(class)).collect::<Result<_, _>>().map_err(cannot)?;
        }
        for seat in &mut self.seats {
            store.within(&format!("class_{}", seat.class), |store| {
                store.keep("rounds", &mut seat.rounds)?;
                store.within("calibration", |store| seat.calibration.state(store))?;
                store.within("learner", |store| seat.learner.state(store))
            })?;
        }
        Ok(())
    }
}

impl Learner for Classes {
    fn foresees(&self) -> bool {
        self.seats.iter().any(|seat| seat.learner.foresees())
    }

    fn learn(&mut self, x: &[f64], y: f64, _: &mut Draw) -> Result<(), Breakdown> {
        let draws = self.draws.clone();
        self.play(Block { first_round: 1, inputs: Rows::single(x), targets: &[y] }, &draws, &mut [NONE])
    }

    /// Probabilities are calibrated on rows of any weight alike.
    fn learn_weighted(&mut self, x: &[f64], y: f64, weight: f64, draw: &mut Draw) -> Result<(), Breakdown> {
        self.weight = weight;
        let learnt = self.learn(x, y, draw);
        self.weight = 1.0;
        learnt
    }

    /// Where the class is new, or others were new since the row was predicted, it is learnt as if it came now.
    fn learn_late(&mut self, row: Block<'_>, context: &[f64], _: &Draws) -> Result<(), Breakdown> {
        let (x, y) = (row.inputs.row(0), row.targets[0]);
        let known = y.fract() == 0.0 && (0.0..self.counts.len() as f64).contains(&y);
        let (number, all) = context.split_first().unwrap_or((&0.0, &[]));
        let (seats, draws) = (self.seats.len(), self.draws.clone());
        if !known || *number != seats as f64 || all.is_empty() || all.len() % seats != 0 || !self.learns {
            return self.play(row, &draws, &mut [NONE]);
        }
        self.told.clear();
        let each = self.seats.iter_mut().zip(all.chunks_exact(all.len() / seats));
        let played: Vec<_> = each.map(|(seat, own)| seat.learn_late(&draws, x, y, (own[0], &own[1..]))).collect();
        self.note(played, row.inputs, row.targets, &mut [NONE])
    }

    /// Blocks are cut where a class is seen for the first time.
    fn play(&mut self, block: Block<'_>, _: &Draws, predictions: &mut [f64]) -> Result<(), Breakdown> {
        self.told.clear();
        if !self.learns {
            return Err(predicts_only());
        }
        let (rows, mut from) = (block.inputs.rows().min(block.targets.len()), 0);
        while from < rows {
            let known = self.counts.len();
            let left = &block.targets[from..rows];
            let is_class = |y: f64| y.fract() == 0.0 && (0.0..MOST as f64).contains(&y);
            if !is_class(left[0]) {
                let cause = format!("the target {} is not the number of one of {MOST} classes", left[0]);
                return Err(Breakdown { after: from, cause });
            }
            // Up to what is no class, or to the first row of a new one.
            let before = left.iter().position(|y| !is_class(*y)).unwrap_or(left.len());
            let known_until = left[..before].iter().position(|y| *y as usize >= known);
            let to = from + known_until.map_or(before, |at| at + 1);
            let part = block.part(from, to);
            let played = self.play_part(part.inputs, part.targets, &mut predictions[from..to]);
            played.map_err(|breakdown| Breakdown { after: from + breakdown.after, ..breakdown })?;
            let last = block.targets[to - 1] as usize;
            if last >= known {
                self.admit(last).map_err(in_round(to - 1))?;
            }
            from = to;
        }
        Ok(())
    }
}
