//! Targets that change their sign.

use std::sync::Arc;

use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind};
use crate::stream::corruption::api::{Corruption, CorruptionEntry};
use noregret_numeric::draw::Draw;

/// Every second piece of so many rounds has its targets negated, from the second piece on: labels that switch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Negation {
    piece: u64,
}

impl Corruption for Negation {
    fn sample(&self, _: &mut Draw) -> f64 {
        0.0
    }

    fn largest(&self) -> f64 {
        0.0
    }

    fn corrupt(&self, round: u64, target: f64, _: &mut Draw) -> f64 {
        // Rounds count from 1.
        if (round.max(1) - 1) / self.piece % 2 == 1 { -target } else { target }
    }
}

/// Registry entry.
pub(crate) static ENTRY: CorruptionEntry = CorruptionEntry {
    name: "negation",
    summary: "targets change their sign after every so many rounds",
    module: module_path!(),
    params: NegationParams::SPECS,
    build: |params| Ok(Arc::new(Negation { piece: NegationParams::read(params).piece })),
};

parameters! {
    /// Parameters of `negation`.
    pub(crate) struct NegationParams {
        /// rounds between two changes of sign
        piece: u64 = Kind::integer(1, u64::MAX >> 1) => Fallback::Integer(1000);
    }
}
