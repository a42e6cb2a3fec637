//! `noregret compare`: every learner that fits a file, over a small grid of its parameters, in a given time, each setting
//! judged on rows that did not choose it.
//!
//! [`grids`] declares the default grids; [`candidates`] turns them into settings for a file; [`arena`] knows how they play
//! on it. [`halving`] says which settings play how many rows, and [`crew`] has them played side by side, within a budget;
//! [`played`] is what they come to, and remembers it. [`board`] ranks them and shows the ranking; [`project`] writes the
//! project that goes on with the chosen settings.

pub mod arena;
pub mod board;
pub mod candidates;
pub mod crew;
pub mod error;
pub mod grids;
pub mod halving;
pub mod played;
pub mod project;
