//! The theorems on changing targets, on random and adversarial streams and on the laws that move.

use noregret_core::feature::identity::IdentityMap;
use noregret_core::learner::api::{Block, Learner};
use noregret_core::learner::combine::discount_mixture::memories;
use noregret_core::learner::ridge::discount::Discount;
use noregret_core::learner::ridge::fixed_features::FixedFeatures;
use noregret_core::learner::ridge::sequential::Forecast;
use noregret_core::learner::ridge::tracking::TrackingAwv;
use noregret_core::learner::ridge::window_awv_taylor::WindowAwv;
use noregret_core::params::check::check;
use noregret_core::parts::AllParts;
use noregret_core::stream::STREAMS;
use noregret_numeric::draw::{Draw, Draws, Role};
use noregret_numeric::linalg::matrix::Matrix;
use noregret_papers::beyond::tracking::bounds::{
    TrackingProblem, best_step, discounted_regret, mixture_regret, tracking_regret,
};

use crate::laws::cases;

fn draw(what: &str, index: u64) -> Draw {
    Draws::named(&["tracking", what]).at(Role::Example, index)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// A path that jumps now and then, or drifts, or stays; with its largest norm, its length and its squared length.
fn path(n: usize, r: usize, kind: u64, draw: &mut Draw) -> (Matrix, [f64; 3]) {
    let mut path = Matrix::zeros(n, r);
    let mut u: Vec<f64> = (0..r).map(|_| draw.normal()).collect();
    let (mut largest, mut length, mut squared) = (0.0f64, 0.0, 0.0);
    for t in 0..n {
        let before = u.clone();
        match kind {
            0 if t > 0 && draw.below(40) == 0 => u.fill_with(|| draw.normal()),
            1 if t > 0 => u.iter_mut().for_each(|entry| *entry += 0.03 * draw.normal()),
            _ => {}
        }
        let step = u.iter().zip(&before).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        (length, squared) = (length + step.sqrt(), squared + step);
        largest = largest.max(dot(&u, &u).sqrt());
        path.row_mut(t).copy_from_slice(&u);
    }
    (path, [largest, length, squared])
}

/// 200 streams of 150 rounds for each of three forecasters: features in the unit ball, some of them unexcited for half of the
/// rounds; targets that are random, those of the path with noise, or against the prediction, all in [-1, 1]. No regret is
/// above its bound, and some regret of each forecaster is above a tenth of it.
#[test]
fn forecasters_keep_their_bounds() {
    let mut largest = [0.0f64; 3];
    for index in 0..200u64 {
        let draw = &mut draw("bounds", index);
        let (n, r) = (150, 1 + draw.below(4));
        let mut phi = Matrix::zeros(n, r);
        for t in 0..n {
            let row = phi.row_mut(t);
            row.fill_with(|| draw.normal());
            if index % 5 == 0 && t > n / 2 {
                row[0] = 0.0;
            }
            let norm = dot(row, row).sqrt();
            row.iter_mut().for_each(|entry| *entry /= norm.max(1.0));
        }
        let (u, [norm, length, squared]) = path(n, r, index % 3, draw);
        let lambda = draw.between(-4.0, 1.0).exp();
        let gamma = 1.0 - draw.between(-4.0, -0.7).exp();
        // Never refreshed, A becomes singular where a feature stays away.
        let refresh = if index % 5 == 0 { 7 } else { [1, 7, 0][(index / 3 % 3) as usize] };
        let discount = Discount { gamma, refresh };
        let problem = TrackingProblem {
            rounds: n as f64,
            features: r as f64,
            lambda,
            bound: 1.0,
            kappa: 1.0,
            norm: norm.max(1e-9),
        };
        let q = best_step(&problem, squared.max(1e-3)) * draw.between(-1.0, 1.0).exp();
        let map = || Box::new(IdentityMap(r));
        let learners: [(Box<dyn Learner>, f64); 3] = [
            (
                Box::new(FixedFeatures::discounted(Forecast::Awv, map(), lambda, discount)),
                discounted_regret(&problem, discount, length),
            ),
            (
                Box::new(TrackingAwv::new(map(), lambda, q, 1.0)),
                tracking_regret(&problem, q, dot(u.row(0), u.row(0)), squared),
            ),
            // Restarted after the last round only, against a path that stays: the bound of a single piece.
            (
                Box::new(WindowAwv::over(map(), lambda, n, true)),
                if length == 0.0 { discounted_regret(&problem, Discount::NONE, 0.0) } else { f64::INFINITY },
            ),
        ];
        for (which, (mut learner, limit)) in learners.into_iter().enumerate() {
            let mut regret = 0.0;
            for (t, x) in phi.view().iter().enumerate() {
                let p = learner.predict(x, draw);
                let value = dot(x, u.row(t));
                let y = match index % 4 {
                    0 => draw.between(-1.0, 1.0),
                    1 => (value + 0.2 * draw.normal()).clamp(-1.0, 1.0),
                    2 if p > 0.0 => -1.0,
                    2 => 1.0,
                    _ => value.clamp(-1.0, 1.0),
                };
                learner.learn(x, y, draw).unwrap();
                regret += (y - p) * (y - p) - (y - value) * (y - value);
            }
            assert!(regret <= limit, "{index}, forecaster {which}: {regret} above {limit}");
            if limit.is_finite() {
                largest[which] = largest[which].max(regret / limit);
            }
        }
    }
    println!("discounted, tracking, restarted: at most {largest:.3?} of their bounds");
    assert!(largest.iter().all(|share| *share > 0.1), "{largest:?}");
}

/// The loss of the path minus that of a learner, negated: its regret on a law that moves, as in the configuration of the
/// spec: r = 3, |u| = 1, lambda = .01.
fn regret(law: &str, name: &str, toml: &str, n: u64, seed: u64) -> f64 {
    let entry = STREAMS.find(law).unwrap();
    let source = (entry.build)(&check(entry.params, &toml::Table::new(), "", &AllParts).unwrap()).unwrap();
    let source = source.over(n).unwrap();
    let draws = Draws::named(&["tracking", law, &seed.to_string()]);
    let (mut inputs, mut targets) = (Matrix::zeros(n as usize, 1), vec![0.0; n as usize]);
    source.fill(1, &draws, inputs.data_mut(), &mut targets);
    let mut learner = cases::build(name, &format!("lambda = 0.01\nbandwidth = 0.5\norder = 2\n{toml}"), 1);
    let mut predictions = vec![0.0; n as usize];
    let block = Block { first_round: 1, inputs: inputs.view(), targets: &targets };
    learner.play(block, &cases::draws(), &mut predictions).unwrap();
    let rounds = (1..).zip(inputs.view().iter()).zip(targets.iter().zip(&predictions));
    rounds.map(|((round, x), (y, p))| (p - y).powi(2) - (source.mean(round, &draws, x).unwrap() - y).powi(2)).sum()
}

/// On both laws, 16,384 rounds and 4 seeds: the regret of the forecaster that forgets nothing is more than five times that of
/// the mixture, the mixture's is at most 15 % above that of the best memory, and below its bound. The bound needs the path's
/// length: 8 jumps of at most 2, or 4 pi.
#[test]
fn the_mixture_follows_what_moves() {
    let n = 16_384;
    for (law, length) in [("switching-function", 16.0), ("rotating-function", 4.0 * std::f64::consts::PI)] {
        let mean = |name: &str, toml: &str| (0..4).map(|seed| regret(law, name, toml, n, seed)).sum::<f64>() / 4.0;
        let still = mean("pkawv-taylor", "");
        let memories = memories(n);
        let of = |memory: &f64| mean("discounted-awv-taylor", &format!("memory = {memory:?}"));
        let best =
            memories.iter().filter(|memory| (4.0..=8192.0).contains(*memory)).map(of).fold(f64::INFINITY, f64::min);
        for (rule, price) in [("average", 8.0), ("aggregating", 2.0)] {
            let mixture = mean("discount-mixture", &format!("bound = 1.0\nrule = '{rule}'"));
            println!("{law}, {rule}: still {still:.0}, mixture {mixture:.0}, best memory {best:.0}");
            assert!(still > 5.0 * mixture, "{law}: {still} {mixture}");
            assert!(mixture < 1.15 * best, "{law}: {mixture} {best}");
            let problem =
                TrackingProblem { rounds: n as f64, features: 3.0, lambda: 0.01, bound: 1.0, kappa: 1.0, norm: 1.0 };
            let limit = mixture_regret(&problem, length, price, memories.len() as f64);
            assert!(mixture < limit, "{law}: {mixture} {limit}");
        }
    }
}

/// Without a refresh, a constant input makes A singular, which ends the run with a message; with it, nothing happens.
#[test]
fn a_forgotten_direction_is_a_breakdown() {
    let x = Matrix::from_data(3000, 1, vec![0.5; 3000]).unwrap();
    let played = |refresh: &str| {
        let toml = format!("gamma = 0.9\nbandwidth = 0.5\nrefresh = {refresh}");
        let mut learner = cases::build("discounted-awv-taylor", &toml, 1);
        cases::play(&mut *learner, x.view(), &vec![1.0; 3000], &cases::draws(), 100)
    };
    let (_, error) = played("'never'").unwrap_err();
    assert!(error.cause.contains("singular"), "{error:?}");
    let found = played("'memory'").unwrap();
    // About 10 rounds count against lambda = 1, and the forecast is shrunk.
    assert!((0.8..1.0).contains(&found[2999]), "{}", found[2999]);
}
