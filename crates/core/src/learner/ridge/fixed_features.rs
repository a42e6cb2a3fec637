//! Ridge regression and its AWV form over a fixed feature map, with or without discount.
//!
//! Rounds are gathered into windows ([`crate::learner::ridge::whitened`]); inside a window they are those of [`Sequential`] with
//! kernel <u, u'>, unit regularisation, and the prior forecast from the rounds before.
//!
//! With a discount gamma < 1, round t starts with A <- gamma A and b <- gamma b, and where W divides t, it ends with
//! A <- A + (1 - gamma^W) lambda I, so that the weight of |w|^2 stays between gamma^W lambda and lambda. In round i of a
//! window that began with A and b, all of this is the recursion without discount for gamma^(-i/2) phi and
//! gamma^(-i/2) y, whose forecasts are multiplied by gamma^(i/2). Windows end where the weight is refreshed, and before
//! gamma^-i exceeds 10^6.
//!
//! Sources: for the discount, A. Jacobsen, A. Cutkosky, ICML 2024, and D. Rokhlin, A. Karapetyants, 2026; the
//! refreshed weight is ours.

use std::cell::RefCell;

use crate::feature::api::FeatureMap;
use crate::learner::api::{Block, Breakdown, Cost, Gauges, Hypothesis, Learner, in_round};
use crate::learner::last_input::LastInput;
use crate::learner::predictive::{Predictive, Told};
use crate::learner::ridge::discount::Discount;
use crate::learner::ridge::sequential::{Forecast, PlaysBlocks, RidgeForecast, Sequential};
use crate::learner::ridge::whitened::Whitened;
use crate::learner::weight::factor;
use noregret_numeric::draw::{Draw, Draws};
use noregret_numeric::linalg::matrix::Rows;
use noregret_numeric::linalg::vector::squared_norm;
use noregret_numeric::state::{State as _, StateError, Store, keep};

/// With more features than this, a square matrix of that order takes more than 4 GiB.
pub(crate) const MOST_FEATURES: u64 = 23_170;

/// Panel height of a window's factor.
const HEIGHT: usize = 256;

/// The largest gamma^-i inside a window: targets and features of a window differ by at most a factor of 1000 from their
/// own size.
const LARGEST_GROWTH: f64 = 1e6;

/// The number B of rounds in a window over r features. A round costs r^2 for the solve, r^2 for adding it to A, up to B r
/// inside the window and r^3 / (3 B) for the factorisation, so B of the order of r / 2 balances them. Windows between two
/// refreshes are equally long, up to one round, and as many as come nearest to that balance.
fn window(discount: Discount, features: usize) -> usize {
    let balanced = (features / 2).clamp(64, 1024);
    let most = match discount.gamma {
        1.0 => usize::MAX,
        gamma => ((LARGEST_GROWTH.ln() / -gamma.ln()) as usize).max(1),
    };
    discount.period().map_or(balanced.min(most), |period| {
        let period = usize::try_from(period).unwrap_or(usize::MAX);
        let windows = (period / balanced + usize::from(period % balanced > balanced / 2)).max(period.div_ceil(most));
        period.div_ceil(windows)
    })
}

/// The forecaster over r features: 2 r^2 numbers.
#[derive(Debug)]
pub struct FixedFeatures {
    lambda: f64,
    discount: Discount,
    window: Whitened,
    targets: Vec<f64>,
    rounds: Sequential,
    capacity: usize,
    played: usize,
    /// gamma^(-i/2) and gamma^(i/2) for the rounds i = 1, 2, ... of a window.
    growth: Vec<f64>,
    decay: Vec<f64>,
    told: Told,
    last: RefCell<FeatureCache>,
    scratch: BlockScratch,
}

/// What was computed at the last input.
#[derive(Debug, Default)]
struct FeatureCache {
    input: LastInput,
    phi: Vec<f64>,
    /// C^-1 phi.
    whitened: Vec<f64>,
    /// L^-1 of the products of C^-1 phi with those of the window.
    row: Vec<f64>,
    forecast: RidgeForecast,
}

/// Working space of a block.
#[derive(Debug, Default)]
struct BlockScratch {
    gram: Vec<f64>,
    priors: Vec<f64>,
    targets: Vec<f64>,
}

impl FixedFeatures {
    /// A forecaster over `map` that has seen nothing and forgets nothing; `lambda` > 0.
    pub fn new(forecast: Forecast, map: Box<dyn FeatureMap>, lambda: f64) -> Self {
        Self::discounted(forecast, map, lambda, Discount::NONE)
    }

    /// A forecaster over `map` that has seen nothing and forgets at this rate.
    pub fn discounted(forecast: Forecast, map: Box<dyn FeatureMap>, lambda: f64, discount: Discount) -> Self {
        let capacity = window(discount, map.features());
        let root = discount.gamma.sqrt();
        let powers = |base: f64| std::iter::successors(Some(base), |power| Some(power * base)).take(capacity).collect();
        Self {
            lambda,
            discount,
            window: Whitened::new(map, lambda),
            targets: Vec::new(),
            rounds: Sequential::new(forecast, 1.0, HEIGHT.min(capacity)),
            capacity,
            played: 0,
            growth: powers(root.recip()),
            decay: powers(root),
            told: Told::default(),
            last: RefCell::default(),
            scratch: BlockScratch::default(),
        }
    }

    /// The cost of `rounds` rounds over `features` features, without that of the features themselves.
    pub(crate) fn cost(rounds: u64, features: u64, discount: Discount) -> Cost {
        let (n, r) = (rounds as f64, features as f64);
        let capacity = window(discount, features as usize) as f64;
        let round = 2.0 * r * r + capacity * r + r * r * r / (3.0 * capacity);
        Cost { flops: n * round, bytes: Whitened::bytes(r, capacity) }
    }

    /// The ridge forecast at `x`, of the scaled target.
    fn forecast(&self, x: &[f64]) -> RidgeForecast {
        let FeatureCache { input, phi, whitened, row, forecast } = &mut *self.last.borrow_mut();
        if input.replace(x, self.played) {
            let old = self.targets.len();
            let prior = self.window.evaluate(x, self.growth[old], old, [phi, whitened, row]);
            *forecast = self.rounds.forecast(prior, 1.0 + squared_norm(whitened), row);
        }
        *forecast
    }

    /// The number of rounds until the weight of |w|^2 is refreshed.
    fn until_refresh(&self) -> usize {
        let left = self.discount.period().map(|period| period - self.played as u64 % period);
        left.map_or(usize::MAX, |left| usize::try_from(left).unwrap_or(usize::MAX))
    }

    /// Learns rounds without forecasting them: the same as [`Learner::play`], to rounding, in a third of the operations.
    ///
    /// # Errors
    /// As [`Learner::play`].
    pub(crate) fn learn_rows(&mut self, inputs: Rows<'_>, targets: &[f64]) -> Result<(), Breakdown> {
        self.gather_rows(inputs, targets);
        self.settle()
    }

    /// Takes in rounds that nobody forecasts; [`settle`](FixedFeatures::settle) comes before the next forecast. No window is
    /// open afterwards. The residuals of these rounds are not known, so that the learner tells no distributions from now on.
    pub(crate) fn gather_rows(&mut self, inputs: Rows<'_>, targets: &[f64]) {
        self.told = Told::uncounted();
        let mut done = 0;
        while done < targets.len() {
            let (old, count) = (self.targets.len(), self.room().min(targets.len() - done));
            let growth = &self.growth[old..old + count];
            self.window.take(inputs.slice(done, done + count), growth);
            self.targets.extend(targets[done..].iter().zip(growth).map(|(y, growth)| y * growth));
            self.played += count;
            let (decay, refresh) = self.end_of_window();
            self.window.gather(decay, refresh);
            done += count;
        }
    }

    /// Makes ready to forecast after [`gather_rows`](FixedFeatures::gather_rows).
    ///
    /// # Errors
    /// If the covariance of the features is singular to working precision.
    pub(crate) fn settle(&mut self) -> Result<(), Breakdown> {
        self.window.factorise(self.multiple())
    }

    /// Adds a full window to A and b and starts the next one.
    fn close_if_full(&mut self) -> Result<(), Breakdown> {
        if self.targets.len() < self.capacity && !self.is_refreshed() {
            return Ok(());
        }
        let rounds = self.targets.len();
        let (decay, refresh) = self.end_of_window();
        self.window.absorb(rounds, decay, refresh, self.multiple())
    }

    /// Whether the weight of |w|^2 is raised to lambda after the last round.
    fn is_refreshed(&self) -> bool {
        self.discount.period().is_some_and(|period| (self.played as u64).is_multiple_of(period))
    }

    /// Adds the targets of a window to b, and forgets them. Returns the factor of A and b at its end, and what is added to
    /// the diagonal of A.
    fn end_of_window(&mut self) -> (f64, f64) {
        let last = self.decay[self.targets.len() - 1];
        self.window.add_to_moment(&self.targets);
        self.targets.clear();
        self.rounds.clear();
        let gamma = self.discount.gamma;
        let period = self.discount.period().filter(|_| self.is_refreshed());
        (last * last, period.map_or(0.0, |period| (1.0 - gamma.powf(period as f64)) * self.lambda))
    }

    /// The multiple of I in A at the end of a window.
    fn multiple(&self) -> f64 {
        let played = self.played as u64;
        match self.discount.period().map_or(played, |period| played % period) {
            0 => self.lambda,
            since => self.lambda * self.discount.gamma.powf(since as f64),
        }
    }

    /// The map.
    pub(crate) fn map_mut(&mut self) -> &mut dyn FeatureMap {
        self.window.map_mut()
    }
}

impl PlaysBlocks for FixedFeatures {
    /// Up to the end of the window.
    fn room(&self) -> usize {
        (self.capacity - self.targets.len()).min(self.until_refresh())
    }

    fn step(&mut self, x: &[f64], y: f64, prediction: &mut f64) -> Result<(), Breakdown> {
        let forecast = self.forecast(x);
        let i = self.targets.len();
        *prediction = self.decay[i] * self.rounds.predict(forecast.ridge, forecast.pivot);
        let FeatureCache { phi, whitened, row, .. } = self.last.get_mut();
        let y = self.growth[i] * y;
        self.rounds.push(row, forecast, y)?;
        self.window.push(phi, whitened);
        self.targets.push(y);
        self.played += 1;
        self.rounds.tell(i, &[*prediction], self.discount.gamma, &mut self.told);
        self.close_if_full()
    }

    fn step_block(&mut self, block: Block<'_>, predictions: &mut [f64]) -> Result<(), Breakdown> {
        let (old, count) = (self.targets.len(), block.targets.len());
        let width = old + count;
        self.window.extend(block.inputs, &self.growth[old..width]);
        let BlockScratch { gram, priors, targets } = &mut self.scratch;
        gram.resize(count * width, 0.0);
        self.window.products(old, 1.0, &mut gram[..count * width]);
        priors.clear();
        self.window.priors(old, priors);
        targets.clear();
        targets.extend(block.targets.iter().zip(&self.growth[old..]).map(|(y, growth)| growth * y));

        if self.rounds.extend(count, &gram[..count * width]).is_err() {
            // Some entry overflowed: play the rounds before it.
            self.window.truncate(old);
            return self.step_one_by_one(block, predictions);
        }
        let settled = self.rounds.settle(priors, targets, predictions);
        predictions.iter_mut().zip(&self.decay[old..]).for_each(|(prediction, decay)| *prediction *= decay);
        self.rounds.tell(old, predictions, self.discount.gamma, &mut self.told);
        settled?;
        self.targets.extend_from_slice(targets);
        self.played += count;
        self.close_if_full().map_err(in_round(count - 1))
    }
}

impl Hypothesis for FixedFeatures {
    fn predict(&self, x: &[f64], _: &mut Draw) -> f64 {
        let forecast = self.forecast(x);
        self.decay[self.targets.len()] * self.rounds.predict(forecast.ridge, forecast.pivot)
    }

    fn predictive(&self, x: &[f64]) -> Option<Predictive> {
        let (forecast, decay) = (self.forecast(x), self.decay[self.targets.len()]);
        self.told.predictive(decay * forecast.ridge, self.rounds.leverage(forecast.pivot), self.discount.gamma)
    }

    fn predictives(&self) -> Option<Vec<Predictive>> {
        self.told.predictives()
    }

    fn gauges(&self) -> Gauges {
        self.window.gauges(self.capacity)
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        self.window.state(store)?;
        self.told.state(store)?;
        keep!(self, store: targets, rounds, played;
            lambda, discount, window, capacity, growth, decay, told, last, scratch);
        let agree = [self.window.len(), rounds.len()] == [targets.len(); 2];
        store.check(agree && targets.len() < self.capacity, "has a window of parts of different sizes")
    }
}

impl Learner for FixedFeatures {
    fn learn(&mut self, x: &[f64], y: f64, _: &mut Draw) -> Result<(), Breakdown> {
        let mut prediction = 0.0;
        self.told.begin(false);
        self.step(x, y, &mut prediction)
    }

    /// The row counts as sqrt(weight) phi and sqrt(weight) y. With a discount, one of weight 0 still is a round.
    fn learn_weighted(&mut self, x: &[f64], y: f64, weight: f64, draw: &mut Draw) -> Result<(), Breakdown> {
        if factor(weight)? == 1.0 {
            return self.learn(x, y, draw);
        }
        self.told.begin(false);
        let (forecast, i, root) = (self.forecast(x), self.targets.len(), weight.sqrt());
        let known = (self.decay[i] * forecast.ridge, self.rounds.leverage(forecast.pivot));
        let FeatureCache { phi, whitened, row, .. } = self.last.get_mut();
        let scaled = |numbers: &[f64]| numbers.iter().map(|number| root * number).collect::<Vec<f64>>();
        let y = root * self.growth[i] * y;
        let h = weight * (forecast.pivot - 1.0);
        let weighted =
            RidgeForecast { ridge: root * forecast.ridge, own: 1.0 + weight * (forecast.own - 1.0), pivot: 1.0 + h };
        self.rounds.push(&scaled(row), weighted, y)?;
        self.window.push(&scaled(phi), &scaled(whitened));
        self.targets.push(y);
        self.played += 1;
        self.rounds.tell_weighted(known, weight, self.discount.gamma, &mut self.told);
        self.close_if_full()
    }

    fn play(&mut self, block: Block<'_>, _: &Draws, predictions: &mut [f64]) -> Result<(), Breakdown> {
        self.told.begin(false);
        self.step_all(block, predictions)
    }
}
