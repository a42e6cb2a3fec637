//! From given values to checked parameters, with errors that name the parameter, the value and what is allowed.
//!
//! A value may come from any format that serde writes: TOML, JSON, a Python dictionary. Here it is one of JSON, in which a
//! number that is not finite is `null`.

use serde::Serialize;
use serde_json::Value as Given;

use noregret_numeric::linalg::covariance::{Covariance, CovarianceError};
use noregret_numeric::linalg::matrix::Matrix;

use super::number::number;
use super::{Fallback, Kind, ParamError, Params, Part, PartKind, Spec, Value, show};

/// Given values, by name.
pub type GivenTable = serde_json::Map<String, Given>;

/// The known name that `name` is probably a misspelling of: at most a third of the letters differ, one has one more letter at
/// its end, or it is a part of it.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let near = |candidate: &'a str| {
        let distance = strsim::damerau_levenshtein(name, candidate);
        let longest = name.chars().count().max(candidate.chars().count());
        let longer = distance == 1 && (name.starts_with(candidate) || candidate.starts_with(name));
        let near = 3 * distance <= longest || longer || (name.len() >= 3 && candidate.contains(name));
        near.then_some((distance, candidate))
    };
    known.into_iter().filter_map(near).min().map(|(_, candidate)| candidate.to_owned())
}

/// Builds nested parts. It is implemented where all registries are known ([`crate::parts`]).
pub trait Parts {
    /// The part described by `table`: a member's `name` with its parameters. Without a name, the member is `default`.
    /// `path` is the dotted name so far.
    fn part(&self, kind: PartKind, table: &GivenTable, default: Option<&str>, path: &str) -> Result<Part, ParamError>;
}

/// Checks `table` against `specs`; `path` (empty, or ending in a dot) prefixes the names in errors.
///
/// ```
/// use noregret_core::prelude::*;
///
/// let specs = LEARNERS.find("kernel-ridge")?.params;
/// let params = check(specs, &json!({ "lambda": 0.5, "kernel": { "name": "matern" } }), "", &AllParts)?;
/// assert_eq!(params.canonical()["lambda"], 0.5);
/// assert_eq!(params.canonical()["kernel"]["name"], "matern");
/// // What is misspelt or out of range is refused, by name.
/// let refused = |given| check(specs, &given, "", &AllParts).unwrap_err().to_string();
/// assert!(refused(json!({ "lamda": 0.5 })).contains("lambda"));
/// assert!(refused(json!({ "lambda": -1.0 })).contains("lambda"));
/// # Ok::<(), ParamError>(())
/// ```
pub fn check(
    specs: &'static [Spec],
    table: &impl Serialize,
    path: &str,
    parts: &dyn Parts,
) -> Result<Params, ParamError> {
    check_table(specs, &given(table, path)?, path, parts)
}

/// What serde writes of `table`, for which `path` stands in errors.
pub(super) fn given(table: &impl Serialize, path: &str) -> Result<GivenTable, ParamError> {
    let path = || path.trim_end_matches('.').to_owned();
    match serde_json::to_value(table) {
        Ok(Given::Object(table)) => Ok(table),
        Ok(other) => Err(ParamError::NotAllowed { path: path(), value: show(&other), allowed: "a table".into() }),
        Err(error) => Err(ParamError::refused(path(), error.to_string())),
    }
}

/// [`check`] of a table.
pub(crate) fn check_table(
    specs: &'static [Spec],
    table: &GivenTable,
    path: &str,
    parts: &dyn Parts,
) -> Result<Params, ParamError> {
    if let Some(name) = table.keys().find(|name| specs.iter().all(|spec| spec.name != name.as_str())) {
        return Err(ParamError::Unknown {
            path: format!("{path}{name}"),
            nearest: nearest(name, specs.iter().map(|spec| spec.name)),
            known: specs.iter().map(|spec| spec.name.to_owned()).collect(),
        });
    }
    let mut params = Params::default();
    for spec in specs {
        let path = format!("{path}{}", spec.name);
        let value = match (&spec.kind, table.get(spec.name)) {
            (Kind::Grid { base }, Some(given)) => {
                Value::Grid(grid(specs, base, table.get(*base), given, &path, parts)?)
            }
            (_, Some(given)) => given_value(spec, given, &path, parts)?,
            (_, None) => default_value(spec, spec.default, &path, parts)?,
        };
        let silent = match spec.default {
            Fallback::Added(default) => value.canonical() == default_value(spec, *default, &path, parts)?.canonical(),
            _ => false,
        };
        params.insert(spec.name, value, silent);
    }
    Ok(params)
}

fn given_value(spec: &Spec, given: &Given, path: &str, parts: &dyn Parts) -> Result<Value, ParamError> {
    let wrong = || ParamError::NotAllowed { path: path.to_owned(), value: show(given), allowed: spec.kind.allowed() };
    match (&spec.kind, given) {
        (Kind::Real { range, .. }, Given::Number(number)) => {
            // Zero has one sign, so that equal parameters have equal forms.
            let number = number.as_f64().filter(|number| range.holds(*number)).ok_or_else(wrong)?;
            Ok(Value::Real(number + 0.0))
        }
        (Kind::Integer { min, max }, Given::Number(number)) => {
            let number = integer(number).filter(|number| (*min..=*max).contains(number)).ok_or_else(wrong)?;
            Ok(Value::Integer(number))
        }
        (kind, Given::String(word)) if let Some(word) = kind.words().iter().find(|known| *known == word) => {
            Ok(Value::Word(word))
        }
        (Kind::Flag, Given::Bool(flag)) => Ok(Value::Flag(*flag)),
        // A fraction, "1/3".
        (Kind::Real { .. } | Kind::Integer { .. } | Kind::Covariance { .. }, Given::String(_))
            if let Some(number) = number_at(given, path) =>
        {
            given_value(spec, &number?.into(), path, parts)
        }
        (Kind::Rows { .. }, given) => {
            let given = in_table(given, &["matrix"]).ok_or_else(wrong)?;
            rows(given, path).ok_or_else(wrong)?.map(Value::Rows)
        }
        (Kind::Covariance { .. }, given) => covariance(given, path).ok_or_else(wrong)?.map(Value::Covariance),
        (Kind::Part(kind), Given::Object(table)) => {
            let default = match spec.default {
                Fallback::Part(name) => Some(name),
                _ => None,
            };
            Ok(Value::Part(parts.part(*kind, table, default, &format!("{path}."))?))
        }
        // `kernel = "gaussian"` is short for `kernel = { name = "gaussian" }`.
        (Kind::Part(kind), Given::String(name)) => {
            Ok(Value::Part(parts.part(*kind, &named(name), None, &format!("{path}."))?))
        }
        (Kind::Parts { of, .. }, Given::Array(list)) if !list.is_empty() => {
            let part = |(number, member): (usize, &Given)| match member {
                Given::Object(table) => parts.part(*of, table, None, &format!("{path}.{}.", number + 1)),
                Given::String(name) => parts.part(*of, &named(name), None, &format!("{path}.{}.", number + 1)),
                _ => Err(wrong()),
            };
            Ok(Value::Grid(list.iter().enumerate().map(part).collect::<Result<_, _>>()?))
        }
        _ => Err(wrong()),
    }
}

/// The table that only names a part.
fn named(name: &str) -> GivenTable {
    GivenTable::from_iter([("name".to_owned(), name.into())])
}

/// The number as an integer; 1e3 and 1000.0 count as integers too.
fn integer(number: &serde_json::Number) -> Option<u64> {
    let whole = |number: &f64| number.fract() == 0.0 && *number >= 0.0 && *number < u64::MAX as f64;
    number.as_u64().or_else(|| number.as_f64().filter(whole).map(|number| number as u64))
}

/// The part `base` of `specs`, described by `given_base`, once for each combination of the values in `given`; `path` is
/// the name of the grid.
fn grid(
    specs: &'static [Spec],
    base: &str,
    given_base: Option<&Given>,
    given: &Given,
    path: &str,
    parts: &dyn Parts,
) -> Result<Vec<Part>, ParamError> {
    let wrong = || ParamError::NotAllowed {
        path: path.to_owned(),
        value: show(given),
        allowed: Kind::Grid { base: "" }.allowed(),
    };
    let Some(Spec { kind: Kind::Part(kind), default, .. }) = specs.iter().find(|spec| spec.name == base) else {
        return Err(ParamError::refused(path, format!("is a grid over `{base}`, which the member does not declare")));
    };
    let default = if let Fallback::Part(name) = default { Some(*name) } else { None };
    let start = match given_base {
        Some(Given::Object(table)) => table.clone(),
        Some(Given::String(name)) => named(name),
        _ => GivenTable::new(),
    };
    let Given::Object(lists) = given else { return Err(wrong()) };
    let mut points = vec![start];
    for (name, list) in lists {
        let Given::Array(values) = list else { return Err(wrong()) };
        // Values for a parameter of a part are written as values of that part: kernel = [{ bandwidth = 1 }, ...].
        let with = |point: &GivenTable, value: &Given| {
            let mut point = point.clone();
            match (point.get_mut(name), value) {
                (Some(Given::Object(inner)), Given::Object(over)) => inner.extend(over.clone()),
                _ => drop(point.insert(name.clone(), value.clone())),
            }
            point
        };
        points = points.iter().flat_map(|point| values.iter().map(move |value| with(point, value))).collect();
    }
    if lists.is_empty() || points.is_empty() || lists.contains_key("name") {
        return Err(wrong());
    }
    points.iter().map(|point| parts.part(*kind, point, default, &format!("{path}."))).collect()
}

/// The number that a value stands for. `None` for a value of another shape.
fn number_at(given: &Given, path: &str) -> Option<Result<f64, ParamError>> {
    Some(number(given)?.map_err(|error| ParamError::refused(path, error)))
}

/// A covariance, in a form that [`Kind::Covariance`] allows. `None` for a value of another shape; the error says what
/// is wrong with its numbers.
fn covariance(given: &Given, path: &str) -> Option<Result<Covariance, ParamError>> {
    let given = match given {
        Given::Object(table) if table.len() == 1 => {
            let (name, inner) = table.iter().next()?;
            // A number is one value of a grid; a list must be what its name says.
            let holds_rows = inner.as_array().map(|list| list.iter().any(Given::is_array));
            match (name.as_str(), holds_rows) {
                ("diagonal", None | Some(false)) | ("matrix", None | Some(true)) => inner,
                _ => return None,
            }
        }
        other => other,
    };
    let checked = |covariance: Result<_, CovarianceError>| covariance.map_err(|error| ParamError::refused(path, error));
    if let Some(variance) = number_at(given, path) {
        return Some(variance.and_then(|variance| checked(Covariance::isotropic(variance))));
    }
    let list = given.as_array().filter(|list| !list.is_empty())?;
    if let Some(variances) = numbers(list, path) {
        return Some(variances.and_then(|variances| checked(Covariance::diagonal(variances))));
    }
    Some(rows(given, path)?.and_then(|matrix| checked(Covariance::full(matrix))))
}

/// The only value of a table with one of these names; a value that is no table is itself.
fn in_table<'a>(given: &'a Given, names: &[&str]) -> Option<&'a Given> {
    match given {
        Given::Object(table) if table.len() == 1 => names.iter().find_map(|name| table.get(*name)),
        Given::Object(_) => None,
        other => Some(other),
    }
}

/// A list of rows. `None` for a value of another shape; the error says what is wrong with its numbers.
fn rows(given: &Given, path: &str) -> Option<Result<Matrix, ParamError>> {
    let list = given.as_array().filter(|list| !list.is_empty())?;
    let rows: Option<Result<Vec<Vec<f64>>, _>> = list.iter().map(|row| numbers(row.as_array()?, path)).collect();
    let rows = match rows? {
        Ok(rows) => rows,
        Err(why) => return Some(Err(why)),
    };
    let width = rows[0].len();
    if rows.iter().any(|row| row.len() != width || row.iter().any(|number| !number.is_finite())) {
        return Some(Err(ParamError::refused(path, "the rows of a matrix are equally long and hold finite numbers")));
    }
    let matrix = Matrix::from_data(rows.len(), width, rows.concat());
    Some(matrix.ok_or_else(|| ParamError::refused(path, "the matrix has no columns")))
}

fn numbers(list: &[Given], path: &str) -> Option<Result<Vec<f64>, ParamError>> {
    list.iter().map(|given| number_at(given, path)).collect()
}

fn default_value(spec: &Spec, default: Fallback, path: &str, parts: &dyn Parts) -> Result<Value, ParamError> {
    Ok(match (default, &spec.kind) {
        (Fallback::Added(default), _) => default_value(spec, *default, path, parts)?,
        (Fallback::Real(number), _) => Value::Real(number),
        (Fallback::Integer(number), _) => Value::Integer(number),
        (Fallback::Word(word), _) => Value::Word(word),
        (Fallback::Flag(flag), _) => Value::Flag(flag),
        (Fallback::Part(name), Kind::Part(kind)) => {
            Value::Part(parts.part(*kind, &GivenTable::new(), Some(name), &format!("{path}."))?)
        }
        (Fallback::Required | Fallback::Part(_), _) => {
            return Err(ParamError::Missing {
                path: path.to_owned(),
                doc: spec.doc.to_owned(),
                allowed: spec.kind.allowed(),
            });
        }
    })
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn only_what_is_near_is_suggested() {
        for (name, known, near) in [
            ("F", ["a", "eta"], None),
            ("etta", ["a", "eta"], Some("eta")),
            ("ff", ["f", "g"], Some("f")),
            ("AVW", ["AWV", "OGD"], Some("AWV")),
            ("casp", ["susy", "ijcnn1"], None),
            ("wine", ["casp", "wine-quality"], Some("wine-quality")),
        ] {
            assert_eq!(nearest(name, known).as_deref(), near, "{name}");
        }
    }
}
