//! The bandwidth that is called `scale`: the width that suits inputs of variance 1.

use noregret_core::feature::FAMILIES;
use noregret_core::kernel::KERNELS;
use noregret_core::learner::LEARNERS;
use noregret_core::loss::LOSSES;
use noregret_core::params::{Fallback, Kind, PartKind, Spec};
use noregret_core::window::WINDOWS;
use toml::{Table, Value};

const NAME: &str = "bandwidth";

/// The number that `scale` stands for: sqrt(d), at which the mean of |x - z|^2 / (2 b^2) is 1 for two independent inputs of d columns,
/// each of variance 1. It depends on the number of inputs alone, and so on no row.
pub fn scale(dim: usize) -> f64 {
    (dim.max(1) as f64).sqrt()
}

/// What bandwidths that are not given become.
#[derive(Clone, Copy)]
pub enum Absent {
    /// They stay away, and so at the default of the core.
    Stay,
    /// They are written out as that default.
    Default,
    /// This number.
    Become(f64),
}

/// Writes `word` where a bandwidth in `table` is the word `scale`, in parts and their parts too, and what `absent` says where a
/// parameter of that name is not given.
pub fn resolve(specs: &[Spec], table: &mut Table, word: f64, absent: Absent) {
    for spec in specs {
        match (&spec.kind, table.get_mut(spec.name)) {
            (Kind::Real { .. }, None) if spec.name == NAME => {
                let number = match (absent, &spec.default) {
                    (Absent::Become(number), _) => number,
                    (Absent::Default, Fallback::Real(number)) => *number,
                    _ => continue,
                };
                table.insert(NAME.into(), Value::Float(number));
            }
            (Kind::Part(kind), None) => {
                let Fallback::Part(name) = spec.default else { continue };
                let mut part = Table::new();
                resolve(specs_of(*kind, name), &mut part, word, absent);
                if !part.is_empty() {
                    part.insert("name".into(), Value::String(name.to_owned()));
                    table.insert(spec.name.into(), Value::Table(part));
                }
            }
            (Kind::Part(kind), Some(part)) => {
                let default = if let Fallback::Part(name) = spec.default { Some(name) } else { None };
                resolve_part(*kind, default, part, word, absent);
            }
            (Kind::Parts { of, .. }, Some(Value::Array(parts))) => {
                parts.iter_mut().for_each(|part| resolve_part(*of, None, part, word, absent));
            }
            (_, Some(value)) => replace(spec.name, value, word),
            (_, None) => {}
        }
    }
}

/// Writes the number for the word `scale` in a kernel with its `name`, over `dim` inputs.
pub fn resolve_kernel(kernel: &mut Table, dim: usize) {
    let name = kernel.get("name").and_then(Value::as_str).unwrap_or_default();
    resolve(specs_of(PartKind::Kernel, name), kernel, scale(dim), Absent::Stay);
}

/// A part is a name, or a table with one.
fn resolve_part(kind: PartKind, default: Option<&str>, part: &mut Value, word: f64, absent: Absent) {
    let name = match &*part {
        Value::String(name) => Some(name.clone()),
        Value::Table(table) => table.get("name").and_then(Value::as_str).or(default).map(str::to_owned),
        _ => None,
    };
    let Some(name) = name else { return };
    let mut table = part.as_table().cloned().unwrap_or_default();
    resolve(specs_of(kind, &name), &mut table, word, absent);
    if part.is_table() || !table.is_empty() {
        table.entry("name").or_insert(Value::String(name));
        *part = Value::Table(table);
    }
}

/// The parameters of a member of a registry; none of one that does not exist, which is refused later, with its name.
fn specs_of(kind: PartKind, name: &str) -> &'static [Spec] {
    match kind {
        PartKind::Kernel => KERNELS.find(name).map_or(&[], |entry| entry.params),
        PartKind::Feature => FAMILIES.find(name).map_or(&[], |entry| entry.params),
        PartKind::Learner => LEARNERS.find(name).map_or(&[], |entry| entry.params),
        PartKind::Loss => LOSSES.find(name).map_or(&[], |entry| entry.params),
        PartKind::Window => WINDOWS.find(name).map_or(&[], |entry| entry.params),
    }
}

/// Writes the number for the word in any value: lists of a grid hold bandwidths, and kernels.
fn replace(name: &str, value: &mut Value, word: f64) {
    match value {
        Value::String(text) if name == NAME && text == "scale" => *value = Value::Float(word),
        Value::Array(items) => items.iter_mut().for_each(|item| replace(name, item, word)),
        Value::Table(table) => table.iter_mut().for_each(|(name, value)| replace(name, value, word)),
        _ => {}
    }
}
