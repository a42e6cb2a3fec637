use std::collections::BTreeMap;

use super::*;
use crate::case::Application;
use crate::theorem::Theorem;
use crate::theorems::THEOREMS;
use noregret_core::comparator::COMPARATORS;
use noregret_core::learner::LEARNERS;
use noregret_core::loss::LOSSES;
use noregret_core::params::check::check;
use noregret_core::parts::AllParts;
use noregret_core::stream::STREAMS;
use noregret_core::stream::spec::{Origin, StreamSpec};

/// Learners that theorems are about, each with a stream, a comparator and parameters with which one says something.
const RUNS: &[(&str, &str, &str, &str)] = &[
    ("kernel-awv", "uniform-inputs", "penalised", ""),
    ("kernel-awv", "circle", "norm-ball", ""),
    ("kernel-awv", "periodic-spline", "penalised", "kernel = { name = 'sobolev-periodic', frequency = 'angular' }"),
    ("pkawv-taylor", "uniform-inputs", "penalised", ""),
    ("pkawv-nystrom", "uniform-inputs", "penalised", ""),
    ("pkawv-fourier", "uniform-inputs", "penalised", ""),
    ("discounted-awv-taylor", "rotating-function", "law", ""),
    ("tracking-awv-taylor", "switching-function", "law", ""),
    ("discount-mixture", "switching-function", "law", "bound = 1"),
    ("aioli-taylor", "uniform-inputs", "taylor-ball", ""),
    ("coin-kernel", "kernel-function", "law", ""),
    ("aggregate", "forecasts", "best-shifts", "rule = 'fixed-share'\nbound = 1"),
    ("aggregate", "forecasts", "best-expert", "rule = 'ewa'\nbound = 1\nexperts = ['fogd']"),
    ("intervals", "uniform-inputs", "law", "rule = 'betting'\nbound = 1"),
    ("shrinking-gradient", "infinite-layer", "norm-ball", "draws = 'exact'\nprecision = 0.1"),
    ("robust-ogd", "circle", "law", "window = 'least-squares'\nkernel = 'sobolev-periodic'"),
    ("noisy-linear-two-copy", "uniform-inputs", "norm-ball", ""),
    ("noisy-linear-covariance", "uniform-inputs", "norm-ball", ""),
    ("noisy-gaussian", "kernel-function", "norm-ball", "covariance = 0.1"),
    ("noisy-radial", "kernel-function", "norm-ball", "covariance = 0.1\nkernel = { name = 'laplace', cutoff = 0.9 }"),
    ("noisy-analytic", "uniform-inputs", "norm-ball", ""),
];

/// What each theorem that applies says of a run of 200 rounds of this learner.
fn applied((learner, law, comparator, with): (&str, &str, &str, &str)) -> Vec<(&'static str, Application)> {
    let numbers = |names: &[&str]| names.iter().map(|name| ((*name).to_owned(), 0.75)).collect::<BTreeMap<_, _>>();
    let measures = numbers(&["eta", "scale", "draws", "its_squares", "miss_rate", "bets", "regularity"]);
    let given = numbers(&["gamma", "size", "r", "beta"]);
    let table = |text: &str| text.parse::<toml::Table>().unwrap();
    let loss = LOSSES.choose(&table("name = 'squared'"), None, "", &AllParts).unwrap().object;
    let params = check(LEARNERS.find(learner).unwrap().params, &table(with), "", &AllParts).unwrap();
    let against = check(COMPARATORS.find(comparator).unwrap().params, &table(""), "", &AllParts).unwrap();
    let law = STREAMS.choose(&table(""), Some(law), "", &AllParts).unwrap();
    let stream = StreamSpec { origin: Origin::Law(law), noise: None, corruption: None, label: None };
    let case = Case {
        learner,
        params: &params,
        stream: &stream,
        loss: &*loss,
        comparator: Some((comparator, &against)),
        rounds: 200.0,
        measures: &measures,
        given: &given,
    };
    let apply = |theorem: &&'static Theorem| Some((theorem.name, (theorem.applied?)(&case).ok()?));
    THEOREMS.iter().filter_map(apply).collect()
}

/// Theorems find the parameters that they need in a run that they are about.
#[test]
fn theorems_know_the_learners_that_they_are_about() {
    for run in RUNS {
        assert!(!applied(*run).is_empty(), "{run:?}");
    }
}

/// A theorem on the Gaussian kernel is not about another one, however well its rate fits.
#[test]
fn another_kernel_is_a_condition_that_is_not_met() {
    let unmet = |(learner, theorem): (&'static str, &str), kernel: &str, law: &'static str| {
        let with = format!("kernel = {kernel}");
        let found = applied((learner, law, "penalised", &with));
        let (_, found) = found.into_iter().find(|(name, _)| *name == theorem).unwrap();
        found.conditions.iter().filter(|one| one.what.contains("Gaussian kernel")).count()
    };
    for (learner, theorem) in [("kernel-awv", "pkawv-gaussian"), ("pkawv-nystrom", "pkawv-theorem-6")] {
        assert_eq!(unmet((learner, theorem), "{ name = 'gaussian' }", "uniform-inputs"), 0);
        assert_eq!(
            unmet((learner, theorem), "{ name = 'sobolev-periodic', frequency = 'angular' }", "periodic-spline"),
            1
        );
    }
}
