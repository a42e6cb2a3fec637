//! The DAG of everything that a project declares.
//!
//! [`graph`] builds the whole DAG of a profile: fetch -> prepare -> run, comparator -> summarise -> figure, table ->
//! report; prepare -> tune -> run; summarise -> rates -> figure, table; figure -> table of claims; prepare, run -> guarantee
//! -> table; and errata -> figure, table.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::config::declared::Declared;
use crate::config::experiment::Experiment;
use crate::config::project::Project;
pub use crate::stage::items::Access;
use crate::stage::{external, tables};
use crate::{
    comparator, erratum, fetch, figure, guarantee, prepare, rate, report, run, summarise, table, timings, tune,
};
use noregret_core::stream::spec::{Origin, StreamSpec};
use noregret_data::prepare::Preparation;
use noregret_engine::plan::work::{self, Graph, Item, ItemInput, Stage, Storage, Work};
use noregret_papers::errata::registry::ERRATA;
use noregret_report::exhibit::ExhibitNeed;

/// Collects stages and hands out their indices.
struct Builder<'a> {
    project: &'a Project,
    declared: &'a Declared,
    graph: Graph,
    fetch: BTreeMap<&'a str, usize>,
    prepare: BTreeMap<&'a str, (usize, Vec<String>)>,
    /// The prepared data that are held while several cells read them.
    tables: Arc<tables::Tables>,
    /// The summaries of experiments.
    summaries: BTreeMap<&'a str, usize>,
    /// The choices of parameters of experiments with tuned learners.
    choices: BTreeMap<&'a str, usize>,
    rates: BTreeMap<&'a str, usize>,
    /// Runs held against what theorems promise of each.
    guarantees: Vec<usize>,
    errata: Vec<usize>,
    /// Figures whose claims come from results, and those whose claims come from measured times.
    claiming: [Vec<usize>; 2],
    /// What the report shows.
    shown: Vec<usize>,
}

/// The DAG of everything declared.
pub fn graph(project: &Project, declared: &Declared, access: &Access) -> Graph {
    let mut builder = Builder {
        project,
        declared,
        graph: Graph::default(),
        fetch: BTreeMap::new(),
        prepare: BTreeMap::new(),
        tables: Arc::default(),
        summaries: BTreeMap::new(),
        choices: BTreeMap::new(),
        rates: BTreeMap::new(),
        guarantees: Vec::new(),
        errata: Vec::new(),
        claiming: [Vec::new(), Vec::new()],
        shown: Vec::new(),
    };
    builder.add_datasets(access);
    builder.add_experiments();
    builder.add_rates();
    builder.add_errata();
    builder.add_figures();
    builder.add_tables();
    builder.add_report();
    builder.graph
}

impl<'a> Builder<'a> {
    fn add(&mut self, name: String, items: Vec<Item>, work: Arc<dyn Work>, storage: Storage) -> usize {
        self.graph.stages.push(Stage { name, items, work, storage });
        self.graph.stages.len() - 1
    }

    /// Adds a stage with a single item, which publishes files.
    fn single(&mut self, name: String, (item, work): (Item, Arc<dyn Work>)) -> usize {
        self.add(name, vec![item], work, Storage::Files)
    }

    /// The prepared variants that the streams of an experiment read, where they read any.
    fn prepared(&self, experiment: &Experiment) -> Vec<Option<ItemInput>> {
        let streams = experiment.design.streams.iter().zip(&experiment.preparations);
        let one = |(stream, preparation): (&StreamSpec, &Option<Preparation>)| {
            let Origin::Dataset { name, .. } = &stream.origin else { return None };
            let (stage, variants) = self.prepare.get(name.as_str())?;
            let wanted = prepare::stage::canonical(preparation.as_ref()?);
            let item = variants.iter().position(|variant| *variant == wanted)?;
            Some(ItemInput { stage: *stage, item: Some(item), need: work::Need::Required })
        };
        streams.map(one).collect()
    }

    fn add_datasets(&mut self, access: &Access) {
        let (project, declared) = (self.project, self.declared);
        // Hashed once: the key, and what is read, must be those of the same bytes.
        let own: BTreeMap<&String, String> = declared
            .datasets
            .iter()
            .filter_map(|(name, dataset)| Some((name, fetch::stage::own(project, dataset)?)))
            .collect();
        for (name, dataset) in &declared.datasets {
            if let Some(fetch) = fetch::stage::stage(project, dataset, access, own.get(name).cloned()) {
                let stage = self.single(format!("fetch/{name}"), fetch);
                self.fetch.insert(name, stage);
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
            let (fetch, own) = (self.fetch.get(name.as_str()).copied(), own.get(name).cloned());
            let (items, work) = prepare::stage::stage(project, dataset, variants, fetch, own);
            let stage = self.add(format!("prepare/{name}"), items, work, Storage::Object { extension: "parquet" });
            self.prepare.insert(name, (stage, keys));
        }
    }

    /// Adds the stages of an experiment, and returns those of its runs and its summary.
    fn add_experiment(&mut self, experiment: &'a Arc<Experiment>) -> [usize; 2] {
        let (name, json) = (&experiment.design.name, Storage::Object { extension: "json" });
        let (prepared, tables) = (self.prepared(experiment), self.tables.clone());
        let tuned = tune::stage::stage(experiment, &prepared, &tables).map(|(items, work)| {
            let work = external::guarded(work, items.len(), |item| external::trials(experiment, item));
            self.add(format!("tune/{name}"), items, work, json)
        });
        self.choices.extend(tuned.map(|stage| (name.as_str(), stage)));
        let (items, work) = run::stage::stage(experiment, &prepared, tuned, &tables);
        let work = external::guarded(work, items.len(), |item| vec![&experiment.cells[item]]);
        let cells = self.add(format!("run/{name}"), items, work, Storage::Object { extension: "parquet" });
        let comparators = comparator::stage::stage(experiment, &prepared, &tables)
            .map(|(items, work)| self.add(format!("comparator/{name}"), items, work, json));
        let (item, work) = summarise::stage::stage(experiment, cells, comparators, &prepared);
        // A comparison without some of its learners would be another one: it waits for them, as it does for data, unless it
        // says otherwise.
        let work = match experiment.partial {
            true => work,
            false => external::guarded(work, 1, |_| experiment.cells.iter().collect()),
        };
        [cells, self.single(format!("summarise/{name}"), (item, work))]
    }

    /// Holds the runs of an experiment against what theorems promise of every run, in a project that shows it.
    fn add_guarantees(&mut self, experiment: &Arc<Experiment>, cells: usize) {
        let prepared = self.prepared(experiment);
        let made = guarantee::stage::stage(experiment, cells, &prepared, &self.tables.clone());
        if let Some((items, work)) = made.filter(|_| self.declared.guarantees) {
            let (name, json) = (format!("guarantee/{}", experiment.design.name), Storage::Object { extension: "json" });
            let stage = self.add(name, items, work, json);
            self.guarantees.push(stage);
        }
    }

    fn add_experiments(&mut self) {
        let declared = self.declared;
        for (name, experiment) in &declared.experiments {
            let [cells, summary] = self.add_experiment(experiment);
            self.summaries.insert(name, summary);
            self.add_guarantees(experiment, cells);
        }
        if declared.whole {
            let all: Vec<usize> = self.summaries.values().copied().collect();
            self.single("summarise/all".into(), summarise::stage::all(&all));
            self.single("timings".into(), timings::stage::stage(self.project, &all));
        }
    }

    fn add_rates(&mut self) {
        let declared = self.declared;
        for (name, row) in &declared.rates {
            let experiment = declared.experiments.get(&row.experiment);
            let own = self.summaries.get(row.experiment.as_str()).copied();
            let control = declared.controls.get(name).map(|control| self.add_experiment(control)[1]);
            let summaries: Vec<usize> = own.into_iter().chain(control).collect();
            let rate = rate::stage::stage(self.project, (row, self.declared.is_default()), experiment, &summaries);
            let stage = self.single(format!("rates/{name}"), rate);
            self.rates.insert(name, stage);
        }
    }

    /// Errata are decided in a project that shows them.
    fn add_errata(&mut self) {
        for erratum in ERRATA.iter().filter(|_| self.declared.errata) {
            let (item, work) = erratum::stage::stage(erratum);
            let stage =
                self.add(format!("errata/{}", erratum.id), vec![item], work, Storage::Object { extension: "json" });
            self.errata.push(stage);
        }
    }

    /// The stages behind what an exhibit needs, which is of these experiments and shows these rows of rates.
    fn inputs(&self, need: ExhibitNeed, of: &[String], rows: &[&str], measured: bool) -> Vec<usize> {
        match need {
            ExhibitNeed::Runs => of.iter().map(|name| self.summaries[name.as_str()]).collect(),
            ExhibitNeed::Rates => rate::stage::chosen(&self.rates, rows),
            ExhibitNeed::Bounds => {
                let about = self.declared.rates.iter().filter(|(_, row)| of.contains(&row.experiment));
                about.map(|(name, _)| self.rates[name.as_str()]).collect()
            }
            ExhibitNeed::Errata => self.errata.clone(),
            ExhibitNeed::Guarantees => self.guarantees.clone(),
            ExhibitNeed::Claims => self.claiming[usize::from(measured)].clone(),
            ExhibitNeed::Choices => of.iter().filter_map(|name| self.choices.get(name.as_str()).copied()).collect(),
            // A file of the project, and what the figure computes itself.
            ExhibitNeed::Reported | ExhibitNeed::Functions | ExhibitNeed::Hindsight => Vec::new(),
        }
    }

    fn add_figures(&mut self) {
        let declared = self.declared;
        for (name, figure) in &declared.figures {
            let rows: Vec<&str> = figure.spec.rows().collect();
            let of = |need: &ExhibitNeed| self.inputs(*need, &figure.spec.experiments, &rows, figure.measured);
            let inputs: Vec<usize> = figure.needs.iter().flat_map(of).collect();
            let stage =
                self.single(format!("figure/{name}"), figure::stage::stage(self.project, declared, figure, &inputs));
            self.shown.push(stage);
            if figure.spec.tests() {
                self.claiming[usize::from(figure.measured)].push(stage);
            }
        }
    }

    fn add_tables(&mut self) {
        let declared = self.declared;
        for (name, table) in &declared.tables {
            let of = |need: &ExhibitNeed| self.inputs(*need, &table.spec.experiments, &["*"], table.kind.measured);
            let inputs: Vec<usize> = table.kind.needs.iter().flat_map(of).collect();
            let stage =
                self.single(format!("table/{name}"), table::stage::stage(self.project, declared, table, &inputs));
            self.shown.push(stage);
        }
    }

    fn add_report(&mut self) {
        if self.declared.whole {
            self.shown.extend(self.summaries.values());
            self.single("report".into(), report::stage::stage(self.project, self.declared, &self.shown));
        }
    }
}
