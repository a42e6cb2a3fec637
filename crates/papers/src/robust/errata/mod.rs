//! Guo, Christmann, Shi: Optimality of robust online learning. Foundations of Computational Mathematics (2023). Our
//! text of the paper comes from page images. If small print may have been lost, the item says so.

pub(crate) mod equation_8;
pub(crate) mod eta_0;
pub(crate) mod fair;
pub(crate) mod least_squares;
pub(crate) mod lemma_4_1;
pub(crate) mod lemma_5_1;
pub(crate) mod loss;
pub(crate) mod proposition_4_3;
pub(crate) mod proposition_4_5;
pub(crate) mod welsch;
pub(crate) mod windows;
