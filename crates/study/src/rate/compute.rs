//! A row of the table of rates, from the runs of its experiment.

use crate::summarise::read::Cause;
use noregret_report::analysis::rate::assess::assess;
use noregret_report::analysis::rate::assessment::{Assessed, Assessment};
use noregret_report::analysis::rate::negative::refuse;
use noregret_report::analysis::rate::row::RateRow;
use noregret_report::analysis::rate::setup::Setup;
use noregret_report::analysis::record::ExperimentResults;
use noregret_report::trace::cell::TableProvenance;
use noregret_report::trace::points::{RateHeading, RateValue, write};

/// Where code identity starts.
pub const MODULE: &str = module_path!();

/// The values behind a row as Parquet bytes, and its assessment as JSON. `experiment` has its runs and `control` those of
/// its negative control, where they left results; `setups` say how its own runs were configured.
///
/// # Errors
/// What could not be written.
pub(crate) fn assessed(
    row: &RateRow,
    [experiment, control]: [Option<&ExperimentResults>; 2],
    setups: &[Setup<'_>],
    provenance: &TableProvenance,
) -> Result<(Vec<u8>, Vec<u8>), Cause> {
    let assessment = refuse(row, assess(row, experiment, setups), control, setups);
    let mut text = serde_json::to_vec_pretty(&assessment)?;
    text.push(b'\n');
    let heading = RateHeading {
        row: row.name.clone(),
        experiment: row.experiment.clone(),
        label: row.label.clone(),
        quantity: row.quantity_name.clone(),
    };
    let values = write(provenance, &heading, &points(&assessment))?;
    Ok((values, text))
}

/// The measured values, with the theorem's shape and bound beside them.
fn points(assessment: &Assessment) -> Vec<RateValue> {
    let Assessed::Measured(measured) = &assessment.outcome else { return Vec::new() };
    let sample = &measured.sample;
    let mut points = Vec::new();
    for (i, horizon) in sample.horizons.iter().enumerate() {
        for (seed, replicate) in sample.replicates.iter().enumerate() {
            points.push(RateValue {
                horizon: *horizon,
                replicate: *replicate,
                value: sample.values[seed][i],
                plain: measured.plain.as_ref().map(|plain| plain.values[seed][i]),
                shape: assessment.shape.ln(*horizon as f64).exp(),
                bound: measured.bounds.as_ref().map(|bounds| bounds[seed][i]),
            });
        }
    }
    points
}
