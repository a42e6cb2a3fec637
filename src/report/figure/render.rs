//! Renders a figure from its results.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::analysis::record::Experiment;
use crate::report::caption::{Context, sentence};
use crate::report::chart::layout::scene;
use crate::report::chart::{png, svg};
use crate::report::error::ReportError;
use crate::report::exhibit::{Body, Exhibit};
use crate::report::figure::api::Figure;

/// Where code identity starts, together with the module of the kind.
pub const MODULE: &str = module_path!();

/// Renders a figure: SVG, PNG and description, with their paths relative to the project root. `experiments` contains
/// the results of every experiment that the specification names, with times if the figure shows measured times.
pub fn render(
    figure: &Figure,
    experiments: &BTreeMap<String, Experiment>,
    context: &Context,
) -> Result<Vec<(PathBuf, Vec<u8>)>, ReportError> {
    let spec = &figure.spec;
    let one = |experiment: &String| {
        let missing = || ReportError::NoExperiment { name: spec.name.clone(), experiment: experiment.clone() };
        experiments.get(experiment).ok_or_else(missing)
    };
    let shown: Vec<&Experiment> = spec.experiments.iter().map(one).collect::<Result<_, _>>()?;
    let mut drawn = (figure.kind.draw)(spec, &shown, context)?;
    let mut caption = vec![sentence(&spec.shows)];
    caption.append(&mut drawn.caption);
    let scene = scene(&drawn.chart, &spec.title, &caption.join(" "));
    let exhibit = Exhibit {
        name: spec.name.clone(),
        paper: spec.paper,
        section: spec.section.clone(),
        title: spec.title.clone(),
        caption,
        measured: figure.measured,
        place: spec.place,
        claims: drawn.claims,
        setup: context.setup.clone(),
        panels: Vec::new(),
        body: Body::Figure,
    };
    let png = png::png(&scene).map_err(|cause| ReportError::Drawing { name: spec.name.clone(), cause })?;
    Ok(vec![
        (exhibit.path("svg"), svg::svg(&scene).into_bytes()),
        (exhibit.path("png"), png),
        (exhibit.path("json"), exhibit.to_json()?),
    ])
}
