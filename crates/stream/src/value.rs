//! How values of options are read, with messages that say what is allowed.

use std::num::NonZeroUsize;
use std::str::FromStr;

/// A value that is not what an option must be.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be {0}")]
pub struct NotAllowed(&'static str);

/// A number of at least 1.
///
/// # Errors
/// What is allowed.
pub fn positive<T: FromStr>(text: &str) -> Result<T, NotAllowed> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let too_large = digits && text.bytes().any(|byte| byte != b'0');
    text.parse().map_err(|_| NotAllowed(if too_large { "a smaller integer" } else { "an integer of at least 1" }))
}

/// The most threads of a run: the time to start them grows faster than their number.
pub const MOST_THREADS: usize = 256;

/// A number of threads.
///
/// # Errors
/// What is allowed.
pub fn threads(text: &str) -> Result<NonZeroUsize, NotAllowed> {
    let threads = positive::<NonZeroUsize>(text)?;
    if threads.get() <= MOST_THREADS { Ok(threads) } else { Err(NotAllowed("at most 256")) }
}

/// A number of at least 0.
///
/// # Errors
/// What is allowed.
pub fn whole<T: FromStr>(text: &str) -> Result<T, NotAllowed> {
    text.parse().map_err(|_| NotAllowed("an integer of at least 0"))
}

/// A tolerance: a finite number of at least 0.
///
/// # Errors
/// What is allowed.
pub fn tolerance(text: &str) -> Result<f64, NotAllowed> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
    number.ok_or(NotAllowed("a number of at least 0, such as 1e-9"))
}

/// A period: a finite number above 0.
///
/// # Errors
/// What is allowed.
pub(crate) fn period(text: &str) -> Result<f64, NotAllowed> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite() && *number > 0.0);
    number.ok_or(NotAllowed("a number above 0"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZeroUsize;

    #[test]
    fn messages_say_what_is_allowed() {
        assert_eq!(positive::<NonZeroUsize>("3").map(NonZeroUsize::get), Ok(3));
        for wrong in ["0", "-1", "x", "1.5", ""] {
            assert_eq!(positive::<NonZeroUsize>(wrong), Err(NotAllowed("an integer of at least 1")), "{wrong}");
        }
        assert!(whole::<u64>("-1").is_err() && whole::<u64>("0") == Ok(0));
        assert!(tolerance("-1").is_err() && tolerance("nan").is_err() && tolerance(".5") == Ok(0.5));
        assert!(
            MOST_THREADS == 256
                && threads("256").is_ok()
                && threads("257") == Err(NotAllowed("at most 256"))
                && threads("0").is_err()
        );
        assert!(period("0").is_err() && period("inf").is_err() && period("6.5") == Ok(6.5));
    }
}
