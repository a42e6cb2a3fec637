//! What the registry says about learners, as JSON, from which the classes of the package are generated. It knows no Python, so
//! that a program can print it while the package is built.

use noregret_core::epoch::Scales;
use noregret_core::kernel::KERNELS;
use noregret_core::laws::cases::LearnerCase;
use noregret_core::learner::LEARNERS;
use noregret_core::learner::api::{AnyLearner, LearnerEntry};
use noregret_core::params::{Fallback, Kind, Spec};
use serde_json::{Value, json};

/// The name of a parameter in Python, where `lambda` is a keyword.
pub fn python_name(name: &str) -> &str {
    if name == "lambda" { "lam" } else { name }
}

/// All learners and kernels with their parameters, in JSON.
///
/// # Errors
/// A learner has no example, or a broken one.
pub fn all() -> Result<String, String> {
    let learners: Result<Vec<Value>, String> = LEARNERS.iter().map(|entry| learner(entry)).collect();
    let kernels = KERNELS.iter().map(|entry| {
        let parameters: Vec<Value> = entry.params.iter().map(parameter).collect();
        json!({ "name": entry.name, "summary": entry.summary, "parameters": parameters })
    });
    Ok(json!({ "learners": learners?, "kernels": kernels.collect::<Vec<_>>() }).to_string())
}

/// One learner. What cannot be read off its declaration is asked of an example, which has values for the parameters that
/// must be given.
fn learner(entry: &'static LearnerEntry) -> Result<Value, String> {
    let broken = |why: String| format!("{}: {why}", entry.name);
    let cases = LearnerCase::of(entry).map_err(|error| broken(error.to_string()))?;
    let example = cases.first().ok_or_else(|| broken("there is no example".into()))?;
    // What may be scaled can depend on parameters: the forecasts of an aggregation are not, but the inputs of its learners are.
    let any_scales = cases.iter().filter_map(|case| case.any().ok()).any(|learner| scales(&learner));
    let (noisy, foresees, absent, labels, [intervals, distributions]) =
        match example.any().map_err(|error| broken(error.to_string()))? {
            AnyLearner::Full(learner) => {
                let given = [learner.interval(0.0).is_some(), learner.predictives().is_some()];
                (false, learner.foresees(), learner.takes_absent(), learner.wants_labels(), given)
            }
            AnyLearner::Noisy(_) => (true, false, false, false, [false; 2]),
        };
    Ok(json!({
        "name": entry.name,
        "summary": entry.summary,
        "noisy": noisy,
        "foresees": foresees,
        "absent": absent,
        "labels": labels,
        "intervals": intervals,
        "distributions": distributions,
        "scales": any_scales,
        "example": serde_json::to_value(&example.table).map_err(|error| broken(error.to_string()))?,
        "parameters": entry.params.iter().map(parameter).collect::<Vec<_>>(),
    }))
}

/// Whether anything may be scaled over epochs, which begin before all rows are known.
fn scales(learner: &AnyLearner) -> bool {
    matches!(learner, AnyLearner::Full(one) if !one.foresees() && one.scalable() != Scales::default())
}

/// One parameter.
fn parameter(spec: &Spec) -> Value {
    let of = match &spec.kind {
        Kind::Part(of) | Kind::Parts { of, .. } => Some(of.word()),
        _ => None,
    };
    let (kind, words): (&str, &[&str]) = match &spec.kind {
        Kind::Real { words, .. } => ("real", words),
        Kind::Integer { .. } => ("integer", &[]),
        Kind::Choice(words) => ("choice", words),
        Kind::Flag => ("flag", &[]),
        Kind::Covariance { words } => ("covariance", words),
        Kind::Rows { words } => ("rows", words),
        Kind::Part(_) => ("part", &[]),
        Kind::Grid { .. } => ("grid", &[]),
        Kind::Parts { words, .. } => ("parts", words),
    };
    json!({
        "name": spec.name,
        "python": python_name(spec.name),
        "doc": spec.doc,
        "kind": kind,
        "words": words,
        "of": of,
        "allowed": spec.kind.allowed(),
        "default": default(&spec.default),
    })
}

/// What a parameter is when it is not given; null if it must be given.
fn default(fallback: &Fallback) -> Value {
    match fallback {
        Fallback::Required => Value::Null,
        Fallback::Real(number) => json!(number),
        Fallback::Integer(number) => json!(number),
        Fallback::Word(word) | Fallback::Part(word) => json!(word),
        Fallback::Flag(flag) => json!(flag),
        Fallback::Added(inner) => default(inner),
    }
}
