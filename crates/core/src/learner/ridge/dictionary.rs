//! A dictionary of points that KORS chose, with orthonormal coordinates in its span.

use std::sync::Arc;

use crate::kernel::api::Kernel;
use crate::learner::api::{Block, Breakdown, Learner, one_by_one};
use crate::learner::last_input::LastInput;
use crate::learner::ridge::basis::{Basis, Coordinate};
use crate::learner::ridge::kors::{Kors, SamplerParams};
use noregret_numeric::draw::Draws;
use noregret_numeric::linalg::growing::Growing;
use noregret_numeric::linalg::matrix::{Matrix, Rows};
use noregret_numeric::linalg::vector::squared_norm;
use noregret_numeric::state::{State, StateError, Store, keep};

/// The points, the sampler that chooses them, and their span.
#[derive(Clone, Debug)]
pub(crate) struct Dictionary {
    kernel: Arc<dyn Kernel>,
    points: Matrix,
    kors: Kors,
    basis: Basis,
    /// Kernel evaluations of all offers so far.
    evaluations: u64,
}

/// A point and its projection onto the span of a dictionary.
#[derive(Clone, Debug, Default)]
pub(crate) struct Projection {
    input: LastInput,
    /// Kernel values with the dictionary.
    kernel: Vec<f64>,
    /// Kernel value of the point with itself.
    own: f64,
    /// Coordinates of the projection.
    pub(crate) psi: Vec<f64>,
}

impl Projection {
    /// The point.
    pub(crate) fn x(&self) -> &[f64] {
        self.input.x()
    }
}

/// The rounds of a block, projected onto the span of a dictionary that may grow from round to round. Which points enter
/// depends on inputs alone, so that this is known before the first of the rounds is played.
#[derive(Debug, Default)]
pub(crate) struct Projections {
    /// Number of rounds.
    count: usize,
    /// Distance between the rows of the next two.
    stride: usize,
    /// psi of each round, in the coordinates after the last round.
    psi: Vec<f64>,
    /// L^-1 S k of each round, for the sampler of the round's time.
    explained: Vec<f64>,
    /// Kernel values of the rounds with the dictionary, and with the point that enters.
    kernel: Vec<f64>,
    values: Vec<f64>,
    /// Number of coordinates before the first round and after each.
    pub(crate) coordinates: Vec<usize>,
    /// The rounds whose points entered.
    pub(crate) entered: Vec<usize>,
    /// The rounds whose points added a coordinate.
    pub(crate) grown: Vec<usize>,
}

/// Working space is not worth copying.
impl Clone for Projections {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Projections {
    /// psi of round `i`, in the coordinates after the last round.
    pub(crate) fn psi(&self, i: usize) -> &[f64] {
        let coordinates = self.coordinates.last().copied().unwrap_or_default();
        &self.psi[i * self.stride..][..coordinates]
    }
}

/// [`Learner::play`] in parts of at most `most` rounds. `together` plays the first rounds of a part at once, and says how
/// many; where it says none, the next round is played by itself.
///
/// # Errors
/// If the learner cannot go on.
pub(crate) fn play_in_parts<L: Learner>(
    learner: &mut L,
    block: Block<'_>,
    draws: &Draws,
    predictions: &mut [f64],
    most: usize,
    together: impl Fn(&mut L, Block<'_>, &mut [f64]) -> Result<usize, Breakdown>,
) -> Result<(), Breakdown> {
    let mut done = 0;
    while done < block.targets.len() {
        let part = block.part(done, block.targets.len().min(done + most));
        let rest = &mut predictions[done..];
        let in_all = |breakdown: Breakdown| Breakdown { after: done + breakdown.after, ..breakdown };
        let played = if part.targets.len() > 1 { together(learner, part, rest).map_err(in_all)? } else { 0 };
        if played == 0 {
            one_by_one(learner, part.part(0, 1), draws, rest).map_err(in_all)?;
        }
        done += played.max(1);
    }
    Ok(())
}

/// What happened to a point that was offered to the dictionary.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Offer<'a> {
    /// It did not enter.
    Refused,
    /// It entered without extending the span.
    Repeated,
    /// It entered, and the span has gained a coordinate.
    Grown(Coordinate<'a>),
}

impl Dictionary {
    /// An empty dictionary over R^`dim`.
    pub(crate) fn new(kernel: Arc<dyn Kernel>, rule: SamplerParams, dim: usize) -> Self {
        let points = Matrix::with_width(dim);
        Self { kernel, points, kors: Kors::new(rule), basis: Basis::default(), evaluations: 0 }
    }

    /// k(x, x) without that of the projection of x, which has the coordinates `psi`.
    pub(crate) fn rest(&self, x: &[f64], psi: &[f64]) -> f64 {
        (self.kernel.diagonal(x) - squared_norm(psi)).max(0.0)
    }

    /// Number of inputs.
    pub(crate) fn dim(&self) -> usize {
        self.points.cols()
    }

    /// Number of points.
    pub(crate) fn len(&self) -> usize {
        self.points.rows()
    }

    /// Number of coordinates.
    pub(crate) fn coordinates(&self) -> usize {
        self.basis.len()
    }

    /// The points that span the dictionary.
    pub(crate) fn spanning(&self) -> Matrix {
        let mut points = Matrix::with_width(self.dim());
        self.basis.members().iter().for_each(|member| points.push_row(self.points.row(*member)));
        points
    }

    /// The lower factor of the kernel matrix of these points.
    pub(crate) fn factor(&self) -> &Growing {
        self.basis.factor()
    }

    /// The kernel.
    pub(crate) fn kernel(&self) -> &dyn Kernel {
        &*self.kernel
    }

    /// Kernel evaluations of all offers so far.
    pub(crate) fn evaluations(&self) -> u64 {
        self.evaluations
    }

    /// Bytes of the state.
    pub(crate) fn bytes(&self) -> u64 {
        8 * (self.points.rows() * self.points.cols()) as u64 + self.kors.bytes() + self.basis.bytes()
    }

    /// Projects `x`, unless `projection` is up to date; returns whether it was computed.
    pub(crate) fn project(&self, x: &[f64], Projection { input, kernel, own, psi }: &mut Projection) -> bool {
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
    pub(crate) fn probability(&mut self, point: &Projection) -> Result<f64, Breakdown> {
        self.kors.probability(&point.kernel, point.own)
    }

    /// Projects a block, and offers its points one after the other: that of round i enters if `uniform(i)`, drawn from
    /// [0, 1), is below its probability. Returns how many rounds were offered; the point of the next one has kernel values
    /// that are not finite.
    ///
    /// All rounds are solved for at once, with the dictionary from before the block. A point that enters adds one entry to
    /// the solution of each. All numbers have the bits of [`project`](Self::project) and [`offer`](Self::offer): where
    /// points nearly repeat, other roundings would show in predictions.
    pub(crate) fn offer_rows(
        &mut self,
        inputs: Rows<'_>,
        block: &mut Projections,
        mut uniform: impl FnMut(usize) -> f64,
    ) -> usize {
        self.project_rows(inputs, block);
        let (size, stride) = (self.len(), block.stride);
        block.explained.resize(block.count * stride, 0.0);
        for (row, kernel) in block.explained.chunks_exact_mut(stride).zip(block.kernel.chunks_exact(size.max(1))) {
            row[..size].copy_from_slice(kernel);
        }
        self.kors.explain_rows(&mut block.explained, stride);
        for (i, x) in inputs.iter().enumerate() {
            let (size, own) = (self.len(), self.kernel.diagonal(x));
            let Ok(probability) = self.kors.chance(&block.explained[i * stride..][..size], own) else {
                block.count = i;
                break;
            };
            self.evaluations += size as u64 + 1;
            if uniform(i) < probability {
                self.enter(inputs, block, i, own, probability);
            }
            block.coordinates.push(self.coordinates());
        }
        block.count
    }

    /// Projects a block onto the present span.
    pub(crate) fn project_rows(&self, inputs: Rows<'_>, block: &mut Projections) {
        let (count, size) = (inputs.rows(), self.len());
        // Every round may add a point.
        (block.count, block.stride) = (count, size + count);
        block.kernel.resize(count * size, 0.0);
        block.psi.resize(count * block.stride, 0.0);
        let rows = block.kernel.chunks_exact_mut(size.max(1)).zip(block.psi.chunks_exact_mut(block.stride));
        for (x, (kernel, psi)) in inputs.iter().zip(rows) {
            self.kernel.row(self.points.view(), x, kernel);
            psi.iter_mut().zip(self.basis.members()).for_each(|(psi, member)| *psi = kernel[*member]);
        }
        self.basis.write_rows(&mut block.psi, block.stride);
        block.coordinates.clear();
        block.coordinates.push(self.coordinates());
        block.entered.clear();
        block.grown.clear();
    }

    /// Adds the point of round `i`, and what it adds to the projections.
    fn enter(&mut self, inputs: Rows<'_>, block: &mut Projections, i: usize, own: f64, probability: f64) {
        let (size, stride) = (self.len(), block.stride);
        let point = inputs.slice(i, i + 1);
        let value = |x: &[f64]| {
            let mut value = [0.0];
            self.kernel.row(point, x, &mut value);
            value[0]
        };
        block.values.clear();
        block.values.extend(inputs.iter().map(value));
        let (above, later) = block.explained.split_at_mut((i + 1) * stride);
        self.kors.accept_explained(&above[i * stride..][..size], own, probability);
        for (row, value) in later.chunks_exact_mut(stride).zip(&block.values[i + 1..]) {
            row[size] = self.kors.explain_last(*value, &row[..size]);
        }
        self.points.push_row(point.row(0));
        block.entered.push(i);
        let m = self.coordinates();
        if self.basis.push(size, own, &block.psi[i * stride..][..m]).is_some() {
            for (psi, value) in block.psi.chunks_exact_mut(stride).zip(&block.values) {
                psi[m] = self.basis.last_coordinate(*value, &psi[..m]);
            }
            block.grown.push(i);
        }
    }

    /// Offers the point of a projection, which must be up to date. The point enters if `uniform`, drawn from [0, 1), is
    /// below its probability.
    ///
    /// # Errors
    /// If its kernel values are not finite.
    pub(crate) fn offer<'a>(&mut self, point: &'a Projection, uniform: f64) -> Result<Offer<'a>, Breakdown> {
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
