//! Labels whose conditional mean is a function in the space of an infinite-layer network.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::feature::api::FeatureMap;
use crate::feature::discrete::Discrete;
use crate::feature::family::Family;
use crate::kernel::api::Kernel;
use crate::learner::api::Hypothesis;
use crate::learner::said::Estimated;
use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind, ParamError, PartKind, Range};
use crate::stream::api::{EXAMPLE, Reach, Source, StreamEntry};
use noregret_numeric::draw::{Draw, Draws, Role};
use noregret_numeric::linalg::matrix::Matrix;
use noregret_numeric::linalg::vector::{add_scaled, dot, squared_norm};

/// The registry's line.
pub(crate) static ENTRY: StreamEntry = StreamEntry {
    name: "infinite-layer",
    summary: "x ~ N(0, I_d), y = -1 or +1 with mean f*(x), f* = sum_j c_j k(z_j, x) of norm at most `norm` in the layer's space",
    module: module_path!(),
    params: InfiniteLayerStreamParams::SPECS,
    build: |params| Ok(Arc::new(InfiniteLayerStream::new(Parameters::read(params))?)),
};

parameters! {
    /// Parameters of `infinite-layer`.
    pub(crate) struct InfiniteLayerStreamParams {
        /// d: number of inputs
        dim: u64 = Kind::integer(1, 10_000) => Fallback::Integer(4);
        /// number of centres z_j ~ N(0, I_d), with weights c_j ~ N(0, 1) before scaling
        centres: u64 = Kind::integer(1, 10_000) => Fallback::Integer(8);
        /// norm of f*, or sum_j |c_j| where k has no closed form, which bounds it; at most 1, so that |f*| <= 1
        norm: f64 =
            Kind::real(Range { min: 0.0, min_open: false, max: 1.0, max_open: false }) => Fallback::Real(1.0);
        /// the neurons psi(x; w), with any law
        feature: Arc<dyn Family> = Kind::Part(PartKind::Feature) => Fallback::Part("cosine");
    }
}

/// The law; see the module.
#[derive(Debug)]
pub(crate) struct InfiniteLayerStream {
    space: LayerSpace,
    dim: usize,
    centres: usize,
    norm: f64,
    /// f* of each replicate that was asked for, by the first number that its draws give.
    functions: Mutex<BTreeMap<u64, Arc<LayerFunction>>>,
}

/// The layer's space.
#[derive(Clone, Debug)]
enum LayerSpace {
    Closed(Arc<dyn Kernel>),
    Finite(Arc<dyn FeatureMap>),
    /// Known through its neurons alone.
    Sampled(Arc<dyn Family>),
}

impl LayerSpace {
    fn of(family: Arc<dyn Family>, dim: usize) -> Self {
        let known = family.finite(dim).map(LayerSpace::Finite).or_else(|| family.kernel().map(LayerSpace::Closed));
        known.unwrap_or(LayerSpace::Sampled(family))
    }
}

/// f*, as an expansion over centres or over the neurons of a finite mu.
#[derive(Debug)]
enum LayerFunction {
    Expanded {
        kernel: Arc<dyn Kernel>,
        centres: Matrix,
        weights: Vec<f64>,
    },
    Finite {
        map: Arc<dyn FeatureMap>,
        weights: Vec<f64>,
    },
    /// sum_j c_j k(z_j, .) for a kernel that is known through its neurons alone.
    Sampled {
        family: Arc<dyn Family>,
        centres: Matrix,
        weights: Vec<f64>,
        /// sum_j |c_j|.
        norm: f64,
        /// f* over [`REFERENCE_NEURONS`] neurons, up to an error of mean square at most norm^2 / REFERENCE_NEURONS.
        reference: Box<LayerFunction>,
    },
}

impl LayerFunction {
    fn at(&self, x: &[f64]) -> f64 {
        match self {
            LayerFunction::Expanded { kernel, centres, weights } => {
                let mut values = vec![0.0; weights.len()];
                kernel.row(centres.view(), x, &mut values);
                dot(&values, weights)
            }
            LayerFunction::Finite { map, weights } => {
                let mut features = vec![0.0; weights.len()];
                map.write(x, &mut features);
                dot(&features, weights)
            }
            LayerFunction::Sampled { reference, .. } => reference.at(x),
        }
    }

    /// A number in [-1, 1] with mean f*(x). It is f*(x) itself where that is known, else, exact in the mean too, norm
    /// sgn(c_j) psi(z_j; w) psi(x; w) for j drawn in proportion to |c_j| and a fresh w ~ mu.
    fn mean(&self, x: &[f64], draw: &mut Draw) -> f64 {
        let LayerFunction::Sampled { family, centres, weights, norm, .. } = self else { return self.at(x) };
        let mut left = draw.uniform() * norm;
        let passed = |c: &f64| {
            left -= c.abs();
            left < 0.0
        };
        let j = weights.iter().position(passed).unwrap_or(weights.len() - 1);
        let mut product = [0.0];
        family.products(centres.view(), &[j], x, draw, &mut product);
        norm * weights[j].signum() * product[0]
    }
}

/// Neurons over which a function without a known kernel is evaluated for measures.
const REFERENCE_NEURONS: usize = 4_096;

/// Points on which the excess risk is estimated, and where each takes thousands of neurons.
const TEST_POINTS: [u64; 2] = [1_000, 250];

/// Those of them at which estimates of a promised precision are asked for.
const ESTIMATED_POINTS: u64 = 100;

/// Rounds from here on, which no horizon reaches, are the test points.
const TEST_ROUNDS: u64 = 1 << 48;

impl InfiniteLayerStream {
    fn new(params: InfiniteLayerStreamParams) -> Result<Self, ParamError> {
        let InfiniteLayerStreamParams { dim, centres, norm, feature } = params;
        let (dim, centres) = (dim as usize, centres as usize);
        feature.accepts(dim).map_err(|why| ParamError::refused("feature", why))?;
        Ok(Self { space: LayerSpace::of(feature, dim), dim, centres, norm, functions: Mutex::default() })
    }

    fn function(&self, draws: &Draws) -> Arc<LayerFunction> {
        let mut draw = draws.at(Role::Start, 0);
        let key = draw.uniform().to_bits();
        // A panic in another thread cannot leave a half-made function behind.
        let mut functions = self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        functions.entry(key).or_insert_with(|| Arc::new(self.draw_function(&mut draw, draws))).clone()
    }

    fn draw_function(&self, draw: &mut Draw, draws: &Draws) -> LayerFunction {
        let mut centres = Matrix::zeros(self.centres, self.dim);
        centres.data_mut().iter_mut().for_each(|value| *value = draw.normal());
        let mut weights: Vec<f64> = (0..self.centres).map(|_| draw.normal()).collect();
        let scaled = |squared_norm: f64| if squared_norm > 0.0 { self.norm / squared_norm.sqrt() } else { 0.0 };
        match &self.space {
            LayerSpace::Closed(kernel) => {
                let mut gram = vec![0.0; self.centres * self.centres];
                kernel.gram(centres.view(), centres.view(), &mut gram);
                let square = gram.chunks_exact(self.centres).zip(&weights).map(|(row, c)| c * dot(row, &weights)).sum();
                let factor = scaled(square);
                weights.iter_mut().for_each(|weight| *weight *= factor);
                LayerFunction::Expanded { kernel: kernel.clone(), centres, weights }
            }
            LayerSpace::Sampled(family) => {
                let factor = self.norm / weights.iter().map(|c| c.abs()).sum::<f64>();
                weights.iter_mut().for_each(|weight| *weight *= factor);
                let layer = Discrete::new(family.clone(), REFERENCE_NEURONS, draws.of(Draws::member("reference")));
                let map = layer.map(self.dim);
                let weights_there = Self::over(&*map, &centres, &weights);
                let reference = Box::new(LayerFunction::Finite { map, weights: weights_there });
                LayerFunction::Sampled { family: family.clone(), centres, weights, norm: self.norm, reference }
            }
            LayerSpace::Finite(map) => {
                let mut sum = Self::over(&**map, &centres, &weights);
                let factor = scaled(squared_norm(&sum));
                sum.iter_mut().for_each(|weight| *weight *= factor);
                LayerFunction::Finite { map: map.clone(), weights: sum }
            }
        }
    }

    /// sum_j c_j phi(z_j).
    fn over(map: &dyn FeatureMap, centres: &Matrix, weights: &[f64]) -> Vec<f64> {
        let (mut sum, mut features) = (vec![0.0; map.features()], vec![0.0; map.features()]);
        for (centre, c) in centres.view().iter().zip(weights) {
            map.write(centre, &mut features);
            add_scaled(&mut sum, *c, &features);
        }
        sum
    }

    fn inputs(draw: &mut Draw, x: &mut [f64]) {
        x.fill_with(|| draw.normal());
    }
}

impl Source for InfiniteLayerStream {
    fn dim(&self) -> usize {
        self.dim
    }

    fn example(&self, round: u64, draws: &Draws, x: &mut [f64]) -> f64 {
        let function = self.function(draws);
        let mut draw = draws.at(EXAMPLE, round);
        Self::inputs(&mut draw, x);
        let mean = function.mean(x, &mut draw);
        if draw.uniform() < 0.5 * (1.0 + mean) { 1.0 } else { -1.0 }
    }

    fn reach(&self) -> Option<Reach> {
        Some(Reach { input: f64::INFINITY, target: 1.0 })
    }

    /// `excess_risk` = E (f(x) - f*(x))^2 / 2 for the last iterate, and `excess_risk_averaged` for the averaged one: by
    /// how much the risk E (f(x) - y)^2 / 2 exceeds that of f*. The mean is over 1,000 fresh inputs, the same for all
    /// learners. Where the kernel is not known, there are 250 inputs, and f* is evaluated over 4,096 neurons, which adds at
    /// most norm^2 / 8,192 to the mean.
    ///
    /// Of estimates with a promised precision, over the first 100 of these inputs: `estimate_draws`, the number of draws
    /// of each; `estimate_failures`, the share of errors beyond the precision; `estimate_error`, their root mean square.
    fn measures(&self, hypothesis: &dyn Hypothesis, draws: &Draws) -> Vec<(&'static str, f64)> {
        let function = self.function(draws);
        let mut x = vec![0.0; self.dim];
        let (mut last, mut averaged, mut estimates) = (0.0, Some(0.0), Estimates::default());
        let points = TEST_POINTS[usize::from(matches!(self.space, LayerSpace::Sampled(_)))];
        for round in TEST_ROUNDS..TEST_ROUNDS + points {
            let mut draw = draws.at(EXAMPLE, round);
            Self::inputs(&mut draw, &mut x);
            let truth = function.at(&x);
            let half_square = |value: f64| 0.5 * (value - truth).powi(2) / points as f64;
            last += half_square(hypothesis.predict(&x, &mut draw));
            let value = hypothesis.predict_averaged(&x, &mut draw);
            averaged = averaged.zip(value).map(|(sum, value)| sum + half_square(value));
            if round < TEST_ROUNDS + ESTIMATED_POINTS {
                estimates.add(value.zip(hypothesis.estimate_averaged(&x, &mut draw)));
            }
        }
        let mut measures = vec![("excess_risk", last)];
        measures.extend(averaged.map(|value| ("excess_risk_averaged", value)));
        measures.extend(estimates.measures());
        measures
    }
}

/// Estimates beside the values that they estimate.
#[derive(Default)]
struct Estimates {
    count: u64,
    draws: u64,
    failures: u64,
    squares: f64,
}

impl Estimates {
    fn add(&mut self, pair: Option<(f64, Estimated)>) {
        let Some((value, estimate)) = pair else { return };
        let error = (estimate.value - value).abs();
        self.count += 1;
        self.draws += estimate.draws;
        self.failures += u64::from(error > estimate.precision);
        self.squares += error * error;
    }

    fn measures(&self) -> Vec<(&'static str, f64)> {
        let mean = |sum: f64| sum / self.count as f64;
        let names = ["estimate_draws", "estimate_failures", "estimate_error"];
        let values = [mean(self.draws as f64), mean(self.failures as f64), mean(self.squares).sqrt()];
        if self.count == 0 { Vec::new() } else { names.into_iter().zip(values).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learner::api::Gauges;
    use crate::params::check::check;
    use crate::parts::AllParts;

    fn law(toml: &str) -> Arc<dyn Source> {
        (ENTRY.build)(&check(ENTRY.params, &toml.parse::<toml::Table>().unwrap(), "", &AllParts).unwrap()).unwrap()
    }

    /// The function that is 0 everywhere, and so is its average.
    struct Zero;

    impl Hypothesis for Zero {
        fn predict(&self, _: &[f64], _: &mut Draw) -> f64 {
            0.0
        }

        fn predict_averaged(&self, _: &[f64], _: &mut Draw) -> Option<f64> {
            Some(0.0)
        }

        fn gauges(&self) -> Gauges {
            Gauges::default()
        }
    }

    /// Means over the estimates that there are; the error is a root mean square.
    #[test]
    fn estimates_are_averaged() {
        let mut estimates = Estimates::default();
        estimates.add(None);
        estimates.add(Some((1.0, Estimated { value: 1.5, precision: 0.4, draws: 10 })));
        estimates.add(Some((0.0, Estimated { value: -0.25, precision: 0.3, draws: 30 })));
        let error = ((0.25f64 + 0.0625) / 2.0).sqrt();
        assert_eq!(
            estimates.measures(),
            [("estimate_draws", 20.0), ("estimate_failures", 0.5), ("estimate_error", error)]
        );
    }

    /// The labels have the right mean: over 20,000 rounds the mean of (y - f*(x)) g(x), for g = f* and g = 1, is 0
    /// within 5 standard errors (rate 6e-7 each). The excess risk of the zero function is the mean of f*^2 / 2.
    #[test]
    fn labels_have_the_conditional_mean_and_zero_its_excess() {
        let discrete = "{ name = 'discrete', of = 'sign', atoms = 200 }";
        for (feature, norm) in [("cosine", 1.0), ("tanh2", 1.0), ("tanh2", 0.5), (discrete, 1.0)] {
            let quoted = if feature.starts_with('{') { feature.to_owned() } else { format!("'{feature}'") };
            let table = toml::from_str::<toml::Table>(&format!("dim = 3\nfeature = {quoted}")).unwrap();
            let params = check(ENTRY.params, &table, "", &AllParts).unwrap();
            let draws = Draws::named(&["infinite layer"]);
            let law =
                InfiniteLayerStream::new(InfiniteLayerStreamParams { norm, ..Parameters::read(&params) }).unwrap();
            let (function, n) = (law.function(&draws), 20_000);
            let mut x = [0.0; 3];
            let (mut sums, mut squares) = ([0.0; 2], 0.0);
            for round in 1..=n {
                let y = law.example(round, &draws, &mut x);
                let value = function.at(&x);
                assert!(value.abs() <= 1.0 && y.abs() == 1.0);
                sums[0] += y - value;
                sums[1] += (y - value) * value;
                squares += value * value;
            }
            let count = n as f64;
            assert!(sums[0].abs() < 5.0 * count.sqrt(), "{sums:?}");
            assert!(sums[1].abs() < 5.0 * squares.sqrt(), "{sums:?}");
            let measured = law.measures(&Zero, &draws);
            // Two independent means of f*^2 / 2, whose terms are at most 1/2, agree within 5 standard errors of the
            // smaller sample.
            let expected = 0.5 * squares / count;
            assert!((measured[0].1 - expected).abs() < 5.0 * (0.25 * squares / count / 1_000.0).sqrt(), "{measured:?}");
            assert_eq!(measured[0].1, measured[1].1);
        }
    }

    #[test]
    fn norms_are_as_declared() {
        let law = InfiniteLayerStream {
            space: LayerSpace::of(Arc::new(crate::feature::erf::Erf::new(1.0, 2.0)), 2),
            dim: 2,
            centres: 5,
            norm: 0.7,
            functions: Mutex::default(),
        };
        let function = law.function(&Draws::named(&["norm"]));
        let LayerFunction::Expanded { kernel, centres, weights } = &*function else { panic!("erf has a kernel") };
        let mut square = 0.0;
        for (x, a) in centres.view().iter().zip(weights) {
            for (z, b) in centres.view().iter().zip(weights) {
                square += a * b * kernel.evaluate(x, z);
            }
        }
        assert!((square.sqrt() - 0.7).abs() < 1e-14, "{square}");
    }

    /// For a kernel that is known through its neurons alone, a label's random mean has the mean f*(x): over 20,000 draws
    /// within 5 standard errors (rate 6e-7) of the value over the reference neurons, plus 5 of the reference's own.
    #[test]
    fn without_a_kernel_the_random_means_average_to_the_function() {
        let family = Arc::new(crate::feature::tanh2::Tanh2::new(4, 2.0, 2.0));
        let law = InfiniteLayerStream {
            space: LayerSpace::of(family, 2),
            dim: 2,
            centres: 1,
            norm: 0.9,
            functions: Mutex::default(),
        };
        let draws = Draws::named(&["random means"]);
        let function = law.function(&draws);
        let LayerFunction::Sampled { centres, weights, norm, .. } = &*function else { panic!("tanh2 has no kernel") };
        assert!((weights.iter().map(|c| c.abs()).sum::<f64>() - norm).abs() < 1e-15 && *norm == 0.9);
        let (x, count) = (centres.row(0).to_vec(), 20_000);
        let mut draw = draws.at(EXAMPLE, 0);
        let means: Vec<f64> = (0..count).map(|_| function.mean(&x, &mut draw)).collect();
        assert!(means.iter().all(|mean| mean.abs() <= 0.9));
        let mean = means.iter().sum::<f64>() / f64::from(count);
        let deviation = (means.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / f64::from(count)).sqrt();
        let error = deviation / f64::from(count).sqrt() + norm / (REFERENCE_NEURONS as f64).sqrt();
        assert!((mean - function.at(&x)).abs() < 5.0 * error, "{mean} {} {error}", function.at(&x));
        assert!(mean.abs() > 10.0 * error, "the function is not 0 there: {mean} {error}");
    }

    #[test]
    fn inputs_have_the_declared_number_of_columns() {
        assert_eq!(law("dim = 5").dim(), 5);
    }
}
