//! Globerson, Livni: Learning infinite-layer networks: beyond the kernel trick. 2016 (arXiv 1606.05316).

pub mod algorithm_1;
pub mod algorithm_2;
pub mod corollary_1;
pub mod draws_per_round;
pub mod equation_10;
pub mod equation_27;
pub mod equation_9;
pub mod lemma_2;
pub mod lemma_3;
pub mod lemma_4;
pub mod sign_features;
