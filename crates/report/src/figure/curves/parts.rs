//! What the options of a figure of curves and those of its panels consist of.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};

use crate::analysis::combine::RelativeBy;
use crate::analysis::exact::Expectation;
use crate::analysis::quantity::{QuantityReading, RunQuantity};
use crate::analysis::rate::assessment::Assessment;
use crate::chart::axis::AxisScale;
use crate::claim::constant;
use crate::rates::measured;
use crate::schema;
use noregret_core::params::number;

/// The horizontal axis.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub(super) enum Abscissa {
    /// The rounds of the longest runs.
    Round,
    /// The horizons, one run for each.
    Horizon,
    /// The labels, each with its value at the largest horizon: dots beside the names.
    Label,
    /// A quantity at the end of the longest runs.
    Quantity(QuantityReading),
}

impl JsonSchema for Abscissa {
    fn schema_name() -> Cow<'static, str> {
        "Abscissa".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}

impl Abscissa {
    /// Whether the experiment chooses its values, so that ticks belong there.
    pub(super) fn is_chosen(&self) -> bool {
        match self {
            Abscissa::Round | Abscissa::Label => false,
            Abscissa::Horizon => true,
            Abscissa::Quantity(reading) => matches!(reading.quantity, RunQuantity::Parameter(_)),
        }
    }
}

impl TryFrom<String> for Abscissa {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match text.as_str() {
            "round" => Ok(Abscissa::Round),
            "horizon" => Ok(Abscissa::Horizon),
            "label" => Ok(Abscissa::Label),
            _ => QuantityReading::try_from(text)
                .map(Abscissa::Quantity)
                .map_err(|why| format!("{why}, round, horizon, label")),
        }
    }
}

/// The vertical axis.
#[derive(PartialEq, Clone, Deserialize)]
#[serde(try_from = "toml::Value")]
pub(super) enum Show {
    /// One quantity.
    One(QuantityReading),
    /// Several quantities of the same runs.
    Several(Vec<Suffixed>),
}

/// A quantity, and a suffix for the labels of its curves.
#[derive(PartialEq, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Suffixed {
    /// The quantity.
    pub quantity: QuantityReading,
    /// The suffix, which follows a colon.
    pub label: String,
}

impl TryFrom<toml::Value> for Show {
    type Error = String;

    fn try_from(value: toml::Value) -> Result<Self, String> {
        match value {
            toml::Value::String(text) => QuantityReading::try_from(text).map(Show::One),
            other => {
                let all = Vec::<Suffixed>::deserialize(other).map_err(|error| error.to_string())?;
                match all.iter().enumerate().find(|(at, one)| all[..*at].iter().any(|other| other.label == one.label)) {
                    Some((_, twice)) => Err(format!("the label `{}` stands for two quantities", twice.label)),
                    None => Ok(Show::Several(all)),
                }
            }
        }
    }
}

impl JsonSchema for Show {
    fn schema_name() -> Cow<'static, str> {
        "Show".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (one, several) = (QuantityReading::json_schema(generator), Vec::<Suffixed>::json_schema(generator));
        json_schema!({ "anyOf": [one, several] })
    }
}

impl Show {
    /// The quantities, each with the suffix for the labels of its curves.
    pub(super) fn each(&self) -> Vec<(&QuantityReading, Option<&str>)> {
        match self {
            Show::One(reading) => vec![(reading, None)],
            Show::Several(all) => all.iter().map(|one| (&one.quantity, Some(one.label.as_str()))).collect(),
        }
    }
}

/// A label that values are compared with.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Relative {
    /// Its label.
    pub label: String,
    /// Whether values are divided by those of the label, or these are subtracted.
    pub(crate) by: RelativeBy,
}

impl Relative {
    /// The scale that fits: differences may be 0 or below.
    pub(super) fn scale(&self) -> AxisScale {
        match self.by {
            RelativeBy::Difference => AxisScale::Linear,
            RelativeBy::Ratio => AxisScale::Log,
        }
    }
}

/// A curve through the points of several labels.
#[derive(Clone, Deserialize)]
#[serde(try_from = "toml::Value")]
pub(super) enum CurveGroup {
    /// Through the labels that begin with these words.
    Beginning(String),
    /// Through labels given by name.
    Through(Through),
}

/// A curve through labels given by name.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Through {
    /// The name of the curve.
    pub label: String,
    /// The labels whose points it joins.
    pub(crate) through: Vec<String>,
}

impl TryFrom<toml::Value> for CurveGroup {
    type Error = String;

    fn try_from(value: toml::Value) -> Result<Self, String> {
        match value {
            toml::Value::String(words) => Ok(CurveGroup::Beginning(words)),
            other => Through::deserialize(other).map(CurveGroup::Through).map_err(|error| error.to_string()),
        }
    }
}

impl JsonSchema for CurveGroup {
    fn schema_name() -> Cow<'static, str> {
        "CurveGroup".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (beginning, through) = (String::json_schema(generator), generator.subschema_for::<Through>());
        json_schema!({ "anyOf": [beginning, through] })
    }
}

impl CurveGroup {
    /// The name of the curve.
    pub(super) fn label(&self) -> &str {
        match self {
            CurveGroup::Beginning(words) => words,
            CurveGroup::Through(through) => &through.label,
        }
    }

    /// Whether it goes through the points of a label.
    pub(super) fn holds(&self, label: &str) -> bool {
        match self {
            CurveGroup::Beginning(words) => begins(label, words),
            CurveGroup::Through(one) => one.through.iter().any(|other| other == label),
        }
    }
}

/// Whether a label begins with these whole words: it equals them, or continues with a space, a comma or a colon.
pub fn begins(label: &str, words: &str) -> bool {
    label.strip_prefix(words).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ',', ':']))
}

/// A line of the theory, factor x^slope. Theorems often give only exponents: a line without a factor is drawn beside a
/// curve.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct GuideSpec {
    /// The exponent of the abscissa.
    #[serde(deserialize_with = "number::read")]
    #[schemars(schema_with = "schema::number")]
    pub slope: f64,
    /// Its name in the legend, in markup.
    pub label: String,
    /// Its value at x = 1: a number or the name of a constant of the theory.
    #[serde(default, deserialize_with = "factor")]
    #[schemars(schema_with = "schema::constant")]
    pub(crate) factor: Option<f64>,
    /// The curve that it is drawn beside; the first curve by default.
    pub(crate) beside: Option<String>,
}

fn factor<'de, D: Deserializer<'de>>(source: D) -> Result<Option<f64>, D::Error> {
    constant(source).map(Some)
}

/// The exact expectation of a curve.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ExactCurve {
    /// Its name in the legend.
    pub label: String,
    /// The label of the measured curve.
    pub of: String,
    /// The expectation.
    pub(crate) expectation: Expectation,
}

/// The bound of a theorem with its constants.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct BoundLine {
    /// The row of rates whose bound it is: one that the figure or one of its claims names.
    pub row: String,
    /// Its name in the legend.
    pub label: String,
}

impl BoundLine {
    /// The horizons of the row, each with the mean of the bound over its runs; none where the row has no bound.
    pub(super) fn points(&self, rows: &[Assessment]) -> Vec<(f64, f64)> {
        let found = rows.iter().find(|row| row.row == self.row).and_then(measured);
        let Some((found, bounds)) = found.and_then(|found| Some((found, found.bounds.as_ref()?))) else {
            return Vec::new();
        };
        let mean = |at: usize| bounds.iter().map(|run| run[at]).sum::<f64>() / bounds.len() as f64;
        found.sample.horizons.iter().enumerate().map(|(at, horizon)| (*horizon as f64, mean(at))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::BoundLine;
    use crate::analysis::rate::assess::assess;
    use crate::analysis::rate::assess::tests::{ROW, experiment, row};
    use crate::analysis::rate::assessment::Assessed;

    #[test]
    fn a_bound_is_drawn_at_the_horizons_of_its_row() {
        let mut rows = [assess(&row(ROW), Some(&experiment()), &[])];
        let line = BoundLine { row: rows[0].row.clone(), label: "bound".into() };
        assert_eq!(line.points(&rows), [], "a row without a bound");
        let Assessed::Measured(found) = &mut rows[0].outcome else { panic!("{rows:?}") };
        let horizons = found.sample.horizons.clone();
        found.bounds = Some([1.0, 3.0].map(|bound| vec![bound; horizons.len()]).to_vec());
        let expected: Vec<(f64, f64)> = horizons.iter().map(|horizon| (*horizon as f64, 2.0)).collect();
        assert_eq!(line.points(&rows), expected);
        assert_eq!(BoundLine { row: "another".into(), ..line }.points(&rows), []);
    }
}
