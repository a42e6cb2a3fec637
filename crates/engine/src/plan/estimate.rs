//! Forecasts of times, from the times of earlier runs.

use std::collections::BTreeMap;

use crate::plan::work::Estimate;

/// Seconds per unit of cost, by group: sums over earlier runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CostRates {
    groups: BTreeMap<String, (f64, f64)>,
}

/// Seconds per unit of cost in a group that was never measured: a unit is about one floating-point operation.
const UNMEASURED: f64 = 1e-9;

impl CostRates {
    /// Adds one measurement.
    pub(crate) fn add(&mut self, group: &str, cost: f64, seconds: f64) {
        if cost > 0.0 && cost.is_finite() && seconds.is_finite() {
            let sums = self.groups.entry(group.to_owned()).or_default();
            sums.0 += seconds;
            sums.1 += cost;
        }
    }

    /// Seconds that an item will take on one core; `None` if no item of its group was ever measured.
    pub(crate) fn seconds(&self, estimate: &Estimate) -> Option<f64> {
        self.groups.get(&estimate.group).map(|(seconds, cost)| seconds / cost * estimate.cost)
    }

    /// Seconds, with a guess if nothing was measured: the order of execution needs a number.
    pub fn guess(&self, estimate: &Estimate) -> f64 {
        let guess = self.seconds(estimate).unwrap_or(estimate.cost * UNMEASURED);
        if guess.is_finite() { guess.max(0.0) } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_takes_time_in_proportion_to_cost() {
        let mut rates = CostRates::default();
        rates.add("a", 10.0, 2.0);
        rates.add("a", 30.0, 4.0);
        rates.add("b", 0.0, 5.0);
        let estimate = |group: &str| Estimate { cost: 20.0, bytes: 0.0, group: group.into() };
        assert_eq!(rates.seconds(&estimate("a")), Some(3.0));
        assert_eq!(rates.seconds(&estimate("b")), None);
        assert_eq!(rates.guess(&estimate("b")), 20.0 * UNMEASURED);
    }
}
