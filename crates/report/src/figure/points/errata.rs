//! The errata at a glance: for each item, what the printed and what the corrected form say of a computed number, over that
//! number.

use schemars::JsonSchema;
use serde::Deserialize;

use super::api::{DrawnPoints, PointRows, PointsInput, PointsPanel, by_paper, listed};
use crate::chart::plot::{AxisSpec, ChartSeries, SeriesPoint};
use crate::error::ReportError;
use crate::exhibit::ExhibitNeed;
use crate::figure::api::{CheckedOptions, FigureSpec};
use crate::number::significant;
use noregret_papers::errata::api::{Class, ErratumFinding, ErratumNumber};

/// The items of the errata: quotients of what is said of a number and the number.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Errata {
    /// The largest factor that is drawn; bars that go further end in an arrow.
    #[serde(default = "thousand")]
    up_to: f64,
}

fn thousand() -> f64 {
    1000.0
}

/// What both forms say of a number, over the number; None where a quotient says nothing.
#[derive(Clone, Copy)]
struct Quotients {
    printed: f64,
    corrected: Option<f64>,
}

/// The quotients of the number that the printed form misses by the largest factor.
fn quotients(finding: &ErratumFinding) -> Option<Quotients> {
    let of = |quantity: &ErratumNumber| {
        let over = |prediction: f64| Some(prediction / quantity.found).filter(|one| one.is_finite() && *one > 0.0);
        let printed = quantity.printed.filter(|printed| quantity.refutes(*printed)).and_then(over)?;
        Some(Quotients { printed, corrected: quantity.corrected.and_then(over) })
    };
    let distance = |one: &Quotients| one.printed.ln().abs();
    finding.quantities.iter().filter_map(of).max_by(|a, b| distance(a).total_cmp(&distance(b)))
}

impl PointRows for Errata {
    fn check(&self, spec: &FigureSpec) -> Result<CheckedOptions, ReportError> {
        match self.up_to > 1.0 && self.up_to.is_finite() {
            true => Ok(CheckedOptions { needs: vec![ExhibitNeed::Errata], ..CheckedOptions::default() }),
            false => Err(spec.wrong(format!("options: `up_to` = {} is not above 1", self.up_to))),
        }
    }

    fn points(&self, &PointsInput { spec, context, .. }: &PointsInput<'_>) -> Result<DrawnPoints, ReportError> {
        let end = self.up_to;
        let passages =
            || context.findings.iter().filter(|finding| !matches!(finding.class, Class::Pitfall | Class::Practice));
        let mut found: Vec<(&ErratumFinding, Quotients)> =
            passages().filter_map(|finding| Some((finding, quotients(finding)?))).collect();
        found.sort_by(|(_, a), (_, b)| b.printed.total_cmp(&a.printed));
        let run = format!(
            "{} of {} items, those whose printed form gives a positive number that the computation refutes.",
            found.len(),
            passages().count()
        );
        let twice = found.iter().filter(|(_, one)| one.printed.ln().abs() >= 2f64.ln()).count();
        let off = found.iter().filter(|(_, one)| one.printed.ln().abs() > end.ln());
        let off: Vec<String> =
            off.map(|(finding, one)| format!("{} {}", name(finding), significant(one.printed, 2))).collect();
        let mut notes = vec![
            "Of several numbers, the one is shown that the printed form misses by the largest factor. The dotted line is \
             the computed number, and a bar is the factor from it to the printed form. The table of errata has all numbers."
                .to_owned(),
        ];
        if !off.is_empty() {
            notes.push(format!("Bars with an arrow go on: {}.", off.join(", ")));
        }
        Ok(DrawnPoints {
            x: AxisSpec { limits: (Some(1.0 / end), Some(end)), ..AxisSpec::log(&spec.x) },
            y: AxisSpec::linear(&spec.y),
            panels: by_paper(&found, |(finding, _)| finding.paper, panel),
            reference: Some(1.0),
            columns: 2,
            run,
            finding: Some(format!("{twice} printed forms are off by a factor of two or more.")),
            notes,
        })
    }
}

/// The name of an item below that of its paper.
fn name(finding: &ErratumFinding) -> String {
    let words = finding.id.split_once('-').map_or(finding.id.as_str(), |(_, rest)| rest);
    words.replace('-', " ")
}

/// The items of a paper.
fn panel(here: &[&(&ErratumFinding, Quotients)]) -> PointsPanel {
    let dots = |of: fn(&Quotients) -> Option<f64>| {
        listed(here, |(_, quotients)| Some(SeriesPoint { x: of(quotients)?, ..SeriesPoint::default() }))
    };
    let bars = listed(here, |(_, Quotients { printed, .. })| {
        Some(SeriesPoint { x: 1.0, across: Some((printed.min(1.0), printed.max(1.0))), ..SeriesPoint::default() })
    });
    let series = vec![
        ChartSeries::bars("factor", bars),
        ChartSeries::dots("printed form", dots(|one| Some(one.printed))),
        ChartSeries::dots("corrected form", dots(|one| one.corrected)),
    ];
    PointsPanel { title: String::new(), names: Some(here.iter().map(|(finding, _)| name(finding)).collect()), series }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::caption::FigureContext;
    use crate::figure::points::KIND;
    use crate::figure::registry::read;
    use noregret_papers::errata::registry::ERRATA;

    const TEXT: &str = "kind = 'errata'\nerrata = true\ntitle = ''\nx = 'quotient'\ny = ''\nshows = ''";

    #[test]
    fn printed_and_corrected_forms_stand_beside_each_other() {
        let spec = read("test", TEXT).unwrap().spec;
        let finding = ERRATA.iter().find(|erratum| erratum.id == "noisy-algorithm-4").unwrap().finding();
        let quotients = quotients(&finding).unwrap();
        assert!(quotients.printed != 1.0 && quotients.corrected.is_some_and(|one| (one.ln()).abs() < 0.5));
        let context = FigureContext { findings: vec![finding], ..FigureContext::default() };
        let drawn = (KIND.draw)(&spec, &[], &context).unwrap();
        assert_eq!(drawn.panels[0].series.iter().map(|one| one.points.len()).collect::<Vec<_>>(), [1, 1, 1]);
        assert!(drawn.run.starts_with("1 of 1 items"), "{}", drawn.run);
    }

    #[test]
    fn a_figure_of_errata_says_so() {
        assert!(read("test", &TEXT.replace("errata = true\n", "rates = ['*']\n")).is_err());
        assert!(read("test", &format!("{TEXT}\n[options]\nup_to = 1")).is_err());
    }
}
