//! The trait of losses.

use crate::params::entry::{Build, Entry};

/// The argument of a loss function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The margin y f of a prediction f, for targets y of -1 and +1.
    Margin,
    /// The residual f - y.
    Residual,
}

/// A convex function l of one real argument that turns a prediction f and a target y into a loss: l(y f) or l(f - y).
///
/// ```
/// use noregret_core::prelude::*;
///
/// /// l(a) = log(1 + exp(-a)) of the margin a.
/// #[derive(Debug)]
/// struct Logistic;
/// impl Loss for Logistic {
///     fn form(&self) -> Form { Form::Margin }
///     fn value(&self, a: f64) -> f64 { (-a).exp().ln_1p() }
///     fn derivative(&self, a: f64) -> f64 { -1.0 / (1.0 + a.exp()) }
/// }
/// assert!(Logistic.of(3.0, 1.0) < Logistic.of(3.0, -1.0));
/// assert_eq!(Logistic.slope(0.0, -1.0), 0.5); // the prediction should fall
/// ```
pub trait Loss: Send + Sync + std::fmt::Debug {
    /// The argument of l.
    fn form(&self) -> Form;

    /// l(a).
    fn value(&self, a: f64) -> f64;

    /// l'(a); at a kink, the middle of the subdifferential.
    fn derivative(&self, a: f64) -> f64;

    /// l as an analytic function, if it is one.
    fn analytic(&self) -> Option<&dyn AnalyticLoss> {
        None
    }

    /// l''(a), if there is one everywhere.
    fn curvature(&self, a: f64) -> Option<f64> {
        self.analytic().map(|analytic| analytic.curvature(a))
    }

    /// The argument for a prediction and a target.
    fn argument(&self, prediction: f64, target: f64) -> f64 {
        match self.form() {
            Form::Margin => target * prediction,
            Form::Residual => prediction - target,
        }
    }

    /// The loss of a prediction: l(y f) or l(f - y).
    fn of(&self, prediction: f64, target: f64) -> f64 {
        self.value(self.argument(prediction, target))
    }

    /// The derivative of the loss with respect to the prediction: y l'(y f) or l'(f - y).
    fn slope(&self, prediction: f64, target: f64) -> f64 {
        let derivative = self.derivative(self.argument(prediction, target));
        match self.form() {
            Form::Margin => target * derivative,
            Form::Residual => derivative,
        }
    }
}

/// A loss whose derivative is an everywhere convergent power series, l'(a) = sum_n gamma_n (a - centre)^n
/// (Cesa-Bianchi, Shalev-Shwartz, Shamir, sections IV-E and V).
pub trait AnalyticLoss {
    /// l''(a).
    fn curvature(&self, a: f64) -> f64;

    /// The centre of the series.
    fn centre(&self) -> f64;

    /// gamma_n.
    fn coefficient(&self, n: u32) -> f64;

    /// The coefficients of degrees 0 to `degree` of the series of l' around `a`: l^(k+1)(a) / k!.
    fn around(&self, a: f64, degree: u32) -> Vec<f64>;

    /// l'_+(z) = sum_n |gamma_n| z^n for z >= 0, up to rounding; infinite if it overflows.
    fn majorant(&self, z: f64) -> f64;
}

/// A registered loss.
pub(crate) type LossEntry = Entry<Build<dyn Loss>>;
