//! Arguments that several commands share: which part of the pipeline, and under which profile.

use std::path::{Path, PathBuf};

use clap::Args;
use clap_complete::engine::ArgValueCandidates;

use super::complete;
use super::error::CliError;
use super::show::quoted;
use noregret_engine::exec::engine::{RunRequest, dry_run};
use noregret_engine::exec::progress::tell;
use noregret_engine::exec::store::ResultStore;
use noregret_engine::plan::planner::Plan;
use noregret_engine::plan::select::select;
use noregret_engine::plan::work::Graph;
use noregret_report::chart::theme::Theme;
use noregret_study::config::declared::{DEFAULT_PROFILE, Declared, meant};
use noregret_study::config::overrides::{Override, variant};
use noregret_study::config::project::Project;
use noregret_study::graph::{Access, graph};

/// Folders with copies of upstream files, as a path list.
pub(crate) const MIRROR_VARIABLE: &str = "NOREGRET_MIRROR";
/// The profile where `--profile` is not given.
pub(crate) const PROFILE_VARIABLE: &str = "NOREGRET_PROFILE";

/// Targets, overrides and profile.
#[derive(Clone, Debug, Default, Args)]
pub struct SelectArgs {
    /// Stages by name or glob (`run/casp`, `figure/*`) [default: everything]. [EXPERIMENT.]KEY=VALUE overrides a field or a
    /// parameter (docs/src/experiments.md)
    #[arg(value_name = "TARGET|KEY=VALUE", add = ArgValueCandidates::new(complete::targets))]
    pub words: Vec<String>,
    /// Sizes of all experiments: a profile of pipeline/profiles.toml [default: NOREGRET_PROFILE, else the one that the file
    /// marks as default, else paper]
    #[arg(long, value_name = "NAME", add = ArgValueCandidates::new(complete::profiles))]
    pub profile: Option<String>,
    /// Do not use the network
    #[arg(long)]
    pub offline: bool,
    /// A folder that holds data files under their upstream names; tried before the network (also NOREGRET_MIRROR)
    #[arg(long = "mirror", value_name = "DIR")]
    pub mirrors: Vec<PathBuf>,
    /// Draw figures in a style of your own (font, sizes, colours; docs/src/report.md), published as a variant
    #[arg(long, value_name = "FILE.toml")]
    pub style: Option<PathBuf>,
}

/// The chosen profile: the argument, else the environment, else the default.
pub(crate) fn profile(given: Option<&str>) -> String {
    given
        .map(str::to_owned)
        .or_else(|| std::env::var(PROFILE_VARIABLE).ok().filter(|name| !name.is_empty()))
        .unwrap_or_else(|| DEFAULT_PROFILE.to_owned())
}

impl SelectArgs {
    /// The name of the chosen profile in this project.
    ///
    /// # Errors
    /// There is none.
    pub(crate) fn profile_in(&self, project: &Project) -> Result<String, CliError> {
        Ok(meant(project, &profile(self.profile.as_deref()))?)
    }

    /// A command for a hint, with the profile where it was chosen on the command line.
    pub(crate) fn command(&self, words: &str) -> String {
        match self.profile.as_deref().filter(|given| *given != profile(None)) {
            Some(given) => format!("`noregret {words} --profile {given}`"),
            None => format!("`noregret {words}`"),
        }
    }

    /// The overrides and the style as they were given, each after a blank.
    pub(crate) fn overridden(&self) -> String {
        let words = self.words.iter().filter(|word| word.contains('=')).map(|word| format!(" {}", quoted(word)));
        let style = self.style.iter().map(|style| format!(" --style {}", quoted(&style.to_string_lossy())));
        words.chain(style).collect()
    }

    /// The stages asked for (none: all).
    pub(crate) fn targets(&self) -> Vec<String> {
        self.words.iter().filter(|word| !word.contains('=')).cloned().collect()
    }

    fn overrides(&self) -> Result<Vec<Override>, CliError> {
        let given = self.words.iter().filter(|word| word.contains('='));
        Ok(Override::parse_all(given.map(String::as_str))?)
    }

    /// The store of the project in `root`; with overrides or a style, that of their variant.
    pub(crate) fn store(&self, root: &Path) -> Result<ResultStore, CliError> {
        let mut given: Vec<String> = self.overrides()?.iter().map(ToString::to_string).collect();
        let style = self.style.as_ref().and_then(|path| path.file_stem());
        given.extend(style.map(|name| format!("style={}", name.to_string_lossy())));
        Ok(ResultStore::new(root).of_variant(variant(&given)))
    }

    /// How figures are to look.
    fn theme(&self) -> Result<Theme, CliError> {
        let Some(path) = &self.style else { return Ok(Theme::default()) };
        let text = std::fs::read_to_string(path).map_err(|error| CliError::io("cannot read", path, error))?;
        Theme::read(&text).map_err(|why| CliError::usage(format!("{}: {why}", path.display())))
    }

    /// The part of the declarations that `targets` need (all where there are none), with profile and overrides applied.
    fn declared(&self, project: &Project, targets: &[String]) -> Result<Declared, CliError> {
        let declared = Declared::load(project, &profile(self.profile.as_deref()), &self.overrides()?, targets)?;
        Ok(Declared { theme: self.theme()?, ..declared })
    }

    /// Where data may come from.
    pub(crate) fn access(&self) -> Access {
        let mut mirrors = self.mirrors.clone();
        if let Some(list) = std::env::var_os(MIRROR_VARIABLE) {
            mirrors.extend(std::env::split_paths(&list).filter(|path| !path.as_os_str().is_empty()));
        }
        Access { mirrors, online: !self.offline }
    }

    /// The plan of what the targets need, under which what was unavailable is not tried again.
    pub(crate) fn plan(&self, graph: &Graph, store: &ResultStore) -> Result<Plan, CliError> {
        let request = RunRequest { targets: self.targets(), ..RunRequest::default() };
        Ok(dry_run(graph, &request, store)?.0)
    }

    /// The DAG of what the targets need.
    pub(crate) fn graph(&self, project: &Project) -> Result<Graph, CliError> {
        let targets = self.targets();
        let graph = |targets: &[String]| -> Result<Graph, CliError> {
            let declared = self.declared(project, targets)?;
            for note in declared.experiments.values().flat_map(|experiment| &experiment.notes) {
                tell(&format!("{note}\n"));
            }
            Ok(graph(project, &declared, &self.access()))
        };
        let needed = graph(&targets)?;
        // For a target that names nothing, all names are needed to suggest what may be meant.
        let Err(unknown) = select(&needed, &targets) else { return Ok(needed) };
        // A mistake in a file hides what the file declares.
        graph(&[]).map_err(|broken| CliError::usage(format!("{unknown}; and {broken}")))
    }
}
