//! linear-ogd: projected online gradient descent on the square loss, linear in the inputs.

use crate::draw::Draw;
use crate::learner::api::{AnyLearner, Breakdown, Cost, Gauges, Hypothesis, Learner, LearnerEntry, Recipe, Setting};
use crate::learner::linear_descent::LinearDescent;
use crate::learner::step::{ETA_FACTOR, INPUT_BOUND, NOISY_ETA, RADIUS, TARGET_BOUND};
use crate::params::{ParamError, Params};

/// p_t = <w, x_t>, w <- Proj(w - 2 eta (p_t - y_t) x_t). On clean data this is the noise-free baseline of Cesa-Bianchi,
/// Shalev-Shwartz, Shamir. On one noisy copy, or on the mean of k copies, it is their naive baseline, whose limit is (S
/// + N/k)^-1 S w* with S = mean x x' and N = mean noise covariance.
#[derive(Debug)]
pub struct LinearOgd {
    function: LinearDescent,
}

impl LinearOgd {
    /// Starts at w = 0.
    pub fn new(function: LinearDescent) -> Self {
        Self { function }
    }

    /// w.
    pub fn weights(&self) -> &[f64] {
        self.function.weights()
    }
}

impl Hypothesis for LinearOgd {
    fn predict(&self, x: &[f64], _: &mut Draw) -> f64 {
        self.function.evaluate(x)
    }

    fn gauges(&self) -> Gauges {
        self.function.gauges()
    }
}

impl Learner for LinearOgd {
    fn learn(&mut self, x: &[f64], y: f64, _: &mut Draw) -> Result<(), Breakdown> {
        let residual = self.function.evaluate(x) - y;
        self.function.step(2.0 * residual, x, &[])
    }
}

fn build(params: &Params, setting: &Setting) -> Result<AnyLearner, ParamError> {
    Ok(AnyLearner::Full(Box::new(LinearOgd::new(LinearDescent::from_two_copies(params, setting)?))))
}

/// Registry entry.
pub static ENTRY: LearnerEntry = LearnerEntry {
    name: "linear-ogd",
    summary: "projected online gradient descent on the square loss, linear in the inputs (Zinkevich 2003)",
    module: module_path!(),
    params: &[NOISY_ETA, ETA_FACTOR, RADIUS, INPUT_BOUND, TARGET_BOUND],
    build: Recipe { learner: build, cost: |_, rounds, dim| Cost { flops: rounds as f64 * (10 * dim + 20) as f64, bytes: 8.0 * dim as f64 } },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::{Draws, Role};

    /// The first step gives w = 0.2 * 2 * (1, 0) = (0.4, 0). The second adds -0.2 * 2 * (0.8 - 4) * (2, 0) = (2.56, 0),
    /// and w is cut to length 1.
    #[test]
    fn two_rounds_by_hand() {
        let mut learner = LinearOgd::new(LinearDescent::new(0.2, 1.0, 2));
        let draw = &mut Draws::named(&[]).at(Role::Learn, 1);
        learner.learn(&[1.0, 0.0], 1.0, draw).unwrap();
        assert_eq!(learner.weights(), [0.4, 0.0]);
        learner.learn(&[2.0, 0.0], 4.0, draw).unwrap();
        assert_eq!((learner.weights(), learner.gauges().norm), (&[1.0, 0.0][..], Some(1.0)));
    }
}
