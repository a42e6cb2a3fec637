//! Exponential, hyperbolic tangent, sine and cosine without branches, so that loops over them compile to vector
//! instructions.
//!
//! Unless something else is stated, they are accurate to two units in the last place on the stated ranges. The order of
//! operations is fixed, and fused operations are written explicitly (they round once, in hardware or not). So the bits
//! are the same for single numbers, in slices, and on every processor.

use crate::linalg::simd::vectorised;

/// 1.5 * 2^52: adding it to a number below 2^51 leaves the nearest integer in the low bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// log 2 in two parts. The first has so few bits that its product with an exponent is exact.
const LN_2_HIGH: f64 = f64::from_bits(0x3FE6_2E42_FEE0_0000);
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// (exp(r) - 1 - r) / r^2 on |r| <= log(2) / 2 by interpolation at Chebyshev nodes, in ascending powers: exp(r) to a
/// relative error of 1.6e-17.
const EXP: [f64; 10] = [
    0.500_000_000_000_000_1,
    0.166_666_666_666_666_69,
    0.041_666_666_666_624_164,
    0.008_333_333_333_330_065,
    0.001_388_888_891_719_689,
    0.000_198_412_698_630_406_75,
    2.480_152_132_210_459e-5,
    2.755_726_848_010_692_6e-6,
    2.762_007_600_563_138e-7,
    2.510_037_592_918_592_5e-8,
];

/// x = n log 2 + r as (n + [`ROUNDER`], exp(r)).
#[inline(always)]
fn reduced_exp(x: f64) -> (f64, f64) {
    let shifted = x.mul_add(std::f64::consts::LOG2_E, ROUNDER);
    let n = shifted - ROUNDER;
    let r = n.mul_add(-LN_2_LOW, n.mul_add(-LN_2_HIGH, x));
    // Pairs of terms, then Horner in r^2: a shorter chain of dependent operations.
    let (r2, pair) = (r * r, |k: usize| r.mul_add(EXP[k + 1], EXP[k]));
    let upper = r2.mul_add(r2.mul_add(pair(8), pair(6)), pair(4));
    let tail = r2.mul_add(r2.mul_add(upper, pair(2)), pair(0));
    (shifted, 1.0 + r2.mul_add(tail, r))
}

/// exp(x) for every x: 0 below the range of floating point, infinity above it, NaN for NaN.
#[inline(always)]
pub(crate) fn exp(x: f64) -> f64 {
    // Compared so that NaN passes.
    let x = if x < -746.0 { -746.0 } else { x };
    let x = if x > 710.0 { 710.0 } else { x };
    let (shifted, value) = reduced_exp(x);
    // 2^n in two factors, because n may lie outside the exponents of normal numbers.
    let exponents = shifted.to_bits().wrapping_sub(ROUNDER.to_bits()).wrapping_add(2046);
    let (first, second) = (exponents >> 1, exponents - (exponents >> 1));
    value * f64::from_bits(first << 52) * f64::from_bits(second << 52)
}

/// exp(x) for x <= 0, with 0 for what is below the normal numbers; otherwise the bits of [`exp`].
#[inline(always)]
pub fn exp_decay(x: f64) -> f64 {
    let (shifted, value) = reduced_exp(x);
    // n added to the exponent; no number that is kept leaves the normal ones.
    let value = f64::from_bits(value.to_bits().wrapping_add(shifted.to_bits() << 52));
    // Compared so that NaN passes.
    if x < -708.0 { 0.0 } else { value }
}

/// 2^t for |t| <= [`LARGEST_POWER`] only, to a relative error of 9e-16: for sums in which the exponential is the larger
/// part of the work. (2^f - 1) / f by interpolation at Chebyshev nodes of |f| <= 1/2.
#[inline(always)]
pub fn exp2(t: f64) -> f64 {
    let shifted = t + ROUNDER;
    let f = t - (shifted - ROUNDER);
    // Pairs of terms, then Horner in f^2 and f^4: what takes longest is the chain of dependent operations.
    let (f2, pair) = (f * f, |k: usize| f.mul_add(EXP2[k + 1], EXP2[k]));
    let f4 = f2 * f2;
    let (first, second) = (f2.mul_add(pair(2), pair(0)), f2.mul_add(pair(6), pair(4)));
    let value = f4.mul_add(f4.mul_add(f2.mul_add(EXP2[10], pair(8)), second), first);
    f64::from_bits(value.to_bits().wrapping_add(shifted.to_bits() << 52))
}

/// Up to here [`exp2`] stays within the normal numbers.
pub const LARGEST_POWER: f64 = 1000.0;

const EXP2: [f64; 11] = [
    1.0,
    0.693_147_180_559_946_2,
    0.240_226_506_959_100_75,
    0.055_504_108_664_651_67,
    0.009_618_129_107_618_665,
    0.001_333_355_820_079_459_2,
    0.000_154_035_304_247_765_29,
    1.525_267_292_485_073_7e-5,
    1.321_545_163_322_143_4e-6,
    1.020_590_541_376_559_5e-7,
    7.070_977_866_508_138e-9,
];

/// tanh(x) for every x, to an absolute error below 4e-16; NaN for NaN.
#[inline(always)]
pub fn tanh(x: f64) -> f64 {
    (1.0 - 2.0 / (exp(2.0 * x.abs()) + 1.0)).copysign(x)
}

/// pi / 2 in three parts of 33 bits and the rest.
const HALF_PI: [f64; 3] = [1.570_796_326_734_125_6, 6.077_100_506_303_966e-11, 2.022_266_248_795_950_6e-21];

/// Up to here the reduction by multiples of pi / 2 keeps an absolute accuracy of 1e-16.
pub(crate) const LARGEST_ANGLE: f64 = 1e6;

/// sin(pi/2 r) / r and (cos(pi/2 r) - 1) / r^2 in ascending powers of r^2 on |r| <= 1/2, by interpolation at Chebyshev
/// nodes: to absolute errors of 3e-17 and 2e-16.
const QUARTER_SINE: [f64; 7] = [
    std::f64::consts::FRAC_PI_2,
    -0.645_964_097_506_244_3,
    0.079_692_626_246_043_01,
    -0.004_681_754_132_340_976,
    0.000_160_441_150_742_190_9,
    -3.598_643_352_982_31e-6,
    5.633_933_781_537_854e-8,
];
const QUARTER_COSINE: [f64; 6] = [
    -1.233_700_550_136_169,
    0.253_669_507_900_830_4,
    -0.020_863_480_753_196_88,
    0.000_919_260_101_442_624_9,
    -2.520_070_376_196_541_4e-5,
    4.663_205_388_690_343_7e-7,
];

/// Up to so many quarters of a turn [`sin_cos_quarters`] finds the quadrant.
pub const LARGEST_QUARTERS: f64 = 1_125_899_906_842_624.0; // 2^50

/// (sin(pi/2 x), cos(pi/2 x)) for |x| up to [`LARGEST_QUARTERS`], to an absolute error below 5e-16: of angles in quarters of
/// a turn, which take no multiplication to be reduced, and are reduced exactly.
#[inline(always)]
pub fn sin_cos_quarters(x: f64) -> (f64, f64) {
    let shifted = x + ROUNDER;
    let r = x - (shifted - ROUNDER);
    let square = r * r;
    let fourth = square * square;
    let (sines, cosines) = (&QUARTER_SINE, &QUARTER_COSINE);
    let pair = |c: &[f64], k: usize| square.mul_add(c[k + 1], c[k]);
    let upper = fourth.mul_add(fourth.mul_add(sines[6], pair(sines, 4)), pair(sines, 2));
    let sine = r * fourth.mul_add(upper, pair(sines, 0));
    let upper = fourth.mul_add(pair(cosines, 4), pair(cosines, 2));
    let cosine = square.mul_add(fourth.mul_add(upper, pair(cosines, 0)), 1.0);
    let quadrant = shifted.to_bits();
    let swap = quadrant & 1 == 1;
    let (first, second) = if swap { (cosine, sine) } else { (sine, cosine) };
    // Signs by quadrant: sine negative in 2 and 3, cosine in 1 and 2.
    let (sine_sign, cosine_sign) = ((quadrant & 2) << 62, (quadrant.wrapping_add(1) & 2) << 62);
    (f64::from_bits(first.to_bits() ^ sine_sign), f64::from_bits(second.to_bits() ^ cosine_sign))
}

vectorised! {
    /// `values[i] = exp(factor * values[i])`.
    pub fn exp_scaled<'a>(values: &'a mut [f64], factor: f64) -> () {
        for value in values {
            *value = exp(factor * *value);
        }
    }
}

/// From angles in `sines`, in quarters of a turn: `sines[i] = scale sin(pi/2 a_i)`, `cosines[i] = scale cos(pi/2 a_i)`.
/// Slices of equal length.
pub fn sin_cos_scaled(sines: &mut [f64], cosines: &mut [f64], scale: f64) {
    for angle in sines.iter_mut().filter(|angle| angle.abs() > LARGEST_QUARTERS) {
        // Exact.
        *angle %= 4.0;
    }
    scaled_waves(sines, cosines, scale);
}

vectorised! {
    fn scaled_waves<'a>(sines: &'a mut [f64], cosines: &'a mut [f64], scale: f64) -> () {
        for (sine, cosine) in sines.iter_mut().zip(cosines) {
            let (s, c) = sin_cos_quarters(*sine);
            (*sine, *cosine) = (s * scale, c * scale);
        }
    }
}

/// (-1)^k / (2k)! for k = 1..=10: the remainder of the series is below 2e-17 on [-pi/2, pi/2].
const COS_HALF_TURN: [f64; 10] = [
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
    if values.iter().all(|value| value.abs() <= LARGEST_ANGLE) {
        moderate_cosines(values);
    } else {
        values.iter_mut().for_each(|value| *value = value.cos());
    }
}

vectorised! {
    fn moderate_cosines<'a>(values: &'a mut [f64]) -> () {
        for value in values {
            let shifted = value.mul_add(std::f64::consts::FRAC_1_PI, ROUNDER);
            let turns = shifted - ROUNDER;
            let rest = HALF_PI.iter().fold(*value, |rest, part| turns.mul_add(-2.0 * part, rest));
            let square = rest * rest;
            let mut sum = COS_HALF_TURN[9];
            for coefficient in COS_HALF_TURN[..9].iter().rev() {
                sum = sum.mul_add(square, *coefficient);
            }
            let cosine = square.mul_add(sum, 1.0);
            // An odd number of half turns changes the sign.
            *value = f64::from_bits(cosine.to_bits() ^ (shifted.to_bits() << 63));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::{Draws, Role};

    fn ulps(a: f64, b: f64) -> u64 {
        a.to_bits().abs_diff(b.to_bits())
    }

    /// Against the standard library, itself within one unit: 200,000 arguments over the whole range.
    #[test]
    fn exponentials() {
        let mut draw = Draws::named(&["exp"]).at(Role::Start, 0);
        for i in 0..200_000 {
            let width = [1.0, 40.0, 707.0][i % 3];
            let x = draw.between(-width, width);
            assert!(ulps(exp(x), x.exp()) <= 2, "{x}: {} {}", exp(x), x.exp());
        }
        for (x, value) in [(0.0, 1.0), (-1e300, 0.0), (f64::NEG_INFINITY, 0.0), (709.9, f64::INFINITY)] {
            assert_eq!(exp(x), value);
        }
        assert!(exp(f64::NAN).is_nan() && exp_decay(f64::NAN).is_nan());
        for i in 0..=7080 {
            let x = -0.1 * f64::from(i);
            assert_eq!(exp_decay(x), exp(x), "{x}");
        }
        assert_eq!([-708.1, -1e300, f64::NEG_INFINITY].map(exp_decay), [0.0; 3]);
        // Subnormal results lose bits, but no more than their own last one or two.
        for x in [-708.5, -720.25, -740.0, -744.9] {
            assert!((exp(x) - x.exp()).abs() <= 2.0 * 5e-324, "{x}");
        }
    }

    /// 200,000 arguments over the whole range, against the standard library.
    #[test]
    fn powers_of_two() {
        let mut draw = Draws::named(&["exp2"]).at(Role::Start, 0);
        for i in 0..200_000 {
            let width = [0.5, 30.0, LARGEST_POWER][i % 3];
            let t = draw.between(-width, width);
            assert!((exp2(t) / t.exp2() - 1.0).abs() < 9e-16, "{t}: {} {}", exp2(t), t.exp2());
        }
        assert_eq!([0.0, 1.0, -1000.0, 1000.0].map(exp2), [1.0, 2.0, 2f64.powi(-1000), 2f64.powi(1000)]);
    }

    /// 200,000 arguments, and the ends of the range.
    #[test]
    fn hyperbolic_tangents() {
        let mut draw = Draws::named(&["tanh"]).at(Role::Start, 0);
        for i in 0..200_000 {
            let width = [1e-3, 1.0, 25.0][i % 3];
            let x = draw.between(-width, width);
            assert!((tanh(x) - x.tanh()).abs() < 4e-16, "{x}: {} {}", tanh(x), x.tanh());
        }
        for (x, value) in [(0.0, 0.0), (20.0, 1.0), (-1e300, -1.0), (f64::INFINITY, 1.0), (f64::MIN, -1.0)] {
            assert_eq!(tanh(x), value);
        }
        assert!(tanh(f64::NAN).is_nan());
    }

    /// 200,000 angles, whose reduction is exact here and so is asked of the library's remainder.
    #[test]
    fn sines_and_cosines() {
        let mut draw = Draws::named(&["sine"]).at(Role::Start, 0);
        for i in 0..200_000 {
            let width = [1.0, 30.0, 1e6, LARGEST_QUARTERS][i % 4];
            let x = draw.between(-width, width);
            let (s, c) = sin_cos_quarters(x);
            let angle = x % 4.0 * std::f64::consts::FRAC_PI_2;
            assert!((s - angle.sin()).abs() < 1e-15 && (c - angle.cos()).abs() < 1e-15, "{x}: {s} {c}");
        }
        assert_eq!([0.0, 1.0, 2.0, -1.0].map(sin_cos_quarters), [(0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0)]);
    }

    #[test]
    fn slices_have_the_bits_of_single_values_and_bear_any_angle() {
        let angles: Vec<f64> = (0..1000).map(|i| (f64::from(i) - 500.0) * 0.37).collect();
        let (mut sines, mut cosines, mut values) = (angles.clone(), vec![0.0; 1000], angles.clone());
        sin_cos_scaled(&mut sines, &mut cosines, 0.5);
        exp_scaled(&mut values, -0.1);
        for (i, x) in angles.iter().enumerate() {
            let (s, c) = sin_cos_quarters(*x);
            assert_eq!((sines[i], cosines[i], values[i]), (0.5 * s, 0.5 * c, exp(-0.1 * x)));
        }
        let (mut sines, mut cosines) = ([2f64.powi(60), f64::INFINITY, 0.5], [0.0; 3]);
        sin_cos_scaled(&mut sines, &mut cosines, 1.0);
        assert_eq!((sines[0], cosines[0]), (0.0, 1.0));
        assert!(sines[1].is_nan() && cosines[1].is_nan());
        assert!((sines[2] - 0.5f64.sqrt()).abs() < 1e-15);
    }

    #[test]
    fn cosines_agree_with_the_library_everywhere() {
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
