//! Learners: one file each, joined in [`registry`]. A learner's file holds its parameters, its mathematics with
//! the source, and its tests against that mathematics. What several learners share: [`sequential`] (ridge and AWV
//! forecasts from a growing factor), [`exact`] and [`fixed_features`] on top of it, [`expansion`] (functions
//! sum_i a_i k(x_i, .)), and [`step`] (step sizes).

pub mod api;
pub mod exact;
pub mod expansion;
pub mod fixed_features;
pub mod fogd;
pub mod kernel_awv;
pub mod kernel_ogd;
pub mod kernel_ridge;
pub mod pkawv_taylor;
pub mod pkrr_taylor;
pub mod registry;
pub mod sequential;
pub mod step;
pub mod taylor;
