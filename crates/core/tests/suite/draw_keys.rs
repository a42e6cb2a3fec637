//! Which parameters key random draws: those of the list below always, parameters added later only if they are set.

use noregret_core::comparator::COMPARATORS;
use noregret_core::feature::FAMILIES;
use noregret_core::kernel::KERNELS;
use noregret_core::learner::LEARNERS;
use noregret_core::loss::LOSSES;
use noregret_core::noise::NOISES;
use noregret_core::params::check::check;
use noregret_core::params::registry::Registry;
use noregret_core::params::{Fallback, Kind, Params, Range, Spec};
use noregret_core::parts::AllParts;
use noregret_core::stream::corruption::CORRUPTIONS;
use noregret_core::stream::{ADVERSARIES, STREAMS};
use noregret_core::window::WINDOWS;

/// The parameters that were declared when draws were first keyed by them, one line for each member.
const KEYED: &str = include_str!("../vectors/keyed_parameters.txt");

fn lines<B>(list: &Registry<B>) -> Vec<String> {
    let keyed = |spec: &&Spec| !matches!(spec.default, Fallback::Added(_));
    list.iter()
        .map(|entry| {
            let names: Vec<&str> = entry.params.iter().filter(keyed).map(|spec| spec.name).collect();
            format!("{} {}: {}", list.kind, entry.name, names.join(" ")).trim_end().to_owned()
        })
        .collect()
}

/// A parameter that is added to a member of the list changes every random number of those who do not set it, unless it
/// is declared as `Fallback::Added`. A new member gets a line of its own.
#[test]
fn parameters_key_draws_as_they_always_did() {
    let lists = [lines(&LEARNERS), lines(&ADVERSARIES), lines(&COMPARATORS)];
    let parts = [lines(&KERNELS), lines(&FAMILIES), lines(&LOSSES), lines(&WINDOWS), lines(&NOISES)];
    let streams = [lines(&CORRUPTIONS), lines(&STREAMS)];
    let found: Vec<String> = lists.into_iter().chain(parts).chain(streams).flatten().collect();
    let known: Vec<&str> = KEYED.lines().collect();
    let news: Vec<_> = found.iter().filter(|line| !known.contains(&line.as_str())).collect();
    assert!(news.is_empty(), "not in tests/vectors/keyed_parameters.txt: {news:#?}");
    assert_eq!(known.len(), found.len(), "a member of tests/vectors/keyed_parameters.txt is gone");
}

const OLD: Spec = Spec {
    name: "old",
    doc: "a parameter that was there",
    kind: Kind::Real { range: Range::ANY, words: &[] },
    default: Fallback::Real(1.0),
};
const NEW: Spec = Spec {
    name: "new",
    doc: "a parameter that came later",
    kind: Kind::Integer { min: 0, max: 9 },
    default: Fallback::Added(&Fallback::Integer(3)),
};

#[test]
fn a_later_parameter_keys_draws_only_where_it_is_set() {
    let checked =
        |specs: &'static [Spec], text: &str| -> Params { check(specs, &text.parse().unwrap(), "", &AllParts).unwrap() };
    let before = checked(&[OLD], "old = 2");
    let after = checked(&[OLD, NEW], "old = 2");
    assert_eq!(before.draw_key(), after.draw_key());
    assert_eq!(after.integer("new"), 3);
    assert_ne!(before.canonical(), after.canonical(), "results know all parameters");
    assert_eq!(before.draw_key(), checked(&[OLD, NEW], "old = 2\nnew = 3").draw_key(), "set to its default");
    assert_ne!(before.draw_key(), checked(&[OLD, NEW], "old = 2\nnew = 4").draw_key());
    assert_ne!(before.draw_key(), checked(&[OLD], "").draw_key(), "an old one keys draws at its default, too");
}
