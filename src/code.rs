//! The code behind results: the tables of this program's crates, and the packages that they are built with.

use std::sync::LazyLock;

use noregret_engine::code::{Codebase, Identity};

/// The table of this crate's code identity, as `noregret-identity` writes it.
pub const IDENTITY: &str = include_str!(concat!(env!("OUT_DIR"), "/identity.txt"));

/// All modules and packages. `packages.lock` is made by `make packages`: features and targets are resolved once, for the
/// supported targets, so that keys are the same on all of them.
pub static CODEBASE: LazyLock<Codebase> = LazyLock::new(|| {
    Codebase::new(&[noregret_core::IDENTITY, noregret_engine::IDENTITY, IDENTITY], include_str!("../packages.lock"))
});

/// The identity of what computes a result: the pure function of `computation` (a module of [`crate::compute`]) with the
/// members that it was given, everything that these reach, and the stage `glue` that hands it its inputs, with the other
/// stages that it uses for that. Each is the `module_path!()` of its module.
pub fn behind(glue: &'static str, computation: &'static str, members: &[&'static str]) -> Identity {
    let mut roots = members.to_vec();
    roots.push(computation);
    CODEBASE.closure(&roots).union(&CODEBASE.inside("noregret::stages", glue))
}
