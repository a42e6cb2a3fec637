//! Globerson, Livni: Learning infinite-layer networks: beyond the kernel trick. 2016 (arXiv 1606.05316).

pub(crate) mod algorithm_1;
pub(crate) mod algorithm_2;
pub(crate) mod coins;
pub(crate) mod corollary_1;
pub(crate) mod draws_per_round;
pub(crate) mod equation_10;
pub(crate) mod equation_11;
pub(crate) mod equation_12;
pub(crate) mod equation_25;
pub(crate) mod equation_27;
pub(crate) mod lemma_2;
pub(crate) mod lemma_2_index;
pub(crate) mod lemma_3;
pub(crate) mod lemma_4;
pub(crate) mod section_5;
pub(crate) mod sign_features;
pub(crate) mod step;
pub(crate) mod test_time;
pub(crate) mod theorem_1;
