//! The papers whose algorithms and theorems are implemented.

use serde::{Deserialize, Serialize};

/// One of the papers, in the order of tables. In files it is written as its [`id`](Paper::id).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Paper {
    /// R. Jezequel, P. Gaillard, A. Rudi, NeurIPS 2019.
    #[serde(rename = "pkawv")]
    Pkawv,
    /// N. Cesa-Bianchi, S. Shalev-Shwartz, O. Shamir, COLT 2010 and IEEE Transactions on Information Theory 2011.
    #[serde(rename = "noisy-data")]
    Noisy,
    /// A. Globerson, R. Livni, 2016.
    #[serde(rename = "infinite-layer-networks")]
    InfiniteLayer,
    /// Z.-C. Guo, A. Christmann, L. Shi.
    #[serde(rename = "robust")]
    Robust,
    /// Learners that none of the papers has, each with its own sources.
    #[serde(rename = "beyond")]
    Beyond,
}

impl Paper {
    /// All of them.
    pub const ALL: [Paper; 5] = [Paper::Pkawv, Paper::Noisy, Paper::InfiniteLayer, Paper::Robust, Paper::Beyond];

    /// The word for it in files and on the command line.
    pub fn id(self) -> &'static str {
        match self {
            Paper::Pkawv => "pkawv",
            Paper::Noisy => "noisy-data",
            Paper::InfiniteLayer => "infinite-layer-networks",
            Paper::Robust => "robust",
            Paper::Beyond => "beyond",
        }
    }

    /// Its short name in tables.
    pub fn title(self) -> &'static str {
        match self {
            Paper::Pkawv => "PKAWV",
            Paper::Noisy => "Noisy data",
            Paper::InfiniteLayer => "Infinite-layer networks",
            Paper::Robust => "Robust losses",
            Paper::Beyond => "Beyond the papers",
        }
    }

    /// Authors and title.
    pub fn citation(self) -> &'static str {
        match self {
            Paper::Pkawv => {
                "R. Jezequel, P. Gaillard, A. Rudi: Efficient online learning with kernels for adversarial large scale problems"
            }
            Paper::Noisy => "N. Cesa-Bianchi, S. Shalev-Shwartz, O. Shamir: Online learning of noisy data",
            Paper::InfiniteLayer => "A. Globerson, R. Livni: Learning infinite-layer networks: beyond the kernel trick",
            Paper::Robust => "Z.-C. Guo, A. Christmann, L. Shi: Optimality of robust online learning",
            Paper::Beyond => "Further learners; each figure and each theorem names its sources",
        }
    }

    /// What it proposes, with the words that its figures use.
    pub fn proposes(self) -> &'static str {
        match self {
            Paper::Pkawv => {
                "Kernel-AWV, the forecaster of Vovk, Azoury and Warmuth in a reproducing kernel Hilbert space, has almost the least regret \
                 that is possible for squared losses, but a round costs n^2. PKAWV projects it on m features and costs m^2: Taylor \
                 features of order M for the Gaussian kernel, or Nystrom points that KORS samples by their leverage, of precision mu. \
                 PKRR is the same without the forecaster's look at the input (ridge regression). Its competitors are FOGD and NOGD, \
                 gradient descent on random and Nystrom features, and the sketched Newton methods Sketched-KONS and Pros-N-KONS."
            }
            Paper::Noisy => {
                "The learner sees examples only with noise, but is measured on the clean ones. With two independent copies of each input \
                 an unbiased gradient of the squared loss is possible (Algorithm 1); with one copy, if the noise's covariance is known \
                 (Algorithm 2). In a kernel's space, Gaussian noise of known law is undone by a surrogate kernel (Algorithm 3), and noise \
                 of unknown law by a random number of copies per round, for analytic losses (Algorithm 4). Regret then grows like \
                 sqrt(T). With one copy and nothing known, no learner can do it."
            }
            Paper::InfiniteLayer => {
                "A network with infinitely many neurons psi(x; w), w drawn from mu, is linear in the space of the kernel k(x, z) = E psi(x; w) \
                 psi(z; w), which often has no formula. Shrinking gradient descends there from estimates of predictions: in each round it \
                 draws m neurons. Its regret is O(B sqrt(T)) against functions of norm B, as if the kernel were known, with about T \
                 draws per round; whenever an estimate is too large it divides its coefficients by 4."
            }
            Paper::Robust => {
                "Online gradient descent on a robust loss sigma^2 W(u^2 / sigma^2) of the residual u, in a reproducing kernel Hilbert space: \
                 windows W such as Welsch's, Cauchy's or Tukey's bend the square so that outliers count little. If the scale sigma grows \
                 with T, the last iterate is as good as that of least squares: with a constant step of the right order its error falls at \
                 the optimal rate for a target of regularity r, does not saturate as r grows, and uses the kernel's capacity beta."
            }
            Paper::Beyond => {
                "What the five papers leave to others: learners that forget, or mix memories, where targets drift; experts and \
                 their aggregation; intervals that keep their promise on every sequence; classes; steps that set themselves; and auto, \
                 which mixes the forecasts of many learners and has no settings."
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_know_papers_by_their_id() {
        for paper in Paper::ALL {
            assert_eq!(serde_json::to_value(paper).unwrap(), paper.id());
            assert_eq!(serde_json::from_value::<Paper>(paper.id().into()).unwrap(), paper);
        }
        assert!(serde_json::from_str::<Paper>("\"noisy\"").is_err());
    }
}
