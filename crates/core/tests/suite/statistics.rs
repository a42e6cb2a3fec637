//! Statistical tests of the noisy learners: unbiased estimates, moments within their bounds, laws of the number of
//! queries. Seeds are fixed. A mean must be within five of its standard errors of its expectation (two-sided
//! false-alarm rate 6e-7 for a normal mean).

mod analytic;
mod linear;
mod norms;
mod surrogate;

use std::sync::Arc;

use noregret_core::noise::NOISES;
use noregret_core::noise::api::{NoiseLaw, Oracle};
use noregret_core::params::{Part, PartKind, check::Parts, check::check};
use noregret_core::parts::AllParts;
use noregret_numeric::draw::{Draw, Draws, Role};

/// Sample size, mean and standard error of numbers that arrive one by one.
#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    n: f64,
    mean: f64,
    spread: f64,
}

impl Mean {
    fn add(&mut self, value: f64) {
        self.n += 1.0;
        let difference = value - self.mean;
        self.mean += difference / self.n;
        self.spread += difference * (value - self.mean);
    }

    fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut mean = Mean::default();
        values.into_iter().for_each(|value| mean.add(value));
        mean
    }

    fn error(&self) -> f64 {
        (self.spread / self.n / (self.n - 1.0)).sqrt()
    }

    /// Whether `expected` is within five standard errors, or equal up to rounding.
    fn agrees(&self, expected: f64) -> bool {
        (self.mean - expected).abs() <= 5.0 * self.error() + 1e-12 * (1.0 + expected.abs())
    }
}

/// A clean example with noise laws for its input and its target.
struct Behind<'a> {
    x: &'a [f64],
    y: f64,
    round: u64,
    inputs: &'a dyn NoiseLaw,
    targets: &'a dyn NoiseLaw,
    draw: Draw,
}

impl Oracle for Behind<'_> {
    fn dim(&self) -> usize {
        self.x.len()
    }

    fn x(&mut self, out: &mut [f64]) {
        self.inputs.sample(self.round, &mut self.draw, out);
        out.iter_mut().zip(self.x).for_each(|(out, x)| *out += x);
    }

    fn y(&mut self) -> f64 {
        let mut noise = [0.0];
        self.targets.sample(self.round, &mut self.draw, &mut noise);
        self.y + noise[0]
    }

    fn covariance_times(&mut self, w: &[f64], out: &mut [f64]) {
        self.inputs.covariance_times(self.round, w, out);
    }
}

fn law(name: &str, parameters: &str) -> Arc<dyn NoiseLaw> {
    let entry = NOISES.get(name).unwrap();
    (entry.build)(&check(entry.params, &parameters.parse::<toml::Table>().unwrap(), "", &AllParts).unwrap()).unwrap()
}

fn part(kind: PartKind, text: &str) -> Part {
    AllParts.part(kind, &toml::from_str(text).unwrap(), None, "").unwrap()
}

fn draws(name: &str) -> Draws {
    Draws::named(&["statistics", name])
}

fn draw(name: &str) -> Draw {
    draws(name).at(Role::Start, 0)
}

/// Copies of a new point in each round, with Gaussian noise of variance 0.05.
fn behind_inputs(draws: &Draws, round: u64) -> Cloud {
    let mut draw = draws.at(Role::Copies, round);
    Cloud { x: [draw.between(-0.5, 0.5), draw.between(-0.5, 0.5)], draw }
}

/// Gaussian copies of a point.
struct Cloud {
    x: [f64; 2],
    draw: Draw,
}

impl Oracle for Cloud {
    fn dim(&self) -> usize {
        2
    }

    fn x(&mut self, out: &mut [f64]) {
        out.iter_mut().zip(self.x).for_each(|(out, x)| *out = x + 0.05f64.sqrt() * self.draw.normal());
    }

    fn y(&mut self) -> f64 {
        1.0
    }

    fn covariance_times(&mut self, w: &[f64], out: &mut [f64]) {
        out.iter_mut().zip(w).for_each(|(out, w)| *out = 0.05 * w);
    }
}
