//! Execution: the store, and runs over it. Knows nothing of kernels, learners or datasets; what an item does is
//! behind [`crate::plan::work::Work`].

pub mod batch;
pub mod clean;
pub mod clock;
pub mod engine;
pub mod explain;
pub mod gc;
pub(crate) mod inputs;
pub mod interrupt;
pub mod journal;
pub mod lease;
pub mod lock;
pub(crate) mod make;
pub mod manifest;
pub(crate) mod memory;
pub(crate) mod partial;
pub mod progress;
pub(crate) mod publish;
pub(crate) mod queue;
pub mod records;
pub mod request;
pub mod scratch;
pub mod store;
pub mod tenancy;
pub mod verify;
