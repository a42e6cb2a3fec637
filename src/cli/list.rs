//! `noregret list`.

use clap::{Args, ValueEnum};
use serde_json::json;

use super::error::CliError;
use super::select::profile;
use super::show::pretty;
use noregret_core::comparator::COMPARATORS;
use noregret_core::feature::FAMILIES;
use noregret_core::kernel::KERNELS;
use noregret_core::learner::LEARNERS;
use noregret_core::loss::LOSSES;
use noregret_core::noise::NOISES;
use noregret_core::params::Spec;
use noregret_core::stream::ADVERSARIES;
use noregret_core::stream::STREAMS;
use noregret_core::stream::corruption::CORRUPTIONS;
use noregret_core::window::WINDOWS;
use noregret_data::catalogue::load_each;
use noregret_data::declaration::Dataset;
use noregret_papers::errata::registry::ERRATA;
use noregret_papers::theorems::THEOREMS;
use noregret_study::config::declared::Declared;
use noregret_study::config::experiment::Experiment;
use noregret_study::config::learners::Learners;
use noregret_study::config::project::Project;
use noregret_study::config::study::ItemKind;
use noregret_study::graph::{Access, graph};
use noregret_study::lines::aligned;

/// What can be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "kebab-case")]
pub(crate) enum ListKind {
    /// Online algorithms.
    Learners,
    /// Kernels.
    Kernels,
    /// Neurons of infinite-layer networks.
    Features,
    /// Losses and windows.
    Losses,
    /// Noise laws of the noisy protocol, and corruptions of targets.
    Noise,
    /// Laws of synthetic streams, and adversaries.
    Laws,
    /// The best fixed predictors that regret is measured against.
    Comparators,
    /// Declared and added datasets.
    Datasets,
    /// Experiments of the pipeline.
    Experiments,
    /// Passages of the papers that need a remark, and pitfalls that no paper has.
    Errata,
    /// Theorems that claim a rate.
    Theorems,
    /// Stages of the DAG.
    Stages,
}

/// Arguments of `noregret list`.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// What to list [default: everything but stages]
    pub what: Option<ListKind>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// A member of a registry, as it is printed.
pub(super) struct ListedMember {
    pub kind: &'static str,
    pub name: &'static str,
    pub summary: &'static str,
    pub params: &'static [Spec],
}

/// Every member of every registry.
pub(super) fn members() -> Vec<ListedMember> {
    let mut members = Vec::new();
    macro_rules! add {
        ($kind:literal, $registry:expr) => {
            members.extend($registry.iter().map(|entry| ListedMember {
                kind: $kind,
                name: entry.name,
                summary: entry.summary,
                params: entry.params,
            }));
        };
    }
    add!("learner", LEARNERS);
    add!("kernel", KERNELS);
    add!("feature", FAMILIES);
    add!("loss", LOSSES);
    // The loss that is only measured. It belongs to no registry, since nothing can be built from it.
    members.push(ListedMember {
        kind: "loss",
        name: "zero-one",
        summary: "1 if sign(prediction) != sign(target), 1/2 for a prediction of 0: cumulative_error, targets -1/+1",
        params: &[],
    });
    add!("window", WINDOWS);
    add!("noise", NOISES);
    add!("corruption", CORRUPTIONS);
    add!("law", STREAMS);
    add!("law", ADVERSARIES);
    add!("comparator", COMPARATORS);
    members
}

/// A line of `noregret list`: a kind, a name, and what it is.
type ListLine = (String, String, String);

/// The text of `noregret list`.
pub(crate) fn list(project: Option<&Project>, args: &ListArgs) -> Result<String, CliError> {
    let wants = |what: ListKind| args.what.is_none_or(|wanted| wanted == what) && what != ListKind::Stages;
    let mut rows = built_in(&wants);
    if let Some(project) = project.filter(|_| wants(ListKind::Learners)) {
        let learners = Learners::load(project.root())?;
        rows.extend(
            learners.declared().map(|(entry, _)| {
                ("learner".into(), entry.name.into(), format!("{} (of this project)", entry.summary))
            }),
        );
        rows.extend(
            learners.wrong().map(|(name, why)| ("learner".into(), name.into(), format!("cannot be used: {why}"))),
        );
    }
    if wants(ListKind::Errata) {
        rows.extend(ERRATA.iter().map(|erratum| {
            let class = erratum.class.words();
            ("erratum".into(), erratum.id.into(), format!("{}, {}: {class}", erratum.paper.title(), erratum.place))
        }));
    }
    if wants(ListKind::Theorems) {
        rows.extend(THEOREMS.iter().map(|one| ("theorem".into(), one.name.into(), one.statement.into())));
    }
    if let Some(project) = project {
        if wants(ListKind::Datasets) {
            let datasets = load_each(&project.pipeline(), &project.data())?;
            rows.extend(datasets.into_iter().map(|(name, dataset)| match dataset {
                Ok(Dataset { rows, inputs, title, .. }) => {
                    ("dataset".into(), name, format!("{rows} rows x {inputs} inputs: {title}"))
                }
                Err(error) => ("dataset".into(), name, format!("cannot be used: {error}")),
            }));
        }
        if wants(ListKind::Experiments) {
            rows.extend(experiments(project)?);
        }
        if args.what == Some(ListKind::Stages) {
            let declared = Declared::load(project, &profile(None), &[], &[])?;
            let graph = graph(project, &declared, &Access { mirrors: Vec::new(), online: false });
            rows.extend(graph.stages.iter().map(|stage| {
                let items = stage.items.len();
                let items = if items == 1 { String::new() } else { format!("{items} items") };
                ("stage".into(), stage.name.clone(), items)
            }));
        }
    } else if matches!(args.what, Some(ListKind::Datasets | ListKind::Experiments | ListKind::Stages)) {
        return Err(CliError::no_project());
    }
    laid_out(&rows, args)
}

/// The members of the registries.
fn built_in(wants: &dyn Fn(ListKind) -> bool) -> Vec<ListLine> {
    let mut rows = Vec::new();
    for member in members() {
        let what = match member.kind {
            "learner" => ListKind::Learners,
            "kernel" => ListKind::Kernels,
            "feature" => ListKind::Features,
            "loss" | "window" => ListKind::Losses,
            "noise" | "corruption" => ListKind::Noise,
            "law" => ListKind::Laws,
            _ => ListKind::Comparators,
        };
        if wants(what) {
            rows.push((member.kind.into(), member.name.into(), member.summary.into()));
        }
    }
    rows
}

/// The experiments of a project.
///
/// # Errors
/// A folder of studies that cannot be read.
fn experiments(project: &Project) -> Result<Vec<ListLine>, CliError> {
    let row = |name: String, told: String| ("experiment".to_owned(), name, told);
    let about = |experiment: &Experiment| format!("{}: {}", experiment.title, experiment.about);
    // One that is wrong is listed as such, and hides no other.
    let one = |name: String| {
        let declared = Declared::load(project, &profile(None), &[], &[format!("run/{name}")]);
        let told = match declared.as_ref().map(|declared| declared.experiments.get(&name)) {
            Ok(Some(experiment)) => about(experiment),
            Ok(None) => String::new(),
            Err(error) => format!("cannot be used: {}", error.to_string().lines().next().unwrap_or_default()),
        };
        row(name, told)
    };
    Ok(match Declared::load(project, &profile(None), &[], &[]) {
        Ok(declared) => {
            declared.experiments.iter().map(|(name, experiment)| row(name.clone(), about(experiment))).collect()
        }
        Err(_) => {
            project.studies()?;
            project.names(ItemKind::Experiment).into_iter().map(one).collect()
        }
    })
}

/// The lines in columns, or as JSON.
fn laid_out(rows: &[ListLine], args: &ListArgs) -> Result<String, CliError> {
    if args.json {
        let row = |(kind, name, summary): &ListLine| json!({ "kind": kind, "name": name, "summary": summary });
        return pretty(&rows.iter().map(row).collect::<Vec<_>>());
    }
    let from = usize::from(args.what.is_some());
    let line =
        |(kind, name, summary): &ListLine| [kind, name, summary][from..].iter().map(|cell| (*cell).clone()).collect();
    Ok(aligned(&rows.iter().map(line).collect::<Vec<_>>()))
}
