//! Text in Markdown: what would be markup there is escaped, and only that, so that the source stays readable.

/// Text as a paragraph or a cell of a table shows it, on one line.
pub(crate) fn markdown(text: &str) -> String {
    escape(text, |c, next| c == ']' && matches!(next, Some('(' | '[' | ':')))
}

/// Text as the description of a picture.
pub(crate) fn description(text: &str) -> String {
    escape(text, |c, _| matches!(c, '[' | ']'))
}

/// Escapes the characters that are markup beside their neighbours, and those that `more` finds.
fn escape(text: &str, more: impl Fn(char, Option<char>) -> bool) -> String {
    let text = text.replace(char::is_control, " ");
    let (mut out, mut before) = (String::with_capacity(text.len()), None);
    let mut rest = text.chars().peekable();
    // `1.` begins a list.
    let digits = text.chars().take_while(char::is_ascii_digit).count();
    let mut at = 0;
    while let Some(c) = rest.next() {
        let after = rest.peek().copied();
        let word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let markup = match c {
            '\\' | '`' | '*' | '|' | '~' | '$' => true,
            '_' => !(word(before) && word(after)),
            '<' => after.is_some_and(|c| c.is_alphabetic() || matches!(c, '/' | '!' | '?')),
            '&' => after.is_some_and(|c| c.is_alphanumeric() || c == '#'),
            '#' | '>' | '+' | '-' | '=' | ':' => at == 0,
            '.' | ')' => digits > 0 && at == digits && after.is_none_or(|c| c == ' '),
            _ => false,
        };
        if markup || more(c, after) {
            out.push('\\');
        }
        out.push(c);
        (before, at) = (Some(c), at + 1);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_be_markup_is_escaped() {
        for (text, expected) in [
            ("PKRR M = 2, lambda = 1e-3: [0, 1] as in (3); 2 < 3 > 1 & more", None),
            ("norm_bound of x_1^2 - 1/(2 sqrt(T)), 10 % of #3", None),
            ("3.5 rounds", None),
            ("<script>alert(1)</script>", Some("\\<script>alert(1)\\</script>")),
            ("[free](javascript:x) ![a](b)", Some("[free\\](javascript:x) ![a\\](b)")),
            (
                "*bold* _it_ `code` a|b c\\d $x$ ~~gone~~",
                Some("\\*bold\\* \\_it\\_ \\`code\\` a\\|b c\\\\d \\$x\\$ \\~\\~gone\\~\\~"),
            ),
            ("# title", Some("\\# title")),
            ("> quote", Some("\\> quote")),
            ("1. first", Some("1\\. first")),
            ("&lt; &#60;", Some("\\&lt; \\&#60;")),
            ("two\n\n# lines\0\u{1b}[31m", Some("two  # lines  [31m")),
        ] {
            assert_eq!(markdown(text), expected.unwrap_or(text));
        }
        assert_eq!(description("a [b] c"), "a \\[b\\] c");
    }
}
