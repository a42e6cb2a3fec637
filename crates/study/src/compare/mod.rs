//! `noregret compare`: every learner that fits a file, over a small grid of its parameters, in a given time, each setting
//! judged on rows that did not choose it.
//!
//! [`grids`] declares the default grids; [`candidates`] turns them into settings for a file; [`contest`] says which
//! settings play how many rounds, within the limits of [`clock`], on the threads of [`crew`]; [`arena`] plays them, and
//! [`memory`] remembers how they did; [`board`] ranks them, [`leaderboard`] and [`picture`] show it; [`project`] writes the
//! project that goes on with the chosen settings.

pub mod arena;
pub mod board;
pub mod candidates;
pub mod clock;
pub mod contest;
pub mod crew;
pub mod field;
pub mod grids;
pub mod leaderboard;
pub mod memory;
pub mod metric;
pub mod picture;
pub mod project;
