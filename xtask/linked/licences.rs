//! The licences of packages, with their texts, each once.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::path::Path;

use super::Package;

pub(super) fn text(packages: &BTreeMap<String, Package>) -> Result<String, Box<dyn Error>> {
    let mut told =
        "Packages in the program noregret and in the extension of the Python package noregret-kernels.\n\n".to_owned();
    let mut texts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut lines = BTreeSet::new();
    for package in packages.values().filter(|package| package.foreign) {
        let name = format!("{} {}", package.name, package.version);
        let found = texts_in(&package.folder)?;
        if package.terms.is_empty() && found.is_empty() {
            return Err(format!("{name} has no licence").into());
        }
        let without = if found.is_empty() { "; the package has no text of it" } else { "" };
        lines.insert(format!("{name}: {}, {}{without}\n", package.terms, package.repository));
        for text in found {
            texts.entry(text).or_default().insert(name.clone());
        }
    }
    told.extend(lines);
    for (text, packages) in texts {
        let packages: Vec<String> = packages.into_iter().collect();
        told += &format!("\n{}\n{}\n\n{text}\n", "=".repeat(80), packages.join(", "));
    }
    Ok(told)
}

/// The texts of licences and notices in the folder of a package and in those below, where C code and fonts of others lie. Without spaces at the
/// ends of lines.
fn texts_in(folder: &Path) -> Result<BTreeSet<String>, Box<dyn Error>> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            found.extend(texts_in(&entry.path())?);
            continue;
        }
        let name = entry.file_name().to_string_lossy().to_uppercase();
        let is_text =
            ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"].iter().any(|word| name.starts_with(word));
        if is_text && entry.file_type()?.is_file() {
            let text = String::from_utf8_lossy(&fs::read(entry.path())?).into_owned();
            found.insert(text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim().to_owned());
        }
    }
    Ok(found)
}
