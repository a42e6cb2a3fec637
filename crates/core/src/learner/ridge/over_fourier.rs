//! Regression over random Fourier features of the Gaussian kernel: pkrr-fourier and pkawv-fourier.

use crate::learner::about::{About, FEW_LAMBDAS, FEW_WIDTHS, Kin, Tried};
use crate::learner::entry::learner;
use crate::learner::ridge::fourier::FourierSpace;
use crate::learner::ridge::regression::{Awv, Regression, Ridge};

/// Both forecasts are tried with the same values.
const ABOUT: About = About::grid(&[
    ("lambda", FEW_LAMBDAS),
    ("bandwidth", FEW_WIDTHS),
    ("features", Tried::Whole(&[50, 200])),
    ("kind", Tried::Words(&["orthogonal"])),
])
.of(Kin::Fourier)
.random();

learner! {
    /// ## Formula
    ///
    /// ```text
    /// z(x) = (sin(u_i' x), cos(u_i' x))_{i <= D} / sqrt(D),   u_i ~ N(0, I / b^2)
    /// p_t = w_t' z(x_t),   w_t = argmin_w  sum_{s < t} (y_s - w' z(x_s))^2 + lambda |w|^2
    /// ```
    ///
    /// With `kind = "orthogonal"` the directions of the frequencies are orthogonal within blocks of d, and their lengths
    /// independent. The mean of the features' kernel is the Gaussian kernel in both kinds.
    ///
    /// ## Cost
    ///
    /// r^2 operations per round and r^2 numbers, r = 2 D, and D d operations for the features.
    ///
    /// ## When to use it
    ///
    /// Streams with so many inputs that Taylor features do not fit, where fogd depends too much on its step size.
    pub(crate) static PKRR_FOURIER = Regression::<FourierSpace, Ridge>::entry(
        "pkrr-fourier",
        "ridge regression over random Fourier features of the Gaussian kernel (Rahimi, Recht, NIPS 2007; Jezequel, Gaillard, Rudi, NeurIPS 2019)",
        module_path!(),
        ABOUT,
    );

    /// ## Formula
    ///
    /// ```text
    /// z as for pkrr-fourier
    /// p_t = w_t' z(x_t),   w_t = argmin_w  sum_{s < t} (y_s - w' z(x_s))^2 + (w' z(x_t))^2 + lambda |w|^2
    /// ```
    ///
    /// For independent frequencies and rounds that are fixed before the frequencies are drawn, its expected loss is at most
    /// `min_f {sum (y_t - f(x_t))^2 + (lambda + n / D) |f|^2} + B^2 log det(I + K / lambda)`: frequencies fewer than n / lambda cost
    /// more than lambda does. An adversary that knows the frequencies is outside of this.
    ///
    /// ## Cost
    ///
    /// As pkrr-fourier.
    ///
    /// ## When to use it
    ///
    /// As pkrr-fourier; with few frequencies also the determinant is smaller, so that more of them are not always better.
    pub static PKAWV_FOURIER = Regression::<FourierSpace, Awv>::entry(
        "pkawv-fourier",
        "Azoury-Warmuth-Vovk forecaster over random Fourier features of the Gaussian kernel (Rahimi, Recht, NIPS 2007; Jezequel, Gaillard, Rudi, NeurIPS 2019)",
        module_path!(),
        ABOUT,
    );
}
