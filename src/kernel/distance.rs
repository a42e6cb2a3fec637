//! Squared distances, for kernels that are functions of |x - z|.
//!
//! Always by differences, coordinate after coordinate: exact for duplicates, symmetric to the bit, without the
//! cancellation of |x|^2 + |z|^2 - 2 <x, z>, and the same bits one by one, by rows and by blocks.

use crate::linalg::matrix::Rows;
use crate::linalg::simd::vectorised;

/// Points whose distances are accumulated side by side.
const SIDE: usize = 32;

/// |x - z|^2.
#[inline]
pub fn squared_distance(x: &[f64], z: &[f64]) -> f64 {
    x.iter().zip(z).fold(0.0, |sum, (x, z)| sum + (x - z) * (x - z))
}

/// `out[i] = function(|points.row(i) - x|^2)`.
pub fn row(points: Rows<'_>, x: &[f64], out: &mut [f64], function: impl Fn(f64) -> f64) {
    for (value, point) in out.iter_mut().zip(points.iter()) {
        *value = function(squared_distance(point, x));
    }
}

/// `out[i * right.rows() + j] = function(|left.row(i) - right.row(j)|^2)`.
pub fn gram(left: Rows<'_>, right: Rows<'_>, out: &mut [f64], function: impl Fn(f64) -> f64) {
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
        for (i, point) in left.iter().enumerate() {
            let sums = side_by_side(point, &turned);
            for (value, sum) in out[i * width + first..][..side].iter_mut().zip(&sums) {
                *value = function(*sum);
            }
        }
    }
}

vectorised! {
    fn side_by_side<'a>(point: &'a [f64], turned: &'a [f64]) -> [f64; SIDE] {
        let mut sums = [0.0; SIDE];
        for (x, column) in point.iter().zip(turned.as_chunks::<SIDE>().0) {
            for (sum, z) in sums.iter_mut().zip(column) {
                *sum += (x - z) * (x - z);
            }
        }
        sums
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
            gram(points, points, &mut block, |d| d);
            for i in 0..n {
                let mut single = vec![0.0; n];
                row(points, points.row(i), &mut single, |d| d);
                assert_eq!(single, block[i * n..(i + 1) * n]);
                assert_eq!(block[i * n + i], 0.0);
            }
        }
    }
}
