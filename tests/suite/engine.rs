//! The engine, on toy graphs: what design.md section 5 guarantees.

mod bytes;
mod commands;
mod damage;
mod freshness;
mod processes;
mod shards;
mod toy;
mod trouble;
