//! Forecasts several steps ahead owe nothing to what becomes known between the row that they are made at and their target.

use std::collections::VecDeque;

use noregret_core::epoch::Scales;
use noregret_core::laws::learner;
use noregret_core::learner::api::{Block, Breakdown, Gauges, Hypothesis, Interval, Learner};
use noregret_core::learner::over_epochs::OverEpochs;
use noregret_core::learner::predictive::Predictive;
use noregret_core::params::ParamError;
use noregret_numeric::draw::{Draw, Draws, Role};
use noregret_numeric::linalg::matrix::Rows;

use super::cases::{LawRounds, build, data, draws};

const DIM: usize = 2;
const ROUNDS: usize = 60;

/// Learners of each kind: exact, over a dictionary, with draws, with intervals, over others, and without a step size.
const BASES: [&str; 8] = [
    "name = 'linear-awv', lambda = 0.1",
    "name = 'kernel-ridge', lambda = 0.1",
    "name = 'pkrr-nystrom', lambda = 0.1, mu = 0.01",
    "name = 'fogd', eta = 0.1, features = 20",
    "name = 'intervals', base = { name = 'linear-ridge', lambda = 0.1 }, rule = 'aci'",
    "name = 'aggregate', experts = ['linear-awv', 'running-mean', { name = 'auto', members = 'linear' }]",
    "name = 'model-averaging', grid = { lambda = [0.1, 1.0] }",
    "name = 'coin-linear', loss = 'absolute'",
];

fn ahead(base: &str, steps: usize) -> Box<dyn Learner> {
    build("ahead", &format!("base = {{ {base} }}\nsteps = {steps}"), DIM)
}

/// All that is said of the targets, in blocks of `size`.
#[derive(Debug, PartialEq)]
struct Said {
    predictions: Vec<f64>,
    intervals: Vec<Interval>,
    predictives: Vec<Predictive>,
}

fn said(learner: &mut dyn Learner, rounds: &LawRounds, size: usize) -> Said {
    let mut all = Said { predictions: vec![f64::NAN; ROUNDS], intervals: vec![], predictives: vec![] };
    for from in (0..ROUNDS).step_by(size) {
        let to = ROUNDS.min(from + size);
        let (inputs, targets) = (rounds.inputs.slice(from, to), &rounds.targets[from..to]);
        let block = Block { first_round: from as u64 + 1, inputs, targets };
        learner.play(block, &draws(), &mut all.predictions[from..to]).unwrap();
        all.intervals.extend(learner.intervals());
        all.predictives.extend(learner.predictives().into_iter().flatten());
    }
    all
}

/// Nothing that is said of y_t changes by a bit with x_{t-h+2}, x_{t-h+3}, ... and y_{t-h+1}, y_{t-h+2}, ...; or what does.
fn owes_nothing(make: &dyn Fn() -> Box<dyn Learner>, steps: usize, size: usize) -> Result<(), String> {
    let rounds = data(DIM, ROUNDS);
    let expected = said(&mut *make(), &rounds, size);
    for t in [steps - 1, steps, 29, 30, ROUNDS - 1] {
        let mut changed = rounds.clone();
        let made = t + 1 - steps;
        for s in made..ROUNDS {
            changed.targets[s] = 3.0 - 7.0 * changed.targets[s];
            if s > made {
                changed.inputs.row_mut(s).iter_mut().for_each(|x| *x = 0.2 - 0.9 * *x);
            }
        }
        let found = said(&mut *make(), &changed, size);
        if found.predictions[..=t] != expected.predictions[..=t] {
            return Err(format!("the prediction of round {}", t + 1));
        }
        let ends = |all: &Said| all.intervals.iter().map(|one| [one.lower.to_bits(), one.upper.to_bits()]).collect();
        let (found_ends, expected_ends): (Vec<_>, Vec<_>) = (ends(&found), ends(&expected));
        if found_ends.get(..=t) != expected_ends.get(..=t) {
            return Err(format!("the interval of round {}", t + 1));
        }
        if found.predictives.get(..=t) != expected.predictives.get(..=t) {
            return Err(format!("the distribution of round {}", t + 1));
        }
    }
    Ok(())
}

#[test]
fn forecasts_owe_nothing_to_what_is_known_after_they_are_made() {
    for (base, steps) in BASES.iter().flat_map(|base| [1, 2, 5].map(|steps| (base, steps))) {
        // One step ahead it is the learner itself, whose blocks are sums in another order.
        for size in if steps == 1 { &[1][..] } else { &[1, 7, ROUNDS] } {
            owes_nothing(&|| ahead(base, steps), steps, *size)
                .unwrap_or_else(|what| panic!("{base}, {steps} steps, blocks of {size}: {what}"));
        }
    }
}

/// Learns at once; or learns as it should, and forecasts anew with what became known since.
struct Undelayed {
    base: Box<dyn Learner>,
    steps: usize,
    rows: VecDeque<Vec<f64>>,
}

impl Hypothesis for Undelayed {
    fn predict(&self, _: &[f64], draw: &mut Draw) -> f64 {
        self.rows.front().filter(|_| self.rows.len() == self.steps).map_or(0.0, |x| self.base.predict(x, draw))
    }

    fn gauges(&self) -> Gauges {
        Gauges::default()
    }
}

impl Learner for Undelayed {
    fn attend(&mut self, x: &[f64], _: &mut Draw) -> Result<(), Breakdown> {
        self.rows.push_back(x.to_vec());
        Ok(())
    }

    fn learn(&mut self, _: &[f64], y: f64, draw: &mut Draw) -> Result<(), Breakdown> {
        if self.rows.len() < self.steps {
            return Ok(());
        }
        let x = self.rows.pop_front().unwrap();
        self.base.learn(&x, y, draw)
    }

    fn play(&mut self, block: Block<'_>, draws: &Draws, predictions: &mut [f64]) -> Result<(), Breakdown> {
        for (i, (x, y)) in block.inputs.iter().zip(block.targets).enumerate() {
            self.attend(x, &mut draws.at(Role::Attend, 1))?;
            predictions[i] = self.predict(x, &mut draws.at(Role::Predict, 1));
            self.learn(x, *y, &mut draws.at(Role::Learn, 1))?;
        }
        Ok(())
    }
}

#[test]
fn learners_that_know_more_are_refused() {
    let base = || build("linear-awv", "lambda = 0.1", DIM);
    for steps in [2, 5] {
        for size in [1, 7] {
            assert!(owes_nothing(&|| base(), steps, size).is_err());
            let anew = || -> Box<dyn Learner> { Box::new(Undelayed { base: base(), steps, rows: VecDeque::new() }) };
            assert!(owes_nothing(&anew, steps, size).is_err());
        }
    }
    // What is wrong with it is nothing else.
    owes_nothing(&|| Box::new(Undelayed { base: base(), steps: 1, rows: VecDeque::new() }), 1, 7).unwrap();
}

/// Over epochs, too, at whose starts the base is made anew on another scale: what was said before stays, to rounding. A learner
/// that forgets what it said says it anew on a scale that knows later targets.
#[test]
fn what_was_said_before_an_epoch_stays() {
    let steps = 5;
    let made = |keeps: bool| -> Box<dyn Learner> {
        let build = move || -> Result<Box<dyn Learner>, ParamError> {
            let base = "name = 'intervals', base = { name = 'kernel-ridge', lambda = 0.1 }, rule = 'aci'";
            Ok(if keeps { ahead(base, steps) } else { Box::new(Forgets(ahead(base, steps))) })
        };
        let scales = Scales { inputs: true, targets: true };
        Box::new(OverEpochs::new(Box::new(build), draws(), &[true; DIM], scales).unwrap())
    };
    let rounds = data(DIM, ROUNDS);
    let off = |keeps: bool| {
        let expected = said(&mut *made(keeps), &rounds, 7);
        let mut most = 0.0_f64;
        for t in steps - 1..ROUNDS {
            let mut changed = rounds.clone();
            changed.targets[t + 1 - steps..].iter_mut().for_each(|y| *y = 30.0 - 70.0 * *y);
            let found = said(&mut *made(keeps), &changed, 7);
            most = most.max((found.predictions[t] - expected.predictions[t]).abs());
            if let (Some(found), Some(expected)) = (found.intervals.get(t), expected.intervals.get(t)) {
                let [a, b] = [found.upper, expected.upper];
                most = most.max(if a == b { 0.0 } else { (a - b).abs() });
            }
        }
        most
    };
    assert!(off(true) < 1e-9, "{}", off(true));
    assert!(off(false) > 0.1, "{}", off(false));
}

/// Does not keep what was said before it was made anew.
struct Forgets(Box<dyn Learner>);

impl Hypothesis for Forgets {
    fn predict(&self, x: &[f64], draw: &mut Draw) -> f64 {
        self.0.predict(x, draw)
    }

    fn intervals(&self) -> &[Interval] {
        self.0.intervals()
    }

    fn gauges(&self) -> Gauges {
        self.0.gauges()
    }
}

impl Learner for Forgets {
    fn learn(&mut self, x: &[f64], y: f64, draw: &mut Draw) -> Result<(), Breakdown> {
        self.0.learn(x, y, draw)
    }

    fn play(&mut self, block: Block<'_>, draws: &Draws, predictions: &mut [f64]) -> Result<(), Breakdown> {
        self.0.play(block, draws, predictions)
    }
}

#[test]
fn one_step_ahead_is_the_learner_itself() {
    let rounds = data(DIM, ROUNDS);
    for (base, size) in BASES.iter().flat_map(|base| [1, 7].map(|size| (base, size))) {
        let table: toml::Table = format!("base = {{ {base} }}").parse().unwrap();
        let mut of = table["base"].as_table().unwrap().clone();
        let name = of.remove("name").unwrap();
        let mut plain = build(name.as_str().unwrap(), &of.to_string(), DIM);
        let (found, expected) = (said(&mut *ahead(base, 1), &rounds, size), said(&mut *plain, &rounds, size));
        assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{base}");
    }
}

/// Rows x_s with targets y_{s+h-1}, learnt in order by the base, forecast the same.
#[test]
fn forecasts_are_those_of_the_base_over_pairs_of_rows_and_later_targets() {
    let rounds = data(DIM, ROUNDS);
    for (base, steps) in [("linear-awv", 2), ("kernel-ridge", 5), ("linear-ridge", 24)] {
        let mut learner = ahead(&format!("name = '{base}', lambda = 0.1"), steps);
        let mut forecasts = Vec::new();
        let mut plain = build(base, "lambda = 0.1", DIM);
        for t in 0..ROUNDS {
            let x = rounds.inputs.row(t);
            let made = plain.predict(x, &mut draws().at(Role::Predict, 1));
            let due = learner.predict(x, &mut draws().at(Role::Predict, 1));
            learner.learn(x, rounds.targets[t], &mut draws().at(Role::Learn, 1)).unwrap();
            forecasts.push(match learner.waiting().last() {
                Some(said) => said.prediction,
                None => panic!("{base}: nothing waits"),
            });
            assert!((forecasts[t] - made).abs() < 1e-9, "{base}, forecast {t}: {} {made}", forecasts[t]);
            if let Some(s) = (t + 1).checked_sub(steps) {
                assert_eq!(due, forecasts[s]);
                let row = Block {
                    first_round: t as u64 + 1,
                    inputs: Rows::single(rounds.inputs.row(s)),
                    targets: &rounds.targets[t..=t],
                };
                plain.play(row, &draws(), &mut [f64::NAN]).unwrap();
            } else {
                assert_eq!(due, 0.0);
            }
        }
        assert_eq!(learner.waiting().len(), steps - 1);
    }
}

#[test]
fn all_laws_are_kept() {
    for (base, steps) in BASES.iter().flat_map(|base| [2, 5].map(|steps| (base, steps))) {
        learner::all(&|| Ok(ahead(base, steps)), DIM)
            .unwrap_or_else(|broken| panic!("{base}, {steps} steps: {broken}"));
    }
}

/// A weight comes with a target that is learnt with an earlier row, in mixtures, too.
#[test]
fn weights_are_refused() {
    let over =
        build("aggregate", "experts = [{ name = 'ahead', base = 'linear-awv', steps = 2 }, 'running-mean']", DIM);
    for mut learner in [ahead("name = 'linear-awv'", 2), over] {
        let draw = || draws().at(Role::Learn, 1);
        learner.learn_weighted(&[0.1, 0.2], 1.0, 1.0, &mut draw()).unwrap();
        let error = learner.learn_weighted(&[0.1, 0.2], 1.0, 2.0, &mut draw()).unwrap_err();
        assert!(error.cause.contains("the weight is 2, and ahead takes none"), "{error:?}");
    }
}

/// A row that comes late would wait twice.
#[test]
fn rows_that_come_late_are_refused_with_the_remedy() {
    let rounds = data(DIM, 1);
    let row = Block { first_round: 1, inputs: rounds.inputs.view(), targets: &rounds.targets };
    let build = || Ok(ahead("name = 'linear-awv'", 2));
    let over = OverEpochs::new(Box::new(build), draws(), &[true; DIM], Scales { inputs: true, targets: true }).unwrap();
    for mut learner in [ahead("name = 'linear-awv'", 2), Box::new(over)] {
        let error = learner.learn_late(row, &[], &draws()).unwrap_err();
        assert!(error.cause.contains("--delay") && error.cause.contains("`steps`"), "{error:?}");
    }
}
