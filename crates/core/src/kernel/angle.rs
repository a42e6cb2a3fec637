//! Angles between (bias, x) and (bias, z), for kernels that depend on them.
//!
//! Nothing here overflows or loses digits near 0: vectors are scaled by their largest entry, and the angle between unit
//! vectors u, v is 2 atan2(|u - v|, |u + v|) (near 0 the arc cosine of <u, v> would be wrong by 1e-8).

use std::f64::consts::PI;

use crate::kernel::api::Kernel;

/// The lengths of (bias, x) and (bias, z) and the angle between them; see [`wedge`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Wedge {
    /// |(bias, x)|.
    pub left: f64,
    /// |(bias, z)|.
    pub(crate) right: f64,
    /// Between 0 and pi; pi/2 if one of the vectors is 0.
    pub(crate) angle: f64,
}

/// The lengths of (bias, x) and (bias, z) and the angle between them.
pub(crate) fn wedge(bias: f64, x: &[f64], z: &[f64]) -> Wedge {
    let (left, right) = (length(bias, x), length(bias, z));
    if left == 0.0 || right == 0.0 {
        return Wedge { left, right, angle: 0.5 * PI };
    }
    let unit = |x: f64, z: f64| (x / left, z / right);
    let first = unit(bias, bias);
    let mut sums = ((first.0 - first.1).powi(2), (first.0 + first.1).powi(2));
    for (x, z) in x.iter().zip(z) {
        let (u, v) = unit(*x, *z);
        sums.0 += (u - v) * (u - v);
        sums.1 += (u + v) * (u + v);
    }
    Wedge { left, right, angle: 2.0 * sums.0.sqrt().atan2(sums.1.sqrt()) }
}

/// |(bias, x)|, infinite only if it exceeds the range of floating point.
pub(crate) fn length(bias: f64, x: &[f64]) -> f64 {
    let largest = x.iter().fold(bias.abs(), |largest, x| largest.max(x.abs()));
    // Squares of moderate numbers neither overflow nor vanish.
    if largest == 0.0 || (1e-140..1e140).contains(&largest) {
        return x.iter().fold(bias * bias, |sum, x| sum + x * x).sqrt();
    }
    let scaled = |value: f64| (value / largest) * (value / largest);
    largest * x.iter().fold(scaled(bias), |sum, x| sum + scaled(*x)).sqrt()
}

/// k(x, z) = constant - slope theta, theta the angle between (1, x) and (1, z).
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinearInAngle {
    /// k(x, x).
    pub(crate) constant: f64,
    /// Decrease per radian.
    pub slope: f64,
}

impl Kernel for LinearInAngle {
    fn evaluate(&self, x: &[f64], z: &[f64]) -> f64 {
        self.constant - wedge(1.0, x, z).angle * self.slope
    }

    fn largest_diagonal(&self) -> Option<f64> {
        Some(self.constant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_by_hand_also_of_extreme_vectors() {
        for scale in [1e-200, 1.0, 1e200] {
            let found = wedge(0.0, &[scale, 0.0], &[scale, scale]);
            assert!((found.angle - 0.25 * PI).abs() < 1e-15, "{found:?}");
            assert!((found.right / scale - 2f64.sqrt()).abs() < 1e-15, "{found:?}");
        }
        // (1, 0) and (1, t): the angle atan t keeps all its digits.
        let tiny = wedge(1.0, &[0.0], &[1e-9]);
        assert!((tiny.angle - 1e-9).abs() < 1e-23, "{tiny:?}");
        assert_eq!(wedge(1.0, &[0.3, 2.0], &[0.3, 2.0]).angle, 0.0);
        assert_eq!(wedge(0.0, &[0.0], &[2.0]).angle, 0.5 * PI);
    }
}
