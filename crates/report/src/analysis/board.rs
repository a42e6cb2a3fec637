//! Learners over many streams: what each entry of the learners of some experiments lost on each stream, where an entry with
//! a grid of settings is played in all of them and one is chosen.
//!
//! A setting is chosen by its loss in the first tenth of the rounds, replicate by replicate, as one who plays that stream
//! could; or in hindsight, by its mean loss over all rounds, which nobody can. A divergence counts as an infinite loss.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Deserialize;

use crate::analysis::curve::by_label;
use crate::analysis::quantity::RunQuantity;
use crate::analysis::record::{ExperimentResults, RunResult};
use crate::analysis::summary::sum;
use crate::trace::cell::{EndStatus, TraceRow};

/// By what a setting is chosen among those of an entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum SettingChoice {
    /// The loss over the first tenth of the rounds.
    #[default]
    FirstTenth,
    /// The loss over all rounds.
    Hindsight,
}

/// Which of the two choices are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ShownChoices {
    /// The setting with the least loss over the first tenth of the rounds.
    #[default]
    FirstTenth,
    /// The setting that is best in hindsight; the learner `of` is chosen on the first tenth nevertheless.
    Hindsight,
    /// Both, beside each other.
    Both,
}

/// Over which rounds a loss is the mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum LossPart {
    /// All, from the first on.
    #[default]
    All,
    /// The second half.
    SecondHalf,
}

/// What a board can sum over rounds: `average_loss`, `error_rate`, or a count.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct SummedLoss(pub(crate) RunQuantity);

impl TryFrom<String> for SummedLoss {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        match RunQuantity::read(&name)? {
            loss @ (RunQuantity::AverageLoss | RunQuantity::ErrorRate | RunQuantity::Gauge(_)) => Ok(Self(loss)),
            _ => Err(format!("`{name}` is no sum over rounds; take average_loss, error_rate or a count")),
        }
    }
}

/// What a board is made of.
#[derive(Clone, Debug, Default)]
pub(crate) struct BoardRequest<'a> {
    /// The entry that stands first and is always chosen on the first tenth.
    pub of: Option<&'a str>,
    /// Which choices are shown.
    pub choices: ShownChoices,
    /// Entries that are left out.
    pub(crate) without: &'a [String],
    /// What is lost; by default errors where all runs of a stream count them, else the loss.
    pub loss: Option<&'a RunQuantity>,
}

/// Entries on streams.
#[derive(Debug)]
pub(crate) struct Board<'a> {
    /// The entries as they are shown, `of` first, then by name.
    pub(crate) entries: Vec<BoardEntry>,
    /// The streams, in the order of the experiments and by name.
    pub streams: Vec<BoardStream<'a>>,
    /// Streams on which nobody has a result, and entries that have one nowhere: these are left out.
    pub(crate) silent: [Vec<String>; 2],
}

/// An entry with a choice among its settings.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BoardEntry {
    /// Its label without values of settings.
    pub entry: String,
    /// The registered name of its learner.
    pub learner: String,
    /// How a setting is chosen; none where there is one.
    pub choice: Option<SettingChoice>,
    /// The largest number of settings that it has on a stream.
    pub settings: usize,
}

/// A stream with what every entry lost there.
#[derive(Debug)]
pub(crate) struct BoardStream<'a> {
    /// Its experiment.
    pub experiment: &'a ExperimentResults,
    /// Its name.
    pub stream: &'a str,
    /// The same with that of its experiment where several have it.
    pub name: String,
    /// How many rounds were played.
    pub rounds: u64,
    /// What is lost.
    pub loss: RunQuantity,
    /// What came of each entry, in their order.
    pub(crate) outcomes: Vec<Outcome<'a>>,
    /// All settings of all entries that are not left out, where all their replicates were played to the end.
    played: Vec<Vec<ChosenRun<'a>>>,
}

/// What came of an entry on a stream.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome<'a> {
    /// The runs of the setting that was chosen, one for each replicate.
    Played(Vec<ChosenRun<'a>>),
    /// A prediction was not finite, or the learner broke down.
    Diverged,
    /// There is no result: the program or its process failed.
    Failed,
    /// It was set to play fewer rounds than others.
    Shorter,
    /// It was not run, or cannot be.
    Absent,
}

/// A run with its checkpoints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ChosenRun<'a> {
    /// The run.
    pub(crate) run: &'a RunResult,
    /// Its checkpoints.
    pub rows: &'a [TraceRow],
}

/// The entry of a label: without the values that the labels of a grid end with, as in `KRR (eta = 0.1, lambda = 1)`.
pub fn entry_of(label: &str) -> &str {
    let parts = label.strip_suffix(')').and_then(|rest| rest.rsplit_once(" ("));
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-');
    match parts {
        Some((entry, values))
            if values.split_once(" = ").is_some_and(|(name, _)| !name.is_empty() && name.chars().all(is_name)) =>
        {
            entry
        }
        _ => label,
    }
}

/// The sum of losses up to a checkpoint.
pub(crate) fn lost(loss: &RunQuantity, row: &TraceRow) -> Option<f64> {
    let found = match loss {
        RunQuantity::ErrorRate => row.cumulative_error,
        RunQuantity::Gauge(gauge) => row.gauges.number(*gauge),
        _ => Some(row.cumulative_loss),
    };
    found.filter(|lost| lost.is_finite())
}

impl ChosenRun<'_> {
    /// Its mean loss over a part of its rounds.
    pub(crate) fn mean_loss(&self, loss: &RunQuantity, part: LossPart) -> Option<f64> {
        let last = self.rows.last()?;
        let end = lost(loss, last)?;
        let before = match part {
            LossPart::All => None,
            LossPart::SecondHalf => self.rows.iter().find(|row| 2 * row.t >= last.t).filter(|row| row.t < last.t),
        };
        let (t, begin) = before.map_or(Some((0, 0.0)), |row| Some((row.t, lost(loss, row)?)))?;
        (last.t > t).then(|| (end - begin) / (last.t - t) as f64)
    }
}

/// The mean over replicates of their mean losses.
fn mean_of(runs: &[ChosenRun<'_>], loss: &RunQuantity, part: LossPart) -> Option<f64> {
    let losses: Vec<f64> = runs.iter().map(|run| run.mean_loss(loss, part)).collect::<Option<_>>()?;
    (!losses.is_empty()).then(|| sum(losses.iter().copied()) / losses.len() as f64)
}

impl BoardEntry {
    /// Its name in tables and legends, which says of a choice in hindsight what it is.
    pub(crate) fn name(&self) -> String {
        match self.choice {
            Some(SettingChoice::Hindsight) => format!("{}, hindsight", self.entry),
            _ => self.entry.clone(),
        }
    }
}

impl Outcome<'_> {
    /// What a table says where there is no loss.
    pub(crate) fn word(&self) -> Option<&'static str> {
        match self {
            Outcome::Played(_) => None,
            Outcome::Diverged => Some("diverged"),
            Outcome::Failed => Some("failed"),
            Outcome::Shorter => Some("fewer rounds"),
            Outcome::Absent => Some("not run"),
        }
    }
}

impl BoardStream<'_> {
    /// The mean loss of an entry, infinite where it diverged; none where it has no result.
    pub(crate) fn score(&self, entry: usize, part: LossPart) -> Option<f64> {
        match self.outcomes.get(entry)? {
            Outcome::Played(runs) => mean_of(runs, &self.loss, part),
            Outcome::Diverged => Some(f64::INFINITY),
            _ => None,
        }
    }

    /// The least mean loss of all settings of all entries.
    pub(crate) fn best(&self, part: LossPart) -> Option<f64> {
        self.played.iter().filter_map(|runs| mean_of(runs, &self.loss, part)).min_by(f64::total_cmp)
    }
}

/// The runs of an entry on a stream: for each setting, those of all replicates.
type EntryRuns<'a> = BTreeMap<&'a str, Vec<ChosenRun<'a>>>;

/// A stream with the runs of each entry.
struct FoundStream<'a> {
    experiment: &'a ExperimentResults,
    stream: &'a str,
    rounds: u64,
    runs: BTreeMap<&'a str, EntryRuns<'a>>,
}

impl<'a> Board<'a> {
    /// The board of some experiments.
    pub(crate) fn new(experiments: &[&'a ExperimentResults], request: &BoardRequest<'_>) -> Self {
        let mut found: Vec<FoundStream<'a>> = Vec::new();
        for experiment in experiments {
            let mut streams: BTreeMap<&str, BTreeMap<&str, EntryRuns<'a>>> = BTreeMap::new();
            for ((stream, label), runs) in by_label(experiment) {
                let entry = entry_of(label);
                if request.without.iter().any(|name| name == entry || name == label) {
                    continue;
                }
                let rows = |run: &RunResult| experiment.checkpoints.get(&run.run_id).map_or(&[][..], Vec::as_slice);
                let runs = runs.into_iter().map(|run| ChosenRun { run, rows: rows(run) }).collect();
                streams.entry(stream).or_default().entry(entry).or_default().insert(label, runs);
            }
            for (stream, entries) in streams {
                let runs = entries.values().flat_map(BTreeMap::values).flatten();
                let rounds = runs.map(|one| one.run.horizon).max().unwrap_or_default();
                found.push(FoundStream { experiment, stream, rounds, runs: entries });
            }
        }
        let entries = shown(found.iter().map(|one| &one.runs), request);
        let names: Vec<&str> = found.iter().map(|one| one.stream).collect();
        let streams = found.into_iter().map(|FoundStream { experiment, stream, rounds, runs }| {
            let several = names.iter().filter(|name| **name == stream).count() > 1;
            let name = if several { format!("{stream}, {}", experiment.name) } else { stream.to_owned() };
            let settings = &runs;
            let all = move || settings.values().flat_map(BTreeMap::values);
            let loss = request.loss.cloned().unwrap_or_else(|| natural_loss(all().flatten()));
            let outcomes = entries.iter().map(|entry| outcome(runs.get(&*entry.entry), entry.choice, rounds, &loss));
            let outcomes = outcomes.collect();
            let longest = all().map(|runs| of_rounds(runs, rounds));
            let played = longest.filter(|runs| is_played(runs, rounds, &loss)).collect();
            BoardStream { experiment, stream, name, rounds, loss, outcomes, played }
        });
        let streams = streams.collect();
        Self { entries, streams, silent: Default::default() }.heard()
    }

    /// Without streams and entries of which there is no result at all.
    fn heard(self) -> Self {
        let heard = |outcome: &Outcome<'_>| !matches!(outcome, Outcome::Failed | Outcome::Absent);
        let (streams, none): (Vec<_>, Vec<_>) =
            self.streams.into_iter().partition(|stream| stream.outcomes.iter().any(heard));
        let keeps = |entry: usize| streams.is_empty() || streams.iter().any(|stream| heard(&stream.outcomes[entry]));
        let kept: Vec<bool> = (0..self.entries.len()).map(keeps).collect();
        let mut silent = [none.into_iter().map(|stream| stream.name).collect(), Vec::new()];
        let entries = self.entries.into_iter().zip(&kept).filter_map(|(entry, kept)| {
            if *kept {
                return Some(entry);
            }
            silent[1].push(entry.name());
            None
        });
        let entries = entries.collect();
        let heard = |stream: BoardStream<'a>| {
            let outcomes = stream.outcomes.into_iter().zip(&kept).filter_map(|(outcome, kept)| kept.then_some(outcome));
            BoardStream { outcomes: outcomes.collect(), ..stream }
        };
        Self { entries, streams: streams.into_iter().map(heard).collect(), silent }
    }

    /// The place of an entry: as it is chosen on the first tenth or has nothing to choose, where it is shown so.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        let places = || (0..self.entries.len()).filter(|at| self.entries[*at].entry == name);
        let honest = places().find(|at| self.entries[*at].choice != Some(SettingChoice::Hindsight));
        honest.or_else(|| places().next())
    }

    /// The streams on which all of these entries have a score, each with the scores.
    pub(crate) fn complete(&self, entries: &[usize], part: LossPart) -> Vec<(usize, Vec<f64>)> {
        let scores = |at: usize| -> Option<Vec<f64>> {
            entries.iter().map(|entry| self.streams[at].score(*entry, part)).collect()
        };
        (0..self.streams.len()).filter_map(|at| Some((at, scores(at)?))).collect()
    }

    /// The entries that are ranked: those with a score on at least half of the streams.
    pub(crate) fn ranked(&self, part: LossPart) -> Vec<usize> {
        let scores = |entry: usize| self.streams.iter().filter(|stream| stream.score(entry, part).is_some()).count();
        (0..self.entries.len()).filter(|entry| 2 * scores(*entry) >= self.streams.len().max(1)).collect()
    }
}

/// The entries that are shown, `of` first.
fn shown<'m, 'a: 'm>(
    streams: impl Iterator<Item = &'m BTreeMap<&'a str, EntryRuns<'a>>>,
    request: &BoardRequest<'_>,
) -> Vec<BoardEntry> {
    let mut known: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
    for (entry, settings) in streams.flatten() {
        let learner = settings.values().flatten().next().map_or("", |one| one.run.learner.as_str());
        let most = known.entry(entry).or_insert((0, learner));
        most.0 = most.0.max(settings.len());
    }
    let mut entries: Vec<BoardEntry> = Vec::new();
    for (entry, (settings, learner)) in known {
        let one = |choice| BoardEntry { entry: entry.to_owned(), learner: learner.to_owned(), choice, settings };
        let (tenth, hindsight) = (Some(SettingChoice::FirstTenth), Some(SettingChoice::Hindsight));
        match request.choices {
            _ if settings < 2 => entries.push(one(None)),
            ShownChoices::Both => entries.extend([one(tenth), one(hindsight)]),
            ShownChoices::Hindsight if request.of != Some(entry) => entries.push(one(hindsight)),
            _ => entries.push(one(tenth)),
        }
    }
    // A stable sort: the others stay by name.
    entries.sort_by_key(|entry| request.of != Some(&*entry.entry));
    entries
}

/// Errors where all finished runs count them, else the loss.
fn natural_loss<'m, 'a: 'm>(runs: impl Iterator<Item = &'m ChosenRun<'a>>) -> RunQuantity {
    let mut done = runs.filter(|one| one.run.status == EndStatus::Done).peekable();
    let counts = |one: &ChosenRun<'_>| one.rows.last().is_some_and(|row| row.cumulative_error.is_some());
    if done.peek().is_some() && done.all(counts) { RunQuantity::ErrorRate } else { RunQuantity::AverageLoss }
}

/// The runs of a setting that were set to play so many rounds.
fn of_rounds<'a>(runs: &[ChosenRun<'a>], rounds: u64) -> Vec<ChosenRun<'a>> {
    runs.iter().filter(|one| one.run.horizon == rounds).copied().collect()
}

/// Whether all replicates of a setting were played through so many rounds, and have this loss.
fn is_played(runs: &[ChosenRun<'_>], rounds: u64, loss: &RunQuantity) -> bool {
    let whole = |one: &ChosenRun<'_>| {
        let end = one.rows.last().and_then(|row| lost(loss, row));
        one.run.status == EndStatus::Done && one.run.horizon == rounds && end.is_some()
    };
    !runs.is_empty() && runs.iter().all(whole)
}

/// What came of an entry with these settings.
fn outcome<'a>(
    settings: Option<&EntryRuns<'a>>,
    choice: Option<SettingChoice>,
    rounds: u64,
    loss: &RunQuantity,
) -> Outcome<'a> {
    let Some(settings) = settings else { return Outcome::Absent };
    let longest = settings.values().map(|runs| of_rounds(runs, rounds));
    let settings: Vec<Vec<ChosenRun<'a>>> = longest.filter(|runs| !runs.is_empty()).collect();
    let Some(first) = settings.first() else { return Outcome::Shorter };
    match choice {
        None => ended(first, rounds, loss),
        Some(SettingChoice::Hindsight) => {
            let played = settings.iter().filter(|runs| is_played(runs, rounds, loss));
            let scored = played.filter_map(|runs| Some((mean_of(runs, loss, LossPart::All)?, runs)));
            let best = scored.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, runs)| runs);
            best.map_or_else(|| ended(&settings.concat(), rounds, loss), |runs| Outcome::Played(runs.clone()))
        }
        Some(SettingChoice::FirstTenth) => {
            let replicates: BTreeSet<u64> = settings.iter().flatten().map(|one| one.run.replicate).collect();
            let chosen = |replicate: u64| -> Option<ChosenRun<'a>> {
                let mut of = settings.iter().flatten().filter(|one| one.run.replicate == replicate);
                first_tenth(&of.clone().copied().collect::<Vec<_>>(), rounds, loss).or_else(|| of.next().copied())
            };
            let chosen: Vec<ChosenRun<'a>> = replicates.into_iter().filter_map(chosen).collect();
            ended(&chosen, rounds, loss)
        }
    }
}

/// The run with the least loss up to the last checkpoint within the first tenth of the rounds.
fn first_tenth<'a>(runs: &[ChosenRun<'a>], rounds: u64, loss: &RunQuantity) -> Option<ChosenRun<'a>> {
    let tenth = (rounds / 10).max(1);
    let within = |one: &ChosenRun<'_>| one.rows.iter().map(|row| row.t).filter(|t| (1..=tenth).contains(t)).max();
    let at = runs.iter().filter_map(within).max()?;
    let then = |one: &ChosenRun<'a>| {
        let row = one.rows.iter().find(|row| row.t == at)?;
        Some((lost(loss, row)?, *one))
    };
    runs.iter().filter_map(then).min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, one)| one)
}

/// How runs of one setting, or one of each replicate, ended.
fn ended<'a>(runs: &[ChosenRun<'a>], rounds: u64, loss: &RunQuantity) -> Outcome<'a> {
    let any = |status: EndStatus| runs.iter().any(|one| one.run.status == status);
    match () {
        () if is_played(runs, rounds, loss) => Outcome::Played(runs.to_vec()),
        () if any(EndStatus::Diverged) => Outcome::Diverged,
        () if runs.iter().all(|one| one.run.is_untried()) => Outcome::Absent,
        () => Outcome::Failed,
    }
}

#[cfg(test)]
pub(crate) mod tests;
