//! Names by which figures, tables and rows of rates refer to experiments, streams, labels, functions and rows of rates:
//! each must stand for something.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use globset::Glob;

use super::experiment::Experiment;
use super::study::{ItemKind, Studies};
use super::{ConfigError, did_you_mean};
use crate::figure::compute::function::Function;
use crate::figure::compute::hindsight::Hindsight;
use crate::figure::declare::hindsight::fits;
use noregret_core::params::check::nearest;
use noregret_report::analysis::board::entry_of;
use noregret_report::analysis::rate::row::RateRow;
use noregret_report::figure::api::{Figure, Name, NameKind};
use noregret_report::figure::curves::begins;
use noregret_report::table::api::CheckedTable;

/// What names may stand for.
#[derive(Default)]
struct KnownNames {
    labels: BTreeSet<String>,
    streams: BTreeSet<String>,
    learners: BTreeSet<&'static str>,
    functions: BTreeSet<String>,
}

impl KnownNames {
    fn add(&mut self, experiment: &Experiment) {
        for cell in experiment.cells.iter().filter(|cell| cell.replicate == 0) {
            if !self.labels.contains(&*cell.label) {
                self.labels.insert(cell.label.to_string());
            }
            self.learners.insert(cell.learner.name);
        }
        self.streams.extend(experiment.design.streams.iter().map(|stream| stream.name().to_owned()));
    }

    fn holds(&self, name: &str, of: NameKind) -> bool {
        let starts = || self.labels.iter().any(|label| begins(label, name));
        match of {
            NameKind::Label => self.labels.contains(name),
            NameKind::Entry => self.labels.iter().any(|label| entry_of(label) == name),
            NameKind::Stream => self.streams.contains(name),
            NameKind::Function => self.functions.contains(name),
            NameKind::Beginning => starts(),
            NameKind::Curve => {
                let parts = || name.match_indices(", ").map(|(at, _)| (&name[..at], &name[at + 2..]));
                let on_stream = || parts().any(|(label, on)| self.labels.contains(label) && self.streams.contains(on));
                starts() || self.learners.contains(name) || on_stream()
            }
        }
    }

    /// What is wrong with a name, and which one may be meant.
    fn missing(&self, name: &str, of: NameKind, experiments: &[String]) -> String {
        let labels = self.labels.iter().map(String::as_str);
        let (what, candidates): (&str, Vec<&str>) = match of {
            NameKind::Stream => ("stream", self.streams.iter().map(String::as_str).collect()),
            NameKind::Function => ("function", self.functions.iter().map(String::as_str).collect()),
            NameKind::Curve => ("label or learner", labels.chain(self.learners.iter().copied()).collect()),
            NameKind::Beginning => ("label that begins with", labels.collect()),
            NameKind::Label => ("label", labels.collect()),
            NameKind::Entry => ("entry", labels.map(entry_of).collect::<BTreeSet<_>>().into_iter().collect()),
        };
        let hint = nearest(name, candidates.iter().copied()).map(|name| format!("; did you mean `{name}`?"));
        let hint = hint.unwrap_or_else(|| format!("; there are: {}", candidates.join(", ")));
        let within = if experiments.is_empty() { "this figure".into() } else { experiments.join(", ") };
        format!("{within} has no {what} `{name}`{hint}")
    }
}

/// What is declared, as far as names refer to it.
pub(super) struct Declarations<'a> {
    /// What the files declare, with their places.
    pub(crate) studies: &'a Studies,
    /// Figures by name.
    pub figures: &'a BTreeMap<String, Figure>,
    /// The functions of each figure that shows any.
    pub functions: &'a BTreeMap<String, Arc<[Function]>>,
    /// The comparators of each figure that shows any.
    pub hindsight: &'a BTreeMap<String, Arc<[Hindsight]>>,
    /// Tables by name.
    pub tables: &'a BTreeMap<String, CheckedTable>,
    /// Rows of rates by name.
    pub rates: &'a BTreeMap<String, RateRow>,
    /// The experiments behind all these, by name.
    pub experiments: &'a BTreeMap<String, Arc<Experiment>>,
}

impl Declarations<'_> {
    /// Checks all names. `elsewhere` gives an experiment as all profiles declare it without overrides: a label may be
    /// known to one profile only, and an override may change labels that are made of parameters.
    ///
    /// # Errors
    /// The first name that stands for nothing, with its file and field and the name that may be meant.
    pub(super) fn check(&self, elsewhere: impl Fn(&str) -> Vec<Experiment>) -> Result<(), ConfigError> {
        for (name, figure) in self.figures {
            let file = self.place(ItemKind::Figure, name);
            self.rows_exist(file, figure.spec.rows())?;
            let functions = self.functions.get(name).map_or(&[][..], |functions| functions);
            let hindsight = self.hindsight.get(name).map_or(&[][..], |hindsight| hindsight);
            for experiment in figure.spec.experiments.iter().filter_map(|name| self.experiments.get(name)) {
                fits(&figure.spec, hindsight, experiment).map_err(|error| error.at(file))?;
            }
            // Names of what is solved in hindsight are known; the others are those of experiments.
            let solved = |name: &Name| {
                let label = |one: &Hindsight| match name.of {
                    NameKind::Beginning => begins(&one.label, &name.name),
                    _ => one.label == name.name,
                };
                name.of != NameKind::Stream && hindsight.iter().any(label)
            };
            let names: Vec<Name> = figure.names.iter().filter(|name| !solved(name)).cloned().collect();
            self.names_exist(file, "experiments", &figure.spec.experiments, functions, &names, &elsewhere)?;
        }
        for (name, table) in self.tables {
            let file = self.place(ItemKind::Table, name);
            if table.kind.measured && self.figures.get(name).is_some_and(|figure| figure.measured) {
                let why = format!(
                    "a figure of measured times has this name, too: both would write reports/timings/{name}.csv"
                );
                return Err(ConfigError::Field { path: file.to_owned(), field: format!("table.{name}"), why });
            }
            self.names_exist(file, "experiments", &table.spec.experiments, &[], &table.names, &elsewhere)?;
        }
        for (name, row) in self.rates {
            let named = |field: &str, name: &String, of| Name { field: field.into(), name: name.clone(), of };
            let label = named("label", &row.label, NameKind::Label);
            let control = row.control.iter().map(|control| named("control", control, NameKind::Label));
            let negative = row.negative.iter().flat_map(|negative| &negative.label);
            let negative = negative.map(|label| named("negative.label", label, NameKind::Label));
            let stream = row.stream.iter().map(|stream| named("stream", stream, NameKind::Stream));
            let names: Vec<Name> = stream.chain([label]).chain(control).chain(negative).collect();
            let experiments = std::slice::from_ref(&row.experiment);
            self.names_exist(self.place(ItemKind::Rate, name), "experiment", experiments, &[], &names, &elsewhere)?;
            self.is_played(self.place(ItemKind::Rate, name), row, &elsewhere)?;
        }
        Ok(())
    }

    /// Whether the curve of a row is on one stream, and is played for all horizons of the row. An override may change both,
    /// so that what is right without it is not refused.
    fn is_played(
        &self,
        file: &str,
        row: &RateRow,
        elsewhere: impl Fn(&str) -> Vec<Experiment>,
    ) -> Result<(), ConfigError> {
        let Some(own) = self.experiments.get(&row.experiment) else { return Ok(()) };
        let played = |of: &Experiment| -> BTreeSet<(String, u64)> {
            let cells = of.cells.iter().filter(|cell| cell.replicate == 0 && *cell.label == *row.label);
            let on = cells.map(|cell| (of.design.streams[cell.stream].name().to_owned(), cell.horizon));
            on.filter(|(stream, _)| row.stream.as_ref().is_none_or(|named| named == stream)).collect()
        };
        let wrong = |played: &BTreeSet<(String, u64)>| {
            let streams: BTreeSet<&str> = played.iter().map(|(stream, _)| stream.as_str()).collect();
            let horizons: BTreeSet<u64> = played.iter().map(|(_, horizon)| *horizon).collect();
            let (name, label) = (&row.experiment, &row.label);
            if streams.len() > 1 {
                let streams = streams.into_iter().collect::<Vec<_>>().join(", ");
                let why = format!("{name} plays `{label}` on several streams; name one of them: {streams}");
                return Some(("stream", why));
            }
            let missing = row.horizons.iter().find(|horizon| !horizons.contains(horizon))?;
            let horizons: Vec<String> = horizons.iter().map(u64::to_string).collect();
            let why =
                format!("{name} does not play `{label}` for {missing} rounds; there are: {}", horizons.join(", "));
            Some(("horizons", why))
        };
        let Some((field, why)) = wrong(&played(own)) else { return Ok(()) };
        if elsewhere(&row.experiment).iter().any(|one| wrong(&played(one)).is_none()) {
            return Ok(());
        }
        self.wrong(file, field, why)
    }

    /// What messages call something that is declared.
    fn place<'n>(&'n self, kind: ItemKind, name: &'n str) -> &'n str {
        self.studies.get(kind, name).map_or(name, |item| &item.place)
    }

    fn wrong(&self, file: &str, field: &str, why: String) -> Result<(), ConfigError> {
        Err(ConfigError::Field { path: file.to_owned(), field: field.to_owned(), why })
    }

    fn rows_exist<'g>(&self, file: &str, globs: impl Iterator<Item = &'g str>) -> Result<(), ConfigError> {
        for glob in globs {
            let matcher = match Glob::new(glob) {
                Ok(glob) => glob.compile_matcher(),
                Err(error) => return self.wrong(file, "rates", error.to_string()),
            };
            if !self.studies.of(ItemKind::Rate).any(|(row, _)| matcher.is_match(row)) {
                let hint = did_you_mean(glob, self.studies.names(ItemKind::Rate));
                return self.wrong(file, "rates", format!("no row of rates matches `{glob}`{hint}"));
            }
        }
        Ok(())
    }

    /// Whether the experiments, given in `field`, are declared and have what `names` name.
    fn names_exist(
        &self,
        file: &str,
        field: &str,
        experiments: &[String],
        functions: &[Function],
        names: &[Name],
        elsewhere: impl Fn(&str) -> Vec<Experiment>,
    ) -> Result<(), ConfigError> {
        if let Some(missing) = experiments.iter().find(|name| !self.experiments.contains_key(*name)) {
            let hint = did_you_mean(missing, self.studies.names(ItemKind::Experiment));
            return self.wrong(file, field, format!("there is no experiment `{missing}`{hint}"));
        }
        let mut known = KnownNames::default();
        known.functions.extend(functions.iter().map(|function| function.label.clone()));
        experiments.iter().filter_map(|name| self.experiments.get(name)).for_each(|one| known.add(one));
        if names.iter().all(|name| known.holds(&name.name, name.of)) {
            return Ok(());
        }
        experiments.iter().flat_map(|name| elsewhere(name)).for_each(|one| known.add(&one));
        match names.iter().find(|name| !known.holds(&name.name, name.of)) {
            Some(missing) => self.wrong(file, &missing.field, known.missing(&missing.name, missing.of, experiments)),
            None => Ok(()),
        }
    }
}
