//! What the page of a run tells at its end: what was found, the facts of the run, and what a reader must know of it.

use std::path::Path;

use noregret_data::format::DataSource;
use noregret_data::http::without_secrets;
use noregret_report::number::{duration, grouped};
use noregret_report::streamed::story::StreamStory;

use crate::args::StreamArgs;
use crate::line::shortest;
use crate::rounds::{RunEnd, StreamRun};
use crate::story::collect::StoryCollector;

/// The name of the input without its folder, or without what stands around it in an address.
pub(crate) fn short(input: &str) -> String {
    let input = DataSource::argument(input).to_string();
    // What stands for the query of an address.
    let input = input.strip_suffix("?...").unwrap_or(&input);
    Path::new(input).file_name().map_or(input.to_owned(), |name| name.to_string_lossy().into_owned())
}

/// What is told of a run that ended for this reason after so many seconds.
pub(crate) fn told(
    run: &StreamRun<'_>,
    args: &StreamArgs,
    collector: &StoryCollector,
    (why, seconds): (&RunEnd, f64),
) -> StreamStory {
    let story = collector.ended(|| run.state.seat.hypothesis().gauges().weights);
    let [rows, scored] = collector.counts();
    let mut facts = Vec::new();
    let mut fact = |name: &str, value: String| facts.push((name.to_owned(), value));
    if !args.command.is_empty() {
        fact("Command", command(&args.command));
    }
    fact("Learner", std::iter::once(&args.learner).chain(&args.set).cloned().collect::<Vec<_>>().join(" "));
    match run.feed.origin.told() {
        Some(files) => fact("Files", files),
        None => fact("File", DataSource::argument(&args.input).to_string()),
    }
    fact("Target", story.target.clone());
    fact("Rows", format!("{} predicted, {} of them with a target", grouped(rows), grouped(scored)));
    fact("Rows passed over", passed(run));
    if let Some(last) = story.losses.last() {
        let what = if run.words.is_some() { "Error rate" } else { "Average loss" };
        fact(what, shortest(last.learner));
    }
    if rows > 0 {
        let (each, all) = (duration(seconds / rows as f64), duration(seconds));
        fact("Time per row", format!("{each} ({all} for all, in which rows were read, learnt and written)"));
    }
    fact("Program", concat!("noregret ", env!("CARGO_PKG_VERSION")).to_owned());
    StreamStory { facts, notes: notes(run, args, &story, why), ..story }
}

/// How many rows were passed over, and why.
fn passed(run: &StreamRun<'_>) -> String {
    let (count, why) = (run.feed.bad, &run.feed.why);
    let rest = count.saturating_sub(why.len() as u64);
    match (count, rest) {
        (0, _) => "none".into(),
        (_, 0) => format!("{}, which cannot be read: {}", grouped(count), why.join("; ")),
        _ => format!("{}, which cannot be read: {}; and {} others", grouped(count), why.join("; "), grouped(rest)),
    }
}

/// What a reader must know.
fn notes(run: &StreamRun<'_>, args: &StreamArgs, story: &StreamStory, why: &RunEnd) -> Vec<String> {
    let mut notes = Vec::new();
    if story.before > 0 {
        notes.push(format!(
            "This run went on with a saved model, which had learnt {} rows. The page tells of the rows after these alone: \
             averages, and both rules that the learner is compared with, begin there.",
            grouped(story.before)
        ));
    }
    let rows = grouped(run.rows);
    notes.extend(match why {
        RunEnd::AllPlayed | RunEnd::Unwritten(_) => None,
        RunEnd::ReaderLeft => Some(format!("The run ended after row {rows}: the reader of its output went away.")),
        RunEnd::Interrupted => Some(format!("The run was stopped after row {rows}.")),
        RunEnd::Diverged(round, stop) => Some(format!("The learner stopped in round {round}: {}.", stop.cause)),
        RunEnd::Unreadable(error) => Some(format!("The run ended after row {rows}: {error}.")),
    });
    if story.weights.as_ref().is_some_and(|weights| weights.points.len() == 1) {
        notes.push("Weights are seen where blocks of rows end, and there was one block: they have no picture.".into());
    }
    if args.sees_whole_file() {
        notes.push("The scales saw the whole file first: predictions owe something to later rows.".into());
    }
    if let Some(law) = &args.noise {
        notes.push(format!(
            "The learner saw the rows behind noise ({law}); losses are measured on the rows as they are."
        ));
    }
    if !args.further_targets.is_empty() {
        notes.push(format!("The page tells of {} alone, not of the further targets.", story.target));
    }
    if args.ahead.len() > 1 {
        notes.push("The page tells of forecasts one step ahead alone, not of the other horizons.".into());
    }
    if run.state.seat.hypothesis().estimates() {
        notes.push("Predictions are estimates from sampled neurons.".into());
    }
    notes
}

/// The command as a shell reads it; the program without its folder.
fn command(words: &[String]) -> String {
    let plain = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "-_./=:,+@%".contains(c));
    let quoted = |word: &str| if plain(word) { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) };
    let program = words.first().map(|word| short(word));
    let told = |word: &String| match word.split_once('=').filter(|_| word.starts_with("--")) {
        Some((option, value)) => format!("{option}={}", without_secrets(value)),
        None => without_secrets(word),
    };
    program.into_iter().chain(words.iter().skip(1).map(told)).map(|word| quoted(&word)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_can_be_given_again() {
        let words = ["/usr/bin/noregret", "stream", "my file.csv", "--set", "a=it's", ""].map(String::from);
        assert_eq!(command(&words), r"noregret stream 'my file.csv' --set 'a=it'\''s' ''");
        assert_eq!(["-", "/a/b.csv", "https://a.org/b.csv?key=1"].map(short), ["standard input", "b.csv", "b.csv"]);
        let words = ["noregret", "https://a.org/b.csv?key=1", "--input=https://me:word@a.org/b.csv"].map(String::from);
        assert_eq!(command(&words), "noregret 'https://a.org/b.csv?...' --input=https://a.org/b.csv");
    }
}
