//! Features of a view in an epoch: a linear map, or landmarks of a Gaussian kernel beside it.

use std::collections::HashSet;

use crate::kernel::api::Kernel as _;
use crate::kernel::distance::squared_distance;
use crate::kernel::gaussian::Gaussian;
use noregret_numeric::draw::Draw;
use noregret_numeric::linalg::dense;
use noregret_numeric::linalg::matrix::{Matrix, Rows};
use noregret_numeric::linalg::panels::Panels;
use noregret_numeric::linalg::triangular;
use noregret_numeric::state::{State, StateError, Store};

/// The most landmarks.
pub(crate) const LANDMARKS: usize = 250;

/// What is added to the diagonal of the landmarks' kernel matrix.
const RIDGE: f64 = 1e-7;

/// The size of the linear features beside those of a kernel.
const BESIDE: f64 = 0.3;

/// The widest view whose columns stand beside landmarks, and the widest for linear features at all: matrices are of the order of
/// the number of features.
const WIDEST: [usize; 2] = [256, 1000];

/// Random pairs of rows whose distances give the unit of bandwidths.
const PAIRS: usize = 300;

/// (L^-1 k(landmarks, z), c z / sqrt d, 1) with L L' = K + 10^-7 I, and c = 1 where there are no landmarks.
#[derive(Debug)]
pub(crate) struct LandmarkFeatures {
    landmarks: Option<Landmarks>,
    /// d.
    width: usize,
    /// How many columns are features themselves: d or, beside landmarks of a wide view, none.
    linear: usize,
}

/// How many columns of a view of `width` are features beside landmarks.
fn beside(width: usize) -> usize {
    if width <= WIDEST[0] { width } else { 0 }
}

/// Landmarks of a Gaussian kernel.
#[derive(Debug)]
struct Landmarks {
    bandwidth: f64,
    points: Matrix,
    /// L, row-major, and in panels, which one row is solved from faster.
    factor: Vec<f64>,
    panels: Panels,
}

/// A row-major square matrix in panels of whole squares.
fn panels(factor: &[f64], m: usize) -> Panels {
    let mut panels = Panels::multiple(m, 1.0);
    for (i, row) in factor.chunks_exact(m.max(1)).enumerate() {
        panels.set_row(i, row);
    }
    panels
}

impl LandmarkFeatures {
    /// (z / sqrt d, 1) for views of `width` numbers; none if it is too wide.
    pub(crate) fn linear(width: usize) -> Option<Self> {
        (width <= WIDEST[1]).then_some(Self { landmarks: None, width, linear: width })
    }

    /// Those of a Gaussian kernel, with landmarks drawn from different rows of a view; none if its matrix cannot be
    /// factorised.
    pub(crate) fn kernel(bandwidth: f64, rows: &Matrix, draw: &mut Draw) -> Option<Self> {
        let mut points = Matrix::with_width(rows.cols());
        let mut chosen = HashSet::new();
        for i in draw.permutation(rows.rows()) {
            let bits: Vec<u64> = rows.row(i).iter().map(|value| value.to_bits()).collect();
            if chosen.insert(bits) {
                points.push_row(rows.row(i));
            }
            if points.rows() == LANDMARKS {
                break;
            }
        }
        let m = points.rows();
        let mut factor = vec![0.0; m * m];
        Gaussian::new(bandwidth).gram(points.view(), points.view(), &mut factor);
        factor.iter_mut().step_by(m + 1).for_each(|own| *own += RIDGE);
        dense::cholesky(&mut factor, m, m, RIDGE).ok()?;
        let panels = panels(&factor, m);
        Some(Self {
            landmarks: Some(Landmarks { bandwidth, points, factor, panels }),
            width: rows.cols(),
            linear: beside(rows.cols()),
        })
    }

    /// One to load into: of a kernel, or linear.
    pub(crate) fn empty(width: usize, kernel: bool) -> Self {
        let landmarks = || Landmarks {
            bandwidth: 1.0,
            points: Matrix::with_width(width),
            factor: Vec::new(),
            panels: Panels::default(),
        };
        Self { landmarks: kernel.then(landmarks), width, linear: if kernel { beside(width) } else { width } }
    }

    /// r.
    pub(crate) fn count(&self) -> usize {
        self.landmarks.as_ref().map_or(0, |landmarks| landmarks.points.rows()) + self.linear + 1
    }

    /// The features of rows of the view, one row each.
    ///
    /// `work` is working space.
    pub(crate) fn write(&self, rows: Rows<'_>, out: &mut Matrix, work: &mut Vec<f64>) {
        let r = self.count();
        out.reshape(rows.rows(), r);
        let m = r - self.linear - 1;
        if let Some(Landmarks { bandwidth, points, factor, panels }) = &self.landmarks {
            work.resize(rows.rows() * m, 0.0);
            let values = &mut work[..];
            Gaussian::new(*bandwidth).gram(rows, points.view(), values);
            match rows.rows() {
                1 => triangular::solve_vector(panels, values),
                count => dense::solve_rows(factor, m, m, values, m, count),
            }
            values.chunks_exact(m).enumerate().for_each(|(i, values)| out.row_mut(i)[..m].copy_from_slice(values));
        }
        let scale = if self.landmarks.is_some() { BESIDE } else { 1.0 } / (self.width.max(1) as f64).sqrt();
        for (i, z) in rows.iter().enumerate() {
            let row = &mut out.row_mut(i)[m..];
            row[..self.linear].iter_mut().zip(z).for_each(|(value, z)| *value = scale * z);
            row[self.linear] = 1.0;
        }
    }
}

impl State for LandmarkFeatures {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let Some(Landmarks { bandwidth, points, factor, panels: own }) = &mut self.landmarks else { return Ok(()) };
        store.keep("bandwidth", bandwidth)?;
        store.keep("points", points)?;
        store.keep("factor", factor)?;
        let sound = *bandwidth > 0.0 && factor.len() == points.rows() * points.rows();
        store.check(sound, "has landmarks and a factor of different numbers, or a bandwidth that is none")?;
        if store.is_loading() {
            *own = panels(factor, points.rows());
        }
        Ok(())
    }
}

/// The unit of bandwidths: the median distance of random pairs of rows; where it is 0, the mean of the distances that are
/// not; none where all rows are equal.
pub(crate) fn unit(rows: &Matrix, draw: &mut Draw) -> Option<f64> {
    let n = rows.rows();
    let pair = |draw: &mut Draw| squared_distance(rows.row(draw.below(n)), rows.row(draw.below(n))).sqrt();
    let mut distances: Vec<f64> = (0..PAIRS).map(|_| pair(draw)).collect();
    distances.sort_by(f64::total_cmp);
    let median = distances[PAIRS / 2];
    if median > 0.0 {
        return Some(median);
    }
    let positive: Vec<f64> = distances.into_iter().filter(|distance| *distance > 0.0).collect();
    (!positive.is_empty()).then(|| positive.iter().sum::<f64>() / positive.len() as f64)
}
