//! Means of the targets of the nearest rows among the newest ones.

#![allow(clippy::needless_range_loop, reason = "loops over constant ranges stay in registers")]

use noregret_numeric::linalg::matrix::Matrix;
use noregret_numeric::linalg::panels::{PanelColumn, SIDE};
use noregret_numeric::linalg::simd::vectorised;
use noregret_numeric::state::{State, StateError, Store, keep};

/// The newest rows, with their targets.
#[derive(Clone, Debug)]
pub(crate) struct Nearest {
    window: usize,
    width: usize,
    /// Eight rows side by side, one column of them after the other; then the next eight rows.
    points: Vec<PanelColumn>,
    targets: Vec<f64>,
    /// The place of the next row, where the window is full.
    next: usize,
}

impl Nearest {
    /// No rows of `width` numbers yet, and at most `window` of them.
    pub(crate) fn new(window: usize, width: usize) -> Self {
        Self { window, width, points: Vec::new(), targets: Vec::new(), next: 0 }
    }

    /// Takes in a row.
    pub(crate) fn push(&mut self, z: &[f64], y: f64) {
        if self.targets.len() < self.window {
            self.targets.push(y);
        } else {
            self.targets[self.next] = y;
        }
        self.place(self.next, z);
        self.next = (self.next + 1) % self.window;
    }

    /// Writes the row at place `i`.
    fn place(&mut self, i: usize, z: &[f64]) {
        let first = i / SIDE * self.width;
        if self.points.len() < first + self.width {
            self.points.resize(first + self.width, PanelColumn::default());
        }
        let columns = &mut self.points[first..first + self.width];
        columns.iter_mut().zip(z).for_each(|(column, value)| column.0[i % SIDE] = *value);
    }

    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.targets.len()
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// Bytes of the rows and targets.
    pub(crate) fn bytes(&self) -> u64 {
        8 * (self.targets.len() * (self.width + 1)) as u64
    }

    /// How many rows ago the row at place `i` came.
    fn age(&self, i: usize) -> usize {
        (self.next + self.window - 1 - i) % self.window
    }

    /// The mean of the targets of the `count[j]` nearest rows, or of all where there are fewer, for every j; the newest of
    /// those that are equally near. NaN where there are none.
    pub(crate) fn means<const N: usize>(&self, z: &[f64], count: [usize; N]) -> [f64; N] {
        let n = self.len();
        let mut distances = vec![0.0; n];
        squared_distances(&self.points, z, &mut distances);
        let compare = |a: &(f64, usize, usize), b: &(f64, usize, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        let most = count.iter().copied().max().unwrap_or(0).min(n);
        // The nearest so far, in order; few rows come nearer than the last of them.
        let mut order: Vec<(f64, usize, usize)> = Vec::with_capacity(most + 1);
        for (i, distance) in distances.into_iter().enumerate() {
            if order.len() == most && order.last().is_none_or(|last| distance.total_cmp(&last.0).is_gt()) {
                continue;
            }
            let own = (distance, self.age(i), i);
            let place = order.partition_point(|other| compare(other, &own).is_lt());
            order.insert(place, own);
            order.truncate(most);
        }
        // Sums begin at the nearest row, so that they do not depend on the other counts.
        count.map(|k| {
            let k = k.min(n);
            order[..k].iter().map(|(_, _, i)| self.targets[*i]).sum::<f64>() / k as f64
        })
    }
}

vectorised! {
    /// The squared distances of the first rows to `z`, as many as `out` has entries.
    fn squared_distances<'a>(points: &'a [PanelColumn], z: &'a [f64], out: &'a mut [f64]) -> () {
        for (columns, out) in points.chunks_exact(z.len().max(1)).zip(out.chunks_mut(SIDE)) {
            let mut sums = [0.0; SIDE];
            for (column, z) in columns.iter().zip(z) {
                for s in 0..SIDE {
                    let difference = z - column.0[s];
                    sums[s] = difference.mul_add(difference, sums[s]);
                }
            }
            out.copy_from_slice(&sums[..out.len()]);
        }
    }
}

impl State for Nearest {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let mut rows = Matrix::zeros(self.len(), self.width);
        for i in 0..rows.rows() {
            let columns = &self.points[i / SIDE * self.width..];
            rows.row_mut(i).iter_mut().zip(columns).for_each(|(value, column)| *value = column.0[i % SIDE]);
        }
        store.keep("points", &mut rows)?;
        keep!(self, store: targets, next; window, width, points);
        let sound = rows.rows() == targets.len() && targets.len() <= self.window && *next < self.window;
        store.check(sound, "has rows and targets of different numbers, or more than its window")?;
        if store.is_loading() {
            self.points.clear();
            (0..rows.rows()).for_each(|i| self.place(i, rows.row(i)));
        }
        Ok(())
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
