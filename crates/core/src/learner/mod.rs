//! Learners: one file each, in the folder of its family. A learner's file holds its parameters, its mathematics with the
//! source, and tests against that mathematics. The families are [`ridge`], [`newton`], [`descent`], [`layers`], [`noisy`],
//! [`robust`], [`combine`] and [`baseline`], each with the parts that its learners share; [`auto`] has nothing to set.
//! [`over_epochs`] is any learner on causal scales, [`derived`] one that is shown lags and harmonics, and [`classes`] any learner
//! of labels as one of classes.
//! [`about`] says what there is to know of one, and [`entry`] how it is declared; [`last_input`] caches what was computed at the last input; [`parameters`]
//! are those that several families declare, and [`predictive`] is the distribution that a ridge regression gives for a target.

use crate::params::entry::Entry;
use crate::params::registry::{Registry, joined};

pub mod about;
pub mod api;
pub mod auto;
pub mod baseline;
pub(crate) mod breakdown;
pub mod classes;
pub mod combine;
pub mod derived;
pub mod descent;
pub(crate) mod entry;
pub(crate) mod given;
pub(crate) mod last_input;
pub mod layers;
pub mod newton;
pub mod noisy;
pub mod over_epochs;
pub(crate) mod parameters;
pub mod predictive;
pub mod ridge;
pub mod robust;
pub mod said;
pub mod setting;
pub(crate) mod weight;

/// The learners of each family, in the order in which they are listed.
const FAMILIES: [&[&Entry<api::Recipe>]; 9] = [
    &[&auto::entry::ENTRY],
    ridge::MEMBERS.members,
    newton::MEMBERS.members,
    descent::MEMBERS.members,
    layers::MEMBERS.members,
    combine::MEMBERS.members,
    noisy::MEMBERS.members,
    robust::MEMBERS.members,
    baseline::MEMBERS.members,
];

static ALL: [&Entry<api::Recipe>; joined::count(&FAMILIES)] = joined::entries(&FAMILIES);

/// Every learner.
pub static LEARNERS: Registry<api::Recipe> = Registry { kind: "learner", members: &ALL };
