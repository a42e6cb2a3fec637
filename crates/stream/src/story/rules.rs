//! What two simple rules would have lost: the one that predicts what is usual, and the one that repeats the last target.

use crate::line::ClassPrediction;

/// The losses of the rules so far. Of numbers, what is usual is the mean of the earlier targets, and both rules begin with 0,
/// as the learners `running-mean` and `last-value` do. Of classes it is the most frequent one, and both begin with an error.
#[derive(Clone, Debug, Default)]
pub(super) struct RuleLosses {
    rows: u64,
    pub(crate) usual: f64,
    pub last: f64,
    mean: f64,
    before: f64,
    counts: Vec<u64>,
    leader: Option<usize>,
    class: Option<usize>,
}

impl RuleLosses {
    /// Adds a row whose target is a number.
    pub(super) fn add(&mut self, target: f64) {
        self.rows += 1;
        self.usual += (target - self.mean).powi(2);
        self.last += (target - self.before).powi(2);
        self.mean += (target - self.mean) / self.rows as f64;
        self.before = target;
    }

    /// Adds a row whose target is a class.
    pub(super) fn tell(&mut self, told: &ClassPrediction) {
        let Some(class) = told.class else { return };
        let wrong = |predicted: Option<usize>| f64::from(u8::from(predicted != Some(class)));
        self.rows += 1;
        self.usual += wrong(self.leader);
        self.last += wrong(self.class);
        self.counts.resize(self.counts.len().max(class + 1), 0);
        self.counts[class] += 1;
        if self.leader.is_none_or(|leader| self.counts[class] > self.counts[leader]) {
            self.leader = Some(class);
        }
        self.class = Some(class);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_by_hand() {
        let mut rules = RuleLosses::default();
        [2.0, 4.0, 9.0].into_iter().for_each(|target| rules.add(target));
        // Means 0, 2, 3; last values 0, 2, 4.
        assert_eq!((rules.usual, rules.last), (4.0 + 4.0 + 36.0, 4.0 + 4.0 + 25.0));
    }

    #[test]
    fn classes_by_hand() {
        let mut rules = RuleLosses::default();
        for class in [1, 1, 0, 0, 0, 1] {
            rules.tell(&ClassPrediction { class: Some(class), ..ClassPrediction::default() });
        }
        // Leaders none, 1, 1, 1, 1, 0; last classes none, 1, 1, 0, 0, 0.
        assert_eq!((rules.usual, rules.last), (5.0, 3.0));
    }
}
