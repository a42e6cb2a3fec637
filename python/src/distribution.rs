//! What a learner knows of targets, for Python: mean, standard deviation, and the logarithm of the density.

use noregret_core::learner::predictive::{Noise, Predictive};
use noregret_numeric::linalg::matrix::Rows;
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::convert::{dense, row_major};
use crate::error::Breakdown;
use crate::learner::Learner;
use crate::pool;

/// Mean, standard deviation, and ln of the density at each target; the last is empty without targets.
type Numbers<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

/// What is believed of noise of this standard deviation, or of one that is learnt.
fn noise(std: Option<f64>) -> PyResult<Noise> {
    match std {
        None => Ok(Noise::default()),
        Some(std) if std.is_finite() && std > 0.0 => Ok(Noise::Known(std * std)),
        Some(std) => Err(PyValueError::new_err(format!("`noise_std` is {std}; it must be a positive number"))),
    }
}

/// The numbers of some distributions.
fn numbers<'py>(py: Python<'py>, known: &[Predictive], targets: &[f64], noise: Noise) -> Numbers<'py> {
    let means = known.iter().map(Predictive::mean).collect();
    let deviations = known.iter().map(|one| one.deviation(noise)).collect();
    let densities = known.iter().zip(targets).map(|(one, y)| one.ln_density(*y, noise)).collect();
    (PyArray1::from_vec(py, means), PyArray1::from_vec(py, deviations), PyArray1::from_vec(py, densities))
}

/// What is known of the targets of rows that teach nothing; None where the learner gives no distributions.
#[pyfunction]
pub fn predictive<'py>(
    py: Python<'py>,
    learner: &Learner,
    inputs: PyReadonlyArray2<'py, f64>,
    targets: PyReadonlyArray1<'py, f64>,
    noise_std: Option<f64>,
) -> PyResult<Option<Numbers<'py>>> {
    let (noise, rows) = (noise(noise_std)?, row_major(&inputs));
    learner.check_inputs(&inputs, &rows)?;
    let (rows, playing) = (Rows::new(inputs.shape()[1], &rows), learner.lock(py)?);
    let known: Result<Option<Vec<Predictive>>, String> = pool::run(py, || {
        let playing = playing.take();
        let playing = playing.sound()?;
        let shown = playing.progress.shown(rows.data());
        let shown = Rows::new(rows.cols(), &shown);
        let map = playing.progress.targets.map();
        Ok(shown.iter().map(|x| Some(mapped(playing.learner.predictive(x)?, map))).collect())
    });
    Ok(known.map_err(Breakdown::new_err)?.map(|known| numbers(py, &known, &dense(&targets), noise)))
}

/// What was known of the targets of the rows that were played last, each before it was seen; None as for [`predictive`].
#[pyfunction]
pub fn last_predictive<'py>(
    py: Python<'py>,
    learner: &Learner,
    targets: PyReadonlyArray1<'py, f64>,
    noise_std: Option<f64>,
) -> PyResult<Option<Numbers<'py>>> {
    let (noise, playing) = (noise(noise_std)?, learner.lock(py)?);
    let known = py.detach(|| {
        let playing = playing.take();
        playing.learner.predictives().map(|_| playing.known.clone())
    });
    Ok(known.map(|known| numbers(py, &known, &dense(&targets), noise)))
}

/// On the scale of the targets, of which the learner sees those less a shift, over a factor.
pub fn mapped(known: Predictive, map: Option<(f64, f64)>) -> Predictive {
    match map {
        Some((shift, factor)) => known.mapped(shift, factor),
        None => known,
    }
}
