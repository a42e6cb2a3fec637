//! Laws of kernels, for every kernel of the registry.

use std::sync::Arc;

use noregret_core::kernel::KERNELS;
use noregret_core::kernel::api::Kernel;
use noregret_core::laws::kernel::LAWS;
use noregret_core::params::check::check;
use noregret_core::parts::AllParts;

use super::cases::{LawRounds, data, variants};

/// Every kernel with every variant of its parameters, and points that it accepts.
fn all() -> Vec<(String, Arc<dyn Kernel>, LawRounds)> {
    let mut all = Vec::new();
    for entry in KERNELS.iter() {
        let before = all.len();
        for dim in [1, 3] {
            for table in variants(entry.params, dim) {
                let params =
                    check(entry.params, &table, "", &AllParts).unwrap_or_else(|e| panic!("{}: {e}", entry.name));
                let kernel = (entry.build)(&params).unwrap_or_else(|e| panic!("{}: {e}", entry.name));
                if kernel.accepts(dim).is_ok() {
                    let what = format!("{} {table:?} in {dim} dimensions", entry.name);
                    all.push((what, kernel, data(dim, 60)));
                }
            }
        }
        assert!(all.len() > before, "{} accepts neither 1 nor 3 input columns", entry.name);
    }
    all
}

#[test]
fn every_kernel_keeps_every_law() {
    for (what, kernel, data) in all() {
        for law in LAWS {
            law(&*kernel, data.inputs.view()).unwrap_or_else(|broken| panic!("{what}: {broken}"));
        }
    }
}
