//! Ranks among numbers, where equal ones share the mean of theirs, and medians.

/// The rank of each value, from 1 for the least; equal values share the mean of their ranks.
pub(crate) fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0.0; values.len()];
    for group in order.chunk_by(|a, b| values[*a] == values[*b]) {
        let first = group[0];
        let below = values.iter().filter(|value| **value < values[first]).count();
        let shared = below as f64 + 0.5 * (group.len() + 1) as f64;
        group.iter().for_each(|at| ranks[*at] = shared);
    }
    ranks
}

/// The sum of t^3 - t over the groups of t equal values, which corrects variances of ranks.
pub(crate) fn ties(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let cubes = sorted.chunk_by(|a, b| a == b).map(|group| (group.len() as f64).powi(3) - group.len() as f64);
    cubes.sum()
}

/// The median; the mean of the middle two of an even number.
pub(crate) fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (low, high) = (sorted.get(sorted.len().checked_sub(1)? / 2)?, sorted.get(sorted.len() / 2)?);
    Some(0.5 * (low + high))
}

#[cfg(test)]
mod tests {
    use super::{median, ranks, ties};

    #[test]
    fn equal_values_share_their_ranks() {
        let values = [3.0, 1.0, f64::INFINITY, 3.0, f64::INFINITY, 3.0];
        assert_eq!(ranks(&values), [3.0, 1.0, 5.5, 3.0, 5.5, 3.0]);
        assert_eq!(ties(&values), 24.0 + 6.0);
        assert_eq!((ranks(&[]), ties(&[1.0, 2.0])), (Vec::new(), 0.0));
    }

    #[test]
    fn medians() {
        assert_eq!((median(&[3.0, 1.0, 2.0]), median(&[1.0, 4.0]), median(&[])), (Some(2.0), Some(2.5), None));
    }
}
