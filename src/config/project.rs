//! The project folder, and everything declared in it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::{IntoParallelIterator, ParallelIterator};
use schemars::JsonSchema;
use serde::Deserialize;

use super::draft::{Draft, FIELDS};
use super::error::plain;
use super::experiment::Experiment;
use super::functions::functions;
use super::hindsight::hindsight;
use super::learners::Learners;
use super::overrides::Override;
use super::scope::Scope;
use super::sizes::Sizes;
use super::study::{Item, Kind, Studies};
use super::{ConfigError, names, rate, reported};
use crate::analysis::rate::row::Row;
use crate::compute::function::Function;
use crate::compute::hindsight::Hindsight;
use crate::dataset::catalogue::load_each;
use crate::dataset::declaration::Dataset;
use crate::dataset::listing;
use crate::dataset::prepare::Preparation;
use crate::report::chart::theme::Theme;
use crate::report::error::ReportError;
use crate::report::figure::api::Figure;
use crate::report::figure::registry as figures;
use crate::report::table::api::{Fill, Table};
use crate::report::table::registry as tables;
use noregret_core::params::check::nearest;
use noregret_engine::plan::select::Targets;

/// Whether a folder is a project: its profiles are declared, or it has experiments.
pub(crate) fn is_project(folder: &Path) -> bool {
    folder.join("pipeline/profiles.toml").is_file() || folder.join("pipeline/experiments").is_dir()
}

/// A project folder: configuration in `pipeline/`, data in `data/`, results in `results/`, reports in `reports/`.
#[derive(Clone, Debug)]
pub struct Project {
    root: PathBuf,
}

impl Project {
    /// The project that holds the folder `start`: the nearest folder at or above it that [`is_project`].
    pub fn find(start: &Path) -> Result<Self, ConfigError> {
        start
            .ancestors()
            .find(|folder| is_project(folder))
            .map(|root| Self { root: root.to_owned() })
            .ok_or_else(|| ConfigError::NoProject(start.display().to_string()))
    }

    /// The project folder itself.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The names of what the studies declare of a kind, sorted; what is wrong with a file does not matter here.
    pub(crate) fn names(&self, kind: Kind) -> Vec<String> {
        let studies = self.studies().unwrap_or_default();
        studies.names(kind).into_iter().map(str::to_owned).collect()
    }

    /// What the studies declare.
    ///
    /// # Errors
    /// See [`Studies::read`].
    pub fn studies(&self) -> Result<Studies, ConfigError> {
        Studies::read(&self.pipeline())
    }

    /// The profiles that it declares, by name.
    ///
    /// # Errors
    /// `pipeline/profiles.toml` cannot be read or parsed.
    pub(crate) fn profiles(&self) -> Result<BTreeMap<String, Profile>, ConfigError> {
        let path = self.pipeline().join("profiles.toml");
        let profiles: BTreeMap<String, Profile> = read(&path)?;
        let marked: Vec<&str> = profiles.iter().filter(|(_, one)| one.default).map(|(name, _)| name.as_str()).collect();
        match marked[..] {
            [first, second, ..] => Err(ConfigError::Field {
                path: path.display().to_string(),
                field: format!("{second}.default"),
                why: format!("`{first}` is marked as the default already; leave one of them out"),
            }),
            _ => Ok(profiles),
        }
    }

    /// What to run.
    pub(crate) fn pipeline(&self) -> PathBuf {
        self.root.join("pipeline")
    }

    /// Downloaded and added data.
    pub(crate) fn data(&self) -> PathBuf {
        self.root.join("data")
    }

    /// Store, traces and summaries.
    pub(crate) fn results(&self) -> PathBuf {
        self.root.join("results")
    }

    /// Figures, tables and the report.
    pub(crate) fn reports(&self) -> PathBuf {
        self.root.join("reports")
    }
}

/// One profile: a set of sizes for all experiments.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// What it is for, in a sentence.
    pub description: String,
    /// Whether it is run where no profile is named; at most one is. Without one, `paper` is.
    #[serde(default)]
    pub default: bool,
    /// How its sizes follow from those that files give.
    pub(crate) sizes: Option<Sizes>,
}

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
    pub tables: BTreeMap<String, Table>,
    /// Rows of rates by name, with the chosen profile's horizons.
    pub rates: BTreeMap<String, Row>,
    /// Whether the project decides errata, which it does where a table or a figure shows them.
    pub errata: bool,
    /// Whether nothing was left out.
    pub whole: bool,
    /// The overrides that changed each experiment, by its name; none for those that are as their files say.
    pub changed: BTreeMap<String, Vec<String>>,
    /// How figures are to look.
    pub theme: Theme,
}

/// The profile that is used when none is named, in projects that mark no other as the default.
pub(crate) const DEFAULT_PROFILE: &str = "paper";

impl Declared {
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
        let pipeline = project.pipeline();
        let profiles = project.profiles()?;
        let profile = default(&profiles, profile);
        if !profiles.contains_key(profile) {
            let known = profiles.keys().map(String::as_str);
            let hint = nearest(profile, known.clone()).map(|name| format!("; did you mean `{name}`?"));
            return Err(ConfigError::Field {
                path: pipeline.join("profiles.toml").display().to_string(),
                field: profile.to_owned(),
                why: format!(
                    "there is no such profile{}; profiles: {}",
                    hint.unwrap_or_default(),
                    known.collect::<Vec<_>>().join(", ")
                ),
            });
        }
        let known_profiles: Vec<&str> = profiles.keys().map(String::as_str).collect();
        let targets = Targets::new(targets).map_err(|error| ConfigError::Specification(error.to_string()))?;
        let mut scope = Scope::new(&targets);
        let learners = Arc::new(Learners::load(project.root())?);

        // A mistake in a file that no target needs is no mistake here.
        let (mut datasets, mut broken) = (BTreeMap::new(), BTreeMap::new());
        let each = load_each(&pipeline, &project.data()).map_err(|error| ConfigError::Data(error.to_string()))?;
        for (name, dataset) in each {
            match dataset {
                Ok(dataset) => drop(datasets.insert(name, dataset)),
                Err(error) if scope.needs("fetch", &name) || scope.needs("prepare", &name) => {
                    return Err(ConfigError::Data(error.to_string()));
                }
                Err(error) => drop(broken.insert(name, error.to_string())),
            }
        }
        let studies = project.studies()?;
        let sizes = profiles[profile].sizes;
        let names = studies.names(Kind::Experiment);
        // Whether errata are decided does not depend on the targets.
        let tabled = studies.of(Kind::Table).filter_map(|(name, item)| tables::checked(name, item.table().ok()?).ok());
        let drawn = studies.of(Kind::Figure).filter_map(|(name, item)| figures::checked(name, item.table().ok()?).ok());
        let errata = tabled.into_iter().any(|table| matches!(table.kind.fill, Fill::Errata(_)))
            || drawn.into_iter().any(|figure| figure.spec.errata);
        let mut tables = specs(&studies, Kind::Table, |name| scope.needs("table", name), tables::checked)?;
        for table in tables.values_mut() {
            table.spec.others = reported::read(project.root(), table.spec.reported.as_deref())?;
        }
        scope.add_tables(&tables);
        let mut figures = specs(&studies, Kind::Figure, |name| scope.may_need_figure(name), figures::checked)?;
        figures.retain(|name, figure| scope.needs_figure(name, figure));
        for figure in figures.values_mut() {
            figure.spec.others = reported::read(project.root(), figure.spec.reported.as_deref())?;
        }
        let drawn_at = |name: &str| {
            let place = studies.get(Kind::Figure, name).map(|item| item.place.clone()).unwrap_or_default();
            move |error: ConfigError| error.at(&place)
        };
        let functions = figures
            .iter()
            .filter(|(_, figure)| !figure.spec.functions.is_empty())
            .map(|(name, figure)| Ok((name.clone(), functions(&figure.spec).map_err(drawn_at(name))?.into())))
            .collect::<Result<_, ConfigError>>()?;
        let hindsight = figures
            .iter()
            .filter(|(_, figure)| !figure.spec.hindsight.is_empty())
            .map(|(name, figure)| Ok((name.clone(), hindsight(&figure.spec).map_err(drawn_at(name))?.into())))
            .collect::<Result<_, ConfigError>>()?;
        scope.add_rows(&figures);
        let mut rates = BTreeMap::new();
        for (name, item) in studies.of(Kind::Rate).filter(|(name, _)| scope.needs_row(name)) {
            let mut table = item.table()?;
            if let Some(horizons) = sizes.and_then(|sizes| played(&studies, &table, sizes, profile)) {
                table.insert("horizons".into(), horizons);
            }
            let row = rate::parse(name, table, (profile, &known_profiles));
            let wrong = |message| ConfigError::Malformed { path: item.place.clone(), message };
            rates.insert(name.clone(), row.map_err(wrong)?);
        }
        let needed = scope.experiments(&names, &figures, &tables, &rates);
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
            errata,
            whole: scope.whole,
            changed: BTreeMap::new(),
            theme: Theme::default(),
        };

        let (mut unused, mut elsewhere) = (vec![true; overrides.len()], vec![Vec::new(); overrides.len()]);
        let mut drafts = Vec::new();
        for (name, item) in studies.of(Kind::Experiment) {
            let needed = needed.contains(name);
            let mut fits_not = vec![true; overrides.len()];
            let draft = sized(item, sizes, profile).and_then(|table| {
                Draft::new((name, &item.place), table, (profile, &known_profiles), overrides, &mut fits_not, &learners)
            });
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
        // Every learner is built once to see whether it fits its stream, which takes most of the time here.
        let checked: Vec<Result<_, ConfigError>> = drafts
            .into_par_iter()
            .map(|(name, draft)| {
                let experiment = Experiment::check(draft, &declared.datasets).map_err(|error| error.with(overrides))?;
                Ok((name, Arc::new(experiment)))
            })
            .collect();
        declared.experiments = checked.into_iter().collect::<Result<_, _>>()?;
        if let Some((given, at)) = overrides.iter().zip(0..).find(|(_, at)| unused[*at]) {
            return Err(match elsewhere[at].as_slice() {
                [] => given.fits_nothing(&names, FIELDS, &learners),
                others => given.fits_elsewhere(others),
            });
        }
        let elsewhere = |name: &str| -> Vec<Experiment> {
            let item = studies.get(Kind::Experiment, name);
            let of = |profile: &&str| {
                let item = item?;
                let (table, profile) =
                    (sized(item, profiles[*profile].sizes, profile).ok()?, (*profile, &*known_profiles));
                let draft = Draft::new((name, &item.place), table, profile, &[], &mut [], &learners);
                Experiment::check(draft.ok()?, &declared.datasets).ok()
            };
            known_profiles.iter().filter_map(of).collect()
        };
        names::Declarations {
            studies: &studies,
            figures: &declared.figures,
            functions: &declared.functions,
            hindsight: &declared.hindsight,
            tables: &declared.tables,
            rates: &declared.rates,
            experiments: &declared.experiments,
        }
        .check(elsewhere)?;
        Ok(declared)
    }
}

/// The profile that is meant: [`DEFAULT_PROFILE`] stands for the one that is marked where it is not declared itself.
fn default<'a>(profiles: &'a BTreeMap<String, Profile>, name: &'a str) -> &'a str {
    let marked = || profiles.iter().find(|(_, profile)| profile.default).map(|(name, _)| name.as_str());
    if name == DEFAULT_PROFILE && !profiles.contains_key(name) { marked().unwrap_or(name) } else { name }
}

/// What the studies specify of a kind, by name, where it is wanted.
fn specs<T>(
    studies: &Studies,
    kind: Kind,
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

/// The horizons of the experiment of a row of rates, in a profile with this rule. A row has others only without one.
fn played(studies: &Studies, row: &toml::Table, sizes: Sizes, profile: &str) -> Option<toml::Value> {
    let item = studies.get(Kind::Experiment, row.get("experiment")?.as_str()?)?;
    let table = sized(item, Some(sizes), profile).ok()?;
    let changed = table.get("profile").and_then(|profiles| profiles.get(profile)?.get("horizons"));
    changed.or_else(|| table.get("horizons")).cloned()
}

/// The keys of an experiment in a profile with this rule.
fn sized(item: &Item, sizes: Option<Sizes>, profile: &str) -> Result<toml::Table, ConfigError> {
    let mut table = item.table()?;
    if let Some(sizes) = sizes {
        sizes.apply(&mut table, profile);
    }
    Ok(table)
}

fn text(path: &Path) -> Result<String, ConfigError> {
    listing::read(path).map_err(|error| ConfigError::Data(error.to_string()))
}

/// Reads a TOML file into a checked type; errors carry the file, line and column.
fn read<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, ConfigError> {
    toml::from_str(&text(path)?).map_err(|error| ConfigError::malformed(&path.display().to_string(), &error))
}
