//! What the default grids declare is true of the learners.

use noregret_core::learner::api::{AnyLearner, Block, Setting};
use noregret_numeric::draw::{Draws, Role};
use noregret_numeric::linalg::matrix::Matrix;
use noregret_study::compare::candidates::{Measure, Wishes, candidates};
use noregret_study::compare::grids::GRIDS;

/// A learner that is declared to draw nothing gives the same predictions with other draws; one that is declared random
/// does not, at some setting.
#[test]
fn random_learners_are_declared() {
    let rows = 60;
    let draw = &mut Draws::named(&["grids"]).at(Role::Example, 1);
    let mut inputs = Matrix::zeros(rows, 2);
    inputs.data_mut().iter_mut().for_each(|x| *x = draw.between(0.0, 1.0));
    let targets: Vec<f64> = inputs.view().iter().map(|x| (5.0 * x[0]).sin() + x[1]).collect();
    let measure = Measure { dim: 2, distance: 0.6, target: 2.0, labels: true };
    let all = candidates(&Wishes::default(), &measure).unwrap();
    let signs: Vec<f64> = targets.iter().map(|y| (y - 0.5).signum()).collect();
    // The registry may not have all of them.
    for grid in GRIDS.iter().filter(|grid| all.iter().any(|one| one.learner.name == grid.learner)) {
        let targets = if grid.labels { &signs } else { &targets };
        let own = all.iter().filter(|one| one.learner.name == grid.learner);
        let differ = own.into_iter().any(|one| {
            let played = |seed: &str| {
                let draws = Draws::named(&["grids", seed]);
                let setting = Setting { dim: 2, horizon: Some(rows as u64), draws: draws.clone() };
                let AnyLearner::Full(mut learner) = (one.learner.build.learner)(&one.params, &setting).unwrap() else {
                    panic!("{} plays only behind noise", grid.learner)
                };
                let mut predictions = vec![0.0; rows];
                let block = Block { first_round: 1, inputs: inputs.view(), targets };
                learner.play(block, &draws, &mut predictions).unwrap();
                predictions
            };
            played("a") != played("b")
        });
        assert_eq!(differ, grid.random, "{}", grid.learner);
    }
}
