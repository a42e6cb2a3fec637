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
    let unnamed = columns.names.first().is_some_and(String::is_empty);
    let told = |name: &String| {
        let (name, drop) = match name.as_str() {
            "" if unnamed => ("the first column, which has no name", "1"),
            "Unnamed: 0" => (name.as_str(), "'Unnamed: 0'"),
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
