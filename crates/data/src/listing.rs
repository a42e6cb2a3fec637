//! The files that declare things, one thing each: datasets, experiments, figures, tables, rows of rates. One rule holds
//! for all of their names, and one for their text.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::DataError;

/// What a name consists of. Names are simple because they become parts of file names, stage names and commands.
pub const RULE: &str = "1 to 64 lower-case letters, digits and `-`, beginning with a letter or digit";

/// Whether a name keeps the [`RULE`].
pub fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    !name.is_empty() && name.len() <= 64 && name.chars().all(plain) && !name.starts_with('-')
}

/// A name that keeps the [`RULE`], made of a text: `Bike Sharing` becomes `bike-sharing`.
pub fn name_of(text: &str) -> String {
    let plain = text.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' });
    let words: String = plain.collect();
    let words: Vec<&str> = words.split('-').filter(|word| !word.is_empty()).collect();
    let mut name = words.join("-");
    name.truncate(64);
    let name = name.trim_end_matches('-');
    if name.is_empty() { "data".into() } else { name.to_owned() }
}

/// The TOML files of a folder with the names that they declare, sorted; none if the folder does not exist. Hidden files
/// are those of editors and systems (`.#mine.toml`, `._mine.toml`) and declare nothing.
pub fn declarations(folder: &Path) -> Result<Vec<(String, PathBuf)>, DataError> {
    let error = |source| DataError::Io { file: folder.display().to_string(), doing: "list it", source };
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(missing) if missing.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(other) => return Err(error(other)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.map_err(error)?.path();
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let Some(name) = file.strip_suffix(".toml").filter(|_| !file.starts_with('.')) else { continue };
        if !is_name(name) {
            let detail = format!("it declares `{name}`, but a name consists of {RULE}; rename the file");
            return Err(DataError::Declaration { file: path.display().to_string(), detail });
        }
        found.push((name.to_owned(), path));
    }
    found.sort();
    Ok(found)
}

/// The text of a declaration, which must be [`shown`].
pub fn read(path: &Path) -> Result<String, DataError> {
    let file = path.display().to_string();
    match fs::read_to_string(path) {
        Ok(text) => shown(&file, &text).map(|()| text),
        Err(source) => Err(DataError::Io { file, doing: "read it", source }),
    }
}

/// Refuses the text of a declaration with control characters other than line ends and tabs, which TOML allows as
/// escapes, because no figure, table or terminal can show them.
pub(crate) fn shown(file: &str, text: &str) -> Result<(), DataError> {
    // Those of ASCII can only be written as escapes. What is no TOML is reported by whoever parses it.
    if text.contains(|c| matches!(c, '\\' | '\u{80}'..='\u{9f}'))
        && let Ok(table) = text.parse::<toml::Table>()
        && let Some((field, code)) = table.iter().find_map(|(key, value)| control(key, value))
    {
        let detail = format!("`{field}`: the control character U+{code:04X} cannot be shown; leave it out");
        return Err(DataError::Declaration { file: file.to_owned(), detail });
    }
    Ok(())
}

/// The first control character in a value or its keys, and the field that it is in.
fn control(field: &str, value: &toml::Value) -> Option<(String, u32)> {
    let odd = |text: &str| text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t'));
    let here = |text: &str| odd(text).map(|c| (field.escape_debug().to_string(), u32::from(c)));
    match value {
        toml::Value::String(text) => here(field).or_else(|| here(text)),
        toml::Value::Array(values) => values.iter().find_map(|value| control(field, value)),
        toml::Value::Table(table) => {
            here(field).or_else(|| table.iter().find_map(|(key, value)| control(&format!("{field}.{key}"), value)))
        }
        _ => here(field),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_stages_or_shells_would_misread_are_refused() {
        for name in ["mine@2", "mine/../x", "Mine", "a b", "-n", "mine:1", "mine*", "ä", "x.y", "", &"a".repeat(65)] {
            assert!(!is_name(name), "{name}");
        }
        assert!(["mine", "3-d", "a"].iter().all(|name| is_name(name)));
    }

    #[test]
    fn titles_become_names() {
        assert_eq!(name_of("Bike Sharing (2011)"), "bike-sharing-2011");
        for text in ["__", "", "é", &"ab ".repeat(40), "-x-"] {
            assert!(is_name(&name_of(text)), "{text}");
        }
    }

    #[test]
    fn hidden_files_declare_nothing() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        for name in ["b.toml", "a.toml", "._a.toml", "a.toml~", "notes.txt"] {
            fs::write(folder.path().join(name), "")?;
        }
        // An editor's lock is a link that leads nowhere.
        std::os::unix::fs::symlink("user@host.1:2", folder.path().join(".#a.toml"))?;
        let names = || declarations(folder.path()).map(|found| found.into_iter().map(|(name, _)| name).collect());
        let found: Result<Vec<String>, DataError> = names();
        assert_eq!(found.expect("names that keep the rule"), ["a", "b"]);
        fs::write(folder.path().join("mine@2.toml"), "")?;
        let refused: Result<Vec<String>, DataError> = names();
        let refused = refused.expect_err("`@` separates a stage from its items").to_string();
        assert!(refused.contains("mine@2.toml: it declares `mine@2`") && refused.contains("rename"), "{refused}");
        Ok(())
    }

    #[test]
    fn control_characters_are_refused_with_their_field() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("a.toml");
        for (text, field) in [
            (r#"title = "a\tb\nc""#, None),
            (r#"title = "a\u0000""#, Some("`title`: the control character U+0000")),
            ("[[learners]]\nlabel = \"\\u001B[31m\"", Some("`learners.label`: the control character U+001B")),
            (r#"'x' = { "a\u0007" = 1 }"#, Some("U+0007")),
            (r"title = '\u0000'", None),
            ("title = '\u{9b}31m'", Some("`title`: the control character U+009B")),
        ] {
            fs::write(&path, text)?;
            let refused = read(&path).err().map(|error| error.to_string());
            match field {
                None => assert_eq!(refused, None),
                Some(field) => assert!(refused.as_ref().is_some_and(|why| why.contains(field)), "{refused:?}"),
            }
        }
        Ok(())
    }
}
