//! Which columns of a file are inputs, and which is the target.

use std::collections::HashMap;

use crate::encode::plan::EncodingPlan;
use crate::error::{DataError, nearest};
use crate::format::ReadOptions;
use crate::format::columns::{NO_TARGET, ReaderColumns};

/// Chooses the columns that `options` select from a file with columns `names`. `default_target` is the position of the
/// target if `options` name none.
pub(super) fn select(
    file: &str,
    names: &[String],
    options: &ReadOptions,
    default_target: Option<usize>,
) -> Result<ReaderColumns, DataError> {
    let by_name = ByName::new(file, names);
    let target_position = match &options.target {
        Some(target) => by_name.find(target)?,
        None => default_target.ok_or_else(|| DataError::NoTarget { file: file.to_owned(), known: names.to_vec() })?,
    };
    let input_positions: Vec<usize> = match &options.inputs {
        Some(inputs) => inputs.iter().map(|input| by_name.find(input)).collect::<Result<_, _>>()?,
        None => (0..names.len()).filter(|&position| position != target_position).collect(),
    };
    let dropped: Vec<usize> = options.drop.iter().map(|column| by_name.find(column)).collect::<Result<_, _>>()?;
    if dropped.contains(&target_position) {
        let (file, column) = (file.to_owned(), names[target_position].clone());
        let (how, remedy) = used_twice(options, &names[target_position]);
        return Err(DataError::Repeated { file, column, how, remedy });
    }
    let input_positions: Vec<usize> =
        input_positions.into_iter().filter(|position| !dropped.contains(position)).collect();
    let target = names[target_position].clone();
    if input_positions.is_empty() && !options.alone {
        return Err(DataError::NoInputs { file: file.to_owned(), target });
    }
    let inputs: Vec<String> = input_positions.iter().map(|&position| names[position].clone()).collect();
    let repeated = |column: &String, how, remedy| {
        Err(DataError::Repeated { file: file.to_owned(), column: column.clone(), how, remedy })
    };
    if input_positions.contains(&target_position) {
        return repeated(&target, "is both the target and an input", "leave it out of the inputs");
    }
    let mut chosen: Vec<&String> = inputs.iter().chain([&target]).collect();
    chosen.sort_unstable();
    if let Some(pair) = chosen.windows(2).find(|pair| pair[0] == pair[1]) {
        if pair[0].is_empty() {
            let numbers = input_positions.iter().filter(|&&position| names[position].is_empty());
            let numbers = numbers.map(|position| (position + 1).to_string()).collect::<Vec<_>>().join(",");
            return Err(DataError::Unnamed { file: file.to_owned(), numbers });
        }
        return repeated(pair[0], TWICE, DISTINCT);
    }
    Ok(ReaderColumns { inputs, target, names: names.to_vec(), input_positions, target_position })
}

/// The columns of `plan` in a file with columns `names`, where its target may be absent, or is to be ignored.
pub(super) fn select_known(
    file: &str,
    names: &[String],
    plan: &EncodingPlan,
    ignore_target: bool,
) -> Result<ReaderColumns, DataError> {
    let inputs: Vec<String> = plan.columns.iter().map(|column| column.name.clone()).collect();
    let by_name = ByName::new(file, names);
    let input_positions = inputs.iter().map(|input| by_name.find(input)).collect::<Result<_, _>>()?;
    let target = names.iter().position(|name| !ignore_target && *name == plan.target_name);
    let target_position = target.unwrap_or(NO_TARGET);
    let target = plan.target_name.clone();
    Ok(ReaderColumns { inputs, target, names: names.to_vec(), input_positions, target_position })
}

/// What a target is besides, that is no input for what it is, and what to do about it.
fn used_twice(options: &ReadOptions, target: &str) -> (&'static str, &'static str) {
    const ONCE: &str = "name it once, or choose another target (--target)";
    let is_among = |named: &[String]| named.iter().any(|name| name.trim() == target);
    if is_among(&options.further_targets) {
        ("is both the target and a further one, or a weight (--further-targets, --sample-weight)", ONCE)
    } else if is_among(&options.marks) {
        ("is both the target and what names rows or groups (--id, --group)", ONCE)
    } else {
        ("is both the target and left out", "leave it in, or choose another target")
    }
}

const TWICE: &str = "occurs twice";
const DISTINCT: &str = "give every column its own name, and use each name once";

/// The columns of a file by name, so that many are found in time.
struct ByName<'a> {
    file: &'a str,
    names: &'a [String],
    /// The first position of each name, and whether there is another one.
    positions: HashMap<&'a str, (usize, bool)>,
}

impl<'a> ByName<'a> {
    fn new(file: &'a str, names: &'a [String]) -> Self {
        let mut positions = HashMap::with_capacity(names.len());
        for (position, name) in names.iter().enumerate() {
            positions.entry(name.as_str()).and_modify(|(_, twice)| *twice = true).or_insert((position, false));
        }
        Self { file, names, positions }
    }

    /// The position of a column that is given by name or, if no column has that name, by its position from 1.
    fn find(&self, wanted: &str) -> Result<usize, DataError> {
        let Self { file, names, .. } = *self;
        let wanted = wanted.trim();
        match self.positions.get(wanted) {
            Some((position, false)) => return Ok(*position),
            Some((_, true)) => {
                let (file, column) = (file.to_owned(), wanted.to_owned());
                return Err(DataError::Repeated { file, column, how: TWICE, remedy: DISTINCT });
            }
            None => {}
        }
        // Columns without names are called 1, 2, ... or c1, c2, ...; both ways are understood.
        let numbered = names.first().is_some_and(|first| first == "1" || first == "c1");
        let digits = wanted.strip_prefix('c').filter(|_| numbered).unwrap_or(wanted);
        match digits.parse::<usize>() {
            Ok(position) if (1..=names.len()).contains(&position) => Ok(position - 1),
            _ => Err(DataError::NoColumn {
                file: file.to_owned(),
                column: wanted.to_owned(),
                nearest: nearest(wanted, names.iter().map(String::as_str)),
                known: names.to_vec(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_that_is_something_else_too_is_told_as_what_it_is() {
        let names = ["a", "y"].map(str::to_owned);
        let told = |further_targets: &[String], marks: &[String]| {
            let (target, drop) = (Some("y".to_owned()), vec!["y".to_owned()]);
            let (further_targets, marks) = (further_targets.to_vec(), marks.to_vec());
            let options = ReadOptions { target, drop, further_targets, marks, ..ReadOptions::default() };
            select("f", &names, &options, None).unwrap_err().to_string()
        };
        let y = &names[1..];
        assert!(told(&[], &[]).contains("`y` is both the target and left out; leave it in"));
        assert!(told(y, &[]).contains("`y` is both the target and a further one, or a weight (--further-targets"));
        assert!(told(&[], y).contains("`y` is both the target and what names rows or groups (--id, --group)"));
    }
}
