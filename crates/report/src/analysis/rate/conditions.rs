//! The conditions of a theorem over all runs of a row.

use serde::{Deserialize, Serialize};

use noregret_papers::case::{Condition, LimitSide};

/// A condition over all horizons and seeds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// What must hold, or the number that must be in range.
    pub what: String,
    /// The side on which that number must lie, and the least and the largest limit.
    pub needs: Option<(LimitSide, f64, f64)>,
    /// The least and the largest number in these runs.
    pub here: Option<(f64, f64)>,
    /// Whether it holds in all runs; none if that cannot be computed.
    pub met: Option<bool>,
}

/// The conditions of single runs, brought together by what they ask for.
pub(crate) fn merge(conditions: impl IntoIterator<Item = Condition>) -> Vec<Asked> {
    let mut merged: Vec<Asked> = Vec::new();
    for one in conditions {
        // JSON has no infinite numbers.
        let needs = one.needs.filter(|(_, limit)| limit.is_finite()).map(|(side, limit)| (side, limit, limit));
        let here = one.here.filter(|here| here.is_finite()).map(|here| (here, here));
        match merged.iter_mut().find(|known| known.what == one.what) {
            None => merged.push(Asked { what: one.what, needs, here, met: one.met }),
            Some(known) => {
                known.met = match (known.met, one.met) {
                    (Some(false), _) | (_, Some(false)) => Some(false),
                    (Some(true), Some(true)) => Some(true),
                    _ => None,
                };
                known.here = wider(known.here, here);
                if let (Some((_, low, high)), Some((_, limit, _))) = (known.needs.as_mut(), needs) {
                    (*low, *high) = (low.min(limit), high.max(limit));
                }
            }
        }
    }
    merged
}

fn wider(known: Option<(f64, f64)>, new: Option<(f64, f64)>) -> Option<(f64, f64)> {
    match (known, new) {
        (Some((low, high)), Some((least, most))) => Some((low.min(least), high.max(most))),
        (known, new) => known.or(new),
    }
}

#[cfg(test)]
mod tests {
    use super::merge;
    use noregret_papers::case::{Condition, LimitSide};

    #[test]
    fn one_run_that_misses_a_condition_is_enough() {
        let found = merge([
            Condition::at_least("draws", 128.0, 100.0),
            Condition::holds("constant steps", true),
            Condition::at_least("draws", 256.0, 300.0),
            Condition::unknown("noise"),
        ]);
        assert_eq!(found.len(), 3);
        assert_eq!((found[0].met, found[0].here), (Some(false), Some((128.0, 256.0))));
        assert_eq!(found[0].needs, Some((LimitSide::AtLeast, 100.0, 300.0)));
        assert_eq!((found[1].met, found[2].met), (Some(true), None));
    }

    #[test]
    fn infinite_numbers_leave_the_verdict_only() {
        let found = merge([Condition::at_most("noise", f64::INFINITY, 1.0), Condition::at_least("draws", 2.0, 1.0)]);
        assert_eq!((found[0].met, found[0].here), (Some(false), None));
        let text = serde_json::to_string(&found).unwrap();
        assert_eq!(serde_json::from_str::<Vec<super::Asked>>(&text).unwrap(), found);
    }
}
