//! What the process of a learner may do, on Linux from 6.12 on: read installed programs and its own files, write into its
//! folder, and nothing else: no data, no network over TCP, no signals to other processes. Landlock restricts the thread that starts the
//! process, and so the process and its children; the other threads of this program are as they were.

use std::env::{home_dir, split_paths, var_os};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::thread;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetError, Scope,
};

/// What is asked for: files, TCP, signals and sockets without a name in the file system. All of it or nothing.
const RULES: ABI = ABI::V6;

/// What of the system may be read: programs, libraries, settings, and how many processors there are.
const SYSTEM: [&str; 16] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/etc",
    "/opt",
    "/nix/store",
    "/gnu/store",
    "/dev/null",
    "/dev/zero",
    "/dev/random",
    "/dev/urandom",
    "/proc/cpuinfo",
    "/sys/devices/system/cpu",
];

/// What may be written to besides its folder.
const SINKS: [&str; 1] = ["/dev/null"];

/// Whether this system can isolate a process.
pub fn is_possible() -> bool {
    rules().is_ok()
}

/// Starts a command that may read these files and folders and work in `folder`.
///
/// # Errors
/// The process cannot be started, or not be isolated.
pub(crate) fn spawn(command: &mut Command, readable: &[PathBuf], folder: &Path) -> io::Result<Child> {
    let start = || {
        let rules = rules().and_then(|rules| allow(rules, readable, folder)).map_err(io::Error::other)?;
        rules.restrict_self().map_err(io::Error::other)?;
        command.spawn()
    };
    thread::scope(|scope| scope.spawn(start).join()).unwrap_or_else(|_| Err(io::Error::other("its thread panicked")))
}

/// The folders of installations that a command may need: those of the folders in `PATH`, and that of the command itself, also where links
/// lead to; none of them holds `root`, the project.
pub(crate) fn installations(command: &Path, root: &Path) -> Vec<PathBuf> {
    let inside = |folder: &Path| root.starts_with(folder) || home_dir().is_some_and(|home| home.starts_with(folder));
    let of = |folder: PathBuf| match folder.parent().filter(|_| folder.ends_with("bin") || folder.ends_with("shims")) {
        Some(whole) if !inside(whole) => whole.to_owned(),
        _ => folder,
    };
    let path = var_os("PATH").unwrap_or_default();
    let own = [Some(command.to_owned()), command.canonicalize().ok()].into_iter().flatten();
    let own = own.filter_map(|file| Some(file.parent()?.to_owned()).filter(|folder| !folder.as_os_str().is_empty()));
    let all = split_paths(&path).flat_map(|folder| {
        let real = std::fs::read_link(&folder).ok();
        [Some(folder), real].into_iter().flatten()
    });
    all.chain(own).filter(|folder| folder.is_absolute()).map(of).filter(|folder| !inside(folder)).collect()
}

/// Nothing is allowed yet.
fn rules() -> Result<RulesetCreated, RulesetError> {
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(RULES))?
        .handle_access(AccessNet::from_all(RULES))?
        .scope(Scope::from_all(RULES))?
        .create()
}

fn allow(mut rules: RulesetCreated, readable: &[PathBuf], folder: &Path) -> Result<RulesetCreated, RulesetError> {
    let reading = SYSTEM.iter().map(Path::new).chain(readable.iter().map(PathBuf::as_path));
    let reading = reading.map(|path| (path, AccessFs::from_read(RULES)));
    let writing = SINKS.iter().map(Path::new).map(|path| (path, AccessFs::from_file(RULES)));
    for (path, access) in reading.chain(writing).chain([(folder, AccessFs::from_all(RULES))]) {
        // What is not there cannot be read either.
        let Ok(opened) = PathFd::new(path) else { continue };
        // Of a file, what is done to folders is no access.
        let access = if path.is_dir() { access } else { access & AccessFs::from_file(RULES) };
        rules = rules.add_rule(PathBeneath::new(opened, access))?;
    }
    Ok(rules)
}
