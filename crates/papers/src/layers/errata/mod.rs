//! Globerson, Livni: Learning infinite-layer networks: beyond the kernel trick. 2016 (arXiv 1606.05316).

use crate::errata::api::errata;
use crate::paper::Paper;

pub(crate) mod coins;
pub(crate) mod sign_features;

errata! {
    Paper::InfiniteLayer:
    algorithm_1, algorithm_2, theorem_1, step, corollary_1, section_5, equation_10, equation_11, equation_12, lemma_2,
    lemma_2_index, lemma_3, lemma_4, draws_per_round, equation_25, equation_27, test_time
}
