//! Tokens: which parts of a source file count, and their hash.

use proc_macro2::{Delimiter, Group, Spacing, TokenStream, TokenTree};
use sha2::{Digest, Sha256};

pub(crate) fn is_ident(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident == word)
}

pub(crate) fn is_punct(token: &TokenTree, sign: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == sign)
}

pub(crate) fn is_path_separator(tokens: &[TokenTree], at: usize) -> bool {
    tokens.get(at).is_some_and(|t| is_punct(t, ':')) && tokens.get(at + 1).is_some_and(|t| is_punct(t, ':'))
}

/// The tokens without documentation, without `#[cfg(test)]` items and without visibilities, which change no value; also inside
/// groups.
pub fn without_tests(tokens: TokenStream) -> Vec<TokenTree> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut kept = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        if let Some((attribute, next)) = attribute(&tokens, at) {
            if attribute.starts_with("doc ") || attribute == "doc" {
                at = next;
                continue;
            }
            if attribute == "cfg ( test )"
                && let Some(end) = item_end(&tokens, next)
            {
                at = end;
                continue;
            }
        }
        if is_ident(&tokens[at], "pub") {
            at += if tokens.get(at + 1).is_some_and(is_scope) { 2 } else { 1 };
            continue;
        }
        match &tokens[at] {
            TokenTree::Group(group) => {
                let inner: TokenStream = without_tests(group.stream()).into_iter().collect();
                kept.push(TokenTree::Group(Group::new(group.delimiter(), inner)));
            }
            token => kept.push(token.clone()),
        }
        at += 1;
    }
    kept
}

/// Whether this is the part in parentheses of `pub(crate)`, `pub(in a::b)` and the like, and no type of a tuple's field.
fn is_scope(token: &TokenTree) -> bool {
    let TokenTree::Group(group) = token else { return false };
    let mut inner = group.stream().into_iter();
    let first = inner.next();
    let is_one_of = |words: &[&str]| first.as_ref().is_some_and(|token| words.iter().any(|word| is_ident(token, word)));
    let alone = inner.next().is_none();
    group.delimiter() == Delimiter::Parenthesis
        && (is_one_of(&["in"]) || (alone && is_one_of(&["crate", "self", "super"])))
}

/// The attribute that starts at `at`, as words, and the position after it.
fn attribute(tokens: &[TokenTree], at: usize) -> Option<(String, usize)> {
    let mut next = at;
    if !is_punct(tokens.get(next)?, '#') {
        return None;
    }
    next += 1;
    if is_punct(tokens.get(next)?, '!') {
        next += 1;
    }
    match tokens.get(next)? {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket => {
            let mut words = Vec::new();
            flatten(group.stream(), &mut words);
            Some((words.join(" "), next + 1))
        }
        _ => None,
    }
}

fn flatten(tokens: TokenStream, words: &mut Vec<String>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = brackets(group.delimiter());
                words.push(open.to_owned());
                flatten(group.stream(), words);
                words.push(close.to_owned());
            }
            token => words.push(token.to_string()),
        }
    }
}

pub(crate) fn brackets(delimiter: Delimiter) -> (&'static str, &'static str) {
    match delimiter {
        Delimiter::Parenthesis => ("(", ")"),
        Delimiter::Brace => ("{", "}"),
        Delimiter::Bracket => ("[", "]"),
        Delimiter::None => ("", ""),
    }
}

/// The end of the item that starts at `at`; `None` if it is not an item but a field or an arm, which is kept.
fn item_end(tokens: &[TokenTree], at: usize) -> Option<usize> {
    let mut next = at;
    while let Some((_, after)) = attribute(tokens, next) {
        next = after;
    }
    let mut until_semicolon = false;
    let mut is_item = false;
    while next < tokens.len() {
        match &tokens[next] {
            TokenTree::Ident(ident) => {
                let word = ident.to_string();
                match word.as_str() {
                    "use" | "static" | "type" if !is_item => (until_semicolon, is_item) = (true, true),
                    "const" if !is_item => {
                        until_semicolon = !tokens
                            .get(next + 1)
                            .is_some_and(|t| ["fn", "unsafe", "async", "extern"].iter().any(|word| is_ident(t, word)));
                        is_item = true;
                    }
                    "fn" | "mod" | "impl" | "struct" | "enum" | "trait" | "union" | "macro_rules" => is_item = true,
                    "pub" | "unsafe" | "async" | "extern" | "crate" | "in" => {}
                    _ if !is_item => return None,
                    _ => {}
                }
            }
            TokenTree::Punct(punct) if punct.as_char() == ';' && is_item => return Some(next + 1),
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace && is_item && !until_semicolon => {
                return Some(next + 1);
            }
            _ => {}
        }
        next += 1;
    }
    None
}

/// Feeds tokens to the hash so that formatting makes no difference. Trailing commas are left out (except that `(a,)` is
/// not `(a)`), and so is all spacing except what tells `& &` from `&&`.
pub(crate) fn feed(hash: &mut Sha256, tokens: &[TokenTree], tuple: bool) {
    let commas = tokens.iter().filter(|t| is_punct(t, ',')).count();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = brackets(group.delimiter());
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                hash.update(open);
                let called = at.checked_sub(1).and_then(|before| tokens.get(before)).is_some_and(is_callable);
                feed(hash, &inner, group.delimiter() == Delimiter::Parenthesis && !called);
                hash.update(close);
            }
            TokenTree::Punct(punct) => {
                let sign = punct.as_char();
                let last = at + 1 == tokens.len();
                let before_angle = tokens.get(at + 1).is_some_and(|t| is_punct(t, '>'));
                if sign == ',' && (before_angle || (last && !(tuple && commas == 1))) {
                    continue;
                }
                hash.update(sign.to_string());
                let doubled = tokens.get(at + 1).is_some_and(|t| is_punct(t, sign));
                if matches!(sign, '&' | '|' | '<') && doubled && punct.spacing() == Spacing::Joint {
                    hash.update("~");
                }
            }
            token => hash.update(token.to_string()),
        }
        hash.update(b"\n");
    }
}

/// Whether parentheses after this token must be a call or a list of parameters and cannot be a tuple.
fn is_callable(token: &TokenTree) -> bool {
    match token {
        TokenTree::Ident(ident) => {
            !["return", "in", "match", "if", "while", "else", "break", "let", "for", "as", "mut", "move", "const"]
                .iter()
                .any(|word| ident == word)
        }
        TokenTree::Punct(punct) => matches!(punct.as_char(), '>' | '!' | '?'),
        TokenTree::Group(group) => group.delimiter() != Delimiter::Brace,
        TokenTree::Literal(_) => false,
    }
}
