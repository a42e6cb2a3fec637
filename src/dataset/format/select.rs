//! Which columns of a file are inputs, and which is the target.

use crate::dataset::error::{DataError, nearest};
use crate::dataset::format::{Columns, ReadOptions, Targets};

/// Chooses the columns that `options` select from a file with columns `names`. `default_target` is the position of the
/// target if `options` name none.
pub fn select(
    file: &str,
    names: &[String],
    options: &ReadOptions,
    default_target: Option<usize>,
) -> Result<Columns, DataError> {
    let target_position = match &options.target {
        _ if options.targets == Targets::Ignored => match options.inputs.as_ref().and_then(|inputs| inputs.first()) {
            Some(first) => find(file, names, first)?,
            None => default_target.unwrap_or(0),
        },
        Some(target) => find(file, names, target)?,
        None => default_target.ok_or_else(|| DataError::NoTarget { file: file.to_owned(), known: names.to_vec() })?,
    };
    let input_positions: Vec<usize> = match &options.inputs {
        Some(inputs) => inputs.iter().map(|input| find(file, names, input)).collect::<Result<_, _>>()?,
        None => (0..names.len()).filter(|&position| position != target_position).collect(),
    };
    let target = names[target_position].clone();
    if input_positions.is_empty() {
        return Err(DataError::NoInputs { file: file.to_owned(), target });
    }
    let inputs: Vec<String> = input_positions.iter().map(|&position| names[position].clone()).collect();
    let repeated = |column: &String, how, remedy| {
        Err(DataError::Repeated { file: file.to_owned(), column: column.clone(), how, remedy })
    };
    if input_positions.contains(&target_position) && options.targets != Targets::Ignored {
        return repeated(&target, "is both the target and an input", "leave it out of the inputs");
    }
    let mut chosen: Vec<&String> = match options.targets {
        Targets::Ignored => inputs.iter().collect(),
        _ => inputs.iter().chain([&target]).collect(),
    };
    chosen.sort_unstable();
    if let Some(pair) = chosen.windows(2).find(|pair| pair[0] == pair[1]) {
        return repeated(pair[0], TWICE, DISTINCT);
    }
    Ok(Columns { inputs, target, input_positions, target_position })
}

const TWICE: &str = "occurs twice";
const DISTINCT: &str = "give every column its own name, and use each name once";

/// The position of a column that is given by name or, if no column has that name, by its position from 1.
fn find(file: &str, names: &[String], wanted: &str) -> Result<usize, DataError> {
    let wanted = wanted.trim();
    let mut bearers = (0..names.len()).filter(|&position| names[position] == wanted);
    match (bearers.next(), bearers.next()) {
        (Some(position), None) => return Ok(position),
        (Some(_), Some(_)) => {
            let (file, column) = (file.to_owned(), wanted.to_owned());
            return Err(DataError::Repeated { file, column, how: TWICE, remedy: DISTINCT });
        }
        _ => {}
    }
    match wanted.parse::<usize>() {
        Ok(position) if (1..=names.len()).contains(&position) => Ok(position - 1),
        _ => Err(DataError::NoColumn {
            file: file.to_owned(),
            column: wanted.to_owned(),
            nearest: nearest(wanted, names.iter().map(String::as_str)),
            known: names.to_vec(),
        }),
    }
}
