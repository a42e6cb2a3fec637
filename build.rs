//! Lists the files of this repository's project, which `noregret init --from paper` writes.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let root = env::var("CARGO_MANIFEST_DIR")?;
    let mut files = vec!["results/pipeline.lock".to_owned()];
    list(Path::new(&root), "pipeline", &mut files)?;
    // The learners that it declares.
    list(Path::new(&root), "peers", &mut files)?;
    files.sort();
    let mut text = String::from("static FILES: &[(&str, &[u8])] = &[\n");
    for file in files {
        let path = Path::new(&root).join(&file);
        writeln!(text, "({file:?}, include_bytes!({path:?})),")?;
    }
    fs::write(Path::new(&env::var("OUT_DIR")?).join("paper.rs"), text + "];\n")?;
    Ok(())
}

/// Lists the files of a folder and of the folders in it, relative to the root.
fn list(root: &Path, folder: &str, files: &mut Vec<String>) -> Result<(), Box<dyn Error>> {
    // A new file changes its folder; cargo sees changed files by itself, since they are included.
    println!("cargo::rerun-if-changed={folder}");
    for entry in fs::read_dir(root.join(folder))? {
        let entry = entry?;
        let name = entry.file_name().into_string().map_err(|name| format!("{folder}/{name:?} is not UTF-8"))?;
        match entry.file_type()?.is_dir() {
            true => list(root, &format!("{folder}/{name}"), files)?,
            false if !name.starts_with('.') && !name.ends_with(".pyc") => files.push(format!("{folder}/{name}")),
            false => {}
        }
    }
    Ok(())
}
