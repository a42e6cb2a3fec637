//! What decides between learners.

use serde::{Deserialize, Serialize};

/// What decides between settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Metric {
    /// The mean squared error
    #[default]
    Squared,
    /// The mean absolute error
    Absolute,
    /// The share of wrong classes (classes only)
    Error,
}

impl Metric {
    /// Its name, as `noregret stream --metrics` takes it.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Squared => "squared",
            Metric::Absolute => "absolute",
            Metric::Error => "error",
        }
    }

    /// What it is called in tables and pictures.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Metric::Squared => "squared loss",
            Metric::Absolute => "absolute loss",
            Metric::Error => "error rate",
        }
    }

    /// The loss of the rounds, as an experiment names it.
    pub(crate) fn loss(self) -> &'static str {
        match self {
            Metric::Squared | Metric::Error => "squared",
            Metric::Absolute => "absolute",
        }
    }
}

/// Sums over rounds, on the scale of the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sums {
    /// Of squared errors.
    pub squared: f64,
    /// Of absolute errors.
    pub absolute: f64,
    /// Of wrong classes; a prediction between the classes counts one half. 0 where targets are no classes.
    pub wrong: f64,
}

impl Sums {
    /// The sum that a metric averages.
    pub(crate) fn of(&self, metric: Metric) -> f64 {
        match metric {
            Metric::Squared => self.squared,
            Metric::Absolute => self.absolute,
            Metric::Error => self.wrong,
        }
    }

    /// Adds a round whose target is one of several classes.
    pub(crate) fn add_class(&mut self, right: bool) {
        self.wrong += f64::from(u8::from(!right));
    }

    /// Adds a round; `middle` lies between the two classes, where targets are classes.
    pub(crate) fn add(&mut self, prediction: f64, target: f64, middle: Option<f64>) {
        self.squared += (prediction - target).powi(2);
        self.absolute += (prediction - target).abs();
        if let Some(middle) = middle {
            self.wrong += match (prediction == middle, (prediction > middle) == (target > middle)) {
                (true, _) => 0.5,
                (_, right) => f64::from(u8::from(!right)),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_by_hand() {
        let mut sums = Sums::default();
        for (prediction, target) in [(0.5, 1.0), (0.2, -1.0), (0.0, 1.0)] {
            sums.add(prediction, target, Some(0.0));
        }
        assert!((sums.of(Metric::Squared) - 2.69).abs() < 1e-12 && (sums.of(Metric::Absolute) - 2.7).abs() < 1e-12);
        assert_eq!(sums.of(Metric::Error), 1.5);
        // Classes 0 and 1; and no classes at all.
        let mut other = Sums::default();
        other.add(0.4, 1.0, Some(0.5));
        other.add(3.0, 7.0, None);
        assert_eq!(other.wrong, 1.0);
    }
}
