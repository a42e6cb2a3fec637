//! The price of a single copy: Theorems 8 and 9 of the noisy-data paper for the squared loss, in the game of
//! [`noregret_core::stream::one_copy_game`].
//!
//! A learner that sees one copy per round behaves the same way in both worlds. The excess loss over the best linear
//! predictor is convex in w. In either world the mean excess loss of w_1, ..., w_T is therefore at least that of their
//! mean. So the larger of the two is at least [`MINIMAX`] in expectation, whatever the learner does.

/// Var Z + (E Z)^2 of the clean world's instances: Z is 3 or -1.
const SECOND_MOMENT: f64 = 5.0;

/// The least weight at which the two excess losses are equal: 1/sqrt(5).
pub const MINIMAX_WEIGHT: f64 = 0.447_213_595_499_957_9;

/// The minimum over w of the larger excess loss, (1 - 1/sqrt(5))^2. It is attained at [`MINIMAX_WEIGHT`], and so in
/// every ball |w| <= r that contains this weight.
pub const MINIMAX: f64 = (1.0 - MINIMAX_WEIGHT) * (1.0 - MINIMAX_WEIGHT);

/// E (1 - w Z)^2 - min_v E (1 - v Z)^2 = 5 (w - 1/5)^2: the excess loss per round in the clean world.
pub fn clean_excess(weight: f64) -> f64 {
    SECOND_MOMENT * (weight - 1.0 / SECOND_MOMENT).powi(2)
}

/// (1 - w)^2: the excess loss per round in the noisy world.
pub fn noisy_excess(weight: f64) -> f64 {
    (1.0 - weight).powi(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_weight_does_better_in_both_worlds() {
        let larger = |w: f64| clean_excess(w).max(noisy_excess(w));
        assert!((larger(MINIMAX_WEIGHT) - MINIMAX).abs() < 1e-15);
        assert!((-3000..=3000).all(|i| larger(f64::from(i) / 1000.0) >= MINIMAX - 1e-15));
        assert!((MINIMAX_WEIGHT - 0.2f64.sqrt()).abs() < 1e-16);
    }
}
