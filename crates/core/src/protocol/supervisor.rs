//! Who lets a run go on, stops it, and keeps what it has come to, so that a long one need not start again after a kill.

use std::collections::BTreeMap;

use noregret_numeric::state::Array;

/// Stands beside a run. A closure that says whether to stop keeps nothing.
///
/// What is kept changes no number: states are saved between blocks that would end there anyway, and what is loaded goes
/// on with the same bits (the law [`crate::laws::learner::saved`]).
pub trait Supervisor {
    /// Whether to stop; asked before each block.
    fn interrupted(&self) -> bool;

    /// What an earlier attempt at the same run kept last; asked once, before the first block.
    fn kept(&self) -> Option<BTreeMap<String, Array>> {
        None
    }

    /// Whether it is time to keep what the run has come to; asked before each block.
    fn due(&self) -> bool {
        false
    }

    /// Keeps the state of the run after the rounds that were played, in place of what was kept before.
    fn keep(&self, state: BTreeMap<String, Array>) {
        let _ = state;
    }
}

impl<F: Fn() -> bool> Supervisor for F {
    fn interrupted(&self) -> bool {
        self()
    }
}
