//! Laws of parameters: each declared range is enforced, with an error that names the parameter.

use noregret_core::comparator::COMPARATORS;
use noregret_core::feature::FAMILIES;
use noregret_core::kernel::KERNELS;
use noregret_core::laws::cases::{legal, variants};
use noregret_core::laws::parameters as laws;
use noregret_core::learner::LEARNERS;
use noregret_core::learner::api::Setting;
use noregret_core::loss::LOSSES;
use noregret_core::noise::NOISES;
use noregret_core::params::check::GivenTable;
use noregret_core::params::check::check;
use noregret_core::params::typed::{OrWord, Parameters, field, parameters};
use noregret_core::params::{Fallback, Kind, Params, Range, Spec};
use noregret_core::parts::AllParts;
use noregret_core::stream::corruption::CORRUPTIONS;
use noregret_core::stream::{ADVERSARIES, STREAMS};
use noregret_core::window::WINDOWS;
use noregret_numeric::draw::Draws;
use serde_json::Value;

/// What all registries say of a member.
struct Member {
    kind: &'static str,
    name: &'static str,
    summary: &'static str,
    module: &'static str,
    params: &'static [Spec],
    try_out: Box<TryOut>,
}

/// Builds a member for that many columns and asks what it costs; whether it refuses does not matter.
type TryOut = dyn Fn(&Params, usize);

/// The members of every registry.
fn members() -> Vec<Member> {
    let mut all = Vec::new();
    macro_rules! add {
        ($($kind:literal: $registry:expr => |$entry:ident, $given:ident, $dim:ident| $build:expr),+ $(,)?) => {
            $(for $entry in $registry.iter() {
                let (name, summary, module, params) = ($entry.name, $entry.summary, $entry.module, $entry.params);
                let try_out = Box::new(|$given: &Params, $dim: usize| drop($build));
                all.push(Member { kind: $kind, name, summary, module, params, try_out });
            })+
        };
    }
    add! {
        "learner": LEARNERS => |entry, given, dim| {
            let setting = Setting { dim, horizon: Some(64), draws: Draws::named(&["parameters"]) };
            ((entry.build.learner)(given, &setting), (entry.build.cost)(given, 64, dim))
        },
        "kernel": KERNELS => |entry, given, _dim| (entry.build)(given),
        "feature": FAMILIES => |entry, given, _dim| (entry.build)(given),
        "loss": LOSSES => |entry, given, _dim| (entry.build)(given),
        "window": WINDOWS => |entry, given, _dim| (entry.build)(given),
        "noise": NOISES => |entry, given, _dim| (entry.build)(given),
        "corruption": CORRUPTIONS => |entry, given, _dim| (entry.build)(given),
        "law": STREAMS => |entry, given, _dim| (entry.build)(given),
        "law": ADVERSARIES => |entry, given, _dim| (entry.build)(given),
        "comparator": COMPARATORS => |entry, given, _dim| (entry.build)(given),
    }
    all
}

#[test]
fn every_declaration_keeps_every_law() {
    for Member { kind, name, params, .. } in members() {
        laws::all(params).unwrap_or_else(|broken| panic!("{kind} {name}: {broken}"));
    }
}

/// A member reads each parameter as what it declared it to be, whatever the words, choices and flags beside it: reading it
/// otherwise would panic. All combinations of these are tried, with every value of one parameter on top.
#[test]
fn members_read_what_they_declare() {
    for Member { kind, name, params, try_out, .. } in members() {
        for dim in [1, 2] {
            let mut tables = variants(params, dim);
            for spec in params.iter().filter(|spec| is_discrete(&spec.kind)) {
                let with = |table: &GivenTable, value: Value| {
                    let mut table = table.clone();
                    table.insert(spec.name.to_owned(), value);
                    table
                };
                let more =
                    |table: &GivenTable| legal(&spec.kind, dim).into_iter().map(|value| with(table, value)).collect();
                tables = tables.iter().flat_map(|table| -> Vec<GivenTable> { more(table) }).collect();
            }
            // The values of these that `variants` began with have been replaced.
            let mut seen = std::collections::BTreeSet::new();
            tables.retain(|table| seen.insert(format!("{table:?}")));
            assert!(tables.len() < 20_000, "{kind} {name}: {} combinations", tables.len());
            for table in tables {
                if let Ok(given) = check(params, &table, "", &AllParts) {
                    try_out(&given, dim);
                }
            }
        }
    }
}

/// The trial above sees a member that reads a word as a number.
#[test]
#[should_panic(expected = "was not declared as such a parameter")]
fn reading_a_word_as_a_number_panics() {
    parameters! {
        /// With a number where `robust-ogd` has a number or a word.
        struct Wrong {
            /// scale
            scale: f64 = Kind::real(Range::POSITIVE) => Fallback::Real(1.0);
        }
    }
    let entry = LEARNERS.get("robust-ogd").unwrap();
    let mut table = variants(entry.params, 1).swap_remove(0);
    table.insert("scale".into(), Value::String("theory".into()));
    let given = check(entry.params, &table, "", &AllParts).unwrap();
    assert_eq!((field::<f64>(&given, "scale"), field(&given, "scale")), (None, Some(OrWord::<f64>::Word("theory"))));
    Wrong::read(&given);
}

/// Whether a parameter has values of another kind than numbers.
fn is_discrete(kind: &Kind) -> bool {
    match kind {
        Kind::Real { words, .. } | Kind::Covariance { words } | Kind::Rows { words } | Kind::Parts { words, .. } => {
            !words.is_empty()
        }
        Kind::Choice(_) | Kind::Flag => true,
        _ => false,
    }
}

/// A member that declares a grid over a part that it lacks is refused when its parameters are checked.
#[test]
fn a_grid_over_nothing_is_refused() {
    static SPECS: [Spec; 1] =
        [Spec { name: "grid", doc: "values", kind: Kind::Grid { base: "nothing" }, default: Fallback::Required }];
    let refused = check(&SPECS, &"grid = { lambda = [1, 2] }".parse::<toml::Table>().unwrap(), "", &AllParts).err();
    let told = refused.map(|error| error.to_string()).unwrap_or_default();
    assert!(told.contains("`grid`") && told.contains("over `nothing`"), "{told}");
}

#[test]
fn names_are_unique_and_sources_exist() {
    let mut seen = std::collections::BTreeSet::new();
    for Member { kind, name, summary, module, .. } in members() {
        assert!(seen.insert((kind, name)), "{kind} {name} is there twice");
        assert!(!summary.is_empty(), "{name}");
        let source =
            format!("{}/src/{}", env!("CARGO_MANIFEST_DIR"), module.split_once("::").unwrap().1.replace("::", "/"));
        let text = [".rs", "/mod.rs"].iter().find_map(|end| std::fs::read_to_string(source.clone() + end).ok());
        assert!(text.unwrap().contains(&format!("\"{name}\"")), "{module} does not define {name}");
    }
}
