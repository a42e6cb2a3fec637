//! Globerson, Livni: Learning infinite-layer networks: beyond the kernel trick. 2016 (arXiv 1606.05316).

pub mod algorithm_1;
pub mod algorithm_2;
pub mod coins;
pub mod corollary_1;
pub mod draws_per_round;
pub mod equation_10;
pub mod equation_11;
pub mod equation_12;
pub mod equation_25;
pub mod equation_27;
pub mod lemma_2;
pub mod lemma_2_index;
pub mod lemma_3;
pub mod lemma_4;
pub mod section_5;
pub mod sign_features;
pub mod step;
pub mod test_time;
pub mod theorem_1;
