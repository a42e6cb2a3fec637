//! switching-function: targets that switch. See [`super::moving_function`].

use std::sync::Arc;

use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind};
use crate::stream::api::{self, StreamEntry};
use crate::stream::moving_function::{self, Motion, MovingFunction};

/// The registry's line.
pub(crate) static ENTRY: StreamEntry = StreamEntry {
    name: "switching-function",
    summary: "x uniform on [-1, 1]^d, y = -1 or +1 with mean phi(x)' u_t, u_t jumps to a random direction at equal distances; phi Taylor features",
    module: module_path!(),
    params: SwitchingFunctionParams::SPECS,
    build: |params| {
        let SwitchingFunctionParams { dim, bandwidth, order, norm, switches } = Parameters::read(params);
        Ok(Arc::new(MovingFunction::new(dim, bandwidth, order, norm, Motion::Jumps(switches))?))
    },
};

parameters! {
    /// Parameters of `switching-function`.
    pub struct SwitchingFunctionParams {
        dim: u64 = api::DIM;
        bandwidth: f64 = moving_function::BANDWIDTH;
        order: u64 = moving_function::ORDER;
        norm: f64 = moving_function::NORM;
        /// number of jumps, at equal distances within the horizon
        switches: u64 = Kind::integer(0, 1_000_000) => Fallback::Integer(8);
    }
}
