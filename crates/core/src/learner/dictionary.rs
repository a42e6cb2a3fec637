//! A dictionary of points that KORS chose, with orthonormal coordinates in its span.

use std::sync::Arc;

use crate::kernel::api::Kernel;
use crate::learner::api::Breakdown;
use crate::learner::basis::{Basis, Coordinate};
use crate::learner::kors::{Kors, Rule};
use crate::linalg::matrix::Matrix;

/// The points, the sampler that chooses them, and their span.
#[derive(Debug)]
pub struct Dictionary {
    kernel: Arc<dyn Kernel>,
    points: Matrix,
    kors: Kors,
    basis: Basis,
    /// Kernel evaluations of all offers so far.
    evaluations: u64,
}

/// A point with its kernel values and its coordinates, as the dictionary stood when it was computed.
#[derive(Debug, Default)]
pub struct View {
    /// The point.
    pub x: Vec<f64>,
    /// Size of the dictionary at that time; None before the first point.
    size: Option<usize>,
    /// Kernel values with the dictionary.
    kernel: Vec<f64>,
    /// Kernel value of the point with itself.
    own: f64,
    /// Coordinates of its projection onto the span.
    pub psi: Vec<f64>,
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

    /// Computes `view` at `x`, unless it is up to date; returns whether it was computed.
    pub fn look(&self, x: &[f64], view: &mut View) -> bool {
        if view.size == Some(self.len()) && view.x == x {
            return false;
        }
        view.x.clear();
        view.x.extend_from_slice(x);
        view.size = Some(self.len());
        view.kernel.resize(self.len(), 0.0);
        self.kernel.row(self.points.view(), x, &mut view.kernel);
        view.own = self.kernel.diagonal(x);
        self.basis.write(&view.kernel, &mut view.psi);
        true
    }

    /// Offers the point of `view`, which must be up to date. The point enters if `uniform`, drawn from [0, 1), is below
    /// its probability.
    ///
    /// # Errors
    /// If its kernel values are not finite.
    pub fn offer<'a>(&mut self, view: &'a View, uniform: f64) -> Result<Offer<'a>, Breakdown> {
        let size = self.len();
        debug_assert_eq!(view.size, Some(size));
        self.evaluations += size as u64 + 1;
        let probability = self.kors.probability(&view.kernel, view.own)?;
        if uniform >= probability {
            return Ok(Offer::Refused);
        }
        self.kors.accept(view.own, probability);
        self.points.push_row(&view.x);
        Ok(match self.basis.push(size, view.own, &view.psi) {
            Some(coordinate) => Offer::Grown(coordinate),
            None => Offer::Repeated,
        })
    }
}
