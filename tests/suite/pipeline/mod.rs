//! The pipeline end to end, through the binary, on small temporary projects.

mod baseline;
pub mod bucket;
mod caching;
mod campaign;
mod classes;
mod commands;
mod corruption;
mod diff;
mod earlier;
mod epochs;
mod errata;
mod failures;
pub mod inputs;
mod noise;
pub mod project;
mod rates;
mod reactions;
mod scale;
pub mod shards;
mod signals;
mod streams;
mod swaps;
mod tuning;
mod variants;
mod varied;
mod wording;
