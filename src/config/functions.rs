//! Functions that a figure shows without any run: losses and windows, their derivatives, kernels.

use std::sync::Arc;

use toml::{Table, Value};

use super::ConfigError;
use super::grid::{expand, fill_label};
use crate::kernel::api::Kernel;
use crate::loss::api::Loss;
use crate::params::{ParamError, Part, PartKind, PartObject, Parts};
use crate::parts::AllParts;
use crate::report::figure::api::FigureSpec;
use crate::window::api::{self as window, Window};

/// A function of one real number.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name in the legend.
    pub label: String,
    /// The source files that define it, for code identity.
    pub files: Vec<&'static str>,
    shape: Shape,
}

/// What is evaluated.
#[derive(Clone, Debug)]
enum Shape {
    /// l(a).
    Loss(Arc<dyn Loss>),
    /// l'(a).
    Derivative(Arc<dyn Loss>),
    /// (scale^2 / 2) W(a^2 / scale^2), the loss of a window at a residual.
    Window(Arc<dyn Window>, f64),
    /// W'(a^2 / scale^2) a, its derivative.
    WindowSlope(Arc<dyn Window>, f64),
    /// k(0, r e_1) in so many dimensions: a radial kernel by distance.
    Kernel(Arc<dyn Kernel>, usize),
}

impl Function {
    /// Its value.
    pub fn at(&self, x: f64) -> f64 {
        match &self.shape {
            Shape::Loss(loss) => loss.value(x),
            Shape::Derivative(loss) => loss.derivative(x),
            Shape::Window(window, scale) => window::loss(&**window, *scale, x),
            Shape::WindowSlope(window, scale) => window::slope(&**window, *scale, x),
            Shape::Kernel(kernel, dim) => {
                let origin = vec![0.0; *dim];
                let mut point = origin.clone();
                point[0] = x;
                kernel.evaluate(&origin, &point)
            }
        }
    }
}

/// The functions that a figure declares: `[[functions]]` with a `label`, and a `loss` or a `window` at a `scale` (with
/// `derivative = true` for the derivative), or a `kernel` (with `dim`, 1 where absent). Lists stand for alternatives, as in experiments.
///
/// # Errors
/// What is wrong with which of them.
pub fn functions(spec: &FigureSpec) -> Result<Vec<Function>, ConfigError> {
    let mut functions: Vec<Function> = Vec::new();
    for (i, table) in spec.functions.iter().enumerate() {
        let place = format!("functions[{i}]");
        for table in expand(table) {
            let function = function(&table).map_err(|source| ConfigError::Parameter {
                path: format!("pipeline/figures/{}.toml", spec.name),
                place: place.clone(),
                source: Box::new(source),
            })?;
            functions.push(function);
        }
    }
    let twice = functions.iter().enumerate().find(|(i, one)| functions[..*i].iter().any(|two| two.label == one.label));
    match twice {
        None => Ok(functions),
        Some((_, function)) => Err(ConfigError::Field {
            path: format!("pipeline/figures/{}.toml", spec.name),
            field: "functions.label".into(),
            why: format!("two functions are called `{}`", function.label),
        }),
    }
}

fn function(table: &Table) -> Result<Function, ParamError> {
    let mut rest = table.clone();
    let label = match rest.remove("label") {
        Some(Value::String(template)) => fill_label(&template, table)
            .map_err(|name| ParamError::refused("label", format!("`{{{name}}}` is not given here")))?,
        _ => return Err(ParamError::refused("label", "must be text")),
    };
    let part = |kind: PartKind, value: Value| {
        let table = match value {
            Value::Table(table) => table,
            Value::String(name) => Table::from_iter([("name".to_owned(), Value::String(name))]),
            _ => return Err(ParamError::refused(kind.word(), format!("must be a {} table", kind.word()))),
        };
        AllParts.part(kind, &table, None, &format!("{}.", kind.word()))
    };
    let derivative = |rest: &mut Table| match rest.remove("derivative") {
        None => Ok(false),
        Some(Value::Boolean(flag)) => Ok(flag),
        Some(_) => Err(ParamError::refused("derivative", "must be true or false")),
    };
    let (part, shape) = match (rest.remove("loss"), rest.remove("window"), rest.remove("kernel")) {
        (Some(value), None, None) => {
            let part = part(PartKind::Loss, value)?;
            let derivative = derivative(&mut rest)?;
            let shape = match &part.object {
                PartObject::Loss(loss) if derivative => Shape::Derivative(loss.clone()),
                PartObject::Loss(loss) => Shape::Loss(loss.clone()),
                other => return Err(ParamError::refused("loss", format!("{other:?} is none"))),
            };
            (part, shape)
        }
        (None, Some(value), None) => {
            let part = part(PartKind::Window, value)?;
            let derivative = derivative(&mut rest)?;
            let scale = match rest.remove("scale") {
                None => 1.0,
                Some(Value::Integer(scale @ 1..=1_000_000)) => scale as f64,
                Some(Value::Float(scale)) if scale > 0.0 && scale.is_finite() => scale,
                Some(_) => return Err(ParamError::refused("scale", "must be a positive number")),
            };
            let shape = match &part.object {
                PartObject::Window(window) if derivative => Shape::WindowSlope(window.clone(), scale),
                PartObject::Window(window) => Shape::Window(window.clone(), scale),
                other => return Err(ParamError::refused("window", format!("{other:?} is none"))),
            };
            (part, shape)
        }
        (None, None, Some(value)) => {
            let part = part(PartKind::Kernel, value)?;
            let dim = match rest.remove("dim") {
                None => 1,
                Some(Value::Integer(dim @ 1..=10_000)) => dim as usize,
                Some(_) => return Err(ParamError::refused("dim", "must be an integer from 1 to 10000")),
            };
            let shape = match &part.object {
                PartObject::Kernel(kernel) => {
                    kernel.accepts(dim).map_err(|why| ParamError::refused("kernel", why))?;
                    Shape::Kernel(kernel.clone(), dim)
                }
                other => return Err(ParamError::refused("kernel", format!("{other:?} is none"))),
            };
            (part, shape)
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
    Ok(Function { label, files: files(&part), shape })
}

/// The source files of a part and of what is nested in it.
fn files(part: &Part) -> Vec<&'static str> {
    std::iter::once(part.file).chain(part.params.files()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(functions: &str) -> Result<Vec<Function>, String> {
        let text = format!(
            "kind = 'functions'\nsection = 'noisy'\ntitle = ''\nx = ''\ny = ''\nshows = ''\noptions = {{ from = 0, to = 1 }}\n{functions}"
        );
        let figure = crate::report::figure::registry::read("test", &text).map_err(|error| error.to_string())?;
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
        assert_eq!(functions[3].files, ["src/kernel/gaussian.rs"]);
    }

    #[test]
    fn mistakes_are_named() {
        for (text, expected) in [
            ("[[functions]]\nlabel = 'x'", "exactly one of"),
            ("[[functions]]\nlabel = 'x'\nloss = 'huge'", "unknown loss `huge`"),
            ("[[functions]]\nlabel = 'x'\nloss = { name = 'smoothed-hinge', c = -1 }", "`loss.c` = -1"),
            ("[[functions]]\nlabel = 'x'\nloss = 'hinge'\ncolour = 1", "`colour`"),
            ("[[functions]]\nloss = 'hinge'", "`label`"),
            ("[[functions]]\nlabel = 'x'\nloss = ['hinge', 'absolute']", "two functions are called `x`"),
            ("functions = []", "`functions`"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
