//! Jezequel, Gaillard, Rudi: Efficient online learning with kernels for adversarial large scale problems. NeurIPS 2019
//! (arXiv 1902.09917).

pub(crate) mod algorithm_2;
pub(crate) mod appendix_e_3;
pub(crate) mod dictionary;
pub(crate) mod downdates;
pub(crate) mod expert_grid;
pub(crate) mod exponents;
pub(crate) mod kors_beta;
pub(crate) mod kors_weights;
pub(crate) mod pros_n_kons;
pub(crate) mod scaling;
pub(crate) mod sketched_kons;
pub(crate) mod taylor_order;
