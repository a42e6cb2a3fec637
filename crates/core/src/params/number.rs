//! Numbers as configuration writes them: 0.5, 1, or a fraction as text, `"-5/7"`.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// The largest numerator and denominator, 2^53: integers up to it are floating-point numbers, so that one division
/// rounds the quotient correctly.
const LARGEST: u64 = 1 << 53;

/// Why text that looks like a fraction is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FractionError {
    /// Its denominator is 0.
    #[error("the denominator of `{0}` is 0")]
    ZeroDenominator(String),
    /// It is no quotient of two integers, or of too large ones.
    #[error("`{0}` is no fraction: write two integers of at most 2^53, as in \"-5/7\"")]
    NotTwoIntegers(String),
}

/// The floating-point number nearest to the fraction `p/q` of two integers; `None` for other text, such as the name of
/// a formula.
///
/// # Errors
/// A zero denominator, or text that looks like a fraction and is none.
///
/// ```
/// use noregret_core::params::number::fraction;
///
/// assert_eq!(fraction("-5/7"), Some(Ok(-0.7142857142857143)));
/// assert!(fraction("1/0").unwrap().unwrap_err().to_string().contains("denominator"));
/// assert_eq!(fraction("1/sqrt(n)"), None);
/// ```
pub fn fraction(text: &str) -> Option<Result<f64, FractionError>> {
    let (p, q) = text.split_once('/')?;
    let looks_like_one = |c: char| c.is_ascii_digit() || "+-./eE_ ".contains(c);
    if !text.chars().all(looks_like_one) || !text.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let integer = |digits: &str| {
        let digits = digits.trim();
        let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        digits.parse::<u64>().ok().filter(|number| plain && *number <= LARGEST).map(|number| number as f64)
    };
    let (sign, p) = p.trim().strip_prefix('-').map_or((1.0, p), |p| (-1.0, p));
    Some(match (integer(p), integer(q)) {
        (Some(_), Some(0.0)) => Err(FractionError::ZeroDenominator(text.to_owned())),
        (Some(p), Some(q)) => Ok(sign * p / q),
        _ => Err(FractionError::NotTwoIntegers(text.to_owned())),
    })
}

/// The number that a value of configuration stands for; `None` for other values.
///
/// # Errors
/// As [`fraction`].
pub fn number(value: &impl Serialize) -> Option<Result<f64, FractionError>> {
    match serde_json::to_value(value).ok()? {
        Value::Number(number) => number.as_f64().map(Ok),
        Value::String(text) => fraction(&text),
        _ => None,
    }
}

/// A number of a file, for types that serde reads.
///
/// ```
/// use noregret_core::params::number::Number;
///
/// let read: std::collections::BTreeMap<String, Number> = toml::from_str("third = '1/3'\none = 1")?;
/// assert_eq!((read["third"].0, read["one"].0), (1.0 / 3.0, 1.0));
/// # Ok::<(), toml::de::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number(pub f64);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(source)?;
        match number(&value) {
            Some(number) => number.map(Number).map_err(D::Error::custom),
            None => {
                Err(D::Error::custom(format_args!("found {value}; a number is wanted, or a fraction such as \"-5/7\"")))
            }
        }
    }
}

/// Reads a field of type `f64` as [`Number`] does: `#[serde(deserialize_with = "read")]`.
///
/// # Errors
/// A value that is no number.
pub fn read<'de, D: Deserializer<'de>>(source: D) -> Result<f64, D::Error> {
    Number::deserialize(source).map(|number| number.0)
}

/// The same for an optional field, which needs `default` too.
///
/// # Errors
/// A value that is no number.
pub fn read_some<'de, D: Deserializer<'de>>(source: D) -> Result<Option<f64>, D::Error> {
    read(source).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_the_nearest_numbers() {
        for (text, expected) in [
            ("-5/7", -0.7142857142857143),
            ("-9/11", -0.8181818181818182),
            ("-7/9", -0.7777777777777778),
            ("11/13", 0.8461538461538461),
            ("1/3", 0.3333333333333333),
            ("-2/3", -0.6666666666666666),
            ("8/15", 0.5333333333333333),
            ("-17/15", -1.1333333333333333),
            (" -1 / 4 ", -0.25),
            ("9007199254740992/3", 3002399751580330.5),
        ] {
            assert_eq!(fraction(text).unwrap().unwrap().to_bits(), f64::to_bits(expected), "{text}");
        }
    }

    #[test]
    fn nonsense_is_refused_and_words_are_left_alone() {
        for (text, why) in [
            ("1/0", "the denominator of `1/0` is 0"),
            ("0.5/2", "two integers"),
            ("1/-2", "two integers"),
            ("1/2/3", "two integers"),
            ("--1/2", "two integers"),
            ("1/", "two integers"),
            ("9007199254740993/2", "2^53"),
        ] {
            let refused = fraction(text).unwrap().unwrap_err().to_string();
            assert!(refused.contains(why), "{text}: {refused}");
        }
        for word in ["theory", "1/sqrt(n)", "n/2", "/", "", "0.5", "-3"] {
            assert_eq!(fraction(word), None, "{word}");
        }
    }
}
