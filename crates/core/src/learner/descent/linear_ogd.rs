//! linear-ogd: projected online gradient descent on the square loss, linear in the inputs:
//! p_t = <w, x_t>, w <- Proj(w - 2 eta (p_t - y_t) x_t).
//!
//! On clean data this is the noise-free baseline of Cesa-Bianchi, Shalev-Shwartz, Shamir. On one noisy copy, or on the
//! mean of k copies, it is their naive baseline, whose limit is (S + N/k)^-1 S w* with S = mean x x' and N = mean noise
//! covariance.

use crate::learner::about::{About, Kin, Tried};
use crate::learner::api::{AnyLearner, Cost, LearnerEntry, Recipe};
use crate::learner::descent::linear_descent::{LinearDescent, LinearDescentParams};
use crate::learner::entry::learner;
use crate::params::typed::Parameters;

learner! {
    /// ## Formula
    ///
    /// ```text
    /// p_t = <w, x_t>,   w <- Proj_W(w - 2 eta (p_t - y_t) x_t)
    /// ```
    ///
    /// ## Cost
    ///
    /// 2 d operations per round, d numbers.
    ///
    /// ## When to use it
    ///
    /// A baseline: what a linear function gains. Add a column of ones for an intercept.
    ///
    /// In the report: `figure/noisy-linear`.
    pub(crate) static ENTRY = LearnerEntry {
        name: "linear-ogd",
        summary: "projected online gradient descent on the square loss, linear in the inputs (Zinkevich 2003)",
        module: module_path!(),
        params: LinearDescentParams::SPECS,
        build: Recipe {
            learner: |params, setting| AnyLearner::full(LinearDescent::new(Parameters::read(params), setting)),
            cost: |_, rounds, dim| Cost { flops: rounds as f64 * (10 * dim + 20) as f64, bytes: 8.0 * dim as f64 },
            drawn_by: &[],
            about: About::grid(&[
                ("eta", Tried::Numbers(&[0.001, 0.003, 0.01, 0.03, 0.1])),
                ("radius", Tried::Numbers(&[1.0, 3.0, 10.0])),
            ])
            .of(Kin::Gradient),
        },
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learner::api::{Hypothesis, Learner};
    use noregret_numeric::draw::{Draws, Role};

    /// The first step gives w = 0.2 * 2 * (1, 0) = (0.4, 0). The second adds -0.2 * 2 * (0.8 - 4) * (2, 0) = (2.56, 0),
    /// and w is cut to length 1.
    #[test]
    fn two_rounds_by_hand() {
        let mut learner = LinearDescent::with_step(0.2, 1.0, 2);
        let draw = &mut Draws::named(&[]).at(Role::Learn, 1);
        learner.learn(&[1.0, 0.0], 1.0, draw).unwrap();
        assert_eq!(learner.weights(), [0.4, 0.0]);
        learner.learn(&[2.0, 0.0], 4.0, draw).unwrap();
        assert_eq!((learner.weights(), learner.gauges().norm), (&[1.0, 0.0][..], Some(1.0)));
    }
}
