//! Compares Parquet tables cell by cell.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::fs;
use std::path::Path;

use arrow::array::{Array, AsArray};
use arrow::datatypes::{DataType, Float64Type, UInt64Type};
use arrow::record_batch::RecordBatch;

use super::tally::{DiffTally, ResultKind};
use crate::cli::error::CliError;
use noregret_report::trace::table;

/// Columns that change with keys and configuration while the values stay the same.
const IGNORED: [&str; 4] = ["run_id", "key", "config", "tuned"];

/// One cell of a table.
#[derive(Clone, Copy, Debug)]
pub(super) enum CellValue<'a> {
    Null,
    Text(&'a str),
    Count(u64),
    Number(f64),
}

/// Whether two numbers have the same bits, or are both NaN.
pub(super) fn same_number(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

impl PartialEq for CellValue<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (CellValue::Null, CellValue::Null) => true,
            (CellValue::Text(a), CellValue::Text(b)) => a == b,
            (CellValue::Count(a), CellValue::Count(b)) => a == b,
            (CellValue::Number(a), CellValue::Number(b)) => same_number(*a, *b),
            _ => false,
        }
    }
}

impl fmt::Display for CellValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CellValue::Null => write!(f, "null"),
            CellValue::Text(text) => write!(f, "{text}"),
            CellValue::Count(count) => write!(f, "{count}"),
            // The shortest digits that identify the number, with the sign of zero.
            CellValue::Number(number) => write!(f, "{number:?}"),
        }
    }
}

/// A table in memory.
pub(super) struct MemoryTable {
    batch: RecordBatch,
}

impl MemoryTable {
    /// Reads a table. Its columns must hold texts, counts or numbers.
    pub(super) fn read(path: &Path) -> Result<Self, CliError> {
        let bytes = fs::read(path).map_err(|error| CliError::io("cannot read", path, error))?;
        let bad = |cause: String| CliError::failed(format!("{}: cannot be compared: {cause}", path.display()));
        let batch = table::batch(bytes.into()).map_err(|error| bad(error.to_string()))?;
        for field in batch.schema_ref().fields() {
            if !matches!(field.data_type(), DataType::Utf8 | DataType::UInt64 | DataType::Float64) {
                return Err(bad(format!("column `{}` holds {}", field.name(), field.data_type())));
            }
        }
        Ok(Self { batch })
    }

    /// Number of rows.
    pub(super) fn rows(&self) -> usize {
        self.batch.num_rows()
    }

    /// The cell of a column, by name; null if there is no such column.
    pub(super) fn cell(&self, column: &str, row: usize) -> CellValue<'_> {
        self.batch.column_by_name(column).map_or(CellValue::Null, |column| cell(column, row))
    }

    /// A row's values in the given columns: `spline-regret | AWV | replicate 0 | horizon 32`.
    pub(super) fn identity(&self, columns: &[&str], row: usize) -> String {
        let parts = columns.iter().map(|column| match self.cell(column, row) {
            CellValue::Text(text) => text.to_owned(),
            other => format!("{column} {other}"),
        });
        parts.collect::<Vec<_>>().join(" | ")
    }

    /// The columns that are compared, by name.
    fn columns(&self) -> BTreeMap<&str, &dyn Array> {
        let schema = self.batch.schema_ref();
        let columns = schema.fields().iter().zip(self.batch.columns());
        let columns = columns.map(|(field, column)| (field.name().as_str(), &**column as &dyn Array));
        columns.filter(|(name, _)| !IGNORED.contains(name)).collect()
    }

    /// Makes names distinct: rows of equal names are numbered, sorted by their parameters (`p_*`), then by other
    /// columns.
    pub(super) fn distinct(&self, mut names: Vec<String>) -> Vec<String> {
        let mut groups: HashMap<&str, Vec<usize>> = HashMap::new();
        for (row, name) in names.iter().enumerate() {
            groups.entry(name).or_default().push(row);
        }
        let groups: Vec<Vec<usize>> = groups.into_values().filter(|rows| rows.len() > 1).collect();
        let (parameters, others): (Vec<_>, Vec<_>) =
            self.columns().into_iter().partition(|(name, _)| name.starts_with("p_"));
        for mut rows in groups {
            rows.sort_by_cached_key(|row| {
                let columns = parameters.iter().chain(&others);
                columns.map(|(_, column)| cell(*column, *row).to_string()).collect::<Vec<_>>()
            });
            for (number, row) in (1..).zip(rows) {
                names[row] += &format!(" | #{number}");
            }
        }
        names
    }
}

fn cell(column: &dyn Array, row: usize) -> CellValue<'_> {
    if column.is_null(row) {
        return CellValue::Null;
    }
    let text = || Some(CellValue::Text(column.as_string_opt::<i32>()?.value(row)));
    let count = || Some(CellValue::Count(column.as_primitive_opt::<UInt64Type>()?.value(row)));
    let number = || Some(CellValue::Number(column.as_primitive_opt::<Float64Type>()?.value(row)));
    number().or_else(count).or_else(text).unwrap_or(CellValue::Null)
}

/// Compares two tables, whose rows have distinct names on each side. Rows of the same name are compared cell by cell.
pub(super) fn compare(
    kind: ResultKind,
    file: &str,
    tables: [&MemoryTable; 2],
    names: [&[String]; 2],
    tally: &mut DiffTally<'_>,
) {
    let [left, right] = tables.map(MemoryTable::columns);
    let mut shared = Vec::new();
    for (name, a) in &left {
        match right.get(name) {
            Some(b) if a.data_type() == b.data_type() => shared.push((*name, *a, *b)),
            Some(b) => tally.values(kind, format_args!("{file}: type"), name, [a.data_type(), b.data_type()]),
            None => tally.only(kind, name, 0, format_args!("{file}: column {name}")),
        }
    }
    for name in right.keys().filter(|name| !left.contains_key(*name)) {
        tally.only(kind, name, 1, format_args!("{file}: column {name}"));
    }

    let others: HashMap<&str, usize> = names[1].iter().enumerate().map(|(row, name)| (name.as_str(), row)).collect();
    let mut pairs = Vec::with_capacity(others.len());
    for (row, name) in names[0].iter().enumerate() {
        match others.get(name.as_str()) {
            Some(other) => pairs.push((row, *other)),
            None => tally.only(kind, "(row)", 0, format_args!("{file}: {name}")),
        }
    }
    let known: HashSet<&String> = names[0].iter().collect();
    for name in names[1].iter().filter(|name| !known.contains(name)) {
        tally.only(kind, "(row)", 1, format_args!("{file}: {name}"));
    }
    for (column, a, b) in &shared {
        for (row, other) in &pairs {
            let (x, y) = (cell(*a, *row), cell(*b, *other));
            if x != y {
                tally.values(kind, format_args!("{file}: {}", names[0][*row]), column, [&x, &y]);
            }
        }
    }
    tally.compared(kind, pairs.len(), pairs.len() * shared.len());
}
