//! Kinds of figures by name, and the specification files that name them.

use crate::claim::{Claim, Test};
use crate::error::ReportError;
use crate::figure::api::{Figure, FigureSpec, Kind};
use crate::figure::{KINDS, curves, functions, pareto, reported};

/// The kind of that name.
pub(crate) fn find(name: &str) -> Option<&'static Kind> {
    KINDS.iter().copied().find(|kind| kind.name == name)
}

/// Reads and checks the figure called `name`, whose text is given.
pub fn read(name: &str, text: &str) -> Result<Figure, ReportError> {
    let table = toml::from_str(text)
        .map_err(|error: toml::de::Error| ReportError::specification("figure", name, error.to_string()))?;
    checked(name, table)
}

/// Checks the keys of the figure called `name`.
pub fn checked(name: &str, table: toml::Table) -> Result<Figure, ReportError> {
    let mut spec: FigureSpec = table
        .try_into()
        .map_err(|error: toml::de::Error| ReportError::specification("figure", name, error.to_string()))?;
    spec.name = name.to_owned();
    if spec.paper.is_some() && spec.section.is_some() {
        return Err(spec.wrong("`section` names a section of your own; leave `paper` out, or `section`".into()));
    }
    let kind = find(&spec.kind).ok_or_else(|| {
        let known: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
        spec.wrong(format!("unknown kind `{}`; known kinds: {}", spec.kind, known.join(", ")))
    })?;
    let checked = (kind.check)(&spec)?;
    if !spec.functions.is_empty() && !std::ptr::eq(kind, &functions::KIND) {
        return Err(spec.wrong(format!("`functions` belongs to the kind `functions`, not to `{}`", kind.name)));
    }
    let (curves, pareto) = (std::ptr::eq(kind, &curves::KIND), std::ptr::eq(kind, &pareto::KIND));
    if !spec.hindsight.is_empty() && !curves {
        return Err(spec.wrong(format!("`hindsight` belongs to the kind `curves`, not to `{}`", kind.name)));
    }
    if !spec.claims.is_empty() && !curves && !pareto {
        return Err(spec.wrong(format!("`claims` are tested with curves of runs; `{}` has none", kind.name)));
    }
    let both = |claim: &Claim| matches!(claim.test, Test::Both { .. });
    if let Some(claim) = spec.claims.iter().find(|claim| both(claim) != pareto) {
        let why = "the test `both` is for figures of two quantities (kind `pareto`), which have no other test";
        return Err(spec.wrong(format!("claims: {}: {why}", claim.text)));
    }
    match (std::ptr::eq(kind, &reported::KIND), &spec.reported) {
        (true, None) => return Err(spec.wrong("`reported` names no file with the losses of other programs".into())),
        (false, Some(_)) => {
            return Err(spec.wrong(format!("`reported` belongs to the kind `reported`, not to `{}`", kind.name)));
        }
        _ => {}
    }
    if spec.experiments.is_empty() && spec.functions.is_empty() && spec.rates.is_empty() && !spec.errata {
        return Err(spec.wrong("`experiments` names no experiment, and `rates` no row of rates".into()));
    }
    Ok(Figure { spec, kind, measured: checked.measured, names: checked.names })
}
