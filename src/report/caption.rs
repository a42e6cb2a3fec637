//! Captions: what was run, what the bands are, what is incomplete, and what the data say about the papers' claims.

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::analysis::claim::{
    Agreement, Decision, Evidence, at_least, at_most, close, ends_below, exponent, named, order,
};
use crate::analysis::curve::Curve;
use crate::analysis::rate::assessment::Assessment;
use crate::analysis::record::Experiment;
use crate::analysis::summary::{LEVEL, Tally};
use crate::analysis::words;
use crate::report::chart::svg::plain;
use crate::report::number::{grouped, plus_minus, significant};
use crate::schema;
use crate::trace::cell::RunStatus;
use noregret_core::params::number::{self, Number};
use noregret_core::theory::one_copy;

/// What captions need to know besides the results.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Context {
    /// The profile that was run.
    pub profile: String,
    /// The rows of rates that the figure shows.
    pub rates: Vec<Assessment>,
}

/// A claim of a paper that the figure's data can support or contradict.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The claim, in one sentence.
    pub text: String,
    /// Its source: paper, section, theorem or figure.
    pub source: String,
    /// How the data decide it.
    pub test: Test,
    /// Why the data may contradict it. It is printed if they do.
    #[serde(default)]
    pub explanation: String,
}

/// How data decide a claim.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Test {
    /// `lower` ends below `higher`; see [`order`].
    Order {
        /// The curve that is claimed to be lower, by label or by registered name of its learner; several stand for the
        /// best of them.
        #[serde(deserialize_with = "one_or_several")]
        #[schemars(schema_with = "schema::one_or_several")]
        lower: Vec<String>,
        /// The curve that is claimed to be higher, likewise.
        #[serde(deserialize_with = "one_or_several")]
        #[schemars(schema_with = "schema::one_or_several")]
        higher: Vec<String>,
    },
    /// Two curves end at the same value; see [`close`].
    Close {
        /// Labels of the curves, or registered names of their learners.
        curves: [String; 2],
        /// Their largest difference.
        #[serde(deserialize_with = "number::read")]
        #[schemars(schema_with = "schema::number")]
        tolerance: f64,
    },
    /// A curve grows with an exponent; see [`exponent`].
    Exponent {
        /// Label of the curve, or registered name of its learner.
        learner: String,
        /// The exponent of the theorem.
        #[serde(deserialize_with = "number::read")]
        #[schemars(schema_with = "schema::number")]
        value: f64,
        /// The largest deviation of the fitted exponent.
        tolerance: f64,
        /// The number of last points over which it is fitted.
        last: usize,
    },
    /// No curve grows faster than with an exponent; see [`at_most`].
    AtMost {
        /// The curves, by label or by registered name of the learner; all if it is empty.
        #[serde(default)]
        learners: Vec<String>,
        /// The exponent of the theorem.
        #[serde(deserialize_with = "number::read")]
        #[schemars(schema_with = "schema::number")]
        value: f64,
        /// The largest excess of a fitted exponent.
        tolerance: f64,
        /// The number of last points over which they are fitted.
        last: usize,
    },
    /// Curves end at an upper bound or below it; see [`ends_below`].
    EndsBelow {
        /// The curves, by label (with its stream, after a comma) or by registered name of the learner.
        curves: Vec<String>,
        /// The bound.
        #[serde(deserialize_with = "number::read")]
        #[schemars(schema_with = "schema::number")]
        value: f64,
    },
    /// All curves end at a lower bound or above it; see [`at_least`].
    AtLeast {
        /// The bound: a number, or the name of a constant of the theory.
        #[serde(deserialize_with = "constant")]
        #[schemars(schema_with = "schema::constant")]
        value: f64,
        /// Labels of curves to which the bound does not apply.
        #[serde(default)]
        except: Vec<String>,
    },
}

/// Reads a name, or a list of names.
fn one_or_several<'de, D: Deserializer<'de>>(source: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Given {
        One(String),
        Several(Vec<String>),
    }
    match Given::deserialize(source)? {
        Given::One(name) => Ok(vec![name]),
        Given::Several(names) if names.is_empty() => Err(D::Error::custom("a list of curves is empty")),
        Given::Several(names) => Ok(names),
    }
}

/// Reads a number, or the name of a constant of the theory: `one-copy`.
pub fn constant<'de, D: Deserializer<'de>>(source: D) -> Result<f64, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Given {
        Number(Number),
        Name(String),
    }
    match Given::deserialize(source)? {
        Given::Number(Number(value)) => Ok(value),
        Given::Name(name) if name == "one-copy" => Ok(one_copy::MINIMAX),
        Given::Name(name) => Err(D::Error::custom(format!("there is no constant `{name}`; known: one-copy"))),
    }
}

impl Claim {
    /// The curves that it names, each a label or a registered learner.
    pub fn names(&self) -> Vec<&str> {
        match &self.test {
            Test::Order { lower, higher } => lower.iter().chain(higher).map(String::as_str).collect(),
            Test::Close { curves, .. } => curves.iter().map(String::as_str).collect(),
            Test::EndsBelow { curves, .. } => curves.iter().map(String::as_str).collect(),
            Test::Exponent { learner, .. } => vec![learner],
            Test::AtMost { learners: names, .. } | Test::AtLeast { except: names, .. } => {
                names.iter().map(String::as_str).collect()
            }
        }
    }

    /// The claim, its source, and what the data say.
    pub fn paragraph(&self, curves: &[Curve]) -> String {
        let verdict = match &self.test {
            Test::Order { lower, higher } => order(curves, lower, higher),
            Test::Close { curves: [one, other], tolerance } => close(curves, one, other, *tolerance),
            Test::Exponent { learner, value, tolerance, last } => match named(curves, learner).first() {
                Some(curve) => exponent(curve, *value, *tolerance, *last),
                None => Decision {
                    agreement: Agreement::Untested,
                    evidence: Evidence::Nothing(format!("no curve of {learner}")),
                },
            },
            Test::AtMost { learners, value, tolerance, last } => {
                let chosen = match &learners[..] {
                    [] => curves.iter().collect(),
                    names => names.iter().flat_map(|name| named(curves, name)).collect::<Vec<_>>(),
                };
                at_most(&chosen, *value, *tolerance, *last)
            }
            Test::EndsBelow { curves: names, value } => {
                ends_below(&names.iter().flat_map(|name| named(curves, name)).collect::<Vec<_>>(), *value)
            }
            Test::AtLeast { value, except } => {
                let chosen: Vec<&Curve> = curves.iter().filter(|curve| !except.contains(&curve.label)).collect();
                at_least(&chosen, *value)
            }
        };
        let outcome = words::claim(verdict.agreement, matches!(self.test, Test::AtMost { .. }));
        let claim = sentence(&self.text);
        let mut text = format!("Claim ({}): {claim} {outcome}: {}.", self.source, self.evidence(&verdict.evidence));
        if verdict.agreement == Agreement::Contradicted && !self.explanation.is_empty() {
            text = format!("{text} {}", sentence(&self.explanation));
        }
        text
    }

    /// What the theorem says of the exponent.
    fn theory(&self) -> String {
        match &self.test {
            Test::Exponent { value, tolerance, .. } => format!(", theory {value:.3} \u{b1} {tolerance}"),
            Test::AtMost { value, tolerance, .. } => format!(", theory at most {value:.3} (tolerance {tolerance})"),
            Test::AtLeast { value, .. } => format!(", theory at least {}", significant(*value, 4)),
            Test::EndsBelow { value, .. } => format!(", claimed at most {}", significant(*value, 4)),
            Test::Order { .. } | Test::Close { .. } => String::new(),
        }
    }

    fn evidence(&self, evidence: &Evidence) -> String {
        match evidence {
            Evidence::Difference { lower, higher, round, estimate, among } => {
                let value = plus_minus(estimate.mean, estimate.half_width);
                let choice = match among {
                    1 => String::new(),
                    pairs => format!(" corrected for the choice among {pairs} pairs of curves"),
                };
                let level = match estimate.half_width {
                    Some(_) => {
                        format!("{} paired replicates, {:.0} % t interval{choice}", estimate.count, 100.0 * LEVEL)
                    }
                    None => "a single pair of replicates gives no interval".into(),
                };
                let (lower, higher) = (plain(lower), plain(higher));
                format!("{higher} minus {lower} is {value} at round {} ({level})", grouped(*round))
            }
            Evidence::Distance { labels: [one, other], round, largest, pairs } => {
                let (one, other, largest) = (plain(one), plain(other), significant(*largest, 2));
                let over = if *pairs == 1 { "one replicate".into() } else { format!("{pairs} paired replicates") };
                format!("{one} and {other} differ by at most {largest} at round {} ({over})", grouped(*round))
            }
            Evidence::Exponent { label, fitted, half_width, points } => {
                let fitted = plus_minus(*fitted, *half_width);
                format!("{} has exponent {fitted} over its last {points} points{}", plain(label), self.theory())
            }
            Evidence::Largest { label, fitted, half_width, points, curves } => {
                let (label, fitted, theory) = (plain(label), plus_minus(*fitted, *half_width), self.theory());
                format!("the largest exponent of {curves} curves is {fitted} ({label}; last {points} points){theory}")
            }
            Evidence::Least { label, least, below } => {
                let below: Vec<String> = below.iter().map(|label| plain(label)).collect();
                let below = if below.is_empty() { String::new() } else { format!("; below it: {}", below.join(", ")) };
                format!("the least is {} ({}){}{below}", significant(*least, 4), plain(label), self.theory())
            }
            Evidence::Most { label, most } => {
                let value = plus_minus(most.mean, most.half_width);
                format!("the highest end is {value} ({}){}", plain(label), self.theory())
            }
            Evidence::Nothing(reason) => reason.clone(),
        }
    }
}

/// What a figure draws for one label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A curve along rounds or horizons.
    Curve,
    /// A point, at the label's largest horizon.
    Point,
}

/// What was run (profile, replicates, horizons) and what is missing. `curves` has one curve for each stream and label.
pub fn replicates(curves: &[Curve], experiments: &[&Experiment], profile: &str, unit: Unit) -> Vec<String> {
    let mut sentences = Vec::new();
    let mut horizons: Vec<u64> = match unit {
        Unit::Curve => experiments.iter().flat_map(|e| e.runs.iter().map(|run| run.horizon)).collect(),
        Unit::Point => curves.iter().map(|curve| curve.horizon).collect(),
    };
    horizons.sort_unstable();
    horizons.dedup();
    let horizon = match horizons.as_slice() {
        [] => "no runs".to_owned(),
        [one] => format!("horizon {} rounds", grouped(*one)),
        [first, .., last] => format!("horizons {} to {} rounds", grouped(*first), grouped(*last)),
    };
    let complete: Vec<&Curve> = curves.iter().filter(|curve| curve.tally.complete()).collect();
    let counts = {
        let mut counts: Vec<usize> = complete.iter().map(|curve| curve.tally.done).collect();
        counts.sort_unstable();
        counts.dedup();
        counts
    };
    let unit = if unit == Unit::Curve { "curve" } else { "point" };
    let all = curves.iter().all(|curve| curve.tally.complete());
    let of = if all { format!("per {unit}") } else { format!("per complete {unit}") };
    let shown = match counts.as_slice() {
        [] => format!("no {unit} has all its replicates"),
        [one] => format!("{} {of}", Tally { done: *one, ..Tally::default() }),
        [first, .., last] => format!("{first} to {last} replicates {of}, all completed"),
    };
    sentences.push(format!("Profile {profile}; {horizon}; {shown}."));
    let incomplete: Vec<String> = curves
        .iter()
        .filter(|curve| !curve.tally.complete())
        .map(|curve| format!("{}: {}{}", plain(&curve.label), curve.tally, cause(curve, experiments)))
        .collect();
    if !incomplete.is_empty() {
        sentences.push(format!("Incomplete: {}.", incomplete.join("; ")));
    }
    sentences
}

/// Why a replicate of a curve has no result; the first one if there are several.
fn cause(curve: &Curve, experiments: &[&Experiment]) -> String {
    experiments
        .iter()
        .filter(|experiment| experiment.name == curve.experiment)
        .flat_map(|experiment| &experiment.runs)
        .find(|run| run.stream == curve.stream && run.label == curve.label && run.status != RunStatus::Done)
        .and_then(|run| run.detail.as_ref())
        .map(|detail| format!(" ({})", detail.trim_end_matches('.')))
        .unwrap_or_default()
}

/// The parameters that were chosen on other orders of the rows, for the curves shown; None if there were none.
pub fn tuned(curves: &[Curve], experiments: &[&Experiment]) -> Option<String> {
    let mut told: Vec<String> = Vec::new();
    for curve in curves {
        let own = experiments.iter().filter(|experiment| experiment.name == curve.experiment);
        let mut runs = own.flat_map(|experiment| &experiment.runs);
        let run = runs.find(|run| run.stream == curve.stream && run.label == curve.label && run.tuned.is_some());
        let several = curves.iter().any(|other| other.label == curve.label && other.stream != curve.stream);
        let on = if several { format!(" on {}", plain(&curve.stream)) } else { String::new() };
        let words = run.and_then(|run| run.tuned.as_ref());
        told.extend(words.map(|words| format!("{}{on}: {words}", plain(&curve.label))));
    }
    told.dedup();
    let heading = "Parameters chosen on other orders of the rows, by the lowest error on clean held-out rows (where none \
                   are held out, error rate; where targets are no classes, loss), in trials whose time is not counted";
    (!told.is_empty()).then(|| format!("{heading}: {}.", told.join("; ")))
}

/// The meaning of lines (or points) and bands; None if there are no points.
pub fn band(curves: &[Curve], unit: Unit) -> Option<String> {
    let mut points = curves.iter().flat_map(|curve| &curve.points).peekable();
    points.peek()?;
    let what = if unit == Unit::Curve { "Lines" } else { "Points" };
    Some(if points.any(|point| point.estimate.half_width.is_some()) {
        format!("{what} are means over replicates (seeds); bands are {:.0} % t intervals over seeds.", 100.0 * LEVEL)
    } else {
        format!("{what} are single replicates, so there are no bands.")
    })
}

/// The text with a full stop at the end, if it has none.
pub fn sentence(text: &str) -> String {
    let text = text.trim();
    if text.ends_with(['.', '!', '?']) { text.to_owned() } else { format!("{text}.") }
}

#[cfg(test)]
mod tests {
    use super::Claim;

    #[test]
    fn unknown_fields_of_a_test_are_refused() {
        let read = |test: &str| toml::from_str::<Claim>(&format!("text = 't'\nsource = 's'\ntest = {test}"));
        let exponent = "{ exponent = { learner = 'a', value = 0.5, tolerance = 0.1, last = 3 } }";
        assert!(read(exponent).is_ok());
        let error = read(&exponent.replace("last", "first = 1, last")).unwrap_err().to_string();
        assert!(error.contains("unexpected keys in table: first"), "{error}");
    }
}
