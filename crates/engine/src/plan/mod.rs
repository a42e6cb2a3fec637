//! Planning: which items of which stages have to run, and why. Pure: it reads a snapshot of the store and does no
//! input or output; `run` executes exactly the plan that a dry run prints.

pub mod dag;
pub mod estimate;
pub mod function;
pub mod key;
pub mod planner;
pub mod reason;
pub mod select;
pub mod shard;
pub mod snapshot;
pub mod sources;
pub mod status;
pub mod work;
