//! Datasets that a crate compiles into the program, so that real data is available without a network.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::DataError;
use crate::format::{ReaderColumns, RowReader};

/// A dataset compiled into the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Embedded {
    /// The red wines of UCI dataset 186, from the crate `linfa-datasets`; columns in the order of the UCI file.
    #[serde(rename = "linfa-datasets/winequality")]
    WineQualityRed,
}

/// Opens an embedded dataset.
pub(crate) fn open(which: Embedded) -> Result<Box<dyn RowReader>, DataError> {
    match which {
        Embedded::WineQualityRed => Ok(Box::new(wine_quality_red()?)),
    }
}

fn wine_quality_red() -> Result<EmbeddedRows, DataError> {
    let data = linfa_datasets::winequality();
    let names = data.feature_names().to_vec();
    // `records` may have any memory layout; its iterator goes row by row.
    let inputs: Vec<f64> = data.records().iter().copied().collect();
    // Grades from 3 to 8: exact as f64.
    let targets: Vec<f64> = data.targets().iter().map(|&grade| grade as f64).collect();
    if inputs.len() != targets.len() * names.len() || inputs.iter().any(|value| !value.is_finite()) {
        let (file, detail) =
            ("linfa-datasets/winequality".to_owned(), "the crate holds an unexpected table".to_owned());
        return Err(DataError::Declaration { file, detail });
    }
    let target_position = names.len();
    let columns = ReaderColumns {
        input_positions: (0..names.len()).collect(),
        inputs: names,
        target: "quality".into(),
        names: Vec::new(),
        target_position,
    };
    Ok(EmbeddedRows { columns, inputs, targets, next: 0 })
}

/// Rows in memory.
struct EmbeddedRows {
    columns: ReaderColumns,
    inputs: Vec<f64>,
    targets: Vec<f64>,
    next: usize,
}

impl RowReader for EmbeddedRows {
    fn columns(&self) -> &ReaderColumns {
        &self.columns
    }

    fn next_block(&mut self, limit: usize, inputs: &mut Vec<f64>, targets: &mut Vec<f64>) -> Result<usize, DataError> {
        let end = (self.next + limit).min(self.targets.len());
        let width = self.columns.inputs.len();
        inputs.extend_from_slice(&self.inputs[self.next * width..end * width]);
        targets.extend_from_slice(&self.targets[self.next..end]);
        let rows = end - self.next;
        self.next = end;
        Ok(rows)
    }
}
