//! Grids: a table in which lists stand for alternatives expands to the product of its alternatives.

use toml::{Table, Value};

/// All tables that result from choosing one element of every list in `table`, at any depth. The first list varies
/// slowest. A table without lists expands to itself; an empty list expands to nothing. The lists of a covariance,
/// `{ diagonal = [..] }` and `{ matrix = [[..], ..] }`, are one value.
pub fn expand(table: &Table) -> Vec<Table> {
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

fn is_covariance(table: &Table) -> bool {
    table.len() == 1 && (table.contains_key("diagonal") || table.contains_key("matrix"))
}

/// The field that makes a number depend on the horizon: `{ horizon-power = 0.5, factor = 2 }` is 2 n^0.5.
pub const HORIZON_POWER: &str = "horizon-power";

/// Whether any number of `table` depends on the horizon.
pub fn depends_on_horizon(table: &Table) -> bool {
    table.values().any(|value| match value {
        Value::Table(inner) => inner.contains_key(HORIZON_POWER) || depends_on_horizon(inner),
        _ => false,
    })
}

/// Replaces every `{ horizon-power = a, factor = c }` (c = 1 where absent) by c n^a.
///
/// # Errors
/// The dotted name of a formula with other fields, or with values that are not numbers.
pub fn at_horizon(table: &Table, horizon: u64) -> Result<Table, String> {
    let mut resolved = Table::new();
    for (name, value) in table {
        let value = match value {
            Value::Table(inner) if inner.contains_key(HORIZON_POWER) => {
                let number = |field: &str, default: Option<f64>| match inner.get(field) {
                    Some(Value::Float(number)) => Some(*number),
                    Some(Value::Integer(number)) => Some(*number as f64),
                    Some(_) => None,
                    None => default,
                };
                let known = inner.keys().all(|field| field == HORIZON_POWER || field == "factor");
                match (number(HORIZON_POWER, None), number("factor", Some(1.0))) {
                    (Some(power), Some(factor)) if known => Value::Float(factor * (horizon as f64).powf(power)),
                    _ => return Err(name.clone()),
                }
            }
            Value::Table(inner) => Value::Table(at_horizon(inner, horizon).map_err(|field| format!("{name}.{field}"))?),
            other => other.clone(),
        };
        resolved.insert(name.clone(), value);
    }
    Ok(resolved)
}

/// The formulas in the horizon as (dotted name, power, factor), sorted by name.
pub fn formulas(table: &Table) -> Vec<(String, f64, f64)> {
    let mut found = Vec::new();
    for (name, value) in table {
        let Value::Table(inner) = value else { continue };
        let number = |field: &str| inner.get(field).and_then(|v| v.as_float().or(v.as_integer().map(|i| i as f64)));
        match number(HORIZON_POWER) {
            Some(power) => found.push((name.clone(), power, number("factor").unwrap_or(1.0))),
            None => found.extend(formulas(inner).into_iter().map(|(inner, p, f)| (format!("{name}.{inner}"), p, f))),
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

/// Puts the fields of `over` into `base`; tables are merged field by field, everything else is replaced.
pub fn merge(base: &mut Table, over: &Table) {
    for (name, value) in over {
        match (base.get_mut(name), value) {
            (Some(Value::Table(inner)), Value::Table(over)) => merge(inner, over),
            _ => {
                base.insert(name.clone(), value.clone());
            }
        }
    }
}

/// A value as labels show it: 1 and 1.0 are the same value and read the same.
pub fn short(value: &Value) -> String {
    match value {
        Value::Float(number) if *number == 0.0 || (1e-4..1e6).contains(&number.abs()) => number.to_string(),
        Value::Float(number) => format!("{number:e}"),
        other => other.to_string(),
    }
}

/// Fills `{name}` and `{name.inner}` in a label with values of `table`; the error is the name that has no value.
pub fn fill_label(template: &str, table: &Table) -> Result<String, String> {
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
        let formula = table("lambda = { horizon-power = 0.5, factor = 2 }");
        assert!(depends_on_horizon(&formula));
        assert_eq!(at_horizon(&formula, 100).unwrap(), table("lambda = 20.0"));
        assert_eq!(formulas(&formula), [("lambda".to_owned(), 0.5, 2.0)]);
        assert_eq!(at_horizon(&table("k = { lambda = { horizon-power = 'x' } }"), 1), Err("k.lambda".into()));
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
