//! All kinds of figures, by name.

use crate::report::error::ReportError;
use crate::report::figure::api::{Figure, FigureSpec, Kind};
use crate::report::figure::{
    along_horizons, average_loss, ends, exponents, functions, local_slopes, measure, measured_exponents, online_regret,
    price, query_law, regret, scan, time, trade, worst_world,
};

/// Every kind of figure.
pub static KINDS: &[&Kind] = &[
    &average_loss::KIND,
    &time::KIND,
    &regret::KIND,
    &along_horizons::KIND,
    &price::KIND,
    &local_slopes::KIND,
    &online_regret::KIND,
    &ends::KIND,
    &ends::TIMES,
    &exponents::KIND,
    &functions::KIND,
    &query_law::KIND,
    &trade::KIND,
    &worst_world::KIND,
    &measure::KIND,
    &scan::KIND,
    &measured_exponents::KIND,
];

/// The kind of that name.
pub fn find(name: &str) -> Option<&'static Kind> {
    KINDS.iter().copied().find(|kind| kind.name == name)
}

/// Reads and checks the file `pipeline/figures/<name>.toml`, whose text is given.
pub fn read(name: &str, text: &str) -> Result<Figure, ReportError> {
    let mut spec: FigureSpec =
        toml::from_str(text).map_err(|error| ReportError::specification("figures", name, error.to_string()))?;
    spec.name = name.to_owned();
    let kind = find(&spec.kind).ok_or_else(|| {
        let known: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
        spec.wrong(format!("unknown kind `{}`; known kinds: {}", spec.kind, known.join(", ")))
    })?;
    (kind.check)(&spec)?;
    if !spec.functions.is_empty() && !std::ptr::eq(kind, &functions::KIND) {
        return Err(spec.wrong(format!("`functions` belongs to the kind `functions`, not to `{}`", kind.name)));
    }
    if spec.experiments.is_empty() && spec.functions.is_empty() && spec.rates.is_empty() {
        return Err(spec.wrong("`experiments` names no experiment, and `rates` no row of rates".into()));
    }
    Ok(Figure { spec, kind })
}
