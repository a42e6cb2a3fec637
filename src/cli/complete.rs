//! Completions that know what there is: learners, stages, datasets, tables. The shell asks the program for them.

use std::io::Write;

use clap::{Arg, Args, Command, CommandFactory, ValueEnum};
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use clap_complete::env::Shells;

use super::error::CliError;
use super::exit;
use super::globals::Globals;
use noregret_core::comparator::COMPARATORS;
use noregret_core::feature::FAMILIES;
use noregret_core::kernel::KERNELS;
use noregret_core::learner::LEARNERS;
use noregret_core::loss::LOSSES;
use noregret_core::noise::NOISES;
use noregret_core::stream::corruption::CORRUPTIONS;
use noregret_core::stream::{ADVERSARIES, STREAMS};
use noregret_core::window::WINDOWS;
use noregret_data::listing;
use noregret_engine::exec::store::variants as published;
use noregret_papers::errata::registry::ERRATA;
use noregret_papers::theorems::THEOREMS;
use noregret_study::config::learners::FOLDER;
use noregret_study::config::project::Project;
use noregret_study::config::study::ItemKind;

/// The environment variable by which a shell's script asks for completions.
pub(crate) const VARIABLE: &str = "NOREGRET_COMPLETE";

/// Arguments of `noregret completions`.
#[derive(Args, Clone, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell; for bash, `source <(noregret completions bash)` in ~/.bashrc
    pub shell: Shell,
}

/// A shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "lower")]
pub(crate) enum Shell {
    /// Bourne-again shell
    Bash,
    /// Elvish
    Elvish,
    /// Fish
    Fish,
    /// PowerShell
    #[expect(clippy::enum_variant_names, reason = "its name")]
    PowerShell,
    /// Z shell
    Zsh,
}

/// Prints the script that makes a shell ask this program for completions.
pub(crate) fn run(args: &CompletionsArgs, out: &mut dyn Write) -> Result<u8, CliError> {
    let name = args.shell.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
    let shells = Shells::builtins();
    let shell = shells.completer(&name).ok_or_else(|| CliError::usage(format!("no completions for {name}")))?;
    let mut script = Vec::new();
    shell
        .write_registration(VARIABLE, "noregret", "noregret", "noregret", &mut script)
        .and_then(|()| out.write_all(&script))
        .and_then(|()| out.flush())?;
    Ok(exit::DONE)
}

/// Answers a shell that asks for completions; whether one did.
pub(crate) fn answer<C: CommandFactory>() -> bool {
    let asked = std::env::var_os(VARIABLE).is_some_and(|shell| !shell.is_empty() && shell != "0");
    let here = std::env::current_dir().ok();
    asked
        && clap_complete::CompleteEnv::with_factory(completed::<C>)
            .var(VARIABLE)
            .try_complete(std::env::args_os(), here.as_deref())
            .unwrap_or_else(|error| error.exit())
}

/// The command, whose options of `stream` offer what there is.
fn completed<C: CommandFactory>() -> Command {
    let offer = |list: fn() -> Vec<CompletionCandidate>| move |option: Arg| option.add(ArgValueCandidates::new(list));
    C::command()
        .mut_subcommand("stream", |stream| stream.mut_arg("learner", offer(learners)).mut_arg("noise", offer(noises)))
}

fn candidate((name, help): (impl Into<std::ffi::OsString>, &str)) -> CompletionCandidate {
    CompletionCandidate::new(name).help((!help.is_empty()).then(|| help.to_owned().into()))
}

/// The learners.
pub(crate) fn learners() -> Vec<CompletionCandidate> {
    let own = LEARNERS.iter().map(|entry| candidate((entry.name, entry.summary)));
    own.chain(project().iter().flat_map(|project| files(project, FOLDER, ""))).collect()
}

/// The noise laws.
fn noises() -> Vec<CompletionCandidate> {
    NOISES.iter().map(|entry| candidate((entry.name, entry.summary))).collect()
}

/// The project that the words typed so far are about.
fn project() -> Option<Project> {
    let words: Vec<String> = std::env::args().collect();
    let after = |option: &str| words.iter().skip_while(|word| *word != option).nth(1).map(std::path::PathBuf::from);
    let globals = Globals {
        project: after("--project").or_else(|| after("-C")),
        directory: None,
        quiet: true,
        verbose: false,
        color: clap::ColorChoice::Never,
    };
    globals.project().ok()
}

/// What the studies declare of a kind, with something before each name.
fn named(project: &Project, kind: ItemKind, before: &str) -> Vec<CompletionCandidate> {
    project.names(kind).into_iter().map(|name| candidate((format!("{before}{name}"), ""))).collect()
}

/// The files of a folder below `pipeline/` that declare something, with something before each name.
fn files(project: &Project, folder: &str, before: &str) -> Vec<CompletionCandidate> {
    let files = listing::declarations(&project.pipeline().join(folder)).unwrap_or_default();
    files.into_iter().map(|(name, _)| candidate((format!("{before}{name}"), ""))).collect()
}

/// The stages, by the files that declare them.
pub(crate) fn targets() -> Vec<CompletionCandidate> {
    let Some(project) = project() else { return Vec::new() };
    let kinds = [
        (ItemKind::Experiment, "run/"),
        (ItemKind::Experiment, "summarise/"),
        (ItemKind::Figure, "figure/"),
        (ItemKind::Table, "table/"),
        (ItemKind::Rate, "rates/"),
    ];
    let mut found: Vec<_> = kinds.iter().flat_map(|(kind, before)| named(&project, *kind, before)).collect();
    found.extend(files(&project, "datasets", "fetch/"));
    found.extend(ERRATA.iter().map(|erratum| candidate((format!("errata/{}", erratum.id), ""))));
    found.push(candidate(("report", "the report and all that it needs")));
    found
}

/// The datasets.
pub(crate) fn datasets() -> Vec<CompletionCandidate> {
    let Some(project) = project() else { return Vec::new() };
    let mut found = files(&project, "datasets", "");
    found.extend(files(&project, "../data/added", ""));
    found
}

/// The tables that can be queried.
pub(crate) fn tables() -> Vec<CompletionCandidate> {
    let mut found = vec![candidate(("runs", "all experiments")), candidate(("timings", "measured times"))];
    if let Some(project) = project() {
        found.extend(named(&project, ItemKind::Experiment, "runs/"));
        found.extend(named(&project, ItemKind::Experiment, "traces/"));
    }
    found
}

/// The variants that were published.
pub(crate) fn variants() -> Vec<CompletionCandidate> {
    let names: Vec<String> = project().iter().flat_map(|project| published(project.root())).collect();
    names.iter().map(|name| candidate((name, ""))).collect()
}

/// The profiles.
pub(crate) fn profiles() -> Vec<CompletionCandidate> {
    let profiles = project().and_then(|project| project.profiles().ok()).unwrap_or_default();
    profiles.into_iter().map(|(name, profile)| candidate((name, profile.description.as_str()))).collect()
}

/// What can be described.
pub(crate) fn names() -> Vec<CompletionCandidate> {
    let laws = STREAMS.names().chain(ADVERSARIES.names());
    let parts = KERNELS.names().chain(FAMILIES.names()).chain(LOSSES.names()).chain(WINDOWS.names());
    let others = NOISES.names().chain(CORRUPTIONS.names()).chain(COMPARATORS.names()).chain(laws);
    let claims = THEOREMS.iter().map(|theorem| theorem.name).chain(ERRATA.iter().map(|erratum| erratum.id));
    let mut found = learners();
    found.extend(parts.chain(others).chain(claims).map(|name| candidate((name, ""))));
    found.extend(project().iter().flat_map(|project| named(project, ItemKind::Experiment, "")));
    found.extend(datasets());
    found
}
