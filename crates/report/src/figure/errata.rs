//! The errata at a glance: for each item, what the printed and what the corrected form say of a computed number, over that
//! number.

use schemars::{JsonSchema, SchemaGenerator};
use serde::Deserialize;

use crate::analysis::record::Experiment;
use crate::caption::Context;
use crate::chart::plot::{AxisSpec, Chart, Guide, Series, SeriesPoint};
use crate::error::ReportError;
use crate::figure::api::{Checked, Drawn, FigureSpec, Kind};
use noregret_papers::errata::api::{Class, Finding, Paper, Quantity};

pub(crate) static KIND: Kind = Kind {
    name: "errata",
    module: module_path!(),
    options: SchemaGenerator::subschema_for::<ErrataOptions>,
    check,
    draw,
};

/// The options of the kind `errata`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ErrataOptions {
    /// The largest factor that is drawn; what is further off stands at the edge.
    #[serde(default = "hundred")]
    up_to: f64,
}

fn hundred() -> f64 {
    100.0
}

fn check(spec: &FigureSpec) -> Result<Checked, ReportError> {
    let options: ErrataOptions = spec.options()?;
    if !(options.up_to > 1.0 && options.up_to.is_finite()) {
        return Err(spec.wrong(format!("options: `up_to` = {} is not above 1", options.up_to)));
    }
    if !spec.errata {
        return Err(spec.wrong("`errata = true` is missing: this kind shows nothing else".into()));
    }
    Ok(Checked::default())
}

/// What both forms say of a number, over the number; None where a quotient says nothing.
#[derive(Clone, Copy)]
struct Quotients {
    printed: f64,
    corrected: Option<f64>,
}

/// The quotients of the number that the printed form misses by the largest factor.
fn quotients(finding: &Finding) -> Option<Quotients> {
    let of = |quantity: &Quantity| {
        let over = |prediction: f64| Some(prediction / quantity.found).filter(|one| one.is_finite() && *one > 0.0);
        let printed = quantity.printed.filter(|printed| quantity.refutes(*printed)).and_then(over)?;
        Some(Quotients { printed, corrected: quantity.corrected.and_then(over) })
    };
    let distance = |one: &Quotients| one.printed.ln().abs();
    finding.quantities.iter().filter_map(of).max_by(|a, b| distance(a).total_cmp(&distance(b)))
}

fn draw(spec: &FigureSpec, _: &[&Experiment], context: &Context) -> Result<Drawn, ReportError> {
    let options: ErrataOptions = spec.options()?;
    let passages = || context.findings.iter().filter(|finding| finding.class != Class::Pitfall);
    let found: Vec<(&Finding, Quotients)> =
        passages().filter_map(|finding| Some((finding, quotients(finding)?))).collect();
    let papers = Paper::ALL.into_iter().filter(|paper| found.iter().any(|(finding, _)| finding.paper == *paper));
    let mut panels: Vec<Chart> = papers.map(|paper| panel(spec, &options, paper, &found)).collect();
    if panels.is_empty() {
        panels.push(Chart::empty(AxisSpec::log(&spec.x), AxisSpec::linear(&spec.y)));
    }
    let run = format!(
        "{} of {} items, those whose printed form gives a positive number that the computation refutes.",
        found.len(),
        passages().count()
    );
    let twice = found.iter().filter(|(_, one)| one.printed.ln().abs() >= 2f64.ln()).count();
    let finding = Some(format!("{twice} printed forms are off by a factor of two or more."));
    let notes = vec![format!(
        "Of several numbers, the one is shown that the printed form misses by the largest factor. The dotted line is the \
         computed number. What is off by more than a factor of {} stands at the edge. The table of errata has all \
         numbers.",
        options.up_to
    )];
    Ok(Drawn { panels, columns: 2, run, finding, notes, claims: Vec::new() })
}

/// The items of a paper.
fn panel(spec: &FigureSpec, options: &ErrataOptions, paper: Paper, found: &[(&Finding, Quotients)]) -> Chart {
    let here: Vec<&(&Finding, Quotients)> = found.iter().filter(|(finding, _)| finding.paper == paper).collect();
    let name = |(finding, _): &&(&Finding, Quotients)| {
        let words = finding.id.split_once('-').map_or(finding.id.as_str(), |(_, rest)| rest);
        words.replace('-', " ")
    };
    let end = options.up_to;
    let dots = |of: &dyn Fn(&Quotients) -> Option<f64>| -> Vec<SeriesPoint> {
        let rows = here.iter().enumerate();
        let point = |(index, (_, quotients)): (usize, &&(&Finding, Quotients))| {
            let (quotient, y) = (of(quotients)?, -(index as f64));
            let x = quotient.clamp(1.0 / end, end);
            Some(SeriesPoint { x, y, value: Some([quotient, y]), ..SeriesPoint::default() })
        };
        rows.filter_map(point).collect()
    };
    let series = vec![
        Series::dots("printed form", dots(&|one| Some(one.printed))),
        Series::dots("corrected form", dots(&|one| one.corrected)),
    ];
    Chart {
        title: paper.title().to_owned(),
        x: AxisSpec { limits: (Some(0.8 / end), Some(1.25 * end)), ..AxisSpec::log(&spec.x) },
        y: AxisSpec::names(&spec.y, here.iter().map(name)),
        series,
        guides: vec![Guide::upright("", 1.0)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::registry::read;
    use noregret_papers::errata::registry::ERRATA;

    const TEXT: &str = "kind = 'errata'\nerrata = true\ntitle = ''\nx = 'quotient'\ny = ''\nshows = ''";

    #[test]
    fn printed_and_corrected_forms_stand_beside_each_other() {
        let spec = read("test", TEXT).unwrap().spec;
        let finding = ERRATA.iter().find(|erratum| erratum.id == "noisy-algorithm-4").unwrap().finding();
        let quotients = quotients(&finding).unwrap();
        assert!(quotients.printed != 1.0 && quotients.corrected.is_some_and(|one| (one.ln()).abs() < 0.5));
        let context = Context { findings: vec![finding], ..Context::default() };
        let drawn = draw(&spec, &[], &context).unwrap();
        assert_eq!(drawn.panels[0].series.iter().map(|one| one.points.len()).collect::<Vec<_>>(), [1, 1]);
        assert!(drawn.run.starts_with("1 of 1 items"), "{}", drawn.run);
    }

    #[test]
    fn a_figure_of_errata_says_so() {
        assert!(read("test", &TEXT.replace("errata = true\n", "rates = ['*']\n")).is_err());
        assert!(read("test", &format!("{TEXT}\n[options]\nup_to = 1")).is_err());
    }
}
