//! Kernels, feature maps, comparators and bounds of theorems, as functions.

use std::collections::BTreeMap;

use noregret_core::comparator::COMPARATORS;
use noregret_core::feature::api::FeatureMap;
use noregret_core::kernel::KERNELS;
use noregret_core::learner::api::Setting;
use noregret_core::learner::ridge::fourier::{self, FourierParams};
use noregret_core::learner::ridge::taylor::{self, TaylorParams};
use noregret_core::loss::LOSSES;
use noregret_core::params::check::check;
use noregret_core::params::typed::Parameters;
use noregret_core::parts::AllParts;
use noregret_numeric::draw::Draws;
use noregret_numeric::linalg::matrix::Rows;
use noregret_papers::theorem::{Arguments, RateParameter, Theorem};
use noregret_papers::theorems::{THEOREMS, find};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::{PyArithmeticError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::json;

use crate::bandwidth::{self, Absent};
use crate::convert::{dense, row_major, table};
use crate::error::refused;
use crate::pool;

/// Numbers in rows of `width`, as an array.
fn in_rows(py: Python<'_>, numbers: Vec<f64>, rows: usize, width: usize) -> PyResult<Bound<'_, PyArray2<f64>>> {
    PyArray1::from_vec(py, numbers).reshape([rows, width])
}

/// The matrix of k(x, z) for the rows x of `left` and z of `right`; `kernel` holds its name and parameters.
#[pyfunction]
pub fn gram<'py>(
    py: Python<'py>,
    kernel: &Bound<'py, PyDict>,
    left: PyReadonlyArray2<'py, f64>,
    right: PyReadonlyArray2<'py, f64>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let mut kernel = table(kernel)?;
    bandwidth::resolve_kernel(&mut kernel, left.as_array().ncols());
    let kernel = KERNELS.choose(&kernel, None, "", &AllParts).map_err(refused)?.object;
    let (rows, columns, dim) = (left.as_array().nrows(), right.as_array().nrows(), left.as_array().ncols());
    if right.as_array().ncols() != dim {
        let found = right.as_array().ncols();
        return Err(PyValueError::new_err(format!("X has {dim} columns and Y has {found}")));
    }
    kernel.accepts(dim).map_err(PyValueError::new_err)?;
    let (left, right) = (row_major(&left), row_major(&right));
    let (left, right) = (Rows::new(dim, &left), Rows::new(dim, &right));
    let mut out = vec![0.0; rows * columns];
    pool::run(py, || kernel.gram(left, right, &mut out));
    in_rows(py, out, rows, columns)
}

/// The parameters of a family of features alone, without the weight of a regression over them.
fn checked<P: Parameters>(given: &Bound<'_, PyDict>, dim: usize) -> PyResult<P> {
    let mut given = table(given)?;
    bandwidth::resolve(P::SPECS, &mut given, bandwidth::scale(dim), Absent::Stay);
    Ok(P::read(&check(P::SPECS, &given, "", &AllParts).map_err(refused)?))
}

/// The features of all rows: those that the learners over `taylor` or `fourier` features regress over.
#[pyfunction]
pub fn features<'py>(
    py: Python<'py>,
    family: &str,
    parameters: &Bound<'py, PyDict>,
    seed: u64,
    inputs: PyReadonlyArray2<'py, f64>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (rows, dim) = (inputs.as_array().nrows(), inputs.as_array().ncols());
    let setting = Setting { dim, horizon: None, draws: Draws::named(&["features", &seed.to_string(), family]) };
    let map: Box<dyn FeatureMap> = match family {
        "taylor" => {
            let TaylorParams { bandwidth, order, .. } = checked(parameters, dim)?;
            Box::new(taylor::make_map(bandwidth, order, &setting).map_err(refused)?)
        }
        "fourier" => {
            let FourierParams { bandwidth, features, kind, .. } = checked(parameters, dim)?;
            Box::new(fourier::draw_map(bandwidth, features, kind, &setting))
        }
        other => return Err(PyValueError::new_err(format!("there are no features `{other}`; known: taylor, fourier"))),
    };
    let inputs = row_major(&inputs);
    let mut out = vec![0.0; rows * map.features()];
    pool::run(py, || map.write_rows(Rows::new(dim, &inputs), &mut out));
    in_rows(py, out, rows, map.features())
}

/// The loss of the best fixed predictor of these examples, and what it minimises, which has a penalty in addition if the
/// comparator has one.
#[pyfunction]
pub fn comparator<'py>(
    py: Python<'py>,
    name: &str,
    parameters: &Bound<'py, PyDict>,
    loss: &Bound<'py, PyDict>,
    inputs: PyReadonlyArray2<'py, f64>,
    targets: PyReadonlyArray1<'py, f64>,
) -> PyResult<(f64, f64)> {
    let entry = COMPARATORS.find(name).map_err(refused)?;
    let mut given = table(parameters)?;
    bandwidth::resolve(entry.params, &mut given, bandwidth::scale(inputs.as_array().ncols()), Absent::Stay);
    let comparator = (entry.build)(&check(entry.params, &given, "", &AllParts).map_err(refused)?).map_err(refused)?;
    let loss = LOSSES.choose(&table(loss)?, None, "loss.", &AllParts).map_err(refused)?;
    let squared = loss.part.name == "squared";
    if !squared {
        comparator.accepts(&*loss.object).map_err(|why| PyValueError::new_err(format!("{name} {why}")))?;
    }
    let (rows, dim) = (inputs.as_array().nrows(), inputs.as_array().ncols());
    let (inputs, targets) = (row_major(&inputs), dense(&targets));
    if targets.len() != rows || !inputs.iter().chain(&*targets).all(|value| value.is_finite()) {
        return Err(PyValueError::new_err("X and y must have equally many rows, of finite numbers"));
    }
    let solve = || match squared {
        true => comparator.solve(Rows::new(dim, &inputs), &targets),
        false => comparator.solve_for(&*loss.object, Rows::new(dim, &inputs), &targets),
    };
    let best = pool::run(py, solve).map_err(|error| PyArithmeticError::new_err(error.to_string()))?;
    Ok((best.loss, best.objective))
}

/// The parameters of a theorem's bound.
fn parameters(theorem: &Theorem) -> Vec<&'static RateParameter> {
    theorem.parameters.iter().chain(theorem.bound.iter().flat_map(|bound| bound.parameters)).collect()
}

/// The bound of a theorem after so many rounds, for these values of its parameters.
#[pyfunction]
pub fn bound(theorem: &str, rounds: f64, values: BTreeMap<String, f64>) -> PyResult<f64> {
    let with_bound = THEOREMS.iter().filter(|theorem| theorem.bound.is_some());
    let (Some(theorem), Some(bound)) = (find(theorem), find(theorem).and_then(|found| found.bound.as_ref())) else {
        let known = with_bound.map(|theorem| theorem.name).collect::<Vec<_>>().join(", ");
        return Err(PyValueError::new_err(format!(
            "no theorem `{theorem}` has a bound with its constants; known: {known}"
        )));
    };
    let in_range = rounds.is_finite() && rounds >= 1.0;
    in_range
        .then_some(())
        .ok_or_else(|| PyValueError::new_err(format!("`rounds` is {rounds}; it must be at least 1")))?;
    let given =
        Arguments::check(&values, &parameters(theorem)).map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok((bound.value)(&given, rounds))
}

/// All theorems with what they say and the parameters of their bounds: a list in JSON.
#[pyfunction]
pub fn theorems() -> String {
    let one = |theorem: &&Theorem| {
        let all = parameters(theorem);
        let docs: BTreeMap<&str, &str> = all.iter().map(|parameter| (parameter.name, parameter.doc)).collect();
        let (statement, place, bound) = (theorem.statement, theorem.place, theorem.bound.is_some());
        json!({ "name": theorem.name, "place": place, "statement": statement, "parameters": docs, "bound": bound })
    };
    THEOREMS.iter().map(one).collect::<serde_json::Value>().to_string()
}
