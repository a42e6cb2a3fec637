//! Numbers in text, and the words that stand for a missing value.

use crate::dataset::encode::choices::Decimal;

/// Words for a missing value, in lower case. An empty field is missing too.
const MISSING: [&str; 9] = ["na", "n/a", "nan", "null", "none", "nil", "?", "-", "#n/a"];

/// The longest number in bytes; what is longer is text.
const LONGEST: usize = 1 << 10;

/// Whether a field stands for a missing value.
pub fn is_missing(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    text.is_empty() || (text.len() <= 4 && MISSING.iter().any(|word| text.eq_ignore_ascii_case(word.as_bytes())))
}

/// The number that a field stands for, which may be infinite or not a number.
pub fn parse(text: &[u8], decimal: Decimal) -> Option<f64> {
    let text = std::str::from_utf8(text.trim_ascii()).ok().filter(|text| text.len() <= LONGEST)?;
    match decimal {
        Decimal::Comma if text.contains([',', '.']) => {
            // Points group digits in threes: 1.234.567,89. Anything else with a point is no number of this kind.
            let (units, fraction) = text.split_once(',').map_or((text, None), |(units, rest)| (units, Some(rest)));
            let mut groups = units.split('.').skip(1);
            if fraction.is_some_and(|rest| rest.contains([',', '.'])) || groups.any(|group| group.len() != 3) {
                return None;
            }
            let units: String = units.split('.').collect();
            format!("{units}.{}", fraction.unwrap_or_default()).parse().ok()
        }
        _ => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_commas() {
        let of = |text: &str| parse(text.as_bytes(), Decimal::Comma);
        assert_eq!(of("1,5"), Some(1.5));
        assert_eq!(of(" -1.234.567,25 "), Some(-1234567.25));
        assert_eq!(of("12"), Some(12.0));
        assert_eq!(of("1,5e-3"), Some(1.5e-3));
        assert_eq!(of("12.345"), Some(12345.0));
        for wrong in ["1.5", "1,2,3", "1,2.3", "a,b", ",", ""] {
            assert_eq!(of(wrong), None, "{wrong}");
        }
        assert_eq!(parse(b".1", Decimal::Point), Some(0.1));
        assert_eq!(parse(b"1,5", Decimal::Point), None);
    }

    #[test]
    fn missing_words() {
        for word in ["", " ", "NA", "n/a", "NaN", "NULL", "?", "None", "-"] {
            assert!(is_missing(word.as_bytes()), "{word}");
        }
        for word in ["0", "no", "unknown", "--", "inf"] {
            assert!(!is_missing(word.as_bytes()), "{word}");
        }
    }
}
