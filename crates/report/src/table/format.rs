//! A grid of typed cells, and how it is written as Markdown and CSV.

use serde::{Deserialize, Serialize};

use crate::analysis::quantity::RunQuantity;
use crate::analysis::rate::assessment::{Assessed, Assessment};
use crate::analysis::rate::exponent::half_width;
use crate::analysis::rate::judgement::comparison;
use crate::analysis::record::RunResult;
use crate::analysis::summary::{LEVEL, MeanEstimate, estimate};
use crate::markup::markdown;
use crate::number::{bytes, difference, duration, grouped, plus_minus, significant};
use crate::rates::measured;
use crate::trace::gauge::Gauge;
use crate::trace::schema::{ResultColumn, Type};

/// A table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableGrid {
    /// Its columns.
    pub columns: Vec<Heading>,
    /// Its rows; each has a cell per column.
    pub rows: Vec<Vec<TableCell>>,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Heading {
    /// Its name in CSV.
    pub key: String,
    /// Its title.
    pub title: String,
    /// What its cells hold.
    pub kind: CellKind,
    /// Whether it is a detail, which pages show on request only, and Markdown and LaTeX leave out; CSV has it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub detail: bool,
}

/// Why a table cannot be shown with the columns that are wanted.
#[derive(Debug, thiserror::Error)]
pub enum GridError {
    /// A row that lacks cells.
    #[error("row {row} has {cells} cells for {columns} columns")]
    Ragged { row: usize, cells: usize, columns: usize },
    /// A name that is that of no column, with those that there are.
    #[error("there is no column `{name}`; there are {known}")]
    NoColumn { name: String, known: String },
}

/// What the cells of a column hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CellKind {
    /// A few words.
    Text,
    /// Sentences and formulas, which go over several lines.
    Prose,
    /// Numbers of any kind.
    Number,
    /// Whole numbers.
    Count,
    /// Means with half widths; two columns in CSV.
    Interval,
    /// Bytes.
    Bytes,
    /// Seconds.
    Seconds,
    /// Lines too small for an axis, which pages alone draw.
    Trend,
}

/// A cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TableCell {
    /// Not applicable, or not there.
    Empty,
    /// Words.
    Text(String),
    /// A whole number.
    Count(u64),
    /// A number of any kind.
    Number(f64),
    /// A number that is compared with others to its last digits.
    Precise(f64),
    /// A mean with the half width of its interval.
    Interval {
        /// Mean.
        mean: f64,
        /// Half width; none from a single replicate.
        half_width: Option<f64>,
        /// Whether it is the best of its group.
        best: bool,
    },
    /// A number among others like it, of which some are the best.
    Compared {
        /// The number.
        value: f64,
        /// Whether it is among the best.
        best: bool,
    },
    /// A number of bytes.
    Bytes(f64),
    /// A duration in seconds.
    Seconds(f64),
    /// Values in their order, beside zero.
    Trend(Vec<f64>),
}

impl CellKind {
    fn gauge(gauge: Gauge) -> Self {
        match gauge.column() {
            ResultColumn { unit: "bytes", .. } => CellKind::Bytes,
            ResultColumn { kind: Type::Count, .. } => CellKind::Count,
            _ => CellKind::Number,
        }
    }

    /// Whether it is written from the left.
    pub(crate) fn is_words(self) -> bool {
        matches!(self, CellKind::Text | CellKind::Prose)
    }
}

impl Heading {
    /// A column.
    pub fn new(key: &str, title: &str, kind: CellKind) -> Self {
        Self { key: key.into(), title: title.into(), kind, detail: false }
    }

    /// The same column as a detail.
    pub fn detail(self) -> Self {
        Self { detail: true, ..self }
    }

    /// A column of a quantity, under its own name and title.
    pub(crate) fn of(quantity: &RunQuantity, kind: CellKind) -> Self {
        Self::new(&quantity.name(), &quantity.title(), kind)
    }

    /// A column of a gauge: its unit and type say how it is printed.
    pub(crate) fn gauge(gauge: Gauge) -> Self {
        Self::of(&RunQuantity::Gauge(gauge), CellKind::gauge(gauge))
    }
}

impl TableCell {
    /// The exponent of a row of rates, that of its theorem on the same horizons, and their difference.
    pub(crate) fn exponents(row: &Assessment) -> [Self; 3] {
        let interval = |mean: f64, half: f64| TableCell::Interval { mean, half_width: Some(half), best: false };
        let exponent = match &row.outcome {
            Assessed::Measured(found) => found.exponent.as_ref(),
            Assessed::Missing(_) => None,
        };
        let compared = comparison(row);
        [
            exponent.map_or(TableCell::Empty, |found| interval(found.value, half_width(found, LEVEL))),
            compared.map(|compared| compared.predicted).into(),
            compared.map_or(TableCell::Empty, |compared| interval(compared.delta, compared.half_width_90)),
        ]
    }

    /// The local slopes of a row of rates, minus those of its theorem.
    pub(crate) fn slopes(row: &Assessment) -> Self {
        match measured(row).map(|found| found.local.as_slice()) {
            None | Some([]) => TableCell::Empty,
            Some(local) => TableCell::Trend(local.iter().map(|one| one.slope - one.predicted).collect()),
        }
    }

    /// A mean with its interval.
    pub(crate) fn interval(MeanEstimate { mean, half_width, .. }: MeanEstimate, best: bool) -> Self {
        TableCell::Interval { mean, half_width, best }
    }

    /// The mean of a gauge at the end of `runs`, for a column of [`Heading::gauge`].
    pub(crate) fn gauge(gauge: Gauge, runs: &[&RunResult]) -> Self {
        let numbers: Vec<f64> = runs.iter().filter_map(|run| run.gauges.number(gauge)).collect();
        let mean = estimate(&numbers).map(|found| found.mean);
        match CellKind::gauge(gauge) {
            CellKind::Bytes => mean.map_or(TableCell::Empty, TableCell::Bytes),
            CellKind::Count => mean_count(&runs.iter().filter_map(|run| run.gauges.count(gauge)).collect::<Vec<_>>()),
            _ => mean.map_or(TableCell::Empty, TableCell::Number),
        }
    }

    /// As people read it.
    pub(crate) fn text(&self) -> String {
        match self {
            TableCell::Empty => "\u{2013}".into(),
            TableCell::Text(text) => text.clone(),
            TableCell::Count(count) => grouped(*count),
            TableCell::Number(value) => significant(*value, 4),
            TableCell::Precise(value) => significant(*value, 6),
            TableCell::Compared { value, .. } => significant(*value, 3),
            TableCell::Interval { mean, half_width, .. } => plus_minus(*mean, *half_width),
            TableCell::Bytes(count) => bytes(*count),
            TableCell::Seconds(seconds) => duration(*seconds),
            TableCell::Trend(values) => match values.as_slice() {
                [] => TableCell::Empty.text(),
                [only] => difference(*only),
                [first, .., last] => format!("{} to {}", difference(*first), difference(*last)),
            },
        }
    }

    /// The number to sort by; none for words and empty cells.
    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            TableCell::Empty | TableCell::Text(_) => None,
            TableCell::Count(count) => Some(*count as f64),
            TableCell::Interval { mean, .. } => Some(*mean),
            TableCell::Trend(values) => values.last().copied(),
            TableCell::Number(value)
            | TableCell::Precise(value)
            | TableCell::Compared { value, .. }
            | TableCell::Bytes(value)
            | TableCell::Seconds(value) => Some(*value),
        }
    }

    /// Whether it is marked as the best of its group.
    pub(crate) fn best(&self) -> bool {
        matches!(self, TableCell::Interval { best: true, .. } | TableCell::Compared { best: true, .. })
    }
}

impl From<Option<String>> for TableCell {
    fn from(text: Option<String>) -> Self {
        text.map_or(TableCell::Empty, TableCell::Text)
    }
}

impl From<Option<f64>> for TableCell {
    fn from(value: Option<f64>) -> Self {
        value.map_or(TableCell::Empty, TableCell::Number)
    }
}

impl From<Option<MeanEstimate>> for TableCell {
    fn from(found: Option<MeanEstimate>) -> Self {
        found.map_or(TableCell::Empty, |found| TableCell::interval(found, false))
    }
}

impl TableGrid {
    /// The table without its details.
    pub(crate) fn brief(&self) -> TableGrid {
        self.with(|column| !column.detail)
    }

    /// The table without details and lines.
    pub(crate) fn printed(&self) -> TableGrid {
        self.with(|column| !column.detail && column.kind != CellKind::Trend)
    }

    /// With the columns of these names alone, in this order.
    ///
    /// # Errors
    /// A name that is that of no column, with those that there are.
    pub(crate) fn chosen(&self, names: &[String]) -> Result<TableGrid, GridError> {
        let place = |name: &String| {
            let found = self.columns.iter().position(|column| column.key == *name);
            let known =
                || self.columns.iter().filter(|column| column.kind != CellKind::Trend).map(|column| &*column.key);
            found.ok_or_else(|| GridError::NoColumn {
                name: name.clone(),
                known: known().collect::<Vec<_>>().join(", "),
            })
        };
        let places = names.iter().map(place).collect::<Result<Vec<usize>, GridError>>()?;
        let columns = places.iter().map(|at| self.columns[*at].clone()).collect();
        let row = |cells: &Vec<TableCell>| places.iter().map(|at| cells[*at].clone()).collect();
        Ok(TableGrid { columns, rows: self.rows.iter().map(row).collect() })
    }

    fn with(&self, kept: impl Fn(&Heading) -> bool) -> TableGrid {
        let shown = |cells: &Vec<TableCell>| {
            self.columns.iter().zip(cells).filter(|(column, _)| kept(column)).map(|(_, cell)| cell.clone()).collect()
        };
        let columns = self.columns.iter().filter(|column| kept(column)).cloned().collect();
        TableGrid { columns, rows: self.rows.iter().map(shown).collect() }
    }

    /// A Markdown table; numbers to the right, the best in bold.
    pub(crate) fn markdown(&self) -> String {
        let row = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let mut out = row(self.columns.iter().map(|column| markdown(&column.title)).collect());
        let rule = |column: &Heading| if column.kind.is_words() { ":---" } else { "---:" };
        out += &row(self.columns.iter().map(|column| rule(column).to_owned()).collect());
        for cells in &self.rows {
            let text = |cell: &TableCell| {
                let text = markdown(&cell.text());
                if cell.best() { format!("**{text}**") } else { text }
            };
            out += &row(cells.iter().map(text).collect());
        }
        out
    }

    /// CSV with full precision; an interval is two columns, `key` and `key_half_width`; empty cells are empty.
    pub fn csv(&self) -> Result<Vec<u8>, csv::Error> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let mut header = Vec::new();
        for column in &self.columns {
            header.push(column.key.clone());
            if column.kind == CellKind::Interval {
                header.push(format!("{}_half_width", column.key));
            }
        }
        writer.write_record(&header)?;
        for cells in &self.rows {
            let mut record = Vec::new();
            for (column, cell) in self.columns.iter().zip(cells) {
                record.push(match cell {
                    TableCell::Empty => String::new(),
                    TableCell::Text(text) => text.clone(),
                    TableCell::Count(count) => count.to_string(),
                    TableCell::Interval { mean, .. } => mean.to_string(),
                    TableCell::Trend(values) => values.iter().map(|one| difference(*one)).collect::<Vec<_>>().join(" "),
                    TableCell::Number(value)
                    | TableCell::Precise(value)
                    | TableCell::Compared { value, .. }
                    | TableCell::Bytes(value)
                    | TableCell::Seconds(value) => value.to_string(),
                });
                if column.kind == CellKind::Interval {
                    let half_width = match cell {
                        TableCell::Interval { half_width, .. } => *half_width,
                        _ => None,
                    };
                    record.push(half_width.map(|width| width.to_string()).unwrap_or_default());
                }
            }
            writer.write_record(&record)?;
        }
        writer.into_inner().map_err(|error| error.into_error().into())
    }
}

/// A mean count for a cell: counts that are equal in all replicates stay whole.
pub(crate) fn mean_count(values: &[u64]) -> TableCell {
    match values {
        [] => TableCell::Empty,
        [first, rest @ ..] if rest.iter().all(|value| value == first) => TableCell::Count(*first),
        _ => {
            let mean = values.iter().map(|value| *value as f64).sum::<f64>() / values.len() as f64;
            TableCell::Count(mean.round() as u64)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> TableGrid {
        let columns = vec![
            Heading::new("learner", "Learner", CellKind::Text),
            Heading::new("loss", "Loss", CellKind::Interval),
            Heading::new("points", "Points", CellKind::Count),
            Heading::new("state", "State", CellKind::Bytes),
        ];
        let rows = vec![
            vec![
                TableCell::Text("a_b|c".into()),
                TableCell::Interval { mean: 0.0625, half_width: Some(0.00125), best: true },
                TableCell::Count(12_345),
                TableCell::Bytes(2048.0),
            ],
            vec![
                TableCell::Text("plain".into()),
                TableCell::Interval { mean: 0.5, half_width: None, best: false },
                TableCell::Empty,
                TableCell::Empty,
            ],
        ];
        TableGrid { columns, rows }
    }

    #[test]
    fn markdown() {
        let expected = "| Learner | Loss | Points | State |\n\
                        | :--- | ---: | ---: | ---: |\n\
                        | a_b\\|c | **0.0625 \u{b1} 0.0013** | 12\u{202f}345 | 2.0 KiB |\n\
                        | plain | 0.50000 | \u{2013} | \u{2013} |\n";
        assert_eq!(grid().markdown(), expected);
    }

    #[test]
    fn csv_keeps_full_precision() {
        let text = String::from_utf8(grid().csv().unwrap()).unwrap();
        let expected = "learner,loss,loss_half_width,points,state\na_b|c,0.0625,0.00125,12345,2048\nplain,0.5,,,\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn only_csv_keeps_all_digits() {
        let columns =
            vec![Heading::new("what", "What", CellKind::Prose), Heading::new("value", "Value", CellKind::Number)];
        let rows = vec![vec![TableCell::Text("a < b".into()), TableCell::Number(0.123_456_789)]];
        let grid = TableGrid { columns, rows };
        assert!(grid.markdown().contains("| :--- | ---: |\n| a < b | 0.1235 |"));
        assert_eq!(String::from_utf8(grid.csv().unwrap()).unwrap(), "what,value\na < b,0.123456789\n");
    }

    #[test]
    fn descriptions_survive_json() {
        let text = serde_json::to_string(&grid()).unwrap();
        assert_eq!(serde_json::from_str::<TableGrid>(&text).unwrap(), grid());
    }
}
