//! Cesa-Bianchi, Shalev-Shwartz, Shamir: Online learning of noisy data. IEEE Transactions on Information Theory 57
//! (2011) 7907-7931. Here k(x, x') = exp(-|x - x'|^2 / s^2), as in the paper.

use crate::errata::api::errata;
use crate::paper::Paper;

pub(crate) mod random_degree;

errata! {
    Paper::Noisy:
    binomial_kernel, lemma_2, lemma_3, lemma_3_moment, theorem_2, coefficients, theorem_3, theorem_3_copies, angle,
    lemma_6, lemma_7, theorem_4, equation_6, fubini, equation_8, theorem_5, algorithm_4, theorem_10,
    theorem_10_condition, residual_losses, lemma_4, example_2, example_3, example_3_symbol, example_4, equation_25,
    lemma_14, lemma_14_proof, subroutine_5, theorem_8, theorem_8_convexity
}
