//! What the repository holds: packages, lines, the size of the program and of pages; and what is reported only.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Numbers, ROOT};

/// The folders of production code, besides those of the crates.
const CODE: [&str; 2] = ["src", "python/src"];

/// The file that `.ci/run` leaves with the processor time of a build.
const BUILD: &str = "target/build-seconds";

/// Counts; `folder` has the copy of a project.
pub fn measure(folder: &Path) -> Result<Numbers, String> {
    let read = |path: &Path| fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()));
    let lock = read(&Path::new(ROOT).join("Cargo.lock"))?;
    let mut lines = 0;
    let crates = fs::read_dir(Path::new(ROOT).join("crates")).map_err(|error| format!("crates: {error}"))?;
    let crates = crates.flatten().map(|entry| entry.path().join("src"));
    for path in CODE.iter().map(|folder| Path::new(ROOT).join(folder)).chain(crates).flat_map(|folder| files(&folder)) {
        lines += production(&read(&path)?);
    }
    let program = env!("CARGO_BIN_EXE_noregret");
    let size = fs::metadata(program).map_err(|error| format!("{program}: {error}"))?.len();
    let pages = pages(&folder.join("pages"))?;
    Ok(Numbers::from([
        ("repository: packages locked".to_owned(), lock.matches("[[package]]").count() as f64),
        ("repository: lines of production code".to_owned(), lines as f64),
        ("repository: program, KiB".to_owned(), (size / 1024) as f64),
        ("repository: pages of a new project, KiB".to_owned(), (pages / 1024) as f64),
    ]))
}

/// The Rust files below a folder. Modules in files of their own that are tests are called `tests`.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let of = |path: PathBuf| match path.is_dir() {
        true => files(&path),
        false => vec![path],
    };
    let is_code = |path: &PathBuf| {
        path.extension().is_some_and(|extension| extension == "rs")
            && path.file_stem().is_some_and(|name| name != "tests")
    };
    entries.filter(|path| !path.ends_with("tests")).flat_map(of).filter(is_code).collect()
}

/// The lines of a file that are not empty, up to its module of tests. One that is a file of its own counts two.
fn production(text: &str) -> usize {
    let starts_tests = |after: &str| after.lines().next().is_some_and(|line| line.ends_with("mod tests {"));
    let end = text.match_indices("#[cfg(test)]\n").find(|(at, mark)| starts_tests(&text[at + mark.len()..]));
    text[..end.map_or(text.len(), |(at, _)| at)].lines().filter(|line| !line.trim().is_empty()).count()
}

/// The bytes of the pages of the project that `noregret init` makes.
fn pages(folder: &Path) -> Result<u64, String> {
    let run = |words: &[&str]| -> Result<(), String> {
        let output =
            Command::new(env!("CARGO_BIN_EXE_noregret")).args(words).output().map_err(|error| error.to_string())?;
        let said = String::from_utf8_lossy(&output.stderr);
        output.status.success().then_some(()).ok_or_else(|| format!("noregret {}: {said}", words.join(" ")))
    };
    let folder = folder.display().to_string();
    run(&["init", &folder])?;
    run(&["run", "--project", &folder, "--offline"])?;
    Ok(html(&Path::new(&folder).join("reports")))
}

/// The bytes of the pages in a folder.
fn html(folder: &Path) -> u64 {
    let paths = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let pages = paths.filter(|path| path.extension().is_some_and(|extension| extension == "html"));
    pages.filter_map(|path| Some(fs::metadata(path).ok()?.len())).sum()
}

/// What depends on the machine, or on what was made before: processor, compiler, instructions, the time of the build.
pub fn reported(folder: &Path) -> Vec<String> {
    let text = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let said = |program: &str, words: &[&str]| {
        let output = Command::new(program).args(words).current_dir(folder).output().ok()?;
        Some(String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr))
    };
    let mut lines = Vec::new();
    let processor = text("/proc/cpuinfo");
    let processor = processor.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    lines.extend(processor.map(|(_, name)| format!("processor: {name}")));
    lines.extend(said("rustc", &["-V"]).map(|version| format!("compiler: {}", version.trim())));
    let program = env!("CARGO_BIN_EXE_noregret");
    for words in [&["list"][..], &["run", "-n", "--offline", "--profile", "quick"]] {
        let counted =
            said("perf", &[&["stat", "-x", ",", "-e", "instructions:u", "-o", "counted", program], words].concat());
        let counted = counted.map(|_| text(&folder.join("counted").display().to_string()));
        let number = counted
            .as_deref()
            .and_then(|text| text.lines().find_map(|line| line.split_once(",")?.0.parse::<u64>().ok()));
        let number = number.map_or("no counter here".to_owned(), |number| number.to_string());
        lines.push(format!("instructions of {}: {number}", words.join(" ")));
    }
    let seconds = text(&Path::new(ROOT).join(BUILD).display().to_string());
    lines.push(match seconds.trim() {
        "" => "processor time of the build: not measured".to_owned(),
        // Of the shell that called it, which is next to nothing, and of the build: user and system.
        seconds => format!("processor time of the build: {}", seconds.lines().last().unwrap_or_default()),
    });
    lines.push(format!("pages of this repository: {} KiB", html(&Path::new(ROOT).join("reports")) / 1024));
    lines
}
