#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
// What nobody outside can reach is `pub(crate)`, so that whoever reads an item sees how far a change goes.
#![warn(unreachable_pub)]

mod paths;
pub mod tokens;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fmt, fs, io};

use proc_macro2::{LexError, TokenStream};
use sha2::{Digest, Sha256};

use paths::PathFinder;
use tokens::{feed, without_tests};

/// One module: a source file.
#[derive(Clone, Debug, PartialEq)]
pub struct Module {
    /// SHA-256 of its tokens and of the bytes of the files that it includes, in hexadecimal. Comments, documentation,
    /// visibilities, `#[cfg(test)]` items and formatting do not change it.
    pub hash: String,
    /// Full paths of what it names: modules of its own crate, and items of others (`rayon`, `other_crate::a::f`).
    pub paths: BTreeSet<String>,
    /// Files that it includes with `include_str!` and the like, relative to the package.
    pub included: BTreeSet<String>,
}

/// A source that is not Rust.
#[derive(Debug)]
pub struct NotRust {
    /// Its file.
    pub file: String,
    /// What is wrong with it.
    pub(crate) error: LexError,
}

impl fmt::Display for NotRust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file, self.error)
    }
}

impl std::error::Error for NotRust {}

/// The modules of a crate, by path (`noregret_core::learner::descent::fogd`). `sources` has the text of each source file by its
/// name relative to the package (`src/learner/fogd.rs`); `include` reads a file that a source includes.
///
/// `mod x;` does not lead to `x`: declaring a module is not depending on it. Following paths finds neither an `impl` in
/// a file that is neither its type's nor its trait's, nor what a glob import brings in. A crate that relies on its
/// table must not contain such code.
///
/// # Errors
/// A source that is not Rust.
pub fn modules(
    name: &str,
    sources: &BTreeMap<String, String>,
    include: &dyn Fn(&str) -> Option<Vec<u8>>,
) -> Result<BTreeMap<String, Module>, NotRust> {
    let known: BTreeSet<String> = sources.keys().map(|file| module_path(name, file)).collect();
    let mut found = BTreeMap::new();
    for (file, text) in sources {
        let tokens: TokenStream = text.parse().map_err(|error| NotRust { file: file.clone(), error })?;
        let tokens = without_tests(tokens);
        let path = module_path(name, file);
        let mut named = PathFinder::run(file, &path, name, &known, &|file| include(file).is_some(), &tokens);
        named.paths.remove(&path);
        let mut hash = Sha256::new();
        feed(&mut hash, &tokens, false);
        for file in &named.included {
            hash.update(b"\0included\0");
            hash.update(include(file).unwrap_or_default());
        }
        let hash = hex::encode(hash.finalize());
        found.insert(path, Module { hash, paths: named.paths, included: named.included });
    }
    Ok(found)
}

/// `src/a/b.rs` and `src/a/b/mod.rs` are the module `name::a::b`; `src/lib.rs` is the root. A binary is a module of its
/// own that nothing can name.
pub(crate) fn module_path(name: &str, file: &str) -> String {
    let inner = file.trim_start_matches("src/").trim_end_matches(".rs");
    match inner.strip_suffix("/mod").unwrap_or(inner) {
        "lib" => name.to_owned(),
        "main" => format!("{name}::(binary)"),
        inner => format!("{name}::{}", inner.replace('/', "::")),
    }
}

/// The table as text: a line `PATH HASH` for each module, then a line ` PATH` for each path that it names.
pub fn table(modules: &BTreeMap<String, Module>) -> String {
    let mut text = String::new();
    for (path, module) in modules {
        let _ = writeln!(text, "{path} {}", module.hash);
        for path in &module.paths {
            let _ = writeln!(text, " {path}");
        }
    }
    text
}

/// The sources of the package in `folder`: their text by file name, relative to the folder.
///
/// # Errors
/// A folder or a file that cannot be read.
pub fn sources(folder: &Path) -> io::Result<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    let mut open: Vec<PathBuf> = vec![folder.join("src")];
    while let Some(inner) = open.pop() {
        for entry in fs::read_dir(inner)? {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().replace('\\', "/");
                found.insert(name, fs::read_to_string(&path)?);
            }
        }
    }
    Ok(found)
}

/// For a build script: writes the table of the package that is being built to `$OUT_DIR/identity.txt`.
///
/// # Errors
/// Sources that cannot be read or are not Rust; a call from outside a build script.
pub fn build() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let name = env::var("CARGO_PKG_NAME")?.replace('-', "_");
    let modules = modules(&name, &sources(&folder)?, &|file| fs::read(folder.join(file)).ok())?;
    println!("cargo:rerun-if-changed=src");
    for file in modules.values().flat_map(|module| &module.included) {
        println!("cargo:rerun-if-changed={file}");
    }
    fs::write(Path::new(&env::var("OUT_DIR")?).join("identity.txt"), table(&modules))?;
    Ok(())
}
