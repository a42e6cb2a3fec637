//! Friedman's test: whether some of k treatments have lower ranks than others in n blocks.
//!
//! With mean ranks R_j the statistic is 12 n / (k (k + 1)) sum (R_j - (k + 1) / 2)^2, divided by 1 - sum (t^3 - t) /
//! (n k (k^2 - 1)) over groups of t ties, and has about k - 1 degrees of freedom of chi-squared. Iman and Davenport's F =
//! (n - 1) chi^2 / (n (k - 1) - chi^2), with k - 1 and (k - 1)(n - 1) degrees of freedom, is closer to its law for few
//! blocks. Sources: J. Demsar, Statistical comparisons of classifiers over multiple data sets, JMLR 7 (2006), section 3.2.2;
//! W. Conover, Practical nonparametric statistics (1999), section 5.8.

use crate::analysis::ranks::{ranks, ties};
use crate::analysis::summary::sum;

/// The outcome of the test.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Friedman {
    /// The mean rank of each treatment, 1 being the best.
    pub(crate) mean_ranks: Vec<f64>,
    /// The number of blocks.
    pub(crate) blocks: usize,
    /// The statistic, corrected for ties.
    pub(crate) chi_squared: f64,
    /// Its tail under chi-squared.
    pub(crate) probability: f64,
    /// The tail of Iman and Davenport's F, which is never below the smallest one that a test of permutations can have.
    pub(crate) probability_of_f: f64,
}

/// The test on blocks with a value for each treatment, lower being better. None with fewer than two blocks or treatments,
/// or where all values of every block are equal.
pub(crate) fn friedman(blocks: &[Vec<f64>]) -> Option<Friedman> {
    let (n, k) = (blocks.len(), blocks.first()?.len());
    if n < 2 || k < 2 || blocks.iter().any(|block| block.len() != k) {
        return None;
    }
    let ranked: Vec<Vec<f64>> = blocks.iter().map(|block| ranks(block)).collect();
    let (blocks_f, k_f) = (n as f64, k as f64);
    let mean = |treatment: usize| sum(ranked.iter().map(|ranks| ranks[treatment])) / blocks_f;
    let mean_ranks: Vec<f64> = (0..k).map(mean).collect();
    let spread = sum(mean_ranks.iter().map(|rank| (rank - 0.5 * (k_f + 1.0)).powi(2)));
    let correction = 1.0 - blocks.iter().map(|block| ties(block)).sum::<f64>() / (blocks_f * k_f * (k_f * k_f - 1.0));
    if correction <= 0.0 {
        return None;
    }
    let chi_squared = 12.0 * blocks_f / (k_f * (k_f + 1.0)) * spread / correction;
    let freedom = k_f - 1.0;
    let probability = puruspe::gammq(0.5 * freedom, 0.5 * chi_squared);
    let rest = blocks_f * freedom - chi_squared;
    // All blocks rank alike: F is infinite.
    let tail = if rest <= 1e-12 * chi_squared {
        0.0
    } else {
        let (f, within) = ((blocks_f - 1.0) * chi_squared / rest, freedom * (blocks_f - 1.0));
        puruspe::betai(0.5 * within, 0.5 * freedom, within / (within + freedom * f))
    };
    // The law of F is that of many blocks. If ranks say nothing, all blocks are alike in one of (k!)^(n - 1) cases, and nothing
    // is rarer.
    let orders: f64 = (1..=k).map(|i| i as f64).product();
    let probability_of_f = tail.max(orders.powf(1.0 - blocks_f));
    Some(Friedman { mean_ranks, blocks: n, chi_squared, probability, probability_of_f })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::friedman;
    use noregret_numeric::draw::{Draws, Role};

    /// The areas under the curve of four classifiers on 14 data sets, of table 6 of Demsar (2006).
    pub(crate) const DEMSAR: [[f64; 4]; 14] = [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ];

    /// The mean ranks are those of Demsar; statistic and tails those of scipy 1.17.1 (friedmanchisquare, f.sf).
    #[test]
    fn classifiers_of_demsar() {
        let blocks: Vec<Vec<f64>> = DEMSAR.iter().map(|block| block.iter().map(|area| -area).collect()).collect();
        let found = friedman(&blocks).unwrap();
        let expected = [3.142_857_14, 2.0, 2.892_857_14, 1.964_285_71];
        assert!(found.mean_ranks.iter().zip(expected).all(|(rank, known)| (rank - known).abs() < 1e-8), "{found:?}");
        assert!((found.chi_squared - 10.228_346_456_692_925).abs() < 1e-12, "{found:?}");
        assert!((found.probability - 0.016_721_580_328_441_323).abs() < 1e-9, "{found:?}");
        assert!((found.probability_of_f - 0.011_620_659_515_310_975).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn no_test_without_blocks_treatments_or_differences() {
        assert_eq!(friedman(&[]), None);
        assert_eq!(friedman(&[vec![1.0, 2.0]]), None);
        assert_eq!(friedman(&[vec![1.0], vec![2.0]]), None);
        assert_eq!(friedman(&[vec![1.0, 1.0], vec![2.0, 2.0]]), None);
        assert_eq!(friedman(&[vec![1.0, 2.0], vec![2.0]]), None);
        let alike = friedman(&vec![vec![1.0, 2.0, 3.0]; 9]).unwrap();
        // One of 6^8 cases.
        assert!((6f64.powi(8) * alike.probability_of_f - 1.0).abs() < 1e-9 && alike.probability < 1e-3, "{alike:?}");
        let two = friedman(&vec![vec![1.0, 2.0, 3.0]; 2]).unwrap();
        assert!((6.0 * two.probability_of_f - 1.0).abs() < 1e-12, "{two:?}");
    }

    /// 4000 tables of 15 blocks of 8 equal treatments: F rejects 5 % at level 5 %, within 3.7 % and 6.3 %, which happens
    /// otherwise with probability below 1e-3. Where one treatment is better by 1.5 deviations it rejects nearly always.
    #[test]
    fn equal_treatments_are_told_apart_at_the_level() {
        let rejected = |gain: f64, tables: u64| {
            let table = |table: u64| -> Vec<Vec<f64>> {
                let draw = &mut Draws::named(&["friedman"]).at(Role::Example, table);
                let value = |treatment: usize, draw: f64| draw - if treatment == 0 { gain } else { 0.0 };
                (0..15).map(|_| (0..8).map(|treatment| value(treatment, draw.normal())).collect()).collect()
            };
            let tests = (0..tables).filter_map(|at| friedman(&table(at)));
            tests.filter(|test| test.probability_of_f < 0.05).count() as f64 / tables as f64
        };
        let alarms = rejected(0.0, 4000);
        assert!((0.037..=0.063).contains(&alarms), "{alarms}");
        let power = rejected(1.5, 200);
        assert!(power > 0.9, "{power}");
    }
}
