//! ARCHITECTURE.md and the house rules, held against the source; and code identity.

#[path = "../../build/source_identity.rs"]
mod source_identity;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};
use source_identity::{Crate, SourceFile, files, packages, without_tests};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every source file: path relative to the project root, and text.
fn sources() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut open = vec![root().join("src")];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
                found.insert(name, fs::read_to_string(path).unwrap());
            }
        }
    }
    found
}

fn identities(sources: &BTreeMap<String, String>) -> BTreeMap<String, SourceFile> {
    let lock = fs::read_to_string(root().join("Cargo.lock")).unwrap();
    let (_, direct) = packages(&lock, "noregret");
    files(sources, &direct, &|path| fs::read(root().join(path)).ok()).unwrap()
}

/// Everything that a file reaches, itself included.
fn closure(table: &BTreeMap<String, SourceFile>, file: &str) -> BTreeSet<String> {
    let mut reached = BTreeSet::new();
    let mut open = vec![file.to_owned()];
    while let Some(file) = open.pop() {
        if reached.insert(file.clone()) {
            open.extend(table[&file].edges.iter().cloned());
        }
    }
    reached
}

/// The top-level module of a file: `learner` for `src/learner/fogd.rs`, `draw` for `src/draw.rs`.
fn module(path: &str) -> &str {
    let inner = path.trim_start_matches("src/");
    inner.split('/').next().unwrap().trim_end_matches(".rs")
}

/// The table of the section "Imports", row by row: modules, and the modules that they may import.
fn import_table() -> Vec<(BTreeSet<String>, BTreeSet<String>)> {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let section = page.split("\n## Imports\n").nth(1).expect("ARCHITECTURE.md has a section `## Imports`");
    let section = section.split("\n## ").next().unwrap();
    let names = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<BTreeSet<_>>();
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    rows.map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').collect();
        assert_eq!(cells.len(), 2, "{line}");
        (names(cells[0]), names(cells[1]))
    })
    .collect()
}

/// Whether a file is compiled for tests only: `mod tests;` stands under `#[cfg(test)]`.
fn is_test(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.contains("/tests/")
}

#[test]
fn imports_follow_the_table() {
    let table = import_table();
    let mut wrong = Vec::new();
    let sources = sources();
    for (path, file) in identities(&sources) {
        let from = module(&path);
        if from == "lib" || is_test(&path) {
            continue;
        }
        let Some((group, allowed)) = table.iter().find(|(group, _)| group.contains(from)) else {
            wrong.push(format!("ARCHITECTURE.md: no row for `{from}`"));
            continue;
        };
        for edge in &file.edges {
            let to = module(edge);
            if !group.contains(to) && !allowed.contains(to) {
                wrong.push(format!("{path} imports {edge}: `{from}` may not import `{to}`"));
            }
        }
    }
    for name in table.iter().flat_map(|(group, _)| group) {
        if !sources.keys().any(|path| module(path) == name) {
            wrong.push(format!("ARCHITECTURE.md: a row for `{name}`, which is not in src"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_table_goes_one_way() {
    let mut known: BTreeSet<String> = BTreeSet::new();
    for (group, allowed) in import_table() {
        let later: Vec<&String> = allowed.difference(&known).collect();
        assert!(later.is_empty(), "{group:?} may import {later:?}, which come later");
        for name in group {
            assert!(known.insert(name.clone()), "`{name}` has two rows");
        }
    }
    assert!(known.len() > 10, "{known:?}");
}

/// All identifiers and signs of a file without tests, with a space between.
fn words(text: &str) -> Vec<String> {
    fn walk(tokens: &[TokenTree], words: &mut Vec<String>) {
        for token in tokens {
            if let TokenTree::Group(group) = token {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                walk(&inner, words);
            } else {
                words.push(token.to_string());
            }
        }
    }
    let mut words = Vec::new();
    walk(&without_tests(text.parse::<TokenStream>().unwrap()), &mut words);
    words
}

#[test]
fn house_rules_hold() {
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        let lines = text.lines().count();
        if lines > 700 {
            wrong.push(format!("{path}: {lines} lines; split it"));
        }
        let words = words(&text);
        for pair in words.windows(2) {
            let macro_name = if pair[1] == "!" { pair[0].as_str() } else { "" };
            match macro_name {
                "todo" | "unimplemented" | "dbg" => wrong.push(format!("{path}: {macro_name}!")),
                "println" | "print" | "eprintln" | "eprint" if module(&path) != "cli" && module(&path) != "main" => {
                    wrong.push(format!("{path}: {macro_name}! outside src/cli"));
                }
                _ => {}
            }
        }
        for path_words in words.windows(4) {
            if path_words == ["SystemTime", ":", ":", "now"] && path != "src/exec/clock.rs" {
                wrong.push(format!("{path}: SystemTime::now outside src/exec/clock.rs"));
            }
        }
        if words.iter().any(|word| word == "thread_rng" || word == "ThreadRng") {
            wrong.push(format!("{path}: a generator that is not keyed; see src/draw.rs"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_learner_or_kernel_depends_on_reports_or_registries() {
    let table = identities(&sources());
    let members =
        table.keys().filter(|path| ["learner", "kernel", "feature", "noise", "comparator"].contains(&module(path)));
    let mut wrong = Vec::new();
    for member in members.filter(|path| !path.ends_with("/registry.rs") && !path.ends_with("/mod.rs")) {
        for reached in closure(&table, member) {
            let foreign = ["report", "analysis", "cli", "exec", "plan", "stages", "config", "trace", "dataset"];
            if foreign.contains(&module(&reached)) || reached.ends_with("/registry.rs") {
                wrong.push(format!("{member} reaches {reached}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Code identity follows paths, so code must stand where a path leads: an `impl` in the file of its type or its trait.
#[test]
fn implementations_stand_beside_their_type_or_their_trait() {
    let mut wrong = Vec::new();
    for (path, text) in sources().iter().filter(|(path, _)| !["exec", "cli"].contains(&module(path))) {
        let tokens = without_tests(text.parse::<TokenStream>().unwrap());
        let is_word = |token: &TokenTree, words: &[&str]| words.iter().any(|word| token.to_string() == *word);
        let defined: BTreeSet<String> = tokens
            .windows(2)
            .filter(|pair| is_word(&pair[0], &["struct", "enum", "trait", "union", "type"]))
            .map(|pair| pair[1].to_string())
            .collect();
        // An item begins after another item or an attribute; `-> impl Trait` does not.
        let begins = |at: usize| match at.checked_sub(1).map(|before| &tokens[before]) {
            None | Some(TokenTree::Group(_)) => true,
            Some(before) => is_word(before, &[";", "unsafe"]),
        };
        for at in (0..tokens.len()).filter(|&at| is_word(&tokens[at], &["impl"]) && begins(at)) {
            let header = tokens[at + 1..].iter().map(ToString::to_string).take_while(|word| !word.starts_with('{'));
            let header: Vec<String> = header.collect();
            if !header.iter().any(|word| defined.contains(word)) {
                wrong.push(format!("{path}: impl {}", header.join(" ")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn comments_formatting_and_tests_have_no_part_in_identity() {
    let sources = sources();
    let before = identities(&sources);
    let (_, direct) = packages(&fs::read_to_string(root().join("Cargo.lock")).unwrap(), "noregret");
    let include = |path: &str| fs::read(root().join(path)).ok();
    let known = Crate::new(sources.keys(), &direct, &include);
    for (path, text) in &sources {
        // Strings that go over several lines are the one place where indentation means something.
        let multi_line = text.contains("\\\n") || text.contains("r#\"") || text.contains("= \"\n");
        let reformatted = match multi_line {
            true => text.clone(),
            false => text.lines().map(str::trim_start).collect::<Vec<_>>().join("\n\n"),
        };
        let changed = format!(
            "{reformatted}\n// a comment\n/* another */\n\
             #[cfg(test)]\nmod more_tests {{ use crate::cli; fn f() {{ let x = 17; }} }}\n"
        );
        let after = known.file(path, &changed).unwrap();
        assert_eq!(before[path], after, "{path}");
    }
}

/// The identity of a small crate after a change of one file.
fn small(path: &str, text: &str) -> BTreeMap<String, SourceFile> {
    let mut sources: BTreeMap<String, String> = [
        ("src/lib.rs", "pub mod a; pub mod b; pub mod c;"),
        ("src/a/mod.rs", "pub mod api; pub mod one; pub mod two; pub mod registry;"),
        ("src/a/api.rs", "/// Doc.\npub trait Api { fn f(&self) -> f64; }"),
        ("src/a/one.rs", "use crate::a::api::Api;\nuse crate::b;\npub struct One;\nimpl Api for One { fn f(&self) -> f64 { b::deep::g(2.5) } }"),
        ("src/a/two.rs", "use super::api::Api; pub struct Two; impl Api for Two { fn f(&self) -> f64 { 3.5 } }"),
        ("src/a/registry.rs", "use crate::a::{one::One, two::{self, Two}}; use serde::Serialize;"),
        ("src/b/mod.rs", "pub mod deep;"),
        ("src/b/deep.rs", "pub fn g(x: f64) -> f64 { let t = (x,); rand_pcg::mix(t.0) }"),
        ("src/c.rs", "pub const TEXT: &str = include_str!(\"../note.txt\");"),
    ]
    .map(|(path, text)| (path.to_owned(), text.to_owned()))
    .into();
    sources.insert(path.to_owned(), text.to_owned());
    let direct = ["serde", "rand_pcg", "clap"].map(str::to_owned).into();
    files(&sources, &direct, &|path| (path == "note.txt").then(|| b"a note".to_vec())).unwrap()
}

#[test]
fn paths_of_every_kind_are_followed() {
    let table = small("src/c.rs", "pub const TEXT: &str = include_str!(\"../note.txt\");");
    let edges = |path: &str| table[path].edges.iter().map(String::as_str).collect::<Vec<_>>();
    assert_eq!(edges("src/a/mod.rs"), [] as [&str; 0], "declaring a module is not depending on it");
    assert_eq!(edges("src/a/one.rs"), ["src/a/api.rs", "src/b/deep.rs", "src/b/mod.rs"]);
    assert_eq!(edges("src/a/two.rs"), ["src/a/api.rs"]);
    assert_eq!(edges("src/a/registry.rs"), ["src/a/one.rs", "src/a/two.rs"]);
    assert_eq!(table["src/a/registry.rs"].packages, ["serde".to_owned()].into());
    assert_eq!(table["src/b/deep.rs"].packages, ["rand_pcg".to_owned()].into());
    assert_eq!(table["src/c.rs"].included, ["note.txt".to_owned()].into());
    let moved = small("src/c.rs", "pub use crate::a::two::Two; mod inner { use super::super::b; }");
    assert_eq!(moved["src/c.rs"].edges, ["src/a/two.rs", "src/b/mod.rs"].map(str::to_owned).into());
}

#[test]
fn a_change_of_meaning_changes_the_identity_and_nothing_else_does() {
    let path = "src/b/deep.rs";
    let before = small(path, "pub fn g(x: f64) -> f64 { let t = (x,); rand_pcg::mix(t.0) }");
    let same = [
        "/// New documentation.\npub fn g(\n    x: f64,\n) -> f64 {\n    let t = (x,);\n    rand_pcg::mix(\n        t.0,\n    )\n}",
        "pub fn g(x: f64) -> f64 { let t=(x ,); rand_pcg::mix(t . 0) } #[cfg(test)] use std::fs;",
        "#![doc = \"x\"] pub fn g(x: f64) -> f64 { let t = (x,); rand_pcg::mix(t.0) } #[cfg(test)] #[derive(Debug)] struct S { a: [u8; 3] }",
    ];
    for text in same {
        assert_eq!(small(path, text)[path].hash, before[path].hash, "{text}");
    }
    let other = [
        "pub fn g(x: f64) -> f64 { let t = (x,); rand_pcg::mix(t.0 + 1e-9) }",
        "pub fn g(x: f64) -> f64 { let t = (x); rand_pcg::mix(t.0) }",
        "pub fn g(x: f32) -> f64 { let t = (x,); rand_pcg::mix(t.0) }",
        "#[inline] pub fn g(x: f64) -> f64 { let t = (x,); rand_pcg::mix(t.0) }",
        "pub fn g(x: f64) -> f64 { let t = (x,); rand_pcg::mix(t.0) } #[cfg(not(test))] fn h() {}",
    ];
    for text in other {
        let after = small(path, text);
        assert_ne!(after[path].hash, before[path].hash, "{text}");
        for unchanged in before.keys().filter(|other| *other != path) {
            assert_eq!(after[unchanged], before[unchanged]);
        }
        assert!(closure(&after, "src/a/one.rs").contains(path));
        assert!(!closure(&after, "src/a/two.rs").contains(path));
    }
    let one = small(path, "pub fn g(a: bool, b: bool) -> bool { a && b }");
    let two = small(path, "pub fn g(a: bool, b: bool) -> bool { a & &b }");
    assert_ne!(one[path].hash, two[path].hash);
}

#[test]
fn packages_are_known_with_their_versions() {
    let lock = "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\ndependencies = [\n \"b 2.0.0\",\n \"c\",\n]\n\n\
                [[package]]\nname = \"b\"\nversion = \"1.0.0\"\n\n[[package]]\nname = \"b\"\nversion = \"2.0.0\"\nchecksum = \"ff\"\n\n\
                [[package]]\nname = \"c\"\nversion = \"3.0.0\"\n";
    let (list, direct) = packages(lock, "a");
    assert_eq!(direct, ["b", "c"].map(str::to_owned).into());
    assert_eq!(list[0].dependencies, [2, 3]);
    assert_eq!((list[2].name.as_str(), list[2].identity.as_str()), ("b", "2.0.0 ff"));
}

#[test]
fn the_table_of_the_binary_is_that_of_the_source() {
    let table = identities(&sources());
    for path in table.keys() {
        let identity = noregret::code::shallow(&[path.as_str()]);
        assert_eq!(identity.files.get(path), Some(&table[path].hash), "{path}");
        let reached: BTreeSet<String> = noregret::code::closure(&[path.as_str()]).files.into_keys().collect();
        let own: BTreeSet<String> = reached.into_iter().filter(|name| !name.starts_with("package ")).collect();
        assert_eq!(own, closure(&table, path), "{path}");
    }
}
