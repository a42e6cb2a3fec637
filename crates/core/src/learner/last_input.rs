//! The last input at which a learner was evaluated, so that learning does not repeat the work of predicting.

/// An input and the state of the learner at which something was computed for it. Owners keep it in a `RefCell` beside
/// what they computed; the cache is invisible from outside.
#[derive(Clone, Debug, Default)]
pub(crate) struct LastInput {
    x: Vec<f64>,
    /// Rounds played (or points stored) at that time; None before the first input.
    state: Option<usize>,
}

impl LastInput {
    /// Whether `x` in this `state` differs from the last input; if so, it becomes the last input.
    pub(crate) fn replace(&mut self, x: &[f64], state: usize) -> bool {
        if self.state == Some(state) && self.x == x {
            return false;
        }
        self.x.clear();
        self.x.extend_from_slice(x);
        self.state = Some(state);
        true
    }

    /// The last input.
    pub(crate) fn x(&self) -> &[f64] {
        &self.x
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_is_new_once_in_each_state() {
        let mut last = LastInput::default();
        assert!(last.replace(&[], 0) && !last.replace(&[], 0));
        assert!(last.replace(&[1.0], 0) && last.replace(&[1.0], 1) && !last.replace(&[1.0], 1));
        assert!(last.replace(&[2.0], 1));
        assert_eq!(last.x(), [2.0]);
    }
}
