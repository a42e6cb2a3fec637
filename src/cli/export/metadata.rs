//! The metadata of a crate: JSON-LD as RO-Crate 1.1 and the Workflow Run Crate profile 0.5 want it. A pure function.

use serde_json::{Value, json};

/// The name of the file that makes a folder a crate.
pub(super) const METADATA: &str = "ro-crate-metadata.json";
/// The file that holds what was run: stages, keys, parameters, code.
pub(super) const WORKFLOW: &str = "workflow.json";

/// What a crate holds, and where it comes from.
#[derive(Clone, Debug)]
pub(super) struct CrateContents {
    /// What the crate is called.
    pub name: String,
    /// The licence of the contents: an address, an SPDX name, or a sentence.
    pub licence: String,
    /// When the last run ended, as `2026-03-01T12:00:00+00:00`.
    pub when: String,
    /// The program's version.
    pub version: String,
    /// SHA-256 over the identities of all code behind the results, in hexadecimal.
    pub code: String,
    /// Named values that were given: the profile, and the overrides of the command line.
    pub values: Vec<(String, String)>,
    /// All files but the metadata.
    pub files: Vec<Packed>,
}

/// A file of a crate.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Packed {
    /// Its path in the crate, with `/`.
    pub path: String,
    /// SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
    /// Its length in bytes.
    pub size: u64,
    /// What it is to the run.
    pub role: FileRole,
}

/// What a file is to a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FileRole {
    /// It says what to run.
    Configuration,
    /// It says what was run.
    Workflow,
    /// The run made it.
    Result,
}

/// The profiles that a crate follows: address, name, version.
const PROFILES: [(&str, &str, &str); 3] = [
    ("https://w3id.org/ro/wfrun/process/0.5", "Process Run Crate", "0.5"),
    ("https://w3id.org/ro/wfrun/workflow/0.5", "Workflow Run Crate", "0.5"),
    ("https://w3id.org/workflowhub/workflow-ro-crate/1.0", "Workflow RO-Crate", "1.0"),
];

/// How Bioschemas describes a parameter.
const FORMAL: &str = "https://bioschemas.org/profiles/FormalParameter/1.0-RELEASE";
/// How Bioschemas describes a workflow.
const COMPUTATIONAL: &str = "https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE";

/// The term for a hash.
const SHA256: &str = "https://w3id.org/ro/terms/workflow-run#sha256";

/// A reference to an entity.
fn to(id: &str) -> Value {
    json!({ "@id": id })
}

/// The address of a path: what a path may hold and an address may not is escaped.
fn address(path: &str) -> String {
    path.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => char::from(byte).to_string(),
            _ => format!("%{byte:02X}"),
        })
        .collect()
}

/// The media type of a file, by the ending of its name.
fn media_type(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "csv" => "text/csv",
        "html" => "text/html",
        "json" => "application/json",
        "md" => "text/markdown",
        "parquet" => "application/vnd.apache.parquet",
        "png" => "image/png",
        "svg" => "image/svg+xml",
        "toml" => "application/toml",
        _ => "application/octet-stream",
    }
}

/// What a file is, for readers.
fn description(file: &Packed) -> &'static str {
    match (file.role, file.path.split('/').nth(1).unwrap_or_default()) {
        (FileRole::Configuration, _) => "what to run",
        (FileRole::Workflow, _) => "what was run: stages, keys, parameters, and the code behind each result",
        (FileRole::Result, "runs" | "runs.parquet") => "how each run ended",
        (FileRole::Result, "traces") => "each run over time",
        (FileRole::Result, name) if name == "report.md" || name.ends_with(".html") => "the report",
        (FileRole::Result, _) => "a result of the run",
    }
}

/// A file as an entity.
fn file(packed: &Packed) -> Value {
    let Packed { path, sha256, size, role } = packed;
    let mut entity = json!({
        "@id": address(path),
        "@type": "File",
        "name": path,
        "description": description(packed),
        "encodingFormat": media_type(path),
        "contentSize": size.to_string(),
        "sha256": sha256,
    });
    match role {
        FileRole::Configuration => entity["exampleOfWork"] = to("#parameter-pipeline"),
        FileRole::Result => entity["exampleOfWork"] = to("#parameter-results"),
        FileRole::Workflow => {
            entity["@type"] = json!(["File", "SoftwareSourceCode", "ComputationalWorkflow"]);
            entity["programmingLanguage"] = to("#language");
            entity["conformsTo"] = to(COMPUTATIONAL);
        }
    }
    entity
}

/// A parameter of the workflow.
fn formal(id: &str, name: &str, kind: &str, many: bool, about: &str) -> Value {
    json!({
        "@id": id,
        "@type": "FormalParameter",
        "additionalType": kind,
        "conformsTo": to(FORMAL),
        "name": name,
        "description": about,
        "multipleValues": many,
        "valueRequired": !many,
    })
}

/// The values that were given, as entities.
fn values(contents: &CrateContents) -> Vec<Value> {
    let value = |(index, (name, value)): (usize, &(String, String))| {
        json!({
            "@id": format!("#value-{index}"),
            "@type": "PropertyValue",
            "name": name,
            "value": value,
            "exampleOfWork": to(&format!("#parameter-{index}")),
        })
    };
    contents.values.iter().enumerate().map(value).collect()
}

/// The parameters of the workflow that a run is given.
fn inputs(contents: &CrateContents) -> Vec<Value> {
    let mut inputs = vec![formal(
        "#parameter-pipeline",
        "pipeline",
        "File",
        true,
        "the TOML files that declare datasets, experiments, figures, tables and rates",
    )];
    inputs.extend(contents.values.iter().enumerate().map(|(index, (name, _))| {
        formal(&format!("#parameter-{index}"), name, "Text", false, "a value that was given on the command line")
    }));
    inputs
}

/// The crate itself, and the run that made its results.
fn crate_and_run(contents: &CrateContents, licence: &str, values: &[Value]) -> Vec<Value> {
    let all: Vec<Value> = contents.files.iter().map(|file| to(&address(&file.path))).collect();
    let of = |role: FileRole| {
        let files = contents.files.iter().filter(move |file| file.role == role);
        files.map(|file| to(&address(&file.path)))
    };
    vec![
        json!({
            "@id": METADATA,
            "@type": "CreativeWork",
            "about": to("./"),
            "conformsTo": [to("https://w3id.org/ro/crate/1.1"), to(PROFILES[2].0)],
        }),
        json!({
            "@id": "./",
            "@type": "Dataset",
            "name": contents.name,
            "description": "Results of a noregret project, with the files that declare them, their parameters, and \
                            the identity of the code that computed them.",
            "datePublished": contents.when,
            "license": to(licence),
            "conformsTo": PROFILES.iter().map(|(id, ..)| to(id)).collect::<Vec<_>>(),
            "mainEntity": to(WORKFLOW),
            "mentions": to("#run"),
            "hasPart": all,
        }),
        json!({
            "@id": "#run",
            "@type": "CreateAction",
            "name": format!("run of {}", contents.name),
            "description": "noregret made what was missing or stale; results that were current were kept",
            "actionStatus": "http://schema.org/CompletedActionStatus",
            "endTime": contents.when,
            "instrument": to(WORKFLOW),
            "object": of(FileRole::Configuration).chain(values.iter().map(|value| json!({ "@id": value["@id"] })))
                .collect::<Vec<_>>(),
            "result": of(FileRole::Result).collect::<Vec<_>>(),
        }),
    ]
}

/// Under which licence the files are, and which program and code made them.
fn licence_and_program(contents: &CrateContents, licence: &str) -> Vec<Value> {
    vec![
        json!({
            "@id": licence,
            "@type": "CreativeWork",
            "name": contents.licence,
            "description": "the licence of these files",
        }),
        json!({
            "@id": "#language",
            "@type": "ComputerLanguage",
            "name": "noregret",
            "alternateName": "noregret's graph of stages, as JSON",
            "version": contents.version,
        }),
        json!({
            "@id": "#noregret",
            "@type": "SoftwareApplication",
            "name": "noregret",
            "softwareVersion": contents.version,
            "identifier": to("#code"),
        }),
        json!({
            "@id": "#code",
            "@type": "PropertyValue",
            "name": "SHA-256 of the code behind the results (modules by their tokens, packages with versions and features)",
            "value": contents.code,
        }),
    ]
}

/// The text of `ro-crate-metadata.json`, as a value.
pub(super) fn metadata(contents: &CrateContents) -> Value {
    let (values, inputs) = (values(contents), inputs(contents));
    let results = formal("#parameter-results", "results", "File", true, "tables, traces, figures and the report");
    let linked = contents.licence.starts_with("https://") || contents.licence.starts_with("http://");
    let licence = if linked { contents.licence.as_str() } else { "#licence" };
    let mut graph = crate_and_run(contents, licence, &values);
    graph.extend(licence_and_program(contents, licence));
    graph.extend(
        PROFILES
            .iter()
            .map(|(id, name, version)| json!({ "@id": id, "@type": "CreativeWork", "name": name, "version": version })),
    );
    for packed in &contents.files {
        let mut entity = file(packed);
        if packed.role == FileRole::Workflow {
            entity["input"] = inputs.iter().map(|one| json!({ "@id": one["@id"] })).collect();
            entity["output"] = to("#parameter-results");
            entity["version"] = json!(contents.version);
            entity["softwareRequirements"] = to("#noregret");
        }
        graph.push(entity);
    }
    graph.extend(inputs);
    graph.push(results);
    graph.extend(values);
    json!({
        // The term alone, and not the context that holds it, so that only one context has to be fetched.
        "@context": ["https://w3id.org/ro/crate/1.1/context", { "sha256": SHA256 }],
        "@graph": graph,
    })
}
