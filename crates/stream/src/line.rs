//! A line of the output, its columns, and how numbers are written.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;

use crate::distribution::Distribution;
use noregret_core::learner::api::{Interval, WEIGHTS};
use noregret_core::learner::classes::LEAST;
use noregret_core::protocol::run::Scored;
use noregret_report::trace::schema::Type;
use noregret_report::trace::table::{ColumnData, TableWriter, TraceError, WrittenColumn};

/// Version of the table of rounds.
const SCHEMA: &str = "stream/1";

/// What was predicted of a class, in the words of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ClassPrediction {
    /// The class of the row, if it is known.
    pub target: Option<Arc<str>>,
    /// The predicted class; None before any class was seen.
    pub prediction: Option<Arc<str>>,
    /// The number of the class of the row.
    pub class: Option<usize>,
    /// The number of the predicted class.
    pub(crate) predicted: Option<usize>,
    /// The probabilities of the classes that had been seen; None for a row that was predicted before and is scored now.
    pub(crate) probabilities: Option<Vec<f64>>,
}

impl ClassPrediction {
    /// The probability of a class.
    pub(crate) fn probability(&self, class: Option<usize>) -> Option<f64> {
        Some(self.probabilities.as_ref()?.get(class?).copied().unwrap_or(LEAST))
    }
}

/// A row that was predicted.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct OutputLine {
    /// The number of its round.
    pub round: u64,
    /// Its target, if it has one.
    pub target: Option<f64>,
    /// What was predicted.
    pub prediction: f64,
    /// The loss, if there is a target.
    pub loss: Option<f64>,
    /// Sum of the losses up to this round.
    pub cumulative_loss: f64,
    /// The number of its row in the file, where rows are in another order.
    pub row: Option<u64>,
    /// The interval for the target, for learners that give one, on the scale of the file.
    pub interval: Option<Interval>,
    /// The part of recent targets outside of their intervals, where there are any.
    pub(crate) recent_miss_rate: Option<f64>,
    /// What was known of the target before it was seen, where that is wanted.
    pub(crate) distribution: Option<Distribution>,
    /// How many inputs lie outside of what was seen, where that is wanted.
    pub unseen: Option<u64>,
    /// What was predicted of further targets, or of the same one at further horizons.
    pub further: Vec<OutputLine>,
    /// The horizon, where there are any.
    pub steps: Option<u64>,
    /// What was forecast at this row, of a later one, where there are horizons.
    pub(crate) forecast: Option<f64>,
    /// Whether it came before anything could be forecast of it.
    pub(crate) early: bool,
    /// What was predicted of a class, where targets are classes.
    pub(crate) told: Option<Box<ClassPrediction>>,
    /// Its group, where there is a learner for each.
    pub group: Option<Arc<str>>,
    /// The weights of the forecasts that the prediction combines, where they are wanted.
    pub weights: [Option<f64>; WEIGHTS],
}

impl OutputLine {
    /// A row that has no target.
    pub(crate) fn without_target(
        round: u64,
        prediction: f64,
        interval: Option<Interval>,
        cumulative_loss: f64,
    ) -> Self {
        Self { round, prediction, interval, cumulative_loss, ..Self::default() }
    }

    /// An end of the interval, if it is a number.
    pub(crate) fn end(&self, of: fn(&Interval) -> f64) -> Option<f64> {
        self.interval.as_ref().map(of).filter(|end| end.is_finite())
    }
}

impl From<Scored> for OutputLine {
    fn from(Scored { round, target, prediction, loss, cumulative_loss }: Scored) -> Self {
        let line = Self::without_target(round, prediction, None, cumulative_loss);
        Self { target: Some(target), loss: Some(loss), ..line }
    }
}

/// A column of the output.
#[derive(Clone, Debug)]
pub(crate) struct OutputColumn {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub kind: Type,
    /// What it means.
    pub doc: String,
    /// Whether cells may be empty.
    pub nullable: bool,
    /// Where its cells come from.
    pub of: CellSource,
    /// The further target that they are of, where they are not of the first one.
    pub further: Option<usize>,
}

/// What a column takes from a line.
#[derive(Clone, Copy, Debug)]
pub(crate) enum CellSource {
    Of(fn(&OutputLine) -> Option<f64>),
    /// The weight of this forecast.
    Weight(usize),
    /// A number that says something of classes.
    Told(fn(&ClassPrediction) -> Option<f64>),
    /// The probability of this class.
    Probability(usize),
    /// The name of its group.
    Group,
    /// A word.
    Word(fn(&ClassPrediction) -> Option<&Arc<str>>),
}

/// Columns, shared by what writes them.
pub(crate) type OutputColumns = Arc<[OutputColumn]>;

impl OutputColumn {
    fn new(name: &str, doc: &str, kind: Type, of: fn(&OutputLine) -> Option<f64>) -> Self {
        let (name, doc, of) = (name.into(), doc.into(), CellSource::Of(of));
        Self { name, kind, doc, nullable: false, of, further: None }
    }

    pub(crate) fn count(name: &str, doc: &str, of: fn(&OutputLine) -> Option<f64>) -> Self {
        Self::new(name, doc, Type::Count, of)
    }

    pub(crate) fn number(name: &str, doc: &str, of: fn(&OutputLine) -> Option<f64>) -> Self {
        Self::new(name, doc, Type::Number, of)
    }

    pub(crate) fn word(name: &str, doc: &str, of: fn(&ClassPrediction) -> Option<&Arc<str>>) -> Self {
        Self { kind: Type::Text, nullable: true, of: CellSource::Word(of), ..Self::count(name, doc, |_| None) }
    }

    pub(crate) fn told(name: &str, doc: &str, of: fn(&ClassPrediction) -> Option<f64>) -> Self {
        Self { nullable: true, of: CellSource::Told(of), ..Self::number(name, doc, |_| None) }
    }

    pub(crate) fn row() -> Self {
        let doc = "number of the row among those of the file that are read, from 1";
        Self::count("row", doc, |line| line.row.map(|row| row as f64))
    }

    pub(crate) fn group() -> Self {
        let doc = "value of the column that names the groups, each of which has a learner";
        Self { of: CellSource::Group, ..Self::word("group", doc, |_| None) }
    }

    pub(crate) fn unseen() -> Self {
        let doc = "number of inputs that lie outside of what earlier rows had in their columns";
        Self::count("unseen", doc, |line| line.unseen.map(|count| count as f64))
    }

    pub(crate) fn nullable(self) -> Self {
        Self { nullable: true, ..self }
    }

    /// Its value in a line.
    fn value(&self, line: &OutputLine) -> Option<f64> {
        let line = self.further.map_or(Some(line), |k| line.further.get(k))?;
        match self.of {
            CellSource::Of(of) => of(line),
            CellSource::Weight(k) => line.weights[k],
            CellSource::Told(of) => line.told.as_deref().and_then(of),
            CellSource::Probability(k) => line.told.as_deref()?.probabilities.as_ref()?.get(k).copied(),
            CellSource::Group | CellSource::Word(_) => None,
        }
    }

    /// The word that it has in a line.
    fn word_of<'a>(&self, line: &'a OutputLine) -> Option<&'a str> {
        match self.of {
            CellSource::Group => line.group.as_deref(),
            CellSource::Word(of) => line.told.as_deref().and_then(of).map(|word| &**word),
            _ => None,
        }
    }

    /// Writes the header of a CSV file.
    pub(crate) fn push_names(columns: &[Self], buffer: &mut Vec<u8>) {
        let names: Vec<Cow<'_, str>> = columns.iter().map(|column| quoted(&column.name)).collect();
        buffer.extend_from_slice(names.join(",").as_bytes());
        buffer.push(b'\n');
    }

    /// A Parquet file of these columns, with `config` in its metadata.
    pub(crate) fn table<W: Write + Send>(columns: &[Self], out: W, config: &str) -> Result<TableWriter<W>, TraceError> {
        let fields: Vec<WrittenColumn> = columns.iter().map(Self::field).collect();
        let metadata = BTreeMap::from([("noregret.config".into(), config.to_owned())]);
        TableWriter::new(out, SCHEMA, &fields, metadata, 1)
    }

    fn field(&self) -> WrittenColumn {
        let Self { name, kind, doc, nullable, .. } = self;
        WrittenColumn { name: name.clone(), kind: *kind, nullable: *nullable, unit: String::new(), doc: doc.clone() }
    }

    /// Its values.
    pub(crate) fn values(&self, lines: &[OutputLine]) -> ColumnData {
        let values = lines.iter().map(|line| self.value(line));
        match self.kind {
            Type::Text => ColumnData::Text(lines.iter().map(|line| self.word_of(line).map(str::to_owned)).collect()),
            Type::Count => ColumnData::Count(values.map(|value| value.map(|count| count as u64)).collect()),
            _ => ColumnData::Number(values.collect()),
        }
    }
}

impl OutputLine {
    /// Writes it as a line of CSV.
    pub(crate) fn push(&self, columns: &[OutputColumn], buffer: &mut Vec<u8>) {
        for (i, column) in columns.iter().enumerate() {
            if i > 0 {
                buffer.push(b',');
            }
            if let Some(word) = column.word_of(self) {
                buffer.extend_from_slice(quoted(word).as_bytes());
            } else if let Some(number) = column.value(self) {
                push_number(buffer, number);
            }
        }
        buffer.push(b'\n');
    }
}

/// A cell of CSV.
fn quoted(text: &str) -> Cow<'_, str> {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")).into(),
        false => text.into(),
    }
}

/// The number as the output has it, for messages.
pub(crate) fn shortest(number: f64) -> String {
    let mut buffer = Vec::new();
    push_number(&mut buffer, number);
    String::from_utf8_lossy(&buffer).into_owned()
}

/// The shortest decimal that reads back as the same number, with an exponent where that is shorter.
fn push_number(buffer: &mut Vec<u8>, number: f64) {
    let size = number.abs();
    if size == 0.0 || (1e-5..1e16).contains(&size) {
        push(buffer, format_args!("{number}"));
    } else {
        push(buffer, format_args!("{number:e}"));
    }
}

fn push(buffer: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    // Writing to memory cannot fail.
    let _ = buffer.write_fmt(text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use noregret_numeric::draw::{Draws, Role};

    #[test]
    fn numbers_are_short() {
        let cases = [
            (0.1 + 0.2, "0.30000000000000004"),
            (1.0, "1"),
            (0.0, "0"),
            (-2.5, "-2.5"),
            (1e300, "1e300"),
            (1.5e-9, "1.5e-9"),
            (123456789.0, "123456789"),
            (5e-324, "5e-324"),
        ];
        for (number, expected) in cases {
            assert_eq!(shortest(number), expected);
        }
    }

    /// 100,000 random bit patterns, fixed seed.
    #[test]
    fn numbers_read_back_exactly() {
        let mut draw = Draws::named(&["stream output"]).at(Role::Start, 0);
        for _ in 0..100_000 {
            let number = draw.normal() * 10f64.powi(draw.below(600) as i32 - 300);
            assert_eq!(shortest(number).parse::<f64>().unwrap().to_bits(), number.to_bits());
        }
    }
}
