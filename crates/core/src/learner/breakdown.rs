//! Why a learner cannot go on, and the reasons that several have.

/// Why a learner cannot go on. This is a value, not a panic: the trace ends with it, and the rest of the grid goes on.
#[derive(Clone, Debug, PartialEq)]
pub struct Breakdown {
    /// Rounds of the current block that were played.
    pub after: usize,
    /// What happened, in words, with the number that shows it.
    pub cause: String,
}

impl Breakdown {
    /// A breakdown in the current round.
    pub fn new(cause: impl Into<String>) -> Self {
        Self { after: 0, cause: cause.into() }
    }
}

/// That a learner without what learning needs cannot learn; see [`Hypothesis::keep_predictions`](crate::learner::api::Hypothesis::keep_predictions).
pub(crate) fn predicts_only() -> Breakdown {
    Breakdown::new("it was saved to predict, without what learning needs; save the whole of it")
}

/// Whether `target` is a label, -1 or +1.
///
/// # Errors
/// The breakdown of a learner that wants labels; it says what to do.
pub(crate) fn label(target: f64) -> Result<f64, Breakdown> {
    if target.abs() == 1.0 {
        return Ok(target);
    }
    Err(Breakdown::new(format!("the target {target} is no label; this learner takes targets -1 and 1 only")))
}

/// Marks a breakdown that happened while learning from round `i` of a block (from 0): the prediction of that round is
/// valid.
pub(crate) fn in_round(i: usize) -> impl FnOnce(Breakdown) -> Breakdown {
    move |breakdown| Breakdown { after: i + 1, ..breakdown }
}
