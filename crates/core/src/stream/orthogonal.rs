//! Inputs so far apart that they are orthogonal in the space of any kernel that vanishes at large distances, with
//! labels that cannot be learnt. This is the hardest problem for gradient descent, and its regret is known in closed
//! form ([`crate::theory::iln::orthogonal_regret`]).

use std::sync::Arc;

use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind, Range};
use crate::stream::api::{EXAMPLE, Reach, Source, StreamEntry};
use noregret_numeric::draw::Draws;

/// The registry's line.
pub(crate) static ENTRY: StreamEntry = StreamEntry {
    name: "orthogonal",
    summary: "x_t = spacing t, y = -1 or +1 with probability 1/2: orthogonal under narrow Gaussian kernels",
    module: module_path!(),
    params: OrthogonalParams::SPECS,
    build: |params| Ok(Arc::new(Orthogonal { spacing: OrthogonalParams::read(params).spacing })),
};

parameters! {
    /// Parameters of `orthogonal`.
    pub(crate) struct OrthogonalParams {
        /// distance between neighbouring inputs; from 39 bandwidths on, Gaussian kernel values are exactly 0
        spacing: f64 = Kind::real(Range::POSITIVE) => Fallback::Real(40.0);
    }
}

/// The law; see the module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Orthogonal {
    spacing: f64,
}

impl Source for Orthogonal {
    fn dim(&self) -> usize {
        1
    }

    fn example(&self, round: u64, draws: &Draws, x: &mut [f64]) -> f64 {
        x.fill((self.spacing * round as f64).min(f64::MAX));
        draws.at(EXAMPLE, round).sign()
    }

    fn reach(&self) -> Option<Reach> {
        Some(Reach { input: f64::INFINITY, target: 1.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparator::norm_ball::NormBall;
    use crate::feature::cosine::Cosine;
    use crate::kernel::api::Kernel;
    use crate::kernel::infinite_layer::InfiniteLayer;
    use crate::learner::api::{Block, Learner};
    use crate::learner::layers::draw_count::{DrawCount, Precision};
    use crate::learner::layers::shrinking_gradient::ShrinkingGradient;
    use crate::theory::iln::{orthogonal_regret, theorem1_eta, theorem1_regret};
    use noregret_numeric::linalg::matrix::Matrix;

    /// The measured regret, sampled or exact, equals the closed form to a relative error of 1e-6 or less, and lies
    /// below the theorem's bound. Traces hold squared losses, which are twice those of the theorem.
    #[test]
    fn regret_is_the_closed_form() {
        let (law, draws) = (Orthogonal { spacing: 40.0 }, Draws::named(&["orthogonal"]));
        for rounds in [128usize, 512] {
            let (mut inputs, mut targets) = (Matrix::zeros(rounds, 1), vec![0.0; rounds]);
            law.fill(1, &draws, inputs.data_mut(), &mut targets);
            for bound in [1.0, 2.0] {
                let (family, eta) = (Arc::new(Cosine::new(1.0)), theorem1_eta(rounds as f64, bound));
                let kernel = InfiniteLayer::new(family.clone());
                assert_eq!(kernel.evaluate(&[0.0], &[40.0]), 0.0);
                let best = NormBall::over_kernel(&kernel, inputs.view(), &targets).unwrap().loss(bound);
                for count in [DrawCount::Fixed(rounds as u64), DrawCount::Exact] {
                    let mut learner =
                        ShrinkingGradient::over(family.clone(), 1, bound, eta, count, Precision::AsLearning);
                    let mut predictions = vec![f64::NAN; rounds];
                    let block = Block { first_round: 1, inputs: inputs.view(), targets: &targets };
                    learner.play(block, &draws, &mut predictions).unwrap();
                    let loss: f64 = predictions.iter().zip(&targets).map(|(p, y)| (p - y).powi(2)).sum();
                    let (regret, horizon) = (0.5 * (loss - best), rounds as f64);
                    let expected = orthogonal_regret(horizon, bound, 0.5f64.sqrt());
                    assert!((regret - expected).abs() < 1e-6 * expected, "{count:?}: {regret} {expected}");
                    assert!(regret < theorem1_regret(horizon, bound, eta, 0.0));
                }
            }
        }
    }
}
