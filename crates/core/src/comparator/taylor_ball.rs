//! taylor-ball: the best function of the Taylor features in a ball, min sum_t loss(u' phi(x_t), y_t) over |u| <= U.

use crate::comparator::api::{self, Best, Comparator, ComparatorEntry, ComparatorError, smooth};
use crate::comparator::convex;
use crate::comparator::norm_ball::NormBall;
use crate::comparator::taylor::{self, TaylorSpan};
use crate::loss::api::Loss;
use crate::params::typed::{Parameters, parameters};
use noregret_numeric::linalg::matrix::Rows;

parameters! {
    /// Parameters of `taylor-ball`.
    pub struct TaylorBallParams {
        radius: f64 = api::RADIUS;
        bandwidth: f64 = taylor::BANDWIDTH;
        order: u64 = taylor::ORDER;
    }
}

/// Registry entry.
pub(crate) static ENTRY: ComparatorEntry = ComparatorEntry {
    name: "taylor-ball",
    summary: "min sum loss(u' phi(x_t), y_t) over |u| <= radius, phi the Taylor features of the Gaussian kernel",
    module: module_path!(),
    params: TaylorBallParams::SPECS,
    build: |params| {
        let TaylorBallParams { radius, bandwidth, order } = Parameters::read(params);
        Ok(Box::new(TaylorBall { space: TaylorSpan::new(bandwidth, order), radius }))
    },
};

struct TaylorBall {
    space: TaylorSpan,
    radius: f64,
}

impl Comparator for TaylorBall {
    fn solve(&self, inputs: Rows<'_>, targets: &[f64]) -> Result<Best, ComparatorError> {
        let loss = NormBall::over_features(self.space.rows(inputs)?.view(), targets)?.loss(self.radius);
        Ok(Best::of(loss))
    }

    fn accepts(&self, loss: &dyn Loss) -> Result<(), String> {
        smooth(loss)
    }

    fn solve_for(&self, loss: &dyn Loss, inputs: Rows<'_>, targets: &[f64]) -> Result<Best, ComparatorError> {
        let loss = convex::minimise(self.space.rows(inputs)?.view(), targets, loss, self.radius)?.loss;
        Ok(Best::of(loss))
    }

    /// A few tens of Newton steps, for losses other than the squared one.
    fn cost(&self, rounds: u64, dim: usize) -> (f64, f64) {
        let (n, r) = (rounds as f64, self.space.size(dim));
        (30.0 * (n * r * r + r * r * r), 16.0 * n * r)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::logistic::Logistic;
    use crate::loss::squared::Squared;
    use crate::params::Params;
    use crate::params::check::check;
    use crate::parts::AllParts;
    use noregret_numeric::draw::{Draws, Role};
    use noregret_numeric::linalg::matrix::Matrix;

    fn params(text: &str) -> Params {
        check(ENTRY.params, &text.parse::<toml::Table>().unwrap(), "", &AllParts).unwrap()
    }

    /// One feature exp(-x^2 / 2): both ways to minimise squares agree, and the logistic loss of separable labels is least
    /// at the end of the ball.
    #[test]
    fn one_feature_by_hand() {
        let (n, mut draw) = (50, Draws::named(&["taylor-ball"]).at(Role::Start, 0));
        let mut inputs = Matrix::zeros(n, 1);
        inputs.data_mut().iter_mut().for_each(|entry| *entry = draw.normal());
        let bump: Vec<f64> = inputs.data().iter().map(|x| (-0.5 * x * x).exp()).collect();
        let targets: Vec<f64> = bump.iter().map(|phi| 1.5 * phi + 0.1 * draw.normal()).collect();
        for radius in [0.3, 5.0] {
            let ball = (ENTRY.build)(&params(&format!("order = 0\nradius = {radius:?}"))).unwrap();
            let exact = ball.solve(inputs.view(), &targets).unwrap().loss;
            let steps = ball.solve_for(&Squared, inputs.view(), &targets).unwrap().loss;
            assert!((exact - steps).abs() <= 1e-9 * exact, "{radius}: {exact} {steps}");
            let logistic = ball.solve_for(&Logistic, inputs.view(), &vec![1.0; n]).unwrap().loss;
            let end: f64 = bump.iter().map(|phi| (-radius * phi).exp().ln_1p()).sum();
            assert!((logistic - end).abs() < 1e-8, "{radius}: {logistic} {end}");
        }
    }

    #[test]
    fn too_many_features_are_refused() {
        let ball = (ENTRY.build)(&params("order = 40")).unwrap();
        let found = ball.solve(Matrix::zeros(3, 20).view(), &[0.0; 3]);
        assert!(matches!(found, Err(ComparatorError::TooManyFeatures(_))));
    }
}
