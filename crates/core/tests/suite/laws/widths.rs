//! Results have the same bits at every width of the vector registers: of all instruction sets that this processor has, in
//! one process. Tests that run meanwhile use the same registers, which by this law changes nothing for them. (That a limit
//! decides which registers are used, and that a result could depend on them, is tested in `linalg/simd.rs`.)

use noregret_core::kernel::KERNELS;
use noregret_core::laws::noisy;
use noregret_core::learner::LEARNERS;
use noregret_core::params::check::check;
use noregret_core::parts::AllParts;
use noregret_numeric::linalg::simd::{limit, widths};

use super::cases::{LearnerCase, data, draws, play, variants};

/// Rounds in a block: windows end in the middle of blocks, and the rest of a block can be a single round.
const BLOCK: usize = 33;

/// What `compute` returns has the same bits whatever the registers.
fn holds(what: &str, compute: impl Fn() -> Vec<f64>) {
    let found: Vec<Vec<u64>> = widths()
        .into_iter()
        .map(|lanes| {
            limit(lanes);
            compute().into_iter().map(f64::to_bits).collect()
        })
        .collect();
    limit(usize::MAX);
    assert!(found.windows(2).all(|pair| pair[0] == pair[1]), "{what} at registers of {:?} numbers", widths());
}

fn predictions(case: &LearnerCase, rounds: usize) -> Vec<f64> {
    let data = data(case.dim, rounds);
    if case.is_noisy() {
        return noisy::play(&mut *case.noisy().unwrap(), &data.with_labels(), 0.2).unwrap().0;
    }
    let mut learner = case.full().unwrap();
    let data = if learner.wants_labels() { data.with_labels() } else { data };
    match play(&mut *learner, data.inputs.view(), &data.targets, &draws(), BLOCK) {
        Ok(predictions) | Err((predictions, _)) => predictions,
    }
}

/// One test, because the limit counts for the whole process.
#[test]
fn results_do_not_depend_on_the_width_of_registers() {
    for entry in LEARNERS.iter() {
        let case = LearnerCase::of(entry).unwrap().pop().unwrap();
        holds(&case.to_string(), || predictions(&case, 100));
    }
    // Several windows, whose solves and products are divided into parts.
    for (name, toml) in [
        ("pkawv-taylor", "order = 2"),
        ("pkrr-taylor", "order = 2"),
        ("discounted-awv-taylor", "order = 2\nmemory = 100.0"),
        ("tracking-awv-taylor", "order = 2"),
        ("aioli-taylor", "order = 2"),
        ("pkawv-fourier", "features = 90"),
        ("fogd", "features = 300"),
        ("kernel-ridge", ""),
        ("pros-n-kons", ""),
    ] {
        let case = LearnerCase { entry: LEARNERS.find(name).unwrap(), table: toml::from_str(toml).unwrap(), dim: 18 };
        holds(&case.to_string(), || predictions(&case, 400));
    }
    for entry in KERNELS.iter() {
        let params = check(entry.params, &variants(entry.params, 3)[0], "", &AllParts).unwrap();
        let (kernel, points) = ((entry.build)(&params).unwrap(), data(3, 41).inputs);
        holds(entry.name, || {
            let mut gram = vec![0.0; 41 * 41];
            kernel.gram(points.view(), points.view(), &mut gram);
            gram
        });
    }
}
