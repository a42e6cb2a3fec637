//! The changes that `make mutants` tries.

mod places;

use std::collections::BTreeMap;
use std::path::Path;

use places::{Kind, Places, places};
use proc_macro2::{TokenStream, TokenTree};

const TEXT: &str = r#"//! Not 1 + 1.
#![doc = include_str!("../a.md")]
use std::fmt; // nor 2 == 2

/// Nor `"word"`.
#[derive(Clone)]
struct One(u64);

fn f<T: Copy + Send>(one: &One, b: bool) -> f64 {
    let x = -1.5e-3 * one.0 as f64 /* 7 */ + draws("learner", '\'', "a message of words");
    if b && x <= 0x1f as f64 { 1_000.0_f64 } else { 9.0 }
}

#[cfg(test)]
mod tests {
    const A: u64 = 3 + 4;
}

const B: bool = true;
"#;

fn leaves(tokens: TokenStream, into: &mut Vec<String>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => leaves(group.stream(), into),
            token => into.push(token.to_string()),
        }
    }
}

#[test]
fn places_are_constants_operators_and_words_outside_comments_and_tests() {
    let found: Vec<(String, String)> = places(TEXT).unwrap().into_iter().map(|place| (place.old, place.new)).collect();
    let expected = [
        ("\"../a.md\"", "\"../a.me\""),
        ("1.5e-3", "1.6e-3"),
        ("*", "/"),
        ("+", "-"),
        ("\"learner\"", "\"learnes\""),
        ("&&", "||"),
        ("<=", "<"),
        ("0x1f", "0x2f"),
        ("1_000.0_f64", "1_000.1_f64"),
        ("9.0", "9.1"),
        ("true", "false"),
    ];
    // Its spaces make the bound on T look like an operator; the mutant will not compile.
    let found: Vec<_> = found.iter().map(|(old, new)| (old.as_str(), new.as_str())).collect();
    assert_eq!(found[1], ("+", "-"));
    let found: Vec<_> = found.iter().enumerate().filter(|(at, _)| *at != 1).map(|(_, pair)| *pair).collect();
    assert_eq!(found, expected);
    assert!(places("fn f( {").is_err());
}

/// Over all sources of this workspace, every change alters one token, and the same seed gives the same mutants.
#[test]
fn a_mutant_changes_one_token_and_comes_again_from_its_seed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut sources = BTreeMap::new();
    for folder in ["crates/core", "crates/engine", "crates/study"] {
        for (file, text) in noregret_identity::sources(&root.join(folder)).unwrap() {
            sources.insert(format!("{folder}/{file}"), text);
        }
    }
    let all = Places::new(&sources).unwrap();
    let mut kinds = [0; 3];
    for number in 0..60 {
        let mutant = all.draw(7, number).unwrap();
        assert_eq!(all.draw(7, number).unwrap(), mutant);
        kinds[[Kind::Constant, Kind::Operator, Kind::Word].iter().position(|k| *k == mutant.place.kind).unwrap()] += 1;
        let text = &sources[&mutant.file];
        let again = all.at(&format!("{}:{}:{}", mutant.file, mutant.line, mutant.place.old)).unwrap();
        assert_eq!((again.line, &again.place.new), (mutant.line, &mutant.place.new));
        let (mut before, mut after) = (Vec::new(), Vec::new());
        leaves(text.parse().unwrap(), &mut before);
        leaves(mutant.apply(text).parse().unwrap(), &mut after);
        let first = before.iter().zip(&after).take_while(|(a, b)| a == b).count();
        let last = before.iter().rev().zip(after.iter().rev()).take_while(|(a, b)| a == b).count();
        // An operator of two signs is two tokens here, and `<=` begins like `<`.
        let altered = before.len().max(after.len()) - (first + last).min(before.len().min(after.len()));
        assert!((1..=2).contains(&altered), "{mutant:?}");
        let line = text.lines().nth(mutant.line - 1).unwrap();
        assert!(line.contains(&mutant.place.old), "{mutant:?}");
    }
    assert_eq!(kinds, [20, 20, 20]);
    assert_eq!(all.at("crates/study/src/code.rs:1:1"), None);
    assert!((0..60).any(|number| all.draw(7, number) != all.draw(8, number)));
}
