//! All errata, by paper in the order of places.

use crate::errata::api::Erratum;
use crate::errata::noisy;

/// Every erratum.
pub static ERRATA: &[&Erratum] = &[
    &noisy::binomial_kernel::ERRATUM,
    &noisy::lemma_2::ERRATUM,
    &noisy::lemma_3::ERRATUM,
    &noisy::theorem_3::ERRATUM,
    &noisy::theorem_3_width::ERRATUM,
    &noisy::lemma_6::ERRATUM,
    &noisy::lemma_7::ERRATUM,
    &noisy::theorem_4::ERRATUM,
    &noisy::fubini::ERRATUM,
    &noisy::equation_8::ERRATUM,
    &noisy::theorem_5::ERRATUM,
    &noisy::lemma_9::ERRATUM,
    &noisy::algorithm_4::ERRATUM,
    &noisy::theorem_10::ERRATUM,
    &noisy::residual_losses::ERRATUM,
    &noisy::lemma_4::ERRATUM,
    &noisy::example_2::ERRATUM,
    &noisy::example_3::ERRATUM,
    &noisy::example_4::ERRATUM,
    &noisy::equation_25::ERRATUM,
    &noisy::lemma_14::ERRATUM,
    &noisy::theorem_8::ERRATUM,
];
