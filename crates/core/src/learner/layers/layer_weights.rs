//! A function over finitely many neurons as its weights, with the sum of the weights over its history.

use std::sync::Arc;

use crate::feature::api::FeatureMap;
use noregret_numeric::linalg::vector::{add_scaled, dot, squared_norm};
use noregret_numeric::state::{State, StateError, Store, keep};

/// f = sum_j weights_j phi_j, which changes by steps along phi(x) and by division by 4.
#[derive(Debug)]
pub(crate) struct LayerWeights {
    map: Arc<dyn FeatureMap>,
    weights: Vec<f64>,
    /// Sum of the weights before each round so far.
    total: Vec<f64>,
    /// phi(x) of the input that was last looked at.
    features: Vec<f64>,
}

impl LayerWeights {
    /// The zero function before the first round.
    pub(crate) fn new(map: Arc<dyn FeatureMap>) -> Self {
        let zeros = vec![0.0; map.features()];
        Self { map, weights: zeros.clone(), total: zeros.clone(), features: zeros }
    }

    /// Computes phi(x), which the following steps and [`features`](Self::features) use.
    pub(crate) fn look(&mut self, x: &[f64]) {
        self.map.write(x, &mut self.features);
    }

    /// phi(x) of the input that was last looked at.
    pub(crate) fn features(&self) -> &[f64] {
        &self.features
    }

    /// f(x); looks at x.
    pub(crate) fn value(&mut self, x: &[f64]) -> f64 {
        self.look(x);
        dot(&self.weights, &self.features)
    }

    /// The mean over so many rounds of f before each round, at x; looks at x.
    pub(crate) fn averaged(&mut self, x: &[f64], rounds: usize) -> f64 {
        self.look(x);
        dot(&self.total, &self.features) / rounds.max(1) as f64
    }

    /// Ends a round: f + step phi(x) for the x that was last looked at, or f / 4.
    pub(crate) fn end_round(&mut self, step: f64, shrink: bool) {
        add_scaled(&mut self.total, 1.0, &self.weights);
        if shrink {
            self.weights.iter_mut().for_each(|weight| *weight *= 0.25);
        } else {
            add_scaled(&mut self.weights, step, &self.features);
        }
    }

    /// |f|.
    pub(crate) fn norm(&self) -> f64 {
        squared_norm(&self.weights).sqrt()
    }
}

impl State for LayerWeights {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        keep!(self, store: weights[..], total[..]; map, features);
        Ok(())
    }
}
