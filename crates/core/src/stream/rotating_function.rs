//! rotating-function: targets that drift. See [`super::moving_function`].

use std::sync::Arc;

use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind, Range};
use crate::stream::api::{self, StreamEntry};
use crate::stream::moving_function::{self, Motion, MovingFunction};

/// The registry's line.
pub(crate) static ENTRY: StreamEntry = StreamEntry {
    name: "rotating-function",
    summary: "x uniform on [-1, 1]^d, y = -1 or +1 with mean phi(x)' u_t, u_t turns at a constant rate in a random plane; phi Taylor features",
    module: module_path!(),
    params: RotatingFunctionParams::SPECS,
    build: |params| {
        let RotatingFunctionParams { dim, bandwidth, order, norm, turns } = Parameters::read(params);
        Ok(Arc::new(MovingFunction::new(dim, bandwidth, order, norm, Motion::Turns(turns))?))
    },
};

parameters! {
    /// Parameters of `rotating-function`.
    pub struct RotatingFunctionParams {
        dim: u64 = api::DIM;
        bandwidth: f64 = moving_function::BANDWIDTH;
        order: u64 = moving_function::ORDER;
        norm: f64 = moving_function::NORM;
        /// how often u_t turns around within the horizon
        turns: f64 = Kind::real(Range::NONNEGATIVE) => Fallback::Real(2.0);
    }
}
