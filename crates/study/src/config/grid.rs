//! Grids: tables in which lists stand for alternatives. Lists are multiplied, except for those below `zip`, which go
//! side by side.

use std::collections::BTreeMap;

use noregret_core::params::number::number;
use serde_json::{Value as Json, json};
use toml::{Table, Value};

use noregret_model::assignment::insert;

/// The field whose lists go side by side.
pub(crate) const ZIP: &str = "zip";

/// The rows of `zip` in a table: the first row is the table with the first element of each list below `zip`, the second
/// row has the second elements, and so on. A table without `zip` is its only row. A label beside `zip.label` is a
/// template in which `{label}` stands for the zipped one.
///
/// # Errors
/// The dotted field, and what is wrong with it.
pub(crate) fn rows(table: &Table) -> Result<Vec<Table>, (String, String)> {
    let mut rest = table.clone();
    let mut columns = Vec::new();
    let Some(zip) = rest.remove(ZIP) else { return Ok(vec![rest]) };
    flatten(&[ZIP.to_owned()], &zip, &mut columns)?;
    let wrong = |path: &[String], why: String| Err((path.join("."), why));
    let Some((first, length)) = columns.first().map(|(path, list)| (path.join("."), list.len())) else {
        return wrong(&[ZIP.to_owned()], "is empty: give it lists of equal length, or leave it out".into());
    };
    let template = rest.get("label").and_then(Value::as_str).filter(|label| label.contains("{label}"));
    let template = template.map(str::to_owned);
    for (path, list) in &columns {
        if list.len() != length {
            let why = format!(
                "has length {}, but `{first}` has length {length}: lists below `zip` must be equally long; a list that is to be \
                 multiplied is written outside `zip`",
                list.len()
            );
            return wrong(path, why);
        }
        if length == 0 {
            return wrong(path, "is an empty list, so that nothing would run".into());
        }
        let outside = path[1..].iter().try_fold(Value::Table(rest.clone()), |at, name| at.get(name).cloned());
        match outside {
            Some(_) if path[1..] == ["label"] && template.is_some() => {}
            Some(_) if path[1..] == ["label"] => {
                return wrong(path, "the `label` outside `zip` must say where it goes, with `{label}`".into());
            }
            Some(_) => return wrong(path, format!("`{}` is given outside `zip` too", path[1..].join("."))),
            None => {}
        }
    }
    (0..length)
        .map(|i| {
            let mut row = rest.clone();
            for (path, list) in &columns {
                let value = match (&template, &list[i]) {
                    (Some(template), Value::String(label)) if path[1..] == ["label"] => {
                        &Value::String(template.replace("{label}", label))
                    }
                    (_, value) => value,
                };
                insert(&mut row, &path[1..], value)
                    .map_err(|name| (path.join("."), format!("`{name}` outside `zip` is not a table")))?;
            }
            Ok(row)
        })
        .collect()
}

/// Adds the lists at and below `value`, each with its dotted name.
fn flatten<'a>(
    path: &[String],
    value: &'a Value,
    columns: &mut Vec<(Vec<String>, &'a Vec<Value>)>,
) -> Result<(), (String, String)> {
    match value {
        Value::Array(list) if path.len() > 1 => columns.push((path.to_vec(), list)),
        Value::Table(table) => {
            for (name, value) in table {
                flatten(&[path, std::slice::from_ref(name)].concat(), value, columns)?;
            }
        }
        _ => {
            let why = "must be a list of values, one for each row; what all rows share is written without `zip`";
            return Err((path.join("."), why.into()));
        }
    }
    Ok(())
}

/// The most combinations of values that a table may stand for, and the most cells that an experiment may have.
pub(crate) const MOST_CELLS: u64 = 1_000_000;

/// How many tables [`expand`] makes of one.
fn count(table: &Table) -> u64 {
    let alternatives = |value: &Value| match value {
        Value::Table(table) if !is_covariance(table) => count(table),
        _ => 1,
    };
    let choices = |value: &Value| match value {
        Value::Array(list) => list.iter().map(alternatives).fold(0, u64::saturating_add),
        other => alternatives(other),
    };
    table.iter().map(|(_, value)| choices(value)).fold(1, u64::saturating_mul)
}

/// A table for each choice of its lists, unless these are too many; the error says how many.
pub(crate) fn expand_within(table: &Table) -> Result<Vec<Table>, String> {
    match count(table) {
        count if count > MOST_CELLS => {
            Err(format!("its lists have {count} combinations of values; leave some out, for at most {MOST_CELLS}"))
        }
        _ => Ok(expand(table)),
    }
}

/// All tables that result from choosing one element of every list in `table`, at any depth. The list whose name comes
/// first in the alphabet varies slowest. A table without lists expands to itself; an empty list expands to nothing. The
/// lists of a covariance, `{ diagonal = [..] }` and `{ matrix = [[..], ..] }`, are one value.
fn expand(table: &Table) -> Vec<Table> {
    let mut tables = vec![Table::new()];
    for (name, value) in table {
        let choices: Vec<Value> = match value {
            Value::Array(list) => list.iter().flat_map(alternatives).collect(),
            other => alternatives(other),
        };
        tables = tables
            .into_iter()
            .flat_map(|table| {
                choices.iter().map(move |choice| {
                    let mut table = table.clone();
                    table.insert(name.clone(), choice.clone());
                    table
                })
            })
            .collect();
    }
    tables
}

fn alternatives(value: &Value) -> Vec<Value> {
    match value {
        Value::Table(table) if is_covariance(table) => vec![value.clone()],
        Value::Table(table) => expand(table).into_iter().map(Value::Table).collect(),
        other => vec![other.clone()],
    }
}

/// Whether a table is a covariance, whose lists are no alternatives.
pub(super) fn is_covariance(table: &Table) -> bool {
    table.len() == 1 && (table.contains_key("diagonal") || table.contains_key("matrix"))
}

/// The field that makes a number depend on the horizon: `{ horizon_power = 0.5, factor = 2 }` is 2 n^0.5.
pub(crate) const HORIZON_POWER: &str = "horizon_power";

/// Whether any number of `table` depends on the horizon.
pub(crate) fn depends_on_horizon(table: &Table) -> bool {
    table.values().any(|value| match value {
        Value::Table(inner) => inner.contains_key(HORIZON_POWER) || depends_on_horizon(inner),
        _ => false,
    })
}

/// factor n^power (ln n)^log_power, rounded up if `whole`; ln n counts as 1 where it is smaller.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Formula {
    power: f64,
    factor: f64,
    log_power: f64,
    whole: bool,
}

impl Formula {
    fn at(self, horizon: u64) -> Value {
        let mut value = self.factor * (horizon as f64).powf(self.power);
        // Without a logarithm no bit depends on it.
        if self.log_power != 0.0 {
            value *= (horizon as f64).ln().max(1.0).powf(self.log_power);
        }
        Value::Float(if self.whole { value.ceil() } else { value })
    }
}

/// The formula `{ horizon_power = a, factor = c, log_power = b, whole = true }` (c = 1, b = 0, not whole where absent);
/// `None` for a table without the first field.
///
/// # Errors
/// What is wrong with a formula.
fn formula(table: &Table) -> Option<Result<Formula, String>> {
    let power = table.get(HORIZON_POWER)?;
    let wrong =
        || "must be { horizon_power = a, factor = c, log_power = b } with numbers, and perhaps whole = true".to_owned();
    let read = |value: &Value| number(value).ok_or_else(wrong)?.map_err(|error| error.to_string());
    if table.keys().any(|field| ![HORIZON_POWER, "factor", "log_power", "whole"].contains(&field.as_str())) {
        return Some(Err(wrong()));
    }
    let given = |field: &str, absent: f64| table.get(field).map_or(Ok(absent), read);
    let whole = table.get("whole").map_or(Ok(false), |value| value.as_bool().ok_or_else(wrong));
    Some(read(power).and_then(|power| {
        Ok(Formula { power, factor: given("factor", 1.0)?, log_power: given("log_power", 0.0)?, whole: whole? })
    }))
}

/// Replaces every `{ horizon_power = a, factor = c, log_power = b }` by c n^a (ln n)^b.
///
/// # Errors
/// The dotted name of a formula, and what is wrong with it.
pub(crate) fn at_horizon(table: &Table, horizon: u64) -> Result<Table, (String, String)> {
    let mut resolved = Table::new();
    for (name, value) in table {
        let value = match value {
            Value::Table(inner) => match formula(inner) {
                Some(Ok(formula)) => formula.at(horizon),
                Some(Err(why)) => return Err((name.clone(), why)),
                None => {
                    let below = |(field, why)| (format!("{name}.{field}"), why);
                    Value::Table(at_horizon(inner, horizon).map_err(below)?)
                }
            },
            other => other.clone(),
        };
        resolved.insert(name.clone(), value);
    }
    Ok(resolved)
}

/// The formulas in the horizon as JSON, sorted by name: [dotted name, power, factor], and log_power and whole where they
/// are given.
pub(crate) fn formulas(table: &Table) -> Vec<Json> {
    fn collect(prefix: &str, table: &Table, found: &mut BTreeMap<String, Formula>) {
        for (name, value) in table {
            let Value::Table(inner) = value else { continue };
            match formula(inner) {
                Some(Ok(formula)) => drop(found.insert(format!("{prefix}{name}"), formula)),
                _ => collect(&format!("{prefix}{name}."), inner, found),
            }
        }
    }
    let mut found = BTreeMap::new();
    collect("", table, &mut found);
    let written = |(name, Formula { power, factor, log_power, whole }): (String, Formula)| match (log_power, whole) {
        (0.0, false) => json!([name, power, factor]),
        _ => json!([name, power, factor, log_power, whole]),
    };
    found.into_iter().map(written).collect()
}

/// Puts the fields of `over` into `base`; tables are merged field by field, everything else is replaced.
pub(crate) fn merge(base: &mut Table, over: &Table) {
    for (name, value) in over {
        match (base.get_mut(name), value) {
            (Some(Value::Table(inner)), Value::Table(over)) => merge(inner, over),
            _ => {
                base.insert(name.clone(), value.clone());
            }
        }
    }
}

/// Gives `own` the fields of `defaults` that it does not set itself, zipped or not. Tables are completed field by field,
/// unless `own` names another member, is a stream of another kind, or is a covariance.
pub(crate) fn complete(own: &mut Table, defaults: &Table) {
    let zipped = own.get(ZIP).and_then(Value::as_table).cloned().unwrap_or_default();
    for (name, default) in defaults {
        match (own.get_mut(name), default) {
            (None, _) if zipped.get(name).is_some_and(Value::is_array) => {}
            (None, _) => drop(own.insert(name.clone(), default.clone())),
            (Some(Value::Table(own)), Value::Table(default)) => {
                let other = |key| own.get(key).is_some_and(|name| default.get(key) != Some(name));
                let other = other("name") || other("law") || own.contains_key("dataset") && default.contains_key("law");
                if !other && !is_covariance(own) {
                    complete(own, default);
                }
            }
            _ => {}
        }
    }
}

/// A value as labels show it: 1 and 1.0 are the same value and read the same.
pub(crate) fn short(value: &Value) -> String {
    match value {
        Value::Float(number) if *number == 0.0 || (1e-4..1e6).contains(&number.abs()) => number.to_string(),
        Value::Float(number) => format!("{number:e}"),
        other => other.to_string(),
    }
}

/// Fills `{name}` and `{name.inner}` in a label with values of `table`; the error is the name that has no value.
pub(crate) fn fill_label(template: &str, table: &Table) -> Result<String, String> {
    let mut label = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}').ok_or_else(|| after.to_owned())?;
        let value = name
            .split('.')
            .try_fold(None::<&Value>, |found, field| match found {
                None => table.get(field).map(Some),
                Some(Value::Table(inner)) => inner.get(field).map(Some),
                Some(_) => None,
            })
            .flatten()
            .ok_or_else(|| name.to_owned())?;
        label.push_str(before);
        match value {
            Value::String(text) => label.push_str(text),
            other => label.push_str(&short(other)),
        }
        rest = after;
    }
    label.push_str(rest);
    Ok(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> Table {
        text.parse().unwrap()
    }

    #[test]
    fn a_grid_is_the_product_of_its_lists() {
        let tables = expand(&table("order = [2, 3]\nlambda = [1.0, 0.1, 0.01]\nname = 'x'"));
        assert_eq!(tables.len(), 6);
        assert_eq!(tables[0], table("order = 2\nlambda = 1.0\nname = 'x'"));
        assert!(expand(&table("a = []")).is_empty());
    }

    #[test]
    fn a_grid_is_counted_before_it_is_made() {
        let list = format!("{:?}", (0..1000).collect::<Vec<_>>());
        let nested = format!("a = {list}\nb = {{ c = {list}, d = [1, 2] }}");
        for (text, expected) in
            [("a = []", 0), ("order = [2, 3]\nb = { c = [1, { d = [1, 2] }] }", 6), (&nested, 2_000_000)]
        {
            assert_eq!(count(&table(text)), expected);
            if expected < 10 {
                assert_eq!(expand(&table(text)).len() as u64, expected);
            }
        }
        assert!(expand_within(&table(&nested)).is_err_and(|why| why.contains("2000000 combinations")));
        let huge = ["a", "b", "c", "d", "e", "f", "g"].map(|name| format!("{name} = {list}")).join("\n");
        assert_eq!(count(&table(&huge)), u64::MAX);
    }

    #[test]
    fn lists_inside_tables_are_alternatives_too() {
        let tables = expand(&table("kernel = { name = 'gaussian', bandwidth = [0.5, 1.0] }"));
        assert_eq!(tables[1], table("kernel = { name = 'gaussian', bandwidth = 1.0 }"));
    }

    #[test]
    fn the_lists_of_a_covariance_are_one_value() {
        let tables = expand(&table("covariance = [0.3, { diagonal = [0.1, 0.2] }, { matrix = [[1, 0], [0, 1]] }]"));
        assert_eq!(tables[0], table("covariance = 0.3"));
        assert_eq!(tables[1], table("covariance = { diagonal = [0.1, 0.2] }"));
        assert_eq!(tables[2], table("covariance = { matrix = [[1, 0], [0, 1]] }"));
        assert_eq!(tables.len(), 3);
    }

    #[test]
    fn powers_of_the_horizon() {
        let formula = table("lambda = { horizon_power = '1/2', factor = 2 }");
        assert!(depends_on_horizon(&formula));
        assert_eq!(at_horizon(&formula, 100).unwrap(), table("lambda = 20.0"));
        assert_eq!(formulas(&formula), [json!(["lambda", 0.5, 2.0])]);
        let formula = table("a = { b = { horizon_power = '1/2', log_power = 2, whole = true } }");
        // 10 (ln 100)^2 = 212.08; below e the logarithm counts as 1.
        assert_eq!(at_horizon(&formula, 100).unwrap(), table("a = { b = 213.0 }"));
        assert_eq!(at_horizon(&formula, 1).unwrap(), table("a = { b = 1.0 }"));
        assert_eq!(formulas(&formula), [json!(["a.b", 0.5, 1.0, 2.0, true])]);
        for (wrong, why) in [
            ("horizon_power = 'x'", "with numbers"),
            ("horizon_power = 1, faktor = 2", "with numbers"),
            ("horizon_power = 1, whole = 2", "with numbers"),
            ("horizon_power = '1/0'", "denominator"),
        ] {
            let refused = at_horizon(&table(&format!("k = {{ lambda = {{ {wrong} }} }}")), 1).unwrap_err();
            assert!(refused.0 == "k.lambda" && refused.1.contains(why), "{refused:?}");
        }
    }

    #[test]
    fn zipped_lists_go_side_by_side() {
        let zipped = table(
            "label = '{label}, {scale}'\nscale = [1, 2]\neta = { horizon_power = -1 }\n\
             zip.label = ['A', 'B']\nzip.window = ['fair', 'tukey']\nzip.eta.factor = [2, [3, 4]]",
        );
        let rows = rows(&zipped).unwrap();
        assert_eq!(
            rows[0],
            table("label = 'A, {scale}'\nscale = [1, 2]\nwindow = 'fair'\neta = { horizon_power = -1, factor = 2 }")
        );
        assert_eq!(rows[1]["eta"], table("e = { horizon_power = -1, factor = [3, 4] }")["e"]);
        assert_eq!(rows.iter().map(|row| expand(row).len()).collect::<Vec<_>>(), [2, 4]);
        assert_eq!(super::rows(&table("a = [1, 2]")), Ok(vec![table("a = [1, 2]")]));
    }

    #[test]
    fn what_cannot_be_zipped_is_refused() {
        for (text, field, why) in [
            ("zip.a = [1, 2]\nzip.b.c = [1]", "zip.b.c", "has length 1, but `zip.a` has length 2"),
            ("zip.a = 1", "zip.a", "must be a list"),
            ("zip = [1, 2]", "zip", "must be a list"),
            ("zip = {}", "zip", "is empty"),
            ("zip.a = []", "zip.a", "empty list"),
            ("a = 1\nzip.a = [1, 2]", "zip.a", "`a` is given outside"),
            ("a = 1\nzip.a.b = [1, 2]", "zip.a.b", "`a` outside `zip` is not a table"),
            ("label = 'x'\nzip.label = ['a', 'b']", "zip.label", "`{label}`"),
        ] {
            let refused = rows(&table(text)).unwrap_err();
            assert!(refused.0 == field && refused.1.contains(why), "{text}: {refused:?}");
        }
    }

    #[test]
    fn defaults_complete_tables_of_the_same_member() {
        let defaults = table("a = 1\neta = { horizon_power = -1, factor = 2 }\nkernel = { name = 'x', width = 1 }");
        let completed = |text: &str| {
            let mut own = table(text);
            complete(&mut own, &defaults);
            own
        };
        assert_eq!(completed(""), defaults);
        let own = completed("a = 2\neta.factor = 3\nkernel.width = 4");
        assert_eq!(own["a"], Value::Integer(2));
        assert_eq!(own["eta"], table("e = { horizon_power = -1, factor = 3 }")["e"]);
        assert_eq!(own["kernel"], table("k = { name = 'x', width = 4 }")["k"]);
        let other = completed("eta = 0.1\nkernel = { name = 'y' }");
        assert_eq!((&other["eta"], &other["kernel"]), (&Value::Float(0.1), &table("k = { name = 'y' }")["k"]));
    }

    #[test]
    fn labels_take_values_by_dotted_name() {
        let values = table("order = 2\nkernel = { bandwidth = 0.5 }");
        assert_eq!(fill_label("M = {order}, b = {kernel.bandwidth}", &values).unwrap(), "M = 2, b = 0.5");
        assert_eq!(fill_label("{nothing}", &values), Err("nothing".into()));
        assert!(fill_label("{open", &values).is_err());
    }

    #[test]
    fn merging_goes_into_tables() {
        let mut base = table("replicates = 5\nstream = { dataset = 'casp', scale = 'unit' }");
        merge(&mut base, &table("replicates = 2\nstream = { scale = 'none' }"));
        assert_eq!(base, table("replicates = 2\nstream = { dataset = 'casp', scale = 'none' }"));
    }
}
