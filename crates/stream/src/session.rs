//! How a stream begins and ends: what is opened, and what is said and saved last.

use std::io::{IsTerminal as _, stderr, stdout};
use std::num::NonZeroU64;
use std::path::Path;

use crate::ahead;
use crate::args::{AUTO, ScaleChoice, StreamArgs};
use crate::checkpoint::{RunStart, Saver};
use crate::classes::{self, Words};
use crate::columns::{of_class_rounds, of_horizons, of_rounds, with_further};
use crate::error::StreamError;
use crate::experts;
use crate::facts;
use crate::feed::RowFeed;
use crate::file_args::DecimalChoice;
use crate::further;
use crate::group::{self, BATCH, GroupLearners};
use crate::horizon::Horizon;
use crate::input::{InputFile, SavedInput};
use crate::intact::ReadFile;
use crate::kept::Resumed;
use crate::learner::{ChosenLearner, Learnt};
use crate::line::{OutputColumn, OutputColumns, shortest};
use crate::metrics::Metric;
use crate::output::{Sink, Wanted, WriteStatus};
use crate::rescaled::{TargetScale, TargetSpread};
use crate::rounds::{Late, RunEnd, StreamRun};
use crate::story::collect::StoryStart;
use crate::story::page::{PageFile, RunStory};
use crate::watch::RoundWatch;
use noregret_core::learner::LEARNERS;
use noregret_core::learner::api::Hypothesis;
use noregret_core::params::Value;
use noregret_core::protocol::copies;
use noregret_core::protocol::run::{BLOCK, Stop};
use noregret_data::encode::choices::MissingValues;
use noregret_data::encode::marks::MarkOrder;
use noregret_data::format::parts::told_of_empty;
use noregret_data::http::without_secrets;
use noregret_data::table::block;
use noregret_model::targets::Rescale;
use noregret_numeric::draw::Draws;
use noregret_platform::signals::Hold;

/// What is said of predictions and losses that owe something to later rows.
pub(crate) const SAW_ALL: &str = ", by scales that saw the whole file";

/// What is said of classes where nobody asks for other metrics.
const OF_CLASSES: [Metric; 3] = [Metric::Error, Metric::Log, Metric::Brier];

/// The result of a complete run.
pub(crate) struct StreamSummary {
    pub(crate) said: String,
    /// Whether predictions are estimates.
    pub(crate) estimates: bool,
}

/// Opens everything that a run needs, and fills it with what was learnt before.
pub(crate) fn open<'a>(
    start: &mut RunStart,
    interrupted: &dyn Fn() -> bool,
    say: &'a mut dyn FnMut(&str),
) -> Result<StreamRun<'a>, StreamError> {
    let (args, after, position) = (&start.args, start.after(), start.position());
    ahead::check(args)?;
    group::check(args)?;
    let chosen = ChosenLearner::from_args(args)?;
    let channel = chosen.channel(args)?;
    start.check_input()?;
    let counted = start.loaded.is_none() && chosen.needs_rounds(args);
    let known = SavedInput { forecasts: chosen.takes_absent(args), ..start.known() };
    let page = PageFile::open(args)?;
    let file = ReadFile::open(Path::new(&args.input), args.sees_whole_file() || counted);
    let mut input = InputFile::open(args, counted, known, interrupted)?;
    let horizon = horizon(start, counted, &mut input)?;
    let chosen = chosen.with_codes(input.codes()).with_derived(args.derived(&input.columns.inputs)?);
    let classes = classes::known(args, &input)?;
    let quantities = input.quantities();
    let first = chosen.ahead(args, args.ahead.first().copied().unwrap_or(1))?;
    let seat = first.seat(args, &quantities, horizon, channel, classes)?;
    let mut further = further::all(args, &chosen, (&quantities, &input.columns.target), horizon, classes)?;
    let saver = Saver::new(args, &chosen, &input.columns, horizon)?;
    let weights = weights(args, &chosen, seat.hypothesis(), &input, say)?;
    let told = page.is_some().then(|| told(args, &chosen, seat.hypothesis(), &input));
    chosen.knows(args.std, seat.hypothesis())?;
    let columns = columns(args, &input, seat.hypothesis().interval(0.0).is_some(), &weights);
    let mut config = chosen.config(args);
    if let Some(choices) = input.choices() {
        config["file"] = choices;
    }
    let (live, scale) = (input.live, scale(start, &mut input, say)?);
    further.iter_mut().for_each(|one| one.share(&scale));
    let ahead = args.ahead.first().map(|steps| Horizon::new(*steps, &args.metrics));
    let mut feed = feed(start, input)?;
    // A refused input leaves the output as it is.
    let sink = sink(start, live, columns, &config.to_string(), saver.as_ref())?;
    let places = MarkOrder {
        decimal: feed.plan().map(|plan| plan.decimal).unwrap_or_default(),
        month_first: args.file.month_first,
    };
    let groups = groups(args, &chosen, (&quantities, classes), &mut feed)?;
    let watch = watch(args, say, live, classes.is_some());
    let late = late(args);
    let single = live || args.weights || many_copies(args, &feed) || late != Late::Never;
    let mut run = StreamRun {
        state: Learnt { ahead, ..Learnt::new(seat, classes::tally(classes), scale) },
        further,
        ahead: args.ahead.clone(),
        weighted: args.sample_weight.is_some(),
        draws: first.draws(args),
        single: single || groups.is_some(),
        most: match groups {
            _ if single => 1,
            Some(_) => BATCH.min(block(feed.dim) as u64),
            None => BLOCK.min(block(feed.dim)) as u64,
        },
        groups,
        feed,
        sink,
        saver,
        watch,
        story: None,
        weights: args.weights,
        std: args.std,
        words: classes.map(|_| Words::default()),
        late,
        position: args.position.is_some(),
        passes_over: after.is_some(),
        places,
        last: after.map(|(_, last)| last),
        level: position.level.unwrap_or(0),
        astray: false,
        replaced: 0,
        round: start.round(),
        rows: position.rows,
        file,
    };
    if let Some(loaded) = start.loaded.take() {
        loaded.fill(&chosen, &mut run.state, (&mut run.further, run.groups.as_mut()), &mut run.feed)?;
        run.state.seat.still_knows(args.std)?;
    }
    run.story = page.zip(told).map(|(page, told)| RunStory::new(page, begun(&run, told)));
    Ok(run)
}

/// The learners of groups, where there are any: each scales its inputs itself.
fn groups(
    args: &StreamArgs,
    chosen: &ChosenLearner,
    (quantities, classes): (&[bool], Option<usize>),
    feed: &mut RowFeed,
) -> Result<Option<GroupLearners>, StreamError> {
    let Some(column) = &args.group else { return Ok(None) };
    GroupLearners::new(column, (args, chosen), quantities, classes, std::mem::take(&mut feed.scaling)).map(Some)
}

/// The number of rows that the formulas of parameters are of, if there are any.
fn horizon(start: &RunStart, counted: bool, input: &mut InputFile<'_>) -> Result<Option<u64>, StreamError> {
    match &start.loaded {
        Some(loaded) => Ok(loaded.header().horizon),
        None if counted => input.rows().map(Some),
        None => Ok(None),
    }
}

/// The names of the forecasts whose weights are written.
fn weights(
    args: &StreamArgs,
    chosen: &ChosenLearner,
    learner: &dyn Hypothesis,
    input: &InputFile<'_>,
    say: &mut dyn FnMut(&str),
) -> Result<Vec<String>, StreamError> {
    if args.weights { experts::shown(chosen, learner, &input.columns.inputs, say) } else { Ok(Vec::new()) }
}

/// What a page begins with, after what was played before.
fn begun(run: &StreamRun<'_>, told: StoryStart) -> StoryStart {
    let tally = &run.state.tally;
    StoryStart { scored: tally.rounds(), loss: tally.loss(), rows: run.rows, ..told }
}

/// What is known, before the first row, of what a page tells.
fn told(args: &StreamArgs, chosen: &ChosenLearner, learner: &dyn Hypothesis, input: &InputFile<'_>) -> StoryStart {
    let (mut note, classes) = (None, input.classes().is_some());
    let forecasts = experts::shown(chosen, learner, &input.columns.inputs, &mut |line| {
        note = Some(line.replace("written", "shown"))
    });
    let level = match chosen.params.get("alpha") {
        Some(Value::Real(alpha)) => Some(1.0 - alpha),
        _ => None,
    };
    StoryStart {
        learner: chosen.named().0.to_owned(),
        target: input.columns.target.clone(),
        file: facts::short(&args.input),
        classes,
        weights: if classes { Vec::new() } else { forecasts.unwrap_or_default() },
        weights_note: note,
        intervals: learner.interval(0.0).is_some(),
        level,
        mark: args.position.clone().or_else(|| args.id.clone()),
        ..StoryStart::default()
    }
}

/// The columns of the output.
fn columns(args: &StreamArgs, input: &InputFile<'_>, intervals: bool, weights: &[String]) -> OutputColumns {
    let columns = columns_of_one(args, input, intervals, weights);
    columns.iter().cloned().chain(args.group.is_some().then(OutputColumn::group)).collect()
}

/// The same, where there are no groups.
fn columns_of_one(args: &StreamArgs, input: &InputFile<'_>, intervals: bool, weights: &[String]) -> OutputColumns {
    match input.classes() {
        _ if !args.further_targets.is_empty() => {
            with_further(&of_rounds(intervals, false, &[], args.unseen, false), &args.further_targets)
        }
        // Only those that were declared, so that a run that goes on has the columns that it had.
        Some(_) => of_class_rounds(args.classes.as_deref().unwrap_or_default(), args.unseen, args.shuffle),
        None if !args.ahead.is_empty() => {
            of_horizons(&of_rounds(intervals, args.std.is_some(), &[], args.unseen, false))
        }
        None => of_rounds(intervals, args.std.is_some(), weights, args.unseen, args.shuffle),
    }
}

/// The output, whose metadata are the configuration.
fn sink(
    start: &RunStart,
    live: bool,
    columns: OutputColumns,
    config: &str,
    saver: Option<&Saver>,
) -> Result<Sink, StreamError> {
    Sink::create(&Wanted {
        output: start.args.output.as_deref(),
        input: &start.args.input,
        models: &[("save", start.args.save.as_deref()), ("load", start.args.load.as_deref())],
        columns,
        config,
        kept: saver.is_some(),
        every: saver.and_then(Saver::every),
        resumed: start.resumed.then(|| Resumed { position: start.position(), round: start.round() }),
        again: start.args.resume,
        live,
    })
}

/// How targets are scaled, after what is to be said of the file and of scales that saw all of it.
fn scale(start: &RunStart, input: &mut InputFile<'_>, say: &mut dyn FnMut(&str)) -> Result<Rescale, StreamError> {
    let (args, new) = (&start.args, start.loaded.is_none());
    let points = args.file.decimal == Some(DecimalChoice::Point);
    let commas =
        start.loaded.as_ref().filter(|_| !start.resumed && !points).and_then(|loaded| loaded.of_commas(input.format()));
    for note in input.notes(new).iter().map(String::as_str).chain(commas) {
        say(note);
    }
    if args.sees_whole_file() && new {
        say(
            "the scales saw the whole file first: predictions owe something to later rows (the scale epochs sees none)",
        );
    }
    let fits = args.target_scale().sees_all() && new;
    Ok(args.target_scale().rescale(&if fits { input.spread()? } else { TargetSpread::default() }))
}

/// The rows, from the one on with which the run goes on.
fn feed(start: &RunStart, input: InputFile<'_>) -> Result<RowFeed, StreamError> {
    let (args, position) = (&start.args, start.position());
    if let Some(limit) = args.limit.filter(|limit| limit.get() < position.rows) {
        let why = format!("--limit {limit}: {} rows were played before", position.rows);
        return Err(StreamError::Resume(why));
    }
    let mut feed = input.feed(&Draws::named(&["stream", &args.seed.to_string(), "order"]))?;
    if start.after().is_some() {
        feed.row = position.row;
    }
    if start.after().is_none() && feed.skip(position.rows)? < position.rows {
        let file = without_secrets(&args.input);
        let why = format!("{file} has fewer rows than the {} that were played before", position.rows);
        return Err(StreamError::Resume(why));
    }
    if start.after().is_none() && position.row.is_some() && feed.row != position.row {
        let (file, row) = (without_secrets(&args.input), position.rows);
        let why = format!("row {row} of {file} is another one than the run had played: give the input that it had");
        return Err(StreamError::Resume(why));
    }
    Ok(feed)
}

/// What is said while rounds are played.
fn watch<'a>(args: &StreamArgs, say: &'a mut dyn FnMut(&str), live: bool, of_classes: bool) -> RoundWatch<'a> {
    // Lines of progress would stand between the rounds, where both go to a terminal.
    let apart = args.output.is_some() || !stdout().is_terminal();
    let progress = args.progress.unwrap_or_else(|| stderr().is_terminal() && apart && !live);
    let unscaled = [args.scale() == ScaleChoice::None, args.target_scale() == TargetScale::None];
    // A learner without parameters can only be replaced.
    let tunable = LEARNERS.find(&args.learner).map_or(true, |entry| !entry.params.is_empty());
    let unscaled = (args.learner != AUTO && tunable).then_some(unscaled);
    let metrics = match of_classes && args.metrics.is_empty() {
        true => &OF_CLASSES[..],
        // Those of each horizon are said at the end.
        false if !args.ahead.is_empty() && args.window.is_none() => &[],
        false => &args.metrics[..],
    };
    RoundWatch::new(say, progress, metrics, args.window.map(NonZeroU64::get), unscaled)
}

/// Whether a block of rounds would take long, because of many copies: signals are looked for between blocks.
fn many_copies(args: &StreamArgs, feed: &RowFeed) -> bool {
    args.copies.is_some_and(|copies| copies.get() > copies::most(feed.dim) / BLOCK as u32)
}

fn late(args: &StreamArgs) -> Late {
    match (&args.id, args.delay) {
        (Some(_), _) => Late::Named,
        (None, Some(rows)) => Late::By(rows.get().into()),
        (None, None) => Late::Never,
    }
}

/// Saves and says what is left, as the reason asks for why the run ended. None where the reader of the output went away.
/// `first` rounds were played before this run, which took so many seconds.
pub(crate) fn close(
    mut run: StreamRun<'_>,
    args: &StreamArgs,
    (first, seconds): (u64, f64),
    why: RunEnd,
) -> Result<Option<StreamSummary>, StreamError> {
    // What reads a pipe may never read on.
    let _hold = run.sink.replaces().then(Hold::take);
    let said = said(&run, args, first);
    if let RunEnd::Unwritten(error) = why {
        return Err(run.unwritten(error)?);
    }
    let reader_left = matches!(why, RunEnd::ReaderLeft);
    let left = save_last(&mut run, args, &why)? || reader_left;
    let (rounds, scored) = (run.round, run.state.tally.rounds());
    let estimates = run.state.seat.hypothesis().estimates();
    let saved = run.saver.as_ref().and_then(|saver| saver.saved());
    if let (true, Some(saved)) = (reader_left, &saved) {
        run.watch.say(&format!("the reader of the output left after {rounds} rounds; {saved}"));
    }
    let what = measured(&run);
    let page = run.story.take().map(|RunStory { file, collector }| {
        let told = facts::told(&run, args, &collector, (&why, seconds));
        (file, told)
    });
    let (last, written) = match why {
        RunEnd::AllPlayed => run.write_coming()?,
        _ => (rounds, WriteStatus::All),
    };
    let summaries = match run.ahead.is_empty() {
        true => further::said(&run.further, &args.metrics),
        false => ahead::said(&run.state, &run.further, &args.metrics),
    };
    // Without a round there is nothing that an earlier output should give way to.
    let nothing = rounds == first && matches!(why, RunEnd::Diverged(..) | RunEnd::Interrupted) && run.sink.replaces();
    let left =
        left || written == WriteStatus::ReaderLeft || (!nothing && run.sink.finish(last)? == WriteStatus::ReaderLeft);
    if let Some((file, told)) = page {
        file.publish(&told)?;
    }
    if left {
        return Ok(None);
    }
    if !matches!(why, RunEnd::Interrupted) {
        run.watch.finish();
        if let Some(trouble) = run.file.as_ref().and_then(ReadFile::trouble) {
            run.watch.say(&format!("warning: {trouble}"));
        }
        told_of_empty(run.feed.empty_files()).iter().for_each(|line| run.watch.say(line));
        summaries.iter().for_each(|line| run.watch.say(line));
        // What one learner found out; those of groups found out other things.
        let account = run.groups.is_none().then(|| run.state.seat.hypothesis().account());
        account.iter().flatten().for_each(|line| run.watch.say(line));
        if let (true, true, Some(last)) = (rounds == first, run.feed.left_out() > 0, &run.last) {
            run.watch.say(&format!(
                "warning: no row stands after {last}, the last position; if the input was made anew, begin with another --save and \
                 --output"
            ));
        }
    }
    match why {
        RunEnd::Interrupted => Err(StreamError::Interrupted { rounds }),
        RunEnd::Diverged(round, Stop { cause }) => Err(StreamError::Diverged {
            learner: args.learner.clone(),
            round,
            cause,
            written: match scored {
                0 => "no rounds were played".into(),
                scored => format!("{scored} rounds before, {what}"),
            },
        }),
        RunEnd::Unreadable(error) => {
            let error = Box::new(error);
            let saved = saved.map(|saved| format!("; {saved}")).unwrap_or_default();
            let kept = match rounds {
                1 => format!("1 round before is written{saved}"),
                _ => format!("{rounds} rounds before are written{saved}"),
            };
            Err(StreamError::Unreadable { error, kept })
        }
        RunEnd::Unwritten(error) => Err(error),
        RunEnd::AllPlayed | RunEnd::ReaderLeft => Ok(Some(StreamSummary { said, estimates })),
    }
}

/// Saves the model at the end, where the run goes on from here rather than from an earlier save; whether the reader of
/// the output went away.
fn save_last(run: &mut StreamRun<'_>, args: &StreamArgs, why: &RunEnd) -> Result<bool, StreamError> {
    // A run that ends early goes on from its last save, or from here if it has no others.
    let last = match why {
        RunEnd::AllPlayed => run.saver.is_some(),
        // One by one, rounds are the same whenever it is saved.
        RunEnd::Interrupted | RunEnd::ReaderLeft | RunEnd::Unreadable(_) => {
            run.saver.as_ref().is_some_and(|saver| run.single || saver.every().is_none())
        }
        RunEnd::Diverged(..) | RunEnd::Unwritten(_) => false,
    };
    if last && args.predict_only && !run.state.seat.hypothesis_mut().keep_predictions() {
        run.watch.say("predictions need all that was learnt: the model is the whole one");
    }
    Ok(last && run.save()? == WriteStatus::ReaderLeft)
}

/// `average loss 0.25`, or the error rate of classes.
fn measured(run: &StreamRun<'_>) -> String {
    let tally = &run.state.tally;
    if !run.ahead.is_empty() {
        let steps: Vec<String> = run.ahead.iter().map(u64::to_string).collect();
        return format!("forecasts {} steps ahead", steps.join(", "));
    }
    let what = if run.words.is_some() { "error rate" } else { "average loss" };
    format!("{what} {}", shortest(tally.loss() / tally.rounds() as f64))
}

/// The summary of what was played, in one line.
fn said(run: &StreamRun<'_>, args: &StreamArgs, first: u64) -> String {
    let scored = run.state.tally.rounds();
    let rounds = if run.round == 1 { "1 round".to_owned() } else { format!("{} rounds", run.round) };
    let mut said = match scored {
        0 => format!("{rounds}, none with a target"),
        scored if scored == run.round => format!("{rounds}, {}", measured(run)),
        _ => format!("{rounds}, {} over the {scored} with a target", measured(run)),
    };
    let missed = run.state.seat.hypothesis().gauges().missed.filter(|_| run.groups.is_none());
    if let Some(missed) = missed.filter(|_| scored > 0 && run.ahead.is_empty()) {
        // Rows that wait to be learnt have no part in it.
        let service = &run.state.service;
        let open = args.delay.map_or(0, |_| service.waiting() as u64 + service.forgotten());
        let judged = scored.saturating_sub(open);
        let rate = 100.0 * missed as f64 / judged.max(1) as f64;
        said += &format!(", {missed} targets outside of their intervals ({rate:.2} %)");
    }
    if let Some(groups) = &run.groups {
        said += &format!(", {} groups", groups.count());
    }
    if first > 0 {
        said += &format!(" ({first} of the rounds before this run)");
    }
    match (run.feed.left_out(), run.passes_over) {
        (0, _) => {}
        (rows, true) => {
            let gaps = args.file.missing == Some(MissingValues::Drop);
            let or = if gaps { ", or because a value is missing" } else { "" };
            said += &format!(", rows passed over up to the last position{or}: {rows}");
        }
        (rows, false) => said += &format!(", left out because a value is missing: {rows}"),
    }
    if run.feed.bad > 0 {
        let rows = if run.feed.bad == 1 { "row" } else { "rows" };
        said += &format!(", {} {rows} that cannot be read passed over", run.feed.bad);
    }
    let (waiting, lost) = (run.state.service.waiting(), run.state.service.forgotten());
    if waiting > 0 || lost > 0 {
        said += &format!(", waiting to be learnt: {waiting}");
    }
    if lost > 0 {
        said += &format!(", given up because too many waited: {lost}");
    }
    if run.replaced > 0 {
        said += &format!(", given up for a later row of the same name: {}", run.replaced);
    }
    if args.sees_whole_file() {
        said += SAW_ALL;
    }
    said
}
