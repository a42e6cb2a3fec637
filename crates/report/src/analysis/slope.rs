//! Straight lines on log-log axes.

use crate::analysis::summary::sum;

/// ln y = `intercept` + `slope` ln x, by ordinary least squares with equal weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PowerLaw {
    /// The exponent of x.
    pub slope: f64,
    /// The logarithm of the factor.
    pub(crate) intercept: f64,
}

/// Fits a power law; none unless all values are positive and at least two x differ.
pub(crate) fn power_law(points: &[(f64, f64)]) -> Option<PowerLaw> {
    if !points.iter().all(|&(x, y)| x > 0.0 && y > 0.0 && x.is_finite() && y.is_finite()) {
        return None;
    }
    let count = points.len() as f64;
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let mean_x = sum(logs.iter().map(|point| point.0)) / count;
    let mean_y = sum(logs.iter().map(|point| point.1)) / count;
    let spread = sum(logs.iter().map(|(x, _)| (x - mean_x).powi(2)));
    let joint = sum(logs.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)));
    (spread > 0.0).then(|| {
        let slope = joint / spread;
        PowerLaw { slope, intercept: mean_y - slope * mean_x }
    })
}

#[cfg(test)]
mod tests {
    use super::power_law;

    /// The means of the golden vector for rate fits (computed with numpy): slope 0.4996952993629757.
    #[test]
    fn golden_slope() {
        let points =
            [(1000.0, 74.5125), (3000.0, 130.605), (10000.0, 239.37), (30000.0, 420.0325), (100000.0, 737.945)];
        let fit = power_law(&points).unwrap();
        assert!((fit.slope - 0.4996952993629757).abs() < 1e-13, "{}", fit.slope);
    }

    #[test]
    fn an_exact_power_law() {
        let fit = power_law(&[(1.0, 3.0), (4.0, 6.0), (16.0, 12.0)]).unwrap();
        assert!((fit.slope - 0.5).abs() < 1e-15);
        assert!((fit.intercept - 3.0_f64.ln()).abs() < 1e-15);
    }

    #[test]
    fn no_line_through_too_little() {
        assert_eq!(power_law(&[(1.0, 1.0)]), None);
        assert_eq!(power_law(&[]), None);
        assert_eq!(power_law(&[(1.0, 1.0), (2.0, -1.0)]), None);
        assert_eq!(power_law(&[(2.0, 1.0), (2.0, 3.0)]), None);
    }
}
