//! How many learners may be awake: what they take is estimated from what they have learnt, and the estimate is corrected by what
//! the process really takes. A learner also holds what is drawn anew when it wakes, and matrices with room to grow, so that
//! one of `auto` after 16 rows takes ten times the bytes of its numbers.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The estimate of the memory of a learner: so many times the bytes of its numbers, and so many bytes besides.
const TIMES: usize = 3;
const EACH: usize = 64 << 10;

/// The memory of the process is looked at when so many learners have asked.
const OFTEN: usize = 64;

/// Estimates below this are not corrected: other things that the process holds would count as learners.
const ENOUGH: usize = 16 << 20;

/// The estimate for a learner that has learnt so many numbers, in bytes.
pub(super) fn size(numbers: usize) -> usize {
    TIMES * size_of::<f64>() * numbers + EACH
}

/// What learners awake may take together, and what they take, in bytes of the estimate.
pub(super) struct MemoryBudget {
    most: usize,
    taken: AtomicUsize,
    /// The most that was taken so far.
    highest: AtomicUsize,
    asked: AtomicUsize,
    /// What the process took before the first learner, where the system says so.
    before: Option<usize>,
    /// The part of `most` that the estimate may reach.
    allowed: AtomicUsize,
}

impl MemoryBudget {
    /// One of so many bytes.
    pub(super) fn new(most: usize) -> Self {
        let zero = || AtomicUsize::new(0);
        let (taken, highest, asked, allowed) = (zero(), zero(), zero(), AtomicUsize::new(most));
        Self { most, taken, highest, asked, before: resident(), allowed }
    }

    /// Takes so many bytes for a learner, if there are so many.
    pub(super) fn take(&self, bytes: usize) -> bool {
        if self.asked.fetch_add(1, Ordering::Relaxed).is_multiple_of(OFTEN) {
            self.correct();
        }
        let taken = self.taken.fetch_add(bytes, Ordering::Relaxed) + bytes;
        let fits = taken <= self.allowed.load(Ordering::Relaxed);
        match fits {
            true => drop(self.highest.fetch_max(taken, Ordering::Relaxed)),
            false => self.give_back(bytes),
        }
        fits
    }

    /// Gives them back.
    pub(super) fn give_back(&self, bytes: usize) {
        self.taken.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Whether more than half is taken.
    pub(super) fn is_half_taken(&self) -> bool {
        self.taken.load(Ordering::Relaxed) > self.allowed.load(Ordering::Relaxed) / 2
    }

    /// Allows less where the process has grown more than the estimate did at its highest. What was freed is not always given
    /// back to the system, so that only the highest values can be compared.
    fn correct(&self) {
        let highest = self.highest.load(Ordering::Relaxed);
        let Some((before, now)) = self.before.zip(resident()) else { return };
        let grown = now.saturating_sub(before);
        if highest > ENOUGH {
            let allowed = (self.most as f64 * (highest as f64 / grown.max(1) as f64).min(1.0)) as usize;
            self.allowed.store(allowed, Ordering::Relaxed);
        }
    }
}

/// The memory of this process in bytes, where there is a /proc.
fn resident() -> Option<usize> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.split_whitespace().next()?.parse::<usize>().ok()? << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_taken_and_given_back() {
        let budget = MemoryBudget::new(3 * EACH);
        assert!(budget.take(size(0)) && budget.take(size(0)) && budget.is_half_taken() && !budget.take(size(7_000)));
        budget.give_back(size(0));
        assert!(!budget.is_half_taken() && budget.take(size(0)) && budget.take(size(0)) && !budget.take(size(0)));
    }

    /// What takes more than was estimated is allowed less.
    #[cfg(target_os = "linux")]
    #[test]
    fn the_estimate_is_corrected() {
        let budget = MemoryBudget::new(1 << 30);
        assert!(budget.take(ENOUGH + 1));
        let held = vec![1_u8; 8 * ENOUGH];
        (1..=OFTEN).for_each(|_| assert!(budget.take(0)));
        let allowed = budget.allowed.load(Ordering::Relaxed);
        assert!(
            allowed < (1 << 30) / 4,
            "{allowed} of {} with {}",
            1 << 30,
            held.iter().map(|one| u64::from(*one)).sum::<u64>()
        );
    }
}
