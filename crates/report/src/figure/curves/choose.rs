//! Chooses the curves that the options ask for from the results of experiments.

use std::collections::BTreeSet;

use super::options::CurvesOptions;
use super::parts::{Abscissa, Show};
use crate::analysis::combine::{join, relative, worst};
use crate::analysis::curve::{MeanCurve, along_horizons, along_rounds, at_ends};
use crate::analysis::quantity::RunQuantity;
use crate::analysis::record::{ExperimentResults, RunResult};
use crate::trace::cell::EndStatus;

/// What a figure shows of its experiments.
pub(super) struct ChosenCurves {
    /// The curve or point of each stream and label.
    pub(crate) units: Vec<MeanCurve>,
    /// The curves that are drawn.
    pub(crate) curves: Vec<MeanCurve>,
    /// The units that are drawn as horizontal lines.
    pub(crate) levels: Vec<MeanCurve>,
}

/// What a figure shows of `experiments` on `streams`, or on all streams if `streams` is empty.
pub(super) fn choose(options: &CurvesOptions, experiments: &[&ExperimentResults], streams: &[String]) -> ChosenCurves {
    let mut units = Vec::new();
    for (y, suffix) in options.show.each() {
        let found = experiments.iter().flat_map(|one| match &options.against {
            Abscissa::Round => along_rounds(one, y),
            Abscissa::Horizon | Abscissa::Label => along_horizons(one, y),
            Abscissa::Quantity(x) => at_ends(one, x, y),
        });
        units.extend(found.map(|curve| match suffix {
            Some(suffix) => MeanCurve { label: format!("{}: {suffix}", curve.label), ..curve },
            None => curve,
        }));
    }
    units.retain(|curve| streams.is_empty() || streams.contains(&curve.stream));
    if let Some(reference) = &options.relative_to {
        units = relative(units, &reference.label, reference.by, matches!(options.against, Abscissa::Quantity(_)));
    }
    let level = |curve: &MeanCurve| options.levels.contains(&curve.label);
    if !options.groups.is_empty() {
        let apart = |curve: &MeanCurve| options.apart.contains(&curve.label);
        let held = |curve: &MeanCurve| !apart(curve) && options.groups.iter().any(|group| group.holds(&curve.label));
        units.retain(|curve| level(curve) || held(curve));
    }
    units.retain(|curve| options.only.is_empty() || options.only.contains(&curve.label) || level(curve));
    let order = if options.only.is_empty() { &options.order } else { &options.only };
    let rank = |curve: &MeanCurve| order.iter().position(|label| *label == curve.label).unwrap_or(order.len());
    units.sort_by_cached_key(|curve| (rank(curve), curve.label.clone(), curve.stream.clone()));
    let curves = if options.worst_of_experiments {
        worst(&units, experiments.len())
    } else if options.groups.is_empty() {
        units.iter().filter(|unit| !level(unit)).cloned().collect()
    } else {
        join_groups(options, &units, experiments)
    };
    let levels = options.levels.iter().flat_map(|label| units.iter().filter(move |unit| unit.label == *label)).cloned();
    ChosenCurves { curves, levels: levels.collect(), units }
}

/// A curve for each experiment, stream and group.
fn join_groups(options: &CurvesOptions, units: &[MeanCurve], experiments: &[&ExperimentResults]) -> Vec<MeanCurve> {
    let mut curves = Vec::new();
    for experiment in experiments {
        let mine = |unit: &&MeanCurve| unit.experiment == experiment.name && !options.levels.contains(&unit.label);
        let own: Vec<&MeanCurve> = units.iter().filter(mine).collect();
        let mut streams: Vec<&str> = own.iter().map(|unit| unit.stream.as_str()).collect();
        streams.sort_unstable();
        streams.dedup();
        if options.through_streams {
            streams.truncate(1);
        }
        for stream in streams {
            curves.extend(options.groups.iter().filter_map(|group| {
                // A label belongs to the first group that contains it.
                let mine = |unit: &&MeanCurve| {
                    let first = options.groups.iter().find(|group| group.holds(&unit.label));
                    (options.through_streams || unit.stream == stream)
                        && first.is_some_and(|first| std::ptr::eq(first, group))
                };
                let parts: Vec<&MeanCurve> = own.iter().copied().filter(mine).collect();
                join(group.label(), &parts)
            }));
        }
    }
    curves
}

/// The name of each curve: its label, followed by its stream if the streams differ, or by its experiment if the
/// experiments differ; by both where one of them leaves two curves with one name.
pub(super) fn names(curves: &[MeanCurve]) -> Vec<String> {
    let several = |of: fn(&MeanCurve) -> &str| curves.iter().any(|curve| of(curve) != of(&curves[0]));
    let stream: fn(&MeanCurve) -> &str = |curve| &curve.stream;
    let experiment: fn(&MeanCurve) -> &str = |curve| &curve.experiment;
    let names: Vec<String> = match [stream, experiment].into_iter().find(|of| several(*of)) {
        Some(of) => curves.iter().map(|curve| format!("{}, {}", curve.label, of(curve))).collect(),
        None => return curves.iter().map(|curve| curve.label.clone()).collect(),
    };
    if names.iter().collect::<BTreeSet<_>>().len() == names.len() || !several(experiment) {
        return names;
    }
    curves.iter().map(|curve| format!("{}, {}, {}", curve.label, curve.stream, curve.experiment)).collect()
}

/// Why a panel is empty whose runs were all played to their ends: they have no such quantity.
pub(super) fn valueless(
    options: &CurvesOptions,
    chosen: &ChosenCurves,
    experiments: &[&ExperimentResults],
) -> Option<String> {
    let shown = match &options.show {
        Show::One(one) => vec![&one.quantity],
        Show::Several(several) => several.iter().map(|one| &one.quantity.quantity).collect(),
    };
    let along = chosen.units.iter().filter(|unit| !options.levels.contains(&unit.label)).flat_map(|unit| &unit.points);
    if let Abscissa::Quantity(x) = &options.against
        && along.clone().next().is_some()
        && along.clone().all(|point| point.x.is_nan())
    {
        let runs = experiments.iter().flat_map(|experiment| &experiment.runs);
        let known: BTreeSet<String> = runs.flat_map(|run| run.parameters.keys().cloned()).collect();
        let known = known.into_iter().map(|name| format!("p:{name}")).collect::<Vec<_>>().join(", ");
        return Some(format!(
            "no run has a value of `{}`, along which it is drawn; parameters are {known}",
            x.quantity.name()
        ));
    }
    // Every run has these, unless it lost its trace or was not measured; but errors are of classes.
    let mut always = vec![RunQuantity::AverageLoss, RunQuantity::ProcessorTime];
    let mut runs = experiments.iter().flat_map(|experiment| &experiment.runs);
    if !runs.any(|run| run.status == EndStatus::Done && run.cumulative_error.is_none()) {
        always.push(RunQuantity::ErrorRate);
    }
    let lacks = |unit: &MeanCurve| unit.points.is_empty() && unit.tally.missing == unit.tally.total();
    if shown.iter().any(|quantity| always.contains(quantity))
        || chosen.units.is_empty()
        || experiments.iter().flat_map(|experiment| &experiment.runs).any(RunResult::is_untried)
        || !chosen.units.iter().all(lacks)
    {
        return None;
    }
    let shown: Vec<String> = shown.into_iter().map(RunQuantity::name).collect();
    let names = experiments.iter().flat_map(|experiment| &experiment.runs).flat_map(|run| run.measures.keys());
    let names: BTreeSet<String> = names.map(|name| format!("m:{name}")).collect();
    let measures = match names.is_empty() {
        true => "they have no measures".to_owned(),
        false => format!("their measures are {}", names.into_iter().collect::<Vec<_>>().join(", ")),
    };
    let hint = match shown.iter().any(|name| name == "regret") {
        true => "; regret needs a `comparator` in the experiment, and is known at horizons (`against = \"horizon\"`)",
        false => "",
    };
    Some(format!("no run has a value of `{}`; {measures}{hint}", shown.join("`, `")))
}
