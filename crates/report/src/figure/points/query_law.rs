//! The distribution of the number of noisy copies per round, beside the law that the random degrees imply.

use schemars::JsonSchema;
use serde::Deserialize;

use super::api::{DrawnPoints, PointRows, PointsInput, PointsPanel};
use crate::analysis::queries::{fit, per_round};
use crate::chart::plot::{AxisSpec, ChartSeries, SeriesPoint};
use crate::chart::svg::plain;
use crate::error::ReportError;
use crate::figure::api::{CheckedOptions, FigureSpec, Name, NameKind};
use crate::number::{grouped, significant};
use crate::schema;
use noregret_core::params::number;
use noregret_core::theory::noisy::{expected_queries, queries_law};

/// The shares of rounds that asked for so many noisy copies, beside their law.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct QueryLaw {
    /// The curves with the parameters of their laws.
    laws: Vec<CurveLaw>,
    /// The largest number of copies that is drawn.
    up_to: usize,
    /// The number of copies of y_t in every round, which are counted but not random.
    #[serde(default)]
    targets: usize,
}

/// The law of one curve.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CurveLaw {
    /// Label of the curve.
    label: String,
    /// The base of the degrees' law.
    #[serde(deserialize_with = "number::read")]
    #[schemars(schema_with = "schema::number")]
    p: f64,
    /// Whether the kernel is Gaussian, whose maps cost 2 N1 + N2 copies.
    #[serde(default)]
    gaussian: bool,
}

/// The law of n numbers of copies takes n^2 operations.
const MOST_COPIES: usize = 10_000;

impl PointRows for QueryLaw {
    fn check(&self, spec: &FigureSpec) -> Result<CheckedOptions, ReportError> {
        if self.up_to > MOST_COPIES {
            return Err(spec.wrong(format!("options: `up_to` must be at most {MOST_COPIES}")));
        }
        if let Some(law) = self.laws.iter().find(|law| !(law.p > 1.0 && law.p.is_finite())) {
            return Err(spec.wrong(format!("options: p = {} of `{}` must be above 1", law.p, law.label)));
        }
        if self.laws.is_empty() {
            return Err(spec.wrong("options: `laws` is empty".into()));
        }
        let name = |law: &CurveLaw| Name { field: "laws.label".into(), name: law.label.clone(), of: NameKind::Label };
        Ok(CheckedOptions { names: self.laws.iter().map(name).collect(), ..CheckedOptions::default() })
    }

    fn points(
        &self,
        &PointsInput { spec, experiments, context }: &PointsInput<'_>,
    ) -> Result<DrawnPoints, ReportError> {
        let (mut panels, mut sentences, mut furthest) = (Vec::new(), Vec::new(), None::<f64>);
        for law in &self.laws {
            let name = plain(&law.label);
            let Some(counts) = experiments.iter().find_map(|experiment| per_round(experiment, &law.label)) else {
                sentences.push(format!("{name}: no completed run has a trace of every round."));
                continue;
            };
            if counts.iter().take(self.targets).any(|rounds| *rounds > 0) {
                let targets = self.targets;
                sentences
                    .push(format!("{name}: some rounds took fewer than {targets} copies, so `targets` is too large."));
                continue;
            }
            let found = self.compare(law, counts.get(self.targets..).unwrap_or_default());
            panels.push(found.panel);
            sentences.push(format!("{name}: {}", found.sentence));
            furthest = Some(furthest.map_or(found.apart, |most| most.max(found.apart)));
        }
        Ok(DrawnPoints {
            x: AxisSpec::linear(&spec.x),
            y: AxisSpec::log(&spec.y),
            panels,
            reference: None,
            columns: 0,
            run: format!(
                "Dots are shares of all rounds with 95 % normal intervals, lines are the law; profile {}.",
                context.profile
            ),
            finding: furthest.map(|most| format!("Means differ from the law's by at most {} %.", significant(most, 2))),
            notes: vec![sentences.join(" ")],
        })
    }
}

/// Counts beside their law.
struct LawFit {
    panel: PointsPanel,
    sentence: String,
    /// By how many per cent the means differ.
    apart: f64,
}

impl QueryLaw {
    /// Compares how many rounds asked for 0, 1, 2, ... copies with a law.
    fn compare(&self, law: &CurveLaw, counts: &[u64]) -> LawFit {
        let rounds = counts.iter().sum::<u64>();
        let share = |count: u64| count as f64 / rounds as f64;
        let point = |(m, &count): (usize, &u64)| {
            let (mean, n) = (share(count), rounds as f64);
            let half = 1.959_964 * (mean * (1.0 - mean) / n).sqrt();
            let band = Some((mean - half, mean + half));
            SeriesPoint { x: m as f64, y: mean, half: Some(half), band, ..SeriesPoint::default() }
        };
        let found = counts.iter().enumerate().filter(|(m, count)| *m <= self.up_to && **count > 0).map(point);
        // The test pools all numbers beyond the largest one that was found.
        let mut shares = queries_law(law.p, law.gaussian, counts.len().max(self.up_to));
        // Shares of less than a tenth of a round cannot be compared.
        let drawn = shares.iter().take(self.up_to + 1).enumerate().filter(|(_, y)| **y >= 0.1 * share(1));
        let theory: Vec<(f64, f64)> = drawn.map(|(m, &y)| (m as f64, y)).collect();
        shares.truncate(counts.len());
        let series =
            vec![ChartSeries::dots("found", found.collect()), ChartSeries::plain("law", theory).like("found", "")];
        let mean = counts.iter().enumerate().map(|(m, &count)| m as f64 * share(count)).sum::<f64>();
        let expected = expected_queries(law.p, law.gaussian);
        let test = match fit(counts, &shares) {
            Some(fit) => {
                let (statistic, tail) = (significant(fit.statistic, 3), significant(fit.tail, 2));
                format!("chi-squared {statistic} on {} degrees of freedom, tail probability {tail}", fit.freedom)
            }
            None => "too few rounds for a test".into(),
        };
        let (mean_words, law_words) = (significant(mean, 4), significant(expected, 4));
        LawFit {
            panel: PointsPanel { title: law.label.clone(), names: None, series },
            sentence: format!(
                "{mean_words} copies per round over {} rounds, law {law_words}; {test}.",
                grouped(rounds)
            ),
            apart: 100.0 * (mean / expected - 1.0).abs(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::caption::FigureContext;
    use crate::figure::points::KIND;
    use crate::figure::registry::read;
    use crate::figure::samples::{experiment, run, specification};

    #[test]
    fn shares_and_their_law() {
        let options = "up_to = 3\ntargets = 1\nlaws = [{ label = 'a', p = 2.0 }, { label = 'b', p = 2.0 }]";
        let figure = read("test", &specification("query-law", "['e']", options)).unwrap();
        let data = experiment("e", vec![run("a", 8, 0, 1.0, &[1, 3, 1, 5])]);
        let drawn = (KIND.draw)(&figure.spec, &[&data], &FigureContext::default()).unwrap();
        let points = |i: usize| -> Vec<(f64, f64)> {
            drawn.panels[0].series[i].points.iter().map(|point| (point.x, point.y)).collect()
        };
        // Copies of x_t: 0, 2, 0, 4 in turn; 4 is beyond the drawn range.
        assert_eq!(points(0), [(0.0, 0.5), (2.0, 0.25)]);
        // P(m copies) = (2/3)^m / 3.
        for (m, (x, share)) in points(1).into_iter().enumerate() {
            assert!(x == m as f64 && (share - (2f64 / 3.0).powi(m as i32) / 3.0).abs() < 1e-12);
        }
        assert_eq!(drawn.finding.as_deref(), Some("Means differ from the law's by at most 25 %."));
        let text = &drawn.notes[0];
        assert!(text.contains("1.500 copies per round over 8 rounds, law 2.000"), "{text}");
        assert!(text.contains("b: no completed run"), "{text}");
    }

    #[test]
    fn bases_of_no_law_are_refused() {
        let refused =
            |options: &str| read("test", &specification("query-law", "['e']", options)).unwrap_err().to_string();
        assert!(refused("up_to = 3\nlaws = []").contains("`laws` is empty"));
        assert!(refused("up_to = 3\nlaws = [{ label = 'a', p = 1.0 }]").contains("must be above 1"));
        assert!(refused("up_to = 10001\nlaws = [{ label = 'a', p = 2.0 }]").contains("must be at most 10000"));
    }
}
