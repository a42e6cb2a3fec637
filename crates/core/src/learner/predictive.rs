//! The distribution of a target that has not been seen yet, as ridge regression implies it.
//!
//! Let targets be f(x) plus Gaussian noise of variance s^2, and f Gaussian with mean 0 and covariance (s^2 / lambda) k. Given the
//! past, f(x) has the ridge forecast m as its mean and s^2 h as its variance, where
//!
//! ```text
//! h = (k(x, x) - k_t' (K + lambda I)^-1 k_t) / lambda = phi' A^-1 phi,   A = lambda I + sum phi phi',
//! ```
//!
//! so that the target has mean m and variance s^2 (1 + h). The forecast of Azoury, Warmuth and Vovk, m / (1 + h), is no mean of a
//! distribution; a learner that makes it tells that of ridge regression over the same rounds.
//!
//! Where s^2 is not known, it has an inverse gamma distribution: before the first round that of n_0 rounds with mean squared
//! residual v. After n rounds with q = sum (y_s - m_s)^2 / (1 + h_s), the target is
//!
//! ```text
//! m + sqrt((n_0 v + q) / (n_0 + n) (1 + h)) T,   T of Student's t distribution with n_0 + n degrees of freedom.
//! ```
//!
//! A learner that discounts the past by gamma discounts n and q by it, too. A deviation says what is known of the function if
//! the model is right; it is no promise that intervals of so many deviations cover a share of the targets, which
//! [`intervals`](crate::learner::combine::intervals) keep whatever the targets are.
//!
//! Sources: C. Rasmussen, C. Williams, Gaussian Processes for Machine Learning (2006), section 2.2; M. West, J. Harrison, Bayesian
//! Forecasting and Dynamic Models (1997), sections 4.5 and 10.8, for the conjugate and the discounted variance.

use noregret_numeric::state::{State, StateError, Store};

/// What is believed of the noise s^2 of the targets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Noise {
    /// It has this variance > 0.
    Known(f64),
    /// It is learnt.
    Learnt {
        /// n_0 > 0: as many rounds as the belief before the first round is worth.
        rounds: f64,
        /// v > 0: their mean squared residual.
        variance: f64,
    },
}

impl Default for Noise {
    /// Learnt, after one round with a residual of 1: about the deviation of targets that are scaled.
    fn default() -> Self {
        Self::Learnt { rounds: 1.0, variance: 1.0 }
    }
}

/// n and q of the rounds so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Residuals {
    /// n, the number of rounds, each discounted as often as the learner has discounted it.
    pub rounds: f64,
    /// q = sum (y - m)^2 / (1 + h), discounted likewise.
    pub sum: f64,
}

impl Residuals {
    /// Takes in as many rounds as `weight` says, all together with `square` for the sum.
    pub(crate) fn learn(&mut self, square: f64, weight: f64) {
        self.rounds += weight;
        self.sum += square;
    }

    /// Discounts the past by `gamma`.
    pub(crate) fn discount(&mut self, gamma: f64) {
        self.rounds *= gamma;
        self.sum *= gamma;
    }
}

/// What ridge regression knows of a target at x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outlook {
    /// m, the ridge forecast.
    pub mean: f64,
    /// h, the variance of f(x) relative to that of the noise; infinite where nothing is known of f(x).
    pub leverage: f64,
    /// What was known of the noise.
    pub residuals: Residuals,
    /// The unit of the residuals, and of what was believed before the first: the scale of the targets that the learner saw.
    pub unit: f64,
}

impl Outlook {
    /// The distribution of the target.
    pub fn student(&self, noise: Noise) -> Student {
        let Self { mean, leverage, residuals, unit } = *self;
        let (variance, degrees) = match noise {
            Noise::Known(variance) => (variance, f64::INFINITY),
            Noise::Learnt { rounds, variance } => {
                let all = rounds + residuals.rounds;
                (unit * unit * (rounds * variance + residuals.sum) / all, all)
            }
        };
        Student { mean, scale: (variance * (1.0 + leverage)).sqrt(), degrees }
    }
}

/// `mean` + `scale` T, with T of Student's t distribution, or of the normal one if `degrees` is infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Student {
    /// The middle; the mean from more than one degree of freedom on.
    pub mean: f64,
    /// > 0.
    pub scale: f64,
    /// Degrees of freedom, > 0.
    pub degrees: f64,
}

impl Student {
    /// The standard deviation; infinite up to two degrees of freedom.
    pub fn deviation(&self) -> f64 {
        match self.degrees {
            f64::INFINITY => self.scale,
            degrees if degrees > 2.0 => self.scale * (degrees / (degrees - 2.0)).sqrt(),
            _ => f64::INFINITY,
        }
    }

    /// The logarithm of the density at `y`; 0 where the scale is infinite, as if the density were 1 everywhere.
    pub fn ln_density(&self, y: f64) -> f64 {
        if self.scale == f64::INFINITY {
            return 0.0;
        }
        let z = (y - self.mean) / self.scale;
        let v = self.degrees;
        if v == f64::INFINITY {
            return -0.5 * (z * z + std::f64::consts::TAU.ln()) - self.scale.ln();
        }
        let constant = libm::lgamma(0.5 * (v + 1.0)) - libm::lgamma(0.5 * v) - 0.5 * (v * std::f64::consts::PI).ln();
        constant - self.scale.ln() - 0.5 * (v + 1.0) * (z * z / v).ln_1p()
    }
}

/// What a learner knows of a target before it is seen.
#[derive(Clone, Debug, PartialEq)]
pub enum Predictive {
    /// That of a ridge regression, for any belief about the noise.
    Ridge(Outlook),
    /// One of these with the probability beside it, under the learner's own belief. The probabilities add up to 1.
    Average(Vec<(f64, Student)>),
}

impl Predictive {
    /// It as numbers: five of a ridge regression, four for each member of an average.
    pub(crate) fn numbers(&self) -> Vec<f64> {
        match self {
            Self::Ridge(Outlook { mean, leverage, residuals: Residuals { rounds, sum }, unit }) => {
                vec![*mean, *leverage, *rounds, *sum, *unit]
            }
            Self::Average(all) => {
                all.iter().flat_map(|(weight, one)| [*weight, one.mean, one.scale, one.degrees]).collect()
            }
        }
    }

    /// What has these numbers.
    pub(crate) fn of_numbers(numbers: &[f64]) -> Option<Self> {
        if let [mean, leverage, rounds, sum, unit] = *numbers {
            return Some(Self::Ridge(Outlook { mean, leverage, residuals: Residuals { rounds, sum }, unit }));
        }
        let (all, []) = numbers.as_chunks::<4>() else { return None };
        Some(Self::Average(
            all.iter().map(|&[weight, mean, scale, degrees]| (weight, Student { mean, scale, degrees })).collect(),
        ))
    }

    /// The mean.
    pub fn mean(&self) -> f64 {
        match self {
            Self::Ridge(outlook) => outlook.mean,
            Self::Average(all) => all.iter().map(|(weight, one)| weight * one.mean).sum(),
        }
    }

    /// The standard deviation.
    pub fn deviation(&self, noise: Noise) -> f64 {
        let all = match self {
            Self::Ridge(outlook) => return outlook.student(noise).deviation(),
            Self::Average(all) => all,
        };
        let mean = self.mean();
        let square = |(weight, one): &(f64, Student)| match *weight {
            // Not 0 times infinity.
            0.0 => 0.0,
            weight => weight * (one.deviation().powi(2) + (one.mean - mean).powi(2)),
        };
        all.iter().map(square).sum::<f64>().sqrt()
    }

    /// The logarithm of the density at `y`.
    pub fn ln_density(&self, y: f64, noise: Noise) -> f64 {
        match self {
            Self::Ridge(outlook) => outlook.student(noise).ln_density(y),
            Self::Average(all) => {
                let terms = all.iter().filter(|(weight, _)| *weight > 0.0);
                ln_sum_exp(terms.map(|(weight, one)| weight.ln() + one.ln_density(y)))
            }
        }
    }

    /// That of `offset` + `factor` Y, where this is that of Y; `factor` > 0.
    pub fn mapped(self, offset: f64, factor: f64) -> Self {
        let moved = |mean: f64| offset + factor * mean;
        match self {
            Self::Ridge(one) => Self::Ridge(Outlook { mean: moved(one.mean), unit: factor * one.unit, ..one }),
            Self::Average(mut all) => {
                all.iter_mut().for_each(|(_, one)| (one.mean, one.scale) = (moved(one.mean), factor * one.scale));
                Self::Average(all)
            }
        }
    }
}

/// What a ridge regression has told: of the rounds of a block, and of the noise.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    residuals: Residuals,
    /// Whether all residuals were counted. Models that were saved before there were distributions have none.
    counted: bool,
    rounds: Vec<Outlook>,
    /// Whether a block is being played.
    in_block: bool,
}

impl Default for Told {
    fn default() -> Self {
        Self { residuals: Residuals::default(), counted: true, rounds: Vec::new(), in_block: false }
    }
}

impl Told {
    /// Of a learner that does not know all its residuals.
    pub(crate) fn uncounted() -> Self {
        Self { counted: false, ..Self::default() }
    }

    /// Begins a block, or a round outside of one.
    pub(crate) fn begin(&mut self, block: bool) {
        if !self.in_block {
            self.rounds.clear();
        }
        self.in_block |= block;
    }

    /// Ends a block.
    pub(crate) fn end(&mut self) {
        self.in_block = false;
    }

    /// Takes in a round of which m and h were known, after a discount of `gamma`. It counts as `weight` equal ones, for which the
    /// sum of (y - m)^2 / (1 + h) is `square` = weight (y - m)^2 / (1 + weight h).
    pub(crate) fn round(&mut self, mean: f64, leverage: f64, square: f64, weight: f64, gamma: f64) {
        let outlook = self.next(mean, leverage, gamma);
        self.rounds.push(outlook);
        self.residuals = outlook.residuals;
        // A target of which nothing was known says nothing of the noise; its repetitions do.
        match leverage.is_finite() {
            true => self.residuals.learn(square, weight),
            false => self.residuals.learn(0.0, (weight - 1.0).max(0.0)),
        }
    }

    /// What is known of the next target, with this m and h.
    pub(crate) fn next(&self, mean: f64, leverage: f64, gamma: f64) -> Outlook {
        let mut residuals = self.residuals;
        residuals.discount(gamma);
        Outlook { mean, leverage, residuals, unit: 1.0 }
    }

    /// The same for a learner, unless residuals are missing.
    pub(crate) fn predictive(&self, mean: f64, leverage: f64, gamma: f64) -> Option<Predictive> {
        self.counted.then(|| Predictive::Ridge(self.next(mean, leverage, gamma)))
    }

    /// Those of the rounds of the last block.
    pub(crate) fn predictives(&self) -> Option<Vec<Predictive>> {
        self.counted.then(|| self.rounds.iter().map(|outlook| Predictive::Ridge(*outlook)).collect())
    }
}

/// A state from before there were distributions has no residuals.
impl State for Told {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let Self { residuals: Residuals { rounds, sum }, counted, rounds: _, in_block: _ } = self;
        let mut numbers = [*rounds, *sum];
        store.keep_some("residuals", counted, &mut numbers[..])?;
        [*rounds, *sum] = numbers;
        store.check(*rounds >= 0.0 && *sum >= 0.0, "has fewer than no residuals")
    }
}

/// log sum exp(v), without overflow.
pub(crate) fn ln_sum_exp(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let most = values.clone().fold(f64::NEG_INFINITY, f64::max);
    match most.is_finite() {
        true => most + values.map(|value| (value - most).exp()).sum::<f64>().ln(),
        false => most,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Densities integrate to 1, and have the mean and the deviation that they say, by the midpoint rule on a wide range.
    #[test]
    fn densities_have_mass_one_and_their_moments() {
        let noise = Noise::default();
        for degrees in [5.0, 30.0, f64::INFINITY] {
            let of = |mean, scale| Student { mean, scale, degrees };
            let two = vec![(0.25, of(-1.0, 0.2)), (0.75, of(2.0, 0.5))];
            for all in [vec![(1.0, of(0.5, 0.3))], two].map(Predictive::Average) {
                let (step, mut sums) = (1e-3, [0.0; 3]);
                for i in -200_000..200_000 {
                    let y = (f64::from(i) + 0.5) * step;
                    let mass = step * all.ln_density(y, noise).exp();
                    let centred = y - all.mean();
                    sums.iter_mut().zip([1.0, centred, centred * centred]).for_each(|(sum, term)| *sum += mass * term);
                }
                let deviation = all.deviation(noise);
                assert!((sums[0] - 1.0).abs() < 1e-9 && sums[1].abs() < 1e-6, "{degrees}: {sums:?}");
                assert!((sums[2].sqrt() - deviation).abs() < 1e-3, "{degrees}: {sums:?} {deviation}");
            }
        }
        assert_eq!(Student { mean: 0.0, scale: 1.0, degrees: 2.0 }.deviation(), f64::INFINITY);
    }

    /// With many degrees of freedom, Student's distribution is the normal one. In other units, the density is that of the
    /// target in these units.
    #[test]
    fn a_noise_that_many_rounds_show_is_known() {
        let residuals = Residuals { rounds: 1e9, sum: 4e9 };
        let outlook = Predictive::Ridge(Outlook { mean: 1.0, leverage: 0.25, residuals, unit: 1.0 });
        let (learnt, known) = (Noise::default(), Noise::Known(4.0));
        assert!((outlook.deviation(known) - 5.0_f64.sqrt()).abs() < 1e-15);
        assert!((outlook.deviation(learnt) - outlook.deviation(known)).abs() < 1e-8);
        assert!((outlook.ln_density(2.5, learnt) - outlook.ln_density(2.5, known)).abs() < 1e-6);
        let moved = outlook.clone().mapped(7.0, 10.0);
        assert_eq!(moved.mean(), 17.0);
        assert!((moved.deviation(learnt) / outlook.deviation(learnt) - 10.0).abs() < 1e-14);
        let density = outlook.ln_density(2.5, learnt) - 10.0_f64.ln();
        assert!((moved.ln_density(32.0, learnt) - density).abs() < 1e-12);
    }
}
