//! Theorems 8 and 9 of Cesa-Bianchi, Shalev-Shwartz, Shamir over the registry: no learner with one copy per round and
//! linear hypotheses does well in both worlds of the game, whatever the loss.

use std::num::NonZeroU32;
use std::sync::Arc;

use noregret_core::learner::LEARNERS;
use noregret_core::learner::api::{AnyLearner, LearnerEntry, OracleLearner, Setting};
use noregret_core::loss::LOSSES;
use noregret_core::loss::api::Loss;
use noregret_core::loss::squared::Squared;
use noregret_core::noise::NOISES;
use noregret_core::noise::api::{NoNoise, NoiseLaw};
use noregret_core::params::Kind;
use noregret_core::params::check::check;
use noregret_core::parts::AllParts;
use noregret_core::protocol::adapter::FromCopies;
use noregret_core::protocol::noisy::{Channel, play};
use noregret_core::protocol::record::RunStatus;
use noregret_core::protocol::run::RunOptions;
use noregret_core::stream::api::Source;
use noregret_core::stream::one_copy_game::{DEVIATION, OneCopyGame};
use noregret_numeric::draw::{Draws, Role};
use noregret_papers::errata::search::minimum;
use noregret_papers::noisy::one_copy::{GameValue, value};
use toml::{Table, Value};

use super::cases::draws;

const ROUNDS: u64 = 1_000;
const RADIUS: f64 = 2.0;

/// The value of the game less five standard errors of a mean over 1,000 rounds: at the minimax weight w, a round of the
/// clean world costs l(3 w) or l(-w) (false-alarm rate below 1e-6 per learner and loss; the draws are fixed).
fn least(loss: &dyn Loss) -> f64 {
    let GameValue { weight, excess } = value(loss, RADIUS);
    excess - 5.0 * 0.5 * (loss.of(3.0 * weight, 1.0) - loss.of(-weight, 1.0)).abs() / (ROUNDS as f64).sqrt()
}

fn losses() -> [(&'static str, Arc<dyn Loss>); 4] {
    let found = |name| LOSSES.choose(&Table::new(), Some(name), "", &AllParts).unwrap().object;
    ["squared", "absolute", "hinge", "logistic"].map(|name| (name, found(name)))
}

/// The learner with linear hypotheses, if it can have them, and without knowledge of the world; with this loss, if it can
/// have that.
fn build(entry: &LearnerEntry, loss: &str, rounds: u64) -> Option<Box<dyn OracleLearner>> {
    let mut table = Table::new();
    let mut set = |name: &str, value: Value| {
        if entry.params.iter().any(|spec| spec.name == name) {
            table.insert(name.into(), value);
        }
    };
    set("kernel", Value::String("linear".into()));
    set("radius", Value::Float(RADIUS));
    set("kappa", Value::Float(1.0 + DEVIATION));
    // Halfway between the variances of the two worlds.
    set("covariance", Value::Float(0.5 * DEVIATION * DEVIATION));
    let choice = entry.params.iter().find(|spec| spec.name == "loss").map(|spec| spec.kind);
    if matches!(choice, Some(Kind::Choice(losses)) if losses.contains(&loss)) {
        set("loss", Value::String(loss.into()));
    }
    let params = check(entry.params, &table, "", &AllParts).ok()?;
    let setting = Setting { dim: 1, horizon: Some(rounds), draws: draws() };
    match (entry.build.learner)(&params, &setting).ok()? {
        AnyLearner::Full(learner) => Some(Box::new(FromCopies::new(learner, NonZeroU32::MIN))),
        AnyLearner::Noisy(learner) => Some(learner),
    }
}

/// The result of a learner in one world.
struct Played {
    /// Regret per round against the best linear function of norm 2; infinite if the learner diverged.
    regret: f64,
    /// Numbers of copies of x_t and y_t that it asked for.
    queries: u64,
    /// Whether the final hypothesis is linear.
    linear: bool,
}

/// Plays in the noisy or the clean world; `behind` says whether the noise of the noisy one is there.
fn world(entry: &LearnerEntry, loss: &(&str, Arc<dyn Loss>), noisy: bool, behind: bool, rounds: u64) -> Option<Played> {
    let mut learner = build(entry, loss.0, rounds)?;
    let game = OneCopyGame { noisy };
    let inputs: Arc<dyn NoiseLaw> = if noisy && behind {
        let entry = NOISES.get("rademacher")?;
        let table = Table::from_iter([("noise_std".to_owned(), Value::Float(DEVIATION))]);
        (entry.build)(&check(entry.params, &table, "", &AllParts).ok()?).ok()?
    } else {
        Arc::new(NoNoise)
    };
    let channel = Channel { inputs, targets: Arc::new(NoNoise), draws: Draws::named(&["one copy", "noise"]) };
    let stream = Draws::named(&["one copy", "stream"]);
    let options = RunOptions { loss: loss.1.clone(), ..RunOptions::new(rounds) };
    let record = play(&mut *learner, &game, &channel, &stream, &draws(), &options, &|| false).unwrap();
    let at = |x: f64| learner.predict(&[x], &mut draws().at(Role::Predict, rounds + 1));
    let linear = (at(2.0) - 2.0 * at(1.0)).abs() <= 1e-6 * (1.0 + at(2.0).abs()) && at(0.0).abs() <= 1e-9;
    let last = record.checkpoints.last()?;
    let sum = |w: f64| -> f64 {
        let mut x = [0.0];
        (1..=rounds)
            .map(|round| {
                loss.1.of(
                    w * {
                        game.example(round, &stream, &mut x);
                        x[0]
                    },
                    1.0,
                )
            })
            .sum()
    };
    let best = sum(minimum(-RADIUS, RADIUS, sum));
    let regret =
        if record.status == RunStatus::Done { (last.cumulative_loss - best) / rounds as f64 } else { f64::INFINITY };
    Some(Played { regret, queries: last.queries.unwrap_or_default(), linear })
}

#[test]
fn one_copy_is_not_enough_in_both_worlds() {
    for loss in &losses() {
        let mut tested = Vec::new();
        for entry in LEARNERS.iter() {
            let both = [false, true].map(|noisy| world(entry, loss, noisy, true, ROUNDS));
            let [Some(clean), Some(noisy)] = both else { continue };
            // The theorem is about linear hypotheses and one copy each of x_t and y_t.
            if !(clean.linear && noisy.linear) || clean.queries > 2 * ROUNDS {
                continue;
            }
            let worse = clean.regret.max(noisy.regret);
            assert!(worse >= least(&*loss.1), "{}, {}: {} and {}", loss.0, entry.name, clean.regret, noisy.regret);
            tested.push(entry.name);
        }
        for name in ["linear-ogd", "noisy-linear-covariance", "kernel-ogd", "kernel-ridge", "coin-kernel"] {
            assert!(tested.contains(&name), "{name} was not tested: {tested:?}");
        }
    }
}

/// Two copies distinguish the worlds: the regret per round falls like 1/sqrt(T).
#[test]
fn two_copies_are_enough() {
    let entry = LEARNERS.find("noisy-linear-two-copy").unwrap();
    for noisy in [false, true] {
        let played = world(entry, &losses()[0], noisy, true, 4 * ROUNDS).unwrap();
        assert!(played.regret < least(&Squared), "{noisy}: {}", played.regret);
    }
}

/// A learner that sees x_t itself does well in both worlds, for every loss: what it lacks is not the right loss.
#[test]
fn without_noise_the_same_learner_does_well_in_both_worlds() {
    for loss in &losses() {
        let name = if loss.0 == "squared" { "linear-ogd" } else { "coin-kernel" };
        for noisy in [false, true] {
            let played = world(LEARNERS.find(name).unwrap(), loss, noisy, false, 4 * ROUNDS).unwrap();
            assert!(played.regret < least(&*loss.1), "{}, {noisy}: {}", loss.0, played.regret);
        }
    }
}
