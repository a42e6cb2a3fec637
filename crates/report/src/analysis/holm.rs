//! Holm's correction of several tests, as adjusted probabilities.

/// The probability of each test that may be compared with a level for all of them together: (m - i) p_(i) for the i-th
/// smallest of m, from 0, and no less than those before it. NaN stays.
///
/// Source: S. Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6 (1979).
pub(crate) fn adjusted(probabilities: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..probabilities.len()).filter(|at| !probabilities[*at].is_nan()).collect();
    order.sort_by(|a, b| probabilities[*a].total_cmp(&probabilities[*b]));
    let mut adjusted = vec![f64::NAN; probabilities.len()];
    let mut least = 0.0_f64;
    for (place, at) in order.iter().enumerate() {
        least = least.max((order.len() - place) as f64 * probabilities[*at]).min(1.0);
        adjusted[*at] = least;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::adjusted;
    use crate::analysis::rate::verdict::holm;
    use noregret_numeric::draw::{Draws, Role};

    /// 0.01, 0.02, 0.03, 0.04: 0.04, 0.06, 0.06, 0.06, as p.adjust of R.
    #[test]
    fn by_hand() {
        let found = adjusted(&[0.03, 0.01, f64::NAN, 0.04, 0.02]);
        let known = [0.06, 0.04, f64::NAN, 0.06, 0.06];
        let equal = |(a, b): (&f64, f64)| (a.is_nan() && b.is_nan()) || (a - b).abs() < 1e-15;
        assert!(found.iter().zip(known).all(equal), "{found:?}");
        assert_eq!((adjusted(&[0.9, 0.8]), adjusted(&[])), (vec![1.0, 1.0], Vec::new()));
    }

    /// 200 families: what stays below the level is what the procedure rejects at it.
    #[test]
    fn the_procedure_rejects_what_is_below_its_level() {
        for family in 0..200 {
            let draw = &mut Draws::named(&["holm"]).at(Role::Example, family);
            let tails: Vec<f64> = (0..6).map(|_| draw.uniform().powi(3)).collect();
            let below: Vec<bool> = adjusted(&tails).iter().map(|tail| *tail <= 0.05).collect();
            assert_eq!(below, holm(&tails, 0.05), "{tails:?}");
        }
    }
}
