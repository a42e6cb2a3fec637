//! Renders a figure from its results.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::analysis::record::ExperimentResults;
use crate::caption::{self, FigureContext, sentence};
use crate::chart::format::PictureFormat;
use crate::chart::layout::scenes;
use crate::chart::plot::Chart;
use crate::chart::scene::Scene;
use crate::chart::{pdf, png, svg, tikz};
use crate::error::ReportError;
use crate::exhibit::{Body, Exhibit, PART};
use crate::figure::api::Figure;
use crate::figure::{compound, values};

/// Where code identity starts, together with the module of the kind.
pub const MODULE: &str = module_path!();

/// What writes a picture.
type PictureWriter = dyn Fn(&Scene) -> Result<Vec<u8>, String>;

/// Renders a figure: SVG and PNG for the screen, PDF in two sizes and TikZ for papers (in parts where a picture
/// is higher than a page), values (CSV) and description, with their paths relative to the project root.
/// `experiments` contains the results of every experiment that the specification names, with times if the figure shows
/// measured times.
pub fn render(
    figure: &Figure,
    experiments: &BTreeMap<String, ExperimentResults>,
    context: &FigureContext,
) -> Result<Vec<(PathBuf, Vec<u8>)>, ReportError> {
    let spec = &figure.spec;
    let one = |experiment: &String| {
        let missing = || ReportError::NoExperiment { name: spec.name.clone(), experiment: experiment.clone() };
        experiments.get(experiment).ok_or_else(missing)
    };
    let shown: Vec<&ExperimentResults> = spec.experiments.iter().map(one).collect::<Result<_, _>>()?;
    let drawn = compound::draw(figure, &shown, context)?;
    // All forms of the figure show these.
    let charts: Vec<Chart> = drawn.panels.into_iter().map(Chart::on_its_scales).collect();
    let own = spec.notes.as_deref().map(sentence);
    let logs = "Intervals on logarithmic axes are those of the logs of the means (delta method).";
    let logs = charts.iter().any(Chart::has_log_intervals).then(|| logs.to_owned());
    let several = charts.len() > 1;
    let within = |chart: &Chart| if several { format!(" ({})", chart.title) } else { String::new() };
    let named = |chart: &Chart| chart.outside().map(|name| svg::plain(name) + &within(chart)).collect::<Vec<_>>();
    let outside = charts.iter().flat_map(named).collect::<BTreeSet<_>>();
    let outside = (!outside.is_empty())
        .then(|| format!("Outside the axes: {}.", outside.into_iter().collect::<Vec<_>>().join(", ")));
    let notes = own.into_iter().chain(drawn.notes).chain(outside).chain(logs);
    let caption = caption::of(&spec.title, &spec.shows, drawn.run, drawn.finding, notes);
    let failed = |cause| ReportError::Drawing { name: spec.name.clone(), cause };
    let description = caption.join(" ");
    let theme = &context.theme;
    let [web, column, text] = [PictureFormat::WEB, PictureFormat::COLUMN, PictureFormat::TEXT].map(|format| {
        let pictures = scenes(&charts, drawn.columns, &theme.format(&format), &spec.title, &description);
        pictures.into_iter().map(|picture| theme.dress(picture)).collect::<Vec<Scene>>()
    });
    let exhibit = Exhibit {
        name: spec.name.clone(),
        paper: spec.paper,
        section: spec.section.clone(),
        finding: spec.finding.as_deref().map(sentence),
        title: spec.title.clone(),
        caption,
        measured: figure.measured,
        place: spec.place,
        claims: drawn.claims,
        setup: context.setup.clone(),
        panels: values::panels(&charts, theme),
        body: Body::Figure,
    };
    let mut files = vec![
        (exhibit.path("csv"), values::csv(&exhibit.panels).map_err(failed)?),
        (exhibit.path("json"), exhibit.to_json()?),
    ];
    let mut add = |scenes: &[Scene], ending: &str, write: &PictureWriter| -> Result<(), ReportError> {
        for (index, scene) in scenes.iter().enumerate() {
            let part = if scenes.len() > 1 { format!("{PART}{}", index + 1) } else { String::new() };
            files.push((exhibit.path_of(&format!("{part}{ending}")), write(scene).map_err(failed)?));
        }
        Ok(())
    };
    // On the screen a picture may be as high as it is, and comes in one part.
    add(&web, ".svg", &|scene| Ok(svg::svg(scene).into_bytes()))?;
    add(&web, ".png", &|scene| png::png(scene).map_err(|error| error.to_string()))?;
    add(&column, "-column.pdf", &pdf::pdf)?;
    add(&text, "-text.pdf", &pdf::pdf)?;
    add(&column, ".tex", &|scene| Ok(tikz::tikz(scene).into_bytes()))?;
    Ok(files)
}
