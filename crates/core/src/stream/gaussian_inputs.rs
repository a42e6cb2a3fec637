//! Gaussian inputs with labels that cannot be learnt: the regret of a regularised forecaster is then nearly its
//! effective dimension, which grows like (log n)^(d+1) under a Gaussian kernel.

use std::sync::Arc;

use crate::draw::Draws;
use crate::params::{Fallback, Kind, ParamError, Params, Spec};
use crate::stream::api::{EXAMPLE, Source, StreamEntry};

/// The registry's line.
pub static ENTRY: StreamEntry = StreamEntry {
    name: "gaussian-inputs",
    summary: "x ~ N(0, I_d), y = -1 or +1 with probability 1/2, independent of x",
    module: module_path!(),
    params: &[Spec {
        name: "dim",
        doc: "d: number of inputs",
        kind: Kind::Integer { min: 1, max: 10_000 },
        default: Fallback::Integer(1),
    }],
    build,
};

fn build(params: &Params) -> Result<Arc<dyn Source>, ParamError> {
    Ok(Arc::new(GaussianInputs { dim: params.integer("dim") as usize }))
}

/// The law; see the module.
#[derive(Clone, Copy, Debug)]
pub struct GaussianInputs {
    dim: usize,
}

impl Source for GaussianInputs {
    fn dim(&self) -> usize {
        self.dim
    }

    fn rounds(&self) -> Option<u64> {
        None
    }

    fn example(&self, round: u64, draws: &Draws, x: &mut [f64]) -> f64 {
        let mut draw = draws.at(EXAMPLE, round);
        x.fill_with(|| draw.normal());
        draw.sign()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// First and second moments over 20,000 rounds within 5 standard errors (rate 6e-7 each, 8 of them).
    #[test]
    fn moments() {
        let (law, draws, n) = (GaussianInputs { dim: 2 }, Draws::named(&["gaussian-inputs"]), 20_000u64);
        let mut sums = [0.0; 8];
        for round in 1..=n {
            let mut x = [0.0; 2];
            let y = law.example(round, &draws, &mut x);
            assert_eq!(y.abs(), 1.0);
            let [a, b] = x;
            let (squares, root2) = ([a * a - 1.0, b * b - 1.0], 2f64.sqrt());
            let standardised = [a, b, squares[0] / root2, squares[1] / root2, a * b, y, y * a, y * b];
            sums.iter_mut().zip(standardised).for_each(|(sum, value)| *sum += value);
        }
        for (i, sum) in sums.iter().enumerate() {
            assert!(sum.abs() < 5.0 * (n as f64).sqrt(), "moment {i}: {sum}");
        }
    }
}
