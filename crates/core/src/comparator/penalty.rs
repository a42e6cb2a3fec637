//! Finds the ridge regression that solves the least-squares problem over a ball, and its loss.
//!
//! In the eigenbasis of the Gram matrix, with eigenvalues w_k and squared projections b_k = beta_k^2 of the targets,
//! the ridge regression with penalty nu has squared norm sum_k w_k b_k / (w_k + nu)^2, which decreases as nu grows.

/// The eigenvalues w_k > 0 with their b_k, and the sum of the b_k of the others: those up to a few
/// units in the last place of the largest are rounding errors of zero.
pub(crate) fn modes(values: &[f64], projections: impl Iterator<Item = f64>) -> (Vec<(f64, f64)>, f64) {
    let threshold = values.len() as f64 * f64::EPSILON * values.iter().copied().fold(0.0, f64::max);
    let (modes, none): (Vec<_>, Vec<_>) =
        values.iter().copied().zip(projections).partition(|(value, _)| *value > threshold);
    (modes, none.iter().map(|(_, squared)| squared).sum())
}

/// The smallest loss over a ball of this `radius`: sum_k (nu / (w_k + nu))^2 b_k + `rest`, where `rest` is what no
/// function explains.
pub(crate) fn loss(modes: &[(f64, f64)], rest: f64, radius: f64) -> f64 {
    let penalty = of_radius(modes, radius);
    let loss = |(value, squared): &(f64, f64)| {
        // nu / (w + nu), which is 1 for nu = infinity.
        let share = (1.0 + value / penalty).recip();
        squared * share * share
    };
    rest + modes.iter().map(loss).sum::<f64>()
}

/// The penalty nu whose ridge regression has norm `radius`, for `modes` (w_k, b_k) with w_k > 0; 0 if the unpenalised
/// one lies in the ball, infinite for radius 0.
pub(crate) fn of_radius(modes: &[(f64, f64)], radius: f64) -> f64 {
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
