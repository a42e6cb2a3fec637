//! What theorems promise of a single run, whatever happens in it: deterministic statements whose constants follow from the
//! run's parameters and rounds alone, so that no run may break them, on no data.

use crate::case::Inapplicable;
use std::collections::BTreeMap;

use noregret_core::loss::api::Loss;
use noregret_core::params::Params;
use noregret_core::params::typed::Parameters;
use noregret_numeric::linalg::matrix::Rows;

/// A statement that holds for every run of some learners.
#[derive(Debug)]
pub struct Guarantee {
    /// Its name.
    pub name: &'static str,
    /// Where it stands.
    pub source: &'static str,
    /// What it says, in one sentence.
    pub says: &'static str,
    /// The registered names of the learners that it speaks of.
    pub learners: &'static [&'static str],
    /// The module that states it, for code identity.
    pub module: &'static str,
    /// Whether it needs the rounds themselves; otherwise what the run measured is enough.
    pub rounds: bool,
    /// The two sides, or why it does not speak of this run.
    pub check: fn(&PlayedRun<'_>) -> Result<Sides, Inapplicable>,
}

/// A run that was played to its end, and the rounds that the learner saw.
#[derive(Clone, Copy, Debug)]
pub struct PlayedRun<'a> {
    /// The registered name of its learner.
    pub learner: &'a str,
    /// The learner's parameters.
    pub params: &'a Params,
    /// The number of rounds.
    pub horizon: u64,
    /// What a round costs.
    pub loss: &'a dyn Loss,
    /// The first inputs, all of them where memory allows; none for a statement that does not need them.
    pub inputs: Rows<'a>,
    /// Their targets.
    pub targets: &'a [f64],
    /// (t, sum of losses of rounds 1..t) at the checkpoints, ascending.
    pub totals: &'a [(u64, f64)],
    /// The measures of the run, by name.
    pub measures: &'a BTreeMap<String, f64>,
}

/// The two sides of a statement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sides {
    /// The number of rounds that it was checked on: a prefix of the run, to which the theorem applies as well.
    pub rounds: u64,
    /// The side that is bounded.
    pub value: f64,
    /// The side that bounds it.
    pub bound: f64,
    /// The size of the numbers of which both are differences, for rounding.
    pub scale: f64,
}

/// Both sides are sums and differences of numbers that are rounded, and of solutions of linear systems.
const ROUNDING: f64 = 1e-8;

impl Sides {
    /// Whether the statement holds, up to rounding.
    pub fn hold(&self) -> bool {
        self.value <= self.bound + ROUNDING * (self.scale.abs() + self.bound.abs())
    }
}

/// The first rounds of a run, up to a checkpoint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prefix<'a> {
    /// n.
    pub rounds: u64,
    /// The sum of their losses.
    pub(crate) total: f64,
    pub inputs: Rows<'a>,
    pub targets: &'a [f64],
    /// B, the largest |y|.
    pub(crate) largest: f64,
}

impl<'a> PlayedRun<'a> {
    /// The learner's parameters as those of a struct.
    pub(crate) fn params<P: Parameters>(&self) -> P {
        P::read(self.params)
    }

    /// The rounds up to the last checkpoint at or before `most`.
    ///
    /// # Errors
    /// If there is none, or if a target is not a finite number.
    pub(crate) fn within(&self, most: usize) -> Result<Prefix<'a>, Inapplicable> {
        let most = most.min(self.targets.len());
        let last = self.totals.iter().rfind(|(t, _)| *t as usize <= most);
        let &(rounds, total) = last.ok_or_else(|| format!("no checkpoint within the first {most} rounds"))?;
        let targets = &self.targets[..rounds as usize];
        let largest = targets.iter().fold(0.0_f64, |most, y| most.max(y.abs()));
        if !largest.is_finite() || targets.iter().any(|y| y.is_nan()) {
            return Err("a target is not a finite number".into());
        }
        Ok(Prefix { rounds, total, inputs: self.inputs.slice(0, rounds as usize), targets, largest })
    }

    /// All rounds.
    ///
    /// # Errors
    /// If they do not fit into the memory of a check, or as [`PlayedRun::within`].
    pub(crate) fn whole(&self) -> Result<Prefix<'a>, Inapplicable> {
        let found = self.within(self.targets.len())?;
        if found.rounds == self.horizon {
            Ok(found)
        } else {
            Err("its rounds do not fit into the memory of a check".into())
        }
    }

    /// A measure of the run.
    ///
    /// # Errors
    /// If the run has no such measure.
    pub(crate) fn measure(&self, name: &str) -> Result<f64, Inapplicable> {
        self.measures.get(name).copied().ok_or_else(|| format!("the run has no measure `{name}`").into())
    }

    /// That a round costs what `of` says, for the prediction and the target; compared at a few of both.
    ///
    /// # Errors
    /// If it does not.
    pub(crate) fn charges(&self, name: &str, of: impl Fn(f64, f64) -> f64) -> Result<(), Inapplicable> {
        let pairs = [-2.0, -0.5, 0.5, 2.0].into_iter().flat_map(|p| [(p, -1.0), (p, 1.0)]);
        let same = pairs.into_iter().all(|(p, y)| (self.loss.of(p, y) - of(p, y)).abs() < 1e-12);
        if same { Ok(()) } else { Err(format!("it is about the {name} loss, which is not that of the run").into()) }
    }

    /// That a round costs (p - y)^2.
    ///
    /// # Errors
    /// If it costs something else.
    pub(crate) fn squares(&self) -> Result<(), Inapplicable> {
        self.charges("squared", |p, y| (p - y) * (p - y))
    }
}

impl Prefix<'_> {
    /// That no target is above `bound`.
    ///
    /// # Errors
    /// If one is.
    pub(crate) fn bounded(&self, bound: f64) -> Result<(), Inapplicable> {
        if self.largest <= bound { Ok(()) } else { Err("a target is above the bound B of the learner".into()) }
    }

    /// The sides of a statement about these rounds.
    pub(crate) fn sides(&self, value: f64, bound: f64) -> Sides {
        Sides { rounds: self.rounds, value, bound, scale: self.total }
    }
}
