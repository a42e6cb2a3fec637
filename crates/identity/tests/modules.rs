//! Tests on a small crate: which paths are followed, and which edits change a hash.

use std::collections::BTreeMap;

use noregret_identity::{Module, modules, table};

/// The identity of the small crate after an edit of one file.
fn small(path: &str, text: &str) -> BTreeMap<String, Module> {
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
    modules("small", &sources, &|path| (path == "note.txt").then(|| b"a note".to_vec())).unwrap()
}

#[test]
fn paths_of_every_kind_are_followed() {
    let table = small("src/c.rs", "pub const TEXT: &str = include_str!(\"../note.txt\");");
    let paths = |module: &str| table[module].paths.iter().map(String::as_str).collect::<Vec<_>>();
    assert_eq!(paths("small::a"), [] as [&str; 0], "declaring a module is not depending on it");
    assert_eq!(paths("small::a::one"), ["small::a::api", "small::b", "small::b::deep"]);
    assert_eq!(paths("small::a::two"), ["small::a::api"]);
    assert_eq!(paths("small::a::registry"), ["serde", "small::a::one", "small::a::two"]);
    assert_eq!(paths("small::b::deep"), ["rand_pcg::mix"]);
    assert_eq!(table["small::c"].included, ["note.txt".to_owned()].into());
    let moved = small("src/c.rs", "pub use crate::a::two::Two; mod inner { use super::super::b; }");
    assert_eq!(moved["small::c"].paths, ["small::a::two", "small::b"].map(str::to_owned).into());
}

/// A name that `use` brings in, from another crate too, leads to what the full path names.
#[test]
fn imported_names_are_followed() {
    let text = "use other::deep as d; use crate::{a, b::deep::g}; fn f() { d::more::h(); a::two::Two; g(1.0); }";
    let paths = Vec::from_iter(small("src/c.rs", text)["small::c"].paths.clone());
    assert_eq!(paths, ["other::deep", "other::deep::more::h", "small::a", "small::a::two", "small::b::deep"]);
}

#[test]
fn the_table_lists_modules_with_their_paths() {
    let text = table(&small("src/c.rs", "use serde::Serialize;"));
    let c = text.lines().skip_while(|line| !line.starts_with("small::c ")).take(2).collect::<Vec<_>>();
    assert_eq!(c[0].len(), "small::c ".len() + 64);
    assert_eq!(c[1], " serde");
}

#[test]
fn a_change_of_meaning_changes_the_identity_and_nothing_else_does() {
    let (path, module) = ("src/b/deep.rs", "small::b::deep");
    let before = small(path, "pub fn g(x: f64) -> f64 { let t = (x,); rand_pcg::mix(t.0) }");
    let same = [
        "/// New documentation.\npub fn g(\n    x: f64,\n) -> f64 {\n    let t = (x,);\n    rand_pcg::mix(\n        t.0,\n    )\n}",
        "pub fn g(x: f64) -> f64 { let t=(x ,); rand_pcg::mix(t . 0) } #[cfg(test)] use std::fs;",
        "pub(crate) fn g(x: f64) -> f64 { let t = (x,); rand_pcg::mix(t.0) }",
        "pub(in crate::b) fn g(x: f64) -> f64 { let t = (x,); rand_pcg::mix(t.0) }",
        "fn g(x: f64) -> f64 { let t = (x,); rand_pcg::mix(t.0) }",
        "#![doc = \"x\"] pub fn g(x: f64) -> f64 { let t = (x,); rand_pcg::mix(t.0) } #[cfg(test)] #[derive(Debug)] struct S { a: [u8; 3] }",
    ];
    for text in same {
        assert_eq!(small(path, text)[module].hash, before[module].hash, "{text}");
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
        assert_ne!(after[module].hash, before[module].hash, "{text}");
        for unchanged in before.keys().filter(|other| *other != module) {
            assert_eq!(after[unchanged], before[unchanged]);
        }
    }
    // A type in parentheses is no part of a visibility.
    let fields = ["pub struct A(pub (u8, u8));", "pub struct A((u8, u8));", "pub struct A(pub u8, pub u8);"];
    let [public, private, other] = fields.map(|text| small(path, text)[module].hash.clone());
    assert!(public == private && private != other);
    let one = small(path, "pub fn g(a: bool, b: bool) -> bool { a && b }");
    let two = small(path, "pub fn g(a: bool, b: bool) -> bool { a & &b }");
    assert_ne!(one[module].hash, two[module].hash);
}
