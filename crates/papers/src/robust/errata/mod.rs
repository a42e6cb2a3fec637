//! Guo, Christmann, Shi: Optimality of robust online learning. Foundations of Computational Mathematics (2023). Our
//! text of the paper comes from page images. If small print may have been lost, the item says so.

use crate::errata::api::errata;
use crate::paper::Paper;

pub(crate) mod least_squares;
pub(crate) mod windows;

errata! {
    Paper::Robust:
    loss, fair, welsch, equation_8, eta_0, lemma_4_1, proposition_4_3, proposition_4_5, lemma_5_1
}
