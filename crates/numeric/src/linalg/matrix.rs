//! Dense row-major matrices of f64: one row is one example, point or feature vector.

use crate::state::{Array, State, StateError, Store};

/// An owned row-major matrix, `rows` x `cols`.
///
/// ```
/// use noregret_numeric::linalg::matrix::Matrix;
///
/// let mut points = Matrix::from_data(2, 3, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
/// points.push_row(&[7.0, 8.0, 9.0]);
/// assert_eq!((points.rows(), points.cols()), (3, 3));
/// assert_eq!(points.row(1), [4.0, 5.0, 6.0]);
/// assert!(Matrix::from_data(2, 3, vec![1.0]).is_none());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrix {
    rows: usize,
    cols: usize,
    data: Vec<f64>,
}

impl Matrix {
    /// A matrix of zeros.
    pub fn zeros(rows: usize, cols: usize) -> Self {
        Self { rows, cols, data: vec![0.0; rows * cols] }
    }

    /// Wraps `data`; `None` unless its length is `rows * cols`.
    pub fn from_data(rows: usize, cols: usize, data: Vec<f64>) -> Option<Self> {
        (data.len() == rows * cols).then_some(Self { rows, cols, data })
    }

    /// An empty matrix of width `cols` to which rows can be pushed.
    pub fn with_width(cols: usize) -> Self {
        Self { rows: 0, cols, data: Vec::new() }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Row `i`, of length `cols`.
    #[inline]
    pub fn row(&self, i: usize) -> &[f64] {
        &self.data[i * self.cols..(i + 1) * self.cols]
    }

    /// Row `i`, mutable.
    #[inline]
    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.data[i * self.cols..(i + 1) * self.cols]
    }

    /// Appends a row of length `cols`.
    pub fn push_row(&mut self, row: &[f64]) {
        debug_assert_eq!(row.len(), self.cols);
        self.data.extend_from_slice(row);
        self.rows += 1;
    }

    /// Appends copies of all `rows`, which are as wide as the matrix.
    pub fn push_rows(&mut self, rows: Rows<'_>) {
        debug_assert_eq!(rows.cols(), self.cols);
        self.data.extend_from_slice(rows.data());
        self.rows += rows.rows();
    }

    /// Makes it `rows` x `cols` in the same memory, with arbitrary entries.
    pub fn reshape(&mut self, rows: usize, cols: usize) {
        (self.rows, self.cols) = (rows, cols);
        self.data.resize(rows * cols, 0.0);
    }

    /// Keeps the first `rows` rows and drops the others.
    pub fn truncate(&mut self, rows: usize) {
        if rows < self.rows {
            self.rows = rows;
            self.data.truncate(rows * self.cols);
        }
    }

    /// All entries, row after row.
    pub fn data(&self) -> &[f64] {
        &self.data
    }

    /// All entries, mutable.
    pub fn data_mut(&mut self) -> &mut [f64] {
        &mut self.data
    }

    /// A view of the whole matrix.
    pub fn view(&self) -> Rows<'_> {
        Rows { rows: self.rows, cols: self.cols, data: &self.data }
    }

    /// A view of rows `from..to`.
    pub fn slice(&self, from: usize, to: usize) -> Rows<'_> {
        self.view().slice(from, to)
    }
}

/// As wide as before, with any number of rows.
impl State for Matrix {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let own = || Array { shape: vec![self.rows, self.cols], values: self.data.clone() };
        if let Some(Array { shape, values }) = store.exchange(own)? {
            let wide = shape.len() == 2 && shape[1] == self.cols;
            store.check(wide, &format!("has the shape {shape:?} instead of rows of {}", self.cols))?;
            (self.rows, self.data) = (shape[0], values);
        }
        Ok(())
    }
}

/// A borrowed run of consecutive rows.
///
/// ```
/// use noregret_numeric::linalg::matrix::Rows;
///
/// let data = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
/// let rows = Rows::new(2, &data);
/// assert_eq!(rows.rows(), 3);
/// assert_eq!(rows.slice(1, 3).row(0), [3.0, 4.0]);
/// assert_eq!(rows.iter().map(|row| row[0]).sum::<f64>(), 9.0);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    rows: usize,
    cols: usize,
    data: &'a [f64],
}

impl<'a> Rows<'a> {
    /// Wraps `data` as rows of width `cols`, leaving out an incomplete last row. With `cols == 0` there are no rows.
    pub fn new(cols: usize, data: &'a [f64]) -> Self {
        let rows = data.len().checked_div(cols).unwrap_or(0);
        Self { rows, cols, data: &data[..rows * cols] }
    }

    /// One row.
    pub fn single(row: &'a [f64]) -> Self {
        Self { rows: 1, cols: row.len(), data: row }
    }

    /// Number of rows.
    #[inline]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    #[inline]
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Row `i`.
    #[inline]
    pub fn row(&self, i: usize) -> &'a [f64] {
        &self.data[i * self.cols..(i + 1) * self.cols]
    }

    /// All entries, row after row.
    #[inline]
    pub fn data(&self) -> &'a [f64] {
        self.data
    }

    /// Rows `from..to`.
    pub fn slice(&self, from: usize, to: usize) -> Rows<'a> {
        Rows { rows: to - from, cols: self.cols, data: &self.data[from * self.cols..to * self.cols] }
    }

    /// The rows, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &'a [f64]> + use<'a> {
        let (data, cols) = (self.data, self.cols);
        (0..self.rows).map(move |i| &data[i * cols..(i + 1) * cols])
    }
}
