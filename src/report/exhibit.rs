//! The published form of a figure or table: the picture or table itself, and a description (`<name>.json`) with title,
//! caption and paper, from which the report is made.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::report::error::ReportError;
use crate::report::table::format::Grid;
use noregret_core::paper::Paper;

/// The description of a figure or table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exhibit {
    /// Its name, as on the command line (`casp-loss`).
    pub name: String,
    /// The paper that it belongs to; None if it goes across the papers.
    pub paper: Option<Paper>,
    /// The heading of the section that shows it, where the project chose one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// Its title.
    pub title: String,
    /// Its caption, paragraph by paragraph.
    pub caption: Vec<String>,
    /// Whether it shows measured times, so that its bytes differ from run to run.
    pub measured: bool,
    /// Its body.
    pub body: Body,
}

/// The body of an exhibit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Body {
    /// A picture. Its SVG is in a file beside the description.
    Figure,
    /// A table.
    Table(Grid),
}

impl Exhibit {
    /// The folder of its files under `reports/`: `figures`, `tables`, or `timings` for measured times.
    pub fn folder(&self) -> &'static str {
        match (self.measured, &self.body) {
            (true, _) => "timings",
            (false, Body::Figure) => "figures",
            (false, Body::Table(_)) => "tables",
        }
    }

    /// The path of one of its files, relative to the project root.
    pub fn path(&self, extension: &str) -> PathBuf {
        Path::new("reports").join(self.folder()).join(format!("{}.{extension}", self.name))
    }

    /// The description as the bytes of `<name>.json`.
    pub fn to_json(&self) -> Result<Vec<u8>, ReportError> {
        let mut bytes = serde_json::to_vec_pretty(self)
            .map_err(|error| ReportError::Exhibit { name: self.name.clone(), cause: error.to_string() })?;
        bytes.push(b'\n');
        Ok(bytes)
    }
}

/// An exhibit with its picture, for the page.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// Its description.
    pub exhibit: Exhibit,
    /// The picture, for figures.
    pub svg: Option<String>,
}

impl Shown {
    /// Reads description and picture from the published files of a stage. `name` is the stage, for errors.
    pub fn from_files(name: &str, files: &[(PathBuf, Vec<u8>)]) -> Result<Self, ReportError> {
        let wrong = |cause: String| ReportError::Exhibit { name: name.into(), cause };
        let with = |extension: &str| {
            let matches = |path: &Path| path.extension().is_some_and(|found| found == extension);
            files.iter().find(|(path, _)| matches(path)).map(|(_, bytes)| bytes)
        };
        let description = with("json").ok_or_else(|| wrong("its description (.json) was not published".into()))?;
        let exhibit: Exhibit = serde_json::from_slice(description).map_err(|error| wrong(error.to_string()))?;
        let svg = match exhibit.body {
            Body::Figure => {
                let bytes = with("svg").ok_or_else(|| wrong("its picture (.svg) was not published".into()))?;
                Some(String::from_utf8(bytes.clone()).map_err(|error| wrong(error.to_string()))?)
            }
            Body::Table(_) => None,
        };
        Ok(Self { exhibit, svg })
    }
}
