//! Code identity: which source code a result depends on.
//!
//! Every crate brings a table of its modules, made by `noregret-identity` when it is built: the hash of each module's
//! tokens and the paths that it names. A result names the modules that compute it (by `module_path!()`), and
//! [`Codebase::closure`] follows their imports through all crates and into the packages that they use.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use sha2::{Digest, Sha256};

/// The identity of the code behind a result.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct CodeIdentity {
    /// SHA-256 over `files`, in hexadecimal.
    pub digest: String,
    /// Modules with the hash of their tokens, and packages (`package NAME VERSION`) with their features.
    pub files: BTreeMap<String, String>,
}

impl CodeIdentity {
    /// The identity of these files, given with their hashes.
    pub fn new(files: BTreeMap<String, String>) -> Self {
        let mut hash = Sha256::new();
        for (name, own) in &files {
            for text in [name, own] {
                hash.update((text.len() as u64).to_le_bytes());
                hash.update(text);
            }
        }
        let digest = hex::encode(hash.finalize());
        Self { digest, files }
    }

    /// The same digest without the list of packages, so that it is short enough for every trace. The manifest of the
    /// stage lists the packages.
    pub fn without_packages(&self) -> Self {
        let modules = self.files.iter().filter(|(name, _)| !name.starts_with("package "));
        Self { digest: self.digest.clone(), files: modules.map(|(name, own)| (name.clone(), own.clone())).collect() }
    }

    /// The identity of the code that either one covers.
    pub fn union(&self, other: &Self) -> Self {
        let mut files = self.files.clone();
        files.extend(other.files.iter().map(|(name, own)| (name.clone(), own.clone())));
        Self::new(files)
    }
}

/// A module of one of the crates.
#[derive(Debug)]
struct CodeModule {
    hash: &'static str,
    /// The modules that its paths lead to.
    modules: Vec<&'static str>,
    packages: Vec<&'static str>,
}

/// A package that the crates are built with.
#[derive(Debug)]
struct Package {
    features: &'static str,
    dependencies: Vec<&'static str>,
}

/// The modules of several crates, and the packages that these use.
#[derive(Debug)]
pub struct Codebase {
    modules: BTreeMap<&'static str, CodeModule>,
    packages: BTreeMap<&'static str, Package>,
}

impl Codebase {
    /// The code of the crates whose tables (as `noregret-identity` writes them) and packages are given. `packages` has
    /// a line `NAME VERSION FEATURES` (`-` for none) for each package, followed by a line ` NAME VERSION` for each
    /// package that it depends on. Lines that begin with `#` are comments.
    pub fn new(tables: &[&'static str], packages: &'static str) -> Self {
        let packages: BTreeMap<&str, Package> = entries(packages)
            .map(|(head, dependencies)| {
                let (name, features) = head.rsplit_once(' ').unwrap_or((head, ""));
                (name, Package { features, dependencies })
            })
            .collect();
        // Crates are named in source with `_` for `-`.
        let by_word: HashMap<String, Vec<&str>> = packages.keys().fold(HashMap::new(), |mut words, name| {
            let word = name.split(' ').next().unwrap_or(name).replace('-', "_");
            words.entry(word).or_insert_with(Vec::new).push(*name);
            words
        });
        let heads = tables.iter().flat_map(|table| entries(table));
        let heads: Vec<_> = heads.filter_map(|(head, paths)| Some((head.split_once(' ')?, paths))).collect();
        let names: BTreeSet<&str> = heads.iter().map(|((path, _), _)| *path).collect();
        let modules = heads
            .iter()
            .map(|((path, hash), paths)| {
                let mut module = CodeModule { hash, modules: Vec::new(), packages: Vec::new() };
                for named in paths {
                    match deepest(&names, named) {
                        Some(found) => module.modules.push(found),
                        None => {
                            let word = named.split("::").next().unwrap_or(named);
                            module.packages.extend(by_word.get(word).into_iter().flatten());
                        }
                    }
                }
                (*path, module)
            })
            .collect();
        Self { modules, packages }
    }

    /// The identity of the modules `roots` (as `module_path!()` gives them), of everything that they reach through
    /// imports, and of the packages that these use.
    ///
    /// A root that is not a module of these crates is a programming error. It enters the identity as `unknown`, which
    /// tests reject.
    pub fn closure(&self, roots: &[&'static str]) -> CodeIdentity {
        let (mut named, mut packages) = self.reached(roots, |_| true);
        while let Some(name) = packages.pop() {
            let Some(package) = self.packages.get(name) else { continue };
            if named.insert(format!("package {name}"), package.features.to_owned()).is_none() {
                packages.extend(&package.dependencies);
            }
        }
        CodeIdentity::new(named)
    }

    /// The identity of the module `root` and of what it reaches through modules for which `within` holds.
    pub fn inside(&self, within: impl Fn(&str) -> bool, root: &'static str) -> CodeIdentity {
        CodeIdentity::new(self.reached(&[root], within).0)
    }

    /// The modules `roots` and what they reach through modules for which `within` holds, with their hashes, and the
    /// packages that these use.
    fn reached(
        &self,
        roots: &[&'static str],
        within: impl Fn(&str) -> bool,
    ) -> (BTreeMap<String, String>, Vec<&'static str>) {
        let (mut named, mut packages, mut open) = (BTreeMap::new(), Vec::new(), roots.to_vec());
        while let Some(path) = open.pop() {
            let Some((path, module)) = self.module(path) else {
                named.insert(path.to_owned(), "unknown".to_owned());
                continue;
            };
            if named.insert(path.to_owned(), module.hash.to_owned()).is_none() {
                open.extend(module.modules.iter().filter(|path| within(path)));
                packages.extend(&module.packages);
            }
        }
        (named, packages)
    }

    /// The modules of these crates that a module imports, by path.
    pub fn imports(&self, path: &str) -> impl Iterator<Item = &'static str> {
        self.modules.get(path).into_iter().flat_map(|module| module.modules.iter().copied())
    }

    /// The paths of all modules.
    pub fn paths(&self) -> impl Iterator<Item = &'static str> {
        self.modules.keys().copied()
    }

    /// The module whose file contains `path`: a `module_path!()` may continue into inline modules of that file.
    fn module(&self, path: &'static str) -> Option<(&'static str, &CodeModule)> {
        let mut path = path;
        loop {
            match self.modules.get(path) {
                Some(module) => return Some((path, module)),
                None => path = path.rsplit_once("::")?.0,
            }
        }
    }
}

/// The longest prefix of `path` that is one of `names`.
fn deepest(names: &BTreeSet<&'static str>, path: &str) -> Option<&'static str> {
    let mut path = path;
    loop {
        match names.get(path) {
            Some(name) => return Some(name),
            None => path = path.rsplit_once("::")?.0,
        }
    }
}

/// The entries of a table: a line, and the indented lines below it.
fn entries(text: &'static str) -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    let mut lines = text.lines().filter(|line| !line.starts_with('#')).peekable();
    std::iter::from_fn(move || {
        let head = lines.next()?;
        let mut inner = Vec::new();
        while let Some(line) = lines.next_if(|line| line.starts_with(' ')) {
            inner.push(&line[1..]);
        }
        Some((head, inner))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "one 00\none::a 0a\n one::b\n two::x::deep::f\n rand_pcg::Pcg64\none::b 0b\none::c 0c\n one::a\n";
    const TWO: &str = "two::x 1a\ntwo::x::deep 1b\n one\n serde\n";
    const PACKAGES: &str =
        "# made for a test\nrand 0.9 std\nrand-pcg 0.9 -\n rand 0.9\nserde 1.0 derive,std\nwindows 1.0 -\n";

    fn reached(root: &'static str) -> Vec<String> {
        Codebase::new(&[ONE, TWO], PACKAGES).closure(&[root]).files.into_keys().collect()
    }

    #[test]
    fn a_closure_crosses_crates_and_reaches_packages() {
        let all = [
            "one",
            "one::a",
            "one::b",
            "package rand 0.9",
            "package rand-pcg 0.9",
            "package serde 1.0",
            "two::x::deep",
        ];
        assert_eq!(reached("one::a"), all);
        assert_eq!(reached("one::b"), ["one::b"]);
        assert_eq!(reached("two::x"), ["two::x"]);
        let code = Codebase::new(&[ONE, TWO], PACKAGES);
        assert_eq!(
            Vec::from_iter(code.inside(|path| path.starts_with("one::"), "one::a").files.into_keys()),
            ["one::a", "one::b"]
        );
        assert_eq!(
            code.inside(|path| path.starts_with("two::"), "one::c").files.len(),
            1,
            "what lies outside is not followed"
        );
        assert_eq!(code.closure(&["one::b::tests"]), code.closure(&["one::b"]), "a module inside a file");
    }

    #[test]
    fn the_order_of_roots_is_no_matter_and_unions_contain_both() {
        let code = Codebase::new(&[ONE, TWO], PACKAGES);
        assert_eq!(code.closure(&["one::b", "two::x"]), code.closure(&["two::x", "one::b"]));
        assert_eq!(code.closure(&["one::b"]).union(&code.closure(&["two::x"])), code.closure(&["one::b", "two::x"]));
        assert_ne!(code.closure(&["one::b"]).digest, code.closure(&["two::x"]).digest);
    }

    #[test]
    fn a_feature_and_a_hash_change_what_reaches_them_alone() {
        let code = Codebase::new(&[ONE, TWO], PACKAGES);
        let featured = Codebase::new(&[ONE, TWO], "rand 0.9 std,small\nrand-pcg 0.9 -\n rand 0.9\n");
        assert_ne!(code.closure(&["one::a"]).digest, featured.closure(&["one::a"]).digest);
        assert_eq!(code.closure(&["one::b"]).digest, featured.closure(&["one::b"]).digest);
    }

    #[test]
    fn an_unknown_root_is_named() {
        assert_eq!(Codebase::new(&[ONE], "").closure(&["three::x"]).files["three::x"], "unknown");
    }
}
