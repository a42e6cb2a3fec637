//! What commands print, and commands that a user can paste.

use std::fs;
use std::io::Write;
use std::path::Path;

use super::error::CliError;
use super::exit;

/// Prints a result.
pub(super) fn show(text: &str) -> Result<u8, CliError> {
    write(text, &mut std::io::stdout().lock()).map(|()| exit::DONE)
}

/// Writes a result.
///
/// # Errors
/// The output cannot be written.
pub(super) fn write(text: &str, out: &mut dyn Write) -> Result<(), CliError> {
    Ok(out.write_all(text.as_bytes()).and_then(|()| out.flush())?)
}

/// Writes a result as JSON.
///
/// # Errors
/// The output cannot be written.
pub(super) fn json(value: &impl serde::Serialize, out: &mut dyn Write) -> Result<(), CliError> {
    write(&pretty(value)?, out)
}

/// A result as JSON.
pub(super) fn pretty(value: &impl serde::Serialize) -> Result<String, CliError> {
    serde_json::to_string_pretty(value).map(|text| text + "\n").map_err(CliError::failed)
}

/// Writes a file and the folders above it.
pub(super) fn put(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    let folders = path.parent().map_or(Ok(()), fs::create_dir_all);
    folders.and_then(|()| fs::write(path, bytes)).map_err(|error| CliError::io("cannot write", path, error))
}

/// `1 cell`, `2 cells`
pub(super) fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// A word as a shell takes it, and Slurm in its directives.
pub(super) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+%@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// Notes on a file, each on a line of its own.
pub(super) fn below(notes: &[String]) -> String {
    notes.iter().map(|note| format!("\n  {note}")).collect()
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_shell_reads_the_word_back() {
        for word in ["plain/a.csv", "two words", "it's", "", "$HOME `x` \\ \"*\"", "a\nb"] {
            let output = Command::new("/bin/sh").args(["-c", &format!("printf %s {}", quoted(word))]).output().unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), word);
        }
    }
}
