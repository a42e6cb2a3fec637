//! Kinds of figures by name, and the specification files that name them.

use crate::claim::TestedClaim;
use crate::error::ReportError;
use crate::exhibit::ExhibitNeed;
use crate::figure::api::{CheckedOptions, Figure, FigureKind, FigureSpec};
use crate::figure::{compound, kind, points};

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
    let (spec, kind) = kind_of(spec)?;
    if !spec.subfigures.is_empty() && kind.name != compound::KIND.name {
        let why = format!("`subfigures` are the parts of the kind `compound`; `{}` has none", kind.name);
        return Err(spec.wrong(why));
    }
    let CheckedOptions { measured, names, needs, claims } = (kind.check)(&spec)?;
    let needs = [ExhibitNeed::Runs, ExhibitNeed::Rates].into_iter().chain(needs).collect();
    let figure = Figure { spec, kind, measured, names, needs };
    match mistake(&figure, claims) {
        Some(why) => Err(figure.spec.wrong(why)),
        None => Ok(figure),
    }
}

/// The kind that a figure names, with the figure as this kind takes it.
pub(super) fn kind_of(mut spec: FigureSpec) -> Result<(FigureSpec, &'static FigureKind), ReportError> {
    points::adopt(&mut spec);
    let kind = kind(&spec.kind).map_err(|why| spec.wrong(why))?;
    Ok((spec, kind))
}

/// What is wrong with claims in a figure of a kind that compares so many quantities.
pub(super) fn mistaken_claim(claims: &[TestedClaim], kind: &FigureKind, quantities: usize) -> Option<String> {
    if !claims.is_empty() && quantities == 0 {
        return Some(format!("`claims` are tested with curves of runs; `{}` has none", kind.name));
    }
    if let Some(claim) = claims.iter().find(|claim| claim.quantities() != quantities) {
        let why = "the test `both` is for figures of two quantities (kind `pareto`), which have no other test";
        return Some(format!("claims: {}: {why}", claim.text));
    }
    let (claim, why) = claims.iter().find_map(|claim| Some((claim, claim.mistake()?)))?;
    Some(format!("claims: {}: {why}", claim.text))
}

/// What is wrong with the keys of a figure, given what it needs. Each of its claims must compare this number of quantities;
/// 0 if its kind tests no claims.
fn mistake(figure: &Figure, quantities: usize) -> Option<String> {
    let Figure { spec, kind, .. } = figure;
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
    if let Some(why) = mistaken_claim(&spec.claims, kind, quantities) {
        return Some(why);
    }
    if spec.finding.is_some() && (spec.paper.is_some() || spec.section.is_some() || spec.claims.is_empty()) {
        return Some("`finding` needs `claims` that answer it, and stands on its own page: leave `section` out".into());
    }
    let nothing = spec.experiments.is_empty() && spec.functions.is_empty() && spec.rates.is_empty() && !spec.errata;
    nothing.then(|| "`experiments` names no experiment, and `rates` no row of rates".into())
}
