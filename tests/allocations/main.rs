//! A learner allocates memory when it is built and when its state grows, not in every round. This test is a binary of
//! its own, because each binary has one global allocator.

#[expect(dead_code, reason = "the ledger uses all of it")]
mod counting;
mod players;

use std::num::NonZeroU32;

use noregret_core::learner::LEARNERS;
use noregret_core::learner::api::AnyLearner;
use noregret_core::protocol::adapter::FromCopies;
use noregret_core::protocol::noisy::NoisyPlayer;
use players::{ROUNDS, build, channel, draws, requests, requests_of};

/// Learners that allocate while they play, with the largest number of allocations per block and per round.
///
/// Once per block, a mixture passes each of its experts (2, or 14 memories) their own draws and collects their forecasts. Random
/// tensor features store an element of random size in every round.
const BY_NATURE: &[(&str, u64, u64)] =
    &[("discount-mixture", 16, 0), ("expert-mixture", 3, 0), ("noisy-analytic", 0, 12)];

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
