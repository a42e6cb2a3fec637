//! Losses of entries over many streams against their processor time for a row, for both choices among settings.

use schemars::{JsonSchema, SchemaGenerator};
use serde::Deserialize;

use crate::analysis::board::{Board, BoardRequest, LossPart, SettingChoice, ShownChoices, SummedLoss};
use crate::analysis::effort::{EntryEffort, StreamAverage};
use crate::analysis::record::ExperimentResults;
use crate::caption::FigureContext;
use crate::chart::plot::{AxisSpec, Chart, ChartSeries, SeriesPoint};
use crate::error::ReportError;
use crate::figure::api::{CheckedOptions, DrawnFigure, FigureKind, FigureSpec};
use crate::figure::pareto::front;
use crate::number::counted;
use crate::standing::{Standing, absent, choices, measures, missing, names};

pub(crate) static KIND: FigureKind = FigureKind {
    name: "losses-times",
    module: module_path!(),
    options: SchemaGenerator::subschema_for::<LossesTimesOptions>,
    check,
    draw,
};

/// The options of the kind `losses-times`.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct LossesTimesOptions {
    /// An entry that stands out.
    of: Option<String>,
    /// The average over streams: `geometric` (the default), or `median`.
    average: StreamAverage,
    /// What is lost: `average_loss`, `error_rate`, or a count. By default errors where all runs of a stream count them.
    #[schemars(with = "Option<String>")]
    loss: Option<SummedLoss>,
    /// Entries that are left out.
    without: Vec<String>,
}

fn check(spec: &FigureSpec) -> Result<CheckedOptions, ReportError> {
    let options: LossesTimesOptions = spec.options()?;
    let names = [names("of", &options.of), names("without", &options.without)].concat();
    Ok(CheckedOptions { measured: true, names, ..CheckedOptions::default() })
}

/// An entry with its place.
struct PlacedEntry {
    /// Its place in the board.
    entry: usize,
    x: f64,
    y: f64,
}

fn draw(
    spec: &FigureSpec,
    experiments: &[&ExperimentResults],
    context: &FigureContext,
) -> Result<DrawnFigure, ReportError> {
    let options: LossesTimesOptions = spec.options()?;
    let request = BoardRequest {
        of: options.of.as_deref(),
        choices: ShownChoices::Both,
        without: &options.without,
        loss: options.loss.as_ref().map(|loss| &loss.0),
    };
    let board = Board::new(experiments, &request);
    let standing = Standing::new(&board, LossPart::All);
    let place = |entry: &usize| {
        let found = EntryEffort::new(&board, &standing.streams, *entry, options.average);
        Some(PlacedEntry { entry: *entry, x: found.seconds?, y: found.loss? })
    };
    let mut placed: Vec<PlacedEntry> = standing.entries.iter().filter_map(place).collect();
    placed.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    let of = options.of.as_deref().and_then(|name| board.find(name));
    // Names of the slowest ones have room on the right.
    let room = placed.last().map(|one| one.x * 8.0);
    let x = AxisSpec { limits: (None, room), ..AxisSpec::log(&spec.x) };
    let chart = Chart { series: series(&board, &placed, of), ..Chart::empty(x, AxisSpec::log(&spec.y)) };
    let honest: Vec<&PlacedEntry> = placed.iter().filter(|one| !in_hindsight(&board, one)).collect();
    let names = fronted(&honest).map(|one| board.entries[one.entry].name()).collect::<Vec<_>>();
    let finding = (!names.is_empty())
        .then(|| format!("No entry beats these in both, apart from hindsight: {}.", names.join(", ")));
    let run = format!(
        "Dots: {}s over the {} on which all ranked entries have a result; profile {}.",
        options.average.word(),
        counted(standing.streams.len(), "stream"),
        context.profile
    );
    let left = (0..board.entries.len()).filter(|entry| placed.iter().all(|one| one.entry != *entry));
    let left: Vec<String> = left.map(|entry| board.entries[entry].name()).collect();
    let mut notes = vec![
        "Losses are those over the least loss of all settings of all entries on the stream. Processor time is that of one \
         thread for a row, in seconds, as measured, of the chosen setting alone: that of the settings that were tried is not counted."
            .to_owned(),
    ];
    notes.extend(choices(&board));
    notes.push("A line joins both choices of an entry.".into());
    notes.push(measures(&board));
    notes.extend(absent(&board, options.of.as_deref()));
    notes.push(standing.words(&board));
    notes.extend(
        (!left.is_empty()).then(|| format!("Without a place, for want of a loss or a time: {}.", left.join("; "))),
    );
    notes.extend(missing(&board));
    Ok(DrawnFigure { panels: vec![chart], columns: 1, run, finding, notes: vec![notes.join(" ")], claims: Vec::new() })
}

fn in_hindsight(board: &Board<'_>, one: &PlacedEntry) -> bool {
    board.entries[one.entry].choice == Some(SettingChoice::Hindsight)
}

/// Those that no other one beats in both, of entries in the order of their times.
fn fronted<'p>(placed: &[&'p PlacedEntry]) -> impl Iterator<Item = &'p PlacedEntry> {
    let on = front(&placed.iter().map(|one| (one.x, one.y)).collect::<Vec<_>>());
    placed.iter().copied().zip(on).filter_map(|(one, on)| on.then_some(one))
}

/// Dots with names; choices in hindsight have none, because a line joins them to their entries.
fn series(board: &Board<'_>, placed: &[PlacedEntry], of: Option<usize>) -> Vec<ChartSeries> {
    let point = |one: &PlacedEntry| SeriesPoint { x: one.x, y: one.y, ..SeriesPoint::default() };
    let honest = placed.iter().filter(|one| !in_hindsight(board, one));
    let (mine, others): (Vec<&PlacedEntry>, Vec<&PlacedEntry>) = honest.partition(|one| Some(one.entry) == of);
    let mut series = Vec::new();
    for one in placed.iter().filter(|one| in_hindsight(board, one)) {
        let same = |other: &&&PlacedEntry| board.entries[other.entry].entry == board.entries[one.entry].entry;
        if let Some(other) = others.iter().chain(&mine).find(same) {
            series.push(ChartSeries::theory("both choices of an entry", way(other, one)));
        }
    }
    if let Some(of) = of.map(|of| &board.entries[of]) {
        let dots = ChartSeries::dots(of.name(), mine.into_iter().map(point).collect());
        series.push(dots.like(of.name(), &*of.learner));
    }
    let names = others.iter().map(|one| board.entries[one.entry].name()).collect();
    let dots =
        ChartSeries::dots("chosen on the first tenth, or with one setting", others.into_iter().map(point).collect());
    series.push(ChartSeries { names, ..dots });
    let hindsight = placed.iter().filter(|one| in_hindsight(board, one)).map(point).collect();
    series.push(ChartSeries::dots("best setting in hindsight", hindsight));
    series.retain(|series| !series.points.is_empty());
    series
}

/// A line from one place to another, with points on the way, which no name covers.
fn way(from: &PlacedEntry, to: &PlacedEntry) -> Vec<(f64, f64)> {
    const PARTS: i32 = 16;
    let between = |a: f64, b: f64, part: i32| a * (b / a).powf(f64::from(part) / f64::from(PARTS));
    (0..=PARTS).map(|part| (between(from.x, to.x, part), between(from.y, to.y, part))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::effort::tests::timed;
    use crate::figure::registry::read;

    #[test]
    fn both_choices_are_shown_against_their_times() {
        let text = "kind = 'losses-times'\nexperiments = ['e']\ntitle = ''\nx = 'time'\ny = 'loss'\nshows = ''\n\
                    options = { of = 'slow', average = 'median' }";
        let figure = read("test", text).unwrap();
        assert!(figure.measured);
        let experiment = timed();
        let drawn = draw(&figure.spec, &[&experiment], &FigureContext::default()).unwrap();
        let series = &drawn.panels[0].series;
        let names: Vec<&str> = series.iter().map(|one| one.name.as_str()).collect();
        let others = "chosen on the first tenth, or with one setting";
        assert_eq!(names, ["both choices of an entry", "slow", others, "best setting in hindsight"]);
        assert_eq!(
            (series[2].names.as_slice(), series[3].names.len()),
            (["quick", "krr"].map(String::from).as_slice(), 0)
        );
        let hindsight = series[3].points[0];
        assert!((hindsight.x - 0.04).abs() < 1e-12 && (hindsight.y - 1.0).abs() < 1e-12, "{hindsight:?}");
        assert!(drawn.finding.unwrap().ends_with("apart from hindsight: quick, slow."));
        let untimed = ExperimentResults { times: Default::default(), ..experiment };
        let drawn = draw(&figure.spec, &[&untimed], &FigureContext::default()).unwrap();
        assert!(drawn.panels[0].series.is_empty() && drawn.notes[0].contains("for want of a loss or a time: slow"));
    }
}
