//! Laws of parameters: each declared range is enforced, with an error that names the parameter.

use noregret_core::feature::FAMILIES;
use noregret_core::kernel::KERNELS;
use noregret_core::laws::entry::horizon_is_asked_for;
use noregret_core::laws::parameters;
use noregret_core::learner::LEARNERS;
use noregret_core::loss::LOSSES;
use noregret_core::params::Spec;
use noregret_core::stream::corruption::CORRUPTIONS;
use noregret_core::window::WINDOWS;

/// (member, its parameters) of every registry.
fn members() -> impl Iterator<Item = (&'static str, &'static [Spec])> {
    let learners = LEARNERS.iter().map(|entry| (entry.name, entry.params));
    let features = FAMILIES.iter().map(|entry| (entry.name, entry.params));
    let losses = LOSSES.iter().map(|entry| (entry.name, entry.params));
    let corruptions = CORRUPTIONS.iter().map(|entry| (entry.name, entry.params));
    let parts = features.chain(losses).chain(corruptions);
    learners.chain(KERNELS.iter().map(|entry| (entry.name, entry.params))).chain(parts)
}

#[test]
fn every_declaration_keeps_every_law() {
    for (member, specs) in members() {
        parameters::all(specs).unwrap_or_else(|broken| panic!("{member}: {broken}"));
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
    let learners = LEARNERS.iter().map(|entry| ("learner", entry.name, entry.summary, entry.module));
    let kernels = KERNELS.iter().map(|entry| ("kernel", entry.name, entry.summary, entry.module));
    let features = FAMILIES.iter().map(|entry| ("feature", entry.name, entry.summary, entry.module));
    let losses = LOSSES.iter().map(|entry| ("loss", entry.name, entry.summary, entry.module));
    let windows = WINDOWS.iter().map(|entry| ("window", entry.name, entry.summary, entry.module));
    let corruptions = CORRUPTIONS.iter().map(|entry| ("corruption", entry.name, entry.summary, entry.module));
    let parts = features.chain(losses).chain(windows).chain(corruptions);
    for (kind, name, summary, module) in learners.chain(kernels).chain(parts) {
        assert!(seen.insert((kind, name)), "{kind} {name} is there twice");
        assert!(!summary.is_empty(), "{name}");
        let source =
            format!("{}/src/{}", env!("CARGO_MANIFEST_DIR"), module.split_once("::").unwrap().1.replace("::", "/"));
        let text = [".rs", "/mod.rs"].iter().find_map(|end| std::fs::read_to_string(source.clone() + end).ok());
        assert!(text.unwrap().contains(&format!("\"{name}\"")), "{module} does not define {name}");
    }
}
