//! The part of a project that some targets need: which experiments are expanded to cells, and which figures, tables and
//! rows of rates are made from them.

use std::collections::{BTreeMap, BTreeSet};

use globset::{Glob, GlobMatcher};
use noregret_engine::plan::select::Targets;

use noregret_report::analysis::rate::row::{RateRow, control_name};
use noregret_report::exhibit::ExhibitNeed;
use noregret_report::figure::api::Figure;
use noregret_report::table::api::CheckedTable;

/// What targets need.
pub(super) struct TargetScope<'t> {
    targets: &'t Targets,
    /// Whether nothing is left out.
    pub whole: bool,
    /// Whether some table needs rows of rates.
    assessed: bool,
    /// The rows of rates that figures show.
    shown: Vec<GlobMatcher>,
    /// Whether some table needs the figures that test claims: those with measured times, those without.
    claimed: [bool; 2],
    /// Whether some table needs all runs.
    guaranteed: bool,
}

impl<'t> TargetScope<'t> {
    /// What these targets need themselves.
    pub(super) fn new(targets: &'t Targets) -> Self {
        let whole = ["summarise/all", "timings", "report"].iter().any(|stage| targets.name(stage));
        Self { targets, whole, assessed: false, shown: Vec::new(), claimed: [false; 2], guaranteed: false }
    }

    /// Whether they need the stage `kind/name`.
    pub(super) fn needs(&self, kind: &str, name: &str) -> bool {
        self.whole || self.targets.name(&format!("{kind}/{name}"))
    }

    /// Adds what these tables need: all rows of rates, the figures that test claims, all experiments.
    pub(super) fn add_tables(&mut self, tables: &BTreeMap<String, CheckedTable>) {
        for table in tables.values() {
            self.assessed |= table.needs(ExhibitNeed::Rates) || table.needs(ExhibitNeed::Bounds);
            self.guaranteed |= table.needs(ExhibitNeed::Guarantees);
            if table.needs(ExhibitNeed::Claims) {
                self.claimed[usize::from(table.kind.measured)] = true;
            }
        }
    }

    /// Whether they may need a figure, whose file says whether it tests claims.
    pub(super) fn may_need_figure(&self, name: &str) -> bool {
        self.needs("figure", name) || self.claimed.contains(&true)
    }

    /// Whether they need a figure.
    pub(super) fn needs_figure(&self, name: &str, figure: &Figure) -> bool {
        let tests = figure.spec.tests() && self.claimed[usize::from(figure.measured)];
        self.needs("figure", name) || tests
    }

    /// Adds the rows of rates behind these figures.
    pub(super) fn add_rows(&mut self, figures: &BTreeMap<String, Figure>) {
        let globs = figures.values().flat_map(|figure| figure.spec.rows());
        self.shown.extend(globs.filter_map(|glob| Some(Glob::new(glob).ok()?.compile_matcher())));
    }

    /// Whether they need a row of rates.
    pub(super) fn needs_row(&self, name: &str) -> bool {
        let control = control_name(name);
        self.assessed
            || self.needs("rates", name)
            || ["run", "comparator", "summarise"].iter().any(|kind| self.needs(kind, &control))
            || self.shown.iter().any(|glob| glob.is_match(name))
    }

    /// The experiments that are expanded to cells: those that the targets name, and those behind figures, tables and
    /// rows.
    pub(super) fn experiments(
        &self,
        known: &[&str],
        figures: &BTreeMap<String, Figure>,
        tables: &BTreeMap<String, CheckedTable>,
        rates: &BTreeMap<String, RateRow>,
    ) -> BTreeSet<String> {
        let kinds = ["run", "comparator", "tune", "summarise", "guarantee"];
        let wanted = |name: &&&str| self.guaranteed || kinds.iter().any(|kind| self.needs(kind, name));
        let named = known.iter().filter(wanted);
        let mut experiments: BTreeSet<String> = named.map(|name| (*name).to_owned()).collect();
        experiments.extend(figures.values().flat_map(|figure| figure.spec.experiments.iter().cloned()));
        experiments.extend(tables.values().flat_map(|table| table.spec.experiments.iter().cloned()));
        experiments.extend(rates.values().map(|row| row.experiment.clone()));
        experiments
    }
}
