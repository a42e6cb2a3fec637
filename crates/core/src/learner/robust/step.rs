//! Window, scale and step size of learners with robust losses, given as numbers or by the theorems' formulas.

use std::sync::Arc;

use crate::kernel::api::Kernel;
use crate::learner::api::Setting;
use crate::params::{Fallback, Kind, ParamError, Params, PartKind, Range, Spec};
use crate::theory::robust::{Norm, Regularity, eta_0};
use crate::window::api::{Window, slope};

/// The window W of the loss (scale^2 / 2) W(u^2 / scale^2) of the residual u.
pub(crate) const WINDOW: Spec = Spec {
    name: "window",
    doc: "W of the loss (scale^2 / 2) W(u^2 / scale^2) of a residual u",
    kind: Kind::Part(PartKind::Window),
    default: Fallback::Part("welsch"),
};

/// The scale of the loss, in units of the target.
pub(crate) const SCALE: Spec = Spec {
    name: "scale",
    doc: "sigma, the size from which the window treats a residual as an outlier, in units of the target; `theory` is \
          n^((r + p + 1) / (2 p (2 r + 1))), the least that keeps the rate of theorem 1 (2 r + beta for 2 r + 1 in theorem 2)",
    kind: Kind::Real { range: Range::POSITIVE, words: &["theory"] },
    default: Fallback::Real(2.0),
};

/// The step size.
pub(crate) const ETA: Spec = Spec {
    name: "eta",
    doc: "step size for the loss with W'(0) = 1/2 or 1, depending on the window; `theory` is n^-theta / eta_0 of the \
          paper's (8), corrected",
    kind: Kind::Real { range: Range::POSITIVE, words: &["theory", "1/sqrt(n)"] },
    default: Fallback::Word("1/sqrt(n)"),
};

/// The exponent with which step sizes decrease.
pub(crate) const DECAY: Spec = Spec {
    name: "decay",
    doc: "step t has size eta t^-decay; 0 is the constant step of the theorems",
    kind: Kind::Real { range: Range { min: 0.0, min_open: false, max: 1.0, max_open: true }, words: &[] },
    default: Fallback::Real(0.0),
};

/// The regularity r in the formulas.
pub(crate) const REGULARITY: Spec =
    Spec::real("regularity", "r: the target is L_K^r g; used by `theory` only", Range::POSITIVE, 0.5);

/// The capacity exponent beta in the formulas.
pub(crate) const CAPACITY: Spec = Spec {
    name: "capacity",
    doc: "beta: Tr(L_K^beta) is finite; used by `theory` only",
    kind: Kind::Real { range: Range { min: 0.0, min_open: true, max: 1.0, max_open: false }, words: &[] },
    default: Fallback::Real(1.0),
};

/// The theorem whose formulas are used.
pub(crate) const NORM: Spec = Spec {
    name: "norm",
    doc: "the norm in which `theory` bounds the error: l2 (theorem 1) or rkhs (theorem 2, regularity above 1/2)",
    kind: Kind::Choice(&["l2", "rkhs"]),
    default: Fallback::Word("l2"),
};

/// Descent on a robust loss: the loss and the step sizes.
#[derive(Clone, Debug)]
pub struct Descent {
    /// W.
    pub window: Arc<dyn Window>,
    /// sigma.
    pub scale: f64,
    /// eta.
    pub eta: f64,
    /// Step t has size eta t^-decay.
    pub decay: f64,
}

impl Descent {
    /// The values of [`WINDOW`], [`SCALE`], [`ETA`] and [`DECAY`], in the space of `kernel`.
    ///
    /// # Errors
    /// If `theory` needs something that is not known.
    pub(crate) fn new(params: &Params, setting: &Setting, kernel: &dyn Kernel) -> Result<Self, ParamError> {
        Ok(Self {
            window: params.part::<dyn Window>(WINDOW.name),
            scale: scale(params, setting)?,
            eta: eta(params, setting, kernel.largest_diagonal())?,
            decay: params.real(DECAY.name),
        })
    }

    /// The slope of the loss at a residual: W'(u^2 / scale^2) u.
    pub(crate) fn slope(&self, residual: f64) -> f64 {
        slope(&*self.window, self.scale, residual)
    }
}

/// The values of [`REGULARITY`] and [`CAPACITY`].
pub(crate) fn declared(params: &Params) -> Regularity {
    Regularity { target: params.real(REGULARITY.name), capacity: params.real(CAPACITY.name) }
}

/// Regularity and norm of the theorem that `theory` stands for.
///
/// # Errors
/// If the theorem does not cover the regularity.
fn regularity(params: &Params) -> Result<(Regularity, Norm), ParamError> {
    let norm = if params.word(NORM.name) == "rkhs" { Norm::Rkhs } else { Norm::L2 };
    let regularity = declared(params);
    if regularity.is_covered(norm) {
        Ok((regularity, norm))
    } else {
        Err(ParamError::refused(REGULARITY.name, "must be above 1/2 where norm = \"rkhs\" (theorem 2)"))
    }
}

/// The value of [`SCALE`].
///
/// # Errors
/// If `theory` needs something that is not known.
fn scale(params: &Params, setting: &Setting) -> Result<f64, ParamError> {
    match params.real_or_word(SCALE.name) {
        Ok(scale) => Ok(scale),
        Err(word) => {
            let rounds = setting.rounds(SCALE.name, word)?;
            let (regularity, norm) = regularity(params)?;
            Ok(rounds.powf(regularity.scale_exponent(norm, params.part::<dyn Window>(WINDOW.name).growth().order)))
        }
    }
}

/// The value of [`ETA`], for a kernel with sup k(x, x) = `largest_diagonal`.
///
/// # Errors
/// If `theory` needs something that is not known.
fn eta(params: &Params, setting: &Setting, largest_diagonal: Option<f64>) -> Result<f64, ParamError> {
    match params.real_or_word(ETA.name) {
        Ok(eta) => Ok(eta),
        Err("theory") => {
            let rounds = setting.rounds(ETA.name, "theory")?;
            let (regularity, norm) = regularity(params)?;
            let growth = params.part::<dyn Window>(WINDOW.name).growth();
            let kappa2 = largest_diagonal.ok_or_else(|| {
                ParamError::refused(ETA.name, "theory needs a kernel whose k(x, x) has a known bound; give a number")
            })?;
            let theta = regularity.step_exponent(norm);
            Ok(rounds.powf(-theta) / eta_0(kappa2, growth.slope, growth.largest_slope, theta))
        }
        Err(word) => Ok(setting.rounds(ETA.name, word)?.sqrt().recip()),
    }
}
