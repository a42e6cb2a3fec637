use super::*;
use crate::params::check::check;
use crate::parts::AllParts;
use crate::stream::api::{Source, StreamEntry};
use noregret_numeric::draw::Draws;

fn defaults(entry: &StreamEntry) -> std::sync::Arc<dyn Source> {
    (entry.build)(&check(entry.params, &toml::Table::new(), "", &AllParts).unwrap()).unwrap()
}

/// A round depends on its number and the draws alone, and neither on blocks nor on which rounds were asked for before.
#[test]
fn any_round_at_any_time() {
    for entry in STREAMS.iter() {
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
