//! Parameters that several laws declare in the same way.

use crate::params::typed::shared;
use crate::params::{Fallback, Kind, Range};

shared! {
    /// standard deviation of the noise, per coordinate
    NOISE_STD = "noise_std": Kind::real(Range::NONNEGATIVE) => Fallback::Required;
    /// square root of the mean variance of the noise, per coordinate
    MEAN_NOISE_STD = "noise_std": Kind::real(Range::NONNEGATIVE) => Fallback::Required;
}
