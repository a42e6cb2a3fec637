//! A declared learner that never answers, in a process of its own, against a clock that is set by hand.

use std::fs;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use noregret_core::learner::about::Compared;
use noregret_numeric::linalg::matrix::Matrix;

use super::*;
use crate::compare::candidates::{Wishes, candidates};
use crate::compare::crew::{Budget, Clock};
use crate::config::learners::Learners;

/// Seconds pass only while the learner that sleeps is the only one that plays.
#[derive(Default)]
struct Patient {
    now: Mutex<f64>,
    asleep: AtomicBool,
    others: AtomicUsize,
}

impl Clock for Patient {
    fn seconds(&self) -> f64 {
        *self.now.lock().unwrap()
    }

    fn waited(&self) {
        if self.asleep.load(Ordering::SeqCst) && self.others.load(Ordering::SeqCst) == 0 {
            *self.now.lock().unwrap() += 1.0;
        }
    }
}

/// An arena that tells the clock who plays.
struct Watched {
    arena: Arena,
    clock: Arc<Patient>,
}

impl RunPlayer for Watched {
    fn play(&self, run: &SettingRun, leash: &Leash) {
        let sleeper = self.arena.settings[run.setting].learner.name == "sleeper";
        if sleeper {
            self.clock.asleep.store(true, Ordering::SeqCst);
            return self.arena.play(run, leash);
        }
        self.clock.others.fetch_add(1, Ordering::SeqCst);
        self.arena.play(run, leash);
        self.clock.others.fetch_sub(1, Ordering::SeqCst);
    }

    fn known(&self, run: &SettingRun) -> bool {
        self.arena.known(run)
    }

    fn cost(&self, setting: usize, rows: u64) -> Cost {
        self.arena.cost(setting, rows)
    }
}

#[test]
fn a_process_that_never_answers_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("pipeline/learners")).unwrap();
    let declared = "summary = \"sleeps\"\nversion = \"1\"\n\
                    command = [\"/bin/sh\", \"-c\", \"read -r hello; sleep 1000\"]\n[limits]\nstart = 1e5\n";
    fs::write(folder.path().join("pipeline/learners/sleeper.toml"), declared).unwrap();
    let known = Arc::new(Learners::load(folder.path()).unwrap());
    let wishes = Wishes { learners: vec!["sleeper".into(), "linear-ogd".into()], known, ..Wishes::default() };
    let inputs = Matrix::from_data(300, 1, (0..300).map(|i| f64::from(i % 7) / 7.0).collect()).unwrap();
    let measure = Measure::of(inputs.view(), &[1.0], false);
    let settings: Vec<_> = candidates(&wishes, &measure).unwrap();
    let settings: Vec<_> = settings
        .into_iter()
        .filter(|one| matches!(one.learner.build.about.compared, Compared::Baseline | Compared::Grid(_)))
        .collect();
    let mut names: Vec<&str> = settings.iter().map(|one| one.learner.name).collect();
    let mut own = vec![0];
    own.extend(names.windows(2).scan(0, |learner, pair| {
        *learner += usize::from(pair[0] != pair[1]);
        Some(*learner)
    }));
    names.dedup();
    let targets = (0..300).map(|i| f64::from(i % 7) - 3.0).collect();
    let plate = Plate {
        several: None,
        inputs: inputs.into(),
        targets,
        order: None,
        middle: None,
        quantities: vec![true],
        content: "test".into(),
    };
    let memory = PlayMemory::open(folder.path(), "test");
    let clock = Arc::new(Patient::default());
    let field = Arc::new(Watched { arena: Arena::new(plate, settings, Vec::new(), 0, memory), clock: clock.clone() });
    let always: Vec<bool> = names.iter().map(|name| !["sleeper", "linear-ogd"].contains(name)).collect();
    let lineup = Lineup { learners: own, names: names.clone(), always, seeds: vec![1; names.len()] };
    let found = contest(&Contest {
        lineup: &lineup,
        field,
        rows: 300,
        memory: 1e9,
        metric: CompareMetric::Squared,
        crew: &Crew {
            threads: 2,
            clock: clock.clone(),
            budget: Budget { seconds: 1_000.0 },
            interrupted: &|| false,
            say: &|_| {},
        },
    });
    assert!(clock.asleep.load(Ordering::SeqCst) && clock.seconds() <= 1_250.0, "{}", clock.seconds());
    assert!(found.left_out.iter().any(|(one, why)| *one == "sleeper" && why.contains("in time")), "{found:?}");
    let judged = found.judged.iter().filter(|one| one.runs.len() == 1).count();
    assert_eq!((judged, found.rows), (names.len() - 1, 300), "{found:?}");
}
