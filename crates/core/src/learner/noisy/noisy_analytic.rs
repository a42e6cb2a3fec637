//! noisy-analytic: kernel learning with an analytic loss under unknown noise, from a random number of copies (Algorithm
//! 4).

use std::sync::Arc;

use crate::kernel::api::Kernel;
use crate::kernel::tensors::TensorFeatures;
use crate::learner::about::{About, Compared, Kin};
use crate::learner::api::{
    AnyLearner, Breakdown, Cost, Gauges, Hypothesis, LearnerEntry, OracleLearner, Recipe, Setting,
};
use crate::learner::descent::expansion::diverged;
use crate::learner::descent::step;
use crate::learner::entry::learner;
use crate::learner::noisy::random_map::{self, Estimator, RandomMap};
use crate::learner::noisy::tensor_sum::{Element, TensorSum};
use crate::learner::parameters;
use crate::loss::api::{Form, Loss};
use crate::noise::api::Oracle;
use crate::params::typed::{OrWord, Parameters, parameters};
use crate::params::{Fallback, Kind, ParamError, PartKind, Range};
use crate::theory::degrees::DegreeLaw;
use noregret_numeric::draw::Draw;
use noregret_numeric::state::{StateError, Store, keep};

/// w <- Proj(w - eta g Psi~), where Psi~ is an unbiased estimate of the features Psi(x_t), g is an unbiased estimate of
/// the loss's derivative at <w, Psi(x_t)>, the two are independent given the past, and Proj projects onto the ball of
/// radius `radius`. (The paper's projection confuses a norm with its square.)
#[derive(Debug)]
pub struct NoisyAnalytic {
    kernel: Arc<dyn Kernel>,
    loss: Arc<dyn Loss>,
    map: RandomMap,
    /// How many estimates of the loss's argument in a round give the point around which its series is taken, and the
    /// largest size of that point.
    pilots: (u32, f64),
    eta: f64,
    radius: f64,
    dim: usize,
    function: TensorSum,
    squared_norm: f64,
    rounds: u64,
    /// Sums over the rounds of |Psi~|^2 and g^2.
    moments: [f64; 2],
}

/// One update.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AnalyticUpdate {
    /// g.
    pub gradient: f64,
    /// -eta g, the weight of the new element before the projection.
    pub coefficient: f64,
    /// |w|^2 after the step, before the projection.
    pub squared_norm: f64,
    /// The factor by which the projection multiplied w; 1 if w was inside the ball.
    pub shrink: f64,
}

impl NoisyAnalytic {
    /// Starts at w = 0.
    ///
    /// # Errors
    /// Values out of range, a kernel for other inputs or without tensor features, a loss without a power series, or a step
    /// that needs an unknown number of rounds or is not a positive finite number.
    pub fn new(params: NoisyAnalyticParams, setting: &Setting) -> Result<Self, ParamError> {
        params.check()?;
        let law = params.law();
        let NoisyAnalyticParams {
            eta,
            eta_factor,
            radius,
            kernel,
            loss,
            estimator,
            input_bound,
            target_bound,
            pilots,
            ..
        } = params;
        parameters::accepts(&*kernel, setting)?;
        let features = kernel.tensors().ok_or_else(|| {
            let why = "must be linear, polynomial, exponential, binomial or gaussian, whose features are tensors";
            ParamError::refused("kernel", why)
        })?;
        let series = loss.analytic().ok_or_else(|| {
            let why =
                "must have a power series: squared, squared-margin, exponential, smoothed-absolute, smoothed-hinge";
            ParamError::refused("loss", why)
        })?;
        let all_terms = estimator == "all-terms";
        let target_bound = if loss.form() == Form::Residual { target_bound } else { 0.0 };
        let moment = || {
            let map_moment = law.map_moment(features, all_terms, input_bound * input_bound);
            map_moment * law.length_moment(series, all_terms, radius, map_moment, target_bound)
        };
        let eta = step::noisy_eta(&eta, eta_factor, radius, setting, moment)?;
        let map = RandomMap { law, estimator: if all_terms { Estimator::AllTerms } else { Estimator::SingleTerm } };
        // |<w, Psi(x)>|^2 <= W^2 k(x, x), and damped kernels have k(x, x) = 1.
        let diagonal = if features.damping() == 0.0 { features.series(input_bound * input_bound) } else { 1.0 };
        let learner = Self::over(kernel, loss, map, eta, radius, setting.dim);
        Ok(learner.with_pilots(pilots as u32, radius * diagonal.sqrt() + target_bound))
    }

    /// Starts at w = 0 on inputs of `dim` >= 1 columns. The kernel must have tensor features and the loss a power series;
    /// otherwise w stays 0.
    pub fn over(
        kernel: Arc<dyn Kernel>,
        loss: Arc<dyn Loss>,
        map: RandomMap,
        eta: f64,
        radius: f64,
        dim: usize,
    ) -> Self {
        let function = TensorSum::new(dim);
        let pilots = (0, 0.0);
        Self { kernel, loss, map, pilots, eta, radius, dim, function, squared_norm: 0.0, rounds: 0, moments: [0.0; 2] }
    }

    /// With `count` >= 1, every series of the loss's derivative is taken around the mean of so many estimates of the
    /// argument, moved into [-`reach`, `reach`], instead of around the loss's own centre. Such estimates of g are unbiased
    /// whatever the point is, since the point does not depend on the other maps.
    #[must_use]
    pub fn with_pilots(self, count: u32, reach: f64) -> Self {
        Self { pilots: (count, reach), ..self }
    }

    /// Grad_Length: g from independent `maps`, as many as the drawn degree n, and from `targets`, which hold y for a
    /// loss of the margin, and one independent copy of y per map for a loss of the residual. With
    /// X_j = <w, map_j> - y_j - a for residuals, and X_j = y <w, map_j> - a for margins (the paper's Subroutine 1 lacks
    /// the y), g = gamma_n / q_n prod_j X_j, or sum_{k <= n} gamma_k p^k prod_{j <= k} X_j; for margins, times y. Here
    /// gamma_k are the coefficients around a, which is `around`, or the loss's centre.
    pub fn gradient(&self, around: Option<f64>, maps: &[Element], targets: &[f64]) -> f64 {
        let Some(loss) = self.loss.analytic() else { return 0.0 };
        let n = maps.len() as u32;
        let (point, gammas) = match around {
            Some(point) => (point, loss.around(point, n)),
            None => (loss.centre(), Vec::new()),
        };
        let gamma = |k: u32| gammas.get(k as usize).copied().unwrap_or_else(|| loss.coefficient(k));
        let target = |j: usize| if self.loss.form() == Form::Margin { targets[0] } else { targets[j] };
        let factor = |j: usize, map: &Element| self.loss.argument(self.function.product(map), target(j)) - point;
        let sum = match self.map.estimator {
            Estimator::SingleTerm => {
                let gamma = gamma(n);
                if gamma == 0.0 {
                    return 0.0;
                }
                let product = maps.iter().enumerate().fold(1.0, |product, (j, map)| product * factor(j, map));
                gamma * self.map.law.single_weight(n) * product
            }
            Estimator::AllTerms => {
                let (mut sum, mut product) = (gamma(0), 1.0);
                for (j, map) in maps.iter().enumerate() {
                    product *= factor(j, map);
                    let k = j as u32 + 1;
                    sum += gamma(k) * self.map.law.all_weight(k) * product;
                }
                sum
            }
        };
        match self.loss.form() {
            Form::Margin => targets[0] * sum,
            Form::Residual => sum,
        }
    }

    /// An estimate g from fresh copies.
    ///
    /// # Errors
    /// Targets other than -1 and +1 for a loss of the margin.
    pub fn length(&self, oracle: &mut dyn Oracle, draw: &mut Draw) -> Result<f64, Breakdown> {
        let Some(features) = self.features() else { return Ok(0.0) };
        let degree = self.map.degree(draw);
        let mut targets = Vec::new();
        if self.loss.form() == Form::Margin {
            let y = oracle.y();
            if y != 1.0 && y != -1.0 {
                return Err(Breakdown::new(format!(
                    "a loss of the margin needs labels -1 and +1, without noise; y = {y}"
                )));
            }
            targets.push(y);
        }
        let (count, reach) = self.pilots;
        let around = (count > 0).then(|| {
            let sum: f64 = (0..count)
                .map(|_| {
                    let map = self.map.draw(features, oracle, draw);
                    let target = targets.first().copied().unwrap_or_else(|| oracle.y());
                    self.loss.argument(self.function.product(&map), target)
                })
                .sum();
            (sum / f64::from(count)).clamp(-reach, reach)
        });
        let mut maps = Vec::with_capacity(degree as usize);
        for _ in 0..degree {
            maps.push(self.map.draw(features, oracle, draw));
            if self.loss.form() == Form::Residual {
                targets.push(oracle.y());
            }
        }
        Ok(self.gradient(around, &maps, &targets))
    }

    /// One update along `element`, an estimate of Psi(x_t), by `gradient`, an estimate g that does not depend on it.
    /// |w + a e|^2 = |w|^2 + 2 a <w, e> + a^2 |e|^2.
    ///
    /// # Errors
    /// If w leaves the range of floating point.
    pub fn step(&mut self, element: &Element, gradient: f64) -> Result<AnalyticUpdate, Breakdown> {
        let coefficient = -self.eta * gradient;
        let own = element.squared_norm(self.dim);
        self.rounds += 1;
        self.moments[0] += own;
        self.moments[1] += gradient * gradient;
        // A step of length 0 leaves w unchanged to the bit.
        if gradient == 0.0 || element.terms.is_empty() {
            return Ok(AnalyticUpdate { gradient, coefficient, squared_norm: self.squared_norm, shrink: 1.0 });
        }
        let value = self.function.product(element);
        let grown = coefficient * (2.0 * value + coefficient * own);
        if !grown.is_finite() {
            return Err(diverged("prediction", value, coefficient));
        }
        // Cancellation must not make the squared norm negative.
        let squared_norm = (self.squared_norm + grown).max(0.0);
        self.function.add(coefficient, element);
        self.squared_norm = squared_norm;
        let mut shrink = 1.0;
        if squared_norm > self.radius * self.radius {
            shrink = self.radius / squared_norm.sqrt();
            self.function.shrink(shrink);
            self.squared_norm = self.radius * self.radius;
        }
        Ok(AnalyticUpdate { gradient, coefficient, squared_norm, shrink })
    }

    fn features(&self) -> Option<&dyn TensorFeatures> {
        self.kernel.tensors()
    }
}

impl Hypothesis for NoisyAnalytic {
    /// <w, Psi(x)>, the sum of Mult over all elements.
    fn predict(&self, x: &[f64], _: &mut Draw) -> f64 {
        let Some(features) = self.features() else { return 0.0 };
        random_map::evaluate(&self.function, features, x)
    }

    fn gauges(&self) -> Gauges {
        let (products, sums) = self.function.size();
        Gauges {
            features: Some(sums as u64),
            norm: Some(self.squared_norm.sqrt()),
            state_bytes: Some(8 * (products + sums) as u64),
            ..Gauges::default()
        }
    }

    /// Means over the rounds of |Psi~|^2 (M in the theorems) and of g^2 (B_g), and the step size.
    fn measures(&self) -> Vec<(&'static str, f64)> {
        let rounds = self.rounds.max(1) as f64;
        vec![
            ("map_second_moment", self.moments[0] / rounds),
            ("length_second_moment", self.moments[1] / rounds),
            ("eta", self.eta),
        ]
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        keep!(self, store: function, squared_norm, rounds, moments[..]; kernel, loss, map, pilots, eta, radius, dim);
        Ok(())
    }
}

impl OracleLearner for NoisyAnalytic {
    fn learn(&mut self, oracle: &mut dyn Oracle, draw: &mut Draw) -> Result<(), Breakdown> {
        let Some(features) = self.features() else { return Ok(()) };
        let element = self.map.draw(features, oracle, draw);
        let gradient = self.length(oracle, draw)?;
        self.step(&element, gradient).map(|_| ())
    }
}

parameters! {
    /// Parameters of [`NoisyAnalytic`].
    pub struct NoisyAnalyticParams {
        eta: OrWord<f64> = step::NOISY_ETA;
        eta_factor: f64 = step::ETA_FACTOR;
        radius: f64 = step::RADIUS;
        /// base of the law of the random degrees, P(N = n) = (p - 1) / p^(n + 1): a smaller p takes more copies
        p: f64 = Kind::real(Range { min: 1.01, min_open: false, max: 16.0, max_open: false }) => Fallback::Real(2.0);
        /// linear, polynomial, exponential, binomial or gaussian (binomial: predictions shorten inputs beyond 0.99 as the
        /// kernel does; copies are not shortened, so clean inputs should not be longer)
        kernel: Arc<dyn Kernel> = Kind::Part(PartKind::Kernel) => Fallback::Part("gaussian");
        /// an analytic loss; losses of the margin need labels -1 and +1 without noise
        loss: Arc<dyn Loss> = Kind::Part(PartKind::Loss) => Fallback::Part("squared");
        /// single-term: the term of the drawn degree in each series, as in the paper; all-terms: all terms up to it, with a
        /// smaller variance
        estimator: &'static str = Kind::Choice(&["single-term", "all-terms"]) => Fallback::Word("single-term");
        input_bound: f64 = step::INPUT_BOUND;
        target_bound: f64 = step::TARGET_BOUND;
        /// law of the random degrees: geometric, with base p, or P(N >= n) = (n + 1)^(-tail) for a number (p then has no
        /// effect): large numbers of copies are less rare, and series converge that do not with any p
        tail: OrWord<f64> = Kind::Real { range: Range { min: 2.0, min_open: false, max: 4.0, max_open: false }, words: &["geometric"] } => Fallback::Added(&Fallback::Word("geometric"));
        /// how many estimates of the loss's argument are drawn first in a round; its series is then taken around their mean
        /// (moved to where the argument can lie), and not around the loss's own centre. The step of the theorem stays that
        /// of the centre
        pilots: u64 = Kind::Integer { min: 0, max: 64 } => Fallback::Added(&Fallback::Integer(0));
    }
}

impl NoisyAnalyticParams {
    /// The law of the random degrees.
    pub fn law(&self) -> DegreeLaw {
        self.tail.number().map_or(DegreeLaw::Geometric(self.p), DegreeLaw::Polynomial)
    }
}

learner! {
    /// ## Formula
    ///
    /// ```text
    /// Psi~ an unbiased estimate of the features Psi(x_t) from a random number N of copies, P(N = n) = (p - 1) / p^(n + 1)
    ///   (with a number for `tail`, P(N >= n) = (n + 1)^(-tail))
    /// g an unbiased estimate of the derivative of the loss at <w, Psi(x_t)> from further copies
    /// w <- Proj_W(w - eta g Psi~)
    /// ```
    ///
    /// ## Cost
    ///
    /// A random number of copies per round, few on average, seldom many; memory grows with the stream. With m = 1 / (p - 1),
    /// or m = zeta(tail) - 1, these are m + m^2 copies on average, three times as many with the Gaussian kernel; `pilots`
    /// adds m for each.
    ///
    /// ## When to use it
    ///
    /// Unknown noise and any analytic loss. Its variance is large: expect useful results from tens of thousands of rounds on,
    /// and use `estimator = "all-terms"`.
    ///
    /// In the report: `figure/noisy-analytic`.
    pub(crate) static ENTRY = LearnerEntry {
        name: "noisy-analytic",
        summary: "analytic loss, unknown noise, a random number of copies (Cesa-Bianchi, Shalev-Shwartz, Shamir, Algorithm 4 corrected)",
        module: module_path!(),
        params: NoisyAnalyticParams::SPECS,
        build: Recipe {
            learner: |params, setting| AnyLearner::noisy(NoisyAnalytic::new(Parameters::read(params), setting)),
            cost: |params, rounds, dim| {
                // Products of 1 + N maps, and a prediction, with at most as many elements of each degree as were drawn.
                let (n, mean) = (rounds as f64, NoisyAnalyticParams::read(params).law().mean());
                let (width, pilots) = (1.0 + mean * dim as f64, NoisyAnalyticParams::read(params).pilots as f64);
                Cost { flops: 0.5 * n * n * (2.0 + mean + pilots) * width + n * 200.0 * width, bytes: 8.0 * n * width }
            },
            drawn_by: &["p", "tail", "pilots"],
            about: About::new(Compared::Absent("it learns from noisy copies only")).of(Kin::Noisy).random(),
        },
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::linear::Linear;
    use crate::loss::exponential::ExponentialLoss;
    use crate::loss::squared::Squared;
    use noregret_numeric::draw::{Draws, Role};

    /// p = 2: a map of degree 1 has weight 1 / q_1 = 4, and so has gamma_1 = 2. In the first step -g = 8 y, so with eta
    /// = 1/8, w = y 4 c. In the second step X = <w, 4 c'> - y'.
    #[test]
    fn two_rounds_of_the_linear_kernel_by_hand() {
        let map = RandomMap { law: DegreeLaw::Geometric(2.0), estimator: Estimator::SingleTerm };
        let mut learner = NoisyAnalytic::over(Arc::new(Linear), Arc::new(Squared), map, 0.125, 10.0, 1);
        let element = |c: f64| map.element(&Linear, 0, 1, vec![c], 1);
        let step = |learner: &mut NoisyAnalytic, element, maps: &[Element], targets: &[f64]| {
            let gradient = learner.gradient(None, maps, targets);
            learner.step(&element, gradient).unwrap()
        };
        let first = step(&mut learner, element(0.5), &[element(7.0)], &[1.0]);
        assert_eq!((first.gradient, first.coefficient, first.squared_norm), (-8.0, 1.0, 4.0));
        assert_eq!(learner.predict(&[3.0], &mut Draws::named(&[]).at(Role::Predict, 1)), 6.0);
        let second = step(&mut learner, element(-1.0), &[element(0.25)], &[0.5]);
        assert_eq!(second.gradient, 8.0 * (2.0 - 0.5));
        // |w|^2 = (2 - 1.5 * -4)^2 = 64.
        assert_eq!(second.squared_norm, 64.0);
        // A degree that the series lacks wastes the round.
        let wasted = step(&mut learner, element(1.0), &[element(1.0), element(1.0)], &[1.0, 1.0]);
        assert_eq!((wasted.gradient, wasted.squared_norm), (0.0, 64.0));
    }
    /// E g and Var g as sums over all outcomes: w = 1, x = 1, copies 1 - s and 1 + s, degrees up to 10 (the last with the rest
    /// of the law), all terms of the exponential loss around the point that is a function of the copies.
    fn moments(s: f64, p: f64, point: impl Fn(&[f64]) -> Option<f64>) -> (f64, f64) {
        let map = RandomMap { law: DegreeLaw::Geometric(p), estimator: Estimator::AllTerms };
        let mut learner = NoisyAnalytic::over(Arc::new(Linear), Arc::new(ExponentialLoss), map, 1.0, 10.0, 1);
        let element = |c: f64| Element { terms: vec![(1, 1.0)], copies: vec![c] };
        learner.step(&element(1.0), -1.0).unwrap();
        let (mut mean, mut square) = (0.0, 0.0);
        for n in 0..=10u32 {
            let rest = if n < 10 { 1.0 - p.recip() } else { 1.0 };
            let probability = rest * p.powi(-(n as i32)) / f64::from(2u32 << n);
            for bits in 0..2u32 << n {
                // One copy more than the degree, for the point.
                let copies: Vec<f64> = (0..=n).map(|j| if bits >> j & 1 == 0 { 1.0 - s } else { 1.0 + s }).collect();
                let maps: Vec<Element> = copies[1..].iter().map(|c| element(*c)).collect();
                let g = learner.gradient(point(&copies), &maps, &[1.0]);
                mean += probability * g;
                square += probability * g * g;
            }
        }
        (mean, square - mean * mean)
    }

    /// Around an estimate from a copy of its own, g is unbiased; around one that is also a factor, it is not.
    #[test]
    fn the_point_of_expansion_needs_copies_of_its_own() {
        let exact = -(-1.0f64).exp();
        let own = moments(0.5, 2.0, |copies| Some(copies[0])).0;
        assert!((own - exact).abs() < 1e-8, "{own}");
        let shared = moments(0.5, 2.0, |copies| copies.last().copied()).0;
        assert!((shared - exact).abs() > 0.01, "{shared}");
    }

    /// The remark of section III-C: around an estimated mean, the variance of g tends to 0 with that of the copies, if fewer
    /// degrees are drawn then; around 0 it does not.
    #[test]
    fn small_noise_leaves_a_small_variance_around_an_estimate() {
        for s in [0.1, 0.01, 0.001] {
            let around = moments(s, 1.0 + 1.0 / s, |copies| Some(copies[0])).1;
            let fixed = moments(s, 2.0, |_| None).1;
            assert!(around < 2.0 * s && fixed > 0.2, "{s}: {around} {fixed}");
        }
    }
}
