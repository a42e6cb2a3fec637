//! Code identity: which source code a result depends on, as hashes of tokens made at build time.
//!
//! A result names the files that compute it (`file!()` of each); [`closure`] follows their paths through the crate
//! and, through `Cargo.lock`, into the packages that they use. Comments, formatting and tests have no part in it.
//! The table is made by `build.rs`.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Mutex, OnceLock, PoisonError};

use sha2::{Digest, Sha256};

/// The identity of the code behind a result.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Identity {
    /// SHA-256 over `files`, in hexadecimal.
    pub digest: String,
    /// Source files (and external packages) with the hash of their tokens, sorted by name.
    pub files: BTreeMap<String, String>,
}

impl Identity {
    /// The identity of a list of files with their hashes.
    pub fn new(files: BTreeMap<String, String>) -> Self {
        let mut hash = Sha256::new();
        for (name, own) in &files {
            for text in [name, own] {
                hash.update((text.len() as u64).to_le_bytes());
                hash.update(text);
            }
        }
        let digest = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Self { digest, files }
    }

    /// The same digest without the list of packages behind it: short enough to go into every trace. The manifest of
    /// the stage has them.
    pub fn without_packages(mut self) -> Self {
        self.files.retain(|name, _| name.ends_with(".rs"));
        self
    }

    /// The identity of the code behind both.
    pub fn union(&self, other: &Self) -> Self {
        let mut files = self.files.clone();
        files.extend(other.files.iter().map(|(name, own)| (name.clone(), own.clone())));
        Self::new(files)
    }
}

/// One row of the table: a source file, the files and the packages that it names.
struct File {
    path: &'static str,
    hash: &'static str,
    edges: &'static [usize],
    packages: &'static [usize],
}

/// One locked package.
struct Package {
    name: &'static str,
    identity: &'static str,
    dependencies: &'static [usize],
}

mod table {
    use super::{File, Package};
    include!(concat!(env!("OUT_DIR"), "/code_table.rs"));
}

/// The identity of `files` (as `file!()` gives them: `src/learner/fogd.rs`) and of everything that they reach: files
/// of this crate through `crate::` paths, packages through `Cargo.lock`. Cached.
///
/// A path that is no source file of this package is a programming error; it enters the identity as `unknown`, which
/// the tests refuse.
pub fn closure(files: &[&str]) -> Identity {
    static CACHE: OnceLock<Mutex<HashMap<Vec<String>, Identity>>> = OnceLock::new();
    let mut wanted: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let mut cache = CACHE.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(identity) = cache.get(&wanted) {
        return identity.clone();
    }
    let mut named = unknown(files);
    let mut reached: BTreeSet<usize> = BTreeSet::new();
    let mut open: Vec<usize> = files.iter().filter_map(|file| find(file)).collect();
    let mut packages: Vec<usize> = Vec::new();
    while let Some(at) = open.pop() {
        if reached.insert(at) {
            let file = &table::FILES[at];
            named.insert(file.path.to_owned(), file.hash.to_owned());
            open.extend(file.edges);
            packages.extend(file.packages);
        }
    }
    let mut used: BTreeSet<usize> = BTreeSet::new();
    while let Some(at) = packages.pop() {
        if used.insert(at) {
            packages.extend(table::PACKAGES[at].dependencies);
        }
    }
    for at in used {
        let package = &table::PACKAGES[at];
        named
            .entry(format!("package {}", package.name))
            .and_modify(|versions| {
                versions.push_str(" + ");
                versions.push_str(package.identity);
            })
            .or_insert_with(|| package.identity.to_owned());
    }
    let identity = Identity::new(named);
    cache.insert(wanted, identity.clone());
    identity
}

/// The identity of `files` alone, without what they import.
pub fn shallow(files: &[&str]) -> Identity {
    let mut named = unknown(files);
    for file in files.iter().filter_map(|file| find(file)).map(|at| &table::FILES[at]) {
        named.insert(file.path.to_owned(), file.hash.to_owned());
    }
    Identity::new(named)
}

fn find(path: &str) -> Option<usize> {
    table::FILES.binary_search_by(|file| file.path.cmp(path)).ok()
}

fn unknown(files: &[&str]) -> BTreeMap<String, String> {
    files.iter().filter(|file| find(file).is_none()).map(|file| ((*file).to_owned(), "unknown".to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closure_holds_what_the_file_imports_and_shallow_does_not() {
        let closure = closure(&["src/draw.rs"]);
        assert!(closure.files.contains_key("src/draw.rs"));
        assert!(closure.files.keys().any(|name| name == "package rand_pcg"), "{:?}", closure.files.keys());
        assert!(!closure.files.contains_key("src/lib.rs"));
        assert_eq!(shallow(&["src/draw.rs"]).files.len(), 1);
        assert!(closure.files.values().all(|hash| hash != "unknown"));
    }

    #[test]
    fn the_order_of_files_is_no_matter_and_unions_contain_both() {
        let (a, b) = (["src/draw.rs", "src/linalg/sum.rs"], ["src/linalg/sum.rs", "src/draw.rs"]);
        assert_eq!(closure(&a), closure(&b));
        assert_eq!(closure(&a[..1]).union(&closure(&a[1..])), closure(&a));
        assert_ne!(closure(&a[..1]).digest, closure(&a).digest);
    }

    #[test]
    fn an_unknown_file_is_named() {
        assert_eq!(closure(&["src/nowhere.rs"]).files["src/nowhere.rs"], "unknown");
    }
}
