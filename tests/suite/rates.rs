//! Rows of rates of this project's own pipeline: each has a negative control that it refuses, or says why none was found.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use noregret_core::protocol::protocols;
use noregret_core::protocol::record::RunStatus as Ended;
use noregret_report::analysis::quantity::RunQuantity;
use noregret_report::analysis::rate::assess::assess;
use noregret_report::analysis::rate::assessment::Assessed;
use noregret_report::analysis::rate::negative::refuse;
use noregret_report::analysis::rate::row::RateRow;
use noregret_report::analysis::rate::verdict::ExponentVerdict;
use noregret_report::analysis::record::{ExperimentResults as Results, RunResult};
use noregret_report::figure::api::FigureSpec;
use noregret_report::trace::cell::EndStatus;
use noregret_report::trace::gauge::GaugeValues;
use noregret_study::comparator::compute::{Problem, Solved, solve};
use noregret_study::config::declared::Declared;
use noregret_study::config::experiment::Experiment;
use noregret_study::config::project::Project;
use noregret_study::rate::design;
use rayon::prelude::{IntoParallelIterator, ParallelIterator};
use sha2::{Digest as _, Sha256};

/// The seeds of a row's own runs.
const SEEDS: u32 = 5;

fn declared(profile: &str, targets: &[&str]) -> Declared {
    let project = Project::find(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
    let targets: Vec<String> = targets.iter().map(|target| (*target).to_owned()).collect();
    Declared::load(&project, profile, &[], &targets).unwrap()
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

/// At the quick profile's horizons, each negative control is steeper than the theorem by the row's own test, except where
/// the row says that none was found. "Faster" refuses nothing, and neither do wide intervals. The seeds are fixed.
#[test]
fn every_negative_control_is_steeper() {
    let declared = declared("quick", &["table/rates", "table/costs"]);
    let rows: Vec<(&String, &RateRow)> = declared.rates.iter().collect();
    let wrong: Vec<String> = rows
        .into_par_iter()
        .filter_map(|(name, row)| {
            let Some(negative) = &row.negative else { return Some(format!("{name} has no negative control")) };
            let runs = played(&row.of_control().unwrap(), &declared.controls[name]);
            // Of the control alone: what the row's own runs say is not asked here.
            let control = refuse(row, assess(row, None, &[]), Some(&runs), &[]).negative.unwrap();
            match (control.refused, &negative.untestable) {
                (true, None) | (false, Some(_)) => None,
                (true, Some(_)) => Some(format!("{name} refuses its control and is testable")),
                (false, None) => Some(format!(
                    "{name}: {} is {:?}{}",
                    negative.what,
                    control.comparison.map(|one| (one.verdict, one.delta, one.half_width_90)),
                    control.missing.unwrap_or_default()
                )),
            }
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The same procedure accepts runs that are as the theorem asks: it does not refuse everything.
#[test]
fn own_runs_are_accepted_by_the_same_procedure() {
    for (name, exact) in [("pkawv-capacity-s1", true), ("noisy-theorem-6-hinge", false), ("cost-exact-spline", true)] {
        let declared = declared("quick", &[&format!("rates/{name}")]);
        let row = &declared.rates[name];
        let found = assess(row, Some(&played(row, &declared.experiments[&row.experiment])), &[]);
        let Assessed::Measured(found) = found.outcome else { panic!("{name}: {:?}", found.outcome) };
        let verdict = found.comparison.unwrap().verdict;
        assert!(!matches!(verdict, ExponentVerdict::Steeper | ExponentVerdict::Faster), "{name}: {}", verdict.key());
        assert!(!exact || verdict == ExponentVerdict::Matches, "{name}: {}", verdict.key());
    }
}

/// The digest of a finding's design: its question, the tests that answer it, and every cell of its experiments.
fn digest_of_finding(spec: &FigureSpec, declared: &Declared) -> String {
    let mut design = Sha256::new();
    design.update(serde_json::json!([spec.title, spec.options]).to_string());
    design.update(format!("{:?}", spec.claims.iter().map(|claim| &claim.test).collect::<Vec<_>>()));
    for experiment in spec.experiments.iter().filter_map(|name| declared.experiments.get(name)) {
        experiment.cells.iter().for_each(|cell| design.update(cell.canonical(&experiment.design)));
    }
    hex::encode(&design.finalize()[..8])
}

/// Nobody changes what a row or a finding measures in silence: a design that differs from the last one recorded needs a line
/// with the day and the reason, which the page shows. `NOREGRET_DESIGN="2026-12-01 because ..."` adds the lines that are
/// missing.
#[test]
fn designs_are_as_they_are_recorded() {
    let declared = declared("paper", &[]);
    let rows = declared.rates.iter().map(|(name, row)| {
        (name.clone(), design::digest(row, &declared.experiments[&row.experiment]), row.designs.as_slice())
    });
    let findings = declared.figures.values().filter(|figure| figure.spec.finding.is_some()).map(|figure| {
        let name = format!("figure/{}", figure.spec.name);
        let recorded = declared.designs.get(&name).map(Vec::as_slice).unwrap_or_default();
        (name, digest_of_finding(&figure.spec, &declared), recorded)
    });
    let (mut missing, mut known) = (String::new(), BTreeSet::new());
    for (name, digest, recorded) in rows.chain(findings) {
        if recorded.last().is_none_or(|last| last.digest != digest) {
            missing += &format!("{name} {digest} {}\n", std::env::var("NOREGRET_DESIGN").unwrap_or_default());
        }
        assert!(recorded.is_sorted_by(|a, b| a.date <= b.date), "{name}: designs are not in the order of their days");
        known.insert(name);
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("pipeline/designs.lock");
    let recorded = std::fs::read_to_string(&path).unwrap_or_default();
    if std::env::var_os("NOREGRET_DESIGN").is_some() {
        let mut lines: Vec<&str> = recorded.lines().chain(missing.lines()).collect();
        // States of a row stay in their order.
        lines.sort_by_key(|line| line.split(' ').next().map(str::to_owned));
        std::fs::write(path, lines.join("\n") + "\n").unwrap();
        return;
    }
    assert!(missing.is_empty(), "designs that are not recorded:\n{missing}NOREGRET_DESIGN=\"DAY REASON\" adds them");
    let gone = recorded.lines().find(|line| !known.contains(line.split(' ').next().unwrap_or_default()));
    assert_eq!(gone, None, "a row that is no longer there");
}

/// What a finding is to measure, and what answers it, is in its design.
#[test]
fn a_changed_finding_has_another_design() {
    let of = |declared: &Declared, change: fn(&mut FigureSpec)| {
        let mut spec = declared.figures["finding-drift"].spec.clone();
        change(&mut spec);
        digest_of_finding(&spec, declared)
    };
    let (paper, quick) = (declared("paper", &["figure/finding-drift"]), declared("quick", &["figure/finding-drift"]));
    let design = of(&paper, |_| {});
    assert_eq!(design, of(&paper, |spec| spec.notes = Some("other words".into())));
    assert_ne!(design, of(&paper, |spec| drop(spec.claims.pop())), "a test less");
    assert_ne!(design, of(&paper, |spec| spec.title += "?"), "another question");
    assert_ne!(design, of(&quick, |_| {}), "other horizons");
}
