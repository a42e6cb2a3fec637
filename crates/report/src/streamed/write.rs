//! Writes the page of a stream.

use serde::Serialize;

use crate::alone::{self, PictureView, drawn, percent};
use crate::error::ReportError;
use crate::number::{grouped, significant};
use crate::streamed::panels::{self, LAST, usual};
use crate::streamed::story::{IntervalStory, LossesSoFar, MissStory, StoryMeasure, StoryMiss, StreamStory};

/// From this share of the loss on, the first row is told of.
const MUCH: f64 = 0.1;

#[derive(Serialize)]
struct StreamPage<'a> {
    finding: String,
    title: String,
    explained: Option<String>,
    notes: &'a [String],
    pictures: Vec<PictureView>,
    headings: Vec<String>,
    misses: Vec<[String; 5]>,
    marked: bool,
    run: &'static str,
    facts: &'a [(String, String)],
}

/// The page, as one HTML file.
///
/// # Errors
/// A template that cannot be rendered.
pub fn html(story: &StreamStory) -> Result<String, ReportError> {
    let page = StreamPage {
        finding: finding(story),
        title: format!("{} on {}", story.learner, story.file),
        explained: story.losses.last().map(|last| explained(story, last)),
        notes: &story.notes,
        pictures: pictures(story),
        headings: headings(&story.misses, story.measure),
        misses: story.misses.rows.iter().map(cells).collect(),
        marked: story.misses.mark.is_some(),
        run: "The run",
        facts: &story.facts,
    };
    alone::rendered(include_str!("../templates/streamed.html"), page)
}

/// What was found, in one sentence.
fn finding(story: &StreamStory) -> String {
    let StreamStory { learner, target, file, .. } = story;
    let Some(last) = story.losses.last() else {
        return format!("{learner} learnt nothing of {target} in {file}: no row had a target.");
    };
    let (rule, of_rule) = usual(story.measure);
    let loss = match story.measure {
        StoryMeasure::Squares => format!("with an average squared error of {}", significant(last.learner, 5)),
        StoryMeasure::Classes => format!("with {} wrong", percent(last.learner)),
    };
    let against = [(rule, of_rule, last.usual), (LAST.0, LAST.1, last.last)];
    let against = against.into_iter().filter(|(_, look, _)| look != learner);
    let against: Vec<String> = against.map(|(name, _, of)| compared(last.learner, of, name)).collect();
    let rows = if last.rows == 1 { "1 row".to_owned() } else { format!("{} rows", grouped(last.rows)) };
    format!("{learner} predicted {target} of {file} {loss} over {rows}: {}.", against.join(" and "))
}

/// How a loss compares with that of a rule.
fn compared(own: f64, other: f64, name: &str) -> String {
    match () {
        () if own == other => format!("as good as the {name}"),
        () if other == 0.0 => format!("worse than the {name}, which made no error"),
        () if own < other => format!("{} better than the {name}", percent(1.0 - own / other)),
        () if own > 10.0 * other => format!("{} times the loss of the {name}", significant(own / other, 3)),
        () => format!("{} worse than the {name}", percent(own / other - 1.0)),
    }
}

/// What the numbers of the finding are.
fn explained(story: &StreamStory, last: &LossesSoFar) -> String {
    let target = &story.target;
    match story.measure {
        StoryMeasure::Squares => format!(
            "Errors are in units of {target}, and squared errors in their squares. The root of the average squared error is {} \
             ({}: {}, {}: {}). Each row was predicted before its target was read.",
            significant(last.learner.sqrt(), 5),
            usual(story.measure).0,
            significant(last.usual.sqrt(), 5),
            LAST.0,
            significant(last.last.sqrt(), 5),
        ),
        StoryMeasure::Classes => format!(
            "The share of wrong classes of {target} is {} ({}: {}, {}: {}). Each row was predicted before its class was read.",
            percent(last.learner),
            usual(story.measure).0,
            percent(last.usual),
            LAST.0,
            percent(last.last),
        ),
    }
}

fn pictures(story: &StreamStory) -> Vec<PictureView> {
    let mut found = Vec::new();
    if !story.losses.is_empty() {
        let first = match story.measure {
            StoryMeasure::Squares => "Before the first target, both rules predict 0.",
            StoryMeasure::Classes => "Before the first class is known, both rules are wrong.",
        };
        let caption =
            format!("Averages over all rows up to each place. {first}{}", first_row(story).unwrap_or_default());
        found.push(drawn("losses", "Loss over time", &[panels::losses(story)], caption));
    }
    // A single point would be an empty picture.
    if let Some(weights) = story.weights.as_ref().filter(|weights| weights.points.len() > 1) {
        let little = "Each part on top of those before it. Forecasts of little weight, or beyond the seven of most weight, are the others.";
        let note = weights.note.as_ref().map(|note| format!(" Here {note}.")).unwrap_or_default();
        found.push(drawn(
            "weights",
            "Weights of forecasts over time",
            &[panels::weights(weights)],
            format!("{little}{note}"),
        ));
    }
    if let Some(intervals) = story.intervals.as_ref().filter(|intervals| !intervals.points.is_empty()) {
        let charts = panels::intervals(intervals, &story.target);
        found.push(drawn("intervals", "Intervals over time", &charts, covered(intervals, &story.target)));
    }
    found
}

/// How much of the learner's loss the first row makes, which nobody can know, where that is much.
fn first_row(story: &StreamStory) -> Option<String> {
    let (first, last) = (story.losses.first()?, story.losses.last()?);
    let share = first.learner / (last.learner * last.rows as f64);
    let known = story.measure == StoryMeasure::Squares && story.before == 0 && first.rows == 1 && last.rows > 1;
    (known && share > MUCH).then(|| format!(" The first row makes {} of the learner's loss.", percent(share)))
}

/// What was found of intervals.
fn covered(story: &IntervalStory, target: &str) -> String {
    let Some(last) = story.points.last() else { return String::new() };
    let level = story.level.map(|level| format!(" (target level {})", percent(level))).unwrap_or_default();
    let width = match last.width {
        Some(width) => format!("their mean width is {} in units of {target}", significant(width, 4)),
        None => "none has a finite width".into(),
    };
    let unbounded = match story.unbounded {
        0 => String::new(),
        count => format!(", without {} that had no finite width", grouped(count)),
    };
    let rows = grouped(last.rows);
    format!("Of {rows} targets, {} were inside of their intervals{level}; {width}{unbounded}.", percent(last.coverage))
}

fn headings(misses: &MissStory, measure: StoryMeasure) -> Vec<String> {
    let error = match measure {
        StoryMeasure::Squares => "Prediction \u{2212} target",
        StoryMeasure::Classes => "Probability of the target",
    };
    let row = std::iter::once("Row".to_owned()).chain(misses.mark.clone());
    row.chain(["Prediction", "Target", error].map(str::to_owned)).collect()
}

fn cells(miss: &StoryMiss) -> [String; 5] {
    let StoryMiss { row, mark, prediction, target, error } = miss;
    [grouped(*row), mark.clone(), prediction.clone(), target.clone(), error.clone()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn story() -> StreamStory {
        StreamStory {
            learner: "auto".into(),
            target: "y<&>".into(),
            file: "rows.csv".into(),
            losses: vec![
                LossesSoFar { rows: 1, learner: 1.0, usual: 1.0, last: 1.0 },
                LossesSoFar { rows: 12_345, learner: 0.5, usual: 2.0, last: 0.4 },
            ],
            ..StreamStory::default()
        }
    }

    #[test]
    fn the_finding_is_one_sentence_with_both_comparisons() {
        let found = finding(&story());
        let expected = "auto predicted y<&> of rows.csv with an average squared error of 0.50000 over 12\u{202f}345 rows: \
                        75.0\u{202f}% better than the running mean and 25.0\u{202f}% worse than the last value.";
        assert_eq!(found, expected);
        let none = finding(&StreamStory { losses: Vec::new(), ..story() });
        assert!(none.contains("no row had a target"), "{none}");
        let first = first_row(&story());
        assert_eq!(first, None, "1 of 6172");
        let losses = vec![story().losses[0], LossesSoFar { rows: 4, learner: 0.5, usual: 1.0, last: 1.0 }];
        let much = first_row(&StreamStory { losses, ..story() }).unwrap();
        assert!(much.contains("makes 50.0\u{202f}% of the learner's loss"), "{much}");
        assert_eq!(compared(30.0, 1.0, "last value"), "30.0 times the loss of the last value");
        assert_eq!(compared(1.0, 0.0, "last value"), "worse than the last value, which made no error");
    }

    #[test]
    fn the_page_stands_alone_and_escapes_the_words_of_files() {
        let page = html(&story()).unwrap();
        assert!(page.contains("y&lt;&amp;&gt;") && !page.contains("y<&>"), "{page}");
        for outside in ["<link rel=\"stylesheet\"", "<script", "src=", "@import", "url("] {
            assert!(!page.contains(outside), "{outside}");
        }
        assert_eq!(page.matches("<svg").count(), 2, "one picture, in two sizes");
    }

    #[test]
    fn nothing_learnt_is_a_page_too() {
        let page = html(&StreamStory { losses: Vec::new(), ..story() }).unwrap();
        assert!(!page.contains("<svg") && !page.contains("largest misses"));
    }
}
