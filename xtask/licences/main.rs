//! Prints the licences of all packages that are linked into the programs of some manifests, with their texts, each once.
//!
//! `cargo run -p noregret-xtask --example licences -- Cargo.toml python/Cargo.toml`.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

fn main() -> Result<(), Box<dyn Error>> {
    // What is linked, by name and version: what its author says of it, and the texts that come with it.
    let mut packages: BTreeMap<String, (String, Vec<String>)> = BTreeMap::new();
    for manifest in std::env::args().skip(1) {
        linked(&manifest, &mut packages)?;
    }
    println!("Packages in the program noregret and in the extension of the Python package noregret-kernels.\n");
    let mut texts: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (package, (said, found)) in &packages {
        let without = if found.is_empty() { "; the package has no text of it" } else { "" };
        println!("{package}: {said}{without}");
        for text in found {
            texts.entry(text).or_default().push(package);
        }
    }
    for (text, packages) in texts {
        println!("\n{}\n{}\n\n{text}", "=".repeat(80), packages.join(", "));
    }
    Ok(())
}

/// Adds the packages that the package of a manifest is linked with on this platform.
fn linked(manifest: &str, packages: &mut BTreeMap<String, (String, Vec<String>)>) -> Result<(), Box<dyn Error>> {
    let cargo = std::env::var("CARGO").unwrap_or("cargo".into());
    let metadata = said(
        &cargo,
        &["metadata", "--locked", "--format-version", "1", "--manifest-path", manifest, "--filter-platform", &host()?],
    )?;
    let metadata: Value = serde_json::from_str(&metadata)?;
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let by_id = |values: &Value| -> BTreeMap<String, Value> {
        list(values).into_iter().map(|value| (text(&value["id"]), value)).collect()
    };
    let (all, nodes) = (by_id(&metadata["packages"]), by_id(&metadata["resolve"]["nodes"]));
    let mut open = vec![text(&metadata["resolve"]["root"])];
    let mut seen = BTreeSet::new();
    while let Some(id) = open.pop() {
        let Some(node) = nodes.get(&id).filter(|_| seen.insert(id.clone())) else { continue };
        let is_linked = |dependency: &&Value| list(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"].is_null());
        open.extend(list(&node["deps"]).iter().filter(is_linked).map(|dependency| text(&dependency["pkg"])));
        let package = &all[&id];
        // Our own have no source.
        if package["source"].is_null() {
            continue;
        }
        let name = format!("{} {}", text(&package["name"]), text(&package["version"]));
        let folder = text(&package["manifest_path"]);
        let found = texts(Path::new(&folder).parent().ok_or("a manifest without a folder")?)?;
        let terms = text(&package["license"]);
        if terms.is_empty() && found.is_empty() {
            return Err(format!("{name} has no licence").into());
        }
        packages.insert(name, (format!("{terms}, {}", text(&package["repository"])), found));
    }
    Ok(())
}

/// The texts of licences and notices in the folder of a package, without spaces at the ends of lines.
fn texts(folder: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().to_uppercase();
        let is_text =
            ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"].iter().any(|word| name.starts_with(word));
        if is_text && entry.file_type()?.is_file() {
            let text = String::from_utf8_lossy(&fs::read(entry.path())?).into_owned();
            found.insert(text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim().to_owned());
        }
    }
    Ok(found.into_iter().collect())
}

/// The platform that programs are built for.
fn host() -> Result<String, Box<dyn Error>> {
    let version = said("rustc", &["-vV"])?;
    Ok(version.lines().find_map(|line| line.strip_prefix("host: ")).ok_or("rustc names no host")?.to_owned())
}

/// What a command prints.
fn said(program: &str, words: &[&str]) -> Result<String, Box<dyn Error>> {
    let output = Command::new(program).args(words).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}
