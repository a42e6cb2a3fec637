//! Finds the ridge regression that solves the least-squares problem over a ball.
//!
//! In the eigenbasis of the Gram matrix, with eigenvalues w_k and squared projections b_k = beta_k^2 of the targets,
//! the ridge regression with penalty nu has squared norm sum_k w_k b_k / (w_k + nu)^2, which decreases as nu grows.

/// The penalty nu whose ridge regression has norm `radius`, for `modes` (w_k, b_k) with w_k > 0; 0 if the unpenalised
/// one lies in the ball, infinite for radius 0.
pub fn of_radius(modes: &[(f64, f64)], radius: f64) -> f64 {
    let norm2 = |nu: f64| modes.iter().map(|(w, b)| w * b / ((w + nu) * (w + nu))).sum::<f64>();
    if norm2(0.0) <= radius * radius {
        return 0.0;
    }
    // sum w b / (w + nu)^2 <= sum w b / nu^2 bounds nu from above.
    let (mut low, mut high) = (0.0, modes.iter().map(|(w, b)| w * b).sum::<f64>().sqrt() / radius);
    if !high.is_finite() {
        return f64::INFINITY;
    }
    // Newton's method on 1/radius - 1/norm(nu), which is nearly linear; bisection where it leaves the bracket.
    let mut nu = 0.0;
    for _ in 0..200 {
        let squared = norm2(nu);
        let norm = squared.sqrt();
        if norm > radius {
            low = nu;
        } else {
            high = nu;
        }
        let slope = modes.iter().map(|(w, b)| w * b / (w + nu).powi(3)).sum::<f64>();
        let newton = nu + (squared / slope) * (norm - radius) / radius;
        let next = if newton > low && newton < high { newton } else { low + (high - low) / 2.0 };
        if (next - nu).abs() <= 2.0 * f64::EPSILON * next || next == low || next == high {
            return next;
        }
        nu = next;
    }
    nu
}
