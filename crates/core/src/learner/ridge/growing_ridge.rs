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
//!
//! Several rounds are played at once as in a window of [`crate::learner::ridge::whitened`]: all that they need to know of each
//! other are the products of their u. Coordinates that are added in between are added before the first of them: the
//! first m' rows and columns of R are the factor of the first m' coordinates, so that a round that knows only these takes
//! as many entries of u and z.

use crate::kernel::api::Kernel;
use crate::learner::api::{Breakdown, in_round};
use crate::learner::predictive::Told;
use crate::learner::ridge::sequential::Forecast;
use noregret_numeric::linalg::dense::{self, NotFinite, add_gram_lower, pivot_floor, view, view_mut};
use noregret_numeric::linalg::matrix::{Matrix, Rows};
use noregret_numeric::linalg::upper::Upper;
use noregret_numeric::linalg::vector::{add_products, add_rows, add_scaled, dot, solve_lower, squared_norm};
use noregret_numeric::state::{Array, State, StateError, Store, keep};

/// Rounds in a panel of coordinates.
const PANEL: usize = 128;

/// Rounds are played together if their h add up to at most this: beyond it, the products of their u lose digits.
const LARGEST_SUM: f64 = 1e5;

/// Rounds are rotated into R one by one if they are fewer than this fraction of the coordinates.
const FEW: usize = 40;

/// Ridge regression over the rounds so far, without the rounds themselves.
#[derive(Clone, Debug)]
pub(crate) struct GrowingRidge {
    lambda: f64,
    factor: Upper,
    /// R^-T sum y psi.
    whitened: Vec<f64>,
}

impl GrowingRidge {
    /// No coordinates and no rounds.
    pub(crate) fn new(lambda: f64) -> Self {
        Self { lambda, factor: Upper::default(), whitened: Vec::new() }
    }

    /// The ridge forecast and h at the point with coordinates `psi`; replaces them by u = R^-T psi.
    pub(crate) fn forecast(&self, psi: &mut [f64]) -> (f64, f64) {
        self.factor.solve_transposed(psi);
        (dot(psi, &self.whitened), squared_norm(psi))
    }

    /// The predictions at several points, by matrix products. `rows` holds their coordinates, a row for each, and is
    /// overwritten.
    pub(crate) fn predict_rows(&self, forecast: Forecast, rows: &mut [f64], out: &mut [f64]) {
        self.factor.solve_rows(rows, out.len(), &mut Vec::new());
        forecast.of_rows(&self.whitened, rows, out);
    }

    /// z = R^-T sum y psi.
    pub(crate) fn whitened(&self) -> &[f64] {
        &self.whitened
    }

    /// R.
    pub(crate) fn factor(&self) -> &Upper {
        &self.factor
    }

    /// R^-1 z, the coordinates of the regression.
    pub(crate) fn weights(&self) -> Vec<f64> {
        let mut weights = self.whitened.clone();
        self.factor.solve(&mut weights);
        weights
    }

    /// Learns from a round; overwrites `psi`.
    pub(crate) fn learn(&mut self, psi: &mut [f64], mut y: f64) {
        for ([c, s], z) in self.factor.add(psi).iter().zip(&mut self.whitened) {
            let (old, term) = (*z, y);
            *z = c * old + s * term;
            y = c * term - s * old;
        }
    }

    /// Plays rounds of which all new coordinates have been added: round i, with coordinates `psi(i)` and target
    /// `targets[i]`, knows the first `known[i]` of them.
    ///
    /// # Errors
    /// If a forecast is not finite.
    pub(crate) fn play<'a>(
        &mut self,
        forecast: Forecast,
        psi: impl Fn(usize) -> &'a [f64],
        known: &[usize],
        targets: &[f64],
        work: &mut RidgeScratch,
        predictions: &mut [f64],
    ) -> Result<(), Breakdown> {
        let count = targets.len();
        work.whitened.clear();
        (0..count).for_each(|i| work.whitened.extend_from_slice(psi(i)));
        self.factor.solve_rows(&mut work.whitened, count, &mut work.triangle);
        let sum: f64 = work.whitened.chunks_exact(self.len().max(1)).map(squared_norm).sum();
        if sum <= LARGEST_SUM && self.forecast_all(forecast, known, targets, work, predictions).is_ok() {
            work.kept.clone_from(&self.whitened);
            for (u, y) in work.whitened.chunks_exact(self.len().max(1)).zip(targets) {
                add_scaled(&mut self.whitened, *y, u);
            }
            if FEW * count >= self.len() && self.factor.absorb(&work.whitened, count, &mut work.triangle).is_ok() {
                solve_lower(&work.triangle, self.len(), &[], &mut self.whitened);
                return Ok(());
            }
            self.whitened.clone_from(&work.kept);
            for (i, y) in targets.iter().enumerate() {
                self.learn(&mut psi(i).to_vec(), *y);
            }
            return Ok(());
        }
        work.told.clear();
        for (i, y) in targets.iter().enumerate() {
            let mut u = psi(i)[..known[i]].to_vec();
            let (ridge, h) = self.forecast(&mut u);
            predictions[i] = forecast.of(ridge, h);
            finite(ridge, h).map_err(in_round(i))?;
            work.told.push([ridge, h, (y - ridge).powi(2) / (1.0 + h)]);
            self.learn(&mut psi(i).to_vec(), *y);
        }
        Ok(())
    }

    /// The forecasts of all rounds, without learning from them; an error if one is not finite.
    fn forecast_all(
        &self,
        forecast: Forecast,
        known: &[usize],
        targets: &[f64],
        work: &mut RidgeScratch,
        predictions: &mut [f64],
    ) -> Result<(), NotFinite> {
        let (count, m) = (targets.len(), self.len());
        let RidgeScratch { whitened, gram, factor, residuals, told, .. } = work;
        told.clear();
        gram.clear();
        gram.resize(count * count, 0.0);
        gram.iter_mut().step_by(count + 1).for_each(|entry| *entry = 1.0);
        let (mut from, mut covered) = (0, 0);
        while from < count {
            // The rounds that know the same coordinates, after the earlier ones in these coordinates.
            let width = known[from];
            let to = from + known[from..].iter().take_while(|known| **known == width).count();
            if width > covered {
                let new = view(&whitened[covered..], count, width - covered, m);
                add_gram_lower(view_mut(gram, count, count, count), 1.0, new);
                covered = width;
            }
            factor.clone_from(gram);
            dense::cholesky(factor, to, count, 1.0)?;
            residuals.clear();
            for i in 0..to {
                let row = &factor[i * count..][..i + 1];
                let prior = dot(&whitened[i * m..][..width], &self.whitened);
                let (ridge, h) = (prior + dot(row, residuals), row[i] * row[i] - 1.0);
                let residual = (targets[i] - ridge) / row[i];
                residuals.push(residual);
                if i >= from {
                    told.push([ridge, h, residual * residual]);
                    predictions[i] = forecast.of(ridge, h);
                    finite(ridge, h).map_err(|_| NotFinite)?;
                }
            }
            from = to;
        }
        Ok(())
    }

    /// Tells what was known of the targets of the rounds that were played last; `rest` is the kernel value of round i with
    /// itself that lies outside of the coordinates.
    pub(crate) fn tell(&self, work: &RidgeScratch, rest: impl Fn(usize) -> f64, told: &mut Told) {
        for (i, [mean, h, square]) in work.told.iter().enumerate() {
            told.round(*mean, self.leverage(*h, rest(i)), *square, 1.0, 1.0);
        }
    }

    /// The variance of the function relative to that of the noise: h for its part in the coordinates, and that of the part
    /// outside of them, which no round has told anything of.
    pub(crate) fn leverage(&self, h: f64, rest: f64) -> f64 {
        h + rest / self.lambda
    }

    /// Adds the coordinates that [`PastRounds::extend`] has put into `work`.
    pub(crate) fn grow(&mut self, work: &mut RidgeScratch) {
        for Gain { products, squares, moment } in &mut work.gains[..work.gained] {
            self.factor.solve_transposed(products);
            let own = self.lambda + *squares;
            let left = own - squared_norm(products);
            // Not `left.max(floor)`, which would hide a NaN.
            let floor = pivot_floor(self.lambda, own);
            let diagonal = if left < floor { floor.sqrt() } else { left.sqrt() };
            let value = (*moment - dot(products, &self.whitened)) / diagonal;
            self.factor.push(products, diagonal);
            self.whitened.push(value);
        }
    }

    /// Number of coordinates.
    pub(crate) fn len(&self) -> usize {
        self.whitened.len()
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.whitened.is_empty()
    }

    /// Bytes of the state.
    pub(crate) fn bytes(&self) -> u64 {
        let m = self.factor.len() as u64;
        8 * (m * (m + 1) / 2 + m)
    }
}

impl State for GrowingRidge {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        keep!(self, store: factor, whitened; lambda);
        store.check(factor.len() == whitened.len(), "has a factor and coefficients of different numbers")
    }
}

/// Whether a ridge forecast and its h can be used.
///
/// # Errors
/// If one of them is not finite.
pub(crate) fn finite(ridge: f64, h: f64) -> Result<(), Breakdown> {
    if ridge.is_finite() && h.is_finite() {
        return Ok(());
    }
    Err(Breakdown::new(format!("the ridge forecast {ridge} or its variance {h} is beyond floating point")))
}

/// Working space of rounds that are played together, and of new coordinates.
#[derive(Debug, Default)]
pub(crate) struct RidgeScratch {
    /// u of each round.
    whitened: Vec<f64>,
    /// I plus the products of the u, and its Cholesky factor.
    gram: Vec<f64>,
    factor: Vec<f64>,
    residuals: Vec<f64>,
    /// m, h and (y - m)^2 / (1 + h) of each round.
    told: Vec<[f64; 3]>,
    triangle: Vec<f64>,
    /// R^-T sum y psi before the rounds.
    kept: Vec<f64>,
    /// The new coordinates are the first `gained`; the others are old ones, whose memory is used again.
    gains: Vec<Gain>,
    gained: usize,
    /// The rows of the new coordinates with their signs changed.
    negated: Vec<f64>,
}

/// Working space is not worth copying.
impl Clone for RidgeScratch {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// A new coordinate over the rounds so far.
#[derive(Debug, Default)]
struct Gain {
    /// Psi' col, with the earlier coordinates.
    products: Vec<f64>,
    /// |col|^2.
    squares: f64,
    /// col' y.
    moment: f64,
}

/// The rounds so far, in coordinates: n (d + m) numbers.
#[derive(Clone, Debug)]
pub(crate) struct PastRounds {
    inputs: Matrix,
    targets: Vec<f64>,
    /// Panels of [`PANEL`] rounds. Each holds one run of [`PANEL`] numbers per coordinate, with zeros for rounds to
    /// come.
    panels: Vec<Vec<f64>>,
    coordinates: usize,
    /// By what the coordinates and the target of each round have been multiplied, up to the last round where that is not 1.
    roots: Vec<f64>,
}

impl PastRounds {
    /// No rounds, in R^`dim`.
    pub(crate) fn new(dim: usize) -> Self {
        Self {
            inputs: Matrix::with_width(dim),
            targets: Vec::new(),
            panels: Vec::new(),
            coordinates: 0,
            roots: Vec::new(),
        }
    }

    /// Number of rounds.
    pub(crate) fn len(&self) -> usize {
        self.targets.len()
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// Number of coordinates.
    pub(crate) fn coordinates(&self) -> usize {
        self.coordinates
    }

    /// Appends a round whose coordinates and target have been multiplied by `root`.
    pub(crate) fn push(&mut self, x: &[f64], root: f64, psi: &[f64], y: f64) {
        if root != 1.0 {
            self.roots.resize(self.len(), 1.0);
            self.roots.push(root);
        }
        self.push_rows(Rows::new(x.len(), x), |_| psi, &[y]);
    }

    /// Appends a round for each row of `inputs`; `psi(i)` are the coordinates of row i.
    pub(crate) fn push_rows<'a>(&mut self, inputs: Rows<'_>, psi: impl Fn(usize) -> &'a [f64], targets: &[f64]) {
        let mut done = 0;
        while done < targets.len() {
            let at = self.len() % PANEL;
            if at == 0 {
                self.panels.push(vec![0.0; self.coordinates * PANEL]);
            }
            let take = (PANEL - at).min(targets.len() - done);
            if let Some(panel) = self.panels.last_mut() {
                // A few rounds at a time, so that both reads and writes are local.
                for from in (0..take).step_by(8) {
                    let to = take.min(from + 8);
                    for (c, run) in panel.chunks_exact_mut(PANEL).enumerate() {
                        (from..to).for_each(|i| run[at + i] = psi(done + i)[c]);
                    }
                }
            }
            self.inputs.push_rows(inputs.slice(done, done + take));
            self.targets.extend_from_slice(&targets[done..done + take]);
            done += take;
        }
    }

    /// Appends the coordinates of dictionary points, and puts into `work` what [`GrowingRidge::grow`] needs to know of them. Row j
    /// of `coordinates` has those of point j, in the earlier coordinates and in those of `points` up to its own, which is
    /// its distance from the span before it.
    pub(crate) fn extend(
        &mut self,
        kernel: &dyn Kernel,
        points: Rows<'_>,
        coordinates: &Matrix,
        work: &mut RidgeScratch,
    ) {
        let (q, m) = (points.rows(), self.coordinates);
        let RidgeScratch { gains, gained, negated, .. } = work;
        *gained = q;
        gains.resize_with(gains.len().max(q), Gain::default);
        for (j, Gain { products, squares, moment }) in gains[..q].iter_mut().enumerate() {
            products.clear();
            products.resize(m + j, 0.0);
            (*squares, *moment) = (0.0, 0.0);
        }
        negated.clear();
        negated.extend(coordinates.data().iter().map(|along| -along));
        for (p, panel) in self.panels.iter_mut().enumerate() {
            let from = p * PANEL;
            let to = self.targets.len().min(from + PANEL);
            let count = to - from;
            let len = panel.len();
            // A quarter more than needed, so that growth neither copies nor wastes much.
            if panel.capacity() < len + q * PANEL {
                panel.reserve_exact(len / 4 + q * PANEL);
            }
            panel.resize(len + q * PANEL, 0.0);
            let (before, new) = panel.split_at_mut(len);
            for (j, gain) in gains[..q].iter_mut().enumerate() {
                let (above, run) = new.split_at_mut(j * PANEL);
                let run = &mut run[..count];
                kernel.row(self.inputs.slice(from, to), points.row(j), run);
                let roots = self.roots.get(from..).unwrap_or_default();
                run.iter_mut().zip(roots).for_each(|(value, root)| *value *= root);
                let (along, scale) = (&negated[j * coordinates.cols()..][..m + j], coordinates.row(j)[m + j].recip());
                add_rows(run, &along[..m], before, PANEL);
                add_rows(run, &along[m..], above, PANEL);
                run.iter_mut().for_each(|value| *value *= scale);
                let (old, recent) = gain.products.split_at_mut(m);
                add_products(old, before, PANEL, run);
                add_products(recent, above, PANEL, run);
                gain.squares += squared_norm(run);
                gain.moment += dot(run, &self.targets[from..to]);
            }
        }
        self.coordinates += q;
    }

    /// Bytes of the state.
    pub(crate) fn bytes(&self) -> u64 {
        8 * (self.len() * (self.inputs.cols() + 1) + self.panels.len() * PANEL * self.coordinates) as u64
    }
}

/// The coordinates are a matrix with one row per coordinate and one column per round.
impl State for PastRounds {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let Self { inputs, targets, panels, coordinates, roots } = self;
        store.keep("inputs", inputs)?;
        store.keep("targets", targets)?;
        let rounds = targets.len();
        store.check(inputs.rows() == rounds, "has inputs and targets of different numbers of rounds")?;
        store.keep_some("roots", &mut !roots.is_empty(), roots)?;
        store.check(roots.len() <= rounds, "has weights of more rounds than it has")?;
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
