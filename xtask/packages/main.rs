//! Prints the packages that a workspace is built with, for `packages.lock`: features and dependencies resolved by cargo for
//! each of the targets given as arguments, all taken together, so that they are the same on every machine.
//!
//! `make packages`, or `cargo run -p noregret-xtask --example packages -- x86_64-unknown-linux-gnu
//! aarch64-unknown-linux-gnu`.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let targets: Vec<String> = std::env::args().skip(1).collect();
    let mut packages: BTreeMap<String, (BTreeSet<String>, BTreeSet<String>)> = BTreeMap::new();
    for target in &targets {
        let output = Command::new(std::env::var("CARGO").unwrap_or("cargo".into()))
            .args(["metadata", "--locked", "--format-version", "1", "--filter-platform", target])
            .output()?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into());
        }
        let metadata: Value = serde_json::from_slice(&output.stdout)?;
        resolved(&metadata, &mut packages);
    }
    println!("# Made by `make packages` for {}.", targets.join(", "));
    for (name, (features, dependencies)) in &packages {
        let features = Vec::from_iter(features.iter().map(String::as_str)).join(",");
        println!("{name} {}", if features.is_empty() { "-" } else { &features });
        for dependency in dependencies {
            println!(" {dependency}");
        }
    }
    Ok(())
}

/// Adds the packages that the workspace's members reach without their own tests.
fn resolved(metadata: &Value, packages: &mut BTreeMap<String, (BTreeSet<String>, BTreeSet<String>)>) {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let names: BTreeMap<String, String> = list(&metadata["packages"])
        .iter()
        .map(|package| (text(&package["id"]), format!("{} {}", text(&package["name"]), text(&package["version"]))))
        .collect();
    let nodes: BTreeMap<String, Value> =
        list(&metadata["resolve"]["nodes"]).into_iter().map(|node| (text(&node["id"]), node)).collect();
    let members: BTreeSet<String> = list(&metadata["workspace_members"]).iter().map(text).collect();
    let needed = |node: &Value| -> Vec<String> {
        let wanted = |dependency: &&Value| list(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"] != "dev");
        list(&node["deps"]).iter().filter(wanted).map(|dependency| text(&dependency["pkg"])).collect()
    };
    let mut open: Vec<String> = members.iter().cloned().collect();
    let mut seen = BTreeSet::new();
    while let Some(id) = open.pop() {
        let Some(node) = nodes.get(&id).filter(|_| seen.insert(id.clone())) else { continue };
        let dependencies = needed(node);
        if !members.contains(&id) {
            let (features, named) = packages.entry(names[&id].clone()).or_default();
            features.extend(list(&node["features"]).iter().map(text));
            named.extend(dependencies.iter().map(|id| names[id].clone()));
        }
        open.extend(dependencies);
    }
}
