//! Laws of learners of the noisy protocol, for every such learner of the registry.

use noregret_core::laws::learner::GaugeLimits;
use noregret_core::laws::noisy::{self, NoisyLearnerLaw, ROUNDS, channel};
use noregret_core::learner::api::{Block, Breakdown, Gauges, Hypothesis, OracleLearner};
use noregret_core::noise::api::Oracle;
use noregret_core::protocol::noisy::NoisyPlayer;
use noregret_core::protocol::run::Player;
use noregret_numeric::draw::Draw;
use noregret_numeric::state::Store;

use super::cases::{all, data, draws};

fn every_case_keeps(law: NoisyLearnerLaw) {
    for case in all(true) {
        law(&|| case.noisy(), case.dim).unwrap_or_else(|broken| panic!("{case}: {broken}"));
    }
}

#[test]
fn blocks_equal_round_by_round() {
    every_case_keeps(noisy::blocks);
    assert!(all(true).iter().any(|case| case.noisy().unwrap().in_blocks().is_some()));
}

#[test]
fn predictions_know_no_future() {
    every_case_keeps(noisy::causality);
}

#[test]
fn runs_repeat_to_the_bit() {
    every_case_keeps(noisy::determinism);
}

#[test]
fn clean_data_do_not_reach_the_learner() {
    every_case_keeps(noisy::copies_alone_teach);
    every_case_keeps(noisy::copies_of_a_block_alone_teach);
}

#[test]
fn extreme_inputs_give_finite_predictions_or_a_breakdown() {
    every_case_keeps(noisy::finite);
}

/// The norm also stays in the ball of the declared radius.
#[test]
fn gauges_count_and_norms_are_bounded() {
    for case in all(true) {
        let limits = GaugeLimits {
            norm: noregret_core::params::typed::field(&case.params().unwrap(), "radius").unwrap(),
            ..GaugeLimits::NONE
        };
        assert!(case.noisy().unwrap().gauges().norm.is_some(), "{case}");
        noisy::gauges(&|| case.noisy(), case.dim, limits).unwrap_or_else(|broken| panic!("{case}: {broken}"));
    }
}

/// Every learner of the registry has a state.
#[test]
fn what_is_saved_and_loaded_goes_on() {
    every_case_keeps(noisy::saved);
    for case in all(true) {
        case.noisy().unwrap().state(&mut Store::saving()).unwrap_or_else(|error| panic!("{case}: {error}"));
    }
}

/// A learner that counts its own queries.
struct Counted {
    inner: Box<dyn OracleLearner>,
    asked: u64,
}

struct CountedOracle<'a>(&'a mut dyn Oracle, &'a mut u64);

impl Oracle for CountedOracle<'_> {
    fn dim(&self) -> usize {
        self.0.dim()
    }

    fn x(&mut self, out: &mut [f64]) {
        *self.1 += 1;
        self.0.x(out);
    }

    fn y(&mut self) -> f64 {
        *self.1 += 1;
        self.0.y()
    }

    fn covariance_times(&mut self, w: &[f64], out: &mut [f64]) {
        self.0.covariance_times(w, out);
    }
}

impl Hypothesis for Counted {
    fn predict(&self, x: &[f64], draw: &mut Draw) -> f64 {
        self.inner.predict(x, draw)
    }

    fn gauges(&self) -> Gauges {
        self.inner.gauges()
    }
}

impl OracleLearner for Counted {
    fn learn(&mut self, oracle: &mut dyn Oracle, draw: &mut Draw) -> Result<(), Breakdown> {
        self.inner.learn(&mut CountedOracle(oracle, &mut self.asked), draw)
    }
}

#[test]
fn the_protocol_counts_what_is_asked_for() {
    for case in all(true) {
        let data = data(case.dim, ROUNDS).with_labels();
        let mut learner = Counted { inner: case.noisy().unwrap(), asked: 0 };
        let (channel, draws) = (channel(0.2).unwrap(), draws());
        let mut player = NoisyPlayer::new(&mut learner, &draws, &channel);
        let mut predictions = vec![0.0; ROUNDS];
        let block = Block { first_round: 1, inputs: data.inputs.view(), targets: &data.targets };
        player.play(block, &mut predictions).unwrap_or_else(|b| panic!("{case}: {b:?}"));
        let counted = player.queries();
        assert_eq!(counted.inputs + counted.targets, learner.asked, "{case}");
        assert!(learner.asked > 0, "{case}");

        // `Counted` plays round by round. A learner that plays rounds together asks for as many.
        let mut inner = case.noisy().unwrap();
        let mut player = NoisyPlayer::new(&mut *inner, &draws, &channel);
        player.play(block, &mut predictions).unwrap_or_else(|b| panic!("{case}: {b:?}"));
        assert_eq!(player.queries(), counted, "{case}: in a block");
    }
}
