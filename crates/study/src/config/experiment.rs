//! One experiment: its file, checked.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::num::NonZeroU32;
use std::sync::Arc;

use noregret_core::comparator::COMPARATORS;
use noregret_core::comparator::api::ComparatorEntry;
use noregret_core::learner::api::LearnerEntry;
use noregret_core::loss::api::Loss;
use noregret_core::loss::{LOSSES, squared};
use noregret_core::params::check::check;
use noregret_core::params::entry::Chosen;
use noregret_core::params::{Kind, ParamError, Params};
use noregret_core::parts::AllParts;
use noregret_core::protocol::cell::{Cell, Feed};
use noregret_core::protocol::design::Design;
use noregret_core::stream::spec::Origin;
use noregret_papers::paper::Paper;
use serde_json::json;
use toml::{Table, Value};

use super::ConfigError;
use super::draft::{Draft, ExperimentFile, NAMES};
use super::entry::{ExpandedEntry, same_runs, twice};
use super::fit::{clash, feed, leaves_rows, misfit, other_rows};
use super::grid::{MOST_CELLS, at_horizon, depends_on_horizon, expand_within, formulas, rows};
use super::label::{UnlabelledCurve, labels};
use super::learners::Learners;
use super::overrides::SIZES;
use super::parts::as_written;
use super::stream::{DeclaredStream, Rounds, StreamSpecError, apart, stream};
use crate::comparator::compute::Problem;
use crate::comparator::problems;
use crate::tune::declare::{Choice, Open, TUNE, Trials, TuneCandidate, Tuning};
use noregret_data::declaration::Dataset;
use noregret_data::prepare::Preparation;

/// What regret is measured against: a comparator and its table, whose numbers may depend on the horizon.
#[derive(Debug)]
pub struct ExperimentComparator {
    /// Its registry entry.
    pub entry: &'static ComparatorEntry,
    /// Its parameters as given.
    pub table: Table,
}

impl ExperimentComparator {
    /// Its checked parameters at a horizon.
    pub fn at(&self, horizon: u64) -> Result<Params, ParamError> {
        let table = at_horizon(&self.table, horizon).map_err(|(field, why)| ParamError::refused(field, why))?;
        check(self.entry.params, &table, "", &AllParts)
    }
}

/// A checked experiment, with the chosen profile's sizes, ready to expand to cells.
#[derive(Debug)]
pub struct Experiment {
    /// What its cells share: its name (the stem of its file), base seed, streams, loss.
    pub design: Design,
    /// How the dataset of each stream is prepared, where it has one.
    pub preparations: Vec<Option<Preparation>>,
    /// A title for the report.
    pub title: String,
    /// What it shows, in a few sentences.
    pub about: String,
    /// Which paper it belongs to, if any.
    pub paper: Option<Paper>,
    /// Where in the paper.
    pub source: String,
    /// What regret is measured against.
    pub comparison: Option<ExperimentComparator>,
    /// All cells, in the order of the file: learner, grid point, stream, horizon, replicate.
    pub cells: Vec<Cell>,
    /// All problems that have cells, in order; one comparator is solved for each.
    pub(crate) problems: Vec<Problem>,
    /// What the trials share by which parameters are chosen: other draws, and with them other orders of the rows.
    pub(crate) trials: Design,
    /// The choices of parameters, in the order of their cells.
    pub choices: Vec<Choice>,
    /// The cells whose parameters are chosen, by index. Until then they have those of the first candidate.
    pub(crate) open: BTreeMap<usize, Open>,
    /// Whether what cannot be reached, data or learners, leaves gaps in its tables.
    pub(crate) partial: bool,
    /// What the user is to know: curves that the command line made equal to others, and learners that are never cached.
    pub notes: Vec<String>,
}

/// The parameters of a learner, which may depend on the horizon.
struct ParameterForm<'c> {
    checker: &'c Checker<'c>,
    place: &'c str,
    entry: &'static LearnerEntry,
    table: Table,
    varies: bool,
    /// The parameters as configured; see [`Cell::configured`].
    configured: Arc<str>,
    /// The parameters, where they are the same at all horizons.
    fixed: Option<Arc<Params>>,
}

impl ParameterForm<'_> {
    fn checked(&self, horizon: u64) -> Result<Arc<Params>, ConfigError> {
        let Self { checker, place, entry, table, .. } = self;
        let resolved = at_horizon(table, horizon).map_err(checker.below(place))?;
        let params = checker.learners.check(entry, &resolved);
        params.map(Arc::new).map_err(|error| checker.parameter(*place, error))
    }

    fn at(&self, horizon: u64) -> Result<Arc<Params>, ConfigError> {
        self.fixed.clone().map_or_else(|| self.checked(horizon), Ok)
    }
}

/// A curve of an entry: a label, and the parameters of its learner, or those among which it chooses.
struct EntryCurve<'c> {
    place: &'c str,
    label: Arc<str>,
    feed: Option<Feed>,
    forms: Vec<ParameterForm<'c>>,
    /// The setting of each form in words, and what is at an end of its list.
    words: Vec<(String, Vec<String>)>,
    replicates: u32,
}

impl EntryCurve<'_> {
    /// The first cell at a horizon of a stream, with one form of the parameters.
    fn cell(&self, form: &ParameterForm<'_>, stream: usize, horizon: u64) -> Result<Cell, ConfigError> {
        Ok(Cell {
            learner: form.entry,
            label: self.label.clone(),
            params: form.at(horizon)?,
            configured: form.configured.clone(),
            feed: self.feed.unwrap_or(Feed::Copies(NonZeroU32::MIN)),
            stream,
            horizon,
            replicate: 0,
        })
    }
}

/// What is needed to check an experiment besides its own file.
struct Checker<'a> {
    path: &'a str,
    datasets: &'a BTreeMap<String, Dataset>,
    /// Whether the command line changed anything.
    changed: bool,
    learners: &'a Learners,
}

impl Experiment {
    /// The cell `index` with the parameters of a candidate, where they are open: the same cell as if they had been given.
    pub(crate) fn settled(&self, index: usize, candidate: usize) -> Cell {
        let cell = self.cells[index].clone();
        match self.open.get(&index).and_then(|open| open.candidates.get(candidate)) {
            Some((params, configured)) => Cell { params: params.clone(), configured: configured.clone(), ..cell },
            None => cell,
        }
    }

    /// Checks every parameter of a draft and makes its cells.
    ///
    /// # Errors
    /// Anything that makes no sense, with the field and what is allowed.
    pub(crate) fn check(draft: Draft, datasets: &BTreeMap<String, Dataset>) -> Result<Self, ConfigError> {
        let Draft { name, path, file, changed, learners } = draft;
        Checker { path: &path, datasets, changed, learners: &learners }.experiment(&name, file)
    }

    /// How the streams of a draft want their datasets prepared: name of a dataset, and preparation.
    ///
    /// # Errors
    /// A stream that is wrong.
    pub(crate) fn preparations(
        draft: &Draft,
        datasets: &BTreeMap<String, Dataset>,
    ) -> Result<Vec<(String, Preparation)>, ConfigError> {
        let Draft { path, changed, learners, .. } = draft;
        let streams = Checker { path, datasets, changed: *changed, learners }.streams(&draft.file.stream)?;
        let dataset = |stream: DeclaredStream| match (stream.spec.origin, stream.preparation) {
            (Origin::Dataset { name, .. }, Some(preparation)) => Some((name, preparation)),
            _ => None,
        };
        Ok(streams.into_iter().filter_map(dataset).collect())
    }
}

impl Checker<'_> {
    fn field(&self, field: impl Into<String>, why: impl Into<String>) -> ConfigError {
        ConfigError::Field { path: self.path.to_owned(), field: field.into(), why: why.into() }
    }

    /// For `map_err`: what is wrong with a field below `place`.
    fn below<F: Display>(&self, place: &str) -> impl Fn((F, String)) -> ConfigError {
        move |(field, why)| self.field(format!("{place}.{field}"), why)
    }

    fn parameter(&self, place: impl Into<String>, source: ParamError) -> ConfigError {
        ConfigError::Parameter { path: self.path.to_owned(), place: place.into(), source: Box::new(source) }
    }

    fn experiment(&self, name: &str, file: ExperimentFile) -> Result<Experiment, ConfigError> {
        if file.replicates == 0 {
            return Err(self.field("replicates", "must be at least 1"));
        }
        if file.horizons.is_empty() {
            return Err(self.field("horizons", "must hold at least one number of rounds, or \"all\""));
        }
        let declared = self.streams(&file.stream)?;
        let (streams, preparations) = declared.into_iter().map(|stream| (stream.spec, stream.preparation)).unzip();
        let loss = self.loss(&file.loss)?;
        let comparison = file.comparator.as_ref().map(|table| self.comparison(table, &loss)).transpose()?;
        let design = Design {
            name: name.to_owned(),
            seed: file.seed,
            streams,
            dense: file.dense,
            test_rows: file.test_rows,
            loss,
        };
        let trials = Design { name: format!("{name}/tuning"), dense: false, ..design.clone() };
        let mut experiment = Experiment {
            design,
            preparations,
            title: file.title,
            about: file.about,
            paper: file.paper,
            source: file.source,
            comparison,
            cells: Vec::new(),
            problems: Vec::new(),
            trials,
            choices: Vec::new(),
            open: BTreeMap::new(),
            partial: file.partial,
            notes: Vec::new(),
        };
        if file.learners.is_empty() {
            return Err(self.field("learners", "must hold at least one learner"));
        }
        let sizes = (&*file.horizons, file.replicates, file.tune);
        let (streams, mut cells) = (experiment.design.streams.len() as u64, 0);
        let learners = file.places.iter().zip(&file.learners);
        let entries: Vec<ExpandedEntry> = learners
            .map(|(place, table)| self.entry(place, table, sizes, streams, &mut cells))
            .collect::<Result<_, _>>()?;
        let mut labels = self.labelled(&entries)?.into_iter();
        for entry in entries {
            self.curves(&mut experiment, entry, &mut labels)?;
        }
        if let Some(same) = twice(&experiment.cells) {
            return Err(self.field("learners", same));
        }
        if let Some((field, why)) = clash(&experiment.design, experiment.comparison.is_some()) {
            return Err(self.field(field, why));
        }
        experiment.problems = problems(&experiment.cells);
        Ok(experiment)
    }

    /// A label for each curve of the entries.
    fn labelled(&self, entries: &[ExpandedEntry]) -> Result<Vec<String>, ConfigError> {
        let curves = entries.iter().flat_map(|entry| entry.points.iter().map(move |point| (entry, point)));
        let curves: Vec<UnlabelledCurve<'_>> = curves.map(|(entry, point)| entry.unlabelled(point)).collect();
        labels(&curves, self.changed).map_err(|(at, why)| {
            let mut ends = entries.iter().scan(0, |end, entry| {
                *end += entry.points.len();
                Some((*end, entry))
            });
            let place = ends.find(|(end, _)| at < *end).map_or("learners", |(_, entry)| &entry.place);
            self.field(format!("{place}.label"), why)
        })
    }

    fn streams(&self, table: &Table) -> Result<Vec<DeclaredStream>, ConfigError> {
        let rows = rows(table).map_err(self.below("stream"))?;
        let points = rows.iter().map(expand_within).collect::<Result<Vec<_>, _>>();
        let points = points.map_err(|why| self.field("stream", why))?.concat();
        if points.is_empty() {
            return Err(self.field("stream", "a list of values is empty, so that nothing would run"));
        }
        let read = points.iter().map(|table| {
            stream(table, self.datasets).map_err(|error| match error {
                StreamSpecError::Field(field, why) => self.field(field, why),
                StreamSpecError::Parameter(error) => self.parameter("stream", as_written(error, table)),
            })
        });
        apart(read.collect::<Result<_, _>>()?, &points).map_err(|why| self.field("stream", why))
    }

    fn loss(&self, value: &Value) -> Result<Chosen<dyn Loss>, ConfigError> {
        let table = match value {
            Value::Table(table) => table.clone(),
            Value::String(name) => Table::from_iter([("name".to_owned(), Value::String(name.clone()))]),
            _ => return Err(self.field("loss", "must be a loss: its name, or a table of name and parameters")),
        };
        LOSSES.choose(&table, None, "", &AllParts).map_err(|error| self.parameter("loss", as_written(error, &table)))
    }

    fn comparison(&self, table: &Table, loss: &Chosen<dyn Loss>) -> Result<ExperimentComparator, ConfigError> {
        let mut rest = table.clone();
        let name = match rest.remove("name") {
            Some(Value::String(name)) => name,
            _ => return Err(self.field("comparator.name", "must name a comparator")),
        };
        let entry = COMPARATORS.find(&name).map_err(|error| self.parameter("comparator", error))?;
        // Checked at some horizon now, so that a mistake shows before anything runs.
        let comparison = ExperimentComparator { entry, table: rest };
        let params = comparison.at(1024).map_err(|error| self.parameter("comparator", error))?;
        let comparator = (entry.build)(&params).map_err(|error| self.parameter("comparator", error))?;
        if loss.part.name != squared::ENTRY.name {
            comparator
                .accepts(&*loss.object)
                .map_err(|why| self.field("comparator", format!("with loss {}: {name} {why}", loss.part.name)))?;
        }
        Ok(comparison)
    }

    /// Reads an entry of the file and expands its grid. `cells` counts the cells so far.
    fn entry(
        &self,
        origin: &str,
        table: &Table,
        (horizons, replicates, trials): (&[Rounds], u32, Trials),
        streams: u64,
        cells: &mut u64,
    ) -> Result<ExpandedEntry, ConfigError> {
        let place = origin;
        let name = match table.get("name") {
            Some(Value::String(name)) => name.clone(),
            _ => return Err(self.field(format!("{place}.name"), "must name a learner")),
        };
        let learner = self.learners.find(&name).map_err(|error| self.parameter(place, error))?;
        let place = format!("{place} ({name})");
        let own = |field: &str| table.get(field).cloned();
        let horizons = Rounds::chosen(table, horizons).map_err(self.below(&place))?;
        let replicates = match own("replicates") {
            None => replicates,
            Some(Value::Integer(number)) if (1..=i64::from(u32::MAX)).contains(&number) => number as u32,
            Some(_) => return Err(self.field(format!("{place}.replicates"), "must be an integer of at least 1")),
        };
        let template = match own("label") {
            None => None,
            Some(Value::String(label)) => Some(label),
            Some(_) => return Err(self.field(format!("{place}.label"), "must be text")),
        };
        let tuning = table.get(TUNE).map(|tune| Tuning::read(tune, trials)).transpose().map_err(self.below(&place))?;
        let mut parameters = table.clone();
        parameters.remove(TUNE);
        parameters.retain(|field, _| !SIZES.iter().chain(NAMES).any(|own| own == &field));
        // The lists of a parameter that is a grid or a list of parts itself are not alternatives.
        let grids = learner.params.iter().filter(|spec| matches!(spec.kind, Kind::Grid { .. } | Kind::Parts { .. }));
        let grids: Table =
            grids.filter_map(|spec| Some((spec.name.to_owned(), parameters.remove(spec.name)?))).collect();

        let mut points = expand_within(&parameters).map_err(|why| self.field(&*place, why))?;
        // Counted before any is made; a learner that chooses its parameters plays its trials too.
        let trials = tuning.as_ref().map_or(0, |tuning| tuning.trials());
        let each = (horizons.len() as u64).saturating_mul(replicates.into()).saturating_add(trials);
        *cells = (points.len() as u64).saturating_mul(streams).saturating_mul(each).saturating_add(*cells);
        if *cells > MOST_CELLS {
            let why =
                format!("with it the experiment has {cells} cells; at most {MOST_CELLS}: fewer values or replicates");
            return Err(self.field(place, why));
        }
        points.iter_mut().for_each(|point| point.extend(grids.clone()));
        if points.is_empty() {
            return Err(self.field(place, "a list of parameter values is empty, so that nothing would run"));
        }
        let origin = origin.split(".zip").next().unwrap_or(origin).to_owned();
        Ok(ExpandedEntry { origin, place, learner, template, tuning, horizons, replicates, points })
    }

    /// Makes the cells of an entry, whose curves take their labels from `labels`.
    fn curves(
        &self,
        experiment: &mut Experiment,
        ExpandedEntry { place, learner, tuning, horizons, replicates, points, .. }: ExpandedEntry,
        labels: &mut impl Iterator<Item = String>,
    ) -> Result<(), ConfigError> {
        experiment.notes.extend(self.learners.notes(learner.name, &experiment.notes));
        for (mut point, label) in points.into_iter().zip(labels) {
            let feed = feed(&mut point).map_err(self.below(&place))?;
            let candidates = match &tuning {
                None => vec![(point, String::new(), Vec::new())],
                Some(tuning) => tuning.candidates(&point).map_err(self.below(&place))?,
            };
            let (tables, words): (Vec<Table>, _) =
                candidates.into_iter().map(|(table, setting, ends)| (table, (setting, ends))).unzip();
            let forms = tables.into_iter().map(|table| self.form(&place, learner, table)).collect::<Result<_, _>>()?;
            let curve = EntryCurve { place: &place, label: label.into(), feed, forms, words, replicates };
            for stream in 0..experiment.design.streams.len() {
                if let Some(tuning) = &tuning {
                    let choice = self.choice(&experiment.design, &curve, tuning, stream)?;
                    experiment.choices.push(choice);
                }
                for (index, horizon) in horizons.iter().enumerate() {
                    let cells = self.cells(&experiment.design, &curve, stream, *horizon, index == 0)?;
                    self.add(experiment, &curve, cells, tuning.is_some());
                }
            }
        }
        Ok(())
    }

    /// The choice that a curve makes on a stream.
    fn choice(
        &self,
        design: &Design,
        curve: &EntryCurve<'_>,
        tuning: &Tuning,
        stream: usize,
    ) -> Result<Choice, ConfigError> {
        let spec = &design.streams[stream];
        let wrong = |why| self.field(format!("{}.tune.horizon", curve.place), why);
        let horizon = tuning.rounds.number(spec).map_err(wrong)?;
        other_rows(spec).map_err(|why| self.field(format!("{}.tune", curve.place), why))?;
        leaves_rows(spec, horizon, design.test_rows).map_err(|why| self.field("test_rows", why))?;
        let candidate = |(form, (setting, ends)): (&ParameterForm<'_>, &(String, Vec<String>))| {
            let cell = curve.cell(form, stream, horizon)?;
            let trials = (0..tuning.replicates).map(|replicate| Cell { replicate, ..cell.clone() });
            Ok(TuneCandidate { setting: setting.clone(), ends: ends.clone(), trials: trials.collect() })
        };
        let candidates = curve.forms.iter().zip(&curve.words).map(candidate).collect::<Result<_, ConfigError>>()?;
        Ok(Choice { label: curve.label.clone(), candidates })
    }

    /// The cells of a curve at a horizon of a stream, one for each form of its parameters. At the `first` horizon all forms are
    /// built once, which finds mistakes that depend on the stream's dimension.
    fn cells(
        &self,
        design: &Design,
        curve: &EntryCurve<'_>,
        stream: usize,
        horizon: Rounds,
        first: bool,
    ) -> Result<Vec<Cell>, ConfigError> {
        let spec = &design.streams[stream];
        let horizon = horizon.number(spec).map_err(|why| self.field("horizons", why))?;
        let cells: Vec<Cell> =
            curve.forms.iter().map(|form| curve.cell(form, stream, horizon)).collect::<Result<_, _>>()?;
        for (_, cell) in curve.forms.iter().zip(&cells).filter(|(form, _)| form.varies || first) {
            let learner = cell.learner(design).map_err(|error| self.parameter(curve.place, error))?;
            if let Some(why) = misfit(&learner, curve.feed, spec) {
                return Err(self.field(curve.place, why));
            }
        }
        leaves_rows(spec, horizon, design.test_rows).map_err(|why| self.field("test_rows", why))?;
        Ok(cells)
    }

    /// Adds the cells of a curve at a horizon. If it is `tuned`, the last choice decides their parameters.
    fn add(&self, experiment: &mut Experiment, curve: &EntryCurve<'_>, cells: Vec<Cell>, tuned: bool) {
        let mut cell = cells[0].clone();
        if self.changed && !tuned {
            // What the command line changed may be all that told two curves apart.
            let twin = experiment.cells.iter().find(|other| other.replicate == 0 && same_runs(other, &cell));
            if let Some(twin) = twin.map(|twin| &twin.label) {
                let (name, label) = (&experiment.design.name, &curve.label);
                let note = format!("left out: {name}: `{label}` has the same runs as `{twin}`");
                if twin != label && !experiment.notes.contains(&note) {
                    experiment.notes.push(note);
                }
                return;
            }
        }
        if tuned {
            let candidates: Arc<[_]> = cells.into_iter().map(|cell| (cell.params, cell.configured)).collect();
            cell.configured = json!(candidates.iter().map(|one| &*one.1).collect::<Vec<_>>()).to_string().into();
            let choice = experiment.choices.len() - 1;
            let next = experiment.cells.len();
            let open = |i| (i, Open { choice, candidates: candidates.clone() });
            experiment.open.extend((next..next + curve.replicates as usize).map(open));
        }
        experiment.cells.extend((0..curve.replicates).map(|replicate| Cell { replicate, ..cell.clone() }));
    }

    /// The parameters of a table, ready for any horizon.
    fn form<'c>(
        &'c self,
        place: &'c str,
        entry: &'static LearnerEntry,
        table: Table,
    ) -> Result<ParameterForm<'c>, ConfigError> {
        let varies = depends_on_horizon(&table);
        let mut form = ParameterForm { checker: self, place, entry, table, varies, configured: "".into(), fixed: None };
        let params = form.checked(1)?;
        // Equal values give equal text however they are written; formulas in the horizon stay formulas.
        form.configured = match varies {
            true => json!([params.canonical(), formulas(&form.table)]).to_string().into(),
            false => params.canonical().to_string().into(),
        };
        form.fixed = (!varies).then_some(params);
        Ok(form)
    }
}
