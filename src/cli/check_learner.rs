//! `noregret check-learner`: the laws that learners obey, played against one from outside.

use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use clap_complete::engine::ArgValueCandidates;
use noregret_core::laws::broken::Broken;
use noregret_core::laws::learner::{
    BLOCKS, CAUSALITY, DETERMINISM, FINITE, LearnerLaw, NO_TEACHING, blocks, causality, determinism, finite,
    prediction_teaches_nothing,
};
use noregret_core::learner::api::{AnyLearner, Block, Breakdown, Gauges, Hypothesis, Learner, Setting};
use noregret_core::learner::classes::{Classes, MOST};
use noregret_core::params::ParamError;
use noregret_numeric::draw::{Draw, Draws, Role};

use super::complete;
use super::error::CliError;
use super::exit;
use noregret_stream::learner::table;
use noregret_study::config::learners::Learners;
use noregret_study::external::watch::watched;

/// Arguments of `noregret check-learner`.
#[derive(Args, Clone, Debug)]
pub(crate) struct CheckLearnerArgs {
    /// The learner
    #[arg(add = ArgValueCandidates::new(complete::learners))]
    pub learner: String,
    /// Set a parameter of the learner
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// How many inputs it plays with
    #[arg(long, value_name = "D", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    pub dim: u16,
    /// Targets are the numbers 0, 1, ... of so many classes
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(2..=MOST as i64))]
    pub classes: Option<u16>,
}

/// A learner that is told a class in the place of each number.
struct InClasses {
    learner: Box<dyn Learner>,
    classes: f64,
}

impl InClasses {
    /// Numbers that are near each other are mostly of one class.
    fn class(&self, y: f64) -> f64 {
        (self.classes * y).floor().rem_euclid(self.classes)
    }
}

impl Hypothesis for InClasses {
    fn predict(&self, x: &[f64], draw: &mut Draw) -> f64 {
        self.learner.predict(x, draw)
    }

    fn gauges(&self) -> Gauges {
        self.learner.gauges()
    }
}

impl Learner for InClasses {
    fn attend(&mut self, x: &[f64], draw: &mut Draw) -> Result<(), Breakdown> {
        self.learner.attend(x, draw)
    }

    fn learn(&mut self, x: &[f64], y: f64, draw: &mut Draw) -> Result<(), Breakdown> {
        let class = self.class(y);
        self.learner.learn(x, class, draw)
    }

    fn play(&mut self, block: Block<'_>, draws: &Draws, predictions: &mut [f64]) -> Result<(), Breakdown> {
        let targets: Vec<f64> = block.targets.iter().map(|y| self.class(*y)).collect();
        self.learner.play(Block { targets: &targets, ..block }, draws, predictions)
    }
}

/// The laws with their words.
const LAWS: [(&str, LearnerLaw); 5] = [
    (CAUSALITY, causality),
    (DETERMINISM, determinism),
    (NO_TEACHING, prediction_teaches_nothing),
    (BLOCKS, blocks),
    (FINITE, finite),
];

/// How many rounds are timed.
const TIMED: u32 = 2000;

/// Plays the laws, and prints whether each holds.
pub(crate) fn run(args: &CheckLearnerArgs, learners: &Learners, out: &mut impl Write) -> Result<u8, CliError> {
    let entry = learners.find(&args.learner).map_err(CliError::usage)?;
    let given = table("--set", &args.set).map_err(CliError::usage)?;
    let params = learners.check(entry, &given).map_err(CliError::usage)?;
    let dim = usize::from(args.dim);
    let setting = Setting { dim, horizon: Some(1000), draws: Draws::named(&["check-learner", entry.name]) };
    let draws = setting.draws.clone();
    let build = move || match (entry.build.learner)(&params, &setting)? {
        AnyLearner::Full(learner) => Ok(learner),
        AnyLearner::Noisy(_) => Err(ParamError::refused("learner", "it learns from noisy copies only")),
    };
    let one = build().map_err(CliError::usage)?;
    if one.foresees() || one.takes_absent() || (one.wants_labels() && args.classes.is_none()) {
        return Err(CliError::usage(format!("{} plays no plain rounds; the test suite plays its laws", entry.name)));
    }
    let make = || -> Result<Box<dyn Learner>, ParamError> {
        let mut learner = build()?;
        let Some(classes) = args.classes else { return Ok(learner) };
        if !learner.plays_classes(classes.into()) {
            learner = Box::new(Classes::new(Box::new(build.clone()), draws.clone(), dim, classes.into())?);
        }
        Ok(Box::new(InClasses { learner, classes: classes.into() }))
    };
    let mut learner = make().map_err(CliError::usage)?;
    // What goes wrong in plain rounds would go wrong in all laws alike.
    let (first, left) = watched(&Arc::default(), || {
        let timed = plain(&mut *learner, dim, TIMED);
        drop(learner);
        timed
    });
    let failed = left.iter().find_map(|report| report.failure.clone());
    let (start, round) = match (first, failed) {
        (Ok(times), None) => times,
        (Err(why), None) | (_, Some(why)) => {
            writeln!(out, "fails   plain rounds: {why}")?;
            return Ok(exit::FAILED);
        }
    };
    writeln!(out, "holds   plain rounds: {TIMED} of them, finite predictions")?;
    let mut status = exit::DONE;
    for (words, law) in LAWS {
        let (outcome, left) = watched(&Arc::default(), || law(&make, dim));
        let failed = left.into_iter().find_map(|report| report.failure);
        match outcome.err().map(|Broken { place, .. }| place).or(failed) {
            None => writeln!(out, "holds   {words}")?,
            Some(why) => {
                status = exit::FAILED;
                writeln!(out, "broken  {words}: {why}")?;
            }
        }
        out.flush()?;
    }
    writeln!(out, "the first prediction took {:.0} ms, each later round {:.1} us", 1e3 * start, 1e6 * round)?;
    Ok(status)
}

/// Plays plain rounds. The seconds up to the first prediction, and those of a later round.
fn plain(learner: &mut dyn Learner, dim: usize, rounds: u32) -> Result<(f64, f64), String> {
    let draws = Draws::named(&["check-learner"]);
    let (began, mut first, mut x) = (Instant::now(), 0.0, vec![0.0; dim]);
    for round in 1..=u64::from(rounds) {
        let mut draw = draws.at(Role::Example, round);
        x.iter_mut().for_each(|x| *x = draw.between(-1.0, 1.0));
        let y = x.iter().sum::<f64>().sin() + 0.1 * draw.normal();
        learner.attend(&x, &mut draws.at(Role::Attend, round)).map_err(|breakdown| breakdown.cause)?;
        let prediction = learner.predict(&x, &mut draws.at(Role::Predict, round));
        learner.learn(&x, y, &mut draws.at(Role::Learn, round)).map_err(|breakdown| breakdown.cause)?;
        if !prediction.is_finite() {
            return Err(format!("in round {round} it predicts {prediction}"));
        }
        if round == 1 {
            first = began.elapsed().as_secs_f64();
        }
    }
    Ok((first, (began.elapsed().as_secs_f64() - first) / f64::from(rounds - 1)))
}
