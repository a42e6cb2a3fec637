//! `comparator/...`: the best fixed predictor in hindsight, solved once for each stream, horizon and replicate.

use std::sync::Arc;

use noregret_engine::code::CodeIdentity;
use noregret_engine::plan::work::{Estimate, Facts, Failure, Item, ItemInput, Job, Product, Work};
use serde_json::json;

use crate::code;
use crate::comparator::compute::{self, Problem, Solved};
use crate::config::experiment::{Experiment, ExperimentComparator};
use crate::stage::items::item;
use crate::stage::tables::Tables;

/// The items and the work of `comparator/NAME`, for an experiment that has a comparator.
pub(crate) fn stage(
    experiment: &Arc<Experiment>,
    prepared: &[Option<ItemInput>],
    tables: &Arc<Tables>,
) -> Option<(Vec<Item>, Arc<dyn Work>)> {
    experiment.comparison.as_ref()?;
    let codes = (0..experiment.design.streams.len()).map(|stream| code_of(experiment, stream)).collect();
    let work = SolveComparator { experiment: experiment.clone(), tables: tables.clone(), codes };
    let items = (0..experiment.problems.len())
        .map(|index| item(&work, index, prepared[experiment.problems[index].stream].iter().copied().collect()))
        .collect();
    Some((items, Arc::new(work)))
}

fn code_of(experiment: &Experiment, stream: usize) -> Arc<CodeIdentity> {
    let design = &experiment.design;
    let mut members = design.loss.part.modules();
    members.extend(design.streams[stream].modules());
    let problem = experiment.problems.iter().find(|problem| problem.stream == stream);
    if let (Some(comparison), Some(problem)) = (&experiment.comparison, problem) {
        members.push(comparison.entry.module);
        // The members are the same at all horizons; parameters that are refused here are refused when it is solved.
        members.extend(comparison.at(problem.horizon).map(|params| params.modules()).unwrap_or_default());
    }
    code::behind(module_path!(), compute::MODULE, &members)
}

struct SolveComparator {
    experiment: Arc<Experiment>,
    tables: Arc<Tables>,
    /// The code behind the comparators on each stream.
    codes: Vec<Arc<CodeIdentity>>,
}

impl SolveComparator {
    fn comparison(&self) -> Result<&ExperimentComparator, Failure> {
        self.experiment.comparison.as_ref().ok_or_else(|| Failure::failed("the experiment has no comparator"))
    }
}

impl Work for SolveComparator {
    fn label(&self, item: usize) -> String {
        let Problem { stream, horizon, replicate } = self.experiment.problems[item];
        format!("{}, n = {horizon}, replicate {replicate}", self.experiment.design.streams[stream].name())
    }

    fn facts(&self, item: usize) -> Facts {
        let Problem { stream, horizon, replicate } = self.experiment.problems[item];
        let comparison = self.experiment.comparison.as_ref().and_then(|comparison| {
            let params = comparison.at(horizon).ok()?;
            Some(json!({ "name": comparison.entry.name, "parameters": params.canonical() }))
        });
        let parameters = json!({
            "comparator": comparison,
            "experiment": self.experiment.design.name,
            "seed": self.experiment.design.seed,
            "stream": self.experiment.design.streams[stream].canonical(),
            // The object names its stream by this number.
            "stream_index": stream,
            "horizon": horizon,
            "loss": self.experiment.design.loss.part.canonical(),
            "replicate": replicate,
        });
        Facts { parameters, code: self.codes[stream].clone() }
    }

    fn estimate(&self, item: usize) -> Estimate {
        let Problem { stream, horizon, .. } = self.experiment.problems[item];
        let built = self.experiment.comparison.as_ref().and_then(|comparison| {
            let params = comparison.at(horizon).ok()?;
            (comparison.entry.build)(&params).ok()
        });
        let dim = self.experiment.design.streams[stream].dim();
        let (cost, bytes) = built.map_or((0.0, 0.0), |comparator| comparator.cost(horizon, dim));
        Estimate { cost, bytes, group: "comparator".into() }
    }

    fn is_cell(&self) -> bool {
        true
    }

    fn value(&self, object: &[u8]) -> Option<f64> {
        serde_json::from_slice::<Solved>(object).ok().and_then(|solved| solved.objective)
    }

    fn execute(&self, item: usize, job: &dyn Job) -> Result<Product, Failure> {
        let design = &self.experiment.design;
        let problem = self.experiment.problems[item];
        let table = self.tables.of(&design.streams[problem.stream], job)?;
        let comparison = self.comparison()?;
        let params = comparison.at(problem.horizon).map_err(Failure::failed)?;
        let bytes = compute::solve(design, problem, comparison.entry, &params, table).map_err(Failure::failed)?;
        Ok(Product::Object { bytes, measurements: None })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::config::draft::Draft;

    /// The exponent 100 / n is refused at n = 1, where nothing is solved.
    #[test]
    fn the_code_of_a_kernel_counts_that_only_some_horizons_allow() {
        let text = "
            title = 't'
            replicates = 1
            horizons = [64]
            [stream]
            law = 'periodic-spline'
            [[learners]]
            name = 'kernel-awv'
            lambda = 1
            kernel = { name = 'sobolev-periodic', smoothness = 1, frequency = 'angular' }
            [comparator]
            name = 'penalised'
            lambda = 1
            kernel = { name = 'binomial', exponent = { horizon_power = -1, factor = 100 } }
        ";
        let draft =
            Draft::new(("e", "e.toml"), text.parse().unwrap(), ("paper", &["paper"]), &[], &mut [], &Arc::default());
        let experiment = Experiment::check(draft.unwrap(), &BTreeMap::new()).unwrap();
        assert!(experiment.comparison.as_ref().unwrap().at(1).is_err());
        assert!(code_of(&experiment, 0).files.contains_key("noregret_core::kernel::binomial"));
    }
}
