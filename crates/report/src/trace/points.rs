//! The values behind a row of the table of rates, as Parquet. Schema: [`crate::trace::schema::POINTS`].

use crate::trace::cell::TableProvenance;
use crate::trace::schema::{POINTS, RATES};
use crate::trace::table::{ColumnData, TableWriter, TraceError, WrittenColumn};

/// What all values of a row share.
#[derive(Clone, Debug, PartialEq)]
pub struct RateHeading {
    /// Name of the row.
    pub row: String,
    /// Name of the experiment.
    pub experiment: String,
    /// Name of the curve.
    pub label: String,
    /// The quantity.
    pub quantity: String,
}

/// One value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateValue {
    /// Horizon of the run.
    pub horizon: u64,
    /// Replicate.
    pub replicate: u64,
    /// Value of the quantity; where the row has a control variate, with it.
    pub value: f64,
    /// Value without the control variate, where the row has one.
    pub plain: Option<f64>,
    /// The theorem's shape g(T), without its constant factor.
    pub shape: f64,
    /// The theorem's bound for this run, where the row checks values.
    pub bound: Option<f64>,
}

/// The table of a row, in the order given.
pub fn write(provenance: &TableProvenance, heading: &RateHeading, points: &[RateValue]) -> Result<Vec<u8>, TraceError> {
    let fields: Vec<WrittenColumn> = POINTS.iter().map(WrittenColumn::from).collect();
    let mut table = TableWriter::new(Vec::new(), RATES, &fields, provenance.metadata(), 0)?;
    let text = |text: &str| ColumnData::Text(vec![Some(text.to_owned()); points.len()]);
    let count = |of: fn(&RateValue) -> u64| ColumnData::Count(points.iter().map(|point| Some(of(point))).collect());
    let number = |of: fn(&RateValue) -> Option<f64>| ColumnData::Number(points.iter().map(of).collect());
    table.push(vec![
        text(&heading.row),
        text(&heading.experiment),
        text(&heading.label),
        text(&heading.quantity),
        count(|point| point.horizon),
        count(|point| point.replicate),
        number(|point| Some(point.value)),
        number(|point| point.plain),
        number(|point| Some(point.shape)),
        number(|point| point.bound),
    ])?;
    table.finish()
}
