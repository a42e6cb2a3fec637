//! A few points of a long curve: the first, the last, and others at even or at growing distances.

/// The most points that are kept; where there would be more, every second one is dropped.
const MOST: usize = 400;

/// Points of a curve at numbers of rows that grow.
#[derive(Clone, Debug)]
pub(crate) struct Thinned<T> {
    kept: Vec<(u64, T)>,
    /// The least distance to the next point, and the least ratio.
    step: u64,
    ratio: f64,
    next: u64,
}

impl<T: Clone> Thinned<T> {
    /// Points at even distances, for a linear axis.
    pub(crate) fn even() -> Self {
        Self { kept: Vec::new(), step: 1, ratio: 1.0, next: 0 }
    }

    /// Points at distances that grow in proportion, for a logarithmic axis.
    pub(crate) fn growing() -> Self {
        Self { ratio: 1.02, ..Self::even() }
    }

    /// Whether a point at `rows` is to be kept.
    pub(crate) fn due(&self, rows: u64) -> bool {
        rows >= self.next
    }

    /// Keeps a point that is due.
    pub(crate) fn push(&mut self, rows: u64, point: T) {
        self.kept.push((rows, point));
        if self.kept.len() > MOST {
            let mut number = 0;
            self.kept.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            if self.ratio > 1.0 {
                self.ratio *= self.ratio;
            } else {
                self.step *= 2;
            }
        }
        let last = self.kept.last().map_or(rows, |(rows, _)| *rows);
        self.next = (last + self.step).max((last as f64 * self.ratio).ceil() as u64);
    }

    /// The points, with the last one, where the curve is at the end.
    pub(crate) fn ended(&self, rows: u64, point: Option<T>) -> Vec<(u64, T)> {
        let mut kept = self.kept.clone();
        if let Some(point) = point {
            if kept.last().is_some_and(|(last, _)| *last == rows) {
                kept.pop();
            }
            kept.push((rows, point));
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of rows that are kept of so many.
    fn kept(mut thinned: Thinned<u64>, rows: u64) -> Vec<u64> {
        for row in 1..=rows {
            if thinned.due(row) {
                thinned.push(row, row);
            }
            assert!(thinned.kept.len() <= MOST);
        }
        thinned.ended(rows, Some(rows)).into_iter().map(|(rows, _)| rows).collect()
    }

    #[test]
    fn first_and_last_stay_and_memory_is_bounded() {
        for rows in [1, 2, 399, 400, 401, 5_000, 1_000_003] {
            for thinned in [Thinned::even(), Thinned::growing()] {
                let kept = kept(thinned, rows);
                assert_eq!((kept.first(), kept.last()), (Some(&1), Some(&rows)), "{rows}");
                assert!(kept.len() <= MOST + 1 && kept.is_sorted_by(|a, b| a < b), "{rows}");
                assert!(rows < 1_000 || kept.len() > MOST / 3, "{rows}: {}", kept.len());
            }
        }
    }

    #[test]
    fn distances_are_even_or_grow_in_proportion() {
        let even = kept(Thinned::even(), 10_000);
        let steps: Vec<u64> = even.windows(2).map(|two| two[1] - two[0]).collect();
        assert!(steps[..steps.len() - 1].iter().all(|step| *step == steps[0]), "{steps:?}");
        let growing = kept(Thinned::growing(), 1_000_000);
        let far = growing.windows(2).filter(|two| two[0] > 1_000).map(|two| two[1] as f64 / two[0] as f64);
        assert!(far.fold(1.0, f64::max) < 1.1);
    }
}
