//! Jezequel, Gaillard, Rudi: Efficient online learning with kernels for adversarial large scale problems. NeurIPS 2019
//! (arXiv 1902.09917).

use crate::errata::api::errata;
use crate::paper::Paper;

pub(crate) mod dictionary;
pub(crate) mod exponents;

errata! {
    Paper::Pkawv:
    expert_grid, sketched_kons, pros_n_kons, kors_beta, taylor_order, scaling, appendix_e_3, algorithm_2, kors_weights,
    downdates
}
