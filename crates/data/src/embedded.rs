//! Datasets that are compiled into the program, so that real data is available without a network.

use flate2::read::GzDecoder;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::DataError;
use crate::format::{ReaderColumns, RowReader};

/// The red wines (P. Cortez et al. 2009, UCI dataset 186, CC BY 4.0): the file of the crate `linfa-datasets` 0.8.1.
const WINE_QUALITY_RED: &[u8] = include_bytes!("embedded/winequality-red.csv.gz");

/// A dataset compiled into the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Embedded {
    /// The red wines of UCI dataset 186, as in the crate `linfa-datasets`; columns in the order of the UCI file.
    #[serde(rename = "linfa-datasets/winequality")]
    WineQualityRed,
}

/// Opens an embedded dataset.
pub(crate) fn open(which: Embedded) -> Result<Box<dyn RowReader>, DataError> {
    let (name, bytes) = match which {
        Embedded::WineQualityRed => ("linfa-datasets/winequality", WINE_QUALITY_RED),
    };
    let failed = |error: csv::Error| DataError::Declaration { file: name.to_owned(), detail: error.to_string() };
    Ok(Box::new(read(bytes).map_err(failed)?))
}

/// Reads a compressed CSV file of numbers with a header; the last column is the target.
fn read(bytes: &[u8]) -> csv::Result<EmbeddedRows> {
    let mut file = csv::Reader::from_reader(GzDecoder::new(bytes));
    let mut names: Vec<String> = file.headers()?.iter().map(str::to_owned).collect();
    let target = names.pop().unwrap_or_default();
    let (mut inputs, mut targets) = (Vec::new(), Vec::new());
    for row in file.deserialize() {
        let mut row: Vec<f64> = row?;
        targets.extend(row.pop());
        inputs.append(&mut row);
    }
    let target_position = names.len();
    let columns = ReaderColumns {
        input_positions: (0..names.len()).collect(),
        inputs: names,
        target,
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
