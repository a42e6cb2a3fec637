//! Means of the targets of the nearest rows among the newest ones.

use crate::kernel::distance;
use crate::linalg::matrix::Matrix;
use crate::state::{State, StateError, Store, keep};

/// The newest rows, with their targets.
#[derive(Clone, Debug)]
pub struct Nearest {
    window: usize,
    points: Matrix,
    targets: Vec<f64>,
    /// The place of the next row, where the window is full.
    next: usize,
}

impl Nearest {
    /// No rows of `width` numbers yet, and at most `window` of them.
    pub fn new(window: usize, width: usize) -> Self {
        Self { window, points: Matrix::with_width(width), targets: Vec::new(), next: 0 }
    }

    /// Takes in a row.
    pub fn push(&mut self, z: &[f64], y: f64) {
        if self.targets.len() < self.window {
            self.points.push_row(z);
            self.targets.push(y);
        } else {
            self.points.row_mut(self.next).copy_from_slice(z);
            self.targets[self.next] = y;
        }
        self.next = (self.next + 1) % self.window;
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// Bytes of the rows and targets.
    pub fn bytes(&self) -> u64 {
        8 * (self.points.data().len() + self.targets.len()) as u64
    }

    /// How many rows ago the row at place `i` came.
    fn age(&self, i: usize) -> usize {
        (self.next + self.window - 1 - i) % self.window
    }

    /// The mean of the targets of the `count[j]` nearest rows, or of all where there are fewer, for every j; the newest of
    /// those that are equally near. NaN where there are none.
    pub fn means<const N: usize>(&self, z: &[f64], count: [usize; N]) -> [f64; N] {
        let n = self.len();
        let mut distances = vec![0.0; n];
        distance::row(self.points.view(), z, &mut distances);
        let mut order: Vec<(f64, usize, usize)> =
            distances.into_iter().enumerate().map(|(i, distance)| (distance, self.age(i), i)).collect();
        let compare = |a: &(f64, usize, usize), b: &(f64, usize, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        let most = count.iter().copied().max().unwrap_or(0).min(n);
        if most < n {
            order.select_nth_unstable_by(most, compare);
            order.truncate(most);
        }
        order.sort_unstable_by(compare);
        // Sums begin at the nearest row, so that they do not depend on the other counts.
        count.map(|k| {
            let k = k.min(n);
            order[..k].iter().map(|(_, _, i)| self.targets[*i]).sum::<f64>() / k as f64
        })
    }
}

impl State for Nearest {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        keep!(self, store: points, targets, next; window);
        let sound = points.rows() == targets.len() && targets.len() <= self.window && *next < self.window;
        store.check(sound, "has rows and targets of different numbers, or more than its window")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against sorting all rows of the window, for every length of the stream; many distances are equal.
    #[test]
    fn the_nearest_are_those_of_a_full_sort() {
        let value = |i: usize| f64::from((i * 7 % 5) as u32);
        let mut nearest = Nearest::new(6, 1);
        assert!(nearest.means(&[0.0], [1])[0].is_nan());
        for n in 1..40 {
            nearest.push(&[value(n)], n as f64);
            let mut rows: Vec<usize> = (1..=n).rev().take(6).collect();
            // Newest first, so that a stable sort leaves these first among equals.
            rows.sort_by(|a, b| (value(*a) - 2.0).abs().total_cmp(&(value(*b) - 2.0).abs()));
            let mean = |k: usize| rows.iter().take(k).map(|i| *i as f64).sum::<f64>() / k.min(rows.len()) as f64;
            assert_eq!(nearest.means(&[2.0], [2, 4]), [mean(2), mean(4)], "{n}");
        }
    }
}
