//! Conditions of theorems that are applied to runs: each is met or missed by the runs that should meet or miss it.

use std::collections::BTreeMap;

use noregret_core::learner::LEARNERS;
use noregret_core::loss::LOSSES;
use noregret_core::params::check::check;
use noregret_core::parts::AllParts;
use noregret_core::stream::STREAMS;
use noregret_core::stream::spec::{Origin, StreamSpec};
use noregret_papers::case::{Case, Condition};
use noregret_papers::theorems::THEOREMS;

/// A condition of a theorem, applied to a run of 200 rounds of a learner on a stream.
fn condition(theorem: &str, learner: (&str, &str), law: &str, measures: &[(&str, f64)], what: &str) -> Condition {
    let theorem = THEOREMS.iter().copied().find(|one| one.name == theorem).unwrap();
    let entry = LEARNERS.find(learner.0).unwrap();
    let params = check(entry.params, &learner.1.parse::<toml::Table>().unwrap(), "", &AllParts).unwrap();
    let law = STREAMS.choose(&law.parse::<toml::Table>().unwrap(), None, "", &AllParts).unwrap();
    let stream = StreamSpec { origin: Origin::Law(law), noise: None, corruption: None, label: None };
    let loss = LOSSES.choose(&"name = 'squared'".parse::<toml::Table>().unwrap(), None, "", &AllParts).unwrap();
    let case = Case {
        learner: entry.name,
        params: &params,
        stream: &stream,
        loss: &*loss.object,
        comparator: None,
        rounds: 200.0,
        measures: &measures.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect(),
        given: &BTreeMap::from([("r".to_owned(), 0.5)]),
    };
    let conditions = theorem.applied.unwrap()(&case).unwrap().conditions;
    conditions.into_iter().find(|condition| condition.what.starts_with(what)).unwrap()
}

#[test]
fn decreasing_steps_are_outside_of_theorems_of_constant_ones() {
    for theorem in ["robust-theorem-1", "robust-theorem-2", "robust-saturation-averaged"] {
        for decay in [0.0, 0.5] {
            let text = format!("eta = 0.1\ndecay = {decay:?}\nscale = 10\nkernel = 'sobolev-periodic'");
            let measures = [("eta", 0.1), ("scale", 10.0)];
            let found =
                condition(theorem, ("robust-ogd", &text), "name = 'circle'\ndecay = 2", &measures, "constant steps");
            assert_eq!(found.met, Some(decay == 0.0), "{theorem}, decay {decay}");
        }
    }
}

/// Draws that are chosen as the run goes count by their mean.
#[test]
fn draws_of_a_run_are_those_of_its_rounds() {
    let text = "norm_bound = 1.0\neta = 0.05\ndraws = 'adaptive'\nfeature = 'cosine'";
    let measures = [("draws", 600.0), ("eta", 0.05), ("shrinks", 0.0), ("l1_largest", 1.0)];
    let law = "name = 'infinite-layer'\ndim = 2\nfeature = 'cosine'";
    let found = condition("iln-theorem-1-draws", ("shrinking-gradient", text), law, &measures, "draws per round");
    assert_eq!(found.here, Some(3.0));
    assert_eq!(found.met, Some(false));
}

/// Theorem 10 is about all unbiased estimates, Theorems 6 and 7 about single terms.
#[test]
fn all_terms_are_outside_of_theorem_6_and_inside_of_theorem_10() {
    let law = "name = 'kernel-function'\nkernel = 'exponential'\namplitude = 0.1";
    let of = |estimator: &str| format!("kernel = 'exponential'\nestimator = '{estimator}'");
    let found = |theorem: &str, estimator: &str, what: &str| {
        condition(theorem, ("noisy-analytic", &of(estimator)), law, &[("eta", 1e-6)], what).met
    };
    assert_eq!(
        ["single-term", "all-terms"].map(|one| found("noisy-theorem-6", one, "the paper's")),
        [Some(true), Some(false)]
    );
    for estimator in ["single-term", "all-terms"] {
        assert_eq!(found("noisy-theorem-10", estimator, "step over"), Some(true));
        let around = format!("{estimator}'\npilots = 4\nradius = 1 #");
        let centre = [estimator, &around].map(|one| found("noisy-theorem-10", one, "series around"));
        assert_eq!(centre, [Some(true), Some(false)]);
    }
}
