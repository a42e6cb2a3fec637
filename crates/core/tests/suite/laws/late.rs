//! Rows that are learnt later than they were predicted: what is learnt from them is what was known then.

use std::collections::VecDeque;

use noregret_core::epoch::Scales;
use noregret_core::learner::LEARNERS;
use noregret_core::learner::api::{Block, Hypothesis, Learner};
use noregret_core::learner::classes::Classes;
use noregret_core::learner::derived::{DerivedColumns, WithDerived};
use noregret_core::learner::over_epochs::{BuildWide, MOST_ROWS, OverEpochs};
use noregret_core::params::ParamError;
use noregret_core::view::{ColumnKind, ViewKind};
use noregret_numeric::draw::{Draw, Role};
use noregret_numeric::linalg::matrix::Rows;

use super::cases::{LearnerCase, draws};

const DIM: usize = 2;

fn case(name: &str, toml: &str, dim: usize) -> Box<dyn Learner> {
    LearnerCase { entry: LEARNERS.find(name).unwrap(), table: toml::from_str(toml).unwrap(), dim }.full().unwrap()
}

fn viewing() -> Result<Box<dyn Learner>, ParamError> {
    let build: BuildWide = Box::new(|dim| Ok(case("pkrr-taylor", "lambda = 0.1\norder = 1\nbandwidth = 4", dim)));
    let kind = ViewKind { past: true, categories: false };
    Ok(Box::new(OverEpochs::viewing(MOST_ROWS, build, draws(), vec![ColumnKind::Number; DIM], kind, true)?))
}

fn auto(members: &str) -> Box<dyn Learner> {
    case("auto", &format!("members = \"{members}\""), DIM)
}

fn classes(of: fn() -> Result<Box<dyn Learner>, ParamError>) -> Box<dyn Learner> {
    Box::new(Classes::new(Box::new(of), draws(), DIM, 0).unwrap())
}

fn lag() -> DerivedColumns {
    DerivedColumns { lags: vec![1], ..DerivedColumns::default() }
}

/// Learners that show themselves past targets, and whether targets are classes.
fn learners() -> [(&'static str, Box<dyn Learner>, bool); 9] {
    let intervals = "base = { name = \"auto\", members = \"linear\" }";
    let aggregate = "experts = [{ name = \"auto\", members = \"linear\" }, \"running-mean\"]";
    let mixture = "base = \"auto\"\ngrid = { members = [\"linear\", \"plain\"] }\nbound = 20";
    [
        ("expert-mixture over auto", case("expert-mixture", mixture, DIM), false),
        ("aggregate over auto", case("aggregate", aggregate, DIM), false),
        ("intervals around auto", case("intervals", intervals, DIM), false),
        ("auto, linear", auto("linear"), false),
        ("auto", auto("all"), false),
        ("past targets over epochs", viewing().unwrap(), false),
        ("a lag", Box::new(WithDerived::new(case("linear-ridge", "lambda = 0.1", DIM + 1), lag())), false),
        ("classes by auto", classes(|| Ok(auto("linear"))), true),
        ("classes by past targets", classes(viewing), true),
    ]
}

/// Targets that alternate, with noise: what the last one says depends on how late it is.
fn row(t: usize, classes: bool) -> ([f64; DIM], f64) {
    let mut draw = draws().at(Role::Example, t as u64 + 1);
    let x = [draw.normal(), draw.normal()];
    match classes {
        true => (x, (t % 2) as f64),
        false => (x, if t.is_multiple_of(2) { 10.0 } else { -10.0 } + x[0] + 0.1 * draw.normal()),
    }
}

fn draw(t: usize) -> Draw {
    draws().at(Role::Predict, t as u64 + 1)
}

/// The loss of each of `rounds` rounds, of which each is learnt after `delay` further ones were predicted.
fn losses(learner: &mut dyn Learner, classes: bool, (rounds, delay): (usize, usize), with_context: bool) -> Vec<f64> {
    let (mut waiting, mut losses) = (VecDeque::new(), Vec::new());
    for t in 0..rounds {
        let (x, y) = row(t, classes);
        let said = learner.predict(&x, &mut draw(t));
        losses.push(if classes { f64::from(said != y) } else { (said - y) * (said - y) });
        waiting.push_back((t, learner.context(&x, &mut draw(t))));
        if waiting.len() > delay {
            let (at, context) = waiting.pop_front().unwrap();
            let (x, y) = row(at, classes);
            let row = Block { first_round: at as u64 + 1, inputs: Rows::single(&x), targets: &[y] };
            if with_context {
                assert!(!context.is_empty());
                learner.learn_late(row, &context, &draws()).unwrap();
            } else {
                learner.play(row, &draws(), &mut [f64::NAN]).unwrap();
            }
        }
    }
    losses
}

/// What is learnt at once is learnt as ever.
#[test]
fn a_context_that_is_still_true_changes_nothing() {
    for (place, (name, mut one, classes)) in learners().into_iter().enumerate() {
        let (_, mut other, _) = learners().into_iter().nth(place).unwrap();
        let with = losses(&mut *one, classes, (150, 0), true);
        let without = losses(&mut *other, classes, (150, 0), false);
        for (t, (with, without)) in with.iter().zip(&without).enumerate() {
            assert!((with - without).abs() <= 1e-6 * without.abs().max(1.0), "{name}, row {t}: {with} {without}");
        }
    }
}

/// Over epochs, the context of the learner of an epoch is that of the row: an interval is judged by the prediction that it was given
/// around, and not by a new one.
#[test]
fn intervals_over_epochs_are_judged_by_the_predictions_that_were_made() {
    let made = || {
        let build = || Ok(case("intervals", "base = 'running-mean'\nrule = 'aci'\nbound = 100", DIM));
        OverEpochs::new(Box::new(build), draws(), &[true; DIM], Scales::default()).unwrap()
    };
    let judged = |with: bool| {
        let mut learner = made();
        // An epoch begins after 60 rows, and the next one after 75.
        for t in 0..60 {
            learner.learn(&row(t, false).0, 0.0, &mut draw(t)).unwrap();
        }
        // Predicted as 0; by the time that its target 1 comes, 9 others of 10 have moved the mean.
        let context = learner.context(&[0.0; DIM], &mut draw(60));
        for t in 60..69 {
            learner.learn(&row(t, false).0, 10.0, &mut draw(t)).unwrap();
        }
        let late = Block { first_round: 70, inputs: Rows::single(&[0.0; DIM]), targets: &[1.0] };
        learner.learn_late(late, if with { &context } else { &[] }, &draws()).unwrap();
        let given = learner.intervals()[0];
        0.5 * (given.lower + given.upper)
    };
    assert!(judged(true).abs() < 1e-9, "{}", judged(true));
    assert!(judged(false) > 1.0, "{}", judged(false));
}

/// A row late, the last target has the other sign. Who learns as if it came in time learns the opposite of what it needs.
#[test]
fn rows_are_learnt_as_they_were_predicted() {
    for (place, (name, mut one, classes)) in learners().into_iter().enumerate() {
        let (_, mut other, _) = learners().into_iter().nth(place).unwrap();
        let mean = |losses: Vec<f64>| losses[200..].iter().sum::<f64>() / (losses.len() - 200) as f64;
        let late = mean(losses(&mut *one, classes, (400, 1), true));
        let as_if_in_time = mean(losses(&mut *other, classes, (400, 1), false));
        let [most, least] = if classes { [0.05, 0.5] } else { [2.0, 50.0] };
        assert!(late <= most, "{name}: {late}");
        assert!(as_if_in_time >= least, "{name}: {as_if_in_time}");
    }
}

/// A miss is one of the interval that was given, however late the target comes; the part of misses of `tracking` keeps the
/// bound for D late rows. Targets are small and large in turn for as long as they are late, so that the present radius is
/// always that of the others.
#[test]
fn late_targets_are_judged_by_the_intervals_that_were_given() {
    const LATE: u64 = 40;
    const ROUNDS: u64 = 4000;
    for rule in ["aci", "tracking", "betting"] {
        let toml = format!("base = {{ name = \"constant\" }}\nrule = \"{rule}\"\nrate = 0.1\nbound = 1");
        let mut learner = case("intervals", &toml, 1);
        let (draws, mut waiting, mut outside) = (draws(), VecDeque::new(), 0);
        for t in 1..=ROUNDS {
            let y = if (t / LATE).is_multiple_of(2) { 0.1 } else { 1.0 } * if t % 2 == 0 { 1.0 } else { -1.0 };
            let mut draw = draws.at(Role::Predict, t);
            let prediction = learner.predict(&[0.0], &mut draw);
            let given = learner.interval(prediction).unwrap();
            waiting.push_back((t, y, given, learner.context(&[0.0], &mut draw)));
            if waiting.len() as u64 > LATE {
                let (t, y, given, context) = waiting.pop_front().unwrap();
                let inputs = Rows::new(1, &[0.0]);
                learner.learn_late(Block { first_round: t, inputs, targets: &[y] }, &context, &draws).unwrap();
                let missed = !(given.lower <= y && y <= given.upper);
                outside += u64::from(missed);
                assert_eq!(learner.intervals().last().unwrap().missed, Some(missed), "{rule}, round {t}");
            }
        }
        assert_eq!(learner.gauges().missed, Some(outside), "{rule}");
        let (judged, rate) = ((ROUNDS - LATE) as f64, 0.1);
        let deviation = (outside as f64 / judged - 0.1).abs();
        if rule == "tracking" {
            assert!(deviation <= (2.0 + (LATE + 1) as f64 * rate) / (rate * judged), "{deviation}");
        }
    }
}

/// The same over epochs, which give targets another scale while 60 rows wait.
#[test]
fn late_targets_are_judged_over_epochs() {
    const LATE: usize = 60;
    for rule in ["aci", "tracking", "betting"] {
        let toml = format!("base = 'running-mean'\nrule = '{rule}'");
        let build = move || Ok(case("intervals", &toml, DIM));
        let mut learner = OverEpochs::new(Box::new(build), draws(), &[true; DIM], Scales::default()).unwrap();
        let (mut waiting, mut outside) = (VecDeque::new(), 0);
        for t in 0..600 {
            // The scale of targets grows, so that every epoch has another one.
            let (x, y) = row(t, false);
            let y = y * (1.0 + t as f64 / 100.0);
            let prediction = learner.predict(&x, &mut draw(t));
            let given = learner.interval(prediction).unwrap();
            waiting.push_back((t, x, y, given, learner.context(&x, &mut draw(t))));
            if waiting.len() > LATE {
                let (at, x, y, given, context) = waiting.pop_front().unwrap();
                let late = Block { first_round: at as u64 + 1, inputs: Rows::single(&x), targets: &[y] };
                learner.learn_late(late, &context, &draws()).unwrap();
                let missed = !(given.lower <= y && y <= given.upper);
                outside += u64::from(missed);
                assert_eq!(learner.intervals().last().unwrap().missed, Some(missed), "{rule}, row {at}");
            }
        }
        assert_eq!(learner.gauges().missed, Some(outside), "{rule}");
    }
}
