//! Learners in processes of their own, in any language. A project declares them in `pipeline/learners/NAME.toml`
//! ([`crate::config::learners`]). The process gets x_t, answers a prediction, and only then gets y_t. It is not
//! isolated: what it has not been sent it may have read elsewhere. docs/src/protocol.md describes the messages.

pub mod isolation;
pub mod learner;
pub mod process;
pub(crate) mod program;
mod stderr;
mod together;
mod usage;
pub mod watch;
pub mod wire;
