//! Errors of data.

use crate::text::{beginning, decoded};
use std::fmt;
use std::io;

use crate::encode::date::{DateOrder, parse as parse_date};
use crate::encode::number::is_missing;
use crate::format::compression::Compression;
use noregret_core::learner::classes::MOST;

/// An error of reading, declaring or preparing data. Every message names the file, says what is wrong and where, and
/// what to do about it. Rows are numbered from 1, without the header.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// There is no such file.
    #[error("{file}: no such file; check the path")]
    NoFile { file: String },
    /// The operating system refused to read or write.
    #[error("{file}: cannot {doing}: {source}")]
    Io { file: String, doing: &'static str, source: io::Error },
    /// An empty file, or one without a data row.
    #[error("{file}: {what}; check that it was written or downloaded completely")]
    Empty { file: String, what: &'static str },
    /// A web page where data was expected, usually an error page.
    #[error("{file}: this is a web page, not data (it begins {beginning:?}); download the data file itself")]
    WebPage { file: String, beginning: String },
    /// Compressed data that ends early or is damaged.
    #[error("{file}: damaged {compression} data ({detail}); it may be truncated: download or compress it again")]
    Compressed { file: String, compression: Compression, detail: String },
    /// A file that should hold certificates.
    #[error("{file}: it holds no certificate; let SSL_CERT_FILE name a file of certificates (PEM), or unset it")]
    Certificates { file: String },
    /// An archive that cannot be unpacked.
    #[error("{file}: cannot take `{member}` out of this archive: {detail}; download it again")]
    Archive { file: String, member: String, detail: String },
    /// A header that looks like a row of data.
    #[error("{file}: the first line holds numbers ({line}) where column names are expected; {remedy}")]
    NoHeader { file: String, line: String, remedy: &'static str },
    /// A column that the file does not have.
    #[error("{file}: no column `{column}`{}; columns: {}{}", did_you_mean(nearest), list(known), unparted(known))]
    NoColumn { file: String, column: String, nearest: Option<String>, known: Vec<String> },
    /// A column that an earlier file of the same rows did not have.
    #[error("{file}: column `{column}` is not in {first}; name the inputs, without it (--inputs)")]
    NewColumn { file: String, column: String, first: String },
    /// No column was named as the target.
    #[error("{file}: which column is the target? name one of: {}", list(known))]
    NoTarget { file: String, known: Vec<String> },
    /// A column used twice: a repeated name, or the target among the inputs.
    #[error("{file}: column `{column}` {how}; {remedy}")]
    Repeated { file: String, column: String, how: &'static str, remedy: &'static str },
    /// Several columns without names.
    #[error(
        "{file}: the columns {numbers} have no name; leave them out (--drop {numbers}), or give each one a name in the header"
    )]
    Unnamed { file: String, numbers: String },
    /// No column is left as an input.
    #[error("{file}: no input columns besides the target `{target}`; add some, or name them with inputs")]
    NoInputs { file: String, target: String },
    /// A row with too few or too many fields.
    #[error(
        "{file}: row {row} ({lines}) has {found} fields where {expected} are expected; {}",
        lines.mend("complete or remove the row")
    )]
    Ragged { file: String, row: u64, lines: Lines, expected: usize, found: usize },
    /// A quoted field without a closing quote.
    #[error("{file}: line {line}: a quoted field that begins here is never closed; close it, or remove the quote")]
    OpenQuote { file: String, line: u64 },
    /// A quoted field that goes on after its closing quote.
    #[error(
        "{file}: {row} ({lines}), column `{column}`: text follows the closing quote; {}",
        lines.mend("put the whole field in quotes, with two quotes for each one in it")
    )]
    Quote { file: String, row: String, lines: Lines, column: String },
    /// A quoted field that takes in lines which look like rows.
    #[error(
        "{file}: {row} (line {line}): a quoted field goes on to line {last}, over lines that look like rows; a quotation \
         mark is missing or too many: correct it"
    )]
    LongQuote { file: String, row: String, line: u64, last: u64 },
    /// A line too long to be one.
    #[error("{file}: line {line} has more than {most} bytes; check that the file is text whose lines end")]
    LongLine { file: String, line: u64, most: usize },
    /// A field that is not a number.
    #[error("{at}: {}; {}", not_a_number(text), mend(text, &at.column))]
    NotANumber { at: Box<Location>, text: String },
    /// A target that is not a number among numbers.
    #[error(
        "{at}: the target `{text}` is not a number, and the column was taken to hold numbers; {}",
        mend_target(text)
    )]
    NotATarget { at: Box<Location>, text: String },
    /// A number that is infinite, undefined or too large for f64.
    #[error("{at}: {text} is not a finite number; {}", mend(text, &at.column))]
    NotFinite { at: Box<Location>, text: String },
    /// A missing value where none is allowed.
    #[error("{at}: the value is missing; {}", gap.remedy(&at.column))]
    Missing { at: Box<Location>, gap: Gap },
    /// A number that names something, and is too large to be told from those next to it.
    #[error("{at}: {number} names something, and numbers beyond 2^53 cannot be told apart; write the column as text")]
    Rounded { at: Box<Location>, number: f64 },
    /// A weight of a row that is below 0, or no number.
    #[error("{at}: the weight is {weight}, and weights are numbers of at least 0; correct it, or remove the row")]
    NotAWeight { at: Box<Location>, weight: String },
    /// A field that is not a date.
    #[error("{at}: `{text}` is not a date like 2024-01-31, 31.1.2024, 31/1/2024 or 1/31/2024, with or without a time; {}",
        mend_date(text, &at.column))]
    NotADate { at: Box<Location>, text: String },
    /// A target that is neither of two words.
    #[error(
        "{at}: the target `{text}` is a third word: those before it were taken for the pair `{}` (-1) and `{}` (+1); predict \
         classes (--classes of `stream`; `compare` does so where no task is given), or name the one that counts as +1 (--positive), and all \
         others are -1",
        classes[0],
        classes[1]
    )]
    OtherClass { at: Box<Location>, text: String, classes: [String; 2] },
    /// A target that is none of the classes that were declared, or one too many.
    #[error("{at}: {}; if the target is no class, choose another one (--target)", undeclared(text, classes))]
    Undeclared { at: Box<Location>, text: String, classes: Vec<String> },
    /// A target of words that are not two classes.
    #[error(
        "{file}: the target `{column}` holds words, and {why}; name the one that counts as +1 (--positive WORD), and \
         all others are -1"
    )]
    Classes { file: String, column: String, why: String },
    /// The word of the class +1 is not in the column.
    #[error(
        "{file}: the target `{column}` is never `{word}` (--positive), so that no row would be +1; it holds {others}"
    )]
    NoSuchClass { file: String, column: String, word: String, others: String },
    /// Something else than data.
    #[error("{file}: this is {what}")]
    Foreign { file: String, what: &'static str },
    /// A line of LIBSVM text that is not `label index:value index:value ...`.
    #[error(
        "{file}: row {row} (line {line}): `{text}`: {why}; write `label index:value ...`, indices ascending from 1"
    )]
    Libsvm { file: String, row: u64, line: u64, text: String, why: String },
    /// A line of JSON lines that is no object of plain values, or whose keys are not those of the first one.
    #[error("{file}: row {row} (line {line}): {detail}")]
    Jsonl { file: String, row: u64, line: u64, detail: String },
    /// ARFF that is damaged, or of a kind that is not read.
    #[error("{file}: line {line}: cannot read as ARFF: {detail}")]
    Arff { file: String, line: u64, detail: String },
    /// A row of ARFF with a value that the header does not allow.
    #[error("{file}: row {row} (line {line}): cannot read as ARFF: {detail}")]
    ArffRow { file: String, row: u64, line: u64, detail: String },
    /// Not a Parquet file, or a damaged one.
    #[error("{file}: cannot read as Parquet: {detail}; write the file again")]
    Parquet { file: String, detail: String },
    /// Not Arrow IPC, or damaged.
    #[error("{file}: cannot read as Arrow IPC: {detail}; write the file again")]
    Arrow { file: String, detail: String },
    /// A Parquet column whose values are not numbers.
    #[error("{file}: column `{column}` holds {kind}, not numbers; convert it, or leave it out (--drop, --inputs)")]
    NotNumeric { file: String, column: String, kind: String },
    /// The number of rows or columns differs from the declaration.
    #[error("{file}: {what}: expected {expected}, found {actual}; this is not the declared file, or only a part of it")]
    Shape { file: String, what: &'static str, expected: u64, actual: u64 },
    /// The values differ from the declaration.
    #[error(
        "{file}: content differs: expected SHA-256 {expected}, found {actual}; fetch it again, or change its \
         declaration if the change is intended"
    )]
    Content { file: String, expected: String, actual: String },
    /// A file that was replaced after it was hashed and before it was read.
    #[error("{file}: changed during this run; run the same command again")]
    Changed { file: String },
    /// A declaration that cannot be read or contradicts itself.
    #[error("{file}: {detail}")]
    Declaration { file: String, detail: String },
    /// What a server says of a dataset cannot be used, or is an error.
    #[error("{source_name}: {detail}")]
    Server { source_name: String, detail: String },
    /// A name that a new dataset cannot have.
    #[error("dataset name `{name}` {why}; choose another with --name")]
    Name { name: String, why: &'static str },
    /// No dataset has this name.
    #[error("unknown dataset `{name}`{}; known: {}", did_you_mean(nearest), list(known))]
    Unknown { name: String, nearest: Option<String>, known: Vec<String> },
    /// A transform whose result would overflow.
    #[error("column `{column}`: {what} leaves the range of f64; rescale the column in the file")]
    Overflow { column: String, what: &'static str },
}

/// The location of a value in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The file.
    pub file: String,
    /// The data row, from 1.
    pub row: u64,
    /// The lines, in text files.
    pub lines: Option<Lines>,
    /// The column's name.
    pub column: String,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: row {}", self.file, self.row)?;
        if let Some(lines) = self.lines {
            write!(f, " ({lines})")?;
        }
        write!(f, ", column `{}`", self.column)
    }
}

/// The lines of a row, from 1: more than one where a quoted field goes on over line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lines {
    /// The first one.
    pub first: u64,
    /// The last one.
    pub last: u64,
}

impl Lines {
    /// What to do about fields that are wrong.
    fn mend(self, remedy: &str) -> String {
        if self.first == self.last {
            remedy.into()
        } else {
            format!("{remedy}; or a quotation mark is missing or too many")
        }
    }
}

impl From<u64> for Lines {
    fn from(line: u64) -> Self {
        Self { first: line, last: line }
    }
}

impl fmt::Display for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.first == self.last {
            write!(f, "line {}", self.first)
        } else {
            write!(f, "lines {} to {}", self.first, self.last)
        }
    }
}

/// What is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gap {
    /// A value of an input.
    Input,
    /// A target.
    Target,
    /// The weight of a row with a target.
    Weight,
}

impl Gap {
    fn remedy(self, column: &str) -> String {
        match self {
            Gap::Input => format!(
                "choose what happens then (--missing drop, mean or indicator), fill it, or leave the column out (--drop \
                 {column})"
            ),
            Gap::Target => NO_TARGET_REMEDY.into(),
            Gap::Weight => "fill it, or remove the row".into(),
        }
    }
}

/// What to do about a row without a target.
const NO_TARGET_REMEDY: &str = "fill it, remove the row, or leave such rows out (--missing drop)";

/// What to do where a number has a point, and points are no decimal sign.
const POINT: &str = "where the point is the decimal sign, say so (--decimal point)";

/// What to do where all columns seem to be one.
fn unparted(known: &[String]) -> &'static str {
    match known {
        [one] if one.contains([',', ';', '|', '\t']) => "; name what separates them (--delimiter)",
        [one] if one.contains(' ') => "; if spaces separate them, say so (--delimiter space)",
        _ => "",
    }
}

/// What to do about a field of a column that is no finite number.
fn mend(text: &str, column: &str) -> String {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => POINT.into(),
        Ok(number) if !number.is_nan() => "replace it by a finite number, or remove the row".into(),
        _ if is_missing(text.as_bytes()) => {
            format!(
                "fill it, or choose what happens to missing values (--missing drop, mean or indicator), or leave the column \
                 out, if it is an input (--drop {column})"
            )
        }
        _ if has_decimal_comma(text) => "where the comma is the decimal sign, say so (--decimal comma)".into(),
        _ => format!(
            "correct it, or say what the column holds (--categories {column}, --dates {column}), or leave it out (--drop \
             {column})"
        ),
    }
}

/// Whether it is a number if its comma is a point.
fn has_decimal_comma(text: &str) -> bool {
    text.len() > 2 && text.matches(',').count() == 1 && text.replacen(',', ".", 1).parse::<f64>().is_ok()
}

/// What is wrong with a class that is not known.
fn undeclared(text: &str, classes: &[String]) -> String {
    match classes.len() {
        full @ MOST.. => format!("`{text}` is one class more than the {full} that there may be"),
        _ => format!("`{text}` is none of the classes {}; name it with --classes", list(classes)),
    }
}

/// What to do about a target that is no number.
fn mend_target(text: &str) -> &'static str {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => POINT,
        _ if is_missing(text.as_bytes()) => NO_TARGET_REMEDY,
        _ if has_decimal_comma(text) => "where the comma is the decimal sign, say so (--decimal comma)",
        _ => {
            "correct it; or predict words (--classes, of `stream`); or name the word that counts as +1 (--positive), and all \
             others are -1"
        }
    }
}

/// What to do about a field of a column of dates that is none.
fn mend_date(text: &str, column: &str) -> String {
    match parse_date(text.as_bytes(), DateOrder::MonthFirst) {
        Some(_) => "where the month comes first, say so (--month-first)".into(),
        None => {
            format!(
                "correct it, or say that the column holds words (--categories {column}), or leave it out (--drop {column})"
            )
        }
    }
}

fn not_a_number(text: &str) -> String {
    if text.is_empty() { "the field is empty".into() } else { format!("`{text}` is not a number") }
}

fn did_you_mean(nearest: &Option<String>) -> String {
    nearest.as_ref().map(|name| format!(" (did you mean `{name}`?)")).unwrap_or_default()
}

/// The known name closest to `name`, if it is close enough for a typing error. (The same function is in `params`, but
/// data must not depend on that module: it would enter the code identity of prepared data.)
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    known
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(name, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= 1 + candidate.chars().count().min(name.chars().count()) / 3)
        .min()
        .map(|(_, candidate)| candidate.to_owned())
}

impl DataError {
    /// Whether it is about one row, which can be passed over.
    pub fn is_of_a_row(&self) -> bool {
        matches!(
            self,
            DataError::NotANumber { .. }
                | DataError::NotATarget { .. }
                | DataError::NotFinite { .. }
                | DataError::NotADate { .. }
                | DataError::NotAWeight { .. }
                | DataError::Rounded { .. }
                | DataError::OtherClass { .. }
                | DataError::Undeclared { .. }
                | DataError::Missing { .. }
                | DataError::Ragged { .. }
                | DataError::Quote { .. }
                | DataError::LongQuote { .. }
                | DataError::OpenQuote { .. }
                | DataError::Jsonl { .. }
                | DataError::Libsvm { .. }
                | DataError::ArffRow { .. }
        )
    }
}

/// The largest number of names that a message lists.
const LISTED: usize = 20;

fn list(names: &[String]) -> String {
    let shown = names.iter().take(LISTED).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > LISTED { format!("{shown}, ... ({} in all)", names.len()) } else { shown }
}

/// The beginning of a text from a file, short and on one line, for a message.
pub(crate) fn excerpt(text: &[u8]) -> String {
    const LENGTH: usize = 40;
    let text = decoded(beginning(text, 4 * LENGTH));
    let line: String = text.chars().take(LENGTH).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().count() > LENGTH { format!("{line}...") } else { line }
}

/// The number that `text` stands for: decimal or scientific notation, surrounding spaces allowed, finite.
pub(crate) fn number(text: &[u8], location: impl Fn() -> Location) -> Result<f64, DataError> {
    let text = text.trim_ascii();
    match std::str::from_utf8(text).ok().and_then(|text| text.parse::<f64>().ok()) {
        Some(value) if value.is_finite() => Ok(value),
        Some(_) => Err(DataError::NotFinite { at: Box::new(location()), text: excerpt(text) }),
        None => Err(DataError::NotANumber { at: Box::new(location()), text: excerpt(text) }),
    }
}

impl DataError {
    /// Whether it is one of usage: a name of a dataset or a column that is not there, or a wrong declaration. It has one
    /// exit status in all commands. Data that cannot be read are a failure.
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            DataError::Unknown { .. }
                | DataError::Name { .. }
                | DataError::Declaration { .. }
                | DataError::NoColumn { .. }
                | DataError::NewColumn { .. }
                | DataError::NoTarget { .. }
                | DataError::Repeated { .. }
                | DataError::Unnamed { .. }
                | DataError::NoInputs { .. }
                | DataError::NoSuchClass { .. }
        )
    }
}
