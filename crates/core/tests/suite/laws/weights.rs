//! Weights of rows: a row of weight 2 teaches as much as the row twice, two of weight 1/2 as much as the row, one of weight 0
//! nothing. The same is asked of what is told of targets.

use noregret_core::learner::api::{Block, Breakdown, Gauges, Hypothesis, Learner};
use noregret_core::learner::classes::Classes;
use noregret_core::learner::derived::{DerivedColumns, WithDerived};
use noregret_core::learner::over_epochs::OverEpochs;
use noregret_core::learner::predictive::Noise;
use noregret_numeric::draw::{Draw, Role};
use noregret_numeric::linalg::matrix::Rows;

use super::cases::{self, build, data, draws};

const DIM: usize = 2;
const ROUNDS: usize = 90;

/// Learners that minimise a sum.
const SUMS: &[(&str, &str)] = &[
    ("kernel-ridge", "lambda = 0.1"),
    ("kernel-awv", "lambda = 0.1"),
    ("pkrr-taylor", "lambda = 0.1\norder = 3"),
    ("pkawv-taylor", "lambda = 0.1\norder = 3"),
    ("pkrr-fourier", "lambda = 0.1\nfeatures = 10"),
    ("pkawv-fourier", "lambda = 0.1\nfeatures = 10"),
    ("kernel-ridge-low-rank", "lambda = 0.1"),
    ("linear-ridge", "lambda = 0.1\nintercept = true"),
    ("linear-ridge", "lambda = 0.1\nintercept = false"),
    ("linear-awv", "lambda = 0.1\nintercept = false"),
    ("running-mean", ""),
    ("majority", ""),
];

/// How often row t comes.
fn times(t: usize) -> usize {
    [1, 2, 0, 3, 1][t % 5]
}

/// Those whose dictionary is offered each round's point once.
const DICTIONARIES: &[(&str, &str)] = &[
    ("pkrr-nystrom", "lambda = 0.1\nmu = 0.1\nsample = 'before'"),
    ("pkawv-nystrom", "lambda = 0.1\nmu = 0.1"),
    ("pkawv-nystrom", "lambda = 0.1\nmu = 0.1\ndictionary = 'beforehand'"),
];

/// What is predicted and told at some points in the end, and the quantity in the regret bounds.
fn said(learner: &dyn Learner) -> Vec<f64> {
    let at = |x: &[f64]| {
        let told = learner.predictive(x).map_or([0.0; 2], |one| [one.mean(), one.deviation(Noise::default())]);
        [learner.predict(x, &mut draws().at(Role::Predict, 1)), told[0], told[1]]
    };
    let points = [[0.3, -0.2], [-1.0, 0.5], [0.0, 0.9]];
    let measures = learner.measures().into_iter().filter(|(name, _)| *name == "log_det").map(|(_, value)| value);
    points.iter().flat_map(|x| at(x)).chain(measures).collect()
}

/// Plays rows, each with weights one after the other: rounds of their own, or all learnt in the round of the row.
fn play(learner: &mut dyn Learner, weights: impl Fn(usize) -> Vec<f64>, rounds: bool) -> Result<Vec<f64>, Breakdown> {
    let all = data(DIM, ROUNDS);
    if learner.foresees() {
        learner.foresee(all.inputs.view(), &draws())?;
    }
    for t in 0..ROUNDS {
        let (x, y, round) = (all.inputs.row(t), all.targets[t], t as u64 + 1);
        if !rounds {
            learner.attend(x, &mut draws().at(Role::Attend, round))?;
        }
        for weight in weights(t) {
            let block = Block { first_round: round, inputs: Rows::single(x), targets: &[y] };
            match rounds {
                true => learner.play_weighted(block, &[weight], &draws(), &mut [f64::NAN])?,
                false => learner.learn_weighted(x, y, weight, &mut draws().at(Role::Learn, round))?,
            }
        }
    }
    Ok(said(learner))
}

/// Whether weights are repetitions, and what the largest difference is if not.
fn law(build: &dyn Fn() -> Box<dyn Learner>, [rounds, fractions]: [bool; 2]) -> Result<(), String> {
    let said = |weights: &dyn Fn(usize) -> Vec<f64>| play(&mut *build(), weights, rounds).map_err(|error| error.cause);
    let expected = said(&|t| vec![1.0; times(t)])?;
    let parts = |t| [vec![0.25; times(t)], vec![0.75; times(t)]].concat();
    for found in
        [Some(said(&|t| vec![times(t) as f64])?), fractions.then(|| said(&parts)).transpose()?].iter().flatten()
    {
        let off = found.iter().zip(&expected).map(|(one, other)| (one - other).abs()).fold(0.0, f64::max);
        if off.is_nan() || off > 1e-9 {
            return Err(format!("{off}: {found:?} instead of {expected:?}"));
        }
    }
    Ok(())
}

#[test]
fn a_weight_of_two_is_the_row_twice() {
    for (name, toml) in SUMS {
        // Counts are whole; and of the first row with an intercept, a part says nothing of the noise, but the rest does.
        let fractions = *name != "majority" && *toml != "lambda = 0.1\nintercept = true";
        law(&|| build(name, toml, DIM), [true, fractions]).unwrap_or_else(|broken| panic!("{name}: {broken}"));
    }
    for (name, toml) in DICTIONARIES {
        law(&|| build(name, toml, DIM), [false, true]).unwrap_or_else(|broken| panic!("{name}: {broken}"));
    }
}

/// How (x, y) of a weight is learnt.
type Weighing = fn(&mut dyn Learner, &[f64], f64, f64, &mut Draw) -> Result<(), Breakdown>;

/// Weighs otherwise than its base.
struct Weighs(Box<dyn Learner>, Weighing);

impl Hypothesis for Weighs {
    fn predict(&self, x: &[f64], draw: &mut Draw) -> f64 {
        self.0.predict(x, draw)
    }

    fn gauges(&self) -> Gauges {
        self.0.gauges()
    }
}

impl Learner for Weighs {
    fn learn(&mut self, x: &[f64], y: f64, draw: &mut Draw) -> Result<(), Breakdown> {
        self.0.learn(x, y, draw)
    }

    fn learn_weighted(&mut self, x: &[f64], y: f64, weight: f64, draw: &mut Draw) -> Result<(), Breakdown> {
        (self.1)(&mut *self.0, x, y, weight, draw)
    }
}

#[test]
fn learners_that_weigh_otherwise_are_refused() {
    let of = |wrong| -> Box<dyn Learner> { Box::new(Weighs(build("kernel-ridge", "lambda = 0.1", DIM), wrong)) };
    assert!(law(&|| of(|base, x, y, _, draw| base.learn(x, y, draw)), [true; 2]).is_err());
    assert!(law(&|| of(|base, x, y, weight, draw| base.learn(x, weight * y, draw)), [true; 2]).is_err());
    assert!(law(&|| of(|base, x, y, weight, draw| base.learn_weighted(x, y, weight.sqrt(), draw)), [true; 2]).is_err());
    law(&|| of(|base, x, y, weight, draw| base.learn_weighted(x, y, weight, draw)), [true; 2]).unwrap();
}

/// By a column of times, which stand still between equal rows, rows are forgotten whatever their weight.
#[test]
fn times_forget_alike() {
    let all = data(DIM, ROUNDS);
    let of = |rows: &[(usize, f64)]| {
        let mut learner = build("linear-ridge", "lambda = 0.1\nhalf_life = 20\ntime = 3", DIM + 1);
        for &(t, weight) in rows {
            let x = [all.inputs.row(t), &[t as f64]].concat();
            learner.learn_weighted(&x, all.targets[t], weight, &mut draws().at(Role::Learn, 1)).unwrap();
        }
        learner.predict(&[0.3, -0.2, ROUNDS as f64], &mut draws().at(Role::Predict, 1))
    };
    let twice: Vec<_> = (0..ROUNDS).flat_map(|t| [(t, 1.0); 2]).collect();
    let weighted: Vec<_> = (0..ROUNDS).map(|t| (t, 2.0)).collect();
    assert!((of(&twice) - of(&weighted)).abs() < 1e-9);
}

/// With a discount, a round of weight w counts as sqrt(w) phi and sqrt(w) y: of linear features, against sums written out.
#[test]
fn a_discounted_round_has_its_weight() {
    let all = data(DIM, ROUNDS);
    let gamma = 0.5_f64.powf(1.0 / 30.0);
    let weight = |t: usize| [1.0, 2.5, 0.0, 0.3][t % 4];
    let toml = "lambda = 0.1\nintercept = false\nforget_lambda = true\nhalf_life = 30";
    let mut linear = build("linear-ridge", toml, DIM);
    let (mut a, mut b) = ([[0.1, 0.0], [0.0, 0.1]], [0.0; 2]);
    for t in 0..ROUNDS {
        let (x, y) = (all.inputs.row(t), all.targets[t]);
        linear.learn_weighted(x, y, weight(t), &mut draws().at(Role::Learn, 1)).unwrap();
        for i in 0..2 {
            (0..2).for_each(|j| a[i][j] = gamma * a[i][j] + weight(t) * x[i] * x[j]);
            b[i] = gamma * b[i] + weight(t) * y * x[i];
        }
    }
    let det = a[0][0] * a[1][1] - a[0][1] * a[1][0];
    let w = [(a[1][1] * b[0] - a[0][1] * b[1]) / det, (a[0][0] * b[1] - a[1][0] * b[0]) / det];
    let x = [0.3, -0.2];
    let found = linear.predict(&x, &mut draws().at(Role::Predict, 1));
    assert!((found - (w[0] * x[0] + w[1] * x[1])).abs() < 1e-10, "{found} {w:?}");
}

/// A window of discounted features, too: one round of weight 0 is one that forgets, and a weight is that of both sums, so that
/// doubling all weights and lambda changes no forecast.
#[test]
fn weights_of_discounted_features_have_the_unit_of_lambda() {
    let all = data(DIM, ROUNDS);
    let of = |factor: f64| {
        let toml = format!("lambda = {}\norder = 2\ngamma = 0.97\nrefresh = 'never'", 0.1 * factor);
        let mut learner = build("discounted-ridge-taylor", &toml, DIM);
        for t in 0..ROUNDS {
            let weight = factor * [1.0, 2.5, 0.0, 0.3][t % 4];
            learner.learn_weighted(all.inputs.row(t), all.targets[t], weight, &mut draws().at(Role::Learn, 1)).unwrap();
        }
        learner.predict(&[0.3, -0.2], &mut draws().at(Role::Predict, 1))
    };
    assert!((of(1.0) - of(2.0)).abs() < 1e-9 && (of(1.0) - of(1.0 + 1e-3)).abs() < 1e-9);
}

/// Every learner takes whole weights, and refuses what is no weight in words.
#[test]
fn all_learners_take_whole_weights_and_refuse_others() {
    for case in cases::different(false) {
        let (name, mut learner) = (case.entry.name, case.full().unwrap());
        // What forecasts several steps ahead has a law of its own, which refuses weights.
        if learner.foresees() || name == "ahead" {
            continue;
        }
        let rounds = data(case.dim, 4);
        let block = Block { first_round: 1, inputs: rounds.inputs.view(), targets: &[1.0, -1.0, -1.0, 1.0] };
        let played = learner.play_weighted(block, &[1.0, 2.0, 0.0, 1.0], &draws(), &mut [f64::NAN; 4]);
        assert_eq!(played, Ok(()), "{name}");
        for weight in [-1.0, f64::NAN, f64::INFINITY] {
            let error =
                learner.learn_weighted(rounds.inputs.row(0), 1.0, weight, &mut draws().at(Role::Learn, 5)).unwrap_err();
            assert!(error.cause.contains(&weight.to_string()), "{name}: {error:?}");
        }
    }
}

/// What learners are shown through has weights, too: a learner over epochs, and one of each class, play their rows again.
#[test]
fn rows_that_are_played_again_have_their_weights() {
    let all = data(DIM, ROUNDS);
    let ridge = || build("linear-ridge", "lambda = 0.1", DIM);
    let scales = noregret_core::epoch::Scales::default();
    let epochs = || OverEpochs::new(Box::new(move || Ok(ridge())), draws(), &[true; DIM], scales).unwrap();
    let class = |t: usize| if all.targets[t] > 0.0 { 1.0 } else { 0.0 };
    let classes = || Classes::new(Box::new(move || Ok(ridge())), draws(), DIM, 2).unwrap();
    let (mut over, mut plain, mut told) = (epochs(), ridge(), classes());
    let mut one = ridge();
    for t in 0..ROUNDS {
        let (x, weight) = (all.inputs.row(t), 0.5 * times(t) as f64);
        let draw = || draws().at(Role::Learn, 1);
        over.learn_weighted(x, all.targets[t], weight, &mut draw()).unwrap();
        plain.learn_weighted(x, all.targets[t], weight, &mut draw()).unwrap();
        told.learn_weighted(x, class(t), weight, &mut draw()).unwrap();
        one.learn_weighted(x, 2.0 * class(t) - 1.0, weight, &mut draw()).unwrap();
    }
    let draw = || draws().at(Role::Predict, 1);
    for x in [[0.3, -0.2], [-1.0, 0.5]] {
        assert!((over.predict(&x, &mut draw()) - plain.predict(&x, &mut draw())).abs() < 1e-9);
        assert_eq!(told.predict(&x, &mut draw()), f64::from(one.predict(&x, &mut draw()) > 0.0));
    }
    let columns = DerivedColumns { lags: vec![1], ..DerivedColumns::default() };
    let mut lagged = WithDerived::new(build("linear-ridge", "lambda = 0.1", DIM + 1), columns);
    lagged.learn_weighted(&[0.0, 0.0], 3.0, 2.0, &mut draw()).unwrap();
    assert_eq!(lagged.context(&[0.0, 0.0], &mut draw()), [3.0]);
}
