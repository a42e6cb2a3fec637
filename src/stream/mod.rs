//! Streams: where rounds come from. Synthetic laws, one file each, joined in [`registry`]; [`coin_labels`], which two of
//! them share; and [`table`], a dataset in memory.

pub mod api;
pub mod circle;
pub mod coin_labels;
pub mod corruption;
pub mod gaussian_inputs;
pub mod greedy_adversary;
pub mod infinite_layer;
pub mod kernel_function;
pub mod one_copy_game;
pub mod orthogonal;
pub mod periodic_spline;
pub mod registry;
pub mod table;
pub mod uniform_inputs;
