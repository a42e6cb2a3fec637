//! Formulas in plain text, `T^(-2r/(2r+1))` or `x_t` or `sqrt(lambda)`: where they are, and how a page shows them.

/// Greek letters by the names that texts write.
pub(crate) const GREEK: [(&str, char); 17] = [
    ("alpha", 'α'),
    ("beta", 'β'),
    ("gamma", 'γ'),
    ("delta", 'δ'),
    ("epsilon", 'ε'),
    ("eta", 'η'),
    ("theta", 'θ'),
    ("kappa", 'κ'),
    ("lambda", 'λ'),
    ("mu", 'μ'),
    ("nu", 'ν'),
    ("rho", 'ρ'),
    ("sigma", 'σ'),
    ("tau", 'τ'),
    ("phi", 'φ'),
    ("psi", 'ψ'),
    ("Sigma", 'Σ'),
];

/// A superscript, or the subscript of a single letter, at the start of `rest`: how many characters it takes, its mark, and
/// what is in it.
pub(crate) fn script(rest: &[char], before: Option<char>) -> Option<(usize, char, String)> {
    let mark = *rest.first()?;
    let next = *rest.get(1)?;
    let body = |open, close| {
        let length = closed(&rest[1..], open, close)?;
        Some((length + 1, rest[2..length].iter().collect::<String>()))
    };
    let (length, inner) = match (mark, next) {
        ('^' | '_', '{') => body('{', '}')?,
        ('^', '(') => body('(', ')')?,
        ('^' | '_', _) => {
            let signed = usize::from(next == '-');
            let tail = &rest[1 + signed..];
            let length = tail.iter().take_while(|c| c.is_alphanumeric() || **c == '.').count();
            let length = if tail.get(length.wrapping_sub(1)) == Some(&'.') { length - 1 } else { length };
            // What follows an underscore in a name, as in `cpu_seconds`, is no subscript.
            let single = mark == '^' || (length <= 2 && before.is_some_and(|c| c.is_alphabetic() || "|)".contains(c)));
            if length == 0 || !single {
                return None;
            }
            (1 + signed + length, rest[1..1 + signed + length].iter().collect())
        }
        _ => return None,
    };
    Some((length, mark, inner))
}

/// How many characters the brackets at the start of `rest` and what they hold take.
fn closed(rest: &[char], open: char, close: char) -> Option<usize> {
    let mut depth = 0;
    let ends = |c: &char| {
        depth += i32::from(*c == open) - i32::from(*c == close);
        depth == 0
    };
    (rest.first() == Some(&open)).then(|| rest.iter().position(ends)).flatten().map(|at| at + 1)
}

/// Text for a page: powers, indices and roots are MathML, Greek letters and comparisons are themselves, and what is markup
/// is escaped.
pub fn html(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    pieces(&chars).into_iter().map(Piece::in_text).collect()
}

/// Part of a text.
#[derive(Clone, Debug, PartialEq)]
enum Piece {
    /// Letters or digits.
    Word(String),
    /// Any other character.
    Sign(char),
    /// MathML.
    Formula(String),
}

impl Piece {
    /// As words between formulas.
    fn in_text(self) -> String {
        match self {
            Piece::Word(word) => word,
            Piece::Sign(sign) => escaped(sign),
            Piece::Formula(inner) => format!("<math>{inner}</math>"),
        }
    }

    /// As an element of a formula.
    fn in_formula(self) -> String {
        match self {
            Piece::Word(word) if word.starts_with(|c: char| c.is_ascii_digit()) => format!("<mn>{word}</mn>"),
            Piece::Word(word) => format!("<mi>{word}</mi>"),
            Piece::Sign(' ') => String::new(),
            Piece::Sign('-') => "<mo>−</mo>".into(),
            // Brackets stay as high as letters.
            Piece::Sign(sign @ ('(' | ')' | '|')) => format!("<mo stretchy=false>{sign}</mo>"),
            Piece::Sign(sign) => format!("<mo>{}</mo>", escaped(sign)),
            Piece::Formula(inner) => inner,
        }
    }
}

fn escaped(sign: char) -> String {
    match sign {
        '<' => "&lt;".into(),
        '>' => "&gt;".into(),
        '&' => "&amp;".into(),
        '"' => "&quot;".into(),
        sign => sign.into(),
    }
}

/// What a formula holds, as one element.
fn formula(inner: &str) -> String {
    let chars: Vec<char> = inner.chars().collect();
    let parts = pieces(&chars);
    let several = parts.len() > 1;
    let inner: String = parts.into_iter().map(Piece::in_formula).collect();
    if several { format!("<mrow>{inner}</mrow>") } else { inner }
}

/// The parts of a text. A power or an index takes the part before it along.
fn pieces(chars: &[char]) -> Vec<Piece> {
    let mut found: Vec<Piece> = Vec::new();
    let mut at = 0;
    while let Some(c) = chars.get(at).copied() {
        let rest = &chars[at..];
        let before = at.checked_sub(1).map(|at| chars[at]);
        if c.is_alphanumeric() {
            let digits = c.is_ascii_digit();
            let part = |rest: &[char], i: usize| match digits {
                true => {
                    rest[i].is_ascii_digit() || (rest[i] == '.' && rest.get(i + 1).is_some_and(char::is_ascii_digit))
                }
                false => rest[i].is_alphanumeric(),
            };
            let length = (0..rest.len()).take_while(|i| part(rest, *i)).count().max(1);
            let word: String = rest[..length].iter().collect();
            let root = (word == "sqrt").then(|| closed(&rest[length..], '(', ')')).flatten();
            // A letter beside an underscore or between hyphens, as in `cpu_mu` and `nystrom-mu`, belongs to a name.
            let next = &rest[length..];
            let joined = |sign: Option<&char>, beyond: Option<&char>| {
                sign.is_some_and(|sign| "-./".contains(*sign)) && beyond.is_some_and(|c| c.is_alphabetic())
            };
            let behind = at.checked_sub(2).and_then(|at| chars.get(at));
            let named = before == Some('_')
                || (next.first() == Some(&'_') && script(next, Some(c)).is_none())
                || joined(next.first(), next.get(1))
                || joined(before.as_ref(), behind);
            at += length + root.unwrap_or(0);
            found.push(match (root, GREEK.into_iter().find(|(name, _)| *name == word)) {
                (Some(inside), _) => {
                    let inside: String = rest[length + 1..length + inside - 1].iter().collect();
                    Piece::Formula(format!("<msqrt>{}</msqrt>", formula(&inside)))
                }
                (None, Some((_, letter))) if !named => Piece::Word(letter.into()),
                _ => Piece::Word(word),
            });
            continue;
        }
        let carried = |base: &Piece, mark| match base {
            Piece::Word(word) => mark == '^' || word.chars().count() == 1,
            Piece::Sign(sign) => ")|]".contains(*sign),
            Piece::Formula(_) => true,
        };
        if let (Some((length, mark, inner)), Some(base)) = (script(rest, before), found.last())
            && carried(base, mark)
        {
            let name = if mark == '^' { "msup" } else { "msub" };
            let base = found.pop().map(Piece::in_formula).unwrap_or_default();
            found.push(Piece::Formula(format!("<{name}>{base}{}</{name}>", formula(&inner))));
            at += length;
            continue;
        }
        let pair = match (c, rest.get(1)) {
            ('<', Some('=')) => Some('≤'),
            ('>', Some('=')) => Some('≥'),
            ('-', Some('>')) => Some('→'),
            _ => None,
        };
        found.push(Piece::Sign(pair.unwrap_or(c)));
        at += 1 + usize::from(pair.is_some());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_mathml_and_words_stay() {
        for (text, expected) in [
            ("regret of 3.5 % & more, x < y", "regret of 3.5 % &amp; more, x &lt; y"),
            ("n^2", "<math><msup><mi>n</mi><mn>2</mn></msup></math>"),
            ("f(x_t) <= 1", "f(<math><msub><mi>x</mi><mi>t</mi></msub></math>) ≤ 1"),
            ("step lambda = 1e-3", "step λ = 1e-3"),
            (
                "T^(-2r/(2r+1))",
                "<math><msup><mi>T</mi><mrow><mo>−</mo><mn>2</mn><mi>r</mi><mo>/</mo><mo stretchy=false>(</mo><mn>2</mn><mi>r</mi><mo>+</mo><mn>1</mn><mo stretchy=false>)</mo></mrow></msup></math>",
            ),
            ("O(sqrt(lambda T))", "O(<math><msqrt><mrow><mi>λ</mi><mi>T</mi></mrow></msqrt></math>)"),
            ("|a|_1", "|a<math><msub><mo stretchy=false>|</mo><mn>1</mn></msub></math>"),
            (
                "e^{-u^2}",
                "<math><msup><mi>e</mi><mrow><mo>−</mo><msup><mi>u</mi><mn>2</mn></msup></mrow></msup></math>",
            ),
            (
                "norm_bound, cpu_seconds and beta_1",
                "norm_bound, cpu_seconds and <math><msub><mi>β</mi><mn>1</mn></msub></math>",
            ),
            ("theta and zeta", "θ and zeta"),
            ("figure/lambda-experts, nystrom-mu, kernel.lambda", "figure/lambda-experts, nystrom-mu, kernel.lambda"),
            ("1 - beta/2", "1 - β/2"),
            ("<script>alert('x')</script>", "&lt;script&gt;alert('x')&lt;/script&gt;"),
            ("a ^ b and sqrt(open", "a ^ b and sqrt(open"),
        ] {
            assert_eq!(html(text), expected, "{text}");
        }
    }
}
