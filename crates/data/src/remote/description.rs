//! What is known of a dataset before its file is here.

use crate::classes::resolved;
use crate::encode::kinds::{DeclaredKinds, adopted};
use crate::format::{FileFormat, ReadOptions};
use crate::listing::name_of;

/// A dataset as its server describes it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Description {
    /// What the user calls it, for messages.
    pub(crate) source: String,
    /// A name for it here, if the user gives none.
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) citation: String,
    pub(crate) licence: String,
    /// Its columns; none where nobody tells.
    pub(crate) columns: Vec<String>,
    /// Its targets.
    pub(crate) targets: Vec<String>,
    /// Columns that are neither inputs nor targets.
    pub(crate) ignored: Vec<String>,
    pub(crate) kinds: DeclaredKinds,
    /// Files with its rows, the first of which is taken that can be had.
    pub(crate) files: Vec<RowFile>,
}

/// A file with the rows of a dataset.
#[derive(Clone, Debug)]
pub(crate) struct RowFile {
    pub(crate) address: String,
    /// Its format, where it is known.
    pub(crate) format: Option<FileFormat>,
}

impl Description {
    /// What an address alone tells.
    pub(crate) fn of_address(address: &str) -> Self {
        let file = file_name(address);
        Self {
            source: address.to_owned(),
            name: name_of(file.split('.').next().unwrap_or_default()),
            title: file,
            citation: address.to_owned(),
            licence: "unknown".into(),
            files: vec![RowFile { address: address.to_owned(), format: None }],
            ..Self::default()
        }
    }

    /// The options of the user, and, where they say nothing, what is known of the columns `names` of the file.
    pub(crate) fn completed(&self, given: &ReadOptions, names: &[String], of_file: &DeclaredKinds) -> ReadOptions {
        let kinds = if of_file.is_empty() { &self.kinds } else { of_file };
        let mut options = given.clone();
        options.target = given.target.clone().or_else(|| self.target().map(str::to_owned));
        let Some(target) = options.target.as_deref().and_then(|target| resolved(names, target)) else { return options };
        let resolve = |columns: &[String]| -> Vec<String> {
            columns.iter().map(|column| resolved(names, column).unwrap_or_else(|| column.trim().to_owned())).collect()
        };
        if given.inputs.is_none() {
            let left_out = self.ignored.iter().chain(&self.targets);
            let dropped = resolve(&given.drop);
            let more = left_out.filter(|name| **name != target && names.contains(name) && !dropped.contains(name));
            options.drop.extend(more.cloned());
        }
        let dropped = resolve(&options.drop);
        let inputs = given.inputs.as_ref().map_or_else(
            || names.iter().filter(|name| **name != target && !dropped.contains(name)).cloned().collect(),
            |inputs| resolve(inputs),
        );
        options.encoding = adopted(&options.encoding, &inputs, &target, kinds);
        options
    }

    /// Its target, where it has one.
    pub(crate) fn target(&self) -> Option<&str> {
        if let [target] = &self.targets[..] { Some(target) } else { None }
    }
}

/// The last part of the path of an address, as a plain file name.
pub(crate) fn file_name(address: &str) -> String {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let path = rest.split(['?', '#']).next().unwrap_or_default();
    let last = path.split('/').skip(1).last().unwrap_or_default();
    let plain: String =
        last.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_') { c } else { '_' }).collect();
    let plain = plain.trim_start_matches('.');
    if plain.is_empty() { "data".into() } else { plain.to_owned() }
}

/// A text on one line, without what no declaration can show, of at most `most` characters.
pub(crate) fn line(text: &str, most: usize) -> String {
    let words: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()).collect();
    let line = words.join(" ");
    if line.chars().count() <= most { line } else { line.chars().take(most).chain("...".chars()).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classes::has_classes;
    use crate::encode::kinds::DeclaredKind;

    #[test]
    fn addresses_become_names_of_files() {
        for (address, name) in [
            ("https://example.org/a/b%20c.csv.gz?x=1/2#y", "b_20c.csv.gz"),
            ("https://example.org/", "data"),
            ("https://example.org", "data"),
            ("https://example.org/a/.hidden", "hidden"),
        ] {
            assert_eq!(file_name(address), name);
        }
        assert_eq!(line(" a\u{7}\n b ", 9), "a b");
        assert_eq!(line("abcdef", 3), "abc...");
    }

    #[test]
    fn the_user_is_heard_before_the_server() {
        let text = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
        let names = text(&["id", "a", "b", "y", "z"]);
        let kinds = [("a", DeclaredKind::Category), ("b", DeclaredKind::Number), ("y", DeclaredKind::Category)];
        let described = Description {
            targets: text(&["y"]),
            ignored: text(&["id", "gone"]),
            kinds: kinds.into_iter().map(|(name, kind)| (name.to_owned(), kind)).collect(),
            ..Description::default()
        };
        let none = DeclaredKinds::new();
        let found = described.completed(&ReadOptions::default(), &names, &none);
        assert_eq!((found.target.as_deref(), found.drop.clone()), (Some("y"), text(&["id"])));
        assert_eq!((found.encoding.categories.clone(), found.encoding.numbers.clone()), (text(&["a"]), text(&["b"])));
        assert!(has_classes(&found, &names, &described.kinds));
        // Another target: the usual one is no input either.
        let other = ReadOptions { target: Some("5".into()), drop: text(&["2"]), ..ReadOptions::default() };
        let found = described.completed(&other, &names, &none);
        assert_eq!((found.target.as_deref(), found.drop.clone()), (Some("5"), text(&["2", "id", "y"])));
        assert_eq!((found.encoding.categories.clone(), found.encoding.numbers.clone()), (text(&[]), text(&["b"])));
        assert!(!has_classes(&found, &names, &described.kinds));
        // Whoever chooses the inputs leaves out the others.
        let chosen = ReadOptions { inputs: Some(text(&["id", "a"])), ..ReadOptions::default() };
        let found = described.completed(&chosen, &names, &none);
        assert_eq!((found.drop.len(), found.encoding.categories.clone()), (0, text(&["a"])));
        // The header of the file is nearer to its rows.
        let of_file = [("b".to_owned(), DeclaredKind::Category)].into();
        assert_eq!(described.completed(&ReadOptions::default(), &names, &of_file).encoding.categories, text(&["b"]));
    }
}
