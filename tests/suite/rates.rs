//! Rows of rates of this project's own pipeline: each has a negative control where one can be built, and the control is
//! refused.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use noregret_core::protocol::protocols;
use noregret_core::protocol::record::RunStatus as Ended;
use noregret_report::analysis::quantity::RunQuantity;
use noregret_report::analysis::rate::assess::assess;
use noregret_report::analysis::rate::assessment::Assessed;
use noregret_report::analysis::rate::row::{Negative, RateRow};
use noregret_report::analysis::rate::verdict::ExponentVerdict;
use noregret_report::analysis::record::{ExperimentResults as Results, RunResult};
use noregret_report::trace::cell::EndStatus;
use noregret_report::trace::gauge::GaugeValues;
use noregret_study::comparator::compute::{Problem, Solved, solve};
use noregret_study::config::declared::Declared;
use noregret_study::config::experiment::Experiment;
use noregret_study::config::overrides::Override;
use noregret_study::config::project::Project;
use rayon::prelude::{IntoParallelIterator, ParallelIterator};

/// Rows without a negative control, and why none can be built from their experiment.
const WITHOUT: &[(&str, &str)] = &[
    ("iln-theorem-1-continuous-tanh2-norm-", "that of B = 1, whose steps take a sixteenth of the draws of B = 4"),
    ("iln-theorem-1-hard", "inputs are orthogonal: every rule predicts 0"),
    ("noisy-queries-", "any law of degrees asks for copies in proportion to the rounds"),
    ("robust-saturation-rkhs-", "the bound has (ln T)^2, with which it grows: errors that stay constant are within it"),
];

/// The seeds of each control.
const SEEDS: u32 = 5;

fn declared(overrides: &[String], targets: &[String]) -> Result<Declared, String> {
    let project = Project::find(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
    let overrides: Vec<Override> = overrides.iter().map(|given| Override::parse(given).unwrap()).collect();
    Declared::load(&project, "quick", &overrides, targets).map_err(|why| why.to_string())
}

/// The runs of a label at the row's horizons, played here and now.
fn played(row: &RateRow, experiment: &Arc<Experiment>) -> Results {
    let design = &experiment.design;
    let mut best: BTreeMap<Problem, f64> = BTreeMap::new();
    let mut runs = Vec::new();
    for cell in &experiment.cells {
        let stream = design.streams[cell.stream].name();
        let wanted = *cell.label == *row.label && row.stream.as_deref().is_none_or(|name| name == stream);
        if !wanted || cell.replicate >= SEEDS || !row.horizons.contains(&cell.horizon) {
            continue;
        }
        let record = cell.play(design, protocols::of(design, cell), None, &|| false).unwrap();
        let problem = Problem { stream: cell.stream, horizon: cell.horizon, replicate: cell.replicate };
        let comparator_loss = match &experiment.comparison {
            Some(comparison) if row.quantity == RunQuantity::Regret => {
                Some(*best.entry(problem).or_insert_with(|| {
                    let params = comparison.at(cell.horizon).unwrap();
                    let solved = solve(design, problem, comparison.entry, &params, None).unwrap();
                    serde_json::from_slice::<Solved>(&solved).unwrap().objective.unwrap()
                }))
            }
            _ => None,
        };
        let last = record.checkpoints.last();
        runs.push(RunResult {
            run_id: format!("{}-{}-{}", cell.label, cell.replicate, cell.horizon),
            stream: stream.to_owned(),
            learner: cell.learner.name.to_owned(),
            label: cell.label.to_string(),
            replicate: u64::from(cell.replicate),
            horizon: cell.horizon,
            in_file_order: false,
            status: if record.status == Ended::Done { EndStatus::Done } else { EndStatus::Diverged },
            detail: None,
            rounds: record.rounds,
            average_loss: None,
            cumulative_loss: last.map(|last| last.cumulative_loss),
            cumulative_error: None,
            comparator_loss,
            gauges: last.map(GaugeValues::new).unwrap_or_default(),
            measures: record.measures,
            tuned: None,
            parameters: BTreeMap::new(),
        });
    }
    Results { name: row.experiment.clone(), runs, ..Results::default() }
}

/// The verdict of a row with its control in place of its own runs; `None` for the row's own runs.
fn verdict(name: &str, negative: Option<&Negative>) -> Result<ExponentVerdict, String> {
    let set = negative.map(|negative| negative.set.clone()).unwrap_or_default();
    let declared = declared(&set, &[format!("rates/{name}")])?;
    let own = &declared.rates[name];
    let changed = |of: fn(&Negative) -> &Option<String>| negative.and_then(|negative| of(negative).clone());
    let quantity = changed(|negative| &negative.quantity);
    let row = RateRow {
        label: changed(|negative| &negative.label).unwrap_or_else(|| own.label.clone()),
        quantity: quantity.as_ref().map_or_else(|| own.quantity.clone(), |name| RunQuantity::read(name).unwrap()),
        quantity_name: quantity.unwrap_or_else(|| own.quantity_name.clone()),
        horizons: negative.and_then(|one| one.horizons.clone()).unwrap_or_else(|| own.horizons.clone()),
        control: None,
        ..own.clone()
    };
    let results = played(&row, &declared.experiments[&row.experiment]);
    match assess(&row, Some(&results), &[]).outcome {
        Assessed::Measured(found) => match found.comparison {
            Some(comparison) => Ok(comparison.verdict),
            None => Err(format!("no exponent: not positive at {:?}", found.not_positive)),
        },
        Assessed::Missing(why) => Err(why),
    }
}

/// At the quick profile's horizons and 5 seeds, each negative control is steeper or faster than the theorem by its own
/// test. "Inconclusive" would not do: wide intervals refuse nothing. The seeds are fixed.
#[test]
fn every_negative_control_is_refused() {
    let rows = declared(&[], &["table/rates".into(), "table/costs".into()]).unwrap().rates;
    let without = |name: &str| WITHOUT.iter().any(|(start, _)| name.starts_with(start));
    for (start, why) in WITHOUT {
        assert!(rows.keys().any(|name| name.starts_with(start)), "no row {start}, which would have no control: {why}");
    }
    let named: Vec<(&String, &RateRow)> = rows.iter().collect();
    let wrong: Vec<String> = named
        .into_par_iter()
        .filter_map(|(name, row)| match &row.negative {
            None if without(name) => None,
            None => Some(format!("{name} has no negative control")),
            Some(_) if without(name) => Some(format!("{name} has a negative control and needs no exemption")),
            Some(negative) => match verdict(name, Some(negative)) {
                Ok(ExponentVerdict::Steeper | ExponentVerdict::Faster) => None,
                Ok(other) => Some(format!("{name}: {} is {}", negative.what, other.key())),
                Err(why) => Some(format!("{name}: {why}")),
            },
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The same procedure accepts runs that are as the theorem asks: it does not refuse everything.
#[test]
fn own_runs_are_accepted_by_the_same_procedure() {
    for name in ["pkawv-capacity-s1", "noisy-theorem-6-hinge", "cost-exact-spline"] {
        let found = verdict(name, None).unwrap();
        assert!(!matches!(found, ExponentVerdict::Steeper | ExponentVerdict::Faster), "{name}: {}", found.key());
    }
    assert_eq!(verdict("cost-exact-spline", None), Ok(ExponentVerdict::Matches));
    assert_eq!(verdict("pkawv-capacity-s1", None), Ok(ExponentVerdict::Matches));
}
