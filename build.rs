//! Packs the files of the projects that `noregret init --from` writes, that of this repository (`paper`) and the bench
//! (`streams`); and says how the program is linked.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

use miniz_oxide::deflate::compress_to_vec_zlib;

/// What the projects have, relative to the repository.
const FILES: [&str; 4] = ["results/pipeline.lock", "bench/Makefile", "bench/README.md", "bench/openml.txt"];
const FOLDERS: [&str; 3] = ["pipeline", "peers", "bench/pipeline"];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = env::var("CARGO_MANIFEST_DIR")?;
    let mut files = Vec::from(FILES.map(str::to_owned));
    for folder_of_files in FOLDERS {
        list(Path::new(&folder), folder_of_files, &mut files)?;
    }
    // Of a folder, cargo sees every file.
    FILES.iter().chain(FOLDERS.iter()).for_each(|path| println!("cargo::rerun-if-changed={path}"));
    write(Path::new(&folder), files)?;
    link();
    Ok(())
}

/// Writes the files of both, one after the other and packed together, and the list of their paths in the repository with
/// their lengths.
fn write(root: &Path, mut files: Vec<String>) -> Result<(), Box<dyn Error>> {
    files.sort();
    let mut text = String::from("static FILES: &[(&str, usize)] = &[\n");
    let mut bytes = Vec::new();
    for file in files {
        let content = fs::read(root.join(&file))?;
        writeln!(text, "({file:?}, {}),", content.len())?;
        bytes.extend(content);
    }
    let folder = env::var("OUT_DIR")?;
    fs::write(Path::new(&folder).join("files.rs"), text + "];\n")?;
    fs::write(Path::new(&folder).join("files.zlib"), compress_to_vec_zlib(&bytes, 9))?;
    Ok(())
}

/// Strips the program: cargo forgets it, because the profile has a section of the program's own. And makes it smaller
/// where rustc links by its own lld, as it does for x86-64 Linux unless it is told otherwise: functions with the same code
/// are one, and the addresses that the loader corrects are packed.
fn link() {
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    if !is("CARGO_CFG_TARGET_OS", "linux") {
        return;
    }
    let mut arguments = vec!["-Wl,--strip-all"];
    let told = env::var("CARGO_ENCODED_RUSTFLAGS").is_ok_and(|flags| flags.contains("link") || flags.contains("reloc"));
    let own = is("CARGO_CFG_TARGET_ARCH", "x86_64") && is("CARGO_CFG_TARGET_ENV", "gnu") && !told;
    if own && env::var_os("RUSTC_LINKER").is_none() {
        arguments.push("-Wl,--icf=all");
        if env::var("HOST") == env::var("TARGET") && glibc().is_some_and(|version| version >= (2, 36)) {
            arguments.push("-Wl,-z,pack-relative-relocs");
        }
    }
    for argument in arguments {
        println!("cargo::rustc-link-arg-bin=noregret={argument}");
    }
}

/// The version of this system's C library. Before 2.36, it cannot load packed addresses.
fn glibc() -> Option<(u32, u32)> {
    let output = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let (major, minor) = text.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// Lists the files of a folder and of the folders in it, relative to the root.
fn list(root: &Path, folder: &str, files: &mut Vec<String>) -> Result<(), Box<dyn Error>> {
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
