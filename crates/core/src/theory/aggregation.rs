//! The regret of weighted forecasts to each of them (`learner::aggregation`), on every sequence of forecasts and targets in
//! [-B, B] and whichever forecasts are absent. K is the number of forecasts, E a bound on |r| of a round, R_k and V_k the sums
//! of r and r^2 of forecast k.
//!
//! Sources: N. Cesa-Bianchi, G. Lugosi, Prediction, learning, and games (2006); O. Wintenberger, Machine Learning 106 (2017);
//! P. Gaillard, G. Stoltz, T. van Erven, COLT 2014; M. Herbster, M. Warmuth, Machine Learning 32 (1998). The constants are those
//! of the updates as implemented.

/// Regrets of exponential weights: log K / eta for the square loss itself with eta <= 1 / (8 B^2) (`exp_concave`); otherwise
/// eta E^2 n / 8 more, for convex losses and for gradients.
pub fn ewa_regret(experts: f64, eta: f64, range: f64, rounds: f64, exp_concave: bool) -> f64 {
    experts.ln() / eta + second_order(eta, range, rounds, exp_concave)
}

/// What Hoeffding's lemma adds.
fn second_order(eta: f64, range: f64, rounds: f64, exp_concave: bool) -> f64 {
    if exp_concave { 0.0 } else { eta * range * range * rounds / 8.0 }
}

/// log max(K, 2).
fn logarithm(experts: f64) -> f64 {
    experts.max(2.0).ln()
}

/// The regret of BOA to a forecast with this V_k: (L + C) max(2 E, sqrt(V_k / L)) + 2.34 sqrt(L V_k), with L = log max(K, 2)
/// and C = log(1 + 0.2 log^+(n / (4 L))).
pub fn boa_regret(experts: f64, squares: f64, range: f64, rounds: f64) -> f64 {
    let l = logarithm(experts);
    let c = (0.2 * (rounds / (4.0 * l)).ln().max(0.0)).ln_1p();
    (l + c) * (2.0 * range).max((squares / l).sqrt()) + 2.34 * (l * squares).sqrt()
}

/// The regret of ML-Poly to forecast k, from `squares` = V_k and `all`, the V_j of all of them:
/// sqrt((E^2 + V_k) sum_j (1 + log(1 + V_j / E^2))).
pub fn ml_poly_regret(squares: f64, all: &[f64], range: f64) -> f64 {
    let e2 = range * range;
    ((e2 + squares) * all.iter().map(|v| 1.0 + (v / e2).ln_1p()).sum::<f64>()).sqrt()
}

/// What that cannot exceed, whatever the other V_j: sqrt((E^2 + V_k) K (1 + log(1 + n))).
pub fn ml_poly_regret_among(experts: f64, squares: f64, range: f64, rounds: f64) -> f64 {
    ((range * range + squares) * experts * (1.0 + rounds.ln_1p())).sqrt()
}

/// What that cannot exceed after n rounds: E sqrt((1 + n) K (1 + log(1 + n))).
pub fn ml_poly_worst(experts: f64, range: f64, rounds: f64) -> f64 {
    range * ((1.0 + rounds) * experts * (1.0 + rounds.ln_1p())).sqrt()
}

/// The regret of Fixed-Share to the best sequence of forecasts with m changes (`shifts`), whose rounds in which its forecast is
/// absent count 0.
pub fn fixed_share_regret(
    experts: f64,
    shifts: f64,
    rounds: f64,
    alpha: f64,
    eta: f64,
    range: f64,
    exp_concave: bool,
) -> f64 {
    // A share of 0 cannot change, and one of 1 cannot stay.
    let weighed = |count: f64, logarithm: f64| if count == 0.0 { 0.0 } else { count * logarithm };
    let stay = weighed(rounds - 1.0 - shifts, -(-alpha).ln_1p());
    let log_prior = experts.ln() + weighed(shifts, (experts / alpha).ln()) + stay;
    log_prior / eta + second_order(eta, range, rounds, exp_concave)
}
