//! The project folder, and its profiles.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Deserialize;

use super::ConfigError;
use super::sizes::Sizes;
use super::study::{ItemKind, Studies};
use noregret_data::listing;

/// Whether a folder is a project: its profiles are declared, or it has experiments.
pub fn is_project(folder: &Path) -> bool {
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
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The names of what the studies declare of a kind, sorted; what is wrong with a file does not matter here.
    pub fn names(&self, kind: ItemKind) -> Vec<String> {
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
    pub fn profiles(&self) -> Result<BTreeMap<String, Profile>, ConfigError> {
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

    /// What holds for the whole project.
    ///
    /// # Errors
    /// `noregret.toml` cannot be read or parsed.
    pub fn settings(root: &Path) -> Result<ProjectSettings, ConfigError> {
        let path = root.join("noregret.toml");
        if path.is_file() { read(&path) } else { Ok(ProjectSettings::default()) }
    }

    /// What to run.
    pub fn pipeline(&self) -> PathBuf {
        self.root.join("pipeline")
    }

    /// Downloaded and added data.
    pub fn data(&self) -> PathBuf {
        self.root.join("data")
    }

    /// Store, traces and summaries.
    pub fn results(&self) -> PathBuf {
        self.root.join("results")
    }

    /// Figures, tables and the report.
    pub fn reports(&self) -> PathBuf {
        self.root.join("reports")
    }
}

/// What holds for a whole project, whatever its profile: `noregret.toml`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProjectSettings {
    /// The bucket through which machines share results, `s3://BUCKET/PREFIX`; `noregret run --store` comes before it.
    pub store: Option<String>,
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

fn text(path: &Path) -> Result<String, ConfigError> {
    listing::read(path).map_err(|error| ConfigError::Data(error.to_string()))
}

/// Reads a TOML file into a checked type; errors carry the file, line and column.
fn read<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, ConfigError> {
    toml::from_str(&text(path)?).map_err(|error| ConfigError::malformed(&path.display().to_string(), &error))
}
