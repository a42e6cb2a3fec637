//! Laws of declared parameters: each declared range is enforced, with an error that names the parameter.

use serde_json::Value;

use crate::laws::broken::{Broken, require};
use crate::laws::cases::{legal, variants};
use crate::params::check::{GivenTable, check};
use crate::params::{Fallback, Kind, ParamError, Spec};
use crate::parts::AllParts;

/// A law of declared parameters.
pub(crate) type ParameterLaw = fn(&'static [Spec]) -> Result<(), Broken>;

/// Every law.
pub(crate) const LAWS: [ParameterLaw; 4] = [refused_by_name, nearest_name, nested_path, defaults];

/// What [`refused_by_name`] tests.
pub(crate) const REFUSED: &str = "values outside the declared range are refused by the parameter's name";
/// What [`nearest_name`] tests.
pub(crate) const NEAREST: &str = "a misspelt parameter is answered with the nearest name";
/// What [`nested_path`] tests.
pub(crate) const NESTED: &str = "a parameter of a nested part is named by its dotted path";
/// What [`defaults`] tests.
pub(crate) const DEFAULTS: &str =
    "defaults lie in the declared ranges, and every declaration says what the parameter is";

/// Checks all [`LAWS`].
///
/// # Errors
/// The first law that is broken.
///
/// ```
/// use noregret_core::laws::parameters;
/// use noregret_core::params::{Fallback, Kind, Range, Spec};
///
/// const fn rate(default: f64) -> Spec {
///     let kind = Kind::Real { range: Range::POSITIVE, words: &[] };
///     Spec { name: "rate", doc: "step size", kind, default: Fallback::Real(default) }
/// }
/// const GOOD: [Spec; 1] = [rate(0.5)];
/// const BAD: [Spec; 1] = [rate(-0.5)];
/// assert_eq!(parameters::all(&GOOD), Ok(()));
/// assert!(parameters::all(&BAD).unwrap_err().law.starts_with("defaults lie in the declared ranges"));
/// ```
pub fn all(specs: &'static [Spec]) -> Result<(), Broken> {
    LAWS.iter().try_for_each(|law| law(specs))
}

/// The table of defaults, with one value given.
fn with(specs: &[Spec], name: &str, value: Value) -> GivenTable {
    let mut table = variants(specs, 1).swap_remove(0);
    table.insert(name.to_owned(), value);
    table
}

/// Every value outside a declared range is refused, and the error names the parameter.
pub(crate) fn refused_by_name(specs: &'static [Spec]) -> Result<(), Broken> {
    for spec in specs {
        for value in illegal(&spec.kind) {
            let place = |what: String| Broken::new(REFUSED, format!("{} = {value}: {what}", spec.name));
            let named = match check(specs, &with(specs, spec.name, value.clone()), "", &AllParts) {
                Ok(_) => return Err(place("it is accepted".into())),
                // The name of a part is a value of its table.
                Err(ParamError::UnknownMember { kind, name, .. }) => {
                    matches!(spec.kind, Kind::Part(part) if part.word() == kind) && name == NO_WORD
                }
                Err(error) => error.path() == Some(spec.name) && error.to_string().contains(spec.name),
            };
            if !named {
                return Err(place("the error does not name the parameter".into()));
            }
        }
    }
    Ok(())
}

/// A name with one letter too many is refused, and the error suggests the right one.
pub(crate) fn nearest_name(specs: &'static [Spec]) -> Result<(), Broken> {
    specs.iter().try_for_each(|spec| {
        let misspelt = format!("{}x", spec.name);
        let answer = check(specs, &GivenTable::from_iter([(misspelt.clone(), Value::from(1))]), "", &AllParts);
        let good = matches!(&answer, Err(ParamError::Unknown { path, nearest, .. })
            if *path == misspelt && nearest.as_deref() == Some(spec.name));
        require(good, NEAREST, || format!("{misspelt}: {}", sentence(answer.err())))
    })
}

/// An unknown parameter of a nested part is refused under its dotted path.
pub(crate) fn nested_path(specs: &'static [Spec]) -> Result<(), Broken> {
    specs.iter().filter(|spec| matches!(spec.kind, Kind::Part(_))).try_for_each(|spec| {
        let inner = GivenTable::from_iter([("no such parameter".to_owned(), Value::from(1))]);
        let error = check(specs, &with(specs, spec.name, Value::Object(inner)), "", &AllParts).err();
        let path = format!("{}.no such parameter", spec.name);
        let named = error.as_ref().and_then(ParamError::path) == Some(&*path);
        require(named, NESTED, || format!("{path}: {}", sentence(error)))
    })
}

/// Defaults lie in the declared ranges, and every declaration has a name and a sentence.
pub(crate) fn defaults(specs: &'static [Spec]) -> Result<(), Broken> {
    fn sound(default: Fallback, kind: &Kind) -> bool {
        match (default, kind) {
            (Fallback::Added(default), kind) => sound(*default, kind),
            (Fallback::Required, _) | (Fallback::Flag(_), Kind::Flag) => true,
            (Fallback::Real(value), Kind::Real { range, .. }) => range.holds(value),
            (
                Fallback::Word(word),
                Kind::Real { words, .. }
                | Kind::Choice(words)
                | Kind::Covariance { words }
                | Kind::Rows { words }
                | Kind::Parts { words, .. },
            ) => words.contains(&word),
            (Fallback::Integer(value), Kind::Integer { min, max }) => (*min..=*max).contains(&value),
            (Fallback::Part(name), Kind::Part(_)) => legal(kind, 1).contains(&Value::String(name.into())),
            _ => false,
        }
    }
    specs.iter().try_for_each(|spec| {
        let kept = !spec.doc.is_empty() && !spec.name.is_empty() && sound(spec.default, &spec.kind);
        require(kept, DEFAULTS, || format!("{} = {:?}", spec.name, spec.default))
    })
}

/// A word that no parameter takes.
const NO_WORD: &str = "no such word";

/// Values that a parameter may not have.
fn illegal(kind: &Kind) -> Vec<Value> {
    let mut values = vec![Value::Array(vec![]), Value::String(NO_WORD.into())];
    match kind {
        Kind::Real { range, .. } => {
            values.extend([f64::NAN, f64::INFINITY, f64::NEG_INFINITY].map(Value::from));
            values.push(Value::Bool(true));
            if range.min.is_finite() {
                let below = if range.min_open { range.min } else { range.min.next_down() };
                values.extend([below, range.min - 1.0].map(Value::from));
            }
            if range.max.is_finite() {
                let above = if range.max_open { range.max } else { range.max.next_up() };
                values.extend([above, range.max + 1.0].map(Value::from));
            }
        }
        Kind::Integer { min, max } => {
            values.extend([Value::from(-1), Value::from(*min as f64 + 0.5), Value::from(f64::NAN)]);
            if let Some(below) = min.checked_sub(1) {
                values.push(Value::from(below as i64));
            }
            if let Ok(above) = i64::try_from(max.saturating_add(1)) {
                values.push(Value::from(above));
            }
        }
        Kind::Choice(_) => values.push(Value::from(1)),
        Kind::Flag => values.extend([Value::from(1), Value::String("true".into())]),
        Kind::Covariance { .. } => {
            values.extend([Value::from(-0.1), Value::from(f64::NAN), Value::Bool(true)]);
            let row = |entries: [f64; 2]| Value::Array(entries.map(Value::from).to_vec());
            values.extend([row([0.1, -0.1]), Value::Array(vec![row([1.0, 2.0]), row([2.0, 1.0])])]);
        }
        Kind::Rows { .. } => {
            let row = |entries: &[f64]| Value::Array(entries.iter().copied().map(Value::from).collect());
            values.extend([Value::from(1.0), row(&[1.0, 2.0]), Value::Array(vec![row(&[f64::NAN])])]);
            values.push(Value::Array(vec![row(&[1.0, 2.0]), row(&[1.0])]));
        }
        Kind::Parts { .. } => values.extend([Value::from(1), Value::Array(vec![Value::from(1)])]),
        Kind::Part(_) | Kind::Grid { .. } => values.push(Value::from(1)),
    }
    values
}

/// What happened instead of the refusal that fits.
fn sentence(error: Option<ParamError>) -> String {
    error.map_or_else(|| "it is accepted".into(), |error| error.to_string())
}
