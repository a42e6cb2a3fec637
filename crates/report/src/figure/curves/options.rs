//! The options of the kind `curves`.

use schemars::JsonSchema;
use serde::Deserialize;

use super::panels::{Facets, PanelSpec};
use super::parts::{Abscissa, BoundLine, CurveGroup, ExactCurve, GuideSpec, Relative, Show};
use crate::analysis::quantity::{QuantityReading, RunQuantity};
use crate::caption::Unit;
use crate::chart::axis::AxisScale;
use crate::error::ReportError;
use crate::exhibit::ExhibitNeed;
use crate::figure::api::{CheckedOptions, FigureSpec, Name, NameKind};
use crate::schema;
use noregret_core::params::number;

/// What is drawn and in which order, what is drawn beside it, and what the caption says.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CurvesOptions {
    /// The vertical axis: a quantity of the results, or several, each with a suffix for the labels of its curves.
    pub(crate) show: Show,
    /// The horizontal axis: `round`, `horizon`, or a quantity at the end of the longest runs; with `label`, the labels
    /// stand below each other, with their values at the largest horizon.
    pub(crate) against: Abscissa,
    /// The label that values are compared with, replicate by replicate.
    pub(crate) relative_to: Option<Relative>,
    /// Whether to draw, for each label, only the largest value among the experiments.
    #[serde(default)]
    pub(crate) worst_of_experiments: bool,
    /// The streams shown; all if it is empty.
    #[serde(default)]
    pub streams: Vec<String>,
    /// The labels shown, in the order of the legend; all if it is empty.
    #[serde(default)]
    pub(crate) only: Vec<String>,
    /// If all labels are shown, the first ones in the order of the legend. The others follow by name.
    #[serde(default)]
    pub order: Vec<String>,
    /// If the abscissa is a quantity, curves through the points of several labels.
    #[serde(default)]
    pub groups: Vec<CurveGroup>,
    /// Whether a group goes through all streams, so that a parameter of the streams can be the abscissa.
    #[serde(default)]
    pub(crate) through_streams: bool,
    /// Labels that are drawn as horizontal lines and belong to no group.
    #[serde(default)]
    pub(crate) levels: Vec<String>,
    /// The first round drawn. Averages and times say little about the first few rounds.
    #[serde(default)]
    pub(crate) from_round: u64,
    /// The scale of the horizontal axis.
    #[serde(default = "log")]
    pub(crate) x_scale: AxisScale,
    /// The scale of the vertical axis; linear for differences, else logarithmic, where it is not said.
    pub(crate) y_scale: Option<AxisScale>,
    /// A fixed lower end of the vertical axis, where curves are cut off.
    #[serde(default, deserialize_with = "number::read_some")]
    #[schemars(schema_with = "schema::number")]
    pub(crate) y_min: Option<f64>,
    /// A fixed upper end of the vertical axis, where curves are cut off.
    #[serde(default, deserialize_with = "number::read_some")]
    #[schemars(schema_with = "schema::number")]
    pub(crate) y_max: Option<f64>,
    /// Lines of the theory.
    #[serde(default)]
    pub guides: Vec<GuideSpec>,
    /// Exact expectations of curves along horizons.
    #[serde(default)]
    pub(crate) exact: Vec<ExactCurve>,
    /// Bounds of theorems along horizons.
    #[serde(default)]
    pub bounds: Vec<BoundLine>,
    /// What the caption says besides what was run.
    pub(crate) tell: Option<Tell>,
    /// With `tell = "points"`, what the caption says about each point; with ends, about the end of each curve.
    #[serde(default)]
    pub(crate) details: Vec<Detail>,
    /// The stream that the lowest means are compared with in the caption.
    pub baseline: Option<String>,
    /// Panels, each with what it shows differently; a single panel if there are none.
    #[serde(default)]
    pub(crate) panels: Vec<PanelSpec>,
    /// In a panel, the labels that are lines in some panel of the figure, and so belong to no curve.
    #[serde(skip)]
    pub apart: Vec<String>,
    /// One panel for each stream, experiment or label.
    pub(crate) facets: Option<Facets>,
    /// What stands beside each panel, of the same labels, streams and experiments: another quantity, or the same relative
    /// to a label.
    pub(crate) beside: Option<PanelSpec>,
    /// The number of panels beside each other; chosen by their number if it is 0.
    #[serde(default)]
    pub columns: usize,
}

fn log() -> AxisScale {
    AxisScale::Log
}

/// What a caption says besides what was run.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Tell {
    /// The last value of each curve, lowest first.
    Ends,
    /// The last value of each curve, lowest first, with the value at the last checkpoint in the first half.
    Halves,
    /// The exponent fitted to each curve.
    Exponents,
    /// The value of each point.
    Points,
    /// The lowest value of each curve.
    Lowest,
}

/// Another quantity of the runs behind a point.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Detail {
    /// The quantity.
    pub quantity: QuantityReading,
    /// What it counts, in the plural.
    pub words: String,
}

impl CurvesOptions {
    /// What the figure draws for one label.
    pub(super) fn unit(&self) -> Unit {
        let along = |panel: &PanelSpec| panel.against.as_ref().is_none_or(|against| *against == Abscissa::Round);
        match self.against {
            Abscissa::Quantity(_) => Unit::Point,
            Abscissa::Round if self.specs().all(along) => Unit::Trace,
            _ => Unit::Curve,
        }
    }

    /// What panels say of themselves.
    pub(super) fn specs(&self) -> impl Iterator<Item = &PanelSpec> {
        self.panels.iter().chain(&self.beside)
    }

    /// The quantities on the vertical axes of all panels.
    pub(super) fn readings(&self) -> Vec<&QuantityReading> {
        let own = self.specs().filter_map(|panel| panel.show.as_ref());
        own.chain([&self.show]).flat_map(Show::each).map(|(reading, _)| reading).collect()
    }

    /// The scale of the vertical axis.
    pub(super) fn y_scale(&self) -> AxisScale {
        self.y_scale.unwrap_or_else(|| self.relative_to.as_ref().map_or(AxisScale::Log, Relative::scale))
    }

    /// Whether a quantity is on a vertical axis.
    pub(super) fn shows(&self, quantity: &RunQuantity) -> bool {
        self.readings().iter().any(|reading| reading.quantity == *quantity)
    }
}

/// What an option is for that would do nothing.
fn idle(options: &CurvesOptions) -> Option<String> {
    let along = || options.specs().filter_map(|panel| panel.against.as_ref()).chain([&options.against]);
    if options.from_round > 0 && !along().any(|against| *against == Abscissa::Round) {
        return Some("`from_round` is for figures along the rounds".into());
    }
    if matches!(options.tell, Some(Tell::Points)) && !along().any(|against| matches!(against, Abscissa::Quantity(_))) {
        return Some(
            "`tell = \"points\"` is for figures against a quantity; `ends` tells the last value of each curve".into(),
        );
    }
    let own = options.specs().map(|panel| (panel.show.as_ref().unwrap_or(&options.show), &panel.only));
    let mut labels = own.chain([(&options.show, &options.only), (&options.show, &options.order)]);
    labels.find_map(|(show, labels)| {
        let Show::Several(all) = show else { return None };
        let bare = |label: &&String| !all.iter().any(|one| label.ends_with(&format!(": {}", one.label)));
        let (bare, first) = (labels.iter().find(bare)?, all.first().map_or("", |one| &one.label));
        Some(format!("the curves of `{bare}` have the names of what they show: `{bare}: {first}`, ..."))
    })
}

/// Reads and checks the options.
pub(super) fn read(spec: &FigureSpec) -> Result<CurvesOptions, ReportError> {
    let options: CurvesOptions = spec.options()?;
    let wrong = |why: String| Err(spec.wrong(format!("options: {why}")));
    let ends = [options.y_min, options.y_max];
    if options.y_scale() == AxisScale::Log && ends.into_iter().flatten().any(|end| !(end > 0.0 && end.is_finite())) {
        return wrong("`y_min` and `y_max` are ends of a log axis, so they must be positive".into());
    }
    if let (Some(min), Some(max)) = (options.y_min, options.y_max)
        && min >= max
    {
        return wrong(format!("`y_min` {min} is not below `y_max` {max}"));
    }
    let unrecorded = options.readings().iter().any(|reading| !reading.quantity.is_recorded());
    match &options.against {
        Abscissa::Round if unrecorded => {
            return wrong(
                "`show` has no values along the rounds: measures and parameters are known at the end of a run".into(),
            );
        }
        _ if !options.only.is_empty() && !options.order.is_empty() => {
            return wrong("`only` already sets the order of the legend; leave `order` out".into());
        }
        Abscissa::Quantity(_) if options.groups.is_empty() => {
            return wrong("`groups` is missing: it says which labels a curve along this quantity goes through".into());
        }
        Abscissa::Round if !options.groups.is_empty() => {
            return wrong("`groups` are for figures against a quantity".into());
        }
        Abscissa::Horizon | Abscissa::Label if !options.groups.is_empty() || !options.levels.is_empty() => {
            return wrong("`groups` and `levels` are for figures against a quantity".into());
        }
        _ => {}
    }
    if let Some(why) = idle(&options) {
        return wrong(why);
    }
    if options.facets.is_some() && !options.panels.is_empty() {
        return wrong("`facets` makes the panels; leave `panels` out, or `facets`".into());
    }
    for panel in options.specs() {
        if let Some(other) = panel.experiments.iter().find(|name| !spec.experiments.contains(name)) {
            return wrong(format!("panels: `{other}` is not among the experiments of the figure"));
        }
        if let Some(why) = panel.mistake(&options.show, !options.groups.is_empty()) {
            return wrong(format!("panels: {why}"));
        }
        let scale = panel.y_scale.or(options.y_scale).unwrap_or(match &panel.relative_to {
            Some(reference) => reference.scale(),
            None => options.y_scale(),
        });
        let ends = [panel.y_min, panel.y_max].into_iter().flatten();
        if scale == AxisScale::Log && ends.into_iter().any(|end| !(end > 0.0 && end.is_finite())) {
            return wrong("panels: `y_min` and `y_max` are ends of a log axis, so they must be positive".into());
        }
    }
    let exact = options.specs().filter_map(|panel| panel.exact.as_ref()).flatten().chain(&options.exact);
    for exact in exact {
        exact.expectation.at(&[1]).map_err(|why| spec.wrong(format!("options: exact: {why}")))?;
    }
    Ok(options)
}

/// Checks the options, and returns what follows from them.
pub(super) fn check(spec: &FigureSpec) -> Result<CheckedOptions, ReportError> {
    let options = read(spec)?;
    let mut readings = options.readings();
    let along = options.specs().filter_map(|panel| panel.against.as_ref()).chain([&options.against]);
    readings.extend(along.filter_map(|against| match against {
        Abscissa::Quantity(reading) => Some(reading),
        _ => None,
    }));
    let measured = readings.iter().any(|reading| reading.quantity == RunQuantity::ProcessorTime);
    let mut names = Vec::new();
    let mut add = |field: &str, of: NameKind, found: &mut dyn Iterator<Item = &String>| {
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
    add("order", NameKind::Label, &mut options.order.iter().map(suffixed).collect::<Vec<_>>().iter());
    add("only", NameKind::Label, &mut options.only.iter().map(suffixed).collect::<Vec<_>>().iter());
    let only = options.specs().flat_map(|panel| &panel.only).map(suffixed).collect::<Vec<_>>();
    add("panels.only", NameKind::Label, &mut only.iter());
    add("panels.streams", NameKind::Stream, &mut options.specs().flat_map(|panel| &panel.streams));
    let relative = options.specs().filter_map(|panel| panel.relative_to.as_ref());
    add("panels.relative_to.label", NameKind::Label, &mut relative.map(|one| &one.label));
    let exact = options.specs().filter_map(|panel| panel.exact.as_ref()).flatten();
    add("panels.exact.of", NameKind::Label, &mut exact.map(|one| &one.of));
    let guides = options.specs().filter_map(|panel| panel.guides.as_ref()).flatten();
    add("panels.guides.beside", NameKind::Curve, &mut guides.filter_map(|one| one.beside.as_ref()));
    add("panels.levels", NameKind::Label, &mut options.specs().filter_map(|panel| panel.levels.as_ref()).flatten());
    add("levels", NameKind::Label, &mut options.levels.iter());
    add("relative_to.label", NameKind::Label, &mut options.relative_to.iter().map(|one| &one.label));
    add("exact.of", NameKind::Label, &mut options.exact.iter().map(|one| &one.of));
    add("guides.beside", NameKind::Curve, &mut options.guides.iter().filter_map(|one| one.beside.as_ref()));
    add("streams", NameKind::Stream, &mut options.streams.iter());
    add("baseline", NameKind::Stream, &mut options.baseline.iter());
    let groups = || options.groups.iter().chain(options.specs().filter_map(|panel| panel.groups.as_ref()).flatten());
    for group in groups() {
        match group {
            CurveGroup::Beginning(words) => add("groups", NameKind::Beginning, &mut std::iter::once(words)),
            CurveGroup::Through(one) => add("groups.through", NameKind::Label, &mut one.through.iter()),
        }
    }
    for BoundLine { row, .. } in
        options.bounds.iter().chain(options.specs().filter_map(|p| p.bounds.as_ref()).flatten())
    {
        if !spec.rows().any(|named| named == row) {
            return Err(spec.wrong(format!("options.bounds: neither `rates` nor a claim of the figure names {row}")));
        }
    }
    // A curve through several labels may have a name of its own.
    let own = |name: &&str| groups().any(|group| matches!(group, CurveGroup::Through(one) if one.label == **name));
    let claimed = spec.claims.iter().flat_map(|claim| claim.names()).filter(|name| !own(name));
    let claimed = claimed.map(|name| suffixed(&name.to_owned()));
    names.extend(claimed.map(|name| Name { field: "claims".into(), name, of: NameKind::Curve }));
    Ok(CheckedOptions { measured, names, needs: vec![ExhibitNeed::Hindsight], claims: 1 })
}
