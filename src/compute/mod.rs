//! What results are computed with: a module for each kind of stage, whose functions turn checked values and bytes into
//! bytes. They import no engine, no store and no parser of configuration, so that the modules which they reach are the
//! code that a result depends on ([`crate::code::behind`]). Each has its `MODULE`, where the closure starts.

pub mod cell;
pub mod comparator;
pub mod erratum;
pub mod experiment;
pub mod function;
pub mod hindsight;
pub mod preparation;
pub mod rate;
pub mod runs;
pub mod summary;
pub mod tuning;
