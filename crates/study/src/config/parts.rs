//! What members of registries declare, at any depth: `kernel.bandwidth` of a learner with a Gaussian kernel.

use noregret_core::feature::FAMILIES;
use noregret_core::kernel::KERNELS;
use noregret_core::learner::LEARNERS;
use noregret_core::loss::LOSSES;
use noregret_core::params::check::nearest;
use noregret_core::params::registry::Registry;
use noregret_core::params::{Fallback, Kind, ParamError, PartKind, Spec, show};
use noregret_core::window::WINDOWS;
use toml::{Table, Value};

/// A member of a registry: its name and parameters.
pub(super) type MemberSpecs = (&'static str, &'static [Spec]);

pub(super) fn of<B>(registry: &'static Registry<B>) -> Vec<MemberSpecs> {
    registry.iter().map(|entry| (entry.name, entry.params)).collect()
}

/// The members that a part may be.
pub(super) fn parts(kind: PartKind) -> Vec<MemberSpecs> {
    match kind {
        PartKind::Kernel => of(&KERNELS),
        PartKind::Feature => of(&FAMILIES),
        PartKind::Learner => of(&LEARNERS),
        PartKind::Loss => of(&LOSSES),
        PartKind::Window => of(&WINDOWS),
    }
}

/// The parameters of the part `name`.
fn specs(kind: PartKind, name: &str) -> Option<&'static [Spec]> {
    parts(kind).into_iter().find_map(|(member, specs)| (member == name).then_some(specs))
}

/// The names of the members that a part may be: those that its value gives, or else the default.
fn members<'a>(default: &Fallback, given: Option<&'a Value>) -> Vec<&'a str> {
    let named = |value: &'a Value| match value {
        Value::String(name) => vec![name.as_str()],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let given = match given {
        Some(Value::Table(table)) => table.get("name").map(named),
        Some(value) => Some(named(value)),
        None => None,
    };
    given.unwrap_or_else(|| match default {
        Fallback::Part(name) => vec![*name],
        Fallback::Added(Fallback::Part(name)) => vec![*name],
        _ => Vec::new(),
    })
}

/// Whether a member with these parameters, of which `table` gives some, takes a value at the dotted name `path`.
pub(crate) fn takes(specs: &[Spec], table: &Table, path: &[&str]) -> bool {
    let [first, rest @ ..] = path else { return false };
    let Some(spec) = specs.iter().find(|spec| spec.name == *first) else { return false };
    let given = table.get(*first);
    match (rest, spec.kind) {
        ([], _) => true,
        (["name"], Kind::Part(_)) => true,
        (rest, Kind::Part(kind)) => {
            let inner = given.and_then(Value::as_table).cloned().unwrap_or_default();
            let members = members(&spec.default, given);
            !members.is_empty()
                && members.iter().all(|name| self::specs(kind, name).is_some_and(|specs| takes(specs, &inner, rest)))
        }
        // A field of a formula in the horizon, of a covariance or of a grid.
        (_, _) => given.is_some_and(Value::is_table),
    }
}

/// The dotted names, below the parts of a member, of a parameter that is called `name` or nearly so.
pub(crate) fn below(specs: &[Spec], table: &Table, name: &str) -> Option<String> {
    specs.iter().find_map(|spec| {
        let Kind::Part(kind) = spec.kind else { return None };
        let given = table.get(spec.name);
        let inner = given.and_then(Value::as_table).cloned().unwrap_or_default();
        members(&spec.default, given).into_iter().find_map(|member| {
            let specs = self::specs(kind, member)?;
            let own = nearest(name, specs.iter().map(|spec| spec.name));
            let found = own.or_else(|| below(specs, &inner, name))?;
            Some(format!("{}.{found}", spec.name))
        })
    })
}

/// The value at a dotted name; members of lists are counted from 1.
fn at<'a>(table: &'a Table, path: &str) -> Option<&'a Value> {
    let (first, rest) = path.split_once('.').unwrap_or((path, ""));
    let inside = |value: &'a Value, name: &str| match value {
        Value::Array(list) => list.get(name.parse::<usize>().ok()?.checked_sub(1)?),
        value => value.as_table()?.get(name),
    };
    rest.split('.').filter(|name| !name.is_empty()).try_fold(table.get(first)?, inside)
}

/// The same error, which suggests a parameter of a part (`kernel.bandwidth`) where no parameter of the member itself is
/// like the unknown one, and shows a value as it was written.
pub(crate) fn suggest(error: ParamError, specs: &[Spec], table: &Table) -> ParamError {
    match error {
        ParamError::Unknown { path, nearest: None, known } if !path.contains('.') => {
            let nearest = below(specs, table, &path);
            ParamError::Unknown { path, nearest, known }
        }
        error => as_written(error, table),
    }
}

/// The same error, which shows a value as it was written.
pub fn as_written(error: ParamError, table: &Table) -> ParamError {
    match error {
        ParamError::NotAllowed { path, value, allowed } => {
            let written = at(table, &path).filter(|written| show(*written) == value).map(ToString::to_string);
            ParamError::NotAllowed { path, value: written.unwrap_or(value), allowed }
        }
        error => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use noregret_core::params::check::check;
    use noregret_core::parts::AllParts;

    fn table(text: &str) -> Table {
        text.parse().unwrap()
    }

    #[test]
    fn parts_are_looked_into() {
        let specs = LEARNERS.get("kernel-awv").unwrap().params;
        let has = |text: &str, path: &[&str]| takes(specs, &table(text), path);
        assert!(has("", &["kernel", "bandwidth"]) && has("", &["lambda"]) && has("", &["kernel", "name"]));
        assert!(!has("kernel = 'linear'", &["kernel", "bandwidth"]) && !has("", &["bandwidth"]));
        assert!(!has("kernel = { name = ['gaussian', 'linear'] }", &["kernel", "bandwidth"]));
        assert!(!has("lambda = 1", &["lambda", "factor"]));
        assert!(has("lambda = { horizon_power = 1 }", &["lambda", "factor"]));
    }

    /// Also in parts and in their lists; and what a formula gives is shown as a number.
    #[test]
    fn values_are_shown_as_they_were_written() {
        let told = |name: &str, text: &str| {
            let (specs, table) = (LEARNERS.get(name).unwrap().params, table(text));
            suggest(check(specs, &table, "", &AllParts).unwrap_err(), specs, &table).to_string()
        };
        assert!(told("fogd", "eta = nan").contains("`eta` = nan is"));
        assert!(told("kernel-awv", "kernel = { bandwidth = -inf }").contains("`kernel.bandwidth` = -inf is"));
        assert!(told("kernel-awv", "lambda = { a = 1 }").contains("`lambda` = { a = 1 } is"));
        let list = "experts = ['fogd', { name = 'fogd', eta = inf }]";
        assert!(told("aggregate", list).contains("`experts.2.eta` = inf is"), "{}", told("aggregate", list));
    }

    #[test]
    fn a_parameter_of_a_part_is_suggested() {
        let specs = LEARNERS.get("kernel-awv").unwrap().params;
        assert_eq!(below(specs, &Table::new(), "bandwidth").as_deref(), Some("kernel.bandwidth"));
        assert_eq!(below(specs, &table("kernel = 'linear'"), "bandwidth"), None);
    }
}
