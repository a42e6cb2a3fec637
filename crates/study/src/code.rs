//! The identity of the code behind results: the tables of this program's crates, and the packages that they use.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use noregret_engine::code::{CodeIdentity, Codebase};

use crate::IDENTITY;

/// All modules and packages. `make packages` writes `packages.lock`: it resolves features and dependencies once for all
/// supported targets, so that keys are the same on all of them.
pub static CODEBASE: LazyLock<Codebase> = LazyLock::new(|| {
    let tables = [
        noregret_platform::IDENTITY,
        noregret_numeric::IDENTITY,
        noregret_core::IDENTITY,
        noregret_papers::IDENTITY,
        noregret_engine::IDENTITY,
        noregret_model::IDENTITY,
        noregret_data::IDENTITY,
        noregret_raster::IDENTITY,
        noregret_report::IDENTITY,
        IDENTITY,
    ];
    Codebase::new(&tables, PACKAGES)
});

/// The packages that the program was built from.
pub(crate) static PACKAGES: &str = include_str!("../packages.lock");

/// Whether a module connects computations to the engine: the `stage` of a room, or what stages share.
pub fn is_stage(path: &str) -> bool {
    path.strip_prefix("noregret_study::").is_some_and(|path| path.ends_with("::stage") || path.starts_with("stage::"))
}

/// The identity of the code that computes a result. It covers the pure function of `computation` (the `compute` of a
/// room), the members that the result selects, and everything that these reach. It also covers the stage
/// `glue`, which passes the inputs, with the other stages that `glue` uses. Each is the `module_path!()` of its module.
pub(crate) fn behind(glue: &'static str, computation: &'static str, members: &[&'static str]) -> Arc<CodeIdentity> {
    static KNOWN: LazyLock<Mutex<HashMap<Vec<&'static str>, Arc<CodeIdentity>>>> = LazyLock::new(Mutex::default);
    let mut roots = members.to_vec();
    roots.extend([computation, glue]);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(identity) = known.get(&roots) {
        return identity.clone();
    }
    let followed = CODEBASE.closure(&roots[..roots.len() - 1]);
    let identity = Arc::new(followed.union(&CODEBASE.inside(is_stage, glue)));
    known.insert(roots, identity.clone());
    identity
}
