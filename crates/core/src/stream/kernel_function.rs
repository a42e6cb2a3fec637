//! A kernel expansion with few centres, at random inputs: a target in the kernel's space, of known norm.
//!
//! f = amplitude sum_i (k(c e_i, .) - balance k(-c e_i, .)) over the d unit vectors e_i, c the parameter `centre`. With
//! the linear kernel this is the linear function with weights amplitude (1 + balance) c (1, ..., 1). Alternatively, the
//! centres are the 2^d corners c s with s in {-1, 1}^d, and those with an odd number of minus signs have the weight
//! -balance. If the kernel is a product over the inputs and balance is 1, f is then the product of the functions
//! for d = 1. Or centres c_i and weights a_i are given as they are: f = amplitude sum_i a_i k(c_i, .).

use std::sync::{Arc, OnceLock};

use crate::kernel::api::Kernel;
use crate::params::typed::{OrWord, Parameters, parameters};
use crate::params::{Fallback, Kind, ParamError, Params, PartKind, Range};
use crate::stream::api::{self, EXAMPLE, Expansion, Reach, Source, StreamEntry};
use noregret_numeric::draw::{Draw, Draws};
use noregret_numeric::linalg::matrix::Matrix;

/// The registry's line.
pub(crate) static ENTRY: StreamEntry = StreamEntry {
    name: "kernel-function",
    summary: "x uniform on a box, ball or sphere, y = f(x) or its sign, f = amplitude sum_i (k(c e_i, x) - balance k(-c e_i, x)), or with given centres and weights",
    module: module_path!(),
    params: KernelFunctionParams::SPECS,
    build,
};

parameters! {
    /// Parameters of `kernel-function`.
    pub(crate) struct KernelFunctionParams {
        dim: u64 = api::DIM;
        /// the law of x: uniform in the cube, in the ball or on the sphere around 0; shell: |x| uniform between inner size
        /// and size, in a uniform direction
        inputs: &'static str = Kind::Choice(&["box", "ball", "sphere", "shell"]) => Fallback::Word("box");
        /// half the width of the cube, or the radius
        size: f64 = Kind::real(Range::POSITIVE) => Fallback::Real(1.0);
        /// k
        kernel: Arc<dyn Kernel> = Kind::Part(PartKind::Kernel) => Fallback::Part("gaussian");
        /// where the centres are: on the axes at c e_i and -c e_i, or at the corners of the cube of half-width c
        centres: &'static str = Kind::Choice(&["axes", "corners"]) => Fallback::Word("axes");
        /// c: the absolute value of the nonzero coordinates of the centres
        centre: f64 = Kind::real(Range::ANY) => Fallback::Real(1.0);
        /// factor of f
        amplitude: f64 = Kind::real(Range::ANY) => Fallback::Real(1.0);
        /// weight of the centres on the negative side (corners: with an odd number of minus signs)
        balance: f64 = Kind::real(Range::ANY) => Fallback::Real(1.0);
        /// value: y = f(x); sign: y = -1 or +1, the sign of f(x) except where it is flipped
        targets: &'static str = Kind::Choice(&["value", "sign"]) => Fallback::Word("value");
        /// probability that a sign is flipped
        flip: f64 = Kind::real(UNIT) => Fallback::Real(0.0);
        /// the smallest |x| of a shell, as a share of size
        inner: f64 = Kind::real(UNIT) => Fallback::Added(&Fallback::Real(0.0));
        /// given centres, in place of `centres`, `centre` and `balance`: a row for each, its weight and then its d
        /// coordinates
        terms: OrWord<Matrix> = Kind::Rows { words: &["none"] } => Fallback::Added(&Fallback::Word("none"));
    }
}

const UNIT: Range = Range { min: 0.0, min_open: false, max: 1.0, max_open: false };

fn build(params: &Params) -> Result<Arc<dyn Source>, ParamError> {
    let params = KernelFunctionParams::read(params);
    let dim = params.dim as usize;
    params.kernel.accepts(dim).map_err(|why| ParamError::refused("kernel", why))?;
    let corners = params.centres == "corners";
    if corners && dim > MOST_INPUTS_OF_CORNERS {
        let why = format!(
            "corners are possible for at most {MOST_INPUTS_OF_CORNERS} inputs; here there would be 2^{dim} of them"
        );
        return Err(ParamError::refused("centres", why));
    }
    let terms = match params.terms {
        OrWord::Given(terms) if terms.cols() != dim + 1 => {
            let why = format!("a row holds a weight and {dim} coordinates; here it has {} numbers", terms.cols());
            return Err(ParamError::refused("terms", why));
        }
        OrWord::Given(terms) => terms,
        OrWord::Word(_) if corners => at_corners(dim, params.centre, params.balance),
        OrWord::Word(_) => on_axes(dim, params.centre, params.balance),
    };
    Ok(Arc::new(KernelFunction {
        dim,
        shape: match params.inputs {
            "ball" => InputDomain::Ball,
            "sphere" => InputDomain::Sphere,
            "shell" => InputDomain::Shell(params.inner),
            _ => InputDomain::Box,
        },
        size: params.size,
        kernel: params.kernel,
        terms,
        amplitude: params.amplitude,
        flip: (params.targets == "sign").then_some(params.flip),
        largest: OnceLock::new(),
    }))
}

/// Every example sums over all corners.
const MOST_INPUTS_OF_CORNERS: usize = 10;

/// The rows (1, c e_i) and (-balance, -c e_i).
fn on_axes(dim: usize, centre: f64, balance: f64) -> Matrix {
    let mut terms = Matrix::zeros(2 * dim, dim + 1);
    for i in 0..2 * dim {
        let row = terms.row_mut(i);
        (row[0], row[1 + i / 2]) = if i % 2 == 0 { (1.0, centre) } else { (-balance, -centre) };
    }
    terms
}

/// A row for each corner: 1 or, with an odd number of minus signs, -balance; then the corner.
fn at_corners(dim: usize, centre: f64, balance: f64) -> Matrix {
    let mut terms = Matrix::zeros(1 << dim, dim + 1);
    for signs in 0..1_usize << dim {
        let row = terms.row_mut(signs);
        row[0] = if signs.count_ones() % 2 == 0 { 1.0 } else { -balance };
        row[1..].iter_mut().enumerate().for_each(|(i, x)| *x = if signs >> i & 1 == 1 { -centre } else { centre });
    }
    terms
}

/// Where inputs lie.
#[derive(Clone, Copy, Debug)]
enum InputDomain {
    Box,
    Ball,
    Sphere,
    /// Between this share of the size and the size.
    Shell(f64),
}

/// The law; see the module.
#[derive(Clone, Debug)]
pub(crate) struct KernelFunction {
    dim: usize,
    shape: InputDomain,
    size: f64,
    kernel: Arc<dyn Kernel>,
    /// A weight and the coordinates of its centre per row.
    terms: Matrix,
    amplitude: f64,
    /// The probability of a flip, for signs.
    flip: Option<f64>,
    /// A bound on |f(x)|, once it was asked for.
    largest: OnceLock<f64>,
}

impl KernelFunction {
    /// f(x).
    fn value(&self, x: &[f64]) -> f64 {
        let terms = self.terms.view();
        let sum = terms.iter().fold(0.0, |sum, term| sum + term[0] * self.kernel.evaluate(&term[1..], x));
        self.amplitude * sum
    }

    /// f as an expansion over its centres.
    fn expansion(&self) -> Expansion {
        let terms = self.terms.view();
        let mut centres = Matrix::zeros(terms.rows(), self.dim);
        for (i, term) in terms.iter().enumerate() {
            centres.row_mut(i).copy_from_slice(&term[1..]);
        }
        let weights = terms.iter().map(|term| self.amplitude * term[0]).collect();
        Expansion { kernel: self.kernel.clone(), centres, weights }
    }

    /// A bound on |x|.
    fn largest_input(&self) -> f64 {
        match self.shape {
            InputDomain::Box => self.size * (self.dim as f64).sqrt(),
            InputDomain::Ball | InputDomain::Sphere | InputDomain::Shell(_) => self.size,
        }
    }

    /// A bound on |f(x)|. For one and two inputs it is the largest value on a fine grid and what f can gain between its
    /// points, |f(x) - f(z)| <= |f| (k(x, x) + k(z, z) - 2 k(x, z))^(1/2); otherwise |f| sup k(x, x)^(1/2), with k(x, x) at
    /// the largest |x|.
    fn largest_value(&self) -> f64 {
        let f = self.expansion();
        let norm = f.squared_norm(|x, z| self.kernel.evaluate(x, z)).max(0.0).sqrt();
        let reach = self.largest_input();
        let mut far = vec![0.0; self.dim];
        far[0] = reach;
        let general = norm * self.kernel.largest_diagonal().unwrap_or_else(|| self.kernel.diagonal(&far)).sqrt();
        let steps: i32 = match self.dim {
            1 => 4_000,
            2 => 300,
            _ => return general,
        };
        let half = self.size / f64::from(steps);
        let offset = vec![half; self.dim];
        let at = |i: i32| self.size * f64::from(i) / f64::from(steps);
        let mut largest: f64 = 0.0;
        let mut visit = |x: &[f64]| {
            let outside = !matches!(self.shape, InputDomain::Box)
                && x.iter().map(|entry| entry * entry).sum::<f64>().sqrt() > self.size + 2.0 * half;
            if outside {
                return;
            }
            let neighbour: Vec<f64> = x.iter().zip(&offset).map(|(x, step)| x + step.copysign(*x)).collect();
            let square =
                self.kernel.diagonal(x) + self.kernel.diagonal(&neighbour) - 2.0 * self.kernel.evaluate(x, &neighbour);
            largest = largest.max(f.at(x).abs() + norm * square.max(0.0).sqrt());
        };
        for i in -steps..=steps {
            if self.dim == 1 {
                visit(&[at(i)]);
            } else {
                (-steps..=steps).for_each(|j| visit(&[at(i), at(j)]));
            }
        }
        largest.min(general)
    }

    fn input(&self, draw: &mut Draw, x: &mut [f64]) {
        match self.shape {
            InputDomain::Box => x.fill_with(|| draw.between(-self.size, self.size)),
            InputDomain::Ball | InputDomain::Sphere | InputDomain::Shell(_) => {
                x.fill_with(|| draw.normal());
                let norm = x.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
                let radius = match self.shape {
                    InputDomain::Ball => self.size * draw.uniform().powf(1.0 / self.dim as f64),
                    InputDomain::Shell(inner) => self.size * draw.between(inner, 1.0),
                    _ => self.size,
                };
                // A zero vector has probability 0; it stays at 0.
                let scale = if norm > 0.0 { radius / norm } else { 0.0 };
                x.iter_mut().for_each(|entry| *entry *= scale);
            }
        }
    }
}

impl Source for KernelFunction {
    fn dim(&self) -> usize {
        self.dim
    }

    fn example(&self, round: u64, draws: &Draws, x: &mut [f64]) -> f64 {
        let mut draw = draws.at(EXAMPLE, round);
        self.input(&mut draw, x);
        let value = self.value(x);
        match self.flip {
            None => value,
            Some(flip) => {
                let sign = if value < 0.0 { -1.0 } else { 1.0 };
                if draw.uniform() < flip { -sign } else { sign }
            }
        }
    }

    fn mean(&self, _: u64, _: &Draws, x: &[f64]) -> Option<f64> {
        let value = self.value(x);
        Some(match self.flip {
            None => value,
            Some(flip) => (1.0 - 2.0 * flip) * if value < 0.0 { -1.0 } else { 1.0 },
        })
    }

    fn reach(&self) -> Option<Reach> {
        let target = if self.flip.is_some() { 1.0 } else { *self.largest.get_or_init(|| self.largest_value()) };
        Some(Reach { input: self.largest_input(), target })
    }

    fn function(&self) -> Option<Expansion> {
        self.flip.is_none().then(|| self.expansion())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::check::check;
    use crate::parts::AllParts;

    fn law(text: &str) -> Arc<dyn Source> {
        build(&check(ENTRY.params, &toml::from_str::<toml::Table>(text).unwrap(), "", &AllParts).unwrap()).unwrap()
    }

    #[test]
    fn the_target_is_the_sum_over_centres() {
        let draws = Draws::named(&["kernel-function"]);
        let linear = law("dim = 3\ninputs = 'sphere'\nkernel = 'linear'\namplitude = 0.25\nbalance = 3.0");
        let gaussian = law("size = 1.5\nkernel = { name = 'gaussian', bandwidth = 1.0 }\namplitude = 2.0");
        for round in 1..=50 {
            let mut x = [0.0; 3];
            let y = linear.example(round, &draws, &mut x);
            assert!((y - x.iter().sum::<f64>()).abs() < 1e-14);
            assert_eq!(linear.mean(round, &draws, &x), Some(y));
            assert!((x.iter().map(|entry| entry * entry).sum::<f64>() - 1.0).abs() < 1e-14);
            let mut x = [0.0];
            let y = gaussian.example(round, &draws, &mut x);
            let bump = |at: f64| (-(x[0] - at).powi(2) / 2.0).exp();
            assert!((y - 2.0 * (bump(1.0) - bump(-1.0))).abs() < 1e-14 && x[0].abs() <= 1.5);
        }
    }

    /// No example exceeds the reach, and of 20,000 examples one comes within 3 % of it. The expansion has the same values.
    #[test]
    fn reaches_are_reached() {
        let draws = Draws::named(&["kernel-function"]);
        for (text, dim) in [
            ("size = 1.5\nkernel = { name = 'gaussian', bandwidth = 1.0 }", 1),
            ("size = 0.8\nkernel = 'exponential'\namplitude = 0.2\ncentre = 0.5\nbalance = 0.3", 1),
            ("dim = 2\ncentres = 'corners'\nsize = 1.5\nkernel = { name = 'gaussian', bandwidth = 1.0 }", 2),
            ("dim = 2\ninputs = 'ball'\nsize = 0.8\nkernel = { name = 'polynomial', degree = 2, offset = 1 }", 2),
            ("dim = 4\ninputs = 'sphere'\nkernel = 'linear'\namplitude = 0.25", 4),
        ] {
            let law = law(text);
            let (reach, function) = (law.reach().unwrap(), law.function().unwrap());
            let (mut input, mut target) = (0.0f64, 0.0f64);
            for round in 1..=20_000 {
                let mut x = vec![0.0; dim];
                let y = law.example(round, &draws, &mut x);
                assert!((function.at(&x) - y).abs() < 1e-12, "{text}");
                input = input.max(x.iter().map(|entry| entry * entry).sum::<f64>().sqrt());
                target = target.max(y.abs());
            }
            assert!(input <= reach.input * (1.0 + 1e-12) && target <= reach.target * (1.0 + 1e-12), "{text}");
            assert!(input > 0.97 * reach.input && target > 0.97 * reach.target, "{text}: {target} {reach:?}");
        }
        let signs = law("targets = 'sign'\nkernel = 'exponential'");
        assert!(signs.reach().unwrap().target == 1.0 && signs.function().is_none());
    }

    /// The Gaussian kernel is a product over inputs, and so is the sum over corners of balance 1.
    #[test]
    fn corners_make_products() {
        let draws = Draws::named(&["kernel-function"]);
        let law = law(
            "dim = 3\ncentres = 'corners'\ncentre = 0.5\namplitude = 2.0\nkernel = { name = 'gaussian', bandwidth = 1.0 }",
        );
        for round in 1..=50 {
            let mut x = [0.0; 3];
            let y = law.example(round, &draws, &mut x);
            let one = |x: f64| (-(x - 0.5).powi(2) / 2.0).exp() - (-(x + 0.5).powi(2) / 2.0).exp();
            assert!((y - 2.0 * x.iter().map(|&x| one(x)).product::<f64>()).abs() < 1e-14);
        }
    }

    /// With balance 0 the corners with an odd number of minus signs do not count.
    #[test]
    fn a_balance_of_corners() {
        let draws = Draws::named(&["kernel-function"]);
        let law = law("dim = 2\ncentres = 'corners'\nbalance = 0.0\nkernel = { name = 'gaussian', bandwidth = 1.0 }");
        let mut x = [0.0; 2];
        let y = law.example(1, &draws, &mut x);
        let bump = |at: f64| (-((x[0] - at).powi(2) + (x[1] - at).powi(2)) / 2.0).exp();
        assert!((y - bump(1.0) - bump(-1.0)).abs() < 1e-14);
    }

    /// The target of the test problem of Algorithm 4 in this kernel, .3 + sqrt(2) (.8 x_1 + .4 x_2) + .5 (x_1^2 - x_2^2),
    /// with five centres; on a shell |x| has mean 0.8 (1 + 0.3) / 2 (5,000 rounds, 5 standard errors).
    #[test]
    fn given_centres_and_weights() {
        let root = 2f64.sqrt();
        let (a, b) = (0.4 * root, 0.2 * root);
        let text = format!(
            "dim = 2\ninputs = 'shell'\nsize = 0.8\ninner = 0.3\nkernel = {{ name = 'polynomial', degree = 2, offset = 1.0 }}\n\
             terms = {{ matrix = [[0.3, 0, 0], [{}, 1, 0], [{}, -1, 0], [{}, 0, 1], [{}, 0, -1]] }}",
            0.25 + 0.5 * a,
            0.25 - 0.5 * a,
            0.5 * b - 0.25,
            -0.5 * b - 0.25
        );
        let (law, draws, n) = (law(&text), Draws::named(&["kernel-function"]), 5_000);
        let mut sum = 0.0;
        for round in 1..=n {
            let mut x = [0.0; 2];
            let y = law.example(round, &draws, &mut x);
            let target = 0.3 + root * (0.8 * x[0] + 0.4 * x[1]) + 0.5 * (x[0] * x[0] - x[1] * x[1]);
            assert!((y - target).abs() < 1e-14);
            let radius = x[0].hypot(x[1]);
            assert!((0.24..=0.8).contains(&radius));
            sum += radius;
        }
        assert!((sum / n as f64 - 0.52).abs() < 5.0 * 0.56 / (12.0 * n as f64).sqrt(), "{sum}");
    }

    #[test]
    fn terms_of_another_width_are_refused() {
        let table = toml::from_str::<toml::Table>("dim = 2\nterms = { matrix = [[1.0, 0.5]] }").unwrap();
        let params = check(ENTRY.params, &table, "", &AllParts).unwrap();
        assert_eq!(build(&params).err().unwrap().path(), Some("terms"));
    }

    #[test]
    fn too_many_corners_are_refused() {
        let params = check(
            ENTRY.params,
            &toml::from_str::<toml::Table>("dim = 40\ncentres = 'corners'").unwrap(),
            "",
            &AllParts,
        )
        .unwrap();
        assert_eq!(build(&params).err().unwrap().path(), Some("centres"));
    }

    /// In the disc |x|^2 / size^2 is uniform, with mean 1/2 and variance 1/12, and a tenth of the signs is flipped.
    /// 20,000 rounds, within 5 standard errors (rate 6e-7 each).
    #[test]
    fn laws_of_inputs_and_signs() {
        let law = law("dim = 2\ninputs = 'ball'\nsize = 0.8\nkernel = 'linear'\ntargets = 'sign'\nflip = 0.1");
        let (draws, n) = (Draws::named(&["kernel-function"]), 20_000);
        let (mut squares, mut flips) = (0.0, 0.0);
        for round in 1..=n {
            let mut x = [0.0; 2];
            let y = law.example(round, &draws, &mut x);
            squares += (x[0] * x[0] + x[1] * x[1]) / 0.64;
            flips += f64::from(y * (x[0] + x[1]) < 0.0);
            assert_eq!(law.mean(round, &draws, &x), Some(0.8 * (x[0] + x[1]).signum()));
        }
        let n = n as f64;
        assert!((squares / n - 0.5).abs() < 5.0 / (12.0 * n).sqrt(), "{squares}");
        assert!((flips / n - 0.1).abs() < 5.0 * (0.09 / n).sqrt(), "{flips}");
    }

    #[test]
    fn kernels_for_other_dimensions_are_refused() {
        let table = toml::from_str::<toml::Table>("dim = 2\nkernel = 'sobolev-periodic'").unwrap();
        let params = check(ENTRY.params, &table, "", &AllParts).unwrap();
        assert_eq!(build(&params).err().unwrap().path(), Some("kernel"));
    }
}
