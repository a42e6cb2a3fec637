//! Regression over the Taylor features of the Gaussian kernel: pkrr-taylor and pkawv-taylor.

use crate::learner::about::{About, FEW_WIDTHS, Kin, LAMBDAS, Tried};
use crate::learner::entry::learner;
use crate::learner::ridge::regression::{Awv, Regression, Ridge};
use crate::learner::ridge::taylor::TaylorSpace;

/// Both forecasts are tried with the same values.
const ABOUT: About =
    About::grid(&[("lambda", LAMBDAS), ("bandwidth", FEW_WIDTHS), ("order", Tried::Orders(5))]).of(Kin::Taylor);

learner! {
    /// ## Formula
    ///
    /// ```text
    /// z_k(x) = exp(-|x|^2 / (2 b^2)) prod_i x_i^(k_i) / (b^|k| sqrt(k!)),   all k with |k| <= order
    /// p_t = w_t' z(x_t),   w_t = argmin_w  sum_{s < t} (y_s - w' z(x_s))^2 + lambda |w|^2
    /// ```
    ///
    /// ## Cost
    ///
    /// r^2 operations per round and r^2 numbers, with r = C(order + d, d) features: 66 for 10 inputs and order 2, 286 for
    /// order 3. It does not grow with the stream.
    ///
    /// ## When to use it
    ///
    /// Long streams with few inputs (up to about 20) that are scaled so that |x| is not much larger than the bandwidth. Set
    /// `order` as high as time allows, and scale inputs; `noregret stream` does (`--scale epochs`).
    ///
    /// In the report: `figure/casp-parameters`.
    pub(crate) static PKRR_TAYLOR = Regression::<TaylorSpace, Ridge>::entry(
        "pkrr-taylor",
        "ridge regression over the Taylor features of the Gaussian kernel (Jezequel, Gaillard, Rudi, NeurIPS 2019)",
        module_path!(),
        ABOUT,
    );

    /// ## Formula
    ///
    /// ```text
    /// z as for pkrr-taylor
    /// p_t = w_t' z(x_t),   w_t = argmin_w  sum_{s < t} (y_s - w' z(x_s))^2 + (w' z(x_t))^2 + lambda |w|^2
    /// ```
    ///
    /// ## Cost
    ///
    /// As pkrr-taylor: r^2 operations per round, r^2 numbers, r = C(order + d, d).
    ///
    /// ## When to use it
    ///
    /// The first learner to try on a long stream with few inputs. It has the bound of kernel-awv at a cost that does not grow
    /// with the stream.
    ///
    /// In the report: `figure/casp-loss`.
    pub(crate) static PKAWV_TAYLOR = Regression::<TaylorSpace, Awv>::entry(
        "pkawv-taylor",
        "Azoury-Warmuth-Vovk forecaster over the Taylor features of the Gaussian kernel (Jezequel, Gaillard, Rudi, NeurIPS 2019)",
        module_path!(),
        ABOUT,
    );
}
