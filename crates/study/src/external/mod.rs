//! Learners in processes of their own, in any language. A project declares them in `pipeline/learners/NAME.toml`
//! ([`crate::config::learners`]). The process gets x_t, answers a prediction, and only then gets y_t. On
//! Linux it is isolated: what it has not been sent it cannot read elsewhere. docs/src/protocol.md describes the messages.

#[cfg_attr(not(unix), allow(dead_code))]
pub mod isolation;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")))]
mod landlocked;
pub mod learner;
#[cfg(unix)]
pub mod process;
#[cfg(not(unix))]
#[path = "nowhere.rs"]
pub(crate) mod process;
pub(crate) mod program;
pub mod readable;
#[cfg(unix)]
mod stderr;
#[cfg(unix)]
mod together;
#[cfg_attr(not(unix), allow(dead_code))]
mod usage;
pub mod watch;
#[cfg_attr(not(unix), allow(dead_code))]
pub mod wire;
