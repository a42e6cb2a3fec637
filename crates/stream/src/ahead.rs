//! Forecasts at several horizons (`--ahead`): what is refused, and what is written and said of them.

use crate::args::{AHEAD, StreamArgs};
use crate::distribution::StdNoise;
use crate::error::StreamError;
use crate::further::FurtherLearner;
use crate::learner::Learnt;
use crate::line::{OutputLine, shortest};
use crate::metrics::Metric;
use crate::played::{RowForecast, waiting};
use noregret_core::learner::combine::ahead::MOST_STEPS;

/// Checks that the options go with horizons.
///
/// # Errors
/// What does not, and what to do instead.
pub(crate) fn check(args: &StreamArgs) -> Result<(), StreamError> {
    let given = &args.ahead;
    let Some(first) = given.first() else { return Ok(()) };
    let others = [
        (args.learner == AHEAD, "--learner ahead has steps of its own: give the learner that forecasts, without ahead"),
        (
            args.delay.is_some(),
            "--delay: at horizon h a target is learnt h - 1 rows after its forecast already; leave --delay out",
        ),
        (args.id.is_some(), "--id: steps are counted in rows of the file; leave --id out"),
        (args.sample_weight.is_some(), "--sample-weight: rows that are learnt later take no weights; leave them out"),
        (!args.further_targets.is_empty(), "--further-targets: run a stream for each target"),
        (args.weights, "--weights: they would be those of other rows; run `--learner ahead` for one horizon"),
        (args.noise.is_some(), "--noise: noisy copies are not kept for later; leave the noise out"),
        (args.shuffle, "--shuffle: steps ahead need the order of the file"),
        (args.classes.is_some(), "--classes: forecasts are of numbers; --positive WORD makes numbers of classes"),
        (
            args.report.is_some() && *first != 1,
            "--report: its page tells of the first horizon, which has to be 1; put 1 before the others",
        ),
    ];
    let why = match others.iter().find(|(refused, _)| *refused) {
        _ if given.contains(&0) => {
            "horizons count from 1: 1 forecasts the target of the row itself, 2 that of the next row"
        }
        _ if given.iter().any(|steps| *steps > MOST_STEPS) => "a horizon is at most 100000 rows",
        _ if given.windows(2).any(|pair| pair[0] >= pair[1]) => {
            "give each horizon once, in increasing order, such as --ahead 1,2,24"
        }
        Some((_, why)) => why,
        None => return Ok(()),
    };
    Err(StreamError::Usage(format!("--ahead: {why}")))
}

/// Each line followed by those of the other horizons.
pub(crate) fn spread(lines: &[OutputLine], steps: &[u64]) -> Vec<OutputLine> {
    let of = |line: &OutputLine| {
        let further = line.further.iter().map(|other| OutputLine { unseen: line.unseen, ..other.clone() });
        let own = OutputLine { further: Vec::new(), ..line.clone() };
        let all = std::iter::once(own).chain(further).zip(steps);
        all.map(|(line, steps)| OutputLine { steps: Some(*steps), ..line }).collect::<Vec<_>>()
    };
    lines.iter().flat_map(of).collect()
}

/// The forecasts of rows after the last one, whose round is given, in the order of these rows.
pub(crate) fn coming(
    (first, further): (&Learnt, &[FurtherLearner]),
    last: u64,
    std: Option<StdNoise>,
) -> Vec<OutputLine> {
    let of = |learnt: &Learnt| {
        let Some(horizon) = &learnt.ahead else { return Vec::new() };
        let all = waiting(learnt, std);
        let until = horizon.rows_until(all.len());
        let line = |(rows, told): (Option<u64>, &RowForecast)| {
            let line = told.line(last + 1 + rows?, learnt.tally.loss()).ok()?;
            Some(OutputLine { steps: Some(horizon.steps), ..line })
        };
        until.zip(&all).filter_map(line).collect()
    };
    let mut lines: Vec<OutputLine> = all(first, further).flat_map(of).collect();
    lines.sort_by_key(|line| (line.round, line.steps));
    lines
}

/// What is said of the horizons at the end.
pub(crate) fn said(first: &Learnt, further: &[FurtherLearner], metrics: &[Metric]) -> Vec<String> {
    let line = |learnt: &Learnt| {
        let horizon = learnt.ahead.as_ref()?;
        let (name, scores) = (horizon.name(), &horizon.scores);
        let Some(loss) = scores.get(Metric::Squared) else { return Some(format!("{name}: no target had a forecast")) };
        let more = if metrics.is_empty() { String::new() } else { format!(", {}", scores.line(metrics)) };
        let missed = learnt.seat.hypothesis().gauges().missed;
        let missed = missed.map_or_else(String::new, |missed| format!(", {missed} outside of their intervals"));
        Some(format!("{name}: {} targets, average loss {}{more}{missed}", scores.rounds, shortest(loss)))
    };
    all(first, further).filter_map(line).collect()
}

/// What was learnt at each horizon.
fn all<'a>(first: &'a Learnt, further: &'a [FurtherLearner]) -> impl Iterator<Item = &'a Learnt> {
    std::iter::once(first).chain(further.iter().map(|one| &one.state))
}
