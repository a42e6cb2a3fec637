//! Theorem 4 against Section 4: the order of the Taylor features.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use noregret_numeric::draw::{Draws, Role};
use noregret_numeric::linalg::eigen;

pub(crate) static ERRATUM: Correction = Correction {
    id: "pkawv-taylor-order",
    place: "Section 4 (M = 2, 3, 4) against Theorem 4",
    quote: "(or PKRR for real data settings) with Taylor expansions",
    class: Class::Practice,
    reason: "both passages are true; the experiments use orders to which the theorem does not apply",
    printed: "orders M = 2, 3, 4; the approximation term of Theorem 4 is at most (4/9) B^2 log(1 + 1/lambda)",
    corrected: "Theorem 4 needs M >= max(8 R^2 / sigma^2, 2 log(n / min(lambda, 1))), far beyond M = 4: the \
                experiments say nothing about the theorem",
    method: "The term B^2 (mu + lambda) n mu / lambda^2 of Theorem 3, where mu is the largest eigenvalue of K - K_M, \
             for 200 uniform points in [0, 1]^8, sigma = lambda = B = 1, and M = 2, 4 and the M of Theorem 4 with R^2 \
             = 8",
    decide,
};

const POINTS: usize = 200;
const DIMENSION: usize = 8;

/// The approximation term for order M.
fn term(points: &[[f64; DIMENSION]], order: i32) -> f64 {
    let n = points.len();
    let dot = |a: &[f64; DIMENSION], b: &[f64; DIMENSION]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut rest = Vec::with_capacity(n * n);
    for a in points {
        for b in points {
            // K - K_M = exp(-(|a|^2 + |b|^2) / 2) sum over j > M of (a'b)^j / j!.
            let inner = dot(a, b);
            let mut term: f64 = 1.0;
            let mut tail = 0.0;
            for j in 1..=100 {
                term *= inner / f64::from(j);
                if j > order {
                    tail += term;
                }
            }
            rest.push((-0.5 * (dot(a, a) + dot(b, b))).exp() * tail);
        }
    }
    let mu = eigen::symmetric(&rest, n, false).map_or(f64::NAN, |eigen| eigen.values[n - 1]).max(0.0);
    (mu + 1.0) * n as f64 * mu
}

fn decide(draws: &Draws) -> Vec<ErratumNumber> {
    let mut draw = draws.at(Role::Example, 1);
    let points: Vec<[f64; DIMENSION]> = (0..POINTS).map(|_| std::array::from_fn(|_| draw.uniform())).collect();
    let n = POINTS as f64;
    let allowed = 4.0 / 9.0 * 2f64.ln();
    let needed = (8.0 * DIMENSION as f64).max(2.0 * n.ln()).ceil() as i32;
    let row = |order: i32, corrected: Option<f64>| {
        let what = format!("approximation term, M = {order}");
        let found = term(&points, order);
        // Logarithms are compared, because the tolerance is relative to the largest number of the row.
        ErratumNumber::exact(
            &format!("log of 1 + {what}"),
            Relation::AtMost,
            allowed.ln_1p(),
            corrected.map(f64::ln_1p),
            found.ln_1p(),
            1e-9,
        )
    };
    vec![row(2, None), row(4, None), row(needed, Some(allowed))]
}
