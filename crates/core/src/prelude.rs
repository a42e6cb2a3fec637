//! What most programs need, in one import: `use noregret_core::prelude::*;`.
//!
//! It holds the traits that one implements (kernels, losses, windows, learners, noise laws, streams, adversaries,
//! comparators), the types in their signatures, the registries, and what turns given values into a built member.
//! Everything else is imported from its own module.

pub use crate::comparator::COMPARATORS;
pub use crate::comparator::api::Comparator;
pub use crate::feature::FAMILIES;
pub use crate::feature::api::FeatureMap;
pub use crate::feature::family::Family;
pub use crate::kernel::KERNELS;
pub use crate::kernel::api::Kernel;
pub use crate::learner::LEARNERS;
pub use crate::learner::about::About;
pub use crate::learner::api::{AnyLearner, Block, Breakdown, Gauges, Hypothesis, Learner, OracleLearner, Setting};
pub use crate::loss::LOSSES;
pub use crate::loss::api::{Form, Loss};
pub use crate::noise::NOISES;
pub use crate::noise::api::{NoiseLaw, Oracle};
pub use crate::params::check::check;
pub use crate::params::{ParamError, Params};
pub use crate::parts::{AllParts, Defaults};
pub use crate::protocol::run::RunOptions;
pub use crate::stream::STREAMS;
pub use crate::stream::api::{Adversary, Source};
pub use crate::stream::table::{Examples, TableSource};
pub use crate::window::WINDOWS;
pub use crate::window::api::Window;
pub use noregret_numeric::draw::{Draw, Draws, Role};
pub use noregret_numeric::linalg::matrix::{Matrix, Rows};
pub use noregret_numeric::state::{State, StateError, Store};
pub use serde_json::json;
