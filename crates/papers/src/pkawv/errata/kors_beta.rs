//! Section 4: KORS with beta = 1.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use crate::errata::mean::Mean;
use crate::pkawv::errata::dictionary::run;
use noregret_core::learner::ridge::kors::SampleWeights;
use noregret_numeric::draw::{Draws, Role};
use noregret_numeric::linalg::matrix::Matrix;

pub(crate) static ERRATUM: Correction = Correction {
    id: "pkawv-kors-beta",
    place: "Section 4 (beta = 1) against Proposition 5",
    quote: "using KORS, we set",
    class: Class::Practice,
    reason: "both passages are true; the guarantee of the theorem does not cover the dictionary of the experiments",
    printed: "KORS with beta = 1 in the experiments; the dictionary of Proposition 5 leaves out at most mu with \
              probability 1 - delta",
    corrected: "the guarantee needs beta = 12 log(n / delta), which is 132 for n = 3000 and delta = 0.05",
    method: "The share of 400 runs in which the largest eigenvalue of K - K_P exceeds mu = 1, for delta = 0.05 and 20 \
             pairs of equal points that are far from each other: a pair enters with its first or its second point, \
             each with probability 3/4, and leaves out the eigenvalue 2 if neither enters",
    decide,
};

const PAIRS: usize = 20;
const RUNS: u64 = 400;
const DELTA: f64 = 0.05;

fn decide(draws: &Draws) -> Vec<ErratumNumber> {
    let mut points = Matrix::with_width(2);
    // At this distance the kernel is 0 in floating point, so that K consists of blocks of ones.
    (0..2 * PAIRS).for_each(|i| points.push_row(&[100.0 * (i / 2) as f64, 0.0]));
    let share = |beta: f64| {
        let mut replicate = 0;
        Mean::of(RUNS, || {
            replicate += 1;
            let offers = run(&points, beta, SampleWeights::Theory, &mut draws.at(Role::Learn, replicate));
            let missed = offers.chunks(2).any(|pair| pair.iter().all(|offer| !offer.entered));
            if missed { 1.0 } else { 0.0 }
        })
    };
    let theory = 12.0 * (2.0 * PAIRS as f64 / DELTA).ln();
    let row = |name: &str, corrected: Option<f64>, beta: f64| {
        let what = format!("share that leaves out more than mu, {name}");
        ErratumNumber::sampled(&what, Relation::AtMost, DELTA, corrected, &share(beta))
    };
    vec![row("beta = 1", None, 1.0), row("beta of theory", Some(DELTA), theory)]
}
