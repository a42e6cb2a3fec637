//! Datasets of OpenML, as its REST interface describes them (`/api/v1/json/data/...`).

use serde_json::Value;

use crate::encode::kinds::DeclaredKind;
use crate::fetch::{FetchAccess, FetchError};
use crate::format::FileFormat;
use crate::listing::name_of;
use crate::remote::ask::{Inquiry, text, texts};
use crate::remote::description::{Description, RowFile, line};

/// What OpenML says of the dataset of this number or name.
pub(super) fn describe(server: &str, which: &str, access: &FetchAccess<'_>) -> Result<Description, FetchError> {
    let source = format!("openml:{which}");
    let inquiry = Inquiry { source: &source, access };
    let api = format!("{}/api/v1/json/data", server.trim_end_matches('/'));
    let number = if which.bytes().all(|byte| byte.is_ascii_digit()) {
        which.to_owned()
    } else {
        number_of(&inquiry, &format!("{api}/list/data_name/{which}/status/active/limit/100"))?
    };
    let address = format!("{api}/{number}");
    let answer = inquiry.ask(&address, complaint)?;
    let about = &answer["data_set_description"];
    let name = text(&about["name"]).ok_or_else(|| inquiry.lacks(&address, "data_set_description.name"))?;
    let version = text(&about["version"]).map(|version| format!(", version {version}")).unwrap_or_default();
    if let Some(status) = text(&about["status"]).filter(|status| status != "active") {
        (access.report)(&format!("warning: {source}: OpenML calls this dataset `{status}`"));
    }
    let listed = |format| move |address| RowFile { address, format: Some(format) };
    let parquet = ["parquet_url", "minio_url"].into_iter().find_map(|field| text(&about[field]));
    let files = parquet.into_iter().map(listed(FileFormat::Parquet));
    let files: Vec<RowFile> = files.chain(text(&about["url"]).into_iter().map(listed(FileFormat::Arff))).collect();
    if files.is_empty() {
        return Err(inquiry.wrong("the server names no file of it".into()));
    }
    let named = |fields: &Value| -> Vec<String> {
        texts(fields).iter().flat_map(|names| names.split(',')).map(|name| name.trim().to_owned()).collect()
    };
    let mut found = Description {
        name: name_of(&name),
        title: line(&format!("{name} (OpenML {number}{version})"), 200),
        citation: citation(about, server, &number),
        licence: line(&text(&about["licence"]).unwrap_or_else(|| "unknown".into()), 200),
        ignored: [named(&about["ignore_attribute"]), named(&about["row_id_attribute"])].concat(),
        files,
        source: source.clone(),
        ..Description::default()
    };
    features(&inquiry, &format!("{api}/features/{number}"), &mut found)?;
    let target = texts(&about["default_target_attribute"]).concat();
    // A name may hold a comma, so that it is a list only where it is no column.
    if found.columns.contains(&target) {
        found.targets = vec![target];
    } else if !target.is_empty() {
        found.targets = named(&about["default_target_attribute"]);
    }
    Ok(found)
}

/// What to cite: what the dataset says, or who made it, and its page.
fn citation(about: &Value, server: &str, number: &str) -> String {
    let page = format!("{}/d/{number}", server.trim_end_matches('/'));
    let creators = texts(&about["creator"]).join(", ");
    match text(&about["citation"]).or_else(|| (!creators.is_empty()).then_some(creators)) {
        Some(who) => format!("{} ({page})", line(&who, 500)),
        None => page,
    }
}

/// The number of the only active dataset of a name.
fn number_of(inquiry: &Inquiry<'_>, address: &str) -> Result<String, FetchError> {
    let answer = inquiry.ask(address, complaint)?;
    let all = several(&answer["data"]["dataset"]).ok_or_else(|| inquiry.lacks(address, "data.dataset"))?;
    let numbers: Vec<(String, String)> = all
        .iter()
        .filter_map(|one| Some((text(&one["did"])?, text(&one["version"]).unwrap_or_else(|| "?".into()))))
        .collect();
    match &numbers[..] {
        [(number, _)] => Ok(number.clone()),
        [] => Err(inquiry.lacks(address, "data.dataset.did")),
        many => {
            let many: Vec<String> =
                many.iter().map(|(number, version)| format!("openml:{number} (version {version})")).collect();
            Err(inquiry.wrong(format!("this name has {} datasets; give one of {}", many.len(), many.join(", "))))
        }
    }
}

/// Adds what is said of the columns.
fn features(inquiry: &Inquiry<'_>, address: &str, found: &mut Description) -> Result<(), FetchError> {
    let answer = inquiry.ask(address, complaint)?;
    let all = several(&answer["data_features"]["feature"]);
    for feature in all.ok_or_else(|| inquiry.lacks(address, "data_features.feature"))? {
        let name = text(&feature["name"]).ok_or_else(|| inquiry.lacks(address, "data_features.feature.name"))?;
        let says = |field: &str| text(&feature[field]).is_some_and(|word| word == "true") || feature[field] == true;
        let kind = match text(&feature["data_type"]).as_deref() {
            Some("numeric" | "real" | "integer") => DeclaredKind::Number,
            Some("nominal") => DeclaredKind::Category,
            Some("date") => DeclaredKind::Date { month_first: false },
            _ => DeclaredKind::Text,
        };
        found.kinds.insert(name.clone(), kind);
        if says("is_target") {
            found.targets.push(name.clone());
        }
        if says("is_ignore") || says("is_row_identifier") {
            found.ignored.push(name.clone());
        }
        found.columns.push(name);
    }
    Ok(())
}

/// The elements of a list, which is no list where there is one.
fn several(value: &Value) -> Option<&[Value]> {
    match value {
        Value::Array(all) => Some(all),
        Value::Object(_) => Some(std::slice::from_ref(value)),
        _ => None,
    }
}

/// What OpenML says in the place of data: `{"error": {"code": "111", "message": "Unknown dataset"}}`.
fn complaint(answer: &Value) -> Option<String> {
    let error = answer.get("error")?;
    let code = text(&error["code"]).map(|code| format!(" (code {code})")).unwrap_or_default();
    Some(line(&format!("{}{code}", text(&error["message"]).unwrap_or_else(|| "an error".into())), 300))
}
