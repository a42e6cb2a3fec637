//! The runs tables of several experiments as one.

use std::collections::BTreeMap;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use arrow::datatypes::{DataType, Float64Type, UInt64Type};
use bytes::Bytes;

use crate::trace::gauge::GAUGES;
use crate::trace::schema::{ENDINGS, IDENTITY, RUNS, Type};
use crate::trace::table::{ColumnData, TableWriter, TraceError, WrittenColumn, batch};

/// One table with the rows and columns of all tables, sorted by run_id. A parameter that an experiment does not have is
/// null. Where one table has numbers and another has words under the same name, the words go to `..._word`.
pub fn runs(tables: &[Vec<u8>]) -> Result<Vec<u8>, TraceError> {
    let tables = tables.iter().map(|bytes| batch(Bytes::copy_from_slice(bytes))).collect::<Result<Vec<_>, _>>()?;
    let fields = fields(&tables);
    let mut rows: Vec<(String, usize, usize)> = Vec::new();
    for (index, table) in tables.iter().enumerate() {
        let ids = table.column_by_name("run_id").and_then(|ids| ids.as_string_opt::<i32>());
        let ids = ids.ok_or_else(|| TraceError::Content("a runs table without run_id".into()))?;
        rows.extend((0..table.num_rows()).map(|row| (ids.value(row).to_owned(), index, row)));
    }
    rows.sort();
    let columns = fields.iter().map(|field| values(field, &tables, &rows)).collect();
    let mut table = TableWriter::new(Vec::new(), RUNS, &fields, BTreeMap::new(), 1)?;
    table.push(columns)?;
    table.finish()
}

/// The columns of the one table: those that every table of runs has, and the parameters by name.
fn fields(tables: &[RecordBatch]) -> Vec<WrittenColumn> {
    let known: Vec<WrittenColumn> = IDENTITY.iter().chain(ENDINGS).chain(GAUGES).map(WrittenColumn::from).collect();
    let mut parameters: BTreeMap<String, WrittenColumn> = BTreeMap::new();
    for field in tables.iter().flat_map(|table| table.schema_ref().fields().iter()) {
        if known.iter().all(|column| column.name != *field.name()) {
            let kind = of_type(field.data_type());
            let name = renamed(field.name(), kind, tables);
            let doc = field.metadata().get("description").cloned().unwrap_or_default();
            let field = WrittenColumn { name: name.clone(), kind, nullable: true, unit: String::new(), doc };
            parameters.entry(name).or_insert(field);
        }
    }
    known.into_iter().chain(parameters.into_values()).collect()
}

/// The name of a column in the one table.
fn renamed(name: &str, kind: Type, tables: &[RecordBatch]) -> String {
    let number = |table: &RecordBatch| {
        table.column_by_name(name).is_some_and(|column| of_type(column.data_type()) == Type::Number)
    };
    if kind == Type::Text && tables.iter().any(number) { format!("{name}_word") } else { name.to_owned() }
}

/// The values of a column, for rows of tables by their numbers.
fn values(field: &WrittenColumn, tables: &[RecordBatch], rows: &[(String, usize, usize)]) -> ColumnData {
    let source = |table: &RecordBatch| {
        let own = table.schema_ref().fields().iter().position(|own| {
            let kind = of_type(own.data_type());
            kind == field.kind && renamed(own.name(), kind, tables) == field.name
        });
        own.map(|index| table.column(index).clone())
    };
    let sources: Vec<Option<ArrayRef>> = tables.iter().map(source).collect();
    let cells = || {
        rows.iter()
            .map(|(_, table, row)| Some((sources[*table].as_ref().filter(|column| column.is_valid(*row))?, *row)))
    };
    match field.kind {
        Type::Text => ColumnData::Text(
            cells().map(|c| c.and_then(|(c, row)| Some(c.as_string_opt::<i32>()?.value(row).to_owned()))).collect(),
        ),
        Type::Count => ColumnData::Count(
            cells().map(|c| c.and_then(|(c, row)| Some(c.as_primitive_opt::<UInt64Type>()?.value(row)))).collect(),
        ),
        Type::Number => ColumnData::Number(
            cells().map(|c| c.and_then(|(c, row)| Some(c.as_primitive_opt::<Float64Type>()?.value(row)))).collect(),
        ),
    }
}

fn of_type(kind: &DataType) -> Type {
    match kind {
        DataType::UInt64 => Type::Count,
        DataType::Float64 => Type::Number,
        _ => Type::Text,
    }
}
