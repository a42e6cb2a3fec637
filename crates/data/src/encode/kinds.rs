//! What the source of a file declares of its columns: the header of ARFF, or a server's description.

use std::collections::BTreeMap;

use crate::encode::choices::{ColumnEncoding, Labels};

/// What a column is declared to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeclaredKind {
    /// Numbers.
    Number,
    /// Categories, whatever they look like.
    Category,
    /// Dates; whether the month comes before the day.
    Date {
        /// 1/31/2024 rather than 31/1/2024.
        month_first: bool,
    },
    /// Text, whose kind is that of what it holds.
    Text,
}

/// The declared kinds of columns, by name.
pub(crate) type DeclaredKinds = BTreeMap<String, DeclaredKind>;

/// The choices of `encoding`, and for inputs that it does not name what is declared of them. A target that is declared to hold
/// categories holds classes, where these may be any number.
pub(crate) fn adopted(
    encoding: &ColumnEncoding,
    inputs: &[String],
    target: &str,
    kinds: &DeclaredKinds,
) -> ColumnEncoding {
    let mut encoding = encoding.clone();
    let named: Vec<String> = [&encoding.numbers, &encoding.categories, &encoding.dates]
        .into_iter()
        .flatten()
        .map(|name| name.trim().to_owned())
        .collect();
    for name in inputs.iter().filter(|name| !named.contains(name)) {
        match kinds.get(name) {
            Some(DeclaredKind::Number) => encoding.numbers.push(name.clone()),
            Some(DeclaredKind::Category) => encoding.categories.push(name.clone()),
            Some(DeclaredKind::Date { month_first }) => {
                encoding.dates.push(name.clone());
                encoding.month_first |= month_first;
            }
            Some(DeclaredKind::Text) | None => {}
        }
    }
    if encoding.labels == Labels::Words && kinds.get(target) == Some(&DeclaredKind::Category) {
        encoding.labels = Labels::Always(Vec::new());
    }
    encoding
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_user_names_is_not_declared_again() {
        let category = DeclaredKind::Category;
        let kinds = ["a", "b", "c", "y"].map(|name| (name.to_owned(), category)).into_iter();
        let kinds = kinds.chain([("d".to_owned(), DeclaredKind::Date { month_first: true })]).collect();
        let given =
            ColumnEncoding { numbers: vec![" a".into()], labels: Labels::Words, ..ColumnEncoding::recognising() };
        let inputs = ["a", "b", "d", "e"].map(str::to_owned);
        let found = adopted(&given, &inputs, "y", &kinds);
        assert_eq!(
            (found.numbers, found.categories, found.dates),
            (vec![" a".into()], vec!["b".into()], vec!["d".into()])
        );
        assert!(found.month_first);
        assert_eq!(found.labels, Labels::Always(Vec::new()));
        // Two classes have to be numbers in an experiment: who reads the file says which word is +1.
        let two = ColumnEncoding { labels: Labels::Two, ..given.clone() };
        assert_eq!(adopted(&two, &inputs, "y", &kinds).labels, Labels::Two);
        assert_eq!(adopted(&given, &inputs, "d", &kinds).labels, Labels::Words);
    }
}
