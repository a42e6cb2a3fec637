//! The price of a single copy: Theorems 8 and 9 of the noisy-data paper for any convex loss, in the game of
//! [`noregret_core::stream::one_copy_game`].
//!
//! A learner that sees one copy per round behaves the same way in both worlds. The excess loss over the best linear
//! predictor is convex in w. In either world the mean excess loss of w_1, ..., w_T is therefore at least that of their
//! mean. So the larger of the two is at least [`GameValue::excess`] in expectation, whatever the learner does.

use crate::errata::search::minimum;
use noregret_core::loss::api::Loss;

/// Var Z + (E Z)^2 of the clean world's instances: Z is 3 or -1.
const SECOND_MOMENT: f64 = 5.0;

/// The least weight at which the two excess squared losses are equal: 1/sqrt(5).
pub const MINIMAX_WEIGHT: f64 = 0.447_213_595_499_957_9;

/// The minimum over w of the larger excess squared loss, (1 - 1/sqrt(5))^2. It is attained at [`MINIMAX_WEIGHT`], and so
/// in every ball |w| <= r that contains this weight.
pub const MINIMAX: f64 = (1.0 - MINIMAX_WEIGHT) * (1.0 - MINIMAX_WEIGHT);

/// E (1 - w Z)^2 - min_v E (1 - v Z)^2 = 5 (w - 1/5)^2: the excess squared loss per round in the clean world.
pub fn clean_excess(weight: f64) -> f64 {
    SECOND_MOMENT * (weight - 1.0 / SECOND_MOMENT).powi(2)
}

/// (1 - w)^2: the excess squared loss per round in the noisy world.
pub fn noisy_excess(weight: f64) -> f64 {
    (1.0 - weight).powi(2)
}

/// What the game costs a learner with one copy per round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GameValue {
    /// A weight at which the larger excess loss is least.
    pub weight: f64,
    /// The larger excess loss per round there: 0 if and only if one weight of the ball is best in both worlds.
    pub excess: f64,
}

/// min over |w| <= `radius` of the larger of F(w) - min F and N(w) - min N, where F(w) = (l(3 w) + l(-w)) / 2 and N(w) =
/// l(w) are the expected losses of a round in the clean and in the noisy world, l(f) is the convex `loss` of the
/// prediction f for the target 1, and the minima are over the same ball (Theorem 9, with the law of Theorem 8).
pub fn value(loss: &dyn Loss, radius: f64) -> GameValue {
    let losses = |w: f64| {
        let [clean, opposite, noisy] = [3.0 * w, -w, w].map(|prediction| loss.of(prediction, 1.0));
        [0.5 * (clean + opposite), noisy]
    };
    let best = [0, 1].map(|world| minimum(-radius, radius, |w| losses(w)[world]));
    let least = [0, 1].map(|world| losses(best[world])[world]);
    let excess = |w: f64| [0, 1].map(|world| losses(w)[world] - least[world]);
    // From the best weight of the clean world to that of the noisy one, the one excess grows and the other falls.
    let [mut low, mut high] = best;
    for _ in 0..120 {
        let middle = 0.5 * (low + high);
        let [clean, noisy] = excess(middle);
        if clean < noisy { low = middle } else { high = middle }
    }
    let weight = 0.5 * (low + high);
    GameValue { weight, excess: excess(weight).into_iter().fold(0.0, f64::max) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use noregret_core::loss::LOSSES;
    use noregret_core::loss::api::Loss;
    use noregret_core::params::check::check;
    use noregret_core::parts::AllParts;

    #[test]
    fn no_weight_does_better_in_both_worlds() {
        let larger = |w: f64| clean_excess(w).max(noisy_excess(w));
        assert!((larger(MINIMAX_WEIGHT) - MINIMAX).abs() < 1e-15);
        assert!((-3000..=3000).all(|i| larger(f64::from(i) / 1000.0) >= MINIMAX - 1e-15));
        assert!((MINIMAX_WEIGHT - 0.2f64.sqrt()).abs() < 1e-16);
    }

    fn loss(name: &str) -> std::sync::Arc<dyn Loss> {
        let entry = LOSSES.find(name).unwrap();
        (entry.build)(&check(entry.params, &toml::Table::new(), "", &AllParts).unwrap()).unwrap()
    }

    /// Weights and excesses that another program found by refining grids; 1/sqrt(5), 5/9 and 7/9 are exact. In a ball of
    /// radius 1/5 its end is best in both worlds, and the game costs nothing.
    #[test]
    fn the_game_has_its_value_for_each_loss() {
        let known = [
            ("squared", 2.0, MINIMAX_WEIGHT, MINIMAX),
            ("squared-margin", 2.0, MINIMAX_WEIGHT, MINIMAX),
            ("absolute", 2.0, 5.0 / 9.0, 4.0 / 9.0),
            ("hinge", 2.0, 7.0 / 9.0, 2.0 / 9.0),
            ("logistic", 1.0, 0.829500725874726, 0.048785732952190),
            ("logistic", 2.0, 1.161940385481463, 0.145294033627766),
            ("logistic", 10.0, 1.381959027304921, 0.223966724091353),
            ("exponential", 2.0, 0.823113180883717, 0.303727359957610),
        ];
        for (name, radius, weight, excess) in known {
            let found = value(&*loss(name), radius);
            let wrong = (found.weight - weight).abs().max((found.excess - excess).abs());
            assert!(wrong < 1e-12, "{name} in {radius}: {found:?}");
            assert!(value(&*loss(name), 0.2).excess < 1e-12, "{name}");
        }
    }

    /// Theorem 8 for every registered loss, all of which are convex and fall at 0 for the target 1.
    #[test]
    fn every_loss_has_a_gap_in_a_large_ball() {
        for entry in LOSSES.iter() {
            let found = value(&*loss(entry.name), 2.0);
            assert!(found.excess > 0.01, "{}: {found:?}", entry.name);
        }
    }
}
