//! Code identity: which code the keys of this project's own pipeline depend on.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use noregret_core::comparator::COMPARATORS;
use noregret_core::learner::LEARNERS;
use noregret_core::protocol::{adversary, full, noisy};
use noregret_core::stream::{ADVERSARIES, STREAMS};
use noregret_papers::errata::registry::ERRATA;
use noregret_papers::guarantees::GUARANTEES;
use noregret_study::code::{CODEBASE, is_stage};
use noregret_study::{comparator, erratum, figure, guarantee, prepare, rate, run, summarise, tune};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The modules of a closure, without packages.
fn reached(roots: &[&'static str]) -> BTreeSet<String> {
    CODEBASE.closure(roots).files.into_keys().filter(|name| !name.starts_with("package ")).collect()
}

/// The starting points of the closures of results: each computation, and every member that it may be given.
fn computations() -> Vec<(&'static str, Vec<&'static str>)> {
    let mut cells = vec![full::PROTOCOL.module, noisy::PROTOCOL.module, adversary::PROTOCOL.module];
    cells.extend(LEARNERS.iter().map(|entry| entry.module));
    cells.extend(STREAMS.iter().map(|entry| entry.module));
    cells.extend(ADVERSARIES.iter().map(|entry| entry.module));
    vec![
        (run::compute::MODULE, cells),
        (comparator::compute::MODULE, COMPARATORS.iter().map(|entry| entry.module).collect()),
        (erratum::compute::MODULE, ERRATA.iter().map(|erratum| erratum.module).collect()),
        (guarantee::compute::MODULE, GUARANTEES.iter().map(|guarantee| guarantee.module).collect()),
        (figure::compute::function::MODULE, Vec::new()),
        (figure::compute::hindsight::MODULE, Vec::new()),
        (prepare::compute::MODULE, Vec::new()),
        (rate::compute::MODULE, Vec::new()),
        (summarise::compute::MODULE, Vec::new()),
        (summarise::read::MODULE, Vec::new()),
        (summarise::runs::MODULE, Vec::new()),
        (tune::compute::MODULE, Vec::new()),
    ]
}

/// Results depend on mathematics and formats, but not on the engine, the store, configuration parsers, registries or
/// the terminal.
#[test]
fn results_depend_on_no_engine_and_no_registry() {
    let foreign = [
        "noregret_engine",
        "noregret_study::config",
        "noregret_study::graph",
        "noregret_core::params::check",
        "noregret_core::params::registry",
        "noregret_core::parts",
        "noregret_core::protocol::protocols",
        "noregret_papers::errata::registry",
        "noregret_papers::theorems",
        "noregret_papers::guarantees",
    ];
    let lists = ["comparator", "feature", "kernel", "learner", "loss", "noise", "stream", "window"];
    for (computation, members) in computations() {
        for member in members.iter().copied().chain([computation]) {
            for module in reached(&[computation, member]) {
                let inside = |name: &str| module == *name || module.starts_with(&format!("{name}::"));
                let foreign =
                    foreign.iter().any(|name| inside(name)) || is_stage(&module) || module.contains("::declare");
                assert!(!foreign, "{computation} with {member} reaches {module}");
                let list = lists.iter().any(|name| module == format!("noregret_core::{name}"));
                assert!(!list, "{computation} with {member} reaches the list of members {module}");
                assert_ne!(CODEBASE.closure(&[computation, member]).files.get(&module).unwrap(), "unknown");
            }
        }
    }
}

/// Imports of stages that results do not depend on, each with the reason why a change behind it cannot change a result
/// under the same key.
const EXEMPT: &[(&str, &str)] = &[
    ("noregret_study::code", "makes the key itself"),
    ("noregret_study::config", "checked values; the key holds their canonical form, defaults filled in"),
    ("noregret_study::tune::declare", "checked values, as of the configuration"),
    ("noregret_study::rate::setups", "checked values of a row's runs; the key holds their canonical form"),
    ("noregret_study::rate::design", "digests of what the key holds, which `designs_are_as_they_are_recorded` fixes"),
    ("noregret_engine", "plans and stores; keys, not numbers"),
    ("noregret_core::protocol", "chooses the protocol, whose module is in the key"),
    ("noregret_core::stream::spec", "says whether there is a dataset; its form is in the key"),
    ("noregret_papers::errata", "lists the errata; the module of each is in its key"),
    ("noregret_papers::guarantee", "lists statements about every run; the module of each is in the key of its checks"),
    ("noregret_numeric::state", "arrays in which a cell keeps what it has come to; no number changes"),
    ("noregret_numeric::meter", "charges processor time, which is no result"),
    (
        "noregret_study::external",
        "ends runs that a process spoiled; the module of such learners is in the keys of their cells",
    ),
    ("noregret_model", "the bytes of these arrays, which carry a digest"),
    ("noregret_core::stream::table", "holds prepared rows; what plays them follows it itself"),
    ("noregret_data", "reads raw files, whose content hash is in the key"),
    ("noregret_platform", "says whether a file may have changed since it was hashed"),
    ("noregret_report::trace", "followed through the computation"),
    ("noregret_report::analysis", "followed through the computation"),
    ("noregret_report", "followed: the modules of the exhibit's kind and of rendering are in the key"),
];

/// The key of a stage contains its own tokens, but not those of its imports. Every such import has a reason: it is another
/// stage or a computation, which are followed, or it is exempt.
#[test]
fn what_stages_import_beside_their_computation_has_a_reason() {
    let computations: Vec<_> = computations().into_iter().map(|(module, _)| module).collect();
    let mut used = BTreeSet::new();
    for stage in CODEBASE.paths().filter(|path| is_stage(path)) {
        for import in CODEBASE.imports(stage).filter(|import| !is_stage(import) && !computations.contains(import)) {
            let row = EXEMPT.iter().position(|(to, _)| import.starts_with(to));
            used.insert(
                row.unwrap_or_else(|| panic!("{stage} imports {import}, and no row of EXEMPT says why it may")),
            );
        }
    }
    let unused: Vec<_> = (0..EXEMPT.len()).filter(|row| !used.contains(row)).map(|row| EXEMPT[row]).collect();
    assert!(unused.is_empty(), "{unused:?}");
}

/// Only results that select a member depend on its file.
#[test]
fn a_member_depends_on_no_other_member() {
    let modules: BTreeSet<&str> = LEARNERS.iter().map(|entry| entry.module).collect();
    for learner in LEARNERS.iter() {
        let own = reached(&[learner.module]);
        let others: Vec<_> = own.iter().filter(|m| modules.contains(m.as_str()) && *m != learner.module).collect();
        assert!(others.is_empty(), "{}: {others:?}", learner.name);
        let windows = own.iter().any(|module| module.starts_with("noregret_core::window"));
        assert_eq!(windows, learner.name.starts_with("robust"), "{} and windows", learner.name);
    }
}

/// Comparators meet no learner: how cells draw and are played does not make them stale, though it does for cells.
#[test]
fn a_comparator_depends_on_no_cell() {
    let cell = "noregret_core::protocol::cell".to_owned();
    for comparator in COMPARATORS.iter() {
        assert!(!reached(&[comparator::compute::MODULE, comparator.module]).contains(&cell), "{}", comparator.name);
    }
    assert!(reached(&[run::compute::MODULE]).contains(&cell));
}

/// Packages for other operating systems do not count, and results that are not numeric depend on few packages.
#[test]
fn a_cell_depends_on_packages_that_it_uses() {
    let fogd = LEARNERS.get("fogd").unwrap().module;
    let identity = CODEBASE.closure(&[run::compute::MODULE, full::PROTOCOL.module, fogd]);
    let packages: Vec<&String> = identity.files.keys().filter(|name| name.starts_with("package ")).collect();
    for foreign in ["windows", "wasm-bindgen", "polars", "plotters", "clap", "ureq"] {
        let found = packages.iter().find(|name| name.starts_with(&format!("package {foreign}")));
        assert!(found.is_none(), "{found:?}");
    }
    assert!(packages.iter().any(|name| name.starts_with("package rand_pcg ")), "{packages:?}");
}

/// The versions of each package in a lock file.
fn versions(lock: &str) -> BTreeMap<String, BTreeSet<String>> {
    let lock: toml::Table = lock.parse().unwrap();
    let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in lock["package"].as_array().unwrap() {
        let [name, version] = ["name", "version"].map(|field| package[field].as_str().unwrap().to_owned());
        versions.entry(name).or_default().insert(version);
    }
    versions
}

/// What another lock file has in versions that are not those of this workspace.
fn differing(own: &str, other: &str) -> Vec<String> {
    let own = versions(own);
    let locked = |name: &str| own.get(name).cloned().unwrap_or_default();
    let differ = |(name, others): (String, BTreeSet<String>)| {
        let own = locked(&name);
        (!own.is_empty() && !others.is_subset(&own)).then(|| format!("{name}: {others:?}, and here {own:?}"))
    };
    versions(other).into_iter().filter_map(differ).collect()
}

/// Else the same learner could have other bits in Python.
#[test]
fn the_python_package_has_the_versions_of_this_workspace() {
    let read = |file: &str| fs::read_to_string(root().join(file)).unwrap();
    let (own, python) = (read("Cargo.lock"), read("python/Cargo.lock"));
    let found = differing(&own, &python);
    assert!(found.is_empty(), "`cargo update -p NAME --precise VERSION` in python/: {found:#?}");
    let version = versions(&own)["faer"].first().unwrap().clone();
    let other =
        python.replace(&format!("name = \"faer\"\nversion = \"{version}\""), "name = \"faer\"\nversion = \"0.0.1\"");
    assert_eq!(differing(&own, &other), [format!("faer: {{\"0.0.1\"}}, and here {{\"{version}\"}}")]);
}

/// `crates/study/packages.lock` agrees with `Cargo.lock`: every package in it is locked in the same version, and it contains every
/// package that a manifest names.
#[test]
fn the_resolved_packages_are_those_that_are_locked() {
    let resolved = fs::read_to_string(root().join("crates/study/packages.lock")).unwrap();
    let lock: toml::Table = fs::read_to_string(root().join("Cargo.lock")).unwrap().parse().unwrap();
    let text = |package: &toml::Value, field: &str| package[field].as_str().unwrap().to_owned();
    let locked: BTreeSet<String> = lock["package"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| format!("{} {}", text(p, "name"), text(p, "version")))
        .collect();
    let names: BTreeSet<&str> =
        resolved.lines().filter(|l| !l.starts_with('#')).map(|l| l.trim_start().split(' ').next().unwrap()).collect();
    for line in resolved.lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split_whitespace();
        let name = format!("{} {}", words.next().unwrap(), words.next().unwrap());
        assert!(locked.contains(&name), "{name} is not in Cargo.lock: run `make packages`");
    }
    let crates = ["numeric", "core", "papers", "engine", "model", "data", "raster", "report", "study"];
    for name in crates {
        let manifest = root().join(format!("crates/{name}/Cargo.toml"));
        let manifest: toml::Table = fs::read_to_string(manifest).unwrap().parse().unwrap();
        for name in manifest["dependencies"].as_table().unwrap().keys().filter(|name| !name.starts_with("noregret")) {
            assert!(names.contains(name.as_str()), "{name} is not in packages.lock: run `make packages`");
        }
    }
}
