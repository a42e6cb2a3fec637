//! A bill of materials in CycloneDX 1.5, <https://cyclonedx.org/docs/1.5/json>: every package in a program, with its version, licence,
//! hash, source, and the packages that it needs.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;

use serde_json::{Value, json};

use super::Package;

pub(super) fn text(packages: &BTreeMap<String, Package>, root: &str) -> Result<String, Box<dyn Error>> {
    let lock = fs::read_to_string("Cargo.lock")?;
    let hashes = hashes(&lock);
    let component = |package: &Package, kind: &str| -> Result<Value, Box<dyn Error>> {
        let (name, version) = (&package.name, &package.version);
        let mut told = json!({ "type": kind, "bom-ref": reference(package), "name": name, "version": version });
        if !package.terms.is_empty() {
            // Older packages write a choice with a stroke, which is no expression of SPDX.
            told["licenses"] = json!([{ "expression": package.terms.replace(" / ", " OR ").replace('/', " OR ") }]);
        }
        if package.foreign {
            told["purl"] = json!(reference(package));
            let hash = hashes.get(&(name.as_str(), version.as_str()));
            let hash = hash.ok_or_else(|| format!("Cargo.lock has no hash of {name} {version}"))?;
            told["hashes"] = json!([{ "alg": "SHA-256", "content": hash }]);
        }
        if !package.repository.is_empty() {
            told["externalReferences"] = json!([{ "type": "vcs", "url": package.repository }]);
        }
        Ok(told)
    };
    let program = packages.get(root).ok_or("the program is no package")?;
    let others = packages.iter().filter(|(id, _)| *id != root).map(|(_, package)| component(package, "library"));
    let needs = |package: &Package| -> Vec<String> {
        package.needs.iter().filter_map(|id| packages.get(id)).map(reference).collect()
    };
    let bill = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": component(program, "application")? },
        "components": others.collect::<Result<Vec<_>, _>>()?,
        "dependencies": packages.values().map(|package| json!({ "ref": reference(package), "dependsOn": needs(package) })).collect::<Vec<_>>(),
    });
    Ok(serde_json::to_string_pretty(&bill)? + "\n")
}

/// The address of a package, as <https://github.com/package-url/purl-spec> writes it.
fn reference(package: &Package) -> String {
    format!("pkg:cargo/{}@{}", package.name, package.version)
}

/// The hashes of packages in the text of a Cargo.lock, by name and version.
fn hashes(lock: &str) -> BTreeMap<(&str, &str), &str> {
    let packages = lock.split("[[package]]").filter_map(|entry| {
        let field = |name: &str| {
            entry.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" = \"")?.strip_suffix('"'))
        };
        Some(((field("name")?, field("version")?), field("checksum")?))
    });
    packages.collect()
}
