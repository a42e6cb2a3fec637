//! The rounds at which a trace is kept.

/// Checkpoints per decade of the logarithmic grid.
const PER_DECADE: f64 = 32.0;

/// The rounds at which a trace is kept.
///
/// ```
/// use noregret_core::protocol::grid::RoundGrid;
///
/// let rounds = RoundGrid::default().rounds(1_000_000);
/// assert_eq!(rounds.len(), 169); // 32 a decade, where there are so many
/// assert!(rounds.contains(&1_000) && rounds.last() == Some(&1_000_000));
/// assert_eq!(RoundGrid::Dense.rounds(3), [1, 2, 3]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RoundGrid {
    /// t_j = round(10^(j/32)) without repetitions, the last round, and the listed rounds (further horizons).
    Logarithmic {
        /// Further rounds to keep; those beyond the last round are left out.
        also: Vec<u64>,
    },
    /// Every round.
    Dense,
}

impl Default for RoundGrid {
    fn default() -> Self {
        RoundGrid::Logarithmic { also: Vec::new() }
    }
}

impl RoundGrid {
    /// The checkpoints of a run of `horizon` rounds, ascending; the last is `horizon`. There are none if the run has no
    /// rounds.
    pub fn rounds(&self, horizon: u64) -> Vec<u64> {
        let mut rounds: Vec<u64> = match self {
            RoundGrid::Dense => return (1..=horizon).collect(),
            RoundGrid::Logarithmic { also } => (0..)
                .map(|j| 10f64.powf(f64::from(j) / PER_DECADE).round() as u64)
                .take_while(|&t| t < horizon)
                .chain(also.iter().copied().filter(|&t| t >= 1 && t < horizon))
                .chain((horizon > 0).then_some(horizon))
                .collect(),
        };
        rounds.sort_unstable();
        rounds.dedup();
        rounds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_rounds_give_the_documented_number_of_checkpoints() {
        let rounds = RoundGrid::default().rounds(1_000_000);
        assert_eq!(rounds.len(), 169);
        assert_eq!(&rounds[..6], [1, 2, 3, 4, 5, 6]);
        for decade in [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000] {
            assert!(rounds.contains(&decade));
        }
        assert_eq!(rounds.iter().filter(|&&t| t > 10_000 && t <= 100_000).count(), 32);
    }

    #[test]
    fn horizons_and_the_last_round_are_kept_once() {
        let rounds = RoundGrid::Logarithmic { also: vec![77, 0, 77, 10, 5_000] }.rounds(1_234);
        assert!(rounds.contains(&77) && rounds.contains(&10) && !rounds.contains(&5_000) && !rounds.contains(&0));
        assert_eq!(rounds.last(), Some(&1_234));
        assert!(rounds.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn small_and_dense() {
        assert!(RoundGrid::default().rounds(0).is_empty());
        assert_eq!(RoundGrid::default().rounds(1), [1]);
        assert_eq!(RoundGrid::Dense.rounds(4), [1, 2, 3, 4]);
    }
}
