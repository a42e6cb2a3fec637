//! How many noisy copies a round may have.

use std::num::NonZeroU32;

/// The most numbers that the copies of a round consist of: they take a fifth of a second.
const MOST_NUMBERS: u64 = 1 << 24;

/// The most copies of `dim` inputs that a round may have, at least one.
pub fn most(dim: usize) -> u32 {
    u32::try_from(MOST_NUMBERS / (dim as u64).max(1)).unwrap_or(u32::MAX).max(1)
}

/// More copies than a round may have ([`most`]).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{copies} copies of {dim} inputs are too many numbers for each round: at most {}; their mean has noise of the \
     standard deviation divided by the square root of {copies}, which can be given in their place",
    most(*dim)
)]
pub struct TooManyCopies {
    copies: NonZeroU32,
    dim: usize,
}

/// Whether a round may have so many copies of `dim` inputs ([`most`]).
///
/// # Errors
/// Why not, and what to do instead.
///
/// ```
/// use noregret_core::protocol::copies::check;
///
/// assert_eq!(check(1_000_000.try_into().unwrap(), 16), Ok(()));
/// assert!(check(u32::MAX.try_into().unwrap(), 2).unwrap_err().to_string().contains("at most 8388608"));
/// ```
pub fn check(copies: NonZeroU32, dim: usize) -> Result<(), TooManyCopies> {
    if copies.get() <= most(dim) { Ok(()) } else { Err(TooManyCopies { copies, dim }) }
}
