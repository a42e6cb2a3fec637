//! What the process of a learner may do. On Linux it reads installed programs, its own files and what its declaration
//! adds, writes into its folder, and has no data, no network and no say over other processes. Elsewhere it is not
//! isolated, which users are told.

use std::io;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::OnceLock;
use std::thread;

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")))]
use super::landlocked as system;
use super::readable::Readable;

/// Whether processes can be isolated here: what they can do all the same, or why they cannot be.
pub fn possible() -> Result<&'static [&'static str], &'static str> {
    static FOUND: OnceLock<Result<Vec<&'static str>, String>> = OnceLock::new();
    // What a thread could do to itself, the one that starts a process can do.
    let found = FOUND.get_or_init(|| {
        apart(|| system::restrict(&Readable::default(), None)).map_err(|error| error.to_string())?;
        Ok(system::gaps())
    });
    found.as_deref().map_err(String::as_str)
}

/// What users are told of a process that is to be isolated or not, and may read this besides.
pub(crate) fn told(wanted: bool, reads: &[String]) -> String {
    let all = "it can read what its user can, also the data and their targets";
    let more = if reads.is_empty() { String::new() } else { format!(", its declaration adds {}", reads.join(", ")) };
    let may = format!("it reads installed programs and its own files only{more}, and has no network");
    match (wanted, possible()) {
        (false, _) => format!("its process is not isolated, as its declaration says: {all}"),
        (true, Err(why)) => format!("its process is not isolated ({why}): {all}"),
        (true, Ok([])) => format!("its process is isolated: {may}"),
        (true, Ok(gaps)) => format!("its process is isolated in part: {may}, but it can {}", gaps.join(" and ")),
    }
}

/// Starts a command that may read this, and write into `folder` only.
///
/// # Errors
/// The process cannot be started, or not be isolated.
pub(crate) fn spawn(command: &mut Command, readable: &Readable, folder: &Path) -> io::Result<Child> {
    apart(|| {
        system::restrict(readable, Some(folder))?;
        command.spawn()
    })
}

/// Does something in a thread of its own, since what restricts a thread cannot be taken back.
fn apart<T: Send>(act: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
    thread::scope(|scope| scope.spawn(act).join()).unwrap_or_else(|_| Err(io::Error::other("its thread panicked")))
}

/// Where nothing is known that isolates.
#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"))))]
mod system {
    use super::{Path, Readable, io};

    pub(super) fn restrict(_: &Readable, _: Option<&Path>) -> io::Result<()> {
        Err(io::Error::other("this is not Linux on a processor that is known"))
    }

    pub(super) fn gaps() -> Vec<&'static str> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_are_told_exactly_what_holds() {
        let off = told(false, &[]);
        assert!(off.starts_with("its process is not isolated, as its declaration says: it can read"), "{off}");
        let on = told(true, &["~/.julia".into()]);
        match possible() {
            Ok(gaps) => {
                assert!(on.contains("own files only, its declaration adds ~/.julia, and has no network"), "{on}");
                assert_eq!(on.contains("in part"), !gaps.is_empty(), "{on}");
            }
            Err(why) => assert!(on.contains("is not isolated (") && on.contains(why), "{on}"),
        }
    }
}
