//! What the laws are tried on: members with default parameters and with variants, data, and ways to play.

use noregret_core::draw::{Draws, Role};
use noregret_core::feature::FAMILIES;
use noregret_core::kernel::KERNELS;
use noregret_core::learner::LEARNERS;
use noregret_core::learner::api::{AnyLearner, Block, Breakdown, Learner, LearnerEntry, Setting};
use noregret_core::linalg::matrix::{Matrix, Rows};
use noregret_core::loss::LOSSES;
use noregret_core::params::{Fallback, Kind, ParamError, Params, PartKind, Range, Spec, check::check};
use noregret_core::parts::AllParts;
use noregret_core::window::WINDOWS;
use toml::{Table, Value};

/// Rounds of a law's run: several windows and panels of the block forms.
pub const ROUNDS: usize = 300;

/// A learner with parameters.
pub struct Case {
    pub entry: &'static LearnerEntry,
    pub table: Table,
    pub dim: usize,
}

impl Case {
    /// Every full-information learner in one and three dimensions, with default parameters and each variant.
    pub fn all() -> Vec<Case> {
        let mut cases = Vec::new();
        let learners: Vec<_> = LEARNERS.iter().filter(|entry| !is_noisy(entry)).collect();
        for entry in &learners {
            for dim in [1, 3] {
                for table in variants(entry.params, dim) {
                    cases.push(Case { entry, table, dim });
                }
            }
        }
        assert!(cases.len() >= 2 * learners.len());
        cases
    }

    /// Builds the learner.
    pub fn learner(&self) -> Box<dyn Learner> {
        full(self.entry, &self.table, self.dim)
    }

    /// The checked parameters.
    pub fn params(&self) -> Params {
        check(self.entry.params, &self.table, "", &AllParts).unwrap_or_else(|error| panic!("{self}: {error}"))
    }
}

impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {{ {} }} in {} dimensions", self.entry.name, self.table.to_string().replace('\n', ", "), self.dim)
    }
}

/// A full-information learner from the registry, from TOML as a user would write it.
pub fn build(name: &str, toml: &str, dim: usize) -> Box<dyn Learner> {
    full(LEARNERS.get(name).unwrap_or_else(|| panic!("no learner {name}")), &toml.parse().unwrap(), dim)
}

fn full(entry: &LearnerEntry, table: &Table, dim: usize) -> Box<dyn Learner> {
    match any(entry, table, dim) {
        Ok(AnyLearner::Full(learner)) => learner,
        Ok(AnyLearner::Noisy(_)) => panic!("{} plays the noisy protocol", entry.name),
        Err(error) => panic!("{}: {error}", entry.name),
    }
}

/// A learner of either kind; parameters are legal, but may make no sense together or in `dim` dimensions.
pub fn any(entry: &LearnerEntry, table: &Table, dim: usize) -> Result<AnyLearner, ParamError> {
    let params = check(entry.params, table, "", &AllParts).unwrap_or_else(|error| panic!("{}: {error}", entry.name));
    (entry.build.learner)(&params, &Setting { dim, horizon: Some(ROUNDS as u64), draws: draws() })
}

/// Whether it plays the noisy protocol only: its laws are in laws/noisy.rs.
pub fn is_noisy(entry: &LearnerEntry) -> bool {
    matches!(any(entry, &variants(entry.params, 1)[0], 1), Ok(AnyLearner::Noisy(_)))
}

/// The draws of every run.
pub fn draws() -> Draws {
    Draws::named(&["laws"])
}

/// Tables that satisfy `specs` in `dim` dimensions: the defaults, and each parameter at a few legal values.
pub fn variants(specs: &[Spec], dim: usize) -> Vec<Table> {
    let base = least(specs, dim);
    let mut tables = vec![base.clone()];
    for spec in specs {
        for value in legal(&spec.kind, dim) {
            let mut table = base.clone();
            table.insert(spec.name.into(), value);
            tables.push(table);
        }
    }
    tables
}

/// The table that gives only what must be given.
fn least(specs: &[Spec], dim: usize) -> Table {
    let required = specs.iter().filter(|spec| matches!(spec.default, Fallback::Required));
    required.map(|spec| (spec.name.to_owned(), legal(&spec.kind, dim).swap_remove(0))).collect()
}

/// A few legal values of a parameter.
pub fn legal(kind: &Kind, dim: usize) -> Vec<Value> {
    match kind {
        Kind::Real { range, words } => {
            let words = words.iter().map(|word| Value::String((*word).into()));
            inside(range).into_iter().map(Value::Float).chain(words).collect()
        }
        Kind::Integer { min, max } => {
            let mut values = vec![*min as i64, (*min + 3).min(*max) as i64];
            values.dedup();
            values.into_iter().map(Value::Integer).collect()
        }
        Kind::Choice(words) => words.iter().map(|word| Value::String((*word).into())).collect(),
        Kind::Flag => vec![Value::Boolean(false), Value::Boolean(true)],
        Kind::Covariance { words } => {
            let row = |i: usize| (0..dim).map(|j| Value::Float(if i == j { 0.06 } else { 0.01 })).collect();
            let rows = (0..dim).map(|i| Value::Array(row(i))).collect();
            let variances = (1..=dim).map(|i| Value::Float(0.02 * i as f64)).collect();
            let table = |field: &str, list| Value::Table(Table::from_iter([(field.to_owned(), Value::Array(list))]));
            let words = words.iter().map(|word| Value::String((*word).into()));
            [Value::Float(0.05), table("diagonal", variances), table("matrix", rows)].into_iter().chain(words).collect()
        }
        Kind::Part(PartKind::Kernel) => {
            let accepted = KERNELS.iter().filter(|entry| {
                let params = check(entry.params, &variants(entry.params, dim)[0], "", &AllParts).unwrap();
                (entry.build)(&params).unwrap().accepts(dim).is_ok()
            });
            accepted.map(|entry| Value::String(entry.name.into())).collect()
        }
        Kind::Part(PartKind::Feature) => {
            // A family may have a family as its part, so variants of variants would have no end.
            let accepted = FAMILIES.iter().filter(|entry| {
                let params = check(entry.params, &least(entry.params, dim), "", &AllParts).unwrap();
                (entry.build)(&params).unwrap().accepts(dim).is_ok()
            });
            accepted.map(|entry| Value::String(entry.name.into())).collect()
        }
        // Those that have every parameter of the grid below.
        Kind::Part(PartKind::Learner) => {
            ["kernel-awv", "pkawv-nystrom", "pkrr-taylor"].map(|name| Value::String(name.into())).to_vec()
        }
        Kind::Grid { .. } => {
            ["lambda = [0.1, 1.0]", "lambda = [10.0]"].map(|toml| Value::Table(toml.parse().unwrap())).to_vec()
        }
        Kind::Part(PartKind::Window) => WINDOWS.iter().map(|entry| Value::String(entry.name.into())).collect(),
        // Learners take the derivative's power series, which only analytic losses have.
        Kind::Part(PartKind::Loss) => {
            let analytic = LOSSES.iter().filter(|entry| {
                let params = check(entry.params, &variants(entry.params, dim)[0], "", &AllParts).unwrap();
                (entry.build)(&params).unwrap().analytic().is_some()
            });
            analytic.map(|entry| Value::String(entry.name.into())).collect()
        }
    }
}

/// Two numbers inside an interval, moderate where it is unbounded.
fn inside(range: &Range) -> Vec<f64> {
    let (low, high) = match (range.min.is_finite(), range.max.is_finite()) {
        (true, true) => (range.min, range.max),
        (true, false) => (range.min, range.min + 1.0),
        (false, true) => (range.max - 1.0, range.max),
        (false, false) => (-1.0, 1.0),
    };
    vec![low + 0.05 * (high - low), low + 0.7 * (high - low)]
}

/// Rounds to play.
#[derive(Clone)]
pub struct Data {
    pub inputs: Matrix,
    pub targets: Vec<f64>,
}

/// Uniform inputs on [-1, 1]^dim, every tenth a repetition, with a smooth target and some noise.
pub fn data(dim: usize, rounds: usize) -> Data {
    let mut draw = Draws::named(&["law data"]).at(Role::Example, dim as u64);
    let (mut inputs, mut targets) = (Matrix::zeros(rounds, dim), Vec::new());
    for t in 0..rounds {
        let repeated = inputs.row(t / 2).to_vec();
        for (k, value) in inputs.row_mut(t).iter_mut().enumerate() {
            *value = if t % 10 == 9 { repeated[k] } else { draw.between(-1.0, 1.0) };
        }
        let x = inputs.row(t);
        targets.push((3.0 * x[0]).sin() * 0.7 + 0.3 * x[dim - 1] + 0.1 * draw.normal());
    }
    Data { inputs, targets }
}

/// Plays all rounds in blocks of `size` (1: through attend, predict and learn), after showing all inputs to a learner that
/// wants them. The error holds the predictions up to the breakdown.
pub fn play(
    learner: &mut dyn Learner,
    inputs: Rows<'_>,
    targets: &[f64],
    draws: &Draws,
    size: usize,
) -> Result<Vec<f64>, (Vec<f64>, Breakdown)> {
    if learner.foresees() {
        learner.foresee(inputs, draws).map_err(|breakdown| (Vec::new(), breakdown))?;
    }
    play_from(1, learner, inputs, targets, draws, size)
}

/// As [`play`], the first of the rounds being number `first`; no inputs are shown beforehand.
pub fn play_from(
    first: u64,
    learner: &mut dyn Learner,
    inputs: Rows<'_>,
    targets: &[f64],
    draws: &Draws,
    size: usize,
) -> Result<Vec<f64>, (Vec<f64>, Breakdown)> {
    let mut predictions = vec![0.0; targets.len()];
    for from in (0..targets.len()).step_by(size) {
        let to = targets.len().min(from + size);
        let block =
            Block { first_round: first + from as u64, inputs: inputs.slice(from, to), targets: &targets[from..to] };
        let out = &mut predictions[from..to];
        let played =
            if size == 1 { OneByOne(learner).play(block, draws, out) } else { learner.play(block, draws, out) };
        if let Err(breakdown) = played {
            predictions.truncate(from + breakdown.after);
            return Err((predictions, Breakdown { after: from + breakdown.after, ..breakdown }));
        }
    }
    Ok(predictions)
}

/// A learner without its own block form: its rounds go through the default of the trait.
struct OneByOne<'a>(&'a mut dyn Learner);

impl noregret_core::learner::api::Hypothesis for OneByOne<'_> {
    fn predict(&self, x: &[f64], draw: &mut noregret_core::draw::Draw) -> f64 {
        self.0.predict(x, draw)
    }

    fn gauges(&self) -> noregret_core::learner::api::Gauges {
        self.0.gauges()
    }
}

impl Learner for OneByOne<'_> {
    fn attend(&mut self, x: &[f64], draw: &mut noregret_core::draw::Draw) -> Result<(), Breakdown> {
        self.0.attend(x, draw)
    }

    fn learn(&mut self, x: &[f64], y: f64, draw: &mut noregret_core::draw::Draw) -> Result<(), Breakdown> {
        self.0.learn(x, y, draw)
    }
}

/// The largest absolute value.
pub fn scale(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |scale, value| scale.max(value.abs()))
}

/// Bits, so that comparisons know no tolerance.
pub fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}
