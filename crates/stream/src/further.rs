//! Further targets: each is predicted from the same inputs by a learner of its own.

use crate::args::StreamArgs;
use crate::error::StreamError;
use crate::learner::{ChosenLearner, Learnt};
use crate::line::{FurtherPrediction, OutputLine, shortest};
use crate::metrics::{Metric, Scores};
use crate::played::{Wish, play_rows};
use noregret_core::learner::api::Block;
use noregret_core::protocol::run::Stop;
use noregret_core::protocol::tally::Tally;
use noregret_model::contents::RunContents;
use noregret_model::inputs::Scaling;
use noregret_model::targets::Rescale;
use noregret_numeric::draw::Draws;
use noregret_numeric::state::{State as _, StateError, Store};

/// A further target.
pub(crate) struct FurtherTarget {
    /// Its column.
    pub name: String,
    /// What was learnt of it.
    pub state: Learnt,
    /// Its metrics.
    scores: Scores,
}

/// The further targets of a run, each with a learner that is made as that of the first one.
///
/// # Errors
/// Options that are for one target.
pub(crate) fn all(
    args: &StreamArgs,
    chosen: &ChosenLearner,
    (quantities, target): (&[bool], &str),
    horizon: Option<u64>,
    classes: Option<usize>,
) -> Result<Vec<FurtherTarget>, StreamError> {
    let names = &args.further_targets;
    let usage = |why: String| Err(StreamError::Usage(format!("--further-targets: {why}")));
    if names.is_empty() {
        return Ok(Vec::new());
    }
    if classes.is_some() {
        return usage("they are for numbers, and the first target holds classes".into());
    }
    if args.target_scale().sees_all() {
        return usage("scales of the whole file are those of the first target; use --target-scale epochs".into());
    }
    if let Some(twice) = names.iter().enumerate().find(|(i, name)| *name == target || names[..*i].contains(name)) {
        return usage(format!("{} is named twice", twice.1));
    }
    let one = |name: &String| {
        let seat = chosen.seat(args, quantities, horizon, None, None)?;
        let state = Learnt::new(seat, Tally::default(), Rescale::default());
        Ok(FurtherTarget { name: name.clone(), state, scores: Scores::new(&args.metrics) })
    };
    names.iter().map(one).collect()
}

/// Plays a block for each of them and adds what they predicted to its lines; `targets` has one number for each in each row.
///
/// # Errors
/// Why one of them cannot go on; the lines are then as many as all have predicted.
pub(crate) fn play(
    all: &mut [FurtherTarget],
    draws: &Draws,
    block: Block<'_>,
    targets: &[f64],
    lines: &mut Vec<OutputLine>,
) -> Result<(), Stop> {
    let count = all.len();
    let mut outcome = Ok(());
    for (k, one) in all.iter_mut().enumerate() {
        let rows = lines.len().min(block.targets.len());
        let own: Vec<f64> = targets.iter().skip(k).step_by(count).take(rows).copied().collect();
        let part = Block { inputs: block.inputs.slice(0, rows), targets: &own, ..block };
        let mut played = Vec::new();
        let ended = play_rows(&mut one.state, draws, Wish::default(), part, &mut played);
        if let Err(Stop { cause }) = ended {
            outcome = Err(Stop { cause: format!("of the further target {}: {cause}", one.name) });
        }
        lines.truncate(played.len());
        for (line, OutputLine { target, prediction, loss, cumulative_loss, .. }) in lines.iter_mut().zip(played) {
            if let Some(target) = target {
                one.scores.add(prediction, target);
            }
            line.further.push(FurtherPrediction { target, prediction, loss, cumulative_loss });
        }
    }
    outcome
}

/// What is said of them at the end.
pub(crate) fn said(all: &[FurtherTarget], metrics: &[Metric]) -> Vec<String> {
    let line = |one: &FurtherTarget| {
        let rounds = one.state.tally.rounds();
        let more = if metrics.is_empty() { String::new() } else { format!(", {}", one.scores.line(metrics)) };
        format!(
            "{}: {rounds} rounds, average loss {}{more}",
            one.name,
            shortest(one.state.tally.loss() / rounds as f64)
        )
    };
    all.iter().map(line).collect()
}

/// Saves or loads what was learnt of them.
///
/// # Errors
/// As [`State::state`](noregret_numeric::state::State::state).
pub(crate) fn state(all: &mut [FurtherTarget], store: &mut Store) -> Result<(), StateError> {
    for (k, one) in all.iter_mut().enumerate() {
        let Learnt { seat, tally, scale, misses, service } = &mut one.state;
        let learner = seat.hypothesis_mut();
        // Inputs are scaled once for all.
        let mut contents = RunContents { learner, tally, misses, targets: scale, inputs: &mut Scaling::None, service };
        store.within(&format!("further_{}", k + 1), |store| contents.state(store))?;
    }
    Ok(())
}
