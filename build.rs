//! Lists the files of the projects that `noregret init --from` writes, that of this repository (`paper`) and the bench
//! (`streams`); and says how the program is linked.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = env::var("CARGO_MANIFEST_DIR")?;
    let root = Path::new(&folder);
    // The learners of other libraries, which both declare.
    let mut peers = Vec::new();
    list(root, "peers", &mut peers)?;
    let mut paper = vec!["results/pipeline.lock".to_owned()];
    list(root, "pipeline", &mut paper)?;
    let learners = paper.iter().filter(|file| file.starts_with("pipeline/learners/")).cloned();
    let mut streams = ["Makefile", "README.md", "openml.txt"].map(|name| format!("bench/{name}")).to_vec();
    list(root, "bench/pipeline", &mut streams)?;
    streams.extend(learners.chain(peers.iter().cloned()));
    paper.extend(peers);
    write("paper.rs", paper)?;
    write("streams.rs", streams)?;
    link();
    Ok(())
}

/// Writes the list of the files of a project, by their paths in it. Where they are is asked for when the list is compiled: a folder that is moved
/// with what was built in it keeps the list.
fn write(name: &str, mut files: Vec<String>) -> Result<(), Box<dyn Error>> {
    files.sort();
    let mut text = String::from("static FILES: &[(&str, &[u8])] = &[\n");
    for file in files {
        let (name, path) = (file.strip_prefix("bench/").unwrap_or(&file), format!("/{file}"));
        writeln!(text, "({name:?}, include_bytes!(concat!(env!(\"CARGO_MANIFEST_DIR\"), {path:?}))),")?;
    }
    fs::write(Path::new(&env::var("OUT_DIR")?).join(name), text + "];\n")?;
    Ok(())
}

/// Strips the program: cargo forgets it, because the profile has a section of the program's own. And makes it smaller
/// where rustc links by its own lld, as it does for x86-64 Linux unless it is told otherwise: functions with the same code
/// are one.
fn link() {
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    if !is("CARGO_CFG_TARGET_OS", "linux") {
        return;
    }
    let told = env::var("CARGO_ENCODED_RUSTFLAGS").is_ok_and(|flags| flags.contains("link") || flags.contains("reloc"));
    let own = is("CARGO_CFG_TARGET_ARCH", "x86_64") && is("CARGO_CFG_TARGET_ENV", "gnu") && !told;
    let smaller: &[&str] = match own && env::var_os("RUSTC_LINKER").is_none() {
        true => &["-Wl,--icf=all"],
        false => &[],
    };
    for argument in ["-Wl,--strip-all"].iter().chain(smaller) {
        println!("cargo::rustc-link-arg-bin=noregret={argument}");
    }
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
