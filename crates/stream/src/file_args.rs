//! Options of how a file of the user's own is read, shared by all commands that read one.

use std::num::NonZeroU32;

use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

use noregret_data::encode::choices::{
    CategoryAs, ColumnEncoding, DateAs, Decimal, Labels, MissingValues, UnlabelledRows,
};
use noregret_data::encode::column_list::{list_of, names_of};
use noregret_data::format::{FileFormat, ReadOptions};

/// How a file is read.
#[derive(Args, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[command(next_help_heading = "Columns of the file")]
pub struct FileArgs {
    /// The column to predict: its name, or its number from 1 (LIBSVM text: the label, if not given). Words are classes; where
    /// two of them have to be numbers, such as yes and no, they become +1 and -1
    #[arg(long, value_name = "COLUMN")]
    pub target: Option<String>,
    /// The columns to predict from, in this order [default: all others, in file order]. As in all lists of columns of a file, a
    /// name with a comma stands in quotation marks: '"size, cm",weight'
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub inputs: Option<Vec<String>>,
    /// Columns to leave out
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub drop: Vec<String>,
    /// Columns of categories that look like numbers or dates. Columns of words need not be named: the first value of a column
    /// decides in `stream` and `compare`, so that nothing depends on later rows, and what most values at the beginning of the
    /// file are, where rows are shuffled and in `data add`
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub categories: Vec<String>,
    /// Columns of numbers, whatever their first values are
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub numbers: Vec<String>,
    /// Columns of dates, where they are not recognised
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub dates: Vec<String>,
    /// How categories become numbers [default: one-hot; codes for the learner auto and for --views categories]
    #[arg(long, value_enum, value_name = "HOW")]
    pub category_as: Option<CategoryChoice>,
    /// The most columns that one column of categories becomes, or the most codes, at least 2 [default: 16; 1024 codes]
    #[arg(long, value_name = "N", value_parser = limit)]
    pub category_limit: Option<NonZeroU32>,
    /// How dates become numbers [default: both; calendar for the learner auto and for --views categories]
    #[arg(long, value_enum, value_name = "HOW")]
    pub date_as: Option<DateChoice>,
    /// Dates such as 01/02/2024 have the month first [default: what the values show that decide, else the day]
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub month_first: bool,
    /// What happens to rows with missing inputs (empty, NA, NaN, null, none, ?): `refuse` stops with an error, `drop`
    /// leaves the row out, `mean` puts the mean of earlier rows there, `indicator` adds a column that says where, and
    /// `indicator=a,b` does so for these columns only. Where the inputs are forecasts (the learner aggregate), one that is
    /// missing is absent, whatever stands here
    #[arg(long, value_name = "HOW")]
    pub missing: Option<MissingValues>,
    /// The decimal sign [default: what the values show that decide, else the point]
    #[arg(long, value_enum, value_name = "SIGN")]
    pub decimal: Option<DecimalChoice>,
    /// The character between fields, or `tab`, `space` [default: the most frequent of comma, semicolon and tab in the
    /// first line]
    #[arg(long, value_name = "CHAR", value_parser = delimiter)]
    pub delimiter: Option<u8>,
    /// The CSV file has no header line; its columns are called c1, c2, ...
    #[arg(long)]
    pub no_header: bool,
    /// The word (or number) of the target that becomes +1; all others become -1
    #[arg(long, value_name = "WORD")]
    pub positive: Option<String>,
    /// The format, if it cannot be told from the file: csv, jsonl, libsvm, parquet, arrow or arff
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<FileFormat>,
}

/// How categories become numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CategoryChoice {
    /// A column for each value in order of appearance, the last one for all further values
    OneHot,
    /// A column for each hash
    Hash,
    /// One column of numbers: 0, 1, 2, ... in order of appearance
    Codes,
}

/// How dates become numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DateChoice {
    /// Sine and cosine of the place in the year, in the week and, with times, in the day
    Parts,
    /// Days since the first date
    Elapsed,
    /// Both
    Both,
    /// Both, and weekday and hour as whole numbers, of which auto makes categories, too
    Calendar,
}

/// The decimal sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DecimalChoice {
    /// 1.5
    Point,
    /// 1,5
    Comma,
}

fn limit(text: &str) -> Result<NonZeroU32, String> {
    let number: Option<NonZeroU32> = text.parse().ok();
    number.filter(|number| (2..=65_536).contains(&number.get())).ok_or_else(|| "a number from 2 to 65536".into())
}

pub(super) fn delimiter(text: &str) -> Result<u8, String> {
    match text {
        "tab" | "\\t" => Ok(b'\t'),
        "space" => Ok(b' '),
        _ => match text.as_bytes() {
            [byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r') => Ok(*byte),
            _ => Err("one ASCII character, `tab` or `space`".into()),
        },
    }
}

/// The names in the parts of a list that was cut at its commas.
fn names(parts: &[String]) -> Vec<String> {
    if parts.is_empty() { Vec::new() } else { names_of(&parts.join(",")) }
}

impl FileArgs {
    /// The options of a reader that recognises the kinds of columns.
    pub fn options(&self) -> ReadOptions {
        ReadOptions {
            format: self.format,
            header: !self.no_header,
            letters: self.no_header,
            delimiter: self.delimiter,
            target: self.target.clone(),
            inputs: self.inputs.as_deref().map(names),
            drop: names(&self.drop),
            encoding: ColumnEncoding {
                recognise: true,
                first_cell: false,
                numbers: names(&self.numbers),
                categories: names(&self.categories),
                dates: names(&self.dates),
                category_as: match self.category_as {
                    Some(CategoryChoice::Hash) => CategoryAs::Hash,
                    Some(CategoryChoice::Codes) => CategoryAs::Codes,
                    Some(CategoryChoice::OneHot) | None => CategoryAs::OneHot,
                },
                category_limit: self.category_limit,
                date_as: match self.date_as {
                    Some(DateChoice::Parts) => DateAs::Parts,
                    Some(DateChoice::Elapsed) => DateAs::Elapsed,
                    Some(DateChoice::Calendar) => DateAs::Calendar,
                    _ => DateAs::Both,
                },
                month_first: self.month_first,
                missing: self.missing.clone().unwrap_or_default(),
                decimal: self.decimal.map(|decimal| match decimal {
                    DecimalChoice::Point => Decimal::Point,
                    DecimalChoice::Comma => Decimal::Comma,
                }),
                positive: self.positive.clone(),
                labels: Labels::Two,
                unlabelled: match self.missing {
                    Some(MissingValues::Drop) => UnlabelledRows::Skip,
                    _ => UnlabelledRows::Refuse,
                },
            },
            ..ReadOptions::default()
        }
    }
}

/// The command-line arguments that read a file as `options` do, for a command that is shown to the user.
pub fn arguments(options: &ReadOptions) -> Vec<String> {
    let encoding = &options.encoding;
    let list = |names: &[String]| (!names.is_empty()).then(|| list_of(names));
    let word = |different: bool, word: &str| different.then(|| word.to_owned());
    let as_ever = matches!(encoding.missing, MissingValues::Refuse | MissingValues::Keep);
    let values = [
        ("--format", options.format.map(|format| format!("{format:?}").to_lowercase())),
        ("--target", options.target.clone()),
        ("--inputs", options.inputs.as_deref().and_then(list)),
        ("--drop", list(&options.drop)),
        ("--categories", list(&encoding.categories)),
        ("--numbers", list(&encoding.numbers)),
        ("--dates", list(&encoding.dates)),
        (
            "--category-as",
            match encoding.category_as {
                CategoryAs::OneHot => None,
                CategoryAs::Hash => Some("hash".into()),
                CategoryAs::Codes => Some("codes".into()),
            },
        ),
        ("--category-limit", encoding.category_limit.map(|limit| limit.to_string())),
        (
            "--date-as",
            match encoding.date_as {
                DateAs::Parts => Some("parts".into()),
                DateAs::Elapsed => Some("elapsed".into()),
                DateAs::Calendar => Some("calendar".into()),
                DateAs::Both => None,
            },
        ),
        ("--missing", word(!as_ever, &encoding.missing.to_string())),
        ("--decimal", encoding.decimal.map(|sign| if sign == Decimal::Comma { "comma" } else { "point" }.to_owned())),
        (
            "--delimiter",
            options.delimiter.map(|byte| match byte {
                b'\t' => "tab".to_owned(),
                b' ' => "space".to_owned(),
                byte => char::from(byte).to_string(),
            }),
        ),
        ("--positive", encoding.positive.clone()),
    ];
    let mut arguments = Vec::new();
    for (flag, value) in values {
        match value {
            // By itself it would be an option.
            Some(value) if value.starts_with('-') => arguments.push(format!("{flag}={value}")),
            Some(value) => arguments.extend([flag.to_owned(), value]),
            None => {}
        }
    }
    if encoding.month_first {
        arguments.push("--month-first".into());
    }
    if !options.header {
        arguments.push("--no-header".into());
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        file: FileArgs,
    }

    #[test]
    fn arguments_are_read_back() {
        let given = [
            "x",
            "--target",
            "y",
            "--inputs",
            "a,b",
            "--drop",
            "c,\"size, cm\"",
            "--categories",
            "a",
            "--numbers",
            "n",
            "--dates",
            "b",
            "--month-first",
            "--category-as",
            "hash",
            "--category-limit",
            "5",
            "--date-as",
            "parts",
            "--missing",
            "indicator=a,\"b, c\"",
            "--decimal",
            "comma",
            "--delimiter",
            "tab",
            "--positive",
            "yes",
            "--format",
            "csv",
            "--no-header",
        ];
        let options = Command::try_parse_from(given).unwrap().file.options();
        assert_eq!(options.delimiter, Some(b'\t'));
        assert_eq!(options.drop, ["c", "size, cm"]);
        let again = arguments(&options);
        assert_eq!(again.len(), given.len() - 1);
        let again = ["x".to_owned()].into_iter().chain(again);
        assert_eq!(Command::try_parse_from(again).unwrap().file.options(), options);
        assert!(arguments(&Command::try_parse_from(["x"]).unwrap().file.options()).is_empty());
        // As an argument of its own, the name would be an option.
        assert_eq!(arguments(&Command::try_parse_from(["x", "--drop=-z"]).unwrap().file.options()), ["--drop=-z"]);
        for wrong in [["--category-limit", "1"], ["--delimiter", ";;"], ["--missing", "zero"]] {
            assert!(Command::try_parse_from(["x"].into_iter().chain(wrong)).is_err(), "{wrong:?}");
        }
    }
}
