//! `noregret compare`: every learner that fits a file, over a small grid of its parameters, in a given time.
//!
//! [`grids`] declares the default grids; [`candidates`] turns them into settings for a file; [`halving`] says which
//! settings play how many rounds; [`trials`] plays them and remembers how they did; [`project`] writes the project that
//! plays the chosen settings; [`leaderboard`] reads its results.

pub mod candidates;
pub mod grids;
pub mod halving;
pub mod leaderboard;
pub mod project;
pub mod trials;
