//! Streams on [0, 1] that show the regret rates of periodic spline kernels.
//!
//! If the labels are independent of the inputs, the regret of a regularised forecaster is close to its effective
//! dimension. To see what a small dictionary costs, there must be something to learn: `targets = "signal"` gives a
//! smooth function of large norm with Gaussian noise.

use std::f64::consts::PI;
use std::sync::Arc;

use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind, Range};
use crate::stream::api::{EXAMPLE, Reach, Source, StreamEntry};
use noregret_numeric::draw::Draws;

/// The registry's line.
pub(crate) static ENTRY: StreamEntry = StreamEntry {
    name: "periodic-spline",
    summary: "x uniform on [0, 1]; y = -1 or +1 independent of x, or sin(2 pi frequency x) + N(0, noise_std^2)",
    module: module_path!(),
    params: PeriodicSplineParams::SPECS,
    build: |params| {
        let PeriodicSplineParams { targets, frequency, noise_std } = Parameters::read(params);
        Ok(Arc::new(match targets {
            "signal" => PeriodicSpline::Signal { frequency: frequency as f64, noise_std },
            _ => PeriodicSpline::Labels,
        }))
    },
};

parameters! {
    /// Parameters of `periodic-spline`.
    pub(crate) struct PeriodicSplineParams {
        /// the kind of targets: labels that cannot be learnt, or a signal with noise
        targets: &'static str = Kind::Choice(&["labels", "signal"]) => Fallback::Word("labels");
        /// periods of the signal; its norm under the kernel of smoothness s grows like frequency^s
        frequency: u64 = Kind::integer(1, 1_000) => Fallback::Integer(4);
        /// standard deviation of the noise on the signal
        noise_std: f64 = Kind::real(Range::NONNEGATIVE) => Fallback::Real(0.2);
    }
}

/// The law; see the module.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PeriodicSpline {
    /// y = -1 or +1 with probability 1/2.
    Labels,
    /// y = sin(2 pi frequency x) + N(0, noise_std^2).
    Signal {
        /// Periods on [0, 1].
        frequency: f64,
        /// Standard deviation of the noise.
        noise_std: f64,
    },
}

impl Source for PeriodicSpline {
    fn dim(&self) -> usize {
        1
    }

    fn example(&self, round: u64, draws: &Draws, x: &mut [f64]) -> f64 {
        let mut draw = draws.at(EXAMPLE, round);
        x[0] = draw.uniform();
        match *self {
            PeriodicSpline::Labels => draw.sign(),
            PeriodicSpline::Signal { frequency, noise_std } => {
                (2.0 * PI * frequency * x[0]).sin() + noise_std * draw.normal()
            }
        }
    }

    fn reach(&self) -> Option<Reach> {
        let noisy = matches!(self, PeriodicSpline::Signal { noise_std, .. } if *noise_std > 0.0);
        Some(Reach { input: 1.0, target: if noisy { f64::INFINITY } else { 1.0 } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROUNDS: u64 = 20_000;

    fn mean(of: impl Fn(f64, f64) -> f64, law: PeriodicSpline) -> f64 {
        let draws = Draws::named(&["periodic-spline"]);
        let mut x = [0.0];
        let sum: f64 = (1..=ROUNDS)
            .map(|round| {
                let y = law.example(round, &draws, &mut x);
                of(x[0], y)
            })
            .sum();
        sum / ROUNDS as f64
    }

    /// Means within 5 standard errors (rate 6e-7 each).
    #[test]
    fn labels_are_independent_of_inputs() {
        let bound = 5.0 / (ROUNDS as f64).sqrt();
        assert!(mean(|_, y| y, PeriodicSpline::Labels).abs() < bound);
        assert!(mean(|x, y| y * (2.0 * PI * x).sin() * 2f64.sqrt(), PeriodicSpline::Labels).abs() < bound);
        assert!(mean(|x, _| (x - 0.5) * 12f64.sqrt(), PeriodicSpline::Labels).abs() < bound);
        assert_eq!(mean(|_, y| y.abs(), PeriodicSpline::Labels), 1.0);
    }

    /// Noise of the declared variance around the declared signal, within 5 standard errors (rate 6e-7 each).
    #[test]
    fn signal_and_noise() {
        let law = PeriodicSpline::Signal { frequency: 3.0, noise_std: 0.2 };
        let residual = |x: f64, y: f64| (y - (6.0 * PI * x).sin()) / 0.2;
        let bound = 5.0 / (ROUNDS as f64).sqrt();
        assert!(mean(residual, law).abs() < bound);
        assert!((mean(|x, y| residual(x, y).powi(2), law) - 1.0).abs() < 2f64.sqrt() * bound);
        let exact = PeriodicSpline::Signal { frequency: 3.0, noise_std: 0.0 };
        assert_eq!(mean(|x, y| (y - (6.0 * PI * x).sin()).abs(), exact), 0.0);
    }
}
