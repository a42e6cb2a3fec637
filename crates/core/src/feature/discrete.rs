//! A finite sample of neurons as the whole layer, whose kernel is then exact even without a closed form.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::feature::api::FeatureMap;
use crate::feature::family::{Family, FamilyEntry, Neurons};
use crate::params::entry::Chosen;
use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind, PartKind};
use noregret_numeric::draw::{Draw, Draws, Role};
use noregret_numeric::linalg::matrix::Matrix;

/// mu is uniform on `atoms` draws w_1, ..., w_D from another family's mu, so that k = Psi Psi' / D exactly.
///
/// The atoms depend only on the family, its parameters, the seed and the number of input columns. A learner, a
/// comparator and a stream that name the same layer therefore share it. w = (j), counted from 0.
#[derive(Debug)]
pub struct Discrete {
    of: Arc<dyn Family>,
    atoms: usize,
    draws: Draws,
    /// The layers by number of input columns, made on demand.
    layers: Mutex<BTreeMap<usize, Arc<Layer>>>,
}

/// The most numbers that the atoms of a layer may have together: 1 GiB.
const MOST_WEIGHTS: u64 = 1 << 27;

impl Discrete {
    /// `atoms` >= 1 draws of the family `of`, from `draws`.
    pub(crate) fn new(of: Arc<dyn Family>, atoms: usize, draws: Draws) -> Self {
        Self { of, atoms, draws, layers: Mutex::default() }
    }

    /// The layer with the given atoms, one w per row, for inputs of `dim` columns.
    pub fn given(of: Arc<dyn Family>, atoms: Matrix, dim: usize) -> Self {
        let discrete = Self::new(of.clone(), atoms.rows(), Draws::named(&[]));
        discrete.locked().insert(dim, Arc::new(Layer { of, neurons: Neurons::new(&atoms) }));
        discrete
    }

    /// The map phi_j(x) = psi(x; w_j) / sqrt(D) on R^`dim`.
    pub(crate) fn map(&self, dim: usize) -> Arc<dyn FeatureMap> {
        self.layer(dim)
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, BTreeMap<usize, Arc<Layer>>> {
        // Layers are inserted whole, so a panic elsewhere leaves a valid map.
        self.layers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn layer(&self, dim: usize) -> Arc<Layer> {
        let make = || {
            let mut draw = self.draws.at(Role::Start, dim as u64);
            let mut atoms = Matrix::zeros(self.atoms, self.of.weights(dim));
            (0..self.atoms).for_each(|j| self.of.sample(dim, &mut draw, atoms.row_mut(j)));
            Arc::new(Layer { of: self.of.clone(), neurons: Neurons::new(&atoms) })
        };
        self.locked().entry(dim).or_insert_with(make).clone()
    }
}

impl Family for Discrete {
    fn weights(&self, _: usize) -> usize {
        1
    }

    fn sample(&self, _: usize, draw: &mut Draw, w: &mut [f64]) {
        w.fill_with(|| draw.below(self.atoms) as f64);
    }

    fn value(&self, w: &[f64], x: &[f64]) -> f64 {
        let layer = self.layer(x.len());
        let atom = w.first().map_or(0, |j| *j as usize).min(self.atoms - 1);
        let mut w = vec![0.0; self.of.weights(x.len())];
        layer.neurons.copy(atom, &mut w);
        self.of.value(&w, x)
    }

    fn finite(&self, dim: usize) -> Option<Arc<dyn FeatureMap>> {
        Some(self.map(dim))
    }

    fn accepts(&self, dim: usize) -> Result<(), String> {
        self.of.accepts(dim)?;
        let numbers = self.atoms as u64 * self.of.weights(dim) as u64;
        if numbers > MOST_WEIGHTS {
            return Err(format!(
                "{} atoms on {dim} columns have {numbers} weights; the most is {MOST_WEIGHTS}",
                self.atoms
            ));
        }
        Ok(())
    }
}

/// The neurons psi(x; w_j) / sqrt(D).
#[derive(Debug)]
struct Layer {
    of: Arc<dyn Family>,
    neurons: Neurons,
}

impl FeatureMap for Layer {
    fn features(&self) -> usize {
        self.neurons.count()
    }

    fn write(&self, x: &[f64], out: &mut [f64]) {
        let scale = (self.neurons.count() as f64).sqrt().recip();
        self.of.values(&self.neurons, x, out);
        out.iter_mut().for_each(|value| *value *= scale);
    }
}

parameters! {
    /// Parameters of [`Discrete`].
    pub(crate) struct DiscreteParams {
        /// the family from which the neurons are drawn
        of: Chosen<dyn Family> = Kind::Part(PartKind::Feature) => Fallback::Part("clipped-relu");
        /// D: number of neurons
        atoms: u64 = Kind::integer(1, 1_000_000) => Fallback::Integer(1024);
        /// seed of the draw of the neurons
        seed: u64 = Kind::integer(0, u64::MAX) => Fallback::Integer(0);
    }
}

/// Registry entry.
pub(crate) static ENTRY: FamilyEntry = FamilyEntry {
    name: "discrete",
    summary: "the family `of` with a mu on finitely many draws: exact kernel, loss and comparator without closed form",
    module: module_path!(),
    params: DiscreteParams::SPECS,
    build: |params| {
        let DiscreteParams { of, atoms, seed } = Parameters::read(params);
        let draws = Draws::named(&["discrete mu", &of.part.canonical().to_string(), &seed.to_string()]);
        Ok(Arc::new(Discrete::new(of.object, atoms as usize, draws)))
    },
};
