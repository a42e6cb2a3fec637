//! What claims are decided by.

use crate::analysis::curve::MeanCurve;
use crate::analysis::rate::assessment::Assessment;

/// What claims are decided by.
#[derive(Clone, Copy, Default)]
pub(crate) struct ClaimData<'a> {
    /// The curves of the figure.
    pub(crate) curves: &'a [MeanCurve],
    /// The curves of its other quantity, where it shows two.
    pub others: &'a [MeanCurve],
    /// What a number on the axis is, where it is no round: `mu`.
    pub(crate) axis: Option<&'a str>,
    /// The curves that stand where their runs end, whatever the axis is.
    pub(crate) levels: &'a [MeanCurve],
    /// What the quantities are called, for sentences: `loss`, `processor time in s`.
    pub quantities: [&'a str; 2],
    /// The rows of rates that it names.
    pub rates: &'a [Assessment],
}
