//! Squared distances, for kernels that are functions of |x - z|.
//!
//! Always by differences, coordinate after coordinate: exact for duplicates, symmetric to the bit, without the
//! cancellation of |x|^2 + |z|^2 - 2 <x, z>, and the same bits one by one, by rows and by blocks.

use crate::linalg::matrix::Rows;
use crate::linalg::simd::vectorised;

/// Points whose distances are accumulated side by side.
const SIDE: usize = 16;

/// |x - z|^2.
pub fn squared_distance(x: &[f64], z: &[f64]) -> f64 {
    let mut out = [0.0];
    one_by_one(x, z, &mut out);
    out[0]
}

/// `out[i] = |points.row(i) - x|^2`.
pub fn row(points: Rows<'_>, x: &[f64], out: &mut [f64]) {
    one_by_one(points.data(), x, out);
}

vectorised! {
    fn one_by_one<'a>(points: &'a [f64], x: &'a [f64], out: &'a mut [f64]) -> () {
        for (value, point) in out.iter_mut().zip(points.chunks_exact(x.len().max(1))) {
            *value = point.iter().zip(x).fold(0.0, |sum, (z, x)| (x - z).mul_add(x - z, sum));
        }
    }
}

/// `out[i * right.rows() + j] = |left.row(i) - right.row(j)|^2`.
pub fn gram(left: Rows<'_>, right: Rows<'_>, out: &mut [f64]) {
    let (dim, width) = (right.cols(), right.rows());
    // A few right points at a time, turned so that one coordinate of all of them is contiguous.
    let mut turned = vec![0.0; dim * SIDE];
    for first in (0..width).step_by(SIDE) {
        let side = SIDE.min(width - first);
        for (s, point) in right.slice(first, first + side).iter().enumerate() {
            for (k, value) in point.iter().enumerate() {
                turned[k * SIDE + s] = *value;
            }
        }
        if out.len() > first {
            side_by_side(left.data(), &turned, &mut out[first..], width, side);
        }
    }
}

vectorised! {
    /// Distances of all points of `left` to the `side` points in `turned`; rows of `out` start `stride` apart.
    fn side_by_side<'a>(left: &'a [f64], turned: &'a [f64], out: &'a mut [f64], stride: usize, side: usize) -> () {
        let columns = turned.as_chunks::<SIDE>().0;
        for (point, out) in left.chunks_exact(columns.len().max(1)).zip(out.chunks_mut(stride)) {
            let mut sums = [0.0; SIDE];
            for (x, column) in point.iter().zip(columns) {
                for (sum, z) in sums.iter_mut().zip(column) {
                    *sum = (x - z).mul_add(x - z, *sum);
                }
            }
            out[..side].copy_from_slice(&sums[..side]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::{Draws, Role};

    #[test]
    fn by_rows_and_by_blocks_has_the_bits_of_one_by_one() {
        let mut draw = Draws::named(&["distance"]).at(Role::Start, 0);
        for (dim, n) in [(1, 5), (3, 70), (20, 33)] {
            let data: Vec<f64> = (0..dim * n).map(|_| draw.normal()).collect();
            let points = Rows::new(dim, &data);
            let mut block = vec![0.0; n * n];
            gram(points, points, &mut block);
            for i in 0..n {
                let mut single = vec![0.0; n];
                row(points, points.row(i), &mut single);
                assert_eq!(single, block[i * n..(i + 1) * n]);
                assert_eq!(block[i * n + i], 0.0);
            }
        }
    }
}
