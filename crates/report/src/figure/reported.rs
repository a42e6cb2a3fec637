//! Losses of learners over those of the best settings of other programs, which a file of the project reports: a line for each
//! stream, on a logarithmic axis, with the range of the replicates.

use schemars::{JsonSchema, SchemaGenerator};
use serde::Deserialize;

use crate::analysis::record::Experiment;
use crate::analysis::reported::{Comparison, Measure, compare, geometric_mean};
use crate::caption::Context;
use crate::chart::plot::{AxisSpec, Chart, Guide, Series, SeriesPoint};
use crate::error::ReportError;
use crate::figure::api::{Checked, Drawn, FigureSpec, Kind};
use crate::number::significant;

pub(crate) static KIND: Kind = Kind {
    name: "reported",
    module: module_path!(),
    options: SchemaGenerator::subschema_for::<ReportedOptions>,
    check: |spec| spec.options::<ReportedOptions>().map(|_| Checked::default()),
    draw,
};

/// The kind `reported` has no options.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReportedOptions {}

/// The series by what they compare.
const SERIES: [(Measure, &str); 2] =
    [(Measure::Squared, "squared error"), (Measure::ErrorRate, "share of wrong labels")];

fn draw(spec: &FigureSpec, experiments: &[&Experiment], context: &Context) -> Result<Drawn, ReportError> {
    let found = compare(experiments, &spec.others);
    let ratio = |one: &Comparison<'_>| one.ratio(one.mean()?).filter(|ratio| *ratio > 0.0);
    let mut ratios: Vec<(&Comparison<'_>, f64)> = found.iter().filter_map(|one| Some((one, ratio(one)?))).collect();
    ratios.sort_by(|a, b| a.1.total_cmp(&b.1).then_with(|| a.0.stream.cmp(b.0.stream)));
    let several = ratios.iter().any(|(one, _)| one.label != ratios[0].0.label);
    let name = |(one, _): &(&Comparison<'_>, f64)| match several {
        true => format!("{}, {}", one.stream, one.label),
        false => one.stream.to_owned(),
    };
    let point = |(index, (one, ratio)): (usize, &(&Comparison<'_>, f64))| {
        let ends = one.range().and_then(|(least, largest)| Some((one.ratio(least)?, one.ratio(largest)?)));
        SeriesPoint {
            x: *ratio,
            y: -(index as f64),
            across: ends.filter(|(least, _)| *least > 0.0),
            replicates: Some(one.losses.len()),
            ..SeriesPoint::default()
        }
    };
    let series = SERIES.map(|(measure, name)| {
        let of = ratios.iter().enumerate().filter(|(_, (one, _))| one.measure == measure);
        Series::dots(name, of.map(point).collect())
    });
    let chart = Chart {
        series: series.into_iter().filter(|series| !series.points.is_empty()).collect(),
        guides: vec![Guide::upright("", 1.0)],
        ..Chart::empty(AxisSpec::log(&spec.x), AxisSpec::names(&spec.y, ratios.iter().map(name)))
    };
    let replicates = ratios.iter().map(|(one, _)| one.losses.len()).max().unwrap_or_default();
    let run = format!(
        "Dots: means over {replicates} seeds; lines: from the least to the largest; profile {}.",
        context.profile
    );
    let values: Vec<f64> = ratios.iter().map(|(_, ratio)| *ratio).collect();
    let finding = geometric_mean(&values).map(|mean| {
        let won = values.iter().filter(|ratio| **ratio <= 1.0).count();
        format!("At most 1 on {won} of {} streams; the geometric mean is {}.", values.len(), significant(mean, 3))
    });
    let best = |(one, ratio): &(&Comparison<'_>, f64)| {
        let best = one.best?;
        Some(format!("{}: {} of {}, {}", one.stream, significant(*ratio, 3), best.package, best.setting))
    };
    let notes: Vec<String> = ratios.iter().filter_map(best).collect();
    let notes = if notes.is_empty() { Vec::new() } else { vec![format!("{}.", notes.join("; "))] };
    Ok(Drawn { panels: vec![chart], columns: 0, run, finding, notes, claims: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::reported::read;
    use crate::analysis::reported::tests::{TEXT, losses};
    use crate::figure::registry;

    #[test]
    fn dots_are_ratios_with_the_range_of_seeds() {
        let text = "kind = 'reported'\nexperiments = ['e']\ntitle = ''\nx = 'ratio'\ny = ''\nshows = ''\n";
        assert!(registry::read("test", text).unwrap_err().to_string().contains("`reported` names no file"));
        let mut figure = registry::read("test", &format!("{text}reported = 'r.csv'")).unwrap();
        figure.spec.others = read(TEXT).unwrap();
        let drawn = draw(&figure.spec, &[&losses(&[1.0, 3.0, 1.4])], &Context::default()).unwrap();
        let [series] = drawn.panels[0].series.as_slice() else { panic!("one measure") };
        let [dot] = series.points.as_slice() else { panic!("one stream") };
        assert_eq!((dot.x, dot.y, dot.across, dot.replicates), (0.9, 0.0, Some((0.5, 1.5)), Some(3)));
        assert_eq!(drawn.finding.as_deref(), Some("At most 1 on 1 of 1 streams; the geometric mean is 0.900."));
    }
}
