//! switching-function: targets that switch. See [`super::moving_function`].

use std::sync::Arc;

use crate::params::Spec;
use crate::stream::api::{DIM, StreamEntry};
use crate::stream::moving_function::{BANDWIDTH, Motion, MovingFunction, NORM, ORDER};

const SWITCHES: Spec =
    Spec::integer("switches", "number of jumps, at equal distances within the horizon", [0, 1_000_000], 8);

/// The registry's line.
pub(crate) static ENTRY: StreamEntry = StreamEntry {
    name: "switching-function",
    summary: "x uniform on [-1, 1]^d, y = -1 or +1 with mean phi(x)' u_t, u_t jumps to a random direction at equal distances; phi Taylor features",
    module: module_path!(),
    params: &[DIM, BANDWIDTH, ORDER, NORM, SWITCHES],
    build: |params| Ok(Arc::new(MovingFunction::from(params, Motion::Jumps(params.integer(SWITCHES.name)))?)),
};
