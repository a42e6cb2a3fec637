//! The part of a project that some targets need: which experiments are expanded to cells, and which figures, tables and
//! rows of rates are made from them.

use std::collections::{BTreeMap, BTreeSet};

use globset::{Glob, GlobMatcher};
use noregret_engine::plan::select::Targets;

use crate::analysis::rate::row::Row;
use crate::report::figure::api::Figure;
use crate::report::table::api::{Fill, Table};

/// What targets need.
pub(super) struct Scope<'t> {
    targets: &'t Targets,
    /// Whether nothing is left out.
    pub whole: bool,
    /// Whether some table needs all rows of rates.
    assessed: bool,
    /// The rows of rates that figures show.
    shown: Vec<GlobMatcher>,
}

impl<'t> Scope<'t> {
    /// What these targets need themselves.
    pub fn new(targets: &'t Targets) -> Self {
        let whole = ["summarise/all", "timings", "report"].iter().any(|stage| targets.name(stage));
        Self { targets, whole, assessed: false, shown: Vec::new() }
    }

    /// Whether they need the stage `kind/name`.
    pub fn needs(&self, kind: &str, name: &str) -> bool {
        self.whole || self.targets.name(&format!("{kind}/{name}"))
    }

    /// Adds the rows of rates behind these figures and tables.
    pub fn add_rows(&mut self, figures: &BTreeMap<String, Figure>, tables: &BTreeMap<String, Table>) {
        self.assessed |= tables.values().any(|table| matches!(table.kind.fill, Fill::Rates(_)));
        let globs = figures.values().flat_map(|figure| &figure.spec.rates);
        self.shown.extend(globs.filter_map(|glob| Some(Glob::new(glob).ok()?.compile_matcher())));
    }

    /// Whether they need a row of rates.
    pub fn needs_row(&self, name: &str) -> bool {
        self.assessed || self.needs("rates", name) || self.shown.iter().any(|glob| glob.is_match(name))
    }

    /// The experiments that are expanded to cells: those that the targets name, and those behind figures, tables and
    /// rows.
    pub fn experiments(
        &self,
        known: &[&str],
        figures: &BTreeMap<String, Figure>,
        tables: &BTreeMap<String, Table>,
        rates: &BTreeMap<String, Row>,
    ) -> BTreeSet<String> {
        let kinds = ["run", "comparator", "tune", "summarise"];
        let named = known.iter().filter(|name| kinds.iter().any(|kind| self.needs(kind, name)));
        let mut experiments: BTreeSet<String> = named.map(|name| (*name).to_owned()).collect();
        experiments.extend(figures.values().flat_map(|figure| figure.spec.experiments.iter().cloned()));
        experiments.extend(tables.values().flat_map(|table| table.spec.experiments.iter().cloned()));
        experiments.extend(rates.values().map(|row| row.experiment.clone()));
        experiments
    }
}
