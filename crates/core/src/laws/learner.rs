//! Laws of learners of the full-information protocol.

use crate::laws::broken::{Broken, require};
use crate::laws::data::{LawRounds, ROUNDS, bits, draws, scale};
use crate::laws::saved::goes_on;
use crate::learner::api::{Block, Breakdown, Gauges, Learner, one_by_one};
use crate::learner::predictive::{Noise, Predictive};
use crate::params::ParamError;
use noregret_numeric::draw::{Draws, Role};
use noregret_numeric::linalg::matrix::Rows;

/// Makes a fresh learner under test at every call.
pub(crate) type MakeLearner<'a> = dyn Fn() -> Result<Box<dyn Learner>, ParamError> + 'a;

/// A law of learners, given the number of input columns.
pub type LearnerLaw = fn(&MakeLearner<'_>, usize) -> Result<(), Broken>;

/// Every law.
pub(crate) const LAWS: [LearnerLaw; 8] = [
    blocks,
    causality,
    determinism,
    prediction_teaches_nothing,
    finite,
    distributions,
    |make, dim| gauges(make, dim, GaugeLimits::NONE),
    saved,
];

/// What [`blocks`] tests.
pub const BLOCKS: &str = "blocks of any size give the predictions of round by round";
/// What [`causality`] tests.
pub const CAUSALITY: &str = "a prediction knows neither its own target nor later rounds";
/// What [`determinism`] tests.
pub const DETERMINISM: &str = "the same draws give the same bits, on any thread";
/// What [`prediction_teaches_nothing`] tests.
pub const NO_TEACHING: &str = "being asked for a prediction teaches nothing";
/// What [`finite`] tests.
pub const FINITE: &str = "finite inputs give finite predictions or a breakdown with a cause";
/// What [`distributions`] tests.
pub(crate) const DISTRIBUTIONS: &str = "the distribution of a target is what was known before it";
/// What [`gauges`] tests.
pub(crate) const GAUGES: &str = "gauges count what the learner holds and has spent";

/// Checks all [`LAWS`].
///
/// # Errors
/// The first law that is broken.
///
/// ```
/// use noregret_core::prelude::*;
/// use noregret_core::laws;
///
/// let entry = LEARNERS.find("linear-ogd")?;
/// let params = check(entry.params, &json!({ "eta": 0.1 }), "", &AllParts)?;
/// let setting = Setting { dim: 3, horizon: None, draws: Draws::named(&["laws"]) };
/// let make = || match (entry.build.learner)(&params, &setting)? {
///     AnyLearner::Full(learner) => Ok(learner),
///     AnyLearner::Noisy(_) => Err(ParamError::refused("learner", "plays the noisy protocol")),
/// };
/// laws::learner::all(&make, 3)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn all(make: &MakeLearner<'_>, dim: usize) -> Result<(), Broken> {
    LAWS.iter().try_for_each(|law| law(make, dim))
}

/// Predictions, and the breakdown if there was one. Learners may break down, but then all ways to play must agree on
/// it.
type PlayedPredictions = (Vec<f64>, Option<Breakdown>);

fn run(learner: &mut dyn Learner, data: &LawRounds, size: usize) -> PlayedPredictions {
    match play(learner, data.inputs.view(), &data.targets, &draws(), size) {
        Ok(predictions) => (predictions, None),
        Err((predictions, breakdown)) => (predictions, Some(breakdown)),
    }
}

/// Rounds of the kind that the learner takes.
fn data(make: &MakeLearner<'_>, dim: usize, rounds: usize) -> Result<LawRounds, Broken> {
    let data = LawRounds::smooth(dim, rounds);
    Ok(if make()?.wants_labels() { data.with_labels() } else { data })
}

/// However rounds are cut into blocks, the predictions are those of playing round by round, to 1e-9 of the largest.
/// Single rounds are played both as blocks and through attend, predict and learn.
pub fn blocks(make: &MakeLearner<'_>, dim: usize) -> Result<(), Broken> {
    let data = data(make, dim, ROUNDS)?;
    let single = run(&mut *make()?, &data, 1);
    for size in [7, 64, ROUNDS] {
        same(&run(&mut *make()?, &data, size), &single, &format!("blocks of {size}"))?;
    }
    let mut learner = make()?;
    let mut outcome = Ok(());
    if learner.foresees() {
        outcome = learner.foresee(data.inputs.view(), &draws());
    }
    let mut found = Vec::new();
    for t in 0..80 {
        if outcome.is_err() {
            break;
        }
        let mut prediction = [0.0];
        let inputs = data.inputs.slice(t, t + 1);
        let block = Block { first_round: t as u64 + 1, inputs, targets: &data.targets[t..=t] };
        outcome = learner.play(block, &draws(), &mut prediction);
        let valid = outcome.as_ref().map_or_else(|breakdown| breakdown.after.min(1), |()| 1);
        found.extend(&prediction[..valid]);
    }
    let first = &single.0[..single.0.len().min(80)];
    same(&(found, outcome.err()), &(first.to_vec(), single.1.clone()), "blocks of one")
}

fn same(found: &PlayedPredictions, expected: &PlayedPredictions, how: &str) -> Result<(), Broken> {
    let (counts, causes) = ((found.0.len(), expected.0.len()), (&found.1, &expected.1));
    require(counts.0 == counts.1, BLOCKS, || {
        format!("{how}: {} predictions instead of {}: {:?} instead of {:?}", counts.0, counts.1, causes.0, causes.1)
    })?;
    let bound = 1e-9 * scale(&expected.0);
    let equal = |a: f64, b: f64| (a - b).abs() <= bound || a.to_bits() == b.to_bits();
    match found.0.iter().zip(&expected.0).position(|(a, b)| !equal(*a, *b)) {
        None => Ok(()),
        Some(t) => Err(Broken::new(BLOCKS, format!("{how}: round {}: {} and {}", t + 1, found.0[t], expected.0[t]))),
    }
}

/// The prediction of round t depends neither on y_t nor on anything later, except for the inputs of a learner that is
/// shown all inputs beforehand. What comes later is changed so much that a leak exceeds the rounding that other numbers
/// in the same product may cause.
pub fn causality(make: &MakeLearner<'_>, dim: usize) -> Result<(), Broken> {
    let original = data(make, dim, ROUNDS)?;
    for size in [1, 64, ROUNDS] {
        let expected = run(&mut *make()?, &original, size).0;
        for t in [0, 63, 64, 257] {
            let mut learner = make()?;
            let changed = original.changed_from(t, !learner.foresees());
            let changed = if learner.wants_labels() { changed.with_labels() } else { changed };
            let found = run(&mut *learner, &changed, size).0;
            let known = (t + 1).min(expected.len());
            let first = found.len().min(known);
            let bound = 1e-12 * scale(&expected[..known]);
            let equal = |a: f64, b: f64| (a - b).abs() <= bound || a.to_bits() == b.to_bits();
            let leak = (0..first).find(|&s| !equal(found[s], expected[s]));
            if let Some(s) = leak.or((first < known).then_some(first)) {
                let what = format!("blocks of {size}: the prediction of round {} knew round {}", s + 1, t + 1);
                return Err(Broken::new(CAUSALITY, what));
            }
        }
    }
    Ok(())
}

/// The same draws give the same bits, also while another thread does the same work.
pub fn determinism(make: &MakeLearner<'_>, dim: usize) -> Result<(), Broken> {
    let data = data(make, dim, ROUNDS)?;
    for size in [1, 64] {
        let first = bits(&run(&mut *make()?, &data, size).0);
        let learners = [make()?, make()?];
        let again = std::thread::scope(|scope| {
            let data = &data;
            let handles = learners.map(|mut learner| scope.spawn(move || bits(&run(&mut *learner, data, size).0)));
            handles.map(|handle| handle.join().ok())
        });
        let agree = again.iter().all(|found| found.as_ref() == Some(&first));
        require(agree, DETERMINISM, || format!("blocks of {size}: another run has other predictions"))?;
    }
    Ok(())
}

/// However often and wherever one asks for predictions, no later prediction changes by a bit.
pub fn prediction_teaches_nothing(make: &MakeLearner<'_>, dim: usize) -> Result<(), Broken> {
    let data = data(make, dim, 100)?;
    let expected = run(&mut *make()?, &data, 1).0;
    let (draws, mut learner) = (draws(), make()?);
    let ends =
        |breakdown: Breakdown| Broken::new(NO_TEACHING, format!("it breaks down when asked: {}", breakdown.cause));
    if learner.foresees() {
        learner.foresee(data.inputs.view(), &draws).map_err(ends)?;
    }
    for (t, (x, y)) in data.inputs.view().iter().zip(&data.targets).enumerate().take(expected.len()) {
        let round = t as u64 + 1;
        let changed = |what: &str| format!("round {round}: asking elsewhere changes {what}");
        let elsewhere: Vec<f64> = x.iter().map(|x| 0.5 - x).collect();
        let ask = |learner: &dyn Learner, x: &[f64]| learner.predict(x, &mut draws.at(Role::Predict, round)).to_bits();
        let again = ask(&*learner, &elsewhere) == ask(&*learner, &elsewhere);
        require(again, NO_TEACHING, || changed("the answer to the same question"))?;
        let norm = learner.gauges().norm;
        learner.attend(x, &mut draws.at(Role::Attend, round)).map_err(ends)?;
        let prediction = ask(&*learner, x);
        ask(&*learner, &elsewhere);
        require(ask(&*learner, x) == prediction, NO_TEACHING, || changed("the prediction"))?;
        require(prediction == expected[t].to_bits(), NO_TEACHING, || changed("what was learnt"))?;
        require(learner.gauges().norm == norm, NO_TEACHING, || changed("the norm"))?;
        if learner.learn(x, *y, &mut draws.at(Role::Learn, round)).is_err() {
            break;
        }
    }
    Ok(())
}

/// Whatever finite numbers come in, finite predictions come out, or the learner reports a breakdown in that round: it
/// returns an error, does not panic, and plays no further rounds.
pub fn finite(make: &MakeLearner<'_>, dim: usize) -> Result<(), Broken> {
    for target in [1.0, -1e8] {
        for (what, data) in LawRounds::extreme(dim, 100, target) {
            for size in [1, 40] {
                let (predictions, breakdown) = run(&mut *make()?, &data, size);
                let place = |what_is_wrong: &str| {
                    format!("inputs: {what}, target {target}, blocks of {size}: {what_is_wrong}: {breakdown:?}")
                };
                let sound = predictions.len() - usize::from(breakdown.is_some() && !predictions.is_empty());
                let bad = predictions[..sound].iter().position(|prediction| !prediction.is_finite());
                require(bad.is_none(), FINITE, || place(&format!("round {}", bad.unwrap_or_default() + 1)))?;
                let ends_well = breakdown.is_some() || predictions.len() == data.targets.len();
                require(ends_well, FINITE, || place("rounds are missing"))?;
                require(breakdown.as_ref().is_none_or(|b| !b.cause.is_empty()), FINITE, || place("no cause"))?;
            }
        }
    }
    Ok(())
}

/// The distributions that are told of the rounds of a block, of any size, are those that the learner gave for each of these rounds
/// before its target was seen: as many, with the same mean, deviation and density, to 1e-8. Asking for them teaches nothing. A
/// learner that gives none passes.
pub(crate) fn distributions(make: &MakeLearner<'_>, dim: usize) -> Result<(), Broken> {
    let data = data(make, dim, ROUNDS)?;
    let numbers = |one: &Predictive| {
        let noises = [Noise::default(), Noise::Known(0.04)];
        let of = |noise| [one.deviation(noise), one.ln_density(0.3, noise)];
        [[one.mean(), 0.0], of(noises[0]), of(noises[1])].concat()
    };
    let (draws, mut learner, mut expected) = (draws(), make()?, Vec::new());
    let predictions = run(&mut *make()?, &data, 1).0;
    if learner.foresees() && learner.foresee(data.inputs.view(), &draws).is_err() {
        return Ok(());
    }
    for (t, (x, y)) in data.inputs.view().iter().zip(&data.targets).enumerate().take(predictions.len()) {
        let round = t as u64 + 1;
        if learner.attend(x, &mut draws.at(Role::Attend, round)).is_err() {
            break;
        }
        let Some(one) = learner.predictive(x) else { break };
        let same = learner.predict(x, &mut draws.at(Role::Predict, round)) == predictions[t];
        require(same, DISTRIBUTIONS, || format!("round {round}: being asked changes the prediction"))?;
        if learner.learn(x, *y, &mut draws.at(Role::Learn, round)).is_err() {
            break;
        }
        let told: Vec<_> = learner.predictives().iter().flatten().map(numbers).collect();
        require(told == [numbers(&one)], DISTRIBUTIONS, || {
            format!("round {round}: it tells {told:?} and not {one:?}")
        })?;
        expected.push(numbers(&one));
    }
    for size in [7, 64, ROUNDS] {
        let (mut learner, mut found) = (make()?, Vec::new());
        if learner.foresees() && learner.foresee(data.inputs.view(), &draws).is_err() {
            return Ok(());
        }
        for from in (0..ROUNDS).step_by(size) {
            let to = ROUNDS.min(from + size);
            let (inputs, targets) = (data.inputs.slice(from, to), &data.targets[from..to]);
            let played = play_from(from as u64 + 1, &mut *learner, inputs, targets, &draws, size);
            found.extend(learner.predictives().iter().flatten().map(numbers));
            if played.is_err() {
                break;
            }
        }
        let close = |a: f64, b: f64| a == b || (a - b).abs() <= 1e-8 * (1.0 + a.abs().max(b.abs()));
        let differs = |(a, b): (&Vec<f64>, &Vec<f64>)| a.iter().zip(b).any(|(a, b)| !close(*a, *b));
        let at = found.iter().zip(&expected).position(differs);
        let agree = found.len() == expected.len() && at.is_none();
        require(agree, DISTRIBUTIONS, || {
            let counts = (found.len(), expected.len());
            format!("blocks of {size}: {counts:?} distributions, and the first other one is {at:?}")
        })?;
    }
    Ok(())
}

/// What a learner's parameters promise about its gauges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GaugeLimits {
    /// The largest number of points that it stores.
    pub stored_points: u64,
    /// The largest norm of its hypothesis.
    pub norm: f64,
}

impl GaugeLimits {
    /// No limits.
    pub const NONE: Self = Self { stored_points: u64::MAX, norm: f64::INFINITY };
}

/// Checks the gauges now against what they were before.
pub(super) fn gauges_go_on(before: &Gauges, now: &Gauges, points: u64, limits: GaugeLimits) -> Result<(), Broken> {
    let sound = [
        (now.kernel_evaluations >= before.kernel_evaluations, "the count of kernel evaluations fell"),
        (now.stored_points.unwrap_or(0) <= points, "it stores more points than it saw"),
        (now.stored_points.unwrap_or(0) <= limits.stored_points, "it stores more points than its limit"),
        (now.norm.is_none_or(|norm| norm >= 0.0), "the norm is negative or no number"),
        (now.norm.is_none_or(|norm| norm <= limits.norm * (1.0 + 1e-12)), "the norm is above its limit"),
        (now.state_bytes.is_some(), "it says nothing about its memory"),
    ];
    sound.iter().try_for_each(|(kept, place)| require(*kept, GAUGES, || format!("{place}: {now:?}")))
}

/// Counts never fall, points are no more than the rounds seen and within the limits, and all ways to play agree.
pub fn gauges(make: &MakeLearner<'_>, dim: usize, limits: GaugeLimits) -> Result<(), Broken> {
    let data = data(make, dim, ROUNDS)?;
    let mut ends = Vec::new();
    for size in [1, 50] {
        let mut learner = make()?;
        let seen = if learner.foresees() { ROUNDS } else { 0 };
        if learner.foresees() {
            let outcome = learner.foresee(data.inputs.view(), &draws());
            outcome.map_err(|breakdown| Broken::new(GAUGES, breakdown.cause))?;
        }
        let mut before = learner.gauges();
        for from in (0..ROUNDS).step_by(size) {
            let to = ROUNDS.min(from + size);
            let (inputs, targets) = (data.inputs.slice(from, to), &data.targets[from..to]);
            if play_from(from as u64 + 1, &mut *learner, inputs, targets, &draws(), size).is_err() {
                break;
            }
            let now = learner.gauges();
            gauges_go_on(&before, &now, to.max(seen) as u64, limits)?;
            before = now;
        }
        ends.push(before);
    }
    let counts = |end: &Gauges| (end.stored_points, end.features, end.kernel_evaluations, end.state_bytes);
    let norms = |end: &Gauges| end.norm.unwrap_or(0.0);
    let agree = ends.windows(2).all(|pair| {
        let difference = (norms(&pair[0]) - norms(&pair[1])).abs();
        counts(&pair[0]) == counts(&pair[1]) && difference <= 1e-9 * norms(&pair[0])
    });
    require(agree, GAUGES, || format!("blocks of 1 and of 50 end differently: {ends:?}"))
}

/// What is loaded after a save, in blocks of 64 that end at the save, goes on with the bits of what was saved, and with the
/// predictions of a run without a save to 1e-9. A learner that has no [state](crate::learner::api::Hypothesis::state) passes.
pub fn saved(make: &MakeLearner<'_>, dim: usize) -> Result<(), Broken> {
    let data = data(make, dim, ROUNDS)?;
    let play = |learner: &mut Box<dyn Learner>, from: usize, to: usize| {
        if learner.foresees() {
            learner.foresee(data.inputs.view(), &draws())?;
        }
        let (inputs, targets) = (data.inputs.slice(from, to), &data.targets[from..to]);
        let played = play_from(from as u64 + 1, &mut **learner, inputs, targets, &draws(), 64);
        played.map_err(|(_, breakdown)| breakdown)
    };
    goes_on(make, &play, ROUNDS, dim)
}

/// Plays all rounds in blocks of `size` (1 means through attend, predict and learn), after showing all inputs to a
/// learner that wants them.
///
/// # Errors
/// The predictions up to the breakdown, and the breakdown.
pub fn play(
    learner: &mut dyn Learner,
    inputs: Rows<'_>,
    targets: &[f64],
    draws: &Draws,
    size: usize,
) -> Result<Vec<f64>, (Vec<f64>, Breakdown)> {
    if learner.foresees() {
        learner.foresee(inputs, draws).map_err(|breakdown| (Vec::new(), breakdown))?;
    }
    play_from(1, learner, inputs, targets, draws, size)
}

/// As [`play`], except that the first round is number `first` and no inputs are shown beforehand.
///
/// # Errors
/// As [`play`].
pub(crate) fn play_from(
    first: u64,
    learner: &mut dyn Learner,
    inputs: Rows<'_>,
    targets: &[f64],
    draws: &Draws,
    size: usize,
) -> Result<Vec<f64>, (Vec<f64>, Breakdown)> {
    let mut predictions = vec![0.0; targets.len()];
    for from in (0..targets.len()).step_by(size.max(1)) {
        let to = targets.len().min(from + size.max(1));
        let block =
            Block { first_round: first + from as u64, inputs: inputs.slice(from, to), targets: &targets[from..to] };
        let out = &mut predictions[from..to];
        let played = if size <= 1 { one_by_one(learner, block, draws, out) } else { learner.play(block, draws, out) };
        if let Err(breakdown) = played {
            let after = from + breakdown.after.min(to - from);
            predictions.truncate(after);
            return Err((predictions, Breakdown { after, ..breakdown }));
        }
    }
    Ok(predictions)
}
