//! noisy-linear-two-copy: linear predictors from two noisy copies of each input (Algorithm 1).

use crate::learner::about::{About, Compared, Kin};
use crate::learner::api::{
    AnyLearner, Breakdown, Cost, Gauges, Hypothesis, LearnerEntry, OracleLearner, Recipe, Setting,
};
use crate::learner::descent::linear_descent::{LinearDescent, LinearDescentParams};
use crate::learner::entry::learner;
use crate::noise::api::Oracle;
use crate::params::ParamError;
use crate::params::typed::Parameters;
use noregret_numeric::draw::Draw;
use noregret_numeric::state::{StateError, Store};

/// g_t = 2 (<w, x1> - y~) x2 with independent copies x1, x2, y~: an unbiased estimate of the gradient of (<w, x> - y)^2
/// for any noise of mean 0, known or unknown.
#[derive(Clone, Debug)]
pub struct TwoCopy {
    function: LinearDescent,
    copies: [Vec<f64>; 2],
}

impl TwoCopy {
    /// Starts at w = 0.
    ///
    /// # Errors
    /// As [`LinearDescent::new`].
    pub fn new(params: TwoCopyParams, setting: &Setting) -> Result<Self, ParamError> {
        let copies = [(); 2].map(|()| vec![0.0; setting.dim]);
        Ok(Self { function: LinearDescent::new(params, setting)?, copies })
    }

    /// w.
    pub fn weights(&self) -> &[f64] {
        self.function.weights()
    }

    /// One update: `first` enters the residual, `second` is the direction.
    ///
    /// # Errors
    /// If w leaves the range of floating point.
    pub fn step(&mut self, first: &[f64], second: &[f64], y: f64) -> Result<(), Breakdown> {
        let residual = self.function.evaluate(first) - y;
        self.function.step(2.0 * residual, second, &[])
    }
}

impl Hypothesis for TwoCopy {
    fn predict(&self, x: &[f64], draw: &mut Draw) -> f64 {
        self.function.predict(x, draw)
    }

    fn gauges(&self) -> Gauges {
        self.function.gauges()
    }

    fn measures(&self) -> Vec<(&'static str, f64)> {
        self.function.measures()
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let Self { function, copies: _ } = self;
        function.state(store)
    }
}

impl OracleLearner for TwoCopy {
    fn learn(&mut self, oracle: &mut dyn Oracle, _: &mut Draw) -> Result<(), Breakdown> {
        self.copies.iter_mut().for_each(|copy| oracle.x(copy));
        let y = oracle.y();
        let copies = std::mem::take(&mut self.copies);
        let outcome = self.step(&copies[0], &copies[1], y);
        self.copies = copies;
        outcome
    }
}

/// Parameters of [`TwoCopy`].
pub type TwoCopyParams = LinearDescentParams;

learner! {
    /// ## Formula
    ///
    /// ```text
    /// x~, x~' two independent noisy copies of x_t, y~ a noisy copy of y_t
    /// w <- Proj_W(w - 2 eta (<w, x~> - y~) x~')
    /// ```
    ///
    /// ## Cost
    ///
    /// 3 d operations and two copies per round.
    ///
    /// ## When to use it
    ///
    /// Linear functions behind noise of unknown law. The product of two independent copies makes the gradient unbiased; with
    /// one copy (linear-ogd) the limit is a shrunk w.
    ///
    /// In the report: `figure/noisy-linear`.
    pub(crate) static ENTRY = LearnerEntry {
        name: "noisy-linear-two-copy",
        summary: "linear, square loss, unknown noise, two copies of x_t (Cesa-Bianchi, Shalev-Shwartz, Shamir, Algorithm 1)",
        module: module_path!(),
        params: TwoCopyParams::SPECS,
        build: Recipe {
            learner: |params, setting| AnyLearner::noisy(TwoCopy::new(Parameters::read(params), setting)),
            cost: |_, rounds, dim| Cost { flops: rounds as f64 * (30 * dim + 50) as f64, bytes: 24.0 * dim as f64 },
            drawn_by: &[],
            about: About::new(Compared::Absent("it learns from noisy copies only")).of(Kin::Noisy),
        },
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::Defaults;

    /// With eta = 1: g = 2 (0 - 1) (2, 0), hence w = (4, 0); then g = 2 (4 - 1) (0, 1).
    #[test]
    fn the_first_copy_is_in_the_residual() {
        let params = TwoCopyParams { eta: 1.0.into(), radius: 100.0, ..TwoCopyParams::default() };
        let mut learner = TwoCopy::new(params, &Setting::new(2)).unwrap();
        learner.step(&[5.0, 5.0], &[2.0, 0.0], 1.0).unwrap();
        assert_eq!(learner.weights(), [4.0, 0.0]);
        learner.step(&[1.0, 0.0], &[0.0, 1.0], 1.0).unwrap();
        assert_eq!(learner.weights(), [4.0, -6.0]);
    }
}
