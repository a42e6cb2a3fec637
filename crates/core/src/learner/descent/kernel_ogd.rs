//! kernel-ogd: online gradient descent on the square loss in the kernel's space; every point is kept.

use crate::learner::api::{AnyLearner, Block, Breakdown, Gauges, Hypothesis, Learner, LearnerEntry, Recipe, Setting};
use crate::learner::descent::expansion::Expansion;
use crate::learner::descent::step::{self, ETA};
use crate::learner::parameters::{self, KERNEL};
use crate::params::{ParamError, Params};
use noregret_numeric::draw::{Draw, Draws};
use noregret_numeric::state::{StateError, Store, keep};

/// f_{t+1} = f_t - eta grad (f(x_t) - y_t)^2 = f_t - 2 eta (f_t(x_t) - y_t) k(x_t, .), without projection.
#[derive(Debug)]
struct KernelOgd {
    eta: f64,
    function: Expansion,
}

impl Hypothesis for KernelOgd {
    fn predict(&self, x: &[f64], _: &mut Draw) -> f64 {
        self.function.evaluate(x)
    }

    fn gauges(&self) -> Gauges {
        self.function.gauges()
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        keep!(self, store: function; eta);
        Ok(())
    }
}

impl Learner for KernelOgd {
    fn learn(&mut self, x: &[f64], y: f64, _: &mut Draw) -> Result<(), Breakdown> {
        let prediction = self.function.evaluate(x);
        self.function.add(x, -2.0 * self.eta * (prediction - y), prediction)
    }

    fn play(&mut self, block: Block<'_>, _: &Draws, predictions: &mut [f64]) -> Result<(), Breakdown> {
        let eta = self.eta;
        self.function.play(block, |_, prediction, target| -2.0 * eta * (prediction - target), predictions)
    }
}

fn build(params: &Params, setting: &Setting) -> Result<AnyLearner, ParamError> {
    let kernel = parameters::kernel(params, setting)?;
    let function = Expansion::new(kernel, setting.dim);
    Ok(AnyLearner::Full(Box::new(KernelOgd { eta: step::eta(params, setting)?, function })))
}

/// Registry entry.
pub(crate) static ENTRY: LearnerEntry = LearnerEntry {
    name: "kernel-ogd",
    summary: "online gradient descent on the square loss in the kernel's space (Kivinen, Smola, Williamson 2004)",
    module: module_path!(),
    params: &[ETA, KERNEL],
    build: Recipe { learner: build, cost: |_, rounds, dim| Expansion::cost(rounds, dim), drawn_by: &[] },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::gaussian::Gaussian;
    use noregret_numeric::draw::Role;
    use noregret_numeric::linalg::matrix::Rows;
    use std::sync::Arc;

    /// Two rounds by hand: a_1 = 2 eta y_1, p_2 = a_1 k, a_2 = -2 eta (p_2 - y_2), |f|^2 = a_1^2 + 2 a_1 a_2 k + a_2^2.
    #[test]
    fn two_rounds_by_hand() {
        let (eta, k) = (0.1, (-0.5f64).exp());
        let function = Expansion::new(Arc::new(Gaussian::new(1.0)), 1);
        let mut learner = KernelOgd { eta, function };
        let mut predictions = [f64::NAN; 2];
        let block = Block { first_round: 1, inputs: Rows::new(1, &[0.0, 1.0]), targets: &[1.0, -1.0] };
        let draws = Draws::named(&[]);
        learner.play(block, &draws, &mut predictions).unwrap();
        let (a1, a2) = (0.2, -0.2 * (0.2 * k + 1.0));
        assert_eq!(predictions, [0.0, 0.2 * k]);
        let norm = (a1 * a1 + 2.0 * a1 * a2 * k + a2 * a2).sqrt();
        assert!((learner.gauges().norm.unwrap() - norm).abs() < 1e-15);
        let next = learner.predict(&[0.0], &mut draws.at(Role::Predict, 3));
        assert!((next - (a1 + a2 * k)).abs() < 1e-16);
    }

    #[test]
    fn a_step_size_that_is_too_large_is_reported() {
        let function = Expansion::new(Arc::new(Gaussian::new(1.0)), 1);
        let mut learner = KernelOgd { eta: 1e6, function };
        let (inputs, targets) = (vec![0.5; 100], vec![1.0; 100]);
        let block = Block { first_round: 1, inputs: Rows::new(1, &inputs), targets: &targets };
        let mut predictions = vec![0.0; 100];
        let breakdown = learner.play(block, &Draws::named(&[]), &mut predictions).unwrap_err();
        assert!(breakdown.cause.contains("eta") && (10..50).contains(&breakdown.after), "{breakdown:?}");
    }
}
