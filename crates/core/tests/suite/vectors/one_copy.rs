//! The game with one copy, played with given coins.

use noregret_core::learner::api::{Learner, Setting};
use noregret_core::learner::descent::linear_descent::{LinearDescent, LinearDescentParams};
use noregret_core::learner::noisy::noisy_linear_two_copy::TwoCopy;
use noregret_core::loss::api::Loss;
use noregret_core::loss::squared_margin::SquaredMargin;
use noregret_core::parts::Defaults;
use noregret_core::stream::one_copy_game::{DEVIATION, OneCopyGame};
use noregret_numeric::draw::{Draws, Role};
use noregret_papers::noisy::one_copy::{MINIMAX, MINIMAX_WEIGHT, clean_excess, noisy_excess};

use super::Case;

const CASES: &str = include_str!("../../vectors/losses.json");

/// Instances, copies, and the weights of plain gradient descent on the first copy and of Algorithm 1 on both.
#[test]
fn one_copy_game() {
    for case in Case::of(CASES, "one_copy_game") {
        let noisy = case.0["params"]["world"] == "noisy";
        let (game, bits) = (OneCopyGame { noisy }, case.input("bits"));
        let (eta, radius) = (case.param("eta").into(), case.param("radius"));
        let (params, setting) =
            (LinearDescentParams { eta, radius, ..LinearDescentParams::default() }, Setting::new(1));
        let mut one = LinearDescent::new(params.clone(), &setting).unwrap();
        let mut two = TwoCopy::new(params, &setting).unwrap();
        let [mut instances, mut copies, mut losses] = [(); 3].map(|()| Vec::new());
        let (mut single, mut double) = (vec![0.0], vec![0.0]);
        let mut draw = Draws::named(&["unused"]).at(Role::Learn, 1);
        for row in bits.view().iter() {
            // Bit 0 is the coin +1, whose value is 3.
            let coins = [row[0], row[1]].map(|bit| 1.0 - 2.0 * bit);
            let x = game.instance(coins[0]);
            let seen = coins.map(|coin| if noisy { x + DEVIATION * coin } else { x });
            losses.push(SquaredMargin.of(one.weights()[0] * x, 1.0));
            one.learn(&seen[..1], 1.0, &mut draw).unwrap();
            two.step(&seen[..1], &seen[1..], 1.0).unwrap();
            instances.push(x);
            copies.extend(seen);
            single.push(one.weights()[0]);
            double.push(two.weights()[0]);
        }
        case.check("instances", &instances);
        case.check("copies", &copies);
        case.check("one_copy_weights", &single);
        case.check("two_copy_weights", &double);
        case.check("one_copy_losses", &losses);
    }
}

#[test]
fn one_copy_game_excess() {
    for case in Case::of(CASES, "one_copy_game_excess") {
        let over = |f: fn(f64) -> f64| case.vector("w").into_iter().map(f).collect::<Vec<_>>();
        case.check("clean", &over(clean_excess));
        case.check("noisy", &over(noisy_excess));
        case.check("minimax_w", &[MINIMAX_WEIGHT]);
        case.check("minimax_excess", &[MINIMAX]);
    }
}
