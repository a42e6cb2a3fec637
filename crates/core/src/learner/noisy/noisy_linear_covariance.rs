//! noisy-linear-covariance: linear predictors from one noisy copy and the covariance of its noise (Algorithm 2).

use crate::learner::api::{
    AnyLearner, Breakdown, Cost, Gauges, Hypothesis, LearnerEntry, OracleLearner, Recipe, Setting,
};
use crate::learner::descent::linear_descent::LinearDescent;
use crate::learner::descent::step::{self, ETA_FACTOR, INPUT_BOUND, NOISY_ETA, RADIUS, TARGET_BOUND};
use crate::noise::api::Oracle;
use crate::params::{Fallback, Kind, ParamError, Params, Range, Spec};
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
    /// Starts at w = 0 in R^`dim`; `covariance` fits `dim` columns. `as_published` keeps the misprint.
    pub fn new(eta: f64, radius: f64, covariance: Option<Covariance>, as_published: bool, dim: usize) -> Self {
        Self {
            function: LinearDescent::new(eta, radius, dim),
            covariance,
            factor: if as_published { 1.0 } else { 2.0 },
            copy: vec![0.0; dim],
            correction: vec![0.0; dim],
        }
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

const COVARIANCE: &str = "covariance";
const COVARIANCE_BOUND: &str = "covariance_bound";
const AS_PUBLISHED: &str = "as_published";

fn build(params: &Params, setting: &Setting) -> Result<AnyLearner, ParamError> {
    let [radius, inputs, targets] = [RADIUS, INPUT_BOUND, TARGET_BOUND].map(|spec| params.real(spec.name));
    let covariance = params.covariance_or_word(COVARIANCE).ok().cloned();
    if let Some(covariance) = &covariance {
        covariance.fits(setting.dim).map_err(|why| ParamError::refused(COVARIANCE, why))?;
    }
    let largest = covariance.as_ref().map_or_else(|| params.real(COVARIANCE_BOUND), Covariance::largest);
    let eta = step::noisy_eta(params, setting, || noisy::covariance_moment(radius, inputs, targets, largest))?;
    let learner = KnownCovariance::new(eta, radius, covariance, params.flag(AS_PUBLISHED), setting.dim);
    Ok(AnyLearner::Noisy(Box::new(learner)))
}

/// Registry entry.
pub(crate) static ENTRY: LearnerEntry = LearnerEntry {
    name: "noisy-linear-covariance",
    summary: "linear, square loss, noise of known covariance, one copy of x_t (Cesa-Bianchi, Shalev-Shwartz, Shamir, Algorithm 2 corrected)",
    module: module_path!(),
    params: &[
        NOISY_ETA,
        ETA_FACTOR,
        RADIUS,
        Spec {
            name: COVARIANCE,
            doc: "covariance of the noise on the inputs (Sigma); oracle: the oracle tells it in each round",
            kind: Kind::Covariance { words: &["oracle"] },
            default: Fallback::Word("oracle"),
        },
        Spec {
            name: AS_PUBLISHED,
            doc: "subtract Sigma w from the gradient, as printed, instead of 2 Sigma w; this leaves half of the bias",
            kind: Kind::Flag,
            default: Fallback::Flag(false),
        },
        Spec {
            name: "input_bound",
            doc: "bound on (E|x~|^4)^(1/4) of the noisy inputs (B), for eta = theory",
            ..INPUT_BOUND
        },
        Spec {
            name: "target_bound",
            doc: "bound on (E y~^2)^(1/2) of the noisy targets (B_y), for eta = theory",
            ..TARGET_BOUND
        },
        Spec {
            name: COVARIANCE_BOUND,
            doc: "bound on the largest eigenvalue of the covariances that the oracle tells (B_S), for eta = theory",
            kind: Kind::Real { range: Range::NONNEGATIVE, words: &[] },
            default: Fallback::Real(1.0),
        },
    ],
    build: Recipe {
        learner: build,
        cost: |params, rounds, dim| {
            let full = params.covariance_or_word(COVARIANCE).is_ok_and(|covariance| covariance.as_matrix().is_some());
            let product = if full { 2 * dim * dim } else { dim };
            Cost { flops: rounds as f64 * (25 * dim + product + 50) as f64, bytes: 24.0 * (dim + product) as f64 }
        },
        drawn_by: &[],
    },
};

#[cfg(test)]
mod tests {
    use super::*;
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
        for (known, as_published, factor) in
            [(None, false, 2.0), (None, true, 1.0), (Some(Covariance::isotropic(0.25).unwrap()), false, 2.0)]
        {
            let mut learner = KnownCovariance::new(0.1, 10.0, known, as_published, 1);
            let draw = &mut Draws::named(&[]).at(Role::Learn, 1);
            learner.learn(&mut Fixed, draw).unwrap();
            learner.learn(&mut Fixed, draw).unwrap();
            let expected = 0.4 - 0.1 * (2.0 * (0.4 - 2.0) - factor * 0.25 * 0.4);
            assert!((learner.weights()[0] - expected).abs() < 1e-15);
        }
    }
}
