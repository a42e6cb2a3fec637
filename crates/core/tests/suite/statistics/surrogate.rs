//! Surrogate kernels: E k^(a, x + n) = k(a, x) for each shape of covariance and each radial kernel.

use std::sync::Arc;

use noregret_core::kernel::api::Kernel;
use noregret_core::kernel::surrogate::Surrogate;
use noregret_core::learner::api::Hypothesis;
use noregret_core::learner::noisy::surrogate_descent::SurrogateDescent;
use noregret_core::params::{PartKind, check::check};
use noregret_core::parts::AllParts;
use noregret_numeric::linalg::covariance::Covariance;

use super::{Mean, draw, law, part};

fn kernel(text: &str) -> Arc<dyn Kernel> {
    part(PartKind::Kernel, text).object::<dyn Kernel>().unwrap()
}

fn covariance(text: &str) -> Covariance {
    let entry = noregret_core::noise::NOISES.get("multivariate-gaussian").unwrap();
    let params = check(entry.params, &text.parse::<toml::Table>().unwrap(), "", &AllParts).unwrap();
    noregret_core::params::typed::field(&params, "covariance").unwrap()
}

/// The mean of k^(a, x + n) over 30,000 noise vectors.
fn mean(pair: &Surrogate, noise: (&str, &str), a: &[f64], x: &[f64], name: &str) -> Mean {
    let (law, mut draw) = (law(noise.0, noise.1), draw(name));
    let dim = x.len();
    let (mut left, mut right, mut noisy) = (vec![0.0; dim], vec![0.0; dim], vec![0.0; dim]);
    pair.rotate(a, &mut left);
    Mean::of((0..30_000).map(|_| {
        law.sample(1, &mut draw, &mut noisy);
        noisy.iter_mut().zip(x).for_each(|(noise, x)| *noise += x);
        pair.rotate(&noisy, &mut right);
        pair.noisy().evaluate(&left, &right)
    }))
}

const KERNELS: [&str; 5] = [
    "name = 'gaussian'\nbandwidth = 1.1",
    "name = 'rational'\ntruncation = 2.0",
    "name = 'inverse-multiquadric'\nalpha = 0.5\nm = 2.0\ncutoff = 0.9",
    "name = 'laplace'\nbandwidth = 1.5\ncutoff = 0.9",
    "name = 'laplace'\nbandwidth = 0.5\ncutoff = 0.9",
];

#[test]
fn surrogates_are_unbiased() {
    for text in KERNELS.iter() {
        let kernel = kernel(text);
        for shape in [
            "covariance = 0.3",
            "covariance = [0.1, 0.4]",
            "covariance = [[0.3, -0.15], [-0.15, 0.2]]",
            "covariance = 0",
        ] {
            let pair = Surrogate::new(&*kernel, &covariance(shape), 2, 64).unwrap();
            let a = [0.4, -0.3];
            for x in [a, [-0.2, 0.5], [1.5, 1.0]] {
                let what = format!("{text}, {shape}, {x:?}");
                let (mean, exact) =
                    (mean(&pair, ("multivariate-gaussian", shape), &a, &x, &what), kernel.evaluate(&a, &x));
                // Mixtures of Gaussian kernels are exact to 1e-10.
                assert!((mean.mean - exact).abs() <= 5.0 * mean.error() + 1e-10, "{what}: {mean:?} {exact}");
            }
        }
    }
}

/// A learner's function f at a noisy test point x + n: the sum with k^ has the mean f(x), the function itself at x + n has
/// not. 30,000 copies at each of three points, after 60 rounds; isotropic and full covariance.
#[test]
fn functions_at_noisy_points_are_unbiased() {
    for (text, shape) in [(KERNELS[0], "covariance = 0.3"), (KERNELS[2], "covariance = [[0.3, -0.15], [-0.15, 0.2]]")] {
        let pair = Surrogate::new(&*kernel(text), &covariance(shape), 2, 24).unwrap();
        let mut learner = SurrogateDescent::over(pair, 0.2, 3.0, 2);
        let (law, mut draw, mut noisy) = (law("multivariate-gaussian", shape), draw(text), [0.0; 2]);
        for _ in 0..60 {
            let x = [draw.normal(), draw.normal()];
            learner.step(&x, &[x[0] + 0.3 * draw.normal(), x[1]], (2.0 * x[0]).sin()).unwrap();
        }
        let mut biased = 0;
        for x in [[1.0, 0.2], [-0.8, 0.5], [0.6, -1.0]] {
            let exact = learner.predict(&x, &mut draw);
            let mut means = [Mean::default(); 2];
            for _ in 0..30_000 {
                law.sample(1, &mut draw, &mut noisy);
                let copy = [x[0] + noisy[0], x[1] + noisy[1]];
                means[0].add(learner.predict_copy(&copy).unwrap());
                means[1].add(learner.predict(&copy, &mut draw));
            }
            assert!(means[0].agrees(exact), "{text}, {x:?}: {:?} {exact}", means[0]);
            biased += u32::from(!means[1].agrees(exact));
        }
        assert!(biased > 0, "{text}");
    }
}

/// Other noise of the same variance leaves a bias: Laplace noise with b = 1, v = 1/2 at D = 0, 1, 2 (expected means:
/// 1.072, .579, .119 instead of 1, .607, .135).
#[test]
fn laws_that_are_not_gaussian_leave_a_bias() {
    let pair = Surrogate::new(&*kernel("name = 'gaussian'"), &covariance("covariance = 0.5"), 1, 1).unwrap();
    for (x, biased, clean) in [(0.0, 1.072, 1.0), (1.0, 0.579, (-0.5f64).exp()), (2.0, 0.119, (-2f64).exp())] {
        let parameters = format!("noise_std = {:?}", 0.5f64.sqrt());
        let mean = mean(&pair, ("laplace", &parameters), &[0.0], &[x], &format!("laplace {x}"));
        assert!((mean.mean - biased).abs() < 5.0 * mean.error() + 5e-4, "{x}: {mean:?}");
        assert!(!mean.agrees(clean), "{x}: {mean:?}");
    }
}
