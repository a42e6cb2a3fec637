//! Matrices in panels of eight rows, with the eight entries of a column side by side: what products of rows with rows, and
//! solves for many rows, read fastest.

#![allow(clippy::needless_range_loop, reason = "loops over constant ranges stay in registers")]

use std::array;

use faer::MatRef;
use pulp::{Simd, WithSimd};

use crate::linalg::matrix::{Matrix, Rows};
use crate::linalg::simd::{arch, vectorised};
use crate::linalg::turn::{RowSquares, turned};

pub use crate::linalg::turn::SIDE;

/// The entries of a column in the rows of a panel.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub struct PanelColumn(pub [f64; SIDE]);

/// A matrix that grows by rows and by columns. The last panel may have fewer than eight rows; its columns then hold numbers
/// that nobody reads.
#[derive(Debug, Default)]
pub struct Panels {
    rows: usize,
    cols: usize,
    /// They stay where rows are dropped, for those to come.
    panels: Vec<Vec<PanelColumn>>,
}

impl Panels {
    /// A matrix with `rows` rows and `cols` columns of zeros.
    pub fn zeros(rows: usize, cols: usize) -> Self {
        Self { rows, cols, panels: vec![vec![PanelColumn::default(); cols]; rows.div_ceil(SIDE)] }
    }

    /// `value` I with `n` rows, in whole squares: what is beyond the rows is as if there were more of them.
    pub fn multiple(n: usize, value: f64) -> Self {
        let mut own = Self::zeros(n, n.next_multiple_of(SIDE));
        (0..own.cols).for_each(|i| *own.diagonal_mut(i) = value);
        own
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// The panels.
    pub(crate) fn panels(&self) -> &[Vec<PanelColumn>] {
        &self.panels[..self.rows.div_ceil(SIDE)]
    }

    /// The panels from that of row `first` on, mutable.
    pub(crate) fn panels_from(&mut self, first: usize) -> &mut [Vec<PanelColumn>] {
        &mut self.panels[first / SIDE..self.rows.div_ceil(SIDE)]
    }

    /// Drops the rows from `rows` on.
    pub fn truncate_rows(&mut self, rows: usize) {
        self.rows = self.rows.min(rows);
    }

    /// Drops the columns from `cols` on.
    pub fn truncate_cols(&mut self, cols: usize) {
        self.cols = self.cols.min(cols);
        self.panels.iter_mut().for_each(|panel| panel.truncate(cols));
    }

    /// Appends rows. They may have fewer entries than there are columns; the rest stays what it is in a new panel, zeros.
    pub fn push_rows(&mut self, rows: Rows<'_>) {
        let (first, cols) = (self.rows, self.cols);
        self.rows += rows.rows();
        let missing = self.rows.div_ceil(SIDE).saturating_sub(self.panels.len());
        self.panels.extend((0..missing).map(|_| vec![PanelColumn::default(); cols]));
        if cols > 0 {
            arch().dispatch(PushRows { panels: &mut self.panels, first, rows });
        }
    }

    /// Appends eight rows, given as a panel; the number of rows is a multiple of eight.
    pub fn push_panel(&mut self, panel: &[PanelColumn]) {
        debug_assert!(self.rows.is_multiple_of(SIDE) && panel.len() == self.cols);
        match self.panels.get_mut(self.rows / SIDE) {
            Some(old) => old.copy_from_slice(panel),
            None => self.panels.push(panel.to_vec()),
        }
        self.rows += SIDE;
    }

    /// Appends eight columns: the rows of a panel with as many columns as the panels here have rows.
    pub fn push_transposed(&mut self, panel: &[PanelColumn]) {
        self.cols += SIDE;
        arch().dispatch(PushTransposed { panels: &mut self.panels, panel });
    }

    /// Appends columns: the rows of `columns`, which have as many entries as there are rows.
    pub fn push_cols(&mut self, columns: Rows<'_>) {
        self.cols += columns.rows();
        for (p, panel) in self.panels.iter_mut().enumerate() {
            let from = SIDE * p;
            panel.extend(columns.iter().map(|column| match column[from..].first_chunk() {
                Some(chunk) => PanelColumn(*chunk),
                None => PanelColumn(array::from_fn(|s| column.get(from + s).copied().unwrap_or_default())),
            }));
        }
    }

    /// Multiplies all entries by `scale`.
    pub fn scale(&mut self, scale: f64) {
        let columns = self.panels.iter_mut().flatten();
        columns.for_each(|column| column.0.iter_mut().for_each(|entry| *entry *= scale));
    }

    /// Entry `i` of the diagonal.
    pub fn diagonal(&self, i: usize) -> f64 {
        self.panels[i / SIDE][i].0[i % SIDE]
    }

    /// The same, mutable.
    pub fn diagonal_mut(&mut self, i: usize) -> &mut f64 {
        &mut self.panels[i / SIDE][i].0[i % SIDE]
    }

    /// Writes the first entries of row `i`.
    pub fn set_row(&mut self, i: usize, entries: &[f64]) {
        self.panels[i / SIDE].iter_mut().zip(entries).for_each(|(column, entry)| column.0[i % SIDE] = *entry);
    }

    /// Multiplies column `k` by `scale`.
    pub fn scale_col(&mut self, k: usize, scale: f64) {
        self.panels.iter_mut().for_each(|panel| panel[k].0.iter_mut().for_each(|entry| *entry *= scale));
    }

    /// `out` += sum_k `weights`_k times column k, over as many columns as there are weights.
    pub fn add_combination(&self, weights: &[f64], out: &mut [f64]) {
        for (panel, out) in self.panels().iter().zip(out.chunks_mut(SIDE)) {
            let mut sums = [0.0; SIDE];
            sums[..out.len()].copy_from_slice(out);
            add_columns(panel, weights, &mut sums);
            out.copy_from_slice(&sums[..out.len()]);
        }
    }

    /// Appends the products of the rows from `first` to before `end` with `x`, which has an entry for each column.
    pub fn products(&self, x: &[f64], first: usize, end: usize, out: &mut Vec<f64>) {
        for (p, panel) in self.panels.iter().enumerate().take(end.div_ceil(SIDE)).skip(first / SIDE) {
            let mut sums = [0.0; SIDE];
            add_columns(panel, x, &mut sums);
            let from = first.saturating_sub(SIDE * p);
            out.extend_from_slice(&sums[from..SIDE.min(end - SIDE * p)]);
        }
    }

    /// Becomes a copy of `x`, with the memory that there is.
    pub(crate) fn copy(&mut self, x: MatRef<'_, f64>) {
        (self.rows, self.cols) = x.shape();
        let count = self.rows.div_ceil(SIDE);
        self.panels.resize_with(count.max(self.panels.len()), Vec::new);
        for panel in &mut self.panels[..count] {
            panel.resize(self.cols, PanelColumn::default());
        }
        arch().dispatch(Copy { panels: &mut self.panels[..count], x });
    }

    /// Its first `cols` columns, row by row.
    pub fn to_matrix(&self, cols: usize) -> Matrix {
        let mut matrix = Matrix::zeros(self.rows, cols);
        for i in 0..self.rows {
            for (entry, column) in matrix.row_mut(i).iter_mut().zip(&self.panels[i / SIDE]) {
                *entry = column.0[i % SIDE];
            }
        }
        matrix
    }

    /// Its transpose, row by row.
    pub fn to_transposed(&self) -> Matrix {
        let mut matrix = Matrix::zeros(self.cols, self.rows);
        for k in 0..self.cols {
            for (entries, panel) in matrix.row_mut(k).chunks_mut(SIDE).zip(&self.panels) {
                entries.copy_from_slice(&panel[k].0[..entries.len()]);
            }
        }
        matrix
    }
}

vectorised! {
    /// `sums` += sum_k x_k times column k.
    fn add_columns<'a>(panel: &'a [PanelColumn], x: &'a [f64], sums: &'a mut [f64; SIDE]) -> () {
        let mut own = *sums;
        for (column, x) in panel.iter().zip(x) {
            for s in 0..SIDE {
                own[s] = column.0[s].mul_add(*x, own[s]);
            }
        }
        *sums = own;
    }
}

struct PushRows<'a> {
    panels: &'a mut [Vec<PanelColumn>],
    first: usize,
    rows: Rows<'a>,
}

impl WithSimd for PushRows<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (cols, count) = (self.rows.cols(), self.rows.rows());
        let mut done = 0;
        for panel in &mut self.panels[self.first / SIDE..] {
            let from = (self.first + done) % SIDE;
            let take = (SIDE - from).min(count - done);
            if take < SIDE || cols < SIDE {
                if from == 0 {
                    // Else what was left there would be solved for again and again, until it is tiny, and slow.
                    panel.iter_mut().for_each(|column| column.0 = [0.0; SIDE]);
                }
                for s in 0..take {
                    for (column, entry) in panel.iter_mut().zip(self.rows.row(done + s)) {
                        column.0[from + s] = *entry;
                    }
                }
            } else {
                turn(simd, array::from_fn(|s| self.rows.row(done + s)), &mut panel[..cols]);
            }
            done += take;
            if done == count {
                break;
            }
        }
    }
}

struct PushTransposed<'a> {
    panels: &'a mut [Vec<PanelColumn>],
    panel: &'a [PanelColumn],
}

impl WithSimd for PushTransposed<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        for (to, square) in self.panels.iter_mut().zip(self.panel.as_chunks::<SIDE>().0) {
            let columns = turned(simd, array::from_fn(|k| square[k].0));
            to.extend_from_slice(&array::from_fn::<_, SIDE, _>(|k| PanelColumn(columns[k])));
        }
    }
}

struct Copy<'a> {
    panels: &'a mut [Vec<PanelColumn>],
    x: MatRef<'a, f64>,
}

impl WithSimd for Copy<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { panels, x } = self;
        let (rows, cols) = x.shape();
        for (p, panel) in panels.iter_mut().enumerate() {
            let first = SIDE * p;
            let count = SIDE.min(rows - first);
            let slices: [&[f64]; SIDE] = array::from_fn(|s| {
                let row = x.row((first + s).min(rows - 1)).try_as_row_major();
                row.map_or(&[][..], |row| row.as_slice())
            });
            if cols >= SIDE && slices[0].len() == cols {
                turn(simd, slices, panel);
                continue;
            }
            for (k, column) in panel.iter_mut().enumerate() {
                let col = x.col(k).try_as_col_major().map_or(&[][..], |col| &col.as_slice()[first..]);
                column.0 = match col.first_chunk() {
                    Some(chunk) => *chunk,
                    None => array::from_fn(|s| if s < count { x[(first + s, k)] } else { 0.0 }),
                };
            }
        }
    }
}

/// Writes eight rows of at least eight entries into a panel.
#[inline(always)]
fn turn<S: Simd>(simd: S, rows: [&[f64]; SIDE], panel: &mut [PanelColumn]) {
    let squares = RowSquares::new(rows);
    for (k, block) in panel.as_chunks_mut::<SIDE>().0.iter_mut().enumerate() {
        let columns = squares.columns(simd, k);
        for s in 0..SIDE {
            block[s] = PanelColumn(columns[s]);
        }
    }
    if let Some(block) = panel.last_chunk_mut::<SIDE>() {
        let columns = squares.last(simd);
        for s in 0..SIDE {
            block[s] = PanelColumn(columns[s]);
        }
    }
}
