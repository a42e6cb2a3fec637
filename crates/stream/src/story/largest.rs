//! The rows that were missed most.

use noregret_report::streamed::story::StoryMiss;

/// How many are kept.
const MOST: usize = 10;

/// The rows with the largest misses so far, the largest first; of equal ones, the earliest.
#[derive(Clone, Debug, Default)]
pub(super) struct LargestMisses(Vec<(f64, StoryMiss)>);

impl LargestMisses {
    /// Takes note of a row that was missed by `size`; it is only made into words where it counts.
    pub(super) fn add(&mut self, size: f64, told: impl FnOnce() -> StoryMiss) {
        let full = self.0.len() == MOST;
        if size > 0.0 && !(full && self.0.last().is_some_and(|(least, _)| size <= *least)) {
            self.0.truncate(MOST - 1);
            let place = self.0.partition_point(|(larger, _)| *larger >= size);
            self.0.insert(place, (size, told()));
        }
    }

    /// The rows.
    pub(super) fn rows(&self) -> Vec<StoryMiss> {
        self.0.iter().map(|(_, miss)| miss.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ten_largest_are_kept() {
        let mut largest = LargestMisses::default();
        // Every residue but 0 of 101 occurs once.
        for row in 1..=100 {
            largest.add((row * 37 % 101) as f64, || StoryMiss { row, ..StoryMiss::default() });
        }
        let sizes: Vec<u64> = largest.rows().iter().map(|miss| miss.row * 37 % 101).collect();
        assert_eq!(sizes, [100, 99, 98, 97, 96, 95, 94, 93, 92, 91]);
        let mut equal = LargestMisses::default();
        (1..=30).for_each(|row| equal.add(1.0, || StoryMiss { row, ..StoryMiss::default() }));
        assert_eq!(equal.rows().iter().map(|miss| miss.row).collect::<Vec<_>>(), (1..=10).collect::<Vec<_>>());
        equal.add(0.0, StoryMiss::default);
        equal.add(f64::NAN, StoryMiss::default);
        assert_eq!(equal.rows().len(), 10);
    }
}
