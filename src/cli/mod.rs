//! (being written)

pub mod clean;
pub mod dag;
pub mod exit;
pub mod explain;
pub mod gc;
pub mod log;
pub mod run;
pub mod status;
pub mod verify;
