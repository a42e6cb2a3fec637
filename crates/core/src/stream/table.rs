//! A dataset in memory as a stream.

use std::sync::Arc;

use crate::stream::api::{Reach, Source};
use noregret_numeric::draw::{Draws, Role};
use noregret_numeric::linalg::compact::Compact;

/// Examples in memory, shared by all cells that play them and never copied.
#[derive(Clone, Debug, PartialEq)]
pub struct Examples {
    inputs: Compact,
    targets: Vec<f64>,
    quantities: Vec<bool>,
}

impl Examples {
    /// Examples with one row of `inputs` per target; `None` if their numbers differ.
    pub fn new(inputs: impl Into<Compact>, targets: Vec<f64>) -> Option<Self> {
        let inputs = inputs.into();
        let quantities = vec![true; inputs.cols()];
        (inputs.rows() == targets.len()).then_some(Self { inputs, targets, quantities })
    }

    /// The same, where this says which inputs hold quantities and not parts of categories or circles.
    pub fn with_quantities(self, quantities: Vec<bool>) -> Self {
        debug_assert_eq!(quantities.len(), self.inputs.cols());
        Self { quantities, ..self }
    }

    /// Which inputs hold quantities, whose scale is arbitrary; all, where nothing else was said.
    pub(crate) fn quantities(&self) -> &[bool] {
        &self.quantities
    }

    /// The inputs, one row per example.
    pub fn inputs(&self) -> &Compact {
        &self.inputs
    }

    /// The targets.
    pub fn targets(&self) -> &[f64] {
        &self.targets
    }
}

/// Examples in a fixed order, which is chosen when the source is made. The draws of [`Source::example`] are not used.
///
/// ```
/// use noregret_core::prelude::*;
/// use std::sync::Arc;
///
/// let inputs = Matrix::from_data(3, 1, vec![10.0, 20.0, 30.0]).unwrap();
/// let examples = Arc::new(Examples::new(inputs, vec![1.0, 2.0, 3.0]).unwrap());
/// let (source, draws, mut x) = (TableSource::in_file_order(examples.clone()), Draws::named(&["order"]), [0.0]);
/// assert_eq!((source.example(2, &draws, &mut x), x), (2.0, [20.0]));
/// // Another order, which the names decide; inputs keep their targets.
/// let y = TableSource::shuffled(examples, &draws).example(1, &draws, &mut x);
/// assert_eq!(x[0], 10.0 * y);
/// ```
#[derive(Clone, Debug)]
pub struct TableSource {
    examples: Arc<Examples>,
    /// The row of round t, at index t - 1; `None` means file order.
    order: Option<Arc<[usize]>>,
}

impl TableSource {
    /// The examples in file order.
    pub fn in_file_order(examples: Arc<Examples>) -> Self {
        Self { examples, order: None }
    }

    /// The examples in the uniformly random order that `draws` determines.
    pub fn shuffled(examples: Arc<Examples>, draws: &Draws) -> Self {
        let order = draws.at(Role::Start, 0).permutation(examples.targets.len());
        Self { examples, order: Some(order.into()) }
    }

    /// The row of the table that round `round` (from 1) shows.
    fn row(&self, round: u64) -> usize {
        let index = round as usize - 1;
        self.order.as_ref().map_or(index, |order| order[index])
    }
}

impl Source for TableSource {
    fn dim(&self) -> usize {
        self.examples.inputs.cols()
    }

    fn rounds(&self) -> Option<u64> {
        Some(self.examples.targets.len() as u64)
    }

    fn example(&self, round: u64, _draws: &Draws, x: &mut [f64]) -> f64 {
        let row = self.row(round);
        self.examples.inputs.write_row(row, x);
        self.examples.targets[row]
    }

    fn reach(&self) -> Option<Reach> {
        let inputs = &self.examples.inputs;
        let input = (0..inputs.rows()).map(|row| inputs.squared_norm(row)).fold(0.0, f64::max).sqrt();
        Some(Reach { input, target: self.examples.targets.iter().fold(0.0, |most: f64, y| most.max(y.abs())) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use noregret_numeric::linalg::matrix::Matrix;

    fn examples() -> Arc<Examples> {
        let inputs = Matrix::from_data(100, 2, (0..200).map(f64::from).collect()).unwrap();
        Arc::new(Examples::new(inputs, (0..100).map(f64::from).collect()).unwrap())
    }

    fn rows(source: &TableSource) -> Vec<f64> {
        let (mut inputs, mut targets) = (vec![0.0; 200], vec![0.0; 100]);
        source.fill(1, &Draws::named(&["unused"]), &mut inputs, &mut targets);
        for (x, &y) in inputs.chunks(2).zip(&targets) {
            assert_eq!(x, [2.0 * y, 2.0 * y + 1.0], "an input without its target");
        }
        targets
    }

    #[test]
    fn file_order() {
        let source = TableSource::in_file_order(examples());
        assert_eq!((source.dim(), source.rounds()), (2, Some(100)));
        assert!(rows(&source).iter().enumerate().all(|(i, &y)| y == i as f64));
    }

    #[test]
    fn shuffled_order_is_a_permutation_that_the_draws_determine() {
        let of = |name| rows(&TableSource::shuffled(examples(), &Draws::named(&[name])));
        let order = of("a");
        assert_eq!(order, of("a"));
        assert_ne!(order, of("b"));
        let mut sorted = order;
        sorted.sort_by(f64::total_cmp);
        assert_eq!(sorted, rows(&TableSource::in_file_order(examples())));
    }

    #[test]
    fn lengths_must_agree() {
        assert!(Examples::new(Matrix::zeros(3, 1), vec![0.0; 2]).is_none());
    }
}
