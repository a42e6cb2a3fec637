//! The published form of a figure or table: the picture or table itself, and a description (`<name>.json`) with title,
//! caption and paper, from which the report is made.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::analysis::rate::verdict::{Power, Z_975, seeds_deciding};
use crate::analysis::student::two_sided_quantile;
use crate::analysis::summary::LEVEL;
use crate::analysis::words::{self, head};
use crate::chart::plot::SeriesShape;
use crate::error::ReportError;
use crate::number::grouped;
use crate::page::verdict::{Tone, agreement, tone};
use crate::table::format::TableGrid;
use noregret_papers::paper::Paper;

/// What the name of a file has before its number, where a picture that is higher than a page comes in parts.
pub(crate) const PART: &str = "-part-";

/// What a figure or table is made from, beside its file. Each kind says it once, and whoever collects inputs asks.
/// Every figure may use runs and rows of rates, so kinds of figures name only what they need besides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExhibitNeed {
    /// The runs of its experiments.
    Runs,
    /// Rows of rates: those that it names, or all of them, in the order of their names.
    Rates,
    /// The rows of rates about its experiments.
    Bounds,
    /// The decided errata, in the order of their registry.
    Errata,
    /// The descriptions of the figures that test claims, measured or not as the kind is.
    Claims,
    /// The choices among settings of tuned learners, in the order of its experiments.
    Choices,
    /// What theorems promise of every run, held against all runs.
    Guarantees,
    /// The losses of other programs on the same streams (`reported`).
    Reported,
    /// Functions that are evaluated (`functions`).
    Functions,
    /// What is solved in hindsight on the rounds of its experiments (`hindsight`).
    Hindsight,
}

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
    pub(crate) section: Option<String>,
    /// What the papers leave open and it answers, where it is a finding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) finding: Option<String>,
    /// Its title.
    pub title: String,
    /// Its caption, paragraph by paragraph; pages fold all but the first.
    pub caption: Vec<String>,
    /// Whether it shows measured times, so that its bytes differ from run to run.
    pub measured: bool,
    /// Its place on the page of its paper: smaller numbers come first, and those without one last, by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<u32>,
    /// The claims that its data decide.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<ClaimOutcome>,
    /// How it was run: what, and its value (`Seeds`, `20`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub setup: Vec<(String, String)>,
    /// For figures, the values that it shows, panel by panel.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub panels: Vec<PanelValues>,
    /// Its body.
    pub body: Body,
}

/// A claim, and what the data say of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimOutcome {
    /// The claim, or the question, in one sentence.
    pub claim: String,
    /// The paper's own words that it tests; None for a question of ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// Its source: paper, section, theorem or figure.
    pub source: String,
    /// What it says of its figure where it is decided.
    #[serde(default, skip_serializing_if = "FoundTitle::is_empty")]
    pub title: FoundTitle,
    /// The word for the outcome: of a claim `supported`, `contradicted`, `undecided`, `not tested`, of a question `yes`, `no`,
    /// `unclear`, `no data`, `not testable here`.
    pub outcome: String,
    /// What was compared, and how the outcome follows: the rule in words.
    pub rule: String,
    /// For a claim about an exponent, the row of rates that decides it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<String>,
    /// The labels of the curves that decide it, in markup: of several candidates, those that were chosen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub learners: Vec<String>,
    /// The effect, in the units of the figure; None if there are no data.
    pub effect: Option<f64>,
    /// Lower and upper end of the effect's interval, where there is one.
    pub interval: Option<(f64, f64)>,
    /// The number of replicates behind it.
    pub replicates: u64,
    /// The evidence: sentences for a reader.
    pub evidence: String,
    /// Why the data may contradict it; None where they do not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explanation: Option<String>,
}

/// Sentences of which one is the title of a figure, when a claim or question of it is decided.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FoundTitle {
    /// If the claim is supported, or the answer is yes.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) yes: String,
    /// If it is contradicted, or the answer is no.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) no: String,
}

impl FoundTitle {
    fn is_empty(&self) -> bool {
        self.yes.is_empty() && self.no.is_empty()
    }

    /// The sentence that an outcome chooses.
    pub(crate) fn of(&self, outcome: &str) -> Option<&str> {
        let chosen = match (tone(outcome), outcome) {
            (Tone::Agrees, _) | (Tone::Answered, "yes") => &self.yes,
            (Tone::Against, _) | (Tone::Answered, "no") => &self.no,
            _ => return None,
        };
        Some(chosen.as_str()).filter(|sentence| !sentence.is_empty())
    }
}

/// The outcome of a claim about an exponent: the first words of its row's verdict. A question of ours has the answer that
/// they give instead, so that its outcome is not taken for that of a claim; a row that is not testable gives none.
pub(crate) fn of_row(verdict: &str, quoted: bool) -> String {
    let own = head(verdict);
    if quoted || own == words::UNTESTABLE { own.to_owned() } else { words::question(agreement(verdict)).to_owned() }
}

impl ClaimOutcome {
    /// Gives a claim about an exponent the verdict that its row has among all rows; `verdicts` are theirs by name. A
    /// figure knows its own rows only, and the number of all tests counts.
    pub(crate) fn settle(&mut self, verdicts: &BTreeMap<String, String>) {
        if let Some(verdict) = self.rate.as_ref().and_then(|row| verdicts.get(row)) {
            self.outcome = of_row(verdict, self.quote.is_some());
        }
    }

    /// That a claim which would be the title of its figure is not decided, and about how many replicates have 80 % power to
    /// decide it, if the effect is as large as it was found. The standard error is that of the interval, a t interval at
    /// [`LEVEL`]; where it holds together with others, it is wider, and the number too large.
    pub(crate) fn undecided(&self) -> Option<String> {
        if self.title.is_empty() || !matches!(tone(&self.outcome), Tone::Open | Tone::Leaning) {
            return None;
        }
        let (effect, (low, high)) = self.effect.zip(self.interval)?;
        let error = two_sided_quantile(self.replicates.saturating_sub(1), LEVEL).map(|t| (high - low) / (2.0 * t))?;
        let needs = match seeds_deciding(self.replicates as usize, error, effect.abs(), Z_975) {
            Some(Power::Between(least, most)) => format!(": needs about {} to {}", grouped(least), grouped(most)),
            Some(Power::Impractical) => ": more than 10,000 would be needed".to_owned(),
            None => String::new(),
        };
        Some(format!("Not decided with {} seeds{needs}", grouped(self.replicates)))
    }

    /// Whose it is, in words.
    pub(crate) fn whose(&self) -> &'static str {
        words::whose(self.quote.is_some())
    }

    /// The evidence, with the explanation where there is one.
    pub(crate) fn told(&self) -> String {
        self.explanation.iter().fold(self.evidence.clone(), |told, why| format!("{told} {why}"))
    }

    /// Where it comes from, with the paper's words.
    pub(crate) fn cited(&self) -> String {
        match &self.quote {
            Some(quote) => format!("\u{201c}{quote}\u{201d}, {}", self.source),
            None => format!("{}: {}", self.whose(), self.source),
        }
    }
}

/// Gives the claims of all figures the verdicts that the tables of rates among these exhibits have.
pub fn settle(shown: &mut [ShownExhibit]) {
    let mut verdicts = BTreeMap::new();
    for one in shown.iter() {
        let Body::Table(grid) = &one.exhibit.body else { continue };
        let column = |key: &str| grid.columns.iter().position(|column| column.key == key);
        let (Some(row), Some(verdict)) = (column("row"), column("verdict")) else { continue };
        verdicts.extend(grid.rows.iter().map(|cells| (cells[row].text(), cells[verdict].text())));
    }
    shown.iter_mut().flat_map(|one| &mut one.exhibit.claims).for_each(|claim| claim.settle(&verdicts));
}

/// The values of one panel of a figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PanelValues {
    /// Its heading; empty if the figure has a single panel.
    pub title: String,
    /// Label of the horizontal axis, in markup, and whether the axis is logarithmic.
    pub x: (String, bool),
    /// The same of the vertical axis.
    pub y: (String, bool),
    /// The names of the ordinates 0, -1, -2, ..., where the vertical axis is a list of names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// Its curves, in the order of the legend.
    pub curves: Vec<CurveValues>,
}

/// The values of a curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CurveValues {
    /// Its name, in markup.
    pub label: String,
    /// Its colour (`#0072b2`).
    pub color: String,
    /// Lengths that are drawn and skipped in turn; empty for a solid line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dash: Vec<f64>,
    /// How it is drawn.
    pub shape: SeriesShape,
    /// Whether a bar says that it ends early.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stops: bool,
    /// The number of replicates behind each point, 0 where it is known exactly; empty where no point has any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replicates: Vec<u64>,
    /// Abscissae, as they are drawn.
    pub x: Vec<f64>,
    /// Ordinates, as they are drawn; empty for an upright line.
    pub y: Vec<f64>,
    /// The abscissa and the ordinate that each point stands for; empty where every point is drawn at them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<[f64; 2]>,
    /// The name of each point; empty where they share that of the curve.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// Half the width of the interval of each mean, as tables tell it; empty where no point has one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub half_width: Vec<Option<f64>>,
    /// Lower and upper end of each interval as it is drawn, or of the part of a whole; empty where no point has one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interval: Vec<Option<(f64, f64)>>,
}

/// The body of an exhibit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Body {
    /// A picture. Its SVG is in a file beside the description.
    Figure,
    /// A table.
    Table(TableGrid),
}

impl Exhibit {
    /// The folder of its files under `reports/`: `figures`, `tables`, or `timings` for measured times.
    pub(crate) fn folder(&self) -> &'static str {
        match (self.measured, &self.body) {
            (true, _) => "timings",
            (false, Body::Figure) => "figures",
            (false, Body::Table(_)) => "tables",
        }
    }

    /// The path of one of its files, relative to the project root.
    pub(crate) fn path(&self, extension: &str) -> PathBuf {
        self.path_of(&format!(".{extension}"))
    }

    /// The path of the file whose name is that of the exhibit with this ending.
    pub(crate) fn path_of(&self, ending: &str) -> PathBuf {
        Path::new("reports").join(self.folder()).join(format!("{}{ending}", self.name))
    }

    /// The description as the bytes of `<name>.json`.
    pub(crate) fn to_json(&self) -> Result<Vec<u8>, ReportError> {
        let mut bytes = serde_json::to_vec_pretty(self)
            .map_err(|error| ReportError::Exhibit { name: self.name.clone(), cause: error.to_string() })?;
        bytes.push(b'\n');
        Ok(bytes)
    }
}

/// An exhibit with its picture, for the page.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownExhibit {
    /// Its description.
    pub exhibit: Exhibit,
    /// The picture, for figures.
    pub svg: Option<String>,
    /// The names of all its files.
    pub files: Vec<String>,
}

impl ShownExhibit {
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
        let names = files.iter().filter_map(|(path, _)| Some(path.file_name()?.to_string_lossy().into_owned()));
        Ok(Self { exhibit, svg, files: names.collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::claims::tests::claim;

    #[test]
    fn what_is_not_decided_says_how_many_seeds_would_decide() {
        let title = FoundTitle { yes: "It is so".into(), ..FoundTitle::default() };
        let of = |outcome: &str, effect: f64| {
            let interval = Some((effect - 2.0, effect + 2.0));
            let one = claim(outcome, None);
            ClaimOutcome { title: title.clone(), effect: Some(effect), interval, replicates: 10, ..one }
        };
        // 10 ((1.960 + 0.842) 0.884 / 1)^2 = 61.4, over the quantiles 1.631 and 0.463 of chi-squared / 9, to two digits.
        assert_eq!(of("unclear", -1.0).undecided().unwrap(), "Not decided with 10 seeds: needs about 38 to 140");
        assert!(of("unclear", 1e-3).undecided().unwrap().ends_with("more than 10,000 would be needed"));
        let few = ClaimOutcome { replicates: 2, ..of("unclear", 1.0) };
        assert_eq!(few.undecided().unwrap(), "Not decided with 2 seeds", "their spread says too little");
        assert_eq!(of("yes", 3.0).undecided(), None);
        assert_eq!(ClaimOutcome { title: FoundTitle::default(), ..of("unclear", 1.0) }.undecided(), None);
    }
}
