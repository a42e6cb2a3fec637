//! Sign features in four dimensions: psi(x; w) = sign(w'x) with w standard normal.

use std::f64::consts::PI;

use noregret_numeric::draw::Draw;

/// An input.
pub(crate) type InputVector = [f64; 4];

/// A standard normal vector: an input, or the parameters of a feature.
pub(crate) fn normal(draw: &mut Draw) -> InputVector {
    std::array::from_fn(|_| draw.normal())
}

/// psi(x; w).
pub(crate) fn feature(x: &InputVector, w: &InputVector) -> f64 {
    if dot(x, w) >= 0.0 { 1.0 } else { -1.0 }
}

/// K(x, z) = 1 - 2 angle(x, z) / pi.
pub(crate) fn kernel(x: &InputVector, z: &InputVector) -> f64 {
    let (scale, other) = (dot(x, x).sqrt(), dot(z, z).sqrt());
    let along = |sign: f64| -> f64 {
        let difference = x.iter().zip(z).map(|(a, b)| (a / scale + sign * b / other).powi(2));
        difference.sum::<f64>().sqrt()
    };
    // Twice the angle whose tangent is |u - v| / |u + v|: unlike the inverse cosine, this is accurate near 0.
    1.0 - 4.0 * along(-1.0).atan2(along(1.0)) / PI
}

fn dot(a: &InputVector, b: &InputVector) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
