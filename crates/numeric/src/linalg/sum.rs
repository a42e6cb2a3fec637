//! Compensated summation.

use crate::state::{State, StateError, Store, keep};

/// A running sum with Neumaier's compensation: its error does not grow with the number of terms.
///
/// Source: A. Neumaier, ZAMM 54 (1974) 39-51.
///
/// ```
/// use noregret_numeric::linalg::sum::Sum;
///
/// let mut sum = Sum::default();
/// [1.0, 1e100, 1.0, -1e100].iter().for_each(|term| sum.add(*term));
/// assert_eq!(sum.value(), 2.0); // a plain sum says 0
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Sum {
    total: f64,
    lost: f64,
}

impl Sum {
    /// Adds one term.
    #[inline]
    pub fn add(&mut self, term: f64) {
        let next = self.total + term;
        self.lost +=
            if self.total.abs() >= term.abs() { (self.total - next) + term } else { (term - next) + self.total };
        self.total = next;
    }

    /// The sum so far.
    #[inline]
    pub fn value(&self) -> f64 {
        // If the total is infinite or undefined, so is the compensation; the total alone is then the best answer.
        if self.lost.is_finite() { self.total + self.lost } else { self.total }
    }
}

impl State for Sum {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        keep!(self, store: total, lost);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Sum;

    #[test]
    fn keeps_small_terms_beside_large_ones() {
        let mut sum = Sum::default();
        for term in [1.0, 1e100, 1.0, -1e100] {
            sum.add(term);
        }
        assert_eq!(sum.value(), 2.0);
    }

    #[test]
    fn an_infinite_term_shows() {
        let mut sum = Sum::default();
        sum.add(1.0);
        sum.add(f64::INFINITY);
        assert_eq!(sum.value(), f64::INFINITY);
    }
}
