//! Window, scale and step size of learners with robust losses, given as numbers or by the theorems' formulas.

use std::sync::Arc;

use crate::kernel::api::Kernel;
use crate::learner::api::Setting;
use crate::params::typed::{OrWord, shared};
use crate::params::{Fallback, Kind, ParamError, PartKind, Range};
use crate::theory::robust::{Norm, Regularity, eta_0};
use crate::window::api::{Window, slope};

shared! {
    /// W of the loss (scale^2 / 2) W(u^2 / scale^2) of a residual u
    WINDOW = "window": Kind::Part(PartKind::Window) => Fallback::Part("welsch");
    /// sigma, the size from which the window treats a residual as an outlier, in units of the target; `theory` is
    /// n^((r + p + 1) / (2 p (2 r + 1))), the least that keeps the rate of theorem 1 (2 r + beta for 2 r + 1 in theorem 2)
    SCALE = "scale": Kind::Real { range: Range::POSITIVE, words: &["theory"] } => Fallback::Real(2.0);
    /// step size for the loss with W'(0) = 1/2 or 1, depending on the window; `theory` is n^-theta / eta_0 of the
    /// paper's (8), corrected
    ETA = "eta": Kind::Real { range: Range::POSITIVE, words: &["theory", "1/sqrt(n)"] } => Fallback::Word("1/sqrt(n)");
    /// step t has size eta t^-decay; 0 is the constant step of the theorems
    DECAY = "decay": Kind::real(Range { max: 1.0, ..Range::NONNEGATIVE }) => Fallback::Real(0.0);
    /// r: the target is L_K^r g; used by `theory` only
    REGULARITY = "regularity": Kind::real(Range::POSITIVE) => Fallback::Real(0.5);
    /// beta: Tr(L_K^beta) is finite; used by `theory` only
    CAPACITY = "capacity": Kind::real(Range { max: 1.0, max_open: false, ..Range::POSITIVE }) => Fallback::Real(1.0);
    /// the norm in which `theory` bounds the error: l2 (theorem 1) or rkhs (theorem 2, regularity above 1/2)
    NORM = "norm": Kind::Choice(&["l2", "rkhs"]) => Fallback::Word("l2");
}

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
    /// The loss of `window` with the values of [`SCALE`], [`ETA`] and [`DECAY`].
    ///
    /// # Errors
    /// If `theory` needs something that is not known.
    pub(crate) fn new(
        window: Arc<dyn Window>,
        scale: &OrWord<f64>,
        eta: &OrWord<f64>,
        decay: f64,
        theory: &TheoryInputs<'_>,
    ) -> Result<Self, ParamError> {
        let (scale, eta) = (theory.scale(scale, &*window)?, theory.eta(eta, &*window)?);
        Ok(Self { window, scale, eta, decay })
    }

    /// The slope of the loss at a residual: W'(u^2 / scale^2) u.
    pub(crate) fn slope(&self, residual: f64) -> f64 {
        slope(&*self.window, self.scale, residual)
    }
}

/// What the formulas of `theory` depend on, beside the window.
pub(crate) struct TheoryInputs<'a> {
    /// The values of [`REGULARITY`] and [`CAPACITY`].
    pub regularity: Regularity,
    /// The value of [`NORM`].
    pub norm: &'static str,
    /// The space in which the descent is made.
    pub kernel: &'a dyn Kernel,
    /// The setting.
    pub setting: &'a Setting,
}

impl TheoryInputs<'_> {
    /// The norm of the theorem that `theory` stands for.
    ///
    /// # Errors
    /// If the theorem does not cover the regularity.
    fn norm(&self) -> Result<Norm, ParamError> {
        let norm = if self.norm == "rkhs" { Norm::Rkhs } else { Norm::L2 };
        let why = "must be above 1/2 where norm = \"rkhs\" (theorem 2)";
        self.regularity.is_covered(norm).then_some(norm).ok_or_else(|| ParamError::refused(REGULARITY.name, why))
    }

    /// The value of [`SCALE`].
    ///
    /// # Errors
    /// If `theory` needs something that is not known.
    fn scale(&self, scale: &OrWord<f64>, window: &dyn Window) -> Result<f64, ParamError> {
        scale.number().or_else(|word| {
            let rounds = self.setting.rounds(SCALE.name, word)?;
            Ok(rounds.powf(self.regularity.scale_exponent(self.norm()?, window.growth().order)))
        })
    }

    /// The value of [`ETA`].
    ///
    /// # Errors
    /// If `theory` needs something that is not known.
    fn eta(&self, eta: &OrWord<f64>, window: &dyn Window) -> Result<f64, ParamError> {
        let word = match eta {
            OrWord::Given(eta) => return Ok(*eta),
            OrWord::Word(word) => word,
        };
        let rounds = self.setting.rounds(ETA.name, word)?;
        if *word != "theory" {
            return Ok(rounds.sqrt().recip());
        }
        let (norm, growth) = (self.norm()?, window.growth());
        let kappa2 = self.kernel.largest_diagonal().ok_or_else(|| {
            ParamError::refused(ETA.name, "theory needs a kernel whose k(x, x) has a known bound; give a number")
        })?;
        let theta = self.regularity.step_exponent(norm);
        Ok(rounds.powf(-theta) / eta_0(kappa2, growth.slope, growth.largest_slope, theta))
    }
}
