//! Numbers in text, and the words that stand for a missing value.

use crate::encode::choices::Decimal;

/// Words for a missing value, in lower case. An empty field is missing too.
const MISSING: [&str; 9] = ["na", "n/a", "nan", "null", "none", "nil", "?", "-", "#n/a"];

/// The longest number in bytes; what is longer is text.
const LONGEST: usize = 1 << 10;

/// Whether a field stands for a missing value.
pub(crate) fn is_missing(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    text.is_empty() || (text.len() <= 4 && MISSING.iter().any(|word| text.eq_ignore_ascii_case(word.as_bytes())))
}

/// The number that a field stands for, which may be infinite or not a number; also one in disguise ([`disguised`]).
pub(crate) fn parse(text: &[u8], decimal: Decimal) -> Option<f64> {
    plain(text, decimal).or_else(|| disguised(text, decimal))
}

/// The signs of currencies that may stand before or after a number: dollar, euro, pound, yen.
const CURRENCIES: [char; 4] = ['$', '\u{20ac}', '\u{a3}', '\u{a5}'];

/// The longest number in disguise.
const LONGEST_DISGUISED: usize = 64;

/// The number in a field that is written for people: `1,234,567` where the decimal sign is a point; `$5`, `-$5` and the
/// same with other currencies, before or after; `12%`, which is 12; and `13:45` or `13:45:30`, which are hours (13.75). None
/// for plain numbers, and for everything else.
pub(crate) fn disguised(text: &[u8], decimal: Decimal) -> Option<f64> {
    if plain(text, decimal).is_some() {
        return None;
    }
    let text = std::str::from_utf8(text.trim_ascii()).ok().filter(|text| text.len() <= LONGEST_DISGUISED)?;
    let (text, sign) = signed(text);
    let text = text.strip_prefix(CURRENCIES).unwrap_or(text).trim_start();
    // $-5
    let (text, sign) = if sign == 0.0 { signed(text) } else { (text, sign) };
    let text = text.strip_suffix('%').or_else(|| text.strip_suffix(CURRENCIES)).unwrap_or(text).trim_end();
    if !text.starts_with(|c: char| c.is_ascii_digit() || ".,".contains(c)) {
        return None;
    }
    let number = match (text.contains(':'), decimal) {
        (true, _) => hours(text),
        (false, Decimal::Point) if text.contains(',') => grouped(text),
        (false, _) => plain(text.as_bytes(), decimal),
    };
    number.map(|number| if sign < 0.0 { -number } else { number })
}

/// The text without its sign, and that: 0 where there is none.
fn signed(text: &str) -> (&str, f64) {
    let minus = text.strip_prefix(['-', '\u{2212}']).map(|rest| (rest, -1.0));
    minus.or_else(|| text.strip_prefix('+').map(|rest| (rest, 1.0))).unwrap_or((text, 0.0))
}

/// Digits in groups of three: 1,234,567.89.
fn grouped(text: &str) -> Option<f64> {
    let (units, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let mut groups = units.split(',');
    // 0,500 is a decimal comma.
    let first = groups.next().is_some_and(|one| (1..=3).contains(&one.len()) && digits(one) && !one.starts_with('0'));
    if !first || !groups.all(|group| group.len() == 3 && digits(group)) || !digits(fraction) {
        return None;
    }
    format!("{}.{fraction}", units.replace(',', "")).parse().ok()
}

/// Hours, minutes and perhaps seconds: 13:45:30.5.
fn hours(text: &str) -> Option<f64> {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let mut parts = text.split(':');
    let hours = parts.next().filter(|hours| digits(hours) && hours.len() <= 6)?.parse::<f64>().ok()?;
    let minutes = parts.next().filter(|minutes| digits(minutes) && minutes.len() == 2)?.parse::<f64>().ok()?;
    let seconds = match parts.next() {
        Some(seconds) if seconds.starts_with(|c: char| c.is_ascii_digit()) => seconds.parse::<f64>().ok()?,
        Some(_) => return None,
        None => 0.0,
    };
    let sound = minutes < 60.0 && seconds < 60.0 && parts.next().is_none();
    sound.then_some(hours + minutes / 60.0 + seconds / 3600.0)
}

/// The number that a field stands for as programs write it.
fn plain(text: &[u8], decimal: Decimal) -> Option<f64> {
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
    fn numbers_in_disguise() {
        let point = |text: &str| disguised(text.as_bytes(), Decimal::Point);
        for (text, number) in [
            ("1,234,567", 1_234_567.0),
            (" 12,345.5 ", 12_345.5),
            ("$5", 5.0),
            ("-$1,250.75", -1_250.75),
            ("$-3", -3.0),
            ("5 \u{20ac}", 5.0),
            ("\u{a3}.5", 0.5),
            ("12%", 12.0),
            ("-3.5 %", -3.5),
            ("13:45", 13.75),
            ("00:00:36", 0.01),
            ("-1:30", -1.5),
        ] {
            assert_eq!(point(text), Some(number), "{text}");
            assert_eq!(parse(text.as_bytes(), Decimal::Point), Some(number), "{text}");
        }
        let none = "1,5|0,500|1,23,456|1234,567|,123|$|$$|%|1:5|13:60|1:2:3:4|10:20:xx|$inf|--5|2024-01-31|1.2.3|a|12|1.5|nan|1,234.5,6";
        for no in none.split('|') {
            assert_eq!(point(no), None, "{no}");
        }
        assert_eq!(disguised("1,5 \u{20ac}".as_bytes(), Decimal::Comma), Some(1.5));
        assert_eq!(disguised(b"1,234,567", Decimal::Comma), None);
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
