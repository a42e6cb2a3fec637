//! Where the rounds go: CSV or Parquet, to standard output, a device, or a file that appears when it is complete.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;

use crate::cli::stream::args::StreamArgs;
use crate::cli::stream::error::StreamError;
use crate::cli::stream::temporary::Temporary;
use crate::trace::schema::Type;
use crate::trace::table::{Field, TableWriter, TraceError, Values};
use noregret_core::protocol::run::Scored;

/// How many bytes are collected before they are written.
const BUFFER: usize = 1 << 16;

/// Rows per row group of a Parquet output.
const GROUP_ROWS: usize = 1 << 17;

/// Version of the table of rounds.
const SCHEMA: &str = "stream/1";

/// The columns of the output: name, type, meaning.
const COLUMNS: [(&str, Type, &str); 6] = [
    ("round", Type::Count, "number of the round, from 1"),
    ("target", Type::Number, "the target of the row"),
    ("prediction", Type::Number, "what was predicted before the target was seen"),
    ("loss", Type::Number, "(prediction - target)^2"),
    ("cumulative_loss", Type::Number, "sum of the losses up to this round"),
    ("row", Type::Count, "number of the row among those of the file that are read, from 1"),
];

/// How many columns an output has whose rows are in the order of the file.
const IN_ORDER: usize = 5;

/// Whether anybody still reads the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// Yes.
    All,
    /// No: the reader of the pipe went away.
    ReaderLeft,
}

/// Takes the rounds of a run.
pub struct Sink {
    form: Form,
    place: String,
    /// Whether what is written is to be seen at once.
    live: bool,
    /// A file under a temporary name, a handle for syncing it, and its final name.
    file: Option<(Temporary, File, PathBuf)>,
}

type Out = Box<dyn Write + Send>;

enum Form {
    Csv { out: Out, buffer: Vec<u8> },
    Parquet(Box<TableWriter<Out>>),
}

impl Sink {
    /// Opens the output that `args` name. `config` goes into the metadata of a Parquet file; with `live`, lines are
    /// written as they come.
    pub fn create(args: &StreamArgs, config: &str, live: bool) -> Result<Self, StreamError> {
        let width = if args.shuffle { COLUMNS.len() } else { IN_ORDER };
        let made = Self::open(args, config, width)?;
        Ok(Self { live, ..made })
    }

    fn open(args: &StreamArgs, config: &str, width: usize) -> Result<Self, StreamError> {
        let Some(path) = args.output.as_ref().filter(|path| path.as_os_str() != "-") else {
            return Self::new(Box::new(io::stdout()), None, "standard output".into(), None, width);
        };
        let place = path.display().to_string();
        let failed = |error: io::Error| StreamError::Write { place: place.clone(), cause: error.to_string() };
        let parquet = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("parquet"));
        let config = parquet.then_some(config);
        if fs::metadata(path).is_ok_and(|meta| !meta.is_file()) {
            // A device or a pipe is written to directly; a folder fails here.
            let out = OpenOptions::new().write(true).open(path).map_err(failed)?;
            return Self::new(Box::new(out), None, place.clone(), config, width);
        }
        // What a link points to is replaced, not the link.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.clone());
        if fs::canonicalize(&args.input).is_ok_and(|input| input == target) {
            return Err(StreamError::Usage(format!("--output {place} is the input: it would be replaced")));
        }
        let (temporary, out) = Temporary::create(&target).map_err(failed)?;
        let handle = out.try_clone().map_err(failed)?;
        Self::new(Box::new(out), Some((temporary, handle, target)), place.clone(), config, width)
    }

    fn new(
        out: Out,
        file: Option<(Temporary, File, PathBuf)>,
        place: String,
        parquet: Option<&str>,
        width: usize,
    ) -> Result<Self, StreamError> {
        let form = match parquet {
            None => {
                let mut buffer = Vec::with_capacity(2 * BUFFER);
                let names: Vec<&str> = COLUMNS[..width].iter().map(|(name, ..)| *name).collect();
                buffer.extend_from_slice(names.join(",").as_bytes());
                buffer.push(b'\n');
                Form::Csv { out, buffer }
            }
            Some(config) => {
                let field = |(name, kind, doc): &(&str, Type, &str)| Field {
                    name: (*name).into(),
                    kind: *kind,
                    nullable: false,
                    unit: String::new(),
                    doc: (*doc).into(),
                };
                let fields: Vec<Field> = COLUMNS[..width].iter().map(field).collect();
                let metadata = BTreeMap::from([("noregret.config".into(), config.to_owned())]);
                let table = TableWriter::new(out, SCHEMA, &fields, metadata, 1)
                    .map_err(|error| StreamError::Write { place: place.clone(), cause: error.to_string() })?;
                Form::Parquet(Box::new(table))
            }
        };
        Ok(Self { form, place, live: false, file })
    }

    /// Writes some rounds; `rows` are the numbers of their rows, where the output has them. A row without a target has
    /// NaN in place of target and loss, which CSV leaves empty.
    pub fn write(&mut self, rounds: &[Scored], rows: Option<&[u64]>) -> Result<Written, StreamError> {
        let live = self.live;
        let outcome = match &mut self.form {
            Form::Csv { out, buffer } => {
                for (i, round) in rounds.iter().enumerate() {
                    push_line(buffer, round, rows.map(|rows| rows[i]));
                }
                let full = live || buffer.len() >= BUFFER;
                let written = if full { write_out(out, buffer) } else { Ok(()) };
                written.and_then(|()| if live { out.flush() } else { Ok(()) }).map_err(Failed::Io)
            }
            Form::Parquet(table) => push_rows(table, rounds, rows).map_err(Failed::Table),
        };
        self.judge(outcome)
    }

    /// Writes what is left and puts the file in its place.
    pub fn finish(mut self) -> Result<Written, StreamError> {
        let (form, file) = (self.form, self.file.take());
        let outcome = match form {
            Form::Csv { mut out, mut buffer } => {
                write_out(&mut out, &mut buffer).and_then(|()| out.flush()).map_err(Failed::Io)
            }
            Form::Parquet(table) => match table.finish() {
                Ok(mut out) => out.flush().map_err(Failed::Io),
                Err(error) => Err(Failed::Table(error)),
            },
        };
        let place = self.place;
        if judge(&place, outcome)? == Written::ReaderLeft {
            return Ok(Written::ReaderLeft);
        }
        if let Some((temporary, handle, target)) = file {
            let outcome = handle.sync_all().and_then(|()| temporary.publish(&target));
            return judge(&place, outcome.map_err(Failed::Io));
        }
        Ok(Written::All)
    }

    fn judge(&self, outcome: Result<(), Failed>) -> Result<Written, StreamError> {
        judge(&self.place, outcome)
    }
}

/// Why something could not be written.
enum Failed {
    Io(io::Error),
    Table(TraceError),
}

/// A closed pipe is a normal end.
fn judge(place: &str, outcome: Result<(), Failed>) -> Result<Written, StreamError> {
    let Err(failed) = outcome else { return Ok(Written::All) };
    let io = match &failed {
        Failed::Io(error) => Some(error),
        Failed::Table(error) => error.io(),
    };
    let cause = match (io, &failed) {
        (Some(error), _) if error.kind() == ErrorKind::BrokenPipe => return Ok(Written::ReaderLeft),
        (Some(error), _) | (None, Failed::Io(error)) => error.to_string(),
        (None, Failed::Table(error)) => error.to_string(),
    };
    Err(StreamError::Write { place: place.to_owned(), cause })
}

fn write_out(out: &mut Out, buffer: &mut Vec<u8>) -> io::Result<()> {
    out.write_all(buffer)?;
    buffer.clear();
    Ok(())
}

fn push_rows(table: &mut TableWriter<Out>, rounds: &[Scored], rows: Option<&[u64]>) -> Result<(), TraceError> {
    let number = |of: fn(&Scored) -> f64| Values::Number(rounds.iter().map(|round| Some(of(round))).collect());
    let mut columns = vec![
        Values::Count(rounds.iter().map(|round| Some(round.round)).collect()),
        number(|round| round.target),
        number(|round| round.prediction),
        number(|round| round.loss),
        number(|round| round.cumulative_loss),
    ];
    if let Some(rows) = rows {
        columns.push(Values::Count(rows[..rounds.len()].iter().map(|&row| Some(row)).collect()));
    }
    table.push(columns)?;
    if table.pending_rows() >= GROUP_ROWS { table.end_group() } else { Ok(()) }
}

fn push_line(buffer: &mut Vec<u8>, round: &Scored, row: Option<u64>) {
    push(buffer, format_args!("{}", round.round));
    for number in [round.target, round.prediction, round.loss, round.cumulative_loss] {
        buffer.push(b',');
        if !number.is_nan() {
            push_number(buffer, number);
        }
    }
    if let Some(row) = row {
        push(buffer, format_args!(",{row}"));
    }
    buffer.push(b'\n');
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
        let round = Scored { round: 7, target: 1.0, prediction: 0.5, loss: 0.25, cumulative_loss: 12.0 };
        push_line(&mut buffer, &round, None);
        push_line(&mut buffer, &round, Some(30));
        push_line(&mut buffer, &Scored { target: f64::NAN, loss: f64::NAN, ..round }, None);
        assert_eq!(buffer, b"7,1,0.5,0.25,12\n7,1,0.5,0.25,12,30\n7,,0.5,,12\n");
    }
}
