//! Runs of KORS over points in the plane, with the Gaussian kernel of bandwidth 0.3.

use noregret_core::kernel::api::Kernel;
use noregret_core::kernel::gaussian::Gaussian;
use noregret_core::learner::ridge::kors::{Kors, SampleWeights, SamplerParams};
use noregret_numeric::draw::Draw;
use noregret_numeric::linalg::matrix::Matrix;

/// A point that was offered to the dictionary.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfferedPoint {
    /// The probability with which it enters.
    pub(crate) probability: f64,
    /// Whether it entered.
    pub(crate) entered: bool,
}

/// `count` uniform points in the unit square.
pub(crate) fn points(count: usize, draw: &mut Draw) -> Matrix {
    let mut points = Matrix::with_width(2);
    (0..count).for_each(|_| points.push_row(&[draw.uniform(), draw.uniform()]));
    points
}

/// Offers the points in order, with mu = 1 and epsilon = 1/2. Ends early if a score is not finite.
pub(crate) fn run(points: &Matrix, beta: f64, weights: SampleWeights, draw: &mut Draw) -> Vec<OfferedPoint> {
    let kernel = Gaussian::new(0.3);
    let mut sampler = Kors::new(SamplerParams { mu: 1.0, beta, epsilon: 0.5, weights, least: 0.0 });
    let mut members = Matrix::with_width(points.cols());
    let mut offers = Vec::with_capacity(points.rows());
    for point in points.view().iter() {
        let mut row = vec![0.0; members.rows()];
        kernel.row(members.view(), point, &mut row);
        let Ok(probability) = sampler.probability(&row, 1.0) else { break };
        let entered = draw.uniform() < probability;
        if entered {
            sampler.accept(1.0, probability);
            members.push_row(point);
        }
        offers.push(OfferedPoint { probability, entered });
    }
    offers
}
