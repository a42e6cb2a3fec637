//! The reference of the files of a project: their JSON Schema, and the same in words. Both are made from the types that
//! read these files and from the declarations that check parameters, so that they name what is accepted.

pub mod text;

use std::collections::BTreeMap;

use schemars::generate::SchemaSettings;
use schemars::transform::{RemoveRefSiblings, Transform};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Value, json};

use super::draft;
use super::learners::Learners;
use super::project::Profile;
use crate::config::{learners, members};
use noregret_data::declaration::Declaration;
use noregret_report::analysis::rate::file as rate;
use noregret_report::figure::KINDS as FIGURES;
use noregret_report::figure::api::FigureSpec;
use noregret_report::table::KINDS as TABLES;
use noregret_report::table::api::TableSpec;

/// A kind of file in `pipeline/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum File {
    /// `pipeline/experiments/NAME.toml`
    Experiment,
    /// `pipeline/figures/NAME.toml`
    Figure,
    /// `pipeline/tables/NAME.toml`
    Table,
    /// `pipeline/rates/NAME.toml`
    Rates,
    /// `pipeline/datasets/NAME.toml`
    Dataset,
    /// `pipeline/learners/NAME.toml`
    Learner,
    /// `pipeline/profiles.toml`
    Profiles,
}

impl File {
    /// All of them, in the order of the reference.
    pub const ALL: [File; 7] =
        [File::Experiment, File::Figure, File::Table, File::Rates, File::Dataset, File::Learner, File::Profiles];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            File::Experiment => "experiment",
            File::Figure => "figure",
            File::Table => "table",
            File::Rates => "rates",
            File::Dataset => "dataset",
            File::Learner => "learner",
            File::Profiles => "profiles",
        }
    }

    /// The kind of that name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|file| file.name() == name)
    }

    /// Where such files are.
    pub fn path(self) -> &'static str {
        match self {
            File::Experiment => "pipeline/experiments/NAME.toml",
            File::Figure => "pipeline/figures/NAME.toml",
            File::Table => "pipeline/tables/NAME.toml",
            File::Rates => "pipeline/rates/NAME.toml",
            File::Dataset => "pipeline/datasets/NAME.toml",
            File::Learner => "pipeline/learners/NAME.toml",
            File::Profiles => "pipeline/profiles.toml",
        }
    }

    /// Where `noregret init` writes its schema.
    pub fn schema_path(self) -> String {
        format!("pipeline/schemas/{}.json", self.name())
    }

    /// The comment in the first line of such a file by which editors find its schema.
    pub fn schema_comment(self) -> String {
        let up = if self == File::Profiles { "" } else { "../" };
        format!("#:schema {up}schemas/{}.json\n", self.name())
    }

    /// Its JSON Schema, draft 7, which editors know best, in a project with these learners.
    pub fn schema(self, project: &Learners) -> Value {
        let mut generator = SchemaSettings::draft07().into_generator();
        let mut schema = match self {
            File::Experiment => {
                members::define_learners(&mut generator, project);
                let mut schema = draft::File::json_schema(&mut generator);
                let doc = "What learners and comparator have in common: parameters, and name, label and sizes.";
                own(&mut schema, "defaults", members::defaults(&mut generator, project), Some(doc));
                changes_by_profile(&mut schema);
                schema
            }
            File::Figure => {
                let mut schema = FigureSpec::json_schema(&mut generator);
                own(&mut schema, "functions", members::functions(&mut generator), None);
                kinds(&mut schema, FIGURES.iter().map(|kind| kind.name));
                let cases = FIGURES.iter().map(|kind| {
                    let is = json!({ "properties": { "kind": { "const": kind.name } }, "required": ["kind"] });
                    json!({ "if": is, "then": { "properties": { "options": (kind.options)(&mut generator) } } })
                });
                schema.insert("allOf".into(), cases.collect());
                schema
            }
            File::Table => {
                let mut schema = TableSpec::json_schema(&mut generator);
                kinds(&mut schema, TABLES.iter().map(|kind| kind.name));
                schema
            }
            File::Rates => {
                let mut schema = rate::File::json_schema(&mut generator);
                changes_by_profile(&mut schema);
                schema
            }
            File::Dataset => Declaration::json_schema(&mut generator),
            File::Learner => learners::File::json_schema(&mut generator),
            File::Profiles => profiles(&mut generator),
        };
        schema.insert("$schema".into(), json!("http://json-schema.org/draft-07/schema#"));
        schema.insert("title".into(), json!(format!("noregret: {}", self.path())));
        let definitions = generator.take_definitions(true);
        schema.insert("definitions".into(), json!(definitions));
        RemoveRefSiblings::default().transform(&mut schema);
        let mut schema = schema.to_value();
        tidy(&mut schema);
        schema
    }
}

fn profiles(generator: &mut SchemaGenerator) -> Schema {
    let mut schema = BTreeMap::<String, Profile>::json_schema(generator);
    schema
        .insert("description".into(), json!("The profiles of a project: each is a set of sizes for all experiments."));
    schema
}

/// Puts the schema of a key into that of a file.
fn own(schema: &mut Schema, key: &str, mut of: Schema, doc: Option<&str>) {
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
fn changes_by_profile(schema: &mut Schema) {
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        let changes = json!({ "type": "object", "properties": properties, "additionalProperties": false });
        let doc = "What a profile changes: any of the file's keys.";
        let profile = json!({ "type": "object", "additionalProperties": changes, "description": doc });
        properties.insert("profile".into(), profile);
    }
}

/// Removes what TOML does not have (null) and what only Rust means (`format: uint32`).
fn tidy(schema: &mut Value) {
    match schema {
        Value::Array(schemas) => schemas.iter_mut().for_each(tidy),
        Value::Object(fields) => {
            fields.retain(|key, value| !(key == "format" && value.is_string() || value.is_null()));
            if let Some(Value::Array(types)) = fields.get("type") {
                let kept: Vec<Value> = types.iter().filter(|word| **word != "null").cloned().collect();
                fields.insert("type".into(), if let [one] = &kept[..] { one.clone() } else { json!(kept) });
            }
            if let Some(Value::Array(forms)) = fields.get_mut("anyOf") {
                forms.retain(|form| form.get("type").is_none_or(|word| word != "null"));
                if let [one] = &forms[..]
                    && let Value::Object(one) = one.clone()
                    && fields.keys().all(|key| key == "anyOf" || !one.contains_key(key))
                {
                    fields.remove("anyOf");
                    fields.extend(one);
                    // A reference stands alone in draft 7.
                    if let Some(to) = fields.remove("$ref") {
                        fields.insert("allOf".into(), json!([{ "$ref": to }]));
                    }
                }
            }
            fields.values_mut().for_each(tidy);
        }
        _ => {}
    }
}
