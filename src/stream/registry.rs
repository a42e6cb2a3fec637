//! All synthetic laws, by name.

use crate::stream::api::{AdversaryEntry, StreamEntry};
use crate::stream::{
    circle, gaussian_inputs, greedy_adversary, infinite_layer, kernel_function, one_copy_game, orthogonal,
    periodic_spline, uniform_inputs,
};

/// Every synthetic law.
pub static STREAMS: &[&StreamEntry] = &[
    &circle::ENTRY,
    &gaussian_inputs::ENTRY,
    &infinite_layer::ENTRY,
    &kernel_function::ENTRY,
    &one_copy_game::ENTRY,
    &orthogonal::ENTRY,
    &periodic_spline::ENTRY,
    &uniform_inputs::ENTRY,
];

/// Every stream that reacts to the learner; their names are laws, too.
pub static ADVERSARIES: &[&AdversaryEntry] = &[&greedy_adversary::ENTRY];

/// The adversary of that name.
pub fn find_adversary(name: &str) -> Option<&'static AdversaryEntry> {
    ADVERSARIES.iter().copied().find(|entry| entry.name == name)
}

/// The synthetic law of that name.
pub fn find(name: &str) -> Option<&'static StreamEntry> {
    STREAMS.iter().copied().find(|entry| entry.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Draws;
    use crate::params::check;
    use crate::parts::AllParts;
    use crate::stream::api::Source;

    fn defaults(entry: &StreamEntry) -> std::sync::Arc<dyn Source> {
        (entry.build)(&check(entry.params, &toml::Table::new(), "", &AllParts).unwrap()).unwrap()
    }

    #[test]
    fn names_are_found_and_sorted() {
        assert!(STREAMS.windows(2).all(|pair| pair[0].name < pair[1].name));
        assert!(STREAMS.iter().all(|entry| find(entry.name).is_some_and(|found| found.name == entry.name)));
        assert!(find("no-such-law").is_none());
    }

    /// A round depends on its number and the draws alone: not on blocks, nor on which rounds were asked for before.
    #[test]
    fn any_round_at_any_time() {
        for entry in STREAMS {
            let (source, draws) = (defaults(entry), Draws::named(&["law", entry.name]));
            let dim = source.dim();
            let (mut inputs, mut targets) = (vec![0.0; 50 * dim], vec![0.0; 50]);
            source.fill(1, &draws, &mut inputs, &mut targets);
            let mut x = vec![0.0; dim];
            for round in [50, 1, 17, 17] {
                let y = source.example(round, &draws, &mut x);
                let i = round as usize - 1;
                assert_eq!((y, &x[..]), (targets[i], &inputs[i * dim..(i + 1) * dim]), "{}", entry.name);
            }
            let other = Draws::named(&["another replicate", entry.name]);
            let (mut other_inputs, mut other_targets) = (inputs.clone(), targets.clone());
            source.fill(1, &other, &mut other_inputs, &mut other_targets);
            assert_ne!((&inputs, &targets), (&other_inputs, &other_targets), "{}", entry.name);
        }
    }
}
