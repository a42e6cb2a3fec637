//! Learners over a dictionary, and online Newton steps, against reference values with given uniforms.

use std::sync::Arc;

use noregret_core::learner::api::{Gauges, Hypothesis, Setting};
use noregret_core::learner::descent::nogd::{Nogd, NogdParams};
use noregret_core::learner::newton::kons::{Kons, KonsParams};
use noregret_core::learner::newton::pros_n_kons::{ProsNKons, ProsNKonsParams};
use noregret_core::learner::newton::sketched_kons::{SketchedKons, SketchedKonsParams};
use noregret_core::learner::ridge::kors::{Kors, SampleWeights, SamplerParams};
use noregret_core::learner::ridge::nystrom::{DictionarySampling, Nystrom};
use noregret_numeric::draw::Role;

use super::*;

impl Case {
    fn word(&self, name: &str) -> &str {
        self.0["params"][name].as_str().unwrap_or("")
    }

    fn kernel(&self) -> Arc<Gaussian> {
        Arc::new(Gaussian::new(self.param("bandwidth")))
    }

    fn rule(&self) -> SamplerParams {
        let weights =
            if self.word("kors_weights") == "authors" { SampleWeights::Authors } else { SampleWeights::Theory };
        let least = self.0["params"]["gamma"].as_f64().unwrap_or(0.0);
        SamplerParams { mu: self.param("mu"), beta: self.param("beta"), epsilon: self.param("eps"), weights, least }
    }
}

/// The setting of learners over `dim` columns.
fn setting(dim: usize) -> Setting {
    Setting { dim, horizon: None, draws: cases::draws() }
}

/// Plays round by round: `before` the prediction and `after` it, with the round's uniform. Returns the predictions, and
/// the rounds (from 0) in which the number of points kept grew.
fn rounds<L: Hypothesis>(
    case: &Case,
    learner: &mut L,
    mut before: impl FnMut(&mut L, &[f64], f64),
    mut after: impl FnMut(&mut L, &[f64], f64, f64),
) -> (Vec<f64>, Vec<f64>) {
    let (x, y) = (case.input("X"), case.vector("y"));
    let uniforms = if case.0["inputs"]["u"].is_null() { vec![0.0; y.len()] } else { case.vector("u") };
    let (mut predictions, mut grown) = (Vec::new(), Vec::new());
    for (t, ((x, y), u)) in x.view().iter().zip(y).zip(uniforms).enumerate() {
        let points = learner.gauges().stored_points;
        before(learner, x, u);
        predictions.push(learner.predict(x, &mut Draws::named(&[]).at(Role::Predict, t as u64 + 1)));
        after(learner, x, y, u);
        if learner.gauges().stored_points > points {
            grown.push(t as f64);
        }
    }
    (predictions, grown)
}

#[test]
fn probabilities_of_kors() {
    for algorithm in ["pkrr_nystrom", "sketched_kons", "pros_n_kons"] {
        for case in Case::of(PKAWV, algorithm) {
            let (x, uniforms, kernel) = (case.input("X"), case.vector("u"), case.kernel());
            let mut kors = Kors::new(case.rule());
            let (mut probabilities, mut dictionary) = (Vec::new(), Vec::new());
            for (t, u) in uniforms.iter().enumerate() {
                let row: Vec<f64> = dictionary.iter().map(|&s: &usize| kernel.evaluate(x.row(s), x.row(t))).collect();
                let probability = kors.probability(&row, 1.0).unwrap();
                if *u < probability {
                    kors.accept(1.0, probability);
                    dictionary.push(t);
                }
                probabilities.push(probability);
            }
            case.check("p", &probabilities);
            let kept = if algorithm == "sketched_kons" { "kept" } else { "dictionary" };
            assert_eq!(
                dictionary.iter().map(|&t| t as f64).collect::<Vec<_>>(),
                case.expected(kept),
                "{}",
                case.name()
            );
        }
    }
}

#[test]
fn nystrom_forecasters() {
    for (algorithm, forecast) in [("pkrr_nystrom", Forecast::Ridge), ("pkawv_nystrom", Forecast::Awv)] {
        for case in Case::of(PKAWV, algorithm) {
            let sample =
                if case.word("sample") == "before" { DictionarySampling::Before } else { DictionarySampling::After };
            let (lambda, dim) = (case.param("lambda"), case.input("X").cols());
            let mut learner = Nystrom::new(forecast, case.kernel(), lambda, case.rule(), sample, &setting(dim));
            let (predictions, dictionary) = rounds(
                &case,
                &mut learner,
                |learner, x, u| learner.attend_with(x, u).unwrap(),
                |learner, x, y, u| learner.learn_with(x, y, u).unwrap(),
            );
            case.check("predictions", &predictions);
            assert_eq!(dictionary, case.expected("dictionary"), "{}", case.name());
            let losses = predictions.iter().zip(case.vector("y")).map(|(p, y)| (p - y).powi(2));
            case.check("cumulative_square_loss", &[losses.sum()]);
        }
    }
}

#[test]
fn nystrom_forecasters_with_a_dictionary_made_beforehand() {
    for case in Case::of(PKAWV, "pkawv_beforehand") {
        for (field, forecast) in [("ridge", Forecast::Ridge), ("awv", Forecast::Awv)] {
            let (x, lambda) = (case.input("X"), case.param("lambda"));
            let mut uniforms = case.vector("u").into_iter();
            let mut learner = Nystrom::new(
                forecast,
                case.kernel(),
                lambda,
                case.rule(),
                DictionarySampling::Beforehand,
                &setting(x.cols()),
            );
            assert!(learner.foresees());
            learner.foresee_with(x.view(), |_| uniforms.next().unwrap()).unwrap();
            assert_eq!(learner.gauges().stored_points, Some(case.expected("dictionary").len() as u64));
            case.check(field, &play(&mut learner, &x, &case.vector("y"), 7));
        }
    }
}

#[test]
fn pros_n_kons() {
    for case in Case::of(PKAWV, "pros_n_kons") {
        let SamplerParams { mu, beta, epsilon, weights, .. } = case.rule();
        let params = ProsNKonsParams {
            alpha: case.param("alpha"),
            clip: case.param("C"),
            mu,
            beta,
            epsilon,
            weights: if weights == SampleWeights::Authors { "authors" } else { "theory" },
            variant: if case.word("variant") == "authors" { "authors" } else { "paper" },
            kernel: case.kernel(),
        };
        let mut learner = ProsNKons::new(params, &setting(case.input("X").cols())).unwrap();
        let learn = |learner: &mut ProsNKons, x: &[f64], y, u| learner.learn_with(x, y, u).unwrap();
        let (predictions, dictionary) = rounds(&case, &mut learner, |_, _, _| (), learn);
        case.check("predictions", &predictions);
        assert_eq!(dictionary, case.expected("dictionary"), "{}", case.name());
    }
}

#[test]
fn kons() {
    for case in Case::of(PKAWV, "kons") {
        let (alpha, clip, bandwidth) = (case.param("alpha"), case.param("C"), case.param("bandwidth"));
        let toml = format!("alpha = {alpha:?}\nclip = {clip:?}\nkernel = {{ bandwidth = {bandwidth:?} }}");
        check_learner(&case, "predictions", "X", |dim| cases::build("kons", &toml, dim));
    }
}

/// The dual form with a random subset of the rounds; with all of them it is KONS.
#[test]
fn sketched_kons() {
    for case in Case::of(PKAWV, "sketched_kons") {
        let (alpha, clip, kernel, setting) =
            (case.param("alpha"), case.param("C"), case.kernel(), setting(case.input("X").cols()));
        let SamplerParams { mu, beta, epsilon, least: gamma, .. } = case.rule();
        let params = SketchedKonsParams { alpha, clip, mu, beta, epsilon, gamma, kernel: kernel.clone() };
        let mut learner = SketchedKons::new(params.clone(), &setting).unwrap();
        let (mut kept, mut t) = (Vec::new(), 0.0);
        let (predictions, _) = rounds(
            &case,
            &mut learner,
            |_, _, _| (),
            |learner, x, y, u| {
                if learner.learn_with(x, y, u).unwrap() {
                    kept.push(t);
                }
                t += 1.0;
            },
        );
        case.check("predictions", &predictions);
        assert_eq!(kept, case.expected("kept"), "{}", case.name());

        let mut sketched = SketchedKons::new(SketchedKonsParams { gamma: 1.0, ..params }, &setting).unwrap();
        let mut dual = Kons::new(KonsParams { alpha, clip, kernel }, &setting).unwrap();
        let found = play(&mut sketched, &case.input("X"), &case.vector("y"), 1);
        for (t, (x, y)) in case.input("X").view().iter().zip(case.vector("y")).enumerate() {
            assert_eq!(dual.predict(x, &mut cases::draws().at(Role::Predict, 1)), found[t], "{}", case.name());
            dual.step(x, y, true).unwrap();
        }
    }
}

#[test]
fn nogd() {
    for case in Case::of(PKAWV, "nogd") {
        let options = NogdParams {
            budget: case.param("budget") as u64,
            rank: case.param("rank") as u64,
            eta: case.param("eta").into(),
            eta_linear: case.param("eta_linear").into(),
            kernel: case.kernel(),
        };
        check_learner(&case, "predictions", "X", |dim| {
            Box::new(Nogd::new(options.clone(), &Setting::new(dim)).unwrap())
        });
    }
}

/// With every point in the dictionary, the Nystrom forecasters equal the exact ones, with and without repeated points.
#[test]
fn a_dictionary_of_all_points_is_exact() {
    let data = cases::data(2, 300);
    for (nystrom, exact) in [("pkrr-nystrom", "kernel-ridge"), ("pkawv-nystrom", "kernel-awv")] {
        for lambda in [1e-3, 1.0] {
            // With so large a beta every probability is 1, except for points that the dictionary holds already.
            let kernel = format!("lambda = {lambda:?}\nkernel = {{ bandwidth = 0.4 }}");
            let toml = format!("{kernel}\nbeta = 1e15\nmu = 1e-8\nsample = \"before\"");
            let found = play(&mut *cases::build(nystrom, &toml, 2), &data.inputs, &data.targets, 50);
            let expected = play(&mut *cases::build(exact, &kernel, 2), &data.inputs, &data.targets, 50);
            assert_close(&found, &expected, 1e-6, &format!("{nystrom}, lambda {lambda}"));
        }
    }
}

/// Predictions stay finite and near the range of the targets, for every regularisation and bandwidth, with repeated,
/// nearly repeated and constant inputs, and with up to fifty columns.
#[test]
fn near_repetitions_and_extreme_parameters_stay_stable() {
    let names = ["pkrr-nystrom", "pkawv-nystrom", "pros-n-kons", "kons", "sketched-kons"]
        .map(|name| (name, name.ends_with("nystrom")));
    for dim in [1, 50] {
        let mut data = cases::data(dim, 200);
        for t in 0..200 {
            let (source, nudge) = (t % 7, if t % 3 == 0 { 1e-9 * t as f64 } else { 0.0 });
            let point: Vec<f64> = data.inputs.row(source).iter().map(|x| x + nudge).collect();
            if t % 2 == 1 {
                data.inputs.row_mut(t).copy_from_slice(&point);
            }
        }
        let mut constant = data.clone();
        constant.inputs.data_mut().fill(0.3);
        for (name, regression) in names {
            for weight in [1e-3, 1.0, 1e3] {
                for bandwidth in [0.1, 1.0, 10.0] {
                    let parameter = if regression { "lambda" } else { "alpha" };
                    for mu in [1e-3, 1.0] {
                        let toml = match name {
                            "kons" => format!("alpha = {weight:?}"),
                            _ => format!("{parameter} = {weight:?}\nmu = {mu:?}"),
                        };
                        let toml = format!("{toml}\nkernel = {{ bandwidth = {bandwidth:?} }}");
                        for data in [&data, &constant] {
                            let found = play(&mut *cases::build(name, &toml, dim), &data.inputs, &data.targets, 50);
                            let largest = cases::scale(&found);
                            assert!(largest.is_finite() && largest < 10.0, "{name}, {toml}: {largest}");
                        }
                    }
                }
            }
        }
    }
}

/// The other learners of the paper: ridge regression in closed form, and first-order steps that are exact, over
/// features, and mixed. For kernels with k(x, x) = 1 steps are stable only below 1/2, so these take 1/10.
#[test]
fn extreme_parameters_of_the_other_learners_stay_stable() {
    let mixture = |base: &str| format!("base = {{ {base} }}\ngrid = {{ lambda = [1e-3, 1.0, 1e3] }}\nbound = 2.0");
    for dim in [1, 7, 50] {
        let mut data = cases::data(dim, 120);
        for t in (1..120).step_by(2) {
            let point = data.inputs.row(t % 5).to_vec();
            data.inputs.row_mut(t).copy_from_slice(&point);
        }
        let mut constant = data.clone();
        constant.inputs.data_mut().fill(-0.7);
        for bandwidth in [0.1, 1.0, 10.0] {
            let kernel = format!("kernel = {{ bandwidth = {bandwidth:?} }}");
            let mut cases: Vec<(&str, String)> = vec![
                ("fogd", format!("eta = 0.1\nfeatures = 50\nbandwidth = {bandwidth:?}")),
                ("nogd", format!("eta = 0.1\nbudget = 30\nrank = 10\n{kernel}")),
                ("kernel-ogd", format!("eta = 0.1\n{kernel}")),
                ("expert-mixture", mixture(&kernel)),
                ("expert-mixture", mixture(&format!("name = \"pkrr-taylor\", bandwidth = {bandwidth:?}, order = 1"))),
            ];
            for lambda in [1e-3, 1.0, 1e3] {
                for name in ["kernel-ridge", "kernel-awv"] {
                    cases.push((name, format!("lambda = {lambda:?}\n{kernel}")));
                }
                for name in ["pkrr-taylor", "pkawv-taylor"] {
                    cases.push((name, format!("lambda = {lambda:?}\nbandwidth = {bandwidth:?}\norder = 2")));
                }
                let beforehand = format!("lambda = {lambda:?}\nmu = 1e-3\ndictionary = \"beforehand\"\n{kernel}");
                cases.push(("pkawv-nystrom", beforehand));
            }
            for (name, toml) in &cases {
                for data in [&data, &constant] {
                    let found = play(&mut *cases::build(name, toml, dim), &data.inputs, &data.targets, 50);
                    let largest = cases::scale(&found);
                    assert!(largest.is_finite() && largest < 10.0, "{name}, {toml}, dimension {dim}: {largest}");
                }
            }
        }
    }
}

/// The gauges count the points and the coordinates of the dictionary.
#[test]
fn gauges_of_a_dictionary() {
    let data = cases::data(2, 300);
    let mut learner = cases::build("pkawv-nystrom", "mu = 0.1", 2);
    play(&mut *learner, &data.inputs, &data.targets, 100);
    let Gauges { stored_points, features, .. } = learner.gauges();
    let (points, features) = (stored_points.unwrap(), features.unwrap());
    assert!(0 < features && features <= points && points < 300, "{features} {points}");
}
