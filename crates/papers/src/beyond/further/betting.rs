//! The regret of betting on a coin in a function space (`learner::coin`).
//!
//! Source: F. Orabona, D. Pal, Coin betting and parameter-free online learning, NIPS 2016; the constant 24 follows from the
//! wealth of the Krichevsky-Trofimov bettor, at least epsilon / (e sqrt(pi N)) exp(|sum a k|^2 / (2 N)).

/// The bound on sum l(p_t, y_t) - sum l(f(x_t), y_t) for every f of norm `norm`, every sequence and every convex loss with
/// slopes of at most `steepest` = G: G kappa (epsilon + |f| sqrt(N log(1 + 24 N^2 |f|^2 / epsilon^2))), with kappa^2 the
/// largest k(x, x) and N the number of rounds with a slope other than 0.
pub fn coin_regret(steepest: f64, kappa: f64, epsilon: f64, norm: f64, bets: f64) -> f64 {
    let ratio = bets * norm / epsilon;
    steepest * kappa * (epsilon + norm * (bets * (24.0 * ratio * ratio).ln_1p()).sqrt())
}

/// The largest |sum a k|^2 after N bets that left the wealth w: 2 N log(e sqrt(pi N) w / epsilon).
pub fn coin_squared_norm(wealth: f64, epsilon: f64, bets: f64) -> f64 {
    2.0 * bets * (1.0 + 0.5 * (std::f64::consts::PI * bets).ln() + (wealth / epsilon).ln())
}
