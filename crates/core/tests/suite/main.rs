//! The integration suite of the core, one binary.

mod beyond;
mod bounds;
mod conditions;
mod draw_keys;
mod drift;
mod forecasts;
mod laws;
mod linear;
mod robust;
mod splitmix;
mod statistics;
mod tracking;
mod vectors;
