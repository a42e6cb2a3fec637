//! Parameters that several learners declare in the same way.

use crate::kernel::api::Kernel;
use crate::learner::api::Setting;
use crate::params::typed::shared;
use crate::params::{Fallback, Kind, ParamError, PartKind, Range};

shared! {
    /// kernel of the function space
    KERNEL = "kernel": Kind::Part(PartKind::Kernel) => Fallback::Part("gaussian");
    /// weight of the squared norm in the regression
    LAMBDA = "lambda": Kind::real(Range::POSITIVE) => Fallback::Real(1.0);
    /// width of the Gaussian kernel exp(-|x - z|^2 / (2 bandwidth^2))
    BANDWIDTH = "bandwidth": Kind::real(Range::POSITIVE) => Fallback::Real(1.0);
}

/// Whether the value of [`KERNEL`] accepts the inputs.
///
/// # Errors
/// If the kernel does not accept inputs of this dimension.
pub(crate) fn accepts(kernel: &dyn Kernel, setting: &Setting) -> Result<(), ParamError> {
    kernel.accepts(setting.dim).map_err(|why| ParamError::refused(KERNEL.name, why))
}
