//! Experts: learners whose forecasts are combined, each with draws of its own. What [`crate::learner::combine::mixture`] and
//! [`crate::learner::combine::aggregate`] share.

use std::cell::RefCell;

use crate::learner::api::{AnyLearner, Block, Breakdown, Cost, Gauges, Learner, LearnerPart, Setting, in_round};
use crate::learner::weight::whole;
use crate::params::ParamError;
use noregret_numeric::draw::{Draw, Draws};
use noregret_numeric::linalg::matrix::Rows;
use noregret_numeric::state::{StateError, Store};

/// A learner and the key that separates its draws from those of other experts.
pub(crate) type Keyed = (u64, Box<dyn Learner>);

/// The experts. A round of them costs the sum of their rounds.
pub(crate) struct Experts {
    all: Vec<Expert>,
    /// The forecasts at the input of the last prediction. Learning from that input must use these same forecasts, which
    /// may be random. Invisible from outside.
    said: RefCell<LastForecasts>,
}

/// An expert, with the key that separates its draws from those of the others.
struct Expert {
    key: u64,
    learner: Box<dyn Learner>,
}

#[derive(Default)]
struct LastForecasts {
    x: Vec<f64>,
    forecasts: Vec<f64>,
}

impl Experts {
    /// Experts that have seen nothing, each with the key of its draws.
    pub(crate) fn new(experts: Vec<Keyed>) -> Self {
        let all = experts.into_iter().map(|(key, learner)| Expert { key, learner }).collect();
        Self { all, said: RefCell::default() }
    }

    /// Their number.
    pub(crate) fn count(&self) -> usize {
        self.all.len()
    }

    /// The learners.
    pub(crate) fn learners(&self) -> impl Iterator<Item = &dyn Learner> {
        self.all.iter().map(|one| &*one.learner)
    }

    /// The largest value of a gauge, where an expert has it: experts keep points of the same rounds.
    pub(crate) fn most(&self, of: fn(&Gauges) -> Option<u64>) -> Option<u64> {
        self.learners().filter_map(|one| of(&one.gauges())).max()
    }

    /// The values of a gauge, one for each expert.
    pub(crate) fn each_gauge(&self, of: fn(&Gauges) -> Option<u64>) -> impl Iterator<Item = Option<u64>> {
        self.learners().map(move |one| of(&one.gauges()))
    }

    /// The gauges of what holds them and `own` bytes more: points and features are those of the expert with the most; evaluations
    /// and bytes are sums.
    pub(crate) fn gauges(&self, own: u64) -> Gauges {
        Gauges {
            stored_points: self.most(|gauges| gauges.stored_points),
            features: self.most(|gauges| gauges.features),
            kernel_evaluations: self.each_gauge(|gauges| gauges.kernel_evaluations).sum(),
            state_bytes: self.each_gauge(|gauges| gauges.state_bytes).sum::<Option<u64>>().map(|bytes| bytes + own),
            ..Gauges::default()
        }
    }

    /// Applies `act` to every expert, until one breaks down.
    fn each(&mut self, mut act: impl FnMut(&mut Expert) -> Result<(), Breakdown>) -> Result<(), Breakdown> {
        let of = self.all.len();
        self.all.iter_mut().enumerate().try_for_each(|(i, expert)| act(expert).map_err(|why| named(why, i, of)))
    }

    /// Asks for the forecasts at `x`.
    fn ask(&self, x: &[f64], draw: &Draw, said: &mut LastForecasts) {
        said.x.clear();
        said.x.extend_from_slice(x);
        said.forecasts.clear();
        said.forecasts.extend(self.all.iter().map(|one| one.learner.predict(x, &mut draw.of(one.key))));
    }

    /// What `combine` makes of the forecasts at `x`.
    pub(crate) fn predict(&self, x: &[f64], draw: &Draw, combine: impl FnOnce(&[f64]) -> f64) -> f64 {
        let said = &mut *self.said.borrow_mut();
        self.ask(x, draw, said);
        combine(&said.forecasts)
    }

    /// [`Learner::foresees`] of any of them.
    pub(crate) fn foresees(&self) -> bool {
        self.learners().any(|one| one.foresees())
    }

    /// [`Learner::foresee`] of those that do.
    ///
    /// # Errors
    /// The first that an expert has.
    pub(crate) fn foresee(&mut self, inputs: Rows<'_>, draws: &Draws) -> Result<(), Breakdown> {
        self.each(|Expert { key, learner }| match learner.foresees() {
            true => learner.foresee(inputs, &draws.of(*key)),
            false => Ok(()),
        })
    }

    /// [`Learner::attend`] of all.
    ///
    /// # Errors
    /// The first that an expert has.
    pub(crate) fn attend(&mut self, x: &[f64], draw: &mut Draw) -> Result<(), Breakdown> {
        self.each(|Expert { key, learner }| learner.attend(x, &mut draw.of(*key)))
    }

    /// Hands the forecasts at `x` to `weigh` as often as the weight of the row says, and lets all learn it with that weight.
    ///
    /// # Errors
    /// Those of `weigh`, and the first that an expert has; a weight that is not whole.
    pub(crate) fn learn(
        &mut self,
        (x, weight): (&[f64], f64),
        y: f64,
        draw: &Draw,
        mut weigh: impl FnMut(&[f64]) -> Result<(), Breakdown>,
    ) -> Result<(), Breakdown> {
        let times = whole(weight)?;
        let mut said = self.said.take();
        if said.x != x || said.forecasts.is_empty() {
            self.ask(x, draw, &mut said);
        }
        (0..times).try_for_each(|_| weigh(&said.forecasts))?;
        self.each(|Expert { key, learner }| learner.learn_weighted(x, y, weight, &mut draw.of(*key)))
    }

    /// The forecasts at `x`, then how many numbers each expert knows besides, then these.
    pub(crate) fn context(&self, x: &[f64], draw: &Draw) -> Vec<f64> {
        let mut said = LastForecasts::default();
        self.ask(x, draw, &mut said);
        let known: Vec<_> = self.all.iter().map(|one| one.learner.context(x, &mut draw.of(one.key))).collect();
        let lengths = known.iter().map(|one| one.len() as f64);
        said.forecasts.into_iter().chain(lengths).chain(known.iter().flatten().copied()).collect()
    }

    /// Hands the forecasts of a [context](Experts::context) to `weigh`, and lets all learn the row late, each as it knew it; false
    /// where it is the context of others.
    ///
    /// # Errors
    /// Those of `weigh`, and the first that an expert has.
    pub(crate) fn learn_late(
        &mut self,
        row: Block<'_>,
        context: &[f64],
        draws: &Draws,
        weigh: impl FnOnce(&[f64]) -> Result<(), Breakdown>,
    ) -> Result<bool, Breakdown> {
        let Some((forecasts, context)) = context.split_at_checked(self.count()) else { return Ok(false) };
        let Some((lengths, mut context)) = context.split_at_checked(self.count()) else { return Ok(false) };
        if lengths.iter().sum::<f64>() != context.len() as f64 || lengths.iter().any(|length| *length < 0.0) {
            return Ok(false);
        }
        self.said.get_mut().forecasts.clear();
        weigh(forecasts)?;
        let mut lengths = lengths.iter();
        self.each(|Expert { key, learner }| {
            let length = lengths.next().map_or(0, |length| *length as usize);
            let (own, others) = context.split_at(length.min(context.len()));
            context = others;
            learner.learn_late(row, own, &draws.of(*key))
        })?;
        Ok(true)
    }

    /// Lets every expert play the block by itself, in its own block form, and then hands the forecasts of each round to
    /// `combine`, with its index.
    ///
    /// # Errors
    /// Those of `combine`, and the first in time that an expert has; `combine` sees the rounds before that.
    pub(crate) fn play(
        &mut self,
        block: Block<'_>,
        draws: &Draws,
        mut combine: impl FnMut(usize, &[f64]) -> Result<(), Breakdown>,
    ) -> Result<(), Breakdown> {
        let (rounds, of) = (block.targets.len(), self.all.len());
        let mut forecasts = vec![f64::NAN; of * rounds];
        let mut end: Result<(), Breakdown> = Ok(());
        for (index, (forecasts, expert)) in forecasts.chunks_mut(rounds.max(1)).zip(&mut self.all).enumerate() {
            if let Err(breakdown) = expert.learner.play(block, &draws.of(expert.key), forecasts)
                && end.as_ref().err().is_none_or(|first| breakdown.after < first.after)
            {
                end = Err(named(breakdown, index, of));
            }
        }
        let played = end.as_ref().err().map_or(rounds, |breakdown| breakdown.after.min(rounds));
        let said = &mut self.said.get_mut().forecasts;
        let combined = (0..played).try_for_each(|i| {
            said.clear();
            said.extend(forecasts.iter().skip(i).step_by(rounds));
            combine(i, said).map_err(in_round(i))
        });
        // These are not the forecasts at an input that was asked about.
        said.clear();
        combined.and(end)
    }

    /// Saves or loads the experts, each below a name of its own.
    ///
    /// # Errors
    /// As [`State::state`](noregret_numeric::state::State::state).
    pub(crate) fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        self.all
            .iter_mut()
            .enumerate()
            .try_for_each(|(i, one)| store.within(&format!("expert_{}", i + 1), |store| one.learner.state(store)))
    }
}

/// The learners of these parts, each with the key of its draws: its name, and the parameters that shape them.
///
/// # Errors
/// Those of the learners; and one that learns only from noisy copies, as a refusal of `parameter`.
pub(crate) fn of_parts(parts: &[LearnerPart], parameter: &str, setting: &Setting) -> Result<Vec<Keyed>, ParamError> {
    let build = |LearnerPart { part, object: entry }: &LearnerPart| {
        let key = Draws::member(&part.named(entry.draw_key(&part.params)).to_string());
        let setting = Setting { draws: setting.draws.of(key), ..setting.clone() };
        match (entry.build.learner)(&part.params, &setting)? {
            AnyLearner::Full(learner) => Ok((key, learner)),
            AnyLearner::Noisy(_) => {
                let why = format!("{} learns only from noisy copies, but experts see the examples", part.name);
                Err(ParamError::refused(parameter, why))
            }
        }
    };
    parts.iter().map(build).collect()
}

/// The cost of the learners of these parts, beside that of what combines them.
pub(crate) fn with_parts(own: Cost, parts: &[LearnerPart], rounds: u64, dim: usize) -> Cost {
    let learners = parts.iter().map(|one| (one.object.build.cost)(&one.part.params, rounds, dim));
    learners.fold(own, |sum, one| Cost { flops: sum.flops + one.flops, bytes: sum.bytes + one.bytes })
}

/// Names the expert that broke down.
fn named(breakdown: Breakdown, index: usize, of: usize) -> Breakdown {
    Breakdown { cause: format!("expert {} of {of}: {}", index + 1, breakdown.cause), ..breakdown }
}
