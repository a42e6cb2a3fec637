//! linear-ridge and linear-awv: what forgetting gains, what it means, and that nothing drifts in long runs.

use noregret_core::learner::api::Block;
use noregret_numeric::draw::{Draw, Draws, Role};
use noregret_numeric::linalg::matrix::{Matrix, Rows};
use noregret_numeric::state::Store;

use crate::laws::cases::{build, draws, play};

fn draw(what: &str, seed: u64) -> Draw {
    Draws::named(&["linear", what]).at(Role::Example, seed)
}

/// Rounds with inputs in [-1, 1]^`dim`.
fn inputs(rounds: usize, dim: usize, draw: &mut Draw) -> Matrix {
    let mut inputs = Matrix::zeros(rounds, dim);
    inputs.data_mut().fill_with(|| draw.between(-1.0, 1.0));
    inputs
}

fn predictions(name: &str, toml: &str, x: &Matrix, y: &[f64]) -> Vec<f64> {
    play(&mut *build(name, toml, x.cols()), x.view(), y, &draws(), 64).unwrap()
}

/// 20 seeds of 2,000 rounds whose weights turn once in 500, noise .1: a half-life of 20 rounds loses at most a quarter of what is
/// lost without one, by every seed; where the weights stay, it loses more than without.
#[test]
fn a_half_life_pays_where_the_target_moves_and_costs_where_it_stays() {
    for (seed, turns) in (0..20).flat_map(|seed| [(seed, 4.0), (seed, 0.0)]) {
        let draw = &mut draw("drift", seed);
        let x = inputs(2_000, 2, draw);
        let target = |t: usize, x: &[f64], noise: f64| {
            let angle = std::f64::consts::TAU * turns * t as f64 / 2_000.0;
            angle.cos() * x[0] + angle.sin() * x[1] + 0.1 * noise
        };
        let y: Vec<f64> = (0..2_000).map(|t| target(t, x.row(t), draw.normal())).collect();
        for name in ["linear-ridge", "linear-awv"] {
            let loss = |toml: &str| -> f64 {
                predictions(name, toml, &x, &y).iter().zip(&y).map(|(p, y)| (p - y) * (p - y)).sum()
            };
            let (forgetting, keeping) = (loss("half_life = 20"), loss(""));
            let pays = if turns > 0.0 { 4.0 * forgetting < keeping } else { forgetting > keeping };
            assert!(pays, "{name}, seed {seed}, {turns} turns: {forgetting} and {keeping}");
        }
    }
}

/// A gap of k units discounts as k rounds do in which nothing is seen.
#[test]
fn irregular_times_repeat_the_discount() {
    let draw = &mut draw("times", 0);
    let x = inputs(200, 2, draw);
    let (mut timed, mut padded, mut targets) = (Matrix::with_width(3), Matrix::with_width(2), Vec::new());
    let (mut time, mut y) = (-7.0, Vec::new());
    for x in x.view().iter() {
        let gap = 1 + draw.below(5);
        time += gap as f64;
        // No rounds before the first one.
        let unseen = if y.is_empty() { 0 } else { gap - 1 };
        (0..unseen).for_each(|_| padded.push_row(&[0.0; 2]));
        targets.resize(padded.rows(), 0.0);
        padded.push_row(x);
        timed.push_row(&[x[0], time, x[1]]);
        y.push(x[0] - 2.0 * x[1] + draw.normal());
        targets.push(y[y.len() - 1]);
    }
    for name in ["linear-ridge", "linear-awv"] {
        let gamma = (-1.0f64 / 9.0).exp2();
        let of = |lambda: f64, time: u64| {
            format!("half_life = 9\nintercept = false\nforget_lambda = true\nlambda = {lambda}\ntime = {time}")
        };
        let by_time = predictions(name, &of(0.5 * gamma, 2), &timed, &y);
        let by_rounds = predictions(name, &of(0.5, 0), &padded, &targets);
        let seen = by_rounds.iter().zip(padded.view().iter()).filter(|(_, x)| *x != [0.0; 2]).map(|(p, _)| *p);
        for (t, (found, expected)) in by_time.iter().zip(seen).enumerate() {
            assert!((found - expected).abs() < 1e-11, "{name}, round {t}: {found} and {expected}");
        }
    }
}

/// The weighted ridge regression of the rounds before round `t`, by normal equations: the prediction at its input.
fn batch(x: &Matrix, y: &[f64], t: usize, gamma: f64, penalty: f64) -> f64 {
    let d = x.cols();
    let mut system = vec![vec![0.0; d + 1]; d];
    for (s, &y) in y[..t].iter().enumerate() {
        let (row, weight) = (x.row(s), gamma.powf((t - 1 - s) as f64));
        for (i, equation) in system.iter_mut().enumerate() {
            equation.iter_mut().zip(row.iter().chain([&y])).for_each(|(sum, value)| *sum += weight * row[i] * value);
        }
    }
    (0..d).for_each(|i| system[i][i] += penalty);
    let weights = solved(system).0;
    weights.iter().zip(x.row(t)).map(|(w, x)| w * x).sum()
}

/// The solution of a positive definite system whose rows end with their right-hand sides, and its log determinant.
fn solved(mut system: Vec<Vec<f64>>) -> (Vec<f64>, f64) {
    let d = system.len();
    for i in 0..d {
        let pivot = system[i].clone();
        for equation in &mut system[i + 1..] {
            let factor = equation[i] / pivot[i];
            equation.iter_mut().zip(&pivot).for_each(|(entry, above)| *entry -= factor * above);
        }
    }
    let mut weights = vec![0.0; d];
    for i in (0..d).rev() {
        let known: f64 = (i + 1..d).map(|j| system[i][j] * weights[j]).sum();
        weights[i] = (system[i][d] - known) / system[i][i];
    }
    (weights, (0..d).map(|i| system[i][i].ln()).sum())
}

/// 200 streams of 80 rounds with targets -1 and 1, by a coin or against the prediction: the regret of linear-awv against the best
/// line with its penalty is at most log det(I + sum x x' / lambda); that of linear-ridge is above it in some of them.
#[test]
fn the_regret_of_awv_keeps_its_bound() {
    let mut above = [0; 2];
    for seed in 0..200 {
        let draw = &mut draw("bound", seed);
        let (d, lambda) = (1 + draw.below(4), draw.between(-4.0, 1.0).exp());
        let x = inputs(80, d, draw);
        for (place, name) in ["linear-awv", "linear-ridge"].into_iter().enumerate() {
            let mut learner = build(name, &format!("lambda = {lambda}\nintercept = false"), d);
            let mut system = vec![vec![0.0; d + 1]; d];
            (0..d).for_each(|i| system[i][i] = lambda);
            let mut regret = 0.0;
            for x in x.view().iter() {
                let p = learner.predict(x, draw);
                let y = if seed % 2 == 0 && p != 0.0 { -p.signum() } else { draw.sign() };
                learner.learn(x, y, draw).unwrap();
                regret += p * p - 2.0 * p * y;
                for (i, equation) in system.iter_mut().enumerate() {
                    equation.iter_mut().zip(x.iter().chain([&y])).for_each(|(sum, value)| *sum += x[i] * value);
                }
            }
            let moment: Vec<f64> = system.iter().map(|equation| equation[d]).collect();
            let (weights, log_det) = solved(system);
            regret += weights.iter().zip(&moment).map(|(w, b)| w * b).sum::<f64>();
            above[place] += u32::from(regret > log_det - d as f64 * lambda.ln());
        }
    }
    assert!(above[0] == 0 && above[1] > 0, "{above:?}");
}

/// 12,000 rounds over 4 columns with gamma = .9, .99 and .999, where carrying the inverse without making it symmetric ends in NaN, 700
/// and 4e-10 (in this order): the deviation from the batch solution does not grow.
#[test]
fn long_runs_with_a_discount_stay_at_the_batch_solution() {
    let rounds = 12_000;
    let draw = &mut draw("long", 1);
    let x = inputs(rounds, 4, draw);
    let y: Vec<f64> = x.view().iter().map(|x| x[0] - x[1] + 0.5 * x[3] + draw.normal()).collect();
    for gamma in [0.9f64, 0.99, 0.999] {
        for forgets in [true, false] {
            let toml = format!(
                "half_life = {}\nintercept = false\nforget_lambda = {forgets}\nlambda = 0.5",
                -1.0 / gamma.log2()
            );
            let found = predictions("linear-ridge", &toml, &x, &y);
            let mut penalty = 0.5;
            let mut largest = [0.0f64; 2];
            for t in 1..rounds {
                penalty *= gamma;
                if !forgets && penalty < 0.25 {
                    penalty = 0.5;
                }
                if t % 1_000 < 5 || t == rounds - 1 {
                    let deviation = (found[t] - batch(&x, &y, t, gamma, penalty)).abs();
                    let half = &mut largest[usize::from(t > rounds / 2)];
                    *half = half.max(deviation);
                }
            }
            eprintln!("gamma {gamma}, lambda forgotten {forgets}: {largest:?}");
            assert!(largest.iter().all(|deviation| *deviation < 1e-11), "{gamma} {forgets}: {largest:?}");
        }
    }
}

/// A column that stays constant for 3,000 rounds, more than 400 half-lives, leaves the other direction where lambda holds it, and the next
/// inputs are learnt as at first.
#[test]
fn directions_without_inputs_stay_at_zero() {
    for name in ["linear-ridge", "linear-awv"] {
        let mut learner = build(name, "half_life = 7\nintercept = false", 2);
        let draw = || Draws::named(&[]).at(Role::Learn, 1);
        for _ in 0..3_000 {
            learner.learn(&[1.0, 1.0], 2.0, &mut draw()).unwrap();
        }
        assert!(learner.predict(&[1.0, -1.0], &mut draw()).abs() < 1e-12);
        for _ in 0..60 {
            learner.learn(&[1.0, -1.0], 1.0, &mut draw()).unwrap();
        }
        assert!((learner.predict(&[1.0, -1.0], &mut draw()) - 1.0).abs() < 0.15);
    }
}

/// The intercept is not shrunk: targets that are higher by 1000 give predictions that are higher by 1000 from round 2 on.
#[test]
fn predictions_move_with_the_targets() {
    let draw = &mut draw("moved", 0);
    let x = inputs(100, 3, draw);
    let y: Vec<f64> = x.view().iter().map(|x| x[2] + draw.normal()).collect();
    let moved: Vec<f64> = y.iter().map(|y| y + 1_000.0).collect();
    for half_life in ["'infinite'", "3"] {
        let toml = format!("lambda = 5\nhalf_life = {half_life}");
        let (before, after) =
            (predictions("linear-ridge", &toml, &x, &y), predictions("linear-ridge", &toml, &x, &moved));
        assert_eq!([before[0], after[0]], [0.0; 2]);
        assert!(before.iter().zip(&after).skip(1).all(|(p, q)| (q - p - 1_000.0).abs() < 1e-9));
    }
}

/// A state that is saved between two times goes on with the same bits; asking for predictions at later times changes nothing; a time
/// that decreases ends the run, after the prediction of its round, with both times in the message.
#[test]
fn times_are_kept_and_must_not_decrease() {
    let draw = &mut draw("kept", 0);
    let mut x = inputs(60, 2, draw);
    (0..60).for_each(|t| x.row_mut(t)[0] = (t / 2) as f64 + 0.25);
    let y: Vec<f64> = (0..60).map(|_| draw.normal()).collect();
    for name in ["linear-ridge", "linear-awv"] {
        let new = || build(name, "half_life = 4\ntime = 1", 2);
        let whole = play(&mut *new(), x.view(), &y, &draws(), 60).unwrap();
        let mut learner = new();
        play(&mut *learner, x.view().slice(0, 30), &y[..30], &draws(), 1).unwrap();
        let ahead = learner.predict(&[1e6, 0.5], &mut draws().at(Role::Predict, 1));
        assert!(
            ahead.is_finite() && (name == "linear-ridge" || ahead.abs() < 1e-20),
            "{ahead}: nothing is known by then"
        );
        let mut store = Store::saving();
        learner.state(&mut store).unwrap();
        let (mut loaded, mut store) = (new(), Store::loading(store.into_arrays()));
        loaded.state(&mut store).unwrap();
        let mut rest = vec![0.0; 30];
        let block = Block { first_round: 31, inputs: x.view().slice(30, 60), targets: &y[30..] };
        loaded.play(block, &draws(), &mut rest).unwrap();
        assert_eq!(rest, whole[30..]);
        let rows = [40.0, 1.0, 41.0, 1.0, 39.5, 1.0];
        let block = Block { first_round: 61, inputs: Rows::new(2, &rows), targets: &[0.0; 3] };
        let breakdown = loaded.play(block, &draws(), &mut [f64::NAN; 3]).unwrap_err();
        assert_eq!(breakdown.after, 3);
        assert!(breakdown.cause.contains("39.5") && breakdown.cause.contains("41"), "{}", breakdown.cause);
    }
}
