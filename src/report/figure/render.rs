//! Renders a figure from its results.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::analysis::record::Experiment;
use crate::report::caption::{Context, sentence};
use crate::report::chart::format::Format;
use crate::report::chart::layout::scene;
use crate::report::chart::{pdf, png, svg, tikz};
use crate::report::error::ReportError;
use crate::report::exhibit::{Body, Exhibit};
use crate::report::figure::api::Figure;
use crate::report::figure::values;

/// Where code identity starts, together with the module of the kind.
pub const MODULE: &str = module_path!();

/// Renders a figure: SVG and PNG for the screen, PDF in two sizes and TikZ for papers, values (CSV) and description, with
/// their paths relative to the project root.
/// `experiments` contains the results of every experiment that the specification names, with times if the figure shows
/// measured times.
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
    let failed = |cause| ReportError::Drawing { name: spec.name.clone(), cause };
    let description = caption.join(" ");
    let sized = |format| scene(&drawn.panels, drawn.columns, format, &spec.title, &description);
    let [web, column, text] = [&Format::WEB, &Format::COLUMN, &Format::TEXT].map(sized);
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
        panels: values::panels(&drawn.panels),
        body: Body::Figure,
    };
    Ok(vec![
        (exhibit.path("svg"), svg::svg(&web).into_bytes()),
        (exhibit.path("png"), png::png(&web).map_err(failed)?),
        (exhibit.path_of("-column.pdf"), pdf::pdf(&column).map_err(failed)?),
        (exhibit.path_of("-text.pdf"), pdf::pdf(&text).map_err(failed)?),
        (exhibit.path("tex"), tikz::tikz(&column).into_bytes()),
        (exhibit.path("csv"), values::csv(&drawn.panels).map_err(failed)?),
        (exhibit.path("json"), exhibit.to_json()?),
    ])
}
