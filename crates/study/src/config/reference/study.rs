//! The schema of a study: what an experiment's file holds beside the experiment, and what its exhibits may leave out.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Value, json};

use crate::config::members;
use noregret_report::analysis::rate::file as rate;
use noregret_report::figure::KINDS as FIGURES;
use noregret_report::figure::api::FigureSpec;
use noregret_report::table::KINDS as TABLES;
use noregret_report::table::api::TableSpec;

const ZIP: &str = "Lists of equal length: the i-th values of all of them make the i-th. Words below `zip.words` stand in \
                   texts, `{r}` for `zip.words.r`.";

/// What names look like ([`noregret_data::listing::is_name`]).
const NAME: &str = "^[a-z0-9][a-z0-9-]{0,63}$";

const VARIED: &str = "Experiments that vary this one, by name: each has from it, or from the one that it is `like`, what \
                      it does not say itself, and may have exhibits of its own.";

/// Adds the exhibits to the schema of an experiment. A file without an experiment has exhibits only.
pub(super) fn exhibits(schema: &mut Schema, generator: &mut SchemaGenerator) {
    let figures = "Its figures, by name: `noregret describe figure`.";
    let tables = "Its tables, by name: `noregret describe table`.";
    let rates = "Its rows of rates, by name: `noregret describe rates`.";
    for (key, of, doc) in [
        ("figure", figure(generator), figures),
        ("table", table(generator), tables),
        ("rate", self::rates(generator), rates),
    ] {
        let names = json!({ "pattern": NAME });
        let mut named =
            schemars::json_schema!({ "type": "object", "propertyNames": names, "additionalProperties": of });
        named.insert("description".into(), json!(doc));
        own(schema, key, named, None);
    }
    text(schema, "like", "Another experiment, from which it has what it does not say itself.");
    let properties = schema.get("properties").cloned();
    let one = json!({ "type": "object", "properties": properties, "additionalProperties": false });
    let names = json!({ "pattern": NAME });
    let varied = schemars::json_schema!({ "type": "object", "propertyNames": names, "additionalProperties": one });
    own(schema, "experiment", varied, Some(VARIED));
    let keys = required(schema);
    let none: Vec<Value> = keys.iter().map(|key| json!({ "required": [key] })).collect();
    allow(schema, &keys, &[json!({ "required": ["like"] }), json!({ "not": { "anyOf": none } })]);
}

/// The schema of a figure.
pub(super) fn figure(generator: &mut SchemaGenerator) -> Schema {
    let mut schema = FigureSpec::json_schema(generator);
    own(&mut schema, "functions", members::functions(generator), None);
    drawn(&mut schema, generator);
    text(&mut schema, "like", "Another figure, from which it has what it does not say itself.");
    told(&mut schema, "experiments", "Without it, the experiment of its study.");
    told(&mut schema, "paper", "Without it, that of its study.");
    let keys = required(&mut schema);
    allow(&mut schema, &keys, &[json!({ "required": ["like"] })]);
    claims(generator);
    parts(generator);
    schema
}

/// Adds the kinds with their options to the schema of a figure or of a part of one, and says what may be left out.
fn drawn(schema: &mut Schema, generator: &mut SchemaGenerator) {
    kinds(schema, FIGURES.iter().map(|kind| kind.name));
    let cases = FIGURES.iter().map(|kind| {
        let is = json!({ "properties": { "kind": { "const": kind.name } }, "required": ["kind"] });
        json!({ "if": is, "then": { "properties": { "options": (kind.options)(generator) } } })
    });
    schema.insert("allOf".into(), cases.collect());
    told(schema, "kind", "`curves` where it is not given.");
    told(schema, "x", "Without it, the words for `options.against`, where that is round, horizon or processor_time.");
    told(schema, "y", "Without it, the words for `options.show`, where that is regret, error_rate or processor_time.");
    spare(schema, &["kind", "x", "y"]);
}

/// Gives the parts of a figure the kinds with their options.
fn parts(generator: &mut SchemaGenerator) {
    const PART: &str = "Subfigure";
    let part = generator.definitions_mut().get_mut(PART).and_then(Value::as_object_mut).map(std::mem::take);
    let Some(part) = part else { return };
    let mut schema = Schema::from(part);
    if schema.get("allOf").is_none() {
        drawn(&mut schema, generator);
    }
    generator.definitions_mut().insert(PART.to_owned(), schema.to_value());
}

/// Lets claims be zipped.
fn claims(generator: &mut SchemaGenerator) {
    if let Some(claim) = generator.definitions_mut().get_mut("Claim").and_then(Value::as_object_mut) {
        let mut schema = Schema::from(std::mem::take(claim));
        if schema.get("anyOf").is_none() {
            zipped(&mut schema);
            // What is zipped is no whole test.
            let test = schema.pointer_mut("/properties/test").map(Value::take).unwrap_or_default();
            let zipped = json!({ "required": ["zip"] });
            schema.insert(
                "allOf".into(),
                json!([{ "if": { "not": zipped }, "then": { "properties": { "test": test } } }]),
            );
            let mut either = schemars::json_schema!({ "anyOf": [test, { "type": "object" }] });
            either.insert("description".into(), test["description"].clone());
            own(&mut schema, "test", either, None);
        }
        *claim = schema.ensure_object().clone();
    }
}

/// The schema of a table.
pub(super) fn table(generator: &mut SchemaGenerator) -> Schema {
    let mut schema = TableSpec::json_schema(generator);
    kinds(&mut schema, TABLES.iter().map(|kind| kind.name));
    let cases = TABLES.iter().filter_map(|kind| {
        let is = json!({ "properties": { "kind": { "const": kind.name } }, "required": ["kind"] });
        Some(json!({ "if": is, "then": { "properties": { "options": (kind.options?)(generator) } } }))
    });
    schema.insert("allOf".into(), cases.collect());
    told(&mut schema, "experiments", "Without it, the experiment of its study.");
    told(&mut schema, "paper", "Without it, that of its study.");
    spare(&mut schema, &["experiments"]);
    schema
}

/// The schema of a row of rates, or of a family of them.
pub(super) fn rates(generator: &mut SchemaGenerator) -> Schema {
    let mut schema = rate::RateSpec::json_schema(generator);
    changes_by_profile(&mut schema);
    told(&mut schema, "experiment", "Without it, that of its study.");
    told(&mut schema, "horizons", "Without it, those of the experiment of its study.");
    spare(&mut schema, &["experiment", "horizons"]);
    zipped(&mut schema);
    schema
}

/// Lets a table stand for several: its lists below `zip` hold what is required, and what others have besides.
fn zipped(schema: &mut Schema) {
    let zip = schemars::json_schema!({ "type": "object" });
    own(schema, "zip", zip, Some(ZIP));
    let keys = required(schema);
    allow(schema, &keys, &[json!({ "required": ["zip"] })]);
}

/// Takes out which keys must be given.
fn required(schema: &mut Schema) -> Vec<String> {
    let keys = schema.remove("required");
    let keys = keys.as_ref().and_then(Value::as_array).into_iter().flatten();
    keys.filter_map(|key| key.as_str().map(str::to_owned)).collect()
}

/// Says that these keys need not be given.
fn spare(schema: &mut Schema, spared: &[&str]) {
    let keys: Vec<String> = required(schema).into_iter().filter(|key| !spared.contains(&&**key)).collect();
    schema.insert("required".into(), json!(keys));
}

/// Says that these keys must be given, unless another of these forms holds.
fn allow(schema: &mut Schema, keys: &[String], others: &[Value]) {
    let forms: Vec<Value> = std::iter::once(json!({ "required": keys })).chain(others.iter().cloned()).collect();
    schema.insert("anyOf".into(), json!(forms));
}

/// Adds a key that holds text.
fn text(schema: &mut Schema, key: &str, doc: &str) {
    own(schema, key, schemars::json_schema!({ "type": "string" }), Some(doc));
}

/// Adds a sentence to what is said of a key.
fn told(schema: &mut Schema, key: &str, sentence: &str) {
    if let Some(doc) = schema.pointer_mut(&format!("/properties/{key}/description"))
        && let Some(text) = doc.as_str()
    {
        *doc = json!(format!("{text} {sentence}"));
    }
}

/// Puts the schema of a key into that of a file.
pub(super) fn own(schema: &mut Schema, key: &str, mut of: Schema, doc: Option<&str>) {
    if let Some(doc) = doc {
        of.insert("description".into(), json!(doc));
    }
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.insert(key.to_owned(), of.to_value());
    }
}

/// Lists the kinds of figures or tables.
fn kinds(schema: &mut Schema, names: impl Iterator<Item = &'static str>) {
    if let Some(kind) = schema.pointer_mut("/properties/kind") {
        kind["enum"] = names.collect();
    }
}

/// Adds `[profile.NAME]`, which may change all keys of a file.
pub(super) fn changes_by_profile(schema: &mut Schema) {
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        let changes = json!({ "type": "object", "properties": properties, "additionalProperties": false });
        let doc = "What a profile changes: any of the file's keys.";
        let profile = json!({ "type": "object", "additionalProperties": changes, "description": doc });
        properties.insert("profile".into(), profile);
    }
}
