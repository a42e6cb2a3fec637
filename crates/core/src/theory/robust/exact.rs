//! The exact expected error of least squares on the circle.
//!
//! x is uniform on R / Z, the kernel is 1 + P_2s(x - x') with eigenvalues lambda_0 = 1 and lambda_k = k^-2s (twice),
//! and the noise is independent of x with mean 0 and variance v. Because |exp(2 pi i k x)| = 1, the second moments of
//! the Fourier coefficients of e_t = f_t - f_rho satisfy a closed recursion: with V_0 = E|e_0|^2, V_k = E|e_k|^2 +
//! E|e_-k|^2 and S = V_0 + sum_k V_k,
//!
//! V_0 <- (1 - 2 eta_t) V_0 + eta_t^2 (S + v),   V_k <- (1 - 2 eta_t lambda_k) V_k + 2 eta_t^2 lambda_k^2 (S + v).

use noregret_numeric::linalg::bernoulli::BernoulliSeries;

/// The state of the recursion after some rounds of f_(t+1) = f_t - eta_t (f_t(x_t) - y_t) K(x_t, .), f_1 = 0.
#[derive(Clone, Debug)]
pub struct ExactLeastSquares {
    /// eigenvalues of frequencies 0..
    eigenvalues: Vec<f64>,
    /// 1 for frequency 0, 2 for a sine and a cosine.
    multiplicity: Vec<f64>,
    /// V_k.
    energy: Vec<f64>,
    /// E <e_t, sum_(i <= t) e_i> and E |sum_(i <= t) e_i|^2, of each frequency.
    cross: Vec<f64>,
    square: Vec<f64>,
    /// The step of the last round, which the sums above do not contain yet.
    pending: Option<f64>,
    rounds: u64,
    variance: f64,
    /// A = sum_i eta_i^2 (S_i + v): what the frequencies beyond the last have accumulated, per squared eigenvalue.
    gathered: f64,
    l2: Tail,
    rkhs: Option<Tail>,
}

/// What frequencies beyond the last contribute to a squared norm: `start` + `noise` A.
#[derive(Clone, Copy, Debug)]
struct Tail {
    start: f64,
    noise: f64,
}

impl ExactLeastSquares {
    /// The recursion for a target under the kernel of this smoothness s >= 1, with noise of this variance and
    /// frequencies up to `largest`. Frequencies beyond must hardly have moved: 2 eta T largest^-2s << 1.
    pub fn new(target: &BernoulliSeries, smoothness: u32, variance: f64, largest: u32) -> Self {
        let power = 2.0 * f64::from(smoothness);
        let eigenvalues: Vec<f64> =
            std::iter::once(1.0).chain((1..=largest).map(|k| f64::from(k).powf(-power))).collect();
        let energy: Vec<f64> =
            std::iter::once(target.constant().powi(2)).chain((1..=largest).map(|k| target.energy(k))).collect();
        // sum_{k > largest} 2 k^-q, to second order in 1 / largest.
        let edge = f64::from(largest) + 0.5;
        let beyond = |q: f64| 2.0 * edge.powf(1.0 - q) / (q - 1.0);
        let in_rkhs: f64 = energy.iter().zip(&eigenvalues).map(|(v, lambda)| v / lambda).sum();
        let tail = |norm: Option<f64>, known: f64, q: f64| {
            norm.map(|norm| Tail { start: (norm - known).max(0.0), noise: beyond(q) })
        };
        let l2 = tail(target.squared_norm(0), energy.iter().sum(), 2.0 * power);
        Self {
            multiplicity: (0..=largest).map(|k| if k == 0 { 1.0 } else { 2.0 }).collect(),
            cross: energy.clone(),
            square: energy.clone(),
            pending: None,
            rounds: 0,
            variance,
            gathered: 0.0,
            l2: l2.unwrap_or(Tail { start: f64::INFINITY, noise: 0.0 }),
            rkhs: tail(target.squared_norm(smoothness), in_rkhs, power),
            eigenvalues,
            energy,
        }
    }

    /// One round with the step eta.
    pub fn step(&mut self, eta: f64) {
        self.rounds += 1;
        let gain = eta * eta * (self.l2() + self.variance);
        let pending = self.pending.replace(eta);
        for k in 0..self.energy.len() {
            let (lambda, energy) = (self.eigenvalues[k], self.energy[k]);
            if let Some(before) = pending {
                // The sums are brought up to the iterate from which this round starts.
                let carried = (1.0 - before * lambda) * self.cross[k];
                self.square[k] += 2.0 * carried + energy;
                self.cross[k] = carried + energy;
            }
            self.energy[k] = (1.0 - 2.0 * eta * lambda) * energy + self.multiplicity[k] * lambda * lambda * gain;
        }
        self.gathered += gain;
    }

    /// E |f_(t+1) - f_rho|^2 in L2 after t rounds.
    pub fn l2(&self) -> f64 {
        self.energy.iter().sum::<f64>() + self.l2.start + self.l2.noise * self.gathered
    }

    /// E |f_(t+1) - f_rho|^2 in the kernel's space; None where f_rho is not in it.
    pub fn rkhs(&self) -> Option<f64> {
        let tail = self.rkhs?;
        Some(self.in_rkhs(&self.energy) + tail.start + tail.noise * self.gathered)
    }

    /// E |(f_1 + ... + f_t) / t - f_rho|^2 in L2 after t >= 1 rounds.
    pub fn l2_averaged(&self) -> f64 {
        self.square.iter().sum::<f64>() / (self.rounds as f64).powi(2) + self.l2.start
    }

    /// E |(f_1 + ... + f_t) / t - f_rho|^2 in the kernel's space; None where f_rho is not in it.
    pub fn rkhs_averaged(&self) -> Option<f64> {
        Some(self.in_rkhs(&self.square) / (self.rounds as f64).powi(2) + self.rkhs?.start)
    }

    fn in_rkhs(&self, energies: &[f64]) -> f64 {
        energies.iter().zip(&self.eigenvalues).map(|(energy, lambda)| energy / lambda).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One round by hand: f_2 = eta y_1 K(x_1, .), so E|f_2 - f|^2 = |f|^2 - 2 eta <L_K f, f> + eta^2 E[y^2] |K_x|_rho^2.
    #[test]
    fn one_round_by_hand() {
        let target = BernoulliSeries::new(0.0, &[(4, 0.5)]).unwrap();
        let (eta, variance) = (0.1, 0.2);
        let mut exact = ExactLeastSquares::new(&target, 1, variance, 400);
        exact.step(eta);
        // zeta(8), zeta(10), zeta(4).
        let (z8, z10, z4) = (1.004077356197944, 1.0009945751278178, 1.082323233711138);
        let (norm, inner) = (0.5 * z8, 0.5 * z10);
        let expected = norm - 2.0 * eta * inner + eta * eta * (norm + variance) * (1.0 + 2.0 * z4);
        assert!((exact.l2() - expected).abs() < 1e-9, "{} {expected}", exact.l2());
        assert!((exact.l2_averaged() - norm).abs() < 1e-12, "the average of f_1 = 0 is 0");
    }

    #[test]
    fn a_rough_target_has_no_norm_in_the_space() {
        let target = BernoulliSeries::new(0.0, &[(1, 0.5)]).unwrap();
        let mut exact = ExactLeastSquares::new(&target, 1, 0.1, 200);
        exact.step(0.1);
        assert_eq!((exact.rkhs(), exact.rkhs_averaged()), (None, None));
        assert!(exact.l2() < 2.0);
    }
}
