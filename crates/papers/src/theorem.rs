//! What a theorem claims about a rate: how a quantity grows with the horizon and, if the constants are explicit, how
//! large it can be.

use std::collections::BTreeMap;
use std::ops::Deref;

use serde::{Deserialize, Serialize};

use crate::case::{Application, Case, Inapplicable};
use crate::claim::Claim;
use crate::paper::Paper;

/// What a theorem says.
#[derive(Debug)]
pub struct Assertion {
    /// Its name in rows of rates.
    pub name: &'static str,
    /// Where in the paper.
    pub place: &'static str,
    /// What it says, in one sentence.
    pub statement: &'static str,
    /// The same in full: formula, assumptions, symbols.
    pub claim: Claim,
    /// What it bounds.
    pub quantity: BoundedQuantity,
    /// The parameters that its shape depends on.
    pub parameters: &'static [RateParameter],
    /// How the quantity grows.
    pub shape: fn(&Arguments) -> GrowthRate,
    /// The bound with its constants, if the theorem gives them.
    pub bound: Option<Bound>,
    /// What it says of a run: the constants of its bound and its conditions; none where nothing can be computed.
    pub applied: Option<Applied>,
}

/// A paper's claim about how a quantity grows with the horizon.
///
/// ```
/// use noregret_papers::{theorem::Arguments, theorems::find};
///
/// let theorem = find("pkawv-capacity").unwrap();
/// let given = Arguments::check(&[("gamma".to_owned(), 0.5)].into(), &theorem.parameters.iter().collect::<Vec<_>>())?;
/// let shape = (theorem.shape)(&given);
/// assert!((shape.power - 1.0 / 3.0).abs() < 1e-12); // gamma / (1 + gamma)
/// assert!(Arguments::check(&[].into(), &theorem.parameters.iter().collect::<Vec<_>>()).is_err());
/// # Ok::<(), noregret_papers::theorem::ArgumentError>(())
/// ```
#[derive(Debug)]
pub struct Theorem {
    /// The paper.
    pub paper: Paper,
    /// The module that states it, for code identity.
    pub module: &'static str,
    /// What it says.
    pub(crate) assertion: &'static Assertion,
}

impl Deref for Theorem {
    type Target = Assertion;

    fn deref(&self) -> &Assertion {
        self.assertion
    }
}

/// Lists the theorems that the module states, each an [`Assertion`], by the papers that they are from.
macro_rules! theorems {
    ($($paper:path: $($item:ident),+);+) => {
        /// The theorems that are stated here.
        pub(crate) static THEOREMS: &[$crate::theorem::Theorem] = &[$($($crate::theorem::Theorem {
            paper: $paper,
            module: module_path!(),
            assertion: &$item,
        }),+),+];
    };
}
pub(crate) use theorems;

/// Applies a theorem to a run; the error says why it is not about that run.
pub(crate) type Applied = fn(&Case<'_>) -> Result<Application, Inapplicable>;

/// What a theorem bounds; names are those of quantities of runs, such as `m:squared_l2_error` or `queries`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundedQuantity {
    /// Regret.
    Regret,
    /// An error of what was learned.
    Error(&'static str),
    /// Operations, memory, queries.
    Cost(&'static str),
    /// The larger regret of several streams, from below and in expectation: what no learner of some kind does better than.
    /// No single run can show or refute it.
    LeastRegret,
}

impl BoundedQuantity {
    /// The quantity of a single run that the theorem bounds, if it bounds one.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::Regret => Some("regret"),
            Self::Error(name) | Self::Cost(name) => Some(name),
            Self::LeastRegret => None,
        }
    }

    /// The table that it appears in.
    pub fn subject(self) -> Subject {
        if let Self::Cost(_) = self { Subject::Cost } else { Subject::Quality }
    }
}

/// What a theorem is about, which decides the table that it appears in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Subject {
    /// Regret, or the error of what was learned.
    Quality,
    /// Operations, memory, queries.
    Cost,
}

/// A bound with explicit constants.
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    /// The parameters that it needs in addition to those of the shape.
    pub parameters: &'static [RateParameter],
    /// Its value at a horizon, in the units of the quantity.
    pub value: fn(&Arguments, f64) -> f64,
}

/// A number that a shape or a bound depends on.
#[derive(Debug)]
pub struct RateParameter {
    /// Its name.
    pub name: &'static str,
    /// The least value allowed.
    pub least: f64,
    /// The largest value allowed.
    pub(crate) most: f64,
    /// What it is.
    pub doc: &'static str,
}

impl RateParameter {
    /// A number of at least 0.
    pub(crate) const fn positive(name: &'static str, doc: &'static str) -> Self {
        Self { name, least: 0.0, most: f64::MAX, doc }
    }
}

/// Values of parameters by name, checked by [`Arguments::check`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arguments(BTreeMap<String, f64>);

/// Why values are not those of the parameters.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ArgumentError {
    /// No parameter has this name.
    #[error("unknown parameter `{name}`; parameters: {known}")]
    Unknown { name: String, known: String },
    /// A parameter has no value.
    #[error("parameter `{name}` ({doc}) must be given")]
    Missing { name: &'static str, doc: &'static str },
    /// A value is out of range.
    #[error("parameter `{name}` ({doc}) is {value}; allowed: {allowed}")]
    NotAllowed { name: &'static str, doc: &'static str, value: f64, allowed: String },
}

impl Arguments {
    /// Accepts values for all of the parameters, each within its range, and for nothing else.
    ///
    /// # Errors
    /// The first value that is missing, out of range or of no parameter.
    pub fn check(values: &BTreeMap<String, f64>, parameters: &[&RateParameter]) -> Result<Self, ArgumentError> {
        let known = || parameters.iter().map(|parameter| parameter.name).collect::<Vec<_>>().join(", ");
        if let Some(unknown) = values.keys().find(|name| parameters.iter().all(|one| one.name != **name)) {
            let known = if parameters.is_empty() { "none".into() } else { known() };
            return Err(ArgumentError::Unknown { name: unknown.clone(), known });
        }
        for &&RateParameter { name, least, most, doc } in parameters {
            let value = *values.get(name).ok_or(ArgumentError::Missing { name, doc })?;
            if !(least..=most).contains(&value) {
                let allowed = if most == f64::MAX { format!("at least {least}") } else { format!("{least} to {most}") };
                return Err(ArgumentError::NotAllowed { name, doc, value, allowed });
            }
        }
        Ok(Self(values.clone()))
    }

    /// The value of a parameter; NaN if it was not declared.
    pub(crate) fn get(&self, name: &str) -> f64 {
        self.0.get(name).copied().unwrap_or(f64::NAN)
    }
}

/// g(T) = T^power (ln T)^log_power, for T > 1; constant factors are left open.
///
/// ```
/// use noregret_papers::theorem::GrowthRate;
///
/// let shape = GrowthRate { power: 0.5, log_power: 1.0 };
/// assert_eq!(shape.text(), "T^0.5 ln T");
/// assert!((shape.ln(1e4).exp() - 100.0 * 1e4f64.ln()).abs() < 1e-9);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GrowthRate {
    /// Exponent of T.
    pub power: f64,
    /// Exponent of ln T.
    pub log_power: f64,
}

impl GrowthRate {
    /// T^power.
    pub const fn power(power: f64) -> Self {
        Self { power, log_power: 0.0 }
    }

    /// (ln T)^power.
    pub const fn log(log_power: f64) -> Self {
        Self { power: 0.0, log_power }
    }

    /// ln g(T).
    pub fn ln(&self, horizon: f64) -> f64 {
        let log = horizon.ln();
        // Without a logarithm the shape also holds at T = 1, where ln ln T is not finite.
        let logs = if self.log_power == 0.0 { 0.0 } else { self.log_power * log.ln() };
        self.power * log + logs
    }

    /// For people: `T^0.5`, `(ln T)^2`, `T^-0.714 ln T`.
    pub fn text(&self) -> String {
        let number = |value: f64| {
            let text = format!("{value:.3}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        };
        let power = match self.power {
            0.0 => None,
            1.0 => Some("T".to_owned()),
            power => Some(format!("T^{}", number(power))),
        };
        let log = match self.log_power {
            0.0 => None,
            1.0 => Some("ln T".to_owned()),
            power => Some(format!("(ln T)^{}", number(power))),
        };
        match (power, log) {
            (None, None) => "constant".into(),
            (Some(one), None) | (None, Some(one)) => one,
            (Some(power), Some(log)) => format!("{power} {log}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_without_a_logarithm_hold_at_one() {
        let shape = GrowthRate { power: 0.5, log_power: 1.0 };
        assert!((shape.ln(1e4) - (100.0 * 1e4_f64.ln()).ln()).abs() < 1e-12);
        assert_eq!(GrowthRate::power(2.0).ln(1.0), 0.0);
    }

    #[test]
    fn shapes_in_words() {
        assert_eq!(GrowthRate::power(0.5).text(), "T^0.5");
        assert_eq!(GrowthRate::log(2.0).text(), "(ln T)^2");
        assert_eq!(GrowthRate { power: -5.0 / 7.0, log_power: 1.0 }.text(), "T^-0.714 ln T");
        assert_eq!(GrowthRate::power(1.0).text(), "T");
        assert_eq!(GrowthRate::power(0.0).text(), "constant");
    }

    #[test]
    fn arguments_are_checked() {
        const GAMMA: RateParameter = RateParameter { name: "gamma", least: 0.0, most: 1.0, doc: "capacity exponent" };
        let given = |pairs: &[(&str, f64)]| pairs.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        let checked = Arguments::check(&given(&[("gamma", 0.5)]), &[&GAMMA]).unwrap();
        assert_eq!(checked.get("gamma"), 0.5);
        for (wrong, says) in [
            (given(&[]), "must be given"),
            (given(&[("gamma", 2.0)]), "allowed: 0 to 1"),
            (given(&[("gamma", f64::NAN)]), "allowed: 0 to 1"),
            (given(&[("gamma", 0.5), ("gama", 0.5)]), "unknown parameter `gama`"),
        ] {
            let message = Arguments::check(&wrong, &[&GAMMA]).unwrap_err().to_string();
            assert!(message.contains(says), "{message}");
        }
    }
}
