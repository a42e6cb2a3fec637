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
