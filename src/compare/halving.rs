//! Which settings play how many rounds, so that the search keeps to a budget: successive halving over all learners.
//!
//! Every setting plays the first rows of the file. If all settings can then play the whole file within the budget, they
//! do, and the choice is one in hindsight. Otherwise each rung has four times the rows of the one before and a share of
//! what is left of the budget, which goes to the best setting of every learner first, then to the second best, and so
//! on. A learner whose best setting cannot play all rows in the time left plays as many as it can.
//!
//! This module knows settings by number and measures nothing itself: the same outcomes give the same choices.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use noregret_core::learner::api::Cost;

/// How many times the rows of a rung the next one has.
const GROWTH: u64 = 4;

/// The fewest rows of a rung.
const FEWEST: u64 = 1000;

/// Floating-point operations per second of a learner that was not measured yet: about what gradient descent does.
const RATE: f64 = 2e9;

/// The time of a run besides its learner: reading rows, storing a trace.
const OVERHEAD: f64 = 1e-3;

/// The share of the budget that is kept for playing the chosen settings.
const FOR_ENDS: f64 = 0.5;

/// The share of the time left that the chosen settings may take by forecast: the last ones to end may leave processors
/// idle.
const CERTAIN: f64 = 0.7;

/// How a setting did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// The mean loss (or what else decides), lower is better; none if the learner broke down.
    pub score: Option<f64>,
    /// How long it took, in seconds of processor time.
    pub seconds: f64,
}

/// Plays settings for the first so many rows; none where there was no time left.
pub type Play<'a> = dyn Fn(&[usize], u64) -> Vec<Option<Outcome>> + 'a;

/// What is searched, and what may be spent.
pub struct Search<'a> {
    /// The learner of each setting, as a number.
    pub learners: &'a [usize],
    /// How often the chosen setting of each learner will be played.
    pub replicates: &'a [u32],
    /// The learners, by number, that play all rows whatever is left: baselines.
    pub always: &'a [bool],
    /// Number of rows.
    pub rows: u64,
    /// Seconds of processor time for the search and for the chosen settings together.
    pub budget: f64,
    /// The longest that a single run may take, in seconds.
    pub longest: f64,
    /// The most bytes that a learner may hold.
    pub memory: f64,
    /// The forecast of a setting's cost for a number of rows.
    pub cost: &'a dyn Fn(usize, u64) -> Cost,
    /// Plays settings.
    pub play: &'a Play<'a>,
    /// Told what happens.
    pub say: &'a dyn Fn(&str),
}

/// What was found for a learner.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// A setting was chosen.
    Chosen(Choice),
    /// It takes no part, for this reason.
    LeftOut(String),
}

/// The chosen setting of a learner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// The setting.
    pub setting: usize,
    /// Its score in the search.
    pub score: f64,
    /// On how many rows it was chosen.
    pub rows: u64,
    /// Among how many settings in all.
    pub settings: usize,
    /// How many of them played that many rows.
    pub finalists: usize,
    /// How many rows it can play in the time left.
    pub horizon: u64,
}

/// The numbers of rows of the rungs, ascending; the last is all rows.
pub fn rungs(rows: u64) -> Vec<u64> {
    let mut rungs = vec![rows];
    while rungs.last().is_some_and(|last| last / GROWTH >= FEWEST) {
        rungs.push(rungs.last().map_or(rows, |last| last / GROWTH));
    }
    rungs.reverse();
    rungs
}

/// The last result of a setting.
#[derive(Clone, Copy)]
struct Last {
    rows: u64,
    outcome: Outcome,
}

struct State<'a> {
    search: &'a Search<'a>,
    /// By setting.
    last: BTreeMap<usize, Last>,
    /// Operations and seconds of each learner so far.
    rates: BTreeMap<usize, (f64, f64)>,
    spent: f64,
}

impl State<'_> {
    /// The forecast of the seconds that a setting takes for `rows`.
    fn seconds(&self, setting: usize, rows: u64) -> f64 {
        let flops = |rows| (self.search.cost)(setting, rows).flops.max(1.0);
        let measured = self.last.get(&setting).map(|last| last.outcome.seconds.max(1e-6) / flops(last.rows));
        let own = || {
            let (flops, seconds) = self.rates.get(&self.search.learners[setting])?;
            (*flops > 0.0).then(|| seconds / flops)
        };
        flops(rows) * measured.or_else(own).unwrap_or(1.0 / RATE) + OVERHEAD
    }

    fn fits(&self, setting: usize, rows: u64) -> bool {
        (self.search.cost)(setting, rows).bytes <= self.search.memory
            && self.seconds(setting, rows) <= self.search.longest
    }

    /// The settings in the order in which they deserve time: the best of each learner, the second best, ...; among
    /// these the cheapest first. Settings that broke down are left out.
    fn deserving(&self, alive: &[usize], rows: u64) -> Vec<usize> {
        let mut by_learner: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for &setting in alive {
            by_learner.entry(self.search.learners[setting]).or_default().push(setting);
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
            let score = last.and_then(|last| last.outcome.score).unwrap_or(f64::INFINITY);
            (last.map_or(0, |last| last.rows), score)
        };
        let ((rows_a, score_a), (rows_b, score_b)) = (of(a), of(b));
        let broken = score_a.is_infinite().cmp(&score_b.is_infinite());
        broken.then(rows_b.cmp(&rows_a)).then(score_a.total_cmp(&score_b)).then(a.cmp(&b))
    }

    /// Plays settings for so many rows, and returns those that did not break down.
    fn play(&mut self, settings: &[usize], rows: u64) -> Vec<usize> {
        let outcomes = (self.search.play)(settings, rows);
        let mut alive = Vec::new();
        for (&setting, outcome) in settings.iter().zip(outcomes) {
            let Some(outcome) = outcome else { continue };
            self.spent += outcome.seconds;
            let rate = self.rates.entry(self.search.learners[setting]).or_default();
            rate.0 += (self.search.cost)(setting, rows).flops;
            rate.1 += outcome.seconds;
            self.last.insert(setting, Last { rows, outcome });
            if outcome.score.is_some() {
                alive.push(setting);
            }
        }
        alive
    }

    /// The settings, in order, that take no more than `share` seconds together.
    fn affordable(&self, alive: &[usize], rows: u64, share: f64) -> Vec<usize> {
        let mut left = share;
        let mut taken = Vec::new();
        for setting in self.deserving(alive, rows) {
            let seconds = self.seconds(setting, rows);
            if seconds <= left && self.fits(setting, rows) {
                left -= seconds;
                taken.push(setting);
            }
        }
        taken
    }

    /// The best setting of a learner so far.
    fn best(&self, learner: usize) -> Option<usize> {
        let own = (0..self.search.learners.len()).filter(|setting| self.search.learners[*setting] == learner);
        let scored = own.filter(|setting| self.last.get(setting).is_some_and(|last| last.outcome.score.is_some()));
        scored.min_by(|a, b| self.compare(*a, *b))
    }

    /// How many rows the best setting of each learner can play within `budget`: the cheapest learners first, all rows
    /// before part of them; none for a learner whose runs do not fit at all. Also what that takes.
    fn ends(&self, rungs: &[u64], budget: f64) -> (BTreeMap<usize, u64>, f64) {
        let all = self.search.rows;
        let count = self.search.replicates.len();
        let mut order: Vec<(f64, usize, usize)> = (0..count)
            .filter_map(|learner| {
                let setting = self.best(learner)?;
                Some((self.seconds(setting, all) * f64::from(self.search.replicates[learner]), learner, setting))
            })
            .collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut left = budget;
        let mut ends = BTreeMap::new();
        for (_, learner, setting) in order {
            let times = f64::from(self.search.replicates[learner]);
            let takes = |rows: u64| self.seconds(setting, rows) * times;
            let played = self.last.get(&setting).map_or(0, |last| last.rows);
            let fits = |rows: &&u64| self.fits(setting, **rows) && takes(**rows) <= left;
            let horizon = match self.search.always[learner] {
                true => Some(all),
                false => rungs.iter().rev().find(fits).copied().or(Some(played).filter(|rows| takes(*rows) <= left)),
            };
            if let Some(horizon) = horizon {
                left -= takes(horizon);
                ends.insert(learner, horizon);
            }
        }
        (ends, budget - left)
    }
}

/// Searches, and returns what was found for each learner, by number.
pub fn search(search: &Search<'_>) -> Vec<Found> {
    let rungs = rungs(search.rows);
    let mut state = State { search, last: BTreeMap::new(), rates: BTreeMap::new(), spent: 0.0 };
    let all: Vec<usize> = (0..search.learners.len()).collect();
    let first = rungs[0];
    // All of the first rung where it is cheap; learners that cannot even play that are left out.
    let share = search.budget * if rungs.len() == 1 { 1.0 - FOR_ENDS } else { 0.2 };
    let told = |count: usize, rows: u64| {
        let which = if rows == search.rows { "all" } else { "the first" };
        (search.say)(&format!("searching: {count} settings on {which} {rows} rows"));
    };
    let mut alive = Vec::new();
    // Costs are forecast roughly until a learner was measured: what seemed too much may fit after all.
    for _ in 0..2 {
        let open: Vec<usize> = all.iter().copied().filter(|setting| !state.last.contains_key(setting)).collect();
        let chosen = state.affordable(&open, first, share - state.spent);
        if !chosen.is_empty() {
            told(chosen.len(), first);
            alive.extend(state.play(&chosen, first));
        }
    }
    let mut level = 1;
    while level < rungs.len() {
        let (_, ends) = state.ends(&rungs, FOR_ENDS * search.budget);
        let left = search.budget - state.spent - ends;
        let every: f64 = alive.iter().map(|setting| state.seconds(*setting, search.rows)).sum();
        let all_fit = alive.iter().all(|setting| state.fits(*setting, search.rows));
        if every <= left && all_fit {
            // Hindsight is affordable.
            level = rungs.len() - 1;
        }
        let share = left / (rungs.len() - level) as f64;
        let rows = rungs[level];
        let chosen = state.affordable(&alive, rows, share);
        if chosen.is_empty() {
            break;
        }
        told(chosen.len(), rows);
        alive = state.play(&chosen, rows);
        level += 1;
    }
    let (ends, _) = state.ends(&rungs, (CERTAIN * (search.budget - state.spent)).max(0.0));
    (0..search.replicates.len()).map(|learner| found(&state, learner, &ends, first)).collect()
}

fn found(state: &State<'_>, learner: usize, ends: &BTreeMap<usize, u64>, first: u64) -> Found {
    let search = state.search;
    let own: Vec<usize> = (0..search.learners.len()).filter(|setting| search.learners[*setting] == learner).collect();
    let Some(best) = state.best(learner) else {
        let Some(cheapest) = own.iter().copied().min_by(|a, b| {
            let seconds = |setting: &usize| state.seconds(*setting, first);
            seconds(a).total_cmp(&seconds(b))
        }) else {
            return Found::LeftOut("it has no settings".into());
        };
        if own.iter().any(|setting| state.last.contains_key(setting)) {
            return Found::LeftOut(format!("it broke down on the first {first} rows, at every setting"));
        }
        let cost = (search.cost)(cheapest, first);
        let seconds = state.seconds(cheapest, first);
        return Found::LeftOut(if cost.bytes > search.memory {
            format!("it would hold {:.0} MiB after {first} rows", cost.bytes / f64::from(1 << 20))
        } else if seconds > search.longest {
            format!("the first {first} rows would take about {seconds:.0} s")
        } else {
            "no time was left for it".into()
        });
    };
    let last = state.last[&best];
    let Some(&horizon) = ends.get(&learner) else {
        let seconds = state.seconds(best, last.rows) * f64::from(search.replicates[learner]);
        return Found::LeftOut(format!(
            "its runs would take about {seconds:.0} s of processor time on {} rows",
            last.rows
        ));
    };
    Found::Chosen(Choice {
        setting: best,
        score: last.outcome.score.unwrap_or(f64::INFINITY),
        rows: last.rows,
        settings: own.len(),
        finalists: own.iter().filter(|one| state.last.get(one).is_some_and(|one| one.rows == last.rows)).count(),
        horizon,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    /// Two learners of four settings each: the first takes 1 ns per row and operation, the second is of cubic cost.
    /// Setting s of each has the score s + 1 / rows.
    struct World {
        played: RefCell<Vec<(usize, u64)>>,
        told: RefCell<Vec<String>>,
    }

    fn cost(setting: usize, rows: u64) -> Cost {
        let n = rows as f64;
        let flops = if setting < 4 { 1e3 * n } else { n * n * n / 3.0 };
        Cost { flops, bytes: if setting < 4 { 0.0 } else { 4.0 * n * n } }
    }

    fn run(rows: u64, budget: f64) -> (Vec<Found>, World) {
        let world = World { played: RefCell::default(), told: RefCell::default() };
        let learners = [0, 0, 0, 0, 1, 1, 1, 1];
        let play = |settings: &[usize], rows: u64| {
            world.played.borrow_mut().extend(settings.iter().map(|setting| (*setting, rows)));
            let one = |setting: &usize| {
                let seconds = cost(*setting, rows).flops * 1e-9;
                let score = (setting % 4 != 3).then_some((setting % 4) as f64 + 1.0 / rows as f64);
                Some(Outcome { score, seconds })
            };
            settings.iter().map(one).collect()
        };
        let found = search(&Search {
            learners: &learners,
            replicates: &[1, 1],
            always: &[false, false],
            rows,
            budget,
            longest: budget / 2.0,
            memory: 4e8,
            cost: &cost,
            play: &play,
            say: &|line| world.told.borrow_mut().push(line.to_owned()),
        });
        (found, world)
    }

    fn chosen(found: &Found) -> Choice {
        match found {
            Found::Chosen(choice) => *choice,
            Found::LeftOut(why) => panic!("left out: {why}"),
        }
    }

    #[test]
    fn rungs_grow_fourfold_to_all_rows() {
        assert_eq!(rungs(442), [442]);
        assert_eq!(rungs(3_999), [3_999]);
        assert_eq!(rungs(64_000), [1_000, 4_000, 16_000, 64_000]);
        assert_eq!(rungs(1), [1]);
    }

    #[test]
    fn a_small_file_is_searched_whole() {
        let (found, world) = run(900, 100.0);
        for learner in &found[..2] {
            let choice = chosen(learner);
            assert_eq!((choice.setting % 4, choice.rows, choice.finalists, choice.horizon), (0, 900, 4, 900));
        }
        assert_eq!(world.played.borrow().len(), 8);
        assert_eq!(world.told.borrow().as_slice(), ["searching: 8 settings on all 900 rows"]);
    }

    #[test]
    fn where_all_fits_nothing_is_halved() {
        let (found, world) = run(8_000, 1e5);
        assert_eq!(chosen(&found[1]).rows, 8_000);
        // The broken setting of each learner is not played again.
        assert_eq!(world.played.borrow().iter().filter(|(_, rows)| *rows == 8_000).count(), 6);
    }

    /// 64 million rows of the cheap learner take 64 s, of the cubic one for ever.
    #[test]
    fn a_short_budget_halves_and_cuts() {
        let (found, world) = run(64_000_000, 300.0);
        let cheap = chosen(&found[0]);
        assert_eq!((cheap.setting, cheap.horizon), (0, 64_000_000));
        // It was played, but its runs do not fit any more.
        let Found::LeftOut(why) = &found[1] else { panic!("{found:?}") };
        assert!(why.contains("its runs would take about 20 s"), "{why}");
        let seconds = |(setting, rows): &(usize, u64)| cost(*setting, *rows).flops * 1e-9;
        let search: f64 = world.played.borrow().iter().map(seconds).sum();
        assert!(search + seconds(&(cheap.setting, cheap.horizon)) <= 300.0, "{search}");
        // With more time it plays as many rows as fit.
        let (found, _) = run(64_000_000, 600.0);
        assert!((1..10_000).contains(&chosen(&found[1]).horizon), "{found:?}");
    }

    #[test]
    fn what_cannot_play_the_first_rows_is_left_out() {
        let (found, _) = run(3_000, 2.0);
        assert_eq!(chosen(&found[0]).horizon, 3_000);
        // 9e9 operations.
        let Found::LeftOut(why) = &found[1] else { panic!("{found:?}") };
        assert!(why.contains("the first 3000 rows would take about"), "{why}");
    }
}
