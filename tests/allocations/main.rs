//! A learner allocates memory when it is built and when its state grows, not in every round. This test is a binary of
//! its own, because each binary has one global allocator.

#[expect(dead_code, reason = "the ledger uses all of it")]
mod counting;
mod players;

use std::num::NonZeroU32;

use noregret_core::learner::LEARNERS;
use noregret_core::learner::api::{AnyLearner, Learner, LearnerEntry, Setting};
use noregret_core::params::check::check;
use noregret_core::params::{Kind, Params, Spec};
use noregret_core::parts::AllParts;
use noregret_core::protocol::adapter::FromCopies;
use noregret_core::protocol::noisy::NoisyPlayer;
use noregret_numeric::draw::Role;
use players::{ROUNDS, build, channel, draws, given, requests, requests_of};
use toml::Value as Toml;

/// Learners that allocate while they play, with the largest number of allocations per block and per round.
///
/// Once per block, a mixture passes each of its experts (2, or 14 memories) their own draws and collects their forecasts. Random
/// tensor features store an element of random size in every round. `neighbours` sorts the distances of its window in each round.
/// `auto` makes its members anew at epochs, and collects what each says of a block.
/// `model-averaging` keeps what it told of each round, the weights and what its experts told, and collects that of each once per block.
/// A family of neurons evaluates all of `kitchen-sinks` with one vector for the weights of a neuron.
const BY_NATURE: &[(&str, u64, u64)] = &[
    ("auto", 15, 22),
    ("discount-mixture", 16, 0),
    ("expert-mixture", 3, 0),
    ("kitchen-sinks", 0, 2),
    ("model-averaging", 6, 3),
    ("neighbours", 0, 2),
    ("noisy-analytic", 0, 12),
];

/// A learner of constant size does not allocate. A learner that grows allocates O(log T) times, and once more per 256
/// rounds for a panel of a factor.
#[test]
fn no_memory_is_asked_for_round_by_round() {
    let mut constant = 0;
    for entry in LEARNERS.iter() {
        for size in [1, 64] {
            let ([found, _], [half, full]) = requests_of(entry, size);
            let grows = full.stored_points > half.stored_points || full.state_bytes > half.state_bytes;
            println!("{}, blocks of {size}: {found} requests, grows: {grows}", entry.name);
            let bound = if grows { 8 * u64::from((2 * ROUNDS).ilog2()) } else { 0 };
            let more = BY_NATURE
                .iter()
                .find(|known| known.0 == entry.name)
                .map_or(0, |(_, per_block, per_round)| per_block * (ROUNDS / size) as u64 + per_round * ROUNDS as u64);
            let bound = bound + more;
            assert!(found <= bound, "{}, blocks of {size}: {found} requests, at most {bound} allowed", entry.name);
            constant += usize::from(!grows);
        }
    }
    assert!(constant >= 8, "only {constant} runs of learners of constant size");
}

/// Means of copies are computed in place.
#[test]
fn copies_are_taken_in_place() {
    let entry = LEARNERS.iter().find(|entry| entry.name == "linear-ogd").unwrap();
    let AnyLearner::Full(inner) = build(entry) else { panic!("linear-ogd plays the full-information protocol") };
    let mut learner = FromCopies::new(inner, NonZeroU32::new(3).unwrap());
    assert_eq!(requests(&mut NoisyPlayer::new(&mut learner, &draws(), &channel()), 1, false).0, [0; 2]);
}

/// The inputs of [`large`].
const WIDE: usize = 8;

/// The learner at a size at which its state takes more than 64 MB after a few rounds, where a number of its parameters sets
/// that: its parameters, and the bytes.
fn large(entry: &LearnerEntry, spec: &Spec) -> Option<(Params, f64)> {
    let Kind::Integer { min, max } = spec.kind else { return None };
    [20_000, 5_000, 1_000, 100, 8, 6].into_iter().filter(|size| (min..=max).contains(size)).find_map(|size| {
        let mut table = given(entry.name);
        table.insert(spec.name.into(), Toml::Integer(size as i64));
        let params = check(entry.params, &table, "", &AllParts).ok()?;
        let bytes = (entry.build.cost)(&params, 10, WIDE).bytes;
        (bytes > 64e6 && bytes < 32e9).then_some((params, bytes))
    })
}

/// The bytes that building a learner asks for.
fn asked(entry: &LearnerEntry, params: &Params, then: fn(&mut dyn Learner)) -> Option<u64> {
    let setting = Setting { dim: WIDE, horizon: Some(10), draws: draws() };
    let before = counting::of_thread()[1];
    match (entry.build.learner)(params, &setting).ok()? {
        AnyLearner::Full(mut learner) => then(&mut *learner),
        AnyLearner::Noisy(_) => {}
    }
    Some(counting::of_thread()[1] - before)
}

/// A plan builds every learner to check its parameters, so building one takes a hundredth of its state: maps have their
/// numbers, matrices come with the first round. The control is a learner that was asked for a prediction.
#[test]
fn a_learner_that_is_built_has_no_matrices_yet() {
    let mut seen = Vec::new();
    for entry in LEARNERS.iter() {
        for spec in entry.params {
            let Some((params, bytes)) = large(entry, spec) else { continue };
            let Some(found) = asked(entry, &params, |_| {}) else { continue };
            println!("{}, {}: {found} of {bytes} bytes", entry.name, spec.name);
            assert!(found as f64 <= 0.01 * bytes, "{}, {}: {found} of {bytes} bytes", entry.name, spec.name);
            seen.push((entry, params, bytes));
        }
    }
    assert!(seen.len() >= 12, "only {} learners of a large size", seen.len());
    let (entry, params, bytes) = seen.iter().find(|one| one.0.name == "tracking-awv-taylor").unwrap();
    let predict = |learner: &mut dyn Learner| {
        learner.predict(&[0.1; WIDE], &mut draws().at(Role::Predict, 1));
    };
    let found = asked(entry, params, predict).unwrap();
    assert!(found as f64 > 0.01 * bytes, "the control: {} asked for {found} of {bytes} bytes to predict", entry.name);
}
