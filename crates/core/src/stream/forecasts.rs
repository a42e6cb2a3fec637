//! forecasts: the inputs are forecasts of the target, for learners that aggregate them. All numbers are in [-1, 1].
//!
//! ```text
//! coin         f = (-1, 1);  y = 1 with probability p, else -1
//! biased       f_k = m_t + b_k + 0.3 N, cut;  y = m_t + 0.2 N, cut;  m_t = 0.6 sin(2 pi t / 200), b_k from -0.4 to 0.4 in equal steps
//! alternating  f_k = 0;  y = s_t N, cut, with s_t = 0.05 and 0.2 by turns, a piece each
//! changing     y = 0.2 N, cut;  f_k = 0.9 + 0.05 N, cut, except for one k, where f_k = 0.05 N; that k is another in every piece
//! ```
//!
//! N is standard normal, and everything is independent. A forecast is absent (NaN) with the probability `absent`.

use std::f64::consts::TAU;
use std::sync::Arc;

use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind, Range};
use crate::stream::api::{EXAMPLE, Reach, Source, StreamEntry};
use noregret_numeric::draw::{Draw, Draws};

/// The registry's line.
pub(crate) static ENTRY: StreamEntry = StreamEntry {
    name: "forecasts",
    summary: "inputs that are forecasts of the target: two constants and a coin, forecasts with bias and noise, one good forecast that changes, or 0 and noise that changes",
    module: module_path!(),
    params: ForecastsParams::SPECS,
    build: |params| Ok(Arc::new(ForecastsLaw::new(&Parameters::read(params)))),
};

parameters! {
    /// Parameters of `forecasts`.
    pub(crate) struct ForecastsParams {
        /// a coin, forecasts with biases and noise, one good forecast that changes, or forecasts 0 of noise whose size
        /// alternates
        kind: &'static str =
            Kind::Choice(&["biased", "coin", "changing", "alternating"]) => Fallback::Word("biased");
        /// how many forecasts (the coin has 2)
        experts: u64 = Kind::integer(1, 10_000) => Fallback::Integer(10);
        /// of the target 1 of the coin
        probability: f64 = Kind::real(UNIT) => Fallback::Real(0.5);
        /// rounds from one change to the next (changing, alternating)
        piece: u64 = Kind::integer(1, u64::MAX >> 12) => Fallback::Integer(1000);
        /// probability with which a forecast is absent
        absent: f64 = Kind::real(UNIT) => Fallback::Real(0.0);
        /// number of changes, at equal distances within the horizon (changing); 0: they are `piece` rounds apart
        changes: u64 = Kind::integer(0, 1_000_000) => Fallback::Added(&Fallback::Integer(0));
    }
}

const UNIT: Range = Range { min: 0.0, min_open: false, max: 1.0, max_open: false };

/// The law; see the module.
#[derive(Clone, Copy, Debug)]
struct ForecastsLaw {
    kind: ForecastKind,
    experts: usize,
    absent: f64,
}

#[derive(Clone, Copy, Debug)]
enum ForecastKind {
    Coin { probability: f64 },
    Biased,
    Changing { when: When },
    Alternating { piece: u64 },
}

/// When the good forecast changes.
#[derive(Clone, Copy, Debug)]
enum When {
    /// After every so many rounds.
    Every(u64),
    /// So often within a horizon, at equal distances.
    Within { changes: u64, rounds: u64 },
}

impl When {
    /// How many changes there were before a round.
    fn before(self, round: u64) -> u64 {
        match self {
            When::Every(piece) => (round - 1) / piece,
            When::Within { changes, rounds } => {
                (u128::from(round - 1) * u128::from(changes + 1) / u128::from(rounds.max(round))) as u64
            }
        }
    }
}

/// The horizon of a law that was not told any.
const ROUNDS: u64 = 1000;

impl ForecastsLaw {
    fn new(params: &ForecastsParams) -> Self {
        let kind = match params.kind {
            "coin" => ForecastKind::Coin { probability: params.probability },
            "changing" => ForecastKind::Changing {
                when: match params.changes {
                    0 => When::Every(params.piece),
                    changes => When::Within { changes, rounds: ROUNDS },
                },
            },
            "alternating" => ForecastKind::Alternating { piece: params.piece },
            _ => ForecastKind::Biased,
        };
        let experts = if params.kind == "coin" { 2 } else { params.experts as usize };
        Self { kind, experts, absent: params.absent }
    }
}

/// A normal number around `mean`, cut to [-1, 1].
fn around(mean: f64, deviation: f64, draw: &mut Draw) -> f64 {
    (mean + deviation * draw.normal()).clamp(-1.0, 1.0)
}

impl Source for ForecastsLaw {
    fn dim(&self) -> usize {
        self.experts
    }

    fn example(&self, round: u64, draws: &Draws, x: &mut [f64]) -> f64 {
        let draw = &mut draws.at(EXAMPLE, round);
        let target = match self.kind {
            ForecastKind::Coin { probability } => {
                x.copy_from_slice(&[-1.0, 1.0]);
                if draw.uniform() < probability { 1.0 } else { -1.0 }
            }
            ForecastKind::Biased => {
                let mean = 0.6 * (TAU * (round - 1) as f64 / 200.0).sin();
                let steps = (x.len() - 1).max(1) as f64;
                for (k, forecast) in x.iter_mut().enumerate() {
                    *forecast = around(mean - 0.4 + 0.8 * k as f64 / steps, 0.3, draw);
                }
                around(mean, 0.2, draw)
            }
            ForecastKind::Alternating { piece } => {
                x.fill(0.0);
                around(0.0, if ((round - 1) / piece).is_multiple_of(2) { 0.05 } else { 0.2 }, draw)
            }
            ForecastKind::Changing { when } => {
                let good = when.before(round) as usize % x.len();
                for (k, forecast) in x.iter_mut().enumerate() {
                    *forecast = around(if k == good { 0.0 } else { 0.9 }, 0.05, draw);
                }
                around(0.0, 0.2, draw)
            }
        };
        if self.absent > 0.0 {
            for forecast in x {
                if draw.uniform() < self.absent {
                    *forecast = f64::NAN;
                }
            }
        }
        target
    }

    fn over(&self, rounds: u64) -> Option<Arc<dyn Source>> {
        match self.kind {
            ForecastKind::Changing { when: When::Within { changes, .. } } => Some(Arc::new(Self {
                kind: ForecastKind::Changing { when: When::Within { changes, rounds } },
                ..*self
            })),
            _ => None,
        }
    }

    fn reach(&self) -> Option<Reach> {
        Some(Reach { input: (self.experts as f64).sqrt(), target: 1.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four changes within 1,000 rounds are as changes after every 200; told of 10 rounds, they are 2 apart.
    #[test]
    fn changes_are_relative_to_the_horizon() {
        let within = |rounds| When::Within { changes: 4, rounds };
        assert!((1..=1000).all(|round| within(1000).before(round) == When::Every(200).before(round)));
        assert_eq!([1, 2, 3, 9, 10].map(|round| within(10).before(round)), [0, 0, 1, 4, 4]);
        // A law that goes on after its horizon does not change any more.
        assert_eq!(within(10).before(500), 4);
    }

    /// Means over 20,000 rounds within 5 standard errors (false alarm: 6e-7 each, 4 of them); deviations are below 0.5.
    #[test]
    fn means_are_those_of_the_law() {
        let n = 20_000;
        let mean = |law: ForecastsLaw, of: &dyn Fn(&[f64], f64) -> f64| {
            let draws = Draws::named(&["forecasts"]);
            let mut x = vec![0.0; law.dim()];
            let total: f64 = (1..=n)
                .map(|round| {
                    let y = law.example(round, &draws, &mut x);
                    of(&x, y)
                })
                .sum();
            total / n as f64
        };
        let near = |found: f64, expected: f64, deviation: f64| {
            assert!((found - expected).abs() < 5.0 * deviation / (n as f64).sqrt(), "{found} {expected}");
        };
        let coin = ForecastsLaw { kind: ForecastKind::Coin { probability: 0.6 }, experts: 2, absent: 0.0 };
        near(mean(coin, &|_, y| y), 0.2, 1.0);
        let biased = ForecastsLaw { kind: ForecastKind::Biased, experts: 10, absent: 0.4 };
        near(mean(biased, &|x, _| x.iter().filter(|f| f.is_nan()).count() as f64 / 10.0), 0.4, 0.5);
        let changing =
            ForecastsLaw { kind: ForecastKind::Changing { when: When::Every(100) }, experts: 5, absent: 0.0 };
        near(mean(changing, &|x, _| x.iter().filter(|f| f.abs() < 0.5).count() as f64), 1.0, 0.01);
        near(mean(changing, &|x, _| x[1]), 0.8 * 0.9, 0.4);
    }
}
