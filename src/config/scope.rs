//! The part of a project that some targets need: which experiments are expanded to cells, and which figures, tables and
//! rows of rates are made from them.

use std::collections::{BTreeMap, BTreeSet};

use globset::Glob;
use noregret_engine::plan::select::Targets;

use crate::analysis::rate::row::Row;
use crate::report::figure::api::Figure;
use crate::report::table::api::{Fill, Table};

/// What targets need.
pub(super) struct Scope {
    /// The names of the experiments that are expanded to cells.
    pub experiments: BTreeSet<String>,
    /// Whether nothing is left out.
    pub whole: bool,
}

/// Keeps the figures, tables and rows of rates that `targets` name or need, and finds the experiments behind them among
/// `known`.
pub(super) fn keep(
    targets: &Targets,
    known: &[String],
    figures: &mut BTreeMap<String, Figure>,
    tables: &mut BTreeMap<String, Table>,
    rates: &mut BTreeMap<String, Row>,
) -> Scope {
    if ["summarise/all", "timings", "report"].iter().any(|stage| targets.name(stage)) {
        return Scope { experiments: known.iter().cloned().collect(), whole: true };
    }
    figures.retain(|name, _| targets.name(&format!("figure/{name}")));
    tables.retain(|name, _| targets.name(&format!("table/{name}")));
    let assessed = tables.values().any(|table| matches!(table.kind.fill, Fill::Rates(_)));
    let shown: Vec<_> = figures
        .values()
        .flat_map(|figure| &figure.spec.rates)
        .filter_map(|glob| Some(Glob::new(glob).ok()?.compile_matcher()))
        .collect();
    rates.retain(|name, _| {
        assessed || targets.name(&format!("rates/{name}")) || shown.iter().any(|glob| glob.is_match(name))
    });
    let kinds = ["run", "comparator", "summarise"];
    let named = |name: &&String| kinds.iter().any(|kind| targets.name(&format!("{kind}/{name}")));
    let mut experiments: BTreeSet<String> = known.iter().filter(named).cloned().collect();
    experiments.extend(figures.values().flat_map(|figure| figure.spec.experiments.iter().cloned()));
    experiments.extend(tables.values().flat_map(|table| table.spec.experiments.iter().cloned()));
    experiments.extend(rates.values().map(|row| row.experiment.clone()));
    Scope { experiments, whole: false }
}
