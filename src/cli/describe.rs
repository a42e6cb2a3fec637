//! `noregret describe NAME`: a kind of file, or anything that has a name.

use clap::Args;
use clap_complete::engine::ArgValueCandidates;
use serde_json::{Value, json};

use super::complete;
use super::error::CliError;
use super::list::members;
use super::select::profile;
use super::show::pretty;
use noregret_core::learner::LEARNERS;
use noregret_core::params::check::check;
use noregret_core::params::typed::Parameters;
use noregret_core::params::{Fallback, Spec};
use noregret_core::parts::AllParts;
use noregret_data::catalogue::load_each;
use noregret_data::declaration::Dataset;
use noregret_engine::exec::progress::tell;
use noregret_papers::errata::api::Erratum;
use noregret_papers::errata::registry::ERRATA;
use noregret_papers::noisy::radius::{RadiusParams, SurrogateRadius, radius};
use noregret_papers::paper::Paper;
use noregret_papers::theorem::Theorem;
use noregret_papers::theorems::THEOREMS;
use noregret_stream::learner::table;
use noregret_study::compare::grids;
use noregret_study::config::declared::Declared;
use noregret_study::config::did_you_mean;
use noregret_study::config::experiment::Experiment;
use noregret_study::config::learners::{FOLDER, Learners};
use noregret_study::config::parts::as_written;
use noregret_study::config::project::Project;
use noregret_study::config::reference::FileKind;
use noregret_study::config::reference::text::terminal;
use noregret_study::config::study::ItemKind;

/// Arguments of `noregret describe`.
#[derive(Debug, Args)]
pub(crate) struct DescribeArgs {
    /// A learner, kernel, feature, loss, window, noise law, corruption, synthetic law, comparator, theorem, erratum,
    /// dataset or experiment; or a kind of file, with all its keys: experiment, figure, table, rates, dataset, profiles
    #[arg(add = ArgValueCandidates::new(complete::names))]
    pub name: String,
    /// With a kind of file: print its JSON Schema, by which editors complete and check it
    #[arg(long, conflicts_with = "set")]
    pub schema: bool,
    /// With noisy-theorem-3 or noisy-theorem-5: compute the radius W of a target from its norm, angle and kernel, for
    /// example --set norm=1.5 --set angle=1 --set kernel.name=gaussian --set covariance=0.5
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// The text of the command.
pub(crate) fn describe(project: Option<&Project>, args: &DescribeArgs) -> Result<String, CliError> {
    match (FileKind::find(&args.name), args.schema) {
        (Some(file), true) => {
            let learners = project.map_or_else(|| Ok(Learners::default()), |project| Learners::load(project.root()))?;
            pretty(&file.schema(&learners))
        }
        (Some(file), false) => Ok(terminal(file)),
        (None, true) => {
            let names: Vec<&str> = FileKind::ALL.iter().map(|file| file.name()).collect();
            Err(CliError::usage(format!(
                "--schema: `{}` is no kind of file; there are: {}",
                args.name,
                names.join(", ")
            )))
        }
        (None, false) => named(project, args),
    }
}

/// What `describe` found: texts, and the same as data.
#[derive(Default)]
struct Described {
    text: String,
    data: Vec<Value>,
}

impl Described {
    fn add(&mut self, kind: &str, name: &str, text: &str, mut data: Value) {
        self.text += text;
        data["kind"] = json!(kind);
        data["name"] = json!(name);
        self.data.push(data);
    }
}

/// A page of the book as `describe` shows it: headings in small letters, no fences.
fn unformatted(page: &str) -> String {
    let lines = page.lines().filter(|line| !line.is_empty() && !line.starts_with("```"));
    let shown = |line: &str| match line.strip_prefix("## ") {
        Some(heading) => format!("  {}\n", heading.to_lowercase()),
        None => format!("    {line}\n"),
    };
    lines.map(shown).collect()
}

/// The text of `noregret describe NAME`: everything that has this name. What is wrong elsewhere in a project does not
/// matter.
fn named(project: Option<&Project>, args: &DescribeArgs) -> Result<String, CliError> {
    let name = args.name.as_str();
    let mut found = Described::default();
    let mut known: Vec<String> = Vec::new();
    for member in members() {
        known.push(member.name.to_owned());
        if member.name == name {
            let (mut text, mut data) = describe_member(member.kind, name, member.summary, member.params);
            if member.kind == "learner" {
                let entry = LEARNERS.find(name).map_err(|error| CliError::usage(error.to_string()))?;
                if let Some((heading, lines)) = entry.build.about.further {
                    let lines = lines();
                    text += &format!("  {heading}\n");
                    lines.iter().for_each(|line| text += &format!("    {line}\n"));
                    data[heading] = json!(lines);
                }
                text += &grids::described(entry);
                let page = entry.build.about.text();
                text += &unformatted(&page);
                data["page"] = json!(page);
            }
            found.add(member.kind, name, &text, data);
        }
    }
    known.extend(ERRATA.iter().map(|erratum| erratum.id.to_owned()));
    if let Some(erratum) = ERRATA.iter().find(|erratum| erratum.id == name) {
        let data = json!({
            "paper": erratum.paper.citation(), "place": erratum.place, "passage": erratum.quote,
            "class": erratum.class.words(), "reason": erratum.reason, "printed": erratum.printed,
            "corrected": erratum.corrected, "computed": erratum.method,
        });
        found.add("erratum", name, &describe_erratum(erratum), data);
    }
    for theorem in THEOREMS.iter() {
        known.push(theorem.name.to_owned());
        if theorem.name == name {
            let data = json!({
                "paper": theorem.paper.citation(), "place": theorem.place, "statement": theorem.statement,
                "claim": theorem.claim.text(),
            });
            found.add("theorem", name, &describe_theorem(theorem), data);
        }
    }
    if SURROGATES.contains(&name) {
        let text = describe_radius(&args.set)?;
        found.add("radius", name, &text, json!({ "text": text.trim_end() }));
    } else if !args.set.is_empty() {
        return Err(CliError::usage(format!("--set goes with {} only", SURROGATES.join(" and "))));
    }
    if let Some(project) = project {
        declared(project, name, &mut known, &mut found)?;
    }
    if found.data.is_empty() {
        let hint = did_you_mean(name, known.iter().map(String::as_str));
        return Err(CliError::usage(format!("nothing is called `{name}`{hint} (see `noregret list`)")));
    }
    if args.json { pretty(&found.data) } else { Ok(found.text) }
}

/// The dataset and the experiment of a name. A mistake in their files is told; it is an error where nothing else has
/// the name.
fn declared(project: &Project, name: &str, known: &mut Vec<String>, found: &mut Described) -> Result<(), CliError> {
    let refused = |found: &Described, error: CliError| match found.data.is_empty() {
        true => Err(error),
        false => {
            tell(&format!("warning: {}\n", error.message));
            Ok(())
        }
    };
    let mut datasets = load_each(&project.pipeline(), &project.data())?;
    known.extend(datasets.keys().cloned());
    match datasets.remove(name) {
        None => {}
        Some(Err(error)) => refused(found, error.into())?,
        Some(Ok(dataset)) => {
            let Dataset { rows, inputs, title, citation, .. } = &dataset;
            let text = format!("dataset {name}\n  {title}\n  {rows} rows x {inputs} inputs\n  {citation}\n");
            let data = json!({ "title": title, "rows": rows, "inputs": inputs, "citation": citation });
            found.add("dataset", name, &text, data);
        }
    }
    let learners = Learners::load(project.root())?;
    known.extend(learners.declared().map(|(entry, _)| entry.name.to_owned()));
    if let Some((_, why)) = learners.wrong().find(|(wrong, _)| *wrong == name) {
        refused(found, CliError::usage(why.to_owned()))?;
    }
    if let Some((entry, params)) = learners.declared().find(|(entry, _)| entry.name == name) {
        let (mut text, data) = describe_member("learner", name, entry.summary, params);
        let isolation = learners.isolation(name).unwrap_or_default();
        text += &format!("  declared in pipeline/{FOLDER}/{name}.toml; {isolation}\n");
        found.add("learner", name, &text, data);
    }
    let experiments = project.names(ItemKind::Experiment);
    known.extend(experiments.iter().cloned());
    if !experiments.iter().any(|experiment| experiment == name) {
        return Ok(());
    }
    let declared = match Declared::load(project, &profile(None), &[], &[format!("run/{name}")]) {
        Ok(declared) => declared,
        Err(error) => return refused(found, error.into()),
    };
    if let Some(experiment) = declared.experiments.get(name) {
        let (mut text, mut data) = describe_experiment(name, experiment, &declared.profile);
        let place =
            project.studies()?.get(ItemKind::Experiment, name).map(|item| item.place.clone()).unwrap_or_default();
        let root = format!("{}/", project.root().display());
        let place = place.strip_prefix(&root).unwrap_or(&place);
        text += &format!("  declared in {place}\n");
        data["declared_in"] = json!(place);
        found.add("experiment", name, &text, data);
    }
    Ok(())
}

/// An experiment, with its streams and curves.
fn describe_experiment(name: &str, experiment: &Experiment, profile: &str) -> (String, Value) {
    let mut text = format!("experiment {name}\n  {}\n  {}\n", experiment.title, experiment.about);
    if !experiment.source.is_empty() {
        let paper = experiment.paper.map_or("", Paper::title);
        text += &format!("  source: {paper} {}\n", experiment.source);
    }
    text += &format!("  {} cells in profile {profile}\n", experiment.cells.len());
    for stream in &experiment.design.streams {
        text += &format!("  stream {}\n", stream.canonical());
    }
    let mut curves: Vec<(&str, &str, Value)> = Vec::new();
    for cell in &experiment.cells {
        if curves.last().is_none_or(|(label, ..)| **label != *cell.label) {
            curves.push((&cell.label, cell.learner.name, cell.params.canonical()));
        }
    }
    // What is chosen has no parameters before it is played.
    let choice = |label: &str| Some(experiment.choices.iter().find(|choice| *choice.label == *label)?.settings());
    for (label, learner, params) in &curves {
        text += &match choice(label) {
            None => format!("  {label}: {learner} {params}\n"),
            Some(settings) => format!("  {label}: {learner}, chosen among {}\n", settings.join("; ")),
        };
    }
    let curve = |(label, learner, params): &(&str, &str, Value)| match choice(label) {
        None => json!({ "label": label, "learner": learner, "parameters": params }),
        Some(settings) => json!({ "label": label, "learner": learner, "candidates": settings }),
    };
    let data = json!({
        "title": experiment.title, "about": experiment.about, "source": experiment.source,
        "cells": experiment.cells.len(), "profile": profile,
        "streams": experiment.design.streams.iter().map(|stream| stream.canonical()).collect::<Vec<_>>(),
        "curves": curves.iter().map(curve).collect::<Vec<_>>(),
    });
    (text, data)
}

/// A member of a registry, with its parameters.
fn describe_member(kind: &str, name: &str, summary: &str, params: &[Spec]) -> (String, Value) {
    let heading = if params.is_empty() { "no parameters" } else { "parameters" };
    let text = format!("{kind} {name}\n  {summary}\n  {heading}\n{}", describe_params(params));
    let parameter = |spec: &Spec| {
        let (default, takes) = (fallback(&spec.default), spec.kind.allowed());
        json!({ "name": spec.name, "default": default, "doc": spec.doc, "takes": takes })
    };
    (text, json!({ "summary": summary, "parameters": params.iter().map(parameter).collect::<Vec<_>>() }))
}

fn describe_erratum(erratum: &Erratum) -> String {
    let mut text = format!("erratum {}\n  {}, {}\n", erratum.id, erratum.paper.citation(), erratum.place);
    if !erratum.quote.is_empty() {
        text += &format!("  passage: {}\n", erratum.quote);
    }
    let [first, second] = erratum.class.forms();
    text += &format!("  class: {}: {}\n", erratum.class.words(), erratum.reason);
    text += &format!("  {first}: {}\n  {second}: {}\n", erratum.printed, erratum.corrected);
    text + &format!("  computed: {}\n  rerun: noregret run -f errata/{}\n", erratum.method, erratum.id)
}

fn describe_theorem(theorem: &Theorem) -> String {
    let mut text = format!(
        "theorem {}\n  {}, {}\n  {}\n{}",
        theorem.name,
        theorem.paper.citation(),
        theorem.place,
        theorem.statement,
        theorem.claim.text()
    );
    let bound = theorem.bound.iter().flat_map(|bound| bound.parameters);
    for (of, parameters) in [("the shape", Vec::from_iter(theorem.parameters)), ("the bound", bound.collect())] {
        if !parameters.is_empty() {
            text += &format!("  parameters of {of}\n");
        }
        for parameter in parameters {
            text += &format!("    {}: {}\n", parameter.name, parameter.doc);
        }
    }
    text
}

/// The theorems about surrogate kernels.
const SURROGATES: [&str; 2] = ["noisy-theorem-3", "noisy-theorem-5"];

/// The radius W for what `--set` says or, without it, what can be set.
fn describe_radius(set: &[String]) -> Result<String, CliError> {
    if set.is_empty() {
        return Ok(format!("  W from the norm of a target: --set KEY=VALUE\n{}", describe_params(RadiusParams::SPECS)));
    }
    let table = table("--set", set).map_err(CliError::usage)?;
    let params = check(RadiusParams::SPECS, &table, "", &AllParts).map_err(|error| as_written(error, &table));
    let SurrogateRadius { diagonal, ratio, radius, printed } = params
        .and_then(|params| radius(&RadiusParams::read(&params)))
        .map_err(|error| CliError::usage(format!("--set: {error}")))?;
    Ok(format!(
        "  W = {radius} (with the printed constant: {printed})\n  k^(x, x) = {diagonal}, sup k^ / k = {ratio}\n"
    ))
}

/// One line for each parameter.
fn describe_params(params: &[Spec]) -> String {
    let line = |spec: &Spec| {
        format!("    {} [{}]: {} ({})\n", spec.name, fallback(&spec.default), spec.doc, spec.kind.allowed())
    };
    params.iter().map(line).collect()
}

/// A default, as configuration has it.
pub(crate) fn fallback(default: &Fallback) -> String {
    match *default {
        Fallback::Required => "must be given".into(),
        Fallback::Real(number) => number.to_string(),
        Fallback::Integer(number) => number.to_string(),
        Fallback::Word(word) | Fallback::Part(word) => word.into(),
        Fallback::Flag(flag) => flag.to_string(),
        Fallback::Added(default) => fallback(default),
    }
}
