//! What of the packages that are linked into programs goes with them: their licences, or a bill of materials.
//!
//! `cargo run -p noregret-xtask --example linked -- licences|bill Cargo.toml python/Cargo.toml`.

mod bill;
mod licences;

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

/// A package that is linked into a program.
struct Package {
    name: String,
    version: String,
    /// What its author says of its licence; empty if nothing.
    terms: String,
    /// Where its source is developed; empty if its author does not say.
    repository: String,
    folder: PathBuf,
    /// Whether it comes from a registry, and not from this repository.
    foreign: bool,
    /// The ids of the packages that it is linked with.
    needs: BTreeSet<String>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (what, manifests) = words.split_first().ok_or("say `licences` or `bill`, then manifests")?;
    // By the id that cargo gives them.
    let mut packages = BTreeMap::new();
    let roots: Vec<String> =
        manifests.iter().map(|manifest| linked(manifest, &mut packages)).collect::<Result<_, _>>()?;
    let text = match what.as_str() {
        "licences" => licences::text(&packages)?,
        "bill" => bill::text(&packages, roots.first().ok_or("name a manifest")?)?,
        other => return Err(format!("`{other}` is neither `licences` nor `bill`").into()),
    };
    print!("{text}");
    Ok(())
}

/// Adds the package of a manifest and those that it is linked with. The id of the first.
fn linked(manifest: &str, packages: &mut BTreeMap<String, Package>) -> Result<String, Box<dyn Error>> {
    let cargo = std::env::var("CARGO").unwrap_or("cargo".into());
    let mut words = vec!["metadata", "--locked", "--format-version", "1", "--manifest-path", manifest];
    let systems = systems()?;
    words.extend(systems.iter().flat_map(|system| ["--filter-platform", system]));
    let metadata = said(&cargo, &words)?;
    let metadata: Value = serde_json::from_str(&metadata)?;
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let by_id = |values: &Value| -> BTreeMap<String, Value> {
        list(values).into_iter().map(|value| (text(&value["id"]), value)).collect()
    };
    let (all, nodes) = (by_id(&metadata["packages"]), by_id(&metadata["resolve"]["nodes"]));
    let root = text(&metadata["resolve"]["root"]);
    let mut open = vec![root.clone()];
    let mut seen = BTreeSet::new();
    while let Some(id) = open.pop() {
        let Some(node) = nodes.get(&id).filter(|_| seen.insert(id.clone())) else { continue };
        let is_linked = |dependency: &&Value| list(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"].is_null());
        let needs: BTreeSet<String> =
            list(&node["deps"]).iter().filter(is_linked).map(|dependency| text(&dependency["pkg"])).collect();
        open.extend(needs.iter().cloned());
        let package = &all[&id];
        let manifest = PathBuf::from(text(&package["manifest_path"]));
        let found = Package {
            name: text(&package["name"]),
            version: text(&package["version"]),
            terms: text(&package["license"]),
            repository: text(&package["repository"]),
            folder: manifest.parent().ok_or("a manifest without a folder")?.to_owned(),
            foreign: !package["source"].is_null(),
            needs,
        };
        packages.insert(id, found);
    }
    Ok(root)
}

/// What programs are built for here: this system and, on Linux, musl, whose allocator is another package.
fn systems() -> Result<Vec<String>, Box<dyn Error>> {
    let version = said("rustc", &["-vV"])?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).ok_or("rustc names no host")?;
    let musl = host.strip_suffix("-linux-gnu").map(|processor| format!("{processor}-linux-musl"));
    Ok(musl.into_iter().chain([host.to_owned()]).collect())
}

/// What a command prints.
fn said(program: &str, words: &[&str]) -> Result<String, Box<dyn Error>> {
    let output = Command::new(program).args(words).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}
