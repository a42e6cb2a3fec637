//! Random Fourier features of the Gaussian kernel.

use std::f64::consts::FRAC_2_PI;

use crate::feature::api::FeatureMap;
use noregret_numeric::draw::Draw;
use noregret_numeric::linalg::elementary::{LARGEST_QUARTERS, sin_cos_quarters, sin_cos_scaled};
use noregret_numeric::linalg::matrix::Matrix;
use noregret_numeric::linalg::simd::vectorised;
use noregret_numeric::linalg::vector::{add_scaled, dot, squared_norm};

/// z(x) = [sin F x; cos F x] / sqrt(D) for a D x d matrix F of frequencies with rows N(0, I / b^2). The inner product
/// of these 2 D features has mean exp(-|x - x'|^2 / (2 b^2)).
///
/// Source: A. Rahimi, B. Recht, Random features for large-scale kernel machines, NIPS 2007.
#[derive(Clone, Debug)]
pub struct Fourier {
    /// 2 F' / pi, d x D: one coordinate of all frequencies is contiguous, and phases are in quarters of a turn.
    turned: Matrix,
    scale: f64,
    /// The largest absolute value of the entries (k, j) over j, for each coordinate k.
    largest: Vec<f64>,
}

/// The products that one pass over the frequencies gives for two rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Products {
    /// <w, z(x)> and <w, z(y)>.
    pub values: [f64; 2],
    /// <z(x), z(y)>.
    pub between: f64,
}

impl Fourier {
    /// Draws `count` >= 1 frequencies on R^`dim` for a kernel of this `bandwidth` > 0.
    pub fn sample(dim: usize, count: usize, bandwidth: f64, draw: &mut Draw) -> Self {
        let mut frequencies = Matrix::zeros(count, dim);
        for entry in frequencies.data_mut() {
            *entry = draw.normal() / bandwidth;
        }
        Self::new(&frequencies)
    }

    /// The same with frequencies that are orthogonal within blocks of `dim`, see [`orthogonal_frequencies`].
    ///
    /// Source: F. Yu, A. Suresh, K. Choromanski, D. Holtmann-Rice, S. Kumar, Orthogonal random features, NIPS 2016.
    pub fn orthogonal(dim: usize, count: usize, bandwidth: f64, draw: &mut Draw) -> Self {
        let mut normal = || {
            let mut matrix = Matrix::zeros(count, dim);
            matrix.data_mut().fill_with(|| draw.normal());
            matrix
        };
        let (directions, lengths) = (normal(), normal());
        Self::new(&orthogonal_frequencies(directions, &lengths, bandwidth))
    }

    /// The map of given frequencies, one per row.
    pub fn new(frequencies: &Matrix) -> Self {
        let (count, dim) = (frequencies.rows(), frequencies.cols());
        let mut turned = Matrix::zeros(dim, count);
        for j in 0..count {
            for k in 0..dim {
                turned.row_mut(k)[j] = frequencies.row(j)[k] * FRAC_2_PI;
            }
        }
        let largest = (0..dim).map(|k| turned.row(k).iter().fold(0.0, |most: f64, f| most.max(f.abs()))).collect();
        Self { turned, scale: (count as f64).sqrt().recip(), largest }
    }

    /// 1 / sqrt(D); z(x) is this number times the waves [sin F x; cos F x].
    pub(crate) fn scale(&self) -> f64 {
        self.scale
    }

    /// Handles two inputs in one pass over the frequencies. `waves` consists of two runs, each as long as the `weights`
    /// w. The pass adds each run, times its entry of `steps`, to w; then it replaces the two runs by the waves of the
    /// two inputs.
    ///
    /// If an input is too large, nothing is changed and the result is None.
    pub(crate) fn pass(
        &self,
        inputs: [&[f64]; 2],
        steps: [f64; 2],
        waves: &mut [f64],
        weights: &mut [f64],
    ) -> Option<Products> {
        let phase = |x: &[f64]| x.iter().zip(&self.largest).map(|(x, f)| x.abs() * f).sum::<f64>();
        // With this comparison NaN is too large.
        let near = inputs.iter().all(|x| phase(x) <= LARGEST_QUARTERS);
        near.then(|| {
            let [first, second, between] = pass(inputs[0], inputs[1], self.turned.data(), steps, waves, weights);
            let scale = self.scale;
            Products { values: [scale * first, scale * second], between: scale * scale * between }
        })
    }
}

/// Frequencies with the law N(0, I / b^2) of each row that are orthogonal within blocks of d = `normal.cols()` rows. The
/// rows of each block of `normal` are orthonormalised in their order; row j then gets the length of row j of `lengths`
/// over the `bandwidth` b. Both matrices hold independent standard normal numbers. The last block may be short.
pub fn orthogonal_frequencies(normal: Matrix, lengths: &Matrix, bandwidth: f64) -> Matrix {
    let mut rows = normal;
    let (count, dim) = (rows.rows(), rows.cols());
    for j in 0..count {
        let (earlier, rest) = rows.data_mut().split_at_mut(j * dim);
        let row = &mut rest[..dim];
        // Twice, so that rounding leaves no trace of the earlier rows.
        for _ in 0..2 {
            for other in earlier[j / dim.max(1) * dim.max(1) * dim..].chunks_exact(dim.max(1)) {
                let along = dot(other, row);
                add_scaled(row, -along, other);
            }
        }
        let norm = squared_norm(row).sqrt();
        row.iter_mut().for_each(|entry| *entry /= norm);
    }
    for j in 0..count {
        let length = squared_norm(lengths.row(j)).sqrt() / bandwidth;
        rows.row_mut(j).iter_mut().for_each(|entry| *entry *= length);
    }
    rows
}

/// Number of frequencies that are handled side by side.
const SIDE: usize = 16;

/// Sums over frequencies, one for each of the [`SIDE`] handled side by side.
struct FrequencySums {
    x: [f64; SIDE],
    y: [f64; SIDE],
    between: [f64; SIDE],
}

/// Sines and cosines of two earlier rounds, and weights, at [`SIDE`] frequencies.
type FrequencyBlock<'a> = [&'a mut [f64; SIDE]; 6];

impl FrequencySums {
    /// Applies the two steps, then computes the waves of the phases `p` and `q`.
    #[inline(always)]
    fn add(&mut self, p: &[f64; SIDE], q: &[f64; SIDE], steps: [f64; 2], block: FrequencyBlock<'_>) {
        let [sines, cosines, other_sines, other_cosines, sine_weights, cosine_weights] = block;
        for s in 0..SIDE {
            let (x_sine, x_cosine) = sin_cos_quarters(p[s]);
            let (y_sine, y_cosine) = sin_cos_quarters(q[s]);
            let sine_weight = other_sines[s].mul_add(steps[1], sines[s].mul_add(steps[0], sine_weights[s]));
            let cosine_weight = other_cosines[s].mul_add(steps[1], cosines[s].mul_add(steps[0], cosine_weights[s]));
            (sine_weights[s], cosine_weights[s]) = (sine_weight, cosine_weight);
            (sines[s], cosines[s], other_sines[s], other_cosines[s]) = (x_sine, x_cosine, y_sine, y_cosine);
            self.x[s] = x_cosine.mul_add(cosine_weight, x_sine.mul_add(sine_weight, self.x[s]));
            self.y[s] = y_cosine.mul_add(cosine_weight, y_sine.mul_add(sine_weight, self.y[s]));
            self.between[s] = x_cosine.mul_add(y_cosine, x_sine.mul_add(y_sine, self.between[s]));
        }
    }
}

vectorised! {
    /// <w, u>, <w, v> and <u, v> of the weights w after the two steps and the waves u, v of `x`, `y`.
    fn pass<'a>(
        x: &'a [f64],
        y: &'a [f64],
        turned: &'a [f64],
        steps: [f64; 2],
        waves: &'a mut [f64],
        weights: &'a mut [f64],
    ) -> [f64; 3] {
        let count = weights.len() / 2;
        let (first, second) = waves.split_at_mut(2 * count);
        let halves = [first, second, weights].map(|run| {
            let (sines, cosines) = run.split_at_mut(count);
            [sines.as_chunks_mut::<SIDE>(), cosines.as_chunks_mut::<SIDE>()]
        });
        let [[(a, a_end), (b, b_end)], [(c, c_end), (d, d_end)], [(e, e_end), (f, f_end)]] = halves;
        let mut sums = FrequencySums { x: [0.0; SIDE], y: [0.0; SIDE], between: [0.0; SIDE] };
        let parts = a.iter_mut().zip(b).zip(c).zip(d).zip(e).zip(f);
        for (i, (((((a, b), c), d), e), f)) in parts.enumerate() {
            let (mut p, mut q) = ([0.0; SIDE], [0.0; SIDE]);
            for ((x, y), row) in x.iter().zip(y).zip(turned.chunks_exact(count)) {
                let row = &row[i * SIDE..(i + 1) * SIDE];
                for s in 0..SIDE {
                    p[s] = row[s].mul_add(*x, p[s]);
                    q[s] = row[s].mul_add(*y, q[s]);
                }
            }
            sums.add(&p, &q, steps, [a, b, c, d, e, f]);
        }
        // The last few frequencies, padded with weights of 0 and with waves whose products are 0: phases of 1 and 0
        // quarters.
        if !a_end.is_empty() {
            let (mut p, mut q) = ([1.0; SIDE], [0.0; SIDE]);
            for s in 0..a_end.len() {
                let phase = |x: &[f64]| {
                    let rows = turned.chunks_exact(count).zip(x);
                    rows.fold(0.0, |phase, (row, x)| row[count - a_end.len() + s].mul_add(*x, phase))
                };
                (p[s], q[s]) = (phase(x), phase(y));
            }
            let mut ends = [a_end, b_end, c_end, d_end, e_end, f_end];
            let mut room = [[0.0; SIDE]; 6];
            for (room, end) in room.iter_mut().zip(&ends) {
                room[..end.len()].copy_from_slice(end);
            }
            sums.add(&p, &q, steps, room.each_mut());
            for (room, end) in room.iter().zip(&mut ends) {
                let length = end.len();
                end.copy_from_slice(&room[..length]);
            }
        }
        [sums.x, sums.y, sums.between].map(|sums| sums.iter().sum())
    }
}

impl FeatureMap for Fourier {
    fn features(&self) -> usize {
        2 * self.turned.cols()
    }

    fn write(&self, x: &[f64], out: &mut [f64]) {
        let (sines, cosines) = out.split_at_mut(self.turned.cols());
        // First computes the phases F x in place of the sines.
        sines.fill(0.0);
        for (k, x) in x.iter().enumerate() {
            add_scaled(sines, *x, self.turned.row(k));
        }
        sin_cos_scaled(sines, cosines, self.scale);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use noregret_numeric::draw::{Draws, Role};

    /// Passes over two rounds each equal separate steps.
    #[test]
    fn a_pass_is_two_steps_and_their_products() {
        let mut draw = Draws::named(&["fourier step"]).at(Role::Start, 0);
        let map = Fourier::sample(3, 37, 0.7, &mut draw);
        let (mut waves, mut weights) = (vec![0.0; 148], vec![0.0; 74]);
        let mut expected = weights.clone();
        let written = |x: &[f64]| {
            let mut features = vec![0.0; 74];
            map.write(x, &mut features);
            features
        };
        let inputs = [[0.3, -0.2, 0.5], [0.1, 0.4, 0.2], [1e9, 0.0, 1.0], [-0.7, 0.1, 0.9]];
        let mut steps = [0.0; 2];
        for pair in inputs.chunks(2) {
            let found = map.pass([&pair[0], &pair[1]], steps, &mut waves, &mut weights).unwrap();
            let features = [written(&pair[0]), written(&pair[1])];
            let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-14, "{a} {b}");
            close(found.values[0], dot(&expected, &features[0]));
            close(found.values[1], dot(&expected, &features[1]));
            close(found.between, dot(&features[0], &features[1]));
            steps = [0.3, -0.2].map(|step| step * map.scale());
            for (a, b) in weights.iter().zip(&expected) {
                close(*a, *b);
            }
            add_scaled(&mut expected, 0.3, &features[0]);
            add_scaled(&mut expected, -0.2, &features[1]);
        }
        let kept = weights.clone();
        for far in [1e300, f64::INFINITY, f64::NAN] {
            assert_eq!(map.pass([&inputs[0], &[far, 0.0, 0.0]], steps, &mut waves, &mut weights), None);
        }
        assert_eq!(weights, kept);
        let limit = LARGEST_QUARTERS / map.largest[0];
        assert!(map.largest[0] > 1.1);
        for (share, passes) in [(0.99, true), (1.01, false)] {
            let found = map.pass([&inputs[0], &[share * limit, 0.0, 0.0]], steps, &mut waves, &mut weights);
            assert_eq!(found.is_some(), passes, "{share}");
        }
    }

    /// The inner product of 200,000 random features is within 5 standard errors of the kernel. Each term cos <f, x - z>
    /// has variance at most 1/2, so the bound is 5 sqrt(1 / (2 D)); false-alarm rate below 6e-7.
    #[test]
    fn inner_products_estimate_the_kernel() {
        let count = 200_000;
        let map = Fourier::sample(3, count, 0.7, &mut Draws::named(&["fourier"]).at(Role::Start, 0));
        let (x, z) = ([0.3, -0.2, 0.5], [0.1, 0.4, 0.2]);
        let (mut fx, mut fz) = (vec![0.0; 2 * count], vec![0.0; 2 * count]);
        map.write(&x, &mut fx);
        map.write(&z, &mut fz);
        let kernel = (-(0.04 + 0.36 + 0.09) / (2.0 * 0.49f64)).exp();
        let error = (dot(&fx, &fz) - kernel).abs();
        assert!(error < 5.0 * (0.5 / count as f64).sqrt(), "{error}");
        assert!((dot(&fx, &fx) - 1.0).abs() < 1e-12);
    }
}
