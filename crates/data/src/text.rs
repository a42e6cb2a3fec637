//! The text that files hold, as bytes.

use std::borrow::Cow;

/// What Windows-1252 has in place of the control characters of Latin-1.
const WINDOWS: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";

/// The text of a file: UTF-8, else Windows-1252, of which Latin-1 is a part, so that different words stay different.
pub(crate) fn decoded(text: &[u8]) -> Cow<'_, str> {
    let character = |byte: &u8| match byte {
        0x80..=0x9f => WINDOWS.chars().nth(usize::from(byte - 0x80)).unwrap_or_default(),
        _ => char::from(*byte),
    };
    str::from_utf8(text).map_or_else(|_| text.iter().map(character).collect(), Cow::Borrowed)
}

/// At most so many bytes of a text, up to the end of a character of UTF-8.
pub(crate) fn beginning(text: &[u8], most: usize) -> &[u8] {
    let inside = |end: &usize| text.get(*end).is_some_and(|byte| byte & 0xc0 == 0x80);
    let end = (most.saturating_sub(3)..=most).rev().find(|end| !inside(end)).unwrap_or(most);
    &text[..end.min(text.len())]
}

#[cfg(test)]
mod tests {
    use super::{beginning, decoded};

    #[test]
    fn words_that_differ_stay_different() {
        assert_eq!(decoded("März".as_bytes()), "März");
        assert_eq!(decoded(b"M\xe4rz"), "März");
        assert_eq!(decoded(b"M\xf6rz \x80"), "Mörz €");
        assert_eq!(decoded(b"\x9f\x81"), "Ÿ\u{81}");
        assert_ne!(decoded(b"caf\xe9"), decoded(b"caf\xe8"));
    }

    #[test]
    fn a_beginning_ends_with_a_character() {
        assert_eq!(beginning("ab\u{e4}c".as_bytes(), 3), b"ab");
        assert_eq!(beginning("ab\u{e4}c".as_bytes(), 4), "ab\u{e4}".as_bytes());
        assert_eq!(beginning("\u{20ac}".as_bytes(), 2), b"");
        assert_eq!((beginning(b"ab", 9), beginning(b"ab", 0)), (&b"ab"[..], &b""[..]));
        // No UTF-8.
        assert_eq!(beginning(&[0x80; 9], 6), [0x80; 6]);
    }
}
