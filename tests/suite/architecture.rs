//! Checks the rules of this project against the source of all crates.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use noregret_identity::tokens::without_tests;
use noregret_identity::{Module, modules, sources};
use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// The packages of the workspace that have libraries: the names of these, and the folders.
const CRATES: [(&str, &str); 13] = [
    ("noregret", "."),
    ("noregret_core", "crates/core"),
    ("noregret_data", "crates/data"),
    ("noregret_engine", "crates/engine"),
    ("noregret_identity", "crates/identity"),
    ("noregret_model", "crates/model"),
    ("noregret_numeric", "crates/numeric"),
    ("noregret_papers", "crates/papers"),
    ("noregret_platform", "crates/platform"),
    ("noregret_raster", "crates/raster"),
    ("noregret_report", "crates/report"),
    ("noregret_stream", "crates/stream"),
    ("noregret_study", "crates/study"),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every source file: crate, path relative to its package, text.
fn all_sources() -> Vec<(&'static str, String, String)> {
    let each = CRATES.into_iter().flat_map(|(name, folder)| {
        sources(&root().join(folder)).unwrap().into_iter().map(move |(path, text)| (name, path, text))
    });
    each.collect()
}

/// The modules of all crates, with the paths that they use.
fn all_modules() -> BTreeMap<String, Module> {
    let each = CRATES.into_iter().flat_map(|(name, folder)| {
        let folder = root().join(folder);
        modules(name, &sources(&folder).unwrap(), &|path| fs::read(folder.join(path)).ok()).unwrap()
    });
    each.collect()
}

/// The module that a path leads to.
fn module_of<'a>(known: &'a BTreeMap<String, Module>, path: &str) -> Option<&'a str> {
    let mut path = path;
    loop {
        match known.get_key_value(path) {
            Some((name, _)) => return Some(name),
            None => path = path.rsplit_once("::")?.0,
        }
    }
}

/// Whether a module is compiled for tests only: `mod tests;` always has `#[cfg(test)]`.
fn is_test(module: &str) -> bool {
    module.split("::").any(|word| word == "tests")
}

/// Modules import each other in one direction only.
#[test]
fn no_module_imports_itself_through_others() {
    let known = all_modules();
    let imports = |module: &str| -> BTreeSet<&str> {
        known[module].paths.iter().filter_map(|path| module_of(&known, path)).filter(|found| *found != module).collect()
    };
    // Remove modules that import only removed ones: they are in no circle.
    let mut open: BTreeMap<&str, BTreeSet<&str>> =
        known.keys().filter(|module| !is_test(module)).map(|module| (module.as_str(), imports(module))).collect();
    loop {
        let free: Vec<&str> =
            open.iter().filter(|(_, imports)| imports.iter().all(|i| !open.contains_key(i))).map(|(m, _)| *m).collect();
        if free.is_empty() {
            break;
        }
        free.iter().for_each(|module| drop(open.remove(module)));
    }
    // Modules that import a circle without being in one are left. Remove them from the other side.
    loop {
        let imported: BTreeSet<&str> = open.values().flatten().copied().collect();
        let before = open.len();
        open.retain(|module, _| imported.contains(module));
        if open.len() == before {
            break;
        }
    }
    assert!(open.is_empty(), "these modules form circles: {:#?}", open.keys());
}

/// All identifiers and punctuation of a file without tests, separated by spaces.
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

/// Whether a source uses a generator that the operating system seeds.
fn draws_without_a_key(words: &[String]) -> bool {
    let from_rand =
        |four: &[String]| four[..3] == ["rand", ":", ":"] && (four[3] == "rng" || four[3].starts_with("random"));
    words.windows(4).any(from_rand) || words.iter().any(|word| ["ThreadRng", "SysRng", "OsRng"].contains(&&**word))
}

/// Whether two words panic on what a user may have given. `unreachable!` is for what a check has excluded before.
fn panics(pair: &[String]) -> bool {
    match [pair[0].as_str(), pair[1].as_str()] {
        [".", word] => ["unwrap", "expect", "unwrap_err", "expect_err"].contains(&word),
        [word, "!"] => word == "panic",
        _ => false,
    }
}

/// Whether a source imports everything of a module.
fn imports_everything(words: &[String]) -> bool {
    words.windows(3).any(|three| three == [":", ":", "*"])
}

/// The public functions whose error is a text. Those who call them could not tell one error from another.
fn texts_as_errors(tokens: &[TokenTree]) -> Vec<String> {
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if let TokenTree::Group(group) = token {
            found.extend(texts_as_errors(&group.stream().into_iter().collect::<Vec<_>>()));
        }
        let word = |after: usize| tokens.get(at + after).map(ToString::to_string).unwrap_or_default();
        if word(0) != "pub" || word(1) != "fn" {
            continue;
        }
        let body =
            |token: &TokenTree| matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
        let signature = tokens[at..].iter().take_while(|token| !body(token)).map(ToString::to_string);
        let signature: Vec<String> = signature.take_while(|word| word != "where").collect();
        if signature.ends_with(&[",", "String", ">"].map(str::to_owned)) && signature.contains(&"Result".into()) {
            found.push(word(2));
        }
    }
    found
}

#[test]
fn errors_have_types() {
    let of = |text: &str| texts_as_errors(&text.parse::<TokenStream>().unwrap().into_iter().collect::<Vec<_>>());
    let wrong = "impl A { pub fn one(&self) -> Result<(), String> {} } pub fn two<T>(x: T) -> Result<Vec<T>, String> where T: B { x }";
    assert_eq!(of(wrong), ["one", "two"]);
    assert_eq!(
        of(
            "pub(crate) fn a() -> Result<(), String> {} pub fn b(f: fn() -> Result<u8, String>) -> Result<String, E> {}"
        ),
        [""; 0]
    );
    for (name, path, text) in all_sources() {
        assert_eq!(of(&text), [""; 0], "{name}: {path}");
    }
}

#[test]
fn keyless_generators_and_globs_are_seen() {
    for wrong in
        ["let x: f64 = rand::random();", "rand::rng().next_u64()", "rand::random_range(0..2)", "OsRng.next_u64()"]
    {
        assert!(draws_without_a_key(&words(wrong)), "{wrong}");
    }
    assert!(!draws_without_a_key(&words("use rand_pcg::Pcg64; let random = rand::RngExt::random(&mut draw);")));
    for wrong in ["use a::*;", "use a::{b::*, c};", "use a::{c, b::*};"] {
        assert!(imports_everything(&words(wrong)), "{wrong}");
    }
    assert!(!imports_everything(&words("use a::{b, c}; let x = 2 * a::B;")));
}

#[test]
fn panics_are_seen() {
    for wrong in ["x.unwrap()", "x.expect(\"why\")", "panic!(\"no\")"] {
        assert!(words(wrong).windows(2).any(panics), "{wrong}");
    }
    let right = "#[expect(unused)] let x = y.unwrap_or(1).expected; #[cfg(test)] mod tests { fn f() { x.unwrap() } }";
    assert!(!words(right).windows(2).any(panics));
}

/// Whether work of a learner goes to other threads without its meter: the time that a trace tells would be one thread's.
fn divides_unmeasured(words: &[String]) -> bool {
    let has = |name: &str| words.iter().any(|word| word == name);
    let joins = words.windows(4).any(|four| four == ["rayon", ":", ":", "join"]);
    let parallel = ["into_par_iter", "par_iter", "par_iter_mut"].into_iter().any(has);
    joins || parallel && !has("CpuMeter")
}

#[test]
fn work_that_is_divided_without_a_meter_is_found() {
    let found = |text| divides_unmeasured(&words(text));
    assert!(found("rayon::join(a, b)") && found("seats.par_iter_mut().for_each(play)"));
    assert!(!found("join(a, b)") && !found("seats.par_iter().map(|seat| CpuMeter::current().charge(|| play(seat)))"));
}

#[test]
fn house_rules_hold() {
    let mut wrong = Vec::new();
    for (name, path, text) in all_sources() {
        let path = format!("{name}: {path}");
        let lines = text.lines().count();
        if lines > 500 {
            wrong.push(format!("{path}: {lines} lines; split it"));
        }
        let words = words(&text);
        for pair in words.windows(2) {
            let macro_name = if pair[1] == "!" { pair[0].as_str() } else { "" };
            match macro_name {
                "todo" | "unimplemented" | "dbg" => wrong.push(format!("{path}: {macro_name}!")),
                "println" | "print" | "eprintln" | "eprint"
                    if !path.contains("src/cli")
                        && !path.ends_with("main.rs")
                        && !path.starts_with("noregret_identity") =>
                {
                    wrong.push(format!("{path}: {macro_name}! outside src/cli"));
                }
                _ => {}
            }
        }
        if !path.contains("tests") && words.windows(2).any(panics) {
            wrong.push(format!("{path}: unwrap, expect or panic; say what is wrong, in a message"));
        }
        for path_words in words.windows(4) {
            if path_words == ["SystemTime", ":", ":", "now"] && !path.ends_with("src/exec/clock.rs") {
                wrong.push(format!("{path}: SystemTime::now outside exec/clock.rs"));
            }
        }
        let learns = ["noregret_core", "noregret_numeric"].contains(&name);
        if learns && divides_unmeasured(&words) && !path.ends_with("meter.rs") {
            wrong.push(format!("{path}: work is divided among threads and nobody counts its time; see meter.rs"));
        }
        if draws_without_a_key(&words) {
            wrong.push(format!("{path}: a generator that is not keyed; see draw.rs"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Tests, benchmarks, tools and build scripts have the same limit on their length.
#[test]
fn no_other_file_is_too_long() {
    let mut open: Vec<PathBuf> = ["tests", "benches", "crates", "xtask"].map(|folder| root().join(folder)).into();
    let mut long = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                // What fuzzing has compiled has sources of others.
                open.extend((!path.ends_with("target")).then_some(path));
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let lines = fs::read_to_string(&path).unwrap().lines().count();
                long.extend((lines > 500).then(|| format!("{}: {lines} lines", path.display())));
            }
        }
    }
    assert!(long.is_empty(), "{long:#?}");
}

/// The scripts with more than 60 lines.
fn long_scripts(scripts: &BTreeMap<String, String>) -> Vec<String> {
    let lines = scripts.iter().map(|(path, text)| (path, text.lines().count()));
    lines.filter(|(_, lines)| *lines > 60).map(|(path, lines)| format!("{path}: {lines} lines")).collect()
}

/// Whoever doubts the losses of another library reads the script that plays it, and changes a copy for one of their own.
#[test]
fn learners_of_other_libraries_are_short_scripts() {
    let named = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    let read = |path: PathBuf| (named(&path), fs::read_to_string(&path).unwrap());
    let within = |folder: &str| fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path());
    let declared = within("pipeline/learners").map(|path| read(path).1.parse::<toml::Table>().unwrap());
    let commands: String = declared.map(|file| file["command"].to_string()).collect();
    let plays = |path: &PathBuf| named(path).ends_with("_learner.py") || commands.contains(&named(path));
    let scripts: BTreeMap<String, String> = within("peers").filter(plays).map(read).collect();
    assert!(["river_learner.py", "river_series.py", "vw_learner.py"].iter().all(|name| scripts.contains_key(*name)));
    assert_eq!(long_scripts(&scripts), Vec::<String>::new());
    let more = [("short.py", 60), ("long.py", 61)].map(|(name, lines)| (name.to_owned(), "pass\n".repeat(lines)));
    assert_eq!(long_scripts(&more.into()), ["long.py: 61 lines"]);
}

/// Code identity cannot follow a path through a glob import, so modules that results depend on have none.
#[test]
fn no_module_imports_everything_of_another() {
    let mut wrong = Vec::new();
    for (_, path, text) in all_sources().iter().filter(|(_, path, _)| !path.contains("tests")) {
        if imports_everything(&words(text)) {
            wrong.push(path.clone());
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// No crate of ours has unsafe code, or can get any without a change here.
#[test]
fn every_crate_forbids_unsafe_code() {
    let roots: Vec<_> = all_sources()
        .into_iter()
        .filter(|(_, path, _)| ["src/lib.rs", "src/main.rs"].contains(&path.as_str()))
        .collect();
    assert_eq!(roots.len(), CRATES.len() + 1);
    for (name, path, text) in roots {
        assert!(text.lines().any(|line| line == "#![forbid(unsafe_code)]"), "{name}: {path}");
    }
}

/// Code identity follows paths, so an `impl` must be in the file of its type or of its trait.
#[test]
fn implementations_stand_beside_their_type_or_their_trait() {
    let mut wrong = Vec::new();
    let without_results = ["noregret", "noregret_engine", "noregret_stream"];
    for (_, path, text) in all_sources().iter().filter(|(name, ..)| !without_results.contains(name)) {
        let tokens = without_tests(text.parse::<TokenStream>().unwrap());
        let is_word = |token: &TokenTree, words: &[&str]| words.iter().any(|word| token.to_string() == *word);
        // Structs of parameters are declared in the body of a macro.
        let bodies = tokens.windows(3).filter_map(|three| match &three[2] {
            TokenTree::Group(body) if is_word(&three[0], &["parameters"]) => Some(body.stream().into_iter().collect()),
            _ => None,
        });
        let bodies: Vec<Vec<TokenTree>> = bodies.collect();
        let defined: BTreeSet<String> = std::iter::once(&tokens)
            .chain(&bodies)
            .flat_map(|tokens| tokens.windows(2))
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
