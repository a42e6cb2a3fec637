//! Everything that a project declares: read, sized for a profile, with overrides applied, and checked.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rayon::prelude::{IntoParallelIterator, ParallelIterator};

use super::draft::{Draft, FIELDS};
use super::error::plain;
use super::experiment::Experiment;
use super::learners::Learners;
use super::overrides::Override;
use super::project::{Profile, Project};
use super::scope::TargetScope;
use super::sizes::Sizes;
use super::study::{ItemKind, Studies, StudyItem};
use crate::config::{ConfigError, did_you_mean, names, reported};
use crate::figure::compute::function::Function;
use crate::figure::compute::hindsight::Hindsight;
use crate::figure::declare::functions::functions;
use crate::figure::declare::hindsight::hindsight;
use crate::rate::{self, design};
use noregret_data::catalogue::load_each;
use noregret_data::declaration::Dataset;
use noregret_data::prepare::Preparation;
use noregret_engine::plan::select::Targets;
use noregret_report::analysis::rate::file;
use noregret_report::analysis::rate::row::{RateRow, RecordedDesign};
use noregret_report::analysis::rate::verdict::LEAST_SEEDS;
use noregret_report::chart::theme::Theme;
use noregret_report::error::ProjectFileError;
use noregret_report::error::ReportError;
use noregret_report::exhibit::ExhibitNeed;
use noregret_report::figure::api::{Figure, FigureSpec};
use noregret_report::figure::registry as figures;
use noregret_report::table::api::CheckedTable;
use noregret_report::table::registry as tables;

/// Everything declared in `pipeline/` (and `data/added/`), read and checked.
#[derive(Debug)]
pub struct Declared {
    /// Profiles by name.
    pub profiles: BTreeMap<String, Profile>,
    /// The chosen profile.
    pub profile: String,
    /// Datasets by name.
    pub datasets: BTreeMap<String, Dataset>,
    /// Experiments by name, with the chosen profile's sizes and the overrides applied.
    pub experiments: BTreeMap<String, Arc<Experiment>>,
    /// How all experiments, needed or not, want datasets prepared, by the name of the dataset.
    pub preparations: BTreeMap<String, Vec<Preparation>>,
    /// Figures by name.
    pub figures: BTreeMap<String, Figure>,
    /// The functions of each figure that shows any, by its name.
    pub functions: BTreeMap<String, Arc<[Function]>>,
    /// The comparators of each figure that shows any, by its name.
    pub hindsight: BTreeMap<String, Arc<[Hindsight]>>,
    /// Tables by name.
    pub tables: BTreeMap<String, CheckedTable>,
    /// Rows of rates by name, with the chosen profile's horizons.
    pub rates: BTreeMap<String, RateRow>,
    /// The recorded designs of findings, by their figures (`figure/NAME`).
    pub designs: BTreeMap<String, Vec<RecordedDesign>>,
    /// The negative controls of rows by name of the row: the experiment of the row, with what the control changes, and the
    /// row's curve alone.
    pub controls: BTreeMap<String, Arc<Experiment>>,
    /// Whether the project decides errata, which it does where a table or a figure shows them.
    pub errata: bool,
    /// Whether the project holds its runs against what theorems promise of every run, which it does where a table shows it.
    pub guarantees: bool,
    /// Whether nothing was left out.
    pub whole: bool,
    /// The overrides that changed each experiment, by its name; none for those that are as their files say.
    pub changed: BTreeMap<String, Vec<String>>,
    /// How figures are to look.
    pub theme: Theme,
}

/// Stands for the profile that is run where none is named: the one that is marked as the default, else [`PAPER`].
pub const DEFAULT_PROFILE: &str = "default";

/// The profile that is run where none is named and none is marked.
const PAPER: &str = "paper";

impl Declared {
    /// Whether its profile is the one that is run where none is named.
    pub(crate) fn is_default(&self) -> bool {
        self.profile == default(&self.profiles, DEFAULT_PROFILE)
    }

    /// The overrides that changed some of these experiments, each once, in the order in which they were given.
    pub(crate) fn overrides(&self, experiments: &[String]) -> Vec<&str> {
        let mut found: Vec<&str> = Vec::new();
        for given in experiments.iter().filter_map(|name| self.changed.get(name)).flatten() {
            if !found.contains(&given.as_str()) {
                found.push(given);
            }
        }
        found
    }

    /// Reads everything, and checks what `targets` need, or all of it where there are none.
    ///
    /// # Errors
    /// What is wrong with which file and field.
    pub fn load(
        project: &Project,
        profile: &str,
        overrides: &[Override],
        targets: &[String],
    ) -> Result<Self, ConfigError> {
        let profiles = project.profiles()?;
        let profile = chosen(project, &profiles, profile)?;
        let targets = Targets::new(targets).map_err(|error| ConfigError::Specification(error.to_string()))?;
        let mut scope = TargetScope::new(&targets);
        let reading = ProjectReader {
            studies: project.studies()?,
            profiles: &profiles,
            profile,
            known: profiles.keys().map(String::as_str).collect(),
            overrides,
            learners: Arc::new(Learners::load(project.root())?),
        };
        reading.learners.entered(&reading.studies.names(ItemKind::Experiment))?;
        let (datasets, broken) = datasets(project, &scope)?;
        let errata = reading.shows(ExhibitNeed::Errata);
        let guarantees = reading.shows(ExhibitNeed::Guarantees);
        let tables = reading.tables(project, &mut scope)?;
        let figures = reading.figures(project, &mut scope)?;
        let functions = reading.shown(&figures, |spec| !spec.functions.is_empty(), functions)?;
        let hindsight = reading.shown(&figures, |spec| !spec.hindsight.is_empty(), hindsight)?;
        let mut designs = design::recorded(&project.pipeline())?;
        let rates = reading.rates(&scope, &mut designs)?;
        let needed = scope.experiments(&reading.studies.names(ItemKind::Experiment), &figures, &tables, &rates);
        let mut declared = Self {
            profiles: profiles.clone(),
            profile: profile.to_owned(),
            datasets,
            experiments: BTreeMap::new(),
            preparations: BTreeMap::new(),
            figures,
            functions,
            hindsight,
            tables,
            rates,
            designs,
            controls: BTreeMap::new(),
            errata,
            guarantees,
            whole: scope.whole,
            changed: BTreeMap::new(),
            theme: Theme::default(),
        };
        reading.experiments(&needed, &broken, &mut declared)?;
        names::Declarations {
            studies: &reading.studies,
            figures: &declared.figures,
            functions: &declared.functions,
            hindsight: &declared.hindsight,
            tables: &declared.tables,
            rates: &declared.rates,
            experiments: &declared.experiments,
        }
        .check(|name| reading.elsewhere(name, &declared.datasets))?;
        declared.controls = reading.controls(&declared)?;
        Ok(declared)
    }
}

/// What is needed to read the files of a project.
struct ProjectReader<'a> {
    studies: Studies,
    profiles: &'a BTreeMap<String, Profile>,
    profile: &'a str,
    /// The names of all profiles.
    known: Vec<&'a str>,
    overrides: &'a [Override],
    learners: Arc<Learners>,
}

impl ProjectReader<'_> {
    /// Whether a table or a figure of the project needs this, whatever the targets.
    fn shows(&self, need: ExhibitNeed) -> bool {
        let tabled = |(name, item): (&String, &StudyItem)| tables::checked(name, item.table().ok()?).ok();
        let drawn = |(name, item): (&String, &StudyItem)| figures::checked(name, item.table().ok()?).ok();
        let tables = self.studies.of(ItemKind::Table).filter_map(tabled);
        let figures = self.studies.of(ItemKind::Figure).filter_map(drawn);
        tables.into_iter().any(|table| table.needs(need)) || figures.into_iter().any(|figure| figure.needs(need))
    }

    fn tables(
        &self,
        project: &Project,
        scope: &mut TargetScope<'_>,
    ) -> Result<BTreeMap<String, CheckedTable>, ConfigError> {
        let mut tables = specs(&self.studies, ItemKind::Table, |name| scope.needs("table", name), tables::checked)?;
        for table in tables.values_mut() {
            table.spec.others = reported::read(project.root(), table.spec.reported.as_deref())?;
        }
        scope.add_tables(&tables);
        Ok(tables)
    }

    fn figures(&self, project: &Project, scope: &mut TargetScope<'_>) -> Result<BTreeMap<String, Figure>, ConfigError> {
        let mut figures = specs(&self.studies, ItemKind::Figure, |name| scope.may_need_figure(name), figures::checked)?;
        figures.retain(|name, figure| scope.needs_figure(name, figure));
        for figure in figures.values_mut() {
            figure.spec.others = reported::read(project.root(), figure.spec.reported.as_deref())?;
        }
        scope.add_rows(&figures);
        Ok(figures)
    }

    /// What the figures for which `has` holds show beside runs, by their names.
    fn shown<T>(
        &self,
        figures: &BTreeMap<String, Figure>,
        has: impl Fn(&FigureSpec) -> bool,
        read: impl Fn(&FigureSpec) -> Result<Vec<T>, ConfigError>,
    ) -> Result<BTreeMap<String, Arc<[T]>>, ConfigError> {
        let one = |(name, figure): (&String, &Figure)| {
            let place = self.studies.get(ItemKind::Figure, name).map(|item| item.place.clone()).unwrap_or_default();
            Ok((name.clone(), read(&figure.spec).map_err(|error| error.at(&place))?.into()))
        };
        figures.iter().filter(|(_, figure)| has(&figure.spec)).map(one).collect()
    }

    /// The rows of rates that are needed, each with its recorded designs, which leave `designs`.
    fn rates(
        &self,
        scope: &TargetScope<'_>,
        designs: &mut BTreeMap<String, Vec<RecordedDesign>>,
    ) -> Result<BTreeMap<String, RateRow>, ConfigError> {
        let sizes = self.profiles[self.profile].sizes;
        let mut rates = BTreeMap::new();
        for (name, item) in self.studies.of(ItemKind::Rate).filter(|(name, _)| scope.needs_row(name)) {
            let mut table = item.table()?;
            if let Some(horizons) = played(&self.studies, &table, sizes, self.profile) {
                table.insert("horizons".into(), horizons);
            }
            let row = file::parse(name, table, (self.profile, &self.known));
            let wrong = |error: ProjectFileError| ConfigError::Malformed {
                path: item.place.clone(),
                message: error.to_string(),
            };
            let designs = designs.remove(name).unwrap_or_default();
            rates.insert(name.clone(), RateRow { designs, ..row.map_err(wrong)? });
        }
        Ok(rates)
    }

    /// Checks the experiments that are `needed`, and notes how all of them want datasets prepared. `broken` says what is
    /// wrong with a dataset.
    fn experiments(
        &self,
        needed: &BTreeSet<String>,
        broken: &BTreeMap<String, String>,
        declared: &mut Declared,
    ) -> Result<(), ConfigError> {
        let overrides = self.overrides;
        let (mut unused, mut elsewhere) = (vec![true; overrides.len()], vec![Vec::new(); overrides.len()]);
        let mut drafts = Vec::new();
        for (name, item) in self.studies.of(ItemKind::Experiment) {
            let needed = needed.contains(name);
            let mut fits_not = vec![true; overrides.len()];
            let draft = self.draft(name, item, self.profile, overrides, &mut fits_not);
            for (index, _) in fits_not.iter().enumerate().filter(|(_, fits_not)| !**fits_not) {
                unused[index] &= !needed;
                elsewhere[index].push(name.as_str());
                if needed {
                    declared.changed.entry(name.clone()).or_default().push(overrides[index].to_string());
                }
            }
            let draft = match draft {
                Err(_) if !needed => continue,
                draft => draft.map_err(|error| error.with(overrides))?,
            };
            if let Some(wrong) = draft.dataset().and_then(|name| broken.get(name)).filter(|_| needed) {
                return Err(ConfigError::Data(wrong.clone()));
            }
            match Experiment::preparations(&draft, &declared.datasets) {
                Err(_) if !needed => continue,
                preparations => {
                    for (dataset, preparation) in preparations.map_err(|error| error.with(overrides))? {
                        declared.preparations.entry(dataset).or_default().push(preparation);
                    }
                }
            }
            if needed {
                drafts.push((name.clone(), draft));
            }
        }
        declared.experiments = checked(drafts, &declared.datasets, overrides)?;
        match overrides.iter().zip(0..).find(|(_, at)| unused[*at]) {
            None => Ok(()),
            Some((given, at)) => Err(match elsewhere[at].as_slice() {
                [] => given.fits_nothing(&self.studies.names(ItemKind::Experiment), FIELDS, &self.learners),
                others => given.fits_elsewhere(others),
            }),
        }
    }

    /// The negative controls of rows.
    fn controls(&self, declared: &Declared) -> Result<BTreeMap<String, Arc<Experiment>>, ConfigError> {
        let one = |(name, row): (&String, &RateRow)| {
            let Some((negative, control)) = row.negative.as_ref().zip(row.of_control()) else { return Ok(None) };
            let Some(item) = self.studies.get(ItemKind::Experiment, &row.experiment) else { return Ok(None) };
            let path = self.studies.get(ItemKind::Rate, name).map_or(name, |item| &item.place);
            let wrong = |field: &str, why: String| ConfigError::Field { path: path.clone(), field: field.into(), why };
            let below = |error: ConfigError| wrong("negative.set", error.to_string());
            let seeds = format!("replicates={LEAST_SEEDS}");
            let set = negative.set.iter().chain([&seeds]).map(|given| Override::parse(given));
            let set: Vec<Override> = set.collect::<Result<_, _>>().map_err(below)?;
            let mut unused = vec![true; set.len()];
            let draft = self.draft(&row.experiment, item, self.profile, &set, &mut unused).map_err(below)?;
            if let Some((given, _)) = set.iter().zip(unused).find(|(_, unused)| *unused) {
                return Err(wrong(
                    "negative.set",
                    format!("`{given}` fits nothing in the experiment {}", row.experiment),
                ));
            }
            let experiment = Experiment::check(draft, &declared.datasets).map_err(below)?;
            let control = rate::control::control(experiment, &control).map_err(|why| wrong("negative", why))?;
            Ok(Some((name.clone(), Arc::new(control))))
        };
        let rows: Vec<_> = declared.rates.iter().collect();
        let controls: Vec<Result<Option<_>, ConfigError>> = rows.into_par_iter().map(one).collect();
        controls.into_iter().filter_map(Result::transpose).collect()
    }

    /// An experiment in a profile. The entries of `fits_not` become false whose overrides it has.
    fn draft(
        &self,
        name: &str,
        item: &StudyItem,
        profile: &str,
        overrides: &[Override],
        fits_not: &mut [bool],
    ) -> Result<Draft, ConfigError> {
        let table = sized(item, self.profiles[profile].sizes, profile)?;
        Draft::new((name, &item.place), table, (profile, &self.known), overrides, fits_not, &self.learners)
    }

    /// An experiment in all profiles in which it is right.
    fn elsewhere(&self, name: &str, datasets: &BTreeMap<String, Dataset>) -> Vec<Experiment> {
        let of = |profile: &&str| {
            let item = self.studies.get(ItemKind::Experiment, name)?;
            Experiment::check(self.draft(name, item, profile, &[], &mut []).ok()?, datasets).ok()
        };
        self.known.iter().filter_map(of).collect()
    }
}

/// The experiments, checked side by side: each learner is looked at with its stream, which takes most of the time.
fn checked(
    drafts: Vec<(String, Draft)>,
    datasets: &BTreeMap<String, Dataset>,
    overrides: &[Override],
) -> Result<BTreeMap<String, Arc<Experiment>>, ConfigError> {
    let one = |(name, draft): (String, Draft)| {
        let experiment = Experiment::check(draft, datasets).map_err(|error| error.with(overrides))?;
        Ok((name, Arc::new(experiment)))
    };
    let checked: Vec<Result<_, ConfigError>> = drafts.into_par_iter().map(one).collect();
    checked.into_iter().collect()
}

/// The datasets that can be read, and what is wrong with others: a mistake in a file that no target needs is no mistake
/// here.
#[expect(clippy::type_complexity, reason = "two lists by name")]
fn datasets(
    project: &Project,
    scope: &TargetScope<'_>,
) -> Result<(BTreeMap<String, Dataset>, BTreeMap<String, String>), ConfigError> {
    let (mut datasets, mut broken) = (BTreeMap::new(), BTreeMap::new());
    let each = load_each(&project.pipeline(), &project.data()).map_err(|error| ConfigError::Data(error.to_string()))?;
    for (name, dataset) in each {
        match dataset {
            Ok(dataset) => drop(datasets.insert(name, dataset)),
            Err(error) if scope.needs("fetch", &name) || scope.needs("prepare", &name) => {
                return Err(ConfigError::Data(error.to_string()));
            }
            Err(error) => drop(broken.insert(name, error.to_string())),
        }
    }
    Ok((datasets, broken))
}

/// The profile of that name.
fn chosen<'a>(
    project: &Project,
    profiles: &'a BTreeMap<String, Profile>,
    profile: &'a str,
) -> Result<&'a str, ConfigError> {
    let profile = default(profiles, profile);
    if profiles.contains_key(profile) {
        return Ok(profile);
    }
    let known = profiles.keys().map(String::as_str);
    let hint = did_you_mean(profile, known.clone());
    Err(ConfigError::Field {
        path: project.pipeline().join("profiles.toml").display().to_string(),
        field: profile.to_owned(),
        why: format!("there is no such profile{hint}; profiles: {}", known.collect::<Vec<_>>().join(", ")),
    })
}

/// The name of the profile of `project` that `profile` means.
///
/// # Errors
/// Its profiles cannot be read, or there is none of that name.
pub fn meant(project: &Project, profile: &str) -> Result<String, ConfigError> {
    let profiles = project.profiles()?;
    chosen(project, &profiles, profile).map(str::to_owned)
}

/// The profile that is meant, where a declared one of the name [`DEFAULT_PROFILE`] is that one.
fn default<'a>(profiles: &'a BTreeMap<String, Profile>, name: &'a str) -> &'a str {
    let marked = || profiles.iter().find(|(_, profile)| profile.default).map(|(name, _)| name.as_str());
    if name == DEFAULT_PROFILE && !profiles.contains_key(name) { marked().unwrap_or(PAPER) } else { name }
}

/// What the studies specify of a kind, by name, where it is wanted.
fn specs<T>(
    studies: &Studies,
    kind: ItemKind,
    wanted: impl Fn(&str) -> bool,
    parse: impl Fn(&str, toml::Table) -> Result<T, ReportError>,
) -> Result<BTreeMap<String, T>, ConfigError> {
    let mut specs = BTreeMap::new();
    for (name, item) in studies.of(kind).filter(|(name, _)| wanted(name)) {
        let spec = parse(name, item.table()?).map_err(|error| match error {
            ReportError::Specification { cause, .. } => {
                ConfigError::Malformed { path: item.place.clone(), message: plain(&cause) }
            }
            other => ConfigError::Specification(other.to_string()),
        });
        specs.insert(name.clone(), spec?);
    }
    Ok(specs)
}

/// The horizons of the experiment of a row of rates, in a profile with this rule. A row has horizons of its own only
/// without one.
fn played(studies: &Studies, row: &toml::Table, sizes: Option<Sizes>, profile: &str) -> Option<toml::Value> {
    let item = studies.get(ItemKind::Experiment, row.get("experiment")?.as_str()?)?;
    let own = item.table().ok()?.get("horizons") != row.get("horizons");
    if sizes.is_none() && own {
        return None;
    }
    let table = sized(item, sizes, profile).ok()?;
    let changed = table.get("profile").and_then(|profiles| profiles.get(profile)?.get("horizons"));
    changed.or_else(|| table.get("horizons")).cloned()
}

/// The keys of an experiment in a profile with this rule.
fn sized(item: &StudyItem, sizes: Option<Sizes>, profile: &str) -> Result<toml::Table, ConfigError> {
    let mut table = item.table()?;
    if let Some(sizes) = sizes {
        sizes.apply(&mut table, profile);
    }
    Ok(table)
}
