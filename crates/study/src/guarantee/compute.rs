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
pub(crate) struct FirstRounds {
    inputs: Matrix,
    targets: Vec<f64>,
}

/// Those of the stream of a cell, as many as memory allows. `table` holds the prepared dataset, if the stream is one; none where
/// an adversary makes the rounds.
pub(crate) fn rounds(design: &Design, cell: &Cell, table: Option<Arc<Examples>>) -> Option<FirstRounds> {
    let draws = design.stream_draws(cell.stream, cell.replicate);
    let source = design.streams[cell.stream].source(cell.horizon, &draws, table)?;
    let count = (cell.horizon as usize).min(NUMBERS / source.dim().max(1));
    let (mut inputs, mut targets) = (Matrix::zeros(count, source.dim()), vec![0.0; count]);
    source.fill(1, &draws, inputs.data_mut(), &mut targets);
    Some(FirstRounds { inputs, targets })
}

/// Holds a run against a statement.
pub(crate) fn check(
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
pub(crate) fn placed(
    design: &Design,
    cell: &Cell,
    real: bool,
    guarantee: &Guarantee,
    outcome: CheckOutcome,
) -> CheckedRun {
    CheckedRun {
        guarantee: guarantee.name.to_owned(),
        experiment: design.name.clone(),
        stream: design.streams[cell.stream].name().to_owned(),
        real,
        label: cell.label.to_string(),
        horizon: cell.horizon,
        replicate: cell.replicate,
        outcome,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use noregret_core::learner::LEARNERS;
    use noregret_core::loss::LOSSES;
    use noregret_core::noise::NOISES;
    use noregret_core::params::check::check as checked;
    use noregret_core::parts::AllParts;
    use noregret_core::protocol::protocols;
    use noregret_core::stream::STREAMS;
    use noregret_core::stream::spec::{Noise, Origin, StreamSpec};
    use noregret_papers::guarantees::GUARANTEES;
    use noregret_report::trace::cell::{CellTrace, TableProvenance};
    use serde_json::json;
    use std::num::NonZeroU32;

    fn played(design: &Design, feed: Feed) -> (Cell, Stored) {
        let learner = LEARNERS.find("kernel-awv").unwrap();
        let params = checked(learner.params, &json!({}), "", &AllParts).unwrap();
        let configured = params.canonical().to_string().into();
        let cell = Cell {
            learner,
            label: "awv".into(),
            params: params.into(),
            configured,
            feed,
            stream: 0,
            horizon: 90,
            replicate: 2,
        };
        let record = cell.play(design, protocols::of(design, &cell), None, &|| false).unwrap();
        let CellTrace { ending, rows, measures, .. } = CellTrace::new(&record, TableProvenance::default());
        (cell, Stored { tuned: None, ending, rows, measures })
    }

    /// The rounds of the check are those of the run: the statement holds, a trace that is corrupted violates it, and a learner
    /// that saw noisy copies is left alone, as is one whose rounds are not known or that broke down.
    #[test]
    fn a_run_is_held_against_its_own_rounds() {
        let law = STREAMS.choose(&json!({ "name": "uniform-inputs", "dim": 2 }), None, "", &AllParts).unwrap();
        let loss = LOSSES.choose(&json!({ "name": "squared" }), None, "", &AllParts).unwrap();
        let stream = StreamSpec { origin: Origin::Law(law), noise: None, corruption: None, label: None };
        let mut design = Design { name: "e".into(), seed: 1, streams: vec![stream], dense: false, test_rows: 0, loss };
        let statement = GUARANTEES.iter().find(|one| one.learners.contains(&"kernel-awv")).unwrap();
        let copies = Feed::Copies(NonZeroU32::MIN);
        let (cell, mut stored) = played(&design, copies);
        let found = rounds(&design, &cell, None).unwrap();
        let outcome = check(&design, &cell, &stored, Some(&found), statement);
        let CheckOutcome::Sides { rounds: 90, value, bound, violated: false } = outcome else { panic!("{outcome:?}") };
        stored.rows.last_mut().unwrap().cumulative_loss += bound - value + 1e-3;
        let outcome = check(&design, &cell, &stored, Some(&found), statement);
        let told = placed(&design, &cell, false, statement, outcome).violation().unwrap();
        assert!(told.contains("VIOLATED after 90 rounds of e: awv on uniform-inputs, T = 90, replicate 2"), "{told}");
        let silent = |outcome| matches!(outcome, CheckOutcome::Silent(_));
        assert!(silent(check(&design, &cell, &stored, None, statement)));
        stored.ending.status = EndStatus::Diverged;
        assert!(silent(check(&design, &cell, &stored, Some(&found), statement)));
        let noise = NOISES.choose(&json!({ "name": "gaussian", "noise_std": 0.5 }), None, "", &AllParts).unwrap();
        design.streams[0].noise = Some(Noise { inputs: Some(noise), targets: None });
        for (feed, speaks) in [(copies, false), (Feed::Clean, true)] {
            let (cell, stored) = played(&design, feed);
            assert_ne!(silent(check(&design, &cell, &stored, Some(&found), statement)), speaks);
        }
    }
}
