//! ML-Poly in the package opera-python: a constant in the rates that has the unit of squared regrets.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use noregret_numeric::draw::{Draws, Role};

pub(crate) static ERRATUM: Correction = Correction {
    id: "beyond-opera-ml-poly",
    place: "opera-python, mixture.py (rates of MLpol)",
    quote: "self.learning_rates = np.ones(weights_shape) / np.power(2, 20)",
    class: Class::Practice,
    reason: "the rule of the paper and of the R package has no such constant, and depends on no unit",
    printed: "1 / eta_k = 2^20 + max r^2 + V_k, with r in the unit of the loss",
    corrected: "1 / eta_k = max r^2 + V_k, or E^2 + V_k where the range E is known",
    method: "ML-Poly over three forecasts of 200 numbers near 0, square loss, regrets themselves: the largest change of a \
             prediction, as a part of the largest prediction, when the unit is made 1000 times smaller, with and without \
             the constant",
    decide,
};

/// The predictions of ML-Poly with `constant` in 1 / eta.
fn predictions(forecasts: &[[f64; 3]], targets: &[f64], constant: f64) -> Vec<f64> {
    let (mut regrets, mut squares, mut largest) = ([0.0_f64; 3], [0.0_f64; 3], 0.0_f64);
    let rounds = forecasts.iter().zip(targets).map(|(row, y)| {
        let gained: [f64; 3] = std::array::from_fn(|k| match regrets[k] > 0.0 {
            true => regrets[k] / (constant + largest + squares[k]),
            false => 0.0,
        });
        let total: f64 = gained.iter().sum();
        let weights = if total > 0.0 { gained.map(|weight| weight / total) } else { [1.0 / 3.0; 3] };
        let p: f64 = weights.iter().zip(row).map(|(weight, forecast)| weight * forecast).sum();
        for ((regret, square), forecast) in regrets.iter_mut().zip(&mut squares).zip(row) {
            let r = (p - y).powi(2) - (forecast - y).powi(2);
            *regret += r;
            *square += r * r;
            largest = largest.max(r * r);
        }
        p
    });
    rounds.collect()
}

fn decide(draws: &Draws) -> Vec<ErratumNumber> {
    let mut draw = draws.at(Role::Example, 1);
    let targets: Vec<f64> = (0..200).map(|_| draw.normal()).collect();
    let forecasts: Vec<[f64; 3]> =
        targets.iter().map(|y| [0.2, 0.6, 1.0].map(|deviation| y + deviation * draw.normal())).collect();
    let unit = 1000.0;
    let change = |constant: f64| {
        let before = predictions(&forecasts, &targets, constant);
        let scaled: Vec<[f64; 3]> = forecasts.iter().map(|row| row.map(|forecast| unit * forecast)).collect();
        let after = predictions(&scaled, &targets.iter().map(|y| unit * y).collect::<Vec<_>>(), constant);
        let size = before.iter().fold(0.0_f64, |most, p| most.max(p.abs()));
        let largest = before.iter().zip(&after).map(|(a, b)| (a - b / unit).abs()).fold(0.0, f64::max) / size;
        // Rounding is no change.
        if largest < 1e-12 { 0.0 } else { largest }
    };
    let at_most = Relation::AtMost;
    vec![
        ErratumNumber::exact(
            "largest change, with the constant",
            at_most,
            1e-9,
            None,
            change(f64::from(1 << 20)),
            1e-9,
        ),
        ErratumNumber::exact("largest change, without it", at_most, 1e-9, 1e-9, change(0.0), 1e-9),
    ]
}
