//! Streams as experiments use them: where rounds come from, what corrupts their targets, what noise lies between them
//! and a learner, and which random numbers all of this draws.

use std::sync::Arc;

use serde_json::json;

use crate::epoch::Scales;
use crate::noise::api::{NoNoise, NoiseLaw};
use crate::params::Params;
use crate::params::entry::Chosen;
use crate::stream::api::{AdversaryEntry, Source};
use crate::stream::corruption::api::Corruption;
use crate::stream::corruption::corrupted::Corrupted;
use crate::stream::table::{Examples, TableSource};
use noregret_numeric::draw::Draws;

/// The order in which a dataset's rows are played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayOrder {
    /// A uniformly random permutation, different for each replicate.
    Shuffle,
    /// As in the file.
    File,
}

/// What the targets of a dataset are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetKind {
    /// Numbers.
    Numbers,
    /// The classes -1 and +1, so that errors of sign are counted.
    Signs,
    /// The numbers 0, 1, ... of so many classes, of which learners predict one: a round costs 1 for another one than the right
    /// one, else 0.
    Classes(usize),
}

/// Where rounds come from, and what noise lies between them and the learner.
#[derive(Clone)]
pub struct StreamSpec {
    /// The clean rounds.
    pub origin: Origin,
    /// The noise. Streams with noise are played under the noisy protocol.
    pub noise: Option<Noise>,
    /// What corrupts the targets that learners see.
    pub corruption: Option<Chosen<dyn Corruption>>,
    /// The name in tables and figures, if it is to differ from the origin's name.
    pub label: Option<String>,
}

/// The noise on a stream's examples; where a law is absent, there is no noise.
#[derive(Clone)]
pub struct Noise {
    /// The law of the noise on x_t.
    pub inputs: Option<Chosen<dyn NoiseLaw>>,
    /// The law of the noise on y_t.
    pub targets: Option<Chosen<dyn NoiseLaw>>,
}

/// Where clean rounds come from.
#[derive(Clone)]
pub enum Origin {
    /// A prepared dataset in some order.
    Dataset {
        /// Its name.
        name: String,
        /// Number of inputs.
        dim: usize,
        /// Number of rows.
        rows: u64,
        /// About how many bytes its rows take in memory.
        bytes: f64,
        /// How it was prepared (scaling, transform of the target), in canonical form.
        preparation: serde_json::Value,
        /// What each learner has on the scales of epochs, as far as it is [scalable](crate::learner::api::Learner::scalable):
        /// the rows themselves keep their scales.
        epochs: Scales,
        /// Order of rows.
        order: PlayOrder,
        /// What its targets are.
        targets: TargetKind,
    },
    /// A synthetic law.
    Law(Chosen<dyn Source>),
    /// A stream that reacts to the learner; a new one is built for every run.
    Adversary {
        /// Its registry entry.
        entry: &'static AdversaryEntry,
        /// Its checked parameters.
        params: Params,
        /// Number of inputs.
        dim: usize,
    },
}

impl std::fmt::Debug for StreamSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.canonical())
    }
}

impl Noise {
    /// The law of the noise on x_t.
    pub fn on_inputs(&self) -> Arc<dyn NoiseLaw> {
        self.inputs.as_ref().map_or_else(|| Arc::new(NoNoise) as Arc<dyn NoiseLaw>, |law| law.object.clone())
    }

    /// The law of the noise on y_t.
    pub fn on_targets(&self) -> Arc<dyn NoiseLaw> {
        self.targets.as_ref().map_or_else(|| Arc::new(NoNoise) as Arc<dyn NoiseLaw>, |law| law.object.clone())
    }

    fn laws(&self) -> impl Iterator<Item = (&'static str, &Chosen<dyn NoiseLaw>)> {
        let (inputs, targets) = (self.inputs.iter(), self.targets.iter());
        inputs.map(|law| ("inputs", law)).chain(targets.map(|law| ("targets", law)))
    }

    fn canonical(&self) -> serde_json::Value {
        self.laws().map(|(field, law)| (field.to_owned(), law.part.canonical())).collect()
    }
}

impl Origin {
    /// The canonical form, in which `form` gives the parameters of a law.
    fn form(&self, form: fn(&Params) -> serde_json::Value) -> serde_json::Value {
        let named = |name: &str, params: &Params| {
            let mut form = form(params);
            if let Some(form) = form.as_object_mut() {
                form.insert("law".into(), json!(name));
            }
            form
        };
        match self {
            Origin::Dataset { name, preparation, order, targets, .. } => {
                let mut form = json!({
                    "dataset": name,
                    "preparation": preparation,
                    "order": match order { PlayOrder::Shuffle => "shuffle", PlayOrder::File => "file" },
                });
                if let TargetKind::Classes(classes) = targets {
                    form["classes"] = json!(classes);
                }
                form
            }
            Origin::Law(law) => named(law.part.name, &law.part.params),
            Origin::Adversary { entry, params, .. } => named(entry.name, params),
        }
    }
}

impl StreamSpec {
    /// Its label if it has one; otherwise the name of its dataset or law.
    pub fn name(&self) -> &str {
        match (&self.label, &self.origin) {
            (Some(label), _) => label,
            (None, Origin::Dataset { name, .. }) => name,
            (None, Origin::Law(law)) => law.part.name,
            (None, Origin::Adversary { entry, .. }) => entry.name,
        }
    }

    /// Number of input columns.
    pub fn dim(&self) -> usize {
        match &self.origin {
            Origin::Dataset { dim, .. } | Origin::Adversary { dim, .. } => *dim,
            Origin::Law(law) => law.object.dim(),
        }
    }

    /// Number of rounds that it has, if that is finite.
    pub fn rounds(&self) -> Option<u64> {
        match &self.origin {
            Origin::Dataset { rows, .. } => Some(*rows),
            Origin::Law(law) => law.object.rounds(),
            Origin::Adversary { .. } => None,
        }
    }

    /// What learners have on the scales of epochs.
    pub fn epochs(&self) -> Scales {
        match self.origin {
            Origin::Dataset { epochs, .. } => epochs,
            Origin::Law(_) | Origin::Adversary { .. } => Scales::default(),
        }
    }

    /// Whether it is an adversary.
    pub fn reacts(&self) -> bool {
        matches!(self.origin, Origin::Adversary { .. })
    }

    /// What its targets are, as far as anyone has said.
    pub fn targets(&self) -> TargetKind {
        match self.origin {
            Origin::Dataset { targets, .. } => targets,
            Origin::Law(_) | Origin::Adversary { .. } => TargetKind::Numbers,
        }
    }

    /// The canonical form, which the keys of results hold.
    pub fn canonical(&self) -> serde_json::Value {
        let mut form = self.origin.form(Params::canonical);
        if let Some(form) = form.as_object_mut() {
            form.extend(self.noise.iter().map(|noise| ("noise".to_owned(), noise.canonical())));
            form.extend(self.corruption.iter().map(|law| ("corruption".to_owned(), law.part.canonical())));
        }
        form
    }

    /// The modules that define its rounds, without noise: law or adversary, and corruption. For code identity.
    pub fn modules(&self) -> Vec<&'static str> {
        let mut modules = match &self.origin {
            Origin::Dataset { .. } => Vec::new(),
            Origin::Law(law) => law.part.modules(),
            Origin::Adversary { entry, params, .. } => std::iter::once(entry.module).chain(params.modules()).collect(),
        };
        modules.extend(self.corruption.iter().flat_map(|law| law.part.modules()));
        modules
    }

    /// The modules that define its noise.
    pub fn noise_modules(&self) -> Vec<&'static str> {
        self.noise.iter().flat_map(Noise::laws).flat_map(|(_, law)| law.part.modules()).collect()
    }

    /// The draws of the clean rounds on one replicate: the same for every learner, horizon, noise and corruption.
    pub(crate) fn draws(&self, seed: u64, experiment: &str, replicate: u32) -> Draws {
        self.keyed("stream", seed, experiment, replicate)
    }

    /// The draws of the noise on one replicate: the same for every learner and horizon.
    pub(crate) fn noise_draws(&self, seed: u64, experiment: &str, replicate: u32) -> Draws {
        self.keyed("noise", seed, experiment, replicate)
    }

    fn keyed(&self, purpose: &str, seed: u64, experiment: &str, replicate: u32) -> Draws {
        // The order of a dataset does not depend on how its values are scaled.
        let identity = match &self.origin {
            Origin::Dataset { name, .. } => json!(name).to_string(),
            Origin::Law(_) | Origin::Adversary { .. } => self.origin.form(Params::draw_key).to_string(),
        };
        Draws::named(&[purpose, &seed.to_string(), experiment, &identity, &replicate.to_string()])
    }

    /// The first `rounds` rounds on a replicate. `draws`, those of the clean rounds, identify the replicate; the rows of a dataset
    /// come from `table`. `None` for a dataset without its table, and for an adversary, which has no rounds before it
    /// meets a learner.
    pub fn source(&self, rounds: u64, draws: &Draws, table: Option<Arc<Examples>>) -> Option<Arc<dyn Source>> {
        let source: Arc<dyn Source> = match (&self.origin, table) {
            (Origin::Law(law), _) => law.object.over(rounds).unwrap_or_else(|| law.object.clone()),
            (Origin::Dataset { order: PlayOrder::File, .. }, Some(table)) => {
                Arc::new(TableSource::in_file_order(table))
            }
            (Origin::Dataset { order: PlayOrder::Shuffle, .. }, Some(table)) => {
                Arc::new(TableSource::shuffled(table, draws))
            }
            (Origin::Dataset { .. }, None) | (Origin::Adversary { .. }, _) => return None,
        };
        Some(match &self.corruption {
            None => source,
            Some(law) => Arc::new(Corrupted::new(source, law.object.clone())),
        })
    }
}
