//! Models that earlier versions saved are read by this one, and go on as they would have there.
//!
//! `earlier/VERSION` holds models after 30 rows, the rows, and what each predicted for the ten rows after them. `NOREGRET_BLESS=1` writes
//! the folder of this version if there is none, which a release does once; what is there is never written again.

use std::fs;
use std::path::{Path, PathBuf};

use super::models::{part, text};
use super::{Folder, stderr, stream};

/// A name, and how it is learnt: every kind of state, of inputs and of targets.
const MODELS: [(&str, &[&str]); 36] = [
    ("auto", &["--learner", "auto"]),
    ("linear-ridge", &["--learner", "linear-ridge", "--set", "half_life=20"]),
    ("linear-awv", &["--learner", "linear-awv"]),
    ("kernel-ridge", &["--learner", "kernel-ridge"]),
    ("kernel-awv", &["--learner", "kernel-awv"]),
    ("pkrr-taylor", &["--learner", "pkrr-taylor"]),
    ("pkawv-taylor", &["--learner", "pkawv-taylor"]),
    ("pkrr-fourier", &["--learner", "pkrr-fourier", "--set", "features=5"]),
    ("pkawv-fourier", &["--learner", "pkawv-fourier", "--set", "features=5"]),
    ("pkrr-nystrom", &["--learner", "pkrr-nystrom"]),
    ("pkawv-nystrom", &["--learner", "pkawv-nystrom"]),
    ("discounted-awv-taylor", &["--learner", "discounted-awv-taylor"]),
    ("discounted-ridge-fourier", &["--learner", "discounted-ridge-fourier", "--set", "features=5"]),
    ("window-awv-taylor", &["--learner", "window-awv-taylor"]),
    ("tracking-awv-taylor", &["--learner", "tracking-awv-taylor"]),
    ("kons", &["--learner", "kons"]),
    ("sketched-kons", &["--learner", "sketched-kons"]),
    ("pros-n-kons", &["--learner", "pros-n-kons"]),
    ("fogd", &["--learner", "fogd", "--set", "features=5"]),
    ("nogd", &["--learner", "nogd"]),
    ("kernel-ogd", &["--learner", "kernel-ogd"]),
    ("linear-ogd", &["--learner", "linear-ogd"]),
    ("coin-kernel", &["--learner", "coin-kernel"]),
    ("coin-taylor", &["--learner", "coin-taylor"]),
    ("shrinking-gradient", &["--learner", "shrinking-gradient"]),
    ("doubly-stochastic", &["--learner", "doubly-stochastic"]),
    ("kitchen-sinks", &["--learner", "kitchen-sinks"]),
    ("aggregate", &["--learner", "aggregate"]),
    ("intervals", &["--learner", "intervals"]),
    ("ahead", &["--learner", "ahead", "--set", "steps=2"]),
    ("robust-ogd", &["--learner", "robust-ogd"]),
    ("robust-batch", &["--learner", "robust-batch"]),
    ("running-mean", &["--learner", "running-mean"]),
    ("neighbours", &["--learner", "neighbours"]),
    ("two-copies", &["--learner", "noisy-linear-two-copy", "--noise", "gaussian", "--noise-std", "0.1"]),
    ("lags-and-periods", &["--learner", "linear-ridge", "--lags", "1,3", "--periods", "7"]),
];

/// Those that see words, days and gaps, or predict words.
const OF_WORDS: [(&str, &[&str]); 3] = [
    ("words", &["--learner", "linear-ridge", "--target", "y", "--drop", "label", "--missing", "indicator"]),
    ("classes", &["--learner", "pkrr-taylor", "--target", "word", "--drop", "label,day,y"]),
    ("labels", &["--learner", "aioli-taylor", "--target", "label", "--drop", "word,day,y"]),
];

/// How many models the first of the versions has.
const FIRST: usize = 39;

/// The number of rows that were learnt, and of all.
const ROWS: [usize; 2] = [30, 40];

fn models() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    let plain = MODELS
        .into_iter()
        .map(|(name, learn)| (name, [learn, &["--target", "y", "--drop", "word,day,label"]].concat()));
    plain.chain(OF_WORDS.into_iter().map(|(name, learn)| (name, learn.to_vec())))
}

/// Words, days, a gap, a number and a label, which depend on two inputs.
fn rows() -> String {
    let row = |t: usize| {
        let (a, b) = ((t * 7 % 11) as f64 / 11.0, (t * 5 % 13) as f64 / 13.0);
        let word = ["red", "green", "blue"][t * 7 % 11 % 3];
        let day = if t == 13 { String::new() } else { format!("2026-01-{:02}", t % 28 + 1) };
        format!("{a:.6},{b:.6},{word},{day},{:.6},{}\n", (3.0 * a).sin() + 0.3 * b, if a > b { 1 } else { -1 })
    };
    "a,b,word,day,y,label\n".to_owned() + &(0..ROWS[1]).map(row).collect::<String>()
}

/// What a model predicts for the rows after those that it has learnt, as words.
fn goes_on(model: &str, rows: &str, folder: &Folder) -> Vec<String> {
    let input = folder.file("next.csv", part(rows, ROWS[0], ROWS[1]));
    let output = stream(&["--load", model, "--input", &input]);
    assert!(output.status.success(), "{model}: {}", stderr(&output));
    let lines = String::from_utf8(output.stdout).unwrap();
    lines.lines().skip(1).map(|line| line.split(',').nth(2).unwrap().to_owned()).collect()
}

fn write(place: &Path) {
    let folder = Folder::new();
    fs::create_dir(place).unwrap();
    let (rows, mut told) = (rows(), String::new());
    let input = folder.file("rows.csv", part(&rows, 0, ROWS[0]));
    for (name, learn) in models() {
        let model = place.join(name).with_extension("safetensors");
        let output = stream(&[&learn[..], &["--input", &input, "--save", text(&model)]].concat());
        assert!(output.status.success(), "{name}: {}", stderr(&output));
        told += &format!("{name},{}\n", goes_on(text(&model), &rows, &folder).join(","));
    }
    fs::write(place.join("rows.csv"), rows).unwrap();
    fs::write(place.join("predictions.csv"), told).unwrap();
}

/// How many models of a version there are, and which of them cannot be read or predict something else.
fn differing(place: &Path) -> (usize, Vec<String>) {
    let folder = Folder::new();
    let [rows, predictions] = ["rows.csv", "predictions.csv"].map(|name| fs::read_to_string(place.join(name)).unwrap());
    let close = |found: &str, expected: &str| match (found.parse::<f64>(), expected.parse::<f64>()) {
        (Ok(found), Ok(expected)) => (found - expected).abs() < 1e-9 * expected.abs().max(1.0),
        _ => found == expected,
    };
    let differs = |line: &str| {
        let (name, expected) = line.split_once(',')?;
        let found = goes_on(text(&place.join(name).with_extension("safetensors")), &rows, &folder);
        let expected: Vec<&str> = expected.split(',').collect();
        let same = found.len() == expected.len() && found.iter().zip(&expected).all(|(a, b)| close(a, b));
        (!same).then(|| format!("{name}: {found:?}, and not {expected:?}"))
    };
    (predictions.lines().count(), predictions.lines().filter_map(differs).collect())
}

#[test]
fn models_of_earlier_versions_go_on() {
    let earlier = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/stream/earlier");
    let this = earlier.join(env!("CARGO_PKG_VERSION"));
    if std::env::var_os("NOREGRET_BLESS").is_some() && !this.exists() {
        write(&this);
    }
    let versions: Vec<PathBuf> = fs::read_dir(&earlier)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("predictions.csv").exists())
        .collect();
    assert!(!versions.is_empty());
    for version in versions {
        let (count, differ) = differing(&version);
        assert!(count >= FIRST && differ.is_empty(), "{}: {differ:#?}", version.display());
    }
}

/// The test above finds the one model that goes on otherwise.
#[test]
fn a_model_that_goes_on_otherwise_is_found() {
    let earlier = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/stream/earlier/0.1.0");
    let folder = Folder::new();
    for name in ["rows.csv", "predictions.csv"] {
        folder.file(name, fs::read(earlier.join(name)).unwrap());
    }
    for (name, _) in models() {
        // One of them is not what it says.
        let other = if name == "kernel-awv" { "kernel-ridge" } else { name };
        folder
            .file(&format!("{name}.safetensors"), fs::read(earlier.join(other).with_extension("safetensors")).unwrap());
    }
    let (_, differ) = differing(&folder.path(""));
    assert!(differ.len() == 1 && differ[0].starts_with("kernel-awv: "), "{differ:#?}");
}
