//! All statements that every run is held against.

use crate::beyond::{forecasts, further, tracking};
use crate::guarantee::Guarantee;
use crate::{layers, pkawv};

/// Them, paper by paper.
pub static GUARANTEES: &[&Guarantee] = &[
    &pkawv::guarantees::KERNEL_AWV,
    &pkawv::guarantees::TAYLOR,
    &pkawv::guarantees::SUBSPACE,
    &pkawv::guarantees::RIDGE,
    &pkawv::guarantees::EXPERTS,
    &layers::guarantees::EXACT,
    &forecasts::guarantees::BEST,
    &forecasts::guarantees::BOOKS,
    &forecasts::guarantees::SHIFTS,
    &forecasts::guarantees::AUTO,
    &forecasts::guarantees::AUTO_ALL,
    &forecasts::guarantees::INTERVALS,
    &forecasts::guarantees::AVERAGING,
    &tracking::guarantees::DISCOUNTED,
    &tracking::guarantees::TRACKING,
    &tracking::guarantees::MIXTURE,
    &further::guarantees::AIOLI,
    &further::guarantees::COIN,
    &further::guarantees::DESCENT,
];

#[cfg(test)]
mod tests;
