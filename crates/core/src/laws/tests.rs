//! For each law, a member that breaks it: the law refuses the member, and its error names the law.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::kernel::api::Kernel;
use crate::laws::cases::{DEFAULTS_BUILD, LearnerCase};
use crate::laws::data::LawRounds;
use crate::laws::learner::{BLOCKS, CAUSALITY, DETERMINISM, DISTRIBUTIONS, FINITE, GAUGES, NO_TEACHING};
use crate::laws::noisy::COPIES_TEACH;
use crate::laws::saved::SAVED;
use crate::laws::{Broken, entry, kernel, learner, noisy, parameters};
use crate::learner::LEARNERS;
use crate::learner::about::About;
use crate::learner::api::{
    AnyLearner, Block, BlockOracleLearner, Breakdown, Cost, DrawnBlock, Gauges, Hypothesis, Learner, LearnerEntry,
    OracleLearner, Recipe,
};
use crate::learner::predictive::{Outlook, Predictive, Residuals};
use crate::noise::api::Oracle;
use crate::params::{Fallback, Kind, ParamError, PartKind, Range, Spec};
use noregret_numeric::draw::{Draw, Draws, Role};
use noregret_numeric::linalg::matrix::Rows;
use noregret_numeric::state::{StateError, Store};

/// What is wrong with a learner.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    None,
    /// Adds a little of the target (of a block), or of the last target of the block, to its prediction.
    Peeks,
    /// Learns from the first round of a block only.
    LazyInBlocks,
    /// Breaks down after the last round of a block.
    Stops,
    /// Draws numbers of its own.
    Unkeyed,
    /// Changes when it is asked for a prediction.
    Moves,
    /// Lets numbers overflow silently.
    Overflows,
    /// Counts one point too many.
    Miscounts,
    /// Breaks down without a cause.
    Mute,
    /// Learns from the clean inputs of a block.
    Cheats,
    /// Does not save its first weight.
    Forgets,
    /// Tells of a target what it knows afterwards.
    Hindsight,
    /// Tells of the last round of a block only.
    Terse,
}

/// Least mean squares, with a fault.
struct Lms {
    fault: Fault,
    weights: Vec<f64>,
    asked: Cell<f64>,
    rounds: u64,
    told: Vec<Predictive>,
}

static UNKEYED: AtomicU64 = AtomicU64::new(1);

impl Lms {
    fn new(fault: Fault, dim: usize) -> Self {
        Self { fault, weights: vec![0.0; dim], asked: Cell::new(0.0), rounds: 0, told: Vec::new() }
    }

    /// A normal distribution around the prediction, as if its variance were known.
    fn outlook(&self, x: &[f64]) -> Predictive {
        let mean = self.weights.iter().zip(x).map(|(w, x)| w * x).sum();
        Predictive::Ridge(Outlook { mean, leverage: 0.5, residuals: Residuals::default(), unit: 1.0 })
    }

    fn step(&mut self, x: &[f64], y: f64) -> Result<(), Breakdown> {
        self.rounds += 1;
        if self.fault == Fault::Terse {
            self.told.clear();
        }
        self.told.push(self.outlook(x));
        self.adapt(x, y)?;
        if self.fault == Fault::Hindsight {
            *self.told.last_mut().unwrap() = self.outlook(x);
        }
        Ok(())
    }

    fn adapt(&mut self, x: &[f64], y: f64) -> Result<(), Breakdown> {
        let value: f64 = self.weights.iter().zip(x).map(|(w, x)| w * x).sum();
        let length: f64 = 1.0 + x.iter().map(|x| x * x).sum::<f64>();
        self.weights.iter_mut().zip(x).for_each(|(w, x)| *w += 0.5 * (y - value) * x / length);
        if self.fault == Fault::Unkeyed {
            self.weights[0] += 1e-6 * UNKEYED.fetch_add(1, Ordering::Relaxed) as f64;
        }
        let sound = self.fault == Fault::Overflows || length.is_finite();
        let cause = if self.fault == Fault::Mute { String::new() } else { format!("|x|^2 = {length}") };
        if sound { Ok(()) } else { Err(Breakdown::new(cause)) }
    }
}

impl Hypothesis for Lms {
    fn predict(&self, x: &[f64], _: &mut Draw) -> f64 {
        if self.fault == Fault::Moves {
            self.asked.set(self.asked.get() + 1e-3);
        }
        let value: f64 = self.weights.iter().zip(x).map(|(w, x)| w * x).sum();
        let overflow =
            if self.fault == Fault::Overflows { x.iter().map(|x| 1e200 * x).sum::<f64>() * 1e-200 } else { 0.0 };
        value + self.asked.get() + overflow
    }

    fn predictive(&self, x: &[f64]) -> Option<Predictive> {
        Some(self.outlook(x))
    }

    fn predictives(&self) -> Option<Vec<Predictive>> {
        Some(self.told.clone())
    }

    fn gauges(&self) -> Gauges {
        let extra = u64::from(self.fault == Fault::Miscounts);
        Gauges { stored_points: Some(extra * (self.rounds + 1)), state_bytes: Some(8), ..Gauges::default() }
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        store.keep("rounds", &mut self.rounds)?;
        store.keep("weights", &mut self.weights[usize::from(self.fault == Fault::Forgets)..])
    }
}

impl Learner for Lms {
    fn learn(&mut self, x: &[f64], y: f64, _: &mut Draw) -> Result<(), Breakdown> {
        self.told.clear();
        self.step(x, y)
    }

    fn play(&mut self, block: Block<'_>, draws: &Draws, predictions: &mut [f64]) -> Result<(), Breakdown> {
        self.told.clear();
        for (i, (x, y)) in block.inputs.iter().zip(block.targets).enumerate() {
            let leak = if self.fault == Fault::Peeks { 1e-11 * block.targets[block.targets.len() - 1] } else { 0.0 };
            predictions[i] = self.predict(x, &mut draws.at(Role::Predict, block.first_round + i as u64)) + leak;
            if i == 0 || self.fault != Fault::LazyInBlocks {
                self.step(x, *y).map_err(|breakdown| Breakdown { after: i + 1, ..breakdown })?;
            }
        }
        Ok(())
    }
}

impl OracleLearner for Lms {
    fn learn(&mut self, oracle: &mut dyn Oracle, _: &mut Draw) -> Result<(), Breakdown> {
        let mut x = vec![0.0; oracle.dim()];
        oracle.x(&mut x);
        let y = oracle.y();
        self.step(&x, y)
    }

    fn in_blocks(&mut self) -> Option<&mut dyn BlockOracleLearner> {
        matches!(self.fault, Fault::Peeks | Fault::LazyInBlocks | Fault::Stops | Fault::Cheats).then_some(self as _)
    }
}

impl BlockOracleLearner for Lms {
    fn copies(&self) -> usize {
        1
    }

    fn play(&mut self, block: DrawnBlock<'_>, predictions: &mut [f64]) -> Result<(), Breakdown> {
        for (i, (prediction, y)) in predictions.iter_mut().zip(block.targets).enumerate() {
            let leak = if self.fault == Fault::Peeks { 1e-11 * block.targets[block.targets.len() - 1] } else { 0.0 };
            *prediction = self.predict(block.inputs.row(i), &mut Draws::named(&[]).at(Role::Predict, 0)) + leak;
            let x = if self.fault == Fault::Cheats && i > 100 { block.inputs.row(i) } else { block.copies.row(i) };
            if i == 0 || self.fault != Fault::LazyInBlocks {
                self.step(x, *y)?;
            }
        }
        if self.fault == Fault::Stops {
            return Err(Breakdown { after: predictions.len(), cause: "the block has ended".into() });
        }
        Ok(())
    }
}

/// The name of the broken law, if any.
fn name(kept: Result<(), Broken>) -> Option<&'static str> {
    kept.err().map(|broken| {
        assert!(broken.to_string().contains(broken.law) && !broken.place.is_empty(), "{broken}");
        broken.law
    })
}

#[test]
fn each_law_of_learners_refuses_one_that_breaks_it() {
    let laws = [
        (learner::blocks as learner::LearnerLaw, BLOCKS, Fault::LazyInBlocks),
        (learner::causality, CAUSALITY, Fault::Peeks),
        (learner::determinism, DETERMINISM, Fault::Unkeyed),
        (learner::prediction_teaches_nothing, NO_TEACHING, Fault::Moves),
        (learner::finite, FINITE, Fault::Overflows),
        (learner::finite, FINITE, Fault::Mute),
        (learner::distributions, DISTRIBUTIONS, Fault::Hindsight),
        (learner::distributions, DISTRIBUTIONS, Fault::Terse),
        (|make, dim| learner::gauges(make, dim, learner::GaugeLimits::NONE), GAUGES, Fault::Miscounts),
        (learner::saved, SAVED, Fault::Forgets),
    ];
    let make = |fault| move || -> Result<Box<dyn Learner>, ParamError> { Ok(Box::new(Lms::new(fault, 2))) };
    for (law, says, fault) in laws {
        assert_eq!(name(law(&make(fault), 2)), Some(says), "{fault:?}");
        assert_eq!(law(&make(Fault::None), 2), Ok(()), "{fault:?}");
        assert!(learner::all(&make(fault), 2).is_err(), "{fault:?}");
    }
    assert_eq!(learner::all(&make(Fault::None), 2), Ok(()));
}

#[test]
fn each_law_of_noisy_learners_refuses_one_that_breaks_it() {
    let laws = [
        (noisy::blocks as noisy::NoisyLearnerLaw, BLOCKS, Fault::LazyInBlocks),
        (noisy::blocks, BLOCKS, Fault::Stops),
        (noisy::causality, CAUSALITY, Fault::Peeks),
        (noisy::determinism, DETERMINISM, Fault::Unkeyed),
        (noisy::copies_alone_teach, NO_TEACHING, Fault::Moves),
        (noisy::copies_of_a_block_alone_teach, COPIES_TEACH, Fault::Cheats),
        (noisy::finite, FINITE, Fault::Mute),
        (|make, dim| noisy::gauges(make, dim, learner::GaugeLimits::NONE), GAUGES, Fault::Miscounts),
        (noisy::saved, SAVED, Fault::Forgets),
    ];
    let make = |fault| move || -> Result<Box<dyn OracleLearner>, ParamError> { Ok(Box::new(Lms::new(fault, 2))) };
    for (law, says, fault) in laws {
        assert_eq!(name(law(&make(fault), 2)), Some(says), "{fault:?}");
        assert_eq!(law(&make(Fault::None), 2), Ok(()), "{fault:?}");
        assert!(noisy::all(&make(fault), 2).is_err(), "{fault:?}");
    }
    assert_eq!(noisy::all(&make(Fault::None), 2), Ok(()));
}

/// k(x, z) = x_1 z_1 in one dimension, or something that is wrong in one way.
#[derive(Debug)]
struct Product(&'static str);

impl Kernel for Product {
    fn evaluate(&self, x: &[f64], z: &[f64]) -> f64 {
        match self.0 {
            kernel::SYMMETRIC => x[0] * z[0] + 1e-3 * x[0],
            kernel::POSITIVE => -x[0] * z[0],
            kernel::FINITE => (1e3 * x[0] * z[0]).exp(),
            _ => x[0] * z[0],
        }
    }

    fn diagonal(&self, x: &[f64]) -> f64 {
        self.evaluate(x, x) * if self.0 == kernel::DIAGONAL { 1.0 + 1e-9 } else { 1.0 }
    }

    fn row(&self, points: Rows<'_>, x: &[f64], out: &mut [f64]) {
        let extra = if self.0 == kernel::ROWS { 1.0 } else { 0.0 };
        out.iter_mut().zip(points.iter()).for_each(|(out, z)| *out = self.evaluate(z, x) + extra);
    }

    fn combine(&self, points: Rows<'_>, coefficients: &[f64], inputs: Rows<'_>, out: &mut [f64]) {
        for (out, x) in out.iter_mut().zip(inputs.iter()) {
            if self.0 == kernel::COMBINATIONS {
                *out = 0.0;
            }
            *out += points.iter().zip(coefficients).map(|(z, a)| a * self.evaluate(z, x)).sum::<f64>();
        }
    }
}

#[test]
fn each_law_of_kernels_refuses_one_that_breaks_it() {
    let laws = [
        (kernel::symmetric as kernel::KernelLaw, kernel::SYMMETRIC),
        (kernel::diagonal, kernel::DIAGONAL),
        (kernel::rows_and_blocks, kernel::ROWS),
        (kernel::combinations, kernel::COMBINATIONS),
        (kernel::positive_semidefinite, kernel::POSITIVE),
        (kernel::finite, kernel::FINITE),
    ];
    assert_eq!(laws.len(), kernel::LAWS.len());
    let points = LawRounds::smooth(1, 60).inputs;
    for (law, says) in laws {
        assert_eq!(name(law(&Product(says), points.view())), Some(says));
        assert_eq!(law(&Product(""), points.view()), Ok(()));
    }
    assert_eq!(kernel::all(&Product(""), points.view()), Ok(()));
}

const fn spec(name: &'static str, kind: Kind, default: Fallback) -> Spec {
    Spec { name, doc: "a number", kind, default }
}

const REAL: Kind = Kind::Real { range: Range::POSITIVE, words: &[] };
const RATE: Spec = spec("rate", REAL, Fallback::Real(0.5));
const GOOD: &[Spec] = &[RATE, spec("kernel", Kind::Part(PartKind::Kernel), Fallback::Part("gaussian"))];

#[test]
fn each_law_of_parameters_refuses_a_declaration_that_breaks_it() {
    const ANY_WORD: &[Spec] = &[spec("word", Kind::Choice(&["no such word"]), Fallback::Word("no such word"))];
    const ALIKE: &[Spec] = &[RATE, spec("ratex", REAL, Fallback::Real(0.5))];
    const NO_PART: &[Spec] = &[spec("kernel", Kind::Part(PartKind::Kernel), Fallback::Part("nothing"))];
    const OUTSIDE: &[Spec] = &[spec("rate", REAL, Fallback::Real(-0.5))];
    let laws = [
        (parameters::refused_by_name as parameters::ParameterLaw, parameters::REFUSED, ANY_WORD),
        (parameters::nearest_name, parameters::NEAREST, ALIKE),
        (parameters::nested_path, parameters::NESTED, NO_PART),
        (parameters::defaults, parameters::DEFAULTS, OUTSIDE),
    ];
    assert_eq!(laws.len(), parameters::LAWS.len());
    for (law, says, specs) in laws {
        assert_eq!(name(law(specs)), Some(says));
        assert_eq!(law(GOOD), Ok(()));
    }
}

const fn lms(learner: Recipe) -> LearnerEntry {
    LearnerEntry { name: "lms", summary: "least mean squares", module: module_path!(), params: &[RATE], build: learner }
}

#[test]
fn laws_of_entries_refuse_one_that_breaks_them() {
    static SOUND: LearnerEntry = lms(Recipe {
        learner: |_, setting| Ok(AnyLearner::Full(Box::new(Lms::new(Fault::None, setting.dim)))),
        cost: |_, rounds, dim| Cost { flops: (rounds * dim as u64) as f64, bytes: 8.0 * dim as f64 },
        drawn_by: &[],
        about: About::grid(&[]),
    });
    static FREE: LearnerEntry = lms(Recipe { cost: |_, _, _| Cost::default(), ..SOUND.build });
    static SULLEN: LearnerEntry = lms(Recipe {
        learner: |params, setting| match setting.horizon {
            None => Err(ParamError::refused("rate", "no")),
            Some(_) => (SOUND.build.learner)(params, setting),
        },
        ..SOUND.build
    });
    static REFUSES: LearnerEntry =
        lms(Recipe { learner: |_, _| Err(ParamError::refused("rate", "never")), ..SOUND.build });
    static MOVES: LearnerEntry = lms(Recipe {
        learner: |_, setting| Ok(AnyLearner::Full(Box::new(Lms::new(Fault::Moves, setting.dim)))),
        ..SOUND.build
    });
    assert_eq!(entry::all(&SOUND), Ok(()));
    assert_eq!(name(entry::all(&FREE)), Some(entry::COSTS));
    assert_eq!(name(entry::all(&SULLEN)), Some(entry::HORIZON));
    assert_eq!(name(entry::all(&REFUSES)), Some(DEFAULTS_BUILD));
    assert!(entry::all(&MOVES).unwrap_err().place.starts_with("lms {"));
}

#[test]
fn costs_are_forecast() {
    for entry in LEARNERS.iter() {
        for case in LearnerCase::of(entry).unwrap() {
            entry::costs(&case).unwrap_or_else(|broken| panic!("{case}: {broken}"));
        }
    }
}

/// A formula in the number of rounds is refused if that number is not known; everything else still builds.
#[test]
fn formulas_that_need_the_horizon_say_so() {
    LEARNERS.iter().for_each(|entry| entry::horizon_is_asked_for(entry).unwrap());
}
