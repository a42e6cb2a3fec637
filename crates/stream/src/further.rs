//! Further targets, or further horizons of the same target: each is predicted from the same inputs by a learner of its own.

use crate::args::StreamArgs;
use crate::error::StreamError;
use crate::horizon::Horizon;
use crate::learner::{ChosenLearner, Learnt};
use crate::line::{OutputLine, shortest};
use crate::metrics::{Metric, Scores};
use crate::played::{Wish, play_rows};
use noregret_core::learner::api::Block;
use noregret_core::protocol::run::Stop;
use noregret_core::protocol::tally::Tally;
use noregret_model::inputs::Scaling;
use noregret_model::targets::Rescale;
use noregret_numeric::draw::Draws;
use noregret_numeric::state::{StateError, Store};

/// A learner of a further target or horizon.
pub(crate) struct FurtherLearner {
    /// What it predicts: a column, or how far ahead.
    pub name: String,
    /// What was learnt.
    pub state: Learnt,
    /// Its draws.
    draws: Draws,
    /// Its metrics.
    scores: Scores,
}

impl FurtherLearner {
    /// Takes over the scale of the first target, where that is its own.
    pub(crate) fn share(&mut self, scale: &Rescale) {
        if self.state.ahead.is_some() {
            self.state.scale = scale.clone();
        }
    }
}

/// Those of a run, each made as the learner of the first target; `chosen` is one step ahead.
///
/// # Errors
/// Options that are for one target.
pub(crate) fn all(
    args: &StreamArgs,
    chosen: &ChosenLearner,
    (quantities, target): (&[bool], &str),
    horizon: Option<u64>,
    classes: Option<usize>,
) -> Result<Vec<FurtherLearner>, StreamError> {
    let one = |name: String, chosen: &ChosenLearner, ahead: Option<Horizon>| {
        let seat = chosen.seat(args, quantities, horizon, None, None)?;
        let state = Learnt { ahead, ..Learnt::new(seat, Tally::default(), Rescale::default()) };
        Ok(FurtherLearner { name, state, draws: chosen.draws(args), scores: Scores::new(&args.metrics) })
    };
    if let Some((_, others)) = args.ahead.split_first() {
        let at = |steps: &u64| {
            let ahead = Horizon::new(*steps, &args.metrics);
            one(ahead.name(), &chosen.ahead(args, *steps)?, Some(ahead))
        };
        return others.iter().map(at).collect();
    }
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
    names.iter().map(|name| one(name.clone(), chosen, None)).collect()
}

/// Plays a block for each of them and adds what they predicted to its lines; `targets` has one number for each further target in
/// each row.
///
/// # Errors
/// Why one of them cannot go on; the lines are then as many as all have predicted.
pub(crate) fn play(
    all: &mut [FurtherLearner],
    wish: Wish<'_>,
    block: Block<'_>,
    targets: &[f64],
    lines: &mut Vec<OutputLine>,
) -> Result<(), Stop> {
    let count = all.len();
    let mut outcome = Ok(());
    for (k, one) in all.iter_mut().enumerate() {
        let rows = lines.len().min(block.targets.len());
        let own: Vec<f64> = match one.state.ahead {
            Some(_) => block.targets[..rows].to_vec(),
            None => targets.iter().skip(k).step_by(count).take(rows).copied().collect(),
        };
        let part = Block { inputs: block.inputs.slice(0, rows), targets: &own, ..block };
        let mut played = Vec::new();
        let ended = play_rows(&mut one.state, &one.draws, wish, part, &mut played);
        if let Err(Stop { cause }) = ended {
            outcome = Err(Stop { cause: format!("of {}: {cause}", one.name) });
        }
        lines.truncate(played.len());
        for (line, further) in lines.iter_mut().zip(played) {
            if let Some(target) = further.target {
                one.scores.add(further.prediction, target);
            }
            line.further.push(further);
        }
    }
    outcome
}

/// What is said of them at the end.
pub(crate) fn said(all: &[FurtherLearner], metrics: &[Metric]) -> Vec<String> {
    let line = |one: &FurtherLearner| {
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
pub(crate) fn state(all: &mut [FurtherLearner], store: &mut Store) -> Result<(), StateError> {
    for (k, one) in all.iter_mut().enumerate() {
        // Inputs are scaled once for all.
        store.within(&format!("further_{}", k + 1), |store| one.state.state(&mut Scaling::None, store))?;
    }
    Ok(())
}
