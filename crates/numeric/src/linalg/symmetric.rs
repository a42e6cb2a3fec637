//! A symmetric matrix as its lower triangle, which is read once for each operation.
//!
//! One triangle cannot become asymmetric: with both, the antisymmetric part of the rounding errors grows in recursions
//! that discount.

use crate::linalg::simd::vectorised;
use crate::state::{State, StateError, Store, triangle_order};

/// The rows of the lower triangle, row i up to and including the diagonal, one after the other.
#[derive(Clone, Debug)]
pub struct Symmetric {
    len: usize,
    data: Vec<f64>,
}

impl Symmetric {
    /// `scale` I with `len` rows.
    pub fn identity(len: usize, scale: f64) -> Self {
        let mut own = Self { len, data: vec![0.0; len * (len + 1) / 2] };
        own.add_to_diagonal(scale);
        own
    }

    /// `out` = (this matrix) `x`; all have the same number of rows.
    pub fn product(&self, x: &[f64], out: &mut [f64]) {
        debug_assert!(x.len() == self.len && out.len() == self.len);
        product(&self.data, x, out);
    }

    /// (this matrix) <- `scale` (this matrix - `factor` v v') + `diagonal` I.
    pub fn shrink(&mut self, scale: f64, factor: f64, v: &[f64], diagonal: f64) {
        debug_assert_eq!(v.len(), self.len);
        shrink(&mut self.data, scale, factor, v);
        self.add_to_diagonal(diagonal);
    }

    fn add_to_diagonal(&mut self, value: f64) {
        let mut at = 0;
        for i in 0..self.len {
            self.data[at + i] += value;
            at += i + 1;
        }
    }
}

impl State for Symmetric {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        if let Some(found) = store.exchange(|| self.data.clone().into())? {
            store.check(triangle_order(found.values.len()) == Some(self.len), "is a triangle of another size")?;
            self.data = found.values;
        }
        Ok(())
    }
}

vectorised! {
    fn product<'a>(lower: &'a [f64], x: &'a [f64], out: &'a mut [f64]) -> () {
        let mut rest = lower;
        for i in 0..x.len() {
            let (row, later) = rest.split_at(i + 1);
            rest = later;
            let value = x[i];
            let mut sums = [0.0; 8];
            let (whole, tail) = row[..i].as_chunks::<8>();
            let (x_whole, x_tail) = x[..i].as_chunks::<8>();
            let (out_whole, out_tail) = out[..i].as_chunks_mut::<8>();
            for ((row, x), out) in whole.iter().zip(x_whole).zip(out_whole) {
                // With a copy, the compiler sees that what is written is not what is read.
                let mut chunk = *out;
                for lane in 0..8 {
                    sums[lane] += row[lane] * x[lane];
                    chunk[lane] += row[lane] * value;
                }
                *out = chunk;
            }
            for (lane, ((row, x), out)) in tail.iter().zip(x_tail).zip(out_tail).enumerate() {
                sums[lane] += row * x;
                *out += row * value;
            }
            let [a, b, c, d, e, f, g, h] = sums;
            out[i] = ((a + e) + (c + g)) + ((b + f) + (d + h)) + row[i] * value;
        }
    }
}

vectorised! {
    fn shrink<'a>(lower: &'a mut [f64], scale: f64, factor: f64, v: &'a [f64]) -> () {
        let mut rest = lower;
        for i in 0..v.len() {
            let (row, later) = rest.split_at_mut(i + 1);
            rest = later;
            let value = factor * v[i];
            for (entry, v) in row.iter_mut().zip(v) {
                *entry = scale * (*entry - value * v);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::{Draws, Role};

    #[test]
    fn follows_the_full_matrix() {
        for n in [0, 1, 5, 8, 23, 40] {
            let mut draw = Draws::named(&["symmetric"]).at(Role::Start, n as u64);
            let (mut matrix, mut full) = (Symmetric::identity(n, 3.0), vec![vec![0.0; n]; n]);
            (0..n).for_each(|i| full[i][i] = 3.0);
            for _ in 0..3 {
                let v: Vec<f64> = (0..n).map(|_| draw.normal()).collect();
                matrix.shrink(0.5, 0.2, &v, 0.1);
                for i in 0..n {
                    (0..n).for_each(|j| full[i][j] = 0.5 * (full[i][j] - 0.2 * v[i] * v[j]));
                    full[i][i] += 0.1;
                }
            }
            let x: Vec<f64> = (0..n).map(|_| draw.normal()).collect();
            let mut found = vec![0.0; n];
            matrix.product(&x, &mut found);
            for (row, found) in full.iter().zip(&found) {
                let expected: f64 = row.iter().zip(&x).map(|(a, b)| a * b).sum();
                assert!((found - expected).abs() < 1e-12 * (1.0 + expected.abs()), "{n}: {found} {expected}");
            }
        }
    }
}
