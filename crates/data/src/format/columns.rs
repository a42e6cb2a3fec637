//! Which columns a reader yields.

/// The columns of a table: their names and their positions in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReaderColumns {
    /// Names of the inputs, in the order in which rows hold them.
    pub inputs: Vec<String>,
    /// Name of the target.
    pub target: String,
    /// All columns of the file, by name; empty for rows that are no file.
    pub(crate) names: Vec<String>,
    /// Position of each input among the file's columns, from 0.
    pub(crate) input_positions: Vec<usize>,
    /// Position of the target among the file's columns, from 0.
    pub(crate) target_position: usize,
}

/// What is to be said of inputs that look like the index of a table, as pandas writes it beside the columns.
pub fn told_of_indices(columns: &ReaderColumns) -> Vec<String> {
    let unnamed = columns.names.iter().position(String::is_empty);
    let told = |name: &String| {
        let (name, drop) = match (name.as_str(), unnamed) {
            ("", Some(0)) => ("the first column, which has no name", "1"),
            ("", Some(position)) => {
                let number = position + 1;
                let why = "an input, though a separator at the end of each line may be all there is of it";
                return Some(format!("column {number}, which has no name: {why}; leave it out (--drop {number})"));
            }
            ("Unnamed: 0", _) => (name.as_str(), "'Unnamed: 0'"),
            _ if name.starts_with("__index_level_") => (name.as_str(), name.as_str()),
            _ => return None,
        };
        Some(format!("{name}: the index of pandas, it seems, which is an input; leave it out (--drop {drop})"))
    };
    columns.inputs.iter().filter_map(told).collect()
}

/// The position of a target that the file does not have: its rows are read for their inputs alone, and their targets
/// are NaN.
pub(crate) const NO_TARGET: usize = usize::MAX;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_without_names_are_told_with_their_numbers() {
        let told = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            let (inputs, target) = (names.clone(), "y".into());
            told_of_indices(&ReaderColumns { inputs, target, names, input_positions: Vec::new(), target_position: 0 })
        };
        assert!(told(&["a", "b"]).is_empty());
        let index = told(&["", "b"]).concat();
        assert!(index.contains("index of pandas") && index.contains("--drop 1"), "{index}");
        let end = told(&["a", "b", ""]).concat();
        assert!(end.contains("column 3, which has no name") && end.contains("--drop 3"), "{end}");
    }
}
