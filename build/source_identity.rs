//! Which source code a result depends on, by content: shared by `build.rs`, which makes the table that
//! `src/code.rs` serves, and by the tests, which edit sources and look at what changes.
//!
//! For every file of `src/`:
//! - its own hash: SHA-256 over its tokens, without comments, documentation, `#[cfg(test)]` items, trailing commas
//!   and anything else that formatting may change; with the bytes of files that it includes;
//! - its edges: the files that its paths (`crate::a::b`, `super::`, `self::`, names of imported modules) lead to.
//!   `mod x;` is not an edge: declaring a module does not mean depending on it;
//!   An `impl` in a third file, neither that of its type nor that of its trait, would go unseen: the tests forbid it;
//! - its packages: the dependencies that it names; `Cargo.lock` then leads to theirs.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, Group, Spacing, TokenStream, TokenTree};
use sha2::{Digest, Sha256};

/// One source file.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceFile {
    /// SHA-256 of its tokens, in hexadecimal.
    pub hash: String,
    /// Files that its paths lead to.
    pub edges: BTreeSet<String>,
    /// Names of packages that it uses.
    pub packages: BTreeSet<String>,
    /// Files that it includes with `include_str!` and its kin, relative to the project root.
    pub included: BTreeSet<String>,
}

/// One package of `Cargo.lock`; several versions of one name are kept apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Version and checksum.
    pub identity: String,
    /// Positions of the packages that it depends on.
    pub dependencies: Vec<usize>,
}

/// What the identity of a file is found with.
pub struct Crate<'a> {
    /// The files of all modules, by module path.
    modules: BTreeMap<Vec<String>, String>,
    packages: &'a BTreeSet<String>,
    include: &'a dyn Fn(&str) -> Option<Vec<u8>>,
}

impl<'a> Crate<'a> {
    /// A crate of the files in `paths` (`src/learner/fogd.rs`), which depends on `packages`; `include` reads a file
    /// that a source includes, given its path relative to the project root.
    pub fn new<'p>(
        paths: impl Iterator<Item = &'p String>,
        packages: &'a BTreeSet<String>,
        include: &'a dyn Fn(&str) -> Option<Vec<u8>>,
    ) -> Self {
        Self { modules: paths.map(|path| (module_path(path), path.clone())).collect(), packages, include }
    }

    /// The identity of the file at `path` with this text.
    pub fn file(&self, path: &str, text: &str) -> Result<SourceFile, String> {
        let tokens: TokenStream = text.parse().map_err(|error| format!("{path}: {error}"))?;
        let tokens = without_tests(tokens);
        let file = SourceFile {
            hash: String::new(),
            edges: BTreeSet::new(),
            packages: BTreeSet::new(),
            included: BTreeSet::new(),
        };
        let mut scan = Scan { path, known: self, file, aliases: BTreeMap::new() };
        scan.aliases(&tokens, &module_path(path));
        scan.walk(&tokens, &module_path(path));
        let mut file = scan.file;
        let mut hash = Sha256::new();
        feed(&mut hash, &tokens, false);
        for included in &file.included {
            hash.update(b"\0included\0");
            hash.update((self.include)(included).unwrap_or_default());
        }
        file.hash = hex(&hash.finalize());
        file.edges.remove(path);
        Ok(file)
    }
}

/// The identity of all source files, given by path and text.
pub fn files(
    sources: &BTreeMap<String, String>,
    packages: &BTreeSet<String>,
    include: &dyn Fn(&str) -> Option<Vec<u8>>,
) -> Result<BTreeMap<String, SourceFile>, String> {
    let known = Crate::new(sources.keys(), packages, include);
    sources.iter().map(|(path, text)| Ok((path.clone(), known.file(path, text)?))).collect()
}

/// All packages of a `Cargo.lock`, and the names of those that `root` depends on.
pub fn packages(lock: &str, root: &str) -> (Vec<Package>, BTreeSet<String>) {
    struct Raw {
        name: String,
        version: String,
        checksum: String,
        dependencies: Vec<String>,
    }
    let mut raw: Vec<Raw> = Vec::new();
    for line in lock.lines() {
        let value = || line.split('"').nth(1).unwrap_or_default().to_owned();
        if line == "[[package]]" {
            raw.push(Raw {
                name: String::new(),
                version: String::new(),
                checksum: String::new(),
                dependencies: Vec::new(),
            });
        } else if let Some(package) = raw.last_mut() {
            if line.starts_with("name = ") {
                package.name = value();
            } else if line.starts_with("version = ") {
                package.version = value();
            } else if line.starts_with("checksum = ") {
                package.checksum = value();
            } else if line.starts_with(" \"") {
                package.dependencies.push(value());
            }
        }
    }
    // A dependency is written `name`, or `name version` where several versions are locked.
    let find = |dependency: &str| {
        let mut words = dependency.split(' ');
        let (name, version) = (words.next().unwrap_or_default(), words.next());
        raw.iter().position(|p| p.name == name && version.is_none_or(|v| p.version == v))
    };
    let direct = raw.iter().filter(|p| p.name == root).flat_map(|p| &p.dependencies);
    let direct = direct.filter_map(|d| d.split(' ').next()).map(str::to_owned).collect();
    let list = raw
        .iter()
        .map(|p| Package {
            name: p.name.clone(),
            identity: format!("{} {}", p.version, p.checksum).trim_end().to_owned(),
            dependencies: p.dependencies.iter().filter_map(|d| find(d)).collect(),
        })
        .collect();
    (list, direct)
}

/// `src/a/b.rs` and `src/a/b/mod.rs` are the module `a::b`; `src/lib.rs` is the root. The binary is a module of its
/// own, which nothing can name.
fn module_path(path: &str) -> Vec<String> {
    let inner = path.trim_start_matches("src/").trim_end_matches(".rs");
    let inner = inner.strip_suffix("/mod").unwrap_or(inner);
    match inner {
        "lib" => Vec::new(),
        "main" => vec!["(binary)".to_owned()],
        inner => inner.split('/').map(str::to_owned).collect(),
    }
}

/// A scan of one file.
struct Scan<'a> {
    path: &'a str,
    known: &'a Crate<'a>,
    file: SourceFile,
    /// Imported module names, and the modules that they stand for.
    aliases: BTreeMap<String, Vec<String>>,
}

impl Scan<'_> {
    /// Collects `use` items that import a module under a name.
    fn aliases(&mut self, tokens: &[TokenTree], module: &[String]) {
        let mut at = 0;
        while at < tokens.len() {
            if is_ident(&tokens[at], "use") {
                let mut leaves = Vec::new();
                let end = tokens[at..].iter().position(|t| is_punct(t, ';')).map_or(tokens.len(), |n| at + n);
                use_tree(&tokens[at + 1..end], &mut Vec::new(), &mut leaves);
                for (path, name) in leaves {
                    if let Some(full) = self.resolve_start(&path, module)
                        && self.known.modules.contains_key(&full)
                    {
                        self.aliases.insert(name, full);
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

    /// Finds every path of `tokens`, which stand in `module`.
    fn walk(&mut self, tokens: &[TokenTree], module: &[String]) {
        let mut at = 0;
        while at < tokens.len() {
            match &tokens[at] {
                TokenTree::Ident(ident) => {
                    let word = ident.to_string();
                    if word == "use" {
                        let end = tokens[at..].iter().position(|t| is_punct(t, ';')).map_or(tokens.len(), |n| at + n);
                        let mut leaves = Vec::new();
                        use_tree(&tokens[at + 1..end], &mut Vec::new(), &mut leaves);
                        for (path, _) in leaves {
                            self.path(&path, module);
                        }
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
                        self.included(group);
                    }
                    let (path, next) = path_from(tokens, at);
                    if path.len() > 1 {
                        self.path(&path, module);
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
    fn included(&mut self, group: &Group) {
        let Some(TokenTree::Literal(literal)) = group.stream().into_iter().next() else { return };
        let text = literal.to_string();
        let Some(name) = text.strip_prefix('"').and_then(|t| t.strip_suffix('"')) else { return };
        let mut parts: Vec<&str> = self.path.split('/').collect();
        parts.pop();
        for part in name.split('/') {
            match part {
                ".." => drop(parts.pop()),
                "." => {}
                part => parts.push(part),
            }
        }
        let path = parts.join("/");
        if (self.known.include)(&path).is_some() {
            self.file.included.insert(path);
        }
    }

    /// The full module path that the path's first words stand for, if it leads into this crate.
    fn resolve_start(&self, path: &[String], module: &[String]) -> Option<Vec<String>> {
        let mut full: Vec<String>;
        let mut rest = path;
        match path.first()?.as_str() {
            "crate" | "noregret" => {
                full = Vec::new();
                rest = &rest[1..];
            }
            "self" => {
                full = module.to_vec();
                rest = &rest[1..];
            }
            "super" => {
                full = module.to_vec();
                while rest.first().is_some_and(|word| word == "super") {
                    full.pop();
                    rest = &rest[1..];
                }
            }
            first => {
                let mut child = module.to_vec();
                child.push(first.to_owned());
                if self.known.modules.contains_key(&child) {
                    full = child;
                } else if let Some(alias) = self.aliases.get(first) {
                    full = alias.clone();
                } else {
                    return None;
                }
                rest = &rest[1..];
            }
        }
        full.extend(rest.iter().cloned());
        Some(full)
    }

    /// Records what a path leads to: the deepest file of this crate on it, or a package.
    fn path(&mut self, path: &[String], module: &[String]) {
        if let Some(mut full) = self.resolve_start(path, module) {
            loop {
                if let Some(file) = self.known.modules.get(&full) {
                    self.file.edges.insert(file.clone());
                    return;
                }
                if full.pop().is_none() {
                    return;
                }
            }
        }
        if let Some(first) = path.first() {
            let dashed = first.replace('_', "-");
            for name in [first, &dashed] {
                if self.known.packages.contains(name) {
                    self.file.packages.insert(name.clone());
                }
            }
        }
    }
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

/// The leaves of a use tree: full path, and the name that it gets here.
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

fn is_ident(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident == word)
}

fn is_punct(token: &TokenTree, sign: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == sign)
}

fn is_path_separator(tokens: &[TokenTree], at: usize) -> bool {
    tokens.get(at).is_some_and(|t| is_punct(t, ':')) && tokens.get(at + 1).is_some_and(|t| is_punct(t, ':'))
}

/// The tokens without documentation and without `#[cfg(test)]` items, in groups too.
pub fn without_tests(tokens: TokenStream) -> Vec<TokenTree> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut kept = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        if let Some((attribute, next)) = attribute(&tokens, at) {
            if attribute.starts_with("doc ") || attribute == "doc" {
                at = next;
                continue;
            }
            if attribute == "cfg ( test )"
                && let Some(end) = item_end(&tokens, next)
            {
                at = end;
                continue;
            }
        }
        match &tokens[at] {
            TokenTree::Group(group) => {
                let inner: TokenStream = without_tests(group.stream()).into_iter().collect();
                kept.push(TokenTree::Group(Group::new(group.delimiter(), inner)));
            }
            token => kept.push(token.clone()),
        }
        at += 1;
    }
    kept
}

/// The attribute that starts at `at`, as words, and the position after it.
fn attribute(tokens: &[TokenTree], at: usize) -> Option<(String, usize)> {
    let mut next = at;
    if !is_punct(tokens.get(next)?, '#') {
        return None;
    }
    next += 1;
    if is_punct(tokens.get(next)?, '!') {
        next += 1;
    }
    match tokens.get(next)? {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket => {
            let mut words = Vec::new();
            flatten(group.stream(), &mut words);
            Some((words.join(" "), next + 1))
        }
        _ => None,
    }
}

fn flatten(tokens: TokenStream, words: &mut Vec<String>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = brackets(group.delimiter());
                words.push(open.to_owned());
                flatten(group.stream(), words);
                words.push(close.to_owned());
            }
            token => words.push(token.to_string()),
        }
    }
}

fn brackets(delimiter: Delimiter) -> (&'static str, &'static str) {
    match delimiter {
        Delimiter::Parenthesis => ("(", ")"),
        Delimiter::Brace => ("{", "}"),
        Delimiter::Bracket => ("[", "]"),
        Delimiter::None => ("", ""),
    }
}

/// The end of the item that starts at `at`; `None` if it is not an item (a field, an arm), which is then kept.
fn item_end(tokens: &[TokenTree], at: usize) -> Option<usize> {
    let mut next = at;
    while let Some((_, after)) = attribute(tokens, next) {
        next = after;
    }
    let mut until_semicolon = false;
    let mut is_item = false;
    while next < tokens.len() {
        match &tokens[next] {
            TokenTree::Ident(ident) => {
                let word = ident.to_string();
                match word.as_str() {
                    "use" | "static" | "type" if !is_item => (until_semicolon, is_item) = (true, true),
                    "const" if !is_item => {
                        until_semicolon = !tokens
                            .get(next + 1)
                            .is_some_and(|t| ["fn", "unsafe", "async", "extern"].iter().any(|word| is_ident(t, word)));
                        is_item = true;
                    }
                    "fn" | "mod" | "impl" | "struct" | "enum" | "trait" | "union" | "macro_rules" => is_item = true,
                    "pub" | "unsafe" | "async" | "extern" | "crate" | "in" => {}
                    _ if !is_item => return None,
                    _ => {}
                }
            }
            TokenTree::Punct(punct) if punct.as_char() == ';' && is_item => return Some(next + 1),
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace && is_item && !until_semicolon => {
                return Some(next + 1);
            }
            _ => {}
        }
        next += 1;
    }
    None
}

/// Feeds tokens to the hash so that formatting makes no difference: a trailing comma is left out (but `(a,)` is not
/// `(a)`), and of the spacing only what tells `& &` from `&&`.
fn feed(hash: &mut Sha256, tokens: &[TokenTree], tuple: bool) {
    let commas = tokens.iter().filter(|t| is_punct(t, ',')).count();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = brackets(group.delimiter());
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                hash.update(open);
                let called = at.checked_sub(1).and_then(|before| tokens.get(before)).is_some_and(is_callable);
                feed(hash, &inner, group.delimiter() == Delimiter::Parenthesis && !called);
                hash.update(close);
            }
            TokenTree::Punct(punct) => {
                let sign = punct.as_char();
                let last = at + 1 == tokens.len();
                let before_angle = tokens.get(at + 1).is_some_and(|t| is_punct(t, '>'));
                if sign == ',' && (before_angle || (last && !(tuple && commas == 1))) {
                    continue;
                }
                hash.update(sign.to_string());
                let doubled = tokens.get(at + 1).is_some_and(|t| is_punct(t, sign));
                if matches!(sign, '&' | '|' | '<') && doubled && punct.spacing() == Spacing::Joint {
                    hash.update("~");
                }
            }
            token => hash.update(token.to_string()),
        }
        hash.update(b"\n");
    }
}

/// Whether parentheses after this token are a call or a list of parameters, never a tuple.
fn is_callable(token: &TokenTree) -> bool {
    match token {
        TokenTree::Ident(ident) => {
            !["return", "in", "match", "if", "while", "else", "break", "let", "for", "as", "mut", "move", "const"]
                .iter()
                .any(|word| ident == word)
        }
        TokenTree::Punct(punct) => matches!(punct.as_char(), '>' | '!' | '?'),
        TokenTree::Group(group) => group.delimiter() != Delimiter::Brace,
        TokenTree::Literal(_) => false,
    }
}

/// Lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
