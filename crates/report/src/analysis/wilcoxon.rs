//! Wilcoxon's signed-rank test, two-sided: whether paired differences lie symmetrically about 0. Differences of 0 are left
//! out, and equal ones share their ranks. For up to 50 differences the tail is that of all assignments of signs to these
//! very ranks, so that it is exact with ties too; beyond, that of the normal law, with the variance corrected for ties.
//!
//! Sources: F. Wilcoxon, Individual comparisons by ranking methods, Biometrics Bulletin 1 (1945); M. Hollander, D. Wolfe, E.
//! Chicken, Nonparametric statistical methods (2014), section 3.1.

use crate::analysis::nemenyi::normal_below;
use crate::analysis::ranks::{ranks, ties};

/// The most differences whose tail is counted.
const EXACT: usize = 50;

/// The probability of ranks at least as one-sided as those of these differences, by chance. 1 where all are 0; none
/// where one is NaN.
pub(crate) fn signed_rank(differences: &[f64]) -> Option<f64> {
    if differences.iter().any(|one| one.is_nan()) {
        return None;
    }
    let others: Vec<f64> = differences.iter().copied().filter(|one| *one != 0.0).collect();
    if others.is_empty() {
        return Some(1.0);
    }
    let sizes: Vec<f64> = others.iter().map(|one| one.abs()).collect();
    let ranks = ranks(&sizes);
    let signed = |up: bool| -> f64 {
        let of_sign = others.iter().zip(&ranks).filter(|(one, _)| (**one > 0.0) == up);
        of_sign.map(|(_, rank)| *rank).sum()
    };
    let less = signed(true).min(signed(false));
    Some(if others.len() <= EXACT { counted(&ranks, less) } else { approximate(&sizes, less) })
}

/// Twice the share of all assignments of signs whose sum of positive ranks is at most `less`. Twice a rank is whole.
fn counted(ranks: &[f64], less: f64) -> f64 {
    let doubled: Vec<usize> = ranks.iter().map(|rank| (2.0 * rank).round() as usize).collect();
    let most = (2.0 * less).round() as usize;
    // The probabilities of sums up to `most`, rank by rank.
    let mut shares = vec![0.0; most + 1];
    shares[0] = 1.0;
    for rank in doubled {
        for sum in (0..=most).rev() {
            let with = if sum >= rank { shares[sum - rank] } else { 0.0 };
            shares[sum] = 0.5 * (shares[sum] + with);
        }
    }
    (2.0 * shares.iter().sum::<f64>()).min(1.0)
}

/// The two-sided tail of the normal law.
fn approximate(sizes: &[f64], less: f64) -> f64 {
    let n = sizes.len() as f64;
    let mean = 0.25 * n * (n + 1.0);
    let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ties(sizes) / 48.0;
    (2.0 * normal_below((less - mean) / variance.sqrt())).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use noregret_numeric::draw::{Draws, Role};

    /// wilcoxon of scipy 1.17.1: method exact; with ties and zeros, PermutationMethod over all assignments.
    #[test]
    fn exact_tails_of_scipy() {
        let apart = [1.1, -0.3, 2.4, 0.7, -1.9, 3.3, 0.2, 5.0, -0.6, 1.5];
        assert!((signed_rank(&apart).unwrap() - 0.130_859_375).abs() < 1e-15);
        let tied = [0.0, 1.0, -1.0, 2.0, 2.0, -3.0, 4.0, 4.0, 5.0, -1.0, 0.0, 6.0];
        assert!((signed_rank(&tied).unwrap() - 0.078_125).abs() < 1e-15);
        // All of one sign: 2 / 2^6.
        assert_eq!(signed_rank(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), Some(0.03125));
    }

    /// method approx, correction False, of scipy 1.17.1.
    #[test]
    fn the_normal_tail_of_scipy() {
        let many: Vec<f64> = (0..60).map(|i| f64::from(((i * 37) % 61 - 25_i32).div_euclid(2))).collect();
        let found = signed_rank(&many).unwrap();
        assert!((found - 0.059_278_243_031_314_44).abs() < 1e-9, "{found}");
    }

    /// Where both apply they agree, and signs do not matter.
    #[test]
    fn the_tails_meet() {
        let some: Vec<f64> = (1..=50).map(|i| if i % 3 == 0 { -1.1 } else { 1.0 } * f64::from(i % 17 + 1)).collect();
        let sizes: Vec<f64> = some.iter().map(|one| one.abs()).collect();
        let ranks = ranks(&sizes);
        let less = some.iter().zip(&ranks).filter(|(one, _)| **one < 0.0).map(|(_, rank)| *rank).sum::<f64>();
        let (exact, normal) = (counted(&ranks, less), approximate(&sizes, less));
        assert!((exact / normal - 1.0).abs() < 0.1, "{exact} {normal}");
        let turned: Vec<f64> = some.iter().map(|one| -one).collect();
        assert_eq!(signed_rank(&some), signed_rank(&turned));
        assert_eq!((signed_rank(&[]), signed_rank(&[0.0]), signed_rank(&[f64::NAN])), (Some(1.0), Some(1.0), None));
    }

    /// 4000 samples of 15 symmetric differences, some equal: at level 5 % at most 5 % are rejected, within 6.3 % (which
    /// happens otherwise with probability below 1e-3), and at least 3 %. Shifted by one deviation, most are.
    #[test]
    fn symmetric_differences_are_rejected_at_the_level() {
        let rejected = |shift: f64, samples: u64| {
            let sample = |at: u64| -> Vec<f64> {
                let draw = &mut Draws::named(&["wilcoxon"]).at(Role::Example, at);
                (0..15).map(|_| (10.0 * (draw.normal() + shift)).round()).collect()
            };
            let tails = (0..samples).filter_map(|at| signed_rank(&sample(at)));
            tails.filter(|tail| *tail < 0.05).count() as f64 / samples as f64
        };
        let alarms = rejected(0.0, 4000);
        assert!((0.03..=0.063).contains(&alarms), "{alarms}");
        assert!(rejected(1.0, 500) > 0.8);
    }
}
