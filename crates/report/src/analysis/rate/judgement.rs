//! What may be said of rows that are shown together: each row's own verdict, and whether "faster" and "steeper" stay
//! when all tests of the rows are counted.

use crate::analysis::rate::assessment::{Assessed, Assessment};
use crate::analysis::rate::verdict::{ExponentComparison, ExponentVerdict, Power, holm};
use crate::analysis::summary::LEVEL;

/// What may be said of a row among others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RateFinding {
    /// There is nothing to assess.
    Missing,
    /// There are values, but no exponent.
    NoExponent,
    /// Too few seeds or horizons.
    TooFew,
    /// The exponent is that of the theorem, up to the margin.
    Matches,
    /// It is smaller.
    Faster,
    /// It is larger on this range.
    Steeper,
    /// It is smaller by its own test, but not when all rows are tested together.
    FasterAlone,
    /// It is larger by its own test, but not when all rows are tested together.
    SteeperAlone,
    /// It has this verdict by its own test, but refuses no negative control: none was found, or it is steeper as its control is.
    Untestable(ExponentVerdict),
    /// None of these; with about how many seeds would decide, if that can be said.
    Inconclusive(Option<Power>),
}

/// The findings of rows that are shown together, in their order. "Faster" and "steeper" are two one-sided tests of each
/// row; Holm's procedure is applied to all of them at 5 %.
pub(crate) fn judge(rows: &[&Assessment]) -> Vec<RateFinding> {
    let compared: Vec<Option<&ExponentComparison>> = rows.iter().map(|row| comparison(row)).collect();
    let sides = compared.iter().flatten().flat_map(|one| [one.probability_steeper, one.probability_faster]);
    let mut stay = holm(&sides.collect::<Vec<_>>(), 1.0 - LEVEL).into_iter();
    let mut finding = |row: &Assessment, compared: Option<&ExponentComparison>| {
        let Some(compared) = compared else {
            return if matches!(row.outcome, Assessed::Missing(_)) {
                RateFinding::Missing
            } else {
                RateFinding::NoExponent
            };
        };
        let refuses = row.negative.as_ref().is_some_and(|control| control.refused);
        let (steeper, faster) = (stay.next().unwrap_or(false), stay.next().unwrap_or(false));
        match compared.verdict {
            ExponentVerdict::TooFew => RateFinding::TooFew,
            verdict if !refuses => RateFinding::Untestable(verdict),
            ExponentVerdict::Matches => RateFinding::Matches,
            ExponentVerdict::Faster if faster => RateFinding::Faster,
            ExponentVerdict::Faster => RateFinding::FasterAlone,
            ExponentVerdict::Steeper if steeper => RateFinding::Steeper,
            ExponentVerdict::Steeper => RateFinding::SteeperAlone,
            ExponentVerdict::Inconclusive => RateFinding::Inconclusive(compared.seeds),
        }
    };
    rows.iter().zip(&compared).map(|(row, compared)| finding(row, *compared)).collect()
}

/// The comparison of a row, if it has one.
pub(crate) fn comparison(row: &Assessment) -> Option<&ExponentComparison> {
    match &row.outcome {
        Assessed::Measured(measured) => measured.comparison.as_ref(),
        Assessed::Missing(_) => None,
    }
}
