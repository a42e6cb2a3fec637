//! What the process of a learner may read besides its own files: the system's programs, and the installation that its
//! command stands in, but of neither what holds the project or its user's home.

use std::env::{home_dir, split_paths, var_os};
use std::path::{Path, PathBuf};

/// What of the system may be read: programs, libraries, settings, and what kind of machine it is.
const SYSTEM: [&str; 25] = [
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
    "/run/current-system",
    "/dev/zero",
    "/dev/random",
    "/dev/urandom",
    "/proc/cpuinfo",
    "/proc/filesystems",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/uptime",
    "/proc/version",
    "/proc/sys/kernel/osrelease",
    "/proc/sys/vm/overcommit_memory",
    "/sys/devices/system/cpu",
    "/sys/devices/system/node",
    "/sys/kernel/mm/transparent_hugepage",
];

/// What one process may read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Readable {
    /// Files, and folders with all that is in them.
    pub whole: Vec<PathBuf>,
    /// Folders of which it may list what is in them.
    pub names: Vec<PathBuf>,
}

impl Readable {
    /// What every process may read: the system. Of a folder of the system that holds one of these folders, everything
    /// around that one.
    pub fn system(hidden: &[PathBuf]) -> Self {
        Self { whole: SYSTEM.iter().flat_map(|folder| around(Path::new(folder), hidden)).collect(), names: Vec::new() }
    }
}

/// The folders that no process may read as a part of another one: the project and its user's home.
pub(crate) fn hidden(root: &Path) -> Vec<PathBuf> {
    let both = [Some(root.to_owned()), home_dir()].into_iter().flatten();
    both.flat_map(|folder| [folder.canonicalize().ok(), Some(folder)].into_iter().flatten()).collect()
}

/// Whether a folder holds one of these.
pub(crate) fn holds(folder: &Path, hidden: &[PathBuf]) -> bool {
    hidden.iter().any(|one| one.starts_with(folder))
}

/// The folder, or, if it holds one of these, all that is in it and does not.
fn around(folder: &Path, hidden: &[PathBuf]) -> Vec<PathBuf> {
    if !holds(folder, hidden) {
        return vec![folder.to_owned()];
    }
    if hidden.iter().any(|one| one == folder) {
        return Vec::new();
    }
    let inside = std::fs::read_dir(folder).into_iter().flatten().flatten();
    inside.flat_map(|entry| around(&entry.path(), hidden)).collect()
}

/// The folders that a program may need: the one that it is in, and where that is `bin`, the whole installation; also
/// where links lead to. A folder that holds a hidden one is no installation.
pub(crate) fn installation(program: &Path, hidden: &[PathBuf]) -> Vec<PathBuf> {
    let own = [Some(program.to_owned()), program.canonicalize().ok()].into_iter().flatten();
    let folders = own.filter_map(|file| file.parent().filter(|folder| folder.is_absolute()).map(Path::to_owned));
    let whole = |folder: PathBuf| match folder.parent() {
        Some(all) if (folder.ends_with("bin") || folder.ends_with("shims")) && !holds(all, hidden) => all.to_owned(),
        _ => folder,
    };
    let whole: Vec<PathBuf> = folders.map(whole).filter(|folder| !holds(folder, hidden)).collect();
    let linked = whole.iter().flat_map(|folder| linked(folder)).filter(|folder| !holds(folder, hidden));
    let linked: Vec<PathBuf> = linked.collect();
    whole.into_iter().chain(linked).collect()
}

/// The folders of packages that an environment of Python names in its `.pth` files, as installations to edit do.
fn linked(environment: &Path) -> Vec<PathBuf> {
    let inside = |folder: PathBuf| std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let packages = inside(environment.join("lib")).map(|python| python.join("site-packages"));
    let files = packages.flat_map(inside).filter(|file| file.extension().is_some_and(|ending| ending == "pth"));
    let texts = files.filter_map(|file| std::fs::read_to_string(file).ok());
    let named = |text: String| text.lines().map(|line| PathBuf::from(line.trim())).collect::<Vec<_>>();
    texts.flat_map(named).filter(|folder| folder.is_absolute() && folder.is_dir()).collect()
}

/// The folders of libraries: those that the environment names, and where Python, Julia and R keep a user's packages.
pub(crate) fn libraries(hidden: &[PathBuf]) -> Vec<PathBuf> {
    let all = var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let named = split_paths(&all).filter(|folder| folder.is_absolute() && !holds(folder, hidden));
    let home = home_dir().filter(|home| home.is_absolute()).unwrap_or_default();
    let of_r = std::fs::read_dir(home.join("R")).into_iter().flatten().flatten();
    let of_r = of_r.map(|entry| entry.path()).filter(|path| path.to_string_lossy().ends_with("-library"));
    let of_user = [".local/lib", ".julia"].map(|folder| home.join(folder)).into_iter().chain(of_r);
    named.chain(of_user.flat_map(|folder| around(&folder, hidden))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_hidden_in_a_folder_is_left_out_with_all_that_is_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["opt/tool/bin", "opt/me/project/data", "opt/me/other"] {
            std::fs::create_dir_all(at(name)).unwrap();
        }
        let mut found = around(&at("opt"), &[at("opt/me/project")]);
        found.sort();
        assert_eq!(found, [at("opt/me/other"), at("opt/tool")]);
        assert_eq!(around(&at("opt"), &[at("else")]), [at("opt")]);
        assert!(around(&at("opt"), &[at("opt")]).is_empty());
    }

    #[test]
    fn an_installation_is_the_folder_of_its_bin_unless_that_holds_the_project() {
        let hidden = [PathBuf::from("/home/me/project"), PathBuf::from("/home/me")];
        let of = |program: &str| installation(Path::new(program), &hidden);
        assert_eq!(of("/home/me/conda/bin/no-such-python"), [Path::new("/home/me/conda")]);
        assert_eq!(of("/home/me/project/env/bin/no-such-python"), [Path::new("/home/me/project/env")]);
        assert_eq!(of("/home/me/bin/no-such-tool"), [Path::new("/home/me/bin")]);
        assert!(of("/home/me/project/no-such-tool").is_empty() && of("no-such-tool").is_empty());
    }

    #[test]
    fn folders_that_an_environment_of_python_names_are_read_too() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["env/bin", "env/lib/python3.11/site-packages", "packages", "project/data"] {
            std::fs::create_dir_all(at(name)).unwrap();
        }
        let named = format!("import os\n{}\n{}\n/no/such\nrelative\n", at("packages").display(), at("").display());
        std::fs::write(at("env/lib/python3.11/site-packages/own.pth"), named).unwrap();
        // The folder that holds the project stays closed, whoever names it.
        let found = installation(&at("env/bin/python"), &[at("project")]);
        assert_eq!(found, [at("env"), at("packages")]);
    }
}
