//! Cesa-Bianchi, Shalev-Shwartz, Shamir: Online learning of noisy data. IEEE Transactions on Information Theory 57
//! (2011) 7907-7931. Here k(x, x') = exp(-|x - x'|^2 / s^2), as in the paper.

pub mod algorithm_4;
pub mod angle;
pub mod binomial_kernel;
pub mod coefficients;
pub mod equation_25;
pub mod equation_6;
pub mod equation_8;
pub mod example_2;
pub mod example_3;
pub mod example_3_symbol;
pub mod example_4;
pub mod fubini;
pub mod lemma_14;
pub mod lemma_14_proof;
pub mod lemma_2;
pub mod lemma_3;
pub mod lemma_3_moment;
pub mod lemma_4;
pub mod lemma_6;
pub mod lemma_7;
pub mod random_degree;
pub mod residual_losses;
pub mod subroutine_5;
pub mod theorem_10;
pub mod theorem_10_condition;
pub mod theorem_2;
pub mod theorem_3;
pub mod theorem_3_copies;
pub mod theorem_4;
pub mod theorem_5;
pub mod theorem_8;
pub mod theorem_8_convexity;
