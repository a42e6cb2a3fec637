//! Cesa-Bianchi, Shalev-Shwartz, Shamir: Online learning of noisy data. IEEE Transactions on Information Theory 57
//! (2011) 7907-7931. Here k(x, x') = exp(-|x - x'|^2 / s^2), as in the paper.

pub(crate) mod algorithm_4;
pub(crate) mod angle;
pub(crate) mod binomial_kernel;
pub(crate) mod coefficients;
pub(crate) mod equation_25;
pub(crate) mod equation_6;
pub(crate) mod equation_8;
pub(crate) mod example_2;
pub(crate) mod example_3;
pub(crate) mod example_3_symbol;
pub(crate) mod example_4;
pub(crate) mod fubini;
pub(crate) mod lemma_14;
pub(crate) mod lemma_14_proof;
pub(crate) mod lemma_2;
pub(crate) mod lemma_3;
pub(crate) mod lemma_3_moment;
pub(crate) mod lemma_4;
pub(crate) mod lemma_6;
pub(crate) mod lemma_7;
pub(crate) mod random_degree;
pub(crate) mod residual_losses;
pub(crate) mod subroutine_5;
pub(crate) mod theorem_10;
pub(crate) mod theorem_10_condition;
pub(crate) mod theorem_2;
pub(crate) mod theorem_3;
pub(crate) mod theorem_3_copies;
pub(crate) mod theorem_4;
pub(crate) mod theorem_5;
pub(crate) mod theorem_8;
pub(crate) mod theorem_8_convexity;
