//! Places where one token of a source file can be changed, and the change.

use std::collections::BTreeMap;
use std::ops::Range;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// What kind of token a change replaces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A number, or `true` or `false`.
    Constant,
    /// A comparison, or an operation on numbers or truth values.
    Operator,
    /// A string without spaces, as names are: of draws, quantities, members.
    Word,
}

/// One token of a file, and another that may stand there.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    pub kind: Kind,
    /// The bytes of the token.
    pub range: Range<usize>,
    pub old: String,
    pub new: String,
}

/// A change of one token in one file.
#[derive(Clone, Debug, PartialEq)]
pub struct Mutant {
    pub file: String,
    /// Counted from one.
    pub line: usize,
    pub place: Place,
}

impl Mutant {
    /// The file's text with the change.
    pub fn apply(&self, text: &str) -> String {
        let Range { start, end } = self.place.range;
        format!("{}{}{}", &text[..start], self.place.new, &text[end..])
    }
}

/// All places of all files.
pub struct Places<'a>(BTreeMap<&'a str, (&'a str, Vec<Place>)>);

impl<'a> Places<'a> {
    /// Finds the places in sources by name.
    ///
    /// # Errors
    /// A source that is not Rust.
    pub fn new(sources: &'a BTreeMap<String, String>) -> Result<Self, String> {
        let found = |(file, text): (&'a String, &'a String)| {
            let places = places(text).map_err(|error| format!("{file}: {error}"))?;
            Ok((file.as_str(), (text.as_str(), places)))
        };
        sources.iter().map(found).collect::<Result<_, String>>().map(Self)
    }

    /// The mutant of a number under a seed: constants, operators and words in turn, each at a random place of its kind.
    pub fn draw(&self, seed: u64, number: u64) -> Option<Mutant> {
        let kind = [Kind::Word, Kind::Constant, Kind::Operator][(number % 3) as usize];
        let all: Vec<(&str, &str, &Place)> = self
            .0
            .iter()
            .flat_map(|(file, (text, places))| places.iter().map(move |place| (*file, *text, place)))
            .filter(|(_, _, place)| place.kind == kind)
            .collect();
        let random = mixed(seed.wrapping_add(mixed(number)));
        let (file, text, place) = *all.get((random % (all.len() as u64).max(1)) as usize)?;
        Some(mutant(file, text, place))
    }

    /// The first mutant at a place that is given as `FILE:LINE:TOKEN`.
    pub fn at(&self, given: &str) -> Option<Mutant> {
        let (file, rest) = given.split_once(':')?;
        let (line, token) = rest.split_once(':')?;
        let (text, places) = self.0.get(file)?;
        let mut mutants = places.iter().map(|place| mutant(file, text, place));
        mutants.find(|mutant| mutant.line.to_string() == line && mutant.place.old == token)
    }
}

fn mutant(file: &str, text: &str, place: &Place) -> Mutant {
    let line = 1 + text[..place.range.start].matches('\n').count();
    Mutant { file: file.to_owned(), line, place: place.clone() }
}

/// The output function of SplitMix64.
fn mixed(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The places of a source file outside comments, documentation and `#[cfg(test)]` items.
///
/// # Errors
/// A text that is not Rust.
pub fn places(text: &str) -> Result<Vec<Place>, String> {
    let tokens: TokenStream = text.parse().map_err(|error| format!("{error}"))?;
    let mut walk = Walk { text, at: 0, places: Vec::new(), muted: false };
    walk.stream(tokens)?;
    Ok(walk.places)
}

/// A walk over the tokens of a text that keeps track of where in the text each one stands.
struct Walk<'a> {
    text: &'a str,
    at: usize,
    places: Vec<Place>,
    /// Whether the tokens belong to a test.
    muted: bool,
}

impl Walk<'_> {
    fn stream(&mut self, tokens: TokenStream) -> Result<(), String> {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let muted = self.muted;
        let mut at = 0;
        while at < tokens.len() {
            self.skip();
            if let Some((attribute, next)) = attribute(&tokens, at) {
                if self.is_comment(attribute) {
                    at = next;
                    continue;
                }
                self.muted |= attribute.to_string().replace(' ', "") == "[cfg(test)]";
            }
            let ends_item = match &tokens[at] {
                TokenTree::Group(group) => {
                    self.group(group)?;
                    group.delimiter() == Delimiter::Brace
                }
                token => {
                    let is_field = at > 0 && is_punct(&tokens[at - 1], '.');
                    self.leaf(token, is_field)?;
                    is_punct(token, ';')
                }
            };
            if ends_item {
                self.muted = muted;
            }
            at += 1;
        }
        self.muted = muted;
        Ok(())
    }

    fn group(&mut self, group: &Group) -> Result<(), String> {
        let (open, close) = match group.delimiter() {
            Delimiter::Parenthesis => ("(", ")"),
            Delimiter::Brace => ("{", "}"),
            Delimiter::Bracket => ("[", "]"),
            Delimiter::None => ("", ""),
        };
        self.expect(open)?;
        self.stream(group.stream())?;
        self.skip();
        self.expect(close)
    }

    fn leaf(&mut self, token: &TokenTree, is_field: bool) -> Result<(), String> {
        let start = self.at;
        let old = token.to_string();
        self.expect(&old)?;
        if self.muted || is_field {
            return Ok(());
        }
        let (range, changed) = match token {
            TokenTree::Literal(_) => (start..self.at, literal(&old)),
            TokenTree::Ident(_) if old == "true" => (start..self.at, Some((Kind::Constant, "false".to_owned()))),
            TokenTree::Ident(_) if old == "false" => (start..self.at, Some((Kind::Constant, "true".to_owned()))),
            TokenTree::Punct(_) => self.operator(start),
            _ => return Ok(()),
        };
        if let Some((kind, new)) = changed {
            let old = self.text[range.clone()].to_owned();
            self.places.push(Place { kind, range, old, new });
        }
        Ok(())
    }

    /// The operator that starts at `start`, told from signs and generics by the spaces around it.
    fn operator(&self, start: usize) -> (Range<usize>, Option<(Kind, String)>) {
        let pairs = [
            ("+", "-"),
            ("-", "+"),
            ("*", "/"),
            ("/", "*"),
            ("+=", "-="),
            ("-=", "+="),
            ("*=", "/="),
            ("/=", "*="),
            ("<", "<="),
            ("<=", "<"),
            (">", ">="),
            (">=", ">"),
            ("==", "!="),
            ("!=", "=="),
            ("&&", "||"),
            ("||", "&&"),
        ];
        let word = self.text[start..].split([' ', '\n']).next().unwrap_or_default();
        let stands_alone = self.text[..start].ends_with(' ') && self.text[start + word.len()..].starts_with(' ');
        let new = pairs.iter().find(|(old, _)| stands_alone && *old == word).map(|(_, new)| (*new).to_owned());
        (start..start + word.len(), new.map(|new| (Kind::Operator, new)))
    }

    /// Whether the attribute is a comment in the text, which was skipped.
    fn is_comment(&self, attribute: &Group) -> bool {
        let tokens: Vec<TokenTree> = attribute.stream().into_iter().collect();
        let is_doc = matches!(&tokens[..], [TokenTree::Ident(doc), _, TokenTree::Literal(_)] if doc == "doc");
        is_doc && !self.text[self.at..].trim_start_matches(['#', '!', '[']).starts_with("doc = \"")
    }

    /// Goes past white space and comments.
    fn skip(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let space = rest.len() - rest.trim_start().len();
            let rest = &rest[space..];
            let comment = if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |end| end + 2)
            } else {
                0
            };
            self.at += space + comment;
            if comment == 0 {
                return;
            }
        }
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        if !self.text[self.at..].starts_with(token) {
            return Err(format!("`{token}` is not at byte {}", self.at));
        }
        self.at += token.len();
        Ok(())
    }
}

/// The bracket of the attribute that starts at `at`, and the position after it.
fn attribute(tokens: &[TokenTree], at: usize) -> Option<(&Group, usize)> {
    if !is_punct(tokens.get(at)?, '#') {
        return None;
    }
    let at = if is_punct(tokens.get(at + 1)?, '!') { at + 2 } else { at + 1 };
    match tokens.get(at)? {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket => Some((group, at + 1)),
        _ => None,
    }
}

fn is_punct(token: &TokenTree, sign: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == sign)
}

/// Another number, or another name.
fn literal(old: &str) -> Option<(Kind, String)> {
    let replaced = |at: usize, new: char| format!("{}{new}{}", &old[..at], &old[at + 1..]);
    if old.starts_with(|first: char| first.is_ascii_digit()) {
        let end = if old.starts_with("0x") || old.starts_with("0b") {
            old.len()
        } else {
            old.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '_').unwrap_or(old.len())
        };
        let at = old[..end].rfind(|c: char| c.is_ascii_digit()).filter(|at| *at > 1 || !old.starts_with("0x"))?;
        let new = match old.as_bytes()[at] {
            b'9' => '8',
            _ if old.starts_with("0b") => {
                if old.as_bytes()[at] == b'0' {
                    '1'
                } else {
                    '0'
                }
            }
            digit => char::from(digit + 1),
        };
        return Some((Kind::Constant, replaced(at, new)));
    }
    if old.starts_with('"') && !old.contains([' ', '\\', '{']) {
        let at = old.rfind(|c: char| c.is_ascii_lowercase())?;
        let new = if old.as_bytes()[at] == b'z' { 'a' } else { char::from(old.as_bytes()[at] + 1) };
        return Some((Kind::Word, replaced(at, new)));
    }
    None
}
