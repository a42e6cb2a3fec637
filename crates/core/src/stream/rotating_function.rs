//! rotating-function: targets that drift. See [`super::moving_function`].

use std::sync::Arc;

use crate::params::{Range, Spec};
use crate::stream::api::{DIM, StreamEntry};
use crate::stream::moving_function::{BANDWIDTH, Motion, MovingFunction, NORM, ORDER};

const TURNS: Spec = Spec::real("turns", "how often u_t turns around within the horizon", Range::NONNEGATIVE, 2.0);

/// The registry's line.
pub(crate) static ENTRY: StreamEntry = StreamEntry {
    name: "rotating-function",
    summary: "x uniform on [-1, 1]^d, y = -1 or +1 with mean phi(x)' u_t, u_t turns at a constant rate in a random plane; phi Taylor features",
    module: module_path!(),
    params: &[DIM, BANDWIDTH, ORDER, NORM, TURNS],
    build: |params| Ok(Arc::new(MovingFunction::from(params, Motion::Turns(params.real(TURNS.name)))?)),
};
