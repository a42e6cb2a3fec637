//! Labels of curves: what the author wrote, or the learner's name; and what differs, where that alone does not tell the
//! curves of a grid apart.

use std::collections::{BTreeMap, BTreeSet};

use toml::{Table, Value};

use super::grid::{fill_label, is_covariance, short};

/// A curve that has no label yet.
pub(super) struct UnlabelledCurve<'a> {
    /// The entry of the file that it comes from: `learners[2]`.
    pub origin: &'a str,
    /// The label that the author gave, with places for values.
    pub(crate) template: Option<&'a str>,
    /// The name of its learner.
    pub name: &'a str,
    /// Its parameters.
    pub(crate) point: &'a Table,
}

impl UnlabelledCurve<'_> {
    /// The label with the values of `differing`, by dotted name.
    fn label(&self, values: &BTreeMap<String, String>, differing: &BTreeSet<&str>) -> Result<String, String> {
        let own = match self.template {
            Some(template) => {
                return match (fill_label(template, self.point), differing.is_empty()) {
                    (Ok(label), false) => Ok(format!("{label} ({})", listed(values, |name| differing.contains(name)))),
                    (Ok(label), true) => Ok(label),
                    (Err(name), _) => Err(format!("`{{{name}}}` is not given here")),
                };
            }
            None => self.point.iter().filter(|(_, value)| !value.is_table()).map(|(name, _)| name.as_str()),
        };
        let own: BTreeSet<&str> = own.collect();
        let values = listed(values, |name| own.contains(name) || differing.contains(name));
        Ok(if values.is_empty() { self.name.to_owned() } else { format!("{} ({values})", self.name) })
    }
}

/// `eta = 0.1, kernel.bandwidth = 2`
fn listed(values: &BTreeMap<String, String>, shown: impl Fn(&str) -> bool) -> String {
    let shown = values.iter().filter(|(name, _)| shown(name));
    shown.map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
}

/// The names whose values differ between tables.
fn differing<'a>(tables: &[&'a BTreeMap<String, String>]) -> BTreeSet<&'a str> {
    let names = tables.iter().flat_map(|table| table.keys());
    let differs = |name: &&String| tables.iter().any(|table| table.get(*name) != tables[0].get(*name));
    names.filter(differs).map(String::as_str).collect()
}

/// The names of streams, given those that they have and their tables. Streams that would have the same name get what differs
/// between them.
///
/// # Errors
/// The name of two streams between which nothing differs.
pub(super) fn told_apart(names: &[&str], tables: &[Table]) -> Result<Vec<String>, String> {
    let values: Vec<BTreeMap<String, String>> = tables.iter().map(values).collect();
    let told = names.iter().zip(&values).map(|(name, own)| {
        let same = names.iter().zip(&values).filter(|(other, _)| *other == name);
        let group: Vec<&BTreeMap<String, String>> = same.map(|(_, values)| values).collect();
        let differing = differing(&group);
        match group.len() {
            1 => (*name).to_owned(),
            _ => match listed(own, |name| name != "label" && differing.contains(name)) {
                told if told.is_empty() => (*name).to_owned(),
                told => format!("{name} ({told})"),
            },
        }
    });
    let told: Vec<String> = told.collect();
    match told.iter().enumerate().find(|(at, name)| told[..*at].contains(name)) {
        None => Ok(told),
        Some((at, _)) => Err(names[at].to_owned()),
    }
}

/// The values of a table by dotted name, as labels show them.
fn values(table: &Table) -> BTreeMap<String, String> {
    fn collect(prefix: &str, table: &Table, found: &mut BTreeMap<String, String>) {
        for (name, value) in table {
            match value {
                Value::Table(inner) if !is_covariance(inner) => collect(&format!("{prefix}{name}."), inner, found),
                other => drop(found.insert(format!("{prefix}{name}"), short(other))),
            }
        }
    }
    let mut found = BTreeMap::new();
    collect("", table, &mut found);
    found
}

/// The label of each curve. Curves that would have the same label get what differs between them, where they come from
/// one entry of the file or no label was written. Curves that are equal keep equal labels if `equal` allows it.
///
/// # Errors
/// The curve whose label is wrong, and why.
pub(super) fn labels(curves: &[UnlabelledCurve<'_>], equal: bool) -> Result<Vec<String>, (usize, String)> {
    let values: Vec<BTreeMap<String, String>> = curves.iter().map(|curve| values(curve.point)).collect();
    let plain = |index: usize, differing: &BTreeSet<&str>| {
        curves[index].label(&values[index], differing).map_err(|why| (index, why))
    };
    let mut labels: Vec<String> =
        (0..curves.len()).map(|index| plain(index, &BTreeSet::new())).collect::<Result<_, _>>()?;
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, label) in labels.iter().enumerate() {
        groups.entry(label.clone()).or_default().push(index);
    }
    for group in groups.into_values().filter(|group| group.len() > 1) {
        let one = &curves[group[0]];
        let together = group.iter().all(|index| curves[*index].origin == one.origin);
        if together || group.iter().all(|index| curves[*index].template.is_none()) {
            let differing = differing(&group.iter().map(|index| &values[*index]).collect::<Vec<_>>());
            for index in &group {
                labels[*index] = plain(*index, &differing)?;
            }
        }
    }
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, label) in labels.iter().enumerate() {
        if label.trim().is_empty() {
            return Err((index, "is empty; write what the curve is called, or leave the key out".to_owned()));
        }
        if label.chars().any(char::is_control) {
            return Err((index, format!("{label:?} has control characters or line ends, which no figure shows")));
        }
        if let Some(other) = seen.insert(label, index)
            && !(equal && values[other] == values[index] && curves[other].name == curves[index].name)
        {
            return Err((index, format!("two curves are called `{label}`; give labels with {{parameter}} in them")));
        }
    }
    Ok(labels)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labelled(curves: &[(&str, Option<&str>, &str)], equal: bool) -> Result<Vec<String>, (usize, String)> {
        let points: Vec<Table> = curves.iter().map(|(_, _, point)| point.parse().unwrap()).collect();
        let given = curves.iter().zip(&points);
        let curves =
            given.map(|(&(origin, template, _), point)| UnlabelledCurve { origin, template, name: "ridge", point });
        labels(&curves.collect::<Vec<_>>(), equal)
    }

    #[test]
    fn what_differs_in_a_grid_is_in_its_labels() {
        let kernel = |bandwidth: &str| format!("lambda = 1\nkernel = {{ bandwidth = {bandwidth} }}");
        let (a, b) = (kernel("0.5"), kernel("2"));
        // One curve says nothing of its kernel, as ever.
        assert_eq!(labelled(&[("l", None, &a)], false).unwrap(), ["ridge (lambda = 1)"]);
        let both = ["ridge (kernel.bandwidth = 0.5, lambda = 1)", "ridge (kernel.bandwidth = 2, lambda = 1)"];
        assert_eq!(labelled(&[("l", None, &a), ("l", None, &b)], false).unwrap(), both);
        let named = ["KRR (kernel.bandwidth = 0.5)", "KRR (kernel.bandwidth = 2)"];
        assert_eq!(labelled(&[("l", Some("KRR"), &a), ("l", Some("KRR"), &b)], false).unwrap(), named);
        // What the author wrote stays if it tells them apart.
        let template = Some("b = {kernel.bandwidth}");
        assert_eq!(labelled(&[("l", template, &a), ("l", template, &b)], false).unwrap(), ["b = 0.5", "b = 2"]);
    }

    #[test]
    fn streams_of_one_name_are_told_apart() {
        let table = |text: &str| text.parse::<Table>().unwrap();
        let grid = [table("law = 'circle'\ndecay = 2"), table("law = 'circle'\ndecay = 3"), table("law = 'spline'")];
        let told = told_apart(&["circle", "circle", "spline"], &grid).unwrap();
        assert_eq!(told, ["circle (decay = 2)", "circle (decay = 3)", "spline"]);
        let one = [table("law = 'circle'"), table("law = 'circle'\nkernel = { bandwidth = 2 }")];
        assert_eq!(told_apart(&["circle", "circle"], &one).unwrap(), ["circle", "circle (kernel.bandwidth = 2)"]);
        let labelled = told_apart(&["L", "L"], &grid[..2]).unwrap();
        assert_eq!(labelled, ["L (decay = 2)", "L (decay = 3)"]);
        assert_eq!(told_apart(&["circle", "circle"], &[grid[0].clone(), grid[0].clone()]), Err("circle".into()));
    }

    #[test]
    fn an_empty_label_is_refused() {
        let refused = labelled(&[("l", Some(" "), "a = 1")], false).unwrap_err();
        assert!(refused.0 == 0 && refused.1.contains("is empty"), "{refused:?}");
    }

    #[test]
    fn the_same_label_twice_is_refused() {
        let refused =
            |curves: &[_], equal| labelled(curves, equal).is_err_and(|(at, why)| at == 1 && why.contains("two curves"));
        assert!(refused(&[("l", Some("KRR"), "a = 1"), ("m", Some("KRR"), "a = 2")], true));
        assert!(refused(&[("l", None, "a = 1"), ("l", None, "a = 1")], false));
        assert!(!refused(&[("l", None, "a = 1"), ("l", None, "a = 1")], true));
    }
}
