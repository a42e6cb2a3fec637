//! The options of the kind `curves`.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};

use crate::analysis::combine::Comparison;
use crate::analysis::exact::Expectation;
use crate::analysis::quantity::{Quantity, Reading};
use crate::report::caption::Unit;
use crate::report::chart::axis::Scale;
use crate::report::claim::constant;
use crate::report::error::ReportError;
use crate::report::figure::api::{Checked, FigureSpec, Name, Named};
use crate::schema;
use noregret_core::params::number;

/// What is drawn and in which order, what is drawn beside it, and what the caption says.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CurvesOptions {
    /// The vertical axis: a quantity (see [`Reading`]), or several, each with a suffix for the labels of its curves.
    pub show: Show,
    /// The horizontal axis: `round`, `horizon`, or a quantity at the end of the longest runs.
    pub against: Against,
    /// The label that values are compared with, replicate by replicate.
    pub relative_to: Option<Relative>,
    /// Whether to draw, for each label, only the largest value among the experiments.
    #[serde(default)]
    pub worst_of_experiments: bool,
    /// The streams shown; all if it is empty.
    #[serde(default)]
    pub streams: Vec<String>,
    /// The labels shown, in the order of the legend; all if it is empty.
    #[serde(default)]
    pub only: Vec<String>,
    /// If all labels are shown, the first ones in the order of the legend. The others follow by name.
    #[serde(default)]
    pub order: Vec<String>,
    /// If the abscissa is a quantity, curves through the points of several labels.
    #[serde(default)]
    pub groups: Vec<Group>,
    /// Labels that are drawn as horizontal lines and belong to no group.
    #[serde(default)]
    pub levels: Vec<String>,
    /// The first round drawn. Averages and times say little about the first few rounds.
    #[serde(default)]
    pub from_round: u64,
    /// The scale of the horizontal axis.
    #[serde(default = "log")]
    pub x_scale: Scale,
    /// The scale of the vertical axis.
    #[serde(default = "log")]
    pub y_scale: Scale,
    /// A fixed lower end of the vertical axis, where curves are cut off.
    #[serde(default, deserialize_with = "number::read_some")]
    #[schemars(schema_with = "schema::number")]
    pub y_min: Option<f64>,
    /// A fixed upper end of the vertical axis, where curves are cut off.
    #[serde(default, deserialize_with = "number::read_some")]
    #[schemars(schema_with = "schema::number")]
    pub y_max: Option<f64>,
    /// Lines of the theory.
    #[serde(default)]
    pub guides: Vec<GuideSpec>,
    /// Exact expectations of curves along horizons.
    #[serde(default)]
    pub exact: Vec<Exact>,
    /// What the caption says besides what was run.
    pub tell: Option<Tell>,
    /// With `tell = "points"`, what the caption says about each point; with ends, about the end of each curve.
    #[serde(default)]
    pub details: Vec<Detail>,
    /// The stream that the lowest means are compared with in the caption.
    pub baseline: Option<String>,
}

fn log() -> Scale {
    Scale::Log
}

/// The vertical axis.
#[derive(Deserialize)]
#[serde(try_from = "toml::Value")]
pub enum Show {
    /// One quantity.
    One(Reading),
    /// Several quantities of the same runs.
    Several(Vec<Suffixed>),
}

/// A quantity, and a suffix for the labels of its curves.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Suffixed {
    /// The quantity.
    pub quantity: Reading,
    /// The suffix, which follows a colon.
    pub label: String,
}

impl TryFrom<toml::Value> for Show {
    type Error = String;

    fn try_from(value: toml::Value) -> Result<Self, String> {
        match value {
            toml::Value::String(text) => Reading::try_from(text).map(Show::One),
            other => Vec::deserialize(other).map(Show::Several).map_err(|error| error.to_string()),
        }
    }
}

impl JsonSchema for Show {
    fn schema_name() -> Cow<'static, str> {
        "Show".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (one, several) = (Reading::json_schema(generator), Vec::<Suffixed>::json_schema(generator));
        json_schema!({ "anyOf": [one, several] })
    }
}

impl Show {
    /// The quantities, each with the suffix for the labels of its curves.
    pub fn each(&self) -> Vec<(&Reading, Option<&str>)> {
        match self {
            Show::One(reading) => vec![(reading, None)],
            Show::Several(all) => all.iter().map(|one| (&one.quantity, Some(one.label.as_str()))).collect(),
        }
    }
}

/// The horizontal axis.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub enum Against {
    /// The rounds of the longest runs.
    Round,
    /// The horizons, one run for each.
    Horizon,
    /// A quantity at the end of the longest runs.
    Quantity(Reading),
}

impl JsonSchema for Against {
    fn schema_name() -> Cow<'static, str> {
        "Against".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}

impl Against {
    /// Whether the experiment chooses its values, so that ticks belong there.
    pub fn is_chosen(&self) -> bool {
        match self {
            Against::Round => false,
            Against::Horizon => true,
            Against::Quantity(reading) => matches!(reading.quantity, Quantity::Parameter(_)),
        }
    }
}

impl TryFrom<String> for Against {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match text.as_str() {
            "round" => Ok(Against::Round),
            "horizon" => Ok(Against::Horizon),
            _ => Reading::try_from(text).map(Against::Quantity).map_err(|why| format!("{why}, round, horizon")),
        }
    }
}

/// A label that values are compared with.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Relative {
    /// Its label.
    pub label: String,
    /// Whether values are divided by those of the label, or these are subtracted.
    pub by: Comparison,
}

/// A curve through the points of several labels.
#[derive(Deserialize)]
#[serde(try_from = "toml::Value")]
pub enum Group {
    /// Through the labels that begin with these words.
    Beginning(String),
    /// Through labels given by name.
    Through(Through),
}

/// A curve through labels given by name.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Through {
    /// The name of the curve.
    pub label: String,
    /// The labels whose points it joins.
    pub through: Vec<String>,
}

impl TryFrom<toml::Value> for Group {
    type Error = String;

    fn try_from(value: toml::Value) -> Result<Self, String> {
        match value {
            toml::Value::String(words) => Ok(Group::Beginning(words)),
            other => Through::deserialize(other).map(Group::Through).map_err(|error| error.to_string()),
        }
    }
}

impl JsonSchema for Group {
    fn schema_name() -> Cow<'static, str> {
        "Group".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (beginning, through) = (String::json_schema(generator), generator.subschema_for::<Through>());
        json_schema!({ "anyOf": [beginning, through] })
    }
}

impl Group {
    /// The name of the curve.
    pub fn label(&self) -> &str {
        match self {
            Group::Beginning(words) => words,
            Group::Through(through) => &through.label,
        }
    }

    /// Whether it goes through the points of a label.
    pub fn holds(&self, label: &str) -> bool {
        match self {
            Group::Beginning(words) => begins(label, words),
            Group::Through(one) => one.through.iter().any(|other| other == label),
        }
    }
}

/// Whether a label begins with these whole words: it equals them, or continues with a space, a comma or a colon.
pub fn begins(label: &str, words: &str) -> bool {
    label.strip_prefix(words).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ',', ':']))
}

/// A line of the theory, factor x^slope. Theorems often give only exponents: a line without a factor is drawn beside a
/// curve.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GuideSpec {
    /// The exponent of the abscissa.
    #[serde(deserialize_with = "number::read")]
    #[schemars(schema_with = "schema::number")]
    pub slope: f64,
    /// Its name in the legend, in markup.
    pub label: String,
    /// Its value at x = 1: a number or the name of a constant of the theory.
    #[serde(default, deserialize_with = "factor")]
    #[schemars(schema_with = "schema::constant")]
    pub factor: Option<f64>,
    /// The curve that it is drawn beside; the first curve by default.
    pub beside: Option<String>,
}

fn factor<'de, D: Deserializer<'de>>(source: D) -> Result<Option<f64>, D::Error> {
    constant(source).map(Some)
}

/// The exact expectation of a curve.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Exact {
    /// Its name in the legend.
    pub label: String,
    /// The label of the measured curve.
    pub of: String,
    /// The expectation.
    pub expectation: Expectation,
}

/// What a caption says besides what was run.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Tell {
    /// The last value of each curve, lowest first.
    Ends,
    /// The last value of each curve, lowest first, with the value at half of the rounds.
    Halves,
    /// The exponent fitted to each curve.
    Exponents,
    /// The value of each point.
    Points,
    /// The lowest value of each curve.
    Lowest,
}

/// Another quantity of the runs behind a point.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Detail {
    /// The quantity.
    pub quantity: Reading,
    /// What it counts, in the plural.
    pub words: String,
}

impl CurvesOptions {
    /// What the figure draws for one label.
    pub fn unit(&self) -> Unit {
        if matches!(self.against, Against::Quantity(_)) { Unit::Point } else { Unit::Curve }
    }

    /// Whether a quantity is on the vertical axis.
    pub fn shows(&self, quantity: &Quantity) -> bool {
        self.show.each().iter().any(|(reading, _)| reading.quantity == *quantity)
    }
}

/// Reads and checks the options.
pub fn read(spec: &FigureSpec) -> Result<CurvesOptions, ReportError> {
    let options: CurvesOptions = spec.options()?;
    let wrong = |why: String| Err(spec.wrong(format!("options: {why}")));
    let ends = [options.y_min, options.y_max];
    if options.y_scale == Scale::Log && ends.into_iter().flatten().any(|end| !(end > 0.0 && end.is_finite())) {
        return wrong("`y_min` and `y_max` are ends of a log axis, so they must be positive".into());
    }
    if let (Some(min), Some(max)) = (options.y_min, options.y_max)
        && min >= max
    {
        return wrong(format!("`y_min` {min} is not below `y_max` {max}"));
    }
    let unrecorded = options.show.each().iter().any(|(reading, _)| !reading.quantity.is_recorded());
    match &options.against {
        Against::Round if unrecorded => {
            return wrong(
                "`show` has no values along the rounds: measures and parameters are known at the end of a run".into(),
            );
        }
        _ if !options.only.is_empty() && !options.order.is_empty() => {
            return wrong("`only` already sets the order of the legend; leave `order` out".into());
        }
        Against::Quantity(_) if options.groups.is_empty() => {
            return wrong("`groups` is missing: it says which labels a curve along this quantity goes through".into());
        }
        Against::Round | Against::Horizon if !options.groups.is_empty() || !options.levels.is_empty() => {
            return wrong("`groups` and `levels` are for figures against a quantity".into());
        }
        _ => {}
    }
    for exact in &options.exact {
        exact.expectation.at(&[1]).map_err(|why| spec.wrong(format!("options: exact: {why}")))?;
    }
    Ok(options)
}

/// Checks the options, and returns what follows from them.
pub fn check(spec: &FigureSpec) -> Result<Checked, ReportError> {
    let options = read(spec)?;
    let mut readings: Vec<&Reading> = options.show.each().into_iter().map(|(reading, _)| reading).collect();
    if let Against::Quantity(reading) = &options.against {
        readings.push(reading);
    }
    let measured = readings.iter().any(|reading| reading.quantity == Quantity::ProcessorTime);
    let mut names = Vec::new();
    let mut add = |field: &str, of: Named, found: &mut dyn Iterator<Item = &String>| {
        names.extend(found.map(|name| Name { field: format!("options.{field}"), name: name.clone(), of }));
    };
    // If several quantities are shown, labels have a suffix.
    let suffixed = |label: &String| match &options.show {
        Show::Several(all) => {
            let cut = all.iter().find_map(|one| label.strip_suffix(&format!(": {}", one.label)));
            cut.unwrap_or(label).to_owned()
        }
        Show::One(_) => label.clone(),
    };
    add("order", Named::Label, &mut options.order.iter().map(suffixed).collect::<Vec<_>>().iter());
    add("only", Named::Label, &mut options.only.iter().map(suffixed).collect::<Vec<_>>().iter());
    add("levels", Named::Label, &mut options.levels.iter());
    add("relative_to.label", Named::Label, &mut options.relative_to.iter().map(|one| &one.label));
    add("exact.of", Named::Label, &mut options.exact.iter().map(|one| &one.of));
    add("guides.beside", Named::Curve, &mut options.guides.iter().filter_map(|one| one.beside.as_ref()));
    add("streams", Named::Stream, &mut options.streams.iter());
    add("baseline", Named::Stream, &mut options.baseline.iter());
    for group in &options.groups {
        match group {
            Group::Beginning(words) => add("groups", Named::Beginning, &mut std::iter::once(words)),
            Group::Through(one) => add("groups.through", Named::Label, &mut one.through.iter()),
        }
    }
    let claimed = spec.claims.iter().flat_map(|claim| claim.names()).map(|name| suffixed(&name.to_owned()));
    names.extend(claimed.map(|name| Name { field: "claims".into(), name, of: Named::Curve }));
    Ok(Checked { measured, names })
}
