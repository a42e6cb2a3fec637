//! Contests against a clock that is set by hand: who plays takes as long as it is said to.

use std::sync::Mutex;

use super::*;
use crate::compare::crew::tests::Manual;
use crate::compare::crew::{Budget, Clock as _, Leash};
use crate::compare::played::LossSums;

/// Learners with the same settings each; a setting's loss in every round is that of `loss`.
struct World {
    clock: Arc<Manual>,
    /// Seconds of a round, by learner; infinite for one that never answers.
    seconds: Vec<f64>,
    /// The learner of each setting.
    learners: Vec<usize>,
    loss: fn(usize, u64) -> f64,
    /// Setting, seed, rows, and when it began.
    log: Mutex<Vec<(usize, u32, u64, f64)>>,
    known: u64,
    /// The power of the number of rows that the forecast of a cost grows with; the cost itself grows with the number.
    power: i32,
}

impl RunPlayer for World {
    fn play(&self, run: &SettingRun, leash: &Leash) {
        self.log.lock().unwrap().push((run.setting, run.seed, run.rows, self.clock.seconds()));
        let seconds = self.seconds[self.learners[run.setting]];
        if seconds.is_infinite() {
            while leash.goes_on() {
                self.clock.pass(0.01);
            }
            // It does not even look at its leash.
            loop {
                std::thread::park();
            }
        }
        let (mut played, mut part) = (RunOutcome::default(), LossSums::default());
        let steps = 200.min(run.rows);
        for step in 1..=steps {
            if !leash.goes_on() {
                return;
            }
            let (from, to) = (run.rows * (step - 1) / steps, run.rows * step / steps);
            self.clock.pass((to - from) as f64 * seconds);
            played.rounds = to;
            let loss = (self.loss)(run.setting, to) * (to - from) as f64;
            played.later.squared += loss;
            part.squared += loss;
            let here = run.marks.iter().filter(|round| **round > from && **round <= to);
            played.parts.extend(here.map(|round| (*round, std::mem::take(&mut part))));
            played.seconds += (to - from) as f64 * seconds;
            leash.tell(played.clone());
        }
    }

    fn known(&self, run: &SettingRun) -> bool {
        run.rows == self.known
    }

    /// The forecast knows the shape of the costs, and nothing of the machine.
    fn cost(&self, _: usize, rows: u64) -> Cost {
        Cost { flops: (rows as f64).powi(self.power) * 1e3, bytes: 0.0 }
    }
}

/// The learners of a test: seconds of a round, settings, whether it always takes part.
type Cast = [(f64, usize, bool)];

/// What they are called.
const NAMES: [&str; 6] = ["first", "second", "third", "fourth", "fifth", "sixth"];

fn world(cast: &Cast, loss: fn(usize, u64) -> f64) -> Arc<World> {
    let learners = cast.iter().enumerate().flat_map(|(learner, one)| vec![learner; one.1]).collect();
    let seconds = cast.iter().map(|one| one.0).collect();
    Arc::new(World { clock: Arc::default(), seconds, learners, loss, log: Mutex::default(), known: 0, power: 1 })
}

fn played(world: &Arc<World>, cast: &Cast, rows: u64, budget: f64) -> (ContestResult, Vec<String>) {
    let said = Mutex::new(Vec::new());
    let found = contest(&Contest {
        lineup: &Lineup {
            learners: world.learners.clone(),
            names: NAMES[..cast.len()].to_vec(),
            always: cast.iter().map(|one| one.2).collect(),
            seeds: vec![1; cast.len()],
        },
        field: world.clone(),
        rows,
        memory: 1e9,
        metric: CompareMetric::Squared,
        crew: &Crew {
            threads: 1,
            clock: world.clock.clone(),
            budget: Budget { seconds: budget },
            interrupted: &|| false,
            say: &|line| said.lock().unwrap().push(line.to_owned()),
        },
    });
    (found, said.into_inner().unwrap())
}

/// What the budget promises of a log of runs: none begins late. The end of all is the clock's.
fn keeps(log: &[(usize, u32, u64, f64)], end: f64, budget: f64) -> bool {
    log.iter().all(|(_, _, _, begin)| *begin < budget) && end <= 1.25 * budget
}

fn level(setting: usize, _: u64) -> f64 {
    setting as f64
}

#[test]
fn rungs_grow_fourfold() {
    assert_eq!(rungs(442), [442]);
    assert_eq!(rungs(64_000), [1_000, 4_000, 16_000, 64_000]);
    assert_eq!(rungs(0), [0]);
}

/// Setting 1 is better on the rows that choose, setting 2 on those that judge: 1 is chosen, and judged by the others.
#[test]
fn rows_that_judge_choose_nothing() {
    let cast = [(1e-6, 1, true), (1e-6, 2, false)];
    let loss = |setting: usize, round: u64| match (setting, round <= 500) {
        (1, true) | (2, false) => 1.0,
        _ => 3.0,
    };
    let world = world(&cast, loss);
    let (found, said) = played(&world, &cast, 1_001, 100.0);
    assert_eq!(found.rows, 1_000);
    let one = &found.judged[1];
    assert_eq!((one.setting, one.chosen_on, one.settings, one.finalists), (1, 500, 2, 2));
    let run = &one.runs[0].1;
    assert_eq!([0, 500].map(|from| run.between(from, from + 500).unwrap().squared), [500.0, 1_500.0]);
    // The search saw no row of the second half, and all play from the first row on.
    let log = world.log.lock().unwrap();
    assert!(log.iter().all(|(_, _, rows, _)| *rows == 500 || *rows == 1_000), "{log:?}");
    assert_eq!(log.iter().filter(|(_, _, rows, _)| *rows == 1_000).count(), 2);
    assert!(said.last().unwrap().contains("rows 501 to 1000"), "{said:?}");
}

#[test]
fn a_long_budget_halves_nothing_and_a_short_one_does() {
    let cast = [(1e-7, 1, true), (1e-5, 8, false)];
    let wide = world(&cast, level);
    let (found, _) = played(&wide, &cast, 64_000, 1_000.0);
    assert_eq!((found.rows, found.judged[1].setting, found.judged[1].finalists), (64_000, 1, 8));
    let tight = world(&cast, level);
    let (found, _) = played(&tight, &cast, 64_000, 3.0);
    let one = &found.judged[1];
    assert!(found.rows == 64_000 && one.setting == 1 && one.finalists < 8, "{found:?}");
    assert!(one.chosen_on <= found.rows / 2 && keeps(&tight.log.lock().unwrap(), tight.clock.seconds(), 3.0));
}

/// Ten million rows in 20 s: baselines of 50 ns, what is always there of 60 us, and others up to a millisecond a row.
#[test]
fn ten_million_rows_keep_to_the_budget() {
    let cast =
        [(5e-8, 1, true), (5e-8, 1, true), (6e-5, 1, true), (1e-6, 6, false), (2e-5, 6, false), (1e-3, 6, false)];
    let world = world(&cast, level);
    let (found, said) = played(&world, &cast, 10_000_000, 20.0);
    let log = world.log.lock().unwrap();
    let end = world.clock.seconds();
    assert!(keeps(&log, end, 20.0), "{end}: {log:?}");
    // It plays fewer rows, but those whom it ranks played all of them.
    assert!((1_000..1_000_000).contains(&found.rows) && found.rows % 2 == 0, "{}", found.rows);
    for one in &found.judged {
        assert!(one.runs.iter().all(|(_, run)| run.rounds == found.rows), "{one:?}");
    }
    let ranked =
        |learner: usize| found.judged.iter().any(|one| world.learners[one.setting] == learner && !one.runs.is_empty());
    assert!([0, 1, 2, 3].into_iter().all(ranked), "{found:?}");
    assert!(said.iter().any(|line| line.starts_with("judging")), "{said:?}");
    // The check refuses what breaks the promise.
    assert!(!keeps(&[(0, 0, 10, 20.5)], 21.0, 20.0) && !keeps(&log, 25.5, 20.0));
}

/// A short file whose learners cannot all play it in time: what the first rows have chosen is judged by the others, and a
/// learner without a choice has chosen on no row.
#[test]
fn what_was_chosen_is_judged_on_other_rows() {
    let cast = [(2e-2, 1, true), (1e-3, 3, false)];
    let world = world(&cast, level);
    let (found, said) = played(&world, &cast, 1_000, 45.0);
    assert_eq!(found.rows, 1_000, "{said:?}");
    assert_eq!(found.judged.iter().map(|one| one.chosen_on).collect::<Vec<_>>(), [0, 500]);
    assert!(found.judged.iter().all(|one| one.runs.len() == 1), "{found:?}");
    assert!(keeps(&world.log.lock().unwrap(), world.clock.seconds(), 45.0));
}

/// One that never answers takes only its share of the time, and is not ranked; the others are.
#[test]
fn a_learner_that_never_ends_is_cut() {
    for always in [false, true] {
        let cast = [(1e-6, 1, true), (f64::INFINITY, 1, always), (1e-6, 3, false)];
        let world = world(&cast, level);
        let (found, _) = played(&world, &cast, 2_000, 20.0);
        assert!(keeps(&world.log.lock().unwrap(), world.clock.seconds(), 20.0), "{}", world.clock.seconds());
        let stuck = found.judged.iter().find(|one| world.learners[one.setting] == 1);
        assert!(stuck.is_none_or(|one| one.runs.is_empty()), "{found:?}");
        let told = found.left_out.iter().any(|(learner, why)| *learner == NAMES[1] && why.contains("in time"));
        assert_eq!(told, !always, "{found:?}");
        for other in [0, 2] {
            assert!(
                found.judged.iter().any(|one| world.learners[one.setting] == other && one.runs.len() == 1),
                "{found:?}"
            );
        }
    }
}

/// What an earlier call has judged on all rows keeps them in play, whatever the budget is.
#[test]
fn fewer_rows_are_never_played_than_before() {
    let cast = [(1e-3, 1, true)];
    let slow = world(&cast, level);
    assert!(played(&slow, &cast, 100_000, 10.0).0.rows < 100_000);
    let known = Arc::new(World { known: 100_000, ..Arc::into_inner(world(&cast, level)).unwrap() });
    assert_eq!(played(&known, &cast, 100_000, 10.0).0.rows, 100_000);
}

/// Forecasts that are far too high leave time: all who were ranked go on with more rows, and all are told of the same ones.
#[test]
fn time_that_is_left_is_used() {
    let cast = [(1e-4, 1, true), (1e-4, 3, false)];
    let world = Arc::new(World { power: 2, ..Arc::into_inner(world(&cast, level)).unwrap() });
    let (found, said) = played(&world, &cast, 1_000_000, 20.0);
    let (log, end) = (world.log.lock().unwrap(), world.clock.seconds());
    // The first judging ends after less than 4 s.
    assert!(keeps(&log, end, 20.0) && end > 8.0, "{end}: {said:?}");
    assert!(said.iter().any(|line| line.contains("s are left: all go on with")), "{said:?}");
    let judging: Vec<_> = said.iter().filter(|line| line.starts_with("judging")).collect();
    assert!(judging.len() > 1 && judging[judging.len() - 1].ends_with(&format!("to {}", found.rows)), "{said:?}");
    assert_eq!(found.judged.iter().map(|one| one.setting).collect::<Vec<_>>(), [0, 1]);
    for one in &found.judged {
        assert!(one.chosen_on <= found.rows / 2 && one.runs.iter().all(|(_, run)| run.rounds == found.rows), "{one:?}");
        assert_eq!(one.runs.len(), 1);
    }
}

/// Whoever would not reach the end again keeps all at the rows that all have played.
#[test]
fn more_rows_for_some_do_not_count() {
    let cast = [(1e-4, 1, true), (1e-4, 3, false)];
    let stuck: fn(usize, u64) -> f64 = |setting, round| if setting > 0 && round > 20_000 { f64::INFINITY } else { 1.0 };
    let world = Arc::new(World { power: 2, ..Arc::into_inner(world(&cast, stuck)).unwrap() });
    let (found, said) = played(&world, &cast, 1_000_000, 20.0);
    assert!(said.iter().any(|line| line.contains("s are left")), "{said:?}");
    assert!(found.rows <= 20_000 && found.judged.iter().all(|one| one.runs.len() == 1), "{}", found.rows);
}

/// A learner whose every setting breaks down is left out; so is one that would not fit into the memory.
#[test]
fn breakdowns_are_told() {
    let cast = [(1e-6, 1, true), (1e-6, 2, false)];
    let world = world(&cast, |setting, _| if setting == 0 { 1.0 } else { f64::INFINITY });
    let (found, _) = played(&world, &cast, 400, 10.0);
    assert_eq!(found.judged.len(), 1);
    assert!(found.left_out[0].1.contains("broke down on the first 200 rows"), "{found:?}");
}
