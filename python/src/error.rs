//! Errors of noregret-core as exceptions of Python.

use noregret_core::params::ParamError;
use pyo3::PyErr;
use pyo3::exceptions::{PyArithmeticError, PyValueError};

use crate::declarations::python_name;

pyo3::create_exception!(
    noregret_kernels._core,
    Breakdown,
    PyArithmeticError,
    "A learner cannot go on: its numbers left what floating point can hold, or a step has no solution."
);

/// What is wrong with a parameter, under the name that it has in Python.
pub fn refused(error: ParamError) -> PyErr {
    let horizon = matches!(error, ParamError::Refused { .. }) && error.to_string().contains("number of rounds");
    let hint = if horizon { ", or give `horizon`" } else { "" };
    // Keyword arguments have names of Python. In dictionaries, whose paths have a point, names are those of the learners' pages.
    let said = match error.path() {
        Some(path) if path.contains('.') => error.to_string(),
        _ => error.to_string().replace("`lambda`", &format!("`{}`", python_name("lambda"))),
    };
    PyValueError::new_err(format!("{said}{hint}"))
}
