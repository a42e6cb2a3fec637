//! The rule of a profile: how it makes the sizes of all files smaller, so that they need not say it one by one.

use std::num::{NonZeroU32, NonZeroU64};

use schemars::JsonSchema;
use serde::Deserialize;
use toml::{Table, Value};

use super::grid::ZIP;
use crate::tune::declare::TUNE;

/// The rule by which a profile makes sizes smaller, where a file's own `[profile.NAME]` does not say otherwise.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sizes {
    /// A single number of rounds is divided by this, and rounded up. Of several horizons, those stay that are at most the
    /// longest divided by this: what is played under the profile is then also played without it.
    #[serde(default = "one")]
    divide_horizons_by: NonZeroU64,
    /// No single number of rounds becomes less than this, or less than it was.
    #[serde(default = "one")]
    shortest: NonZeroU64,
    /// Of several horizons, at least so many stay, the shortest.
    #[serde(default = "one")]
    fewest: NonZeroU64,
    /// All rows of a dataset (`"all"`) become this many, where there are more.
    all: Option<NonZeroU64>,
    /// More replicates become this many.
    replicates: Option<NonZeroU32>,
}

fn one() -> NonZeroU64 {
    NonZeroU64::MIN
}

impl Sizes {
    /// Applies the rule to the table of an experiment, with its defaults and learners. What a table says of `profile`
    /// itself stays as it says.
    pub(crate) fn apply(&self, table: &mut Table, profile: &str) {
        self.level(table, None, profile);
        if let Some(Value::Table(defaults)) = table.get_mut("defaults") {
            self.level(defaults, None, profile);
        }
        let learners = table.get_mut("learners").and_then(Value::as_array_mut);
        for learner in learners.into_iter().flatten().filter_map(Value::as_table_mut) {
            self.level(learner, None, profile);
        }
    }

    /// The sizes in a table and in its `tune` and `zip`, save those that its `profile` gives.
    fn level(&self, table: &mut Table, given: Option<&Table>, profile: &str) {
        let own = table.get("profile").and_then(|all| all.get(profile)?.as_table()).cloned();
        let given = own.as_ref().or(given);
        for (key, value) in table.iter_mut() {
            let said = given.and_then(|given| given.get(key));
            match (key.as_str(), value) {
                (TUNE | ZIP, Value::Table(inner)) => {
                    let said = said.and_then(Value::as_table).cloned().unwrap_or_default();
                    self.level(inner, Some(&said), profile);
                }
                _ if said.is_some() => {}
                ("horizons", Value::Array(list)) => *list = self.ladder(list),
                ("horizon", value) => *value = self.rounds(value),
                ("replicates", value) => *value = self.replicates(value),
                _ => {}
            }
        }
    }

    /// The horizons that stay, in their order.
    fn ladder(&self, horizons: &[Value]) -> Vec<Value> {
        let mut numbers: Vec<i64> = horizons.iter().filter_map(Value::as_integer).collect();
        numbers.sort_unstable();
        let (true, Some(longest)) = (numbers.len() > 1 && numbers.len() == horizons.len(), numbers.last()) else {
            return horizons.iter().map(|value| self.rounds(value)).collect();
        };
        let fewest = numbers.get(self.fewest.get() as usize - 1).unwrap_or(longest);
        let limit = (longest / i64::try_from(self.divide_horizons_by.get()).unwrap_or(i64::MAX)).max(*fewest);
        horizons.iter().filter(|value| value.as_integer().is_some_and(|number| number <= limit)).cloned().collect()
    }

    /// One number of rounds, or a zipped list of them. What is wrong with it is told when it is read.
    fn rounds(&self, value: &Value) -> Value {
        match value {
            Value::Integer(number) if *number > 0 => {
                let divided = (*number as u64).div_ceil(self.divide_horizons_by.get());
                Value::Integer(divided.max(self.shortest.get()).min(*number as u64) as i64)
            }
            Value::String(word) if word == "all" => match self.all {
                Some(most) => Value::String(format!("at most {most}")),
                None => value.clone(),
            },
            Value::Array(list) => Value::Array(list.iter().map(|value| self.rounds(value)).collect()),
            other => other.clone(),
        }
    }

    fn replicates(&self, value: &Value) -> Value {
        match (value, self.replicates) {
            (Value::Integer(number), Some(most)) => Value::Integer((*number).min(most.get().into())),
            (Value::Array(list), _) => Value::Array(list.iter().map(|value| self.replicates(value)).collect()),
            (other, _) => other.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> Table {
        text.parse().unwrap()
    }

    fn applied(text: &str) -> Table {
        let rule = "divide_horizons_by = 8\nshortest = 100\nfewest = 3\nall = 2_000\nreplicates = 5";
        let rule: Sizes = toml::from_str(rule).unwrap();
        let mut table = table(text);
        rule.apply(&mut table, "quick");
        table
    }

    #[test]
    fn sizes_become_smaller_and_never_larger() {
        for (given, expected) in [
            ("horizons = [64, 128, 256, 512, 1024, 2048]", "horizons = [64, 128, 256]"),
            ("horizons = [64, 128, 256, 512]", "horizons = [64, 128, 256]"),
            ("horizons = [512, 1]", "horizons = [512, 1]"),
            ("horizons = [8_000]", "horizons = [1_000]"),
            ("horizons = ['all']", "horizons = ['at most 2000']"),
            ("horizons = [10, 'all']", "horizons = [10, 'at most 2000']"),
            ("replicates = 20\ntest_rows = 100", "replicates = 5\ntest_rows = 100"),
            ("tune = { horizon = 4_001, replicates = 2 }", "tune = { horizon = 501, replicates = 2 }"),
            ("defaults = { horizon = 80, lambda = 1000 }", "defaults = { horizon = 80, lambda = 1000 }"),
            ("learners = [{ zip.horizon = [80, 1600] }]", "learners = [{ zip.horizon = [80, 200] }]"),
        ] {
            assert_eq!(applied(given), table(expected));
        }
    }

    #[test]
    fn what_a_file_says_of_the_profile_stays() {
        let given = "horizons = [800]\nreplicates = 20\nprofile.quick = { replicates = 20 }\nprofile.full.horizons = [1]\n\
                     [[learners]]\nhorizon = 800\nreplicates = 1\ntune = { horizon = 800, replicates = 9, eta = [800] }\n\
                     profile.quick = { horizon = 300, tune.horizon = 200 }";
        let expected =
            given.replace("horizons = [800]", "horizons = [100]").replace("replicates = 9", "replicates = 5");
        assert_eq!(applied(given), table(&expected));
    }
}
