//! Measures of a hypothesis after its last round.

use std::collections::BTreeMap;

use crate::learner::api::Hypothesis;
use crate::stream::api::Source;
use noregret_numeric::draw::{Draws, Role};
use noregret_numeric::linalg::sum::Sum;

/// The mean squared error on held-out rounds.
pub const TEST_LOSS: &str = "test_loss";
/// The same of the averaged iterate.
pub(crate) const TEST_LOSS_AVERAGED: &str = "test_loss_averaged";

/// The measures of a final hypothesis: its own, those of its stream, and, if `test_rows` is positive, its mean squared
/// errors over the clean rounds `rounds + 1..=rounds + test_rows`. Numbers that are not finite are left out.
pub(crate) fn final_measures(
    hypothesis: &dyn Hypothesis,
    source: &dyn Source,
    stream_draws: &Draws,
    learner_draws: &Draws,
    rounds: u64,
    test_rows: u64,
) -> BTreeMap<String, f64> {
    let mut measures = hypothesis.measures();
    measures.extend(source.measures(hypothesis, stream_draws));
    if test_rows > 0 {
        let mut x = vec![0.0; source.dim()];
        let (mut last, mut averaged) = (Sum::default(), Some(Sum::default()));
        for round in rounds + 1..=rounds + test_rows {
            let y = source.clean(round, stream_draws, &mut x);
            let error = |prediction: f64| (prediction - y) * (prediction - y);
            let draw = || learner_draws.at(Role::Predict, round);
            last.add(error(hypothesis.predict(&x, &mut draw())));
            averaged = averaged.zip(hypothesis.predict_averaged(&x, &mut draw())).map(|(mut sum, prediction)| {
                sum.add(error(prediction));
                sum
            });
        }
        measures.push((TEST_LOSS, last.value() / test_rows as f64));
        measures.extend(averaged.map(|sum| (TEST_LOSS_AVERAGED, sum.value() / test_rows as f64)));
    }
    finite(measures)
}

/// The measures that are finite numbers, by their names.
pub(super) fn finite(measures: Vec<(&'static str, f64)>) -> BTreeMap<String, f64> {
    measures.into_iter().filter(|(_, value)| value.is_finite()).map(|(name, value)| (name.to_owned(), value)).collect()
}
