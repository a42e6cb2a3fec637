//! Claims of papers that a figure's data support or contradict, and questions of ours, which no paper answers. What is said
//! of an exponent is the verdict of a row of rates, in its words.

pub(crate) mod data;
mod evidence;

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::analysis::claim::exponent::exponent;
use crate::analysis::claim::turn::turns;
use crate::analysis::claim::{Agreement, ClaimDecision, Evidence, at_least, both, close, ends_below, named, order};
use crate::analysis::curve::MeanCurve;
use crate::analysis::rate::assessment::Assessment;
use crate::analysis::rate::judgement::comparison;
use crate::analysis::summary::LEVEL;
use crate::analysis::words;
use crate::caption::sentence;
use crate::claim::data::ClaimData;
use crate::claim::evidence::{compared, effect, ends};
use crate::exhibit::{ClaimOutcome, FoundTitle, of_row};
use crate::number::{plus_minus, significant};
use crate::rates;
use crate::schema;
use noregret_core::loss::logistic::Logistic;
use noregret_core::params::number::{self, Number};
use noregret_papers::noisy::one_copy;

/// A claim of a paper that the figure's data can support or contradict; without a `quote`, a question of ours.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Claim")]
pub struct TestedClaim {
    /// What is tested, in one sentence: a claim, or a question of ours.
    pub text: String,
    /// The paper's own words that the claim tests, as short as identifies them: ` ... ` stands for what is left out, formulas are
    /// in plain text (`O(sqrt(T))`). Without it the claim is a question of ours: it is answered, but speaks neither for nor against a
    /// paper.
    pub quote: Option<String>,
    /// Where the quoted words are, after the short name of the paper: `PKAWV: section 4`. Of a question, where it comes from.
    pub source: String,
    /// What the figure is titled by where the data decide.
    #[serde(default)]
    pub title: FoundTitle,
    /// How the data decide it.
    pub test: Test,
    /// Why the data may contradict it. It is printed if they do, and only then.
    #[serde(default)]
    pub(crate) explanation: String,
}

/// How data decide a claim.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Test {
    /// `lower` ends below `higher`, replicate by replicate, at the last round that both reached. Supported if the best curve
    /// of `lower` lies below every curve of `higher`, with intervals that hold together; contradicted the other way round.
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
    /// In a figure of two quantities, one curve of `lower` ends below `higher` in both, with intervals that hold together.
    /// Contradicted if every curve lies above it in one of them.
    Both {
        /// The curves of which one is claimed to be lower in both quantities, by label or by registered name.
        #[serde(deserialize_with = "one_or_several")]
        #[schemars(schema_with = "schema::one_or_several")]
        lower: Vec<String>,
        /// The curve that is claimed to be higher.
        higher: String,
    },
    /// Two curves end at the same value in the mean. Supported if the interval of the mean paired difference lies within
    /// the tolerance, contradicted if it lies outside.
    Close {
        /// Labels of the curves, or registered names of their learners.
        curves: [String; 2],
        /// The largest difference of their means.
        #[serde(deserialize_with = "number::read")]
        #[schemars(schema_with = "schema::number")]
        tolerance: f64,
    },
    /// The exponent of a curve along the figure's axis (or, with `over`, of its ratio to another one) lies within limits, with
    /// its jackknife interval over replicates. Contradicted if the interval lies outside. Only for questions of ours: what a
    /// theorem says of an exponent is decided by a row of rates.
    Exponent {
        /// The curve, by label (with its stream, after a comma).
        curve: String,
        /// The curve that it is divided by.
        over: Option<String>,
        /// The highest exponent.
        #[serde(default, deserialize_with = "number::read_some")]
        #[schemars(schema_with = "schema::number")]
        at_most: Option<f64>,
        /// The lowest exponent.
        #[serde(default, deserialize_with = "number::read_some")]
        #[schemars(schema_with = "schema::number")]
        at_least: Option<f64>,
    },
    /// The order of two curves turns: `higher` lies below `lower` at some round, and above it at a later one and all that
    /// follow, with intervals that hold together. Contradicted where `higher` ends below, or where `lower` lies below
    /// throughout. The evidence says where it turns.
    Turns {
        /// The curve that is claimed to be lower in the end, by label or by registered name of its learner.
        lower: String,
        /// The curve that is claimed to be higher in the end, likewise.
        higher: String,
    },
    /// An exponent is that of a theorem, or better: the name of the row of rates whose verdict it is.
    Rate(String),
    /// Curves end at an upper bound or below it, with intervals that hold together. Contradicted by an interval above it.
    EndsBelow {
        /// The curves, by label (with its stream, after a comma) or by registered name of the learner.
        curves: Vec<String>,
        /// The bound.
        #[serde(deserialize_with = "number::read")]
        #[schemars(schema_with = "schema::number")]
        value: f64,
    },
    /// All curves end at a lower bound or above it, with intervals that hold together. Contradicted by an interval below it.
    AtLeast {
        /// The bound: a number, or the name of a constant of the theory.
        #[serde(deserialize_with = "constant")]
        #[schemars(schema_with = "schema::constant")]
        value: f64,
        /// Curves to which the bound does not apply, by label (with its stream, after a comma).
        #[serde(default)]
        except: Vec<String>,
    },
}

/// Reads a name, or a list of names.
fn one_or_several<'de, D: Deserializer<'de>>(source: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrSeveral {
        One(String),
        Several(Vec<String>),
    }
    match OneOrSeveral::deserialize(source)? {
        OneOrSeveral::One(name) => Ok(vec![name]),
        OneOrSeveral::Several(names) if names.is_empty() => Err(D::Error::custom("a list of curves is empty")),
        OneOrSeveral::Several(names) => Ok(names),
    }
}

/// Reads a number, or the name of a constant of the theory: `one-copy`, for the squared loss, and `one-copy-logistic`, for
/// the log loss in a ball of radius 2.
pub(crate) fn constant<'de, D: Deserializer<'de>>(source: D) -> Result<f64, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum NumberOrName {
        Number(Number),
        Name(String),
    }
    match NumberOrName::deserialize(source)? {
        NumberOrName::Number(Number(value)) => Ok(value),
        NumberOrName::Name(name) if name == "one-copy" => Ok(one_copy::MINIMAX),
        NumberOrName::Name(name) if name == "one-copy-logistic" => Ok(one_copy::value(&Logistic, 2.0).excess),
        NumberOrName::Name(name) => {
            Err(D::Error::custom(format!("there is no constant `{name}`; known: one-copy, one-copy-logistic")))
        }
    }
}

impl TestedClaim {
    /// The curves that it names, each a label or a registered learner.
    pub(crate) fn names(&self) -> Vec<&str> {
        match &self.test {
            Test::Order { lower, higher } => lower.iter().chain(higher).map(String::as_str).collect(),
            Test::Both { lower, higher } => lower.iter().chain([higher]).map(String::as_str).collect(),
            Test::Close { curves, .. } => curves.iter().map(String::as_str).collect(),
            Test::Exponent { curve, over, .. } => [curve].into_iter().chain(over).map(String::as_str).collect(),
            Test::Turns { lower, higher } => vec![lower, higher],
            Test::EndsBelow { curves, .. } => curves.iter().map(String::as_str).collect(),
            Test::AtLeast { except, .. } => except.iter().map(String::as_str).collect(),
            Test::Rate(_) => Vec::new(),
        }
    }

    /// The number of quantities that it compares.
    pub(crate) fn quantities(&self) -> usize {
        if matches!(self.test, Test::Both { .. }) { 2 } else { 1 }
    }

    /// What is wrong with it.
    pub(crate) fn mistake(&self) -> Option<&'static str> {
        match &self.test {
            Test::Exponent { at_most: None, at_least: None, .. } => Some("`exponent` needs `at_most` or `at_least`"),
            Test::Exponent { at_most: Some(most), at_least: Some(least), .. } if least > most => {
                Some("`exponent`: no number is at least `at_least` and at most `at_most`")
            }
            Test::Close { tolerance, .. } if tolerance.is_nan() || *tolerance < 0.0 => {
                Some("`close`: the tolerance is below 0, which no difference is within")
            }
            Test::Order { lower, higher } if lower.iter().any(|name| higher.contains(name)) => {
                Some("`order`: a curve of `lower` is one of `higher`, too")
            }
            Test::Both { lower, higher } if lower.contains(higher) => Some("`both`: `higher` is one of `lower`, too"),
            Test::Turns { lower, higher } if lower == higher => Some("`turns`: `lower` and `higher` are one curve"),
            Test::Close { curves: [one, other], .. } if one == other => Some("`close`: it names one curve twice"),
            Test::Exponent { curve, over: Some(over), .. } if curve == over => {
                Some("`exponent`: a curve over itself is 1 everywhere")
            }
            Test::Exponent { .. } if self.quote.is_some() => {
                Some("an exponent that a paper claims is decided by a row of rates: `test.rate = \"ROW\"`")
            }
            _ => None,
        }
    }

    /// The row of rates that it names.
    pub(crate) fn row(&self) -> Option<&str> {
        match &self.test {
            Test::Rate(row) => Some(row),
            _ => None,
        }
    }

    /// The claim, and what the data say of it.
    pub(crate) fn outcome(&self, data: &ClaimData<'_>) -> ClaimOutcome {
        let curves = data.curves;
        let decision = match &self.test {
            Test::Rate(row) => return self.of_row(row, data.rates),
            Test::Order { lower, higher } => order(curves, lower, higher),
            Test::Both { lower, higher } => both([curves, data.others], lower, higher),
            Test::Exponent { curve, over, at_most, at_least } => {
                let limits = (at_least.unwrap_or(f64::NEG_INFINITY), at_most.unwrap_or(f64::INFINITY));
                exponent(&data.drawn(), curve, over.as_deref(), limits)
            }
            Test::Close { curves: [one, other], tolerance } => close(curves, one, other, *tolerance),
            Test::Turns { lower, higher } => turns(&data.drawn(), lower, higher),
            Test::EndsBelow { curves: names, value } => {
                let absent = names.iter().find(|name| named(curves, name).is_empty());
                let of = names.iter().flat_map(|name| named(curves, name)).collect::<Vec<_>>();
                ends_below(&of, absent.map(String::as_str), *value)
            }
            Test::AtLeast { value, except } => {
                let left_out = |curve: &&MeanCurve| except.iter().any(|name| named(curves, name).contains(curve));
                let chosen: Vec<&MeanCurve> = curves.iter().filter(|curve| !left_out(curve)).collect();
                at_least(&chosen, *value)
            }
        };
        let ClaimDecision { agreement, evidence } = decision;
        let effect = effect(&evidence);
        let explained = agreement == Agreement::Contradicted && !self.explanation.is_empty();
        let word = if self.quote.is_some() { words::claim(agreement) } else { words::question(agreement) };
        ClaimOutcome {
            claim: sentence(&self.text),
            quote: self.quote.clone(),
            source: self.source.clone(),
            title: self.title.clone(),
            outcome: word.into(),
            rule: self.rule(&evidence, data.axis),
            rate: None,
            learners: compared(&evidence),
            effect: effect.map(|effect| effect.mean),
            interval: effect.and_then(|effect| Some((effect.mean, effect.half_width?))).map(ends),
            replicates: effect.map_or(0, |effect| effect.count as u64),
            evidence: sentence(&evidence::words(&evidence, self.bound(), data)),
            explanation: explained.then(|| sentence(&self.explanation)),
        }
    }

    /// The verdict of a row, by its own test: what is said of all rows together is known where all of them are.
    fn of_row(&self, name: &str, rows: &[Assessment]) -> ClaimOutcome {
        let row = rows.iter().find(|row| row.row == name);
        let verdict = row.map_or_else(|| "missing: the row was not assessed".into(), rates::own);
        let compared = row.and_then(|row| Some((rates::measured(row)?, comparison(row)?)));
        let told = match (row, compared) {
            (Some(_), Some((found, comparison))) => {
                let exponent = plus_minus(comparison.delta + comparison.predicted, Some(comparison.half_width_95));
                format!(
                    "The exponent is {exponent} (95 %) over horizons {}, that of the bound there {}",
                    rates::range(found),
                    significant(comparison.predicted, 3)
                )
            }
            _ => verdict.clone(),
        };
        // Of a claim, the table of rates says why.
        let told = match row.filter(|_| self.quote.is_none()).and_then(rates::why_untestable) {
            Some(why) => format!("{told}. The row is not testable: {why}"),
            None => told,
        };
        let told = match row.filter(|row| row.is_outside()) {
            Some(row) => format!("{told}. Conditions of the theorem {}", rates::conditions(row)),
            None => told,
        };
        ClaimOutcome {
            claim: sentence(&self.text),
            quote: self.quote.clone(),
            source: self.source.clone(),
            title: self.title.clone(),
            outcome: of_row(&verdict, self.quote.is_some()),
            rule: row.map_or_else(String::new, |row| {
                format!(
                    "two one-sided tests at 5 % on the exponent minus the bound's on the same horizons, margin {}; 90 % \
                     jackknife interval over seeds",
                    row.margin
                )
            }),
            rate: Some(name.to_owned()),
            learners: row.map(|row| row.label.clone()).into_iter().collect(),
            effect: compared.map(|(_, comparison)| comparison.delta),
            interval: compared.map(|(_, comparison)| ends((comparison.delta, comparison.half_width_90))),
            replicates: compared.map_or(0, |(found, _)| found.sample.seeds() as u64),
            evidence: sentence(&told),
            // The table of rates explains its rows, where their verdicts are corrected for the number of tests.
            explanation: None,
        }
    }

    /// The bound on where curves end, the side of it on which the worst one is, and which side is past it.
    fn bound(&self) -> (f64, &'static str, &'static str) {
        match &self.test {
            Test::AtLeast { value, .. } => (*value, "lowest", "below"),
            Test::EndsBelow { value, .. } => (*value, "highest", "above"),
            _ => (f64::NAN, "last", "beyond"),
        }
    }

    /// The rule by which the data decide, in words.
    fn rule(&self, evidence: &Evidence, axis: Option<&str>) -> String {
        let level = 100.0 * LEVEL;
        let corrected = |among: usize, of: &str| match among {
            0 | 1 => String::new(),
            some => format!(", corrected for {some} {of} (Bonferroni)"),
        };
        let among = match evidence {
            Evidence::Difference { among, .. } | Evidence::Both { among, .. } => *among,
            Evidence::End { among, .. } | Evidence::Turn { among, .. } => *among,
            _ => 1,
        };
        match &self.test {
            Test::Order { .. } => {
                let choice = corrected(among, "pairs of curves, of which the best in hindsight is compared");
                format!("{level:.0} % t interval of the mean paired difference on one side of 0{choice}")
            }
            Test::Both { .. } => {
                let choice = corrected(among, "differences");
                format!("one curve has both {level:.0} % t intervals of mean paired differences above 0{choice}")
            }
            Test::Close { tolerance, .. } => {
                format!("{level:.0} % t interval of the mean paired difference within \u{b1} {tolerance}")
            }
            Test::Turns { .. } => {
                let all = corrected(among, if axis.is_some() { "points" } else { "rounds" });
                format!("{level:.0} % t intervals of mean paired differences below 0, and later above to the end{all}")
            }
            Test::EndsBelow { value, .. } => {
                let all = corrected(among, "curves");
                format!("{level:.0} % t intervals at or below {}{all}", significant(*value, 4))
            }
            Test::AtLeast { value, .. } => {
                let all = corrected(among, "curves");
                format!("{level:.0} % t intervals at or above {}{all}", significant(*value, 4))
            }
            Test::Exponent { at_most, at_least, .. } => {
                let limit =
                    |words: &str, value: &Option<f64>| value.map(|value| format!("{words} {}", significant(value, 4)));
                let limits = [limit("at least", at_least), limit("at most", at_most)];
                let limits = limits.into_iter().flatten().collect::<Vec<_>>().join(" and ");
                format!("{level:.0} % jackknife interval over replicates of the exponent {limits}")
            }
            Test::Rate(_) => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ClaimData, TestedClaim, comparison, of_row, rates};
    use crate::analysis::rate::assess::assess;
    use crate::analysis::rate::assess::tests::{ROW, experiment, row};
    use crate::analysis::rate::assessment::Assessed;
    use crate::analysis::rate::verdict::ExponentVerdict;

    fn read(test: &str) -> Result<TestedClaim, String> {
        toml::from_str(&format!("text = 't'\nsource = 's'\nquote = 'so it is'\ntest = {test}"))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn unknown_tests_and_fields_are_refused() {
        let close = "{ close = { curves = ['a', 'b'], tolerance = 0.1 } }";
        assert!(read(close).is_ok());
        assert!(read(&close.replace("tolerance", "last = 1, tolerance")).unwrap_err().contains("last"));
        assert!(read("{ rate = 'a-row' }").is_ok());
        assert!(read("{ turns = { lower = 'a', higher = 'b' } }").is_ok());
        // Exponents have one source, so that a claim cannot set its own tolerance.
        let fitted = read("{ at_most = { value = 0.5, tolerance = 0.1, last = 3 } }").unwrap_err();
        assert!(fitted.contains("at_most"), "{fitted}");
        assert!(read("{ order = { lower = [], higher = 'a' } }").unwrap_err().contains("empty"));
    }

    /// What a paper says of an exponent is decided by a row of rates, and an exponent without limits decides nothing.
    #[test]
    fn an_exponent_needs_limits_and_no_quotation() {
        let claim = |test: &str, quoted: bool| {
            let claim = read(&format!("{{ exponent = {{ curve = 'a'{test} }} }}")).unwrap();
            TestedClaim { quote: claim.quote.clone().filter(|_| quoted), ..claim }.mistake()
        };
        assert_eq!(claim(", at_most = 0.5", false), None);
        assert!(claim("", false).unwrap().contains("at_most"));
        assert!(claim(", at_most = 0.5", true).unwrap().contains("row of rates"));
        assert!(claim(", at_most = 0.5, at_least = 0.6", false).unwrap().contains("at most"));
    }

    #[test]
    fn what_no_data_could_decide_is_a_mistake() {
        for (test, word) in [
            ("{ close = { curves = ['a', 'b'], tolerance = -1 } }", "below 0"),
            ("{ close = { curves = ['a', 'a'], tolerance = 1 } }", "twice"),
            ("{ order = { lower = ['a', 'b'], higher = 'b' } }", "too"),
            ("{ both = { lower = ['a', 'b'], higher = 'a' } }", "too"),
            ("{ turns = { lower = 'a', higher = 'a' } }", "one curve"),
        ] {
            assert!(read(test).unwrap().mistake().unwrap_or_default().contains(word), "{test}");
        }
        assert_eq!(read("{ order = { lower = ['a', 'b'], higher = 'c' } }").unwrap().mistake(), None);
    }

    /// A claim about an exponent has the words and the numbers of its row, and none without the row.
    #[test]
    fn a_claim_quotes_its_row() {
        let found = assess(&row(ROW), Some(&experiment()), &[]);
        let name = found.row.clone();
        let claim = read(&format!("{{ rate = '{name}' }}")).unwrap();
        assert_eq!(claim.row(), Some(name.as_str()));
        let rows = [found];
        let outcome = claim.outcome(&ClaimData { rates: &rows, ..ClaimData::default() });
        let comparison = comparison(&rows[0]).unwrap();
        assert_eq!(
            (outcome.outcome, outcome.quote.as_deref()),
            (of_row(&rates::own(&rows[0]), true), Some("so it is"))
        );
        assert_eq!(outcome.effect, Some(comparison.delta));
        let (low, high) = outcome.interval.unwrap();
        assert!((high - low - 2.0 * comparison.half_width_90).abs() < 1e-12);
        assert_eq!(outcome.rate.as_deref(), Some(name.as_str()));
        // A question has no answer from a row that does not refuse its control, and says why.
        let mut rows = rows.clone();
        if let Assessed::Measured(found) = &mut rows[0].outcome {
            found.comparison.as_mut().unwrap().verdict = ExponentVerdict::Matches;
        }
        let question = TestedClaim { quote: None, ..claim.clone() };
        let answer = question.outcome(&ClaimData { rates: &rows, ..ClaimData::default() });
        let why = "The row is not testable: The row has no negative control.";
        assert_eq!(
            (answer.outcome.as_str(), answer.evidence.ends_with(why)),
            ("not testable here", true),
            "{answer:?}"
        );
        let missing = claim.outcome(&ClaimData::default());
        assert_eq!((missing.outcome.as_str(), missing.effect), ("missing", None));
    }
}
