//! Laws of parameters: each declared range is enforced, with an error that names the parameter.

use noregret_core::comparator::COMPARATORS;
use noregret_core::feature::FAMILIES;
use noregret_core::kernel::KERNELS;
use noregret_core::laws::entry::horizon_is_asked_for;
use noregret_core::laws::parameters;
use noregret_core::learner::LEARNERS;
use noregret_core::loss::LOSSES;
use noregret_core::noise::NOISES;
use noregret_core::params::Spec;
use noregret_core::stream::corruption::CORRUPTIONS;
use noregret_core::stream::{ADVERSARIES, STREAMS};
use noregret_core::window::WINDOWS;

/// What all registries say of a member.
struct Member {
    kind: &'static str,
    name: &'static str,
    summary: &'static str,
    module: &'static str,
    params: &'static [Spec],
}

/// The members of every registry.
fn members() -> Vec<Member> {
    let mut all = Vec::new();
    macro_rules! add {
        ($($kind:literal: $registry:expr),+ $(,)?) => {
            $(for entry in $registry.iter() {
                let (name, summary, module, params) = (entry.name, entry.summary, entry.module, entry.params);
                all.push(Member { kind: $kind, name, summary, module, params });
            })+
        };
    }
    add! {
        "learner": LEARNERS, "kernel": KERNELS, "feature": FAMILIES, "loss": LOSSES, "window": WINDOWS, "noise": NOISES,
        "corruption": CORRUPTIONS, "stream": STREAMS, "adversary": ADVERSARIES, "comparator": COMPARATORS,
    }
    all
}

#[test]
fn every_declaration_keeps_every_law() {
    for Member { kind, name, params, .. } in members() {
        parameters::all(params).unwrap_or_else(|broken| panic!("{kind} {name}: {broken}"));
    }
}

/// A formula in the number of rounds is refused if that number is not known; everything else still builds.
#[test]
fn formulas_that_need_the_horizon_say_so() {
    LEARNERS.iter().for_each(|entry| horizon_is_asked_for(entry).unwrap());
}

#[test]
fn names_are_unique_and_sources_exist() {
    let mut seen = std::collections::BTreeSet::new();
    for Member { kind, name, summary, module, .. } in members() {
        assert!(seen.insert((kind, name)), "{kind} {name} is there twice");
        assert!(!summary.is_empty(), "{name}");
        let source =
            format!("{}/src/{}", env!("CARGO_MANIFEST_DIR"), module.split_once("::").unwrap().1.replace("::", "/"));
        let text = [".rs", "/mod.rs"].iter().find_map(|end| std::fs::read_to_string(source.clone() + end).ok());
        assert!(text.unwrap().contains(&format!("\"{name}\"")), "{module} does not define {name}");
    }
}
