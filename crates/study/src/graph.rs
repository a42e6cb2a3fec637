//! The DAG of everything that a project declares.
//!
//! [`graph`] builds the whole DAG of a profile: fetch -> prepare -> run, comparator -> summarise -> figure, table ->
//! report; prepare -> tune -> run; summarise -> rates -> figure, table; figure -> table of claims; and errata -> figure,
//! table.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::config::experiment::Experiment;
use crate::config::project::{Declared, Project};
pub use crate::stage::items::Access;
use crate::stage::{external, tables};
use crate::{comparator, erratum, fetch, figure, prepare, rate, report, run, summarise, table, timings, tune};
use noregret_core::stream::spec::{Origin, StreamSpec};
use noregret_data::prepare::Preparation;
use noregret_engine::plan::work::{Graph, Input, Item, Need, Stage, Storage, Work};
use noregret_papers::errata::api::Erratum;
use noregret_papers::errata::registry::ERRATA;
use noregret_report::table::api::Fill;

/// Collects stages and hands out their indices.
#[derive(Default)]
struct Builder {
    graph: Graph,
    fetch: BTreeMap<String, usize>,
    prepare: BTreeMap<String, (usize, Vec<String>)>,
}

impl Builder {
    fn add(&mut self, name: String, items: Vec<Item>, work: Arc<dyn Work>, storage: Storage) -> usize {
        self.graph.stages.push(Stage { name, items, work, storage });
        self.graph.stages.len() - 1
    }

    fn erratum(&mut self, erratum: &'static Erratum) -> usize {
        let (item, work) = erratum::stage::stage(erratum);
        self.add(format!("errata/{}", erratum.id), vec![item], work, Storage::Object { extension: "json" })
    }

    /// The prepared variants that the streams of an experiment read, where they read any.
    fn prepared(&self, experiment: &Experiment) -> Vec<Option<Input>> {
        let streams = experiment.design.streams.iter().zip(&experiment.preparations);
        let one = |(stream, preparation): (&StreamSpec, &Option<Preparation>)| {
            let Origin::Dataset { name, .. } = &stream.origin else { return None };
            let (stage, variants) = self.prepare.get(name)?;
            let wanted = prepare::stage::canonical(preparation.as_ref()?);
            let item = variants.iter().position(|variant| *variant == wanted)?;
            Some(Input { stage: *stage, item: Some(item), need: Need::Required })
        };
        streams.map(one).collect()
    }
}

/// The DAG of everything declared.
pub fn graph(project: &Project, declared: &Declared, access: &Access) -> Graph {
    let mut builder = Builder::default();
    // Hashed once: the key, and what is read, must be those of the same bytes.
    let own: BTreeMap<&String, String> = declared
        .datasets
        .iter()
        .filter_map(|(name, dataset)| Some((name, fetch::stage::own(project, dataset)?)))
        .collect();
    for (name, dataset) in &declared.datasets {
        if let Some((item, work)) = fetch::stage::stage(project, dataset, access, own.get(name).cloned()) {
            let stage = builder.add(format!("fetch/{name}"), vec![item], work, Storage::Files);
            builder.fetch.insert(name.clone(), stage);
        }
    }
    for (name, dataset) in &declared.datasets {
        let wanted = declared.preparations.get(name).into_iter().flatten();
        let variants: BTreeMap<String, Preparation> =
            wanted.map(|preparation| (prepare::stage::canonical(preparation), *preparation)).collect();
        if variants.is_empty() {
            continue;
        }
        let (keys, variants): (Vec<_>, Vec<_>) = variants.into_iter().unzip();
        let (fetch, own) = (builder.fetch.get(name).copied(), own.get(name).cloned());
        let (items, work) = prepare::stage::stage(project, dataset, variants, fetch, own);
        let storage = Storage::Object { extension: "parquet" };
        let stage = builder.add(format!("prepare/{name}"), items, work, storage);
        builder.prepare.insert(name.clone(), (stage, keys));
    }
    let tables = Arc::new(tables::Tables::default());
    let (mut summaries, mut choices) = (BTreeMap::new(), BTreeMap::new());
    for (name, experiment) in &declared.experiments {
        let prepared = builder.prepared(experiment);
        let tuned = tune::stage::stage(experiment, &prepared, &tables).map(|(items, work)| {
            let work = external::guarded(work, items.len(), |item| external::trials(experiment, item));
            builder.add(format!("tune/{name}"), items, work, Storage::Object { extension: "json" })
        });
        choices.extend(tuned.map(|stage| (name, stage)));
        let (items, work) = run::stage::stage(experiment, &prepared, tuned, &tables);
        let work = external::guarded(work, items.len(), |item| vec![&experiment.cells[item]]);
        let cells = builder.add(format!("run/{name}"), items, work, Storage::Object { extension: "parquet" });
        let comparators = comparator::stage::stage(experiment, &prepared, &tables).map(|(items, work)| {
            builder.add(format!("comparator/{name}"), items, work, Storage::Object { extension: "json" })
        });
        let (item, work) = summarise::stage::stage(experiment, cells, comparators, &prepared);
        // A comparison without some of its learners would be another one: it waits for them, as it does for data.
        let work = external::guarded(work, 1, |_| experiment.cells.iter().collect());
        let summary = builder.add(format!("summarise/{name}"), vec![item], work, Storage::Files);
        summaries.insert(name.clone(), summary);
    }
    let all: Vec<usize> = summaries.values().copied().collect();
    if declared.whole {
        let (item, work) = summarise::stage::all(&all);
        builder.add("summarise/all".into(), vec![item], work, Storage::Files);
        let (item, work) = timings::stage::stage(project, &all);
        builder.add("timings".into(), vec![item], work, Storage::Files);
    }

    let mut rates = BTreeMap::new();
    for (name, row) in &declared.rates {
        let (experiment, summary) = (declared.experiments.get(&row.experiment), summaries.get(&row.experiment));
        let (item, work) = rate::stage::stage(project, row, experiment, summary.copied());
        rates.insert(name.as_str(), builder.add(format!("rates/{name}"), vec![item], work, Storage::Files));
    }

    // Errata are decided in a project that shows them.
    let errata: Vec<usize> = match declared.errata {
        true => ERRATA.iter().map(|erratum| builder.erratum(erratum)).collect(),
        false => Vec::new(),
    };
    let (mut shown, mut claiming) = (Vec::new(), [Vec::new(), Vec::new()]);
    for (name, shown_as) in &declared.figures {
        let mut inputs: Vec<usize> = shown_as.spec.experiments.iter().map(|name| summaries[name]).collect();
        inputs.extend(rate::stage::chosen(&rates, shown_as.spec.rows()));
        inputs.extend(errata.iter().filter(|_| shown_as.spec.errata));
        let (item, work) = figure::stage::stage(project, declared, shown_as, &inputs);
        let stage = builder.add(format!("figure/{name}"), vec![item], work, Storage::Files);
        shown.push(stage);
        if !shown_as.spec.claims.is_empty() {
            claiming[usize::from(shown_as.measured)].push(stage);
        }
    }
    for (name, shown_as) in &declared.tables {
        let inputs: Vec<usize> = match shown_as.kind.fill {
            Fill::Runs(_) | Fill::Reported(_) => shown_as.spec.experiments.iter().map(|name| summaries[name]).collect(),
            Fill::Bounded(_) => {
                let of = &shown_as.spec.experiments;
                let rows = declared.rates.iter().filter(|(_, row)| of.contains(&row.experiment));
                of.iter().map(|name| summaries[name]).chain(rows.map(|(name, _)| rates[name.as_str()])).collect()
            }
            Fill::Errata(_) => errata.clone(),
            Fill::Rates(_) => rates.values().copied().collect(),
            Fill::Claims(_) => {
                claiming[usize::from(shown_as.kind.measured)].iter().chain(rates.values()).copied().collect()
            }
            Fill::Tuning(_) => shown_as.spec.experiments.iter().filter_map(|name| choices.get(name).copied()).collect(),
        };
        let (item, work) = table::stage::stage(project, declared, shown_as, &inputs);
        shown.push(builder.add(format!("table/{name}"), vec![item], work, Storage::Files));
    }
    if declared.whole {
        shown.extend(&all);
        let (item, work) = report::stage::stage(project, declared, &shown);
        builder.add("report".into(), vec![item], work, Storage::Files);
    }
    builder.graph
}
