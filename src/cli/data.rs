//! `noregret data fetch|verify|pin|add|update|remove|list`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};
use clap_complete::engine::ArgValueCandidates;
use serde_json::{Value, json};

use super::error::CliError;
use super::select::{SelectArgs, profile};
use super::show::{below, show};
use super::{complete, exit};
use noregret_data::catalogue::{declared_in, find, load_each};
use noregret_data::declaration::{Dataset, DatasetOrigin, Task};
use noregret_data::encode::choices::Labels;
use noregret_data::fetch::{FetchAccess, FetchError, Network, fetch, verify};
use noregret_data::format::ReadOptions;
use noregret_data::listing::name_of;
use noregret_data::pin::pin;
use noregret_data::remote::add::{RemoteAddition, add_remote};
use noregret_data::remote::place::{Place, Servers};
use noregret_data::user::{Addition, Registered, add, register};
use noregret_engine::exec::progress::{complain, tell};
use noregret_stream::file_args::FileArgs;
use noregret_study::config::declared::Declared;
use noregret_study::config::project::Project;
use noregret_study::config::study::{ItemKind, StudyItem};

/// Subcommands of `noregret data`.
#[derive(Debug, Subcommand)]
pub(crate) enum DataCommand {
    /// Download datasets, or copy them from a mirror, and verify them; damaged files are moved aside and replaced
    Fetch(FetchArgs),
    /// Check the datasets that are here against their declared shape and content hash; this changes nothing
    Verify(DataVerifyArgs),
    /// Write the content hash of datasets that are here into their declarations, so that no other data are accepted
    Pin(PinArgs),
    /// Register a file of your own, or data of OpenML, of UCI or at an address, under a name that experiments can use
    Add(Box<AddArgs>),
    /// Read files of your own again that have changed, and register what they hold now
    Update(UpdateArgs),
    /// Forget datasets that you added (their files stay), or remove the downloaded copies of declared ones
    Remove(RemoveArgs),
    /// List the datasets and say which are here
    List(DataListArgs),
}

/// Arguments of `noregret data update`.
#[derive(Debug, Args)]
pub(crate) struct UpdateArgs {
    /// Names of datasets that were added with `noregret data add`
    #[arg(required = true, add = ArgValueCandidates::new(complete::datasets))]
    names: Vec<String>,
    /// The file is now this one
    #[arg(long, value_hint = ValueHint::FilePath)]
    file: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Arguments of `noregret data remove`.
#[derive(Debug, Args)]
pub(crate) struct RemoveArgs {
    /// Names of datasets
    #[arg(required = true, add = ArgValueCandidates::new(complete::datasets))]
    names: Vec<String>,
    /// Forget a dataset although experiments use it, which cannot run then
    #[arg(short, long)]
    force: bool,
    /// Print what would be removed, and remove nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Arguments of `noregret data list`.
#[derive(Debug, Args)]
pub(crate) struct DataListArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Arguments of `noregret data verify`.
#[derive(Debug, Args)]
pub(crate) struct DataVerifyArgs {
    /// Names of datasets [default: all]
    #[arg(add = ArgValueCandidates::new(complete::datasets))]
    names: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Arguments of `noregret data pin`.
#[derive(Debug, Args)]
pub(crate) struct PinArgs {
    /// Names of datasets
    #[arg(required = true, add = ArgValueCandidates::new(complete::datasets))]
    names: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Arguments of `noregret data fetch`.
#[derive(Debug, Args)]
pub(crate) struct FetchArgs {
    /// Names of datasets [default: all that are not embedded]
    #[arg(add = ArgValueCandidates::new(complete::datasets))]
    names: Vec<String>,
    /// Do not use the network
    #[arg(long)]
    offline: bool,
    /// A folder that holds data files under their upstream names; tried before the network (also: NOREGRET_MIRROR)
    #[arg(long = "mirror", value_name = "DIR")]
    mirrors: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Arguments of `noregret data add`.
#[derive(Debug, Args)]
pub(crate) struct AddArgs {
    /// A file of CSV, JSON lines, Parquet, Arrow IPC (Feather), ARFF or LIBSVM text, plain or compressed, which stays where it
    /// is; or what is to be downloaded: `openml:NUMBER`, `openml:NAME`, `uci:NUMBER`, or the `https://` address of such a file or of
    /// a zip archive with it. What a server says of the target and the columns is taken where no option says otherwise
    #[arg(value_hint = ValueHint::FilePath)]
    file: PathBuf,
    /// The dataset's name [default: that of the server, or of the file]
    #[arg(long)]
    name: Option<String>,
    /// The member of a zip archive that is downloaded, where it has several
    #[arg(long)]
    member: Option<String>,
    /// Do not use the network
    #[arg(long)]
    offline: bool,
    /// A folder that holds data files under their upstream names; tried before the network (also: NOREGRET_MIRROR)
    #[arg(long = "mirror", value_name = "DIR")]
    mirrors: Vec<PathBuf>,
    #[command(flatten)]
    columns: FileArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What a subcommand found out about datasets: lines for people as they come, or one list as JSON at the end.
struct DatasetNotes {
    json: bool,
    found: Vec<Value>,
    status: u8,
}

impl DatasetNotes {
    fn new(json: bool) -> Self {
        Self { json, found: Vec::new(), status: exit::DONE }
    }

    fn tell(&mut self, line: &str, data: Value) -> Result<(), CliError> {
        if !self.json {
            show(&format!("{line}\n"))?;
        }
        self.found.push(data);
        Ok(())
    }

    /// Also what is to be said of the columns and rows of a file.
    fn tell_with(&mut self, line: &str, notes: &[String], mut data: Value) -> Result<(), CliError> {
        data["notes"] = json!(notes);
        self.tell(&format!("{line}{}", below(notes)), data)
    }

    /// Data that cannot be had or are wrong.
    fn failed(&mut self, name: &str, what: &str, error: &str) {
        complain(&format!("{what}: {error}\n"));
        self.found.push(json!({ "name": name, "state": what, "reason": error }));
        self.status = exit::FAILED;
    }

    fn end(self) -> Result<u8, CliError> {
        if self.json {
            super::show::json(&self.found, &mut std::io::stdout().lock())?;
        }
        Ok(self.status)
    }
}

/// The datasets of a project and where their files are.
struct Catalogue<'a> {
    project: &'a Project,
    known: BTreeMap<String, Dataset>,
}

impl Catalogue<'_> {
    fn raw(&self, name: &str) -> PathBuf {
        self.project.data().join("raw").join(name)
    }

    fn chosen(&self, names: &[String]) -> Result<Vec<&Dataset>, CliError> {
        match names {
            [] => Ok(self.known.values().collect()),
            names => names.iter().map(|name| self.found(name)).collect(),
        }
    }

    fn found(&self, name: &str) -> Result<&Dataset, CliError> {
        let file = declared_in(&self.project.pipeline(), &self.project.data(), name);
        if !self.known.contains_key(name) && file.is_file() {
            let advice = if self.is_added(name) { "remove it to forget the dataset" } else { "correct it" };
            return Err(CliError::usage(format!("`{name}` cannot be used: {} is wrong; {advice}", file.display())));
        }
        Ok(find(&self.known, name)?)
    }

    /// The experiments whose streams name a dataset, as far as their files can be read.
    fn users(&self, name: &str) -> Vec<String> {
        let uses = |experiment: &String| {
            let target = [format!("run/{experiment}")];
            let declared = Declared::load(self.project, &profile(None), &[], &target);
            declared.is_ok_and(|declared| {
                let streams = declared.experiments.values().flat_map(|one| &one.design.streams);
                streams.into_iter().any(|stream| stream.name() == name)
            })
        };
        // A file that does not hold the name does not use it, and need not be checked.
        let studies = self.project.studies().unwrap_or_default();
        let mentions = |item: &StudyItem| std::fs::read_to_string(&item.file).is_ok_and(|text| text.contains(name));
        let all = studies.of(ItemKind::Experiment).filter(|(_, item)| mentions(item));
        all.map(|(experiment, _)| experiment.clone()).filter(uses).collect()
    }

    /// Whether it was added with `noregret data add`.
    fn is_added(&self, name: &str) -> bool {
        let (pipeline, data) = (self.project.pipeline(), self.project.data());
        declared_in(&pipeline, &data, name).starts_with(data)
    }

    /// Why a dataset that is no file of the user's own is not updated.
    fn pinned(&self, Dataset { name, origin, .. }: &Dataset) -> String {
        let DatasetOrigin::Files(files) = origin else { return format!("`{name}` is compiled into the program") };
        if !self.is_added(name) {
            return format!("`{name}` is declared in pipeline/datasets; `noregret data fetch` brings it up to date");
        }
        let from = files.iter().flat_map(|file| &file.addresses).next().map_or("its address", String::as_str);
        format!(
            "`{name}` is pinned to the content that {from} had when it was added; for what is there now, `noregret data remove \
             {name}` and add it again, or add it under another name"
        )
    }

    fn is_here(&self, dataset: &Dataset) -> bool {
        dataset.paths(&self.raw(&dataset.name)).iter().all(|path| path.is_file())
    }
}

/// Runs the subcommand and returns the exit status.
pub(crate) fn run(project: &Project, command: &DataCommand) -> Result<u8, CliError> {
    let mut known = BTreeMap::new();
    for (name, dataset) in load_each(&project.pipeline(), &project.data())? {
        match dataset {
            Ok(dataset) => drop(known.insert(name, dataset)),
            // Others are not in the way of this one.
            Err(error) => tell(&format!("warning: {error}\n")),
        }
    }
    let catalogue = Catalogue { project, known };
    match command {
        DataCommand::Fetch(args) => fetched(&catalogue, args),
        DataCommand::Verify(args) => verified(&catalogue, args),
        DataCommand::Pin(args) => {
            let mut told = DatasetNotes::new(args.json);
            for dataset in catalogue.chosen(&args.names)? {
                let verified = verify(dataset, &catalogue.raw(&dataset.name));
                let content = verified.map_err(CliError::failed)?.content_sha256;
                let file = declared_in(&project.pipeline(), &project.data(), &dataset.name);
                let what = if pin(dataset, &content, &file)? { "pinned in" } else { "is pinned already in" };
                let line = format!("{}: {what} {}, content {content}", dataset.name, file.display());
                told.tell(&line, json!({ "name": dataset.name, "file": file, "content_sha256": content }))?;
            }
            told.end()
        }
        DataCommand::Add(args) => added(&catalogue, args),
        DataCommand::Update(args) => updated(&catalogue, args),
        DataCommand::Remove(args) => removed(&catalogue, args),
        DataCommand::List(args) => listed(&catalogue, DatasetNotes::new(args.json)),
    }
}

/// Registers a file, or what is downloaded.
fn added(catalogue: &Catalogue<'_>, args: &AddArgs) -> Result<u8, CliError> {
    let mut options = args.columns.options();
    let (known, folder) = (&catalogue.known, catalogue.project.data());
    let place = args.file.to_str().map_or_else(|| Ok(Place::File(args.file.clone())), Place::parse)?;
    let Registered { dataset, notes } = match place {
        Place::File(_) if args.member.is_some() => {
            return Err(CliError::usage("--member goes with an address; unpack an archive of your own"));
        }
        Place::File(file) => {
            let stem = || file.file_name().unwrap_or_default().to_string_lossy().split('.').next().map(name_of);
            let name = args.name.clone().or_else(stem).unwrap_or_default();
            options.encoding.labels = Labels::Words;
            add(&Addition { file, name, options }, known, &folder)?
        }
        place => {
            let select = SelectArgs { offline: args.offline, mirrors: args.mirrors.clone(), ..SelectArgs::default() };
            let (access, say) = (select.access(), |line: &str| tell(&format!("{line}\n")));
            let network = access.online.then(Network::default);
            let access = FetchAccess { mirrors: &access.mirrors, network, report: &say, interrupted: &|| false };
            let addition = RemoteAddition { place, name: args.name.clone(), options, member: args.member.clone() };
            let dataset = add_remote(&addition, &servers(), known, &folder, &access).map_err(|error| match error {
                FetchError::Local(error) => error.into(),
                error => CliError::failed(error),
            })?;
            Registered { dataset, notes: Vec::new() }
        }
    };
    let mut told = DatasetNotes::new(args.json);
    let Dataset { name, target, task, .. } = &dataset;
    let what = match (&dataset.origin, task) {
        (DatasetOrigin::Path(_), _) => String::new(),
        (_, Task::Regression) => format!(", target {}", target.as_deref().unwrap_or("the label")),
        (_, Task::Classes) => {
            format!(", {} classes in {}", dataset.classes.len(), target.as_deref().unwrap_or("the label"))
        }
        (_, Task::Classification) => format!(", two classes in {}", target.as_deref().unwrap_or("the label")),
    };
    let line = format!("{}{what}; use `dataset = \"{name}\"` in an experiment", size(&dataset));
    told.tell_with(&line, &notes, data(&dataset))?;
    told.end()
}

/// The servers, which the environment can replace.
fn servers() -> Servers {
    let usual = Servers::default();
    let named = |variable: &str| std::env::var(variable).ok().filter(|server| !server.is_empty());
    Servers {
        openml: named("NOREGRET_OPENML").unwrap_or(usual.openml),
        uci: named("NOREGRET_UCI").unwrap_or(usual.uci),
    }
}

/// Tells of each dataset whether it is here, and which experiments use it.
fn listed(catalogue: &Catalogue<'_>, mut told: DatasetNotes) -> Result<u8, CliError> {
    for dataset in catalogue.known.values() {
        let here = match &dataset.origin {
            DatasetOrigin::Embedded(_) => "embedded",
            _ if catalogue.is_here(dataset) => "here",
            _ => "not here",
        };
        let Dataset { name, rows, inputs, title, .. } = dataset;
        let users = catalogue.users(name);
        let used = if users.is_empty() { "no experiment".to_owned() } else { users.join(", ") };
        let line = format!("{name:16} {here:9} {rows:>9} x {inputs:<3} {title} (used by {used})");
        let mut found = data(dataset);
        found["state"] = json!(here);
        found["used_by"] = json!(users);
        told.tell(&line, found)?;
    }
    told.end()
}

/// `mine: 10 rows x 2 inputs`
pub(super) fn size(dataset: &Dataset) -> String {
    format!("{}: {} rows x {} inputs", dataset.name, dataset.rows, dataset.inputs)
}

fn data(dataset: &Dataset) -> Value {
    let Dataset { name, title, rows, inputs, content_sha256, .. } = dataset;
    json!({ "name": name, "title": title, "rows": rows, "inputs": inputs, "content_sha256": content_sha256 })
}

fn fetched(catalogue: &Catalogue<'_>, args: &FetchArgs) -> Result<u8, CliError> {
    let select = SelectArgs { offline: args.offline, mirrors: args.mirrors.clone(), ..SelectArgs::default() };
    let access = select.access();
    let mut told = DatasetNotes::new(args.json);
    for dataset in catalogue.chosen(&args.names)? {
        if matches!(dataset.origin, DatasetOrigin::Embedded(_)) {
            continue;
        }
        let (raw, say) = (catalogue.raw(&dataset.name), |line: &str| tell(&format!("{line}\n")));
        match fetch(dataset, &raw, &access.mirrors, access.online, &say) {
            Ok(fetched) => {
                let mut found = data(dataset);
                found["content_sha256"] = json!(fetched.content_sha256);
                told.tell(&format!("{}, content {}", size(dataset), fetched.content_sha256), found)?;
            }
            // Nothing was asked for but the data, so that data that cannot be had are a failure here.
            Err(error) => {
                let what = if matches!(error, FetchError::Unavailable { .. }) { "unavailable" } else { "error" };
                told.failed(&dataset.name, what, &error.to_string());
            }
        }
    }
    told.end()
}

fn verified(catalogue: &Catalogue<'_>, args: &DataVerifyArgs) -> Result<u8, CliError> {
    let mut told = DatasetNotes::new(args.json);
    for dataset in catalogue.chosen(&args.names)? {
        let (name, raw) = (&dataset.name, catalogue.raw(&dataset.name));
        let absent = dataset.paths(&raw).iter().any(|path| !path.is_file());
        if absent && !matches!(dataset.origin, DatasetOrigin::Path(_)) {
            let line = format!("{name}: not here (`noregret data fetch {name}`)");
            told.tell(&line, json!({ "name": name, "state": "not here" }))?;
            if !args.names.is_empty() {
                told.status = exit::FAILED;
            }
            continue;
        }
        match verify(dataset, &raw) {
            Ok(fetched) => {
                let content = fetched.content_sha256;
                let found = json!({ "name": name, "state": "sound", "content_sha256": content });
                told.tell(&format!("{name}: sound, content {content}"), found)?;
            }
            Err(error) => told.failed(name, "error", &error.to_string()),
        }
    }
    told.end()
}

fn updated(catalogue: &Catalogue<'_>, args: &UpdateArgs) -> Result<u8, CliError> {
    if args.file.is_some() && args.names.len() > 1 {
        return Err(CliError::usage("--file goes with a single dataset"));
    }
    let mut told = DatasetNotes::new(args.json);
    for dataset in catalogue.chosen(&args.names)? {
        let DatasetOrigin::Path(path) = &dataset.origin else {
            return Err(CliError::usage(catalogue.pinned(dataset)));
        };
        let options = ReadOptions { width: None, ..dataset.options() };
        let file = args.file.clone().unwrap_or_else(|| path.clone());
        let addition = Addition { file, name: dataset.name.clone(), options };
        let Registered { dataset: now, notes } = register(&addition, &catalogue.project.data())?;
        let changed = now.content_sha256 != dataset.content_sha256;
        let what = if changed { "changed; what was made from it is stale now" } else { "as it was" };
        let mut found = data(&now);
        found["changed"] = json!(changed);
        told.tell_with(&format!("{}; {what}", size(&now)), &notes, found)?;
    }
    told.end()
}

fn removed(catalogue: &Catalogue<'_>, args: &RemoveArgs) -> Result<u8, CliError> {
    let mut told = DatasetNotes::new(args.json);
    let chosen = catalogue.chosen(&args.names)?;
    // All or none.
    for Dataset { name, origin, .. } in &chosen {
        let users = catalogue.users(name);
        match origin {
            DatasetOrigin::Embedded(_) => {
                return Err(CliError::usage(format!("`{name}` is compiled into the program and cannot be removed")));
            }
            _ if catalogue.is_added(name) && !users.is_empty() && !args.force => {
                let users = users.join(", ");
                let why = format!("is used by {users}; change or remove these first, or give --force");
                return Err(CliError::usage(format!("`{name}` {why}")));
            }
            _ => {}
        }
    }
    for dataset in chosen {
        let name = &dataset.name;
        let declaration = declared_in(&catalogue.project.pipeline(), &catalogue.project.data(), name);
        let (paths, what) = match &dataset.origin {
            DatasetOrigin::Path(file) => (vec![declaration], format!("forgotten; {} stays", file.display())),
            _ if catalogue.is_added(name) => {
                (vec![declaration, catalogue.raw(name)], "forgotten; its downloaded files are removed".to_owned())
            }
            _ => (vec![catalogue.raw(name)], "the downloaded files are removed; its declaration stays".to_owned()),
        };
        let paths: Vec<PathBuf> = paths.into_iter().filter(|path| path.exists()).collect();
        let Some(path) = paths.first() else {
            told.tell(&format!("{name}: not here"), json!({ "name": name, "removed": null }))?;
            continue;
        };
        for path in paths.iter().filter(|_| !args.dry_run) {
            let removal = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
            removal.map_err(|error| CliError::io("cannot remove", path, error))?;
        }
        let shown: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        let line = if args.dry_run {
            format!("{name}: would remove {}", shown.join(" and "))
        } else {
            format!("{name}: {what}")
        };
        told.tell(&line, json!({ "name": name, "removed": path, "dry_run": args.dry_run }))?;
    }
    told.end()
}
