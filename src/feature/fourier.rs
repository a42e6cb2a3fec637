//! Random Fourier features of the Gaussian kernel.

use crate::draw::Draw;
use crate::feature::api::FeatureMap;
use crate::linalg::elementary::{LARGEST_ANGLE, sin_cos, sin_cos_scaled};
use crate::linalg::matrix::Matrix;
use crate::linalg::simd::vectorised;
use crate::linalg::vector::{add_scaled, dot};

/// z(x) = [sin F x; cos F x] / sqrt(D) for a D x d matrix F of frequencies with rows N(0, I / b^2): 2 D features whose
/// inner product has mean exp(-|x - x'|^2 / (2 b^2)).
///
/// Source: A. Rahimi, B. Recht, Random features for large-scale kernel machines, NIPS 2007.
#[derive(Clone, Debug)]
pub struct Fourier {
    /// F transposed, d x D, so that one coordinate of all frequencies is contiguous.
    turned: Matrix,
    scale: f64,
    /// max_j |F_jk| for each coordinate k.
    largest: Vec<f64>,
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

    /// The map of given frequencies, one per row.
    pub fn new(frequencies: &Matrix) -> Self {
        let (count, dim) = (frequencies.rows(), frequencies.cols());
        let mut turned = Matrix::zeros(dim, count);
        for j in 0..count {
            for k in 0..dim {
                turned.row_mut(k)[j] = frequencies.row(j)[k];
            }
        }
        let largest = (0..dim).map(|k| turned.row(k).iter().fold(0.0, |most: f64, f| most.max(f.abs()))).collect();
        Self { turned, scale: (count as f64).sqrt().recip(), largest }
    }

    /// In one pass over the frequencies: `weights += step features`, then `features` = z(x) and <weights, z(x)>, which is
    /// returned. The slices have an entry per feature.
    pub fn step(&self, x: &[f64], step: f64, features: &mut [f64], weights: &mut [f64]) -> f64 {
        let largest_phase: f64 = x.iter().zip(&self.largest).map(|(x, f)| x.abs() * f).sum();
        if largest_phase.is_nan() || largest_phase > LARGEST_ANGLE {
            add_scaled(weights, step, features);
            self.write(x, features);
            return dot(weights, features);
        }
        step_in_one_pass(x, self.turned.data(), self.scale, step, features, weights)
    }
}

/// Frequencies that are worked on side by side.
const SIDE: usize = 16;

vectorised! {
    fn step_in_one_pass<'a>(
        x: &'a [f64],
        turned: &'a [f64],
        scale: f64,
        step: f64,
        features: &'a mut [f64],
        weights: &'a mut [f64],
    ) -> f64 {
        let count = features.len() / 2;
        let (sines, cosines) = features.split_at_mut(count);
        let (sine_weights, cosine_weights) = weights.split_at_mut(count);
        let mut sums = [0.0; SIDE];
        let mut first = 0;
        while first + SIDE <= count {
            let mut phases = [0.0; SIDE];
            for (x, row) in x.iter().zip(turned.chunks_exact(count)) {
                for (phase, f) in phases.iter_mut().zip(&row[first..first + SIDE]) {
                    *phase = f.mul_add(*x, *phase);
                }
            }
            let part = first..first + SIDE;
            let (sines, cosines) = (&mut sines[part.clone()], &mut cosines[part.clone()]);
            let (sine_weights, cosine_weights) = (&mut sine_weights[part.clone()], &mut cosine_weights[part]);
            for s in 0..SIDE {
                let (sine, cosine) = sin_cos(phases[s]);
                let (sine, cosine) = (scale * sine, scale * cosine);
                let sine_weight = sines[s].mul_add(step, sine_weights[s]);
                let cosine_weight = cosines[s].mul_add(step, cosine_weights[s]);
                (sines[s], cosines[s]) = (sine, cosine);
                (sine_weights[s], cosine_weights[s]) = (sine_weight, cosine_weight);
                sums[s] = cosine.mul_add(cosine_weight, sine.mul_add(sine_weight, sums[s]));
            }
            first += SIDE;
        }
        for j in first..count {
            let phase = x.iter().enumerate().fold(0.0, |phase, (k, x)| turned[k * count + j].mul_add(*x, phase));
            let (sine, cosine) = sin_cos(phase);
            let (sine, cosine) = (scale * sine, scale * cosine);
            sine_weights[j] = sines[j].mul_add(step, sine_weights[j]);
            cosine_weights[j] = cosines[j].mul_add(step, cosine_weights[j]);
            (sines[j], cosines[j]) = (sine, cosine);
            sums[0] = cosine.mul_add(cosine_weights[j], sine.mul_add(sine_weights[j], sums[0]));
        }
        sums.iter().sum()
    }
}

impl FeatureMap for Fourier {
    fn features(&self) -> usize {
        2 * self.turned.cols()
    }

    fn write(&self, x: &[f64], out: &mut [f64]) {
        let (sines, cosines) = out.split_at_mut(self.turned.cols());
        // The phases F x first, in place of the sines.
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
    use crate::draw::{Draws, Role};

    /// Three steps in one pass each against the same in separate ones, also where an input is far out.
    #[test]
    fn a_step_in_one_pass_is_one_in_three() {
        let mut draw = Draws::named(&["fourier step"]).at(Role::Start, 0);
        let map = Fourier::sample(3, 37, 0.7, &mut draw);
        let (mut features, mut weights) = (vec![0.0; 74], vec![0.0; 74]);
        let (mut expected_features, mut expected_weights) = (features.clone(), weights.clone());
        for (t, x) in [[0.3, -0.2, 0.5], [0.1, 0.4, 0.2], [1e9, 0.0, 1.0], [-0.7, 0.1, 0.9]].iter().enumerate() {
            let step = 0.3 - 0.2 * t as f64;
            let found = map.step(x, step, &mut features, &mut weights);
            add_scaled(&mut expected_weights, step, &expected_features);
            map.write(x, &mut expected_features);
            assert!((found - dot(&expected_weights, &expected_features)).abs() < 1e-14);
            for (a, b) in features.iter().chain(&weights).zip(expected_features.iter().chain(&expected_weights)) {
                assert!((a - b).abs() < 1e-14);
            }
        }
    }

    /// The inner product of 200,000 random features within 5 standard errors of the kernel. Each term
    /// cos <f, x - z> has variance at most 1/2, so the bound is 5 sqrt(1 / (2 D)); false-alarm rate below 6e-7.
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
