//! What a model holds of a run, and under which names.

use noregret_core::learner::api::Hypothesis;
use noregret_core::protocol::tally::Tally;
use noregret_numeric::state::{State, StateError, Store};

use crate::inputs::Scaling;
use crate::misses::Misses;
use crate::service::Service;
use crate::targets::Rescale;

/// What is saved of a run, and loaded.
pub struct RunContents<'a> {
    /// The learner.
    pub learner: &'a mut dyn Hypothesis,
    /// The losses so far.
    pub tally: &'a mut Tally,
    /// Which of the last targets lay outside of their intervals. Only of learners that give intervals is it kept.
    pub misses: &'a mut Misses,
    /// The scale of the targets.
    pub targets: &'a mut Rescale,
    /// The scale of the inputs.
    pub inputs: &'a mut Scaling,
    /// What was seen of the inputs, and rows that wait, where there are any.
    pub service: &'a mut Service,
}

impl State for RunContents<'_> {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let Self { learner, tally, misses, targets, inputs, service } = self;
        store.within("learner", |store| learner.state(store))?;
        if learner.interval(0.0).is_some() {
            store.keep("misses", *misses)?;
        }
        store.keep("tally", *tally)?;
        store.keep("targets", *targets)?;
        store.keep("scaling", *inputs)?;
        store.keep("service", *service)
    }
}
