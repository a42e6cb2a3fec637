//! The documents: their promises, each of which names the tests that hold it; their code blocks; the book that is made of them.

mod blocks;
mod book;
mod crates;
pub mod pages;

use std::fs;
use std::path::Path;

const PAGE: &str = "docs/src/what-can-go-wrong.md";

/// What a line has between backticks.
fn spans(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// Why a file, or a test that is written as `FILE: TEST`, is not there.
fn missing(span: &str) -> Option<String> {
    let (file, test) = span.split_once(": ").map_or((span, None), |(file, test)| (file, Some(test)));
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap_or_default();
    let python = file.ends_with(".py");
    let test = test.map(|test| format!("{} {test}(", if python { "\ndef" } else { "fn" }));
    let known = match &test {
        None => !text.is_empty(),
        Some(test) if python => test.contains("test_") && text.contains(test),
        Some(test) => text.find(test).is_some_and(|at| text[..at].trim_end().ends_with("#[test]")),
    };
    (!known).then(|| format!("{PAGE} names `{span}`, which is not there"))
}

#[test]
fn every_promise_is_held_by_tests_that_exist() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE)).unwrap();
    let (mut wrong, mut promises, mut among_promises) = (Vec::new(), 0, false);
    for line in page.lines() {
        let holding = || spans(line).filter(|span| span.contains(".rs") || span.contains(".py: "));
        wrong.extend(holding().filter_map(missing));
        if line == "| promise | held by |" {
            among_promises = true;
        } else if !line.starts_with('|') {
            among_promises = false;
        } else if among_promises && !line.starts_with("| ---") {
            promises += 1;
            wrong.extend((holding().count() == 0).then(|| format!("{PAGE}: nothing holds this: {line}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(promises > 20, "{promises}");
    assert!(missing("tests/suite/docs.rs: missing").is_some() && missing("tests/suite/no.rs").is_some());
    assert!(missing("python/tests/test_processes.py: test_missing").is_some());
}
