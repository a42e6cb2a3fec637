//! Laws of parameters: each declared range is enforced, with an error that names the parameter.

use noregret_core::feature::FAMILIES;
use noregret_core::kernel::KERNELS;
use noregret_core::learner::LEARNERS;
use noregret_core::learner::api::Setting;
use noregret_core::loss::LOSSES;
use noregret_core::params::{Fallback, Kind, ParamError, Spec, check::check};
use noregret_core::parts::AllParts;
use noregret_core::stream::corruption::CORRUPTIONS;
use noregret_core::window::WINDOWS;
use toml::{Table, Value};

use super::cases::{any, draws, legal, variants};

/// (member, its parameters) of every registry.
fn members() -> impl Iterator<Item = (&'static str, &'static [Spec])> {
    let learners = LEARNERS.iter().map(|entry| (entry.name, entry.params));
    let features = FAMILIES.iter().map(|entry| (entry.name, entry.params));
    let losses = LOSSES.iter().map(|entry| (entry.name, entry.params));
    let corruptions = CORRUPTIONS.iter().map(|entry| (entry.name, entry.params));
    let parts = features.chain(losses).chain(corruptions);
    learners.chain(KERNELS.iter().map(|entry| (entry.name, entry.params))).chain(parts)
}

/// Values that a parameter may not have.
fn illegal(kind: &Kind) -> Vec<Value> {
    let mut values = vec![Value::Array(vec![]), Value::String("no such word".into())];
    match kind {
        Kind::Real { range, .. } => {
            values.extend([f64::NAN, f64::INFINITY, f64::NEG_INFINITY].map(Value::Float));
            values.push(Value::Boolean(true));
            if range.min.is_finite() {
                let below = if range.min_open { range.min } else { range.min.next_down() };
                values.extend([below, range.min - 1.0].map(Value::Float));
            }
            if range.max.is_finite() {
                let above = if range.max_open { range.max } else { range.max.next_up() };
                values.extend([above, range.max + 1.0].map(Value::Float));
            }
        }
        Kind::Integer { min, max } => {
            values.extend([Value::Integer(-1), Value::Float(*min as f64 + 0.5), Value::Float(f64::NAN)]);
            if let Some(below) = min.checked_sub(1) {
                values.push(Value::Integer(below as i64));
            }
            if let Ok(above) = i64::try_from(max.saturating_add(1)) {
                values.push(Value::Integer(above));
            }
        }
        Kind::Choice(_) => values.push(Value::Integer(1)),
        Kind::Flag => values.extend([Value::Integer(1), Value::String("true".into())]),
        Kind::Covariance { .. } => {
            values.extend([Value::Float(-0.1), Value::Float(f64::NAN), Value::Boolean(true)]);
            let row = |entries: [f64; 2]| Value::Array(entries.map(Value::Float).to_vec());
            values.extend([row([0.1, -0.1]), Value::Array(vec![row([1.0, 2.0]), row([2.0, 1.0])])]);
        }
        Kind::Part(_) | Kind::Grid { .. } => values.push(Value::Integer(1)),
    }
    values
}

#[test]
fn values_outside_the_declared_range_are_refused_by_name() {
    for (member, specs) in members() {
        for spec in specs {
            for value in illegal(&spec.kind) {
                let mut table = variants(specs, 1).swap_remove(0);
                table.insert(spec.name.into(), value.clone());
                match check(specs, &table, "", &AllParts) {
                    Ok(_) => panic!("{member}: {} = {value} is accepted", spec.name),
                    // The name of a part is a value of its table.
                    Err(ParamError::UnknownMember { kind, name, .. }) => {
                        assert!(
                            matches!(spec.kind, Kind::Part(part) if part.word() == kind),
                            "{member}: {}",
                            spec.name
                        );
                        assert_eq!(name, "no such word");
                    }
                    Err(error) => {
                        assert_eq!(error.path(), Some(spec.name), "{member}: {error}");
                        assert!(error.to_string().contains(spec.name), "{member}: {error}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_misspelt_parameter_is_answered_with_the_nearest_name() {
    for (member, specs) in members() {
        for spec in specs {
            let misspelt = format!("{}x", spec.name);
            let table = Table::from_iter([(misspelt.clone(), Value::Integer(1))]);
            let error = check(specs, &table, "", &AllParts).unwrap_err();
            let ParamError::Unknown { path, nearest, .. } = &error else { panic!("{member}: {error}") };
            assert_eq!((path, nearest.as_deref()), (&misspelt, Some(spec.name)), "{member}: {error}");
        }
    }
}

/// A parameter of a nested part is named by its dotted path.
#[test]
fn nested_parameters_are_named_with_their_path() {
    for (member, specs) in members() {
        for spec in specs.iter().filter(|spec| matches!(spec.kind, Kind::Part(_))) {
            let mut table = variants(specs, 1).swap_remove(0);
            let inner = Table::from_iter([("no such parameter".to_owned(), Value::Integer(1))]);
            table.insert(spec.name.into(), Value::Table(inner));
            let error = check(specs, &table, "", &AllParts).unwrap_err();
            assert_eq!(error.path(), Some(&*format!("{}.no such parameter", spec.name)), "{member}: {error}");
        }
    }
}

/// Defaults lie in the declared ranges, and every declaration says what the parameter is.
#[test]
fn defaults_are_legal_and_documented() {
    for (member, specs) in members() {
        for spec in specs {
            assert!(!spec.doc.is_empty() && !spec.name.is_empty(), "{member}: {}", spec.name);
            let sound = match (spec.default, &spec.kind) {
                (Fallback::Required, _) => true,
                (Fallback::Real(value), Kind::Real { range, .. }) => range.holds(value),
                (Fallback::Word(word), Kind::Real { words, .. } | Kind::Choice(words)) => words.contains(&word),
                (Fallback::Integer(value), Kind::Integer { min, max }) => (*min..=*max).contains(&value),
                (Fallback::Flag(_), Kind::Flag) => true,
                (Fallback::Word(word), Kind::Covariance { words }) => words.contains(&word),
                (Fallback::Part(name), Kind::Part(_)) => legal(&spec.kind, 1).contains(&Value::String(name.into())),
                _ => false,
            };
            assert!(sound, "{member}: {} = {:?}", spec.name, spec.default);
        }
    }
}

/// A formula in the number of rounds is refused where that number is not known; everything else still builds.
#[test]
fn formulas_that_need_the_horizon_say_so() {
    for entry in LEARNERS.iter() {
        for table in variants(entry.params, 1) {
            let params = check(entry.params, &table, "", &AllParts).unwrap();
            let setting = Setting { dim: 1, horizon: None, draws: draws() };
            // Some legal values make no sense together, however long the run.
            let sound = any(entry, &table, 1).is_ok();
            if let (Err(error), true) = ((entry.build.learner)(&params, &setting), sound) {
                let name = error.path().unwrap_or_else(|| panic!("{}: {error}", entry.name)).to_owned();
                assert!(params.real_or_word(&name).is_err(), "{}: {error}", entry.name);
                assert!(error.to_string().contains("rounds"), "{}: {error}", entry.name);
            }
        }
    }
}

#[test]
fn names_are_unique_and_sources_exist() {
    let mut seen = std::collections::BTreeSet::new();
    let learners = LEARNERS.iter().map(|entry| ("learner", entry.name, entry.summary, entry.module));
    let kernels = KERNELS.iter().map(|entry| ("kernel", entry.name, entry.summary, entry.module));
    let features = FAMILIES.iter().map(|entry| ("feature", entry.name, entry.summary, entry.module));
    let losses = LOSSES.iter().map(|entry| ("loss", entry.name, entry.summary, entry.module));
    let windows = WINDOWS.iter().map(|entry| ("window", entry.name, entry.summary, entry.module));
    let corruptions = CORRUPTIONS.iter().map(|entry| ("corruption", entry.name, entry.summary, entry.module));
    let parts = features.chain(losses).chain(windows).chain(corruptions);
    for (kind, name, summary, module) in learners.chain(kernels).chain(parts) {
        assert!(seen.insert((kind, name)), "{kind} {name} is there twice");
        assert!(!summary.is_empty(), "{name}");
        let source =
            format!("{}/src/{}", env!("CARGO_MANIFEST_DIR"), module.split_once("::").unwrap().1.replace("::", "/"));
        let text = [".rs", "/mod.rs"].iter().find_map(|end| std::fs::read_to_string(source.clone() + end).ok());
        assert!(text.unwrap().contains(&format!("\"{name}\"")), "{module} does not define {name}");
    }
}
