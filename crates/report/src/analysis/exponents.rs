//! What theory says about small dictionaries, as curves: exponents of regret against exponents of size.

pub(crate) use noregret_papers::pkawv::bounds::Algorithm;

/// The corners of the line of `algorithm` over sizes n^0 to n^1, as (exponent of the size, exponent of the regret), for
/// 0 < `gamma` < 1.
pub(crate) fn line(algorithm: Algorithm, gamma: f64) -> Vec<(f64, f64)> {
    let knee = algorithm.knee(gamma).min(1.0);
    [0.0, knee, 1.0].into_iter().map(|size| (size, algorithm.exponent(gamma, size))).collect()
}

/// The name of an algorithm in figures.
pub(crate) fn name(algorithm: Algorithm) -> &'static str {
    match algorithm {
        Algorithm::Pkawv => "PKAWV",
        Algorithm::Beforehand => "PKAWV, beforehand",
        Algorithm::SketchedKons => "Sketched-KONS",
        Algorithm::ProsNKons => "Pros-N-KONS",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines are straight between the corners.
    #[test]
    fn corners_tell_the_whole_line() {
        for gamma in [0.2, 0.6] {
            for algorithm in Algorithm::ALL {
                let corners = line(algorithm, gamma);
                for pair in corners.windows(2) {
                    let middle = (pair[0].0 + pair[1].0) / 2.0;
                    let between = (pair[0].1 + pair[1].1) / 2.0;
                    assert!((algorithm.exponent(gamma, middle) - between).abs() < 1e-12, "{algorithm:?} {gamma}");
                }
                assert_eq!(corners[0], (0.0, 1.0));
            }
        }
    }
}
