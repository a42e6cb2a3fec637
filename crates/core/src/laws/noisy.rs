//! Laws of learners of the noisy protocol.

use std::sync::Arc;

use serde_json::Value;

use crate::laws::broken::{Broken, require};
use crate::laws::data::{LawRounds, bits, draws};
use crate::laws::learner::{BLOCKS, CAUSALITY, DETERMINISM, FINITE, GAUGES, GaugeLimits, NO_TEACHING, gauges_go_on};
use crate::laws::saved::goes_on;
use crate::learner::api::{Block, Breakdown, DrawnBlock, Gauges, Hypothesis, OracleLearner};
use crate::noise::NOISES;
use crate::noise::api::{NoNoise, NoiseLaw, Oracle};
use crate::params::ParamError;
use crate::params::check::{GivenTable, check};
use crate::parts::AllParts;
use crate::protocol::noisy::{Channel, NoisyPlayer};
use crate::protocol::run::Player;
use noregret_numeric::draw::{Draw, Draws, Role};
use noregret_numeric::linalg::matrix::{Matrix, Rows};

/// Makes a fresh learner under test at every call.
pub(crate) type MakeNoisyLearner<'a> = dyn Fn() -> Result<Box<dyn OracleLearner>, ParamError> + 'a;

/// A law of noisy learners, given the number of input columns.
pub type NoisyLearnerLaw = fn(&MakeNoisyLearner<'_>, usize) -> Result<(), Broken>;

/// Every law.
pub(crate) const LAWS: [NoisyLearnerLaw; 8] = [
    blocks,
    causality,
    determinism,
    copies_alone_teach,
    copies_of_a_block_alone_teach,
    finite,
    |make, dim| gauges(make, dim, GaugeLimits::NONE),
    saved,
];

/// What [`copies_alone_teach`] and [`copies_of_a_block_alone_teach`] test.
pub(crate) const COPIES_TEACH: &str = "nothing but the noisy copies teaches";

/// Number of rounds of a law's run.
pub const ROUNDS: usize = 120;

/// Checks all [`LAWS`].
///
/// # Errors
/// The first law that is broken.
///
/// ```
/// use noregret_core::prelude::*;
/// use noregret_core::laws;
///
/// let entry = LEARNERS.find("noisy-linear-two-copy")?;
/// let params = check(entry.params, &json!({ "eta": 0.1 }), "", &AllParts)?;
/// let setting = Setting { dim: 2, horizon: None, draws: Draws::named(&["laws"]) };
/// let make = || match (entry.build.learner)(&params, &setting)? {
///     AnyLearner::Noisy(learner) => Ok(learner),
///     AnyLearner::Full(_) => Err(ParamError::refused("learner", "sees clean examples")),
/// };
/// laws::noisy::all(&make, 2)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn all(make: &MakeNoisyLearner<'_>, dim: usize) -> Result<(), Broken> {
    LAWS.iter().try_for_each(|law| law(make, dim))
}

/// Noise on x_t of this standard deviation in each coordinate, none on y_t.
///
/// # Errors
/// A standard deviation below 0.
pub fn channel(noise_std: f64) -> Result<Channel, ParamError> {
    channel_of("gaussian", noise_std)
}

/// The same with the noise law of this name on x_t.
fn channel_of(law: &str, noise_std: f64) -> Result<Channel, ParamError> {
    let entry = NOISES.find(law)?;
    let table = GivenTable::from_iter([("noise_std".to_owned(), Value::from(noise_std))]);
    let inputs: Arc<dyn NoiseLaw> = (entry.build)(&check(entry.params, &table, "", &AllParts)?)?;
    Ok(Channel { inputs, targets: Arc::new(NoNoise), draws: Draws::named(&["law noise"]) })
}

/// The rounds of most laws. Their targets are -1 and +1, which every loss takes.
fn rounds(dim: usize) -> LawRounds {
    LawRounds::smooth(dim, ROUNDS).with_labels()
}

/// Plays all rounds of `data` behind Gaussian noise of this standard deviation: the predictions, and the breakdown if
/// there was one.
///
/// # Errors
/// A standard deviation below 0.
pub fn play(
    learner: &mut dyn OracleLearner,
    data: &LawRounds,
    noise_std: f64,
) -> Result<(Vec<f64>, Option<Breakdown>), ParamError> {
    Ok(play_behind(learner, data, &channel(noise_std)?))
}

fn play_behind(learner: &mut dyn OracleLearner, data: &LawRounds, channel: &Channel) -> (Vec<f64>, Option<Breakdown>) {
    let mut predictions = vec![f64::NAN; data.targets.len()];
    let block = Block { first_round: 1, inputs: data.inputs.view(), targets: &data.targets };
    let breakdown = NoisyPlayer::new(learner, &draws(), channel).play(block, &mut predictions).err();
    predictions.truncate(breakdown.as_ref().map_or(usize::MAX, |breakdown| breakdown.after));
    (predictions, breakdown)
}

/// A learner without its own block form.
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

/// However rounds are cut into blocks, the predictions are those of playing round by round, to 1e-9.
pub fn blocks(make: &MakeNoisyLearner<'_>, dim: usize) -> Result<(), Broken> {
    let data = rounds(dim);
    let (found, expected) = (play(&mut *make()?, &data, 0.2)?, play(&mut OneByOne(make()?), &data, 0.2)?);
    let agree = found.1 == expected.1 && found.0.len() == expected.0.len();
    require(agree, BLOCKS, || format!("{:?} instead of {:?}", found.1, expected.1))?;
    let pairs = || found.0.iter().zip(&expected.0);
    let equal = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9 * (1.0 + b.abs()) || a.to_bits() == b.to_bits();
    match pairs().position(|pair| !equal(pair)) {
        None => Ok(()),
        Some(t) => Err(Broken::new(BLOCKS, format!("round {}: {} and {}", t + 1, found.0[t], expected.0[t]))),
    }
}

/// The hypothesis of round t is fixed before the round: what happens from round t on does not change it, also where the
/// noise answers the learner.
pub fn causality(make: &MakeNoisyLearner<'_>, dim: usize) -> Result<(), Broken> {
    let original = LawRounds::smooth(dim, ROUNDS);
    for law in ["gaussian", "adaptive"] {
        let channel = channel_of(law, 0.2)?;
        let expected = bits(&play_behind(&mut *make()?, &original.clone().with_labels(), &channel).0);
        for t in [0, 1, 70] {
            let changed = original.changed_from(t, true).with_labels();
            let found = bits(&play_behind(&mut *make()?, &changed, &channel).0);
            let known = |bits: &[u64]| bits[..bits.len().min(t + 1)].to_vec();
            let blind = known(&found) == known(&expected);
            let what =
                || format!("behind {law} noise, a prediction up to round {} knew that round or a later one", t + 1);
            require(blind, CAUSALITY, what)?;
        }
    }
    Ok(())
}

/// The same draws give the same bits, also while another thread does the same work; predictions are finite, and not all
/// are 0.
pub fn determinism(make: &MakeNoisyLearner<'_>, dim: usize) -> Result<(), Broken> {
    let data = rounds(dim);
    let first = play(&mut *make()?, &data, 0.2)?;
    let learners = [make()?, make()?];
    let again = std::thread::scope(|scope| {
        let data = &data;
        let handles = learners.map(|mut learner| scope.spawn(move || play(&mut *learner, data, 0.2)));
        handles.map(|handle| handle.join().ok().and_then(Result::ok))
    });
    let same = |found: &(Vec<f64>, _)| bits(&found.0) == bits(&first.0) && found.1 == first.1;
    let agree = again.iter().all(|found| found.as_ref().is_some_and(same));
    require(agree, DETERMINISM, || "another run has other predictions".into())?;
    require(first.0.iter().all(|p| p.is_finite()), FINITE, || "a prediction is not finite".into())?;
    require(first.0.iter().any(|p| *p != 0.0), DETERMINISM, || "every prediction is 0, so that nothing shows".into())
}

/// An oracle that hands out copies of its own and has no clean example.
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

/// Given the same copies, learners arrive at the same hypotheses, whatever the clean inputs are and however often and
/// wherever they are asked for predictions: nothing but the oracle teaches.
pub fn copies_alone_teach(make: &MakeNoisyLearner<'_>, dim: usize) -> Result<(), Broken> {
    let probe = vec![0.3; dim];
    let run = |asked: &dyn Fn(usize) -> Vec<Vec<f64>>| -> Result<Vec<u64>, Broken> {
        let (mut learner, mut found) = (make()?, Vec::new());
        for t in 0..ROUNDS {
            let round = t as u64 + 1;
            for x in asked(t) {
                learner.predict(&x, &mut draws().at(Role::Predict, round));
            }
            found.push(learner.predict(&probe, &mut draws().at(Role::Predict, round)));
            let mut oracle = Scripted { draw: Draws::named(&["copies"]).at(Role::Copies, round), dim };
            if learner.learn(&mut oracle, &mut draws().at(Role::Learn, round)).is_err() {
                break;
            }
        }
        Ok(bits(&found))
    };
    let data = LawRounds::smooth(dim, ROUNDS);
    let none = run(&|_| Vec::new())?;
    let clean = run(&|t| vec![data.inputs.row(t).to_vec()])?;
    require(clean == none, NO_TEACHING, || "asking at the clean inputs changes the hypothesis".into())?;
    let far = run(&|t| vec![vec![1e3 + t as f64; dim], vec![-0.5; dim]])?;
    require(far == none, NO_TEACHING, || "asking far away changes the hypothesis".into())
}

/// The same for learners that play rounds together: the copies of a block teach, its clean inputs do not.
pub fn copies_of_a_block_alone_teach(make: &MakeNoisyLearner<'_>, dim: usize) -> Result<(), Broken> {
    let data = LawRounds::smooth(dim, ROUNDS);
    let run = |inputs: Rows<'_>| -> Result<Option<u64>, Broken> {
        let mut learner = make()?;
        let Some(blocks) = learner.in_blocks() else { return Ok(None) };
        let mut draw = Draws::named(&["copies"]).at(Role::Copies, 0);
        let mut copies = Matrix::zeros(ROUNDS * blocks.copies(), dim);
        copies.data_mut().iter_mut().for_each(|value| *value = 0.4 * draw.normal());
        let block = DrawnBlock { inputs, copies: copies.view(), targets: &data.targets };
        let outcome = blocks.play(block, &mut [0.0; ROUNDS]);
        outcome.map_err(|breakdown| Broken::new(COPIES_TEACH, format!("it breaks down: {}", breakdown.cause)))?;
        Ok(Some(learner.predict(&vec![0.3; dim], &mut draws().at(Role::Predict, 1)).to_bits()))
    };
    let mut far = Matrix::zeros(ROUNDS, dim);
    far.data_mut().fill(1e3);
    let blind = run(data.inputs.view())? == run(far.view())?;
    require(blind, COPIES_TEACH, || "other clean inputs of a block give another hypothesis".into())
}

/// Whatever finite numbers come in, finite predictions come out, or the learner reports a breakdown in that round. If
/// inputs are so large that their powers overflow, a prediction may be infinite: the protocol ends a run there.
pub fn finite(make: &MakeNoisyLearner<'_>, dim: usize) -> Result<(), Broken> {
    for target in [1.0, -1e8] {
        for (what, data) in LawRounds::extreme(dim, 60, target) {
            for noise_std in [0.0, 0.2] {
                let (predictions, breakdown) = play(&mut *make()?, &data, noise_std)?;
                let place = |what_is_wrong: &str| {
                    format!("inputs: {what}, target {target}, noise {noise_std}: {what_is_wrong}: {breakdown:?}")
                };
                let finite = predictions.iter().take_while(|p| p.is_finite()).count();
                let overflows = |t: usize| data.inputs.row(t).iter().any(|x| x.abs() > 1e100);
                let ends_here = |t: usize| breakdown.is_some() && t + 1 == predictions.len();
                let sound = finite == predictions.len() || overflows(finite) || ends_here(finite);
                require(sound, FINITE, || place(&format!("round {}", finite + 1)))?;
                let ends_well = breakdown.is_some() || predictions.len() == data.targets.len();
                require(ends_well, FINITE, || place("rounds are missing"))?;
                require(breakdown.as_ref().is_none_or(|b| !b.cause.is_empty()), FINITE, || place("no cause"))?;
            }
        }
    }
    Ok(())
}

/// Counts never fall, points are no more than the rounds seen, and points and norm are within the limits.
pub fn gauges(make: &MakeNoisyLearner<'_>, dim: usize, limits: GaugeLimits) -> Result<(), Broken> {
    let (data, channel, draws) = (rounds(dim), channel(0.2)?, draws());
    let mut learner = make()?;
    let mut before = learner.gauges();
    for t in 0..ROUNDS {
        let (inputs, targets) = (data.inputs.slice(t, t + 1), &data.targets[t..=t]);
        let block = Block { first_round: t as u64 + 1, inputs, targets };
        let outcome = NoisyPlayer::new(&mut *learner, &draws, &channel).play(block, &mut [0.0]);
        outcome.map_err(|breakdown| Broken::new(GAUGES, format!("it breaks down: {}", breakdown.cause)))?;
        let now = learner.gauges();
        gauges_go_on(&before, &now, t as u64 + 1, limits)?;
        before = now;
    }
    Ok(())
}

/// What is loaded after a save goes on with the bits of what was saved, and with the predictions of a run without a save
/// to 1e-9. A learner that has no [state](Hypothesis::state) passes.
pub fn saved(make: &MakeNoisyLearner<'_>, dim: usize) -> Result<(), Broken> {
    let (data, channel) = (rounds(dim), channel(0.2)?);
    let play = |learner: &mut Box<dyn OracleLearner>, from: usize, to: usize| {
        let mut predictions = vec![f64::NAN; to - from];
        let (inputs, targets) = (data.inputs.slice(from, to), &data.targets[from..to]);
        let block = Block { first_round: from as u64 + 1, inputs, targets };
        NoisyPlayer::new(&mut **learner, &draws(), &channel).play(block, &mut predictions).map(|()| predictions)
    };
    goes_on(make, &play, ROUNDS, dim)
}
