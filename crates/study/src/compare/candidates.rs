//! The settings that are tried: default grids made absolute for a file, or values that the user gave.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use noregret_core::learner::about::{About, Compared, MOST_FEATURES, Tried};
use noregret_core::learner::api::LearnerEntry;
use noregret_core::params::Params;
use noregret_core::params::check::nearest;
use noregret_numeric::linalg::matrix::Rows;
use toml::{Table, Value};

use crate::compare::error::CompareError;
use crate::compare::grids::learners;
use crate::compare::played::JudgedSetting;
use crate::config::grid::short;
use crate::config::learners::Learners;
use noregret_model::assignment::insert;

/// What the default grids need to know of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measure {
    /// Number of inputs.
    pub dim: usize,
    /// The typical distance: the root of the mean squared distance between two rows of inputs; 1 if all rows are equal.
    pub distance: f64,
    /// The largest absolute target; 1 if all are 0.
    pub target: f64,
    /// Whether all targets are labels, -1 or +1, and errors of sign decide.
    pub labels: bool,
}

/// Rows from which the typical distance is taken, at most.
pub(crate) const MEASURED: usize = 1000;

impl Measure {
    /// Measures rows that play before those that judge, with scaled inputs and targets; `labels` says whether targets are
    /// labels and errors decide. The distance is that of the first thousand.
    pub(crate) fn of(inputs: Rows<'_>, targets: &[f64], labels: bool) -> Self {
        let (rows, dim) = (inputs.rows().min(MEASURED), inputs.cols());
        let (mut mean, mut squares) = (vec![0.0; dim], 0.0);
        for row in inputs.iter().take(rows) {
            mean.iter_mut().zip(row).for_each(|(mean, x)| *mean += x / rows as f64);
            squares += row.iter().map(|x| x * x).sum::<f64>() / rows as f64;
        }
        // Twice the sum of the variances.
        let distance = (2.0 * (squares - mean.iter().map(|x| x * x).sum::<f64>())).max(0.0).sqrt();
        let positive = |value: f64| if value > 1e-9 { value } else { 1.0 };
        let target = targets.iter().fold(0.0_f64, |most, y| most.max(y.abs()));
        Self { dim, distance: positive(distance), target: positive(target), labels }
    }
}

/// A setting of a learner.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The learner.
    pub learner: &'static LearnerEntry,
    /// The parameters that the grid sets.
    pub table: Table,
    /// All parameters, checked.
    pub params: Params,
    /// The same as `--set` takes it, `kernel.bandwidth=0.5`.
    pub sets: Vec<String>,
    /// What the grid sets, `lambda = 0.1, kernel.bandwidth = 0.5`.
    pub words: String,
    /// What an earlier call found out about it, where this one did not ask for it.
    pub settled: Option<JudgedSetting>,
}

/// What the user asks for.
#[derive(Clone, Debug, Default)]
pub struct Wishes {
    /// The learners; all that can take part if there are none. Baselines always take part.
    pub learners: Vec<String>,
    /// `LEARNER.KEY=A,B,C`: values in place of the default ones.
    pub grid: Vec<String>,
    /// The learners that there are. Those that a project declares take part with their defaults.
    pub known: Arc<Learners>,
    /// The declared learners that take part only where they are named.
    pub elsewhere: Vec<String>,
    /// What earlier calls have judged on the same rows. It takes part again, at no cost.
    pub settled: Vec<JudgedSetting>,
}

/// The settings of all learners that take part, learner by learner.
///
/// # Errors
/// A name or a value that nothing has, with what there is.
pub fn candidates(wishes: &Wishes, measure: &Measure) -> Result<Vec<Candidate>, CompareError> {
    let mut given = given(wishes).map_err(CompareError::Wish)?;
    for name in &wishes.learners {
        known(name, &wishes.known).map_err(CompareError::Wish)?;
    }
    let mut all = Vec::new();
    for learner in learners().chain(wishes.known.declared().map(|(entry, _)| entry)) {
        let About { compared, labels, .. } = learner.build.about;
        let named = wishes.learners.iter().any(|name| name == learner.name);
        let wanted = named || (wishes.learners.is_empty() && !wishes.elsewhere.iter().any(|name| name == learner.name));
        if !wanted && !compared.always() {
            if given.contains_key(learner.name) {
                let why = format!("--grid {0}...: {0} is not among --learners", learner.name);
                return Err(CompareError::Wish(why));
            }
            all.extend(remembered(learner, &[], wishes, measure));
            continue;
        }
        if labels && !measure.labels {
            if named {
                return Err(CompareError::Wish(format!(
                    "{} predicts logits of two classes: it takes part with `--metric error`, on a target with two values",
                    learner.name
                )));
            }
            continue;
        }
        let own = given.remove(learner.name).unwrap_or_default();
        let own = of(learner, own, measure, &wishes.known).map_err(CompareError::Wish)?;
        let earlier = remembered(learner, &own, wishes, measure);
        all.extend(own.into_iter().chain(earlier));
    }
    Ok(all)
}

/// The settings of a learner that earlier calls have judged, and that are not among those of this one. Parameters that the
/// learner no longer takes are forgotten.
fn remembered(learner: &'static LearnerEntry, own: &[Candidate], wishes: &Wishes, measure: &Measure) -> Vec<Candidate> {
    let mut all: Vec<Candidate> = Vec::new();
    for settled in wishes.settled.iter().filter(|one| one.learner == learner.name) {
        let Ok(params) = wishes.known.check(learner, &settled.table) else { continue };
        let same = |one: &Candidate| one.params.canonical() == params.canonical();
        if (learner.build.about.labels && !measure.labels) || own.iter().chain(&all).any(same) {
            continue;
        }
        let sets = assignments(&settled.table);
        let words = sets.iter().map(|set| set.replacen('=', " = ", 1)).collect::<Vec<_>>().join(", ");
        let (table, settled) = (settled.table.clone(), Some(settled.clone()));
        all.push(Candidate { learner, table, params, sets, words, settled });
    }
    all
}

/// Whether a learner can take part.
fn known(name: &str, all: &Learners) -> Result<(), String> {
    if let Some((_, why)) = all.wrong().find(|(wrong, _)| *wrong == name) {
        return Err(why.to_owned());
    }
    match all.get(name).map(|entry| entry.build.about.compared) {
        Some(Compared::Absent(why)) => return Err(format!("{name} cannot take part: {why}")),
        Some(_) => return Ok(()),
        None => {}
    }
    let hint = nearest(name, learners().map(|entry| entry.name))
        .map(|name| format!("; did you mean `{name}`?"))
        .unwrap_or_default();
    Err(format!("there is no learner `{name}`{hint} (`noregret list learners` names them)"))
}

/// Values of dotted parameters, in the order in which they were given.
type GivenValues = Vec<(String, Vec<Value>)>;

/// The values of `--grid`, by learner.
fn given(wishes: &Wishes) -> Result<BTreeMap<String, GivenValues>, String> {
    let mut all: BTreeMap<String, GivenValues> = BTreeMap::new();
    for text in &wishes.grid {
        let wrong = |why: &str| format!("--grid {text}: {why}");
        let (key, values) =
            text.split_once('=').ok_or_else(|| wrong("write LEARNER.KEY=A,B,C, for example fogd.eta=0.01,0.1,1"))?;
        let (learner, key) =
            key.trim().split_once('.').ok_or_else(|| wrong("write LEARNER.KEY, for example fogd.eta"))?;
        known(learner, &wishes.known).map_err(|why| wrong(&why))?;
        let values = list(values.trim()).ok_or_else(|| wrong("the values are neither numbers nor words"))?;
        let own = all.entry(learner.to_owned()).or_default();
        own.retain(|(known, _)| known != key);
        own.push((key.to_owned(), values));
    }
    Ok(all)
}

/// `0.1,1,10`, `gaussian,laplace`, `1/2,1` or a TOML list.
fn list(text: &str) -> Option<Vec<Value>> {
    let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    if let Ok(Value::Array(values)) = format!("[{inner}]").parse::<Value>() {
        return (!values.is_empty()).then_some(values);
    }
    let word = |part: &str| {
        let part = part.trim();
        let plain = !part.is_empty() && part.chars().all(|c| c.is_ascii_graphic() && !"\"'[]{}".contains(c));
        plain.then(|| part.parse::<Value>().unwrap_or_else(|_| Value::String(part.to_owned())))
    };
    inner.split(',').map(word).collect()
}

/// The settings of one learner.
fn of(
    learner: &'static LearnerEntry,
    own: GivenValues,
    measure: &Measure,
    known: &Learners,
) -> Result<Vec<Candidate>, String> {
    let tried: &[_] = if let Compared::Grid(axes) = learner.build.about.compared { axes } else { &[] };
    let mut axes: GivenValues =
        tried.iter().map(|(key, values)| ((*key).to_owned(), absolute(*values, measure))).collect();
    for (key, values) in own {
        match axes.iter_mut().find(|(known, _)| *known == key) {
            Some((_, old)) => *old = values,
            None => axes.push((key, values)),
        }
    }
    let mut points: Vec<Vec<Value>> = vec![Vec::new()];
    for (_, values) in &axes {
        points = points
            .into_iter()
            .flat_map(|point| values.iter().map(move |value| [point.clone(), vec![value.clone()]].concat()))
            .collect();
    }
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    for point in points {
        let mut table = Table::new();
        let mut words = Vec::new();
        for ((key, values), value) in axes.iter().zip(point) {
            let path: Vec<&str> = key.split('.').collect();
            let place = insert(&mut table, &path, &value);
            place.map_err(|name| format!("--grid {}.{key}: `{name}` is no table", learner.name))?;
            if values.len() > 1 || value.is_array() {
                words.push(format!("{key} = {}", short(&value)));
            }
        }
        let params = known.check(learner, &table);
        let params = params.map_err(|error| format!("{}: {error}", learner.name))?;
        // Two values may be the same number.
        if seen.insert(params.canonical().to_string()) {
            let (sets, words) = (assignments(&table), words.join(", "));
            all.push(Candidate { learner, table, params, sets, words, settled: None });
        }
    }
    Ok(all)
}

/// The values for a file.
fn absolute(values: Tried, measure: &Measure) -> Vec<Value> {
    let far = |multiples: &[f64]| multiples.iter().map(|m| rounded(m * measure.distance)).collect();
    let floats = |numbers: &[f64]| numbers.iter().copied().map(Value::Float).collect();
    match values {
        Tried::Numbers(numbers) => floats(numbers),
        Tried::Whole(numbers) => numbers.iter().copied().map(Value::Integer).collect(),
        Tried::Words(words) => words.iter().map(|word| Value::String((*word).to_owned())).collect(),
        Tried::Distances(multiples) => far(multiples),
        Tried::Orders(most) => {
            let fits = |order: &u64| *order == 1 || taylor_features(*order, measure.dim) <= MOST_FEATURES as f64;
            (1..=most).take_while(fits).map(|order| Value::Integer(order as i64)).collect()
        }
        // Rounded up, so that it stays a bound.
        Tried::TargetBound => vec![Value::Float((100.0 * measure.target - 1e-9).ceil() / 100.0)],
        Tried::List(numbers) => vec![Value::Array(floats(numbers))],
        Tried::DistanceList(multiples) => vec![Value::Array(far(multiples))],
    }
}

/// Two significant digits.
fn rounded(value: f64) -> Value {
    Value::Float(format!("{value:.1e}").parse().unwrap_or(value))
}

/// C(order + dim, dim).
fn taylor_features(order: u64, dim: usize) -> f64 {
    (1..=order).fold(1.0, |count, k| count * (dim as f64 + k as f64) / k as f64)
}

/// The parameters of a learner as `--set` takes them, `kernel.bandwidth=0.5`; nested tables are flattened.
fn assignments(table: &Table) -> Vec<String> {
    let mut all = Vec::new();
    flatten(table, "", &mut all);
    all
}

fn flatten(table: &Table, prefix: &str, all: &mut Vec<String>) {
    for (key, value) in table {
        match value {
            Value::Table(inner) => flatten(inner, &format!("{prefix}{key}."), all),
            Value::String(word) => all.push(format!("{prefix}{key}={word}")),
            Value::Float(_) => all.push(format!("{prefix}{key}={}", short(value))),
            other => all.push(format!("{prefix}{key}={other}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use noregret_numeric::linalg::matrix::Matrix;

    const SQUARE: Measure = Measure { dim: 2, distance: 2.0, target: 1.5, labels: true };

    fn wishes(learners: &[&str], grid: &[&str]) -> Wishes {
        let own = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
        Wishes { learners: own(learners), grid: own(grid), ..Wishes::default() }
    }

    /// Corners of the unit square: squared distances 0, 1, 1, 2 from each corner, mean 1.
    #[test]
    fn typical_distance_by_hand() {
        let inputs = Matrix::from_data(4, 2, vec![0., 0., 0., 1., 1., 0., 1., 1.]).unwrap();
        let measure = Measure::of(inputs.view(), &[1.0, -1.5, 0.0, 0.5], false);
        assert_eq!(measure, Measure { dim: 2, distance: 1.0, target: 1.5, labels: false });
    }

    #[test]
    fn default_grids_are_valid_in_every_dimension() {
        for dim in [1, 2, 10, 100, 5000] {
            let all = candidates(&Wishes::default(), &Measure { dim, ..SQUARE }).unwrap();
            for name in learners().map(|entry| entry.name) {
                let count = all.iter().filter(|one| one.learner.name == name).count();
                assert!((1..=120).contains(&count), "{name}, dim {dim}: {count}");
            }
        }
    }

    /// Learners of labels play where errors of sign decide, and say why not elsewhere.
    #[test]
    fn learners_of_labels_need_two_classes() {
        let values = Measure { labels: false, ..SQUARE };
        let plays =
            |measure| candidates(&Wishes::default(), measure).unwrap().iter().any(|one| one.learner.build.about.labels);
        assert!(plays(&SQUARE) && !plays(&values));
        let why = candidates(&wishes(&["aioli-taylor"], &[]), &values).unwrap_err().to_string();
        assert!(why.contains("logits of two classes") && why.contains("--metric error"), "{why}");
    }

    #[test]
    fn orders_keep_the_number_of_features_bounded() {
        assert_eq!(taylor_features(2, 10), 66.0);
        let orders = |dim| absolute(Tried::Orders(5), &Measure { dim, ..SQUARE }).len();
        assert_eq!([orders(1), orders(3), orders(10), orders(30), orders(1000)], [5, 5, 3, 1, 1]);
    }

    #[test]
    fn distances_are_relative_and_baselines_always_play() {
        let takes_part = |one: &Candidate| !matches!(one.learner.build.about.compared, Compared::Absent(_));
        assert!(candidates(&Wishes::default(), &SQUARE).unwrap().iter().all(takes_part));
        let all = candidates(&wishes(&["kernel-ogd"], &["kernel-ogd.eta=1/2,1"]), &SQUARE).unwrap();
        let words: Vec<&str> = all.iter().map(|one| one.words.as_str()).filter(|words| !words.is_empty()).collect();
        assert_eq!(words.len(), 10);
        assert_eq!(words[0], "eta = \"1/2\", kernel.bandwidth = 0.5");
        assert_eq!(all.iter().filter(|one| matches!(one.learner.build.about.compared, Compared::Baseline)).count(), 3);
        // The learner that has nothing to set takes part as soon as there is one.
        let auto = noregret_core::learner::LEARNERS.get("auto").is_some();
        assert_eq!(
            all.iter().filter(|one| matches!(one.learner.build.about.compared, Compared::Always)).count(),
            usize::from(auto)
        );
    }

    #[test]
    fn what_was_judged_before_takes_part_again() {
        let settled = |learner: &str, table: &str| JudgedSetting {
            learner: learner.into(),
            table: table.parse().unwrap(),
            content: String::new(),
            chosen_on: 1,
            rows: 2,
            seeds: 1,
        };
        let earlier = [
            settled("kernel-ridge", "lambda = 0.5\nkernel.bandwidth = 3.0"),
            settled("fogd", "eta = 0.1\nbandwidth = 2.0"),
            settled("fogd", "no_such_parameter = 1"),
            settled("aioli-taylor", ""),
        ];
        let wishes = |learners| Wishes { settled: earlier.to_vec(), ..wishes(learners, &[]) };
        let labelled = Measure { labels: false, ..SQUARE };
        let names = |learners| -> Vec<(String, bool)> {
            let all = candidates(&wishes(learners), &labelled).unwrap();
            let others = all.iter().filter(|one| !one.learner.build.about.compared.always());
            others.map(|one| (one.learner.name.to_owned(), one.settled.is_some())).collect()
        };
        let found = names(&["linear-ogd"]);
        let count = |name: &str, settled| found.iter().filter(|one| **one == (name.to_owned(), settled)).count();
        assert_eq!([count("kernel-ridge", true), count("fogd", true), count("aioli-taylor", true)], [1, 1, 0]);
        assert_eq!([count("fogd", false), count("linear-ogd", false)], [0, 15]);
        // A setting of the grid is not there twice.
        assert_eq!(names(&["kernel-ridge"]).iter().filter(|one| **one == ("kernel-ridge".into(), true)).count(), 1);
    }

    #[test]
    fn words_and_tables_can_be_on_a_grid() {
        let grid = ["kernel-ridge.kernel.name=gaussian,laplace", "kernel-ridge.lambda=1"];
        let all = candidates(&wishes(&["kernel-ridge"], &grid), &SQUARE).unwrap();
        let own: Vec<_> = all.iter().filter(|one| !one.learner.build.about.compared.always()).collect();
        assert_eq!(own.len(), 10);
        assert_eq!(own[1].sets, ["kernel.bandwidth=0.5", "kernel.name=laplace", "lambda=1"]);
    }

    #[test]
    fn mistakes_are_named() {
        let refused =
            |learners: &[&str], grid: &[&str]| candidates(&wishes(learners, grid), &SQUARE).unwrap_err().to_string();
        assert!(refused(&["fogdd"], &[]).contains("did you mean `fogd`"));
        assert!(refused(&["noisy-gaussian"], &[]).contains("noisy copies"));
        assert!(refused(&[], &["fogd=1"]).contains("LEARNER.KEY"));
        assert!(refused(&[], &["fogd.eta=-1"]).contains("eta"));
        assert!(refused(&[], &["fogd.etta=1"]).contains("etta"));
        assert!(refused(&["fogd"], &["nogd.eta=1"]).contains("not among --learners"));
    }
}
