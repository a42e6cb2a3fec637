//! The extension module `noregret_kernels._core`: the learners of noregret-core, for Python. What users see of it is written in
//! Python, in the folder `noregret_kernels` beside this one.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

mod bandwidth;
mod checks;
mod convert;
mod declarations;
mod distribution;
mod error;
mod held;
mod learner;
mod load;
mod noisy;
mod origin;
mod pool;
mod saved;
mod tools;

/// All learners with their parameters: a list in JSON.
#[pyfunction(name = "declarations")]
fn declared() -> PyResult<String> {
    declarations::all().map_err(PyRuntimeError::new_err)
}

/// The learners of noregret-core; use the package `noregret_kernels` instead.
#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    pool::remember_this_process();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("Breakdown", module.py().get_type::<error::Breakdown>())?;
    module.add_class::<learner::Learner>()?;
    module.add_class::<noisy::NoisyLearner>()?;
    module.add_class::<noisy::Noise>()?;
    module.add_class::<load::Loaded>()?;
    module.add_function(wrap_pyfunction!(load::load, module)?)?;
    module.add_function(wrap_pyfunction!(distribution::predictive, module)?)?;
    module.add_function(wrap_pyfunction!(distribution::last_predictive, module)?)?;
    module.add_function(wrap_pyfunction!(tools::gram, module)?)?;
    module.add_function(wrap_pyfunction!(tools::features, module)?)?;
    module.add_function(wrap_pyfunction!(tools::comparator, module)?)?;
    module.add_function(wrap_pyfunction!(tools::bound, module)?)?;
    module.add_function(wrap_pyfunction!(tools::theorems, module)?)?;
    module.add_function(wrap_pyfunction!(declared, module)?)
}
