//! Bounds of theorems with explicit constants, applied to random runs: no mean over seeds is above its bound, whatever
//! the stream and the step.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use noregret_core::comparator::COMPARATORS;
use noregret_core::learner::LEARNERS;
use noregret_core::learner::api::LearnerEntry;
use noregret_core::loss::LOSSES;
use noregret_core::noise::NOISES;
use noregret_core::params::Params;
use noregret_core::params::check::check;
use noregret_core::params::entry::Chosen;
use noregret_core::parts::AllParts;
use noregret_core::protocol::cell::{Cell, Feed};
use noregret_core::protocol::design::Design;
use noregret_core::protocol::protocols;
use noregret_core::protocol::record::RunRecord;
use noregret_core::stream::STREAMS;
use noregret_core::stream::spec::{Noise, Origin, StreamSpec};
use noregret_core::theory::robust::{RobustProblem, TargetRegularity};
use noregret_core::window::WINDOWS;
use noregret_numeric::draw::{Draw, Draws, Role};
use noregret_numeric::linalg::bernoulli::BernoulliSeries;
use noregret_numeric::linalg::matrix::Matrix;
use noregret_papers::case::{Application, Case};
use noregret_papers::pkawv::bounds::{kors_beta, taylor_order};
use noregret_papers::theorem::{Arguments, RateParameter, Theorem};
use noregret_papers::theorems::THEOREMS;

mod beyond;

const ROUNDS: u64 = 250;
const SETTINGS: u64 = 8;
const SEEDS: u32 = 5;

/// A random setting of a theorem, as configuration files write it.
#[derive(Clone, Debug, Default)]
struct Setting {
    learner: &'static str,
    params: String,
    law: String,
    inputs: Option<String>,
    targets: Option<String>,
    loss: String,
    comparator: Option<(&'static str, String)>,
    given: Vec<(&'static str, f64)>,
    /// The measure that is bounded; the regret if there is none.
    measure: Option<&'static str>,
}

fn between(draw: &mut Draw, low: f64, high: f64) -> f64 {
    draw.between(low, high)
}

/// Uniform in the logarithm.
fn scale(draw: &mut Draw, low: f64, high: f64) -> f64 {
    draw.between(low.ln(), high.ln()).exp()
}

fn one_of<'a>(draw: &mut Draw, words: &[&'a str]) -> &'a str {
    words[(draw.uniform() * words.len() as f64) as usize]
}

fn squared() -> String {
    "name = 'squared'".into()
}

fn ball(radius: f64, kernel: &str) -> Option<(&'static str, String)> {
    Some(("norm-ball", format!("radius = {radius:?}\nkernel = {kernel}")))
}

fn linear(draw: &mut Draw, learner: &'static str, more: &str) -> Setting {
    let (dim, radius, eta) = (1 + (4.0 * draw.uniform()) as u32, between(draw, 0.5, 2.0), scale(draw, 1e-4, 0.5));
    let noises =
        ["gaussian", "laplace", "uniform", "rademacher", "varying-laplace", "alternating", "adversarial", "adaptive"];
    let (noise, std) = (one_of(draw, &noises), between(draw, 0.0, 1.0));
    let shape = one_of(draw, &["box", "ball", "sphere"]);
    let amplitude = between(draw, 0.1, 1.0);
    Setting {
        learner,
        params: format!("radius = {radius:?}\neta = {eta:?}\n{more}"),
        law: format!(
            "name = 'kernel-function'\ndim = {dim}\ninputs = '{shape}'\nkernel = 'linear'\namplitude = {amplitude:?}"
        ),
        inputs: Some(format!("name = '{noise}'\nnoise_std = {std:?}")),
        targets: Some(format!("name = 'gaussian'\nnoise_std = {:?}", between(draw, 0.0, 0.5))),
        loss: squared(),
        comparator: ball(radius, "'linear'"),
        ..Setting::default()
    }
}

/// Targets of norm below 4 in the surrogate's space: two centres of weight at most 1, k^(x, x) below 4.
fn surrogate(draw: &mut Draw, learner: &'static str, kernel: &str, most: f64) -> Setting {
    let (variance, eta) = (between(draw, 0.0, most), scale(draw, 1e-4, 0.3));
    let (size, amplitude) = (between(draw, 0.5, 2.0), between(draw, 0.1, 1.0));
    Setting {
        learner,
        params: format!("radius = 4.0\neta = {eta:?}\ncovariance = {variance:?}\nkernel = {kernel}"),
        law: format!("name = 'kernel-function'\nsize = {size:?}\nkernel = {kernel}\namplitude = {amplitude:?}"),
        inputs: Some(format!("name = 'gaussian'\nnoise_std = {:?}", variance.sqrt())),
        targets: Some(format!("name = 'gaussian'\nnoise_std = {:?}", between(draw, 0.0, 0.5))),
        loss: squared(),
        comparator: ball(4.0, kernel),
        ..Setting::default()
    }
}

fn analytic(draw: &mut Draw, kernel: &str) -> Setting {
    let loss = one_of(draw, &["'squared'", "'exponential'", "{ name = 'smoothed-hinge', c = 1, centre = 0 }"]);
    let targets = if loss == "'squared'" { "value" } else { "sign" };
    let (radius, p, eta) = (between(draw, 0.2, 0.8), between(draw, 1.5, 3.0), scale(draw, 1e-5, 1e-2));
    let (std, estimator) = (between(draw, 0.0, 0.4), one_of(draw, &["single-term", "all-terms"]));
    let amplitude = between(draw, 0.05, 0.3);
    let noise = one_of(draw, &["gaussian", "adaptive"]);
    Setting {
        learner: "noisy-analytic",
        params: format!(
            "radius = {radius:?}\neta = {eta:?}\np = {p:?}\nkernel = {kernel}\nloss = {loss}\nestimator = '{estimator}'"
        ),
        law: format!(
            "name = 'kernel-function'\nkernel = {kernel}\namplitude = {amplitude:?}\ntargets = '{targets}'\nsize = 0.8"
        ),
        inputs: Some(format!("name = '{noise}'\nnoise_std = {std:?}")),
        loss: if loss.starts_with('{') {
            "name = 'smoothed-hinge'\nc = 1\ncentre = 0".into()
        } else {
            format!("name = {loss}")
        },
        comparator: ball(radius, kernel),
        ..Setting::default()
    }
}

fn infinite_layer(draw: &mut Draw, measure: Option<&'static str>) -> Setting {
    let family = one_of(draw, &["'cosine'", "'sign'", "'erf'"]);
    let (draws, eta) = (one_of(draw, &["'exact'", "'theory'", "200"]), scale(draw, 5e-3, 0.12));
    Setting {
        learner: "shrinking-gradient",
        params: format!("norm_bound = 1.0\neta = {eta:?}\ndraws = {draws}\nfeature = {family}"),
        law: format!("name = 'infinite-layer'\ndim = {}\nfeature = {family}", 1 + (3.0 * draw.uniform()) as u32),
        loss: squared(),
        comparator: ball(1.0, &format!("{{ name = 'infinite-layer', feature = {family} }}")),
        measure,
        ..Setting::default()
    }
}

fn forecaster(draw: &mut Draw, learner: &'static str, law: &str, kernel: &str, more: &str) -> Setting {
    let lambda = scale(draw, 0.1, 30.0);
    let own = if learner == "pkawv-taylor" { String::new() } else { format!("kernel = {kernel}\n") };
    Setting {
        learner,
        params: format!("lambda = {lambda:?}\n{own}{more}"),
        law: law.into(),
        loss: squared(),
        comparator: Some(("penalised", format!("lambda = {lambda:?}\nkernel = {kernel}"))),
        ..Setting::default()
    }
}

/// A random setting of the theorem; none where its bound is an expectation that runs reach, so that half of them exceed
/// it.
fn setting(theorem: &Theorem, draw: &mut Draw) -> Option<Setting> {
    const BUMP: &str = "{ name = 'gaussian', bandwidth = 1 }";
    let dim = 1 + (2.0 * draw.uniform()) as u32;
    let normal = format!("name = 'gaussian-inputs'\ndim = {dim}");
    Some(match theorem.name {
        "noisy-theorem-1" => linear(draw, "noisy-linear-two-copy", ""),
        "noisy-theorem-2" | "noisy-theorem-2-remark" => {
            linear(draw, "noisy-linear-covariance", "covariance = 'oracle'")
        }
        "noisy-theorem-3" => surrogate(draw, "noisy-gaussian", BUMP, 0.8),
        "noisy-theorem-5" => {
            let kernels = [
                "{ name = 'laplace', bandwidth = 2, cutoff = 0.9 }",
                "{ name = 'inverse-multiquadric', alpha = 1, m = 1, cutoff = 0.9 }",
            ];
            let kernel = one_of(draw, &kernels);
            surrogate(draw, "noisy-radial", kernel, 0.5)
        }
        "noisy-theorem-6" | "noisy-theorem-10" => {
            let kernel = one_of(draw, &["'exponential'", "{ name = 'polynomial', degree = 2, offset = 1 }"]);
            analytic(draw, kernel)
        }
        "noisy-theorem-7" => {
            let kernel = format!("{{ name = 'gaussian', bandwidth = {:?} }}", between(draw, 1.0, 2.0));
            analytic(draw, &kernel)
        }
        "iln-theorem-1" => infinite_layer(draw, None),
        "iln-corollary-1" => infinite_layer(draw, Some("excess_risk_averaged")),
        "iln-theorem-1-test" => {
            let found = infinite_layer(draw, Some("estimate_draws"));
            let (precision, failure) = (between(draw, 0.5, 1.5), between(draw, 0.01, 0.5));
            let params = format!("{}\nprecision = {precision:?}\nfailure = {failure:?}", found.params);
            Setting { params, ..found }
        }
        "pkawv-worst-case" => {
            let kernel = one_of(draw, &[BUMP, "{ name = 'laplace', bandwidth = 1 }"]);
            let found = forecaster(draw, "kernel-awv", &normal, kernel, "");
            Setting { comparator: ball(scale(draw, 0.1, 3.0), kernel), ..found }
        }
        "pkawv-capacity" => {
            let smoothness = 1 + (2.0 * draw.uniform()) as u32;
            let kernel = format!("{{ name = 'sobolev-periodic', smoothness = {smoothness}, frequency = 'angular' }}");
            let found = forecaster(draw, "kernel-awv", "name = 'periodic-spline'", &kernel, "");
            Setting { given: vec![("gamma", 0.5 / f64::from(smoothness))], ..found }
        }
        "pkawv-gaussian" => {
            let found = forecaster(draw, "kernel-awv", &normal, BUMP, "");
            Setting { given: vec![("dimension", f64::from(dim))], ..found }
        }
        "pkawv-theorem-4" => {
            let order = taylor_order(ROUNDS as f64, 0.1, f64::from(dim).sqrt(), 1.0);
            let (law, more) =
                (format!("name = 'uniform-inputs'\ndim = {dim}"), format!("bandwidth = 1\norder = {order}"));
            let found = forecaster(draw, "pkawv-taylor", &law, BUMP, &more);
            Setting { given: vec![("dimension", f64::from(dim))], ..found }
        }
        "pkawv-theorem-6" => {
            let more = format!("mu = {:?}\nbeta = {:?}", scale(draw, 1e-6, 0.1), kors_beta(ROUNDS as f64, 0.05));
            let found = forecaster(draw, "pkawv-nystrom", &normal, BUMP, &more);
            Setting { given: vec![("dimension", f64::from(dim))], ..found }
        }
        _ => return beyond::setting(theorem, draw),
    })
}

/// A member of a registry from its table.
macro_rules! member {
    ($registry:expr, $text:expr) => {
        $registry
            .choose(&$text.parse::<toml::Table>().unwrap(), None, "", &AllParts)
            .unwrap_or_else(|why| panic!("{}: {why}", $text))
    };
}

/// A run of a learner.
fn played(design: &Design, learner: &'static LearnerEntry, params: &Params, feed: Feed, replicate: u32) -> RunRecord {
    let cell = Cell {
        learner,
        label: "a".into(),
        params: params.clone().into(),
        configured: "".into(),
        feed,
        stream: 0,
        horizon: ROUNDS,
        replicate,
    };
    cell.play(design, protocols::of(design, &cell), None, &|| false).unwrap()
}

/// The means over seeds of the bounded quantity and of its bound, and the application to the last seed.
fn play(theorem: &Theorem, setting: &Setting, key: &str) -> (f64, f64, Application) {
    let stream = StreamSpec {
        origin: Origin::Law(member!(STREAMS, setting.law)),
        noise: setting.inputs.as_ref().map(|inputs| Noise {
            inputs: Some(member!(NOISES, inputs)),
            targets: setting.targets.as_ref().map(|targets| member!(NOISES, targets)),
        }),
        corruption: None,
        label: None,
    };
    let loss: Chosen<dyn noregret_core::loss::api::Loss> = member!(LOSSES, setting.loss);
    let squares = loss.part.name == "squared";
    let design = Design { name: key.into(), seed: 1, streams: vec![stream], dense: false, test_rows: 0, loss };
    let learner = LEARNERS.find(setting.learner).unwrap();
    let table = setting.params.parse::<toml::Table>().unwrap();
    let params = check(learner.params, &table, "", &AllParts).unwrap_or_else(|why| panic!("{setting:?}: {why}"));
    let given: BTreeMap<String, f64> = setting.given.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    let (name, text) = setting.comparator.as_ref().unwrap();
    let entry = COMPARATORS.find(name).unwrap();
    let against = check(entry.params, &text.parse::<toml::Table>().unwrap(), "", &AllParts).unwrap();
    let (mut mean, mut limit, mut last) = (0.0, 0.0, Application::default());
    for replicate in 0..SEEDS {
        let feed = if setting.inputs.is_some() { Feed::Copies(NonZeroU32::MIN) } else { Feed::Clean };
        let record = played(&design, learner, &params, feed, replicate);
        let value = match setting.measure {
            Some(measure) => record.measures[measure],
            None => {
                let draws = design.stream_draws(0, replicate);
                let source = design.streams[0].source(ROUNDS, &draws, None).unwrap();
                let mut inputs = Matrix::zeros(ROUNDS as usize, source.dim());
                let mut targets = vec![0.0; ROUNDS as usize];
                source.fill(1, &draws, inputs.data_mut(), &mut targets);
                let comparator = (entry.build)(&against).unwrap();
                let named = comparator.solve_on(&*design.loss.object, &*source, &draws, inputs.view(), &targets);
                let best = match squares {
                    _ if named.is_some() => named.unwrap().unwrap(),
                    true => comparator.solve(inputs.view(), &targets).unwrap(),
                    false => comparator.solve_for(&*design.loss.object, inputs.view(), &targets).unwrap(),
                };
                record.checkpoints.last().unwrap().cumulative_loss - best.objective
            }
        };
        let case = Case {
            learner: learner.name,
            params: &params,
            stream: &design.streams[0],
            loss: &*design.loss.object,
            comparator: Some((name, &against)),
            rounds: ROUNDS as f64,
            measures: &record.measures,
            given: &given,
        };
        last = theorem.applied.unwrap()(&case).unwrap_or_else(|why| panic!("{}: {why}", theorem.name));
        let bound = theorem.bound.as_ref().unwrap();
        let parameters: Vec<&RateParameter> = theorem.parameters.iter().chain(bound.parameters).collect();
        let mut values = given.clone();
        values.extend(last.constants.clone());
        let arguments = Arguments::check(&values, &parameters).unwrap_or_else(|why| panic!("{}: {why}", theorem.name));
        mean += value / f64::from(SEEDS);
        limit += (bound.value)(&arguments, ROUNDS as f64) / f64::from(SEEDS);
    }
    (mean, limit, last)
}

/// 8 random settings of each of the 29 theorems with explicit constants, 5 seeds each: no mean is above its bound. The
/// seeds are fixed. Bounds hold in expectation, and those that are nearly reached do not vary enough to be exceeded by a
/// mean of 5: the largest quotients are printed. Bounds that are far too small fail: each is reached to a thousandth
/// somewhere, and to a millionth those of Theorems 6, 7 and 10, whose constants are exponentials, and of draws at test time,
/// which go with the square of a norm.
#[test]
fn no_run_is_above_its_bound() {
    let mut tested = 0;
    for theorem in THEOREMS.iter().filter(|theorem| theorem.bound.is_some() && theorem.applied.is_some()) {
        let mut largest = f64::NEG_INFINITY;
        for index in 0..SETTINGS {
            let mut draw = Draws::named(&["bounds", theorem.name]).at(Role::Example, index);
            let setting = setting(theorem, &mut draw).unwrap_or_else(|| panic!("no settings for {}", theorem.name));
            let (mean, bound, applied) = play(theorem, &setting, &format!("{} {index}", theorem.name));
            assert!(mean <= bound, "{}: {mean} above {bound} in {setting:?}", theorem.name);
            // Levels of intervals move by themselves, whatever the targets.
            let free = theorem.name == "intervals-aci";
            assert!(applied.worst.is_some() && (free || !applied.conditions.is_empty()), "{}", theorem.name);
            largest = largest.max(mean / bound);
        }
        println!("{}: at most {largest:.3} of the bound", theorem.name);
        let loose =
            ["noisy-theorem-6", "noisy-theorem-7", "noisy-theorem-10", "iln-theorem-1-test"].contains(&theorem.name);
        assert!(largest > if loose { 1e-6 } else { 1e-3 }, "{}: {largest}", theorem.name);
        tested += 1;
    }
    assert_eq!(tested, 29);
}

/// |x| = 1 and Laplace noise whose variance reaches 0.6 in each of 4 columns: E|x~|^2 <= 1 + 4 0.6 = 3.4, and E|x~|^4 <=
/// 3.4^2 + 4 0.6 + 4 (6 - 1) 0.6^2 = 21.16; the means over rounds are 2.2 and 7.84.
#[test]
fn constants_are_suprema_not_means() {
    let law = "name = 'kernel-function'\ndim = 4\ninputs = 'sphere'\nkernel = 'linear'\namplitude = 0.25";
    let base = Setting {
        law: law.into(),
        inputs: Some("name = 'varying-laplace'\nnoise_std = 0.5477225575051661".into()),
        targets: Some("name = 'gaussian'\nnoise_std = 0.5".into()),
        loss: squared(),
        comparator: ball(1.5, "'linear'"),
        ..Setting::default()
    };
    let theorem = |name: &str| THEOREMS.iter().copied().find(|theorem| theorem.name == name).unwrap();
    let two = Setting { learner: "noisy-linear-two-copy", params: "radius = 1.5".into(), ..base.clone() };
    let found = play(theorem("noisy-theorem-1"), &two, "suprema").2;
    assert!((found.constants["input_bound"].powi(2) - 3.4).abs() < 1e-12);
    // The weights are 1/2 in each column, so that |y| <= 1; the noise on y has the variance 1/4.
    assert!((found.constants["target_bound"].powi(2) - 1.25).abs() < 1e-12);
    // The default step assumes the moments 1 and 1, and the theorem's is smaller.
    let step = found.conditions.iter().find(|one| one.what.starts_with("step over")).unwrap();
    assert!(step.met == Some(false) && step.here.unwrap() > 1.5, "{step:?}");
    let params = "radius = 1.5\ncovariance = 'oracle'".into();
    let covariance = Setting { learner: "noisy-linear-covariance", params, ..base };
    let found = play(theorem("noisy-theorem-2"), &covariance, "suprema").2;
    assert!((found.constants["input_bound"].powi(4) - 21.16).abs() < 1e-10);
    assert!((found.constants["covariance_bound"] - 0.6).abs() < 1e-12);
}

/// Surrogate kernels are for Gaussian noise; behind another law the condition is not met.
#[test]
fn a_condition_knows_the_law_of_the_noise() {
    let theorem = THEOREMS.iter().copied().find(|theorem| theorem.name == "noisy-theorem-3").unwrap();
    let gaussian = setting(theorem, &mut Draws::named(&["law of the noise"]).at(Role::Example, 0)).unwrap();
    for (law, met) in [("gaussian", true), ("laplace", false)] {
        let inputs = Some(format!("name = '{law}'\nnoise_std = 0.1"));
        let found = play(theorem, &Setting { inputs, ..gaussian.clone() }, law).2;
        let condition = found.conditions.iter().find(|one| one.what == "Gaussian noise").unwrap();
        assert_eq!(condition.met, Some(met), "{law}");
    }
}

/// A hinge loss under 4,096 rounds in a ball of radius 1/2: no sum of losses exceeds 7,477.
#[test]
fn the_worst_loss_is_known() {
    let setting = Setting {
        learner: "noisy-analytic",
        params: "radius = 0.5\nkernel = 'exponential'\nloss = { name = 'smoothed-hinge', c = 1, centre = 0 }".into(),
        law: "name = 'kernel-function'\nkernel = 'exponential'\ntargets = 'sign'\nflip = 0.1".into(),
        inputs: Some("name = 'gaussian'\nnoise_std = 0.31622776601683794".into()),
        loss: "name = 'smoothed-hinge'\nc = 1\ncentre = 0".into(),
        comparator: ball(0.5, "'exponential'"),
        ..Setting::default()
    };
    let theorem = THEOREMS.iter().copied().find(|theorem| theorem.name == "noisy-theorem-6").unwrap();
    let worst = play(theorem, &setting, "worst").2.worst.unwrap() / ROUNDS as f64 * 4096.0;
    assert!((worst - 7477.0).abs() < 1.0, "{worst}");
}

/// Theorem 1 of the robust paper with its constants: 8 random targets on the circle, regularities below the critical
/// one, windows, steps and scales of the theorem, 5 seeds each. No mean error is above the bound.
#[test]
fn robust_errors_are_below_theorem_1() {
    let learner = LEARNERS.find("robust-ogd").unwrap();
    for index in 0..SETTINGS {
        let mut draw = Draws::named(&["bounds", "robust"]).at(Role::Example, index);
        let decay = 2 + (3.0 * draw.uniform()) as u32;
        let (amplitude, half_width) = (between(&mut draw, 0.1, 1.0), between(&mut draw, 0.0, 1.0));
        let r = between(&mut draw, 0.3, 0.9) * f64::from(2 * decay - 1) / 4.0;
        let window = one_of(&mut draw, &["least-squares", "welsch", "fair", "tukey"]);
        let law = format!("name = 'circle'\ndecay = {decay}\namplitude = {amplitude:?}\nhalf_width = {half_width:?}");
        let stream =
            StreamSpec { origin: Origin::Law(member!(STREAMS, law)), noise: None, corruption: None, label: None };
        let reach = stream.source(100, &Draws::named(&[]), None).unwrap().reach().unwrap();
        let loss = member!(LOSSES, squared());
        let name = format!("robust {index}");
        let design = Design { name, seed: 1, streams: vec![stream], dense: false, test_rows: 0, loss };
        let text = format!(
            "window = '{window}'\neta = 'theory'\nscale = 'theory'\nregularity = {r:?}\nkernel = 'sobolev-periodic'"
        );
        let params = check(learner.params, &text.parse::<toml::Table>().unwrap(), "", &AllParts).unwrap();
        let growth = WINDOWS.find(window).map(|entry| (entry.build)(&Default::default()).unwrap().growth()).unwrap();
        let target = BernoulliSeries::new(0.0, &[(decay, amplitude)]).unwrap();
        // |g|^2 = sum_k V_k k^(4r), whose terms fall like k^(4r - 2 decay), with the integral of the tail.
        let (most, power) = (20_000_u32, 4.0 * r - 2.0 * f64::from(decay));
        let head: f64 = (1..=most).map(|k| target.energy(k) * f64::from(k).powf(4.0 * r)).sum();
        let tail = 2.0 * amplitude * amplitude * f64::from(most).powf(power + 1.0) / (-power - 1.0);
        let facts = TargetRegularity {
            regularity: r,
            source_norm2: head + tail,
            norm2: target.squared_norm(0).unwrap(),
            noise: half_width * half_width / 3.0,
        };
        let problem = RobustProblem {
            kappa2: 1.0 + std::f64::consts::PI.powi(2) / 3.0,
            target_bound: reach.target,
            slope: growth.slope,
            largest_slope: growth.largest_slope,
            order: growth.order,
            remainder: growth.remainder,
        };
        let (mut mean, mut bound) = (0.0, 0.0);
        for replicate in 0..SEEDS {
            let measures = played(&design, learner, &params, Feed::Clean, replicate).measures;
            mean += measures["squared_l2_error"] / f64::from(SEEDS);
            bound = problem.theorem_1(facts, measures["eta"], ROUNDS as f64, measures["scale"]);
        }
        println!("robust theorem 1, {window}, r = {r:.2}: {:.2e} of the bound", mean / bound);
        assert!(mean <= bound && mean > 0.0, "{window}, {text}: {mean} above {bound}");
    }
}
