//! Kinds of figures by name, and the specification files that name them.

use crate::error::ReportError;
use crate::exhibit::ExhibitNeed;
use crate::figure::api::{CheckedOptions, Drawing, Figure, FigureSpec, Name};
use crate::figure::{compound, kind, points};

/// Reads and checks the figure called `name`, whose text is given.
pub fn read(name: &str, text: &str) -> Result<Figure, ReportError> {
    let table = toml::from_str(text)
        .map_err(|error: toml::de::Error| ReportError::specification("figure", name, error.to_string()))?;
    checked(name, table)
}

/// Checks the keys of the figure called `name`.
pub fn checked(name: &str, mut table: toml::Table) -> Result<Figure, ReportError> {
    // An axis is often missing because no default follows from an option or a kind that is misspelt: these are told first.
    let axes = ["x", "y"];
    let missing = axes.into_iter().find(|axis| !table.contains_key(*axis));
    for axis in axes {
        table.entry(axis).or_insert_with(|| "".into());
    }
    let mut spec: FigureSpec = table
        .try_into()
        .map_err(|error: toml::de::Error| ReportError::specification("figure", name, error.to_string()))?;
    spec.name = name.to_owned();
    if spec.paper.is_some() && spec.section.is_some() {
        return Err(spec.wrong("`section` names a section of your own; leave `paper` out, or `section`".into()));
    }
    let figure = if spec.subfigures.is_empty() { whole(spec) } else { in_parts(spec) }?;
    match missing {
        Some(axis) => Err(figure.spec.wrong(format!("missing field `{axis}`"))),
        None => Ok(figure),
    }
}

/// A figure that a kind draws.
fn whole(spec: FigureSpec) -> Result<Figure, ReportError> {
    let (figure, claims) = drawn(spec)?;
    match mistake(&figure).or_else(|| mistaken_claim(&figure.spec, claims)) {
        Some(why) => Err(figure.spec.wrong(why)),
        None => Ok(figure),
    }
}

/// A figure, and the number of quantities that its claims compare.
fn drawn(mut spec: FigureSpec) -> Result<(Figure, usize), ReportError> {
    points::adopt(&mut spec);
    let kind = kind(&spec.kind).map_err(|why| spec.wrong(why))?;
    let CheckedOptions { measured, names, needs, claims } = (kind.check)(&spec)?;
    let needs = [ExhibitNeed::Runs, ExhibitNeed::Rates].into_iter().chain(needs).collect();
    Ok((Figure { spec, drawing: Drawing::Whole(kind), measured, names, needs }, claims))
}

/// A figure of several parts.
fn in_parts(spec: FigureSpec) -> Result<Figure, ReportError> {
    if !spec.kind.is_empty() || !spec.options.is_empty() || !spec.claims.is_empty() {
        return Err(spec.wrong("`kind`, `options` and `claims` belong to the `subfigures`".into()));
    }
    let mut figure =
        Figure { spec, drawing: Drawing::Parts(Vec::new()), measured: false, names: Vec::new(), needs: Vec::new() };
    let mut parts = Vec::new();
    for (key, part) in &figure.spec.subfigures {
        let wrong = |why: String| figure.spec.wrong(format!("subfigures.{key}: {why}"));
        if let Some(other) = part.experiments.iter().find(|name| !figure.spec.experiments.contains(name)) {
            return Err(wrong(format!("`{other}` is not among the experiments of the figure")));
        }
        let (alone, claims) = drawn(compound::alone(&figure.spec, part))?;
        if let Some(why) = mistaken_claim(&alone.spec, claims) {
            return Err(wrong(why));
        }
        // What the caller fills in belongs to whole figures.
        if [ExhibitNeed::Functions, ExhibitNeed::Reported].into_iter().any(|need| alone.needs(need)) {
            return Err(wrong("functions and the losses of other programs are shown by figures of their own".into()));
        }
        figure.measured |= alone.measured;
        let inside = |name: &Name| Name { field: format!("subfigures.{key}.{}", name.field), ..name.clone() };
        figure.names.extend(alone.names.iter().map(inside));
        let more = alone.needs.iter().filter(|need| !figure.needs.contains(need)).copied().collect::<Vec<_>>();
        figure.needs.extend(more);
        parts.push((part.clone(), alone));
    }
    figure.drawing = Drawing::Parts(parts);
    match mistake(&figure) {
        Some(why) => Err(figure.spec.wrong(why)),
        None => Ok(figure),
    }
}

/// What is wrong with the claims of a figure of a kind that compares so many quantities; 0 if it tests no claims.
fn mistaken_claim(spec: &FigureSpec, quantities: usize) -> Option<String> {
    let claims = &spec.claims;
    if !claims.is_empty() && quantities == 0 {
        return Some(format!("`claims` are tested with curves of runs; `{}` has none", spec.kind));
    }
    if let Some(claim) = claims.iter().find(|claim| claim.quantities() != quantities) {
        let why = "the test `both` is for figures of two quantities (kind `pareto`), which have no other test";
        return Some(format!("claims: {}: {why}", claim.text));
    }
    let (claim, why) = claims.iter().find_map(|claim| Some((claim, claim.mistake()?)))?;
    Some(format!("claims: {}: {why}", claim.text))
}

/// What is wrong with the keys of a figure, given what it needs.
fn mistake(figure: &Figure) -> Option<String> {
    let spec = &figure.spec;
    let given = [
        ("functions", ExhibitNeed::Functions, !spec.functions.is_empty(), "`functions` declares no function"),
        ("hindsight", ExhibitNeed::Hindsight, !spec.hindsight.is_empty(), ""),
        (
            "reported",
            ExhibitNeed::Reported,
            spec.reported.is_some(),
            "`reported` names no file with the losses of other programs",
        ),
        ("errata", ExhibitNeed::Errata, spec.errata, "`errata = true` is missing: this figure shows nothing else"),
    ];
    for (key, need, given, missing) in given {
        match (figure.needs(need), given) {
            (false, true) => return Some(format!("this figure does not use `{key}`; leave it out")),
            (true, false) if !missing.is_empty() => return Some(missing.to_owned()),
            _ => {}
        }
    }
    if spec.finding.is_some() && (spec.paper.is_some() || spec.section.is_some() || !spec.tests()) {
        return Some("`finding` needs `claims` that answer it, and stands on its own page: leave `section` out".into());
    }
    let nothing = spec.experiments.is_empty() && spec.functions.is_empty() && spec.rates.is_empty() && !spec.errata;
    nothing.then(|| "`experiments` names no experiment, and `rates` no row of rates".into())
}
