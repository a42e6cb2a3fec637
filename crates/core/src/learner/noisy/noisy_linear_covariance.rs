//! noisy-linear-covariance: linear predictors from one noisy copy and the covariance of its noise (Algorithm 2).

use crate::learner::about::{About, Compared, Kin};
use crate::learner::api::{
    AnyLearner, Breakdown, Cost, Gauges, Hypothesis, LearnerEntry, OracleLearner, Recipe, Setting,
};
use crate::learner::descent::linear_descent::LinearDescent;
use crate::learner::descent::step;
use crate::learner::entry::learner;
use crate::noise::api::Oracle;
use crate::params::typed::{OrWord, Parameters, parameters};
use crate::params::{Fallback, Kind, ParamError, Range};
use crate::theory::noisy;
use noregret_numeric::draw::Draw;
use noregret_numeric::linalg::covariance::Covariance;
use noregret_numeric::state::{StateError, Store};

/// g_t = 2 (<w, x~> - y~) x~ - 2 Sigma_t w. The mean of the first term is 2 (<w, x> - y) x + 2 Sigma_t w.
///
/// The paper prints - Sigma_t w, which leaves half of the bias. The mean above, and 4e6 samples of it, show that 2 is
/// right.
#[derive(Clone, Debug)]
pub struct KnownCovariance {
    function: LinearDescent,
    /// The covariance, if it is known beforehand; `None` if the oracle tells the covariance of each round.
    covariance: Option<Covariance>,
    /// 2, or 1 as published.
    factor: f64,
    copy: Vec<f64>,
    correction: Vec<f64>,
}

impl KnownCovariance {
    /// Starts at w = 0.
    ///
    /// # Errors
    /// Values out of range, a covariance for other inputs, or a step that needs an unknown number of rounds or is not a
    /// positive finite number.
    pub fn new(params: KnownCovarianceParams, setting: &Setting) -> Result<Self, ParamError> {
        params.check()?;
        let KnownCovarianceParams { eta, eta_factor, radius, input_bound, target_bound, .. } = params;
        let covariance = params.covariance.as_ref().ok().cloned();
        if let Some(covariance) = &covariance {
            covariance.fits(setting.dim).map_err(|why| ParamError::refused("covariance", why))?;
        }
        let largest = covariance.as_ref().map_or(params.covariance_bound, Covariance::largest);
        let moment = || noisy::covariance_moment(radius, input_bound, target_bound, largest);
        let eta = step::noisy_eta(&eta, eta_factor, radius, setting, moment)?;
        Ok(Self {
            function: LinearDescent::with_step(eta, radius, setting.dim),
            covariance,
            factor: if params.as_published { 1.0 } else { 2.0 },
            copy: vec![0.0; setting.dim],
            correction: vec![0.0; setting.dim],
        })
    }

    /// w.
    pub fn weights(&self) -> &[f64] {
        self.function.weights()
    }
}

impl Hypothesis for KnownCovariance {
    fn predict(&self, x: &[f64], _: &mut Draw) -> f64 {
        self.function.evaluate(x)
    }

    fn gauges(&self) -> Gauges {
        self.function.gauges()
    }

    fn measures(&self) -> Vec<(&'static str, f64)> {
        self.function.measures()
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let Self { function, covariance: _, factor: _, copy: _, correction: _ } = self;
        function.state(store)
    }
}

impl OracleLearner for KnownCovariance {
    fn learn(&mut self, oracle: &mut dyn Oracle, _: &mut Draw) -> Result<(), Breakdown> {
        let Self { function, covariance, factor, copy, correction } = self;
        oracle.x(copy);
        let residual = function.evaluate(copy) - oracle.y();
        match covariance {
            Some(covariance) => covariance.apply(function.weights(), correction),
            None => oracle.covariance_times(function.weights(), correction),
        }
        correction.iter_mut().for_each(|entry| *entry *= -*factor);
        function.step(2.0 * residual, copy, correction)
    }
}

parameters! {
    /// Parameters of [`KnownCovariance`].
    pub struct KnownCovarianceParams {
        eta: OrWord<f64> = step::NOISY_ETA;
        eta_factor: f64 = step::ETA_FACTOR;
        radius: f64 = step::RADIUS;
        /// covariance of the noise on the inputs (Sigma); oracle: the oracle tells it in each round
        covariance: OrWord<Covariance> = Kind::Covariance { words: &["oracle"] } => Fallback::Word("oracle");
        /// subtract Sigma w from the gradient, as printed, instead of 2 Sigma w; this leaves half of the bias
        as_published: bool = Kind::Flag => Fallback::Flag(false);
        /// bound on (E|x~|^4)^(1/4) of the noisy inputs (B), for eta = theory
        input_bound: f64 = Kind::real(Range::POSITIVE) => Fallback::Real(1.0);
        target_bound: f64 = step::TARGET_BOUND;
        /// bound on the largest eigenvalue of the covariances that the oracle tells (B_S), for eta = theory
        covariance_bound: f64 = Kind::real(Range::NONNEGATIVE) => Fallback::Real(1.0);
    }
}

learner! {
    /// ## Formula
    ///
    /// ```text
    /// w <- Proj_W(w - eta (2 (<w, x~> - y~) x~ - 2 Sigma w)),   Sigma the covariance of the noise
    /// ```
    ///
    /// ## Cost
    ///
    /// 3 d operations per round (d^2 with a full covariance), one copy.
    ///
    /// ## When to use it
    ///
    /// Linear functions behind noise of known covariance. The printed algorithm subtracts Sigma w and keeps half of the bias:
    /// `as_published = true` shows it.
    ///
    /// In the report: `figure/noisy-linear`.
    pub(crate) static ENTRY = LearnerEntry {
        name: "noisy-linear-covariance",
        summary: "linear, square loss, noise of known covariance, one copy of x_t (Cesa-Bianchi, Shalev-Shwartz, Shamir, Algorithm 2 corrected)",
        module: module_path!(),
        params: KnownCovarianceParams::SPECS,
        build: Recipe {
            learner: |params, setting| AnyLearner::noisy(KnownCovariance::new(Parameters::read(params), setting)),
            cost: |params, rounds, dim| {
                let KnownCovarianceParams { covariance, .. } = Parameters::read(params);
                let full = covariance.as_ref().is_ok_and(|covariance| covariance.as_matrix().is_some());
                let product = if full { 2 * dim * dim } else { dim };
                Cost { flops: rounds as f64 * (25 * dim + product + 50) as f64, bytes: 24.0 * (dim + product) as f64 }
            },
            drawn_by: &[],
            about: About::new(Compared::Absent("it learns from noisy copies only")).of(Kin::Noisy),
        },
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::Defaults;
    use noregret_numeric::draw::{Draws, Role};

    /// An oracle whose copies are all the same.
    struct Fixed;

    impl Oracle for Fixed {
        fn dim(&self) -> usize {
            1
        }

        fn x(&mut self, out: &mut [f64]) {
            out.fill(1.0);
        }

        fn y(&mut self) -> f64 {
            2.0
        }

        fn covariance_times(&mut self, w: &[f64], out: &mut [f64]) {
            out[0] = 0.25 * w[0];
        }
    }

    /// The first step gives w = 0.4; then g = 2 (0.4 - 2) - c 0.25 * 0.4 with c = 2, or c = 1 as printed.
    #[test]
    fn twice_the_covariance_is_taken_off() {
        let oracle = OrWord::Word("oracle");
        let known = Covariance::isotropic(0.25).unwrap().into();
        for (covariance, as_published, factor) in
            [(oracle.clone(), false, 2.0), (oracle, true, 1.0), (known, false, 2.0)]
        {
            let (eta, radius) = (0.1.into(), 10.0);
            let params =
                KnownCovarianceParams { eta, radius, covariance, as_published, ..KnownCovarianceParams::default() };
            let mut learner = KnownCovariance::new(params, &Setting::new(1)).unwrap();
            let draw = &mut Draws::named(&[]).at(Role::Learn, 1);
            learner.learn(&mut Fixed, draw).unwrap();
            learner.learn(&mut Fixed, draw).unwrap();
            let expected = 0.4 - 0.1 * (2.0 * (0.4 - 2.0) - factor * 0.25 * 0.4);
            assert!((learner.weights()[0] - expected).abs() < 1e-15);
        }
    }
}
