//! A run to which a theorem is applied, and what follows: the constants of the bound, computed from the run's stream,
//! parameters and step, and the theorem's conditions, each with whether the run meets it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use noregret_core::comparator::norm_ball::InBallParams;
use noregret_core::kernel::api::Kernel;
use noregret_core::loss::api::{Form, Loss};
use noregret_core::noise::api::{NoNoise, NoiseLaw, Spread};
use noregret_core::params::typed::Parameters;
use noregret_core::params::{Params, Value};
use noregret_core::stream::api::{Expansion, Reach};
use noregret_core::stream::spec::{Origin, StreamSpec};

/// A run as it was configured and what it measured.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// The registered name of its learner.
    pub learner: &'a str,
    /// The learner's parameters, with formulas in the horizon evaluated.
    pub params: &'a Params,
    /// Its stream.
    pub stream: &'a StreamSpec,
    /// What a round costs.
    pub loss: &'a dyn Loss,
    /// What regret is measured against: the comparator's name and parameters.
    pub comparator: Option<(&'a str, &'a Params)>,
    /// The number T of rounds.
    pub rounds: f64,
    /// The measures of the run, by name.
    pub measures: &'a BTreeMap<String, f64>,
    /// The parameters of the theorem's shape.
    pub given: &'a BTreeMap<String, f64>,
}

/// A theorem applied to a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Application {
    /// The values of the bound's parameters; without them there is no bound for this run.
    pub constants: BTreeMap<String, f64>,
    /// A trivial value of the quantity: the largest that predictions in the ball allow or, where predictions are not
    /// bounded, what always predicting 0 has. A bound that reaches it says nothing.
    pub worst: Option<f64>,
    /// The theorem's conditions.
    pub conditions: Vec<Condition>,
}

/// One condition of a theorem.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// What must hold, or the number that must be in range.
    pub what: String,
    /// The side on which that number must lie, and its limit.
    pub needs: Option<(LimitSide, f64)>,
    /// The number in this run.
    pub here: Option<f64>,
    /// Whether it holds; none if this cannot be computed.
    pub met: Option<bool>,
}

/// A side of a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LimitSide {
    /// At least the limit.
    AtLeast,
    /// At most the limit.
    AtMost,
    /// Above the limit, which is excluded.
    Above,
    /// Below the limit, which is excluded.
    Below,
    /// The limit itself.
    Exactly,
}

/// Why a theorem, or another statement, cannot be applied to a run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Inapplicable {
    /// It is about something else than what the run has.
    #[error("the theorem is about {0}, not about {1}")]
    About(String, String),
    /// Something that it needs is not known of the run.
    #[error("{0}")]
    Unknown(String),
}

impl From<String> for Inapplicable {
    fn from(why: String) -> Self {
        Self::Unknown(why)
    }
}

impl From<&str> for Inapplicable {
    fn from(why: &str) -> Self {
        Self::Unknown(why.to_owned())
    }
}

/// Numbers this close to a limit, relative to it, are on it: both are rounded.
const ROUNDING: f64 = 1e-9;

impl Condition {
    /// A condition that either holds or does not.
    pub fn holds(what: impl Into<String>, met: bool) -> Self {
        Self { what: what.into(), needs: None, here: None, met: Some(met) }
    }

    /// What follows from an application that failed: that the theorem is about something else is a condition that is not met;
    /// anything else cannot be computed.
    pub fn of_failure(why: &Inapplicable) -> Self {
        let met = if let Inapplicable::About(..) = why { Some(false) } else { None };
        Self { met, ..Self::unknown(why.to_string()) }
    }

    /// A condition that cannot be computed.
    pub fn unknown(what: impl Into<String>) -> Self {
        Self { what: what.into(), needs: None, here: None, met: None }
    }

    /// A number that must be at least `limit`.
    pub fn at_least(what: impl Into<String>, here: f64, limit: f64) -> Self {
        let met = here >= limit - ROUNDING * limit.abs();
        Self { what: what.into(), needs: Some((LimitSide::AtLeast, limit)), here: Some(here), met: Some(met) }
    }

    /// A number that must be at most `limit`.
    pub fn at_most(what: impl Into<String>, here: f64, limit: f64) -> Self {
        let met = here <= limit + ROUNDING * limit.abs();
        Self { what: what.into(), needs: Some((LimitSide::AtMost, limit)), here: Some(here), met: Some(met) }
    }

    /// A number that must be above `limit`.
    pub(crate) fn above(what: impl Into<String>, here: f64, limit: f64) -> Self {
        let met = here > limit + ROUNDING * limit.abs();
        Self { what: what.into(), needs: Some((LimitSide::Above, limit)), here: Some(here), met: Some(met) }
    }

    /// A number that must be below `limit`.
    pub(crate) fn below(what: impl Into<String>, here: f64, limit: f64) -> Self {
        let met = here < limit - ROUNDING * limit.abs();
        Self { what: what.into(), needs: Some((LimitSide::Below, limit)), here: Some(here), met: Some(met) }
    }

    /// A number that must be `limit`.
    pub fn equal(what: impl Into<String>, here: f64, limit: f64) -> Self {
        let met = (here - limit).abs() <= ROUNDING * limit.abs();
        Self { what: what.into(), needs: Some((LimitSide::Exactly, limit)), here: Some(here), met: Some(met) }
    }
}

impl Application {
    /// With these constants and nothing else.
    pub(crate) fn with(constants: &[(&str, f64)]) -> Self {
        let constants = constants.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        Self { constants, ..Self::default() }
    }

    /// With these conditions.
    pub fn meeting(self, conditions: Vec<Condition>) -> Self {
        Self { conditions, ..self }
    }
}

/// The name and the parameters of a member that a parameter holds.
pub(crate) fn member<'a>(params: &'a Params, name: &str) -> Option<(&'static str, &'a Params)> {
    match params.get(name) {
        Some(Value::Part(part)) => Some((part.name, &part.params)),
        _ => None,
    }
}

impl<'a> Case<'a> {
    /// The parameters of the learner, if it is one of `names`, which have these parameters.
    ///
    /// # Errors
    /// If it is another one.
    pub(crate) fn played_by<P: Parameters>(&self, names: &[&str]) -> Result<P, Inapplicable> {
        if names.contains(&self.learner) {
            return Ok(P::read(self.params));
        }
        Err(Inapplicable::About(names.join(" and "), self.learner.to_owned()))
    }

    /// A measure of the run.
    ///
    /// # Errors
    /// If the run has no such measure.
    pub(crate) fn measure(&self, name: &str) -> Result<f64, Inapplicable> {
        self.measures.get(name).copied().ok_or_else(|| format!("the run has no measure `{name}`").into())
    }

    /// The step size that was used.
    ///
    /// # Errors
    /// If the run did not record it.
    pub(crate) fn eta(&self) -> Result<f64, Inapplicable> {
        self.measure("eta")
    }

    /// What no example exceeds.
    ///
    /// # Errors
    /// If the stream does not know.
    pub(crate) fn reach(&self) -> Result<Reach, Inapplicable> {
        let known = match &self.stream.origin {
            Origin::Law(law) => law.object.reach(),
            _ => None,
        };
        let added = self.stream.corruption.as_ref().map_or(0.0, |law| law.object.largest());
        let known = known.map(|reach| Reach { target: reach.target + added, ..reach });
        let known = known.filter(|reach| reach.target.is_finite());
        known
            .ok_or_else(|| format!("the largest |x| and |y| of the stream {} are not known", self.stream.name()).into())
    }

    /// The name of the stream's law.
    pub(crate) fn law(&self) -> Option<&'static str> {
        match &self.stream.origin {
            Origin::Law(law) => Some(law.part.name),
            _ => None,
        }
    }

    /// The parameters of the stream's law.
    pub(crate) fn law_params(&self) -> Option<&'a Params> {
        match &self.stream.origin {
            Origin::Law(law) => Some(&law.part.params),
            _ => None,
        }
    }

    /// The function that targets are values of, if there is one.
    pub(crate) fn function(&self) -> Option<Expansion> {
        match &self.stream.origin {
            Origin::Law(law) if self.stream.corruption.is_none() => law.object.function(),
            _ => None,
        }
    }

    /// The largest moments of the noise on inputs and on targets.
    ///
    /// # Errors
    /// If a law does not know its own.
    pub(crate) fn noise(&self) -> Result<[Spread; 2], String> {
        let noise = self.stream.noise.as_ref();
        let spread = |law: Option<std::sync::Arc<dyn NoiseLaw>>, dim| match law {
            Some(law) => law.spread(dim),
            None => NoNoise.spread(dim),
        };
        let (inputs, targets) = (noise.map(|noise| noise.on_inputs()), noise.map(|noise| noise.on_targets()));
        let found = spread(inputs, self.stream.dim()).zip(spread(targets, 1));
        found.map(|(inputs, targets)| [inputs, targets]).ok_or_else(|| "the moments of the noise are not known".into())
    }

    /// The name of the law of the noise on inputs.
    pub(crate) fn noise_law(&self) -> Option<&'static str> {
        Some(self.stream.noise.as_ref()?.inputs.as_ref()?.part.name)
    }

    /// sup k(x, x) over the inputs of the stream. Where the kernel knows no bound for all inputs, it is taken at the
    /// largest |x|, which is right for kernels whose diagonal is a growing function of |x|.
    ///
    /// # Errors
    /// If neither the kernel nor the stream is bounded.
    pub(crate) fn largest_diagonal(&self, kernel: &dyn Kernel) -> Result<f64, Inapplicable> {
        if let Some(known) = kernel.largest_diagonal() {
            return Ok(known);
        }
        let reach = self.reach()?.input;
        if !reach.is_finite() {
            return Err("k(x, x) has no bound on this stream".into());
        }
        let mut x = vec![0.0; self.stream.dim()];
        if let Some(first) = x.first_mut() {
            *first = reach;
        }
        Ok(kernel.diagonal(&x))
    }

    /// The largest sum of losses over T rounds of predictions |f| <= `prediction`, for targets of at most the stream's
    /// size. Losses are convex, so the largest one is at an end.
    ///
    /// # Errors
    /// If the targets have no known bound.
    pub(crate) fn worst_loss(&self, prediction: f64) -> Result<f64, Inapplicable> {
        let target = self.reach()?.target;
        let largest = match self.loss.form() {
            Form::Margin => prediction * target,
            Form::Residual => prediction + target,
        };
        Ok(self.rounds * self.loss.value(-largest).max(self.loss.value(largest)))
    }

    /// Whether the comparator is the best function of norm at most `radius` (with the learner's kernel), and, where its
    /// ball is another one, what it is.
    pub(crate) fn against_ball(&self, radius: f64) -> Condition {
        match self.comparator {
            Some(("norm-ball", params)) => Condition::at_most(
                "norm of the functions that regret is measured against",
                InBallParams::read(params).radius,
                radius,
            ),
            Some((name, _)) => Condition::holds(format!("regret against a ball of functions, not {name}"), false),
            None => Condition::unknown("regret against a ball of functions"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Condition, Inapplicable};

    #[test]
    fn limits_belong_to_both_sides() {
        assert_eq!(Condition::at_least("a", 1.0, 1.0).met, Some(true));
        assert_eq!(Condition::at_most("a", 1.0 + 1e-12, 1.0).met, Some(true));
        assert_eq!(Condition::at_most("a", 1.001, 1.0).met, Some(false));
        assert_eq!(Condition::at_least("a", 80.0, 80.1).met, Some(false));
        // A boundary that a theorem excludes is excluded.
        assert_eq!([1.0, 1.01].map(|here| Condition::above("a", here, 1.0).met), [Some(false), Some(true)]);
        assert_eq!([1.0, 0.99].map(|here| Condition::below("a", here, 1.0).met), [Some(false), Some(true)]);
        assert_eq!(Condition::equal("a", 0.5, 1.0).met, Some(false));
        assert_eq!(Condition::unknown("a").met, None);
        assert_eq!(Condition::of_failure(&"the run did not record it".into()).met, None);
        assert_eq!(Condition::of_failure(&Inapplicable::About("fogd".into(), "auto".into())).met, Some(false));
    }
}
