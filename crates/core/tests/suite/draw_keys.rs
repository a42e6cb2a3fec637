//! Which parameters key random draws: those of the list below always, parameters added later only if they are set.

use std::fs;
use std::num::NonZeroU32;
use std::sync::Arc;

use noregret_core::comparator::COMPARATORS;
use noregret_core::feature::FAMILIES;
use noregret_core::kernel::KERNELS;
use noregret_core::laws::cases::LearnerCase;
use noregret_core::learner::LEARNERS;
use noregret_core::learner::api::{LearnerEntry, Recipe};
use noregret_core::learner::ridge::over_fourier;
use noregret_core::loss::LOSSES;
use noregret_core::noise::NOISES;
use noregret_core::params::check::GivenTable;
use noregret_core::params::check::check;
use noregret_core::params::entry::Entry;
use noregret_core::params::registry::Registry;
use noregret_core::params::{Fallback, Kind, ParamError, Params, Range, Spec};
use noregret_core::parts::AllParts;
use noregret_core::protocol::cell::{Cell, Feed};
use noregret_core::protocol::design::Design;
use noregret_core::protocol::protocols;
use noregret_core::stream::corruption::CORRUPTIONS;
use noregret_core::stream::spec::{Noise, Origin, StreamSpec};
use noregret_core::stream::{ADVERSARIES, STREAMS};
use noregret_core::window::WINDOWS;
use serde_json::Value as Given;

fn lines<B>(list: &Registry<B>, shapes: fn(&Entry<B>, &str) -> bool) -> Vec<String> {
    list.iter()
        .map(|entry| {
            let keyed = |spec: &&Spec| !matches!(spec.default, Fallback::Added(_)) && shapes(entry, spec.name);
            let names: Vec<&str> = entry.params.iter().filter(keyed).map(|spec| spec.name).collect();
            format!("{} {}: {}", list.kind, entry.name, names.join(" ")).trim_end().to_owned()
        })
        .collect()
}

fn all<B>(_: &Entry<B>, _: &str) -> bool {
    true
}

/// The file has the parameters that were declared when draws were first keyed by them, one line for each member: of a
/// learner, those that shape its draws; of anything else, all. A parameter that is added to a member of the list changes
/// every random number of those who do not set it, unless it is declared as `Fallback::Added`.
#[test]
fn parameters_key_draws_as_they_always_did() {
    let lists = [
        lines(&LEARNERS, |entry, name| entry.build.drawn_by.contains(&name)),
        lines(&ADVERSARIES, all),
        lines(&COMPARATORS, all),
    ];
    let parts =
        [lines(&KERNELS, all), lines(&FAMILIES, all), lines(&LOSSES, all), lines(&WINDOWS, all), lines(&NOISES, all)];
    let streams = [lines(&CORRUPTIONS, all), lines(&STREAMS, all)];
    let found: Vec<String> = lists.into_iter().chain(parts).chain(streams).flatten().collect();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vectors/keyed_parameters.txt");
    let file = fs::read_to_string(path).unwrap();
    let mut known: Vec<&str> = file.lines().collect();
    let news: Vec<_> = found.iter().map(String::as_str).filter(|line| !known.contains(line)).collect();
    let is_there = |line: &&str| known.iter().any(|old| old.split(':').next() == line.split(':').next());
    let changed: Vec<_> = news.iter().filter(|line| is_there(line)).collect();
    assert!(changed.is_empty(), "keyed otherwise than in {path}: {changed:#?}");
    if std::env::var_os("NOREGRET_BLESS").is_some() {
        known.extend(news);
        fs::write(path, known.join("\n") + "\n").unwrap();
    } else {
        assert!(news.is_empty(), "not in {path}; NOREGRET_BLESS=1 writes new members into it: {news:#?}");
    }
    assert_eq!(known.len(), found.len(), "a member of {path} is gone");
}

const OLD: Spec = Spec {
    name: "old",
    doc: "a parameter that was there",
    kind: Kind::Real { range: Range::ANY, words: &[] },
    default: Fallback::Real(1.0),
};
const NEW: Spec = Spec {
    name: "new",
    doc: "a parameter that came later",
    kind: Kind::Integer { min: 0, max: 9 },
    default: Fallback::Added(&Fallback::Integer(3)),
};

#[test]
fn a_later_parameter_keys_draws_only_where_it_is_set() {
    let checked = |specs: &'static [Spec], text: &str| -> Params {
        check(specs, &text.parse::<toml::Table>().unwrap(), "", &AllParts).unwrap()
    };
    let before = checked(&[OLD], "old = 2");
    let after = checked(&[OLD, NEW], "old = 2");
    assert_eq!(before.draw_key(), after.draw_key());
    assert_eq!(noregret_core::params::typed::field(&after, "new"), Some(3_u64));
    assert_ne!(before.canonical(), after.canonical(), "results know all parameters");
    assert_eq!(before.draw_key(), checked(&[OLD, NEW], "old = 2\nnew = 3").draw_key(), "set to its default");
    assert_ne!(before.draw_key(), checked(&[OLD, NEW], "old = 2\nnew = 4").draw_key());
    assert_ne!(before.draw_key(), checked(&[OLD], "").draw_key(), "an old one keys draws at its default, too");
}

const ROUNDS: u64 = 120;

/// The loss of a learner with these parameters over rounds with a little noise.
fn loss(entry: &'static LearnerEntry, table: &GivenTable, dim: usize) -> Result<f64, ParamError> {
    let law = format!("name = \"uniform-inputs\"\ndim = {dim}").parse::<toml::Table>().unwrap();
    let law = STREAMS.choose(&law, None, "", &AllParts)?;
    let noise =
        NOISES.choose(&"name = \"gaussian\"\nnoise_std = 0.1".parse::<toml::Table>().unwrap(), None, "", &AllParts)?;
    let noise = Some(Noise { inputs: Some(noise), targets: None });
    let stream = StreamSpec { origin: Origin::Law(law), noise, corruption: None, label: None };
    let loss = LOSSES.choose(&"name = \"squared\"".parse::<toml::Table>().unwrap(), None, "", &AllParts)?;
    let design = Design { name: "nudged".into(), seed: 1, streams: vec![stream], dense: false, test_rows: 0, loss };
    let params = Arc::new(check(entry.params, table, "", &AllParts)?);
    let (feed, label) = (Feed::Copies(NonZeroU32::MIN), "it".into());
    let configured = params.canonical().to_string().into();
    let cell = Cell { learner: entry, label, params, configured, feed, stream: 0, horizon: ROUNDS, replicate: 0 };
    let record = cell.play(&design, protocols::of(&design, &cell), None, &|| false).unwrap();
    Ok(record.checkpoints.last().map_or(0.0, |at| at.cumulative_loss))
}

/// The first number among the learner's parameters that shapes no draws, and by which a billionth of its value changes the
/// loss by more than a hundred thousandth.
fn lucky(entry: &'static LearnerEntry) -> Option<(&'static str, f64, f64)> {
    let case = LearnerCase::of(entry).unwrap().swap_remove(0);
    let before = loss(entry, &case.table, case.dim).unwrap();
    let values = case.params().unwrap().canonical();
    let real = |spec: &&Spec| matches!(spec.kind, Kind::Real { .. }) && !SHAPING.contains(&spec.name);
    entry.params.iter().filter(real).find_map(|spec| {
        let mut table = case.table.clone();
        table.insert(spec.name.into(), Given::from(values[spec.name].as_f64()? * (1.0 + 1e-9)));
        // What is at the end of its range has no neighbour.
        let after = loss(entry, &table, case.dim).ok()?;
        ((after - before).abs() > 1e-5 * before.abs()).then_some((spec.name, before, after))
    })
}

/// All numbers that shape the draws of a learner.
const SHAPING: [&str; 2] = ["bandwidth", "p"];

/// Whether the learner draws anything: under another name it has other draws.
fn draws(entry: &'static LearnerEntry) -> bool {
    let case = LearnerCase::of(entry).unwrap().swap_remove(0);
    let (name, summary, module, params) = ("another", entry.summary, entry.module, entry.params);
    let build = Recipe { learner: entry.build.learner, ..entry.build };
    let renamed = Box::leak(Box::new(LearnerEntry { name, summary, module, params, build }));
    loss(entry, &case.table, case.dim) != loss(renamed, &case.table, case.dim)
}

/// Learners that differ by a billionth of lambda are one learner: none of them is lucky.
#[test]
fn a_learner_that_is_nudged_has_the_same_draws() {
    let random: Vec<_> = LEARNERS.iter().filter(|entry| draws(entry)).collect();
    assert_eq!(
        random.iter().filter(|entry| !entry.build.drawn_by.is_empty()).count(),
        10,
        "intervals' base draws nothing"
    );
    for entry in random {
        assert_eq!(lucky(entry), None, "{}", entry.name);
    }
}

/// A learner whose draws are named by lambda, too.
static BY_LAMBDA: LearnerEntry = LearnerEntry {
    build: Recipe { drawn_by: &["lambda", "features"], ..over_fourier::PKAWV_FOURIER.build },
    ..over_fourier::PKAWV_FOURIER
};

#[test]
fn a_learner_whose_draws_are_named_by_lambda_is_lucky() {
    assert!(lucky(&BY_LAMBDA).is_some_and(|(name, ..)| name == "lambda"));
}
