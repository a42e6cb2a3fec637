//! kitchen-sinks: a weighted sum of random neurons whose weights are bounded one by one.

use std::cell::RefCell;
use std::sync::Arc;

use crate::feature::api::FeatureMap;
use crate::feature::discrete::Discrete;
use crate::feature::family::Family;
use crate::learner::about::{About, Compared, Kin};
use crate::learner::api::{AnyLearner, Breakdown, Cost, Gauges, Hypothesis, Learner, LearnerEntry, Recipe, Setting};
use crate::learner::descent::expansion::diverged;
use crate::learner::entry::learner;
use crate::params::typed::{OrWord, Parameters, parameters};
use crate::params::{Fallback, Kind, ParamError, PartKind, Range};
use noregret_numeric::draw::Draw;
use noregret_numeric::linalg::vector::dot;
use noregret_numeric::state::{StateError, Store, keep};

/// f = sum_j a_j psi(.; w_j) over m neurons that are drawn once, with |a_j| <= B / m: online gradient descent on (f(x) - y)^2
/// / 2, projected onto these weights.
///
/// In the coordinates b_j = sqrt(m) a_j, features are psi / sqrt(m), of norm at most 1, and the weights lie in a box that
/// reaches to B. So |f| <= B, a gradient is at most B + |y|, and with |y| <= 1 and eta = B / ((B + 1) sqrt(T)) the regret, of
/// halved squares, to the best weights of the box is at most B (B + 1) sqrt(T).
///
/// Source: A. Rahimi, B. Recht, Weighted sums of random kitchen sinks: replacing minimization with randomization in
/// learning, NIPS 2008, Algorithm 1: the same functions, of which the source takes the one of least empirical risk; it is
/// reference 24 of Globerson and Livni, who compare the class |a(w)| <= B.
#[derive(Debug)]
pub struct KitchenSinks {
    eta: f64,
    /// B / sqrt(m).
    largest: f64,
    map: Arc<dyn FeatureMap>,
    weights: Vec<f64>,
    /// Buffer for the features.
    features: RefCell<Vec<f64>>,
}

impl KitchenSinks {
    /// Starts at the zero function, over neurons from the learner's own draws.
    ///
    /// # Errors
    /// Values out of range, a family for other inputs, or a step that needs an unknown number of rounds.
    pub fn new(params: KitchenSinksParams, setting: &Setting) -> Result<Self, ParamError> {
        params.check()?;
        let KitchenSinksParams { bound, eta, neurons, feature: family } = params;
        family.accepts(setting.dim).map_err(|why| ParamError::refused("feature", why))?;
        let eta = match eta {
            OrWord::Given(eta) => eta,
            OrWord::Word(word) => bound / ((bound + 1.0) * setting.rounds("eta", word)?.sqrt()),
        };
        let count = neurons as usize;
        let map = Discrete::new(family, count, setting.draws.clone()).map(setting.dim);
        let largest = bound / (count as f64).sqrt();
        Ok(Self { eta, largest, map, weights: vec![0.0; count], features: RefCell::new(vec![0.0; count]) })
    }
}

impl Hypothesis for KitchenSinks {
    fn predict(&self, x: &[f64], _: &mut Draw) -> f64 {
        let features = &mut *self.features.borrow_mut();
        self.map.write(x, features);
        dot(&self.weights, features)
    }

    fn gauges(&self) -> Gauges {
        Gauges::of_weights(&self.weights)
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        keep!(self, store: weights[..]; eta, largest, map, features);
        Ok(())
    }
}

impl Learner for KitchenSinks {
    fn learn(&mut self, x: &[f64], y: f64, _: &mut Draw) -> Result<(), Breakdown> {
        let features = self.features.get_mut();
        self.map.write(x, features);
        let prediction = dot(&self.weights, features);
        let step = -self.eta * (prediction - y);
        if !step.is_finite() {
            return Err(diverged("prediction", prediction, step));
        }
        for (weight, feature) in self.weights.iter_mut().zip(features) {
            *weight = (*weight + step * *feature).clamp(-self.largest, self.largest);
        }
        Ok(())
    }
}

parameters! {
    /// Parameters of [`KitchenSinks`].
    pub struct KitchenSinksParams {
        /// B: bound on m times the weight of a neuron, and so on predictions
        bound: f64 = Kind::real(Range::POSITIVE) => Fallback::Real(1.0);
        /// step size for the loss (f(x) - y)^2 / 2 over features of norm at most 1; theory: B / ((B + 1) sqrt(T))
        eta: OrWord<f64> = Kind::Real { range: Range::POSITIVE, words: &["theory"] } => Fallback::Word("theory");
        /// m: number of neurons
        neurons: u64 = Kind::integer(1, 20_000) => Fallback::Integer(1000);
        /// the neurons psi(x; w) and their law mu
        feature: Arc<dyn Family> = Kind::Part(PartKind::Feature) => Fallback::Part("cosine");
    }
}

learner! {
    /// ## Formula
    ///
    /// ```text
    /// f = sum_j a_j psi(.; w_j),   w_1, ..., w_m ~ mu once,   |a_j| <= B / m
    /// a <- clip(a - (eta / m) (f(x_t) - y_t) (psi(x_t; w_j))_j, -B / m, B / m)
    /// ```
    ///
    /// ## Cost
    ///
    /// m neurons per round: 1 to 50 ns each, depending on the family. It does not grow with the stream.
    ///
    /// ## When to use it
    ///
    /// As a competitor of `shrinking-gradient`, against functions with |a(w)| <= B instead of E a(w)^2 <= B^2. Predictions never
    /// exceed B.
    ///
    /// In the report: `figure/iln-competitors`.
    pub(crate) static ENTRY = LearnerEntry {
        name: "kitchen-sinks",
        summary: "bounded weighted sum of random neurons, by projected gradient descent (Rahimi, Recht, NIPS 2008)",
        module: module_path!(),
        params: KitchenSinksParams::SPECS,
        build: Recipe {
            learner: |params, setting| AnyLearner::full(KitchenSinks::new(Parameters::read(params), setting)),
            cost: |params, rounds, dim| {
                let count = KitchenSinksParams::read(params).neurons as f64;
                Cost { flops: rounds as f64 * count * (2 * dim + 40) as f64, bytes: 8.0 * count * (dim + 4) as f64 }
            },
            drawn_by: &["feature", "neurons"],
            about: About::new(Compared::Absent("a competitor of shrinking-gradient, which kernels in closed form do not need"))
                .of(Kin::Layers)
                .random(),
        },
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::Defaults;
    use noregret_numeric::draw::{Draws, Role};

    /// Against every corner of the box of 6 neurons, on 400 rounds of labels that half of them fit: regret is at most B (B +
    /// 1) sqrt(T), predictions at most B; and half of the rounds are at the box, which plain descent would leave.
    #[test]
    fn regret_is_below_that_of_projected_descent() {
        let (bound, rounds, count) = (2.0_f64, 400u64, 6usize);
        let params = KitchenSinksParams { bound, neurons: count as u64, ..KitchenSinksParams::default() };
        let setting = Setting { horizon: Some(rounds), draws: Draws::named(&["sinks"]), ..Setting::new(1) };
        let mut learner = KitchenSinks::new(params, &setting).unwrap();
        let (mut loss, mut corners, mut at_box) = (0.0, vec![0.0; 1 << count], 0);
        let mut features = vec![0.0; count];
        for t in 1..=rounds {
            let x = [(1.3 * t as f64).sin() * 2.0];
            let y = if x[0] > 0.2 { 1.0 } else { -1.0 };
            let prediction = learner.predict(&x, &mut setting.draws.at(Role::Predict, t));
            assert!(prediction.abs() <= bound);
            loss += 0.5 * (prediction - y).powi(2);
            learner.map.write(&x, &mut features);
            for (corner, sum) in corners.iter_mut().enumerate() {
                let sign = |j: usize| if corner >> j & 1 == 1 { learner.largest } else { -learner.largest };
                let value: f64 = features.iter().enumerate().map(|(j, feature)| sign(j) * feature).sum();
                *sum += 0.5 * (value - y).powi(2);
            }
            learner.learn(&x, y, &mut setting.draws.at(Role::Learn, t)).unwrap();
            at_box += u32::from(learner.weights.iter().any(|weight| weight.abs() == learner.largest));
        }
        let best = corners.into_iter().fold(f64::INFINITY, f64::min);
        let regret = loss - best;
        assert!(regret <= bound * (bound + 1.0) * (rounds as f64).sqrt(), "{regret}");
        assert!(at_box > 50, "{at_box}");
    }
}
