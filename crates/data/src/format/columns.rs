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

/// The position of a target that the file does not have: its rows are read for their inputs alone, and their targets
/// are NaN.
pub(crate) const NO_TARGET: usize = usize::MAX;
