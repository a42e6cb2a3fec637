//! The rows of a file, in as few passes as the options allow.

use std::fs;
use std::rc::Rc;

use serde_json::{Value as Json, json};

use crate::args::{OnBadRow, ScaleChoice, StreamArgs};
use crate::error::StreamError;
use crate::feed::{RowFeed, Supply};
use crate::file_args::arguments;
use crate::origin::{InputOrigin, copy_of};
use crate::rescaled::{TargetScale, TargetSpread};
use noregret_data::bucket::is_bucket;
use noregret_data::encode::choices::{Decimal, Labels, MissingValues, UnlabelledRows};
use noregret_data::encode::plan::EncodingPlan;
use noregret_data::error::DataError;
use noregret_data::format::open::detect;
use noregret_data::format::parts::files;
use noregret_data::format::{DataSource, FileFormat, ReadOptions, RowReader, told_of_indices};
use noregret_data::table::{DataTable, read, scan};
use noregret_model::header::Names;
use noregret_model::inputs::{Scaler, Scaling};
use noregret_model::running::{RunningScaler, is_quantity};
use noregret_model::service::Seen;
use noregret_numeric::draw::{Draws, Role};
use noregret_platform::files::is_input_a_pipe;

/// What a saved model knows of its input.
#[derive(Clone, Debug, Default)]
pub(crate) struct SavedInput {
    /// Its columns, where these hold plain numbers.
    pub columns: Option<Names>,
    /// Whether its scaling takes the place of the file's.
    pub(crate) scaled: bool,
    /// The encoders of these columns; None for a run that is resumed, which encodes its first rows once more.
    pub plan: Option<Box<EncodingPlan>>,
    /// Whether targets are neither needed nor looked at.
    pub ignore_target: bool,
    /// The column and the value by which rows are passed over.
    pub after: Option<(String, String)>,
    /// How many rows at that value are passed over; all if it is not known.
    pub after_rows: Option<u64>,
    /// Whether inputs are forecasts: one that is missing is absent, and none is scaled.
    pub(crate) forecasts: bool,
}

/// An opened file. A pass over all of it is made only if an option or a parameter needs one, and only once.
pub(crate) struct InputFile<'a> {
    args: &'a StreamArgs,
    origin: Rc<InputOrigin>,
    options: ReadOptions,
    /// A reader that has not read any row yet.
    reader: Option<Box<dyn RowReader>>,
    dim: usize,
    /// The result of a pass over the whole file.
    scanned: Option<Scanned>,
    /// Whether rows are answered as they arrive.
    pub live: bool,
    /// Whether a row that cannot be read could be passed over.
    passable: bool,
    /// What becomes of the columns that are not plain numbers.
    plan: Option<EncodingPlan>,
    /// The names of the columns.
    pub columns: Names,
    /// Whether the scaling is that of a model.
    scaled: bool,
    /// The whole file, where rows are shuffled.
    table: Option<DataTable>,
}

/// The result of a pass over the whole file.
struct Scanned {
    rows: u64,
    scaler: Option<Scaler>,
    spread: TargetSpread,
}

/// Refuses options that do not go with each other. `all_first` says that all rows are read before the first round.
fn refuse(args: &StreamArgs, known: &SavedInput, all_first: bool) -> Result<(), StreamError> {
    if known.forecasts && (args.scale() != ScaleChoice::None || args.target_scale() != TargetScale::None) {
        let why = "the inputs are forecasts, which are on the scale of the target: --scale and --target-scale would part \
                   them";
        return Err(StreamError::Usage(why.into()));
    }
    if args.id.is_some() && args.file.missing == Some(MissingValues::Drop) {
        let why = "--id learns a target with the inputs of the earlier row of its name, and --missing drop leaves a row out \
                   that has a target alone: take --missing mean";
        return Err(StreamError::Usage(why.into()));
    }
    if args.live == Some(true) && all_first {
        let why = "--live needs no row before its time, but --shuffle, --scale unit and symmetric, --target-scale \
                   unit, symmetric and standardise, and parameters that are formulas in the number of rows (give them a \
                   value with --set) need all rows first";
        return Err(StreamError::Usage(why.into()));
    }
    if args.on_bad_row != OnBadRow::Stop && all_first {
        let why = "--on-bad-row passes rows over as they come, but --shuffle, scales of the whole file and formulas in the \
                   number of rows need all of them first";
        return Err(StreamError::Usage(why.into()));
    }
    Ok(())
}

/// Where the rows come from: a copy, where what can be read only once is read in several passes.
fn origin(input: &str, passes: bool, interrupted: &dyn Fn() -> bool) -> Result<InputOrigin, StreamError> {
    let source = DataSource::argument(input);
    // An HTTP address may look like a pattern.
    let parts = match &source {
        DataSource::Remote(_) if !is_bucket(input) => Vec::new(),
        _ => files(input).map_err(|error| StreamError::data(&error, error.to_string()))?,
    };
    if let Some(first) = parts.first() {
        return Ok(InputOrigin { source: DataSource::part(first), parts, spooled: None });
    }
    let spool = match &source {
        DataSource::Stdin => passes,
        // A named pipe may hold a format whose reader makes two passes itself.
        DataSource::Path(path) => fs::metadata(path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir()),
        DataSource::Remote(_) | DataSource::Bytes { .. } => false,
    };
    if !spool {
        return Ok(InputOrigin { source, parts, spooled: None });
    }
    let copy = copy_of(&source, interrupted)?;
    let path = DataSource::Path(copy.path().to_owned());
    Ok(InputOrigin { spooled: Some((copy, source.to_string())), parts, source: path })
}

/// How the file is read, where a saved model may know some of it.
fn options(args: &StreamArgs, known: SavedInput) -> Result<ReadOptions, StreamError> {
    let mut options = args.file.options();
    options.encoding.unlabelled = UnlabelledRows::Keep;
    options.encoding.labels = match &args.classes {
        Some(words) => Labels::declared(words).map_err(|why| StreamError::Usage(format!("--classes {why}")))?,
        // Behind noise, targets are numbers.
        None if args.noise.is_some() => Labels::Two,
        None => Labels::Words,
    };
    options.ignore_target = known.ignore_target;
    options.exact = args.resume && args.file.inputs.is_none();
    options.alone = !args.lags.is_empty() || !args.means.is_empty() || !args.periods.is_empty();
    // In the order of the file, later rows are not known.
    options.encoding.first_cell = !args.shuffle;
    if !known.ignore_target {
        options.marks = args.position.iter().chain(&args.id).chain(&args.group).cloned().collect();
        (options.after, options.after_rows) = (known.after, known.after_rows);
        options.tolerant = args.on_bad_row != OnBadRow::Stop;
        options.further_targets = args.further_targets.iter().chain(&args.sample_weight).cloned().collect();
        options.weights = args.sample_weight.is_some();
        let further = options.further_targets.iter().filter(|name| !options.drop.contains(name)).cloned();
        options.drop.extend(if options.inputs.is_none() { further.collect() } else { Vec::new() });
        // What names a row says nothing about its target; what names its group is the same in all rows of the group.
        let named =
            args.id.iter().chain(&args.group).filter(|name| options.inputs.is_none() && !options.drop.contains(name));
        options.drop.extend(named.cloned().collect::<Vec<_>>());
    }
    if known.forecasts {
        options.encoding.missing = MissingValues::Keep;
    }
    // Where the model has seen decimal commas, a comma separates nothing.
    if known.plan.as_ref().is_some_and(|plan| plan.decimal == Decimal::Comma) {
        options.encoding.decimal.get_or_insert(Decimal::Comma);
    }
    // How numbers are written is the file's, not the model's.
    options.plan = known.plan.map(|plan| match options.encoding.decimal {
        Some(decimal) => Box::new(plan.written_with(decimal)),
        None => plan,
    });
    // LIBSVM text may end before its last column.
    let numbered = |names: &Vec<String>| names.iter().zip(1..).all(|(name, number)| *name == number.to_string());
    if let Some(Names { inputs, target }) = known.columns {
        options.width = numbered(&inputs).then_some(inputs.len());
        (options.target, options.inputs, options.drop) = (Some(target), Some(inputs), Vec::new());
    }
    Ok(options)
}

impl<'a> InputFile<'a> {
    /// Opens the file that `args` name, and reads it if rows are to be shuffled. `count_rows` says that
    /// [`InputFile::rows`] will be asked for.
    pub(crate) fn open(
        args: &'a StreamArgs,
        count_rows: bool,
        known: SavedInput,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Self, StreamError> {
        let scaled = known.scaled;
        let passes = !args.shuffle && (count_rows || (!scaled && args.sees_whole_file()));
        let all_first = passes || args.shuffle;
        refuse(args, &known, all_first)?;
        let stdin = args.input == "-";
        let live = args.live.unwrap_or_else(|| !all_first && stdin && is_input_a_pipe());
        let origin = origin(&args.input, passes, interrupted)?;
        let mut options = options(args, known)?;
        // Text on standard input is no LIBSVM, spooled or not.
        if stdin && origin.spooled.is_some() && options.format.is_none() {
            options.format = match detect(&origin.source).map_err(|error| origin.error(error))? {
                FileFormat::Libsvm => Some(FileFormat::Csv),
                other => Some(other),
            };
        }
        let reader = origin.open(&options)?;
        let dim = reader.columns().inputs.len();
        if options.inputs.is_none() && options.drop.is_empty() {
            // So that LIBSVM text is not read once more to find its width.
            options.width = Some(dim);
        }
        let plan = reader.plan().cloned();
        let columns = Names { inputs: reader.columns().inputs.clone(), target: reader.columns().target.clone() };
        let (origin, reader, passable) = (Rc::new(origin), Some(reader), !all_first && !options.ignore_target);
        let mut input = InputFile {
            args,
            origin,
            options,
            reader,
            dim,
            scanned: None,
            live,
            passable,
            plan,
            columns,
            scaled,
            table: None,
        };
        if args.shuffle {
            input.load()?;
        }
        Ok(input)
    }

    /// Which inputs hold quantities, whose scale is arbitrary.
    pub(crate) fn quantities(&self) -> Vec<bool> {
        self.columns.inputs.iter().map(|name| is_quantity(name)).collect()
    }

    /// The inputs, counted from 1, that hold codes of words.
    pub(crate) fn codes(&self) -> Vec<usize> {
        self.plan.as_ref().map(EncodingPlan::codes).unwrap_or_default()
    }

    /// The classes that are known beforehand, where targets are classes.
    pub(crate) fn classes(&self) -> Option<&[String]> {
        self.plan.as_ref()?.target.words()
    }

    /// Its format, where that is said or can be seen without reading rows.
    pub(crate) fn format(&self) -> Option<FileFormat> {
        let seen = || match &self.origin.source {
            DataSource::Stdin => None,
            source => detect(source).ok(),
        };
        self.options.format.or_else(seen)
    }

    /// Which files are read, where there are several, what becomes of the columns that are not plain numbers, and which are better
    /// left out of a `new` run, in words.
    pub(crate) fn notes(&self, new: bool) -> Vec<String> {
        let columns = self.plan.iter().flat_map(EncodingPlan::describe);
        let read = self.reader.as_ref().filter(|_| new);
        let better_out = read.map(|reader| told_of_indices(reader.columns())).unwrap_or_default();
        self.origin.told().into_iter().chain(columns).chain(better_out).collect()
    }

    /// How the file is read, for the record; None where it holds plain numbers, read without choices.
    pub(crate) fn choices(&self) -> Option<Json> {
        let plan = self.plan.as_ref()?;
        let arguments = arguments(&ReadOptions { width: None, ..self.options.clone() });
        (!plan.is_plain())
            .then(|| json!({ "arguments": arguments, "columns": plan.names(), "encoding": plan.describe() }))
    }

    /// The targets of the whole file; makes a pass over it unless one was made before.
    pub(crate) fn spread(&mut self) -> Result<TargetSpread, StreamError> {
        Ok(self.scan()?.spread)
    }

    /// Number of rounds; makes a pass over the file unless one was made before.
    pub(crate) fn rows(&mut self) -> Result<u64, StreamError> {
        let rows = self.scan()?.rows;
        Ok(self.args.limit.map_or(rows, |limit| rows.min(limit.get())))
    }

    /// The rows to learn from, in the order that the options ask for.
    pub(crate) fn feed(mut self, order: &Draws) -> Result<RowFeed, StreamError> {
        let scaling = match (self.args.scale(), self.scaler()) {
            (ScaleChoice::Running, _) => {
                let quantities = self.plan.as_ref().map_or_else(|| vec![true; self.dim], EncodingPlan::quantities);
                Scaling::Running(RunningScaler::new(&quantities))
            }
            (_, unseen) if self.scaled => unseen.map_or(Scaling::None, Scaling::Whole),
            (_, Some(_)) => self.scan()?.scaler.clone().map_or(Scaling::None, Scaling::Whole),
            (_, None) => Scaling::None,
        };
        let rows = match self.table.take() {
            Some(table) => {
                let order = order.at(Role::Start, 0).permutation(table.rows());
                Supply::Shuffled { table, order: order.into_iter() }
            }
            None => Supply::InOrder(self.reader()?),
        };
        let left = self.args.limit.map_or(u64::MAX, |limit| limit.get());
        let (numbers, learns) = (self.args.shuffle.then(Vec::new), !self.options.ignore_target);
        Ok(RowFeed {
            rows,
            scaling,
            learns,
            left,
            dim: self.dim,
            origin: self.origin,
            plan: self.plan,
            numbers,
            ended: None,
            seen: self.args.unseen.then(|| Seen::new(self.dim)),
            unseen: Vec::new(),
            marks: Vec::new(),
            further: Vec::new(),
            row: None,
            on_bad_row: self.args.on_bad_row,
            passable: self.passable,
            bad: 0,
            said: Vec::new(),
            why: Vec::new(),
        })
    }

    /// A scaler by the whole file that has seen no row, where the options ask for one.
    fn scaler(&self) -> Option<Scaler> {
        self.args.scale().bounds().map(|bounds| Scaler::new(bounds, self.dim))
    }

    fn reader(&mut self) -> Result<Box<dyn RowReader>, StreamError> {
        self.reader.take().map_or_else(|| self.origin.open(&self.options), Ok)
    }

    /// Makes a pass over the whole file, unless one was made before.
    fn scan(&mut self) -> Result<&Scanned, StreamError> {
        let scanned = match self.scanned.take() {
            Some(scanned) => scanned,
            None => {
                let mut scaler = self.scaler();
                let (mut spread, mut unlabelled) = (TargetSpread::default(), 0);
                let rows = scan(&mut *self.reader()?, |inputs, targets| {
                    scaler.iter_mut().for_each(|scaler| scaler.observe(inputs));
                    spread.observe(targets);
                    unlabelled += targets.iter().filter(|target| target.is_nan()).count() as u64;
                });
                let rows = rows.map_err(|error| self.of_the_whole(error))? - unlabelled;
                Scanned { rows, scaler, spread }
            }
        };
        Ok(self.scanned.insert(scanned))
    }

    /// Why a pass over the file ended before the first round, and how the rows before are played.
    fn of_the_whole(&self, error: DataError) -> StreamError {
        match self.origin.error(error) {
            StreamError::Data { message, usage } if self.args.sees_whole_file() => {
                let rest = "no row was played, since the scales see the whole file first; with scales that see no later row \
                            (--scale, --target-scale) the rows before are";
                StreamError::Data { message: format!("{message}; {rest}"), usage }
            }
            other => other,
        }
    }

    /// Reads the whole file into memory.
    fn load(&mut self) -> Result<(), StreamError> {
        let mut scaler = self.scaler();
        let mut spread = TargetSpread::default();
        let mut reader = self.reader()?;
        let table = read(&mut *reader, None, |inputs, targets| {
            scaler.iter_mut().for_each(|scaler| scaler.observe(inputs));
            spread.observe(targets);
        });
        let table = table.map_err(|error| self.origin.error(error))?;
        self.plan = reader.plan().cloned();
        let rows = table.targets.iter().filter(|target| !target.is_nan()).count() as u64;
        self.scanned = Some(Scanned { rows, scaler, spread });
        self.table = Some(table);
        Ok(())
    }
}
