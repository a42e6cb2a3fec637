//! Laws of learners of the noisy protocol.

use std::sync::Arc;

use noregret_core::draw::{Draw, Draws, Role};
use noregret_core::learner::LEARNERS;
use noregret_core::learner::api::{AnyLearner, Block, Breakdown, DrawnBlock, Gauges, Hypothesis, OracleLearner};
use noregret_core::linalg::matrix::{Matrix, Rows};
use noregret_core::noise::NOISES;
use noregret_core::noise::api::{NoiseLaw, Oracle};
use noregret_core::params::check::check;
use noregret_core::parts::AllParts;
use noregret_core::protocol::noisy::{Channel, NoisyPlayer};
use noregret_core::protocol::run::Player;
use toml::{Table, Value};

use super::cases::{Case, Data, any, bits, data, draws, is_noisy, variants};

/// Rounds of a law's run.
const ROUNDS: usize = 120;

/// Every noisy learner in one and three dimensions, with default parameters and each variant that makes sense.
fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    for entry in LEARNERS.iter().filter(|entry| is_noisy(entry)) {
        for dim in [1, 3] {
            let before = cases.len();
            for table in variants(entry.params, dim) {
                match any(entry, &table, dim) {
                    Ok(_) => cases.push(Case { entry, table, dim }),
                    Err(error) => assert!(error.path().is_some(), "{}: {error}", entry.name),
                }
            }
            assert!(cases.len() >= before + entry.params.len(), "{}: few variants make sense", entry.name);
        }
    }
    assert!(!cases.is_empty());
    cases
}

/// The case's learner.
fn learner(case: &Case) -> Box<dyn OracleLearner> {
    match any(case.entry, &case.table, case.dim) {
        Ok(AnyLearner::Noisy(learner)) => learner,
        Ok(AnyLearner::Full(_)) => panic!("{case} is a learner of the noisy protocol"),
        Err(error) => panic!("{case}: {error}"),
    }
}

/// A noise law from the registry, of standard deviation `std`.
fn law(name: &str, std: f64) -> Arc<dyn NoiseLaw> {
    let entry = NOISES.get(name).unwrap();
    let table = Table::from_iter([("noise_std".to_owned(), Value::Float(std))]);
    (entry.build)(&check(entry.params, &table, "", &AllParts).unwrap()).unwrap()
}

fn channel(std: f64) -> Channel {
    Channel { inputs: law("gaussian", std), targets: law("gaussian", 0.0), draws: Draws::named(&["law noise"]) }
}

/// Labels for losses of the margin are -1 and +1; the others take them too.
fn labels(data: Data) -> Data {
    Data { targets: data.targets.iter().map(|y| if *y < 0.0 { -1.0 } else { 1.0 }).collect(), ..data }
}

/// Plays all rounds of `data` behind Gaussian noise; predictions, and the breakdown if there was one.
pub fn run(case: &Case, data: &Data) -> (Vec<f64>, Option<Breakdown>) {
    play(&mut *learner(case), &labels(data.clone()), 0.2)
}

fn play(learner: &mut dyn OracleLearner, data: &Data, std: f64) -> (Vec<f64>, Option<Breakdown>) {
    let mut predictions = vec![f64::NAN; data.targets.len()];
    let block = Block { first_round: 1, inputs: data.inputs.view(), targets: &data.targets };
    let (channel, draws) = (channel(std), draws());
    let outcome = NoisyPlayer::new(learner, &draws, &channel).play(block, &mut predictions);
    match outcome {
        Ok(()) => (predictions, None),
        Err(breakdown) => {
            predictions.truncate(breakdown.after);
            (predictions, Some(breakdown))
        }
    }
}

/// A learner that keeps its own account of what it asks for.
struct Counted {
    inner: Box<dyn OracleLearner>,
    asked: u64,
}

struct CountedOracle<'a>(&'a mut dyn Oracle, &'a mut u64);

impl Oracle for CountedOracle<'_> {
    fn dim(&self) -> usize {
        self.0.dim()
    }

    fn x(&mut self, out: &mut [f64]) {
        *self.1 += 1;
        self.0.x(out);
    }

    fn y(&mut self) -> f64 {
        *self.1 += 1;
        self.0.y()
    }

    fn covariance_times(&mut self, w: &[f64], out: &mut [f64]) {
        self.0.covariance_times(w, out);
    }
}

impl Hypothesis for Counted {
    fn predict(&self, x: &[f64], draw: &mut Draw) -> f64 {
        self.inner.predict(x, draw)
    }

    fn gauges(&self) -> Gauges {
        self.inner.gauges()
    }
}

impl OracleLearner for Counted {
    fn learn(&mut self, oracle: &mut dyn Oracle, draw: &mut Draw) -> Result<(), Breakdown> {
        self.inner.learn(&mut CountedOracle(oracle, &mut self.asked), draw)
    }
}

#[test]
fn the_protocol_counts_what_is_asked_for() {
    for case in all() {
        let data = labels(data(case.dim, ROUNDS));
        let mut learner = Counted { inner: learner(&case), asked: 0 };
        let (channel, draws) = (channel(0.2), draws());
        let mut player = NoisyPlayer::new(&mut learner, &draws, &channel);
        let mut predictions = vec![0.0; ROUNDS];
        let block = Block { first_round: 1, inputs: data.inputs.view(), targets: &data.targets };
        player.play(block, &mut predictions).unwrap_or_else(|b| panic!("{case}: {b:?}"));
        let counted = player.queries();
        assert_eq!(counted.inputs + counted.targets, learner.asked, "{case}");
        assert!(learner.asked > 0, "{case}");
    }
}

#[test]
fn the_same_draws_give_the_same_run() {
    for case in all() {
        let data = data(case.dim, ROUNDS);
        let (first, second) = (run(&case, &data), run(&case, &data));
        assert_eq!((bits(&first.0), first.1), (bits(&second.0), second.1), "{case}");
        assert!(first.0.iter().all(|prediction| prediction.is_finite()), "{case}");
        assert!(first.0.iter().any(|prediction| *prediction != 0.0), "{case} does not move");
    }
}

/// Any learner, one round at a time.
struct OneByOne(Box<dyn OracleLearner>);

impl Hypothesis for OneByOne {
    fn predict(&self, x: &[f64], draw: &mut Draw) -> f64 {
        self.0.predict(x, draw)
    }

    fn gauges(&self) -> Gauges {
        self.0.gauges()
    }
}

impl OracleLearner for OneByOne {
    fn learn(&mut self, oracle: &mut dyn Oracle, draw: &mut Draw) -> Result<(), Breakdown> {
        self.0.learn(oracle, draw)
    }
}

#[test]
fn blocks_equal_round_by_round() {
    let mut in_blocks = 0;
    for case in all() {
        let data = labels(data(case.dim, ROUNDS));
        in_blocks += usize::from(learner(&case).in_blocks().is_some());
        let (found, expected) = (run(&case, &data), play(&mut OneByOne(learner(&case)), &data, 0.2));
        assert_eq!(found.1, expected.1, "{case}");
        for (t, (found, expected)) in found.0.iter().zip(&expected.0).enumerate() {
            assert!((found - expected).abs() <= 1e-9 * (1.0 + expected.abs()), "{case}: {t}: {found} {expected}");
        }
    }
    assert!(in_blocks > 0);
}

/// The hypothesis of round t is fixed before the round: what happens from round t on does not show in it.
#[test]
fn predictions_know_no_future() {
    for case in all() {
        let original = data(case.dim, ROUNDS);
        let expected = run(&case, &original).0;
        for t in [0, 1, 70] {
            let mut changed = original.clone();
            for s in t..ROUNDS {
                changed.targets[s] = 3.0 - 7.0 * changed.targets[s];
                if s > t {
                    changed.inputs.row_mut(s).iter_mut().for_each(|x| *x = 0.2 - 0.9 * *x);
                }
            }
            let found = run(&case, &changed).0;
            assert_eq!(bits(&found[..=t]), bits(&expected[..=t]), "{case}: round {}", t + 1);
        }
    }
}

/// An oracle that hands out copies of its own and knows no example.
struct Scripted {
    draw: Draw,
    dim: usize,
}

impl Oracle for Scripted {
    fn dim(&self) -> usize {
        self.dim
    }

    fn x(&mut self, out: &mut [f64]) {
        out.iter_mut().for_each(|value| *value = 0.4 * self.draw.normal());
    }

    fn y(&mut self) -> f64 {
        self.draw.sign()
    }

    fn covariance_times(&mut self, w: &[f64], out: &mut [f64]) {
        out.iter_mut().zip(w).for_each(|(out, w)| *out = 0.16 * w);
    }
}

/// Given the same copies, learners come to the same hypotheses whatever the clean inputs are, how often and where they
/// are asked for predictions: nothing but the oracle teaches.
#[test]
fn clean_data_do_not_reach_the_learner() {
    for case in all() {
        let probe = vec![0.3; case.dim];
        let run = |asked: &dyn Fn(usize) -> Vec<Vec<f64>>| {
            let (mut learner, mut found) = (learner(&case), Vec::new());
            for t in 0..ROUNDS {
                let round = t as u64 + 1;
                for x in asked(t) {
                    learner.predict(&x, &mut draws().at(Role::Predict, round));
                }
                found.push(learner.predict(&probe, &mut draws().at(Role::Predict, round)));
                let mut oracle = Scripted { draw: Draws::named(&["copies"]).at(Role::Copies, round), dim: case.dim };
                if learner.learn(&mut oracle, &mut draws().at(Role::Learn, round)).is_err() {
                    break;
                }
            }
            bits(&found)
        };
        let data = data(case.dim, ROUNDS);
        let none = run(&|_| Vec::new());
        assert_eq!(run(&|t| vec![data.inputs.row(t).to_vec()]), none, "{case}");
        assert_eq!(run(&|t| vec![vec![1e3 + t as f64; case.dim], vec![-0.5; case.dim]]), none, "{case}");
    }
}

/// The same for learners that play rounds together: copies and targets of a block teach, its clean inputs do not.
#[test]
fn clean_data_of_a_block_do_not_reach_the_learner() {
    for case in all() {
        let data = data(case.dim, ROUNDS);
        let run = |inputs: Rows<'_>| {
            let mut learner = learner(&case);
            let block_learner = learner.in_blocks()?;
            let copies = noisy_copies(case.dim, ROUNDS * block_learner.copies());
            let block = DrawnBlock { inputs, copies: copies.view(), targets: &data.targets };
            block_learner.play(block, &mut [0.0; ROUNDS]).unwrap_or_else(|b| panic!("{case}: {b:?}"));
            Some(learner.predict(&vec![0.3; case.dim], &mut draws().at(Role::Predict, 1)).to_bits())
        };
        let far = Matrix::from_data(ROUNDS, case.dim, vec![1e3; ROUNDS * case.dim]).unwrap();
        assert_eq!(run(data.inputs.view()), run(far.view()), "{case}");
    }
}

fn noisy_copies(dim: usize, count: usize) -> Matrix {
    let mut draw = Draws::named(&["copies"]).at(Role::Copies, 0);
    Matrix::from_data(count, dim, (0..count * dim).map(|_| 0.4 * draw.normal()).collect()).unwrap()
}

/// Whatever finite numbers come in, finite predictions come out, or a breakdown is reported in the round.
#[test]
fn nasty_inputs_give_finite_predictions_or_a_breakdown() {
    let rounds = 60;
    type Input = fn(usize, usize) -> f64;
    let nasty: [(&str, Input); 5] = [
        ("zeros", |_, _| 0.0),
        ("one point", |_, _| 0.3),
        ("large values", |t, k| 1e6 * ((t * 7 + k * 3) % 11) as f64),
        ("huge values", |t, k| if t % 2 == 0 { 1e200 } else { -1e150 * (k + 1) as f64 }),
        ("tiny values", |t, k| 1e-300 * (t * (k + 1)) as f64),
    ];
    for case in all() {
        for (what, input) in &nasty {
            for target in [1.0, -1e8] {
                for std in [0.0, 0.2] {
                    let mut data = Data { inputs: data(case.dim, rounds).inputs, targets: vec![target; rounds] };
                    for t in 0..rounds {
                        data.inputs.row_mut(t).iter_mut().enumerate().for_each(|(k, value)| *value = input(t, k));
                    }
                    let (predictions, breakdown) = play(&mut *learner(&case), &data, std);
                    let what = format!("{case}, {what}, target {target}, noise {std}");
                    // The protocol ends a run at a prediction that is not finite: powers of an input may overflow.
                    let finite = predictions.iter().take_while(|p| p.is_finite()).count();
                    let overflows = |t: usize| data.inputs.row(t).iter().any(|x| x.abs() > 1e100);
                    let ends_here = |t: usize| breakdown.is_some() && t + 1 == predictions.len();
                    let sound = finite == predictions.len() || overflows(finite) || ends_here(finite);
                    assert!(sound, "{what}: {predictions:?}");
                    assert!(breakdown.is_some() || predictions.len() == rounds, "{what}");
                    assert!(breakdown.is_none_or(|b| !b.cause.is_empty()), "{what}");
                }
            }
        }
    }
}

/// The norm stays in the ball; memory is accounted for; counts never fall.
#[test]
fn gauges_count_and_norms_are_bounded() {
    for case in all() {
        let radius = case.params().real("radius");
        let data = labels(data(case.dim, ROUNDS));
        let mut learner = learner(&case);
        let mut before = learner.gauges();
        for t in 0..ROUNDS {
            let part = Data { inputs: data.inputs.clone(), targets: data.targets[t..=t].to_vec() };
            let block =
                Block { first_round: t as u64 + 1, inputs: part.inputs.slice(t, t + 1), targets: &part.targets };
            let (channel, draws) = (channel(0.2), draws());
            NoisyPlayer::new(&mut *learner, &draws, &channel).play(block, &mut [0.0]).unwrap();
            let now = learner.gauges();
            assert!(now.norm.is_some_and(|norm| norm <= radius * (1.0 + 1e-12)), "{case}: {now:?}");
            assert!(now.state_bytes.is_some(), "{case}: {now:?}");
            assert!(now.kernel_evaluations >= before.kernel_evaluations, "{case}: {now:?}");
            assert!(now.stored_points.unwrap_or(0) <= t as u64 + 1, "{case}: {now:?}");
            before = now;
        }
    }
}

/// Forecasts of cost are positive and do not fall with the number of rounds.
#[test]
fn costs_are_forecast() {
    for case in all() {
        let params = case.params();
        let (short, long) =
            ((case.entry.build.cost)(&params, 100, case.dim), (case.entry.build.cost)(&params, 10_000, case.dim));
        assert!(short.flops > 0.0 && long.flops > short.flops && long.flops.is_finite(), "{case}: {short:?} {long:?}");
        assert!(short.bytes > 0.0 && long.bytes >= short.bytes && long.bytes.is_finite(), "{case}: {short:?} {long:?}");
    }
}
