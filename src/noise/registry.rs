//! All noise laws, by name.

use crate::noise::api::NoiseEntry;
use crate::noise::{gaussian, laplace, rademacher, uniform};

/// Every noise law.
pub static NOISES: &[&NoiseEntry] = &[&gaussian::ENTRY, &laplace::ENTRY, &rademacher::ENTRY, &uniform::ENTRY];

/// The noise law of that name.
pub fn find(name: &str) -> Option<&'static NoiseEntry> {
    NOISES.iter().copied().find(|entry| entry.name == name)
}

#[cfg(test)]
mod tests {
    //! Every law against its closed form: 200,000 numbers at noise_std = 0.7, fixed seeds. Bounds are five standard
    //! errors (two-sided false-alarm rate 6e-7 each) or Kolmogorov-Smirnov at rate 1e-6.

    use std::f64::consts::{FRAC_2_SQRT_PI, SQRT_2};
    use std::sync::Arc;

    use super::*;
    use crate::draw::{Draws, Role};
    use crate::noise::api::NoiseLaw;
    use crate::params::check;
    use crate::parts::AllParts;

    const STD: f64 = 0.7;
    const ROUNDS: u64 = 50_000;
    const DIM: usize = 4;

    type Cdf = fn(f64) -> f64;

    /// What is known of a law with standard deviation 1: the fourth moment, and the cdf where it is continuous.
    fn closed_form(name: &str) -> (f64, Option<Cdf>) {
        match name {
            "gaussian" => (3.0, Some(|z| 0.5 * (1.0 + erf(z / SQRT_2)))),
            "laplace" => {
                (6.0, Some(|z| if z < 0.0 { 0.5 * (SQRT_2 * z).exp() } else { 1.0 - 0.5 * (-SQRT_2 * z).exp() }))
            }
            "rademacher" => (1.0, None),
            "uniform" => (1.8, Some(|z| (0.5 + z / 12f64.sqrt()).clamp(0.0, 1.0))),
            other => panic!("no closed form is listed for `{other}`: add it here"),
        }
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
        let table = toml::Table::from_iter([("noise_std".to_owned(), toml::Value::Float(std))]);
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
        for entry in NOISES {
            let (fourth, _) = closed_form(entry.name);
            let numbers = sample(entry);
            let n = numbers.len() as f64;
            let mean = numbers.iter().sum::<f64>() / n;
            assert!(mean.abs() < 5.0 / n.sqrt(), "{}: mean {mean}", entry.name);
            let variance = numbers.iter().map(|z| z * z).sum::<f64>() / n;
            // The variance of z^2 is E z^4 - 1; for the two-point law the square is 1 up to rounding.
            let bound = 5.0 * ((fourth - 1.0) / n).sqrt() + 1e-9;
            assert!((variance - 1.0).abs() < bound, "{}: variance {variance}", entry.name);
        }
    }

    #[test]
    fn coordinates_and_rounds_are_uncorrelated() {
        for entry in NOISES {
            let numbers = sample(entry);
            for lag in [1, DIM] {
                let n = (numbers.len() - lag) as f64;
                let covariance = numbers.iter().zip(&numbers[lag..]).map(|(a, b)| a * b).sum::<f64>() / n;
                assert!(covariance.abs() < 5.0 / n.sqrt(), "{}: lag {lag}: {covariance}", entry.name);
            }
        }
    }

    #[test]
    fn distributions() {
        for entry in NOISES {
            let mut numbers = sample(entry);
            let n = numbers.len() as f64;
            let Some(cdf) = closed_form(entry.name).1 else {
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
        for entry in NOISES {
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
}
