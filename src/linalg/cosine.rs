//! Cosines of many numbers at once.

use crate::linalg::simd::vectorised;

/// Beyond this the reduction below loses digits, and the library's cosine takes over.
const LARGEST: f64 = 1e6;

/// pi as a sum of three numbers, the first two with 33 bits, so that their products with integers up to 2^20 are exact.
const PI: [f64; 3] =
    [2.0 * 1.570_796_326_734_125_6, 2.0 * 6.077_100_506_303_966e-11, 2.0 * 2.022_266_248_795_950_6e-21];

/// 3 * 2^51: adding it rounds to an integer, which then stands in the lowest bits.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// (-1)^k / (2k)! for k = 1..=10: the remainder of the series is below 2e-17 on [-pi/2, pi/2].
const SERIES: [f64; 10] = [
    -1.0 / 2.0,
    1.0 / 24.0,
    -1.0 / 720.0,
    1.0 / 40_320.0,
    -1.0 / 3_628_800.0,
    1.0 / 479_001_600.0,
    -1.0 / 87_178_291_200.0,
    1.0 / 20_922_789_888_000.0,
    -1.0 / 6_402_373_705_728_000.0,
    1.0 / 2_432_902_008_176_640_000.0,
];

/// Replaces each number by its cosine, to an absolute error below 5e-16.
pub fn cosines(values: &mut [f64]) {
    if values.iter().all(|value| value.abs() <= LARGEST) {
        moderate(values);
    } else {
        values.iter_mut().for_each(|value| *value = value.cos());
    }
}

vectorised! {
    fn moderate<'a>(values: &'a mut [f64]) -> () {
        for value in values {
            let shifted = *value * std::f64::consts::FRAC_1_PI + ROUND;
            let turns = shifted - ROUND;
            let rest = ((*value - turns * PI[0]) - turns * PI[1]) - turns * PI[2];
            let square = rest * rest;
            let mut sum = SERIES[9];
            for coefficient in SERIES[..9].iter().rev() {
                sum = sum * square + coefficient;
            }
            let cosine = 1.0 + square * sum;
            // An odd number of half turns changes the sign.
            *value = f64::from_bits(cosine.to_bits() ^ (shifted.to_bits() << 63));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_library_everywhere() {
        let mut worst = 0.0f64;
        for scale in [1e-3, 1.0, 3.0, 100.0, 1e5, 9.9e5] {
            let arguments: Vec<f64> = (-500..=500).map(|i| scale * f64::from(i) / 500.0).collect();
            let mut found = arguments.clone();
            cosines(&mut found);
            for (x, found) in arguments.iter().zip(found) {
                worst = worst.max((found - x.cos()).abs());
            }
        }
        assert!(worst < 5e-16, "{worst}");
        let mut far = [1e200, -1e15, 0.5, f64::INFINITY];
        cosines(&mut far);
        assert_eq!(far[..3], [1e200f64.cos(), (-1e15f64).cos(), 0.5f64.cos()]);
        assert!(far[3].is_nan());
    }
}
