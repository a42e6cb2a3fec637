//! The page of `noregret compare`: who won, by how much, and at what cost.

use noregret_raster::RasterError;
use serde::Serialize;

use crate::alone::{self, PictureView, drawn, percent};
use crate::chart::format::PictureFormat;
use crate::chart::layout::scene;
use crate::chart::plot::{AxisSpec, Chart, ChartSeries, SeriesPoint};
use crate::chart::png::png;
use crate::chart::svg::svg;
use crate::error::ReportError;
use crate::figure::pareto::front;
use crate::number::significant;

/// A learner that was ranked.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedLearner {
    /// Its name.
    pub name: String,
    /// Its mean loss on the rows that judged.
    pub loss: f64,
    /// Processor time of one run, in seconds.
    pub seconds: f64,
    /// Whether it looks at no inputs.
    pub baseline: bool,
}

/// What the page tells.
#[derive(Clone, Debug)]
pub struct ComparedStory {
    /// The title of the page.
    pub title: String,
    /// What losses are: `squared loss`.
    pub loss: String,
    /// The rows that judged, in words: `rows 4323 to 8644 of bikeshare`.
    pub rows: String,
    /// The verdict, in sentences.
    pub verdict: String,
    /// The average loss along the rows that judged.
    pub along_rows: Option<Chart>,
    /// The predictions of a learner in the last rows beside the targets, with its name.
    pub predictions: Option<(String, Chart)>,
    /// Who was ranked, the best first.
    pub ranked: Vec<RankedLearner>,
    /// The leaderboard: its headings, and its lines.
    pub headings: Vec<String>,
    /// A cell per heading.
    pub lines: Vec<Vec<String>>,
    /// Who was left out, and why.
    pub left_out: Vec<(String, String)>,
    /// What was done, by names.
    pub facts: Vec<(String, String)>,
}

#[derive(Serialize)]
struct ComparedPage<'a> {
    title: &'a str,
    finding: String,
    explained: &'a str,
    notes: [String; 0],
    pictures: Vec<PictureView>,
    headings: &'a [String],
    lines: &'a [Vec<String>],
    left_out: &'a [(String, String)],
    run: &'static str,
    facts: &'a [(String, String)],
}

/// The page, as one HTML file.
///
/// # Errors
/// A template that cannot be rendered.
pub fn html(story: &ComparedStory) -> Result<String, ReportError> {
    let mut pictures = Vec::new();
    if let Some(chart) = &story.along_rows {
        let caption = "Each curve ends at the number of the leaderboard.".to_owned();
        pictures.push(drawn(
            "rows",
            format!("{} along the rows that judged", capital(&story.loss)),
            std::slice::from_ref(chart),
            caption,
        ));
    }
    if let Some((learner, chart)) = &story.predictions {
        let rows = chart.series.first().map_or(0, |one| one.points.len());
        let title = format!("Predictions of {learner} beside the targets");
        let caption = format!("The last {rows} rows. Each row is predicted before its target is known.");
        pictures.push(drawn("predictions", title, std::slice::from_ref(chart), caption));
    }
    // Time is not known of runs that an earlier call played without keeping it.
    if story.ranked.iter().filter(|one| one.seconds > 0.0).count() > 1 {
        let caption = "On the line: nobody else has both less loss and less time. Grey: rules that look at no inputs.";
        pictures.push(drawn(
            "time",
            format!("{} against time", capital(&story.loss)),
            &[against_time(story)],
            caption.into(),
        ));
    }
    let page = ComparedPage {
        title: &story.title,
        finding: finding(story),
        explained: &story.verdict,
        notes: [],
        pictures,
        headings: &story.headings,
        lines: &story.lines,
        left_out: &story.left_out,
        run: "How this was compared",
        facts: &story.facts,
    };
    alone::rendered(include_str!("templates/compared.html"), page)
}

/// The files of a picture.
pub struct ChartFiles {
    /// As SVG.
    pub svg: String,
    /// As PNG.
    pub png: Vec<u8>,
}

/// Draws charts as a picture of its own; the description says in words what it shows.
///
/// # Errors
/// What cannot be drawn.
pub fn files(charts: &[Chart], title: &str, description: &str) -> Result<ChartFiles, RasterError> {
    let scene = scene(charts, 1, &PictureFormat::WEB, title, description);
    Ok(ChartFiles { svg: svg(&scene), png: png(&scene)? })
}

fn capital(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map(|first| first.to_uppercase().chain(rest).collect()).unwrap_or_default()
}

/// Who has the lowest loss, and how it stands to the rules that look at no inputs.
fn finding(story: &ComparedStory) -> String {
    let Some(first) = story.ranked.first() else { return format!("No learner played all of {}.", story.rows) };
    let rest: Vec<String> = story
        .ranked
        .iter()
        .filter(|one| one.baseline && one.name != first.name && one.loss > 0.0)
        .map(|one| format!("{} less than {}", percent(1.0 - first.loss / one.loss), one.name))
        .collect();
    let than = if rest.is_empty() { String::new() } else { format!(": {}", rest.join(", ")) };
    format!("{} has the lowest {} on {}, {}{than}.", first.name, story.loss, story.rows, significant(first.loss, 4))
}

/// Everybody's loss against their time; those of whom nobody is better in both stand on a line.
fn against_time(story: &ComparedStory) -> Chart {
    let mut ranked: Vec<&RankedLearner> = story.ranked.iter().filter(|one| one.seconds > 0.0).collect();
    ranked.sort_by(|one, other| one.seconds.total_cmp(&other.seconds).then(one.loss.total_cmp(&other.loss)));
    let places: Vec<(f64, f64)> = ranked.iter().map(|one| (one.seconds, one.loss)).collect();
    let on = front(&places);
    let ahead = places.iter().zip(&on).filter(|(_, on)| **on).map(|(place, _)| *place);
    let mut series = vec![ChartSeries::steps("nobody is better in both", ahead)];
    for (baseline, name) in [(false, "learners"), (true, "rules without inputs")] {
        let here = ranked.iter().filter(|one| one.baseline == baseline);
        let point = |one: &&RankedLearner| SeriesPoint { x: one.seconds, y: one.loss, ..SeriesPoint::default() };
        let (names, points): (Vec<String>, Vec<SeriesPoint>) = here.map(|one| (one.name.clone(), point(one))).unzip();
        let label = if baseline { "running-mean" } else { "auto" };
        series.push(ChartSeries { names, ..ChartSeries::dots(name, points).like(label, label) });
    }
    series.retain(|one| !one.points.is_empty());
    let losses = || places.iter().map(|(_, loss)| *loss);
    let (low, high) = losses().fold((f64::INFINITY, 0.0_f64), |(low, high), loss| (low.min(loss), high.max(loss)));
    let label = format!("average {}", story.loss);
    let y = if low > 0.0 && high > 5.0 * low { AxisSpec::log(&label) } else { AxisSpec::linear(&label) };
    Chart { series, ..Chart::empty(AxisSpec::log("time of a run (s)"), y) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn story() -> ComparedStory {
        let ranked = [
            ("auto", 1.0, 0.5, false),
            ("kernel-awv", 2.0, 0.1, false),
            ("slow", 3.0, 9.0, false),
            ("running-mean", 4.0, 0.01, true),
        ];
        let ranked =
            ranked.map(|(name, loss, seconds, baseline)| RankedLearner { name: name.into(), loss, seconds, baseline });
        ComparedStory {
            title: "t".into(),
            loss: "squared loss".into(),
            rows: "rows 5 to 8 of <file>".into(),
            verdict: "Winner: auto.".into(),
            along_rows: None,
            predictions: None,
            ranked: ranked.to_vec(),
            headings: vec!["learner".into(), "loss".into(), "parameters".into()],
            lines: vec![vec!["auto".into(), "1".into(), "".into()]],
            left_out: vec![("kons".into(), "too slow".into())],
            facts: vec![("Command".into(), "noregret stream".into())],
        }
    }

    #[test]
    fn the_best_is_told_beside_rules_without_inputs() {
        let said = finding(&story());
        assert_eq!(
            said,
            "auto has the lowest squared loss on rows 5 to 8 of <file>, 1.000: 75.0\u{202f}% less than running-mean."
        );
        assert_eq!(
            finding(&ComparedStory { ranked: Vec::new(), ..story() }),
            "No learner played all of rows 5 to 8 of <file>."
        );
    }

    #[test]
    fn the_line_joins_those_whom_nobody_beats_in_both() {
        let chart = against_time(&story());
        let line: Vec<(f64, f64)> = chart.series[0].points.iter().map(|point| (point.x, point.y)).collect();
        assert_eq!(line, [(0.01, 4.0), (0.1, 2.0), (0.5, 1.0)], "slow is behind");
        let names: Vec<&[String]> = chart.series[1..].iter().map(|one| one.names.as_slice()).collect();
        assert_eq!(names, [vec!["kernel-awv", "auto", "slow"], vec!["running-mean"]]);
    }

    #[test]
    fn predictions_stand_beside_targets() {
        let series = ["target", "auto"].map(|name| ChartSeries::line(name, [(7.0, 1.0), (8.0, 2.0)]));
        let chart = Chart { series: series.into(), ..Chart::empty(AxisSpec::linear("row"), AxisSpec::linear("y")) };
        let page = html(&ComparedStory { predictions: Some(("auto".into(), chart)), ..story() }).unwrap();
        assert!(page.contains("Predictions of auto beside the targets") && page.contains("The last 2 rows."), "{page}");
    }

    #[test]
    fn the_page_escapes_words_of_files_and_tells_who_was_left_out() {
        let page = html(&story()).unwrap();
        assert!(page.contains("&lt;file&gt;") && !page.contains("<file>"), "{page}");
        assert!(page.contains("too slow") && page.contains("Winner: auto.") && page.matches("<svg").count() == 2);
    }
}
