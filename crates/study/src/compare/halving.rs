//! Which settings play how many rows, so that a comparison keeps to its budget and every setting is judged on rows that did
//! not choose it.
//!
//! Of the N rows in play the first half chooses: all settings play its first rows, the best go on to four times as many,
//! and so on up to all of them (successive halving over all learners, where not everything fits into the time). Then the
//! setting of each learner that did best plays all N rows, and the losses of the second half rank the learners.
//!
//! N is the number of rows of the file, if the baselines and half of the other learners can play them in the time that is
//! left; else as many as they can. What does not reach row N in time is not ranked. Where the time then suffices for clearly
//! more rows, search and judging go on with a larger N for all that were ranked; what is told is of one N.
//!
//! This module knows settings by number and measures nothing itself: the same outcomes give the same choices.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use noregret_core::learner::api::Cost;

use crate::compare::crew::{Crew, PlayEnd, RunPlayer, TimeLimits};
use crate::compare::played::{CompareMetric, RunOutcome, SettingRun, marks};

/// How many times the rows of a rung the next one has.
const GROWTH: u64 = 4;

/// The fewest rows of a rung.
const FEWEST: u64 = 1000;

/// Floating-point operations per second of a learner that was not measured yet: about what gradient descent does.
const RATE: f64 = 2e9;

/// The time of a run besides its learner, in seconds.
const OVERHEAD: f64 = 1e-4;

/// The shares of the time left that the first rung and all of the search may take.
const PILOT: f64 = 0.25;
const SEARCH: f64 = 0.5;

/// The share of the time left by which N is chosen: forecasts are rough, and threads may be idle at the end.
const JUDGING: f64 = 0.4;

/// The shares of the time left that another round of the search may take, and by which its N is chosen: by now every learner
/// was measured.
const SEARCH_AGAIN: f64 = 0.3;
const JUDGING_AGAIN: f64 = 0.6;

/// Who competes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lineup {
    /// The learner of each setting, as a number.
    pub(crate) learners: Vec<usize>,
    /// What each learner is called.
    pub(crate) names: Vec<&'static str>,
    /// The learners, by number, that are judged whatever is left: baselines, and what needs no settings.
    pub(crate) always: Vec<bool>,
    /// Under how many seeds each learner is judged.
    pub(crate) seeds: Vec<u32>,
}

/// What is compared, and what may be spent.
pub(crate) struct Contest<'a> {
    /// Who competes.
    pub(crate) lineup: &'a Lineup,
    /// Who plays.
    pub(crate) field: Arc<dyn RunPlayer>,
    /// Number of rows that there are.
    pub(crate) rows: u64,
    /// The most bytes that a learner may hold.
    pub(crate) memory: f64,
    /// What decides.
    pub(crate) metric: CompareMetric,
    /// How it is played, and how long it may take.
    pub(crate) crew: &'a Crew<'a>,
}

/// The chosen setting of a learner, and how it was judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// The setting.
    pub setting: usize,
    /// Among how many it was chosen.
    pub settings: usize,
    /// How many of them played as many rows as it before the choice.
    pub finalists: usize,
    /// On how many rows it was chosen.
    pub chosen_on: u64,
    /// Its runs over all N rows, with their seeds.
    pub(crate) runs: Vec<(u32, RunOutcome)>,
    /// Its longest run where none reached row N: it was cut, or broke down.
    pub(crate) short: Option<RunOutcome>,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct ContestResult {
    /// N, an even number of rows that were in play.
    pub rows: u64,
    /// The learners that were judged, or at least began to be.
    pub judged: Vec<Judged>,
    /// Who takes no part, and why.
    pub left_out: Vec<(&'static str, String)>,
}

impl ContestResult {
    /// The settings that played all N rows.
    fn ranked(&self) -> Vec<usize> {
        self.judged.iter().filter(|one| !one.runs.is_empty()).map(|one| one.setting).collect()
    }
}

/// The numbers of rows of the rungs up to `rows`, ascending.
pub(crate) fn rungs(rows: u64) -> Vec<u64> {
    let mut rungs = vec![rows];
    while rungs.last().is_some_and(|last| last / GROWTH >= FEWEST) {
        rungs.push(rungs.last().map_or(rows, |last| last / GROWTH));
    }
    rungs.reverse();
    rungs
}

/// How a setting did in the search.
#[derive(Clone, Copy)]
struct SearchScore {
    rows: u64,
    /// None if the learner broke down.
    score: Option<f64>,
}

struct ContestState<'a> {
    contest: &'a Contest<'a>,
    /// By setting.
    last: BTreeMap<usize, SearchScore>,
    /// Rows and seconds of the last run of each setting.
    timed: BTreeMap<usize, (u64, f64)>,
    /// Operations and seconds of each learner so far.
    rates: BTreeMap<usize, (f64, f64)>,
    /// Learners that did not end in time; they are not asked again.
    slow: BTreeSet<usize>,
    spent: f64,
}

impl ContestState<'_> {
    fn count(&self) -> usize {
        self.contest.lineup.seeds.len()
    }

    fn learner(&self, setting: usize) -> usize {
        self.contest.lineup.learners[setting]
    }

    fn of(&self, learner: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.contest.lineup.learners.len()).filter(move |setting| self.learner(*setting) == learner)
    }

    /// The forecast of the seconds that a setting takes for `rows`.
    fn seconds(&self, setting: usize, rows: u64) -> f64 {
        let flops = |rows| self.cost(setting, rows).flops.max(1.0);
        let measured = self.timed.get(&setting).map(|(rows, seconds)| seconds.max(1e-6) / flops(*rows));
        let own = || {
            let (flops, seconds) = self.rates.get(&self.learner(setting))?;
            (*flops > 0.0).then(|| seconds / flops)
        };
        flops(rows) * measured.or_else(own).unwrap_or(1.0 / RATE) + OVERHEAD
    }

    fn cost(&self, setting: usize, rows: u64) -> Cost {
        self.contest.field.cost(setting, rows)
    }

    fn known(&self, setting: usize, seed: u32, rows: u64) -> bool {
        self.contest.field.known(&SettingRun { setting, seed, rows, marks: marks(rows) })
    }

    /// The forecast of all runs by which a learner is judged; what is known takes no time.
    fn judging(&self, learner: usize, setting: usize, rows: u64) -> f64 {
        let open = (0..self.contest.lineup.seeds[learner]).filter(|seed| !self.known(setting, *seed, rows)).count();
        open as f64 * self.seconds(setting, rows)
    }

    fn holds(&self, setting: usize, rows: u64) -> bool {
        self.cost(setting, rows).bytes <= self.contest.memory
    }

    /// The settings in the order in which they deserve time: the best of each learner, the second best, ...; among
    /// these the cheapest first.
    fn deserving(&self, alive: &[usize], rows: u64) -> Vec<usize> {
        let mut by_learner: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for &setting in alive {
            by_learner.entry(self.learner(setting)).or_default().push(setting);
        }
        let mut ranked = Vec::new();
        for own in by_learner.values_mut() {
            own.sort_by(|a, b| self.compare(*a, *b));
            ranked.extend(own.iter().enumerate().map(|(rank, setting)| (rank, self.seconds(*setting, rows), *setting)));
        }
        ranked.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
        ranked.into_iter().map(|(_, _, setting)| setting).collect()
    }

    /// More rows first, then the lower score; what broke down last.
    fn compare(&self, a: usize, b: usize) -> Ordering {
        let of = |setting: usize| {
            let last = self.last.get(&setting);
            (last.map_or(0, |last| last.rows), last.and_then(|last| last.score).unwrap_or(f64::INFINITY))
        };
        let ((rows_a, score_a), (rows_b, score_b)) = (of(a), of(b));
        let broken = score_a.is_infinite().cmp(&score_b.is_infinite());
        broken.then(rows_b.cmp(&rows_a)).then(score_a.total_cmp(&score_b)).then(a.cmp(&b))
    }

    /// Has settings play so many rows, and returns those that did not break down.
    fn play(&mut self, settings: &[usize], rows: u64, limits: TimeLimits) -> Vec<usize> {
        let contest = self.contest;
        let runs: Vec<SettingRun> = settings.iter().map(|setting| searching(*setting, rows)).collect();
        let mut alive = Vec::new();
        for (&setting, (end, played)) in settings.iter().zip(contest.crew.play(&contest.field, &runs, limits)) {
            let learner = contest.lineup.learners[setting];
            self.spent += played.seconds;
            if played.rounds > 0 {
                let flops = self.cost(setting, played.rounds).flops;
                let rate = self.rates.entry(learner).or_default();
                rate.0 += flops;
                rate.1 += played.seconds;
            }
            match end {
                PlayEnd::NotStarted => continue,
                PlayEnd::Cut => {
                    self.slow.insert(learner);
                    continue;
                }
                PlayEnd::Done => {}
            }
            let whole = played.over.is_none() && played.rounds == rows;
            let score = whole.then(|| played.later.of(contest.metric) / rows.max(1) as f64);
            let score = score.filter(|score| score.is_finite());
            self.last.insert(setting, SearchScore { rows, score });
            self.timed.insert(setting, (rows, played.seconds));
            if score.is_some() {
                alive.push(setting);
            }
        }
        alive
    }

    fn tell(&self, settings: usize, rows: u64) {
        (self.contest.crew.say)(&format!("searching: {settings} settings on the first {rows} rows"));
    }

    /// The settings, in order, that take no more than `share` seconds together.
    fn affordable(&self, alive: &[usize], rows: u64, share: f64) -> Vec<usize> {
        let mut left = share;
        let mut taken = Vec::new();
        let asked = |setting: &usize| !self.slow.contains(&self.learner(*setting));
        for setting in self.deserving(alive, rows).into_iter().filter(asked) {
            let known = self.contest.field.known(&searching(setting, rows));
            let seconds = if known { 0.0 } else { self.seconds(setting, rows) };
            if seconds <= left && self.holds(setting, rows) {
                left -= seconds;
                taken.push(setting);
            }
        }
        taken
    }

    /// The best setting of a learner so far.
    fn best(&self, learner: usize) -> Option<usize> {
        let scored = self.of(learner).filter(|setting| self.last.get(setting).is_some_and(|last| last.score.is_some()));
        scored.min_by(|a, b| self.compare(*a, *b))
    }

    /// How many rows are in play: all, or as many as those that are always judged and the cheaper half of the others can
    /// play in `left` seconds of processor time, each in `longest`; where some were ranked `before`, all of these. No fewer
    /// than those that an earlier call judged, nor than twice those of the first rung: their first half has chosen settings,
    /// and the others have to judge these.
    fn rows_in_play(&self, first: u64, (left, longest): (f64, f64), before: Option<&ContestResult>) -> u64 {
        let contest = self.contest;
        let all = contest.rows - contest.rows % 2;
        let settled = |rows: u64| {
            let always = (0..self.count()).filter(|learner| contest.lineup.always[*learner]);
            let mut first = always.filter_map(|learner| Some((learner, self.of(learner).next()?))).peekable();
            first.peek().is_some() && first.all(|(learner, setting)| self.judging(learner, setting, rows) == 0.0)
        };
        let ranked: Option<Vec<usize>> =
            before.map(|found| found.ranked().into_iter().map(|setting| self.learner(setting)).collect());
        let fits = |rows: u64| {
            let (mut always, mut others) = (Vec::new(), Vec::new());
            // Nothing is known of one that has not answered at all.
            let mute = |learner: &usize| self.slow.contains(learner) && !self.rates.contains_key(learner);
            let asked = |learner: &usize| ranked.as_ref().map_or(!mute(learner), |ranked| ranked.contains(learner));
            for learner in (0..self.count()).filter(asked) {
                let best =
                    self.best(learner).or_else(|| self.of(learner).next().filter(|_| contest.lineup.always[learner]));
                let Some(setting) = best else { continue };
                // Under its first seed; the others are played in the time that is left.
                let cost = if self.known(setting, 0, rows) { 0.0 } else { self.seconds(setting, rows) };
                if ranked.is_some() || contest.lineup.always[learner] { always.push(cost) } else { others.push(cost) }
            }
            others.sort_by(f64::total_cmp);
            others.truncate(others.len().div_ceil(2));
            let needed = always.into_iter().chain(others);
            // One run is on one thread.
            let (total, most) = needed.fold((0.0, 0.0_f64), |(total, most), one| (total + one, most.max(one)));
            total <= left && most <= longest
        };
        let fewest = if self.last.is_empty() { 2 } else { (2 * first).min(all).max(2) };
        let mut rows = all;
        while rows > fewest && !fits(rows) && !settled(rows) {
            let fewer = rows * 4 / 5;
            rows = (fewer - fewer % 2).max(fewest);
        }
        rows
    }
}

/// A run of the search.
fn searching(setting: usize, rows: u64) -> SettingRun {
    SettingRun { setting, seed: 0, rows, marks: Arc::new([]) }
}

/// Has all settings play the first rows, as far as the time allows it, and returns those that did not break down.
fn first_rung(state: &mut ContestState<'_>, first: u64, left: f64) -> Vec<usize> {
    let contest @ Contest { crew, .. } = state.contest;
    let all = contest.rows - contest.rows % 2;
    // What has a single setting, and was judged before, has nothing to choose.
    let alone = |setting: &usize| {
        let learner = contest.lineup.learners[*setting];
        let one = contest.lineup.learners.iter().filter(|of| **of == learner).count() == 1;
        one && (0..contest.lineup.seeds[learner]).all(|seed| state.known(*setting, seed, all))
    };
    let open: Vec<usize> = (0..contest.lineup.learners.len()).filter(|setting| !alone(setting)).collect();
    // Costs are forecast roughly until a learner was measured: what seemed too much may fit after all.
    let mut alive = Vec::new();
    for _ in 0..2 {
        let rest: Vec<usize> = open.iter().copied().filter(|setting| !state.last.contains_key(setting)).collect();
        let chosen = state.affordable(&rest, first, PILOT * left * crew.threads as f64 - state.spent);
        if first > 0 && !chosen.is_empty() {
            state.tell(chosen.len(), first);
            // One that did not end in time is not asked again, and does not keep the others from playing.
            alive.extend(state.play(&chosen, first, crew.budget.share(crew.clock.seconds(), PILOT)));
        }
    }
    // A setting that is the only one of its learner needs no search.
    alive.retain(|setting| state.of(state.learner(*setting)).count() > 1);
    alive
}

/// Has the settings that are `alive` after `reached` rows play on up to half of `rows`, the best of each rung, in `most`
/// seconds of processor time.
fn search(
    state: &mut ContestState<'_>,
    alive: &mut Vec<usize>,
    (reached, rows): (u64, u64),
    (limits, most): (TimeLimits, f64),
) {
    let before = state.spent;
    let rungs: Vec<u64> = rungs(rows / 2).into_iter().filter(|rung| *rung > reached).collect();
    let mut level = 0;
    while level < rungs.len() && state.contest.crew.clock.seconds() < limits.start {
        let budget = most - (state.spent - before);
        let every: f64 = alive.iter().map(|setting| state.seconds(*setting, rungs[rungs.len() - 1])).sum();
        if every <= budget {
            level = rungs.len() - 1;
        }
        let chosen = state.affordable(alive, rungs[level], budget / (rungs.len() - level) as f64);
        if chosen.is_empty() {
            break;
        }
        state.tell(chosen.len(), rungs[level]);
        *alive = state.play(&chosen, rungs[level], limits);
        level += 1;
    }
}

/// Compares, and returns what was found.
pub(crate) fn contest(contest: &Contest<'_>) -> ContestResult {
    let crew = contest.crew;
    let (all, now) = (contest.rows - contest.rows % 2, || crew.clock.seconds());
    let (last, timed, rates, slow) = Default::default();
    let mut state = ContestState { contest, last, timed, rates, slow, spent: 0.0 };
    let begin = now();
    let time_left = || (crew.budget.seconds - now()).max(0.0);
    let (left, threads) = (time_left(), crew.threads as f64);
    let searching = crew.budget.share(begin, SEARCH);
    let first = rungs(all / 2)[0];
    let mut alive = first_rung(&mut state, first, left);
    let mut rows = state.rows_in_play(first, (JUDGING * left * threads, 0.8 * time_left()), None);
    let most = SEARCH * left * threads - state.spent;
    search(&mut state, &mut alive, (first, rows), (searching, most));
    let mut found = judge(&mut state, rows, first);
    // Forecasts are rough: where they were too high, there is time for more rows.
    while rows < all && !found.ranked().is_empty() && !(crew.interrupted)() {
        let left = time_left();
        let more = state.rows_in_play(first, (JUDGING_AGAIN * left * threads, 0.8 * left), Some(&found));
        if more < rows + rows / 2 {
            break;
        }
        (crew.say)(&format!("{left:.0} s are left: all go on with {more} rows"));
        let limits = (crew.budget.share(now(), SEARCH_AGAIN), SEARCH_AGAIN * left * threads);
        search(&mut state, &mut alive, (rows / 2, more), limits);
        let next = judge(&mut state, more, first);
        // Fewer rows for all tell more than more rows for some.
        let learners = |found: &ContestResult| -> BTreeSet<usize> {
            found.ranked().into_iter().map(|setting| state.learner(setting)).collect()
        };
        if !learners(&found).is_subset(&learners(&next)) {
            break;
        }
        (found, rows) = (next, more);
    }
    found
}

/// Plays the chosen settings on all rows in play.
fn judge(state: &mut ContestState<'_>, rows: u64, first: u64) -> ContestResult {
    let contest @ Contest { crew, .. } = state.contest;
    let mut found = ContestResult { rows, judged: Vec::new(), left_out: Vec::new() };
    let left = crew.budget.limits().cut - crew.clock.seconds();
    let mut runs: Vec<(u8, f64, SettingRun)> = Vec::new();
    for learner in 0..state.count() {
        let (name, always) = (contest.lineup.names[learner], contest.lineup.always[learner]);
        let settled = state.of(learner).next().filter(|_| state.of(learner).count() == 1);
        let known = settled.filter(|setting| state.judging(learner, *setting, rows) == 0.0);
        let Some(setting) = state.best(learner).or(known).or(settled.filter(|_| always)) else {
            found.left_out.push((name, why_not(state, learner, first)));
            continue;
        };
        let seconds = state.seconds(setting, rows);
        let open = state.judging(learner, setting, rows) > 0.0;
        if !always && open && !state.holds(setting, rows) {
            let bytes = state.cost(setting, rows).bytes / f64::from(1 << 20);
            found.left_out.push((name, format!("it would hold {bytes:.0} MiB after {rows} rows")));
            continue;
        }
        // What would take several times the time left does not reach the rows that judge.
        if !always && open && seconds > 4.0 * left.max(0.0) {
            found.left_out.push((name, format!("its run would take about {seconds:.0} s on {rows} rows")));
            continue;
        }
        // What did not end before may not end now.
        let turn = if state.slow.contains(&learner) { 2 } else { u8::from(!always) };
        for seed in 0..contest.lineup.seeds[learner] {
            let forecast = if state.known(setting, seed, rows) { 0.0 } else { seconds };
            runs.push((turn, forecast, SettingRun { setting, seed, rows, marks: marks(rows) }));
        }
        let settings = state.of(learner).count();
        let played = state.last.get(&setting).map_or(0, |last| last.rows);
        let as_far = |one: &usize| state.last.get(one).is_some_and(|last| last.rows == played);
        let finalists = state.of(learner).filter(as_far).count();
        // A single setting was not chosen.
        let chosen_on = if settings > 1 { played } else { 0 };
        let (runs, short) = (Vec::new(), None);
        found.judged.push(Judged { setting, settings, finalists, chosen_on, runs, short });
    }
    // First what is always judged, then one seed of each, the cheapest first: most learners are ranked when time runs out.
    runs.sort_by(|a, b| {
        a.0.cmp(&b.0).then(a.2.seed.cmp(&b.2.seed)).then(a.1.total_cmp(&b.1)).then(a.2.setting.cmp(&b.2.setting))
    });
    let runs: Vec<SettingRun> = runs.into_iter().map(|(_, _, run)| run).collect();
    if rows > 0 {
        (crew.say)(&format!("judging: {} learners on rows {} to {rows}", found.judged.len(), rows / 2 + 1));
        for (run, (end, played)) in runs.iter().zip(crew.play(&contest.field, &runs, crew.budget.limits())) {
            let Some(of) = found.judged.iter_mut().find(|one| one.setting == run.setting) else { continue };
            if end == PlayEnd::Done && played.over.is_none() && played.rounds == rows {
                state.timed.insert(run.setting, (rows, played.seconds));
                of.runs.push((run.seed, played));
            } else if of.short.as_ref().is_none_or(|short| short.rounds < played.rounds || short.over.is_none()) {
                of.short = Some(played);
            }
        }
    }
    for one in &mut found.judged {
        one.runs.sort_by_key(|(seed, _)| *seed);
    }
    found
}

/// Why a learner has no setting.
fn why_not(state: &ContestState<'_>, learner: usize, first: u64) -> String {
    let contest = state.contest;
    let seconds = |setting: &usize| state.seconds(*setting, first);
    let Some(cheapest) = state.of(learner).min_by(|a, b| seconds(a).total_cmp(&seconds(b))) else {
        return "it has no settings".into();
    };
    if state.slow.contains(&learner) {
        return format!("it did not end the first {first} rows in time");
    }
    if state.of(learner).any(|setting| state.last.contains_key(&setting)) {
        return format!("it broke down on the first {first} rows, at every setting");
    }
    let bytes = state.cost(cheapest, first).bytes;
    if bytes > contest.memory {
        return format!("it would hold {:.0} MiB after {first} rows", bytes / f64::from(1 << 20));
    }
    format!("the first {first} rows would take about {:.1} s, and no time was left for it", seconds(&cheapest))
}

#[cfg(test)]
mod tests;
