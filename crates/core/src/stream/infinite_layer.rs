//! Labels whose conditional mean is a function in the space of an infinite-layer network.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::draw::{Draw, Draws, Role};
use crate::feature::api::FeatureMap;
use crate::feature::family::Family;
use crate::kernel::api::Kernel;
use crate::learner::api::Hypothesis;
use crate::linalg::matrix::Matrix;
use crate::linalg::vector::{add_scaled, dot, squared_norm};
use crate::params::{Fallback, Kind, ParamError, Params, PartKind, Range, Spec};
use crate::stream::api::{DIM, EXAMPLE, Reach, Source, StreamEntry};

/// The registry's line.
pub static ENTRY: StreamEntry = StreamEntry {
    name: "infinite-layer",
    summary: "x ~ N(0, I_d), y = -1 or +1 with mean f*(x), f* = sum_j c_j k(z_j, x) of norm `norm` in the layer's space",
    module: module_path!(),
    params: &[
        Spec { default: Fallback::Integer(4), ..DIM },
        Spec {
            name: "centres",
            doc: "number of centres z_j ~ N(0, I_d), with weights c_j ~ N(0, 1) before scaling",
            kind: Kind::Integer { min: 1, max: 10_000 },
            default: Fallback::Integer(8),
        },
        Spec {
            name: "norm",
            doc: "norm of f*; at most 1, so that |f*| <= 1",
            kind: Kind::Real { range: Range { min: 0.0, min_open: false, max: 1.0, max_open: false }, words: &[] },
            default: Fallback::Real(1.0),
        },
        Spec {
            name: "feature",
            doc: "the neurons psi(x; w); a family without a closed-form kernel must be wrapped in `discrete`",
            kind: Kind::Part(PartKind::Feature),
            default: Fallback::Part("cosine"),
        },
    ],
    build,
};

fn build(params: &Params) -> Result<Arc<dyn Source>, ParamError> {
    let (family, dim) = (params.part::<dyn Family>("feature"), params.integer("dim") as usize);
    family.accepts(dim).map_err(|why| ParamError::refused("feature", why))?;
    let space = Space::of(&*family, dim).ok_or_else(|| {
        let why = "f* needs a kernel in closed form or a discrete mu: feature = { name = \"discrete\", of = ... }";
        ParamError::refused("feature", why)
    })?;
    Ok(Arc::new(InfiniteLayer {
        space,
        dim,
        centres: params.integer("centres") as usize,
        norm: params.real("norm"),
        functions: Mutex::default(),
    }))
}

/// The law; see the module.
#[derive(Debug)]
pub struct InfiniteLayer {
    space: Space,
    dim: usize,
    centres: usize,
    norm: f64,
    /// f* of each replicate that was asked for, by the first number that its draws give.
    functions: Mutex<BTreeMap<u64, Arc<Function>>>,
}

/// The layer's space.
#[derive(Clone, Debug)]
enum Space {
    Closed(Arc<dyn Kernel>),
    Finite(Arc<dyn FeatureMap>),
}

impl Space {
    fn of(family: &dyn Family, dim: usize) -> Option<Self> {
        family.finite(dim).map(Space::Finite).or_else(|| family.kernel().map(Space::Closed))
    }
}

/// f*, as an expansion over centres or over the neurons of a finite mu.
#[derive(Debug)]
enum Function {
    Expanded { kernel: Arc<dyn Kernel>, centres: Matrix, weights: Vec<f64> },
    Finite { map: Arc<dyn FeatureMap>, weights: Vec<f64> },
}

impl Function {
    fn at(&self, x: &[f64]) -> f64 {
        match self {
            Function::Expanded { kernel, centres, weights } => {
                let mut values = vec![0.0; weights.len()];
                kernel.row(centres.view(), x, &mut values);
                dot(&values, weights)
            }
            Function::Finite { map, weights } => {
                let mut features = vec![0.0; weights.len()];
                map.write(x, &mut features);
                dot(&features, weights)
            }
        }
    }
}

/// Points on which the excess risk is estimated.
const TEST_POINTS: u64 = 1_000;

/// Rounds from here on, which no horizon reaches, are the test points.
const TEST_ROUNDS: u64 = 1 << 48;

impl InfiniteLayer {
    fn function(&self, draws: &Draws) -> Arc<Function> {
        let mut draw = draws.at(Role::Start, 0);
        let key = draw.uniform().to_bits();
        // A panic in another thread cannot leave a half-made function behind.
        let mut functions = self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        functions.entry(key).or_insert_with(|| Arc::new(self.draw_function(&mut draw))).clone()
    }

    fn draw_function(&self, draw: &mut Draw) -> Function {
        let mut centres = Matrix::zeros(self.centres, self.dim);
        centres.data_mut().iter_mut().for_each(|value| *value = draw.normal());
        let mut weights: Vec<f64> = (0..self.centres).map(|_| draw.normal()).collect();
        let scaled = |squared_norm: f64| if squared_norm > 0.0 { self.norm / squared_norm.sqrt() } else { 0.0 };
        match &self.space {
            Space::Closed(kernel) => {
                let mut gram = vec![0.0; self.centres * self.centres];
                kernel.gram(centres.view(), centres.view(), &mut gram);
                let square = gram.chunks_exact(self.centres).zip(&weights).map(|(row, c)| c * dot(row, &weights)).sum();
                let factor = scaled(square);
                weights.iter_mut().for_each(|weight| *weight *= factor);
                Function::Expanded { kernel: kernel.clone(), centres, weights }
            }
            Space::Finite(map) => {
                let (mut sum, mut features) = (vec![0.0; map.features()], vec![0.0; map.features()]);
                for (centre, c) in centres.view().iter().zip(&weights) {
                    map.write(centre, &mut features);
                    add_scaled(&mut sum, *c, &features);
                }
                let factor = scaled(squared_norm(&sum));
                sum.iter_mut().for_each(|weight| *weight *= factor);
                Function::Finite { map: map.clone(), weights: sum }
            }
        }
    }

    fn inputs(draw: &mut Draw, x: &mut [f64]) {
        x.fill_with(|| draw.normal());
    }
}

impl Source for InfiniteLayer {
    fn dim(&self) -> usize {
        self.dim
    }

    fn example(&self, round: u64, draws: &Draws, x: &mut [f64]) -> f64 {
        let function = self.function(draws);
        let mut draw = draws.at(EXAMPLE, round);
        Self::inputs(&mut draw, x);
        if draw.uniform() < 0.5 * (1.0 + function.at(x)) { 1.0 } else { -1.0 }
    }

    fn reach(&self) -> Option<Reach> {
        Some(Reach { input: f64::INFINITY, target: 1.0 })
    }

    /// `excess_risk` = E (f(x) - f*(x))^2 / 2 for the last iterate, and `excess_risk_averaged` for the averaged one: by
    /// how much the risk E (f(x) - y)^2 / 2 exceeds that of f*. The mean is over 1,000 fresh inputs, the same for all
    /// learners.
    fn measures(&self, hypothesis: &dyn Hypothesis, draws: &Draws) -> Vec<(&'static str, f64)> {
        let function = self.function(draws);
        let mut x = vec![0.0; self.dim];
        let (mut last, mut averaged) = (0.0, Some(0.0));
        for round in TEST_ROUNDS..TEST_ROUNDS + TEST_POINTS {
            let mut draw = draws.at(EXAMPLE, round);
            Self::inputs(&mut draw, &mut x);
            let truth = function.at(&x);
            let half_square = |value: f64| 0.5 * (value - truth).powi(2) / TEST_POINTS as f64;
            last += half_square(hypothesis.predict(&x, &mut draw));
            averaged = averaged.zip(hypothesis.predict_averaged(&x)).map(|(sum, value)| sum + half_square(value));
        }
        let mut measures = vec![("excess_risk", last)];
        measures.extend(averaged.map(|value| ("excess_risk_averaged", value)));
        measures
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learner::api::Gauges;
    use crate::params::check::check;
    use crate::parts::AllParts;

    fn law(toml: &str) -> Arc<dyn Source> {
        build(&check(ENTRY.params, &toml.parse().unwrap(), "", &AllParts).unwrap()).unwrap()
    }

    /// The function that is 0 everywhere, and so is its average.
    struct Zero;

    impl Hypothesis for Zero {
        fn predict(&self, _: &[f64], _: &mut Draw) -> f64 {
            0.0
        }

        fn predict_averaged(&self, _: &[f64]) -> Option<f64> {
            Some(0.0)
        }

        fn gauges(&self) -> Gauges {
            Gauges::default()
        }
    }

    /// The labels have the right mean: over 20,000 rounds the mean of (y - f*(x)) g(x), for g = f* and g = 1, is 0
    /// within 5 standard errors (rate 6e-7 each). The excess risk of the zero function is the mean of f*^2 / 2.
    #[test]
    fn labels_have_the_conditional_mean_and_zero_its_excess() {
        for feature in ["cosine", "{ name = 'discrete', of = 'sign', atoms = 200 }"] {
            let quoted = if feature.starts_with('{') { feature.to_owned() } else { format!("'{feature}'") };
            let table = toml::from_str(&format!("dim = 3\nfeature = {quoted}")).unwrap();
            let params = check(ENTRY.params, &table, "", &AllParts).unwrap();
            let space = Space::of(&*params.part::<dyn Family>("feature"), 3).unwrap();
            let draws = Draws::named(&["infinite layer"]);
            let law = InfiniteLayer { space, dim: 3, centres: 8, norm: 1.0, functions: Mutex::default() };
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
        let law = InfiniteLayer {
            space: Space::of(&crate::feature::erf::Erf::new(1.0, 2.0), 2).unwrap(),
            dim: 2,
            centres: 5,
            norm: 0.7,
            functions: Mutex::default(),
        };
        let function = law.function(&Draws::named(&["norm"]));
        let Function::Expanded { kernel, centres, weights } = &*function else { panic!("erf has a kernel") };
        let mut square = 0.0;
        for (x, a) in centres.view().iter().zip(weights) {
            for (z, b) in centres.view().iter().zip(weights) {
                square += a * b * kernel.evaluate(x, z);
            }
        }
        assert!((square.sqrt() - 0.7).abs() < 1e-14, "{square}");
    }

    #[test]
    fn a_family_without_kernel_is_refused() {
        let params = check(ENTRY.params, &"feature = 'tanh2'".parse().unwrap(), "", &AllParts).unwrap();
        assert!(build(&params).err().unwrap().to_string().contains("discrete"));
        assert_eq!(law("dim = 5").dim(), 5);
    }
}
