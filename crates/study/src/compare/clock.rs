//! The clock by which `noregret compare` keeps its budget. Tests bring one of their own, so that none depends on how fast
//! a machine is.

use std::time::Instant;

/// What tells how long the command has been running.
pub trait Clock: Send + Sync {
    /// Seconds since the command began.
    fn seconds(&self) -> f64;

    /// Called when the one who waits for the runs has waited a moment in vain.
    fn waited(&self) {}
}

/// The machine's clock.
#[derive(Clone, Copy, Debug)]
pub struct Wall(Instant);

impl Wall {
    /// It begins now.
    pub fn begin() -> Self {
        Self(Instant::now())
    }
}

impl Clock for Wall {
    fn seconds(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}

/// After which share of the budget whatever still runs is cut; the rest, up to 5/4 of the budget, is for the leaderboard,
/// the picture and the files.
const CUT: f64 = 1.15;

/// A promise about time: nothing starts after the budget, and everything has ended by 5/4 of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// The budget, in seconds.
    pub seconds: f64,
}

/// From when on nothing more starts, and when what runs is cut, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Limits {
    /// Nothing starts from here on.
    pub start: f64,
    /// Nothing is waited for from here on.
    pub cut: f64,
}

impl Budget {
    /// The limits of the last phase.
    pub(crate) fn limits(self) -> Limits {
        Limits { start: self.seconds, cut: CUT * self.seconds }
    }

    /// The limits of a phase that begins `now` and may take this share of the time that is left.
    pub(crate) fn share(self, now: f64, share: f64) -> Limits {
        let end = now + share * (self.seconds - now).max(0.0);
        // A run that has begun may take a little longer, so that the phase does not throw away what is almost there.
        Limits { start: end, cut: now + CUT * (end - now) }
    }

    /// The budget, beginning `now`, of one of `left` comparisons that share what is left of this one. Each may take 5/4 of its
    /// own, and all together keep the promise.
    pub fn of_one(self, now: f64, left: usize) -> Self {
        Self { seconds: (self.seconds - now).max(0.0) / left.max(1) as f64 }
    }

    /// How long reading the file may take: then its first rows are all that is played.
    pub fn reading(self) -> f64 {
        0.3 * self.seconds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_lie_within_the_budget() {
        let budget = Budget { seconds: 20.0 };
        assert_eq!(budget.limits(), Limits { start: 20.0, cut: 23.0 });
        assert_eq!(budget.share(4.0, 0.5), Limits { start: 12.0, cut: 4.0 + 1.15 * 8.0 });
        // After the budget a phase has no time at all.
        assert_eq!(budget.share(21.0, 0.5), Limits { start: 21.0, cut: 21.0 });
        // Comparisons that each take as long as they may.
        for count in 1..=9 {
            let mut now = 0.0;
            for left in (1..=count).rev() {
                let own = budget.of_one(now, left);
                assert!(own.seconds > 0.0 && now + own.limits().start <= 20.0 + 1e-9, "{left} of {count}");
                now += 1.25 * own.seconds;
            }
            assert!(now <= 25.0 + 1e-9, "{count}: {now}");
        }
        assert_eq!(budget.of_one(30.0, 2), Budget { seconds: 0.0 });
        assert!(budget.share(0.0, 1.0).cut <= budget.limits().cut && budget.reading() < budget.seconds);
    }
}
