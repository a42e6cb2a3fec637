//! Runs that are kept while they go on, stopped, and gone on with.

use std::cell::{Cell as Count, RefCell};
use std::collections::BTreeMap;

use noregret_core::learner::api::AnyLearner;
use noregret_core::loss::LOSSES;
use noregret_core::parts::AllParts;
use noregret_core::protocol::cell::{Cell, CellError, Feed};
use noregret_core::protocol::design::Design;
use noregret_core::protocol::protocols;
use noregret_core::protocol::record::RunRecord;
use noregret_core::protocol::supervisor::Supervisor;
use noregret_core::stream::STREAMS;
use noregret_core::stream::spec::{Origin, StreamSpec};
use noregret_numeric::state::{Array, StateError};

use super::cases::{LearnerCase, all, different};

const ROUNDS: u64 = 160;

/// Keeps before every block, and stops after some.
#[derive(Default)]
struct Keeper {
    blocks: Option<usize>,
    asked: Count<usize>,
    last: RefCell<Option<BTreeMap<String, Array>>>,
}

impl Supervisor for Keeper {
    fn interrupted(&self) -> bool {
        self.asked.set(self.asked.get() + 1);
        self.blocks.is_some_and(|blocks| self.asked.get() > blocks)
    }

    fn kept(&self) -> Option<BTreeMap<String, Array>> {
        self.last.borrow().clone()
    }

    fn due(&self) -> bool {
        true
    }

    fn keep(&self, state: BTreeMap<String, Array>) {
        *self.last.borrow_mut() = Some(state);
    }
}

fn designed(case: &LearnerCase) -> (Design, Cell) {
    let law = format!("name = \"uniform-inputs\"\ndim = {}", case.dim).parse::<toml::Table>().unwrap();
    let law = STREAMS.choose(&law, None, "", &AllParts).unwrap();
    let stream = StreamSpec { origin: Origin::Law(law), noise: None, corruption: None, label: None };
    let loss = LOSSES.choose(&"name = \"squared\"".parse::<toml::Table>().unwrap(), None, "", &AllParts).unwrap();
    let design = Design { name: "kept".into(), seed: 1, streams: vec![stream], dense: false, test_rows: 20, loss };
    let params = case.params().unwrap();
    let configured = params.canonical().to_string().into();
    let (learner, params) = (case.entry, params.into());
    let label = "it".into();
    (design, Cell { learner, label, params, configured, feed: Feed::Clean, stream: 0, horizon: ROUNDS, replicate: 0 })
}

/// Everything but the times.
fn timeless(mut record: RunRecord) -> RunRecord {
    record.checkpoints.iter_mut().for_each(|at| (at.cpu_ns, at.wall_ns) = (0, 0));
    record
}

/// For every learner: a run that is kept before every block, and one that is stopped and gone on with, have the numbers
/// of an undisturbed run, to the bit.
#[test]
fn a_run_that_is_kept_and_gone_on_with_is_an_undisturbed_run() {
    for case in different(false) {
        let (design, cell) = designed(&case);
        let play = |supervisor: &dyn Supervisor| {
            cell.play(&design, protocols::of(&design, &cell), None, supervisor).map(timeless)
        };
        let undisturbed = play(&|| false).unwrap_or_else(|error| panic!("{case}: {error}"));
        let kept = Keeper::default();
        assert_eq!(format!("{:?}", play(&kept).unwrap()), format!("{undisturbed:?}"), "{case}: kept");
        let AnyLearner::Full(learner) = cell.learner(&design).unwrap() else { panic!("{case}") };
        assert_eq!(kept.last.borrow().is_some(), !learner.foresees(), "{case}");
        let stopped = Keeper { blocks: Some(30), ..Keeper::default() };
        match play(&stopped) {
            Err(error) => assert_eq!(error, CellError::Interrupted, "{case}"),
            Ok(_) => continue,
        }
        let gone_on = play(&Keeper { last: stopped.last, ..Keeper::default() }).unwrap();
        assert_eq!(format!("{gone_on:?}"), format!("{undisturbed:?}"), "{case}: stopped");
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let case = all(false).into_iter().find(|case| case.entry.name == "running-mean").unwrap();
    let (design, cell) = designed(&case);
    let stopped = Keeper { blocks: Some(30), ..Keeper::default() };
    let play = |supervisor: &dyn Supervisor| cell.play(&design, protocols::of(&design, &cell), None, supervisor);
    play(&stopped).unwrap_err();
    let state = stopped.last.take().unwrap();
    for name in state.keys() {
        let mut less = state.clone();
        less.remove(name);
        let error = play(&Keeper { last: Some(less).into(), ..Keeper::default() }).unwrap_err();
        assert_eq!(error, CellError::Kept(StateError::Missing(name.clone())));
    }
    let mut longer = state.clone();
    longer.get_mut("run.checkpoints.t.values").unwrap().values.push(1.0);
    longer.get_mut("run.checkpoints.t.values").unwrap().shape[0] += 1;
    let error = play(&Keeper { last: Some(longer).into(), ..Keeper::default() }).unwrap_err().to_string();
    assert!(error.contains("another number of rows"), "{error}");
}
