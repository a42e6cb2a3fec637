//! Figures of several parts, (a), (b), ..., each of a kind of its own, with one title and one caption.

use std::collections::BTreeMap;

use crate::analysis::record::ExperimentResults;
use crate::analysis::summary::LEVEL;
use crate::caption::{FigureContext, sentence};
use crate::chart::plot::Chart;
use crate::error::ReportError;
use crate::figure::api::{Drawing, DrawnFigure, Figure, FigureSpec, Subfigure};

/// The figure that a part would be on its own.
pub(crate) fn alone(spec: &FigureSpec, part: &Subfigure) -> FigureSpec {
    let Subfigure { kind, experiments, x, y, claims, options, .. } = part.clone();
    let experiments = if experiments.is_empty() { spec.experiments.clone() } else { experiments };
    FigureSpec { kind, experiments, x, y, claims, options, subfigures: BTreeMap::new(), ..spec.clone() }
}

/// The panels of a figure, of all its parts, and what is said of them.
///
/// # Errors
/// What cannot be drawn.
pub fn draw(
    figure: &Figure,
    experiments: &[&ExperimentResults],
    context: &FigureContext,
) -> Result<DrawnFigure, ReportError> {
    let parts = match &figure.drawing {
        Drawing::Whole(kind) => return (kind.draw)(&figure.spec, experiments, context),
        Drawing::Parts(parts) => parts,
    };
    let (mut panels, mut columns, mut claims) = (Vec::new(), 0, Vec::new());
    let (mut drawn, mut findings) = (Vec::new(), Vec::new());
    for (part, alone) in parts {
        let own = experiments.iter().copied().filter(|one| alone.spec.experiments.contains(&one.name));
        let mut one = draw(alone, &own.collect::<Vec<_>>(), context)?;
        let titled = |panel: Chart| Chart { title: heading(part, &panel.title), ..panel };
        panels.extend(one.panels.drain(..).map(titled));
        columns = columns.max(one.columns);
        claims.append(&mut one.claims);
        findings.extend(one.finding.take());
        drawn.push((part, one));
    }
    // What all parts share is said once, and else below the caption.
    let shared = drawn.windows(2).all(|pair| pair[0].1.run == pair[1].1.run);
    let run = match drawn.first() {
        Some((_, first)) if shared => first.run.clone(),
        _ => {
            let level = 100.0 * LEVEL;
            format!(
                "Means have {level:.0} % t intervals; profile {}. The notes say of how many seeds.",
                context.profile
            )
        }
    };
    let note = |(part, one): (&Subfigure, DrawnFigure)| {
        let run = (!shared).then_some(one.run);
        let told = run.into_iter().chain(part.notes.as_deref().map(sentence)).chain(one.notes);
        let told: Vec<String> = told.filter(|note| !note.is_empty()).collect();
        (!told.is_empty()).then(|| about(part, &told.join(" ")))
    };
    let notes = drawn.into_iter().filter_map(note).collect();
    let finding = (!findings.is_empty()).then(|| findings.join(" "));
    Ok(DrawnFigure { panels, columns, run, finding, notes, claims })
}

/// The heading of a panel of `part` that has this one by itself.
fn heading(part: &Subfigure, panel: &str) -> String {
    match (part.title.as_str(), panel) {
        ("", own) | (own, "") => own.to_owned(),
        (title, own) => format!("{title}: {own}"),
    }
}

/// A text about `part`.
fn about(part: &Subfigure, text: &str) -> String {
    let mut letters = part.title.chars();
    let Some(first) = letters.next() else { return text.to_owned() };
    format!("{}{}: {text}", first.to_uppercase(), letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::record::RunResult;
    use crate::figure::registry::read;
    use crate::figure::samples::{experiment, run};

    /// Regrets in one of two experiments, and loss against copies in both.
    const PARTS: &str = "
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
        experiments = ['other']
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
        let drawn = draw(&figure, &[&data[0], &data[1]], &FigureContext::default()).unwrap();
        let titles: Vec<&str> = drawn.panels.iter().map(|panel| panel.title.as_str()).collect();
        assert_eq!(titles, ["regrets", "copies"]);
        assert_eq!(drawn.panels[0].series.len(), 2, "the other experiment is not shown in the first part");
        assert!(drawn.run.starts_with("Means have 95 % t intervals"), "{}", drawn.run);
        let begin = ["Regrets: Lines are means", "Copies: Points are means"];
        assert!(drawn.notes.iter().zip(begin).all(|(note, begin)| note.starts_with(begin)), "{:?}", drawn.notes);
        assert!(drawn.notes[0].contains(" of the first.") && drawn.notes[1].contains(" The front joins"));
        let outcomes: Vec<&str> = drawn.claims.iter().map(|claim| claim.outcome.as_str()).collect();
        assert_eq!(outcomes, ["supported", "yes"]);
        assert!(figure.spec.tests());
    }

    #[test]
    fn mistakes_in_parts_are_named() {
        for (from, to, expected) in [
            ("experiments = ['one']", "experiments = ['two']", "subfigures.a: `two` is not among"),
            ("kind = 'pareto'", "kind = 'compound'", "unknown kind `compound`"),
            ("{ both = {", "{ order = {", "subfigures.b: claims: t: the test `both` is for"),
            ("show = 'average_loss'", "show = 'losses'", "losses"),
            ("shows = 's'", "shows = 's'\nkind = 'curves'", "belong to the `subfigures`"),
        ] {
            let error = read("test", &PARTS.replacen(from, to, 1)).unwrap_err().to_string();
            assert!(error.contains(expected), "{to}: {error}");
        }
        let functions = PARTS.replacen("kind = 'curves'", "kind = 'functions'", 1);
        let functions =
            functions.replace("options = { show = 'regret', against = 'horizon' }", "options = { from = 0, to = 1 }");
        let own = functions.replace("experiments = ['one', 'other']", "").replace("experiments = ['one']", "");
        let (before, _) = own.split_once("[[subfigures.a.claims]]").unwrap();
        let error = read("test", before).unwrap_err().to_string();
        assert!(error.contains("subfigures.a: functions and the losses"), "{error}");
    }
}
