//! Points stored in panels, and sums of Gaussian components over them.

use std::f64::consts::LOG2_E;

use crate::kernel::distance::{self, AlignedCoordinate, COORDINATES, SIDE};
use noregret_numeric::linalg::elementary::{LARGEST_POWER, exp_decay, exp2};
use noregret_numeric::linalg::matrix::{Matrix, Rows};
use noregret_numeric::linalg::simd::vectorised;
use noregret_numeric::linalg::vector::squared_norm;
use noregret_numeric::state::{State, StateError, Store};

/// Number of points at which sums are computed together; even.
pub(crate) const QUERIES: usize = 64;

/// Points in panels of 16, transposed so that one coordinate of all points of a panel is contiguous; the squared norms
/// of the points come last in a panel.
#[derive(Clone, Debug, Default)]
pub struct Points {
    dim: usize,
    len: usize,
    panels: Vec<AlignedCoordinate>,
    /// The largest squared norm.
    farthest: f64,
    /// The same points by rows.
    rows: Matrix,
}

/// A point x in the form that [`distance::by_products`] takes.
#[derive(Clone, Copy, Default)]
pub(crate) struct Query {
    /// -2 x.
    scaled: [f64; COORDINATES],
    /// |x|^2.
    squared: f64,
}

impl Query {
    /// `x` of at most [`COORDINATES`] coordinates.
    fn new(x: &[f64]) -> Self {
        let mut scaled = [0.0; COORDINATES];
        scaled.iter_mut().zip(x).for_each(|(scaled, x)| *scaled = -2.0 * x);
        Self { scaled, squared: squared_norm(x) }
    }
}

impl Points {
    /// No points of `dim` coordinates.
    pub fn new(dim: usize) -> Self {
        Self { dim, len: 0, panels: Vec::new(), farthest: 0.0, rows: Matrix::with_width(dim) }
    }

    /// Removes all points; the memory is kept for points of `dim` coordinates.
    pub(crate) fn clear(&mut self, dim: usize) {
        self.panels.clear();
        self.rows.reshape(0, dim);
        (self.dim, self.len, self.farthest) = (dim, 0, 0.0);
    }

    /// Number of points.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Appends a point.
    pub fn push(&mut self, x: &[f64]) {
        let (side, size) = (self.len % SIDE, self.dim + 1);
        if side == 0 {
            self.panels.resize(self.panels.len() + size, AlignedCoordinate::ZERO);
        }
        let start = self.panels.len() - size;
        let squared = squared_norm(x);
        for (column, value) in self.panels[start..].iter_mut().zip(x.iter().chain([&squared])) {
            column.0[side] = *value;
        }
        // A NaN is far from everything.
        self.farthest = if squared.is_nan() { f64::INFINITY } else { self.farthest.max(squared) };
        self.rows.push_row(x);
        self.len += 1;
    }

    /// `x` as a query, if it and all points are near enough to each other and to 0 for distances by products and for
    /// [`exp2`].
    pub(crate) fn near(&self, x: &[f64], rates: &[f64]) -> Option<Query> {
        let squared = squared_norm(x);
        let largest = rates.iter().copied().fold(0.0, f64::max);
        // |x - z|^2 <= 2 |x|^2 + 2 |z|^2.
        let near = 2.0 * largest * LOG2_E * (squared + self.farthest) <= LARGEST_POWER;
        (near && x.len() <= COORDINATES).then(|| Query::new(x))
    }

    /// The points by rows.
    pub fn rows(&self) -> Rows<'_> {
        self.rows.view()
    }

    /// The coordinates of each panel and the squared norms.
    fn columns(&self) -> impl Iterator<Item = (&[AlignedCoordinate], &AlignedCoordinate)> {
        self.panels.chunks_exact(self.dim + 1).map(|panel| (&panel[..self.dim], &panel[self.dim]))
    }
}

/// The points by rows.
impl State for Points {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let Self { dim, len: _, panels: _, farthest: _, rows } = &mut *self;
        if !store.is_loading() {
            return rows.state(store);
        }
        let mut found = Matrix::with_width(*dim);
        found.state(store)?;
        found.view().iter().for_each(|x| self.push(x));
        Ok(())
    }
}

vectorised! {
    /// sum_i coefficients_i sum_j weights_j exp(-rates_j |x - points_i|^2), for points near `x`.
    pub(crate) fn near_sum<'a>(
        x: &'a Query,
        points: &'a Points,
        coefficients: &'a [f64],
        weights: &'a [f64],
        rates: &'a [f64],
    ) -> f64 {
        let mut total = [0.0; SIDE];
        let (whole, last) = panels_of(coefficients);
        let mut panels = points.columns().zip(whole.iter().chain(std::iter::once(&last)));
        let none = [0.0; SIDE];
        // Two panels at a time.
        while let Some(((columns, norms), coefficients)) = panels.next() {
            let ((more_columns, more_norms), more) = panels.next().unwrap_or(((columns, norms), &none));
            let distances =
                distance::by_products([&x.scaled; 2], [x.squared; 2], [columns, more_columns], [norms, more_norms]);
            add_near(&mut total, coefficients, &distances[0], weights, rates);
            add_near(&mut total, more, &distances[1], weights, rates);
        }
        total.iter().sum()
    }
}

vectorised! {
    /// [`near_sum`] at two points, in one pass.
    pub(crate) fn near_sums<'a>(
        queries: &'a [Query; 2],
        points: &'a Points,
        coefficients: &'a [f64],
        weights: &'a [f64],
        rates: &'a [f64],
    ) -> [f64; 2] {
        let (mut first, mut second) = ([0.0; SIDE], [0.0; SIDE]);
        let (whole, last) = panels_of(coefficients);
        for (panel, coefficients) in points.columns().zip(whole.iter().chain(std::iter::once(&last))) {
            add_pair(queries, panel, coefficients, weights, rates, [&mut first, &mut second]);
        }
        [first, second].map(|total| total.iter().sum())
    }
}

vectorised! {
    /// [`near_sum`] at an even number of points, at most [`QUERIES`], in one pass. `out` may be shorter.
    pub(crate) fn near_many<'a>(
        queries: &'a [Query],
        points: &'a Points,
        coefficients: &'a [f64],
        weights: &'a [f64],
        rates: &'a [f64],
        out: &'a mut [f64],
    ) -> () {
        let mut totals = [[0.0; SIDE]; QUERIES];
        let (whole, last) = panels_of(coefficients);
        for (panel, coefficients) in points.columns().zip(whole.iter().chain(std::iter::once(&last))) {
            for (pair, [first, second]) in queries.as_chunks::<2>().0.iter().zip(totals.as_chunks_mut::<2>().0) {
                add_pair(pair, panel, coefficients, weights, rates, [first, second]);
            }
        }
        for (out, total) in out.iter_mut().zip(&totals) {
            *out = total.iter().sum();
        }
    }
}

vectorised! {
    /// [`near_sum`] for any points, by differences. There is one rate for each component or, component after component,
    /// one for each coordinate.
    pub(crate) fn far_sum<'a>(
        x: &'a [f64],
        points: &'a Points,
        coefficients: &'a [f64],
        weights: &'a [f64],
        rates: &'a [f64],
    ) -> f64 {
        let mut total = [0.0; SIDE];
        let (whole, last) = panels_of(coefficients);
        let all = whole.iter().chain(std::iter::once(&last));
        for ((columns, _), coefficients) in points.columns().zip(all) {
            let values = far_values(x, columns, weights, rates);
            add_panel(&mut total, coefficients, &values);
        }
        total.iter().sum()
    }
}

/// Adds the contributions of the points of a panel to the totals of two queries.
#[inline(always)]
fn add_pair(
    [x, y]: &[Query; 2],
    (columns, norms): (&[AlignedCoordinate], &AlignedCoordinate),
    coefficients: &[f64; SIDE],
    weights: &[f64],
    rates: &[f64],
    [first, second]: [&mut [f64; SIDE]; 2],
) {
    let (queries, squares) = ([&x.scaled[..], &y.scaled[..]], [x.squared, y.squared]);
    let distances = distance::by_products(queries, squares, [columns; 2], [norms; 2]);
    add_near(first, coefficients, &distances[0], weights, rates);
    add_near(second, coefficients, &distances[1], weights, rates);
}

/// Adds coefficient times sum_j weight_j exp(-rate_j distance) for each distance.
#[inline(always)]
fn add_near(
    total: &mut [f64; SIDE],
    coefficients: &[f64; SIDE],
    distances: &[f64; SIDE],
    weights: &[f64],
    rates: &[f64],
) {
    for (weight, rate) in weights.iter().zip(rates) {
        let factor = -rate * LOG2_E;
        for s in 0..SIDE {
            total[s] = (weight * coefficients[s]).mul_add(exp2(factor * distances[s]), total[s]);
        }
    }
}

/// The kernel values between `x` and the points of a panel.
#[inline(always)]
fn far_values(x: &[f64], panel: &[AlignedCoordinate], weights: &[f64], rates: &[f64]) -> [f64; SIDE] {
    let mut values = [0.0; SIDE];
    if rates.len() == weights.len() {
        // One rate in all directions: all components share the distances.
        let negative = exponents(x, std::iter::repeat(&1.0), panel);
        for (weight, rate) in weights.iter().zip(rates) {
            add_far(&mut values, *weight, &negative.map(|negative| rate * negative));
        }
    } else {
        for (weight, rates) in weights.iter().zip(rates.chunks_exact(x.len())) {
            add_far(&mut values, *weight, &exponents(x, rates.iter(), panel));
        }
    }
    values
}

/// -sum_i rates_i (x_i - z_i)^2 for the points z of a panel.
#[inline(always)]
fn exponents<'a>(x: &[f64], rates: impl Iterator<Item = &'a f64>, panel: &[AlignedCoordinate]) -> [f64; SIDE] {
    let mut exponents = [0.0; SIDE];
    for ((x, rate), column) in x.iter().zip(rates).zip(panel) {
        for (sum, z) in exponents.iter_mut().zip(&column.0) {
            let difference = x - z;
            *sum = (rate * difference).mul_add(-difference, *sum);
        }
    }
    exponents
}

#[inline(always)]
fn add_far(values: &mut [f64; SIDE], weight: f64, exponents: &[f64; SIDE]) {
    for (value, exponent) in values.iter_mut().zip(exponents) {
        *value = weight.mul_add(exp_decay(*exponent), *value);
    }
}

/// Coefficients by panels; the last panel, which may be empty, is padded with zeros.
#[inline(always)]
fn panels_of(coefficients: &[f64]) -> (&[[f64; SIDE]], [f64; SIDE]) {
    let (whole, rest) = coefficients.as_chunks::<SIDE>();
    let mut last = [0.0; SIDE];
    last[..rest.len()].copy_from_slice(rest);
    (whole, last)
}

#[inline(always)]
fn add_panel(total: &mut [f64; SIDE], coefficients: &[f64; SIDE], values: &[f64; SIDE]) {
    for (total, (coefficient, value)) in total.iter_mut().zip(coefficients.iter().zip(values)) {
        *total = coefficient.mul_add(*value, *total);
    }
}
