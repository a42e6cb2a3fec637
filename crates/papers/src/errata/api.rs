//! Errata: what an erratum is, what its computation returns, and what that shows.

use std::ops::Deref;

use serde::{Deserialize, Serialize};

use crate::errata::mean::Mean;
use noregret_numeric::draw::Draws;

pub use crate::errata::class::{Class, ErratumDecision, Verdict};
pub use crate::paper::Paper;

/// A sampled quantity differs from a prediction when it is more than this many standard errors away.
pub const STANDARD_ERRORS: f64 = 5.0;

/// The probability that a quantity whose mean is exactly as predicted is nevertheless found to differ: the two tails of
/// the normal law beyond [`STANDARD_ERRORS`], erfc(5 / sqrt 2). (For means of many draws the normal law is the limit.)
pub const FALSE_ALARM: f64 = 5.733_031_437_583_892e-7;

/// A passage of a paper that needs a remark, or a shortcut that no paper has ([`Class::Pitfall`]). Formulas are written in plain text that reads the same in Markdown, LaTeX
/// and HTML.
///
/// ```
/// use noregret_papers::errata::{api::{ErratumNumber, Verdict}, registry::ERRATA};
///
/// let erratum = ERRATA.iter().find(|erratum| erratum.id == "noisy-algorithm-4").unwrap();
/// let finding = erratum.finding();
/// assert_eq!(finding.verdict(), Verdict::Decided);
/// // Some number refutes what is printed; none refutes the correction.
/// let printed = |quantity: &ErratumNumber| quantity.printed.is_some_and(|value| quantity.refutes(value));
/// let corrected = |quantity: &ErratumNumber| quantity.corrected.is_some_and(|value| quantity.refutes(value));
/// assert!(finding.quantities.iter().any(printed) && !finding.quantities.iter().any(corrected));
/// ```
#[derive(Debug)]
pub struct Correction {
    /// Its name, `paper-place`. The stage that decides it is `errata/ID`.
    pub id: &'static str,
    /// Where in the paper; what a pitfall is about.
    pub place: &'static str,
    /// A few words of the passage, without formulas, as they stand in the paper: a reader can search for them. Empty for a
    /// pitfall.
    pub quote: &'static str,
    /// Its class.
    pub class: Class,
    /// Why it is in this class.
    pub reason: &'static str,
    /// What is printed; the shortcut.
    pub printed: &'static str,
    /// What is correct; what to do instead.
    pub corrected: &'static str,
    /// The computation, in a sentence.
    pub method: &'static str,
    /// The computation; all its random numbers come from the draws. It never finds a number by the formula that is
    /// held against it.
    pub(crate) decide: fn(&Draws) -> Vec<ErratumNumber>,
}

/// An erratum: a correction, the paper that it is about, and where its computation stands.
#[derive(Debug)]
pub struct Erratum {
    /// The paper.
    pub paper: Paper,
    /// The module of the correction, for code identity.
    pub module: &'static str,
    /// What is printed, what is correct, and the computation.
    pub(crate) correction: &'static Correction,
}

impl Deref for Erratum {
    type Target = Correction;

    fn deref(&self) -> &Correction {
        self.correction
    }
}

/// Declares the errata of a paper, each a module with a [`Correction`] called `ERRATUM`, in the order in which they occur
/// there.
macro_rules! errata {
    ($paper:path: $($item:ident),+) => {
        $(pub(crate) mod $item;)+

        /// The errata of the paper, in the order in which they occur there.
        pub(crate) static ERRATA: &[$crate::errata::api::Erratum] = &[$($crate::errata::api::Erratum {
            paper: $paper,
            module: concat!(module_path!(), "::", stringify!($item)),
            correction: &$item::ERRATUM,
        }),+];
    };
}
pub(crate) use errata;

impl Erratum {
    /// Runs the computation with the item's fixed draws.
    pub fn finding(&self) -> ErratumFinding {
        ErratumFinding {
            id: self.id.into(),
            paper: self.paper,
            place: self.place.into(),
            quote: self.quote.into(),
            class: self.class,
            reason: self.reason.into(),
            printed: self.printed.into(),
            corrected: self.corrected.into(),
            method: self.method.into(),
            quantities: (self.decide)(&Draws::named(&["errata", self.id])),
        }
    }
}

/// An erratum with its numbers: the result of the stage `errata/ID`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErratumFinding {
    /// Name of the item.
    pub id: String,
    /// The paper.
    pub paper: Paper,
    /// Where in the paper.
    pub place: String,
    /// A few words of the passage.
    pub quote: String,
    /// Its class.
    pub class: Class,
    /// Why it is in this class.
    pub reason: String,
    /// What is printed.
    pub printed: String,
    /// What is correct.
    pub corrected: String,
    /// The computation, in a sentence.
    pub method: String,
    /// What was computed, with both predictions.
    pub quantities: Vec<ErratumNumber>,
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
pub struct ErratumNumber {
    /// What it is.
    pub what: String,
    /// How the predictions are related to it.
    pub relation: Relation,
    /// The prediction of the printed form; `None` if it claims nothing.
    pub printed: Option<f64>,
    /// The prediction of the corrected form; `None` if it claims nothing.
    pub corrected: Option<f64>,
    /// What was found.
    pub found: f64,
    /// Its accuracy.
    pub accuracy: Accuracy,
}

impl ErratumNumber {
    /// A sampled mean.
    pub(crate) fn sampled(
        what: &str,
        relation: Relation,
        printed: impl Into<Option<f64>>,
        corrected: impl Into<Option<f64>>,
        found: &Mean,
    ) -> Self {
        let (printed, corrected) = (printed.into(), corrected.into());
        let accuracy = Accuracy::Sampled { standard_error: found.standard_error(), samples: found.count() };
        Self { what: what.into(), relation, printed, corrected, found: found.mean(), accuracy }
    }

    /// A number that is right to `tolerance` relative to the largest of the three numbers.
    pub fn exact(
        what: &str,
        relation: Relation,
        printed: impl Into<Option<f64>>,
        corrected: impl Into<Option<f64>>,
        found: f64,
        tolerance: f64,
    ) -> Self {
        let (printed, corrected) = (printed.into(), corrected.into());
        let size = |prediction: Option<f64>| prediction.unwrap_or_default().abs();
        let scale = size(printed).max(size(corrected)).max(found.abs());
        let accuracy = Accuracy::Exact { tolerance: tolerance * scale };
        Self { what: what.into(), relation, printed, corrected, found, accuracy }
    }

    /// The largest distance from a prediction that does not count as a difference.
    pub(crate) fn margin(&self) -> f64 {
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

    /// Whether the corrected form says more than the printed one about a number that refutes neither: it is the tighter
    /// bound.
    fn sharper(&self) -> bool {
        let Some(corrected) = self.corrected else { return false };
        let gain = self.printed.map(|printed| match self.relation {
            Relation::Equal => 0.0,
            Relation::AtMost => printed - corrected,
            Relation::AtLeast => corrected - printed,
        });
        gain.is_some_and(|gain| gain > self.margin())
    }
}

impl ErratumFinding {
    /// What its numbers show.
    pub(crate) fn decision(&self) -> ErratumDecision {
        let refuted = |quantity: &ErratumNumber| quantity.printed.is_some_and(|value| quantity.refutes(value));
        let against = |quantity: &ErratumNumber| quantity.corrected.is_some_and(|value| quantity.refutes(value));
        if self.quantities.iter().any(|quantity| !quantity.found.is_finite()) {
            return ErratumDecision::Undecided;
        }
        if self.quantities.iter().any(against) {
            return ErratumDecision::Against;
        }
        if self.quantities.iter().any(|quantity| refuted(quantity) && quantity.corrected.is_some()) {
            ErratumDecision::Corrected
        } else if self.quantities.iter().any(refuted) {
            ErratumDecision::Refuted
        } else if self.quantities.iter().any(ErratumNumber::sharper) {
            ErratumDecision::Sharper
        } else {
            ErratumDecision::Undecided
        }
    }

    /// Whether some number agrees with a statement that both forms make alike.
    fn stands(&self) -> bool {
        let alike = |quantity: &ErratumNumber| quantity.printed.is_some() && quantity.printed == quantity.corrected;
        self.quantities.iter().any(|quantity| alike(quantity) && !quantity.printed.is_some_and(|p| quantity.refutes(p)))
    }

    /// What is said of it: what its numbers show, in the words of its class.
    pub fn verdict(&self) -> Verdict {
        self.class.verdict(self.decision(), self.stands())
    }
}

/// The number of items of each class, by verdict. Classes without an item, and verdicts that a class does not have, are
/// left out.
pub fn counted(findings: &[ErratumFinding]) -> Vec<(Class, Vec<(Verdict, usize)>)> {
    let of = |class: Class| -> Vec<(Verdict, usize)> {
        let verdicts: Vec<Verdict> =
            findings.iter().filter(|finding| finding.class == class).map(ErratumFinding::verdict).collect();
        let count = |verdict: &Verdict| verdicts.iter().filter(|one| *one == verdict).count();
        Verdict::ALL.iter().map(|verdict| (*verdict, count(verdict))).filter(|(_, count)| *count > 0).collect()
    };
    Class::ALL.into_iter().map(|class| (class, of(class))).filter(|(_, counts)| !counts.is_empty()).collect()
}
