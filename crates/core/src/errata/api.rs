//! Errata: what an erratum is, what its computation returns, and when that decides.

use serde::{Deserialize, Serialize};

use crate::draw::Draws;
use crate::errata::mean::Mean;

pub use crate::paper::Paper;

/// A sampled quantity differs from a prediction when it is more than this many standard errors away.
pub const STANDARD_ERRORS: f64 = 5.0;

/// The probability that a quantity whose mean is exactly as predicted is nevertheless found to differ: the two tails of
/// the normal law beyond [`STANDARD_ERRORS`], erfc(5 / sqrt 2). (For means of many draws the normal law is the limit.)
pub const FALSE_ALARM: f64 = 5.733_031_437_583_892e-7;

/// A formula that is printed wrongly. Formulas are written in plain text that reads the same in Markdown, LaTeX and
/// HTML.
///
/// ```
/// use noregret_core::errata::{api::{Quantity, Decision}, registry::ERRATA};
///
/// let erratum = ERRATA.iter().find(|erratum| erratum.id == "robust-fair").unwrap();
/// let finding = erratum.finding();
/// assert_eq!(finding.decision(), Decision::Corrected);
/// // Some number refutes what is printed; none refutes the correction.
/// let corrected = |quantity: &Quantity| quantity.corrected.is_none_or(|value| !quantity.refutes(value));
/// assert!(finding.quantities.iter().any(|quantity| quantity.refutes(quantity.printed)));
/// assert!(finding.quantities.iter().all(corrected));
/// ```
#[derive(Debug)]
pub struct Erratum {
    /// Its name, `paper-place`. The stage that decides it is `errata/ID`.
    pub id: &'static str,
    /// The paper.
    pub paper: Paper,
    /// Where in the paper.
    pub place: &'static str,
    /// What is printed.
    pub printed: &'static str,
    /// What is correct.
    pub corrected: &'static str,
    /// The computation that decides, in a sentence.
    pub method: &'static str,
    /// The module that defines it (`module_path!()`), for code identity.
    pub module: &'static str,
    /// The computation; all its random numbers come from the draws.
    pub decide: fn(&Draws) -> Vec<Quantity>,
}

impl Erratum {
    /// Runs the computation with the item's fixed draws.
    pub fn finding(&self) -> Finding {
        Finding {
            id: self.id.into(),
            paper: self.paper,
            place: self.place.into(),
            printed: self.printed.into(),
            corrected: self.corrected.into(),
            method: self.method.into(),
            quantities: (self.decide)(&Draws::named(&["errata", self.id])),
        }
    }
}

/// An erratum with the numbers that decide it: the result of the stage `errata/ID`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// Name of the item.
    pub id: String,
    /// The paper.
    pub paper: Paper,
    /// Where in the paper.
    pub place: String,
    /// What is printed.
    pub printed: String,
    /// What is correct.
    pub corrected: String,
    /// The computation that decides, in a sentence.
    pub method: String,
    /// What was computed, with both predictions.
    pub quantities: Vec<Quantity>,
}

/// How a quantity is related to its predictions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    /// It equals the prediction.
    Equal,
    /// It is at most the prediction: an upper bound.
    AtMost,
    /// It is at least the prediction: a lower bound.
    AtLeast,
}

/// The accuracy of a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Accuracy {
    /// A mean of independent draws.
    Sampled {
        /// The standard error of the mean.
        standard_error: f64,
        /// The number of draws.
        samples: u64,
    },
    /// A closed form, a quadrature, a search or a deterministic run: right to this absolute tolerance.
    Exact {
        /// The tolerance.
        tolerance: f64,
    },
}

/// One computed number, and what the printed and the corrected form say about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quantity {
    /// What it is.
    pub what: String,
    /// How the predictions are related to it.
    pub relation: Relation,
    /// The prediction of the printed form.
    pub printed: f64,
    /// The prediction of the corrected form; `None` if it claims nothing.
    pub corrected: Option<f64>,
    /// What was found.
    pub found: f64,
    /// Its accuracy.
    pub accuracy: Accuracy,
}

impl Quantity {
    /// A sampled mean.
    pub fn sampled(
        what: &str,
        relation: Relation,
        printed: f64,
        corrected: impl Into<Option<f64>>,
        found: &Mean,
    ) -> Self {
        let corrected = corrected.into();
        let accuracy = Accuracy::Sampled { standard_error: found.standard_error(), samples: found.count() };
        Self { what: what.into(), relation, printed, corrected, found: found.mean(), accuracy }
    }

    /// A number that is right to `tolerance` relative to the largest of the three numbers.
    pub fn exact(
        what: &str,
        relation: Relation,
        printed: f64,
        corrected: impl Into<Option<f64>>,
        found: f64,
        tolerance: f64,
    ) -> Self {
        let corrected = corrected.into();
        let scale = printed.abs().max(corrected.unwrap_or_default().abs()).max(found.abs());
        let accuracy = Accuracy::Exact { tolerance: tolerance * scale };
        Self { what: what.into(), relation, printed, corrected, found, accuracy }
    }

    /// The largest distance from a prediction that does not count as a difference.
    pub fn margin(&self) -> f64 {
        match self.accuracy {
            Accuracy::Sampled { standard_error, .. } => STANDARD_ERRORS * standard_error,
            Accuracy::Exact { tolerance } => tolerance,
        }
    }

    /// How far the number is on the wrong side of a prediction; 0 if it agrees exactly.
    pub fn excess(&self, prediction: f64) -> f64 {
        let difference = self.found - prediction;
        match self.relation {
            Relation::Equal => difference.abs(),
            Relation::AtMost => difference.max(0.0),
            Relation::AtLeast => (-difference).max(0.0),
        }
    }

    /// Whether the number refutes a prediction. A number that is not finite refutes every prediction.
    pub fn refutes(&self, prediction: f64) -> bool {
        let excess = self.excess(prediction);
        !self.found.is_finite() || !excess.is_finite() || excess > self.margin()
    }
}

/// What the numbers decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Some number refutes the printed form, none the corrected one.
    Corrected,
    /// Some number refutes the corrected form.
    Against,
    /// No number refutes either.
    Undecided,
}

impl Decision {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Decision::Corrected => "decided for the corrected form",
            Decision::Against => "decided against the corrected form",
            Decision::Undecided => "undecided",
        }
    }
}

impl Finding {
    /// What its numbers decide.
    pub fn decision(&self) -> Decision {
        let refuted = |prediction: fn(&Quantity) -> Option<f64>| {
            self.quantities.iter().any(|quantity| prediction(quantity).is_some_and(|value| quantity.refutes(value)))
        };
        if refuted(|quantity| quantity.corrected) {
            Decision::Against
        } else if refuted(|quantity| Some(quantity.printed)) {
            Decision::Corrected
        } else {
            Decision::Undecided
        }
    }
}
