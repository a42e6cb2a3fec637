//! What figures declare to be solved and evaluated.

pub(crate) mod functions;
pub(crate) mod hindsight;

use noregret_core::params::ParamError;
use noregret_report::figure::api::FigureSpec;
use toml::Table;

use crate::config::ConfigError;
use crate::config::grid::{expand_within, rows};

/// What the `tables` of a figure's `key` declare, with a label of its own for each. Lists and `zip` stand for
/// alternatives, as in experiments.
fn each<T>(
    spec: &FigureSpec,
    key: &str,
    tables: &[Table],
    read: fn(&Table) -> Result<T, ParamError>,
    label: fn(&T) -> &String,
) -> Result<Vec<T>, ConfigError> {
    let mut found: Vec<T> = Vec::new();
    for (i, table) in tables.iter().enumerate() {
        let place = format!("{key}[{i}]");
        let wrong =
            |source| ConfigError::Parameter { path: path(spec), place: place.clone(), source: Box::new(source) };
        let rows = rows(table).map_err(|(field, why)| wrong(ParamError::refused(field, why)))?;
        let tables = rows.iter().map(expand_within).collect::<Result<Vec<_>, _>>();
        for table in tables.map_err(|why| wrong(ParamError::refused(key, why)))?.concat() {
            let one = read(&table).map_err(wrong)?;
            if found.iter().any(|other| label(other) == label(&one)) {
                return Err(wrong(ParamError::refused("label", format!("two are called `{}`", label(&one)))));
            }
            found.push(one);
        }
    }
    Ok(found)
}

/// What messages call a figure.
fn path(spec: &FigureSpec) -> String {
    format!("figure {}", spec.name)
}
