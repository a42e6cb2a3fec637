//! Figures of several parts, (a), (b), ..., each of a kind of its own, with one title and one caption.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;

use crate::analysis::record::ExperimentResults;
use crate::caption::{FigureContext, sentence};
use crate::chart::plot::Chart;
use crate::claim::TestedClaim;
use crate::error::ReportError;
use crate::exhibit::ExhibitNeed;
use crate::figure::api::{CheckedOptions, DrawnFigure, FigureKind, FigureSpec, Name};
use crate::figure::registry::{self, mistaken_claim};
use crate::schema;

pub(crate) static KIND: FigureKind =
    FigureKind { name: "compound", module: module_path!(), options: no_options, check, draw };

fn no_options(_: &mut SchemaGenerator) -> Schema {
    schemars::json_schema!({ "type": "object", "maxProperties": 0 })
}

/// A part of a figure of the kind `compound`. What it does not say it has from the figure.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Subfigure {
    /// The heading of its panels.
    #[serde(default)]
    pub title: String,
    /// Name of its kind.
    pub kind: String,
    /// Those of the figure's experiments that it shows; all if it is empty.
    #[serde(default)]
    pub experiments: Vec<String>,
    /// Label of the horizontal axis, in markup (`n^{2}`, `x_{t}`).
    pub x: String,
    /// Label of the vertical axis, in markup.
    pub y: String,
    /// What a reader should know of it.
    pub notes: Option<String>,
    /// Claims that are tested with its data.
    #[serde(default)]
    pub claims: Vec<TestedClaim>,
    /// Options of its kind.
    #[serde(default)]
    #[schemars(schema_with = "schema::table")]
    pub options: toml::Table,
}

/// The figure that a part would be on its own.
fn alone(spec: &FigureSpec, part: &Subfigure) -> FigureSpec {
    let Subfigure { kind, experiments, x, y, claims, options, .. } = part.clone();
    let experiments = if experiments.is_empty() { spec.experiments.clone() } else { experiments };
    FigureSpec { kind, experiments, x, y, claims, options, subfigures: Default::default(), ..spec.clone() }
}

fn check(spec: &FigureSpec) -> Result<CheckedOptions, ReportError> {
    if spec.subfigures.is_empty() {
        return Err(spec.wrong("`subfigures` is missing: the parts of the figure, `[subfigures.a]`".into()));
    }
    if !spec.options.is_empty() || !spec.claims.is_empty() {
        return Err(spec.wrong("`options` and `claims` belong to the parts: `[subfigures.a]`".into()));
    }
    let mut found = CheckedOptions::default();
    for (key, part) in &spec.subfigures {
        let wrong = |why: String| Err(spec.wrong(format!("subfigures.{key}: {why}")));
        if let Some(other) = part.experiments.iter().find(|name| !spec.experiments.contains(name)) {
            return wrong(format!("`{other}` is not among the experiments of the figure"));
        }
        let (alone, kind) = registry::kind_of(alone(spec, part))?;
        let CheckedOptions { measured, names, needs, claims } = (kind.check)(&alone)?;
        if let Some(why) = mistaken_claim(&alone.claims, kind, claims) {
            return wrong(why);
        }
        let inside = |name: Name| Name { field: format!("subfigures.{key}.{}", name.field), ..name };
        found.measured |= measured;
        found.names.extend(names.into_iter().map(inside));
        let more: Vec<ExhibitNeed> = needs.into_iter().filter(|need| !found.needs.contains(need)).collect();
        found.needs.extend(more);
    }
    Ok(found)
}

fn draw(
    spec: &FigureSpec,
    experiments: &[&ExperimentResults],
    context: &FigureContext,
) -> Result<DrawnFigure, ReportError> {
    let (mut panels, mut columns, mut notes, mut claims) = (Vec::new(), 0, Vec::new(), Vec::new());
    let (mut runs, mut findings) = (Vec::new(), Vec::new());
    for part in spec.subfigures.values() {
        let (alone, kind) = registry::kind_of(alone(spec, part))?;
        let own = experiments.iter().copied().filter(|one| alone.experiments.contains(&one.name));
        let drawn = (kind.draw)(&alone, &own.collect::<Vec<_>>(), context)?;
        let titled = |panel: Chart| Chart { title: part.heading(&panel.title), ..panel };
        panels.extend(drawn.panels.into_iter().map(titled));
        columns = columns.max(drawn.columns);
        let told = part.notes.as_deref().map(sentence).into_iter().chain(drawn.notes);
        let told: Vec<String> = told.filter(|note| !note.is_empty()).collect();
        notes.extend((!told.is_empty()).then(|| part.says(&told.join(" "))));
        claims.extend(drawn.claims);
        findings.extend(drawn.finding);
        runs.push((part, drawn.run));
    }
    // What all parts share is said once.
    let shared = runs.windows(2).all(|pair| pair[0].1 == pair[1].1);
    let said = runs.iter().take(if shared { 1 } else { runs.len() });
    let said: Vec<String> = said.map(|(part, run)| if shared { run.clone() } else { part.says(run) }).collect();
    let finding = (!findings.is_empty()).then(|| findings.join(" "));
    Ok(DrawnFigure { panels, columns, run: said.join(" "), finding, notes, claims })
}

impl Subfigure {
    /// The heading of a panel that has this one by itself.
    fn heading(&self, panel: &str) -> String {
        match (self.title.as_str(), panel) {
            ("", own) | (own, "") => own.to_owned(),
            (title, own) => format!("{title}: {own}"),
        }
    }

    /// A text about it.
    fn says(&self, text: &str) -> String {
        let mut letters = self.title.chars();
        let Some(first) = letters.next() else { return text.to_owned() };
        format!("{}{}: {text}", first.to_uppercase(), letters.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::record::RunResult;
    use crate::figure::registry::read;
    use crate::figure::samples::{experiment, run};

    /// Regrets in one of two experiments, and loss against copies in both.
    const PARTS: &str = "
        kind = 'compound'
        paper = 'noisy-data'
        experiments = ['one', 'other']
        title = ''
        x = ''
        y = ''
        shows = 's'
        [subfigures.a]
        title = 'regrets'
        kind = 'curves'
        experiments = ['one']
        x = 'n'
        y = 'regret'
        notes = 'of the first'
        options = { show = 'regret', against = 'horizon' }
        [[subfigures.a.claims]]
        text = 't'
        quote = 'q'
        source = 's'
        test = { order = { lower = 'low', higher = 'high' } }
        [subfigures.b]
        title = 'copies'
        kind = 'pareto'
        x = 'copies'
        y = 'regret'
        options = { show = 'average_loss', against = 'queries' }
        [[subfigures.b.claims]]
        text = 't'
        source = 's'
        test = { both = { lower = 'low', higher = 'high' } }
    ";

    #[test]
    fn each_part_has_its_panels_notes_and_claims() {
        let figure = read("test", PARTS).unwrap();
        let runs = |replicate| {
            [("low", 1.0, 1), ("high", 3.0, 4)].map(|(label, regret, queries)| {
                let (run, rows) = run(label, 10, replicate, regret, &[queries]);
                (RunResult { average_loss: run.cumulative_loss, ..run }, rows)
            })
        };
        let data = ["one", "other"].map(|name| experiment(name, [runs(0), runs(1)].concat()));
        let drawn = draw(&figure.spec, &[&data[0], &data[1]], &FigureContext::default()).unwrap();
        let titles: Vec<&str> = drawn.panels.iter().map(|panel| panel.title.as_str()).collect();
        assert_eq!(titles, ["regrets", "copies"]);
        assert_eq!(drawn.panels[0].series.len(), 2, "the other experiment is not shown in the first part");
        assert!(drawn.run.contains("Regrets: Lines are") && drawn.run.contains("Copies: Points are"), "{}", drawn.run);
        assert!(
            drawn.notes[0].starts_with("Regrets: of the first.") && drawn.notes[1].starts_with("Copies: The front")
        );
        let outcomes: Vec<&str> = drawn.claims.iter().map(|claim| claim.outcome.as_str()).collect();
        assert_eq!(outcomes, ["supported", "yes"]);
        assert!(figure.spec.tests());
    }

    #[test]
    fn mistakes_in_parts_are_named() {
        for (from, to, expected) in [
            ("experiments = ['one']", "experiments = ['two']", "subfigures.a: `two` is not among"),
            ("kind = 'pareto'", "kind = 'compound'", "`subfigures` is missing"),
            ("{ both = {", "{ order = {", "subfigures.b: claims: t: the test `both` is for"),
            ("show = 'average_loss'", "show = 'losses'", "losses"),
            ("shows = 's'", "shows = 's'\noptions = { show = 'regret' }", "belong to the parts"),
            ("kind = 'compound'", "kind = 'curves'", "`subfigures` are the parts of the kind `compound`"),
        ] {
            let error = read("test", &PARTS.replacen(from, to, 1)).unwrap_err().to_string();
            assert!(error.contains(expected), "{to}: {error}");
        }
        let whole = PARTS.split("[subfigures.a]").next().unwrap();
        assert!(read("test", whole).unwrap_err().to_string().contains("`subfigures` is missing"));
    }
}
