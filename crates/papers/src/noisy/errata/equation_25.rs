//! (25), Subroutines 6 and 7: random features of the Gaussian kernel.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use crate::errata::mean::Mean;
use crate::noisy::errata::random_degree::{bessel, degree, factorial, probability};
use noregret_numeric::draw::{Draw, Draws, Role};

pub(crate) static ERRATUM: Correction = Correction {
    id: "noisy-equation-25",
    place: "(25), Subroutines 6 and 7",
    quote: "Since the oracle calls are i.i.d., it is not hard to verify",
    class: Class::Wrong,
    reason: "the subroutines use these features, which belong to another kernel",
    printed: "features exp(-|x|^2 / s^2) (2 / s^2)^n / n! x_k1 .. x_kn; Prod and Mult with their products",
    corrected: "features with the square root of (2 / s^2)^n / n!",
    method: "The means of Prod and Mult with both weights, in two dimensions, s^2 = 4, noise of variance 0.04 per \
             coordinate, p = 2; compared with k(x, x') and with the kernel exp(-(|x|^2 + |x'|^2) / s^2) I_0(4 sqrt(<x, \
             x'>) / s^2), to which the printed weights belong",
    decide,
};

const S2: f64 = 4.0;
const P: f64 = 2.0;
const DEVIATION: f64 = 0.2;
const POINTS: [[f64; 2]; 2] = [[0.9, 0.5], [0.7, 0.8]];
const SAMPLES: u64 = 400_000;

fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

fn copy(draw: &mut Draw, point: [f64; 2]) -> [f64; 2] {
    point.map(|x| x + DEVIATION * draw.normal())
}

/// One random element: its scalar factor (the estimate of exp(-|x|^2 / s^2), divided by the probability of the tail's
/// degree), and the copies of its tail.
fn element(draw: &mut Draw, point: [f64; 2]) -> (f64, Vec<[f64; 2]>) {
    let (pairs, tail) = (degree(draw, P), degree(draw, P));
    let products: f64 = (0..pairs).map(|_| -dot(copy(draw, point), copy(draw, point)) / S2).product();
    let factor = products / factorial(pairs) / probability(pairs, P) / probability(tail, P);
    (factor, (0..tail).map(|_| copy(draw, point)).collect())
}

/// (2 / s^2)^n / n!.
fn weight(n: usize) -> f64 {
    (2.0 / S2).powi(n as i32) / factorial(n as i32)
}

fn decide(draws: &Draws) -> Vec<ErratumNumber> {
    let mut draw = draws.at(Role::Learn, 1);
    let [x, z] = POINTS;
    let mut prod = [Mean::default(); 2];
    let mut mult = [Mean::default(); 2];
    for _ in 0..SAMPLES {
        let (first, tail) = element(&mut draw, x);
        let (second, other) = element(&mut draw, z);
        let n = tail.len();
        let both: f64 = tail.iter().zip(&other).map(|(a, b)| dot(*a, *b)).product();
        let value = if n == other.len() { first * second * both } else { 0.0 };
        let clean: f64 = tail.iter().map(|a| dot(*a, z)).product();
        let at_z = first * (-dot(z, z) / S2).exp() * clean;
        // The printed features carry the whole weight, so that it occurs twice in an inner product; the corrected ones
        // carry its square root.
        prod[0].add(weight(n) * weight(n) * value);
        prod[1].add(weight(n) * value);
        mult[0].add(weight(n) * weight(n) * at_z);
        mult[1].add(weight(n) * at_z);
    }
    let damped = (-(dot(x, x) + dot(z, z)) / S2).exp();
    let kernel = damped * (2.0 * dot(x, z) / S2).exp();
    let other = damped * bessel(4.0 * dot(x, z) / (S2 * S2));
    let equal = Relation::Equal;
    vec![
        ErratumNumber::sampled("mean of Prod, printed weights", equal, kernel, other, &prod[0]),
        ErratumNumber::sampled("mean of Mult, printed weights", equal, kernel, other, &mult[0]),
        ErratumNumber::sampled("mean of Prod, corrected weights", equal, None, kernel, &prod[1]),
        ErratumNumber::sampled("mean of Mult, corrected weights", equal, None, kernel, &mult[1]),
    ]
}
