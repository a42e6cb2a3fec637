//! Makes the table of code identities (see `build/source_identity.rs` and `src/code.rs`).

#[path = "build/source_identity.rs"]
mod source_identity;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs, io};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for path in ["src", "Cargo.lock", "build", "build.rs"] {
        println!("cargo:rerun-if-changed={path}");
    }
    let mut sources = BTreeMap::new();
    collect(Path::new("src"), &mut sources)?;
    let (packages, direct) = source_identity::packages(&fs::read_to_string("Cargo.lock")?, "noregret");
    let files = source_identity::files(&sources, &direct, &|path| fs::read(path).ok())?;

    let mut code = String::from("pub(super) static FILES: &[File] = &[\n");
    let position = |path: &String| files.keys().position(|other| other == path);
    for (path, file) in &files {
        for included in &file.included {
            println!("cargo:rerun-if-changed={included}");
        }
        let edges: Vec<usize> = file.edges.iter().filter_map(position).collect();
        let used: Vec<usize> = (0..packages.len()).filter(|&i| file.packages.contains(&packages[i].name)).collect();
        let hash = &file.hash;
        writeln!(code, "File {{ path: {path:?}, hash: {hash:?}, edges: &{edges:?}, packages: &{used:?} }},")?;
    }
    code.push_str("];\npub(super) static PACKAGES: &[Package] = &[\n");
    for package in &packages {
        let source_identity::Package { name, identity, dependencies } = package;
        writeln!(code, "Package {{ name: {name:?}, identity: {identity:?}, dependencies: &{dependencies:?} }},")?;
    }
    code.push_str("];\n");
    fs::write(Path::new(&env::var("OUT_DIR")?).join("code_table.rs"), code)?;
    Ok(())
}

/// Reads every `.rs` file below `folder`.
fn collect(folder: &Path, sources: &mut BTreeMap<String, String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, sources)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            sources.insert(path.to_string_lossy().into_owned(), fs::read_to_string(&path)?);
        }
    }
    Ok(())
}
