//! Jezequel, Gaillard, Rudi: Efficient online learning with kernels for adversarial large scale problems. NeurIPS 2019
//! (arXiv 1902.09917).

pub mod algorithm_2;
pub mod appendix_e_3;
pub mod dictionary;
pub mod downdates;
pub mod expert_grid;
pub mod exponents;
pub mod kors_beta;
pub mod kors_weights;
pub mod pros_n_kons;
pub mod scaling;
pub mod sketched_kons;
pub mod taylor_order;
