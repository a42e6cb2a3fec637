//! The options that each panel of a figure of curves sets for itself, and facets.

use schemars::JsonSchema;
use serde::Deserialize;

use super::parts::{Abscissa, BoundLine, CurveGroup, ExactCurve, GuideSpec, Relative, Show};
use crate::chart::axis::AxisScale;
use crate::schema;
use noregret_core::params::number;

/// A panel: what it shows differently from the other panels. What it leaves out is that of the figure.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PanelSpec {
    /// Its heading, in markup.
    #[serde(default)]
    pub title: String,
    /// Its horizontal axis.
    pub(crate) against: Option<Abscissa>,
    /// Label of its horizontal axis, in markup.
    pub x: Option<String>,
    /// The scale of its horizontal axis.
    pub(crate) x_scale: Option<AxisScale>,
    /// Its vertical axis.
    pub(crate) show: Option<Show>,
    /// The label that its values are compared with.
    pub(crate) relative_to: Option<Relative>,
    /// The labels that it shows.
    #[serde(default)]
    pub(crate) only: Vec<String>,
    /// The streams that it shows.
    #[serde(default)]
    pub streams: Vec<String>,
    /// The experiments that it shows.
    #[serde(default)]
    pub experiments: Vec<String>,
    /// Label of its vertical axis, in markup.
    pub y: Option<String>,
    /// The scale of its vertical axis.
    pub(crate) y_scale: Option<AxisScale>,
    /// A fixed lower end of its vertical axis.
    #[serde(default, deserialize_with = "number::read_some")]
    #[schemars(schema_with = "schema::number")]
    pub(crate) y_min: Option<f64>,
    /// A fixed upper end of its vertical axis.
    #[serde(default, deserialize_with = "number::read_some")]
    #[schemars(schema_with = "schema::number")]
    pub(crate) y_max: Option<f64>,
    /// Its lines of the theory.
    pub guides: Option<Vec<GuideSpec>>,
    /// Its exact expectations.
    pub(crate) exact: Option<Vec<ExactCurve>>,
    /// Its bounds of theorems.
    pub bounds: Option<Vec<BoundLine>>,
    /// Its curves through the points of several labels.
    pub groups: Option<Vec<CurveGroup>>,
    /// Its labels that are drawn as horizontal lines.
    pub(crate) levels: Option<Vec<String>>,
}

impl PanelSpec {
    /// What is wrong with a horizontal axis of its own, in a figure that shows `show` and whose curves may be `grouped`.
    pub(super) fn mistake(&self, show: &Show, grouped: bool) -> Option<&'static str> {
        let groups = self.groups.as_ref().is_some_and(|groups| !groups.is_empty());
        let shown = self.show.as_ref().unwrap_or(show);
        match self.against.as_ref()? {
            Abscissa::Round if shown.each().iter().any(|(reading, _)| !reading.quantity.is_recorded()) => {
                Some("`show` has no values along the rounds")
            }
            Abscissa::Quantity(_) if !groups && !grouped => {
                Some("`groups` is missing: it says which labels a curve along this quantity goes through")
            }
            Abscissa::Quantity(_) => None,
            _ if groups => Some("`groups` are for panels against a quantity"),
            _ => None,
        }
    }
}

/// What panels of the same kind differ in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Facets {
    /// One panel for each stream.
    Stream,
    /// One panel for each experiment.
    Experiment,
    /// One panel for each label.
    Label,
}
