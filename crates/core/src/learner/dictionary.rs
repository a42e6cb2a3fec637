//! A dictionary of points that KORS chose, with orthonormal coordinates in its span.

use std::sync::Arc;

use crate::kernel::api::Kernel;
use crate::learner::api::Breakdown;
use crate::learner::basis::{Basis, Coordinate};
use crate::learner::kors::{Kors, Rule};
use crate::learner::last_input::LastInput;
use crate::linalg::matrix::Matrix;
use crate::state::{State, StateError, Store, keep};

/// The points, the sampler that chooses them, and their span.
#[derive(Clone, Debug)]
pub struct Dictionary {
    kernel: Arc<dyn Kernel>,
    points: Matrix,
    kors: Kors,
    basis: Basis,
    /// Kernel evaluations of all offers so far.
    evaluations: u64,
}

/// A point and its projection onto the span of a dictionary.
#[derive(Clone, Debug, Default)]
pub struct Projection {
    input: LastInput,
    /// Kernel values with the dictionary.
    kernel: Vec<f64>,
    /// Kernel value of the point with itself.
    own: f64,
    /// Coordinates of the projection.
    pub psi: Vec<f64>,
}

impl Projection {
    /// The point.
    pub fn x(&self) -> &[f64] {
        self.input.x()
    }
}

/// What happened to a point that was offered to the dictionary.
#[derive(Clone, Copy, Debug)]
pub enum Offer<'a> {
    /// It did not enter.
    Refused,
    /// It entered without extending the span.
    Repeated,
    /// It entered, and the span has gained a coordinate.
    Grown(Coordinate<'a>),
}

impl Dictionary {
    /// An empty dictionary over R^`dim`.
    pub fn new(kernel: Arc<dyn Kernel>, rule: Rule, dim: usize) -> Self {
        let points = Matrix::with_width(dim);
        Self { kernel, points, kors: Kors::new(rule), basis: Basis::default(), evaluations: 0 }
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.points.rows()
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of coordinates.
    pub fn coordinates(&self) -> usize {
        self.basis.len()
    }

    /// The kernel.
    pub fn kernel(&self) -> &dyn Kernel {
        &*self.kernel
    }

    /// Kernel evaluations of all offers so far.
    pub fn evaluations(&self) -> u64 {
        self.evaluations
    }

    /// Bytes of the state.
    pub fn bytes(&self) -> u64 {
        8 * (self.points.rows() * self.points.cols()) as u64 + self.kors.bytes() + self.basis.bytes()
    }

    /// Projects `x`, unless `projection` is up to date; returns whether it was computed.
    pub fn project(&self, x: &[f64], Projection { input, kernel, own, psi }: &mut Projection) -> bool {
        let is_new = input.replace(x, self.len());
        if is_new {
            kernel.resize(self.len(), 0.0);
            self.kernel.row(self.points.view(), x, kernel);
            *own = self.kernel.diagonal(x);
            self.basis.write(kernel, psi);
        }
        is_new
    }

    /// The probability with which the point of a projection, which must be up to date, would enter.
    ///
    /// # Errors
    /// If its kernel values are not finite.
    pub fn probability(&mut self, point: &Projection) -> Result<f64, Breakdown> {
        self.kors.probability(&point.kernel, point.own)
    }

    /// Offers the point of a projection, which must be up to date. The point enters if `uniform`, drawn from [0, 1), is
    /// below its probability.
    ///
    /// # Errors
    /// If its kernel values are not finite.
    pub fn offer<'a>(&mut self, point: &'a Projection, uniform: f64) -> Result<Offer<'a>, Breakdown> {
        let size = self.len();
        self.evaluations += size as u64 + 1;
        let probability = self.probability(point)?;
        if uniform >= probability {
            return Ok(Offer::Refused);
        }
        self.kors.accept(point.own, probability);
        self.points.push_row(point.x());
        Ok(match self.basis.push(size, point.own, &point.psi) {
            Some(coordinate) => Offer::Grown(coordinate),
            None => Offer::Repeated,
        })
    }
}

impl State for Dictionary {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        keep!(self, store: points, kors, basis, evaluations; kernel);
        let inside = basis.members().iter().all(|member| *member < points.rows());
        store.check(kors.len() == points.rows() && inside, "has a sampler or a basis of other points")
    }
}
