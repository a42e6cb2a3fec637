//! The Gaussian kernel.

use std::sync::Arc;

use crate::kernel::api::{Kernel, KernelEntry, combine_by_gram};
use crate::kernel::distance::{self, AlignedCoordinate, COORDINATES, SIDE};
use crate::kernel::mixture::MixtureMeasure;
use crate::kernel::tensors::{TensorFeatures, exponential_term};
use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind, Range};
use noregret_numeric::linalg::elementary::{LARGEST_POWER, exp_decay, exp_scaled, exp2};
use noregret_numeric::linalg::matrix::Rows;
use noregret_numeric::linalg::simd::vectorised;

/// k(x, z) = exp(-|x - z|^2 / (2 bandwidth^2)).
///
/// ```
/// use noregret_core::kernel::{api::Kernel, gaussian::Gaussian};
///
/// let kernel = Gaussian::new(0.5);
/// assert_eq!(kernel.evaluate(&[1.0, 2.0], &[1.0, 2.0]), 1.0);
/// assert!((kernel.evaluate(&[0.0], &[0.5]) - (-0.5f64).exp()).abs() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Gaussian {
    /// 1 / (2 bandwidth^2).
    rate: f64,
}

impl Gaussian {
    /// The kernel of this `bandwidth` > 0.
    pub fn new(bandwidth: f64) -> Self {
        Self::of_rate(0.5 / bandwidth / bandwidth)
    }

    /// exp(-rate |x - z|^2).
    pub(crate) fn of_rate(rate: f64) -> Self {
        // Kept finite and positive, so that extreme rates and distances never give an undefined product.
        Self { rate: rate.clamp(f64::MIN_POSITIVE, f64::MAX) }
    }
}

impl Kernel for Gaussian {
    fn evaluate(&self, x: &[f64], z: &[f64]) -> f64 {
        let mut value = [distance::squared_distance(x, z)];
        exp_scaled(&mut value, -self.rate);
        value[0]
    }

    fn diagonal(&self, _: &[f64]) -> f64 {
        1.0
    }

    fn row(&self, points: Rows<'_>, x: &[f64], out: &mut [f64]) {
        distance::row(points, x, out);
        exp_scaled(out, -self.rate);
    }

    fn gram(&self, left: Rows<'_>, right: Rows<'_>, out: &mut [f64]) {
        distance::gram(left, right, out);
        exp_scaled(out, -self.rate);
    }

    /// Computes distances, exponentials and sums in one pass, without storing kernel values.
    fn combine(&self, points: Rows<'_>, coefficients: &[f64], inputs: Rows<'_>, out: &mut [f64]) {
        let dim = points.cols();
        if dim > COORDINATES {
            return combine_by_gram(self, points, coefficients, inputs, out);
        }
        let rate = self.rate;
        for (group, out) in out.chunks_mut(SIDES * SIDE).enumerate() {
            let mut turned = [AlignedCoordinate::ZERO; SIDES * COORDINATES];
            let mut sums = [[0.0; SIDE]; SIDES];
            let first = group * SIDES * SIDE;
            for (side, (sums, out)) in sums.iter_mut().zip(out.chunks(SIDE)).enumerate() {
                let inputs = inputs.slice(first + side * SIDE, first + side * SIDE + out.len());
                distance::turn(inputs, 0, &mut turned[side * dim..][..dim]);
                sums[..out.len()].copy_from_slice(out);
            }
            let sides = out.len().div_ceil(SIDE);
            combine_sides(points.data(), coefficients, &turned[..sides * dim], dim, rate, &mut sums[..sides]);
            for (sums, out) in sums.iter().zip(out.chunks_mut(SIDE)) {
                out.copy_from_slice(&sums[..out.len()]);
            }
        }
    }

    fn mixture(&self, _: usize) -> Option<MixtureMeasure<'_>> {
        Some(MixtureMeasure::Point(self.rate))
    }

    fn tensors(&self) -> Option<&dyn TensorFeatures> {
        Some(self)
    }

    fn largest_diagonal(&self) -> Option<f64> {
        Some(1.0)
    }
}

/// Number of groups of [`SIDE`] inputs for which points are prepared once.
const SIDES: usize = 4;

/// Number of points that are prepared at once; a multiple of [`GROUP`].
const TILE: usize = 32;

vectorised! {
    /// Adds the contributions of all `points` at the inputs in `turned` to `sums`; `turned` holds `dim` columns for
    /// each [`SIDE`] inputs.
    fn combine_sides<'a>(
        points: &'a [f64],
        coefficients: &'a [f64],
        turned: &'a [AlignedCoordinate],
        dim: usize,
        rate: f64,
        sums: &'a mut [[f64; SIDE]],
    ) -> () {
        // In powers of two: exp(-rate |x - z|^2) = 2^(own(x) + own(z) + <2 scale x, z>) with own(x) = -scale |x|^2.
        let scale = rate * std::f64::consts::LOG2_E;
        let mut own = [AlignedCoordinate::ZERO; SIDES];
        for (own, columns) in own.iter_mut().zip(turned.chunks_exact(dim.max(1))) {
            for column in columns {
                for (own, z) in own.0.iter_mut().zip(&column.0) {
                    *own = (scale * z).mul_add(-z, *own);
                }
            }
        }
        let mut held = [0.0; TILE * COORDINATES];
        for (tile, coefficients) in points.chunks(TILE * dim.max(1)).zip(coefficients.chunks(TILE)) {
            // Padded to whole groups with points at 0, whose weight is 0.
            let (mut offsets, mut weights) = ([0.0; TILE], [0.0; TILE]);
            weights[..coefficients.len()].copy_from_slice(coefficients);
            let weights = &weights[..coefficients.len().next_multiple_of(GROUP)];
            let scaled = &mut held[..weights.len() * dim];
            scaled[..tile.len()].copy_from_slice(tile);
            scaled[tile.len()..].fill(0.0);
            for (points, offsets) in scaled.chunks_exact(GROUP * dim.max(1)).zip(offsets.as_chunks_mut::<GROUP>().0) {
                *offsets = own_exponents(group(points, dim), scale);
            }
            for x in scaled.iter_mut() {
                *x *= 2.0 * scale;
            }
            let farthest = offsets.iter().fold(0.0, |least: f64, offset| least.min(*offset));
            for ((sums, own), columns) in sums.iter_mut().zip(&own).zip(turned.chunks_exact(dim.max(1))) {
                // |x - z|^2 <= 2 |x|^2 + 2 |z|^2. With this comparison NaN is not near.
                let near = own.0.map(|own| -2.0 * (own + farthest) <= LARGEST_POWER);
                let (any, all) = (near.contains(&true), !near.contains(&false));
                let mut far = *sums;
                if !all {
                    add_far(tile, coefficients, columns, -rate, &mut far);
                }
                if any {
                    // As many sums at once as the registers hold.
                    if S::F64_LANES >= SIDE / 2 {
                        add_near::<SIDE>(scaled, &offsets, weights, columns, own, sums);
                    } else {
                        add_near::<{ SIDE / 2 }>(scaled, &offsets, weights, columns, own, sums);
                    }
                }
                // Each input is treated by itself, so that its bits do not depend on the others.
                for s in 0..SIDE {
                    if !near[s] {
                        sums[s] = far[s];
                    }
                }
            }
        }
    }
}

/// Points whose exponents are computed together: chains of dependent operations then overlap, and columns are loaded once
/// for all of them.
const GROUP: usize = 4;

/// The points of a group.
#[inline(always)]
fn group(points: &[f64], dim: usize) -> [&[f64]; GROUP] {
    std::array::from_fn(|i| &points[i * dim..(i + 1) * dim])
}

/// -scale |x|^2 for each point of a group.
#[inline(always)]
fn own_exponents([a, b, c, d]: [&[f64]; GROUP], scale: f64) -> [f64; GROUP] {
    let mut own = [0.0; GROUP];
    for (((a, b), c), d) in a.iter().zip(b).zip(c).zip(d) {
        for (own, x) in own.iter_mut().zip([a, b, c, d]) {
            *own = (scale * x).mul_add(-x, *own);
        }
    }
    own
}

/// The contributions of points near enough to the inputs, and to 0, for [`exp2`] and for distances by products, whose
/// error is a few 1e-16 (|x|^2 + |z|^2); `LANES` inputs at a time.
#[inline(always)]
fn add_near<const LANES: usize>(
    scaled: &[f64],
    offsets: &[f64],
    coefficients: &[f64],
    columns: &[AlignedCoordinate],
    own: &AlignedCoordinate,
    sums: &mut [f64; SIDE],
) {
    let dim = columns.len().max(1);
    for (part, sums) in sums.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
        let lanes = |column: &'_ AlignedCoordinate| -> [f64; LANES] { column.0.as_chunks().0[part] };
        let own = lanes(own);
        let mut totals = *sums;
        let offsets = offsets.as_chunks::<GROUP>().0;
        let groups = scaled.chunks_exact(GROUP * dim).zip(offsets).zip(coefficients.as_chunks::<GROUP>().0);
        for ((points, offsets), weights) in groups {
            let points = group(points, dim);
            // Four names rather than a loop over four, which would not be compiled to vector instructions.
            let [mut a, mut b, mut c, mut d] = [[0.0; LANES]; GROUP];
            for s in 0..LANES {
                a[s] = own[s] + offsets[0];
                b[s] = own[s] + offsets[1];
                c[s] = own[s] + offsets[2];
                d[s] = own[s] + offsets[3];
            }
            for (k, column) in columns.iter().enumerate() {
                let z = lanes(column);
                for s in 0..LANES {
                    a[s] = points[0][k].mul_add(z[s], a[s]);
                    b[s] = points[1][k].mul_add(z[s], b[s]);
                    c[s] = points[2][k].mul_add(z[s], c[s]);
                    d[s] = points[3][k].mul_add(z[s], d[s]);
                }
            }
            for s in 0..LANES {
                let first = weights[1].mul_add(exp2(b[s]), weights[0].mul_add(exp2(a[s]), totals[s]));
                totals[s] = weights[3].mul_add(exp2(d[s]), weights[2].mul_add(exp2(c[s]), first));
            }
        }
        *sums = totals;
    }
}

/// The contributions of points at any distance.
#[inline(always)]
fn add_far(points: &[f64], coefficients: &[f64], columns: &[AlignedCoordinate], factor: f64, sums: &mut [f64; SIDE]) {
    let mut totals = *sums;
    for (point, coefficient) in points.chunks_exact(columns.len().max(1)).zip(coefficients) {
        let mut distances = [0.0; SIDE];
        for (x, column) in point.iter().zip(columns) {
            for (sum, z) in distances.iter_mut().zip(&column.0) {
                *sum = (x - z).mul_add(x - z, *sum);
            }
        }
        for (total, distance) in totals.iter_mut().zip(&distances) {
            *total = coefficient.mul_add(exp_decay(factor * distance), *total);
        }
    }
    *sums = totals;
}

/// k(x, z) = damp(x) exp(<x, z> / bandwidth^2) damp(z) with damp(x) = exp(-|x|^2 / (2 bandwidth^2)).
impl TensorFeatures for Gaussian {
    fn beta(&self, n: u32) -> f64 {
        exponential_term(2.0 * self.rate, n)
    }

    fn series(&self, z: f64) -> f64 {
        (2.0 * self.rate * z).exp()
    }

    fn damping(&self) -> f64 {
        self.rate
    }
}

/// Registry entry.
pub(crate) static ENTRY: KernelEntry = KernelEntry {
    name: "gaussian",
    summary: "exp(-|x - z|^2 / (2 bandwidth^2))",
    module: module_path!(),
    params: GaussianParams::SPECS,
    build: |params| Ok(Arc::new(Gaussian::new(GaussianParams::read(params).bandwidth))),
};

parameters! {
    /// Parameters of [`Gaussian`].
    pub struct GaussianParams {
        /// width of the kernel (sigma in Jezequel, Gaillard, Rudi 2019)
        bandwidth: f64 = Kind::real(Range::POSITIVE) => Fallback::Real(1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use noregret_numeric::draw::{Draws, Role};

    /// Sums near to and far from the origin, with incomplete tiles and groups, equal sums of single values.
    #[test]
    fn combinations_are_sums_of_single_values() {
        let mut draw = Draws::named(&["gaussian combine"]).at(Role::Start, 0);
        for (dim, points, inputs, offset) in
            [(1, 1, 1, 0.0), (9, 75, 70, 0.0), (3, 33, 17, 30.0), (40, 5, 3, 0.0), (2, 64, 20, 1e6)]
        {
            let kernel = Gaussian::new(0.7);
            let mut drawn = |rows: usize| (0..dim * rows).map(|_| offset + draw.uniform()).collect::<Vec<_>>();
            let (left, right, coefficients) = (drawn(points), drawn(inputs), drawn(points));
            let mut out = vec![0.5; inputs];
            kernel.combine(Rows::new(dim, &left), &coefficients[..points], Rows::new(dim, &right), &mut out);
            for (found, z) in out.iter().zip(right.chunks_exact(dim)) {
                let terms = left.chunks_exact(dim).zip(&coefficients).map(|(x, a)| a * kernel.evaluate(x, z));
                let expected = 0.5 + terms.sum::<f64>();
                assert!(
                    (found - expected).abs() < 1e-12 * (1.0 + expected.abs()),
                    "{dim}, {offset}: {found} {expected}"
                );
            }
        }
    }

    #[test]
    fn follows_the_convention_and_survives_extreme_bandwidths() {
        let unit = Gaussian::new(2.0).evaluate(&[0.0, 1.0], &[2.0, 1.0]);
        assert!((unit - (-0.5f64).exp()).abs() < 1e-16);
        for bandwidth in [1e-300, 1e300] {
            let kernel = Gaussian::new(bandwidth);
            assert_eq!(kernel.evaluate(&[3.0], &[3.0]), 1.0);
            assert!(kernel.evaluate(&[3.0], &[4.0]).is_finite());
            assert_eq!(kernel.evaluate(&[-1e300], &[1e300]), 0.0);
        }
    }
}
