//! A forest plot of rows of rates: the measured exponent minus that of the theorem, with its interval and the row's
//! margin, coloured by the verdict.

use schemars::JsonSchema;
use serde::Deserialize;

use super::api::{DrawnPoints, PointRows, PointsInput, PointsPanel, by_paper, listed, of_rates};
use crate::analysis::rate::assessment::Assessment;
use crate::analysis::rate::judgement::{RateFinding, comparison, judge};
use crate::analysis::rate::repeated::repeated;
use crate::analysis::words::{self, UNTESTABLE};
use crate::chart::plot::{AxisSpec, ChartSeries, SeriesPoint};
use crate::error::ReportError;
use crate::figure::api::{CheckedOptions, FigureSpec};
use noregret_papers::theorem::Subject;

/// Rows of rates about qualities: measured exponents minus those of the theorems.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Forest {
    /// The largest difference that is drawn; intervals are cut off there.
    #[serde(default = "one")]
    up_to: f64,
}

fn one() -> f64 {
    1.0
}

/// The verdicts that have a colour, with the label that the colour follows from.
const VERDICTS: [(RateFinding, &str); 3] =
    [(RateFinding::Matches, "matches"), (RateFinding::Faster, "faster"), (RateFinding::Steeper, "steeper")];

impl PointRows for Forest {
    fn check(&self, spec: &FigureSpec) -> Result<CheckedOptions, ReportError> {
        match self.up_to > 0.0 && self.up_to.is_finite() {
            true => of_rates(spec),
            false => Err(spec.wrong(format!("options: `up_to` = {} is not positive", self.up_to))),
        }
    }

    fn points(&self, &PointsInput { spec, context, .. }: &PointsInput<'_>) -> Result<DrawnPoints, ReportError> {
        let rows: Vec<&Assessment> = context.rates.iter().filter(|row| row.subject == Subject::Quality).collect();
        let found: Vec<(&Assessment, RateFinding)> = rows.iter().copied().zip(judge(&rows)).collect();
        let run = format!(
            "Dots have 90 % jackknife intervals over seeds, and none where an exact expectation decides; grey bars are the margins within which an exponent matches; \
             profile {}.",
            context.profile
        );
        let again = repeated(&rows);
        // Of rows of the same runs the first counts.
        let first = found.iter().zip(&again).filter(|(_, again)| again.is_none()).map(|(one, _)| one);
        let compared: Vec<RateFinding> = first.filter(|(row, _)| comparison(row).is_some()).map(|one| one.1).collect();
        let again = again.iter().flatten().count();
        let of = |wanted: RateFinding| compared.iter().filter(|finding| **finding == wanted).count();
        let finding = format!(
            "Of {} rows{} {} have an exponent, and {} of these refuse their negative control: {} match, {} are faster, {} are \
             steeper.",
            rows.len() - again,
            if again == 0 { String::new() } else { format!(", without {again} on the runs of another one,") },
            compared.len(),
            compared.iter().filter(|finding| !matches!(finding, RateFinding::Untestable(_))).count(),
            of(RateFinding::Matches),
            of(RateFinding::Faster),
            of(RateFinding::Steeper)
        );
        let notes = vec![format!(
            "The theorem's exponent is that of its shape on the same horizons. Intervals that go beyond {} end in an \
             arrow, and dots beyond are left out.",
            self.up_to
        )];
        Ok(DrawnPoints {
            x: AxisSpec { limits: (Some(-self.up_to), Some(self.up_to)), ..AxisSpec::linear(&spec.x) },
            y: AxisSpec::linear(&spec.y),
            panels: by_paper(&found, |(row, _)| row.paper, panel),
            reference: Some(0.0),
            columns: 1,
            run,
            finding: Some(finding),
            notes,
        })
    }
}

/// The rows of a paper.
fn panel(here: &[&(&Assessment, RateFinding)]) -> PointsPanel {
    let first = here.first().and_then(|(row, _)| row.row.split_once('-')).map(|(first, _)| format!("{first}-"));
    let prefix = first.filter(|first| here.iter().all(|(row, _)| row.row.starts_with(first))).unwrap_or_default();
    let names = here.iter().map(|(row, _)| row.row[prefix.len()..].replace('-', " "));
    let margins = listed(here, |(row, _)| {
        Some(SeriesPoint { across: Some((-row.margin, row.margin)), ..SeriesPoint::default() })
    });
    let mut series = vec![ChartSeries::bars("margin", margins)];
    let dots = |wanted: &dyn Fn(RateFinding) -> bool| {
        listed(here, |(row, finding)| {
            let one = comparison(row).filter(|_| wanted(*finding))?;
            Some(SeriesPoint {
                x: one.delta,
                across: Some((one.delta - one.half_width_90, one.delta + one.half_width_90)),
                replicates: crate::rates::measured(row).map(|found| found.sample.seeds()),
                ..SeriesPoint::default()
            })
        })
    };
    for (verdict, label) in VERDICTS {
        let name = words::rate(verdict, Subject::Quality);
        series.push(ChartSeries::dots(name, dots(&|finding| finding == verdict)).like(label, ""));
    }
    let untestable = |finding| matches!(finding, RateFinding::Untestable(_));
    let undecided = |finding| !untestable(finding) && VERDICTS.iter().all(|(verdict, _)| *verdict != finding);
    let name = words::rate(RateFinding::Inconclusive(None), Subject::Quality);
    series.push(ChartSeries::dots(name, dots(&undecided)).like("inconclusive", ""));
    series.push(ChartSeries::dots(UNTESTABLE, dots(&untestable)).like(UNTESTABLE, ""));
    PointsPanel { title: String::new(), names: Some(names.collect()), series }
}

#[cfg(test)]
mod tests {
    use crate::analysis::rate::assess::assess;
    use crate::analysis::rate::assess::tests::{ROW, experiment, row};
    use crate::caption::FigureContext;
    use crate::figure::points::KIND;
    use crate::figure::registry::read;

    #[test]
    fn rows_stand_below_each_other_with_their_verdict() {
        let text = "kind = 'forest'\nrates = ['*']\ntitle = ''\nx = 'difference'\ny = ''\nshows = ''";
        let figure = read("test", text).unwrap();
        let rates = vec![assess(&row(ROW), Some(&experiment()), &[]), assess(&row(ROW), None, &[])];
        let context = FigureContext { rates, ..FigureContext::default() };
        let drawn = (KIND.draw)(&figure.spec, &[], &context).unwrap();
        let [chart] = drawn.panels.as_slice() else { panic!("one paper, one panel") };
        assert!(drawn.finding.as_ref().unwrap().starts_with("Of 2 rows 1 have an exponent"), "{:?}", drawn.finding);
        assert_eq!(chart.series[0].points.len(), 2, "every row has its margin");
        let dots: Vec<f64> = chart.series[1..].iter().flat_map(|one| &one.points).map(|point| point.y).collect();
        assert_eq!(dots, [0.0], "a row without an exponent has its line and no dot");
        assert!(read("test", &format!("{text}\n[options]\nup = 1")).is_err());
    }
}
