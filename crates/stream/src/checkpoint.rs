//! Where a run starts (`--load`, `--resume`) and where it is saved (`--save`).

use std::cell::Cell;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use crate::args::StreamArgs;
use crate::error::StreamError;
use crate::feed::RowFeed;
use crate::file_args::FileArgs;
use crate::further::{self, FurtherLearner};
use crate::group::GroupLearners;
use crate::input::SavedInput;
use crate::learner::{ChosenLearner, Learnt};
use crate::scales::settled;
use crate::temporary::{FileClaim, OTHER, Temporary};
use noregret_data::encode::choices::Decimal;
use noregret_data::encode::plan::EncodingPlan;
use noregret_data::format::FileFormat;
use noregret_data::format::parts::is_input;
use noregret_model::arrays::ArraySource;
use noregret_model::draws::DrawNames;
use noregret_model::error::ModelError;
use noregret_model::file::{self, Model};
use noregret_model::header::{Header, Names, Position, VERSION};
use noregret_numeric::state::Store;
use noregret_platform::files::is_input_a_pipe;

/// A model that was loaded, with the name of its file.
pub(crate) struct Loaded {
    file: String,
    model: Model,
    /// The encoders of its columns, with what they have learned.
    plan: Option<Box<EncodingPlan>>,
}

impl Loaded {
    /// Reads a model of one learner.
    pub(crate) fn read(path: &Path) -> Result<Self, StreamError> {
        Self::of(path, file::read(path)?)
    }

    /// Reads a model of one learner or, where there are groups, of several.
    fn read_any(path: &Path) -> Result<Self, StreamError> {
        Self::of(path, file::read_any(path)?)
    }

    fn of(path: &Path, model: Model) -> Result<Self, StreamError> {
        let file = path.display().to_string();
        let plan = model.header.plan.as_deref().map(EncodingPlan::read).transpose();
        let broken =
            |error| ModelError::Damaged { file: file.clone(), why: format!("its encoders are broken ({error})") };
        Ok(Self { plan: plan.map_err(broken)?.map(Box::new), file, model })
    }

    /// What it says about itself.
    pub(crate) fn header(&self) -> &Header {
        &self.model.header
    }

    /// What it knows of the columns, encoders apart.
    pub(crate) fn known(&self) -> SavedInput {
        let columns = self.plan.is_none().then(|| self.model.header.columns.clone());
        SavedInput { columns, scaled: true, ..SavedInput::default() }
    }

    /// What is to be said of another CSV file that is read as the one from which it learnt, where that had decimal commas: a point
    /// may be either.
    pub(crate) fn of_commas(&self, format: Option<FileFormat>) -> Option<&'static str> {
        let commas =
            format == Some(FileFormat::Csv) && self.plan.as_ref().is_some_and(|plan| plan.decimal == Decimal::Comma);
        commas.then_some(
            "numbers have decimal commas, as those that it has learnt; where they have points: --decimal point",
        )
    }

    /// The encoders of its columns, with what they have learned; without any, all columns hold numbers.
    fn encoders(&self) -> Box<EncodingPlan> {
        let names = &self.model.header.columns;
        self.plan.clone().unwrap_or_else(|| Box::new(EncodingPlan::plain(&names.inputs, &names.target)))
    }

    /// What it knows of the columns of a file that needs no target, and from which nothing is learnt: the prediction of a row
    /// does not depend on those above it.
    pub(crate) fn without_target(&self) -> SavedInput {
        let plan = Box::new(self.encoders().with_settled_means());
        SavedInput { plan: Some(plan), ignore_target: true, ..self.known() }
    }

    /// The options that it was made with; those that name files, and the order of the rows, are those of `given`.
    pub(crate) fn options(&self, given: &StreamArgs) -> Result<StreamArgs, StreamError> {
        let header = &self.model.header;
        let target = &header.columns.target;
        if given.file.target.as_ref().is_some_and(|other| other != target) {
            return Err(StreamError::Usage(format!("--target: {} was saved with the target {target}", self.file)));
        }
        let inputs: Vec<&String> = match &self.plan {
            Some(plan) => plan.columns.iter().map(|column| &column.name).collect(),
            None => header.columns.inputs.iter().collect(),
        };
        if given.file.inputs.as_ref().is_some_and(|others| !others.iter().eq(inputs.iter().copied())) {
            let names: Vec<&str> = inputs.iter().map(|name| name.as_str()).collect();
            return Err(StreamError::Usage(format!("--inputs: {} was saved with {}", self.file, names.join(","))));
        }
        let saved = self.saved_options()?;
        Ok(StreamArgs {
            input: given.input.clone(),
            output: given.output.clone(),
            report: given.report.clone(),
            command: given.command.clone(),
            limit: given.limit,
            save: given.save.clone(),
            save_every: given.save_every,
            predict_only: given.predict_only,
            load: given.load.clone(),
            resume: given.resume,
            shuffle: given.shuffle,
            weights: given.weights,
            std: given.std,
            live: given.live,
            progress: given.progress,
            metrics: given.metrics.clone(),
            window: given.window,
            on_bad_row: given.on_bad_row,
            position: given.position.clone().or_else(|| saved.position.clone()),
            id: given.id.clone().or_else(|| saved.id.clone()),
            delay: given.delay.or(saved.delay),
            unseen: given.unseen || saved.unseen,
            file: FileArgs {
                decimal: given.file.decimal.or(saved.file.decimal),
                delimiter: given.file.delimiter.or(saved.file.delimiter),
                no_header: given.file.no_header || saved.file.no_header,
                format: given.file.format,
                ..saved.file
            },
            ..saved
        })
    }

    /// The options that it was saved with.
    fn saved_options(&self) -> Result<StreamArgs, ModelError> {
        let mut options = self.model.header.options.clone();
        // Python's: that it doubles the horizon. Here this is one number.
        options.as_object_mut().map(|options| options.remove("doubling"));
        serde_json::from_value(options)
            .map_err(|error| self.damaged(format!("its options are not those of this program ({error})")))
    }

    /// How its draws are named.
    fn draws(&self) -> DrawNames {
        serde_json::from_value(self.model.header.options["draws"].clone()).unwrap_or_else(|_| DrawNames::unsaid())
    }

    /// Puts what was learnt into a learner that was built for it, and into those of groups.
    pub(crate) fn fill(
        self,
        chosen: &ChosenLearner,
        learnt: &mut Learnt,
        (further, groups): (&mut [FurtherLearner], Option<&mut GroupLearners>),
        feed: &mut RowFeed,
    ) -> Result<(), StreamError> {
        let (learner, parameters) = chosen.named();
        if learner != self.model.header.learner || parameters != self.model.header.parameters {
            let why = format!("its options do not give {} with its parameters any more", self.model.header.learner);
            return Err(self.damaged(why).into());
        }
        if let Some(groups) = groups {
            let Some(names) = &self.model.header.groups else {
                return Err(self.damaged("it has no groups".into()).into());
            };
            return groups.load(&self.file, (names, self.model.arrays), &mut learnt.tally);
        }
        let mut store = Store::loading(self.model.arrays);
        let own = learnt.state(&mut feed.scaling, &mut store);
        let outcome = own.and_then(|()| further::state(further, &mut store)).and_then(|()| store.finish());
        outcome.map_err(|error| ModelError::Damaged { file: self.file.clone(), why: error.to_string() })?;
        if !learnt.service.fits(feed.dim) {
            let why = "it has seen rows with another number of columns".to_owned();
            return Err(ModelError::Damaged { file: self.file, why }.into());
        }
        feed.seen = learnt.service.seen.take().or(feed.seen.take());
        Ok(())
    }

    fn damaged(&self, why: String) -> ModelError {
        ModelError::Damaged { file: self.file.clone(), why }
    }
}

/// Where a run starts.
pub(crate) struct RunStart {
    /// The options that count.
    pub(crate) args: StreamArgs,
    /// What it goes on with.
    pub(crate) loaded: Option<Loaded>,
    /// Whether that is an earlier part of the same run.
    pub(crate) resumed: bool,
}

impl RunStart {
    /// The start that `given` asks for. A run that is resumed before its first save starts from the beginning.
    pub(crate) fn of(given: &StreamArgs) -> Result<Self, StreamError> {
        if let Some(loaded) = given.load.as_deref().map(Loaded::read_any).transpose()? {
            return Ok(Self { args: loaded.options(given)?, loaded: Some(loaded), resumed: false });
        }
        given.target_scale().check()?;
        let Some(path) = given.save.as_deref().filter(|path| given.resume && path.exists()) else {
            return Ok(Self { args: settled(given.clone())?, loaded: None, resumed: false });
        };
        let saved = Loaded::read_any(path)?;
        let before = saved.saved_options()?;
        // What is not given is as it was, whatever the defaults were when the run began.
        let (scale, target_scale) = (given.scale.or(before.scale), given.target_scale.or(before.target_scale));
        let args = settled(StreamArgs { draws: saved.draws(), scale, target_scale, ..given.clone() })?;
        match difference(&options(&before), &options(&args)) {
            None => Ok(Self { args, loaded: Some(saved), resumed: true }),
            Some((name, before, now)) => {
                let (path, before, now) = (path.display(), given_as(name, before), given_as(name, now));
                let why = format!(
                    "{path} was saved by a run with {before}, not with {now}; give the options that the run had"
                );
                Err(StreamError::Resume(why))
            }
        }
    }

    /// What is known of the columns. A run that is resumed passes its first rows through fresh encoders.
    pub(crate) fn known(&self) -> SavedInput {
        let Some(loaded) = &self.loaded else { return SavedInput::default() };
        let after = self.after();
        let plan = (!self.resumed || after.is_some()).then(|| loaded.encoders());
        SavedInput { plan, after, after_rows: loaded.header().position.level, ..loaded.known() }
    }

    /// The column and the value after which a run goes on that is resumed by position.
    pub(crate) fn after(&self) -> Option<(String, String)> {
        let loaded = self.loaded.as_ref().filter(|_| self.resumed)?;
        self.args.position.clone().zip(loaded.header().last.clone())
    }

    /// Checks that the input can be found again where the run went on from it.
    ///
    /// # Errors
    /// It is a pipe.
    pub(crate) fn check_input(&self) -> Result<(), StreamError> {
        if self.resumed && self.after().is_none() && self.args.input == "-" && is_input_a_pipe() {
            let why = "the input is a pipe, which does not say where it begins: name a column that does (--position COLUMN, from \
                       the first run on), or put the rows into a file";
            return Err(StreamError::Resume(why.into()));
        }
        Ok(())
    }

    /// The number of the last round before the start.
    pub(crate) fn round(&self) -> u64 {
        self.loaded.as_ref().map_or(0, |loaded| loaded.header().rounds)
    }

    /// Where in its files the run goes on.
    pub(crate) fn position(&self) -> Position {
        self.loaded.as_ref().filter(|_| self.resumed).map_or_else(Position::default, |loaded| loaded.header().position)
    }
}

/// The options that a model is saved with.
fn options(args: &StreamArgs) -> Json {
    serde_json::to_value(args).unwrap_or_default()
}

/// The first option that differs, with both values. What has its default may be absent on either side. Those of how a file is
/// read stand below `file`.
fn difference<'a>(before: &'a Json, now: &'a Json) -> Option<(&'a str, &'a Json, &'a Json)> {
    let names = [now, before].into_iter().filter_map(Json::as_object).flat_map(|options| options.keys());
    let mut found = names.map(|name| (name.as_str(), &before[name], &now[name]));
    match found.find(|(_, before, now)| before != now)? {
        ("file", before, now) => difference(before, now),
        found => Some(found),
    }
}

/// How an option is given that has this value.
fn given_as(name: &str, value: &Json) -> String {
    let option = name.replace('_', "-");
    let word = |value: &Json| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match value {
        Json::Null | Json::Bool(false) => format!("no --{option}"),
        Json::Bool(true) => format!("--{option}"),
        // Classes that the rows name.
        Json::Array(words) if words.is_empty() && name == "classes" => "--classes".into(),
        Json::Array(words) if words.is_empty() => format!("no --{option}"),
        Json::Array(words) => {
            let between = if name == "set" { " --set " } else { "," };
            format!("--{option} {}", words.iter().map(word).collect::<Vec<_>>().join(between))
        }
        Json::Number(byte) if name == "delimiter" => {
            let byte = byte.as_u64().and_then(|byte| u8::try_from(byte).ok()).map_or(' ', char::from);
            format!("--delimiter '{byte}'")
        }
        value => format!("--{option} {}", word(value)),
    }
}

/// Saves a run.
pub(crate) struct Saver {
    path: PathBuf,
    every: Option<u64>,
    header: Header,
    /// The last round that this run saved.
    saved: Cell<Option<u64>>,
    _claim: FileClaim,
}

impl Saver {
    /// What `args` ask for, for a learner over `columns` with this horizon. Fails now if the folder is not there.
    pub(crate) fn new(
        args: &StreamArgs,
        chosen: &ChosenLearner,
        columns: &Names,
        horizon: Option<u64>,
    ) -> Result<Option<Self>, StreamError> {
        let Some(path) = args.save.clone() else { return Ok(None) };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if folder.is_some_and(|folder| !folder.is_dir()) {
            return Err(StreamError::Usage(format!("--save {}: there is no such folder", path.display())));
        }
        if path.is_dir() || is_input(&args.input, &path) {
            let why = format!("--save {}: it is a folder or the input", path.display());
            return Err(StreamError::Usage(why));
        }
        if path.metadata().is_ok_and(|meta| !meta.is_file()) {
            let why = format!("--save {}: it is a device, a pipe or a socket, and would be replaced", path.display());
            return Err(StreamError::Usage(why));
        }
        let place = || path.display().to_string();
        let unwritten = |error: io::Error| StreamError::Write { place: place(), cause: error.to_string() };
        // Before all the work, of which a model that cannot be written would have nothing.
        Temporary::create(&path).map_err(unwritten)?;
        let claim = FileClaim::on(&path)
            .map_err(unwritten)?
            .ok_or_else(|| StreamError::Write { place: place(), cause: OTHER.into() })?;
        let (learner, parameters) = chosen.named();
        let header = Header {
            version: VERSION,
            program: concat!("noregret ", env!("CARGO_PKG_VERSION")).into(),
            learner: learner.into(),
            parameters,
            options: options(args),
            columns: columns.clone(),
            plan: None,
            horizon,
            rounds: 0,
            position: Position::default(),
            last: None,
            groups: None,
            sha256: String::new(),
        };
        Ok(Some(Self {
            path,
            every: args.save_every.map(|every| every.get()),
            header,
            saved: Cell::default(),
            _claim: claim,
        }))
    }

    /// After how many rounds each it saves before the end, if it does.
    pub(crate) fn every(&self) -> Option<u64> {
        self.every
    }

    /// How many rounds there are from round `round` to the next save. Saves are at fixed rounds, wherever a run starts.
    pub(crate) fn ahead(&self, round: u64) -> u64 {
        self.every.map_or(u64::MAX, |every| every - round % every)
    }

    /// Saves what was learnt up to round `round`; `last` is the value of the last row in the column that names positions.
    pub(crate) fn save(
        &self,
        (learnt, further): (&mut Learnt, &mut [FurtherLearner]),
        feed: &mut RowFeed,
        round: u64,
        position: Position,
        last: Option<String>,
    ) -> Result<(), StreamError> {
        let mut store = Store::saving();
        learnt.service.seen = feed.seen.take();
        let own = learnt.state(&mut feed.scaling, &mut store);
        let outcome = own.and_then(|()| further::state(further, &mut store));
        feed.seen = learnt.service.seen.take();
        outcome.map_err(ModelError::Save)?;
        let header = Header { rounds: round, position, last, ..self.header.clone() };
        self.write(header, feed, &store.into_arrays())
    }

    /// Saves what the learners of all groups have learnt.
    pub(crate) fn save_groups(
        &self,
        (groups, learnt): (&mut GroupLearners, &mut Learnt),
        feed: &RowFeed,
        round: u64,
        position: Position,
        last: Option<String>,
    ) -> Result<(), StreamError> {
        let (names, arrays) = groups.asleep(&mut learnt.tally)?;
        let header = Header { rounds: round, position, last, groups: Some(names), ..self.header.clone() };
        self.write(header, feed, &arrays)
    }

    fn write(&self, header: Header, feed: &RowFeed, arrays: &dyn ArraySource) -> Result<(), StreamError> {
        let file = || self.path.display().to_string();
        let refused = |error| ModelError::Io { file: file(), doing: "write", source: io::Error::other(error) };
        let plan = feed.plan().map(toml::to_string).transpose().map_err(refused)?;
        let round = header.rounds;
        file::write(&self.path, Header { plan, ..header }, arrays)?;
        self.saved.set(Some(round));
        Ok(())
    }

    /// What this run saved, in words.
    pub(crate) fn saved(&self) -> Option<String> {
        Some(format!("{} has the first {} rounds", self.path.display(), self.saved.get()?))
    }
}
