//! The reference of the files of a project: their JSON Schema, and the same in words. Both are made from the types that
//! read these files and from the declarations that check parameters, so that they name what is accepted.

mod study;
pub mod text;

use std::collections::BTreeMap;

use schemars::generate::SchemaSettings;
use schemars::transform::{RemoveRefSiblings, Transform};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Value, json};

use super::draft;
use super::learners::Learners;
use super::project::{Profile, ProjectSettings};
use crate::config::{learners, members};
use noregret_data::declaration::Declaration;

/// A kind of file of a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A study, `pipeline/FOLDER/NAME.toml`: an experiment with its exhibits.
    Experiment,
    /// `[figure.NAME]` of a study, or `pipeline/figures/NAME.toml`
    Figure,
    /// `[table.NAME]` of a study, or `pipeline/tables/NAME.toml`
    Table,
    /// `[rate.NAME]` of a study, or `pipeline/rates/NAME.toml`
    Rates,
    /// `pipeline/datasets/NAME.toml`
    Dataset,
    /// `pipeline/learners/NAME.toml`
    Learner,
    /// `pipeline/profiles.toml`
    Profiles,
    /// `noregret.toml`
    Project,
}

impl FileKind {
    /// All of them, in the order of the reference.
    pub const ALL: [FileKind; 8] = [
        FileKind::Experiment,
        FileKind::Figure,
        FileKind::Table,
        FileKind::Rates,
        FileKind::Dataset,
        FileKind::Learner,
        FileKind::Profiles,
        FileKind::Project,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            FileKind::Experiment => "experiment",
            FileKind::Figure => "figure",
            FileKind::Table => "table",
            FileKind::Rates => "rates",
            FileKind::Dataset => "dataset",
            FileKind::Learner => "learner",
            FileKind::Profiles => "profiles",
            FileKind::Project => "project",
        }
    }

    /// The kind of that name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|file| file.name() == name)
    }

    /// Where it stands: in which files, or at which place of a study.
    pub(crate) fn path(self) -> &'static str {
        match self {
            FileKind::Experiment => "pipeline/FOLDER/NAME.toml",
            FileKind::Figure => "[figure.NAME]",
            FileKind::Table => "[table.NAME]",
            FileKind::Rates => "[rate.NAME]",
            FileKind::Dataset => "pipeline/datasets/NAME.toml",
            FileKind::Learner => "pipeline/learners/NAME.toml",
            FileKind::Profiles => "pipeline/profiles.toml",
            FileKind::Project => "noregret.toml",
        }
    }

    /// Where `noregret init` writes its schema.
    pub fn schema_path(self) -> String {
        format!("pipeline/schemas/{}.json", self.name())
    }

    /// Its JSON Schema, draft 7, which editors know best, in a project with these learners.
    pub fn schema(self, project: &Learners) -> Value {
        let mut generator = SchemaSettings::draft07().into_generator();
        let mut schema = match self {
            FileKind::Experiment => {
                members::define_learners(&mut generator, project);
                let mut schema = draft::ExperimentFile::json_schema(&mut generator);
                let doc = "What learners and comparator have in common: parameters, and name, label and sizes.";
                study::own(&mut schema, "defaults", members::defaults(&mut generator, project), Some(doc));
                study::changes_by_profile(&mut schema);
                study::exhibits(&mut schema, &mut generator);
                schema
            }
            FileKind::Figure => study::figure(&mut generator),
            FileKind::Table => study::table(&mut generator),
            FileKind::Rates => study::rates(&mut generator),
            FileKind::Dataset => Declaration::json_schema(&mut generator),
            FileKind::Learner => learners::LearnerFile::json_schema(&mut generator),
            FileKind::Profiles => profiles(&mut generator),
            FileKind::Project => ProjectSettings::json_schema(&mut generator),
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
