//! The best fixed predictor in hindsight of one stream, horizon and replicate.

use std::sync::Arc;

use noregret_core::comparator::api::{Best, ComparatorEntry, ComparatorError};
use noregret_core::loss::squared;
use noregret_core::params::{ParamError, Params};
use noregret_core::protocol::design::Design;
use noregret_core::stream::table::Examples;
use noregret_numeric::linalg::matrix::Matrix;
use serde::{Deserialize, Serialize};

/// Where code identity starts.
pub const MODULE: &str = module_path!();

/// A problem whose solution is what the regret of some cells is measured against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// Index into the design's streams.
    pub stream: usize,
    /// Number of rounds.
    pub horizon: u64,
    /// Replicate, from 0.
    pub replicate: u32,
}

/// A solved problem, as it is stored.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Solved {
    /// Index into the design's streams.
    pub stream: usize,
    /// Number of rounds.
    pub horizon: u64,
    /// Replicate, from 0.
    pub replicate: u32,
    /// The loss of the best predictor, if it is finite.
    pub loss: Option<f64>,
    /// The same with its penalty, where it has one: what regret is measured against.
    pub objective: Option<f64>,
    /// What became of the problem, if it has no finite objective.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
}

impl Solved {
    /// The solution of a problem. One that is not finite, as JSON has no number for, is a result as well: the problem
    /// has no other, however often it is solved.
    fn new(problem: Problem, best: Best) -> Self {
        let Problem { stream, horizon, replicate } = problem;
        let finite = |value: f64| Some(value).filter(|value| value.is_finite());
        let (loss, objective) = (finite(best.loss), finite(best.objective));
        let status = objective.is_none().then(|| "not finite".to_owned());
        Self { stream, horizon, replicate, loss, objective, status }
    }
}

/// Why a problem was not solved.
#[derive(Debug, thiserror::Error)]
pub enum SolveError {
    /// The comparator's parameters are not allowed.
    #[error(transparent)]
    Parameter(#[from] ParamError),
    /// The stream's dataset is not at hand.
    #[error("its prepared data were not made")]
    NoData,
    /// The comparator cannot be computed.
    #[error(transparent)]
    Comparator(#[from] ComparatorError),
    /// The result could not be written.
    #[error(transparent)]
    Write(#[from] serde_json::Error),
}

/// Solves a problem and returns [`Solved`] as JSON.
///
/// # Errors
/// See [`SolveError`].
pub fn solve(
    design: &Design,
    problem: Problem,
    comparator: &ComparatorEntry,
    params: &Params,
    table: Option<Arc<Examples>>,
) -> Result<Vec<u8>, SolveError> {
    let Problem { stream, horizon, replicate } = problem;
    let draws = design.stream_draws(stream, replicate);
    let source = design.streams[stream].source(horizon, &draws, table).ok_or(SolveError::NoData)?;
    let mut inputs = Matrix::zeros(horizon as usize, source.dim());
    let mut targets = vec![0.0; horizon as usize];
    source.fill(1, &draws, inputs.data_mut(), &mut targets);
    let comparator = (comparator.build)(params)?;
    let named = comparator.solve_on(&*design.loss.object, &*source, &draws, inputs.view(), &targets);
    let best = if let Some(best) = named {
        best?
    } else if design.loss.part.name == squared::ENTRY.name {
        comparator.solve(inputs.view(), &targets)?
    } else {
        comparator.solve_for(&*design.loss.object, inputs.view(), &targets)?
    };
    Ok(serde_json::to_vec(&Solved::new(problem, best))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summarise::compute::objectives;

    #[test]
    fn a_solution_that_is_not_finite_is_a_result_with_that_status() {
        let problem = |replicate| Problem { stream: 0, horizon: 10, replicate };
        let stored = |replicate, objective| {
            let solved = Solved::new(problem(replicate), Best { loss: 1.5, objective });
            serde_json::to_string(&solved).unwrap()
        };
        assert_eq!(stored(0, 2.0), r#"{"stream":0,"horizon":10,"replicate":0,"loss":1.5,"objective":2.0}"#);
        let lost = stored(1, f64::INFINITY);
        assert!(lost.ends_with(r#""objective":null,"status":"not finite"}"#), "{lost}");
        // As earlier versions stored it.
        let old = r#"{"stream":0,"horizon":10,"replicate":2,"loss":null,"objective":null}"#.to_owned();
        let found = objectives([stored(0, 2.0), lost, old].into_iter().map(String::into_bytes)).unwrap();
        assert_eq!(found.into_iter().collect::<Vec<_>>(), [((0, 10, 0), 2.0)]);
    }
}
