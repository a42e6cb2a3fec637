//! The remark after Theorem 3: the angle between the positive and the negative part of a good predictor.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use noregret_numeric::draw::{Draws, Role};
use noregret_numeric::linalg::eigen;

pub(crate) static ERRATUM: Correction = Correction {
    id: "noisy-angle",
    place: "After Theorem 3 (the angle beta)",
    quote: "not too small is a pretty mild assumption",
    class: Class::Practice,
    reason: "the remark is a judgement, not a claim; the angle of the predictor fitted here is small, so \
             that the W of Theorem 3 is far larger than what its proof needs",
    printed: "a good predictor with beta not too small is a mild assumption; W >= sqrt(5) R |w| / sin(beta)",
    corrected: "treat W as a parameter, of the size of the surrogate norm",
    method: "W / (R |w|) by the theorem (printed) and by the surrogate norm that the proof needs (found), for kernel \
             ridge regression with penalty 0.1 on 80 points, uniform in [-1.5, 1.5], y = k(1, x) - k(-1, x) with noise \
             of deviation 0.5, s^2 = 2, noise of variance 0.25 on x",
    decide,
};

const POINTS: usize = 80;
const VARIANCE: f64 = 0.25;

fn decide(draws: &Draws) -> Vec<ErratumNumber> {
    let mut draw = draws.at(Role::Example, 1);
    let gaussian = |s2: f64, a: f64, b: f64| (-(a - b).powi(2) / s2).exp();
    let points: Vec<f64> = (0..POINTS).map(|_| draw.between(-1.5, 1.5)).collect();
    let target = |x: f64| gaussian(2.0, 1.0, x) - gaussian(2.0, -1.0, x);
    let targets: Vec<f64> = points.iter().map(|x| target(*x) + 0.5 * draw.normal()).collect();
    let gram = |s2: f64| -> Vec<f64> {
        points.iter().flat_map(|a| points.iter().map(move |b| gaussian(s2, *a, *b))).collect()
    };
    let (kernel, surrogate) = (gram(2.0), gram(2.0 - 2.0 * VARIANCE));
    let inner = |matrix: &[f64], a: &[f64], b: &[f64]| -> f64 {
        matrix.chunks(POINTS).zip(a).map(|(row, a)| a * row.iter().zip(b).map(|(k, b)| k * b).sum::<f64>()).sum()
    };
    let Ok(eigen) = eigen::symmetric(&kernel, POINTS, true) else { return Vec::new() };
    // (K + 0.1)^-1 y, from the eigenvectors.
    let mut a = vec![0.0; POINTS];
    for (vector, value) in eigen.vectors.chunks(POINTS).zip(&eigen.values) {
        let along: f64 = vector.iter().zip(&targets).map(|(v, y)| v * y).sum();
        a.iter_mut().zip(vector).for_each(|(a, v)| *a += along / (value + 0.1) * v);
    }
    let part = |sign: f64| -> Vec<f64> { a.iter().map(|a| (sign * a).max(0.0)).collect() };
    let (plus, minus) = (part(1.0), part(-1.0));
    let [square, other, cross] = [(&plus, &plus), (&minus, &minus), (&plus, &minus)].map(|(a, b)| inner(&kernel, a, b));
    let sine = (1.0 - cross * cross / (square * other)).sqrt();
    // R cancels: the surrogate kernel is R^2 times a Gaussian of s^2 - 2 sigma^2.
    let needed = (inner(&surrogate, &a, &a) / inner(&kernel, &a, &a)).sqrt();
    let what = format!("W / (R |w|), beta = {:.3}", sine.asin());
    vec![ErratumNumber::exact(&what, Relation::Equal, 5f64.sqrt() / sine, None, needed, 1e-6)]
}
