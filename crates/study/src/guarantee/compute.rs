//! A run held against a statement about every run, from its trace and its rounds.

use std::sync::Arc;

use noregret_core::epoch::Scales;
use noregret_core::protocol::cell::{Cell, Feed};
use noregret_core::protocol::design::Design;
use noregret_core::stream::table::Examples;
use noregret_numeric::linalg::matrix::{Matrix, Rows};
use noregret_papers::guarantee::{Guarantee, PlayedRun};
use noregret_report::analysis::guarantee::{CheckOutcome, CheckedRun};
use noregret_report::trace::cell::{EndStatus, Stored};

/// Where code identity starts.
pub const MODULE: &str = module_path!();

/// The numbers that the inputs of a run may take: 32 MiB.
const NUMBERS: usize = 1 << 22;

/// The first rounds of a stream, as a learner without noise sees them.
#[derive(Debug)]
pub struct FirstRounds {
    inputs: Matrix,
    targets: Vec<f64>,
}

/// Those of the stream of a cell, as many as memory allows. `table` holds the prepared dataset, if the stream is one; none where
/// an adversary makes the rounds.
pub fn rounds(design: &Design, cell: &Cell, table: Option<Arc<Examples>>) -> Option<FirstRounds> {
    let draws = design.stream_draws(cell.stream, cell.replicate);
    let source = design.streams[cell.stream].source(cell.horizon, &draws, table)?;
    let count = (cell.horizon as usize).min(NUMBERS / source.dim().max(1));
    let (mut inputs, mut targets) = (Matrix::zeros(count, source.dim()), vec![0.0; count]);
    source.fill(1, &draws, inputs.data_mut(), &mut targets);
    Some(FirstRounds { inputs, targets })
}

/// Holds a run against a statement.
pub fn check(
    design: &Design,
    cell: &Cell,
    stored: &Stored,
    rounds: Option<&FirstRounds>,
    guarantee: &Guarantee,
) -> CheckOutcome {
    let (none, stream): ([f64; 0], _) = ([], &design.streams[cell.stream]);
    let (inputs, targets) = match rounds {
        _ if !guarantee.rounds => (Rows::new(0, &none), &none[..]),
        Some(_) if cell.feed != Feed::Clean && stream.noise.is_some() => return silent("its learner saw noisy copies"),
        Some(_) if stream.epochs() != Scales::default() => return silent("its learner saw the scales of epochs"),
        Some(rounds) => (rounds.inputs.view(), &rounds.targets[..]),
        None => return silent("an adversary made its rounds, which are not kept"),
    };
    if stored.ending.status != EndStatus::Done {
        return silent("it broke down");
    }
    let totals: Vec<(u64, f64)> = stored.rows.iter().map(|row| (row.t, row.cumulative_loss)).collect();
    let run = PlayedRun {
        learner: cell.learner.name,
        params: &cell.params,
        horizon: cell.horizon,
        loss: &*design.loss.object,
        inputs,
        targets,
        totals: &totals,
        measures: &stored.measures,
    };
    CheckOutcome::new((guarantee.check)(&run))
}

fn silent(why: &str) -> CheckOutcome {
    CheckOutcome::Silent(why.to_owned())
}

/// A check with its place.
pub fn placed(design: &Design, cell: &Cell, real: bool, guarantee: &Guarantee, outcome: CheckOutcome) -> CheckedRun {
    CheckedRun {
        guarantee: guarantee.name.to_owned(),
        experiment: design.name.clone(),
        stream: design.streams[cell.stream].name().to_owned(),
        real,
        label: cell.label.to_string(),
        replicate: cell.replicate,
        outcome,
    }
}
