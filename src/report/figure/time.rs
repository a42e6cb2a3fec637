//! Processor time against rounds, on log-log axes. Measured, so not reproducible byte for byte.

use serde::Deserialize;

use crate::analysis::curve::{Curve, Quantity, along_rounds};
use crate::analysis::record::Experiment;
use crate::report::caption::{self, Context};
use crate::report::chart::axis::Scale;
use crate::report::chart::layout::{AxisSpec, Chart};
use crate::report::error::ReportError;
use crate::report::figure::api::{Drawn, FigureSpec, Kind};
use crate::report::figure::curves::{series, sort};

pub static KIND: Kind = Kind {
    name: "time",
    summary: "cumulative processor seconds against rounds, log axes (measured)",
    module: module_path!(),
    measured: true,
    check: |spec| spec.options::<Options>().map(drop),
    draw,
};

/// Options of the kind.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Options {
    /// The first round shown; the clock is too coarse for the first few.
    #[serde(default = "hundred")]
    from_round: u64,
    /// Labels of curves in the order of the legend; others follow by name.
    #[serde(default)]
    order: Vec<String>,
}

fn hundred() -> u64 {
    100
}

fn draw(spec: &FigureSpec, experiments: &[&Experiment], context: &Context) -> Result<Drawn, ReportError> {
    let options: Options = spec.options()?;
    let mut curves: Vec<Curve> = experiments.iter().flat_map(|one| along_rounds(one, Quantity::CpuSeconds)).collect();
    sort(&mut curves, &options.order);
    let mut sentences = caption::replicates(&curves, experiments, &context.profile);
    sentences.extend(caption::band(&curves));
    sentences
        .push("Processor time of one thread, as measured when the run was made; not reproducible to the byte.".into());
    let mut caption = vec![sentences.join(" ")];
    caption.extend(spec.claims.iter().map(|claim| claim.paragraph(&curves)));
    let axis = |label: &str| AxisSpec { label: label.to_owned(), scale: Scale::Log, limits: (None, None), ticks: None };
    let chart = Chart {
        title: String::new(),
        description: String::new(),
        x: axis(&spec.x),
        y: axis(&spec.y),
        series: series(&curves, options.from_round, false),
        guides: Vec::new(),
    };
    Ok(Drawn { chart, caption })
}
