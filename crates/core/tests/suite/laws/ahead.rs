//! Forecasts several steps ahead owe nothing to what becomes known between the row that they are made at and their target.

use std::collections::VecDeque;

use noregret_core::laws::learner;
use noregret_core::learner::api::{Block, Breakdown, Gauges, Hypothesis, Interval, Learner};
use noregret_core::learner::predictive::Predictive;
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
    forecasts: Vec<f64>,
}

fn said(learner: &mut dyn Learner, rounds: &LawRounds, size: usize) -> Said {
    let mut all =
        Said { predictions: vec![f64::NAN; ROUNDS], intervals: vec![], predictives: vec![], forecasts: vec![] };
    for from in (0..ROUNDS).step_by(size) {
        let to = ROUNDS.min(from + size);
        let (inputs, targets) = (rounds.inputs.slice(from, to), &rounds.targets[from..to]);
        let block = Block { first_round: from as u64 + 1, inputs, targets };
        learner.play(block, &draws(), &mut all.predictions[from..to]).unwrap();
        all.intervals.extend(learner.intervals());
        all.predictives.extend(learner.predictives().into_iter().flatten());
        all.forecasts.extend(learner.forecasts());
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
        let found = said(&mut *learner, &rounds, 7);
        let mut plain = build(base, "lambda = 0.1", DIM);
        for t in 0..ROUNDS {
            let x = rounds.inputs.row(t);
            let made = plain.predict(x, &mut draws().at(Role::Predict, 1));
            assert!((found.forecasts[t] - made).abs() < 1e-9, "{base}, forecast {t}: {} {made}", found.forecasts[t]);
            if let Some(s) = (t + 1).checked_sub(steps) {
                assert_eq!(found.predictions[t], found.forecasts[s]);
                let row = Block {
                    first_round: t as u64 + 1,
                    inputs: Rows::single(rounds.inputs.row(s)),
                    targets: &rounds.targets[t..=t],
                };
                plain.play(row, &draws(), &mut [f64::NAN]).unwrap();
            } else {
                assert_eq!(found.predictions[t], 0.0);
            }
        }
        let x = [0.3, -0.2];
        let draw = || draws().at(Role::Predict, 1);
        assert_eq!(learner.predict(&x, &mut draw()), found.forecasts[ROUNDS + 1 - steps]);
        let next = learner.forecast(&x, &mut draw()).unwrap();
        assert!((next - plain.predict(&x, &mut draw())).abs() < 1e-9);
    }
}

#[test]
fn all_laws_are_kept() {
    for (base, steps) in BASES.iter().flat_map(|base| [2, 5].map(|steps| (base, steps))) {
        learner::all(&|| Ok(ahead(base, steps)), DIM)
            .unwrap_or_else(|broken| panic!("{base}, {steps} steps: {broken}"));
    }
}

/// A row that comes late would wait twice.
#[test]
fn rows_that_come_late_are_refused_with_the_remedy() {
    let rounds = data(DIM, 1);
    let row = Block { first_round: 1, inputs: rounds.inputs.view(), targets: &rounds.targets };
    let error = ahead("name = 'linear-awv'", 2).learn_late(row, &[], &draws()).unwrap_err();
    assert!(error.cause.contains("--delay") && error.cause.contains("`steps`"), "{error:?}");
}
