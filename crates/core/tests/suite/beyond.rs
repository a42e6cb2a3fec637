//! The theorems on AIOLI, coin betting and Fourier features on random and adversarial streams.

use noregret_core::comparator::convex::minimise;
use noregret_core::comparator::effective_dimension::Spectrum;
use noregret_core::comparator::penalised;
use noregret_core::feature::api::FeatureMap;
use noregret_core::feature::fourier::Fourier;
use noregret_core::feature::taylor::Taylor;
use noregret_core::kernel::api::Kernel;
use noregret_core::kernel::gaussian::Gaussian;
use noregret_core::learner::api::Learner;
use noregret_core::learner::newton::aioli::{Aioli, weight};
use noregret_core::learner::ridge::fixed_features::FixedFeatures;
use noregret_core::learner::ridge::sequential::Forecast;
use noregret_core::loss::LOSSES;
use noregret_core::loss::api::Loss;
use noregret_core::loss::logistic::Logistic;
use noregret_core::params::check::check;
use noregret_core::parts::AllParts;
use noregret_numeric::draw::{Draw, Draws, Role};
use noregret_numeric::linalg::dense;
use noregret_numeric::linalg::matrix::Matrix;
use noregret_papers::beyond::further::betting::{coin_regret, coin_squared_norm};
use noregret_papers::beyond::further::fourier::{fourier_awv_loss, fourier_penalty, fourier_variance};
use noregret_papers::beyond::further::logistic::{aioli_log_det, aioli_regret};

use crate::laws::cases;

fn draw(what: &str, index: u64) -> Draw {
    Draws::named(&["beyond", what]).at(Role::Example, index)
}

fn inputs(n: usize, dim: usize, draw: &mut Draw) -> Matrix {
    let mut x = Matrix::zeros(n, dim);
    x.data_mut().fill_with(|| draw.between(-1.0, 1.0));
    x
}

fn mapped(map: &dyn FeatureMap, x: &Matrix) -> Matrix {
    let mut features = Matrix::zeros(x.rows(), map.features());
    map.write_rows(x.view(), features.data_mut());
    features
}

/// Predictions against targets that may react to them.
fn against(learner: &mut dyn Learner, x: &Matrix, mut target: impl FnMut(usize, f64) -> f64) -> (Vec<f64>, Vec<f64>) {
    let draw = &mut draw("none", 0);
    let rounds = x.view().iter().enumerate().map(|(t, x)| {
        let prediction = learner.predict(x, draw);
        let y = target(t, prediction);
        learner.learn(x, y, draw).unwrap();
        (prediction, y)
    });
    rounds.unzip()
}

/// 60 streams of 200 rounds: labels that are random, a threshold, or the sign that the prediction does not have. The best
/// theta of norm C has |theta' phi| <= C. No regret is above the bound, and some come within a factor of 3 of it.
#[test]
fn aioli_keeps_its_bound() {
    let mut largest: f64 = 0.0;
    for index in 0..60 {
        let draw = &mut draw("aioli", index);
        let (lambda, bound) = (draw.between(-7.0, 1.0).exp(), draw.between(-1.0, 4.0).exp());
        let x = inputs(200, 1 + (index % 2) as usize, draw);
        let map = Taylor::new(x.cols(), (index % 4) as usize, 0.5).unwrap();
        let features = mapped(&map, &x);
        let mut learner = Aioli::new(Box::new(map), lambda, bound);
        let (logits, labels) = against(&mut learner, &x, |t, z| match index % 3 {
            0 => draw.sign(),
            1 => (x.row(t)[0] - 0.2).signum(),
            _ if z > 0.0 => -1.0,
            _ => 1.0,
        });
        let loss: f64 = logits.iter().zip(&labels).map(|(z, y)| Logistic.of(*z, *y)).sum();
        let best = minimise(features.view(), &labels, &Logistic, bound).unwrap();
        let r = features.cols();
        let mut a = vec![0.0; r * r];
        for (phi, z) in features.view().iter().zip(&logits) {
            for i in 0..r {
                (0..r).for_each(|j| a[i * r + j] += weight(*z, bound) * phi[i] * phi[j] / (2.0 * lambda));
            }
        }
        (0..r).for_each(|i| a[i * r + i] += 1.0);
        dense::cholesky(&mut a, r, r, 1e-300).unwrap();
        let log_det: f64 = (0..r).map(|i| 2.0 * a[i * r + i].ln()).sum();
        let norm: f64 = best.weights.iter().map(|w| w * w).sum();
        let limit = aioli_regret(lambda, norm, bound, log_det);
        assert!(loss - best.loss <= limit, "{index}: {} above {limit}", loss - best.loss);
        assert!(log_det <= aioli_log_det(200.0, r as f64, lambda, bound, 1.0) * (1.0 + 1e-12), "{index}");
        largest = largest.max((loss - best.loss) / limit);
    }
    println!("aioli: at most {largest:.3} of the bound");
    assert!(largest > 0.3, "{largest}");
}

/// Large logits, an input that repeats, and labels that turn around: blocks of any size agree with single rounds, and a
/// window that ends early because of its logit changes nothing.
#[test]
fn aioli_survives_turning_labels() {
    let x = Matrix::from_data(400, 1, vec![0.3; 400]).unwrap();
    let labels: Vec<f64> = (0..400).map(|t| if t % 100 < 60 { 1.0 } else { -1.0 }).collect();
    let build = |lambda: f64| Aioli::new(Box::new(Taylor::new(1, 3, 0.5).unwrap()), lambda, 1e-3);
    for lambda in [1e-12, 1e-6, 1.0] {
        let one = cases::play(&mut build(lambda), x.view(), &labels, &cases::draws(), 1).unwrap();
        assert!(one.iter().all(|z| z.is_finite()));
        for size in [7, 400] {
            let block = cases::play(&mut build(lambda), x.view(), &labels, &cases::draws(), size).unwrap();
            let scale = one.iter().fold(0.0, |most: f64, z| most.max(z.abs()));
            let off = one.iter().zip(&block).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off <= 1e-9 * scale, "{lambda} {size}: {off} of {scale}");
        }
    }
}

/// 48 streams of 300 rounds in two forms, four losses, targets random, smooth or adversarial; 6 functions each, of norms from
/// 0.01 to 100. No regret is above the bound, nor is |S|^2 above what the wealth allows.
#[test]
fn coin_betting_keeps_its_bound() {
    let mut largest = [0.0f64; 4];
    for index in 0..48u64 {
        let draw = &mut draw("coin", index);
        let kind = (index % 4) as usize;
        let name = ["absolute", "hinge", "logistic", "pinball"][kind];
        let (tau, epsilon) = (if kind == 3 { 0.8 } else { 0.5 }, draw.between(-3.0, 2.0).exp());
        let (n, x) = (300, inputs(300, 1, draw));
        let map = Taylor::new(1, 10, 0.5).unwrap();
        let features = mapped(&map, &x);
        let form = ["coin-taylor", "coin-kernel"][(index / 4 % 2) as usize];
        let space = ["bandwidth = 0.5\norder = 10", "kernel = { name = 'gaussian', bandwidth = 0.5 }"];
        let toml = format!("loss = '{name}'\ntau = {tau}\nepsilon = {epsilon:?}\n{}", space[(index / 4 % 2) as usize]);
        let mut learner = cases::build(form, &toml, 1);
        let labels = kind == 1 || kind == 2;
        let (predictions, targets) = against(&mut *learner, &x, |t, p| {
            let value = match index / 8 % 3 {
                0 => draw.between(-1.0, 1.0),
                1 => (4.0 * x.row(t)[0]).sin(),
                _ if p > 0.0 => -1.0,
                _ => 1.0,
            };
            if labels { if value < 0.0 { -1.0 } else { 1.0 } } else { value }
        });
        let entry = LOSSES.find(name).unwrap();
        let table = if kind == 3 { format!("tau = {tau}") } else { String::new() };
        let loss = (entry.build)(&check(entry.params, &table.parse::<toml::Table>().unwrap(), "", &AllParts).unwrap())
            .unwrap();
        let total = |values: &[f64]| values.iter().zip(&targets).map(|(p, y)| loss.of(*p, *y)).sum::<f64>();
        let measures: std::collections::BTreeMap<_, _> = learner.measures().into_iter().collect();
        let (bets, wealth) = (measures["bets"], measures["wealth"]);
        let steepest = if kind == 3 { 0.8 } else { 1.0 };
        // A function of the Taylor features is one of the kernel's space, of the same norm.
        for norm in [0.01, 0.1, 1.0, 3.0, 10.0, 100.0] {
            let mut theta: Vec<f64> = (0..features.cols()).map(|_| draw.normal()).collect();
            let scale = norm / theta.iter().map(|w| w * w).sum::<f64>().sqrt();
            theta.iter_mut().for_each(|w| *w *= scale);
            let values: Vec<f64> =
                features.view().iter().map(|phi| phi.iter().zip(&theta).map(|(a, b)| a * b).sum()).collect();
            let (regret, limit) =
                (total(&predictions) - total(&values), coin_regret(steepest, 1.0, epsilon, norm, bets));
            assert!(regret <= limit, "{name} {index} {norm}: {regret} above {limit}");
            largest[kind] = largest[kind].max(regret / limit);
        }
        assert!(bets > 0.0 && bets <= f64::from(n) && wealth > 0.0);
        let sum = learner.gauges().norm.unwrap() * (bets + 1.0) / wealth;
        assert!(sum * sum <= coin_squared_norm(wealth, epsilon, bets), "{name} {index}: {sum}");
    }
    println!("coin betting, absolute, hinge, logistic, pinball: at most {largest:.3?} of the bound");
}

/// The number in the vectors, and the mean loss over 60 draws of the frequencies, for two numbers of them: below the bound by
/// far more than its standard error.
#[test]
fn fourier_forecasters_keep_their_bound() {
    let draw = &mut draw("fourier", 0);
    let x = inputs(120, 2, draw);
    let y: Vec<f64> = x.view().iter().map(|x| (3.0 * x[0] + x[1]).sin()).collect();
    let (kernel, lambda) = (Gaussian::new(0.7), 0.5);
    let log_det = Spectrum::of(&kernel, x.view()).unwrap().log_det(lambda);
    for count in [8, 40] {
        let penalty = fourier_penalty(lambda, 120.0, count as f64);
        let best = penalised::over_kernel(&kernel, x.view(), &y, penalty, &[120]).unwrap()[0];
        let limit = fourier_awv_loss(best.loss + penalty * best.squared_norm, 1.0, log_det);
        let mut mean = 0.0;
        for _ in 0..60 {
            let map = Box::new(Fourier::sample(2, count, 0.7, draw));
            let mut learner = FixedFeatures::new(Forecast::Awv, map, lambda);
            let found = cases::play(&mut learner, x.view(), &y, &cases::draws(), 120).unwrap();
            mean += found.iter().zip(&y).map(|(p, y)| (p - y) * (p - y)).sum::<f64>() / 60.0;
        }
        println!("{count} frequencies: {mean:.2}, bound {limit:.2}");
        assert!(mean < limit && mean > 0.05 * limit, "{count}: {mean} {limit}");
    }
}

/// Mean squared error of the kernel over 40 pairs and 400 draws, against the formula. Each squared error is bounded by 4 and
/// the mean of 16,000 of them, in blocks of one draw, lies within 10 % (more than 6 standard errors, measured once) of the
/// formula at independent frequencies; orthogonal ones have less. The error falls like D^-1/2.
#[test]
fn kernel_errors_follow_the_formula() {
    let draw = &mut draw("kernel error", 0);
    let (x, z) = (inputs(40, 8, draw), inputs(40, 8, draw));
    let kernel = Gaussian::new(2.0);
    let exact: Vec<f64> = (0..40).map(|i| kernel.evaluate(x.row(i), z.row(i))).collect();
    let mut errors = Vec::new();
    for count in [16, 64] {
        let mut found = [0.0; 2];
        for _ in 0..400 {
            let maps = [Fourier::sample(8, count, 2.0, draw), Fourier::orthogonal(8, count, 2.0, draw)];
            for (found, map) in found.iter_mut().zip(&maps) {
                let (fx, fz) = (mapped(map, &x), mapped(map, &z));
                for (i, exact) in exact.iter().enumerate() {
                    let product: f64 = fx.row(i).iter().zip(fz.row(i)).map(|(a, b)| a * b).sum();
                    *found += (product - exact).powi(2) / 16_000.0;
                }
            }
        }
        let predicted = exact.iter().map(|k| fourier_variance(*k, count as f64)).sum::<f64>() / 40.0;
        assert!((found[0] / predicted - 1.0).abs() < 0.1, "{count}: {} {predicted}", found[0]);
        assert!(found[1] < 0.8 * found[0], "{count}: {found:?}");
        errors.push(found);
    }
    for (few, many) in errors[0].iter().zip(&errors[1]) {
        let slope = 0.5 * (many / few).ln() / 4f64.ln();
        assert!((slope + 0.5).abs() < 0.05, "{slope}");
    }
}
