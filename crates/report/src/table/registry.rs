//! Kinds of tables by name, and the specification files that name them.

use crate::error::ReportError;
use crate::exhibit::ExhibitNeed;
use crate::table::api::{CheckedTable, TableSpec};
use crate::table::kind;

/// Reads and checks the table called `name`, whose text is given.
pub fn read(name: &str, text: &str) -> Result<CheckedTable, ReportError> {
    let keys = toml::from_str(text);
    checked(name, keys.map_err(|error| ReportError::specification("table", name, error.to_string()))?)
}

/// Checks the keys of the table called `name`.
pub fn checked(name: &str, keys: toml::Table) -> Result<CheckedTable, ReportError> {
    let wrong = |cause: String| ReportError::specification("table", name, cause);
    let mut spec: TableSpec = keys.try_into().map_err(|error: toml::de::Error| wrong(error.to_string()))?;
    spec.name = name.to_owned();
    if spec.paper.is_some() && spec.section.is_some() {
        return Err(wrong("`section` names a section of your own; leave `paper` out, or `section`".into()));
    }
    let kind = kind(&spec.kind).map_err(&wrong)?;
    if !spec.experiments.is_empty() && !kind.takes_experiments() {
        return Err(wrong(format!("the kind `{}` takes no `experiments`: it shows what there is of all", kind.name)));
    }
    let names = (kind.check)(&spec)?;
    let table = CheckedTable { spec, kind, names };
    match (table.needs(ExhibitNeed::Reported), &table.spec.reported) {
        (true, None) => Err(wrong("`reported` names no file with the losses of other programs".into())),
        (false, Some(_)) => Err(wrong(format!("the kind `{}` takes no `reported`", kind.name))),
        _ => Ok(table),
    }
}
