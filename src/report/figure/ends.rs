//! Ends of runs against a parameter or another of their numbers: one point for each label, curves by families of labels.

use serde::Deserialize;

use crate::analysis::against::{Abscissa, Ordinate, Place, places};
use crate::analysis::curve::Final;
use crate::analysis::record::Experiment;
use crate::analysis::summary::LEVEL;
use crate::report::caption::{Context, sentence};
use crate::report::chart::axis::{Scale, ticks_at};
use crate::report::chart::layout::{AxisSpec, Chart, Series, SeriesPoint};
use crate::report::chart::palette::style;
use crate::report::chart::svg::plain;
use crate::report::error::ReportError;
use crate::report::figure::api::{Drawn, FigureSpec, Kind};
use crate::report::number::{grouped, plus_minus, significant};

pub static KIND: Kind = Kind {
    name: "ends",
    summary: "an end value of runs against a parameter or a size, one point for each label, curves by families of labels",
    module: module_path!(),
    measured: false,
    check: |spec| read(spec, false).map(drop),
    draw: |spec, experiments, context| draw(spec, experiments, context, false),
};

pub static TIMES: Kind = Kind {
    name: "ends-times",
    summary: "processor seconds of whole runs against a parameter or a size, curves by families of labels (measured)",
    module: module_path!(),
    measured: true,
    check: |spec| read(spec, true).map(drop),
    draw: |spec, experiments, context| draw(spec, experiments, context, true),
};

/// Options of the kind.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Options {
    /// The ordinate; for times there is no choice.
    #[serde(default)]
    quantity: Option<Number>,
    /// The abscissa: a parameter of the learner by its dotted name with underscores, or a number of the run.
    #[serde(default)]
    parameter: Option<String>,
    #[serde(default)]
    against: Option<Number>,
    /// Families: a curve runs through the labels that begin with one of these words. First come, first served.
    curves: Vec<String>,
    /// Labels without an abscissa, drawn as level lines.
    #[serde(default)]
    levels: Vec<String>,
    /// How the axes are spread.
    #[serde(default = "log")]
    x_scale: Spread,
    #[serde(default = "log")]
    y_scale: Spread,
    /// Ends of the vertical axis, where fixed; curves are cut off there.
    #[serde(default)]
    y_min: Option<f64>,
    #[serde(default)]
    y_max: Option<f64>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Spread {
    Linear,
    Log,
}

fn log() -> Spread {
    Spread::Log
}

impl From<Spread> for Scale {
    fn from(spread: Spread) -> Self {
        match spread {
            Spread::Linear => Scale::Linear,
            Spread::Log => Scale::Log,
        }
    }
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Number {
    Regret,
    AverageLoss,
    StoredPoints,
    Features,
    KernelEvaluations,
}

impl From<Number> for Final {
    fn from(number: Number) -> Self {
        match number {
            Number::Regret => Final::Regret,
            Number::AverageLoss => Final::AverageLoss,
            Number::StoredPoints => Final::StoredPoints,
            Number::Features => Final::Features,
            Number::KernelEvaluations => Final::KernelEvaluations,
        }
    }
}

fn read(spec: &FigureSpec, times: bool) -> Result<(Options, Abscissa, Ordinate), ReportError> {
    let options: Options = spec.options()?;
    let ordinate = match (options.quantity, times) {
        (Some(quantity), false) => Ordinate::Final(quantity.into()),
        (None, true) => Ordinate::ProcessorTime,
        (None, false) => return Err(spec.wrong("options: `quantity` is missing".into())),
        (Some(_), true) => return Err(spec.wrong("options: `quantity` is the processor time here".into())),
    };
    let abscissa = match (&options.parameter, options.against) {
        (Some(parameter), None) => Abscissa::Parameter(parameter.clone()),
        (None, Some(number)) => Abscissa::Final(number.into()),
        _ => return Err(spec.wrong("options: give either `parameter` or `against`".into())),
    };
    Ok((options, abscissa, ordinate))
}

fn draw(spec: &FigureSpec, experiments: &[&Experiment], context: &Context, times: bool) -> Result<Drawn, ReportError> {
    let (options, abscissa, ordinate) = read(spec, times)?;
    let found: Vec<Place> = experiments.iter().flat_map(|one| places(one, &abscissa, &ordinate)).collect();
    let (mut families, mut levels) = (vec![Vec::new(); options.curves.len()], Vec::new());
    for place in found {
        if options.levels.contains(&place.label) {
            levels.push(place);
        } else if let Some(family) = options.curves.iter().position(|word| place.label.starts_with(word)) {
            families[family].push(place);
        }
    }
    for family in &mut families {
        family.sort_by(|a, b| a.x.unwrap_or(f64::NAN).total_cmp(&b.x.unwrap_or(f64::NAN)));
    }
    let mut series: Vec<Series> = Vec::new();
    for (name, family) in options.curves.iter().zip(&families).filter(|(_, family)| !family.is_empty()) {
        let points = family.iter().filter_map(|place| Some(at(place, place.x?))).collect();
        series.push(Series { label: family_name(name).to_owned(), style: style(series.len()), points, mark_all: true });
    }
    let xs = || families.iter().flatten().filter_map(|place| place.x);
    let (low, high) = (xs().fold(f64::INFINITY, f64::min), xs().fold(f64::NEG_INFINITY, f64::max));
    for place in &levels {
        let level = |x| SeriesPoint { band: None, ..at(place, x) };
        let points = if low < high { [low, high].map(level).to_vec() } else { Vec::new() };
        series.push(Series { label: place.label.clone(), style: style(series.len()), points, mark_all: false });
    }

    let all: Vec<&Place> = families.iter().flatten().chain(&levels).collect();
    let mut caption = vec![runs(&all, context)];
    if times {
        let measured = "Processor time of one thread over all rounds, as measured when the runs were made; not \
                        reproducible to the byte.";
        caption.push(measured.into());
    }
    // The abscissa says it already where it is the size.
    let sized = matches!(abscissa, Abscissa::Parameter(_));
    caption.extend(options.curves.iter().zip(&families).filter_map(|(name, family)| values(name, family, sized)));
    caption.extend(levels.iter().map(|place| sentence(&format!("{}: {}", plain(&place.label), value(place, true)))));
    let mut values: Vec<f64> = xs().collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    // A few whole numbers (orders) are ticks themselves.
    let few = sized && (1..=8).contains(&values.len()) && values.iter().all(|x| x.fract() == 0.0 && x.abs() < 1e3);
    let ticks = few.then(|| ticks_at(&values));
    let axis = |label: &str, scale: Spread, limits| AxisSpec {
        label: label.to_owned(),
        scale: scale.into(),
        limits,
        ticks: None,
    };
    let chart = Chart {
        title: String::new(),
        description: String::new(),
        x: AxisSpec { ticks, ..axis(&spec.x, options.x_scale, (None, None)) },
        y: axis(&spec.y, options.y_scale, (options.y_min, options.y_max)),
        series,
        guides: Vec::new(),
    };
    Ok(Drawn { chart, caption })
}

fn at(place: &Place, x: f64) -> SeriesPoint {
    let mean = place.y.mean;
    SeriesPoint { x, y: mean, band: place.y.half_width.map(|half| (mean - half, mean + half)) }
}

/// The name of a family, without what joins it to the rest of a label.
fn family_name(word: &str) -> &str {
    word.trim_end_matches([' ', ',', ':'])
}

/// What was run, and what the bands are.
fn runs(places: &[&Place], context: &Context) -> String {
    let (mut horizons, mut counts): (Vec<u64>, Vec<usize>) =
        places.iter().map(|place| (place.horizon, place.tally.done)).unzip();
    horizons.sort_unstable();
    horizons.dedup();
    counts.sort_unstable();
    counts.dedup();
    let range = |values: Vec<String>| match values.as_slice() {
        [] => "no".to_owned(),
        [one] => one.clone(),
        [first, .., last] => format!("{first} to {last}"),
    };
    let mut text = format!(
        "Profile {}: {} rounds, {} replicates for each point.",
        context.profile,
        range(horizons.into_iter().map(grouped).collect()),
        range(counts.into_iter().map(|count| count.to_string()).collect()),
    );
    if places.iter().any(|place| place.y.half_width.is_some()) {
        text += &format!(" Bands: {:.0} % t intervals of the mean over replicates.", 100.0 * LEVEL);
    }
    for place in places.iter().filter(|place| !place.tally.complete()) {
        let (done, total) = (place.tally.done, place.tally.total());
        text += &format!(" {}: {done} of {total} replicates were played to the end.", plain(&place.label));
    }
    text
}

/// The values of a family, in order.
fn values(name: &str, family: &[Place], sized: bool) -> Option<String> {
    let one = |place: &Place| Some(format!("{} at {}", value(place, sized), short(place.x?)));
    let values: Vec<String> = family.iter().filter_map(one).collect();
    (!values.is_empty()).then(|| sentence(&format!("{}: {}", plain(family_name(name)), values.join(", "))))
}

/// An abscissa as one would say it.
fn short(x: f64) -> String {
    let text = significant(x, 3);
    let cut = if text.contains('.') && !text.contains('e') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        &text
    };
    cut.to_owned()
}

/// The ordinate of a place, with the size of what the learner held where it is `sized`.
fn value(place: &Place, sized: bool) -> String {
    let count = |value: f64, word: &str| match value.round() as u64 {
        1 => format!("1 {word}"),
        count => format!("{} {word}s", grouped(count)),
    };
    let size = match place.sizes {
        _ if !sized => String::new(),
        [Some(points), _] => format!(" ({})", count(points, "point")),
        [None, Some(features)] => format!(" ({})", count(features, "feature")),
        [None, None] => String::new(),
    };
    format!("{}{size}", plus_minus(place.y.mean, place.y.half_width))
}
