//! The runs tables of several experiments as one.

use std::collections::BTreeMap;

use arrow::array::{Array, AsArray};
use arrow::datatypes::{DataType, Float64Type, UInt64Type};
use bytes::Bytes;

use crate::trace::gauge::GAUGES;
use crate::trace::schema::{ENDINGS, IDENTITY, RUNS, Type};
use crate::trace::table::{Field, TableWriter, TraceError, Values, batch};

/// One table with the rows and columns of all tables, sorted by run_id. A parameter that an experiment does not have is
/// null. Where one table has numbers and another has words under the same name, the words go to `..._word`.
pub fn runs(tables: &[Vec<u8>]) -> Result<Vec<u8>, TraceError> {
    let tables = tables.iter().map(|bytes| batch(Bytes::copy_from_slice(bytes))).collect::<Result<Vec<_>, _>>()?;
    let known: Vec<Field> = IDENTITY.iter().chain(ENDINGS).chain(GAUGES).map(Field::from).collect();
    let is_number =
        |name: &str| tables.iter().any(|table| table.column_by_name(name).is_some_and(|c| kind(c) == Type::Number));
    // Parameters by name: where each comes from in each table.
    let mut parameters: BTreeMap<String, Field> = BTreeMap::new();
    let renamed = |name: &str, kind: Type| match kind {
        Type::Text if is_number(name) => format!("{name}_word"),
        _ => name.to_owned(),
    };
    for field in tables.iter().flat_map(|table| table.schema_ref().fields().iter()) {
        if known.iter().all(|column| column.name != *field.name()) {
            let kind = of_type(field.data_type());
            let name = renamed(field.name(), kind);
            let doc = field.metadata().get("description").cloned().unwrap_or_default();
            parameters.entry(name.clone()).or_insert_with(|| Field {
                name,
                kind,
                nullable: true,
                unit: String::new(),
                doc,
            });
        }
    }
    let fields: Vec<Field> = known.into_iter().chain(parameters.into_values()).collect();

    let mut rows: Vec<(String, usize, usize)> = Vec::new();
    for (index, table) in tables.iter().enumerate() {
        let ids = table.column_by_name("run_id").and_then(|ids| ids.as_string_opt::<i32>());
        let ids = ids.ok_or_else(|| TraceError::Content("a runs table without run_id".into()))?;
        rows.extend((0..table.num_rows()).map(|row| (ids.value(row).to_owned(), index, row)));
    }
    rows.sort();
    let columns = fields
        .iter()
        .map(|field| {
            let sources: Vec<Option<&dyn Array>> = tables
                .iter()
                .map(|table| {
                    let schema = table.schema_ref();
                    let own = schema.fields().iter().position(|own| {
                        let kind = of_type(own.data_type());
                        kind == field.kind && renamed(own.name(), kind) == field.name
                    });
                    own.map(|index| table.column(index).as_ref())
                })
                .collect();
            let cell = |table: usize, row: usize| sources[table].filter(|column| column.is_valid(row));
            match field.kind {
                Type::Text => Values::Text(
                    rows.iter()
                        .map(|(_, table, row)| Some(cell(*table, *row)?.as_string_opt::<i32>()?.value(*row).to_owned()))
                        .collect(),
                ),
                Type::Count => Values::Count(
                    rows.iter()
                        .map(|(_, table, row)| Some(cell(*table, *row)?.as_primitive_opt::<UInt64Type>()?.value(*row)))
                        .collect(),
                ),
                Type::Number => Values::Number(
                    rows.iter()
                        .map(|(_, table, row)| Some(cell(*table, *row)?.as_primitive_opt::<Float64Type>()?.value(*row)))
                        .collect(),
                ),
            }
        })
        .collect();
    let mut table = TableWriter::new(Vec::new(), RUNS, &fields, BTreeMap::new(), 1)?;
    table.push(columns)?;
    table.finish()
}

fn of_type(kind: &DataType) -> Type {
    match kind {
        DataType::UInt64 => Type::Count,
        DataType::Float64 => Type::Number,
        _ => Type::Text,
    }
}

fn kind(column: &dyn Array) -> Type {
    of_type(column.data_type())
}
