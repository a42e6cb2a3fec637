//! Formats numbers for readers. In markup, `^{..}` is a superscript, as in [`crate::chart::text`].

/// The minus sign of running text.
const MINUS: char = '\u{2212}';
/// A narrow space without a line break, for groups of digits and units.
const THIN: char = '\u{202f}';

/// A whole number in groups of three digits: `45 730`. Numbers of four digits are not grouped.
pub fn grouped(value: u64) -> String {
    let digits = value.to_string();
    if digits.len() <= 4 {
        return digits;
    }
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(THIN);
        }
        text.push(digit);
    }
    text
}

/// `1 bound`, `2 bounds`.
pub(crate) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// `value` with this many significant digits, in ASCII for tables: plain between 1e-4 and 1e7, otherwise as `1.23e-7`.
pub fn significant(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    if value == 0.0 {
        return "0".into();
    }
    // Rounding may carry into the next decade (9.996 to 10.00), so the exponent is read after it.
    let scientific = format!("{:.*e}", digits.saturating_sub(1), value);
    let exponent: i32 = scientific.rsplit('e').next().and_then(|text| text.parse().ok()).unwrap_or_default();
    if (-4..7).contains(&exponent) {
        let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
        format!("{value:.decimals$}")
    } else {
        scientific
    }
}

/// The decimal place of the second significant digit of `width`, which is the precision of mean +- width.
fn decimals_for(width: f64) -> usize {
    let exponent = width.abs().log10().floor() as i32;
    (1 - exponent).clamp(0, 12) as usize
}

/// `mean +- half_width` (with the sign \u{b1}), both to the second significant digit of the half width.
pub fn plus_minus(mean: f64, half_width: Option<f64>) -> String {
    // Averages of equal values may differ by rounding.
    let half_width = half_width.map(|width| if width <= 1e-12 * mean.abs() { 0.0 } else { width });
    match half_width {
        Some(0.0) => format!("{} \u{b1} 0", significant(mean, 5)),
        Some(width) => {
            // Very large and very small numbers are written with powers of ten instead of many zeros.
            let decimals = decimals_for(width);
            if !width.is_finite() || width >= 1e7 || mean.abs() >= 1e7 || decimals > 8 {
                format!("{} \u{b1} {}", significant(mean, 5), significant(width, 2))
            } else {
                let mean = format!("{mean:.decimals$}");
                // A mean that rounds to zero has neither a sign nor decimals.
                let zero = mean.bytes().all(|byte| matches!(byte, b'-' | b'0' | b'.'));
                format!("{} \u{b1} {width:.decimals$}", if zero { "0" } else { &mean })
            }
        }
        None => significant(mean, 5),
    }
}

/// Bytes with a binary unit: `512 B`, `23.4 KiB`.
pub fn bytes(value: f64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut scaled = value;
    let mut unit = 0;
    while scaled >= 1024.0 && unit + 1 < units.len() {
        scaled /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{scaled:.0} B") } else { format!("{scaled:.1} {}", units[unit]) }
}

/// A duration: `3.2 \u{b5}s`, `3.2 ms`, `12.3 s`, `4 min 05 s`, `2 h 03 min`.
pub fn duration(seconds: f64) -> String {
    if !seconds.is_finite() || seconds < 0.0 {
        return "unknown".into();
    }
    // Rounding may carry into the next unit (999.97 ms to 1.0 s), so the unit is chosen after it.
    for (unit, per_second, end) in [("\u{b5}s", 1e6, 1000.0), ("ms", 1e3, 1000.0), ("s", 1.0, 60.0)] {
        // The sum of no times is -0.
        let tenths = (10.0 * per_second * seconds).round() + 0.0;
        if tenths < 10.0 * end {
            return format!("{:.1} {unit}", tenths / 10.0);
        }
    }
    let (whole, minutes) = (seconds.round() as u64, (seconds / 60.0).round() as u64);
    if whole < 3600 {
        format!("{} min {:02} s", whole / 60, whole % 60)
    } else {
        format!("{} h {:02} min", minutes / 60, minutes % 60)
    }
}

/// A difference with its sign, to three decimals.
pub(crate) fn difference(value: f64) -> String {
    // Zero is positive.
    format!("{:+.3}", (1000.0 * value).round() / 1000.0 + 0.0)
}

/// A tick label for 10^`exponent`, in markup.
pub(crate) fn power_of_ten(exponent: i32) -> String {
    format!("10^{{{}}}", signed(&exponent.to_string()))
}

/// A tick label with `decimals` decimals, grouped digits and a true minus sign.
pub(crate) fn tick(value: f64, decimals: usize) -> String {
    if decimals == 0 && (0.0..1e15).contains(&value) {
        grouped(value.round() as u64)
    } else {
        signed(&format!("{value:.decimals$}"))
    }
}

/// A tick label for m 10^e with a small whole m: plain between 1e-3 and 1e6, otherwise `2\u{d7}10^{-4}`.
pub(crate) fn multiple_of_power(multiple: f64, exponent: i32) -> String {
    let value = multiple * 10f64.powi(exponent);
    if (-3..6).contains(&exponent) {
        let own = usize::from(multiple.fract() != 0.0);
        tick(value, (own as i32 - exponent).max(0) as usize)
    } else if multiple == 1.0 {
        power_of_ten(exponent)
    } else {
        format!("{multiple}\u{d7}{}", power_of_ten(exponent))
    }
}

fn signed(text: &str) -> String {
    text.replace('-', &MINUS.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_digits() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(2048), "2048");
        assert_eq!(grouped(45_730), "45\u{202f}730");
        assert_eq!(grouped(1_000_000), "1\u{202f}000\u{202f}000");
    }

    #[test]
    fn significant_digits() {
        assert_eq!(significant(0.060_549, 4), "0.06055");
        assert_eq!(significant(9.9996, 4), "10.00");
        assert_eq!(significant(123_456.0, 3), "123456");
        assert_eq!(significant(1.5e-7, 2), "1.5e-7");
        assert_eq!(significant(0.0, 3), "0");
        assert_eq!(significant(f64::NAN, 3), "NaN");
        assert_eq!(significant(-2.5, 2), "-2.5");
    }

    #[test]
    fn intervals_share_their_decimals() {
        assert_eq!(plus_minus(0.0612345, Some(0.00023)), "0.06123 \u{b1} 0.00023");
        assert_eq!(plus_minus(12.3456, Some(3.21)), "12.3 \u{b1} 3.2");
        assert_eq!(plus_minus(1234.5, Some(250.0)), "1234 \u{b1} 250");
        assert_eq!(plus_minus(-0.000_002, Some(0.000_18)), "0 \u{b1} 0.00018");
        assert_eq!(plus_minus(-0.002, Some(0.15)), "0 \u{b1} 0.15");
        assert_eq!(plus_minus(-0.1, Some(0.15)), "-0.10 \u{b1} 0.15");
        assert_eq!(plus_minus(0.25, None), "0.25000");
        assert_eq!(plus_minus(0.25, Some(0.0)), "0.25000 \u{b1} 0");
        assert_eq!(plus_minus(0.25, Some(4e-17)), "0.25000 \u{b1} 0");
        assert_eq!(plus_minus(0.25, Some(f64::INFINITY)), "0.25000 \u{b1} inf");
        assert_eq!(plus_minus(f64::NAN, Some(0.5)), "NaN \u{b1} 0.50");
    }

    #[test]
    fn units() {
        assert_eq!(bytes(512.0), "512 B");
        assert_eq!(bytes(24_000.0), "23.4 KiB");
        assert_eq!(duration(0.0), "0.0 \u{b5}s");
        assert_eq!(duration(3.24e-6), "3.2 \u{b5}s");
        assert_eq!(duration(0.0032), "3.2 ms");
        assert_eq!(duration(12.34), "12.3 s");
        assert_eq!(duration(245.0), "4 min 05 s");
        assert_eq!(duration(7380.0), "2 h 03 min");
    }

    #[test]
    fn rounding_carries_into_the_next_unit() {
        assert_eq!(duration(0.000_999_94), "999.9 \u{b5}s");
        assert_eq!(duration(0.000_999_96), "1.0 ms");
        assert_eq!(duration(0.999_96), "1.0 s");
        assert_eq!(duration(59.96), "1 min 00 s");
        assert_eq!(duration(3599.6), "1 h 00 min");
        assert_eq!(duration(7379.0), "2 h 03 min");
    }

    #[test]
    fn tick_labels() {
        assert_eq!(power_of_ten(-2), "10^{\u{2212}2}");
        assert_eq!(tick(-0.5, 1), "\u{2212}0.5");
        assert_eq!(tick(20_000.0, 0), "20\u{202f}000");
        assert_eq!(multiple_of_power(2.0, -2), "0.02");
        assert_eq!(multiple_of_power(1.5, -1), "0.15");
        assert_eq!(multiple_of_power(1.5, 0), "1.5");
        assert_eq!(multiple_of_power(1.5, 2), "150");
        assert_eq!(multiple_of_power(5.0, -5), "5\u{d7}10^{\u{2212}5}");
        assert_eq!(multiple_of_power(1.0, -5), "10^{\u{2212}5}");
    }
}
