//! The trait of noise laws, and the oracle that a learner of the noisy protocol queries.

use std::sync::Arc;

use crate::noise::parameters;
use crate::params::Spec;
use crate::params::entry::{Build, Entry};
use noregret_numeric::draw::Draw;

/// Independent noisy copies of the current example. The protocol hands out a wrapper that counts the queries, so that
/// the count does not depend on the learner. The clean example cannot be reached from here.
///
/// ```
/// use noregret_core::prelude::*;
///
/// /// Copies x_t + N(0, 0.01) of x_t = 1, without noise on y_t = 2.
/// struct Example(Draw);
/// impl Oracle for Example {
///     fn dim(&self) -> usize { 1 }
///     fn x(&mut self, out: &mut [f64]) { out[0] = 1.0 + 0.1 * self.0.normal() }
///     fn y(&mut self) -> f64 { 2.0 }
///     fn covariance_times(&mut self, w: &[f64], out: &mut [f64]) { out[0] = 0.01 * w[0] }
/// }
/// let mut oracle = Example(Draws::named(&["copies"]).at(Role::Copies, 1));
/// let (mut one, mut other) = ([0.0], [0.0]);
/// oracle.x(&mut one);
/// oracle.x(&mut other);
/// assert!(one != other && oracle.y() == 2.0);
/// ```
pub trait Oracle {
    /// Number of input columns.
    fn dim(&self) -> usize;
    /// Writes one more independent copy of x_t + noise; `out` has `dim` entries.
    fn x(&mut self, out: &mut [f64]);
    /// One more independent copy of y_t + noise.
    fn y(&mut self) -> f64;
    /// Writes Sigma_t w, where Sigma_t is the covariance of the noise on x_t in this round. A learner may be told this,
    /// because it reveals nothing about x_t. `w` and `out` have `dim` entries.
    fn covariance_times(&mut self, w: &[f64], out: &mut [f64]);
}

/// A law of noise vectors with mean zero.
///
/// A whole vector is drawn at once and the round is known, so a law may correlate coordinates or change over time.
/// How many numbers it takes from `draw` may depend only on the round and the length; copy k of round t is then the
/// same for every learner.
///
/// ```
/// use noregret_core::prelude::*;
///
/// let law = NOISES.choose(&json!({ "name": "laplace", "noise_std": 0.5 }), None, "", &AllParts)?.object;
/// let (mut noise, mut squares) = ([0.0; 2], 0.0);
/// for round in 1..=5_000 {
///     law.sample(round, &mut Draws::named(&["noise"]).at(Role::Copies, round), &mut noise);
///     squares += noise[0] * noise[0] / 5_000.0;
/// }
/// let mut product = [0.0; 2]; // of the covariance with (1, 0)
/// law.covariance_times(1, &[1.0, 0.0], &mut product);
/// assert!((product[0] - 0.25).abs() < 1e-12 && product[1] == 0.0);
/// assert!((squares - product[0]).abs() < 0.05);
/// # Ok::<(), ParamError>(())
/// ```
pub trait NoiseLaw: Send + Sync + std::fmt::Debug {
    /// Writes one noise vector of round `round` (from 1) to `out`, independent of all others.
    fn sample(&self, round: u64, draw: &mut Draw, out: &mut [f64]);

    /// Writes Sigma w for the covariance Sigma of round `round`; `w` and `out` are equally long.
    fn covariance_times(&self, round: u64, w: &[f64], out: &mut [f64]);

    /// The largest moments that vectors of `dim` columns have in any round, where they are known: what the bounds of
    /// theorems depend on.
    fn spread(&self, dim: usize) -> Option<Spread> {
        let _ = dim;
        None
    }

    /// The law as an adversary that looks at the learner; None if it is fixed in advance.
    fn adaptive(&self) -> Option<&dyn AdaptiveNoise> {
        None
    }

    /// Whether vectors of `dim` columns can have this noise; the error says which vectors can.
    ///
    /// # Errors
    /// If they cannot.
    fn accepts(&self, dim: usize) -> Result<(), String> {
        let _ = dim;
        Ok(())
    }
}

/// Noise whose law an adversary chooses in every round, knowing what the learner has learnt from the rounds before. It
/// knows no draw of the round, so that the copies are independent given the past, as the paper on noisy data allows
/// (section IV-A: "the adversary can change the noise distribution after each round, depending on the realizations of
/// the past noisy examples").
pub trait AdaptiveNoise {
    /// The law of a round with the clean input `x`. `predict` is the hypothesis before the round, which learns nothing from
    /// being asked. The law takes from a draw as many numbers as the one of a learner that is not known, and no moment of it
    /// exceeds [`NoiseLaw::spread`].
    fn against(&self, x: &[f64], predict: &dyn Fn(&[f64]) -> f64) -> Arc<dyn NoiseLaw>;
}

/// The largest moments of a law's vectors n over all rounds. n and -n have the same law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Largest variance in any direction: the spectral norm of the covariance.
    pub variance: f64,
    /// Largest E |n|^2: the trace of the covariance.
    pub trace: f64,
    /// Largest variance of |n|^2.
    pub of_square: f64,
}

impl Spread {
    /// That of `dim` independent coordinates with this largest variance v and E n_i^4 = `kurtosis` v^2.
    pub(crate) fn independent(dim: usize, variance: f64, kurtosis: f64) -> Self {
        let dim = dim as f64;
        Self { variance, trace: dim * variance, of_square: dim * (kurtosis - 1.0) * variance * variance }
    }

    /// E |x + n|^2 <= `size`^2 + trace for |x| <= `size`.
    pub fn second_moment(&self, size: f64) -> f64 {
        size * size + self.trace
    }

    /// E |x + n|^4 = (E |x + n|^2)^2 + Var(2 <x, n> + |n|^2) <= (`size`^2 + trace)^2 + 4 `size`^2 variance + of_square,
    /// because <x, n> and |n|^2 are uncorrelated.
    pub fn fourth_moment(&self, size: f64) -> f64 {
        self.second_moment(size).powi(2) + 4.0 * size * size * self.variance + self.of_square
    }
}

/// `out = factor * w`: the product of w with the covariance of uncorrelated coordinates of variance `factor`.
pub(crate) fn scaled(factor: f64, w: &[f64], out: &mut [f64]) {
    out.iter_mut().zip(w).for_each(|(out, w)| *out = factor * w);
}

/// The law without noise.
#[derive(Clone, Copy, Debug)]
pub struct NoNoise;

impl NoiseLaw for NoNoise {
    fn sample(&self, _round: u64, _draw: &mut Draw, out: &mut [f64]) {
        out.fill(0.0);
    }

    fn covariance_times(&self, _round: u64, _w: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }

    fn spread(&self, dim: usize) -> Option<Spread> {
        Some(Spread::independent(dim, 0.0, 1.0))
    }
}

/// The parameter `noise_std` of laws with equally distributed coordinates.
pub const NOISE_STD: Spec = parameters::NOISE_STD;

/// A registered noise law.
pub type NoiseEntry = Entry<Build<dyn NoiseLaw>>;
