//! Coverage of the intervals of exponents and error rates of the verdicts, by simulation: `cargo bench --bench rates`.
//! It takes a few seconds; the test suite runs a small part of it. It fails if a coverage is outside 92.5 % to 97.5 %.
//! With 2000 samples, a true coverage of 95 % is outside with a probability below 1e-5.

use std::process::ExitCode;

use noregret_numeric::draw::{Draw, Draws, Role};
use noregret_papers::theorem::GrowthRate;
use noregret_report::analysis::rate::curvature::bend;
use noregret_report::analysis::rate::exponent::{exponent, interval, slope};
use noregret_report::analysis::rate::sample::RateSample;
use noregret_report::analysis::rate::verdict::{ExponentVerdict, compare};

const SAMPLES: u64 = 2000;

/// The dependence between the values of one seed at the horizons.
#[derive(Clone, Copy, Debug)]
enum Noise {
    /// Independent, with a coefficient of variation of about 0.3.
    Independent,
    /// A factor per seed (common random numbers).
    SeedEffect,
    /// A slope per seed.
    SeedSlope,
    /// Sums along one trace.
    Prefixes,
    /// Independent, with heavy tails: Student's t with 3 degrees of freedom on the log scale.
    HeavyTails,
}

/// The values of one seed: sqrt(T) times noise.
fn row(noise: Noise, horizons: &[u64], draw: &mut Draw) -> Vec<f64> {
    let (factor, tilt) = (0.4 * draw.normal(), 0.06 * draw.normal());
    let middle = 0.5 * ((horizons[0] as f64).ln() + (horizons[horizons.len() - 1] as f64).ln());
    let (mut walk, mut last) = (0.0, 0.0);
    let value = |t: &u64| {
        let t = *t as f64;
        let log = match noise {
            Noise::Independent => 0.3 * draw.normal(),
            Noise::SeedEffect => factor + 0.1 * draw.normal(),
            Noise::SeedSlope => tilt * (t.ln() - middle) + 0.1 * draw.normal(),
            Noise::Prefixes => {
                // A random walk observed at T: relative deviations shrink like 1 / sqrt(T / T_1).
                walk += (t - last).sqrt() * draw.normal();
                last = t;
                0.3 * walk / t
            }
            Noise::HeavyTails => {
                let chi: f64 = (0..3).map(|_| draw.normal().powi(2)).sum();
                0.15 * draw.normal() / (chi / 3.0).sqrt()
            }
        };
        t.sqrt() * log.exp()
    };
    horizons.iter().map(value).collect()
}

fn sample(noise: Noise, seeds: u64, horizons: &[u64], draws: &Draws, key: u64) -> RateSample {
    let values = (0..seeds).map(|seed| row(noise, horizons, &mut draws.at(Role::Example, 64 * key + seed))).collect();
    RateSample { horizons: horizons.to_vec(), replicates: (0..seeds).collect(), values }
}

fn main() -> ExitCode {
    let horizons: Vec<u64> = (10..18).map(|power| 1 << power).collect();
    let t: Vec<f64> = horizons.iter().map(|t| *t as f64).collect();
    let mut well = true;
    println!(
        "coverage of nominal 95 % intervals, 8 horizons 2^10 to 2^17, {SAMPLES} samples; then verdicts for sqrt T"
    );
    println!("noise        seeds  coverage  half width  matches  steeper  curved");
    for noise in [Noise::Independent, Noise::SeedEffect, Noise::SeedSlope, Noise::Prefixes, Noise::HeavyTails] {
        for seeds in [5, 10, 20] {
            let draws = Draws::named(&["bench", "rates", &format!("{noise:?}")]);
            let (mut covered, mut width, mut matches, mut steeper, mut curved) = (0, 0.0, 0, 0, 0);
            // The exponent of the expectation, because means of skew noise are not flat in the logs.
            let truth = {
                let mut means = vec![0.0; t.len()];
                for key in 0..20_000 {
                    let row = row(noise, &horizons, &mut draws.at(Role::Start, key));
                    means.iter_mut().zip(row).for_each(|(mean, value)| *mean += value);
                }
                slope(&t, &means).unwrap_or(f64::NAN)
            };
            for key in 0..SAMPLES {
                let sample = sample(noise, seeds, &horizons, &draws, key);
                let Some(found) = exponent(&sample) else { continue };
                let (low, high) = interval(&found, 0.95);
                covered += u64::from((low..=high).contains(&truth));
                width += 0.5 * (high - low) / SAMPLES as f64;
                match compare(&found, t.len(), 0.5, 0.05).verdict {
                    ExponentVerdict::Matches => matches += 1,
                    ExponentVerdict::Steeper => steeper += 1,
                    _ => {}
                }
                curved += u64::from(bend(&sample, &GrowthRate::power(0.5), 0.05).is_some_and(|bend| bend.curved));
            }
            let share = |count: u64| 100.0 * count as f64 / SAMPLES as f64;
            let coverage = share(covered);
            well &= (92.5..=97.5).contains(&coverage);
            println!(
                "{:12} {seeds:5}  {coverage:7.1}%  {width:10.4}  {:6.1}%  {:6.1}%  {:5.1}%",
                format!("{noise:?}"),
                share(matches),
                share(steeper),
                share(curved)
            );
        }
    }
    if well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
