use std::sync::Arc;

use super::CORRUPTIONS;
use super::corrupted::Corrupted;
use crate::params::check::check;
use crate::parts::AllParts;
use crate::stream::api::Source;
use crate::stream::table::{Examples, TableSource};
use noregret_numeric::draw::{Draws, Role};
use noregret_numeric::linalg::matrix::Matrix;

const COUNT: u64 = 40_000;

/// 40,000 draws from a law.
fn sample(name: &str, toml: &str) -> Vec<f64> {
    let entry = CORRUPTIONS.get(name).unwrap();
    let law =
        (entry.build)(&check(entry.params, &toml.parse::<toml::Table>().unwrap(), "", &AllParts).unwrap()).unwrap();
    let draws = Draws::named(&["corruption", name]);
    let sample: Vec<f64> = (1..=COUNT).map(|round| law.sample(&mut draws.at(Role::Corruption, round))).collect();
    let largest = sample.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    assert!(largest == law.largest() || law.largest().is_infinite(), "{name}: {largest}");
    sample
}

/// The share of draws with a property is within 5 standard errors of `expected` (rate 6e-7).
fn assert_share(sample: &[f64], expected: f64, property: impl Fn(f64) -> bool) {
    let share = sample.iter().filter(|&&value| property(value)).count() as f64 / COUNT as f64;
    let error = (expected * (1.0 - expected) / COUNT as f64).sqrt();
    assert!((share - expected).abs() <= 5.0 * error, "{share} instead of {expected}");
}

#[test]
fn contamination() {
    let both = sample("contamination", "share = 0.3\nsize = 7");
    assert!(both.iter().all(|value| [0.0, 7.0, -7.0].contains(value)));
    assert_share(&both, 0.15, |value| value > 0.0);
    assert_share(&both, 0.15, |value| value < 0.0);
    let one = sample("contamination", "share = 0.3\nsize = -7\nsides = 'one'");
    assert!(one.iter().zip(&both).all(|(one, both)| (*one != 0.0) == (*both != 0.0) && *one <= 0.0));
    assert!(sample("contamination", "share = 0").iter().all(|value| *value == 0.0));
    assert!(sample("contamination", "share = 1\nsides = 'one'").iter().all(|value| *value == 10.0));
}

/// Quartiles at -scale and scale, the next octiles at scale tan(3 pi / 8), and symmetry.
#[test]
fn cauchy() {
    let values = sample("cauchy", "scale = 0.3");
    assert!(values.iter().all(|value| value.is_finite()));
    assert_share(&values, 0.25, |value| value > 0.3);
    assert_share(&values, 0.25, |value| value < -0.3);
    assert_share(&values, 0.125, |value| value > 0.3 * (0.375 * std::f64::consts::PI).tan());
}

/// Pieces of three rounds, of which every second one is negated; and so are targets behind a stream.
#[test]
fn negation() {
    let entry = CORRUPTIONS.get("negation").unwrap();
    let params = check(entry.params, &"piece = 3".parse::<toml::Table>().unwrap(), "", &AllParts).unwrap();
    let (law, draws) = ((entry.build)(&params).unwrap(), Draws::named(&["negation"]));
    let found: Vec<f64> =
        (1..=8).map(|round| law.corrupt(round, 2.0, &mut draws.at(Role::Corruption, round))).collect();
    assert_eq!(found, [2.0, 2.0, 2.0, -2.0, -2.0, -2.0, 2.0, 2.0]);
    let inputs = Matrix::from_data(8, 1, vec![0.0; 8]).unwrap();
    let examples = Arc::new(Examples::new(inputs, vec![2.0; 8]).unwrap());
    let stream = Corrupted::new(Arc::new(TableSource::in_file_order(examples)), law);
    let seen: Vec<f64> = (1..=8).map(|round| stream.example(round, &draws, &mut [0.0])).collect();
    assert_eq!(seen, found);
    assert!((1..=8).all(|round| stream.clean(round, &draws, &mut [0.0]) == 2.0));
}

#[test]
fn two_point() {
    let values = sample("two-point", "");
    assert!(values.iter().all(|value| *value == 1.5 || (*value + 1.0 / 6.0).abs() < 1e-15));
    assert_share(&values, 0.1, |value| value > 0.0);
    // Mean 0 and variance 0.25, within 5 standard errors.
    let mean = values.iter().sum::<f64>() / COUNT as f64;
    assert!(mean.abs() < 5.0 * 0.5 / (COUNT as f64).sqrt(), "{mean}");
}
