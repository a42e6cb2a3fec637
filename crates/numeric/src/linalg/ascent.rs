//! Local maximisation of a function of a few variables over a box, using only its values.

use crate::linalg::vector::dot;

/// Step of the forward differences, for variables of about unit size.
const STEP: f64 = 1e-7;
/// A step must bring this fraction of the increase that the gradient promises.
const ARMIJO: f64 = 1e-4;
/// A step that brings less than this, relative to the value, is the last one.
const TOLERANCE: f64 = 1e-10;
/// Number of halvings of a step before the search gives up.
const HALVINGS: usize = 25;

/// Maximises `value` over [low, high]^n, starting from `x`, which becomes the point found; returns the value there.
/// Asks for about `evaluations` values at most.
///
/// It takes projected quasi-Newton steps. Variables that the gradient pushes out of the box stay where they are. The
/// others move by a BFGS approximation of the inverse Hessian if the function was concave along the last step, and by
/// the gradient otherwise. Steps are projected and halved until they bring enough.
///
/// Source: D. Bertsekas, SIAM J. on Control and Optimization 20 (1982); gradients by forward differences.
pub fn maximise(mut value: impl FnMut(&[f64]) -> f64, x: &mut [f64], low: f64, high: f64, evaluations: usize) -> f64 {
    let n = x.len();
    let mut best = value(x);
    let mut used = 1;
    let mut inverse = Inverse::new(n);
    let (mut gradient, mut last) = (vec![0.0; n], vec![0.0; n]);
    let (mut direction, mut next, mut moved) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    let mut fresh = true;
    while used + n < evaluations {
        std::mem::swap(&mut gradient, &mut last);
        for i in 0..n {
            let kept = x[i];
            // Inwards, so that the function is never evaluated outside the box.
            let step = if kept + STEP > high { -STEP } else { STEP };
            x[i] = kept + step;
            gradient[i] = (value(x) - best) / (x[i] - kept);
            x[i] = kept;
        }
        used += n;
        if !fresh {
            inverse.learn(&moved, &gradient, &last);
        }
        let held = |i: usize| (x[i] >= high && gradient[i] > 0.0) || (x[i] <= low && gradient[i] < 0.0);
        inverse.apply(&gradient, &mut direction, held);
        if dot(&direction, &gradient) <= 0.0 {
            inverse = Inverse::new(n);
            inverse.apply(&gradient, &mut direction, held);
        }
        // The first step reaches across the box: the maxima of convex functions are at its corners.
        let longest = direction.iter().fold(0.0f64, |longest, d| longest.max(d.abs()));
        if longest.is_nan() || longest <= f64::MIN_POSITIVE {
            break;
        }
        let mut scale = if inverse.known { 1.0 } else { (high - low) / longest };
        let mut gained = None;
        for _ in 0..HALVINGS {
            for i in 0..n {
                next[i] = (x[i] + scale * direction[i]).clamp(low, high);
                moved[i] = next[i] - x[i];
            }
            let found = value(&next);
            used += 1;
            if found >= best + ARMIJO * dot(&gradient, &moved) && found > best {
                gained = Some(found);
                break;
            }
            scale /= 2.0;
        }
        let Some(found) = gained else { break };
        let gain = found - best;
        x.copy_from_slice(&next);
        best = found;
        fresh = false;
        if gain <= TOLERANCE * (1.0 + best.abs()) {
            break;
        }
    }
    best
}

/// An approximation of the inverse of minus the Hessian, positive definite.
struct Inverse {
    n: usize,
    entries: Vec<f64>,
    /// Whether it holds any curvature yet.
    known: bool,
}

impl Inverse {
    fn new(n: usize) -> Self {
        let mut entries = vec![0.0; n * n];
        entries.iter_mut().step_by(n + 1).for_each(|entry| *entry = 1.0);
        Self { n, entries, known: false }
    }

    /// The BFGS update for a step `s` over which the gradient fell from `before` to `after`; forgets everything if it
    /// did not fall.
    fn learn(&mut self, s: &[f64], after: &[f64], before: &[f64]) {
        let n = self.n;
        let fall: Vec<f64> = before.iter().zip(after).map(|(b, a)| b - a).collect();
        let curvature = dot(s, &fall);
        if curvature <= 1e-12 * dot(&fall, &fall) {
            *self = Self::new(n);
            return;
        }
        if !self.known {
            let scale = curvature / dot(&fall, &fall);
            self.entries.iter_mut().for_each(|entry| *entry *= scale);
            self.known = true;
        }
        let product: Vec<f64> = (0..n).map(|i| dot(&self.entries[i * n..(i + 1) * n], &fall)).collect();
        let factor = (1.0 + dot(&fall, &product) / curvature) / curvature;
        for i in 0..n {
            for j in 0..n {
                self.entries[i * n + j] += factor * s[i] * s[j] - (s[i] * product[j] + product[i] * s[j]) / curvature;
            }
        }
    }

    /// The step for a gradient; variables that are `held` do not move.
    fn apply(&self, gradient: &[f64], out: &mut [f64], held: impl Fn(usize) -> bool) {
        for (i, step) in out.iter_mut().enumerate() {
            let row = self.entries[i * self.n..(i + 1) * self.n].iter().zip(gradient).enumerate();
            let sum = row.filter(|(j, _)| !held(*j)).map(|(_, (entry, slope))| entry * slope).sum();
            *step = if held(i) { 0.0 } else { sum };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inner_maximum_is_found() {
        // Concave, badly scaled, maximum at (0.3, -0.2, 0.5).
        let value = |x: &[f64]| {
            let [a, b, c] = [x[0] - 0.3, x[1] + 0.2, x[2] - 0.5];
            -(a * a + 30.0 * (b + a) * (b + a) + 5.0 * c * c) - (a * c).powi(2)
        };
        let mut x = [0.9, 0.9, -0.9];
        let best = maximise(value, &mut x, -1.0, 1.0, 1000);
        assert!(best.abs() < 1e-9, "{best} {x:?}");
        assert!((x[0] - 0.3).abs() < 1e-4 && (x[1] + 0.2).abs() < 1e-4 && (x[2] - 0.5).abs() < 1e-4, "{x:?}");
    }

    #[test]
    fn convex_functions_end_in_a_corner_and_nothing_is_asked_outside_the_box() {
        let value = |x: &[f64]| {
            assert!(x.iter().all(|x| (-1.0..=1.0).contains(x)), "{x:?}");
            x.iter().map(|x| (x + 0.1) * (x + 0.1)).sum()
        };
        let mut x = [0.2, 0.9, 1.0, 0.0];
        assert!((maximise(value, &mut x, -1.0, 1.0, 500) - 4.0 * 1.21).abs() < 1e-12);
        assert_eq!(x, [1.0; 4]);
    }

    #[test]
    fn a_maximum_on_an_edge_is_found() {
        // The maximum over the box is at (1, 0.5): held in one variable, free in the other.
        let value = |x: &[f64]| 3.0 * x[0] - (x[1] - 0.5 * x[0]).powi(2) * 4.0;
        let mut x = [-0.7, 0.9];
        let best = maximise(value, &mut x, -1.0, 1.0, 500);
        assert!((best - 3.0).abs() < 1e-8 && x[0] == 1.0 && (x[1] - 0.5).abs() < 1e-4, "{best} {x:?}");
    }

    #[test]
    fn values_that_are_not_numbers_end_the_search() {
        let mut x = [0.5, 0.5];
        assert!(maximise(|_| f64::NAN, &mut x, -1.0, 1.0, 100).is_nan());
        let mut flat = [0.5];
        assert_eq!(maximise(|_| 2.0, &mut flat, -1.0, 1.0, 100), 2.0);
    }
}
