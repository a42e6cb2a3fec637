//! What becomes of each column of a file, settled before the first row.

use serde::{Deserialize, Serialize};

use crate::encode::choices::{ColumnEncoding, Decimal, Labels, MissingValues, UnlabelledRows};
use crate::encode::column::EncodedColumn;
use crate::encode::recognise::{ColumnSample, RecognisedKind};
use crate::encode::target::TargetEncoder;
use crate::error::DataError;
use crate::format::columns::ReaderColumns;
use noregret_model::running::is_quantity;

/// The encoders of a file's columns, with what they have learned from the rows so far. A copy of it encodes the next
/// rows as it would itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EncodingPlan {
    /// The inputs, in the order of the rows.
    pub columns: Vec<EncodedColumn>,
    /// The target.
    pub target: TargetEncoder,
    /// The name of the target.
    pub target_name: String,
    /// The decimal sign.
    pub decimal: Decimal,
    /// What happens to rows with missing inputs.
    pub missing: MissingValues,
    /// What happens to rows without a target.
    pub unlabelled: UnlabelledRows,
    /// Columns whose values name rows, by the first rows.
    pub(crate) names_rows: Vec<String>,
    /// Columns whose numbers are written for people, by the first rows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) disguised: Vec<String>,
}

impl EncodingPlan {
    /// The plan for the inputs and the target in `columns`, whose first rows hold what `samples` say: one for each
    /// input, then one for the target. `whole` says that there was more than one row, and `exact` that columns of words are as
    /// wide as the words of these rows need, without room for others.
    ///
    /// # Errors
    /// A column that is named and not among the inputs, or a target of other than two words.
    pub(crate) fn new(
        file: &str,
        columns: &ReaderColumns,
        encoding: &ColumnEncoding,
        samples: &[ColumnSample],
        whole: bool,
        exact: bool,
    ) -> Result<Self, DataError> {
        no_stranger(file, columns, encoding)?;
        let commas: i64 = samples.iter().map(ColumnSample::prefers_comma).sum();
        let shown = if encoding.recognise && commas > 0 { Decimal::Comma } else { Decimal::Point };
        let decimal = encoding.decimal.unwrap_or(shown);
        let inputs = columns.inputs.iter().zip(samples);
        let inputs = inputs.map(|(name, sample)| {
            let column =
                EncodedColumn::new(name, sample.kind(name, encoding, decimal, whole, exact), encoding, decimal);
            (column, sample.names_rows())
        });
        let (inputs, names): (Vec<EncodedColumn>, Vec<bool>) = inputs.unzip();
        let names_rows = inputs.iter().zip(names).filter(|(column, names)| *names && column.is_category());
        let names_rows = names_rows.map(|(column, _)| column.name.clone()).collect();
        let named = columns.inputs.iter().chain([&columns.target]).zip(samples);
        let is_disguised = |name: &String, sample: &ColumnSample| {
            encoding.recognise
                && sample.is_disguised()
                && sample.is_number(decimal)
                && !encoding.categories.iter().chain(&encoding.dates).any(|other| other.trim() == name)
        };
        let disguised =
            named.filter(|(name, sample)| is_disguised(name, sample)).map(|(name, _)| name.clone()).collect();
        let target = target(encoding, samples.last(), decimal).map_err(|why| DataError::Classes {
            file: file.to_owned(),
            column: columns.target.clone(),
            why,
        })?;
        Ok(Self {
            columns: inputs,
            target,
            target_name: columns.target.clone(),
            decimal,
            missing: encoding.missing.clone(),
            unlabelled: encoding.unlabelled,
            names_rows,
            disguised,
        })
    }

    /// The plan for inputs that are plain numbers, such as those of a reader without a plan; rows without a target are
    /// kept.
    pub fn plain(inputs: &[String], target: &str) -> Self {
        let (encoding, decimal) = (ColumnEncoding::default(), Decimal::Point);
        let column = |name: &String| EncodedColumn::new(name, RecognisedKind::Number, &encoding, decimal);
        Self {
            columns: inputs.iter().map(column).collect(),
            target: TargetEncoder::Number(decimal),
            target_name: target.to_owned(),
            decimal,
            missing: MissingValues::Refuse,
            unlabelled: UnlabelledRows::Keep,
            names_rows: Vec::new(),
            disguised: Vec::new(),
        }
    }

    /// The plan for a file that is written with another decimal sign.
    pub fn written_with(mut self, decimal: Decimal) -> Self {
        self.columns.iter_mut().for_each(|column| column.decimal = decimal);
        if let TargetEncoder::Number(target) | TargetEncoder::Undecided(target) = &mut self.target {
            *target = decimal;
        }
        self.decimal = decimal;
        self
    }

    /// The plan that puts the means of the rows so far where values are missing, whatever comes.
    pub fn with_settled_means(mut self) -> Self {
        self.columns.iter_mut().for_each(|column| column.settled = true);
        self
    }

    /// The plan that a model holds as TOML.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn read(text: &str) -> Result<Self, toml::de::Error> {
        toml::from_str(text)
    }

    /// Whether rows are what the file says, number by number.
    pub fn is_plain(&self) -> bool {
        self.columns.iter().all(EncodedColumn::is_plain)
            && self.target == TargetEncoder::Number(Decimal::Point)
            && self.missing == MissingValues::Refuse
            && self.unlabelled != UnlabelledRows::Skip
            && self.disguised.is_empty()
    }

    /// The choices with everything that was recognised written down, so that nothing is to be recognised again. What first
    /// cells say they say again.
    pub(crate) fn settled(&self, encoding: &ColumnEncoding) -> ColumnEncoding {
        if encoding.first_cell {
            return encoding.clone();
        }
        let named = |of: fn(&EncodedColumn) -> bool| -> Vec<String> {
            self.columns.iter().filter(|column| of(column)).map(|column| column.name.clone()).collect()
        };
        ColumnEncoding {
            recognise: false,
            categories: named(EncodedColumn::is_category),
            dates: named(EncodedColumn::is_date),
            decimal: (self.decimal == Decimal::Comma).then_some(Decimal::Comma),
            positive: self.target.classes().map(|(_, positive)| positive.to_owned()),
            ..encoding.clone()
        }
    }

    /// The names of the encoded inputs.
    pub fn names(&self) -> Vec<String> {
        self.columns.iter().flat_map(EncodedColumn::names).collect()
    }

    /// The encoded inputs, counted from 1, that hold codes of words.
    pub fn codes(&self) -> Vec<usize> {
        let inputs = self.columns.iter().flat_map(|column| vec![column.is_codes(); column.names().len()]);
        inputs.enumerate().filter(|(_, codes)| *codes).map(|(i, _)| i + 1).collect()
    }

    /// Which of the encoded inputs hold quantities, whose scale is arbitrary.
    pub fn quantities(&self) -> Vec<bool> {
        self.names().iter().map(|name| is_quantity(name)).collect()
    }

    /// What becomes of the columns that are not plain numbers, in one line each.
    pub fn describe(&self) -> Vec<String> {
        let mut lines: Vec<String> = self
            .columns
            .iter()
            .filter(|column| column.describe() != EncodedColumn::NUMBER)
            .map(|column| match &*column.name {
                "" => format!("a column without a name: {}", column.describe()),
                name => format!("{name}: {}", column.describe()),
            })
            .collect();
        match &self.target {
            TargetEncoder::Classes { words, closed: true } => {
                lines.push(format!("{}: one of the classes {}", self.target_name, words.join(", ")));
            }
            TargetEncoder::Classes { .. } => {
                lines.push(format!("{}: classes, in the words of the file, as they appear", self.target_name));
            }
            _ => {}
        }
        if let Some((negative, positive)) = self.target.classes() {
            lines.push(format!("{}: {negative} is -1, {positive} is +1", self.target_name));
        }
        for name in &self.disguised {
            let otherwise = match *name == self.target_name {
                true => "--classes (of `stream`) makes classes of them".into(),
                false => format!("--categories {name} makes categories of them"),
            };
            lines.push(format!(
                "{name}: numbers as people write them (1,234,567 or $5 or 12% without the signs, 13:45 as 13.75 hours); if \
                 they are none, {otherwise}"
            ));
        }
        for name in &self.names_rows {
            lines.push(format!(
                "{name}: nearly every row has its own value, which teaches little; leave it out (--drop)"
            ));
        }
        lines
    }
}

/// Refuses an encoding that names a column which is not among the inputs.
fn no_stranger(file: &str, columns: &ReaderColumns, encoding: &ColumnEncoding) -> Result<(), DataError> {
    let indicators = if let MissingValues::Indicator(columns) = &encoding.missing { &columns[..] } else { &[] };
    let named = encoding.numbers.iter().chain(&encoding.categories).chain(&encoding.dates).chain(indicators);
    let stranger = named.map(|name| name.trim()).find(|name| columns.inputs.iter().all(|known| known != name));
    match stranger {
        None => Ok(()),
        Some(target) if *target == columns.target => Err(DataError::Repeated {
            file: file.to_owned(),
            column: target.to_owned(),
            how: "is the target, and --categories, --numbers, --dates and --missing name inputs",
            remedy: "leave it out of these; what a target of words becomes is said by --classes (of `stream`) and --positive",
        }),
        Some(stranger) => Err(DataError::NoColumn {
            file: file.to_owned(),
            column: stranger.to_owned(),
            nearest: crate::error::nearest(stranger, columns.inputs.iter().map(String::as_str)),
            known: columns.inputs.clone(),
        }),
    }
}

/// What becomes of the target, by what its first rows hold; the error says what is wrong with its words.
fn target(encoding: &ColumnEncoding, sample: Option<&ColumnSample>, decimal: Decimal) -> Result<TargetEncoder, String> {
    let of_target = sample.filter(|_| encoding.recognise || encoding.positive.is_some());
    let of_words = of_target.filter(|sample| encoding.positive.is_some() || !sample.is_number(decimal));
    let undecided = sample.is_some_and(|sample| encoding.first_cell && encoding.recognise && !sample.has_values());
    Ok(match (of_words, &encoding.labels) {
        (_, Labels::Always(words)) if encoding.positive.is_none() => {
            TargetEncoder::Classes { words: words.clone(), closed: !words.is_empty() }
        }
        // Whether a run predicts classes is known before its first row.
        (None, Labels::Two) if undecided => TargetEncoder::Undecided(decimal),
        (None, _) => TargetEncoder::Number(decimal),
        (Some(_), Labels::Words) if encoding.positive.is_none() => {
            TargetEncoder::Classes { words: Vec::new(), closed: false }
        }
        (Some(sample), _) if encoding.first_cell && encoding.positive.is_none() => {
            TargetEncoder::of_first_word(&sample.words().concat())
        }
        (Some(sample), _) => TargetEncoder::of_words(&sample.words(), encoding.positive.as_deref())?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::cells::FileCell;

    #[test]
    fn options_of_inputs_are_no_advice_for_a_target() {
        let columns = ReaderColumns {
            inputs: vec!["a".into()],
            target: "y".into(),
            names: vec!["a".into(), "y".into()],
            input_positions: vec![0],
            target_position: 1,
        };
        let samples = ["$1", "$5"].map(|text| {
            let mut sample = ColumnSample::default();
            sample.add(FileCell::Text(text.as_bytes()));
            sample
        });
        let plan = |encoding: &ColumnEncoding| EncodingPlan::new("f", &columns, encoding, &samples, true, false);
        let said = plan(&ColumnEncoding::recognising()).unwrap().describe();
        assert!(said[0].starts_with("a: ") && said[0].ends_with("--categories a makes categories of them"), "{said:?}");
        assert!(
            said[1].starts_with("y: ") && said[1].ends_with("--classes (of `stream`) makes classes of them"),
            "{said:?}"
        );
        let named = ColumnEncoding { categories: vec!["y".into()], ..ColumnEncoding::recognising() };
        let message = plan(&named).unwrap_err().to_string();
        assert!(message.contains("column `y` is the target") && message.contains("--classes"), "{message}");
    }
}
