//! kons: kernel online Newton steps in the whole function space.

use crate::learner::about::{About, FEW_WIDTHS, Kin, Tried};
use crate::learner::api::{AnyLearner, Cost, LearnerEntry, Recipe};
use crate::learner::entry::learner;
use crate::learner::newton::kons_dual::{Dual, DualParams};
use crate::params::typed::Parameters;

/// Newton steps that keep every round: what [`Dual`] is as a learner.
pub type Kons = Dual;

/// Parameters of [`Kons`].
pub type KonsParams = DualParams;

learner! {
    /// ## Formula
    ///
    /// ```text
    /// g_s = 2 (p_s - y_s),   A_t = alpha I + sum_{s <= t} g_s^2 / (8 C^2) phi(x_s) phi(x_s)'
    /// v_{t+1} = w_t - A_t^-1 g_t phi(x_t),   w_t = v_t projected in the norm of A_{t-1} so that |w_t(x_t)| <= C
    /// ```
    ///
    /// ## Cost
    ///
    /// t^2 operations in round t, t^2 / 2 numbers in all.
    ///
    /// ## When to use it
    ///
    /// To compare with online Newton steps in the papers. Its step assumes that targets and predictions stay within `clip`.
    pub(crate) static ENTRY = LearnerEntry {
        name: "kons",
        summary: "kernel online Newton steps over all rounds (Calandriello, Lazaric, Valko, ICML 2017)",
        module: module_path!(),
        params: KonsParams::SPECS,
        build: Recipe {
            learner: |params, setting| AnyLearner::full(Kons::new(Parameters::read(params), setting)),
            cost: |_, rounds, dim| {
                let (n, d) = (rounds as f64, dim as f64);
                Cost { flops: n * n * n / 3.0 + n * n / 2.0 * (3.0 * d + 24.0), bytes: 8.0 * n * (n / 2.0 + d + 4.0) }
            },
            drawn_by: &[],
            about: About::grid(&[
                ("alpha", Tried::Numbers(&[0.01, 0.1, 1.0, 10.0])),
                ("clip", Tried::TargetBound),
                ("kernel.bandwidth", FEW_WIDTHS),
            ])
            .of(Kin::Newton),
        },
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::linear::Linear;
    use crate::learner::api::{Hypothesis, Learner, Setting};
    use noregret_numeric::draw::{Draws, Role};
    use std::sync::Arc;

    /// With the linear kernel on R, the dual form is Newton's method on one number.
    #[test]
    fn one_dimension_in_primal_form() {
        let (alpha, clip) = (0.4, 0.5);
        let mut learner = Kons::new(KonsParams { alpha, clip, kernel: Arc::new(Linear) }, &Setting::new(1)).unwrap();
        let draw = &mut Draws::named(&["kons"]).at(Role::Example, 0);
        let (mut v, mut a) = (0.0, alpha);
        for round in 0..40 {
            let (x, y) = (draw.between(-1.0, 1.0), draw.between(-1.0, 1.0));
            let p = (v * x).clamp(-clip, clip);
            let found = learner.predict(&[x], draw);
            assert!((found - p).abs() < 1e-12, "{round}: {found} {p}");
            let w = p / x;
            let g = 2.0 * (p - y) * x;
            a += g * g / (8.0 * clip * clip);
            v = w - g / a;
            learner.learn(&[x], y, draw).unwrap();
        }
    }
}
