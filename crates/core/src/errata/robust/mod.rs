//! Guo, Christmann, Shi: Optimality of robust online learning. Foundations of Computational Mathematics (2023). Our
//! text of the paper comes from page images. If small print may have been lost, the item says so.

pub mod equation_8;
pub mod eta_0;
pub mod fair;
pub mod least_squares;
pub mod lemma_4_1;
pub mod lemma_5_1;
pub mod loss;
pub mod proposition_4_3;
pub mod proposition_4_5;
pub mod welsch;
pub mod windows;
