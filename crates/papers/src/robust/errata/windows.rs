//! Windows as the paper lists them, with W'.

/// (W(s), W'(s)) at s >= 0.
pub(crate) type WindowValues = fn(f64) -> (f64, f64);

/// Fair: W(s) = sqrt(s) - log(1 + sqrt(s)), W'(s) = 1 / (2 (1 + sqrt(s))).
pub(crate) fn fair(s: f64) -> (f64, f64) {
    let root = s.sqrt();
    (root - root.ln_1p(), 0.5 / (1.0 + root))
}

/// Cauchy: W(s) = log(1 + s / 2), W'(s) = 1 / (2 + s).
pub(crate) fn cauchy(s: f64) -> (f64, f64) {
    ((0.5 * s).ln_1p(), 1.0 / (2.0 + s))
}

/// Welsch: W(s) = 1 - exp(-s / 2), W'(s) = exp(-s / 2) / 2.
pub(crate) fn welsch(s: f64) -> (f64, f64) {
    (-(-0.5 * s).exp_m1(), 0.5 * (-0.5 * s).exp())
}

/// Geman-McClure: W(s) = s / (1 + s), W'(s) = (1 + s)^-2.
pub(crate) fn geman_mcclure(s: f64) -> (f64, f64) {
    (s / (1.0 + s), (1.0 + s).powi(-2))
}
