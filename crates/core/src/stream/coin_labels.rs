//! Labels that are independent of their inputs, for several laws of inputs.

use crate::params::typed::parameters;
use crate::stream::api::{self, EXAMPLE, Reach, Source};
use noregret_numeric::draw::Draws;

/// How the coordinates of an input are distributed. They are independent.
#[derive(Clone, Copy, Debug)]
pub(crate) enum InputLaw {
    /// N(0, 1).
    Gaussian,
    /// Uniform on [-1, 1].
    Uniform,
}

/// The law of independent inputs whose labels are -1 or +1 with probability 1/2 each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CoinLabels {
    inputs: InputLaw,
    dim: usize,
}

impl CoinLabels {
    /// The law with inputs of this kind.
    pub(crate) fn new(inputs: InputLaw, params: &CoinLabelsParams) -> Self {
        Self { inputs, dim: params.dim as usize }
    }
}

parameters! {
    /// Parameters of `gaussian-inputs` and `uniform-inputs`.
    pub(crate) struct CoinLabelsParams {
        dim: u64 = api::DIM;
    }
}

impl Source for CoinLabels {
    fn dim(&self) -> usize {
        self.dim
    }

    fn example(&self, round: u64, draws: &Draws, x: &mut [f64]) -> f64 {
        let mut draw = draws.at(EXAMPLE, round);
        match self.inputs {
            InputLaw::Gaussian => x.fill_with(|| draw.normal()),
            InputLaw::Uniform => x.fill_with(|| draw.between(-1.0, 1.0)),
        }
        draw.sign()
    }

    fn reach(&self) -> Option<Reach> {
        let input = match self.inputs {
            InputLaw::Gaussian => f64::INFINITY,
            InputLaw::Uniform => (self.dim as f64).sqrt(),
        };
        Some(Reach { input, target: 1.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// First and second moments over 20,000 rounds within 5 standard errors (rate 6e-7 each, 16 of them).
    #[test]
    fn moments() {
        // Standard deviations of x, and of x^2 where x has variance 1.
        for (inputs, deviation, of_square) in
            [(InputLaw::Gaussian, 1.0, 2f64.sqrt()), (InputLaw::Uniform, 1.0 / 3f64.sqrt(), 0.8f64.sqrt())]
        {
            let (law, draws, n) = (CoinLabels { inputs, dim: 2 }, Draws::named(&["coin-labels"]), 20_000u64);
            let mut sums = [0.0; 8];
            for round in 1..=n {
                let mut x = [0.0; 2];
                let y = law.example(round, &draws, &mut x);
                assert_eq!(y.abs(), 1.0);
                let [a, b] = x.map(|x| x / deviation);
                let squares = [a, b].map(|x| (x * x - 1.0) / of_square);
                let standardised = [a, b, squares[0], squares[1], a * b, y, y * a, y * b];
                sums.iter_mut().zip(standardised).for_each(|(sum, value)| *sum += value);
            }
            for (i, sum) in sums.iter().enumerate() {
                assert!(sum.abs() < 5.0 * (n as f64).sqrt(), "{inputs:?}, moment {i}: {sum}");
            }
        }
    }
}
