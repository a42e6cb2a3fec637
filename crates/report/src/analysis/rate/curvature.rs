//! Whether a straight line on log-log axes is the right picture.

use serde::{Deserialize, Serialize};

use crate::analysis::rate::exponent::half_width;
use crate::analysis::rate::sample::RateSample;
use crate::analysis::summary::{LEVEL, sum};
use noregret_papers::theorem::GrowthRate;

/// The bend of a curve on log-log axes: by how much its slope changes from the first horizon to the last, in the
/// least-squares parabola.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bend {
    /// Change of slope; 2 c (x_n - x_1) with c the coefficient of the square.
    pub(crate) change: f64,
    /// Half the width of its 95 % jackknife interval.
    pub half_width: f64,
    /// Whether the interval excludes zero and the slope at the ends differs from that in the middle by more than the
    /// margin. A bend that is certain but small does not make the exponent misleading.
    pub curved: bool,
}

/// The bend of the means, relative to a shape: that of m / g. None with fewer than four horizons, or where a mean is
/// not positive.
pub fn bend(sample: &RateSample, shape: &GrowthRate, margin: f64) -> Option<Bend> {
    let t = sample.t();
    let x: Vec<f64> = t.iter().map(|t| t.ln()).collect();
    let square = residual_square(&x)?;
    let length = x.last()? - x.first()?;
    let found = sample.jackknife(|means| {
        let positive = means.iter().all(|mean| *mean > 0.0 && mean.is_finite());
        positive.then(|| {
            let terms = means.iter().zip(&t).zip(&square).map(|((mean, t), z)| z * (mean.ln() - shape.ln(*t)));
            2.0 * length * sum(terms) / sum(square.iter().map(|z| z * z))
        })
    })?;
    let half_width = half_width(&found, LEVEL);
    let curved = found.value.abs() > half_width && found.value.abs() > 2.0 * margin;
    Some(Bend { change: found.value, half_width, curved })
}

/// z: u^2 without its projections on the constants and on u = x - mean x. The coefficient of the square in the
/// least-squares parabola through y is <z, y> / <z, z>.
fn residual_square(x: &[f64]) -> Option<Vec<f64>> {
    let count = x.len() as f64;
    let mean = sum(x.iter().copied()) / count;
    let u: Vec<f64> = x.iter().map(|x| x - mean).collect();
    let second = sum(u.iter().map(|u| u * u));
    let constant = second / count;
    let linear = sum(u.iter().map(|u| u * u * u)) / second;
    (x.len() >= 4).then(|| u.iter().map(|u| u * u - constant - linear * u).collect())
}

#[cfg(test)]
mod tests {
    use super::bend;
    use crate::analysis::rate::sample::RateSample;
    use noregret_numeric::draw::{Draws, Role};
    use noregret_papers::theorem::GrowthRate;

    fn sample(value: impl Fn(f64) -> f64, noise: f64, key: u64) -> RateSample {
        let horizons: Vec<u64> = (10..18).map(|power| 1 << power).collect();
        let draws = Draws::named(&["test", "bend"]);
        let row = |seed: u64| {
            let mut draw = draws.at(Role::Example, 16 * key + seed);
            horizons.iter().map(|t| value(*t as f64) * (noise * draw.normal()).exp()).collect()
        };
        RateSample { values: (0..5).map(row).collect(), replicates: (0..5).collect(), horizons }
    }

    /// The parabola of x^2 / 10 has slope x / 5.
    #[test]
    fn the_bend_of_a_parabola() {
        let found = bend(&sample(|t| (0.1 * t.ln().powi(2)).exp(), 0.0, 0), &GrowthRate::power(0.0), 0.05).unwrap();
        assert!((found.change - 0.2 * 7.0 * 2.0_f64.ln()).abs() < 1e-10, "{found:?}");
        assert!(found.curved);
    }

    /// Relative to its own shape a logarithm is straight; to a power it is not.
    #[test]
    fn logarithms_are_straight_relative_to_themselves() {
        let log = sample(|t| t.ln().powi(3), 0.0, 0);
        assert!(!bend(&log, &GrowthRate::log(3.0), 0.05).unwrap().curved);
        assert!(bend(&log, &GrowthRate::power(0.0), 0.05).unwrap().curved);
    }

    /// A floor of a third of the last value is found under 5 % noise in each of 20 samples. Without a floor, 200
    /// samples give at most 19 alarms; alarms at a rate of 5 % would exceed this with probability under 0.5 %.
    #[test]
    fn floors_bend_and_powers_do_not() {
        let floor = |t: f64| t.powf(-2.0 / 3.0) + 0.3 * 131_072.0_f64.powf(-2.0 / 3.0);
        assert!((0..20).all(|key| bend(&sample(floor, 0.02, key), &GrowthRate::power(0.0), 0.05).unwrap().curved));
        let power = |t: f64| t.sqrt();
        let alarm = |key: &u64| bend(&sample(power, 0.3, *key), &GrowthRate::power(0.5), 0.05).unwrap().curved;
        let alarms = (0..200).filter(alarm).count();
        assert!(alarms <= 19, "{alarms} alarms in 200 samples");
    }
}
