//! Ridge regression over a growing number of coordinates: the numerically stable form of regression over a dictionary.
//!
//! A = lambda I + sum psi psi' = R' R and z = R^-T sum y psi over the rounds so far. With u = R^-T psi(x),
//!
//! ```text
//! ridge = u' z,   h = |u|^2,   awv = ridge / (1 + h).
//! ```
//!
//! A round rotates (psi, y) into (R, z). A new coordinate needs its values at all rounds so far, col: A gains the
//! column (Psi' col, lambda + |col|^2), and z the entry (col' y - r' z) / rho, where (r, rho) is the new column of R. A
//! round costs O(m^2), a new coordinate O(t (d + m)).

use crate::kernel::api::Kernel;
use crate::learner::basis::Coordinate;
use crate::linalg::dense::pivot_floor;
use crate::linalg::matrix::Matrix;
use crate::linalg::upper::Upper;
use crate::linalg::vector::{add_scaled, dot, squared_norm};
use crate::state::{Array, State, StateError, Store, keep};

/// Rounds in a panel of coordinates.
const PANEL: usize = 1024;

/// Ridge regression over the rounds so far, without the rounds themselves.
#[derive(Clone, Debug)]
pub struct Ridge {
    lambda: f64,
    factor: Upper,
    /// R^-T sum y psi.
    whitened: Vec<f64>,
}

impl Ridge {
    /// No coordinates and no rounds.
    pub fn new(lambda: f64) -> Self {
        Self { lambda, factor: Upper::default(), whitened: Vec::new() }
    }

    /// The ridge forecast and h at the point with coordinates `psi`; replaces them by u = R^-T psi.
    pub fn forecast(&self, psi: &mut [f64]) -> (f64, f64) {
        self.factor.solve_transposed(psi);
        (dot(psi, &self.whitened), squared_norm(psi))
    }

    /// Learns from a round; overwrites `psi`.
    pub fn learn(&mut self, psi: &mut [f64], mut y: f64) {
        for ([c, s], z) in self.factor.add(psi).iter().zip(&mut self.whitened) {
            let (old, term) = (*z, y);
            *z = c * old + s * term;
            y = c * term - s * old;
        }
    }

    /// Adds the coordinate that `gained` describes.
    pub fn grow(&mut self, gained: Gain) {
        let Gain { mut products, squares, moment } = gained;
        self.factor.solve_transposed(&mut products);
        let own = self.lambda + squares;
        let left = own - squared_norm(&products);
        // Not `left.max(floor)`, which would hide a NaN.
        let floor = pivot_floor(self.lambda, own);
        let diagonal = if left < floor { floor.sqrt() } else { left.sqrt() };
        let value = (moment - dot(&products, &self.whitened)) / diagonal;
        self.factor.push(&products, diagonal);
        self.whitened.push(value);
    }

    /// Number of coordinates.
    pub fn len(&self) -> usize {
        self.whitened.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.whitened.is_empty()
    }

    /// Bytes of the state.
    pub fn bytes(&self) -> u64 {
        let m = self.factor.len() as u64;
        8 * (m * (m + 1) / 2 + m)
    }
}

impl State for Ridge {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        keep!(self, store: factor, whitened; lambda);
        store.check(factor.len() == whitened.len(), "has a factor and coefficients of different numbers")
    }
}

/// A new coordinate over the rounds so far.
#[derive(Clone, Debug)]
pub struct Gain {
    /// Psi' col, with the earlier coordinates.
    products: Vec<f64>,
    /// |col|^2.
    squares: f64,
    /// col' y.
    moment: f64,
}

/// The rounds so far, in coordinates: n (d + m) numbers.
#[derive(Clone, Debug)]
pub struct Past {
    inputs: Matrix,
    targets: Vec<f64>,
    /// Panels of [`PANEL`] rounds. Each holds one run of [`PANEL`] numbers per coordinate, with zeros for rounds to
    /// come.
    panels: Vec<Vec<f64>>,
    coordinates: usize,
    column: Vec<f64>,
}

impl Past {
    /// No rounds, in R^`dim`.
    pub fn new(dim: usize) -> Self {
        Self {
            inputs: Matrix::with_width(dim),
            targets: Vec::new(),
            panels: Vec::new(),
            coordinates: 0,
            column: vec![0.0; PANEL],
        }
    }

    /// Number of rounds.
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// Number of coordinates.
    pub fn coordinates(&self) -> usize {
        self.coordinates
    }

    /// Appends a round.
    pub fn push(&mut self, x: &[f64], psi: &[f64], y: f64) {
        let at = self.len() % PANEL;
        if at == 0 {
            self.panels.push(vec![0.0; self.coordinates * PANEL]);
        }
        if let Some(panel) = self.panels.last_mut() {
            for (run, value) in panel.chunks_exact_mut(PANEL).zip(psi) {
                run[at] = *value;
            }
        }
        self.inputs.push_row(x);
        self.targets.push(y);
    }

    /// Appends the coordinate of the dictionary point `x`.
    pub fn extend(&mut self, kernel: &dyn Kernel, x: &[f64], coordinate: Coordinate<'_>) -> Gain {
        let mut gain = Gain { products: vec![0.0; self.coordinates], squares: 0.0, moment: 0.0 };
        for (p, panel) in self.panels.iter_mut().enumerate() {
            let from = p * PANEL;
            let to = self.targets.len().min(from + PANEL);
            let count = to - from;
            let column = &mut self.column[..count];
            kernel.row(self.inputs.slice(from, to), x, column);
            for (along, run) in coordinate.along.iter().zip(panel.chunks_exact(PANEL)) {
                add_scaled(column, -along, run);
            }
            let scale = coordinate.length.recip();
            column.iter_mut().for_each(|value| *value *= scale);
            for (product, run) in gain.products.iter_mut().zip(panel.chunks_exact(PANEL)) {
                *product += dot(&run[..count], column);
            }
            gain.squares += squared_norm(column);
            gain.moment += dot(column, &self.targets[from..to]);
            let len = panel.len();
            // A quarter more than needed, so that growth neither copies nor wastes much.
            if panel.capacity() < len + PANEL {
                panel.reserve_exact(len / 4 + PANEL);
            }
            panel.extend_from_slice(column);
            panel.resize(len + PANEL, 0.0);
        }
        self.coordinates += 1;
        gain
    }

    /// Bytes of the state.
    pub fn bytes(&self) -> u64 {
        8 * (self.len() * (self.inputs.cols() + 1) + self.panels.len() * PANEL * self.coordinates) as u64
    }
}

/// The coordinates are a matrix with one row per coordinate and one column per round.
impl State for Past {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let Self { inputs, targets, panels, coordinates, column: _ } = self;
        store.keep("inputs", inputs)?;
        store.keep("targets", targets)?;
        let rounds = targets.len();
        store.check(inputs.rows() == rounds, "has inputs and targets of different numbers of rounds")?;
        let parts = || (0..rounds).step_by(PANEL).map(|from| from..rounds.min(from + PANEL));
        let own = || {
            let run = |c: usize| parts().zip(&*panels).flat_map(move |(part, panel)| &panel[c * PANEL..][..part.len()]);
            let values = (0..*coordinates).flat_map(run).copied().collect();
            Array { shape: vec![*coordinates, rounds], values }
        };
        let Some(found) = store.within("coordinates", |store| store.exchange(own))? else { return Ok(()) };
        let fits = found.shape.len() == 2 && found.shape[1] == rounds;
        store.check(fits, "has coordinates of other rounds")?;
        *coordinates = found.shape[0];
        let fill = |part: std::ops::Range<usize>| {
            let mut panel = vec![0.0; *coordinates * PANEL];
            for (run, row) in panel.chunks_exact_mut(PANEL).zip(found.values.chunks_exact(rounds)) {
                run[..part.len()].copy_from_slice(&row[part.clone()]);
            }
            panel
        };
        *panels = parts().map(fill).collect();
        Ok(())
    }
}
