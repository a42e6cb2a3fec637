//! Learners that are shown lags, means and harmonics: they keep all laws, among them that a prediction owes nothing to its own target or
//! to later rows, and their columns are those of a file that has them.

use noregret_core::laws::learner;
use noregret_core::learner::api::{Block, Breakdown, Gauges, Hypothesis, Learner};
use noregret_core::learner::derived::{DerivedColumns, WithDerived};
use noregret_core::learner::over_epochs::OverEpochs;
use noregret_core::params::ParamError;
use noregret_numeric::draw::{Draw, Draws};
use noregret_numeric::linalg::matrix::Matrix;

use super::cases::{build, data, draws, play};

fn columns(clock: Option<usize>) -> DerivedColumns {
    DerivedColumns { lags: vec![1, 2, 24], means: vec![1, 7, 28], periods: vec![7.0, 3.5, 100.0], clock }
}

/// linear-ridge over 2 columns and what is derived from them, over epochs or not.
fn derived(epochs: bool, columns: DerivedColumns) -> Result<Box<dyn Learner>, ParamError> {
    let quantities = [vec![true; 2], columns.quantities()].concat();
    let dim = quantities.len();
    let inner: Box<dyn Learner> = match epochs {
        false => build("linear-ridge", "lambda = 0.1", dim),
        true => {
            let made = Box::new(move || Ok(build("linear-ridge", "lambda = 0.1", dim)));
            let scales = noregret_core::epoch::Scales { inputs: true, targets: true };
            Box::new(OverEpochs::new(made, draws(), &quantities, scales)?)
        }
    };
    Ok(Box::new(WithDerived::new(inner, columns)))
}

#[test]
fn all_laws_are_kept() {
    for epochs in [false, true] {
        for clock in [None, Some(1)] {
            learner::all(&|| derived(epochs, columns(clock)), 2)
                .unwrap_or_else(|broken| panic!("{epochs} {clock:?}: {broken}"));
        }
    }
}

/// Predicts its own target where it plays blocks, as a lag of 0 would.
#[derive(Default)]
struct Leaks;

impl Hypothesis for Leaks {
    fn predict(&self, _: &[f64], _: &mut Draw) -> f64 {
        0.0
    }

    fn gauges(&self) -> Gauges {
        Gauges::default()
    }
}

impl Learner for Leaks {
    fn learn(&mut self, _: &[f64], _: f64, _: &mut Draw) -> Result<(), Breakdown> {
        Ok(())
    }

    fn play(&mut self, block: Block<'_>, _: &Draws, predictions: &mut [f64]) -> Result<(), Breakdown> {
        predictions.copy_from_slice(block.targets);
        Ok(())
    }
}

#[test]
fn the_law_of_causality_sees_a_lag_of_nothing() {
    assert!(learner::causality(&|| Ok(Box::new(Leaks)), 2).is_err());
}

/// The columns by their definition, in a file of their own, give the same predictions.
#[test]
fn derived_columns_are_those_of_a_file_that_has_them() {
    let rounds = data(2, 200);
    for clock in [None, Some(1)] {
        let DerivedColumns { lags, means, periods, .. } = columns(clock);
        let mut wide = Matrix::with_width(14);
        for t in 0..200 {
            let mut row = rounds.inputs.row(t).to_vec();
            let time = clock.map_or(t as f64, |clock| row[clock]);
            let known = |lag: &usize| if t == 0 { 0.0 } else { rounds.targets[t.saturating_sub(*lag)] };
            row.extend(lags.iter().map(known));
            // The mean of the last n targets before row t, or of all of them.
            let mean = |count: &usize| {
                let last = &rounds.targets[t.saturating_sub(*count)..t];
                last.iter().sum::<f64>() / last.len().max(1) as f64
            };
            row.extend(means.iter().map(mean));
            let turn = |period: &f64| {
                let angle = std::f64::consts::TAU * time / period;
                [angle.sin(), angle.cos()]
            };
            row.extend(periods.iter().flat_map(turn));
            wide.push_row(&row);
        }
        let expected =
            play(&mut *build("linear-ridge", "lambda = 0.1", 14), wide.view(), &rounds.targets, &draws(), 200);
        for block in [1, 7, 200] {
            let mut learner = derived(false, columns(clock)).unwrap();
            let found = play(&mut *learner, rounds.inputs.view(), &rounds.targets, &draws(), block).unwrap();
            for (t, (found, expected)) in found.iter().zip(expected.as_ref().unwrap()).enumerate() {
                assert!((found - expected).abs() < 1e-11, "{clock:?}, blocks of {block}, row {t}: {found} {expected}");
            }
        }
    }
}
