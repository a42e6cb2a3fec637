//! Functions that a figure shows without any run: losses and windows, their derivatives, kernels.

use noregret_core::kernel::KERNELS;
use noregret_core::loss::LOSSES;
use noregret_core::params::ParamError;
use noregret_core::params::entry::{Build, Chosen};
use noregret_core::params::number::number;
use noregret_core::params::registry::Registry;
use noregret_core::parts::AllParts;
use noregret_core::window::WINDOWS;
use serde_json::json;
use toml::{Table, Value};

use super::each;
use crate::config::ConfigError;
use crate::config::grid::fill_label;
use crate::figure::compute::function::{Function, Shape};
use noregret_report::figure::api::FigureSpec;

/// The functions that a figure declares: `[[functions]]` with a `label`, and a `loss` or a `window` at a `scale` (with
/// `derivative = true` for the derivative), or a `kernel` (with `dim`, 1 where absent). Lists and `zip` stand for
/// alternatives, as in experiments.
///
/// # Errors
/// What is wrong with which of them.
pub(crate) fn functions(spec: &FigureSpec) -> Result<Vec<Function>, ConfigError> {
    each(spec, "functions", &spec.functions, function, |one| &one.label)
}

/// The member of a registry that `value` describes: a table, or its name alone.
fn chosen<T: ?Sized + Send + Sync + 'static>(
    registry: &Registry<Build<T>>,
    value: Value,
) -> Result<Chosen<T>, ParamError> {
    let table = match value {
        Value::Table(table) => table,
        Value::String(name) => Table::from_iter([("name".to_owned(), Value::String(name))]),
        _ => return Err(ParamError::refused(registry.kind, format!("must be a {} table", registry.kind))),
    };
    registry.choose(&table, None, &format!("{}.", registry.kind), &AllParts)
}

fn function(table: &Table) -> Result<Function, ParamError> {
    let mut rest = table.clone();
    let label = match rest.remove("label") {
        Some(Value::String(template)) => fill_label(&template, table)
            .map_err(|name| ParamError::refused("label", format!("`{{{name}}}` is not given here")))?,
        _ => return Err(ParamError::refused("label", "must be text")),
    };
    let derivative = |rest: &mut Table| match rest.remove("derivative") {
        None => Ok(false),
        Some(Value::Boolean(flag)) => Ok(flag),
        Some(_) => Err(ParamError::refused("derivative", "must be true or false")),
    };
    let (part, shape) = match (rest.remove("loss"), rest.remove("window"), rest.remove("kernel")) {
        (Some(value), None, None) => {
            let Chosen { part, object } = chosen(&LOSSES, value)?;
            let derivative = derivative(&mut rest)?;
            (part, if derivative { Shape::Derivative(object) } else { Shape::Loss(object) })
        }
        (None, Some(value), None) => {
            let Chosen { part, object } = chosen(&WINDOWS, value)?;
            let derivative = derivative(&mut rest)?;
            let scale = match rest.remove("scale") {
                None => 1.0,
                Some(given) => match number(&given).transpose().map_err(|why| ParamError::refused("scale", why))? {
                    Some(scale) if scale > 0.0 && scale.is_finite() => scale,
                    _ => return Err(ParamError::refused("scale", "must be a positive number")),
                },
            };
            (part, if derivative { Shape::WindowSlope(object, scale) } else { Shape::Window(object, scale) })
        }
        (None, None, Some(value)) => {
            let Chosen { part, object } = chosen(&KERNELS, value)?;
            let dim = match rest.remove("dim") {
                None => 1,
                Some(Value::Integer(dim @ 1..=10_000)) => dim as usize,
                Some(_) => return Err(ParamError::refused("dim", "must be an integer from 1 to 10000")),
            };
            object.accepts(dim).map_err(|why| ParamError::refused("kernel", why))?;
            (part, Shape::Kernel(object, dim))
        }
        _ => {
            return Err(ParamError::refused(
                "functions",
                "exactly one of `loss`, `window` and `kernel` says what is shown",
            ));
        }
    };
    if let Some(unknown) = rest.keys().next() {
        return Err(ParamError::refused(unknown.clone(), "no such field here"));
    }
    let kind = match &shape {
        Shape::Loss(_) => json!("loss"),
        Shape::Derivative(_) => json!("derivative"),
        Shape::Window(_, scale) => json!(["window", scale]),
        Shape::WindowSlope(_, scale) => json!(["slope", scale]),
        Shape::Kernel(_, dim) => json!(["kernel", dim]),
    };
    Ok(Function { label, form: json!([kind, part.canonical()]), modules: part.modules(), shape })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(functions: &str) -> Result<Vec<Function>, String> {
        let text = format!(
            "kind = 'functions'\npaper = 'noisy-data'\ntitle = ''\nx = ''\ny = ''\nshows = ''\noptions = {{ from = 0, to = 1 }}\n{functions}"
        );
        let figure = noregret_report::figure::registry::read("test", &text).map_err(|error| error.to_string())?;
        super::functions(&figure.spec).map_err(|error| error.to_string())
    }

    #[test]
    fn losses_and_kernels_with_alternatives() {
        let text = "
            [[functions]]
            label = 'c = {loss.c}'
            loss = { name = 'smoothed-absolute', c = [1, 2] }
            [[functions]]
            label = 'slope'
            loss = 'absolute'
            derivative = true
            [[functions]]
            label = 'kernel'
            kernel = { name = 'gaussian', bandwidth = 2 }
            dim = 3
            [[functions]]
            label = 'Huber'
            window = 'huber'
            scale = 0.5
            derivative = true
        ";
        let functions = read(text).unwrap();
        let labels: Vec<&str> = functions.iter().map(|function| function.label.as_str()).collect();
        assert_eq!(labels, ["c = 1", "c = 2", "slope", "kernel", "Huber"]);
        let at_two: Vec<f64> = functions.iter().map(|function| function.at(2.0)).collect();
        assert!((at_two[0] - 2.0).abs() < 1e-2 && at_two[1] < at_two[0]);
        assert_eq!(at_two[2], 1.0);
        assert!((at_two[3] - (-0.5f64).exp()).abs() < 1e-15);
        assert_eq!(at_two[4], 0.5);
        assert_eq!(functions[3].modules, ["noregret_core::kernel::gaussian"]);
        // The key: what was declared with every default, and nothing of the process that read it.
        let forms: Vec<String> = functions.iter().map(|function| function.form.to_string()).collect();
        assert_eq!(forms[4], r#"[["slope",0.5],{"name":"huber"}]"#);
        assert_eq!(forms.iter().collect::<std::collections::BTreeSet<_>>().len(), 5);
    }

    #[test]
    fn mistakes_are_named() {
        for (text, expected) in [
            ("[[functions]]\nlabel = 'x'", "exactly one of"),
            ("[[functions]]\nlabel = 'x'\nloss = 'huge'", "unknown loss `huge`"),
            ("[[functions]]\nlabel = 'x'\nloss = { name = 'smoothed-hinge', c = -1 }", "`loss.c` = -1"),
            ("[[functions]]\nlabel = 'x'\nloss = 'hinge'\ncolour = 1", "`colour`"),
            ("[[functions]]\nloss = 'hinge'", "`label`"),
            ("[[functions]]\nlabel = 'x'\nloss = ['hinge', 'absolute']", "two are called `x`"),
            ("functions = []", "`functions`"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
