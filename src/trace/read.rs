//! Reading the result tables: Parquet bytes to a polars data frame that has been checked against
//! [`crate::trace::schema`].

use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};

use polars::prelude::{DataFrame, DataType, ParquetReader, PolarsError, SerReader};

use crate::trace::gauge::GAUGES;
use crate::trace::schema::{CHECKPOINTS, Column, ENDINGS, IDENTITY, MEASURE, TIMES, Type};

/// Why a table cannot be used. `table` names it for the reader: a path, or what it was asked for.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The bytes are not a Parquet file, or a damaged one.
    #[error("{table}: cannot be read as Parquet: {cause}; run its stage again")]
    Parquet {
        /// Which table.
        table: String,
        /// What the reader said.
        #[source]
        cause: PolarsError,
    },
    /// A column of the schema is not there.
    #[error("{table}: column `{column}` is missing; the file was written by another version, run its stage again")]
    Missing {
        /// Which table.
        table: String,
        /// Which column.
        column: &'static str,
    },
    /// A column has another type than the schema says.
    #[error("{table}: column `{column}` holds {found}, expected {expected}; run its stage again")]
    WrongType {
        /// Which table.
        table: String,
        /// Which column.
        column: &'static str,
        /// The type in the file.
        found: String,
        /// The type in the schema.
        expected: &'static str,
    },
    /// A measure that is missing, or whose column does not hold numbers.
    #[error("{table}: measure `{name}` holds {found}, expected 64-bit floats; run its stage again")]
    Measure {
        /// Which table.
        table: String,
        /// Which measure.
        name: String,
        /// What was found.
        found: String,
    },
    /// A column that must always have a value lacks one.
    #[error("{table}: column `{column}` has no value in row {row}; run its stage again")]
    Null {
        /// Which table.
        table: String,
        /// Which column.
        column: &'static str,
        /// Which row, from 1.
        row: usize,
    },
}

/// The columns of `results/runs/<experiment>.parquet`, parameters (`p_learner_*`, `p_stream_*`) left aside.
pub fn run_columns() -> Vec<Column> {
    [IDENTITY, ENDINGS, GAUGES].concat()
}

/// The columns of `results/traces/<experiment>.parquet`.
pub fn trace_columns() -> Vec<Column> {
    [IDENTITY, CHECKPOINTS, GAUGES].concat()
}

/// Reads a runs table: one row per cell. `table` is the name used in errors.
pub fn runs(table: &str, bytes: Vec<u8>) -> Result<DataFrame, ReadError> {
    let frame = parquet(table, bytes)?;
    check(table, &frame, &run_columns())?;
    Ok(frame)
}

/// Reads a traces table: one row per run and checkpoint. `table` is the name used in errors.
pub fn traces(table: &str, bytes: Vec<u8>) -> Result<DataFrame, ReadError> {
    let frame = parquet(table, bytes)?;
    check(table, &frame, &trace_columns())?;
    Ok(frame)
}

/// Reads a timings table: processor and wall-clock time per run and checkpoint. `table` is the name used in errors.
pub fn times(table: &str, bytes: Vec<u8>) -> Result<DataFrame, ReadError> {
    let frame = parquet(table, bytes)?;
    check(table, &frame, TIMES)?;
    Ok(frame)
}

/// The table; polars asserts things that damaged files violate, which is an error here.
fn parquet(table: &str, bytes: Vec<u8>) -> Result<DataFrame, ReadError> {
    let read = || ParquetReader::new(Cursor::new(bytes)).finish();
    let damaged = |_| Err(PolarsError::ComputeError("its structure is damaged".into()));
    let frame = catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(damaged);
    frame.map_err(|cause| ReadError::Parquet { table: table.into(), cause })
}

/// Checks a frame against its columns: each is there, of its type, and without nulls where the schema forbids them.
/// Further columns are allowed (parameters; columns of later versions).
pub fn check(table: &str, frame: &DataFrame, columns: &[Column]) -> Result<(), ReadError> {
    columns.iter().try_for_each(|column| sound(table, frame, column).map(drop))
}

/// The column as it is in the frame: of its type, and without nulls where the schema forbids them.
fn sound<'a>(table: &str, frame: &'a DataFrame, column: &Column) -> Result<&'a polars::prelude::Column, ReadError> {
    let missing = || ReadError::Missing { table: table.into(), column: column.name };
    let found = frame.column(column.name).map_err(|_| missing())?;
    let kind = match column.kind {
        Type::Text => DataType::String,
        Type::Count => DataType::UInt64,
        Type::Number => DataType::Float64,
    };
    if *found.dtype() != kind {
        return Err(wrong(table, column, found.dtype()));
    }
    match found.is_null().first_true_idx() {
        Some(row) if !column.nullable => {
            Err(ReadError::Null { table: table.into(), column: column.name, row: row + 1 })
        }
        _ => Ok(found),
    }
}

/// The values of a text column.
pub fn texts(table: &str, frame: &DataFrame, column: &Column) -> Result<Vec<Option<String>>, ReadError> {
    let found = sound(table, frame, column)?;
    let values = found.str().map_err(|_| wrong(table, column, found.dtype()))?;
    Ok(values.iter().map(|value| value.map(str::to_owned)).collect())
}

/// The values of a column of counts.
pub fn counts(table: &str, frame: &DataFrame, column: &Column) -> Result<Vec<Option<u64>>, ReadError> {
    let found = sound(table, frame, column)?;
    Ok(found.u64().map_err(|_| wrong(table, column, found.dtype()))?.iter().collect())
}

/// The values of a column of numbers.
pub fn numbers(table: &str, frame: &DataFrame, column: &Column) -> Result<Vec<Option<f64>>, ReadError> {
    let found = sound(table, frame, column)?;
    Ok(found.f64().map_err(|_| wrong(table, column, found.dtype()))?.iter().collect())
}

/// The values of the measure `name`: the column `m_<name>` of a runs table.
pub fn measure(table: &str, frame: &DataFrame, name: &str) -> Result<Vec<Option<f64>>, ReadError> {
    let wrong = |found: String| ReadError::Measure { table: table.into(), name: name.into(), found };
    let column = frame.column(&format!("{MEASURE}{name}")).map_err(|error| wrong(error.to_string()))?;
    Ok(column.f64().map_err(|_| wrong(column.dtype().to_string()))?.iter().collect())
}

fn wrong(table: &str, column: &Column, found: &DataType) -> ReadError {
    let expected = match column.kind {
        Type::Text => "text",
        Type::Count => "unsigned 64-bit integers",
        Type::Number => "64-bit floats",
    };
    ReadError::WrongType { table: table.into(), column: column.name, found: found.to_string(), expected }
}

/// Columns as a Markdown table, for results/README.md.
pub fn describe(columns: &[Column]) -> String {
    let mut out = String::from("| column | type | unit | meaning |\n| --- | --- | --- | --- |\n");
    for Column { name, kind, nullable, unit, doc } in columns {
        let kind = match kind {
            Type::Text => "text",
            Type::Count => "u64",
            Type::Number => "f64",
        };
        let null = if *nullable { " or null" } else { "" };
        out += &format!("| `{name}` | {kind}{null} | {unit} | {doc} |\n");
    }
    out
}
