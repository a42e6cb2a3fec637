//! kernel-ogd: online gradient descent on the square loss in the kernel's space; every point is kept.

use std::sync::Arc;

use crate::kernel::api::Kernel;
use crate::learner::about::{About, Kin, STEPS, WIDTHS};
use crate::learner::api::{AnyLearner, Block, Breakdown, Gauges, Hypothesis, Learner, LearnerEntry, Recipe, Setting};
use crate::learner::descent::expansion::DescentExpansion;
use crate::learner::descent::step;
use crate::learner::entry::learner;
use crate::learner::parameters;
use crate::params::ParamError;
use crate::params::typed::{OrWord, Parameters, parameters};
use noregret_numeric::draw::{Draw, Draws};
use noregret_numeric::state::{StateError, Store, keep};

/// f_{t+1} = f_t - eta grad (f(x_t) - y_t)^2 = f_t - 2 eta (f_t(x_t) - y_t) k(x_t, .), without projection.
#[derive(Debug)]
pub struct KernelOgd {
    eta: f64,
    function: DescentExpansion,
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

impl KernelOgd {
    /// Starts at f = 0.
    ///
    /// # Errors
    /// Values out of range, a kernel for other inputs, or a step that needs an unknown number of rounds.
    pub fn new(params: KernelOgdParams, setting: &Setting) -> Result<Self, ParamError> {
        params.check()?;
        parameters::accepts(&*params.kernel, setting)?;
        Ok(Self { eta: step::eta(&params.eta, setting)?, function: DescentExpansion::new(params.kernel, setting.dim) })
    }
}

parameters! {
    /// Parameters of [`KernelOgd`].
    pub struct KernelOgdParams {
        eta: OrWord<f64> = step::ETA;
        kernel: Arc<dyn Kernel> = parameters::KERNEL;
    }
}

learner! {
    /// ## Formula
    ///
    /// ```text
    /// p_t = f_t(x_t),   f_{t+1} = f_t - 2 eta (p_t - y_t) k(x_t, .)
    /// ```
    ///
    /// ## Cost
    ///
    /// t d operations in round t (1.4 to 2 ns per kernel value), d + 1 numbers per round.
    ///
    /// ## When to use it
    ///
    /// A baseline without approximation, up to some hundred thousand rounds.
    ///
    /// In the report: `figure/casp-loss`.
    pub(crate) static ENTRY = LearnerEntry {
        name: "kernel-ogd",
        summary: "online gradient descent on the square loss in the kernel's space (Kivinen, Smola, Williamson 2004)",
        module: module_path!(),
        params: KernelOgdParams::SPECS,
        build: Recipe {
            learner: |params, setting| AnyLearner::full(KernelOgd::new(Parameters::read(params), setting)),
            cost: |_, rounds, dim| DescentExpansion::cost(rounds, dim),
            drawn_by: &[],
            about: About::grid(&[("eta", STEPS), ("kernel.bandwidth", WIDTHS)]).of(Kin::Gradient),
        },
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::gaussian::Gaussian;
    use noregret_numeric::draw::Role;
    use noregret_numeric::linalg::matrix::Rows;

    /// Two rounds by hand: a_1 = 2 eta y_1, p_2 = a_1 k, a_2 = -2 eta (p_2 - y_2), |f|^2 = a_1^2 + 2 a_1 a_2 k + a_2^2.
    #[test]
    fn two_rounds_by_hand() {
        let (eta, k) = (0.1, (-0.5f64).exp());
        let function = DescentExpansion::new(Arc::new(Gaussian::new(1.0)), 1);
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
        let function = DescentExpansion::new(Arc::new(Gaussian::new(1.0)), 1);
        let mut learner = KernelOgd { eta: 1e6, function };
        let (inputs, targets) = (vec![0.5; 100], vec![1.0; 100]);
        let block = Block { first_round: 1, inputs: Rows::new(1, &inputs), targets: &targets };
        let mut predictions = vec![0.0; 100];
        let breakdown = learner.play(block, &Draws::named(&[]), &mut predictions).unwrap_err();
        assert!(breakdown.cause.contains("eta") && (10..50).contains(&breakdown.after), "{breakdown:?}");
    }
}
