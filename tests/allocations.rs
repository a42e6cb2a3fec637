//! A learner allocates memory when it is built and when its state grows, not in every round. This test is a binary of
//! its own, because each binary has one global allocator.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::num::NonZeroU32;
use std::sync::Arc;

use noregret_core::draw::{Draws, Role};
use noregret_core::learner::LEARNERS;
use noregret_core::learner::api::{AnyLearner, Block, Gauges, LearnerEntry, Setting};
use noregret_core::linalg::matrix::Rows;
use noregret_core::noise::NOISES;
use noregret_core::noise::api::NoiseLaw;
use noregret_core::params::check::check;
use noregret_core::parts::AllParts;
use noregret_core::protocol::adapter::FromCopies;
use noregret_core::protocol::full::FullPlayer;
use noregret_core::protocol::noisy::{Channel, NoisyPlayer};
use noregret_core::protocol::run::Player;

thread_local! {
    /// The number of allocations and reallocations of this thread.
    static REQUESTS: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

fn count() {
    // A thread that is ending has no counter any more.
    let _ = REQUESTS.try_with(|requests| requests.set(requests.get() + 1));
}

// SAFETY: every call is passed unchanged to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        unsafe { System.realloc(memory, layout, size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const DIM: usize = 3;

/// T: allocations are counted from round T to round 2 T.
const ROUNDS: usize = 1024;

/// Parameters without defaults, and some that keep this test short.
const GIVEN: &[(&str, &str)] = &[
    ("discount-mixture", "bound = 1.0"),
    ("expert-mixture", "bound = 1.0\ngrid = { lambda = [0.1, 1.0] }"),
    ("noisy-gaussian", "kernel.bandwidth = 1.5\ncovariance = 0.04"),
    ("noisy-radial", "kernel = { name = 'rational' }\ncovariance = 0.04"),
    ("noisy-analytic", "kernel.bandwidth = 1.5\np = 2\neta = 0.01"),
];

/// Learners that allocate while they play, with the largest number of allocations per block and per round.
///
/// Once per block, a mixture passes each of its experts (2, or 14 memories) their own draws and collects their forecasts. Random
/// tensor features store an element of random size in every round.
const BY_NATURE: &[(&str, u64, u64)] =
    &[("discount-mixture", 16, 0), ("expert-mixture", 3, 0), ("noisy-analytic", 0, 12)];

fn build(entry: &LearnerEntry) -> AnyLearner {
    let toml = GIVEN.iter().find(|given| given.0 == entry.name).map_or("", |given| given.1);
    let params = check(entry.params, &toml.parse().unwrap(), "", &AllParts).unwrap_or_else(|error| panic!("{error}"));
    let setting = Setting { dim: DIM, horizon: Some(2 * ROUNDS as u64), draws: Draws::named(&["allocations"]) };
    (entry.build.learner)(&params, &setting).unwrap_or_else(|error| panic!("{}: {error}", entry.name))
}

fn law(deviation: f64) -> Arc<dyn NoiseLaw> {
    let entry = NOISES.get("gaussian").unwrap();
    let table = toml::Table::from_iter([("noise_std".to_owned(), toml::Value::Float(deviation))]);
    (entry.build)(&check(entry.params, &table, "", &AllParts).unwrap()).unwrap()
}

/// Plays 2 T rounds in blocks of `size`; returns the allocations from round T on, and the gauges at T and at 2 T.
fn requests(player: &mut dyn Player, size: usize, labels: bool) -> (u64, [Gauges; 2]) {
    let mut draw = Draws::named(&["allocations"]).at(Role::Example, 0);
    let inputs: Vec<f64> = (0..2 * ROUNDS * DIM).map(|_| draw.between(-0.5, 0.5)).collect();
    let inputs = Rows::new(DIM, &inputs);
    let targets = inputs.iter().map(|x| (3.0 * x.iter().sum::<f64>()).sin());
    let targets: Vec<f64> = targets.map(|y| if labels { y.signum() } else { y }).collect();
    let mut predictions = vec![0.0; size];
    let mut gauges = [Gauges::default(); 2];
    let mut before = 0;
    if player.foresees() {
        player.foresee(inputs).unwrap();
    }
    for (half, gauges) in gauges.iter_mut().enumerate() {
        before = REQUESTS.get();
        for from in (half * ROUNDS..(half + 1) * ROUNDS).step_by(size) {
            let block = Block {
                first_round: from as u64 + 1,
                inputs: inputs.slice(from, from + size),
                targets: &targets[from..from + size],
            };
            player.play(block, &mut predictions).unwrap();
        }
        *gauges = player.gauges();
    }
    (REQUESTS.get() - before, gauges)
}

/// A learner of constant size does not allocate. A learner that grows allocates O(log T) times, and once more per 256
/// rounds for a panel of a factor.
#[test]
fn no_memory_is_asked_for_round_by_round() {
    let draws = Draws::named(&["allocations", "learner"]);
    let channel = Channel { inputs: law(0.2), targets: law(0.1), draws: Draws::named(&["allocations", "noise"]) };
    let mut constant = 0;
    for entry in LEARNERS.iter() {
        for size in [1, 64] {
            let (found, [half, full]) = match build(entry) {
                AnyLearner::Full(mut learner) => {
                    let labels = learner.wants_labels();
                    requests(&mut FullPlayer::new(&mut *learner, &draws), size, labels)
                }
                AnyLearner::Noisy(mut learner) => {
                    requests(&mut NoisyPlayer::new(&mut *learner, &draws, &channel), size, false)
                }
            };
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
    let draws = Draws::named(&["allocations", "learner"]);
    let channel = Channel { inputs: law(0.2), targets: law(0.1), draws: Draws::named(&["allocations", "noise"]) };
    let entry = LEARNERS.iter().find(|entry| entry.name == "linear-ogd").unwrap();
    let AnyLearner::Full(inner) = build(entry) else { panic!("linear-ogd plays the full-information protocol") };
    let mut learner = FromCopies::new(inner, NonZeroU32::new(3).unwrap());
    assert_eq!(requests(&mut NoisyPlayer::new(&mut learner, &draws, &channel), 1, false).0, 0);
}
