//! What the laws are tested on: registered members with default parameters and with variants.

use serde_json::Value;

use crate::feature::FAMILIES;
use crate::kernel::KERNELS;
use crate::laws::broken::Broken;
use crate::laws::data::{ROUNDS, draws};
use crate::learner::api::{AnyLearner, Learner, LearnerEntry, OracleLearner, Setting};
use crate::loss::LOSSES;
use crate::params::check::{GivenTable, check};
use crate::params::entry::{Build, Entry};
use crate::params::registry::Registry;
use crate::params::{Fallback, Kind, ParamError, Params, PartKind, Range, Spec};
use crate::parts::AllParts;
use crate::window::WINDOWS;

/// What [`LearnerCase::of`] tests.
pub(crate) const DEFAULTS_BUILD: &str = "default parameters build";

/// A learner with parameters.
pub struct LearnerCase {
    /// The learner.
    pub entry: &'static LearnerEntry,
    /// Its parameters, as configured.
    pub table: GivenTable,
    /// Number of input columns.
    pub dim: usize,
}

impl LearnerCase {
    /// The learner in one and three dimensions, with its default parameters and with each variant. Parameters that make
    /// no sense together are left out, provided that the learner refuses them by the name of a parameter.
    ///
    /// # Errors
    /// Default parameters with which the learner cannot be built, and refusals that name no parameter.
    pub fn of(entry: &'static LearnerEntry) -> Result<Vec<LearnerCase>, Broken> {
        let mut cases = Vec::new();
        for dim in [1, 3] {
            for (i, table) in variants(entry.params, dim).into_iter().enumerate() {
                let case = LearnerCase { entry, table, dim };
                match case.any() {
                    Ok(_) => cases.push(case),
                    Err(error) if i == 0 || error.path().is_none() => {
                        return Err(Broken::new(DEFAULTS_BUILD, format!("{case}: {error}")));
                    }
                    Err(_) => {}
                }
            }
        }
        Ok(cases)
    }

    /// The checked parameters.
    ///
    /// # Errors
    /// The declarations do not allow the table.
    pub fn params(&self) -> Result<Params, ParamError> {
        check(self.entry.params, &self.table, "", &AllParts)
    }

    /// Builds the learner.
    ///
    /// # Errors
    /// Parameters that make no sense together or in this number of dimensions.
    pub fn any(&self) -> Result<AnyLearner, ParamError> {
        let setting = Setting { dim: self.dim, horizon: Some(ROUNDS as u64), draws: draws() };
        (self.entry.build.learner)(&self.params()?, &setting)
    }

    /// Builds the learner, which plays the full-information protocol.
    ///
    /// # Errors
    /// As [`LearnerCase::any`]; a learner of the noisy protocol.
    pub fn full(&self) -> Result<Box<dyn Learner>, ParamError> {
        match self.any()? {
            AnyLearner::Full(learner) => Ok(learner),
            AnyLearner::Noisy(_) => Err(ParamError::refused("learner", "it plays the noisy protocol")),
        }
    }

    /// Builds the learner, which plays the noisy protocol.
    ///
    /// # Errors
    /// As [`LearnerCase::any`]; a learner of the full-information protocol.
    pub fn noisy(&self) -> Result<Box<dyn OracleLearner>, ParamError> {
        match self.any()? {
            AnyLearner::Noisy(learner) => Ok(learner),
            AnyLearner::Full(_) => Err(ParamError::refused("learner", "it plays the full-information protocol")),
        }
    }

    /// Whether the learner plays the noisy protocol only.
    pub fn is_noisy(&self) -> bool {
        self.noisy().is_ok()
    }
}

impl std::fmt::Display for LearnerCase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} in {} dimensions", self.entry.name, Value::Object(self.table.clone()), self.dim)
    }
}

/// Tables that satisfy `specs` in `dim` dimensions: the defaults, and each parameter at a few legal values. No column is one of
/// times, which must grow: the rows of the laws come in no order.
pub fn variants(specs: &[Spec], dim: usize) -> Vec<GivenTable> {
    let base = least(specs, dim);
    let mut tables = vec![base.clone()];
    for spec in specs.iter().filter(|spec| spec.name != "time") {
        for value in legal(&spec.kind, dim) {
            let mut table = base.clone();
            table.insert(spec.name.into(), value);
            tables.push(table);
        }
    }
    tables
}

/// The table that gives only the required parameters.
fn least(specs: &[Spec], dim: usize) -> GivenTable {
    let required = specs.iter().filter(|spec| matches!(spec.default, Fallback::Required));
    required.filter_map(|spec| Some((spec.name.to_owned(), legal(&spec.kind, dim).into_iter().next()?))).collect()
}

/// A few legal values of a parameter.
pub fn legal(kind: &Kind, dim: usize) -> Vec<Value> {
    let word = |word: &str| Value::String(word.to_owned());
    match kind {
        Kind::Real { range, words } => {
            inside(range).into_iter().map(Value::from).chain(words.iter().map(|text| word(text))).collect()
        }
        Kind::Integer { min, max } => {
            let mut values = vec![*min as i64, (*min + 3).min(*max) as i64];
            values.dedup();
            values.into_iter().map(Value::from).collect()
        }
        Kind::Choice(words) => words.iter().map(|text| word(text)).collect(),
        Kind::Flag => vec![Value::Bool(false), Value::Bool(true)],
        Kind::Covariance { words } => {
            let row = |i: usize| (0..dim).map(|j| Value::from(if i == j { 0.06 } else { 0.01 })).collect();
            let rows = (0..dim).map(|i| Value::Array(row(i))).collect();
            let variances = (1..=dim).map(|i| Value::from(0.02 * i as f64)).collect();
            let table =
                |field: &str, list| Value::Object(GivenTable::from_iter([(field.to_owned(), Value::Array(list))]));
            let values = [Value::from(0.05), table("diagonal", variances), table("matrix", rows)];
            values.into_iter().chain(words.iter().map(|text| word(text))).collect()
        }
        // Two rows of one column more than there are inputs.
        Kind::Rows { words } => {
            let row = |first: f64| (0..=dim).map(|j| Value::from(first + j as f64)).collect();
            let rows = Value::Array([0.5, -0.25].map(|first| Value::Array(row(first))).to_vec());
            let table = Value::Object(GivenTable::from_iter([("matrix".to_owned(), rows)]));
            std::iter::once(table).chain(words.iter().map(|text| word(text))).collect()
        }
        Kind::Part(PartKind::Kernel) => accepted(&KERNELS, dim, |kernel| kernel.accepts(dim).is_ok()),
        Kind::Part(PartKind::Feature) => accepted(&FAMILIES, dim, |family| family.accepts(dim).is_ok()),
        // Only members that have every parameter of the grid below.
        Kind::Part(PartKind::Learner) => ["kernel-awv", "pkawv-nystrom", "pkrr-taylor"].map(word).to_vec(),
        Kind::Grid { .. } => {
            let lists = [vec![0.1, 1.0], vec![10.0]].map(|list| list.into_iter().map(Value::from).collect());
            lists.map(|list| Value::Object(GivenTable::from_iter([("lambda".to_owned(), Value::Array(list))]))).to_vec()
        }
        Kind::Parts { of, words } => {
            let two = legal(&Kind::Part(*of), dim).into_iter().rev().take(2).collect();
            std::iter::once(Value::Array(two)).chain(words.iter().map(|text| word(text))).collect()
        }
        Kind::Part(PartKind::Window) => WINDOWS.iter().map(|entry| word(entry.name)).collect(),
        // Learners use the power series of the derivative, which only analytic losses have.
        Kind::Part(PartKind::Loss) => accepted(&LOSSES, dim, |loss| loss.analytic().is_some()),
    }
}

/// The names of the members that are as wanted when only their required parameters are given. (A family may have a
/// family as its part, so that variants of variants would never end.)
fn accepted<T: ?Sized>(registry: &Registry<Build<T>>, dim: usize, wanted: impl Fn(&T) -> bool) -> Vec<Value> {
    let built = |entry: &Entry<Build<T>>| {
        let params = check(entry.params, &least(entry.params, dim), "", &AllParts);
        params.and_then(|params| (entry.build)(&params)).is_ok_and(|object| wanted(&object))
    };
    registry.iter().filter(|entry| built(entry)).map(|entry| Value::String(entry.name.into())).collect()
}

/// Two numbers inside an interval, of moderate size if it is unbounded.
fn inside(range: &Range) -> Vec<f64> {
    let (low, high) = match (range.min.is_finite(), range.max.is_finite()) {
        (true, true) => (range.min, range.max),
        (true, false) => (range.min, range.min + 1.0),
        (false, true) => (range.max - 1.0, range.max),
        (false, false) => (-1.0, 1.0),
    };
    vec![low + 0.05 * (high - low), low + 0.7 * (high - low)]
}
