//! The trait of windows.

use crate::params::entry::{Build, Entry};

/// A function W of s >= 0 that defines the loss L(u) = (scale^2 / 2) W(u^2 / scale^2) of a residual u = f(x) - y.
///
/// W(0) = 0, 0 <= W' <= [`Growth::largest_slope`], and |W'(s) - W'(0)| <= remainder s^order: conditions (2) and (3) of
/// Guo, Christmann, Shi, Optimality of robust online learning, with W' >= 0 where their text has W > 0 (their
/// proposition 4.2 multiplies by W'). Their update and their derivative of the loss need the factor scale^2 / 2, which
/// their display (1) leaves out.
///
/// ```
/// use noregret_core::prelude::*;
///
/// let huber = WINDOWS.choose(&json!({ "name": "huber" }), None, "", &AllParts)?.object;
/// let loss = |residual| noregret_core::window::api::loss(&*huber, 2.0, residual);
/// // Squares near 0, straight lines far away: an outlier weighs no more than its distance.
/// assert!((loss(0.1) - 0.5 * 0.1 * 0.1).abs() < 1e-12);
/// assert!((loss(101.0) - loss(100.0) - (loss(51.0) - loss(50.0))).abs() < 1e-9);
/// # Ok::<(), ParamError>(())
/// ```
pub trait Window: Send + Sync + std::fmt::Debug {
    /// W(s), for s >= 0.
    fn value(&self, s: f64) -> f64;

    /// W'(s), for s >= 0; the derivative of the loss is W'(u^2 / scale^2) u.
    fn derivative(&self, s: f64) -> f64;

    /// The constants of conditions (2) and (3).
    fn growth(&self) -> Growth;
}

/// A window without parameters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WindowFormula {
    /// W.
    pub value: fn(f64) -> f64,
    /// W'.
    pub derivative: fn(f64) -> f64,
    /// Its constants.
    pub growth: Growth,
}

impl Window for WindowFormula {
    fn value(&self, s: f64) -> f64 {
        (self.value)(s)
    }

    fn derivative(&self, s: f64) -> f64 {
        (self.derivative)(s)
    }

    fn growth(&self) -> Growth {
        self.growth
    }
}

/// The constants of a window in the theorems.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    /// W'(0+). As the scale grows, the loss tends to (W'(0+) / 2) u^2.
    pub slope: f64,
    /// C_W = sup W'.
    pub largest_slope: f64,
    /// p, the largest exponent for which condition (3) holds (1 if it holds for every p).
    pub order: f64,
    /// c_p, the smallest constant for that p.
    pub remainder: f64,
}

/// L(u) = (scale^2 / 2) W(u^2 / scale^2).
pub fn loss(window: &dyn Window, scale: f64, residual: f64) -> f64 {
    0.5 * scale * scale * window.value((residual / scale).powi(2))
}

/// L'(u) = W'(u^2 / scale^2) u.
pub fn slope(window: &dyn Window, scale: f64, residual: f64) -> f64 {
    window.derivative((residual / scale).powi(2)) * residual
}

/// A registered window.
pub(crate) type WindowEntry = Entry<Build<dyn Window>>;
