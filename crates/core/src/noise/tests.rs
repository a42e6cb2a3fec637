//! Every law agrees with its closed form, on 200,000 numbers at noise_std = 0.7 with fixed seeds. Bounds are five
//! standard errors (two-sided false-alarm rate 6e-7 each) or Kolmogorov-Smirnov at rate 1e-6.

use std::f64::consts::{FRAC_2_SQRT_PI, PI, SQRT_2};
use std::sync::Arc;

use super::*;
use crate::noise::api::{NoiseEntry, NoiseLaw};
use crate::params::check::check;
use crate::parts::AllParts;
use noregret_numeric::draw::{Draws, Role};

const STD: f64 = 0.7;
const ROUNDS: u64 = 50_000;
const DIM: usize = 4;

type Cdf = fn(f64) -> f64;

/// The fourth moment of a law with standard deviation 1, and its cdf if it is continuous. None for laws that change
/// over time.
fn closed_form(name: &str) -> Option<(f64, Option<Cdf>)> {
    Some(match name {
        "gaussian" | "multivariate-gaussian" => (3.0, Some(|z| 0.5 * (1.0 + erf(z / SQRT_2)))),
        "laplace" => (6.0, Some(|z| if z < 0.0 { 0.5 * (SQRT_2 * z).exp() } else { 1.0 - 0.5 * (-SQRT_2 * z).exp() })),
        "rademacher" => (1.0, None),
        "uniform" => (1.8, Some(|z| (0.5 + z / 12f64.sqrt()).clamp(0.0, 1.0))),
        // Five degrees of freedom, in units of their standard deviation sqrt(5/3).
        "student-t" => (
            9.0,
            Some(|z| {
                let u = 1.0 + z * z / 3.0;
                0.5 + ((z / 3f64.sqrt()) / u * (1.0 + 2.0 / (3.0 * u)) + (z / 3f64.sqrt()).atan()) / PI
            }),
        ),
        "adaptive" | "adversarial" | "alternating" | "drifting" | "varying-laplace" => return None,
        other => panic!("no closed form is listed for `{other}`: add it here"),
    })
}

/// erf by the series 2/sqrt(pi) exp(-z^2) sum_n 2^n z^(2n+1) / (2n+1)!!, whose terms all have one sign.
fn erf(z: f64) -> f64 {
    let (mut term, mut sum, mut n) = (z, z, 1.0);
    while term.abs() > 1e-17 * sum.abs() {
        term *= 2.0 * z * z / (2.0 * n + 1.0);
        sum += term;
        n += 1.0;
    }
    FRAC_2_SQRT_PI * (-z * z).exp() * sum
}

fn law(entry: &NoiseEntry, std: f64) -> Arc<dyn NoiseLaw> {
    let by_std = entry.params.iter().any(|spec| spec.name == "noise_std");
    let (name, value) = if by_std { ("noise_std", std) } else { ("covariance", std * std) };
    from(entry, toml::Table::from_iter([(name.to_owned(), toml::Value::Float(value))]))
}

fn from(entry: &NoiseEntry, table: toml::Table) -> Arc<dyn NoiseLaw> {
    (entry.build)(&check(entry.params, &table, "", &AllParts).unwrap()).unwrap()
}

/// All numbers, in units of the standard deviation, `DIM` per round.
fn sample(entry: &NoiseEntry) -> Vec<f64> {
    let (law, draws) = (law(entry, STD), Draws::named(&["noise law", entry.name]));
    let mut all = Vec::new();
    for round in 1..=ROUNDS {
        let mut out = [0.0; DIM];
        law.sample(round, &mut draws.at(Role::Copies, round), &mut out);
        all.extend(out.map(|value| value / STD));
    }
    all
}

#[test]
fn moments() {
    for entry in NOISES.iter() {
        let numbers = sample(entry);
        let n = numbers.len() as f64;
        let squares = numbers.iter().map(|z| z * z).sum::<f64>();
        assert!(numbers.iter().sum::<f64>().abs() < 5.0 * squares.sqrt(), "{}", entry.name);
        let Some((fourth, _)) = closed_form(entry.name) else { continue };
        // The variance of z^2 is E z^4 - 1. For the two-point law the square is 1 up to rounding.
        let bound = 5.0 * ((fourth - 1.0) / n).sqrt() + 1e-9;
        assert!((squares / n - 1.0).abs() < bound, "{}: variance {}", entry.name, squares / n);
    }
}

/// Half a period is as long as the other half, or the mean variance would not be the one that was asked for.
#[test]
fn odd_periods_do_not_alternate() {
    let entry = NOISES.find("alternating").unwrap();
    let built = |period: u64| {
        let params = check(
            entry.params,
            &format!("noise_std = 1\nperiod = {period}").parse::<toml::Table>().unwrap(),
            "",
            &AllParts,
        )
        .unwrap();
        (entry.build)(&params).map(|_| ()).map_err(|error| error.to_string())
    };
    for period in [1, 3, 99] {
        assert!(built(period).unwrap_err().contains("even number"), "{period}");
    }
    assert_eq!((built(2), built(100)), (Ok(()), Ok(())));
}

/// A table that says what its list is must be right.
#[test]
fn covariances_are_what_they_are_called() {
    let read = |text: &str| {
        check(multivariate_gaussian::ENTRY.params, &text.parse::<toml::Table>().unwrap(), "", &AllParts).is_ok()
    };
    for right in ["0.5", "[1, 2]", "{ diagonal = [1, 2] }", "[[1, 0], [0, 1]]", "{ matrix = [[1, 0], [0, 1]] }"] {
        assert!(read(&format!("covariance = {right}")), "{right}");
    }
    for wrong in ["{ matrix = [1, 2] }", "{ diagonal = [[1, 0], [0, 1]] }", "{ rows = [[1]] }", "[[1, 0], 2]", "[]"] {
        assert!(!read(&format!("covariance = {wrong}")), "{wrong}");
    }
}

/// Means of products of coordinates agree with the covariance that the law states for each round, within five of their
/// standard errors (two-sided).
#[test]
fn covariances_are_those_told() {
    let mut laws: Vec<_> = NOISES.iter().map(|entry| (entry.name.to_owned(), law(entry, STD))).collect();
    let full = "covariance = [[0.5, 0.2, 0, 0.1], [0.2, 0.4, 0, 0], [0, 0, 0.1, -0.05], [0.1, 0, -0.05, 0.3]]";
    for text in ["covariance = { diagonal = [0.1, 0.0, 0.5, 2.0] }", full] {
        laws.push((text.to_owned(), from(&multivariate_gaussian::ENTRY, text.parse().unwrap())));
    }
    for (name, law) in laws {
        let draws = Draws::named(&["noise covariance", &name]);
        let (mut sums, mut squares) = ([[0.0; DIM]; DIM], [[0.0; DIM]; DIM]);
        for round in 1..=ROUNDS {
            let mut noise = [0.0; DIM];
            law.sample(round, &mut draws.at(Role::Copies, round), &mut noise);
            for i in 0..DIM {
                let mut unit = [0.0; DIM];
                unit[i] = 1.0;
                let mut column = [f64::NAN; DIM];
                law.covariance_times(round, &unit, &mut column);
                for j in 0..DIM {
                    let difference = noise[i] * noise[j] - column[j];
                    sums[i][j] += difference;
                    squares[i][j] += difference * difference;
                }
            }
        }
        for (sum, square) in sums.iter().flatten().zip(squares.iter().flatten()) {
            assert!(sum.abs() <= 5.0 * square.sqrt() + 1e-9 * ROUNDS as f64, "{name}: {sums:?} {squares:?}");
        }
    }
}

/// Laws that change over time state variances that differ between rounds and have the mean noise_std^2.
#[test]
fn changing_laws_keep_their_mean_variance() {
    for entry in NOISES.iter().filter(|entry| closed_form(entry.name).is_none()) {
        let law = law(entry, STD);
        let told: Vec<f64> = (1..=40_000)
            .map(|round| {
                let mut out = [0.0; DIM];
                law.covariance_times(round, &[1.0; DIM], &mut out);
                out[0]
            })
            .collect();
        let mean = told.iter().sum::<f64>() / told.len() as f64;
        assert!(told.iter().any(|variance| (variance - told[0]).abs() > 0.1 * mean), "{}", entry.name);
        // The drawn variances of `varying-laplace` have a standard error of 0.0029 in units of their mean.
        assert!((mean / (STD * STD) - 1.0).abs() < 0.0145, "{}: {mean}", entry.name);
    }
}

#[test]
fn coordinates_and_rounds_are_uncorrelated() {
    for entry in NOISES.iter() {
        let numbers = sample(entry);
        for lag in [1, DIM] {
            let products = numbers.iter().zip(&numbers[lag..]).map(|(a, b)| a * b);
            let (sum, squares) = products.fold((0.0, 0.0), |(sum, squares), p| (sum + p, squares + p * p));
            assert!(f64::abs(sum) <= 5.0 * f64::sqrt(squares), "{}: lag {lag}: {sum}", entry.name);
        }
    }
}

#[test]
fn distributions() {
    for entry in NOISES.iter() {
        let mut numbers = sample(entry);
        let n = numbers.len() as f64;
        let Some((_, cdf)) = closed_form(entry.name) else { continue };
        let Some(cdf) = cdf else {
            assert!(numbers.iter().all(|z| z.abs() == 1.0), "{}", entry.name);
            continue;
        };
        numbers.sort_by(f64::total_cmp);
        let distance = numbers.iter().enumerate().fold(0.0f64, |worst, (i, &z)| {
            let (below, above) = (i as f64 / n, (i + 1) as f64 / n);
            worst.max((cdf(z) - below).abs()).max((above - cdf(z)).abs())
        });
        // P(distance > c / sqrt(n)) is about 2 exp(-2 c^2): 1e-6 at c = 2.694.
        assert!(distance < 2.694 / n.sqrt(), "{}: {distance}", entry.name);
    }
}

#[test]
fn no_deviation_is_no_noise() {
    for entry in NOISES.iter() {
        let mut out = [1.0; DIM];
        law(entry, 0.0).sample(1, &mut Draws::named(&["zero"]).at(Role::Copies, 1), &mut out);
        assert!(out.iter().all(|&noise| noise == 0.0), "{}", entry.name);
    }
}

#[test]
fn erf_agrees_with_tables() {
    // Abramowitz and Stegun, table 7.1.
    for (z, value) in [(0.5, 0.520_499_877_8), (1.0, 0.842_700_792_9), (2.0, 0.995_322_265_0)] {
        assert!((erf(z) - value).abs() < 1e-10);
        assert!((erf(-z) + value).abs() < 1e-10);
    }
}

/// The largest moments: no round of 2,000 has a larger covariance, some round comes within a fifth of it, and of laws that do not
/// change over time the fourth moment is that of the closed form.
#[test]
fn spreads_are_the_largest_moments() {
    for entry in NOISES.iter() {
        let law = law(entry, STD);
        let spread = law.spread(DIM).unwrap();
        let (mut largest, mut trace) = (0.0f64, 0.0f64);
        for round in 1..=2_000 {
            let mut sum = 0.0;
            for i in 0..DIM {
                let (mut unit, mut product) = ([0.0; DIM], [0.0; DIM]);
                unit[i] = 1.0;
                law.covariance_times(round, &unit, &mut product);
                largest = largest.max(product[i]);
                sum += product[i];
            }
            trace = trace.max(sum);
        }
        let reached = |found: f64, bound: f64| found <= bound * (1.0 + 1e-12) && found > 0.8 * bound;
        assert!(reached(largest, spread.variance) && reached(trace, spread.trace), "{}: {spread:?}", entry.name);
        if let Some((fourth, _)) = closed_form(entry.name) {
            let of_square = DIM as f64 * (fourth - 1.0) * STD.powi(4);
            assert!((spread.of_square - of_square).abs() < 1e-12, "{}: {spread:?}", entry.name);
        }
    }
}

/// E |x + n|^4 over 200,000 vectors of Laplace noise around a fixed x, within 5 standard errors (false-alarm rate 6e-7).
#[test]
fn fourth_moments_of_noisy_vectors() {
    let law = law(NOISES.find("laplace").unwrap(), STD);
    let (x, mut noise) = ([0.6, -0.8], [0.0; 2]);
    let fourth: Vec<f64> = (1..=200_000)
        .map(|round| {
            law.sample(round, &mut Draws::named(&["fourth"]).at(Role::Copies, round), &mut noise);
            x.iter().zip(noise).map(|(x, n)| (x + n).powi(2)).sum::<f64>().powi(2)
        })
        .collect();
    let count = fourth.len() as f64;
    let mean = fourth.iter().sum::<f64>() / count;
    let deviation = (fourth.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt();
    let expected = law.spread(2).unwrap().fourth_moment(1.0);
    assert!((mean - expected).abs() < 5.0 * deviation / count.sqrt(), "{mean} {expected}");
}
