//! As much of JSON Schema, draft 7, as our schemas use. A keyword that it does not know is an error, so that nothing in
//! a schema goes unchecked.

use noregret_core::params::number::fraction;
use noregret_data::listing::is_name;
use noregret_report::schema::FRACTION;
use serde_json::Value;

/// What is wrong with `value`, with its place; nothing if the schema accepts it.
pub fn errors(root: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    check(root, root, value, "", &mut found);
    found
}

fn accepts(root: &Value, schema: &Value, value: &Value, at: &str) -> bool {
    let mut found = Vec::new();
    check(root, schema, value, at, &mut found);
    found.is_empty()
}

fn check(root: &Value, schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
    let fields = match schema {
        Value::Bool(true) => return,
        Value::Bool(false) => return found.push(format!("{at}: nothing is allowed here")),
        Value::Object(fields) => fields,
        other => panic!("a schema is a table: {other}"),
    };
    let number = value.as_f64();
    for (keyword, of) in fields {
        let forms = || of.as_array().unwrap();
        let fits = |form: &&Value| accepts(root, form, value, at);
        let wrong = match keyword.as_str() {
            "$schema" | "title" | "description" | "default" | "definitions" | "$comment" | "then" => false,
            "$ref" => {
                let target = root.pointer(of.as_str().unwrap().strip_prefix('#').unwrap());
                check(root, target.expect("a definition"), value, at, found);
                false
            }
            "type" => match of.as_str().unwrap() {
                "string" => !value.is_string(),
                "boolean" => !value.is_boolean(),
                "array" => !value.is_array(),
                "object" => !value.is_object(),
                "number" => !value.is_number(),
                "integer" => number.is_none_or(|number| number.fract() != 0.0),
                other => panic!("type {other}"),
            },
            "enum" => !forms().contains(value),
            "const" => of != value,
            "minimum" => number.is_some_and(|number| number < of.as_f64().unwrap()),
            "exclusiveMinimum" => number.is_some_and(|number| number <= of.as_f64().unwrap()),
            "maximum" => number.is_some_and(|number| number > of.as_f64().unwrap()),
            "exclusiveMaximum" => number.is_some_and(|number| number >= of.as_f64().unwrap()),
            "pattern" => {
                let digits = |text: &str| text.strip_prefix("at most ").is_some_and(|n| n.parse::<u64>().is_ok());
                match of == FRACTION {
                    _ if of == "^[a-z0-9][a-z0-9-]{0,63}$" => value.as_str().is_some_and(|text| !is_name(text)),
                    true => value.as_str().is_some_and(|text| fraction(text).is_none_or(|number| number.is_err())),
                    false => value.as_str().is_some_and(|text| !digits(text)),
                }
            }
            "minItems" => value.as_array().is_some_and(|list| (list.len() as u64) < of.as_u64().unwrap()),
            "maxItems" => value.as_array().is_some_and(|list| list.len() as u64 > of.as_u64().unwrap()),
            "minProperties" => value.as_object().is_some_and(|table| (table.len() as u64) < of.as_u64().unwrap()),
            "maxProperties" => value.as_object().is_some_and(|table| table.len() as u64 > of.as_u64().unwrap()),
            "items" => {
                for (i, item) in value.as_array().into_iter().flatten().enumerate() {
                    check(root, of, item, &format!("{at}/{i}"), found);
                }
                false
            }
            "required" => {
                let has = |key: &Value| value.get(key.as_str().unwrap()).is_some();
                value.is_object() && !forms().iter().all(has)
            }
            "properties" => {
                for (key, inner) in value.as_object().into_iter().flatten() {
                    if let Some(schema) = of.get(key) {
                        check(root, schema, inner, &format!("{at}/{key}"), found);
                    }
                }
                false
            }
            "additionalProperties" => {
                let known = fields.get("properties").and_then(Value::as_object);
                for (key, inner) in value.as_object().into_iter().flatten() {
                    if !known.is_some_and(|known| known.contains_key(key)) {
                        check(root, of, inner, &format!("{at}/{key}"), found);
                    }
                }
                false
            }
            "propertyNames" => {
                let keys = value.as_object().into_iter().flatten().map(|(key, _)| Value::from(key.as_str()));
                keys.filter(|key| !accepts(root, of, key, at)).count() > 0
            }
            "anyOf" => !forms().iter().any(|form| fits(&form)),
            "not" => fits(&of),
            "oneOf" => forms().iter().filter(fits).count() != 1,
            "allOf" => {
                forms().iter().for_each(|form| check(root, form, value, at, found));
                false
            }
            "if" => {
                if let Some(then) = fields.get("then").filter(|_| fits(&of)) {
                    check(root, then, value, at, found);
                }
                false
            }
            other => panic!("the keyword `{other}` is not known here"),
        };
        if wrong {
            found.push(format!("{at}: {keyword}"));
        }
    }
}
