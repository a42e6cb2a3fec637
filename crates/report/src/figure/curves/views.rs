//! The panels of a figure of curves, each with all of its options.

use super::choose::ChosenCurves;
use super::options::CurvesOptions;
use super::panels::{Facets, PanelSpec};
use super::parts::Abscissa;
use crate::analysis::record::ExperimentResults;
use crate::figure::api::FigureSpec;

/// A panel with all of its options.
pub(super) struct PanelView {
    /// Its heading, in markup; empty for a figure of a single panel.
    pub title: String,
    /// Its options.
    pub options: CurvesOptions,
    /// The experiments that it shows; all if it is empty.
    pub experiments: Vec<String>,
    /// Label of its horizontal axis.
    pub x: String,
    /// Label of its vertical axis.
    pub y: String,
}

impl PanelView {
    /// The experiments that the panel shows, among those of the figure.
    pub(super) fn among<'a>(&self, experiments: &[&'a ExperimentResults]) -> Vec<&'a ExperimentResults> {
        let mine = |one: &&&ExperimentResults| self.experiments.is_empty() || self.experiments.contains(&one.name);
        experiments.iter().filter(mine).copied().collect()
    }
}

/// The panel as a figure of its own.
fn view(panel: &PanelSpec, spec: &FigureSpec, options: &CurvesOptions) -> PanelView {
    let pick = |own: &Vec<String>, all: &Vec<String>| if own.is_empty() { all.clone() } else { own.clone() };
    let only = pick(&panel.only, &options.only);
    let order = if only.is_empty() { options.order.clone() } else { Vec::new() };
    // The options of a vertical axis belong to what it shows.
    let same =
        panel.against.is_none() && panel.show.is_none() && panel.relative_to.is_none() && panel.y_scale.is_none();
    let against = panel.against.clone().unwrap_or_else(|| options.against.clone());
    let own = CurvesOptions {
        from_round: if against == Abscissa::Round { options.from_round } else { 0 },
        against,
        x_scale: panel.x_scale.unwrap_or(options.x_scale),
        show: panel.show.clone().unwrap_or_else(|| options.show.clone()),
        relative_to: panel.relative_to.clone().or_else(|| options.relative_to.clone().filter(|_| panel.show.is_none())),
        streams: pick(&panel.streams, &options.streams),
        y_scale: panel.y_scale.or(options.y_scale),
        y_min: panel.y_min.or(options.y_min.filter(|_| same)),
        y_max: panel.y_max.or(options.y_max.filter(|_| same)),
        guides: panel.guides.clone().unwrap_or_else(|| if same { options.guides.clone() } else { Vec::new() }),
        exact: panel.exact.clone().unwrap_or_else(|| if same { options.exact.clone() } else { Vec::new() }),
        bounds: panel.bounds.clone().unwrap_or_else(|| if same { options.bounds.clone() } else { Vec::new() }),
        groups: panel.groups.clone().unwrap_or_else(|| options.groups.clone()),
        levels: panel.levels.clone().unwrap_or_else(|| options.levels.clone()),
        apart: options.apart.iter().chain(&options.levels).cloned().collect(),
        panels: Vec::new(),
        facets: None,
        beside: None,
        only,
        order,
        ..options.clone()
    };
    let y = panel.y.clone().unwrap_or_else(|| spec.y.clone());
    let x = panel.x.clone().unwrap_or_else(|| spec.x.clone());
    PanelView { title: panel.title.clone(), options: own, experiments: panel.experiments.clone(), x, y }
}

/// The panels of a figure whose curves are known.
pub(super) fn views(spec: &FigureSpec, options: &CurvesOptions, chosen: &ChosenCurves) -> Vec<PanelView> {
    let panels = main_panels(spec, options, chosen);
    let Some(beside) = &options.beside else { return panels };
    let pair = |first: PanelView| {
        let second = PanelSpec { title: String::new(), ..beside.clone() };
        let second = PanelView { experiments: first.experiments.clone(), ..view(&second, spec, &first.options) };
        [first, second]
    };
    panels.into_iter().flat_map(pair).collect()
}

/// The panels, without what stands beside each of them.
fn main_panels(spec: &FigureSpec, options: &CurvesOptions, chosen: &ChosenCurves) -> Vec<PanelView> {
    let plain = || view(&PanelSpec::default(), spec, options);
    let Some(facets) = options.facets else {
        return match options.panels.as_slice() {
            [] => vec![plain()],
            panels => panels.iter().map(|panel| view(panel, spec, options)).collect(),
        };
    };
    let mut names: Vec<(String, String)> = Vec::new();
    for curve in &chosen.units {
        let title = match facets {
            // An experiment's only stream says more than its name.
            Facets::Stream | Facets::Experiment => &curve.stream,
            Facets::Label => &curve.label,
        };
        let key = match facets {
            Facets::Stream => &curve.stream,
            Facets::Experiment => &curve.experiment,
            Facets::Label => &curve.label,
        };
        if names.iter().all(|(_, known)| known != key) {
            names.push((title.clone(), key.clone()));
        }
    }
    // Labels keep the order of the legend; streams and experiments have that of the file.
    match facets {
        Facets::Stream if !options.streams.is_empty() => {
            names.sort_by_key(|(_, key)| options.streams.iter().position(|one| one == key));
        }
        Facets::Experiment => names.sort_by_key(|(_, key)| spec.experiments.iter().position(|one| one == key)),
        _ => {}
    }
    let titles: Vec<String> = names.iter().map(|(title, _)| title.clone()).collect();
    let repeated = |title: &String| titles.iter().filter(|other| *other == title).count() > 1;
    let found: Vec<PanelView> = names
        .iter()
        .map(|(title, key)| {
            let mut view = plain();
            view.title = if repeated(title) { key.clone() } else { title.clone() };
            match facets {
                Facets::Stream => view.options.streams = vec![key.clone()],
                Facets::Experiment => view.experiments = vec![key.clone()],
                Facets::Label => {
                    view.options.only = vec![key.clone()];
                    view.options.order = Vec::new();
                }
            }
            view
        })
        .collect();
    if found.is_empty() { vec![plain()] } else { found }
}

/// The panels that show the figure's own quantity along its own axis; all, where none does.
fn own_panels(options: &CurvesOptions) -> Vec<&PanelSpec> {
    let own = |panel: &&PanelSpec| {
        panel.against.as_ref().is_none_or(|against| *against == options.against)
            && panel.show.as_ref().is_none_or(|show| *show == options.show)
    };
    let found: Vec<&PanelSpec> = options.panels.iter().filter(own).collect();
    if found.is_empty() { options.panels.iter().collect() } else { found }
}

/// The experiments that these panels show, among those of the figure.
pub(super) fn told<'a>(options: &CurvesOptions, experiments: &[&'a ExperimentResults]) -> Vec<&'a ExperimentResults> {
    let panels = own_panels(options);
    let mine = |one: &&&ExperimentResults| {
        panels.is_empty()
            || panels.iter().any(|panel| panel.experiments.is_empty() || panel.experiments.contains(&one.name))
    };
    experiments.iter().filter(mine).copied().collect()
}

/// The labels that at least one of these panels shows, in order; empty if one shows all labels.
pub(super) fn shown(options: &CurvesOptions) -> Vec<String> {
    let panels = own_panels(options);
    if panels.iter().any(|panel| panel.only.is_empty()) {
        return options.only.clone();
    }
    let mut labels: Vec<String> = Vec::new();
    for label in panels.iter().flat_map(|panel| &panel.only) {
        if !labels.contains(label) {
            labels.push(label.clone());
        }
    }
    if labels.is_empty() { options.only.clone() } else { labels }
}
