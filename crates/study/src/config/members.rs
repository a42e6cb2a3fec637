//! JSON Schema of the tables that name members of registries: streams, learners, comparators, and their parts. It is
//! made from the declarations by which parameters are checked.

use noregret_core::comparator::COMPARATORS;
use noregret_core::learner::LEARNERS;
use noregret_core::noise::NOISES;
use noregret_core::params::{Fallback, Kind, PartKind, Range, Spec};
use noregret_core::stream::corruption::CORRUPTIONS;
use noregret_core::stream::{ADVERSARIES, STREAMS};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use super::learners::Learners;
use super::parts::{MemberSpecs, of, parts};
use super::stream::{DatasetStream, Rounds};
use noregret_report::schema::{fraction, number};

/// The comment of a property that is a parameter of members, and no key of the file's own.
pub(crate) const PARAMETER: &str = "parameter";

/// The learners of this program, and those that a project declares.
fn learners_of(project: &Learners) -> Vec<MemberSpecs> {
    of(&LEARNERS).into_iter().chain(project.declared().map(|(entry, params)| (entry.name, params))).collect()
}

/// A reference to the definition `name`, which `make` makes once.
fn defined(generator: &mut SchemaGenerator, name: &str, make: impl FnOnce(&mut SchemaGenerator) -> Value) -> Value {
    if !generator.definitions().contains_key(name) {
        // A learner may have a learner among its parameters.
        generator.definitions_mut().insert(name.to_owned(), Value::Bool(true));
        let made = make(generator);
        generator.definitions_mut().insert(name.to_owned(), made);
    }
    json!({ "$ref": format!("#/definitions/{name}") })
}

/// A value, or a list of alternatives.
fn alternatives(values: Vec<Value>) -> Value {
    let list = json!({ "type": "array", "items": { "anyOf": values } });
    json!({ "anyOf": values.into_iter().chain([list]).collect::<Vec<_>>() })
}

fn described(schema: Value, doc: &str) -> Value {
    let mut schema = schema;
    if let Value::Object(fields) = &mut schema {
        fields.insert("description".into(), json!(doc));
    }
    schema
}

/// `{ horizon_power = a, factor = c, log_power = b, whole = true }`
fn formula(generator: &mut SchemaGenerator) -> Value {
    defined(generator, "formula", |generator| {
        let mut number = |doc: &str| described(number(generator).to_value(), doc);
        let properties = json!({
            "horizon_power": number("The exponent of the horizon n."),
            "factor": number("The factor (1)."),
            "log_power": number("The exponent of ln n (0)."),
            "whole": { "type": "boolean", "description": "Whether it is rounded up to an integer." },
        });
        json!({
            "type": "object",
            "properties": properties,
            "additionalProperties": false,
            "description": "factor n^horizon_power (ln n)^log_power at horizon n.",
        })
    })
}

/// A number in an interval.
fn real(range: Range) -> Value {
    let mut schema = Map::from_iter([("type".to_owned(), json!("number"))]);
    for (end, open, words) in [
        (range.min, range.min_open, ["minimum", "exclusiveMinimum"]),
        (range.max, range.max_open, ["maximum", "exclusiveMaximum"]),
    ] {
        if end.is_finite() {
            schema.insert(words[usize::from(open)].to_owned(), json!(end));
        }
    }
    Value::Object(schema)
}

/// The values of a parameter.
fn values(generator: &mut SchemaGenerator, kind: &Kind) -> Vec<Value> {
    let words = |words: &[&str]| (!words.is_empty()).then(|| json!({ "enum": words }));
    let list = |of: Value| json!({ "type": "array", "items": of });
    let only = |field: &str, of: Value| json!({ "type": "object", "properties": { field: of }, "required": [field], "additionalProperties": false });
    match *kind {
        Kind::Real { range, words: known } => {
            [real(range), fraction(), formula(generator)].into_iter().chain(words(known)).collect()
        }
        Kind::Integer { min, max } => {
            let mut schema = json!({ "type": "integer", "minimum": min });
            if max < u64::MAX {
                schema["maximum"] = json!(max);
            }
            vec![schema, formula(generator)]
        }
        Kind::Choice(known) => vec![json!({ "enum": known })],
        Kind::Flag => vec![json!({ "type": "boolean" })],
        Kind::Covariance { words: known } => {
            let number = || json!({ "anyOf": [{ "type": "number" }, fraction()] });
            let (row, rows) = (list(number()), list(list(number())));
            let tables = [only("diagonal", json!({ "anyOf": [number(), row] })), only("matrix", rows)];
            let plain = [number(), list(json!({ "anyOf": [number(), list(number())] })), formula(generator)];
            tables.into_iter().chain(plain).chain(words(known)).collect()
        }
        Kind::Rows { words: known } => {
            let rows = list(list(json!({ "anyOf": [{ "type": "number" }, fraction()] })));
            [only("matrix", rows.clone()), rows].into_iter().chain(words(known)).collect()
        }
        Kind::Part(kind) => vec![part(generator, kind)],
        Kind::Parts { of, words: known } => {
            let members = list(part(generator, of));
            std::iter::once(members).chain(words(known)).collect()
        }
        Kind::Grid { .. } => {
            vec![json!({ "type": "object", "additionalProperties": { "type": "array" } })]
        }
    }
}

/// The schema of a parameter.
fn parameter(generator: &mut SchemaGenerator, spec: &Spec) -> Value {
    let mut schema = described(alternatives(values(generator, &spec.kind)), spec.doc);
    let default = match spec.default {
        Fallback::Added(default) => *default,
        default => default,
    };
    let default = match default {
        Fallback::Real(number) => json!(number),
        Fallback::Integer(number) => json!(number),
        Fallback::Word(word) | Fallback::Part(word) => json!(word),
        Fallback::Flag(flag) => json!(flag),
        Fallback::Required | Fallback::Added(_) => Value::Null,
    };
    schema["$comment"] = json!(PARAMETER);
    if !default.is_null() {
        schema["default"] = default;
    }
    schema
}

/// A member of a kind of parts: its name, or a table.
fn part(generator: &mut SchemaGenerator, kind: PartKind) -> Value {
    one_of(generator, kind, &parts(kind))
}

fn one_of(generator: &mut SchemaGenerator, kind: PartKind, members: &[MemberSpecs]) -> Value {
    defined(generator, kind.word(), |generator| {
        let table = table(generator, "name", members, Map::new());
        json!({ "anyOf": [{ "enum": names(members) }, table] })
    })
}

/// Defines learners with those of a project. It comes before all else that speaks of learners, because what is defined
/// stays as it is.
pub(crate) fn define_learners(generator: &mut SchemaGenerator, project: &Learners) {
    let members = learners_of(project);
    one_of(generator, PartKind::Learner, &members);
    entry(generator, &members);
}

fn names(members: &[MemberSpecs]) -> Vec<&'static str> {
    members.iter().map(|member| member.0).collect()
}

/// All parameters of some members by name. Where members differ in one, either form is allowed.
fn union(generator: &mut SchemaGenerator, members: &[MemberSpecs], into: &mut Map<String, Value>) {
    let mut found: Map<String, Value> = Map::new();
    for spec in members.iter().flat_map(|member| member.1) {
        let schema = parameter(generator, spec);
        match found.get_mut(spec.name) {
            None => drop(found.insert(spec.name.to_owned(), schema)),
            Some(Value::Object(known)) if known.contains_key("either") => {
                if let Some(Value::Array(forms)) = known.get_mut("either")
                    && !forms.contains(&schema)
                {
                    forms.push(schema);
                }
            }
            Some(known) if *known != schema => *known = json!({ "either": [known.take(), schema] }),
            Some(_) => {}
        }
    }
    for (name, schema) in found {
        let schema = match schema.get("either") {
            Some(forms) => json!({ "anyOf": forms, "$comment": PARAMETER }),
            None => schema,
        };
        // A stream has a key `scale` of its own, and laws may have a parameter of that name.
        match into.remove(&name) {
            None => drop(into.insert(name, schema)),
            Some(mut own) => {
                let doc = own.get_mut("description").map(Value::take);
                let both = json!({ "anyOf": [own, schema], "description": doc });
                into.insert(name, both);
            }
        }
    }
}

/// A table whose field `key` names a member, with that member's parameters and the fields `own`. Where no name is
/// given, it may come from elsewhere, and all parameters are allowed.
fn table(generator: &mut SchemaGenerator, key: &str, members: &[MemberSpecs], own: Map<String, Value>) -> Value {
    let mut cases = Vec::new();
    for (name, params) in members {
        let mut properties: Map<String, Value> = own.keys().map(|key| (key.clone(), json!(true))).collect();
        properties.insert(key.to_owned(), json!(true));
        properties.extend(params.iter().map(|spec| (spec.name.to_owned(), parameter(generator, spec))));
        let is = json!({ "properties": { key: { "const": name } }, "required": [key] });
        cases.push(json!({ "if": is, "then": { "properties": properties, "additionalProperties": false } }));
    }
    let mut properties = own;
    if !properties.contains_key(key) {
        properties
            .insert(key.to_owned(), described(alternatives(vec![json!({ "enum": names(members) })]), "Its name."));
    }
    union(generator, members, &mut properties);
    json!({ "type": "object", "properties": properties, "additionalProperties": false, "allOf": cases })
}

/// A loss.
pub(crate) fn loss(generator: &mut SchemaGenerator) -> Schema {
    reference(part(generator, PartKind::Loss))
}

fn reference(schema: Value) -> Schema {
    Schema::try_from(schema).unwrap_or_default()
}

/// The keys of a learner's table besides its name and parameters, which may be lists.
fn learner_keys(generator: &mut SchemaGenerator) -> Map<String, Value> {
    let text = || json!({ "type": "string" });
    let count = || json!({ "type": "integer", "minimum": 1 });
    let rounds = generator.subschema_for::<Rounds>().to_value();
    let keys = [
        ("label", text(), "What its curve is called; `{order}` stands for the value of a parameter."),
        ("horizon", rounds, "How many rounds it plays, instead of the experiment's horizons."),
        ("longest", count(), "The longest horizon that it plays."),
        ("replicates", count(), "How often it plays, instead of the experiment's number."),
        ("copies", count(), "Behind noise, how many noisy copies a learner made for exact data takes the mean of."),
        ("clean", json!({ "type": "boolean" }), "Behind noise, whether it sees the data without it."),
    ];
    let keys = keys.map(|(key, of, doc)| (key.to_owned(), described(alternatives(vec![of]), doc)));
    Map::from_iter(keys)
}

/// `[[learners]]` of an experiment.
pub(crate) fn learners(generator: &mut SchemaGenerator) -> Schema {
    let entry = entry(generator, &of(&LEARNERS));
    json_schema!({ "type": "array", "items": entry })
}

fn entry(generator: &mut SchemaGenerator, members: &[MemberSpecs]) -> Value {
    defined(generator, "entry", |generator| {
        let mut own = learner_keys(generator);
        let mut any: Map<String, Value> = own.keys().map(|key| (key.clone(), json!(true))).collect();
        any.insert("name".into(), json!(true));
        any.extend(members.iter().flat_map(|member| member.1).map(|spec| (spec.name.to_owned(), json!(true))));
        let mut open = |key: &str, properties: Map<String, Value>, doc: &str| {
            let schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
            own.insert(key.to_owned(), described(schema, doc));
        };
        let mut tune = any.clone();
        tune.retain(|key, _| ["horizon", "replicates"].contains(&key.as_str()) || !open_key(key));
        open("tune", tune, "Lists of values of parameters, among which each is chosen on other orders of the rows.");
        open("zip", any.clone(), "Lists of values that go side by side: the i-th of each make the i-th row.");
        any.extend(["tune", "zip"].map(|key| (key.to_owned(), json!(true))));
        let changes = json!({ "type": "object", "properties": any, "additionalProperties": false });
        let doc = "What a profile changes for this learner.";
        own.insert("profile".into(), json!({ "type": "object", "additionalProperties": changes, "description": doc }));
        table(generator, "name", members, own)
    })
}

/// Whether it is a key of a learner's table, and no parameter.
fn open_key(key: &str) -> bool {
    ["name", "label", "horizon", "longest", "replicates", "copies", "clean"].contains(&key)
}

/// `[defaults]` of an experiment.
pub(crate) fn defaults(generator: &mut SchemaGenerator, project: &Learners) -> Schema {
    let members = learners_of(project);
    let mut own = learner_keys(generator);
    own.retain(|key, _| !["copies", "clean"].contains(&key.as_str()));
    own.insert("name".into(), described(json!({ "enum": names(&members) }), "The learner, where an entry names none."));
    let members: Vec<MemberSpecs> = members.into_iter().chain(of(&COMPARATORS)).collect();
    union(generator, &members, &mut own);
    json_schema!({ "type": "object", "properties": own, "additionalProperties": false })
}

/// `[comparator]` of an experiment.
pub(crate) fn comparator(generator: &mut SchemaGenerator) -> Schema {
    reference(table(generator, "name", &of(&COMPARATORS), Map::new()))
}

/// `[stream]` of an experiment.
pub(crate) fn stream(generator: &mut SchemaGenerator) -> Schema {
    let mut own = Map::new();
    if let Some(Value::Object(fields)) = DatasetStream::json_schema(generator).get("properties") {
        for (key, schema) in fields {
            let doc = schema.get("description").cloned().unwrap_or_default();
            own.insert(
                key.clone(),
                json!({ "anyOf": [schema, { "type": "array", "items": schema }], "description": doc }),
            );
        }
    }
    let noises = defined(generator, "noise", |generator| table(generator, "name", &of(&NOISES), Map::new()));
    let law = |doc: &str| described(alternatives(vec![noises.clone()]), doc);
    let sides = json!({ "inputs": law("The noise of inputs."), "targets": law("The noise of targets.") });
    let noise = json!({ "type": "object", "properties": sides, "additionalProperties": false });
    own.insert("noise".into(), described(noise, "Noise on inputs, on targets, or on both: the learner sees copies."));
    let corruption = table(generator, "name", &of(&CORRUPTIONS), Map::new());
    let doc = "What corrupts targets: its `name` (`noregret list noise`) and parameters.";
    own.insert("corruption".into(), described(alternatives(vec![corruption]), doc));
    own.insert("label".into(), json!({ "type": "string", "description": "What the stream is called." }));
    let laws: Vec<MemberSpecs> = of(&STREAMS).into_iter().chain(of(&ADVERSARIES)).collect();
    let doc = "The name of a synthetic law, instead of a dataset; its parameters stand beside it.";
    let words = alternatives(vec![json!({ "enum": names(&laws) })]);
    let zip = "Lists of values that go side by side: the i-th of each make the i-th stream.";
    own.insert("zip".into(), json!({ "type": "object", "description": zip }));
    own.insert("law".into(), described(words, doc));
    // A dataset has no parameters beside it.
    let mut properties: Map<String, Value> = own.keys().map(|key| (key.clone(), json!(true))).collect();
    properties.remove("law");
    let mut schema = table(generator, "law", &laws, own);
    let of_dataset = json!({
        "if": { "required": ["dataset"] },
        "then": { "properties": properties, "additionalProperties": false },
    });
    if let Some(Value::Array(cases)) = schema.get_mut("allOf") {
        cases.push(of_dataset);
    }
    reference(schema)
}

/// `[[functions]]` of a figure.
pub(crate) fn functions(generator: &mut SchemaGenerator) -> Schema {
    let mut keys = Map::new();
    for (key, kind, doc) in [
        ("loss", PartKind::Loss, "The loss that is shown."),
        ("window", PartKind::Window, "The window of a robust loss that is shown."),
        ("kernel", PartKind::Kernel, "The kernel that is shown, by distance."),
    ] {
        keys.insert(key.to_owned(), described(alternatives(vec![part(generator, kind)]), doc));
    }
    for (key, of, doc) in [
        ("label", json!({ "type": "string" }), "Its name in the legend; `{kernel.bandwidth}` stands for a value."),
        ("derivative", json!({ "type": "boolean" }), "Whether the derivative is shown (false)."),
        ("scale", real(Range::POSITIVE), "The scale of a window (1)."),
        ("dim", json!({ "type": "integer", "minimum": 1, "maximum": 10_000 }), "The dimension of the inputs (1)."),
    ] {
        let fractions = if key == "scale" { vec![of, fraction()] } else { vec![of] };
        keys.insert(key.to_owned(), described(alternatives(fractions), doc));
    }
    let zip = "Lists of values that go side by side.";
    keys.insert("zip".into(), json!({ "type": "object", "description": zip }));
    json_schema!({
        "type": "array",
        "items": { "type": "object", "properties": keys, "additionalProperties": false },
        "description": "For the kind `functions`: a `label`, and exactly one of `loss`, `window` and `kernel`.",
    })
}
