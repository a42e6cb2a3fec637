//! Datasets of the UCI Machine Learning Repository, as its interface describes them (`/api/dataset?id=NUMBER`).

use serde_json::Value;

use crate::encode::kinds::DeclaredKind;
use crate::fetch::{FetchAccess, FetchError};
use crate::format::FileFormat;
use crate::listing::name_of;
use crate::remote::ask::{Inquiry, text, texts};
use crate::remote::description::{Description, RowFile, line};

/// What UCI says of the dataset of this number.
pub(super) fn describe(server: &str, number: u64, access: &FetchAccess<'_>) -> Result<Description, FetchError> {
    let source = format!("uci:{number}");
    let inquiry = Inquiry { source: &source, access };
    let address = format!("{}/api/dataset?id={number}", server.trim_end_matches('/'));
    let answer = inquiry.ask(&address, complaint)?;
    let about = answer.get("data").filter(|about| about.is_object()).ok_or_else(|| inquiry.lacks(&address, "data"))?;
    let name = text(&about["name"]).ok_or_else(|| inquiry.lacks(&address, "data.name"))?;
    let page = text(&about["repository_url"]).unwrap_or_else(|| format!("{server}/dataset/{number}"));
    let Some(file) = text(&about["data_url"]) else {
        return Err(inquiry.wrong(format!(
            "`{}` is in the repository, but not available for import; download its files from {page} and give one to \
             `noregret data add`",
            line(&name, 100)
        )));
    };
    let mut found = Description {
        name: name_of(&name),
        title: line(&format!("{name} (UCI {number})"), 200),
        citation: citation(about, &name, &page),
        licence: format!("as {page} states"),
        files: vec![RowFile { address: file, format: Some(FileFormat::Csv) }],
        source: source.clone(),
        ..Description::default()
    };
    let variables = about["variables"].as_array().ok_or_else(|| inquiry.lacks(&address, "data.variables"))?;
    for variable in variables {
        let name = text(&variable["name"]).ok_or_else(|| inquiry.lacks(&address, "data.variables.name"))?;
        let role = text(&variable["role"]).unwrap_or_default().to_lowercase();
        match role.as_str() {
            "target" => found.targets.push(name.clone()),
            "feature" => {}
            // Numbers of rows, and what is neither.
            _ => found.ignored.push(name.clone()),
        }
        let kind = match text(&variable["type"]).unwrap_or_default().to_lowercase().as_str() {
            "categorical" => DeclaredKind::Category,
            "binary" if role == "target" => DeclaredKind::Category,
            "integer" | "continuous" => DeclaredKind::Number,
            "date" => DeclaredKind::Date { month_first: false },
            // Of two values, or of what nobody says: as it is written.
            _ => DeclaredKind::Text,
        };
        found.kinds.insert(name.clone(), kind);
        found.columns.push(name);
    }
    Ok(found)
}

/// Who made it, when, and where it is.
fn citation(about: &Value, name: &str, page: &str) -> String {
    let creators = texts(&about["creators"]).join(", ");
    let year = text(&about["year_of_dataset_creation"]).map(|year| format!(" ({year})")).unwrap_or_default();
    let at = text(&about["dataset_doi"]).map_or_else(|| page.to_owned(), |doi| format!("https://doi.org/{doi}"));
    line(&format!("{creators}{year}. {name}. UCI Machine Learning Repository. {at}"), 600)
}

/// What UCI says in the place of data: a status other than 200, and a message.
fn complaint(answer: &Value) -> Option<String> {
    let status = answer.get("status")?.as_u64().filter(|status| *status != 200)?;
    let message = text(&answer["message"]).unwrap_or_else(|| "there is no such dataset".into());
    Some(line(&format!("{message} (status {status})"), 300))
}
