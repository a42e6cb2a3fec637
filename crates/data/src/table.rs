//! A whole table in memory, and the hash that identifies its content.

use sha2::{Digest, Sha256};

use crate::error::DataError;
use crate::format::{ReaderColumns, RowReader};
use noregret_numeric::linalg::compact::{Compact, NARROW, Sparse};
use noregret_numeric::linalg::matrix::Matrix;

/// Rows read at a time, if they are not wide.
const BLOCK: usize = 4096;

/// Bytes that are collected before they are hashed.
const HASHED: usize = 1 << 20;

/// The most rows that are read at a time: their inputs fill at most 32 MiB, or are one row.
pub fn block(width: usize) -> usize {
    (((32 << 20) / size_of::<f64>()) / width.max(1)).clamp(1, BLOCK)
}

/// A table of finite numbers: one example per row.
#[derive(Clone, Debug, PartialEq)]
pub struct DataTable {
    /// Names of the inputs.
    pub input_names: Vec<String>,
    /// Name of the target.
    pub target_name: String,
    /// Inputs, rows x `input_names.len()`.
    pub inputs: Compact,
    /// Targets, one per row.
    pub targets: Vec<f64>,
}

impl DataTable {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.targets.len()
    }
}

/// Reads the rest of `reader`, or its next `limit` rows, and passes every block to `inspect`.
pub fn read(
    reader: &mut dyn RowReader,
    limit: Option<u64>,
    mut inspect: impl FnMut(&[f64], &[f64]),
) -> Result<DataTable, DataError> {
    let columns = reader.columns().clone();
    let known = limit.is_some();
    let limit = limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let (mut inputs, mut targets) = (Vec::<f64>::new(), Vec::<f64>::new());
    let width = columns.inputs.len();
    // Wide rows are collected without their zeros, for as long as that saves memory.
    let mut sparse = (width > NARROW).then(|| Sparse::with_width(width));
    // Growing by doubling would take up to three times the memory. A limit beyond memory is not itself an error.
    let reserve = |inputs: &mut Vec<f64>| {
        let _ =
            inputs.try_reserve_exact(if known { limit.saturating_mul(width).saturating_sub(inputs.len()) } else { 0 });
    };
    if known {
        let _ = targets.try_reserve_exact(limit);
    }
    if sparse.is_none() {
        reserve(&mut inputs);
    }
    let block = block(width);
    while targets.len() < limit {
        let (seen, seen_inputs) = (targets.len(), inputs.len());
        if reader.next_block(block.min(limit - seen), &mut inputs, &mut targets)? == 0 {
            break;
        }
        inspect(&inputs[seen_inputs..], &targets[seen..]);
        if let Some(mut rows) = sparse.take() {
            rows.push_rows(&inputs);
            if rows.is_full() {
                inputs = Compact::Sparse(rows).dense().data().to_vec();
                reserve(&mut inputs);
            } else {
                inputs.clear();
                sparse = Some(rows);
            }
        }
    }
    // Readers append whole rows, so the lengths agree.
    let dense = || Matrix::from_data(targets.len(), width, inputs).unwrap_or_else(|| Matrix::with_width(width)).into();
    let inputs = sparse.map_or_else(dense, Compact::Sparse);
    Ok(DataTable { input_names: columns.inputs, target_name: columns.target, inputs, targets })
}

/// Passes every remaining block of `reader` to `inspect` (inputs row-major, targets); returns the number of rows.
pub fn scan(reader: &mut dyn RowReader, inspect: impl FnMut(&[f64], &[f64])) -> Result<u64, DataError> {
    scan_over(u64::MAX, reader, inspect)
}

/// Like [`scan`], but it stops when there are more than `most` rows.
pub fn scan_over(
    most: u64,
    reader: &mut dyn RowReader,
    mut inspect: impl FnMut(&[f64], &[f64]),
) -> Result<u64, DataError> {
    let (mut inputs, mut targets) = (Vec::new(), Vec::new());
    let (mut rows, block) = (0, block(reader.columns().inputs.len()));
    loop {
        inputs.clear();
        targets.clear();
        match reader.next_block(block, &mut inputs, &mut targets)? {
            0 => return Ok(rows),
            read => rows += read as u64,
        }
        inspect(&inputs, &targets);
        if rows > most {
            return Ok(rows);
        }
    }
}

/// The content hash, which identifies a dataset regardless of compression and the spelling of numbers.
///
/// It is the SHA-256 of the number of rows and the number of columns (the inputs and the target), each as a
/// little-endian u64, and then of all values row by row as little-endian f64. Within a row the columns are in file
/// order: for CSV and Parquet, the order of the file's columns without those that are not used; for LIBSVM text, the
/// label and then all inputs, zeros included. Column names do not count.
pub struct ContentHash {
    hash: Sha256,
    width: usize,
    /// For each column in file order: its index among the inputs, or None for the target.
    order: Vec<Option<usize>>,
    bytes: Vec<u8>,
}

impl ContentHash {
    /// The hash of a table of `rows` rows with these columns.
    pub fn new(rows: u64, columns: &ReaderColumns) -> Self {
        let mut order: Vec<(usize, Option<usize>)> =
            columns.input_positions.iter().enumerate().map(|(input, &position)| (position, Some(input))).collect();
        order.push((columns.target_position, None));
        order.sort_unstable();
        let mut hash = Sha256::new();
        hash.update(rows.to_le_bytes());
        hash.update((order.len() as u64).to_le_bytes());
        let order = order.into_iter().map(|(_, column)| column).collect();
        Self { hash, width: columns.inputs.len(), order, bytes: Vec::new() }
    }

    /// Adds the next rows.
    pub fn update(&mut self, inputs: &[f64], targets: &[f64]) {
        self.bytes.clear();
        for (i, target) in targets.iter().enumerate() {
            for column in &self.order {
                let value = column.map_or(*target, |input| inputs[i * self.width + input]);
                self.bytes.extend_from_slice(&value.to_le_bytes());
            }
            if self.bytes.len() > HASHED {
                self.hash.update(&self.bytes);
                self.bytes.clear();
            }
        }
        self.hash.update(&self.bytes);
    }

    /// The digest, in hexadecimal.
    pub fn finish(self) -> String {
        hex::encode(self.hash.finalize())
    }
}
