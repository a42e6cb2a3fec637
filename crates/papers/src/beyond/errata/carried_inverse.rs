//! Discounted least squares that carries the inverse of its matrix: what rounding makes unsymmetric grows like gamma^-t,
//! because P <- (P - k v') / gamma takes nothing away from it.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use noregret_numeric::draw::{Draws, Role};
use noregret_numeric::linalg::vector::dot;

pub(crate) static ERRATUM: Correction = Correction {
    id: "beyond-carried-inverse",
    place: "discounted ridge regression",
    quote: "",
    class: Class::Pitfall,
    reason: "the update of the inverse needs no factorisation, so it is the first thing that one writes",
    printed: "P = A^-1 is carried by v = P phi, k = v / (gamma + phi' v), P <- (P - k v') / gamma, all entries alike",
    corrected: "A is carried and factorised, or P is made symmetric after each round",
    method: "Forecasts of discounted ridge regression, gamma = 0.9, lambda = 1, over 500 rounds of four random features and \
             random targets in [-1, 1]: their largest distance from those that solve with A in each round, when P is \
             carried as it comes, and when it is replaced by (P + P') / 2 after each round",
    decide,
};

const FEATURES: usize = 4;
const ROUNDS: u64 = 500;
const GAMMA: f64 = 0.9;

type Vector = [f64; FEATURES];
type FeatureMatrix = [Vector; FEATURES];

fn identity() -> FeatureMatrix {
    std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))))
}

/// phi' A^-1 b, by elimination; A is positive definite.
fn solved(mut a: FeatureMatrix, mut b: Vector, phi: &Vector) -> f64 {
    for i in 0..FEATURES {
        let pivot = a[i];
        for j in i + 1..FEATURES {
            let factor = a[j][i] / pivot[i];
            a[j].iter_mut().zip(pivot).for_each(|(entry, above)| *entry -= factor * above);
            b[j] -= factor * b[i];
        }
    }
    for i in (0..FEATURES).rev() {
        let known: f64 = (i + 1..FEATURES).map(|j| a[i][j] * b[j]).sum();
        b[i] = (b[i] - known) / a[i][i];
    }
    dot(&b, phi)
}

/// The rounds: features and targets.
fn rounds(draws: &Draws) -> Vec<(Vector, f64)> {
    let round = |t| {
        let mut draw = draws.at(Role::Example, t);
        (std::array::from_fn(|_| draw.between(-1.0, 1.0)), draw.between(-1.0, 1.0))
    };
    (0..ROUNDS).map(round).collect()
}

/// The forecasts with A carried.
fn reference(rounds: &[(Vector, f64)]) -> Vec<f64> {
    let (mut a, mut b) = (identity(), [0.0; FEATURES]);
    let forecast = |(phi, y): &(Vector, f64)| {
        let forecast = solved(a, b, phi);
        for i in 0..FEATURES {
            for j in 0..FEATURES {
                a[i][j] = GAMMA * a[i][j] + phi[i] * phi[j];
            }
            b[i] = GAMMA * b[i] + y * phi[i];
        }
        forecast
    };
    rounds.iter().map(forecast).collect()
}

/// The forecasts with P carried.
fn carried(rounds: &[(Vector, f64)], symmetric: bool) -> Vec<f64> {
    let (mut p, mut w) = (identity(), [0.0; FEATURES]);
    let forecast = |(phi, y): &(Vector, f64)| {
        let forecast = dot(&w, phi);
        let v: Vector = std::array::from_fn(|i| dot(&p[i], phi));
        let gain = v.map(|entry| entry / (GAMMA + dot(&v, phi)));
        for i in 0..FEATURES {
            w[i] += gain[i] * (y - forecast);
            for j in 0..FEATURES {
                p[i][j] = (p[i][j] - gain[i] * v[j]) / GAMMA;
            }
        }
        if symmetric {
            let old = p;
            p = std::array::from_fn(|i| std::array::from_fn(|j| 0.5 * (old[i][j] + old[j][i])));
        }
        forecast
    };
    rounds.iter().map(forecast).collect()
}

fn decide(draws: &Draws) -> Vec<ErratumNumber> {
    let rounds = rounds(draws);
    let reference = reference(&rounds);
    let distance = |symmetric: bool| {
        let pairs = carried(&rounds, symmetric).into_iter().zip(&reference);
        pairs.map(|(found, expected)| (found - expected).abs()).fold(0.0, f64::max)
    };
    let at_most = Relation::AtMost;
    vec![
        ErratumNumber::exact("largest distance, P as it comes", at_most, 1e-9, None, distance(false), 1e-9),
        ErratumNumber::exact("largest distance, P made symmetric", at_most, 1e-9, 1e-9, distance(true), 1e-9),
    ]
}
