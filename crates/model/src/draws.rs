//! The draws of a stream's learner, which its model does not hold: it is built again from their names.

use noregret_core::learner::api::LearnerEntry;
use noregret_core::params::Params;
use noregret_numeric::draw::Draws;
use serde::{Deserialize, Serialize};

/// By which parameters the draws of a stream's learner are named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DrawNames {
    /// By those that shape them ([`Recipe::drawn_by`](noregret_core::learner::api::Recipe::drawn_by)).
    #[default]
    Shape,
    /// By all of them: models whose options do not say how, because they were saved when there was no other way.
    All,
}

impl DrawNames {
    /// How models that do not say it name them.
    pub fn unsaid() -> Self {
        Self::All
    }

    /// Whether models do not say it.
    pub fn is_unsaid(&self) -> bool {
        *self == Self::unsaid()
    }

    /// The learner's own draws under `--seed`.
    pub fn draws(self, seed: u64, entry: &LearnerEntry, params: &Params) -> Draws {
        let key = match self {
            Self::Shape => entry.draw_key(params),
            Self::All => params.canonical(),
        };
        Draws::named(&["stream", &seed.to_string(), "learner", entry.name, &key.to_string()])
    }
}
