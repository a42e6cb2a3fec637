//! Names by which figures refer to experiments, streams, labels and rows of rates: each must stand for something.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use globset::Glob;

use super::ConfigError;
use super::experiment::Experiment;
use crate::report::figure::api::{Figure, Named};
use crate::report::figure::curves::begins;
use noregret_core::params::check::nearest;

/// The labels, streams and learners of some experiments.
#[derive(Default)]
struct Known {
    labels: BTreeSet<String>,
    streams: BTreeSet<String>,
    learners: BTreeSet<&'static str>,
}

impl Known {
    fn add(&mut self, experiment: &Experiment) {
        for cell in experiment.cells.iter().filter(|cell| cell.replicate == 0) {
            if !self.labels.contains(&*cell.label) {
                self.labels.insert(cell.label.to_string());
            }
            self.learners.insert(cell.learner.name);
        }
        self.streams.extend(experiment.design.streams.iter().map(|stream| stream.name().to_owned()));
    }

    fn holds(&self, name: &str, of: Named) -> bool {
        let starts = || self.labels.iter().any(|label| begins(label, name));
        match of {
            Named::Label => self.labels.contains(name),
            Named::Stream => self.streams.contains(name),
            Named::Beginning => starts(),
            Named::Curve => {
                let parts = || name.match_indices(", ").map(|(at, _)| (&name[..at], &name[at + 2..]));
                let on_stream = || parts().any(|(label, on)| self.labels.contains(label) && self.streams.contains(on));
                starts() || self.learners.contains(name) || on_stream()
            }
        }
    }

    /// What is wrong with a name, and which one may be meant.
    fn missing(&self, name: &str, of: Named, experiments: &[String]) -> String {
        let labels = self.labels.iter().map(String::as_str);
        let (what, candidates): (&str, Vec<&str>) = match of {
            Named::Stream => ("stream", self.streams.iter().map(String::as_str).collect()),
            Named::Curve => ("label or learner", labels.chain(self.learners.iter().copied()).collect()),
            Named::Beginning => ("label that begins with", labels.collect()),
            Named::Label => ("label", labels.collect()),
        };
        let hint = nearest(name, candidates.iter().copied()).map(|name| format!("; did you mean `{name}`?"));
        let hint = hint.unwrap_or_else(|| format!("; there are: {}", candidates.join(", ")));
        format!("{} has no {what} `{name}`{hint}", experiments.join(", "))
    }
}

/// Checks the names in all figures. `elsewhere` gives an experiment as all profiles declare it without overrides: a
/// label may be known to one profile only, and an override may change labels that are made of parameters.
pub fn check(
    folder: &Path,
    figures: &BTreeMap<String, Figure>,
    experiments: &BTreeMap<String, Arc<Experiment>>,
    rates: &[&str],
    elsewhere: impl Fn(&str) -> Vec<Experiment>,
) -> Result<(), ConfigError> {
    for (name, figure) in figures {
        let wrong = |field: &str, why: String| {
            Err(ConfigError::Field {
                path: folder.join(format!("{name}.toml")).display().to_string(),
                field: field.to_owned(),
                why,
            })
        };
        let shown = &figure.spec.experiments;
        if let Some(missing) = shown.iter().find(|experiment| !experiments.contains_key(*experiment)) {
            let hint = nearest(missing, experiments.keys().map(String::as_str));
            let hint = hint.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
            return wrong("experiments", format!("there is no experiment `{missing}`{hint}"));
        }
        for glob in &figure.spec.rates {
            let matcher = match Glob::new(glob) {
                Ok(glob) => glob.compile_matcher(),
                Err(error) => return wrong("rates", error.to_string()),
            };
            if !rates.iter().any(|row| matcher.is_match(row)) {
                let hint = nearest(glob, rates.iter().copied()).map(|name| format!("; did you mean `{name}`?"));
                return wrong("rates", format!("no row of rates matches `{glob}`{}", hint.unwrap_or_default()));
            }
        }
        if figure.names.is_empty() {
            continue;
        }
        let mut known = Known::default();
        shown.iter().filter_map(|experiment| experiments.get(experiment)).for_each(|one| known.add(one));
        if figure.names.iter().all(|name| known.holds(&name.name, name.of)) {
            continue;
        }
        shown.iter().flat_map(|experiment| elsewhere(experiment)).for_each(|one| known.add(&one));
        if let Some(missing) = figure.names.iter().find(|name| !known.holds(&name.name, name.of)) {
            return wrong(&missing.field, known.missing(&missing.name, missing.of, shown));
        }
    }
    Ok(())
}
