use std::collections::{BTreeMap, BTreeSet};

use super::GUARANTEES;
use crate::case::Inapplicable;
use crate::guarantee::{Guarantee, PlayedRun, Sides};
use noregret_core::laws::learner::play;
use noregret_core::learner::LEARNERS;
use noregret_core::learner::api::{AnyLearner, Setting};
use noregret_core::loss::LOSSES;
use noregret_core::params::Params;
use noregret_core::params::check::check;
use noregret_core::parts::AllParts;
use noregret_numeric::draw::{Draws, Role};
use noregret_numeric::linalg::matrix::Matrix;

const ROUNDS: usize = 200;

/// Learners that statements are about, with parameters under which these speak, and the loss.
const RUNS: &[(&str, &str, &str)] = &[
    ("kernel-awv", "lambda = 0.1", "squared"),
    ("pkawv-taylor", "lambda = 0.1\norder = 4", "squared"),
    ("kernel-ridge", "lambda = 0.1", "squared"),
    ("pkrr-taylor", "lambda = 0.1\norder = 3", "squared"),
    ("expert-mixture", "bound = 1\ngrid = { lambda = [0.1, 10.0] }", "squared"),
    (
        "expert-mixture",
        "bound = 1\nbase = { name = 'pkrr-taylor' }\nrule = 'aggregating'\ngrid = { order = [2, 3] }",
        "squared",
    ),
    ("model-averaging", "grid = { lambda = [0.01, 1.0, 100.0] }\nbase.order = 3", "squared"),
    ("aggregate", "rule = 'boa'\nbound = 1", "squared"),
    ("aggregate", "rule = 'ewa'\nbound = 1\ngradient = false", "squared"),
    ("aggregate", "rule = 'ml-poly'\nbound = 1\nloss = 'absolute'", "absolute"),
    ("aggregate", "rule = 'fixed-share'\nbound = 1\ngradient = false\nalpha = 0.05", "squared"),
    ("auto", "", "squared"),
    ("intervals", "base = { name = 'constant' }", "squared"),
    ("intervals", "base = { name = 'constant' }\nrule = 'tracking'\nbound = 1", "squared"),
    ("intervals", "base = { name = 'constant' }\nrule = 'betting'\nbound = 1", "squared"),
    ("discounted-awv-taylor", "memory = 30", "squared"),
    ("tracking-awv-taylor", "q = 0.001", "squared"),
    ("discount-mixture", "bound = 1", "squared"),
    ("aioli-taylor", "", "logistic"),
    ("coin-kernel", "", "absolute"),
    ("coin-kernel", "loss = 'hinge'", "hinge"),
    ("coin-taylor", "loss = 'pinball'", "pinball"),
    ("kernel-ogd", "eta = 0.1", "squared"),
    ("shrinking-gradient", "draws = 'exact'", "squared"),
    ("linear-ogd", "eta = 0.02\nradius = 0.2", "squared"),
];

/// A run with everything that a statement may look at.
struct Played {
    learner: &'static str,
    params: Params,
    loss: std::sync::Arc<dyn noregret_core::loss::api::Loss>,
    inputs: Matrix,
    targets: Vec<f64>,
    totals: Vec<(u64, f64)>,
    measures: BTreeMap<String, f64>,
}

fn params(learner: &str, text: &str) -> Params {
    check(LEARNERS.find(learner).unwrap().params, &text.parse::<toml::Table>().unwrap(), "", &AllParts).unwrap()
}

impl Played {
    /// Inputs in [-1, 1]^3, and targets whose law changes halfway; signs for losses of classes, and 1 throughout
    /// for `constant`.
    fn new(&(learner, text, loss): &(&'static str, &str, &str), constant: bool) -> Self {
        let mut draw = Draws::named(&["guarantees"]).at(Role::Example, 0);
        let inputs = Matrix::from_data(ROUNDS, 3, (0..3 * ROUNDS).map(|_| draw.between(-1.0, 1.0)).collect()).unwrap();
        let mut target = |(t, x): (usize, &[f64])| {
            let own = if t < ROUNDS / 2 { 0.7 * x[0] } else { (3.0 * x[1]).sin() * 0.6 } + 0.2 * draw.normal();
            match loss {
                _ if constant => 1.0,
                "logistic" | "hinge" => own.signum(),
                _ => own.clamp(-1.0, 1.0),
            }
        };
        let targets: Vec<f64> = inputs.view().iter().enumerate().map(&mut target).collect();
        let (entry, params) = (LEARNERS.find(learner).unwrap(), params(learner, text));
        let draws = Draws::named(&["guarantees", learner]);
        let setting = Setting { dim: 3, horizon: Some(ROUNDS as u64), draws: draws.clone() };
        let AnyLearner::Full(mut played) = (entry.build.learner)(&params, &setting).unwrap() else { unreachable!() };
        let said = play(&mut *played, inputs.view(), &targets, &draws, 50).unwrap();
        let loss = LOSSES.choose(&format!("name = '{loss}'").parse::<toml::Table>().unwrap(), None, "", &AllParts);
        let loss = loss.unwrap().object;
        let mut total = 0.0;
        let totals = (1..).zip(said.iter().zip(&targets)).map(|(t, (p, y))| {
            total += loss.of(*p, *y);
            (t, total)
        });
        let totals = totals.collect();
        let measures = played.measures().into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Self { learner, params, loss, inputs, targets, totals, measures }
    }

    fn check(&self, guarantee: &Guarantee) -> Result<Sides, Inapplicable> {
        (guarantee.check)(&PlayedRun {
            learner: self.learner,
            params: &self.params,
            horizon: ROUNDS as u64,
            loss: &*self.loss,
            inputs: self.inputs.view(),
            targets: &self.targets,
            totals: &self.totals,
            measures: &self.measures,
        })
    }

    /// The checks of all statements about its learner.
    fn checked(&self) -> impl Iterator<Item = (&'static Guarantee, Result<Sides, Inapplicable>)> {
        let about = GUARANTEES.iter().copied().filter(|guarantee| guarantee.learners.contains(&self.learner));
        about.map(|guarantee| (guarantee, self.check(guarantee)))
    }
}

fn find(name: &str) -> &'static Guarantee {
    GUARANTEES.iter().find(|guarantee| guarantee.name == name).unwrap()
}

/// Every statement holds on runs of its learners. Its control is the same run whose trace is corrupted: each bounded number is
/// raised by twice the bound and more, and every statement must see it.
#[test]
fn every_statement_holds_and_refuses_a_corrupted_trace() {
    let mut seen = BTreeSet::new();
    for run in RUNS {
        let mut played = Played::new(run, false);
        let sides: Vec<_> = played.checked().filter_map(|(one, sides)| Some((one, sides.ok()?))).collect();
        assert!(!sides.is_empty(), "{run:?}: {:?}", played.checked().map(|(_, sides)| sides).collect::<Vec<_>>());
        for (guarantee, sides) in sides {
            assert!(sides.hold() && sides.bound > 0.0, "{run:?}: {}: {sides:?}", guarantee.name);
            seen.insert(guarantee.name);
            let (totals, measures) = (played.totals.clone(), played.measures.clone());
            let raise = 2.0 * sides.bound + sides.value.abs() + 1.0;
            played.totals.iter_mut().for_each(|(_, total)| *total += 10.0 * raise);
            for name in
                ["largest_regret", "regret_to_best", "largest_part_of_bound", "miss_deviation", "log_loss_regret"]
            {
                played.measures.entry(name.into()).and_modify(|value| *value += raise);
            }
            let corrupted = played.check(guarantee).unwrap();
            assert!(
                !corrupted.hold() && corrupted.rounds == sides.rounds,
                "{run:?}: {}: {corrupted:?}",
                guarantee.name
            );
            (played.totals, played.measures) = (totals, measures);
        }
    }
    let all: BTreeSet<_> = GUARANTEES.iter().map(|guarantee| guarantee.name).collect();
    assert_eq!(seen, all);
    assert_eq!(all.len(), GUARANTEES.len());
}

/// A run of another lambda than the check is told: targets of 1, which a huge lambda does not learn, held against the bound of
/// a small one.
#[test]
fn a_falsified_lambda_is_refused() {
    for (learner, name, text) in [
        ("kernel-awv", "pkawv-proposition-1", "lambda = 1e5\nkernel = { bandwidth = 5.0 }"),
        ("pkawv-taylor", "pkawv-proposition-1-features", "lambda = 1e5\nbandwidth = 5\norder = 2"),
    ] {
        let mut played = Played::new(&(learner, text, "squared"), true);
        let told = played.check(find(name)).unwrap();
        assert!(told.hold(), "{learner}: {told:?}");
        played.params = params(learner, &text.replace("1e5", "1.0"));
        let false_lambda = played.check(find(name)).unwrap();
        assert!(!false_lambda.hold() && false_lambda.value > 5.0 * false_lambda.bound, "{learner}: {false_lambda:?}");
    }
}

/// Statements do not speak of runs outside of their conditions, and say why.
#[test]
fn runs_outside_of_the_conditions_are_left_alone() {
    let silent = |name: &str, run: (&'static str, &str, &str), why: &str| {
        let told = Played::new(&run, false).check(find(name)).unwrap_err();
        assert!(told.to_string().contains(why), "{name}: {told}");
    };
    silent("forecasts-best", ("aggregate", "rule = 'boa'", "squared"), "`bound` is not given");
    silent("forecasts-best", ("aggregate", "bound = 0.01", "squared"), "above the bound B");
    silent("forecasts-best", ("aggregate", "bound = 1\nrange = 'running'", "squared"), "rounds so far");
    silent("forecasts-shifts", ("aggregate", "bound = 1", "squared"), "about the rule fixed-share");
    silent("tracking-forecaster", ("tracking-awv-taylor", "a = 0.9", "squared"), "about a = 1");
    silent("pkawv-proposition-1", ("kernel-awv", "", "absolute"), "the squared loss");
    silent("iln-theorem-1", ("shrinking-gradient", "", "squared"), "draws neurons");
    silent("gradient-descent", ("kernel-ogd", "eta = 0.6", "squared"), "too large");
    silent("intervals", ("intervals", "rule = 'betting'", "squared"), "`bound` is not given");
    let unknown = "bound = 1\nbase = { name = 'pkrr-nystrom' }\ngrid = { lambda = [1.0] }";
    silent("pkawv-experts", ("expert-mixture", unknown, "squared"), "no bound is known for its members");
    let mut played = Played::new(&("kernel-awv", "", "squared"), false);
    played.totals.retain(|(t, _)| *t > 150);
    played.targets.truncate(150);
    assert!(played.check(find("pkawv-proposition-1")).unwrap_err().to_string().contains("no checkpoint"));
}

/// Of a run that is too long for a Gram matrix, the first rounds are checked.
#[test]
fn the_first_rounds_of_a_long_run_are_checked() {
    let mut played = Played::new(&("kernel-awv", "", "squared"), false);
    let whole = played.check(find("pkawv-proposition-1")).unwrap();
    played.totals.retain(|(t, _)| *t == 64 || *t == ROUNDS as u64);
    played.targets.truncate(100);
    let first = played.check(find("pkawv-proposition-1")).unwrap();
    assert_eq!((whole.rounds, first.rounds), (ROUNDS as u64, 64));
    assert!(first.hold() && first.bound < whole.bound);
}
