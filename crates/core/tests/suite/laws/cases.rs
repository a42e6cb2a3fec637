//! The cases on which the laws are tested.

use std::collections::BTreeSet;

pub use noregret_core::laws::cases::{LearnerCase, variants};
use noregret_core::laws::data;
pub use noregret_core::laws::data::{LawRounds, scale};
pub use noregret_core::laws::learner::play;
use noregret_core::learner::LEARNERS;
use noregret_core::learner::api::Learner;
use noregret_core::params::Kind;
use noregret_numeric::draw::Draws;

/// Every case of every learner: those that play the noisy protocol, or those that do not.
pub fn all(noisy: bool) -> Vec<LearnerCase> {
    let mut all = Vec::new();
    for entry in LEARNERS.iter() {
        let cases = LearnerCase::of(entry).unwrap();
        if cases[0].is_noisy() != noisy {
            continue;
        }
        let variants = variants(entry.params, 1).len() + variants(entry.params, 3).len();
        // Rows of numbers that fit one member fit no other: the value that is tried for them is refused, in each dimension.
        let rows = entry.params.iter().filter(|spec| matches!(spec.kind, Kind::Rows { .. })).count();
        // Only noisy learners have values that contradict each other.
        let enough = if noisy { cases.len() >= 2 * entry.params.len() } else { cases.len() + 2 * rows == variants };
        assert!(enough, "{}: {} of {variants} variants make sense", entry.name, cases.len());
        all.extend(cases);
    }
    assert!(!all.is_empty());
    all
}

/// The same without cases that are another one again (a parameter that is given at its default), and with the kernels of a bank
/// of members in one dimension only.
pub fn different(noisy: bool) -> Vec<LearnerCase> {
    let mut seen = BTreeSet::new();
    let key = |case: &LearnerCase| (case.entry.name, case.dim, case.params().unwrap().canonical().to_string());
    let cases = all(noisy).into_iter().map(|case| if case.dim == 1 { case } else { small(case) });
    cases.filter(|case| seen.insert(key(case))).collect()
}

/// The case, or, where it is a bank of members and a test plays it hundreds of times, that bank without its kernels. Other laws
/// play all members.
pub fn small(mut case: LearnerCase) -> LearnerCase {
    if case.entry.name == "auto" {
        case.table.insert("members".into(), "linear".into());
    }
    case
}

/// A full-information learner from the registry, from TOML as a user would write it.
pub fn build(name: &str, toml: &str, dim: usize) -> Box<dyn Learner> {
    let case = LearnerCase { entry: LEARNERS.find(name).unwrap(), table: toml::from_str(toml).unwrap(), dim };
    case.full().unwrap_or_else(|error| panic!("{case}: {error}"))
}

/// The draws of every run.
pub fn draws() -> Draws {
    data::draws()
}

/// The rounds of most tests.
pub fn data(dim: usize, rounds: usize) -> LawRounds {
    LawRounds::smooth(dim, rounds)
}
