//! The circle problem of the robust paper: x uniform on [0, 1], a target of known smoothness, bounded noise.
//!
//! The target is c_0 + sum_j c_j P_(n_j)(x) with P_n(x) = sum_{k>=1} 2 k^-n t(2 pi k x), t the cosine for even n and
//! the sine for odd n. Its Fourier coefficients decay exactly like k^-n. Its norms in the periodic Sobolev spaces and
//! its critical regularity r* = (2n - 1) / (4s) under the kernel of smoothness s are therefore known in closed form.
//! The errors of a hypothesis in that kernel's space are exact too; they are the measures of a run ([`errors`]).

pub mod errors;

use std::sync::Arc;

use crate::learner::api::Hypothesis;
use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind, ParamError, Params, Range};
use crate::stream::api::{EXAMPLE, Reach, Source, StreamEntry};
use crate::stream::circle::errors::Errors;
use noregret_numeric::draw::Draws;
use noregret_numeric::linalg::bernoulli::{BernoulliSeries, Periodic};

/// The largest smoothness whose squared integral operator has a kernel of known order, 4 s <= [`Periodic::MAX`].
const LARGEST_SMOOTHNESS: u64 = Periodic::MAX as u64 / 4;

/// The largest decay whose image under the integral operator is known, n + 2 s <= [`Periodic::MAX`].
const LARGEST_DECAY: u64 = Periodic::MAX as u64 - 2 * LARGEST_SMOOTHNESS;

/// The registry's line.
pub(crate) static ENTRY: StreamEntry = StreamEntry {
    name: "circle",
    summary: "x uniform on [0, 1], y = constant + amplitude P_n(x) + U[-half_width, half_width], \
              P_n(x) = sum_k 2 k^-n cos or sin(2 pi k x)",
    module: module_path!(),
    params: CircleParams::SPECS,
    build,
};

parameters! {
    /// Parameters of `circle`.
    pub struct CircleParams {
        /// n: the Fourier coefficients of the target decay like k^-n
        decay: u64 = Kind::integer(1, LARGEST_DECAY) => Fallback::Integer(2);
        /// factor of the target
        amplitude: f64 = Kind::real(Range::ANY) => Fallback::Real(0.5);
        /// c_0: what is added to the target
        constant: f64 = Kind::real(Range::ANY) => Fallback::Real(0.0);
        /// n of a second term of the target
        second_decay: u64 = Kind::integer(1, LARGEST_DECAY) => Fallback::Integer(4);
        /// factor of the second term; 0 leaves it out
        second_amplitude: f64 = Kind::real(Range::ANY) => Fallback::Real(0.0);
        /// half-width of the uniform noise on y (variance half_width^2 / 3)
        half_width: f64 = Kind::real(Range::NONNEGATIVE) => Fallback::Real(0.5);
        /// s of the kernel sobolev-periodic (frequency in cycles) in whose space errors are measured
        smoothness: u64 = Kind::integer(1, LARGEST_SMOOTHNESS) => Fallback::Integer(1);
    }
}

fn build(params: &Params) -> Result<Arc<dyn Source>, ParamError> {
    let params = CircleParams::read(params);
    let mut terms = vec![(params.decay as u32, params.amplitude)];
    if params.second_amplitude != 0.0 {
        terms.push((params.second_decay as u32, params.second_amplitude));
    }
    let target = BernoulliSeries::new(params.constant, &terms);
    let errors = target.as_ref().and_then(|target| Errors::new(target, params.smoothness as u32));
    match target.zip(errors) {
        Some((target, errors)) => Ok(Arc::new(CircleLaw { target, half_width: params.half_width, errors })),
        None => Err(ParamError::refused("decay", "no such function")),
    }
}

/// The law; see the module.
#[derive(Clone, Debug)]
pub(crate) struct CircleLaw {
    target: BernoulliSeries,
    half_width: f64,
    errors: Errors,
}

impl Source for CircleLaw {
    fn dim(&self) -> usize {
        1
    }

    fn example(&self, round: u64, draws: &Draws, x: &mut [f64]) -> f64 {
        let mut draw = draws.at(EXAMPLE, round);
        x[0] = draw.uniform();
        self.target.at(x[0]) + draw.between(-self.half_width, self.half_width)
    }

    /// |P_1(x)| = pi |1 - 2 x| <= pi, and |P_n| <= 2 zeta(n) <= 2 n / (n - 1) for n >= 2.
    fn reach(&self) -> Option<Reach> {
        let largest = |n: u32| if n == 1 { std::f64::consts::PI } else { 2.0 * f64::from(n) / f64::from(n - 1) };
        let terms: f64 = self.target.terms().map(|(n, c)| c.abs() * largest(n)).sum();
        Some(Reach { input: 1.0, target: self.target.constant().abs() + terms + self.half_width })
    }

    fn measures(&self, hypothesis: &dyn Hypothesis, draws: &Draws) -> Vec<(&'static str, f64)> {
        let mut measures = self.errors.measures(hypothesis, draws);
        measures.push(("regularity", self.errors.regularity()));
        measures
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::check::check;
    use crate::parts::AllParts;

    #[test]
    fn without_noise_the_target_is_its_fourier_series() {
        let text = "decay = 5\namplitude = 2\nhalf_width = 0\nconstant = 0.5\nsecond_decay = 6\nsecond_amplitude = -1";
        let law = build(&check(ENTRY.params, &text.parse::<toml::Table>().unwrap(), "", &AllParts).unwrap()).unwrap();
        let mut x = [0.0];
        for round in 1..=20 {
            let y = law.example(round, &Draws::named(&["circle"]), &mut x);
            // The tail beyond 2,000 terms is below 1e-13.
            let angle = |k: f64| std::f64::consts::TAU * k * x[0];
            let term = |k: f64| 4.0 * k.powi(-5) * angle(k).sin() - 2.0 * k.powi(-6) * angle(k).cos();
            let series = (1..=2_000).rev().map(|k| term(f64::from(k))).sum::<f64>();
            assert!((y - 0.5 - series).abs() < 1e-12, "x = {}", x[0]);
        }
    }

    /// Mean 0 and variance half_width^2 / 3 of y - target over 20,000 rounds, within 5 standard errors (rate 6e-7 each);
    /// for uniform noise the fourth moment is 9/5 of the squared variance.
    #[test]
    fn noise() {
        let target = BernoulliSeries::new(0.0, &[(3, 0.5)]).unwrap();
        let law = CircleLaw { errors: Errors::new(&target, 1).unwrap(), target, half_width: 0.5 };
        let (draws, n) = (Draws::named(&["circle"]), 20_000);
        let mut x = [0.0];
        let residuals: Vec<f64> =
            (1..=n).map(|round| law.example(round, &draws, &mut x) - law.target.at(x[0])).collect();
        let (count, variance) = (n as f64, 0.25 / 3.0);
        let mean = residuals.iter().sum::<f64>() / count;
        assert!(mean.abs() < 5.0 * (variance / count).sqrt(), "{mean}");
        let square = residuals.iter().map(|r| r * r).sum::<f64>() / count;
        assert!((square - variance).abs() < 5.0 * variance * (0.8 / count).sqrt(), "{square}");
    }
}
