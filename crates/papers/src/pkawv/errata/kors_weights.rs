//! KORS in the listing H.2: the weights of the dictionary.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use crate::errata::mean::Mean;
use crate::pkawv::errata::dictionary::{points, run};
use noregret_core::learner::ridge::kors::SampleWeights;
use noregret_numeric::draw::{Draws, Role};

pub(crate) static ERRATUM: Correction = Correction {
    id: "pkawv-kors-weights",
    place: "Listing H.2 (KORS)",
    quote: "S.append(1/p)",
    class: Class::Wrong,
    reason: "the listing is printed as the algorithm, and its dictionary has other weights than the analysed one",
    printed: "a point that entered with probability p has weight 1 / p in S K S",
    corrected: "weight 1 / sqrt(p), as in KORS, which makes the weighted covariance unbiased",
    method: "The mean trace of the weighted covariance (k(x, x) = 1, so the unweighted one has trace n) over runs on n \
             = 150 uniform points; for weights 1 / p the corrected value is the mean of the sum of 1 / p over all \
             points",
    decide,
};

const POINTS: usize = 150;
const RUNS: u64 = 1000;

fn decide(draws: &Draws) -> Vec<ErratumNumber> {
    let points = points(POINTS, &mut draws.at(Role::Example, 1));
    let n = POINTS as f64;
    let row = |weights: SampleWeights, what: &str| {
        let (mut trace, mut expected) = (Mean::default(), Mean::default());
        for replicate in 0..RUNS {
            let offers = run(&points, 1.0, weights, &mut draws.at(Role::Learn, replicate));
            let square = |p: f64| match weights {
                SampleWeights::Theory => 1.0 / p,
                SampleWeights::Authors => 1.0 / (p * p),
            };
            trace.add(offers.iter().filter(|offer| offer.entered).map(|offer| square(offer.probability)).sum());
            expected.add(offers.iter().map(|offer| offer.probability * square(offer.probability)).sum());
        }
        // Given the past, a point adds p w(p)^2 in expectation.
        ErratumNumber::sampled(what, Relation::Equal, n, expected.mean(), &trace)
    };
    vec![
        row(SampleWeights::Authors, "mean trace with weights 1 / p"),
        row(SampleWeights::Theory, "mean trace with weights 1 / sqrt(p)"),
    ]
}
