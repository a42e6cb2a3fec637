//! Paths: which modules and packages the tokens of a file name.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Group, TokenTree};

use crate::tokens::{is_ident, is_path_separator, is_punct};

/// What one file names.
#[derive(Debug, Default)]
pub(crate) struct NamedPaths {
    /// Full paths of what the file names: modules of its own crate, and items of others.
    pub paths: BTreeSet<String>,
    /// Files that it includes with `include_str!` and the like, relative to the package.
    pub(crate) included: BTreeSet<String>,
}

/// Finds the paths that one file names.
pub(crate) struct PathFinder<'a> {
    /// The file, relative to the package.
    file: &'a str,
    /// All modules of the crate.
    modules: &'a BTreeSet<String>,
    /// The name of the crate.
    name: &'a str,
    /// Whether a file can be included, given its path relative to the package.
    exists: &'a dyn Fn(&str) -> bool,
    /// Imported names, and the paths that they stand for.
    aliases: BTreeMap<String, BTreeSet<Vec<String>>>,
    found: NamedPaths,
}

impl<'a> PathFinder<'a> {
    /// Finds what is named by the tokens of `file`, which is the module `module` of the crate `name`.
    pub(crate) fn run(
        file: &'a str,
        module: &str,
        name: &'a str,
        modules: &'a BTreeSet<String>,
        exists: &'a dyn Fn(&str) -> bool,
        tokens: &[TokenTree],
    ) -> NamedPaths {
        let module: Vec<String> = module.split("::").map(str::to_owned).collect();
        let mut finder = Self { file, modules, name, exists, aliases: BTreeMap::new(), found: NamedPaths::default() };
        finder.aliases(tokens, &module);
        finder.walk(tokens, &module);
        finder.found
    }

    /// Collects the names that `use` items import.
    fn aliases(&mut self, tokens: &[TokenTree], module: &[String]) {
        let mut at = 0;
        while at < tokens.len() {
            if is_ident(&tokens[at], "use") {
                let (leaves, end) = use_item(tokens, at);
                for (path, name) in leaves {
                    // `use x;` adds nothing to what `x` names already.
                    if path.len() > 1 || path.first() != Some(&name) {
                        for full in self.resolve(&path, module) {
                            self.aliases.entry(name.clone()).or_default().insert(full);
                        }
                    }
                }
                at = end;
            } else if let TokenTree::Group(group) = &tokens[at] {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                self.aliases(&inner, module);
            }
            at += 1;
        }
    }

    /// Finds every path in `tokens`, which are part of `module`.
    fn walk(&mut self, tokens: &[TokenTree], module: &[String]) {
        let mut at = 0;
        while at < tokens.len() {
            match &tokens[at] {
                TokenTree::Ident(ident) => {
                    let word = ident.to_string();
                    if word == "use" {
                        let (leaves, end) = use_item(tokens, at);
                        leaves.iter().for_each(|(path, _)| self.record(path, module));
                        at = end + 1;
                        continue;
                    }
                    if word == "mod"
                        && let (Some(TokenTree::Ident(name)), Some(TokenTree::Group(group))) =
                            (tokens.get(at + 1), tokens.get(at + 2))
                    {
                        let mut inner_module = module.to_vec();
                        inner_module.push(name.to_string());
                        let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                        self.walk(&inner, &inner_module);
                        at += 3;
                        continue;
                    }
                    if word.starts_with("include")
                        && let (Some(bang), Some(TokenTree::Group(group))) = (tokens.get(at + 1), tokens.get(at + 2))
                        && is_punct(bang, '!')
                    {
                        self.include(group);
                    }
                    let (path, next) = path_from(tokens, at);
                    if path.len() > 1 {
                        self.record(&path, module);
                    }
                    at = next;
                    continue;
                }
                TokenTree::Group(group) => {
                    let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                    self.walk(&inner, module);
                }
                _ => {}
            }
            at += 1;
        }
    }

    /// `include_str!("x")`: the content of `x` is part of this file.
    fn include(&mut self, group: &Group) {
        let Some(TokenTree::Literal(literal)) = group.stream().into_iter().next() else { return };
        let text = literal.to_string();
        let Some(name) = text.strip_prefix('"').and_then(|t| t.strip_suffix('"')) else { return };
        let mut parts: Vec<&str> = self.file.split('/').collect();
        parts.pop();
        for part in name.split('/') {
            match part {
                ".." => drop(parts.pop()),
                "." => {}
                part => parts.push(part),
            }
        }
        let path = parts.join("/");
        if (self.exists)(&path) {
            self.found.included.insert(path);
        }
    }

    /// The full paths that a path may stand for.
    fn resolve(&self, path: &[String], module: &[String]) -> Vec<Vec<String>> {
        let Some(first) = path.first() else { return Vec::new() };
        let mut rest = &path[1..];
        let start = match first.as_str() {
            "crate" => vec![self.name.to_owned()],
            "self" => module.to_vec(),
            "super" => {
                let mut full = module.to_vec();
                full.pop();
                while rest.first().is_some_and(|word| word == "super") {
                    full.pop();
                    rest = &rest[1..];
                }
                full
            }
            first => {
                let mut child = module.to_vec();
                child.push(first.to_owned());
                if self.modules.contains(&child.join("::")) {
                    child
                } else if let Some(known) = self.aliases.get(first) {
                    return known.iter().map(|start| [start.as_slice(), rest].concat()).collect();
                } else {
                    vec![first.to_owned()]
                }
            }
        };
        vec![[start.as_slice(), rest].concat()]
    }

    /// Records what a path leads to.
    fn record(&mut self, path: &[String], module: &[String]) {
        for mut full in self.resolve(path, module) {
            if full[0] == self.name {
                // The deepest module on the path.
                while !full.is_empty() && !self.modules.contains(&full.join("::")) {
                    full.pop();
                }
            } else {
                // A type leads to the module that contains it.
                let types = full.iter().position(|word| word.starts_with(char::is_uppercase)).unwrap_or(full.len());
                full.truncate(types);
            }
            if let Some(first) = full.first()
                && !STANDARD.contains(&first.as_str())
            {
                self.found.paths.insert(full.join("::"));
            }
        }
    }
}

/// First words of paths into the language and its standard library.
const STANDARD: &[&str] = &[
    "std", "core", "alloc", "self", "bool", "char", "str", "f32", "f64", "u8", "u16", "u32", "u64", "u128", "usize",
    "i8", "i16", "i32", "i64", "i128", "isize",
];

/// The leaves of the `use` item that starts at `at`, and the position of its semicolon.
fn use_item(tokens: &[TokenTree], at: usize) -> (Vec<(Vec<String>, String)>, usize) {
    let end = tokens[at..].iter().position(|t| is_punct(t, ';')).map_or(tokens.len(), |n| at + n);
    let mut leaves = Vec::new();
    use_tree(&tokens[at + 1..end], &mut Vec::new(), &mut leaves);
    (leaves, end)
}

/// The path `a::b::c` that starts at `at`, and the position after it. Generic arguments end it.
fn path_from(tokens: &[TokenTree], at: usize) -> (Vec<String>, usize) {
    let mut path = Vec::new();
    let mut next = at;
    while let Some(TokenTree::Ident(ident)) = tokens.get(next) {
        path.push(ident.to_string());
        next += 1;
        if !is_path_separator(tokens, next) {
            break;
        }
        next += 2;
    }
    (path, next)
}

/// The leaves of a use tree: full paths, and the names that they get here.
fn use_tree(tokens: &[TokenTree], prefix: &mut Vec<String>, leaves: &mut Vec<(Vec<String>, String)>) {
    let mut at = 0;
    if is_path_separator(tokens, 0) {
        at = 2;
    }
    let depth = prefix.len();
    let mut grouped = false;
    while at < tokens.len() {
        match &tokens[at] {
            TokenTree::Ident(ident) if ident == "as" => {
                if let Some(TokenTree::Ident(name)) = tokens.get(at + 1) {
                    leaves.push((prefix.clone(), name.to_string()));
                }
                prefix.truncate(depth);
                return;
            }
            TokenTree::Ident(ident) if ident != "self" || prefix.is_empty() => prefix.push(ident.to_string()),
            TokenTree::Group(group) => {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                for part in inner.split(|t| is_punct(t, ',')) {
                    if !part.is_empty() {
                        use_tree(part, prefix, leaves);
                    }
                }
                grouped = true;
            }
            _ => {}
        }
        at += 1;
    }
    if !grouped && let Some(last) = prefix.last() {
        leaves.push((prefix.clone(), last.clone()));
    }
    prefix.truncate(depth);
}
