//! Learners on causal scales: the laws of learners for every learner of the registry, and the scales themselves against
//! a slow computation of them.

use noregret_core::epoch::{CLIP, FIRST, Scales, next};
use noregret_core::laws::learner::{self, LearnerLaw};
use noregret_core::learner::LEARNERS;
use noregret_core::learner::api::{Block, Learner};
use noregret_core::learner::over_epochs::{BuildLearner, BuildWide, MOST_ROWS, OverEpochs};
use noregret_core::params::ParamError;
use noregret_core::view::{ColumnKind, PAST, ViewKind};
use noregret_numeric::draw::{Draw, Role};
use noregret_numeric::linalg::matrix::{Matrix, Rows};
use noregret_numeric::state::{Array, Store};

use super::cases::{LawRounds, LearnerCase, all, draws, small};

/// The learner of a case over epochs, with a buffer of `most` rows.
fn over(case: &LearnerCase, most: usize) -> Result<Box<dyn Learner>, ParamError> {
    let (entry, table, dim) = (case.entry, case.table.clone(), case.dim);
    let build: BuildLearner = Box::new(move || LearnerCase { entry, table: table.clone(), dim }.full());
    let scales = Scales { inputs: true, targets: !case.full()?.wants_labels() };
    Ok(Box::new(OverEpochs::keeping(most, build, draws(), &vec![true; dim], scales)?))
}

/// The same, shown past targets and categories.
fn viewing(case: &LearnerCase, most: usize) -> Result<Box<dyn Learner>, ParamError> {
    let (entry, table, dim) = (case.entry, case.table.clone(), case.dim);
    let build: BuildWide = Box::new(move |dim| LearnerCase { entry, table: table.clone(), dim }.full());
    let kind = ViewKind { past: true, categories: true };
    let targets = !case.full()?.wants_labels();
    Ok(Box::new(OverEpochs::viewing(most, build, draws(), vec![ColumnKind::Number; dim], kind, targets)?))
}

fn simple(name: &str, toml: &str, dim: usize) -> LearnerCase {
    LearnerCase { entry: LEARNERS.find(name).unwrap(), table: toml::from_str(toml).unwrap(), dim }
}

/// Every learner with its first parameters, in one and in three dimensions, while epochs begin and when the buffer is full.
#[test]
fn every_learner_over_epochs_keeps_the_laws() {
    let laws: [LearnerLaw; 6] = [
        learner::blocks,
        learner::causality,
        learner::determinism,
        learner::prediction_teaches_nothing,
        learner::finite,
        learner::saved,
    ];
    let (mut seen, mut viewed) = (Vec::new(), 0);
    for case in all(false) {
        if seen.contains(&(case.entry.name, case.dim)) || case.full().unwrap().foresees() {
            continue;
        }
        seen.push((case.entry.name, case.dim));
        // One that has epochs of its own is made anew in each of these.
        let case = small(case);
        let most = if case.dim == 1 { 100 } else { MOST_ROWS };
        for law in laws {
            law(&|| over(&case, most), case.dim).unwrap_or_else(|broken| panic!("{case}: {broken}"));
            // Parameters that say something about each input fit no other number of them.
            let wider = LearnerCase { entry: case.entry, table: case.table.clone(), dim: case.dim + PAST };
            if wider.full().is_ok() && !case.full().unwrap().takes_absent() {
                law(&|| viewing(&case, most), case.dim).unwrap_or_else(|broken| panic!("{case}, views: {broken}"));
                viewed += 1;
            }
        }
    }
    assert!(seen.len() > 2 * 30 && viewed > seen.len() * 4, "{} {viewed}", seen.len());
}

/// Mean and deviation of the first rows of a column, and whether it holds zeros and ones only.
fn moments(values: &[f64]) -> (f64, f64, bool) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    (mean, variance.sqrt(), values.iter().all(|value| *value == 0.0 || *value == 1.0))
}

/// The predictions of a ridge that is made anew in every round: from all rows before it, in the scale of its epoch. The
/// columns: a quantity in the thousands, zeros and ones, a part of a category, and one that is constant at first.
#[test]
fn scales_are_those_of_the_rows_before_the_epoch() {
    let (rows, dim) = (90, 4);
    let quantities = [true, true, false, true];
    let data = LawRounds::smooth(dim, rows);
    let mut inputs = data.inputs.clone();
    for t in 0..rows {
        let row = inputs.row_mut(t);
        row[0] = 4e3 + 900.0 * row[0];
        row[1] = f64::from(u8::from(row[1] > 0.0));
        row[2] = 3.0 * f64::from(u8::from(row[2] > 0.3));
        row[3] = if t < 40 { 7.0 } else { row[3] };
    }
    let targets: Vec<f64> = data.targets.iter().map(|y| 250.0 - 30.0 * y).collect();
    let case = simple("pkrr-taylor", "lambda = 0.5\norder = 2", dim);
    let build: BuildLearner = {
        let (entry, table) = (case.entry, case.table.clone());
        Box::new(move || LearnerCase { entry, table: table.clone(), dim }.full())
    };
    let scales = Scales { inputs: true, targets: true };
    let mut learner = OverEpochs::new(build, draws(), &quantities, scales).unwrap();
    let mut found = vec![f64::NAN; rows];
    let block = Block { first_round: 1, inputs: inputs.view(), targets: &targets };
    learner.play(block, &draws(), &mut found).unwrap();

    let mut start = 0;
    for (t, found) in found.iter().enumerate() {
        let due = if start == 0 { FIRST } else { next(start as u64) } as usize;
        start = if t == due { due } else { start };
        let column = |j: usize| (0..start).map(|s| inputs.row(s)[j]).collect::<Vec<f64>>();
        let scale = |j: usize, value: f64| {
            if start == 0 {
                return 0.0;
            }
            let (mean, deviation, bits) = moments(&column(j));
            match (quantities[j], deviation > 1e-9) {
                (false, _) => (value - mean).clamp(-CLIP, CLIP),
                (true, false) => 0.0,
                (true, true) if bits => value - mean,
                (true, true) => ((value - mean) / deviation).clamp(-CLIP, CLIP),
            }
        };
        let (mean, deviation) = match start {
            0 => (0.0, 1.0),
            start => {
                let (mean, deviation, _) = moments(&targets[..start]);
                (mean, if deviation > 0.0 { deviation } else { 1.0 })
            }
        };
        let row = |s: usize| (0..dim).map(|j| scale(j, inputs.row(s)[j])).collect::<Vec<f64>>();
        let mut fresh = case.full().unwrap();
        for (s, target) in targets[..t].iter().enumerate() {
            fresh.learn(&row(s), (target - mean) / deviation, &mut at(s)).unwrap();
        }
        let expected = mean + deviation * fresh.predict(&row(t), &mut at(t));
        assert!((found - expected).abs() < 1e-7 * expected.abs().max(1.0), "{t}: {found} {expected}");
    }
}

fn at(round: usize) -> Draw {
    draws().at(Role::Learn, round as u64 + 1)
}

/// What a learner saves.
fn saved(learner: &mut dyn Learner) -> std::collections::BTreeMap<String, Array> {
    let mut store = Store::saving();
    learner.state(&mut store).unwrap();
    store.into_arrays()
}

/// Inputs that jump by 50 deviations in round 400.
fn jump(rows: usize) -> (Matrix, Vec<f64>) {
    let data = LawRounds::smooth(2, rows);
    let mut inputs = data.inputs.clone();
    (400.min(rows)..rows).for_each(|t| inputs.row_mut(t)[1] += 30.0);
    (inputs, data.targets)
}

fn play(
    learner: &mut dyn Learner,
    inputs: Rows<'_>,
    targets: &[f64],
    (from, to): (usize, usize),
    size: usize,
) -> Vec<f64> {
    let mut predictions = vec![f64::NAN; to - from];
    let mut at = from;
    while at < to {
        let end = to.min(at + size);
        let block = Block { first_round: at as u64 + 1, inputs: inputs.slice(at, end), targets: &targets[at..end] };
        learner.play(block, &draws(), &mut predictions[at - from..end - from]).unwrap();
        at = end;
    }
    predictions
}

/// With a buffer of 64 rows, the last epoch begins at row 60. It lasts as long as the inputs stay where they are; when they
/// jump, another one begins from the newest 64 rows, in blocks and round by round, through saves at any time.
#[test]
fn epochs_end_with_the_buffer_and_begin_again_where_inputs_move() {
    let case = simple("pkrr-taylor", "lambda = 0.5\norder = 1", 2);
    let rows = 600;
    let since = |learner: &mut dyn Learner| saved(learner)["since"].values[0];
    let still = LawRounds::smooth(2, rows);
    let mut learner = over(&case, 64).unwrap();
    play(&mut *learner, still.inputs.view(), &still.targets, (0, rows), 256);
    assert_eq!(since(&mut *learner), 60.0);
    assert_eq!(saved(&mut *learner)["rows.targets"].values.len(), 64);

    let (inputs, targets) = jump(rows);
    let mut single = over(&case, 64).unwrap();
    let expected = play(&mut *single, inputs.view(), &targets, (0, rows), 1);
    let begun = since(&mut *single);
    assert!((401.0..450.0).contains(&begun), "{begun}");
    for size in [7, 256] {
        let mut blocks = over(&case, 64).unwrap();
        let found = play(&mut *blocks, inputs.view(), &targets, (0, rows), size);
        assert_eq!(since(&mut *blocks), begun);
        let far = expected.iter().zip(&found).position(|(a, b)| (a - b).abs() > 1e-9 * a.abs().max(1.0));
        assert_eq!(far, None, "blocks of {size}");
    }
    for cut in [1, 2, 63, 64, 100, 401, 402, 403, 500] {
        let mut first = over(&case, 64).unwrap();
        play(&mut *first, inputs.view(), &targets, (0, cut), 1);
        let arrays = saved(&mut *first);
        let mut second = over(&case, 64).unwrap();
        let mut store = Store::loading(arrays);
        second.state(&mut store).and_then(|()| store.finish()).unwrap();
        let found = play(&mut *second, inputs.view(), &targets, (cut, rows), 1);
        let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<u64>>();
        assert_eq!(bits(&found), bits(&expected[cut..]), "saved after {cut}");
    }
}

/// A state whose rows, scales or counters do not belong together is refused, and is no panic.
#[test]
fn states_that_do_not_fit_are_refused() {
    let case = simple("linear-ogd", "eta = 0.1", 2);
    let (inputs, targets) = jump(100);
    let mut learner = over(&case, 64).unwrap();
    play(&mut *learner, inputs.view(), &targets, (0, 100), 256);
    let sound = saved(&mut *learner);
    let load = |arrays| {
        let mut store = Store::loading(arrays);
        over(&case, 64).unwrap().state(&mut store).and_then(|()| store.finish())
    };
    load(sound.clone()).unwrap();
    let changes: [(&str, Vec<f64>); 5] = [
        ("rows.targets", vec![1.0; 65]),
        ("rows.inputs", vec![1.0; 127]),
        ("rows.targets", vec![1.0; 3]),
        ("inputs.means", vec![1.0; 3]),
        ("inputs.deviations", vec![1.0]),
    ];
    for (name, values) in changes {
        let mut arrays = sound.clone();
        assert!(arrays.insert(name.into(), values.into()).is_some(), "{name}");
        load(arrays).unwrap_err();
    }
    let mut arrays = sound.clone();
    arrays.get_mut("since").unwrap().values[0] = 101.0;
    load(arrays).unwrap_err();
}

/// What only predicts keeps no rows, predicts as before, also when it was loaded, and does not learn.
#[test]
fn what_only_predicts_keeps_no_rows() {
    let case = simple("kernel-ridge", "lambda = 0.5", 2);
    let (inputs, targets) = jump(200);
    let mut learner = over(&case, 64).unwrap();
    play(&mut *learner, inputs.view(), &targets, (0, 200), 256);
    let before = learner.predict(&[0.3, -0.2], &mut at(200));
    assert!(learner.keep_predictions());
    let arrays = saved(&mut *learner);
    assert!(arrays["rows.inputs"].values.is_empty());
    let mut again = over(&case, 64).unwrap();
    let mut store = Store::loading(arrays);
    again.state(&mut store).and_then(|()| store.finish()).unwrap();
    for learner in [&mut learner, &mut again] {
        let after = learner.predict(&[0.3, -0.2], &mut at(200));
        assert!((after - before).abs() < 1e-12, "{after} {before}");
        let error = learner.learn(&[0.3, -0.2], 1.0, &mut at(200)).unwrap_err();
        assert!(error.cause.contains("saved to predict"), "{}", error.cause);
    }
}
