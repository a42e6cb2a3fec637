//! Losses of learners over those of the best settings of other programs, which a file of the project reports: a line for each
//! stream, on a logarithmic axis, with the range of the replicates.

use schemars::JsonSchema;
use serde::Deserialize;

use super::api::{DrawnPoints, PointRows, PointsInput, PointsPanel, listed};
use crate::analysis::reported::{ReportedComparison, ReportedLoss, compare, geometric_mean};
use crate::chart::plot::{AxisSpec, ChartSeries, SeriesPoint};
use crate::error::ReportError;
use crate::exhibit::ExhibitNeed;
use crate::figure::api::{CheckedOptions, FigureSpec};
use crate::number::{counted, significant};

/// Losses of learners over those of the best settings of other programs, for each stream.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Reported {}

/// The series by what they compare.
const SERIES: [(ReportedLoss, &str); 2] =
    [(ReportedLoss::Squared, "squared error"), (ReportedLoss::ErrorRate, "share of wrong labels")];

impl PointRows for Reported {
    fn check(&self, _: &FigureSpec) -> Result<CheckedOptions, ReportError> {
        Ok(CheckedOptions { needs: vec![ExhibitNeed::Reported], ..CheckedOptions::default() })
    }

    fn points(
        &self,
        &PointsInput { spec, experiments, context }: &PointsInput<'_>,
    ) -> Result<DrawnPoints, ReportError> {
        let found = compare(experiments, &spec.others);
        let ratio = |one: &ReportedComparison<'_>| one.ratio(one.mean()?).filter(|ratio| *ratio > 0.0);
        let mut ratios: Vec<(&ReportedComparison<'_>, f64)> =
            found.iter().filter_map(|one| Some((one, ratio(one)?))).collect();
        ratios.sort_by(|a, b| a.1.total_cmp(&b.1).then_with(|| a.0.stream.cmp(b.0.stream)));
        let replicates = ratios.iter().map(|(one, _)| one.losses.len()).max().unwrap_or_default();
        let run = format!(
            "Dots: means over {}; lines: from the least to the largest; profile {}.",
            counted(replicates, "seed"),
            context.profile
        );
        let values: Vec<f64> = ratios.iter().map(|(_, ratio)| *ratio).collect();
        let finding = geometric_mean(&values).map(|mean| {
            let won = values.iter().filter(|ratio| **ratio <= 1.0).count();
            format!(
                "At most 1 on {won} of {}; the geometric mean is {}.",
                counted(values.len(), "stream"),
                significant(mean, 3)
            )
        });
        let best = |(one, ratio): &(&ReportedComparison<'_>, f64)| {
            let best = one.best?;
            Some(format!("{}: {} of {}, {}", one.stream, significant(*ratio, 3), best.package, best.setting))
        };
        let best: Vec<String> = ratios.iter().filter_map(best).collect();
        Ok(DrawnPoints {
            x: AxisSpec::log(&spec.x),
            y: AxisSpec::linear(&spec.y),
            panels: vec![panel(&ratios)],
            reference: Some(1.0),
            columns: 0,
            run,
            finding,
            notes: if best.is_empty() { Vec::new() } else { vec![format!("{}.", best.join("; "))] },
        })
    }
}

/// All streams, with their ratios.
fn panel(ratios: &[(&ReportedComparison<'_>, f64)]) -> PointsPanel {
    let several = ratios.iter().any(|(one, _)| one.label != ratios[0].0.label);
    let name = |(one, _): &(&ReportedComparison<'_>, f64)| match several {
        true => format!("{}, {}", one.stream, one.label),
        false => one.stream.to_owned(),
    };
    let series = SERIES.map(|(measure, name)| {
        let dots = listed(ratios, |(one, ratio)| {
            let ends = one.range().and_then(|(least, largest)| Some((one.ratio(least)?, one.ratio(largest)?)));
            (one.measure == measure).then(|| SeriesPoint {
                x: *ratio,
                across: ends.filter(|(least, _)| *least > 0.0),
                replicates: Some(one.losses.len()),
                ..SeriesPoint::default()
            })
        });
        ChartSeries::dots(name, dots)
    });
    let series = series.into_iter().filter(|series| !series.points.is_empty()).collect();
    PointsPanel { title: String::new(), names: Some(ratios.iter().map(name).collect()), series }
}

#[cfg(test)]
mod tests {
    use crate::analysis::reported::read;
    use crate::analysis::reported::tests::{TEXT, losses};
    use crate::caption::FigureContext;
    use crate::figure::points::KIND;
    use crate::figure::registry;

    #[test]
    fn dots_are_ratios_with_the_range_of_seeds() {
        let text = "kind = 'reported'\nexperiments = ['e']\ntitle = ''\nx = 'ratio'\ny = ''\nshows = ''\n";
        assert!(registry::read("test", text).unwrap_err().to_string().contains("`reported` names no file"));
        let mut figure = registry::read("test", &format!("{text}reported = 'r.csv'")).unwrap();
        figure.spec.others = read(TEXT).unwrap();
        let drawn = (KIND.draw)(&figure.spec, &[&losses(&[1.0, 3.0, 1.4])], &FigureContext::default()).unwrap();
        let [series] = drawn.panels[0].series.as_slice() else { panic!("one measure") };
        let [dot] = series.points.as_slice() else { panic!("one stream") };
        assert_eq!((dot.x, dot.y, dot.across, dot.replicates), (0.9, 0.0, Some((0.5, 1.5)), Some(3)));
        assert_eq!(drawn.finding.as_deref(), Some("At most 1 on 1 of 1 stream; the geometric mean is 0.900."));
    }
}
