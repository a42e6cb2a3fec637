//! What each sort of rows gives: points in panels, and what is said of them.

use crate::analysis::record::ExperimentResults;
use crate::caption::FigureContext;
use crate::chart::plot::{AxisSpec, ChartSeries, SeriesPoint};
use crate::error::ReportError;
use crate::figure::api::{CheckedOptions, FigureSpec};
use noregret_papers::paper::Paper;

/// A sort of rows.
pub(super) trait PointRows {
    /// Checks what it asks for, and returns what follows from it.
    fn check(&self, spec: &FigureSpec) -> Result<CheckedOptions, ReportError>;

    /// The points of the rows, and what is said of them.
    fn points(&self, input: &PointsInput<'_>) -> Result<DrawnPoints, ReportError>;
}

/// What points are made from.
pub(super) struct PointsInput<'a> {
    pub spec: &'a FigureSpec,
    pub experiments: &'a [&'a ExperimentResults],
    pub context: &'a FigureContext,
}

/// Points in panels, and what is said of them.
pub(super) struct DrawnPoints {
    pub x: AxisSpec,
    /// The vertical axis of panels without names.
    pub y: AxisSpec,
    pub(crate) panels: Vec<PointsPanel>,
    /// Where a line stands that the points are compared with: upright beside names, else level.
    pub(crate) reference: Option<f64>,
    /// See [`Drawn::columns`](crate::figure::api::DrawnFigure::columns), as for what follows.
    pub columns: usize,
    pub(crate) run: String,
    pub(crate) finding: Option<String>,
    pub notes: Vec<String>,
}

/// A panel.
pub(super) struct PointsPanel {
    pub title: String,
    /// The names of the ordinates 0, -1, -2, ..., where they are names.
    pub names: Option<Vec<String>>,
    pub series: Vec<ChartSeries>,
}

/// What follows for rows that are rows of rates, which the figure has to name.
pub(super) fn of_rates(spec: &FigureSpec) -> Result<CheckedOptions, ReportError> {
    match spec.rates.is_empty() {
        true => Err(spec.wrong("`rates` names no row of rates".into())),
        false => Ok(CheckedOptions::default()),
    }
}

/// The points of rows that stand below each other, each with one point at most.
pub(super) fn listed<T>(rows: &[T], point: impl Fn(&T) -> Option<SeriesPoint>) -> Vec<SeriesPoint> {
    let at = |(index, row)| {
        let (point, y) = (point(row)?, -(index as f64));
        Some(SeriesPoint { y, value: point.value.map(|[x, _]| [x, y]), ..point })
    };
    rows.iter().enumerate().filter_map(at).collect()
}

/// A panel for each paper that has rows.
pub(super) fn by_paper<T>(
    rows: &[T],
    paper: impl Fn(&T) -> Paper,
    panel: impl Fn(&[&T]) -> PointsPanel,
) -> Vec<PointsPanel> {
    let of = |wanted: Paper| {
        let here: Vec<&T> = rows.iter().filter(|row| paper(row) == wanted).collect();
        (!here.is_empty()).then(|| PointsPanel { title: wanted.title().to_owned(), ..panel(&here) })
    };
    Paper::ALL.into_iter().filter_map(of).collect()
}
