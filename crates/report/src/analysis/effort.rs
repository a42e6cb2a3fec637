//! What entries lose over many streams, and what they spend: processor time for each row, and memory.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::analysis::board::{Board, ChosenRun, LossPart, Outcome};
use crate::analysis::quantity::RunQuantity;
use crate::analysis::ranks::median;
use crate::analysis::record::ExperimentResults;
use crate::analysis::reported::geometric_mean;
use crate::analysis::summary::sum;
use crate::trace::gauge::STATE_BYTES;

/// An average over streams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum StreamAverage {
    /// The geometric mean.
    #[default]
    Geometric,
    /// The median, for which a divergence is infinite.
    Median,
}

impl StreamAverage {
    /// Its value; none without values, and where it is not a positive number.
    pub(crate) fn of(self, values: &[f64]) -> Option<f64> {
        let found = match self {
            StreamAverage::Geometric => geometric_mean(values),
            StreamAverage::Median => median(values),
        };
        found.filter(|found| found.is_finite() && *found > 0.0)
    }

    /// Its name.
    pub(crate) fn word(self) -> &'static str {
        match self {
            StreamAverage::Geometric => "geometric mean",
            StreamAverage::Median => "median",
        }
    }
}

/// What an entry lost and spent over some streams.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct EntryEffort {
    /// The average of its losses over the least ones of all settings of all entries.
    pub loss: Option<f64>,
    /// The average of its processor seconds for a row.
    pub seconds: Option<f64>,
    /// The same on the stream where it took longest.
    pub(crate) slowest: Option<f64>,
    /// The largest state, in bytes.
    pub bytes: Option<f64>,
}

impl EntryEffort {
    /// That of an entry on these streams. Losses are compared on those where the least loss is positive.
    pub(crate) fn new(board: &Board<'_>, streams: &[usize], entry: usize, average: StreamAverage) -> Self {
        let ratio = |at: &usize| {
            let stream = board.streams.get(*at)?;
            let least = stream.best(LossPart::All).filter(|least| *least > 0.0)?;
            Some(stream.score(entry, LossPart::All)? / least)
        };
        let ratios: Vec<f64> = streams.iter().filter_map(ratio).collect();
        let seconds: Vec<f64> = streams.iter().filter_map(|at| seconds_per_row(board, *at, entry)).collect();
        Self {
            loss: average.of(&ratios),
            seconds: average.of(&seconds),
            slowest: seconds.iter().copied().reduce(f64::max),
            bytes: streams.iter().filter_map(|at| peak_bytes(board, *at, entry)).reduce(f64::max),
        }
    }
}

/// The processor seconds for a row of the setting of an entry that was chosen on a stream, as the mean over replicates. None
/// where it has no result or no time was measured.
pub(crate) fn seconds_per_row(board: &Board<'_>, stream: usize, entry: usize) -> Option<f64> {
    let stream = board.streams.get(stream)?;
    let Outcome::Played(runs) = stream.outcomes.get(entry)? else { return None };
    let spent = |one: &ChosenRun<'_>| {
        let seconds = RunQuantity::ProcessorTime.at_end(stream.experiment, one.run)?;
        (one.run.rounds > 0).then(|| seconds / one.run.rounds as f64)
    };
    let spent: Vec<f64> = runs.iter().map(spent).collect::<Option<_>>()?;
    (!spent.is_empty()).then(|| sum(spent.iter().copied()) / spent.len() as f64)
}

/// The largest state of the chosen setting at a recorded round of any replicate, in bytes.
pub(crate) fn peak_bytes(board: &Board<'_>, stream: usize, entry: usize) -> Option<f64> {
    let stream = board.streams.get(stream)?;
    let Outcome::Played(runs) = stream.outcomes.get(entry)? else { return None };
    runs.iter().filter_map(|one| peak(stream.experiment, one)).reduce(f64::max)
}

fn peak(experiment: &ExperimentResults, one: &ChosenRun<'_>) -> Option<f64> {
    let along = RunQuantity::Gauge(STATE_BYTES).along(experiment, one.run);
    let held = along.into_iter().map(|(_, bytes)| bytes).chain(one.run.gauges.number(STATE_BYTES));
    held.reduce(f64::max)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::analysis::board::BoardRequest;
    use crate::analysis::board::tests::{board, changing};
    use crate::analysis::record::TimeSpent;
    use crate::trace::gauge::{Amount, GaugeValues};

    /// An experiment on two streams where `slow` loses 1 and takes 2 s, and `quick` loses 2 and takes 0.5 s, in 100 rounds;
    /// `krr` has a setting that is best at first, with 1 s, and one that is best in the end, with 4 s.
    pub(crate) fn timed() -> ExperimentResults {
        let of = |stream: &str| {
            vec![
                (2.0, changing(stream, "slow", 1.0, 1.0)),
                (0.5, changing(stream, "quick", 2.0, 2.0)),
                (1.0, changing(stream, "krr (eta = 1)", 1.0, 4.0)),
                (4.0, changing(stream, "krr (eta = 2)", 2.0, 0.5)),
            ]
        };
        let (mut runs, mut times) = (Vec::new(), std::collections::BTreeMap::new());
        for (cpu, (run, mut rows)) in ["s", "t"].into_iter().flat_map(of) {
            times.insert(run.run_id.clone(), vec![TimeSpent { t: 100, cpu, wall: cpu }]);
            rows[3].gauges = GaugeValues::default().with(STATE_BYTES, Some(Amount::Count(4096)));
            runs.push((run, rows));
        }
        ExperimentResults { times, ..board(runs) }
    }

    /// `krr` is chosen by its first tenth and loses 3.7 on average, the best setting of all 0.65.
    #[test]
    fn averages_over_streams() {
        let experiment = timed();
        let found = Board::new(&[&experiment], &BoardRequest::default());
        let krr = found.find("krr").unwrap();
        for average in [StreamAverage::Geometric, StreamAverage::Median] {
            let EntryEffort { loss, seconds, slowest, bytes } = EntryEffort::new(&found, &[0, 1], krr, average);
            assert!((loss.unwrap() - 3.7 / 0.65).abs() < 1e-12, "{loss:?}");
            assert!((seconds.unwrap() - 0.01).abs() < 1e-15 && slowest == Some(0.01) && bytes == Some(4096.0));
        }
        let nothing = EntryEffort { loss: None, seconds: None, slowest: None, bytes: None };
        assert_eq!(EntryEffort::new(&found, &[], krr, StreamAverage::Median), nothing);
        // A divergence spoils a geometric mean, and a median where it is in the middle.
        let values = [1.0, 2.0, f64::INFINITY];
        assert_eq!([StreamAverage::Geometric, StreamAverage::Median].map(|one| one.of(&values)), [None, Some(2.0)]);
    }

    #[test]
    fn times_and_states_are_those_of_the_chosen_runs() {
        let experiment = timed();
        let found = Board::new(&[&experiment], &BoardRequest::default());
        let at = |name: &str| found.find(name).unwrap();
        let seconds = ["slow", "quick", "krr"].map(|name| seconds_per_row(&found, 0, at(name)).unwrap());
        assert_eq!((seconds, peak_bytes(&found, 1, at("krr"))), ([0.02, 0.005, 0.01], Some(4096.0)));
        let untimed = ExperimentResults { times: Default::default(), ..experiment };
        let found = Board::new(&[&untimed], &BoardRequest::default());
        assert_eq!(seconds_per_row(&found, 0, 0), None);
    }
}
