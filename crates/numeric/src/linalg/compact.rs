//! Matrices that are stored row by row, with their zeros or, where most entries of wide rows are zero, without them.

use std::borrow::Cow;

use crate::linalg::matrix::Matrix;

/// Rows of at most this many entries are stored with their zeros.
pub const NARROW: usize = 1024;

/// A matrix in one of two forms; its entries have the same bits in both.
#[derive(Clone, Debug, PartialEq)]
pub enum Compact {
    /// All entries.
    Dense(Matrix),
    /// The entries that are not zero.
    Sparse(Sparse),
}

/// The entries of a matrix that are not +0, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Sparse {
    cols: usize,
    /// Where the entries of each row end.
    ends: Vec<usize>,
    /// The column of each entry, ascending within a row.
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl From<Matrix> for Compact {
    fn from(matrix: Matrix) -> Self {
        Compact::Dense(matrix)
    }
}

impl Compact {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Compact::Dense(matrix) => matrix.rows(),
            Compact::Sparse(sparse) => sparse.ends.len(),
        }
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        match self {
            Compact::Dense(matrix) => matrix.cols(),
            Compact::Sparse(sparse) => sparse.cols,
        }
    }

    /// Writes row `i` to `out`, which has [`Compact::cols`] entries.
    pub fn write_row(&self, i: usize, out: &mut [f64]) {
        match self {
            Compact::Dense(matrix) => out.copy_from_slice(matrix.row(i)),
            Compact::Sparse(sparse) => {
                out.fill(0.0);
                let (columns, values) = sparse.row(i);
                columns.iter().zip(values).for_each(|(column, value)| out[*column as usize] = *value);
            }
        }
    }

    /// The squared Euclidean norm of row `i`.
    pub fn squared_norm(&self, i: usize) -> f64 {
        let entries = match self {
            Compact::Dense(matrix) => matrix.row(i),
            Compact::Sparse(sparse) => sparse.row(i).1,
        };
        entries.iter().map(|entry| entry * entry).sum()
    }

    /// All entries.
    pub fn dense(&self) -> Cow<'_, Matrix> {
        match self {
            Compact::Dense(matrix) => Cow::Borrowed(matrix),
            Compact::Sparse(_) => {
                let mut matrix = Matrix::zeros(self.rows(), self.cols());
                (0..self.rows()).for_each(|i| self.write_row(i, matrix.row_mut(i)));
                Cow::Owned(matrix)
            }
        }
    }

    /// The matrix whose rows are those of this one after `change`.
    pub fn changed(self, change: impl Fn(&mut [f64])) -> Self {
        match self {
            Compact::Dense(mut matrix) => {
                (0..matrix.rows()).for_each(|i| change(matrix.row_mut(i)));
                Compact::Dense(matrix)
            }
            Compact::Sparse(_) => {
                let (mut row, mut changed) = (vec![0.0; self.cols()], Compact::Sparse(Sparse::with_width(self.cols())));
                for i in 0..self.rows() {
                    self.write_row(i, &mut row);
                    change(&mut row);
                    match &mut changed {
                        Compact::Dense(matrix) => matrix.push_row(&row),
                        Compact::Sparse(sparse) => sparse.push_rows(&row),
                    }
                    if matches!(&changed, Compact::Sparse(sparse) if sparse.is_full()) {
                        changed = Compact::Dense(changed.dense().into_owned());
                    }
                }
                changed
            }
        }
    }
}

impl Sparse {
    /// No rows of `cols` entries each.
    pub fn with_width(cols: usize) -> Self {
        Self { cols, ends: Vec::new(), columns: Vec::new(), values: Vec::new() }
    }

    /// A matrix of given entries: those of row i end at `ends[i]`. `None` if the columns of a row do not ascend below
    /// `cols`, or if the numbers of entries do not agree.
    pub fn from_parts(cols: usize, ends: Vec<usize>, columns: Vec<u32>, values: Vec<f64>) -> Option<Self> {
        let mut start = 0;
        for &end in &ends {
            let row = columns.get(start..end)?;
            let ascending = row.windows(2).all(|pair| pair[0] < pair[1]);
            if !ascending || row.last().is_some_and(|last| *last as usize >= cols) {
                return None;
            }
            start = end;
        }
        (start == columns.len() && start == values.len()).then_some(Self { cols, ends, columns, values })
    }

    /// Appends whole rows, given with their zeros.
    pub fn push_rows(&mut self, rows: &[f64]) {
        for row in rows.chunks_exact(self.cols.max(1)) {
            for (column, value) in (0..).zip(row) {
                if value.to_bits() != 0 {
                    self.columns.push(column);
                    self.values.push(*value);
                }
            }
            self.ends.push(self.columns.len());
        }
    }

    /// The columns and the values of the entries of row `i`.
    pub fn row(&self, i: usize) -> (&[u32], &[f64]) {
        let entries = i.checked_sub(1).map_or(0, |before| self.ends[before])..self.ends[i];
        (&self.columns[entries.clone()], &self.values[entries])
    }

    /// Whether more than a quarter of all entries are stored, so that little would be saved.
    pub fn is_full(&self) -> bool {
        self.values.len() > self.ends.len().saturating_mul(self.cols) / 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_have_the_same_rows() {
        let rows = [0.0, 2.0, 0.0, -0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        let mut sparse = Sparse::with_width(8);
        sparse.push_rows(&rows);
        assert!(!sparse.is_full());
        assert_eq!(sparse.row(0), (&[1, 3][..], &[2.0, -0.0][..]));
        let sparse = Compact::Sparse(sparse);
        let bits = |compact: &Compact| compact.dense().data().iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&sparse), rows.map(f64::to_bits));
        assert_eq!([0, 1].map(|i| sparse.squared_norm(i)), [4.0, 1.0]);
        // What is hardly sparse any more becomes dense.
        let dense = sparse.clone().changed(|row| row.iter_mut().for_each(|x| *x += 1.0));
        assert!(matches!(&dense, Compact::Dense(_)) && dense.dense().data()[..2] == [1.0, 3.0]);
        assert!(matches!(sparse.changed(|row| row[1] = 0.5), Compact::Sparse(_)));
    }

    #[test]
    fn parts_that_make_no_sense_are_refused() {
        let parts = |cols, ends: &[usize], columns: &[u32]| {
            Sparse::from_parts(cols, ends.to_vec(), columns.to_vec(), vec![1.0; columns.len()]).is_some()
        };
        assert!(parts(3, &[1, 1, 3], &[2, 0, 1]));
        assert!(!parts(2, &[1, 1, 3], &[2, 0, 1]));
        assert!(!parts(3, &[3], &[2, 0, 1]));
        assert!(!parts(3, &[1, 0, 3], &[2, 0, 1]));
        assert!(!parts(3, &[1, 4], &[2, 0, 1]));
        assert!(!parts(3, &[1], &[2, 0, 1]));
    }
}
