//! From values of Python to those of noregret-core.

use numpy::ndarray::Array2;
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use std::borrow::Cow;
use toml::{Table, Value};

/// The table of parameters that a dictionary holds. A value None is a parameter that is not given.
pub fn table(given: &Bound<'_, PyDict>) -> PyResult<Table> {
    let mut table = Table::new();
    for (name, value) in given.iter() {
        let name: String = name.extract()?;
        if !value.is_none() {
            table.insert(name.clone(), toml(&name, &value)?);
        }
    }
    Ok(table)
}

/// A value of the parameter `name`.
fn toml(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Value> {
    let list = |items: &mut dyn Iterator<Item = Bound<'_, PyAny>>| {
        items.map(|item| toml(name, &item)).collect::<PyResult<Vec<Value>>>().map(Value::Array)
    };
    if value.is_instance_of::<PyBool>() {
        Ok(Value::Boolean(value.extract()?))
    } else if value.is_instance_of::<PyInt>() {
        let number = value.extract();
        number
            .map(Value::Integer)
            .map_err(|_| PyValueError::new_err(format!("parameter `{name}` = {value} is too large")))
    } else if value.is_instance_of::<PyFloat>() {
        Ok(Value::Float(value.extract()?))
    } else if value.is_instance_of::<PyString>() {
        Ok(Value::String(value.extract()?))
    } else if let Ok(dictionary) = value.cast::<PyDict>() {
        table(dictionary).map(Value::Table)
    } else if let Ok(items) = value.cast::<PyList>() {
        list(&mut items.iter())
    } else if let Ok(items) = value.cast::<PyTuple>() {
        list(&mut items.iter())
    } else if let Ok(plain) = value.call_method0("tolist") {
        // Arrays and numbers of numpy.
        toml(name, &plain)
    } else {
        let found = value.get_type().name()?;
        Err(PyTypeError::new_err(format!(
            "parameter `{name}`: a {found} is no number, text, truth value, list or dictionary"
        )))
    }
}

/// The numbers of a matrix row by row, without a copy where they stand so.
pub fn row_major<'a>(matrix: &'a PyReadonlyArray2<'_, f64>) -> Cow<'a, [f64]> {
    match matrix.as_slice() {
        Ok(numbers) if matrix.is_c_contiguous() => Cow::Borrowed(numbers),
        _ => Cow::Owned(matrix.as_array().iter().copied().collect()),
    }
}

/// The numbers of a vector, without a copy where they stand side by side.
pub fn dense<'a>(vector: &'a PyReadonlyArray1<'_, f64>) -> Cow<'a, [f64]> {
    vector.as_slice().map_or_else(|_| Cow::Owned(vector.as_array().iter().copied().collect()), Cow::Borrowed)
}

/// Rows of probabilities as wide as the last one; classes that were not known yet have NaN.
pub fn padded(rows: &[Vec<f64>], width: usize) -> Array2<f64> {
    Array2::from_shape_fn((rows.len(), width), |(i, k)| rows[i].get(k).copied().unwrap_or(f64::NAN))
}
