//! JSON Schema of values that files write and that serde reads by a function of its own.

use noregret_papers::paper::Paper;
use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

/// A fraction as text, `"-5/7"`.
pub const FRACTION: &str = "^ *-? *[0-9]+ */ *[0-9]+ *$";

/// A number, or a fraction as text.
pub fn number(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "anyOf": [{ "type": "number" }, fraction()] })
}

/// A fraction as text.
pub fn fraction() -> Value {
    json!({ "type": "string", "pattern": FRACTION })
}

/// A number, or the name of a constant of the theory.
pub(crate) fn constant(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "anyOf": [{ "type": "number" }, fraction(), { "enum": ["one-copy", "one-copy-logistic"] }] })
}

/// Numbers by name.
pub(crate) fn numbers(generator: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object", "additionalProperties": number(generator) })
}

/// Pairs of numbers.
pub(crate) fn pairs(generator: &mut SchemaGenerator) -> Schema {
    let pair = json!({ "type": "array", "items": number(generator), "minItems": 2, "maxItems": 2 });
    json_schema!({ "type": "array", "items": pair })
}

/// Text, or a list of texts.
pub(crate) fn one_or_several(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" }, "minItems": 1 }] })
}

/// The id of a paper.
pub fn paper(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": Paper::ALL.map(Paper::id) })
}

/// Any table.
pub(crate) fn table(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object" })
}

/// Tables of any keys.
pub(crate) fn tables(generator: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "array", "items": table(generator) })
}
