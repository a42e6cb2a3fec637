//! How fast a learner forgets.

/// How fast past rounds are forgotten.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Discount {
    /// gamma in (0, 1], the weight of a round relative to the next one.
    pub gamma: f64,
    /// W, the number of rounds after which the weight of |w|^2 is raised to lambda again; 0 if it never is.
    pub refresh: u64,
}

impl Discount {
    /// No discount: gamma = 1.
    pub const NONE: Self = Self { gamma: 1.0, refresh: 0 };

    /// The discount of the memory eta = gamma / (1 - gamma) > 0, which may be infinite, refreshed once in a memory:
    /// W = max(1, floor(eta)).
    pub fn of_memory(memory: f64) -> Self {
        if memory == f64::INFINITY {
            return Self::NONE;
        }
        Self { gamma: memory / (1.0 + memory), refresh: refresh(memory) }
    }

    /// The number of rounds from one refresh to the next, if there is one.
    pub fn period(self) -> Option<u64> {
        (self.refresh > 0 && self.gamma < 1.0).then_some(self.refresh)
    }
}

/// max(1, floor(eta)), where an eta that is a whole number up to rounding counts as that number.
pub(crate) fn refresh(memory: f64) -> u64 {
    (memory * (1.0 + 1e-9)).floor().max(1.0) as u64
}
