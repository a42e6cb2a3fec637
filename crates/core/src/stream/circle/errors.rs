//! Exact errors of a kernel expansion on the circle, in L2 and in the kernel's space.
//!
//! For f = sum_i a_i K(x_i, .) with K = 1 + P_2s(x - x'), uniform inputs and the target f_rho,
//! |f - f_rho|_rho^2 = a' K_2 a - 2 sum_i a_i (L_K f_rho)(x_i) + |f_rho|_rho^2 where K_2 = 1 + P_4s is the kernel of L_K^2, and
//! |f - f_rho|_K^2 = a' K a - 2 sum_i a_i f_rho(x_i) + |f_rho|_K^2; absolute accuracy about 1e-13 for thousands of points.

use crate::learner::api::Hypothesis;
use noregret_numeric::draw::{Draws, Role};
use noregret_numeric::linalg::bernoulli::{BernoulliSeries, Periodic};
use noregret_numeric::linalg::sum::Sum;
use noregret_numeric::linalg::vector::dot;

/// A target, with what is needed to compute errors.
#[derive(Clone, Debug)]
pub struct Errors {
    kernel: Periodic,
    squared: Periodic,
    target: BernoulliSeries,
    smoothed: BernoulliSeries,
    l2: f64,
    rkhs: Option<f64>,
    regularity: f64,
}

/// The squared errors of one function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SquaredErrors {
    /// |f - f_rho|^2 in L2 of the uniform law.
    pub l2: f64,
    /// |f - f_rho|^2 in the kernel's space; `None` if the target is not in it.
    pub rkhs: Option<f64>,
}

impl Errors {
    /// Errors with respect to `target` under the kernel 1 + P_2s of this smoothness s; `None` if an order is not among
    /// the known ones.
    pub fn new(target: &BernoulliSeries, smoothness: u32) -> Option<Self> {
        Some(Self {
            kernel: Periodic::new(2 * smoothness)?,
            squared: Periodic::new(4 * smoothness)?,
            smoothed: target.smoothed(smoothness)?,
            l2: target.squared_norm(0)?,
            rkhs: target.squared_norm(smoothness),
            target: target.clone(),
            regularity: target.regularity(smoothness),
        })
    }

    /// r* of the target.
    pub(crate) fn regularity(&self) -> f64 {
        self.regularity
    }

    /// The errors of the functions sum_i a_i K(x_i, .), one for each vector a of coefficients, all on the same points.
    pub(crate) fn of(&self, points: &[f64], functions: &[&[f64]]) -> Vec<SquaredErrors> {
        let forms = [&self.squared, &self.kernel].map(|kernel| quadratic_forms(kernel, points, functions));
        let images = |target: &BernoulliSeries| points.iter().map(|&x| target.at(x)).collect::<Vec<_>>();
        let (smoothed, target) = (images(&self.smoothed), images(&self.target));
        let error =
            |form: f64, image: &[f64], function: &[f64], norm: f64| (form - 2.0 * dot(image, function) + norm).max(0.0);
        functions
            .iter()
            .enumerate()
            .map(|(i, function)| SquaredErrors {
                l2: error(forms[0][i], &smoothed, function, self.l2),
                rkhs: self.rkhs.map(|norm| error(forms[1][i], &target, function, norm)),
            })
            .collect()
    }

    /// `squared_l2_error` and `squared_rkhs_error` of a hypothesis, and the same with `_averaged` for the average of
    /// its iterates. Empty unless the hypothesis is an expansion in this kernel, which its predictions are checked for.
    pub fn measures(&self, hypothesis: &dyn Hypothesis, draws: &Draws) -> Vec<(&'static str, f64)> {
        let Some(expanded) = hypothesis.expansion() else { return Vec::new() };
        let points = expanded.points.data();
        if expanded.points.cols() != 1 || !self.is_expansion(hypothesis, points, expanded.coefficients, draws) {
            return Vec::new();
        }
        let mut functions = vec![expanded.coefficients];
        functions.extend(expanded.averaged.as_deref());
        let names =
            [("squared_l2_error", "squared_rkhs_error"), ("squared_l2_error_averaged", "squared_rkhs_error_averaged")];
        let mut measures = Vec::new();
        for (errors, (l2, rkhs)) in self.of(points, &functions).into_iter().zip(names) {
            measures.push((l2, errors.l2));
            measures.extend(errors.rkhs.map(|error| (rkhs, error)));
        }
        measures
    }

    /// Whether the hypothesis predicts what these coefficients give under this kernel, at a few points.
    fn is_expansion(&self, hypothesis: &dyn Hypothesis, points: &[f64], coefficients: &[f64], draws: &Draws) -> bool {
        let largest = (1.0 + self.kernel.at(0.0)) * coefficients.iter().map(|a| a.abs()).sum::<f64>();
        let mut row = vec![0.0; points.len()];
        [0.05, 0.3, 0.62, 0.91].iter().all(|&x| {
            self.kernel.row(points, x, 1.0, 1.0, &mut row);
            let prediction = hypothesis.predict(&[x], &mut draws.at(Role::Predict, 0));
            (prediction - dot(&row, coefficients)).abs() <= 1e-9 * largest
        })
    }
}

/// a' (1 + P) a for every vector a of coefficients.
fn quadratic_forms(kernel: &Periodic, points: &[f64], functions: &[&[f64]]) -> Vec<f64> {
    let mut sums = vec![Sum::default(); functions.len()];
    let diagonal = 1.0 + kernel.at(0.0);
    let mut row = vec![0.0; points.len()];
    for (i, &x) in points.iter().enumerate() {
        // Each pair of points is visited once.
        let row = &mut row[..i];
        kernel.row(&points[..i], x, 1.0, 1.0, row);
        for (sum, a) in sums.iter_mut().zip(functions) {
            sum.add(a[i] * (2.0 * dot(row, a) + a[i] * diagonal));
        }
    }
    sums.iter().map(Sum::value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use noregret_numeric::draw::Draws;

    /// Against Fourier sums over 4,000 frequencies: |f_k - c_k|^2 with f_k = lambda_k sum_i a_i exp(-2 pi i k x_i).
    #[test]
    fn errors_are_sums_over_frequencies() {
        let mut draw = Draws::named(&["errors"]).at(Role::Start, 0);
        let points: Vec<f64> = (0..20).map(|_| draw.uniform()).collect();
        let coefficients: Vec<f64> = (0..20).map(|_| 0.3 * draw.normal()).collect();
        let terms = [(4, 0.4), (5, -0.2)];
        let target = BernoulliSeries::new(0.3, &terms).unwrap();
        let errors = Errors::new(&target, 1).unwrap().of(&points, &[&coefficients, &[0.0; 20]]);
        let (mean, tau) = (coefficients.iter().sum::<f64>() - 0.3, std::f64::consts::TAU);
        let (mut l2, mut rkhs) = (mean * mean, mean * mean);
        for k in (1..=4000).map(f64::from) {
            let lambda = k.powi(-2);
            // Even terms are cosines, odd ones sines: c_k = a k^-4 - i b k^-5.
            let sum = |wave: fn(f64) -> f64| {
                points.iter().zip(&coefficients).map(|(x, a)| a * wave(tau * k * x)).sum::<f64>()
            };
            let real = lambda * sum(f64::cos) - 0.4 * k.powi(-4);
            let imaginary = lambda * sum(f64::sin) + 0.2 * k.powi(-5);
            let square = 2.0 * (real * real + imaginary * imaginary);
            l2 += square;
            rkhs += square / lambda;
        }
        assert!((errors[0].l2 - l2).abs() < 1e-9, "{} {l2}", errors[0].l2);
        // The sum over frequencies ends at 4,000, so that its own tail is about |a|^2 / 2000.
        let squares: f64 = coefficients.iter().map(|a| a * a).sum();
        let gap = errors[0].rkhs.unwrap() - rkhs;
        assert!(gap > 0.0 && gap < 20.0 * squares / 4000.0, "{gap}");
        assert!((errors[1].l2 - target.squared_norm(0).unwrap()).abs() < 1e-15);
        assert_eq!(errors[1].rkhs, target.squared_norm(1));
    }
}
