//! What is solved in hindsight on the rounds of an experiment, as runs that a figure shows beside those of learners.

use std::collections::BTreeMap;

use noregret_core::comparator::api::ComparatorEntry;
use noregret_core::params::{Params, Value};
use noregret_core::protocol::design::Design;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::comparator::compute::{Problem, SolveError, Solved, solve};
use noregret_numeric::meter::CpuMeter;
use noregret_report::analysis::record::{ExperimentResults, RunResult};
use noregret_report::trace::cell::EndStatus;
use noregret_report::trace::gauge::GaugeValues;

/// Where code identity starts.
pub const MODULE: &str = module_path!();

/// A comparator that a figure shows.
#[derive(Clone, Debug)]
pub struct Hindsight {
    /// Its name in the figure.
    pub label: String,
    /// The comparator.
    pub entry: &'static ComparatorEntry,
    /// Its parameters.
    pub params: Params,
}

impl Hindsight {
    /// The modules that define it, for code identity.
    pub(crate) fn modules(&self) -> Vec<&'static str> {
        std::iter::once(self.entry.module).chain(self.params.modules()).collect()
    }

    /// Its solution of those of the `problems` of `design`, whose rounds a law makes, that have the longest horizon of their
    /// stream: a run for each, whose loss is the least objective. Its regret is against what the runs of `played` are compared
    /// with.
    ///
    /// # Errors
    /// A problem that cannot be solved.
    pub(crate) fn runs(
        &self,
        design: &Design,
        problems: &[Problem],
        played: &ExperimentResults,
    ) -> Result<Vec<RunResult>, SolveError> {
        let numbers = self.params.iter().filter_map(|(name, value)| match value {
            Value::Real(number) => Some((name.to_owned(), *number)),
            Value::Integer(number) => Some((name.to_owned(), *number as f64)),
            _ => None,
        });
        let parameters: BTreeMap<String, f64> = numbers.collect();
        let run = |problem: &Problem| -> Result<RunResult, SolveError> {
            let Problem { stream, horizon, replicate } = *problem;
            let solved: Solved = serde_json::from_slice(&solve(design, *problem, self.entry, &self.params, None)?)?;
            let (stream, replicate) = (design.streams[stream].name(), u64::from(replicate));
            let same = |run: &&RunResult| run.stream == stream && run.horizon == horizon && run.replicate == replicate;
            Ok(RunResult {
                run_id: String::new(),
                stream: stream.to_owned(),
                learner: self.entry.name.to_owned(),
                label: self.label.clone(),
                replicate,
                horizon,
                status: if solved.objective.is_some() { EndStatus::Done } else { EndStatus::Failed },
                detail: solved.status,
                rounds: horizon,
                average_loss: solved.objective.map(|loss| loss / horizon as f64),
                cumulative_loss: solved.objective,
                cumulative_error: None,
                comparator_loss: played.runs.iter().find(same).and_then(|run| run.comparator_loss),
                gauges: GaugeValues::default(),
                measures: BTreeMap::new(),
                tuned: None,
                in_file_order: false,
                parameters: parameters.clone(),
            })
        };
        let longer = |one: &Problem, other: &Problem| other.stream == one.stream && other.horizon > one.horizon;
        let longest = problems.par_iter().filter(|one| !problems.iter().any(|other| longer(one, other)));
        let meter = CpuMeter::current();
        longest.map(|problem| meter.charge(|| run(problem))).collect()
    }
}
