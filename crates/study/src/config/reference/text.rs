//! The reference in words, from the JSON Schema: for the terminal, and as Markdown.

use serde_json::Value;

use super::FileKind;
use crate::config::learners::Learners;
use crate::config::members::PARAMETER;

/// A table of a file, with its keys.
#[derive(Clone, Debug, PartialEq)]
pub struct KeySection {
    /// As TOML writes it, `[stream]` or `[[learners]]`; empty for the top of the file.
    pub heading: String,
    /// What it is.
    pub doc: String,
    /// Its keys, in alphabetical order.
    pub keys: Vec<Key>,
    /// Whether it also takes the parameters of the member that it names.
    pub parameters: bool,
}

/// A key.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    /// Its name.
    pub name: String,
    /// What it may be.
    pub allowed: String,
    /// What it is where it is not given, or that it must be given; empty if it is simply left out.
    pub default: String,
    /// What it is.
    pub doc: String,
}

/// The sections of a kind of file.
pub fn sections(file: FileKind) -> Vec<KeySection> {
    let schema = file.schema(&Learners::default());
    let mut reference = ReferenceText { root: &schema, sections: Vec::new() };
    match (file, schema.get("additionalProperties")) {
        (FileKind::Profiles, Some(of)) => reference.section("[NAME]", description(&schema), reference.resolved(of)),
        _ => reference.section("", description(&schema), &schema),
    }
    for case in schema.get("allOf").and_then(Value::as_array).into_iter().flatten() {
        let kind = case.pointer("/if/properties/kind/const").and_then(Value::as_str);
        if let (Some(kind), Some(options)) = (kind, case.pointer("/then/properties/options")) {
            let options = reference.resolved(options);
            reference.section(&format!("[options], kind {kind}"), description(options), options);
        }
    }
    reference.sections
}

fn description(schema: &Value) -> &str {
    schema.get("description").and_then(Value::as_str).unwrap_or_default()
}

/// What a schema refers to.
fn reference(schema: &Value) -> Option<&str> {
    schema.get("$ref").or_else(|| schema.pointer("/allOf/0/$ref"))?.as_str()
}

/// The forms that a value may have; which of its keys it must have makes no other form.
fn forms(schema: &Value) -> impl Iterator<Item = &Value> {
    let forms = ["anyOf", "oneOf"].into_iter().filter_map(|key| schema.get(key)?.as_array()).flatten();
    forms.filter(|form| form.get("required").is_none_or(|_| form.get("type").is_some()) && form.get("not").is_none())
}

/// Whether it is a parameter of members, and no key of the file's own.
fn is_parameter(schema: &Value) -> bool {
    schema.get("$comment").is_some_and(|comment| comment == PARAMETER)
}

struct ReferenceText<'s> {
    root: &'s Value,
    sections: Vec<KeySection>,
}

impl<'s> ReferenceText<'s> {
    /// The schema that `schema` refers to, or itself.
    fn resolved(&self, schema: &'s Value) -> &'s Value {
        reference(schema).and_then(|to| self.root.pointer(to.strip_prefix('#')?)).unwrap_or(schema)
    }

    /// Adds a table and the tables in it.
    fn section(&mut self, heading: &str, doc: &str, schema: &'s Value) {
        let at = self.sections.len();
        let (mut keys, mut inner) = (Vec::new(), Vec::new());
        let mut parameters = false;
        for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            if is_parameter(property) {
                parameters = true;
                continue;
            }
            let required = schema.get("required").or_else(|| schema.pointer("/anyOf/0/required"));
            let required = required.and_then(Value::as_array);
            let required = required.is_some_and(|required| required.iter().any(|one| one == name));
            keys.push(self.key(name, property, required));
            inner.extend(self.tables(property).into_iter().map(|(list, table)| (name.clone(), list, table)));
            let named = property.get("additionalProperties").filter(|of| reference(of).is_some());
            inner.extend(named.map(|of| (format!("{name}.NAME"), false, self.resolved(of))));
        }
        let section = KeySection { heading: heading.into(), doc: doc.into(), keys, parameters };
        // A table that is reached twice is described once.
        if self.sections.iter().any(|known| known.keys == section.keys && !section.keys.is_empty()) {
            return;
        }
        self.sections.insert(at, section);
        let path = heading.trim_start_matches('[').split(']').next().unwrap_or_default();
        for (name, list, table) in inner {
            let path = if path.is_empty() { name } else { format!("{path}.{name}") };
            let heading = if list { format!("[[{path}]]") } else { format!("[{path}]") };
            self.section(&heading, description(table), table);
        }
    }

    /// The tables that a value may be, and whether a list of them. Parts of members and tables without keys of their own
    /// are left to `noregret describe NAME`.
    fn tables(&self, schema: &'s Value) -> Vec<(bool, &'s Value)> {
        if self.part(schema).is_some() {
            return Vec::new();
        }
        let schema = self.resolved(schema);
        if let Some(Value::Object(properties)) = schema.get("properties") {
            // What holds parameters only, or any key of the level above, needs no section.
            let own = properties.values().any(|property| property.is_object() && !is_parameter(property));
            return if own { vec![(false, schema)] } else { Vec::new() };
        }
        if let Some(items) = schema.get("items") {
            return self.tables(items).into_iter().map(|(_, table)| (true, table)).collect();
        }
        // A list of alternatives says nothing new.
        let (lists, forms): (Vec<_>, Vec<_>) = forms(schema).partition(|form| form.get("items").is_some());
        let one: Vec<_> = forms.into_iter().flat_map(|form| self.tables(form)).collect();
        if one.is_empty() { lists.into_iter().flat_map(|form| self.tables(form)).collect() } else { one }
    }

    /// The word for a part of members that a reference leads to. Definitions of parts are in lower case.
    fn part(&self, schema: &'s Value) -> Option<&'s str> {
        let to = reference(schema)?.rsplit('/').next()?;
        (to.starts_with(|c: char| c.is_ascii_lowercase()) && to != "entry").then_some(to)
    }

    fn key(&self, name: &str, property: &'s Value, required: bool) -> Key {
        let resolved = self.resolved(property);
        let doc = if property.get("description").is_some() { description(property) } else { description(resolved) };
        let mut doc = flat(doc);
        for (word, of) in self.words(property) {
            doc += &format!(" {word}: {}", flat(of));
        }
        let default = match property.get("default") {
            _ if required => "must be given".to_owned(),
            Some(Value::Null) | None => String::new(),
            Some(Value::String(text)) if text.is_empty() => String::new(),
            Some(Value::Array(list)) if list.is_empty() => String::new(),
            Some(Value::Object(table)) if table.values().all(Value::is_null) => String::new(),
            Some(default) => default.to_string(),
        };
        Key { name: name.to_owned(), allowed: self.allowed(property), default, doc }
    }

    /// The words that a value may be, with what they mean.
    fn words(&self, schema: &'s Value) -> Vec<(String, &'s str)> {
        let schema = self.resolved(schema);
        let mut words = Vec::new();
        for form in forms(schema) {
            match (form.get("const"), description(form)) {
                (Some(word), doc) if !doc.is_empty() => words.push((word.to_string(), doc)),
                (None, _) if form.get("type").is_none_or(|word| word != "array") => words.extend(self.words(form)),
                _ => {}
            }
        }
        words
    }

    /// What a value may be.
    fn allowed(&self, schema: &'s Value) -> String {
        if let Some(part) = self.part(schema) {
            return match part {
                "formula" => "a power of the horizon".into(),
                "noise" => "a table: the `name` of a noise law and its parameters".into(),
                part => format!("a {part}: its name, or a table of its `name` and parameters"),
            };
        }
        let schema = self.resolved(schema);
        let list =
            |values: &Value| -> Vec<String> { values.as_array().into_iter().flatten().map(Value::to_string).collect() };
        if let Some(values) = schema.get("enum") {
            let names = list(values);
            return if names.len() > 24 { "a name".into() } else { names.join(" or ") };
        }
        if let Some(word) = schema.get("const") {
            return word.to_string();
        }
        // A fraction as text is a number, too.
        let (lists, single): (Vec<_>, Vec<_>) = forms(schema)
            .filter(|form| form.get("pattern").is_none() && !is_parameter(form))
            .partition(|form| form.get("items").is_some());
        if !single.is_empty() || !lists.is_empty() {
            let mut words: Vec<String> = single.iter().map(|form| self.allowed(form)).collect();
            words.dedup();
            let mut text = words.join(" or ");
            for form in lists {
                let items = self.allowed(form.get("items").unwrap_or(form));
                text += &if items == text { ", or a list of such".into() } else { format!(" or a list: {items}") };
            }
            return text;
        }
        match schema.get("type").and_then(Value::as_str) {
            Some("string") => "text".into(),
            Some("boolean") => "true or false".into(),
            Some("array") => match schema.get("items") {
                Some(items) => format!("a list: {}", self.allowed(items)),
                None => "a list".into(),
            },
            Some("object") => "a table".into(),
            Some(number) => {
                let word = if number == "integer" { "an integer" } else { "a number" };
                let end = |key: &str| schema.get(key).filter(|end| end.as_f64() != Some(0.0) || number != "integer");
                let least = end("minimum").map(|end| format!(" from {end}")).unwrap_or_default();
                let above = end("exclusiveMinimum").map(|end| format!(" above {end}")).unwrap_or_default();
                let most = end("maximum").filter(|end| end.as_f64().is_some_and(|end| end < 1e9));
                let most = most.map(|end| format!(" to {end}")).unwrap_or_default();
                format!("{word}{least}{above}{most}")
            }
            None => "any value".into(),
        }
    }
}

const PARAMETERS: &str = "the parameters of what it names: `noregret describe NAME`";

/// For the terminal.
pub fn terminal(file: FileKind) -> String {
    let mut text = format!("{}: {}\n", file.name(), file.path());
    for section in sections(file) {
        let doc = if section.doc.is_empty() { String::new() } else { format!("  {}\n", flat(&section.doc)) };
        text += &if section.heading.is_empty() { doc } else { format!("\n{}\n{doc}", section.heading) };
        for Key { name, allowed, default, doc } in &section.keys {
            let default = if default.is_empty() { String::new() } else { format!(" [{default}]") };
            text += &format!("    {name}{default}: {doc} ({allowed})\n");
        }
        if section.parameters {
            text += &format!("    and {PARAMETERS}\n");
        }
    }
    text
}

/// All kinds of files, for the book.
pub fn markdown() -> String {
    let mut text = String::new();
    for file in FileKind::ALL {
        let above = if text.is_empty() { "" } else { "\n" };
        text += &format!("{above}## {}: `{}`\n", file.name(), file.path());
        for section in sections(file) {
            if !section.heading.is_empty() {
                text += &format!("\n### `{}`\n", section.heading);
            }
            if !section.doc.is_empty() {
                text += &format!("\n{}\n", flat(&section.doc));
            }
            if !section.keys.is_empty() {
                text += "\n| key | may be | without it | what it is |\n| --- | --- | --- | --- |\n";
            }
            for Key { name, allowed, default, doc } in &section.keys {
                let [allowed, default, doc] = [allowed, default, doc].map(|cell| cell.replace('|', "\\|"));
                text += &format!("| `{name}` | {allowed} | {default} | {doc} |\n");
            }
            if section.parameters {
                text += &format!("\nAlso {PARAMETERS}.\n");
            }
        }
    }
    text
}

/// In one line.
fn flat(doc: &str) -> String {
    doc.replace('\n', " ")
}
