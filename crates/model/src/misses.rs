//! The part of recent targets that lay outside of their intervals.

use std::collections::VecDeque;

use noregret_numeric::state::{State, StateError, Store};

/// How many targets count as recent.
pub const WINDOW: usize = 500;

/// Which of the last [`WINDOW`] targets lay outside, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Misses {
    recent: VecDeque<bool>,
    outside: usize,
}

impl Misses {
    /// Takes note of a target; returns the part of the recent ones, this one included, that lay outside.
    pub fn add(&mut self, missed: bool) -> f64 {
        if self.recent.len() == WINDOW && self.recent.pop_front() == Some(true) {
            self.outside -= 1;
        }
        self.recent.push_back(missed);
        self.outside += usize::from(missed);
        self.outside as f64 / self.recent.len() as f64
    }
}

impl State for Misses {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let mut recent: Vec<bool> = self.recent.iter().copied().collect();
        store.keep("recent", &mut recent)?;
        store.check(recent.len() <= WINDOW, &format!("holds more than {WINDOW} rounds"))?;
        self.outside = recent.iter().filter(|missed| **missed).count();
        self.recent = recent.into();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against a sum over the window in every round, through a save in the middle.
    #[test]
    fn the_share_is_that_of_the_window() {
        let missed: Vec<bool> = (0..3 * WINDOW).map(|i| i % 7 == 0 || i / WINDOW == 1).collect();
        let mut misses = Misses::default();
        for (i, now) in missed.iter().enumerate() {
            if i == WINDOW + 100 {
                let mut store = Store::saving();
                misses.state(&mut store).unwrap();
                misses = Misses::default();
                misses.state(&mut Store::loading(store.into_arrays())).unwrap();
            }
            let window = &missed[(i + 1).saturating_sub(WINDOW)..=i];
            let expected = window.iter().filter(|missed| **missed).count() as f64 / window.len() as f64;
            assert_eq!(misses.add(*now), expected, "round {i}");
        }
    }

    #[test]
    fn a_state_that_is_too_long_is_refused() {
        let mut store = Store::saving();
        store.keep("recent", &mut vec![true; WINDOW + 1]).unwrap();
        Misses::default().state(&mut Store::loading(store.into_arrays())).unwrap_err();
    }
}
