//! window-awv-taylor: the Azoury-Warmuth-Vovk forecaster over the last rounds only, with the Taylor features of the Gaussian
//! kernel.
//!
//! With w the width, A = lambda I + sum phi_s phi_s' and b = sum y_s phi_s over either the last w - 1 rounds (sliding), or the
//! rounds since the last multiple of w (restart), the forecast is phi' A^-1 b / (1 + phi' A^-1 phi).
//!
//! Restarted, its regret is at most the sum over the pieces of lambda |u|^2 + B^2 log det(I + Phi' Phi / lambda), against a u
//! for each piece. No bound is known for the sliding window: nothing that it competes with controls what leaves the window.
//!
//! The factor of A follows by one update and one downdate a round. Rounding errors of downdates add up, so it is made anew
//! every w rounds.

use std::cell::RefCell;
use std::collections::VecDeque;

use crate::feature::api::FeatureMap;
use crate::learner::about::{About, Compared};
use crate::learner::api::{AnyLearner, Breakdown, Cost, Gauges, Hypothesis, Learner, LearnerEntry, Recipe, Setting};
use crate::learner::entry::learner;
use crate::learner::last_input::LastInput;
use crate::learner::parameters;
use crate::learner::ridge::taylor;
use crate::params::typed::{Parameters, parameters, shared};
use crate::params::{Fallback, Kind, ParamError};
use noregret_numeric::draw::Draw;
use noregret_numeric::linalg::deferred::{Deferred, deferred};
use noregret_numeric::linalg::upper::Upper;
use noregret_numeric::linalg::vector::{add_scaled, dot, squared_norm};
use noregret_numeric::state::{StateError, Store, keep};

shared! {
    /// w: the forecast uses at most the w - 1 rounds before it
    WIDTH = "width": Kind::integer(1, 10_000_000) => Fallback::Integer(100);
    /// sliding: the last w - 1 rounds; restart: forget everything every w rounds
    RULE = "rule": Kind::Choice(&["sliding", "restart"]) => Fallback::Word("sliding");
}

parameters! {
    /// Parameters of [`WindowAwv`].
    pub struct WindowAwvParams {
        lambda: f64 = parameters::LAMBDA;
        bandwidth: f64 = parameters::BANDWIDTH;
        order: u64 = taylor::ORDER;
        width: u64 = self::WIDTH;
        rule: &'static str = self::RULE;
    }
}

learner! {
    /// ## Formula
    ///
    /// ```text
    /// phi: the Taylor features;   S: the last w - 1 rounds, or with rule = "restart" those since the last multiple of w
    /// A = lambda I + sum_S phi phi',   b = sum_S y phi,   p_t = phi' A^-1 b / (1 + phi' A^-1 phi)
    /// ```
    ///
    /// Restarted, its regret is at most the sum over the pieces of `lambda |u|^2 + B^2 r log(1 + w / (r lambda))`, against a function
    /// u for each piece. No bound is known for the sliding window.
    ///
    /// ## Cost
    ///
    /// About 10 r^2 operations per round; r^2 numbers and w - 1 rows of features. The factor of A is made anew every w rounds, because
    /// rounding errors of downdates add up.
    ///
    /// ## When to use it
    ///
    /// Where the rounds before the last w are known to say nothing. Otherwise a discount, which forgets gradually, loses less.
    pub(crate) static ENTRY = LearnerEntry {
        name: "window-awv-taylor",
        summary: "Azoury-Warmuth-Vovk forecaster over a window of past rounds, sliding or restarted, with the Taylor features of the Gaussian kernel",
        module: module_path!(),
        params: WindowAwvParams::SPECS,
        build: Recipe {
            learner: |params, setting| AnyLearner::full(WindowAwv::new(Parameters::read(params), setting)),
            cost: |params, rounds, dim| {
                let WindowAwvParams { order, width, .. } = Parameters::read(params);
                let (r, n, width) = (taylor::features(order, dim) as f64, rounds as f64, width as f64);
                // Two solves, an update and a downdate a round; making the factor anew takes as many updates as rounds.
                Cost { flops: n * 10.0 * r * r, bytes: bytes(r, width.min(n)) }
            },
            drawn_by: &[],
            about: About::new(Compared::Absent("`discounted-awv-taylor` forgets gradually and stands for it")),
        },
    };
}

fn bytes(r: f64, rounds: f64) -> f64 {
    8.0 * (r * r + 2.0 * r + rounds * (r + 1.0))
}

/// A round of the window: phi and y.
type WindowRound = (Vec<f64>, f64);

/// The forecaster over r features: r^2 numbers and w - 1 rows of features, O(r^2) operations a round.
#[derive(Debug)]
pub struct WindowAwv {
    map: Box<dyn FeatureMap>,
    lambda: f64,
    width: usize,
    restart: bool,
    rounds: VecDeque<WindowRound>,
    factor: Deferred<Upper>,
    moment: Vec<f64>,
    played: usize,
    last: RefCell<WindowCache>,
    /// A row of features that is rotated into the factor or out of it.
    term: Vec<f64>,
}

/// What was computed at the last input: phi, R^-T phi and R^-T b for the factor R of A, and the forecast.
#[derive(Debug, Default)]
struct WindowCache {
    input: LastInput,
    phi: Vec<f64>,
    whitened: Vec<f64>,
    prior: Vec<f64>,
    forecast: f64,
}

impl WindowAwv {
    /// A forecaster over Taylor features that has seen nothing.
    ///
    /// # Errors
    /// Values out of range; too many features.
    pub fn new(params: WindowAwvParams, setting: &Setting) -> Result<Self, ParamError> {
        params.check()?;
        let WindowAwvParams { lambda, bandwidth, order, width, rule } = params;
        let map = Box::new(taylor::make_map(bandwidth, order, setting)?);
        Ok(Self::over(map, lambda, width as usize, rule == "restart"))
    }

    /// A forecaster over `map` that has seen nothing; `lambda` > 0, `width` >= 1.
    pub fn over(map: Box<dyn FeatureMap>, lambda: f64, width: usize, restart: bool) -> Self {
        let r = map.features();
        Self {
            map,
            lambda,
            width,
            restart,
            rounds: VecDeque::new(),
            factor: deferred(move || Upper::identity(r, lambda.sqrt())),
            moment: vec![0.0; r],
            played: 0,
            last: RefCell::default(),
            term: Vec::new(),
        }
    }

    fn forecast(&self, x: &[f64]) -> f64 {
        let WindowCache { input, phi, whitened, prior, forecast } = &mut *self.last.borrow_mut();
        if input.replace(x, self.played) {
            phi.resize(self.moment.len(), 0.0);
            self.map.write(x, phi);
            whitened.clone_from(phi);
            prior.clone_from(&self.moment);
            self.factor.solve_transposed(whitened);
            self.factor.solve_transposed(prior);
            *forecast = dot(whitened, prior) / (1.0 + squared_norm(whitened));
        }
        *forecast
    }

    /// Makes A and b anew from the rounds of the window.
    fn rebuild(&mut self) {
        self.factor.reset(self.lambda.sqrt());
        self.moment.fill(0.0);
        for (phi, y) in &self.rounds {
            self.term.clone_from(phi);
            self.factor.add(&mut self.term);
            add_scaled(&mut self.moment, *y, phi);
        }
    }

    /// Takes the oldest round out of A and b, and returns its room.
    fn forget_oldest(&mut self) -> Vec<f64> {
        let Some((phi, y)) = self.rounds.pop_front() else { return Vec::new() };
        add_scaled(&mut self.moment, -y, &phi);
        self.term.clone_from(&phi);
        if !self.factor.remove(&mut self.term) {
            self.rebuild();
        }
        phi
    }
}

impl Hypothesis for WindowAwv {
    fn predict(&self, x: &[f64], _: &mut Draw) -> f64 {
        self.forecast(x)
    }

    fn gauges(&self) -> Gauges {
        let (r, rounds) = (self.moment.len(), self.rounds.len());
        Gauges {
            stored_points: Some(rounds as u64),
            features: Some(r as u64),
            state_bytes: Some(bytes(r as f64, rounds as f64) as u64),
            ..Gauges::default()
        }
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let r = self.moment.len();
        let mut rounds: Vec<f64> = self.rounds.iter().flat_map(|(phi, y)| phi.iter().chain([y])).copied().collect();
        store.keep("rounds", &mut rounds)?;
        store.check(rounds.len().is_multiple_of(r + 1), "has a part of a round")?;
        if store.is_loading() {
            self.rounds = rounds.chunks_exact(r + 1).map(|row| (row[..r].to_vec(), row[r])).collect();
        }
        store.keep("moment", &mut self.moment[..])?;
        let few = self.rounds.len() < self.width;
        keep!(self, store: factor, played; map, lambda, width, restart, rounds, moment, last, term);
        store.check(factor.len() == r && few, "has parts of different sizes")
    }
}

impl Learner for WindowAwv {
    fn learn(&mut self, x: &[f64], y: f64, _: &mut Draw) -> Result<(), Breakdown> {
        let forecast = self.forecast(x);
        if !(forecast.is_finite() && y.is_finite()) {
            return Err(Breakdown::new(format!("the forecast {forecast} for the target {y} overflowed")));
        }
        self.played += 1;
        let anew = self.played.is_multiple_of(self.width);
        if self.restart && anew {
            self.rounds.clear();
        } else if self.width > 1 {
            let mut room = if self.rounds.len() + 1 == self.width { self.forget_oldest() } else { Vec::new() };
            room.clone_from(&self.last.get_mut().phi);
            self.term.clone_from(&room);
            self.factor.add(&mut self.term);
            add_scaled(&mut self.moment, y, &room);
            self.rounds.push_back((room, y));
        }
        if anew {
            self.rebuild();
        }
        Ok(())
    }
}
