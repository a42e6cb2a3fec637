//! All errata, by paper, in the order in which they occur there; pitfalls last.

use std::sync::LazyLock;

use crate::errata::api::Erratum;
use crate::{beyond, layers, noisy, pkawv, robust};

/// Every erratum.
pub static ERRATA: LazyLock<Vec<&Erratum>> = LazyLock::new(|| {
    [
        pkawv::errata::ERRATA,
        noisy::errata::ERRATA,
        layers::errata::ERRATA,
        robust::errata::ERRATA,
        beyond::errata::ERRATA,
    ]
    .into_iter()
    .flatten()
    .collect()
});
