//! A line of the output, its columns, and how numbers are written.

use std::collections::BTreeMap;
use std::io::Write;

use crate::trace::schema::Type;
use crate::trace::table::{Field, TableWriter, TraceError, Values};
use noregret_core::learner::api::Interval;
use noregret_core::protocol::run::Scored;

/// Version of the table of rounds.
const SCHEMA: &str = "stream/1";

/// A row that was predicted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
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
}

impl Line {
    /// An end of the interval, if it is a number.
    fn end(&self, of: fn(&Interval) -> f64) -> Option<f64> {
        self.interval.as_ref().map(of).filter(|end| end.is_finite())
    }
}

impl From<Scored> for Line {
    fn from(Scored { round, target, prediction, loss, cumulative_loss }: Scored) -> Self {
        Self { round, target: Some(target), prediction, loss: Some(loss), cumulative_loss, row: None, interval: None }
    }
}

/// A column of the output.
pub struct Column {
    name: &'static str,
    kind: Type,
    doc: &'static str,
    nullable: bool,
    of: fn(&Line) -> Option<f64>,
}

const ROUND: Column = Column {
    name: "round",
    kind: Type::Count,
    doc: "number of the round, from 1",
    nullable: false,
    of: |line| Some(line.round as f64),
};

const PREDICTION: Column = Column {
    name: "prediction",
    kind: Type::Number,
    doc: "what was predicted before the target was seen",
    nullable: false,
    of: |line| Some(line.prediction),
};

const TARGET: Column = Column {
    name: "target",
    kind: Type::Number,
    doc: "the target of the row, if it has one",
    nullable: true,
    of: |line| line.target,
};

const LOSS: Column =
    Column { name: "loss", kind: Type::Number, doc: "(prediction - target)^2", nullable: true, of: |line| line.loss };

const CUMULATIVE_LOSS: Column = Column {
    name: "cumulative_loss",
    kind: Type::Number,
    doc: "sum of the losses up to this round",
    nullable: false,
    of: |line| Some(line.cumulative_loss),
};

const LOWER: Column = Column {
    name: "lower",
    kind: Type::Number,
    doc: "lower end of the interval for the target; empty where the interval contains nothing, or has no lower end",
    nullable: true,
    of: |line| line.end(|interval| interval.lower),
};

const UPPER: Column = Column {
    name: "upper",
    kind: Type::Number,
    doc: "upper end of the interval for the target; empty as the lower one",
    nullable: true,
    of: |line| line.end(|interval| interval.upper),
};

const MISSED: Column = Column {
    name: "missed",
    kind: Type::Count,
    doc: "1 if the target lies outside of the interval, else 0",
    nullable: true,
    of: |line| line.interval.and_then(|interval| interval.missed).map(|missed| f64::from(u8::from(missed))),
};

/// The number of the row, where rows are shuffled.
const ROW: Column = Column {
    name: "row",
    doc: "number of the row among those of the file that are read, from 1",
    of: |line| line.row.map(|row| row as f64),
    ..ROUND
};

/// The columns of `noregret stream`.
pub static ROUNDS: [Column; 5] = [ROUND, TARGET, PREDICTION, LOSS, CUMULATIVE_LOSS];

/// Those of `noregret stream --shuffle`.
pub static SHUFFLED: [Column; 6] = [ROUND, TARGET, PREDICTION, LOSS, CUMULATIVE_LOSS, ROW];

/// Those of a learner that gives intervals, without and with `--shuffle`.
pub static INTERVALS: [Column; 8] = [ROUND, TARGET, PREDICTION, LOSS, CUMULATIVE_LOSS, LOWER, UPPER, MISSED];
/// See [`INTERVALS`].
pub static SHUFFLED_INTERVALS: [Column; 9] =
    [ROUND, TARGET, PREDICTION, LOSS, CUMULATIVE_LOSS, LOWER, UPPER, MISSED, ROW];

/// The columns of `noregret predict`.
pub static PREDICTIONS: [Column; 2] =
    [Column { name: "row", doc: "number of the row, from 1", ..ROUND }, Column { doc: "the prediction", ..PREDICTION }];

/// Those of a learner that gives intervals.
pub static PREDICTED_INTERVALS: [Column; 4] = [
    Column { name: "row", doc: "number of the row, from 1", ..ROUND },
    Column { doc: "the prediction", ..PREDICTION },
    LOWER,
    UPPER,
];

impl Column {
    /// Writes the header of a CSV file.
    pub fn push_names(columns: &[Self], buffer: &mut Vec<u8>) {
        let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
        buffer.extend_from_slice(names.join(",").as_bytes());
        buffer.push(b'\n');
    }

    /// A Parquet file of these columns, with `config` in its metadata.
    pub fn table<W: Write + Send>(columns: &[Self], out: W, config: &str) -> Result<TableWriter<W>, TraceError> {
        let fields: Vec<Field> = columns.iter().map(Self::field).collect();
        let metadata = BTreeMap::from([("noregret.config".into(), config.to_owned())]);
        TableWriter::new(out, SCHEMA, &fields, metadata, 1)
    }

    fn field(&self) -> Field {
        let Self { name, kind, doc, nullable, of: _ } = *self;
        Field { name: name.into(), kind, nullable, unit: String::new(), doc: doc.into() }
    }

    /// Its values.
    pub fn values(&self, lines: &[Line]) -> Values {
        let values = lines.iter().map(self.of);
        match self.kind {
            Type::Count => Values::Count(values.map(|value| value.map(|count| count as u64)).collect()),
            _ => Values::Number(values.collect()),
        }
    }
}

impl Line {
    /// Writes it as a line of CSV.
    pub fn push(&self, columns: &[Column], buffer: &mut Vec<u8>) {
        for (i, column) in columns.iter().enumerate() {
            if i > 0 {
                buffer.push(b',');
            }
            if let Some(number) = (column.of)(self) {
                push_number(buffer, number);
            }
        }
        buffer.push(b'\n');
    }
}

/// The number as the output has it, for messages.
pub fn shortest(number: f64) -> String {
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
    use noregret_core::draw::{Draws, Role};

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
        let line = Line { row: Some(30), ..scored.into() };
        line.push(&ROUNDS, &mut buffer);
        Line { target: None, loss: None, ..line }.push(&ROUNDS, &mut buffer);
        line.push(&PREDICTIONS, &mut buffer);
        line.push(&SHUFFLED, &mut buffer);
        assert_eq!(buffer, b"7,1,0.5,0.25,12\n7,,0.5,,12\n7,0.5\n7,1,0.5,0.25,12,30\n");
        buffer.clear();
        let within = Interval { lower: 0.25, upper: f64::INFINITY, missed: Some(false) };
        let nothing = Interval { lower: f64::NAN, upper: f64::NAN, missed: Some(true) };
        for interval in [Some(within), Some(nothing), None] {
            Line { interval, ..line }.push(&SHUFFLED_INTERVALS, &mut buffer);
        }
        assert_eq!(buffer, b"7,1,0.5,0.25,12,0.25,,0,30\n7,1,0.5,0.25,12,,,1,30\n7,1,0.5,0.25,12,,,,30\n");
    }
}
