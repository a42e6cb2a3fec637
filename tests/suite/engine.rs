//! The guarantees of the engine, tested on toy graphs.

mod bytes;
mod commands;
mod damage;
mod freshness;
mod packs;
mod processes;
mod shards;
mod swaps;
mod toy;
mod trouble;
