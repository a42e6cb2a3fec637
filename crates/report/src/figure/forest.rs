//! A forest plot of rows of rates: the measured exponent minus that of the theorem, with its interval and the row's
//! margin, coloured by the verdict.

use schemars::{JsonSchema, SchemaGenerator};
use serde::Deserialize;

use crate::analysis::rate::assessment::Assessment;
use crate::analysis::rate::judgement::{Finding, comparison, judge};
use crate::analysis::record::Experiment;
use crate::analysis::words;
use crate::caption::Context;
use crate::chart::plot::{AxisSpec, Chart, Guide, Series, SeriesPoint};
use crate::error::ReportError;
use crate::figure::api::{Checked, Drawn, FigureSpec, Kind};
use noregret_papers::paper::Paper;
use noregret_papers::theorem::Subject;

pub(crate) static KIND: Kind = Kind {
    name: "forest",
    module: module_path!(),
    options: SchemaGenerator::subschema_for::<ForestOptions>,
    check: |spec| spec.options::<ForestOptions>().map(|_| Checked::default()),
    draw,
};

/// The options of the kind `forest`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ForestOptions {
    /// The largest difference that is drawn; intervals are cut off there.
    #[serde(default = "one")]
    up_to: f64,
}

fn one() -> f64 {
    1.0
}

/// The verdicts that have a colour, with the label that the colour follows from.
const VERDICTS: [(Finding, &str); 3] =
    [(Finding::Matches, "matches"), (Finding::Faster, "faster"), (Finding::Steeper, "steeper")];

fn draw(spec: &FigureSpec, _: &[&Experiment], context: &Context) -> Result<Drawn, ReportError> {
    let options: ForestOptions = spec.options()?;
    if !(options.up_to > 0.0 && options.up_to.is_finite()) {
        return Err(spec.wrong(format!("options: `up_to` = {} is not positive", options.up_to)));
    }
    let rows: Vec<&Assessment> = context.rates.iter().filter(|row| row.subject == Subject::Quality).collect();
    let found: Vec<(&Assessment, Finding)> = rows.iter().copied().zip(judge(&rows)).collect();
    let papers = Paper::ALL.into_iter().filter(|paper| rows.iter().any(|row| row.paper == *paper));
    let mut panels: Vec<Chart> = papers.map(|paper| panel(spec, &options, paper, &found)).collect();
    if panels.is_empty() {
        panels.push(Chart::empty(AxisSpec::linear(&spec.x), AxisSpec::linear(&spec.y)));
    }
    let run = format!(
        "Dots have 90 % jackknife intervals over seeds; grey bars are the margins within which an exponent matches; \
         profile {}.",
        context.profile
    );
    let compared: Vec<Finding> = found.iter().filter(|(row, _)| comparison(row).is_some()).map(|one| one.1).collect();
    let of = |wanted: Finding| compared.iter().filter(|finding| **finding == wanted).count();
    let finding = format!(
        "Of {} rows {} have an exponent: {} match, {} are faster, {} are steeper.",
        rows.len(),
        compared.len(),
        of(Finding::Matches),
        of(Finding::Faster),
        of(Finding::Steeper)
    );
    let notes = vec![format!(
        "The theorem's exponent is that of its shape on the same horizons. Intervals and dots beyond {} are cut off or \
         left out.",
        options.up_to
    )];
    Ok(Drawn { panels, columns: 2, run, finding: Some(finding), notes, claims: Vec::new() })
}

/// The rows of a paper.
fn panel(spec: &FigureSpec, options: &ForestOptions, paper: Paper, found: &[(&Assessment, Finding)]) -> Chart {
    let here: Vec<&(&Assessment, Finding)> = found.iter().filter(|(row, _)| row.paper == paper).collect();
    let first = here.first().and_then(|(row, _)| row.row.split_once('-')).map(|(first, _)| format!("{first}-"));
    let prefix = first.filter(|first| here.iter().all(|(row, _)| row.row.starts_with(first))).unwrap_or_default();
    let names = here.iter().map(|(row, _)| row.row[prefix.len()..].replace('-', " "));
    let at = |index: usize| -(index as f64);
    let margins = here.iter().enumerate().map(|(index, (row, _))| SeriesPoint {
        x: 0.0,
        y: at(index),
        across: Some((-row.margin, row.margin)),
        ..SeriesPoint::default()
    });
    let mut series = vec![Series::bars("margin", margins.collect())];
    let dots = |wanted: &dyn Fn(Finding) -> bool| -> Vec<SeriesPoint> {
        let rows = here.iter().enumerate().filter(|(_, (_, finding))| wanted(*finding));
        let point = |(index, (row, _)): (usize, &&(&Assessment, Finding))| {
            let one = comparison(row)?;
            let across = (one.delta - one.half_width_90, one.delta + one.half_width_90);
            Some(SeriesPoint {
                x: one.delta,
                y: at(index),
                across: Some(across),
                replicates: crate::rates::measured(row).map(|found| found.sample.seeds()),
                ..SeriesPoint::default()
            })
        };
        rows.filter_map(point).collect()
    };
    for (verdict, label) in VERDICTS {
        let name = words::rate(verdict, Subject::Quality);
        series.push(Series::dots(name, dots(&|finding| finding == verdict)).like(label, ""));
    }
    let undecided = |finding| VERDICTS.iter().all(|(verdict, _)| *verdict != finding);
    let name = words::rate(Finding::Inconclusive(None), Subject::Quality);
    series.push(Series::dots(name, dots(&undecided)).like("inconclusive", ""));
    Chart {
        title: paper.title().to_owned(),
        x: AxisSpec { limits: (Some(-options.up_to), Some(options.up_to)), ..AxisSpec::linear(&spec.x) },
        y: AxisSpec::names(&spec.y, names),
        series,
        guides: vec![Guide::upright("", 0.0)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::rate::assess::assess;
    use crate::analysis::rate::assess::tests::{ROW, experiment, row};
    use crate::figure::registry::read;

    #[test]
    fn rows_stand_below_each_other_with_their_verdict() {
        let text = "kind = 'forest'\nrates = ['*']\ntitle = ''\nx = 'difference'\ny = ''\nshows = ''";
        let figure = read("test", text).unwrap();
        let rates = vec![assess(&row(ROW), Some(&experiment()), &[]), assess(&row(ROW), None, &[])];
        let context = Context { rates, ..Context::default() };
        let drawn = draw(&figure.spec, &[], &context).unwrap();
        let [chart] = drawn.panels.as_slice() else { panic!("one paper, one panel") };
        assert!(drawn.finding.as_ref().unwrap().starts_with("Of 2 rows 1 have an exponent"), "{:?}", drawn.finding);
        assert_eq!(chart.series[0].points.len(), 2, "every row has its margin");
        let dots: Vec<f64> = chart.series[1..].iter().flat_map(|one| &one.points).map(|point| point.y).collect();
        assert_eq!(dots, [0.0], "a row without an exponent has its line and no dot");
        assert!(read("test", &format!("{text}\n[options]\nup = 1")).is_err());
    }
}
