//! The exponential function as plain arithmetic, so that loops over it are compiled to vector instructions.

/// 1.5 * 2^52: adding it rounds to the nearest integer, which is then in the low bits.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// ln 2 in two parts; the products of the first with integers below 2^11 are exact.
const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// Below it, the result is taken for 0: the smallest normal number is exp(-708.4).
const SMALLEST: f64 = -708.0;

/// exp(x) for x <= 0 (up to +inf distance below: exp(-inf) = 0), to about 2 units in the last place. The same bits with
/// and without vector instructions.
#[inline(always)]
pub fn exp_of_negative(x: f64) -> f64 {
    let clamped = if x < SMALLEST { SMALLEST } else { x };
    let shifted = clamped * std::f64::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = (clamped - n * LN_2_HIGH) - n * LN_2_LOW;
    // Taylor to degree 13 on |r| <= ln 2 / 2: the rest is below 4e-18.
    let mut sum = 1.0 / 6_227_020_800.0;
    sum = sum * r + 1.0 / 479_001_600.0;
    sum = sum * r + 1.0 / 39_916_800.0;
    sum = sum * r + 1.0 / 3_628_800.0;
    sum = sum * r + 1.0 / 362_880.0;
    sum = sum * r + 1.0 / 40_320.0;
    sum = sum * r + 1.0 / 5_040.0;
    sum = sum * r + 1.0 / 720.0;
    sum = sum * r + 1.0 / 120.0;
    sum = sum * r + 1.0 / 24.0;
    sum = sum * r + 1.0 / 6.0;
    sum = sum * r + 0.5;
    sum = sum * r + 1.0;
    sum = sum * r + 1.0;
    // 2^n, from the low bits of `shifted`.
    let power = f64::from_bits((shifted.to_bits() << 52).wrapping_add(1.0f64.to_bits()));
    if x < SMALLEST { 0.0 } else { sum * power }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_library() {
        for i in 0..200_000 {
            let x = -f64::from(i) * 0.003_541;
            let (found, expected) = (exp_of_negative(x), x.exp());
            let bound = if x < SMALLEST { 1e-307 } else { 5e-16 * expected };
            assert!((found - expected).abs() <= bound, "{x}: {found} {expected}");
        }
        assert_eq!(exp_of_negative(0.0), 1.0);
        assert_eq!(exp_of_negative(f64::NEG_INFINITY), 0.0);
        assert_eq!(exp_of_negative(-1e300), 0.0);
    }
}
