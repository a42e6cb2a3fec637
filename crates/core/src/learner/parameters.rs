//! Parameters that several learners declare in the same way.

use std::sync::Arc;

use crate::kernel::api::Kernel;
use crate::learner::api::Setting;
use crate::params::{Fallback, Kind, ParamError, Params, PartKind, Range, Spec};

/// The parameter `kernel`.
pub(crate) const KERNEL: Spec = Spec {
    name: "kernel",
    doc: "kernel of the function space",
    kind: Kind::Part(PartKind::Kernel),
    default: Fallback::Part("gaussian"),
};

/// The parameter `lambda` of ridge regressions.
pub(crate) const LAMBDA: Spec =
    Spec::real("lambda", "weight of the squared norm in the regression", Range::POSITIVE, 1.0);

/// The parameter `bandwidth` of learners that are specific to the Gaussian kernel.
pub(crate) const BANDWIDTH: Spec =
    Spec::real("bandwidth", "width of the Gaussian kernel exp(-|x - z|^2 / (2 bandwidth^2))", Range::POSITIVE, 1.0);

/// The value of [`KERNEL`].
///
/// # Errors
/// If the kernel does not accept inputs of this dimension.
pub(crate) fn kernel(params: &Params, setting: &Setting) -> Result<Arc<dyn Kernel>, ParamError> {
    let kernel = params.part::<dyn Kernel>(KERNEL.name);
    kernel.accepts(setting.dim).map_err(|why| ParamError::refused(KERNEL.name, why))?;
    Ok(kernel)
}
