//! Predictions of a Nystrom forecaster at many inputs.
//!
//! With k the kernel values of an input with the m points that span the dictionary, L their factor ([`crate::learner::ridge::basis`])
//! and R that of the regression ([`crate::learner::ridge::growing_ridge`]),
//!
//! ```text
//! u = R^-T L^-1 k = (L R')^-1 k,   ridge = u' z = k' c with c = L^-T R^-1 z,   h = |u|^2,   awv = ridge / (1 + h).
//! ```
//!
//! The ridge forecast is therefore a sum over the points, whose m coefficients are computed once. The denominator of AWV
//! needs a quadratic form of order m for each input: L and R' are lower triangles, and so is their product, so that one
//! solve of m^2 operations takes the place of two. It is done for many inputs at once, by matrix products.

use crate::kernel::api::Kernel;
use crate::learner::ridge::dictionary::{Dictionary, Projections};
use crate::learner::ridge::growing_ridge::GrowingRidge;
use crate::learner::ridge::sequential::Forecast;
use noregret_numeric::linalg::growing::Growing;
use noregret_numeric::linalg::matrix::{Matrix, Rows};

/// Panel height of the product of the factors.
const HEIGHT: usize = 128;

/// Inputs at a time: the factor is read once for each time.
const TOGETHER: usize = 512;

/// The product of the factors takes m^3 / 3 operations, which pay if there are more inputs than this fraction of m.
const WORTH: usize = 8;

/// Products of the factors, and coefficients, are used if the largest entries of their diagonals exceed the smallest by at
/// most this factor: what rounding errors grow by, of which predictions may differ by 1e-9. Points that nearly repeat exceed
/// it.
const LARGEST_SPREAD: f64 = 1e4;

/// What predictions need, computed after so many rounds with so many coordinates: a cache, invisible from outside.
#[derive(Debug, Default)]
pub(crate) struct Prepared(Option<(u64, usize, PlayedFunction)>);

/// It is made again where it is needed.
impl Clone for Prepared {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// The function that a forecaster plays.
#[derive(Debug)]
struct PlayedFunction {
    /// The points that span the dictionary.
    points: Matrix,
    /// c for ridge regression; z for AWV.
    weights: Vec<f64>,
    /// L R', for AWV.
    factor: Option<Growing>,
}

impl Prepared {
    /// Whether there is something.
    #[cfg(test)]
    pub(crate) fn is_made(&self) -> bool {
        self.0.is_some()
    }

    /// Writes the predictions at `inputs` after so many `rounds`. Returns false, and writes nothing, where each of them is
    /// better predicted from its coordinates: too few inputs, or factors that lose digits.
    pub(crate) fn predict(
        &mut self,
        forecast: Forecast,
        rounds: u64,
        dictionary: &Dictionary,
        ridge: &GrowingRidge,
        inputs: Rows<'_>,
        out: &mut [f64],
    ) -> bool {
        let m = ridge.len();
        let few = forecast == Forecast::Awv && WORTH * out.len() < m;
        let lower = (0..m).map(|i| dictionary.factor().row(i)[i]);
        let upper = (0..m).map(|i| ridge.factor().diagonal(i));
        if few || spread(lower) * spread(upper) > LARGEST_SPREAD {
            return false;
        }
        let current = self.0.as_ref().is_some_and(|(at, width, _)| (*at, *width) == (rounds, m));
        if !current {
            self.0 = Some((rounds, m, PlayedFunction::new(forecast, dictionary, ridge)));
        }
        if let Some((.., function)) = &self.0 {
            function.predict(dictionary.kernel(), inputs, out);
        }
        true
    }
}

/// Writes the predictions at `inputs`, each from its coordinates.
pub(crate) fn from_coordinates(
    forecast: Forecast,
    dictionary: &Dictionary,
    ridge: &GrowingRidge,
    inputs: Rows<'_>,
    out: &mut [f64],
) {
    let (mut points, mut rows) = (Projections::default(), Vec::new());
    for (from, out) in (0..).step_by(TOGETHER).zip(out.chunks_mut(TOGETHER)) {
        dictionary.project_rows(inputs.slice(from, from + out.len()), &mut points);
        rows.clear();
        (0..out.len()).for_each(|i| rows.extend_from_slice(points.psi(i)));
        ridge.predict_rows(forecast, &mut rows, out);
    }
}

impl PlayedFunction {
    fn new(forecast: Forecast, dictionary: &Dictionary, ridge: &GrowingRidge) -> Self {
        let (points, lower) = (dictionary.spanning(), dictionary.factor());
        match forecast {
            Forecast::Ridge => {
                let mut weights = ridge.weights();
                lower.solve_transposed(&mut weights);
                Self { points, weights, factor: None }
            }
            Forecast::Awv => {
                let factor = Some(lower.times_transposed(ridge.factor(), HEIGHT));
                Self { points, weights: ridge.whitened().to_vec(), factor }
            }
        }
    }

    fn predict(&self, kernel: &dyn Kernel, inputs: Rows<'_>, out: &mut [f64]) {
        let Self { points, weights, factor } = self;
        let Some(factor) = factor else {
            out.fill(0.0);
            return kernel.combine(points.view(), weights, inputs, out);
        };
        let mut rows = vec![0.0; TOGETHER.min(out.len()) * points.rows()];
        for (from, out) in (0..).step_by(TOGETHER).zip(out.chunks_mut(TOGETHER)) {
            let rows = &mut rows[..out.len() * points.rows()];
            kernel.gram(inputs.slice(from, from + out.len()), points.view(), rows);
            factor.solve_rows(rows, out.len());
            Forecast::Awv.of_rows(weights, rows, out);
        }
    }
}

/// The largest of some positive numbers over the smallest.
fn spread(numbers: impl Iterator<Item = f64>) -> f64 {
    let least_and_most = |(least, most): (f64, f64), number: f64| (least.min(number), most.max(number));
    let (least, most) = numbers.fold((f64::INFINITY, f64::MIN_POSITIVE), least_and_most);
    most / least
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::kernel::gaussian::Gaussian;
    use crate::learner::api::{Block, Hypothesis, Learner, Setting};
    use crate::learner::ridge::kors::{SampleWeights, SamplerParams};
    use crate::learner::ridge::nystrom::{DictionarySampling, Nystrom};
    use noregret_numeric::draw::{Draws, Role};

    /// A forecaster after rounds with these inputs, with a dictionary of nearly all of them.
    fn learnt(forecast: Forecast, inputs: Rows<'_>) -> Nystrom {
        let rule = SamplerParams { mu: 1e-3, beta: 1e3, epsilon: 0.5, weights: SampleWeights::Theory, least: 0.0 };
        let setting = Setting { dim: inputs.cols(), horizon: None, draws: Draws::named(&["rows"]) };
        let mut own =
            Nystrom::new(forecast, Arc::new(Gaussian::new(1.0)), 0.1, rule, DictionarySampling::Before, &setting);
        let targets: Vec<f64> = inputs.iter().map(|x| x.iter().sum::<f64>().sin()).collect();
        let block = Block { first_round: 1, inputs, targets: &targets };
        own.play(block, &setting.draws, &mut vec![0.0; targets.len()]).unwrap();
        own
    }

    fn uniform(dim: usize, count: usize, role: Role) -> Vec<f64> {
        let mut draw = Draws::named(&["rows"]).at(role, count as u64);
        (0..dim * count).map(|_| draw.between(-1.0, 1.0)).collect()
    }

    /// More points than a panel holds and more inputs than are taken together; and points of which every second one is 1e-5
    /// away from the one before it, whose factors lose digits.
    #[test]
    fn rows_are_predicted_as_one_by_one_and_bad_factors_are_not_multiplied() {
        let dim = 9;
        let apart = uniform(dim, 300, Role::Example);
        let near: Vec<f64> =
            apart.chunks(dim).flat_map(|x| [x.to_vec(), x.iter().map(|x| x + 1e-5).collect()]).flatten().collect();
        let new = uniform(dim, 700, Role::Predict);
        let new = Rows::new(dim, &new);
        for forecast in [Forecast::Ridge, Forecast::Awv] {
            for (points, sound) in [(&apart, true), (&near, false)] {
                let learner = learnt(forecast, Rows::new(dim, points));
                let m = learner.gauges().features.unwrap();
                assert!(m > 250, "{m}");
                let draw = |i: usize| Draws::named(&["rows"]).at(Role::Predict, i as u64);
                for rows in [700, 513, 3, 1] {
                    let mut together = vec![f64::NAN; rows];
                    learner.predict_rows(new.slice(0, rows), &draw, &mut together);
                    for (i, found) in together.iter().enumerate() {
                        let alone = learner.predict(new.row(i), &mut draw(i));
                        assert!((found - alone).abs() <= 1e-11, "{forecast:?}, {rows} rows, {i}: {found} {alone}");
                    }
                }
                assert_eq!(learner.prepared(), sound, "{forecast:?}");
            }
        }
    }

    /// A number below the probability and one above it give the two predictions that were told, and nothing changes by
    /// telling them.
    #[test]
    fn what_attending_will_do_is_known() {
        let rule = SamplerParams { mu: 1.0, beta: 1.0, epsilon: 0.5, weights: SampleWeights::Theory, least: 0.0 };
        let setting = Setting { dim: 1, horizon: None, draws: Draws::named(&["attended"]) };
        let new = |sample| Nystrom::new(Forecast::Awv, Arc::new(Gaussian::new(0.3)), 0.5, rule, sample, &setting);
        let said = |learner: &Nystrom, x: &[f64]| learner.predict(x, &mut setting.draws.at(Role::Predict, 1));
        let points = |learner: &Nystrom| learner.gauges().stored_points.unwrap();
        let draw = &mut setting.draws.at(Role::Example, 0);
        let mut learner = new(DictionarySampling::Before);
        let mut differ = 0;
        for round in 1..=40 {
            let (x, y) = ([draw.between(-1.0, 1.0)], draw.sign());
            let before = said(&learner, &x);
            let told = learner.attended(&x).unwrap();
            assert_eq!(said(&learner, &x), before);
            let mut taken = learner.clone();
            taken.attend_with(&x, 0.999 * told.probability).unwrap();
            let mut left = learner.clone();
            left.attend_with(&x, told.probability).unwrap();
            assert_eq!(points(&taken), points(&learner) + 1, "round {round}");
            assert_eq!((said(&taken, &x), said(&left, &x)), (told.prediction, before), "round {round}");
            differ += usize::from(told.prediction != before);
            let uniform = draw.uniform();
            learner.attend_with(&x, uniform).unwrap();
            learner.learn_with(&x, y, 0.0).unwrap();
        }
        assert!(differ > 30, "{differ}");
        assert_eq!(new(DictionarySampling::After).attended(&[0.0]), None);
    }
}
