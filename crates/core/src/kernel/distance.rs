//! Squared distances, for kernels that are functions of |x - z|.
//!
//! They are sums of squared differences, coordinate after coordinate. This is exact for duplicates, symmetric to the
//! bit, free of the cancellation in |x|^2 + |z|^2 - 2 <x, z>, and gives the same bits one by one, by rows and by
//! blocks. Only sums over many points use products; [`by_products`] states their error.

#![allow(clippy::needless_range_loop, reason = "loops over constant ranges stay in registers")]

use noregret_numeric::linalg::matrix::Rows;
use noregret_numeric::linalg::simd::vectorised;

/// Points whose distances are accumulated side by side.
pub(crate) const SIDE: usize = 16;

/// One coordinate of [`SIDE`] points, aligned so that loads of whole registers never cross a cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct AlignedCoordinate(pub [f64; SIDE]);

impl AlignedCoordinate {
    /// All 0.
    pub(crate) const ZERO: Self = Self([0.0; SIDE]);
}

/// Coordinates that are transposed at once.
pub(crate) const COORDINATES: usize = 32;

/// |x - z|^2.
pub(crate) fn squared_distance(x: &[f64], z: &[f64]) -> f64 {
    let mut out = [0.0];
    one_by_one(x, z, &mut out);
    out[0]
}

/// `out[i] = |points.row(i) - x|^2`.
pub(crate) fn row(points: Rows<'_>, x: &[f64], out: &mut [f64]) {
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
pub(crate) fn gram(left: Rows<'_>, right: Rows<'_>, out: &mut [f64]) {
    let (dim, width) = (right.cols(), right.rows());
    // A few points of `right` and a few coordinates at a time.
    let mut turned = [AlignedCoordinate::ZERO; COORDINATES];
    for first in (0..width).step_by(SIDE) {
        let side = SIDE.min(width - first);
        if out.len() <= first {
            break;
        }
        for from in (0..dim).step_by(COORDINATES) {
            let count = COORDINATES.min(dim - from);
            turn(right.slice(first, first + side), from, &mut turned[..count]);
            side_by_side(left.data(), dim, from, &turned[..count], &mut out[first..], width, side);
        }
    }
}

/// `turned[k][s] = points.row(s)[from + k]` for at most [`SIDE`] points: one coordinate of all of them is contiguous.
pub(crate) fn turn(points: Rows<'_>, from: usize, turned: &mut [AlignedCoordinate]) {
    for (s, point) in points.iter().enumerate() {
        for (column, value) in turned.iter_mut().zip(&point[from..]) {
            column.0[s] = *value;
        }
    }
}

/// `own[s] + offset + sum_k point[k] columns[k][s]` for two points with their offsets, each against [`SIDE`] others
/// side by side. With the squared norms as `own` and `offset`, and -2 x as `point`, these are |x - z|^2 up to an error
/// of a few 1e-16 (|x|^2 + |z|^2), in half the operations that differences take. Two points are handled together so
/// that chains of dependent operations overlap and equal columns are loaded once.
#[inline(always)]
pub(crate) fn by_products(
    points: [&[f64]; 2],
    offsets: [f64; 2],
    columns: [&[AlignedCoordinate]; 2],
    own: [&AlignedCoordinate; 2],
) -> [[f64; SIDE]; 2] {
    // Two names rather than a loop over two, which would not be compiled to vector instructions.
    let (mut first, mut second) = ([0.0; SIDE], [0.0; SIDE]);
    for s in 0..SIDE {
        (first[s], second[s]) = (own[0].0[s] + offsets[0], own[1].0[s] + offsets[1]);
    }
    for (((z, w), x), y) in columns[0].iter().zip(columns[1]).zip(points[0]).zip(points[1]) {
        for s in 0..SIDE {
            first[s] = x.mul_add(z.0[s], first[s]);
            second[s] = y.mul_add(w.0[s], second[s]);
        }
    }
    [first, second]
}

vectorised! {
    /// Adds the contributions of the coordinates from number `from` on to the distances between all points of `left`
    /// (`dim` coordinates) and the `side` points in `turned`; rows of `out` start `stride` apart.
    fn side_by_side<'a>(
        left: &'a [f64],
        dim: usize,
        from: usize,
        turned: &'a [AlignedCoordinate],
        out: &'a mut [f64],
        stride: usize,
        side: usize,
    ) -> () {
        for (point, out) in left.chunks_exact(dim).zip(out.chunks_mut(stride)) {
            let mut sums = [0.0; SIDE];
            // A whole group stays in registers. What is left of a row goes through memory, number by number, which takes four
            // times as long; the sums are the same.
            if let (true, Some(whole)) = (side == SIDE, out.first_chunk_mut::<SIDE>()) {
                if from > 0 {
                    sums = *whole;
                }
                for (x, column) in point[from..].iter().zip(turned) {
                    for s in 0..SIDE {
                        sums[s] = (x - column.0[s]).mul_add(x - column.0[s], sums[s]);
                    }
                }
                *whole = sums;
                continue;
            }
            if from > 0 {
                sums[..side].copy_from_slice(&out[..side]);
            }
            for (x, column) in point[from..].iter().zip(turned) {
                for (sum, z) in sums.iter_mut().zip(&column.0) {
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
    use noregret_numeric::draw::{Draws, Role};

    #[test]
    fn by_rows_and_by_blocks_has_the_bits_of_one_by_one() {
        let mut draw = Draws::named(&["distance"]).at(Role::Start, 0);
        for (dim, n) in [(1, 5), (3, 70), (20, 33), (70, 20)] {
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
