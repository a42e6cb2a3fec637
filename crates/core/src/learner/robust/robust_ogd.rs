//! robust-ogd: online gradient descent on a robust loss in the kernel's space.

use std::sync::Arc;

use crate::kernel::api::Kernel;
use crate::learner::about::{About, FEW_WIDTHS, Kin, Tried};
use crate::learner::api::{AnyLearner, Block, Breakdown, Gauges, Hypothesis, Learner, LearnerEntry, Recipe, Setting};
use crate::learner::descent::expansion::DescentExpansion;
use crate::learner::entry::learner;
use crate::learner::parameters;
use crate::learner::robust::step::{self, Descent, TheoryInputs};
use crate::learner::said::Expanded;
use crate::params::ParamError;
use crate::params::typed::{OrWord, Parameters, parameters};
use crate::theory::robust::Regularity;
use crate::window::api::Window;
use noregret_numeric::draw::{Draw, Draws};
use noregret_numeric::state::{StateError, Store};

/// f_{t+1} = f_t - eta_t W'((f_t(x_t) - y_t)^2 / scale^2) (f_t(x_t) - y_t) k(x_t, .), f_1 = 0, eta_t = eta t^-decay:
/// algorithm (5) of Guo, Christmann, Shi, Optimality of robust online learning, without projection.
#[derive(Debug)]
pub struct RobustOgd {
    rule: CoefficientRule,
    function: DescentExpansion,
}

/// The rule for the coefficient of a round's point.
#[derive(Clone, Debug)]
struct CoefficientRule {
    descent: Descent,
    /// Number of rounds learnt from.
    rounds: u64,
}

impl CoefficientRule {
    fn coefficient(&mut self, prediction: f64, target: f64) -> f64 {
        self.rounds += 1;
        // A constant step takes no power, so that its bits do not depend on the library's `powf`.
        let Descent { eta, decay, .. } = self.descent;
        let eta = if decay == 0.0 { eta } else { eta * (self.rounds as f64).powf(-decay) };
        -eta * self.descent.slope(prediction - target)
    }
}

impl Hypothesis for RobustOgd {
    fn predict(&self, x: &[f64], _: &mut Draw) -> f64 {
        self.function.evaluate(x)
    }

    fn gauges(&self) -> Gauges {
        self.function.gauges()
    }

    /// (f_1 + ... + f_T) / T.
    fn predict_averaged(&self, x: &[f64], _: &mut Draw) -> Option<f64> {
        Some(self.function.evaluate_averaged(x))
    }

    /// The scale and the step size that were used; formulas may have given them.
    fn measures(&self) -> Vec<(&'static str, f64)> {
        vec![("scale", self.rule.descent.scale), ("eta", self.rule.descent.eta)]
    }

    fn expansion(&self) -> Option<Expanded<'_>> {
        let function = &self.function;
        Some(Expanded {
            points: function.points(),
            coefficients: function.coefficients(),
            averaged: Some(function.averaged()),
        })
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let Self { rule: CoefficientRule { descent: _, rounds }, function } = self;
        store.keep("rounds", rounds)?;
        store.keep("function", function)
    }
}

impl Learner for RobustOgd {
    fn learn(&mut self, x: &[f64], y: f64, _: &mut Draw) -> Result<(), Breakdown> {
        let prediction = self.function.evaluate(x);
        let coefficient = self.rule.coefficient(prediction, y);
        self.function.add(x, coefficient, prediction)
    }

    fn play(&mut self, block: Block<'_>, _: &Draws, predictions: &mut [f64]) -> Result<(), Breakdown> {
        let Self { rule, function } = self;
        function.play(block, |_, prediction, target| rule.coefficient(prediction, target), predictions)
    }
}

impl RobustOgd {
    /// Starts at f = 0.
    ///
    /// # Errors
    /// Values out of range, a kernel for other inputs, or a `theory` that needs something that is not known.
    pub fn new(params: RobustOgdParams, setting: &Setting) -> Result<Self, ParamError> {
        params.check()?;
        let RobustOgdParams { window, scale, eta, decay, regularity, capacity, norm, kernel } = params;
        parameters::accepts(&*kernel, setting)?;
        let regularity = Regularity { target: regularity, capacity };
        let descent =
            Descent::new(window, &scale, &eta, decay, &TheoryInputs { regularity, norm, kernel: &*kernel, setting })?;
        Ok(Self { rule: CoefficientRule { descent, rounds: 0 }, function: DescentExpansion::new(kernel, setting.dim) })
    }
}

parameters! {
    /// Parameters of [`RobustOgd`].
    pub struct RobustOgdParams {
        window: Arc<dyn Window> = step::WINDOW;
        scale: OrWord<f64> = step::SCALE;
        eta: OrWord<f64> = step::ETA;
        decay: f64 = step::DECAY;
        regularity: f64 = step::REGULARITY;
        capacity: f64 = step::CAPACITY;
        norm: &'static str = step::NORM;
        kernel: Arc<dyn Kernel> = parameters::KERNEL;
    }
}

learner! {
    /// ## Formula
    ///
    /// ```text
    /// L(u) = (scale^2 / 2) W(u^2 / scale^2)
    /// f <- f - eta_t W'((f(x_t) - y_t)^2 / scale^2) (f(x_t) - y_t) k(x_t, .),   eta_t = eta t^-decay
    /// ```
    ///
    /// ## Cost
    ///
    /// As kernel-ogd: t d operations in round t, d + 1 numbers per round.
    ///
    /// ## When to use it
    ///
    /// Targets with outliers. `scale` is the size from which a residual counts as one, in units of the target: too small a
    /// scale makes the estimate biased, too large a one is least squares. Redescending windows (tukey, welsch) forget outliers,
    /// huber and fair only limit them. A line with an intercept is the kernel `polynomial` of degree 1 and offset 1.
    ///
    /// In the report: `figure/robust-outliers`.
    pub(crate) static ENTRY = LearnerEntry {
        name: "robust-ogd",
        summary: "online gradient descent on a robust loss in the kernel's space (Guo, Christmann, Shi, algorithm (5))",
        module: module_path!(),
        params: RobustOgdParams::SPECS,
        build: Recipe {
            learner: |params, setting| AnyLearner::full(RobustOgd::new(Parameters::read(params), setting)),
            cost: |_, rounds, dim| DescentExpansion::cost(rounds, dim),
            drawn_by: &[],
            about: About::grid(&[
                ("eta", Tried::Numbers(&[0.03, 0.1, 0.3, 1.0])),
                ("scale", Tried::Numbers(&[1.0, 3.0])),
                ("kernel.bandwidth", FEW_WIDTHS),
            ])
            .of(Kin::Robust),
        },
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::polynomial::Polynomial;
    use crate::parts::{AllParts, Defaults};
    use crate::window::WINDOWS;
    use noregret_numeric::draw::Role;
    use serde_json::json;

    /// With k(x, z) = 1 + x z, f is a line whose slope and intercept descend on the Huber loss.
    #[test]
    fn polynomials_of_degree_1_are_lines_with_an_intercept() {
        let (kernel, window) = (
            Arc::new(Polynomial::new(1, 1.0)),
            WINDOWS.choose(&json!({ "name": "huber" }), None, "", &AllParts).unwrap().object,
        );
        let (eta, scale) = (OrWord::Given(0.1), OrWord::Given(1.0));
        let params = RobustOgdParams { window, kernel, eta, scale, decay: 0.0, ..RobustOgdParams::default() };
        let mut learner = RobustOgd::new(params, &Setting::new(1)).unwrap();
        let draws = Draws::named(&["robust-ogd"]);
        let (mut slope, mut intercept) = (0.0, 0.0);
        for t in 1..=400 {
            let mut draw = draws.at(Role::Learn, t);
            let x = 2.0 * draw.uniform() - 1.0;
            let y = 3.0 + x + if t % 10 == 0 { 50.0 } else { 0.0 };
            let residual: f64 = slope * x + intercept - y;
            assert!((learner.predict(&[x], &mut draw) - residual - y).abs() < 1e-9);
            learner.learn(&[x], y, &mut draw).unwrap();
            let step = 0.1 * residual.clamp(-1.0, 1.0);
            slope -= step * x;
            intercept -= step;
        }
        // A tenth of the targets lie 50 above: the mean lies 5 above, this line less than .2.
        assert!((intercept - 3.0).abs() < 0.2 && (slope - 1.0).abs() < 0.2, "{slope} {intercept}");
    }
}
