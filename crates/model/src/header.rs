//! What a model file says about its arrays.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// The version of the files that this program writes. It reads this one and no other.
pub const VERSION: u32 = 1;

/// What a model file says about its arrays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// [`VERSION`].
    pub version: u32,
    /// The program that wrote it, with its version.
    pub program: String,
    /// The name of the learner.
    pub learner: String,
    /// All its parameters, in canonical form.
    pub parameters: Json,
    /// The options of `noregret stream` that it was made with, apart from those that name files.
    pub options: Json,
    /// The columns of the input.
    pub columns: Names,
    /// The encoders of the file's columns, with what they have learned, as TOML, whose numbers are read back exactly;
    /// None where it held plain numbers. The program has these encoders, this crate does not.
    pub plan: Option<String>,
    /// The horizon n that parameters such as 1/sqrt(n) were computed with, if there are any.
    pub horizon: Option<u64>,
    /// The number of the last round. Rows without a target count as rounds.
    pub rounds: u64,
    /// How far the run that wrote it had come.
    pub position: Position,
    /// The value of the last row that was played in the column that names positions, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
    /// The groups, where each value of a column has a learner of its own; the array `group_I` of [`Groups::array`] is then all that
    /// the I-th has learnt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<Groups>,
    /// SHA-256 of this header without it, and of the arrays in the order of their names: name, shape, numbers.
    pub sha256: String,
}

/// The groups of a run with a learner for each, in the order in which they appeared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Groups {
    /// The column that names them.
    pub column: String,
    /// Their names.
    pub names: Vec<String>,
    /// The names of the arrays that are packed into theirs, by number.
    pub arrays: Vec<String>,
}

impl Groups {
    /// What the array of the `k`-th group is called, from 0. In the order of these names groups are as they appeared.
    pub fn array(k: usize) -> String {
        format!("group_{:010}", k + 1)
    }

    /// Of which group, from 0, the array of this name is, if it is of one.
    pub fn number(array: &str) -> Option<usize> {
        array.strip_prefix("group_")?.parse::<usize>().ok()?.checked_sub(1)
    }
}

/// The names of columns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Names {
    /// The inputs that the learner sees, in the order of the arrays' columns.
    pub inputs: Vec<String>,
    /// The target.
    pub target: String,
}

/// How far a run has come in its files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Position {
    /// Rows of the input that were played.
    pub rows: u64,
    /// Bytes of the CSV output that were written, if there is one that can be continued.
    pub bytes: Option<u64>,
    /// Whether the output is a folder of Parquet files, which end where models are saved.
    pub parts: bool,
    /// What tells this output from another one: the first 8 bytes of the SHA-256 of its end, that of a CSV output or its
    /// last Parquet file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<u64>,
    /// What tells this input from another one: the first 8 bytes of the SHA-256 of the last row that was played, its inputs
    /// as they were before they were scaled, and its target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<u64>,
    /// How many rows stood at [`Header::last`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<u64>,
}
