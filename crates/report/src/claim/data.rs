//! What claims are decided by.

use std::borrow::Cow;

use crate::analysis::curve::MeanCurve;
use crate::analysis::rate::assessment::Assessment;

/// What claims are decided by.
#[derive(Clone, Copy, Default)]
pub(crate) struct ClaimData<'a> {
    /// The curves of the figure.
    pub(crate) curves: &'a [MeanCurve],
    /// The curves of its other quantity, where it shows two.
    pub others: &'a [MeanCurve],
    /// What a number on the axis is, where it is no round: `horizon`, `mu`.
    pub(crate) axis: Option<&'a str>,
    /// The round from which on they are drawn; 0 where all are, or the axis is another one.
    pub(crate) from_round: u64,
    /// The curves that stand where their runs end, whatever the axis is.
    pub(crate) levels: &'a [MeanCurve],
    /// What the quantities are called, for sentences: `loss`, `processor time in s`.
    pub quantities: [&'a str; 2],
    /// The rows of rates that it names.
    pub rates: &'a [Assessment],
}

impl ClaimData<'_> {
    /// The curves where they are drawn.
    pub(crate) fn drawn(&self) -> Cow<'_, [MeanCurve]> {
        if self.from_round == 0 {
            return Cow::Borrowed(self.curves);
        }
        let mut drawn = self.curves.to_vec();
        drawn.iter_mut().for_each(|curve| curve.points.retain(|point| point.x >= self.from_round as f64));
        Cow::Owned(drawn)
    }
}
