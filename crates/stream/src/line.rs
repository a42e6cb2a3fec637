//! A line of the output, its columns, and how numbers are written.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;

use noregret_core::learner::api::{Interval, WEIGHTS};
use noregret_core::learner::classes::LEAST;
use noregret_core::protocol::run::Scored;
use noregret_model::misses::WINDOW;
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
    pub predicted: Option<usize>,
    /// The probabilities of the classes that had been seen; None for a row that was predicted before and is scored now.
    pub probabilities: Option<Vec<f64>>,
}

impl ClassPrediction {
    /// The probability of a class.
    pub(crate) fn probability(&self, class: Option<usize>) -> Option<f64> {
        Some(self.probabilities.as_ref()?.get(class?).copied().unwrap_or(LEAST))
    }
}

/// What was predicted of a further target.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FurtherPrediction {
    /// The target of the row, if it has one.
    pub target: Option<f64>,
    /// What was predicted.
    pub prediction: f64,
    /// The loss, if there is a target.
    pub loss: Option<f64>,
    /// Sum of the losses up to this round.
    pub cumulative_loss: f64,
}

impl FurtherPrediction {
    /// Of a row that has no target.
    pub(crate) fn without_target(prediction: f64) -> Self {
        Self { target: None, prediction, loss: None, cumulative_loss: 0.0 }
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
    pub recent_miss_rate: Option<f64>,
    /// How many inputs lie outside of what was seen, where that is wanted.
    pub unseen: Option<u64>,
    /// What was predicted of further targets.
    pub further: Vec<FurtherPrediction>,
    /// What was predicted of a class, where targets are classes.
    pub told: Option<Box<ClassPrediction>>,
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
    fn end(&self, of: fn(&Interval) -> f64) -> Option<f64> {
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
    name: String,
    kind: Type,
    doc: String,
    nullable: bool,
    of: CellSource,
}

/// What a column takes from a further target.
type OfFurther = fn(&FurtherPrediction) -> Option<f64>;

/// What a column takes from a line.
#[derive(Clone, Copy, Debug)]
enum CellSource {
    Of(fn(&OutputLine) -> Option<f64>),
    /// The weight of this forecast.
    Weight(usize),
    /// Of this further target.
    Further(usize, OfFurther),
    /// A number that says something of classes.
    Told(fn(&ClassPrediction) -> Option<f64>),
    /// The probability of this class.
    Probability(usize),
    /// A word.
    Word(fn(&ClassPrediction) -> Option<&Arc<str>>),
}

/// Columns, shared by what writes them.
pub(crate) type OutputColumns = Arc<[OutputColumn]>;

/// The number of the row, from 1, and the prediction for it; with `intervals`, their ends too: the columns of
/// `noregret predict`.
pub(crate) fn of_predictions(intervals: bool, unseen: bool) -> OutputColumns {
    let numbers = [OutputColumn::count("row", "number of the row, from 1", |line| Some(line.round as f64))];
    let numbers =
        numbers.into_iter().chain([OutputColumn::number("prediction", "the prediction", |line| Some(line.prediction))]);
    let numbers = numbers.chain(intervals.then(ends).into_iter().flatten());
    numbers.chain(unseen.then(OutputColumn::unseen)).collect()
}

/// The columns of `noregret stream`: `intervals` for learners that give them, `weights` one for the weight of each forecast
/// of that name, `unseen` one for inputs outside of what was seen, `shuffled` where rows are in another order.
pub(crate) fn of_rounds(intervals: bool, weights: &[String], unseen: bool, shuffled: bool) -> OutputColumns {
    let number = OutputColumn::number;
    let mut columns = vec![
        OutputColumn::count("round", "number of the round, from 1", |line| Some(line.round as f64)),
        number("target", "the target of the row, if it has one", |line| line.target).nullable(),
        number("prediction", "what was predicted before the target was seen", |line| Some(line.prediction)),
        number("loss", "(prediction - target)^2", |line| line.loss).nullable(),
        number("cumulative_loss", "sum of the losses up to this round", |line| Some(line.cumulative_loss)),
    ];
    if intervals {
        columns.extend(ends());
        let missed = |line: &OutputLine| {
            line.interval.and_then(|interval| interval.missed).map(|missed| f64::from(u8::from(missed)))
        };
        columns.push(
            OutputColumn::count("missed", "1 if the target lies outside of the interval, else 0", missed).nullable(),
        );
        let doc = format!("part of the last {WINDOW} targets, or of all so far, that lie outside of their intervals");
        columns.push(number("recent_miss_rate", &doc, |line| line.recent_miss_rate).nullable());
    }
    columns.extend(weights.iter().enumerate().map(|(k, forecast)| OutputColumn {
        name: format!("weight_{forecast}"),
        kind: Type::Number,
        doc: format!(
            "weight of the forecast {forecast} in the prediction, 0 where it is absent; empty without a target"
        ),
        nullable: true,
        of: CellSource::Weight(k),
    }));
    columns.extend(unseen.then(OutputColumn::unseen));
    columns.extend(shuffled.then(OutputColumn::row));
    columns.into()
}

/// The columns of `noregret predict` for classes: the number of the row, from 1, the predicted class, and the probability of
/// each.
pub(crate) fn of_class_predictions(classes: &[String], unseen: bool) -> OutputColumns {
    let numbers = [OutputColumn::count("row", "number of the row, from 1", |line| Some(line.round as f64))];
    let label = OutputColumn::word("prediction", "the predicted class", |told| told.prediction.as_ref());
    let probability = OutputColumn::told("probability", "its probability", |told| told.probability(told.predicted));
    let columns = numbers.into_iter().chain([label, probability]).chain(probabilities(classes));
    columns.chain(unseen.then(OutputColumn::unseen)).collect()
}

/// The columns of `noregret stream` where targets are classes; `declared` are those that are known beforehand.
pub(crate) fn of_class_rounds(declared: &[String], unseen: bool, shuffled: bool) -> OutputColumns {
    let mut columns = vec![
        OutputColumn::count("round", "number of the round, from 1", |line| Some(line.round as f64)),
        OutputColumn::word("target", "the class of the row, if it is known", |told| told.target.as_ref()),
        OutputColumn::word(
            "prediction",
            "the class that was predicted before that of the row was seen; empty before any class was seen",
            |told| told.prediction.as_ref(),
        ),
        OutputColumn::number("loss", "1 if another class was predicted, else 0", |line| line.loss).nullable(),
        OutputColumn::number("cumulative_loss", "sum of the losses up to this round", |line| {
            Some(line.cumulative_loss)
        }),
        OutputColumn::told("probability", "the probability of the predicted class", |told| {
            told.probability(told.predicted)
        }),
        OutputColumn::told(
            "target_probability",
            "the probability that the class of the row had before it was seen; 1e-6 for a class that had not been seen",
            |told| told.probability(told.class),
        ),
    ];
    columns.extend(probabilities(declared));
    columns.extend(unseen.then(OutputColumn::unseen));
    columns.extend(shuffled.then(OutputColumn::row));
    columns.into()
}

/// The columns of further targets of these names; of predictions alone, or of rounds.
pub(crate) fn of_further(names: &[String], rounds: bool) -> Vec<OutputColumn> {
    let kinds: [(&str, &str, OfFurther); 4] = [
        ("target", "the further target of the row, if it has one", |one| one.target),
        ("prediction", "what was predicted of it", |one| Some(one.prediction)),
        ("loss", "the square of their difference", |one| one.loss),
        ("cumulative_loss", "the sum of these losses up to this round", |one| Some(one.cumulative_loss)),
    ];
    let of = |(k, name): (usize, &String)| {
        let wanted = kinds.iter().filter(move |(kind, ..)| rounds || *kind == "prediction");
        let column = |(kind, doc, of): &(&str, &str, OfFurther)| OutputColumn {
            name: format!("{kind}_{name}"),
            kind: Type::Number,
            doc: (*doc).into(),
            nullable: true,
            of: CellSource::Further(k, *of),
        };
        wanted.map(column).collect::<Vec<_>>()
    };
    names.iter().enumerate().flat_map(of).collect()
}

/// A column for the probability of each class.
fn probabilities(classes: &[String]) -> impl Iterator<Item = OutputColumn> + '_ {
    classes.iter().enumerate().map(|(k, word)| OutputColumn {
        name: format!("probability_{word}"),
        kind: Type::Number,
        doc: format!("the probability of the class {word}"),
        nullable: true,
        of: CellSource::Probability(k),
    })
}

/// The ends of the intervals.
fn ends() -> [OutputColumn; 2] {
    let lower =
        "lower end of the interval for the target; empty where the interval contains nothing, or has no lower end";
    [
        OutputColumn::number("lower", lower, |line| line.end(|interval| interval.lower)).nullable(),
        OutputColumn::number("upper", "upper end of the interval for the target; empty as the lower one", |line| {
            line.end(|interval| interval.upper)
        })
        .nullable(),
    ]
}

impl OutputColumn {
    fn new(name: &str, doc: &str, kind: Type, of: fn(&OutputLine) -> Option<f64>) -> Self {
        Self { name: name.into(), kind, doc: doc.into(), nullable: false, of: CellSource::Of(of) }
    }

    fn count(name: &str, doc: &str, of: fn(&OutputLine) -> Option<f64>) -> Self {
        Self::new(name, doc, Type::Count, of)
    }

    fn number(name: &str, doc: &str, of: fn(&OutputLine) -> Option<f64>) -> Self {
        Self::new(name, doc, Type::Number, of)
    }

    fn word(name: &str, doc: &str, of: fn(&ClassPrediction) -> Option<&Arc<str>>) -> Self {
        Self { name: name.into(), kind: Type::Text, doc: doc.into(), nullable: true, of: CellSource::Word(of) }
    }

    fn told(name: &str, doc: &str, of: fn(&ClassPrediction) -> Option<f64>) -> Self {
        Self { name: name.into(), kind: Type::Number, doc: doc.into(), nullable: true, of: CellSource::Told(of) }
    }

    fn row() -> Self {
        let doc = "number of the row among those of the file that are read, from 1";
        Self::count("row", doc, |line| line.row.map(|row| row as f64))
    }

    fn unseen() -> Self {
        let doc = "number of inputs that lie outside of what earlier rows had in their columns";
        Self::count("unseen", doc, |line| line.unseen.map(|count| count as f64))
    }

    fn nullable(self) -> Self {
        Self { nullable: true, ..self }
    }

    /// Its value in a line.
    fn value(&self, line: &OutputLine) -> Option<f64> {
        match self.of {
            CellSource::Of(of) => of(line),
            CellSource::Weight(k) => line.weights[k],
            CellSource::Further(k, of) => line.further.get(k).and_then(of),
            CellSource::Told(of) => line.told.as_deref().and_then(of),
            CellSource::Probability(k) => line.told.as_deref()?.probabilities.as_ref()?.get(k).copied(),
            CellSource::Word(_) => None,
        }
    }

    /// The word that it has in a line.
    fn word_of<'a>(&self, line: &'a OutputLine) -> Option<&'a str> {
        match self.of {
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
        let Self { name, kind, doc, nullable, of: _ } = self;
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

    #[test]
    fn lines() {
        let mut buffer = Vec::new();
        let scored = Scored { round: 7, target: 1.0, prediction: 0.5, loss: 0.25, cumulative_loss: 12.0 };
        let line = OutputLine { row: Some(30), ..scored.into() };
        let (rounds, shuffled) = (of_rounds(false, &[], false, false), of_rounds(false, &[], false, true));
        line.push(&rounds, &mut buffer);
        OutputLine { target: None, loss: None, ..line.clone() }.push(&rounds, &mut buffer);
        line.push(&of_predictions(false, false), &mut buffer);
        line.push(&shuffled, &mut buffer);
        assert_eq!(buffer, b"7,1,0.5,0.25,12\n7,,0.5,,12\n7,0.5\n7,1,0.5,0.25,12,30\n");
        buffer.clear();
        let within = Interval { lower: 0.25, upper: f64::INFINITY, missed: Some(false) };
        let nothing = Interval { lower: f64::NAN, upper: f64::NAN, missed: Some(true) };
        for (interval, recent_miss_rate) in [(Some(within), Some(0.5)), (Some(nothing), None), (None, None)] {
            OutputLine { interval, recent_miss_rate, ..line.clone() }
                .push(&of_rounds(true, &[], false, true), &mut buffer);
        }
        assert_eq!(buffer, b"7,1,0.5,0.25,12,0.25,,0,0.5,30\n7,1,0.5,0.25,12,,,1,,30\n7,1,0.5,0.25,12,,,,,30\n");
    }

    /// Names of forecasts are those of a file, which may hold commas.
    #[test]
    fn weights_have_the_names_of_their_forecasts() {
        let columns = of_rounds(false, &["gam".into(), "forest, deep".into()], false, false);
        let mut line = OutputLine::without_target(1, 0.5, None, 0.0);
        line.weights[1] = Some(0.75);
        let mut buffer = Vec::new();
        OutputColumn::push_names(&columns, &mut buffer);
        line.push(&columns, &mut buffer);
        let expected =
            "round,target,prediction,loss,cumulative_loss,weight_gam,\"weight_forest, deep\"\n1,,0.5,,0,,0.75\n";
        assert_eq!(String::from_utf8(buffer).unwrap(), expected);
    }
}
