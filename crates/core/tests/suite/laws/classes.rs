//! Learners of classes: the laws of learners where classes appear late, and calibrated probabilities.

use noregret_core::learner::LEARNERS;
use noregret_core::learner::api::{Block, Hypothesis as _, Learner};
use noregret_core::learner::classes::{Classes, LEAST, NONE};
use noregret_numeric::draw::Role;
use noregret_numeric::linalg::matrix::{Matrix, Rows};
use noregret_numeric::state::Store;

use super::cases::{LearnerCase, draws};

const ROWS: usize = 160;

/// The first row of class 2.
const LATE: usize = 60;

fn learner(name: &str, toml: &str, classes: usize) -> Classes {
    let (name, toml) = (name.to_owned(), toml.to_owned());
    let build = move || {
        LearnerCase { entry: LEARNERS.find(&name).unwrap(), table: toml::from_str(&toml).unwrap(), dim: 2 }.full()
    };
    Classes::new(Box::new(build), draws(), 2, classes).unwrap()
}

/// A linear, a kernel and a random learner, one of the newest rows, and a bank.
const LEARNERS_OF_LABELS: [(&str, &str); 5] = [
    ("pkrr-taylor", "lambda = 0.5\norder = 2"),
    ("kernel-awv", "lambda = 0.1"),
    ("fogd", ""),
    ("neighbours", ""),
    ("auto", "members = \"linear\""),
];

/// Rows around three centres, of which the third appears late.
fn rows() -> (Matrix, Vec<f64>) {
    let mut draw = draws().at(Role::Example, 1);
    let (mut inputs, mut classes) = (Matrix::with_width(2), Vec::new());
    for t in 0..ROWS {
        let class = if t == LATE { 2 } else { draw.below(if t > LATE { 3 } else { 2 }) };
        let centre = [[-0.5, 0.0], [0.5, 0.0], [0.0, 0.8]][class];
        inputs.push_row(&centre.map(|c| c + 0.4 * draw.normal()));
        classes.push(class as f64);
    }
    (inputs, classes)
}

/// Plays rows from round `from` on in blocks of `block` rows.
fn play(
    learner: &mut Classes,
    from: usize,
    inputs: &Matrix,
    classes: &[f64],
    block: usize,
) -> (Vec<f64>, Vec<Vec<f64>>) {
    let (mut said, mut probabilities) = (vec![f64::NAN; classes.len()], Vec::new());
    for start in (from..classes.len()).step_by(block) {
        let end = classes.len().min(start + block);
        let rows =
            Block { first_round: start as u64 + 1, inputs: inputs.slice(start, end), targets: &classes[start..end] };
        learner.play(rows, &draws(), &mut said[start..end]).unwrap();
        probabilities.extend(learner.probabilities().iter().cloned());
    }
    (said, probabilities)
}

fn close(a: &[Vec<f64>], b: &[Vec<f64>]) -> bool {
    let near =
        |(a, b): (&Vec<f64>, &Vec<f64>)| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6);
    a.len() == b.len() && a.iter().zip(b).all(near)
}

#[test]
fn blocks_of_any_size_and_rows_asked_one_by_one_give_the_same() {
    let (inputs, classes) = rows();
    for (name, toml) in LEARNERS_OF_LABELS {
        let (said, probabilities) = play(&mut learner(name, toml, 0), 0, &inputs, &classes, ROWS);
        assert_eq!((said[0], probabilities[0].len()), (NONE, 0), "{name}");
        for block in [1, 7] {
            let (again, others) = play(&mut learner(name, toml, 0), 0, &inputs, &classes, block);
            assert!(said == again && close(&probabilities, &others), "{name} in blocks of {block}");
        }
        let mut asked = learner(name, toml, 0);
        for t in 0..ROWS {
            let draw = || draws().at(Role::Predict, t as u64 + 1);
            assert_eq!(asked.predict(inputs.row(t), &mut draw()), said[t], "{name} {t}");
            let told = asked.probabilities_at(inputs.row(t), &mut draw()).unwrap();
            assert!(close(&[told], &probabilities[t..=t]), "{name} {t}");
            asked.learn(inputs.row(t), classes[t], &mut draw()).unwrap();
        }
        for told in &probabilities[1..] {
            assert!(told.len() == 1 || (told.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            assert!(told.iter().all(|p| (0.99 * LEAST..=1.0).contains(p)), "{told:?}");
        }
        // It learns: above chance once all classes are there, also of the late one.
        let right = (LATE + 20..ROWS).filter(|t| said[*t] == classes[*t]).count();
        assert!(right > (ROWS - LATE - 20) * 11 / 20, "{name}: {right}");
        assert!((LATE + 20..ROWS).any(|t| said[t] == 2.0 && classes[t] == 2.0), "{name}");
    }
}

#[test]
fn a_class_that_appears_late_is_learnt_as_if_it_had_been_known() {
    let (inputs, classes) = rows();
    for (name, toml) in LEARNERS_OF_LABELS {
        let (late, probabilities) = play(&mut learner(name, toml, 0), 0, &inputs, &classes, 32);
        let (known, others) = play(&mut learner(name, toml, 3), 0, &inputs, &classes, 32);
        assert_eq!(late[LATE + 1..], known[LATE + 1..], "{name}");
        assert!(close(&probabilities[LATE + 1..], &others[LATE + 1..]), "{name}");
        // Before that row one class more is known.
        assert!(others[..=LATE].iter().all(|told| told.len() == 3) && probabilities[LATE].len() == 2);
    }
}

#[test]
fn no_prediction_depends_on_later_rows() {
    let (inputs, classes) = rows();
    for (name, toml) in LEARNERS_OF_LABELS {
        let (said, probabilities) = play(&mut learner(name, toml, 0), 0, &inputs, &classes, 1);
        for from in [1, 30, LATE, 100] {
            let (mut others, mut far) = (classes.clone(), inputs.clone());
            for (t, class) in others.iter_mut().enumerate().skip(from) {
                *class = ((t * 7) % 5) as f64;
                far.row_mut(t).fill(1e3 * t as f64);
            }
            let (again, told) = play(&mut learner(name, toml, 0), 0, &far, &others, 1);
            assert_eq!((&said[..from], &probabilities[..from]), (&again[..from], &told[..from]), "{name} {from}");
            assert_ne!(said[from..], again[from..], "{name} {from}: the control");
        }
    }
}

#[test]
fn what_is_saved_goes_on_with_the_same_bits() {
    let (inputs, classes) = rows();
    for (name, toml) in LEARNERS_OF_LABELS {
        for cut in [1, 40, LATE + 1, 100] {
            let mut whole = learner(name, toml, 0);
            play(&mut whole, 0, &inputs, &classes[..cut], 8);
            let mut store = Store::saving();
            whole.state(&mut store).unwrap();
            let mut store = Store::loading(store.into_arrays());
            let mut loaded = learner(name, toml, 0);
            loaded.state(&mut store).unwrap();
            store.finish().unwrap();
            let expected = play(&mut whole, cut, &inputs, &classes, 8);
            let found = play(&mut loaded, cut, &inputs, &classes, 8);
            assert_eq!(found.0[cut..], expected.0[cut..], "{name} {cut}");
            assert_eq!(found.1, expected.1, "{name} {cut}");
        }
    }
}

/// Labels of class 1 with probability 1 / (1 + exp(-4 x)), 4,000 rows, seed fixed: the margin of a linear function, which
/// is far from a logit, becomes a probability that is right within .05 in each of five bins (two standard errors of the smallest
/// bin). The control: the margin itself taken for a logit.
#[test]
fn probabilities_are_calibrated() {
    let mut draw = draws().at(Role::Example, 2);
    let (mut inputs, mut classes) = (Matrix::with_width(2), vec![0.0, 1.0]);
    (0..2).for_each(|_| inputs.push_row(&[0.0, 1.0]));
    while classes.len() < 4000 {
        let x = 2.0 * draw.uniform() - 1.0;
        inputs.push_row(&[x, 1.0]);
        classes.push(f64::from(u8::from(draw.uniform() < 1.0 / (1.0 + (-4.0 * x).exp()))));
    }
    let (_, probabilities) = play(&mut learner("linear-ogd", "eta = 0.01", 2), 0, &inputs, &classes, 256);
    let mut margins = vec![0.0; classes.len()];
    let labels: Vec<f64> = classes.iter().map(|class| 2.0 * class - 1.0).collect();
    let mut ridge = LearnerCase {
        entry: LEARNERS.find("linear-ogd").unwrap(),
        table: toml::from_str("eta = 0.01").unwrap(),
        dim: 2,
    }
    .full()
    .unwrap();
    let rows = Rows::new(2, inputs.data());
    ridge.play(Block { first_round: 1, inputs: rows, targets: &labels }, &draws(), &mut margins).unwrap();
    let worst = |of: &dyn Fn(usize) -> f64| {
        let (mut sums, mut ups, mut counts) = ([0.0; 5], [0.0; 5], [0.0; 5]);
        for (t, class) in classes.iter().enumerate().skip(500) {
            let p = of(t);
            let bin = ((5.0 * p) as usize).min(4);
            (sums[bin], ups[bin], counts[bin]) = (sums[bin] + p, ups[bin] + class, counts[bin] + 1.0);
        }
        (0..5)
            .filter(|bin| counts[*bin] > 100.0)
            .map(|bin| ((sums[bin] - ups[bin]) / counts[bin]).abs())
            .fold(0.0, f64::max)
    };
    let calibrated = worst(&|t| probabilities[t][1]);
    let control = worst(&|t| 1.0 / (1.0 + (-margins[t]).exp()));
    assert!(calibrated < 0.05, "{calibrated}");
    assert!(control > 0.1, "{control}");
}

#[test]
fn before_a_second_class_the_first_is_likely_and_what_is_no_class_is_refused() {
    let mut one = learner("pkrr-taylor", "lambda = 0.5\norder = 1", 0);
    let draw = || draws().at(Role::Learn, 1);
    (0..3).for_each(|_| one.learn(&[0.1, 0.2], 0.0, &mut draw()).unwrap());
    assert_eq!(one.probabilities_at(&[0.0, 0.0], &mut draw()), Some(vec![3.5 / 4.0]));
    for target in [0.5, -1.0, 256.0, f64::NAN] {
        let cause = one.learn(&[0.1, 0.2], target, &mut draw()).unwrap_err().cause;
        assert!(cause.contains("is not the number of one of 256 classes"), "{cause}");
    }
    assert!(one.keep_predictions());
    assert_eq!(one.predict(&[0.1, 0.2], &mut draw()), 0.0);
    assert!(one.learn(&[0.1, 0.2], 0.0, &mut draw()).unwrap_err().cause.contains("saved to predict"));
}
