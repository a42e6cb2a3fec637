//! What of a project some targets need: which experiments are expanded to cells, and which figures, tables and rows of
//! rates are shown from them.

use std::collections::BTreeSet;

use globset::Glob;
use noregret_engine::plan::select::Targets;

use super::project::Declared;
use crate::report::table::api::Fill;

/// Keeps the figures, tables and rows of rates that `targets` name or need, and returns the names of the experiments
/// behind them, out of `known`.
pub(super) fn keep(declared: &mut Declared, targets: &Targets, known: &[String]) -> BTreeSet<String> {
    declared.whole = ["summarise/all", "timings", "report"].iter().any(|stage| targets.name(stage));
    declared.errata = declared.tables.iter().any(|(_, table)| matches!(table.kind.fill, Fill::Errata(_)));
    if declared.whole {
        return known.iter().cloned().collect();
    }
    declared.figures.retain(|name, _| targets.name(&format!("figure/{name}")));
    declared.tables.retain(|name, _| targets.name(&format!("table/{name}")));
    let assessed = declared.tables.values().any(|table| matches!(table.kind.fill, Fill::Rates(_)));
    let shown: Vec<_> = declared
        .figures
        .values()
        .flat_map(|figure| &figure.spec.rates)
        .filter_map(|glob| Some(Glob::new(glob).ok()?.compile_matcher()))
        .collect();
    declared.rates.retain(|name, _| {
        assessed || targets.name(&format!("rates/{name}")) || shown.iter().any(|glob| glob.is_match(name))
    });
    let mut wanted: BTreeSet<String> = known
        .iter()
        .filter(|name| ["run", "comparator", "summarise"].iter().any(|kind| targets.name(&format!("{kind}/{name}"))))
        .cloned()
        .collect();
    wanted.extend(declared.figures.values().flat_map(|figure| figure.spec.experiments.iter().cloned()));
    wanted.extend(declared.tables.values().flat_map(|table| table.spec.experiments.iter().cloned()));
    wanted.extend(declared.rates.values().map(|row| row.experiment.clone()));
    wanted
}
