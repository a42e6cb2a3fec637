//! Gross outliers in a share of the rounds.

use std::sync::Arc;

use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind, Range};
use crate::stream::corruption::api::{Corruption, CorruptionEntry};
use noregret_numeric::draw::Draw;

/// With probability `share`, `size` is added: always with its own sign, or with either sign equally often.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contamination {
    share: f64,
    size: f64,
    symmetric: bool,
}

impl Corruption for Contamination {
    fn sample(&self, draw: &mut Draw) -> f64 {
        // Always two draws, so that the choice of sides does not change which rounds are hit.
        let (hit, sign) = (draw.uniform() < self.share, draw.sign());
        match (hit, self.symmetric) {
            (false, _) => 0.0,
            (true, true) => sign * self.size,
            (true, false) => self.size,
        }
    }

    fn largest(&self) -> f64 {
        if self.share == 0.0 { 0.0 } else { self.size.abs() }
    }
}

/// Registry entry.
pub(crate) static ENTRY: CorruptionEntry = CorruptionEntry {
    name: "contamination",
    summary: "with probability share, size is added to the target, with its own sign or with either sign",
    module: module_path!(),
    params: ContaminationParams::SPECS,
    build: |params| {
        let ContaminationParams { share, size, sides } = Parameters::read(params);
        Ok(Arc::new(Contamination { share, size, symmetric: sides == "both" }))
    },
};

parameters! {
    /// Parameters of `contamination`.
    pub(crate) struct ContaminationParams with required {
        /// probability that a round is an outlier
        share: f64 = Kind::real(Range { min: 0.0, min_open: false, max: 1.0, max_open: false }) => Fallback::Required;
        /// what is added to an outlier's target, in units of the target
        size: f64 = Kind::real(Range::ANY) => Fallback::Real(10.0);
        /// whether outliers lie equally often on both sides, or on one side
        sides: &'static str = Kind::Choice(&["both", "one"]) => Fallback::Word("both");
    }
}
