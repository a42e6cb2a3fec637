//! Reading the result tables: Parquet bytes to a polars data frame that has been checked against
//! [`crate::trace::schema`].

use std::sync::Arc;

use arrow::array::{Array, AsArray, PrimitiveArray};
use arrow::datatypes::{ArrowPrimitiveType, DataType as ArrowType, Field, Float64Type, Int32Type, Schema, UInt64Type};
use bytes::Bytes;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use polars::prelude::{
    ChunkTake, DataFrame, DataType, Float64Chunked, IdxCa, IntoColumn, IntoSeries, PolarsError, Series, StringChunked,
    UInt64Chunked,
};

use crate::trace::gauge::GAUGES;
use crate::trace::schema::{CHECKPOINTS, ENDINGS, IDENTITY, MEASURE, ResultColumn, TIMES, Type};
use crate::trace::table::{TraceError, guarded};
use noregret_data::thrift::CheckedParquet;

/// Why a table cannot be used. `table` names it for the reader: a path, or what it was asked for.
#[derive(Debug, thiserror::Error)]
pub enum TableReadError {
    /// The bytes are not a Parquet file, or a damaged one.
    #[error("{table}: cannot be read as Parquet: {cause}; run its stage again")]
    Parquet {
        /// Which table.
        table: String,
        /// What the reader said.
        #[source]
        cause: TraceError,
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
pub(crate) fn run_columns() -> Vec<ResultColumn> {
    [IDENTITY, ENDINGS, GAUGES].concat()
}

/// The columns of `results/traces/<experiment>.parquet`.
pub(crate) fn trace_columns() -> Vec<ResultColumn> {
    [IDENTITY, CHECKPOINTS, GAUGES].concat()
}

/// Reads a runs table: one row per cell. `table` is the name used in errors.
pub fn runs(table: &str, bytes: Vec<u8>) -> Result<DataFrame, TableReadError> {
    let frame = parquet(table, bytes)?;
    check(table, &frame, &run_columns())?;
    Ok(frame)
}

/// Reads a traces table: one row per run and checkpoint. `table` is the name used in errors.
pub fn traces(table: &str, bytes: Vec<u8>) -> Result<DataFrame, TableReadError> {
    let frame = parquet(table, bytes)?;
    check(table, &frame, &trace_columns())?;
    Ok(frame)
}

/// Reads a timings table: processor and wall-clock time per run and checkpoint. `table` is the name used in errors.
pub fn times(table: &str, bytes: Vec<u8>) -> Result<DataFrame, TableReadError> {
    let frame = parquet(table, bytes)?;
    check(table, &frame, TIMES)?;
    Ok(frame)
}

/// The table. Arrow's reader refuses damaged pages for which that of polars asks for any amount of memory, and then ends
/// the process.
fn parquet(table: &str, bytes: Vec<u8>) -> Result<DataFrame, TableReadError> {
    guarded(|| frame(bytes)).map_err(|cause| TableReadError::Parquet { table: table.into(), cause })
}

/// Rows that are converted together.
const ROWS: usize = 1 << 16;

fn frame(bytes: Vec<u8>) -> Result<DataFrame, TraceError> {
    let bytes = CheckedParquet(Bytes::from(bytes));
    let found = ArrowReaderMetadata::load(&bytes, ArrowReaderOptions::new()).map_err(TraceError::Read)?;
    // Texts as numbers of a dictionary: most columns repeat a few, and the frame then keeps each once.
    let wanted = found.schema().fields().iter().map(|field| match field.data_type() {
        ArrowType::Utf8 => {
            let kind = ArrowType::Dictionary(ArrowType::Int32.into(), ArrowType::Utf8.into());
            Arc::new(Field::clone(field).with_data_type(kind))
        }
        _ => field.clone(),
    });
    let wanted = Arc::new(Schema::new(wanted.collect::<Vec<_>>()));
    let options = ArrowReaderOptions::new().with_schema(wanted.clone());
    let file = ParquetRecordBatchReaderBuilder::try_new_with_options(bytes, options).map_err(TraceError::Read)?;
    let mut columns: Vec<Option<Series>> = vec![None; wanted.fields().len()];
    let mut rows = 0;
    for batch in file.with_batch_size(ROWS).build().map_err(TraceError::Read)? {
        let batch = batch.map_err(|error| TraceError::Read(error.into()))?;
        rows += batch.num_rows();
        for ((column, field), values) in columns.iter_mut().zip(wanted.fields()).zip(batch.columns()) {
            let more = series(field.name(), values)?;
            match column {
                Some(column) => column.append(&more).map(drop).map_err(content)?,
                None => *column = Some(more),
            }
        }
    }
    let empty = |field: &Arc<Field>| series(field.name(), &arrow::array::new_empty_array(field.data_type()));
    let columns = columns.into_iter().zip(wanted.fields()).map(|(column, field)| match column {
        Some(column) => Ok(column.into_column()),
        None => empty(field).map(IntoColumn::into_column),
    });
    DataFrame::new(rows, columns.collect::<Result<_, _>>()?).map_err(content)
}

fn content(error: PolarsError) -> TraceError {
    TraceError::Content(error.to_string())
}

/// The values of a column as polars holds them.
fn series(name: &str, values: &dyn Array) -> Result<Series, TraceError> {
    fn numbers<T: ArrowPrimitiveType, C: FromIterator<Option<T::Native>>>(values: &PrimitiveArray<T>) -> C {
        values.iter().collect()
    }
    let column = if let Some(values) = values.as_primitive_opt::<UInt64Type>() {
        numbers::<_, UInt64Chunked>(values).into_series()
    } else if let Some(values) = values.as_primitive_opt::<Float64Type>() {
        numbers::<_, Float64Chunked>(values).into_series()
    } else if let Some(values) = values.as_dictionary_opt::<Int32Type>() {
        let words = values.values().as_string_opt::<i32>().into_iter().flatten().collect::<StringChunked>();
        let places = values.keys().iter().map(|place| place.map(|place| place as u32)).collect::<IdxCa>();
        words.take(&places).map_err(content)?.into_series()
    } else {
        return Err(TraceError::Content(format!("column `{name}` holds {}", values.data_type())));
    };
    Ok(column.with_name(name.into()))
}

/// Checks a frame against its columns: each is there, of its type, and without nulls where the schema forbids them.
/// Further columns are allowed (parameters; columns of later versions).
pub(crate) fn check(table: &str, frame: &DataFrame, columns: &[ResultColumn]) -> Result<(), TableReadError> {
    columns.iter().try_for_each(|column| sound(table, frame, column).map(drop))
}

/// The column as it is in the frame: of its type, and without nulls where the schema forbids them.
fn sound<'a>(
    table: &str,
    frame: &'a DataFrame,
    column: &ResultColumn,
) -> Result<&'a polars::prelude::Column, TableReadError> {
    let missing = || TableReadError::Missing { table: table.into(), column: column.name };
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
            Err(TableReadError::Null { table: table.into(), column: column.name, row: row + 1 })
        }
        _ => Ok(found),
    }
}

/// The values of a text column.
pub fn texts(table: &str, frame: &DataFrame, column: &ResultColumn) -> Result<Vec<Option<String>>, TableReadError> {
    let found = sound(table, frame, column)?;
    let values = found.str().map_err(|_| wrong(table, column, found.dtype()))?;
    Ok(values.iter().map(|value| value.map(str::to_owned)).collect())
}

/// The values of a column of counts.
pub fn counts(table: &str, frame: &DataFrame, column: &ResultColumn) -> Result<Vec<Option<u64>>, TableReadError> {
    let found = sound(table, frame, column)?;
    Ok(found.u64().map_err(|_| wrong(table, column, found.dtype()))?.iter().collect())
}

/// The values of a column of numbers.
pub fn numbers(table: &str, frame: &DataFrame, column: &ResultColumn) -> Result<Vec<Option<f64>>, TableReadError> {
    let found = sound(table, frame, column)?;
    Ok(found.f64().map_err(|_| wrong(table, column, found.dtype()))?.iter().collect())
}

/// The values of the measure `name`: the column `m_<name>` of a runs table.
pub fn measure(table: &str, frame: &DataFrame, name: &str) -> Result<Vec<Option<f64>>, TableReadError> {
    let wrong = |found: String| TableReadError::Measure { table: table.into(), name: name.into(), found };
    let column = frame.column(&format!("{MEASURE}{name}")).map_err(|error| wrong(error.to_string()))?;
    Ok(column.f64().map_err(|_| wrong(column.dtype().to_string()))?.iter().collect())
}

fn wrong(table: &str, column: &ResultColumn, found: &DataType) -> TableReadError {
    let expected = match column.kind {
        Type::Text => "text",
        Type::Count => "unsigned 64-bit integers",
        Type::Number => "64-bit floats",
    };
    TableReadError::WrongType { table: table.into(), column: column.name, found: found.to_string(), expected }
}

/// Columns as a Markdown table, for the book.
pub fn describe(columns: &[ResultColumn]) -> String {
    let mut out = String::from("| column | type | unit | meaning |\n| --- | --- | --- | --- |\n");
    for ResultColumn { name, kind, nullable, unit, doc } in columns {
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
