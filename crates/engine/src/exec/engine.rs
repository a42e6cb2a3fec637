//! A run: the ready steps of all stages share one pool of threads.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::exec::inputs::{KeptProduct, NOT_MADE, Outcomes};
use crate::exec::interrupt::Interrupt;
use crate::exec::journal::{self, Journal, RunLine};
use crate::exec::lease::Leases;
use crate::exec::make::{Maker, StepEnd};
use crate::exec::packer::{Packer, of_dead};
use crate::exec::progress::{Progress, Reporter, duration};
use crate::exec::queue::{Next, Queue};
pub use crate::exec::request::{RunError, RunRequest};
use crate::exec::request::{RunScope, divide};
use crate::exec::scratch::Scratch;
pub use crate::exec::shared::SharedCount;
use crate::exec::shared::SharedPacks;
use crate::exec::store::{ResultStore, StoreError};
use crate::exec::tenancy::Share;
use crate::exec::{clock, manifest, memory, records};
use crate::plan::estimate::CostRates;
use crate::plan::key::hex;
use crate::plan::planner::{ItemStanding, Plan, plan};
use crate::plan::reason::Reason;
use crate::plan::select::Selection;
use crate::plan::work::{Digest, Graph, Storage, Unavailable};

/// An item that was not made.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemEnd<T> {
    /// The stage's name.
    pub stage: String,
    /// The item's label.
    pub item: String,
    /// Why not.
    pub why: T,
}

/// What a run did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunSummary {
    /// Steps of the plan.
    pub planned: usize,
    /// Items that were asked for and were already there.
    pub fresh: usize,
    /// Items that were made, in the order in which they ended: stage, index within the stage, key.
    pub made: Vec<(String, usize, String)>,
    /// Items of the plan that another run made meanwhile.
    pub found: usize,
    /// Damaged objects that were rebuilt in addition to the plan.
    pub rebuilt: usize,
    /// Items that failed.
    pub failed: Vec<ItemEnd<String>>,
    /// Items that were not tried because an input failed.
    pub skipped: Vec<ItemEnd<String>>,
    /// Items that cannot be made here.
    pub unavailable: Vec<ItemEnd<Unavailable>>,
    /// Steps that were never begun because the run was stopped.
    pub left: usize,
    /// Products that the run leaves outdated: they were made from other bytes than their inputs have now. Either they
    /// were not asked for, or something that had been lost came out differently when it was made again.
    pub outdated: usize,
    /// Cells that are missing and that this run was told to do without.
    pub absent: usize,
    /// What was taken from the place where the store is shared, and put there.
    pub shared: Option<SharedCount>,
    /// The signal that interrupted the run.
    pub signal: Option<i32>,
    /// Why the run could not go on.
    pub stopped: Option<String>,
    /// Whether it ended because another run is making all that is left.
    pub busy: bool,
    /// Seconds that it took.
    pub seconds: f64,
}

/// Plans what [`run`] would do with the same request. Writes nothing.
pub fn dry_run(graph: &Graph, request: &RunRequest, store: &ResultStore) -> Result<(Plan, CostRates), RunError> {
    let snapshot = records::snapshot(store, false, Some(clock::now()))?;
    let (plan, _) = divide(graph, request, store, &snapshot, true)?;
    let rates = if plan.steps.is_empty() { CostRates::default() } else { journal::rates(store)? };
    Ok((plan, rates))
}

/// Makes a plan and executes it. Writes nothing if there is nothing to do.
pub fn run(
    graph: &Graph,
    request: &RunRequest,
    store: &ResultStore,
    reporter: &dyn Reporter,
    interrupt: &Interrupt,
) -> Result<RunSummary, RunError> {
    let begin = Instant::now();
    // What the snapshot finds is not removed before the run is over.
    let _share = Share::to_read(store);
    let snapshot = records::snapshot(store, true, Some(clock::now()))?;
    let (plan, absent) = divide(graph, request, store, &snapshot, false)?;
    let mut summary = RunSummary { planned: plan.steps.len(), fresh: plan.fresh(), ..RunSummary::default() };
    summary.absent = absent.len();
    summary.unavailable.extend(plan.unavailable().map(|(stage, item, why)| end(graph, stage, item, why.clone())));
    let shared = store.remote().map(|remote| SharedPacks::open(remote, store, reporter, graph, &plan)).transpose()?;
    if let Some(shared) = &shared {
        shared.offer_fresh(&plan, &snapshot);
    }
    if plan.steps.is_empty() {
        let dead = of_dead(store);
        if !dead.is_empty() {
            let tidied = Scratch::open(store).and_then(|scratch| Packer::new(store, &scratch).tidy_after(dead));
            tidied.unwrap_or_else(|error| reporter.say(&format!("warning: {error}")));
        }
        summary.shared = shared.as_ref().map(SharedPacks::send_all);
        return Ok(summary);
    }
    let rates = journal::rates(store)?;
    let pool = pool(request.jobs)?;
    let mut stage_left = vec![0; graph.stages.len()];
    plan.steps.iter().for_each(|step| stage_left[step.stage] += 1);
    let (scratch, memory) = (Scratch::open(store)?, memory::total());
    let run = Execution {
        plan: &plan,
        maker: Maker {
            graph,
            store,
            snapshot: &snapshot,
            reporter,
            interrupt,
            outcomes: Outcomes::new(graph, &plan, store, &snapshot),
            scratch: &scratch,
            packer: Packer::new(store, &scratch),
            leases: Leases::new(scratch.folder().to_owned()),
            journal: Journal::new(store),
            shared: shared.as_ref(),
            memory,
            stopped: OnceLock::new(),
            rebuilt: AtomicUsize::new(0),
            complained: AtomicBool::new(false),
            yields: request.scope == RunScope::NoCells,
        },
        request,
        queue: Mutex::new(Queue::new(graph, &plan, &rates, 0.7 * memory)),
        tally: Mutex::new(RunTally { summary, stage_left, stage_ends: vec![StageEnd::default(); graph.stages.len()] }),
        stopping: AtomicBool::new(false),
        otherwise: AtomicBool::new(false),
        waiting: AtomicBool::new(false),
        measured: rates != CostRates::default(),
        jobs: pool.current_num_threads(),
    };
    for (stage, item, reason) in absent {
        // Recorded as if this run had tried, so that what is made from the remaining cells is the same.
        let outcomes = &run.maker.outcomes;
        let why = match reason {
            Reason::FailedBefore(error) => error.into(),
            _ => outcomes.failed_input(stage, item).unwrap_or_else(|| NOT_MADE.to_owned()),
        };
        outcomes.failed(stage, item, why);
    }
    run.carry_out(&pool);
    run.close(begin)
}

/// A pool of `jobs` threads; 0 stands for one per core.
fn pool(jobs: usize) -> Result<rayon::ThreadPool, RunError> {
    let jobs = match jobs {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        jobs => jobs,
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).build();
    pool.map_err(|error| RunError::Start(error.to_string()))
}

fn end<T>(graph: &Graph, stage: usize, item: usize, why: T) -> ItemEnd<T> {
    ItemEnd { stage: graph.stages[stage].name.clone(), item: graph.stages[stage].work.label(item), why }
}

/// A run in progress.
struct Execution<'a> {
    plan: &'a Plan,
    maker: Maker<'a>,
    request: &'a RunRequest,
    queue: Mutex<Queue>,
    tally: Mutex<RunTally>,
    stopping: AtomicBool,
    /// Whether a product came out with other bytes than it had before.
    otherwise: AtomicBool,
    waiting: AtomicBool,
    measured: bool,
    jobs: usize,
}

struct RunTally {
    summary: RunSummary,
    stage_left: Vec<usize>,
    stage_ends: Vec<StageEnd>,
}

#[derive(Clone, Default)]
struct StageEnd {
    made: usize,
    other: usize,
    failed: usize,
    unavailable: usize,
    seconds: f64,
}

/// How long a worker sleeps when it finds nothing to do, and how often it looks again at steps that another run has.
const IDLE: Duration = Duration::from_millis(1);
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// How often it is seen whether there is something to pack, or to send.
const TIDY_AGAIN: Duration = Duration::from_millis(500);

impl Execution<'_> {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tally(&self) -> MutexGuard<'_, RunTally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has the threads of the pool take steps until none are left.
    fn carry_out(&self, pool: &rayon::ThreadPool) {
        if self.maker.scratch.followed_dead {
            self.maker
                .reporter
                .say("an earlier run did not end in order (was it killed?): what it had finished is kept");
        }
        self.maker.note(self.maker.packer.tidy_after(of_dead(self.maker.store)));
        self.maker.reporter.begin(&self.progress());
        for step in &self.plan.steps {
            if let Reason::Damaged(_) | Reason::Gone(_) = step.reason {
                let stage = &self.maker.graph.stages[step.stage].name;
                self.maker.reporter.say(&format!("{stage}: {}; making it again", step.reason));
            }
        }
        let over = (Mutex::new(false), Condvar::new());
        std::thread::scope(|scope| {
            scope.spawn(|| self.watch(&over));
            scope.spawn(|| self.tidy(&over));
            pool.broadcast(|_| self.work());
            *over.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
            over.1.notify_all();
        });
        self.maker.reporter.end();
    }

    fn progress(&self) -> Progress {
        let (left, seconds) = {
            let queue = self.queue();
            (queue.left(), queue.seconds_left())
        };
        let seconds_left = self.measured.then(|| seconds / self.jobs as f64);
        let tally = self.tally();
        let total = self.plan.steps.len();
        Progress { done: total - left, total, failed: tally.summary.failed.len(), seconds_left }
    }

    /// Whether no further step is begun; running steps are finished.
    fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed) || self.maker.stopped.get().is_some()
    }

    /// Keeps the display alive until the work is over.
    fn watch(&self, (over, changed): &(Mutex<bool>, Condvar)) {
        let mut told = 0;
        let mut guard = over.lock().unwrap_or_else(PoisonError::into_inner);
        while !*guard {
            guard = changed.wait_timeout(guard, Duration::from_millis(100)).unwrap_or_else(PoisonError::into_inner).0;
            match (self.maker.interrupt.signal(), self.maker.interrupt.last_call()) {
                (Some(_), _) if told < 2 => {
                    told = 2;
                    self.maker
                        .reporter
                        .say("interrupted: finishing what is being written (interrupt again to stop at once)");
                }
                (None, Some(_)) if told < 1 => {
                    told = 1;
                    self.maker
                        .reporter
                        .say("warned that time is running out: finishing what has begun, beginning nothing more");
                }
                _ => {}
            }
            self.maker.reporter.tick(&self.progress());
        }
    }

    /// Makes packs, and sends them to whom the store is shared with, until the work is over.
    fn tidy(&self, (over, changed): &(Mutex<bool>, Condvar)) {
        let mut guard = over.lock().unwrap_or_else(PoisonError::into_inner);
        while !*guard {
            guard = changed.wait_timeout(guard, TIDY_AGAIN).unwrap_or_else(PoisonError::into_inner).0;
            if !*guard {
                drop(guard);
                self.maker.note(self.maker.packer.tidy_due());
                if let Some(shared) = self.maker.shared {
                    shared.send_due();
                }
                guard = over.lock().unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    /// One worker: takes steps until none are left. While it has nothing to do, it helps the others with the parallel
    /// parts of their steps.
    fn work(&self) {
        let mut looked = Instant::now();
        loop {
            if self.is_stopping() || self.maker.interrupt.last_call().is_some() {
                return;
            }
            let again = looked.elapsed() >= LOOK_AGAIN;
            let next = {
                let mut queue = self.queue();
                if queue.only_held() {
                    if self.request.no_wait {
                        drop(queue);
                        self.tally().summary.busy = true;
                        self.stopping.store(true, Ordering::Relaxed);
                        return;
                    }
                    if !self.waiting.swap(true, Ordering::Relaxed) {
                        self.maker.reporter.say("another run is making what is left; waiting for it");
                    }
                }
                queue.take(again)
            };
            match next {
                Next::Step(step) => self.step(step),
                Next::Again(step) => {
                    self.step(step);
                    looked = Instant::now();
                }
                Next::Wait => {
                    if rayon::yield_now() != Some(rayon::Yield::Executed) {
                        std::thread::sleep(IDLE);
                    }
                }
                Next::Done => return,
            }
        }
    }

    fn step(&self, index: usize) {
        let step = &self.plan.steps[index];
        let begin = Instant::now();
        let (stage, item) = (step.stage, step.item);
        let (key, ended) = self.maker.attempt(stage, item, &step.reason);
        let outcomes = &self.maker.outcomes;
        match &ended {
            StepEnd::Held => return self.queue().hold(index),
            StepEnd::Interrupted => return self.queue().stop(index),
            StepEnd::Made(kept) | StepEnd::Found(kept) => {
                if self.plan.contents[stage][item].is_some_and(|before| before != kept.content) {
                    self.otherwise.store(true, Ordering::Relaxed);
                }
                outcomes.done(stage, item, &key, kept);
                self.share(stage, kept);
            }
            StepEnd::Failed(error) | StepEnd::Skipped(error) => outcomes.failed(stage, item, error.clone()),
            StepEnd::Unavailable(unavailable) => outcomes.unavailable(stage, item, unavailable.clone()),
        }
        self.count(index, key, ended, begin.elapsed().as_secs_f64());
        self.queue().finish(index);
        self.maker.reporter.step(&self.progress());
    }

    /// Offers an object to whom the store is shared with.
    fn share(&self, stage: usize, kept: &KeptProduct) {
        if let (Some(shared), Storage::Object { .. }) = (self.maker.shared, self.maker.graph.stages[stage].storage) {
            let names = kept.files.iter().filter_map(|path| path.file_name()?.to_str());
            names.for_each(|name| shared.offer(name));
        }
    }

    fn count(&self, index: usize, key: Digest, ended: StepEnd, seconds: f64) {
        let step = &self.plan.steps[index];
        let name = &self.maker.graph.stages[step.stage].name;
        let mut guard = self.tally();
        let RunTally { summary, stage_left, stage_ends } = &mut *guard;
        let stage = &mut stage_ends[step.stage];
        stage.seconds += seconds;
        match ended {
            StepEnd::Made(_) => {
                stage.made += 1;
                summary.made.push((name.clone(), step.item, hex(key)));
            }
            StepEnd::Found(_) => {
                stage.other += 1;
                summary.found += 1;
            }
            StepEnd::Failed(why) => {
                stage.failed += 1;
                summary.failed.push(end(self.maker.graph, step.stage, step.item, why));
                if self.request.fail_fast {
                    self.stopping.store(true, Ordering::Relaxed);
                }
            }
            StepEnd::Skipped(why) => {
                stage.failed += 1;
                summary.skipped.push(end(self.maker.graph, step.stage, step.item, why));
            }
            StepEnd::Unavailable(why) => {
                stage.unavailable += 1;
                summary.unavailable.push(end(self.maker.graph, step.stage, step.item, why));
            }
            StepEnd::Held | StepEnd::Interrupted => {}
        }
        stage_left[step.stage] -= 1;
        if stage_left[step.stage] == 0 {
            let line = stage.line();
            drop(guard);
            self.maker.reporter.stage(name, &line);
        }
    }

    /// Sums up the run and writes its manifests and its line of the log.
    fn close(self, begin: Instant) -> Result<RunSummary, RunError> {
        let signal = self.maker.interrupt.last_call();
        let stopped_early = self.queue().left();
        let mut summary = std::mem::take(&mut self.tally().summary);
        summary.left = stopped_early;
        self.maker.note(self.maker.packer.tidy());
        // Whoever interrupts a run does not wait for a network.
        let share = if self.maker.interrupt.signal().is_some() { SharedPacks::count } else { SharedPacks::send_all };
        summary.shared = self.maker.shared.map(share);
        let is_sent = summary.shared.as_ref().is_none_or(|shared| shared.unsent.is_none());
        // A signal that arrives after everything is done and sent changes nothing.
        summary.signal = signal.filter(|_| stopped_early > 0 || !is_sent);
        summary.rebuilt = self.maker.rebuilt.load(Ordering::Relaxed);
        summary.stopped = self.maker.stopped.get().cloned();
        summary.seconds = begin.elapsed().as_secs_f64();
        for list in [&mut summary.failed, &mut summary.skipped] {
            list.sort_by(|a, b| (&a.stage, &a.item).cmp(&(&b.stage, &b.item)));
        }
        summary.unavailable.sort_by(|a, b| (&a.stage, &a.item).cmp(&(&b.stage, &b.item)));
        let manifests =
            manifest::update(self.maker.graph, self.plan, self.maker.store, self.maker.scratch, &self.maker.outcomes);
        let line = RunLine {
            when: clock::utc(clock::now()),
            targets: self.request.targets.clone(),
            variant: self.maker.store.variant().map(str::to_owned),
            jobs: self.jobs,
            made: summary.made.len(),
            failed: summary.failed.len(),
            left: summary.left + summary.skipped.len(),
            seconds: summary.seconds,
            end: summary.word().to_owned(),
        };
        for result in [manifests, journal::log_run(self.maker.store, &line)] {
            if let Err(error) = result {
                self.maker.complain(&error.to_string());
            }
        }
        if self.otherwise.into_inner() || self.plan.assumes {
            summary.outdated = outdated(self.maker.graph, self.maker.store)?;
        }
        Ok(summary)
    }
}

/// The number of products that were made from other bytes than their inputs have now.
fn outdated(graph: &Graph, store: &ResultStore) -> Result<usize, StoreError> {
    let snapshot = records::snapshot(store, false, Some(clock::now()))?;
    let plan = plan(graph, &Selection::everything(graph), false, &snapshot);
    let standings = plan.standings.iter().flatten();
    let stale = |standing: &&ItemStanding| matches!(standing, ItemStanding::ToMake(Reason::InputBytesChanged(_)));
    Ok(standings.filter(stale).count())
}

impl StageEnd {
    fn line(&self) -> String {
        let counts = [(self.made, "made"), (self.other, "there already"), (self.failed, "failed")];
        let counts = counts.into_iter().chain([(self.unavailable, "unavailable")]);
        let mut parts: Vec<String> = counts.filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")).collect();
        parts.push(format!("{} of thread time", duration(self.seconds)));
        parts.join(", ")
    }
}

impl RunSummary {
    /// How the run ended, in one word.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            s if s.signal.is_some() => "interrupted",
            s if s.stopped.is_some() => "stopped",
            s if !s.failed.is_empty() => "failed",
            s if s.busy => "busy",
            _ => "done",
        }
    }

    /// Whether there was nothing to do.
    pub fn is_noop(&self) -> bool {
        self.planned == 0
    }
}
