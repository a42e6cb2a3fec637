//! Mean and standard error of independent draws.

/// Running mean and sum of squared deviations (B. P. Welford, Technometrics 4 (1962) 419-420).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mean {
    count: u64,
    mean: f64,
    squares: f64,
}

impl Mean {
    /// The mean of `count` draws.
    pub(crate) fn of(count: u64, mut draw: impl FnMut() -> f64) -> Self {
        let mut mean = Self::default();
        (0..count).for_each(|_| mean.add(draw()));
        mean
    }

    /// Adds one draw.
    pub(crate) fn add(&mut self, value: f64) {
        self.count += 1;
        let before = value - self.mean;
        self.mean += before / self.count as f64;
        self.squares += before * (value - self.mean);
    }

    /// The number of draws.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Their mean.
    pub(crate) fn mean(&self) -> f64 {
        self.mean
    }

    /// The standard error of the mean; infinite for fewer than two draws.
    pub(crate) fn standard_error(&self) -> f64 {
        if self.count < 2 {
            return f64::INFINITY;
        }
        (self.squares / (self.count - 1) as f64 / self.count as f64).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::Mean;

    #[test]
    fn mean_and_standard_error_by_hand() {
        let mut values = [1.0, 2.0, 3.0, 6.0].into_iter();
        let mean = Mean::of(4, || values.next().unwrap());
        assert_eq!((mean.count(), mean.mean()), (4, 3.0));
        // Squared deviations 4 + 1 + 0 + 9 = 14.
        assert!((mean.standard_error() - (14.0f64 / 3.0 / 4.0).sqrt()).abs() < 1e-15);
        assert_eq!(Mean::default().standard_error(), f64::INFINITY);
    }
}
