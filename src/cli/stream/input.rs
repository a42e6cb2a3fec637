//! The rows of a file, in as few passes as the options allow.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsRawFd as _;
use std::path::PathBuf;
use std::rc::Rc;

use rustix::fs::FileType;
use serde_json::{Value as Json, json};

use crate::cli::file_args::arguments;
use crate::cli::stream::args::{ScaleChoice, StreamArgs};
use crate::cli::stream::error::StreamError;
use crate::cli::stream::rescaled::{Spread, TargetScale};
use crate::dataset::encode::choices::{Missing, Unlabelled};
use crate::dataset::encode::plan::Plan;
use crate::dataset::error::DataError;
use crate::dataset::format::open::{detect, open};
use crate::dataset::format::{Format, ReadOptions, RowReader, Source};
use crate::dataset::table::{Table, block, read, scan};
use noregret_core::draw::{Draws, Role};
use noregret_model::header::Names;
use noregret_model::inputs::{Scaler, Scaling};
use noregret_model::running::{RunningScaler, is_quantity};

/// What a saved model knows of its input.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Its columns, where these hold plain numbers.
    pub columns: Option<Names>,
    /// Whether its scaling takes the place of the file's.
    pub scaled: bool,
    /// The encoders of these columns; None for a run that is resumed, which encodes its first rows once more.
    pub plan: Option<Box<Plan>>,
    /// Whether targets are neither needed nor looked at.
    pub ignore_target: bool,
    /// Whether inputs are forecasts: one that is missing is absent, and none is scaled.
    pub forecasts: bool,
}

/// An opened file. A pass over all of it is made only if an option or a parameter needs one, and only once.
pub struct Input<'a> {
    args: &'a StreamArgs,
    origin: Rc<Origin>,
    options: ReadOptions,
    /// A reader that has not read any row yet.
    reader: Option<Box<dyn RowReader>>,
    dim: usize,
    /// The result of a pass over the whole file.
    scanned: Option<Scanned>,
    /// Whether rows are answered as they arrive.
    live: bool,
    /// What becomes of the columns that are not plain numbers.
    plan: Option<Plan>,
    columns: Names,
    /// Whether the scaling is that of a model.
    scaled: bool,
    /// The whole file, where rows are shuffled.
    table: Option<Table>,
}

/// Where the bytes come from.
struct Origin {
    source: Source,
    /// The copy of a source that can be read only once, and the name that messages use for it. The copy has no name of
    /// its own: it is gone when the process is, however that ends.
    spooled: Option<(File, String)>,
}

/// The result of a pass over the whole file.
struct Scanned {
    rows: u64,
    scaler: Option<Scaler>,
    spread: Spread,
}

impl<'a> Input<'a> {
    /// Opens the file that `args` name, and reads it if rows are to be shuffled. `count_rows` says that
    /// [`Input::rows`] will be asked for.
    pub fn open(
        args: &'a StreamArgs,
        count_rows: bool,
        known: Known,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Self, StreamError> {
        let source = Source::argument(&args.input);
        let scaled = known.scaled;
        if known.forecasts && (args.scale() != ScaleChoice::None || args.target_scale() != TargetScale::None) {
            let why = "the inputs are forecasts, which are on the scale of the target: --scale and --target-scale would part \
                       them";
            return Err(StreamError::Usage(why.into()));
        }
        let fits = !scaled && args.sees_whole_file();
        let passes = !args.shuffle && (count_rows || fits);
        let all_first = passes || args.shuffle;
        if args.live == Some(true) && all_first {
            let why = "--live needs no row before its time, but --shuffle, --scale unit and symmetric, --target-scale \
                       unit, symmetric and standardise, and parameters that are formulas in the number of rows (give them a \
                       value with --set) need all rows first";
            return Err(StreamError::Usage(why.into()));
        }
        let live = args.live.unwrap_or_else(|| !all_first && matches!(source, Source::Stdin) && is_pipe());
        let (spool, stdin) = match &source {
            Source::Stdin => (passes, true),
            // A named pipe may hold a format whose reader makes two passes itself.
            Source::Path(path) => (fs::metadata(path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir()), false),
            Source::Bytes { .. } => (false, false),
        };
        let origin = if spool {
            let copy = copy_of(&source, interrupted)?;
            let path = Source::Path(format!("/proc/self/fd/{}", copy.as_raw_fd()).into());
            Origin { spooled: Some((copy, source.to_string())), source: path }
        } else {
            Origin { source, spooled: None }
        };
        let mut options = args.file.options();
        options.encoding.unlabelled = Unlabelled::Keep;
        options.ignore_target = known.ignore_target;
        if known.forecasts {
            options.encoding.missing = Missing::Keep;
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
        // Text on standard input is CSV, spooled or not.
        if stdin && spool && options.format.is_none() {
            options.format = match detect(&origin.source).map_err(|error| origin.error(error))? {
                Format::Libsvm => Some(Format::Csv),
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
        let (origin, reader) = (Rc::new(origin), Some(reader));
        let mut input =
            Input { args, origin, options, reader, dim, scanned: None, live, plan, columns, scaled, table: None };
        if args.shuffle {
            input.load()?;
        }
        Ok(input)
    }

    /// The names of the columns.
    pub fn columns(&self) -> &Names {
        &self.columns
    }

    /// Which inputs hold quantities, whose scale is arbitrary.
    pub fn quantities(&self) -> Vec<bool> {
        self.columns.inputs.iter().map(|name| is_quantity(name)).collect()
    }

    /// Whether rows are answered as they arrive.
    pub fn live(&self) -> bool {
        self.live
    }

    /// What becomes of the columns that are not plain numbers, in words.
    pub fn notes(&self) -> Vec<String> {
        self.plan.as_ref().map(Plan::describe).unwrap_or_default()
    }

    /// How the file is read, for the record; None where it holds plain numbers, read without choices.
    pub fn choices(&self) -> Option<Json> {
        let plan = self.plan.as_ref()?;
        let arguments = arguments(&ReadOptions { width: None, ..self.options.clone() });
        (!plan.is_plain())
            .then(|| json!({ "arguments": arguments, "columns": plan.names(), "encoding": plan.describe() }))
    }

    /// The targets of the whole file; makes a pass over it unless one was made before.
    pub fn spread(&mut self) -> Result<Spread, StreamError> {
        Ok(self.scan()?.spread)
    }

    /// Number of rounds; makes a pass over the file unless one was made before.
    pub fn rows(&mut self) -> Result<u64, StreamError> {
        let rows = self.scan()?.rows;
        Ok(self.args.limit.map_or(rows, |limit| rows.min(limit.get())))
    }

    /// The rows to learn from, in the order that the options ask for.
    pub fn feed(mut self, order: &Draws) -> Result<Feed, StreamError> {
        let scaler = match (self.args.scale(), self.scaler()) {
            (ScaleChoice::Running, _) => {
                let quantities = self.plan.as_ref().map_or_else(|| vec![true; self.dim], Plan::quantities);
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
        Ok(Feed {
            rows,
            scaler,
            learns,
            left,
            dim: self.dim,
            origin: self.origin,
            plan: self.plan,
            numbers,
            ended: None,
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
                let (mut spread, mut unlabelled) = (Spread::default(), 0);
                let rows = scan(&mut *self.reader()?, |inputs, targets| {
                    scaler.iter_mut().for_each(|scaler| scaler.observe(inputs));
                    spread.observe(targets);
                    unlabelled += targets.iter().filter(|target| target.is_nan()).count() as u64;
                });
                let rows = rows.map_err(|error| self.origin.error(error))? - unlabelled;
                Scanned { rows, scaler, spread }
            }
        };
        Ok(self.scanned.insert(scanned))
    }

    /// Reads the whole file into memory.
    fn load(&mut self) -> Result<(), StreamError> {
        let mut scaler = self.scaler();
        let mut spread = Spread::default();
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

impl Origin {
    fn open(&self, options: &ReadOptions) -> Result<Box<dyn RowReader>, StreamError> {
        open(&self.source, options).map_err(|error| self.error(error))
    }

    /// The error with the name of the source that the user knows.
    fn error(&self, error: DataError) -> StreamError {
        let message = error.to_string();
        let message = match &self.spooled {
            Some((_, name)) => message.replace(&self.source.to_string(), name),
            None => message,
        };
        StreamError::data(&error, message)
    }
}

/// Rows on their way to a learner.
pub struct Feed {
    rows: Supply,
    scaler: Scaling,
    /// Whether the scaling learns from the rows. What is only predicted teaches nothing.
    learns: bool,
    /// The numbers of the rows of the last block, where they are not in the order of the file.
    numbers: Option<Vec<u64>>,
    /// How many rows the limit still allows.
    left: u64,
    dim: usize,
    origin: Rc<Origin>,
    /// The encoders of a file that was read before the first round.
    plan: Option<Plan>,
    /// Why there are no further rows, told after those before it.
    ended: Option<StreamError>,
}

enum Supply {
    InOrder(Box<dyn RowReader>),
    Shuffled { table: Table, order: std::vec::IntoIter<usize> },
}

impl Feed {
    /// Number of inputs.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The numbers of the rows of the last block, from 1, where rows are shuffled.
    pub fn numbers(&self) -> Option<&[u64]> {
        self.numbers.as_deref()
    }

    /// The scaling of the inputs.
    pub fn scaling(&mut self) -> &mut Scaling {
        &mut self.scaler
    }

    /// The encoders, with what they have learned from the rows so far; None where the file holds plain numbers.
    pub fn plan(&self) -> Option<&Plan> {
        let plan = match &self.rows {
            Supply::InOrder(reader) => reader.plan(),
            Supply::Shuffled { .. } => self.plan.as_ref(),
        };
        plan.filter(|plan| !plan.is_plain())
    }

    /// Passes over rows; returns how many, fewer than `rows` at the end.
    pub fn skip(&mut self, rows: u64) -> Result<u64, StreamError> {
        let (mut left, most) = (rows, block(self.dim));
        let (mut inputs, mut targets) = (Vec::new(), Vec::new());
        while left > 0 {
            inputs.clear();
            targets.clear();
            match self.next_block(most.min(usize::try_from(left).unwrap_or(most)), &mut inputs, &mut targets)? {
                0 => break,
                count => left -= count as u64,
            }
        }
        Ok(rows - left)
    }

    /// Appends the next rows, at most `most`, scaled; returns how many, 0 at the end. Sound rows come before the error of
    /// the row after them.
    pub fn next_block(
        &mut self,
        most: usize,
        inputs: &mut Vec<f64>,
        targets: &mut Vec<f64>,
    ) -> Result<usize, StreamError> {
        let most = most.min(usize::try_from(self.left).unwrap_or(most));
        let before = inputs.len();
        if let Some(numbers) = &mut self.numbers {
            numbers.clear();
        }
        let count = match &mut self.rows {
            _ if most == 0 => 0,
            Supply::InOrder(reader) => match (self.ended.take(), targets.len()) {
                (Some(error), _) => return Err(error),
                (None, known) => reader.next_block(most, inputs, targets).or_else(|error| {
                    let error = self.origin.error(error);
                    // Of the row that cannot be read, some numbers may be there.
                    let sound = (targets.len() - known).min((inputs.len() - before) / self.dim.max(1));
                    inputs.truncate(before + sound * self.dim);
                    targets.truncate(known + sound);
                    match sound {
                        0 => Err(error),
                        sound => {
                            self.ended = Some(error);
                            Ok(sound)
                        }
                    }
                })?,
            },
            Supply::Shuffled { table, order } => {
                let mut count = 0;
                for row in order.take(most) {
                    let start = inputs.len();
                    inputs.resize(start + self.dim, 0.0);
                    table.inputs.write_row(row, &mut inputs[start..]);
                    targets.push(table.targets[row]);
                    if let Some(numbers) = &mut self.numbers {
                        numbers.push(row as u64 + 1);
                    }
                    count += 1;
                }
                count
            }
        };
        match self.learns {
            true => self.scaler.apply(&mut inputs[before..]),
            false => self.scaler.apply_each(&mut inputs[before..]),
        }
        self.left -= count as u64;
        Ok(count)
    }
}

/// Whether standard input is a pipe, a socket or a terminal.
fn is_pipe() -> bool {
    rustix::fs::fstat(io::stdin()).is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile)
}

/// Copies a source that can be read only once into a file without a name in the folder for temporary files.
fn copy_of(source: &Source, interrupted: &dyn Fn() -> bool) -> Result<File, StreamError> {
    let folder = std::env::temp_dir();
    let failed = |place: &PathBuf| {
        let place = place.display().to_string();
        move |source| StreamError::Spool { place, source }
    };
    // On Linux it never has a name, so that nothing stays if the process is killed.
    let mut file = io::BufWriter::new(tempfile::tempfile_in(&folder).map_err(failed(&folder))?);
    let mut bytes: Box<dyn Read> = match source {
        Source::Path(path) => Box::new(OpenOptions::new().read(true).open(path).map_err(failed(path))?),
        _ => Box::new(io::stdin().lock()),
    };
    let mut buffer = vec![0; 1 << 16];
    loop {
        if interrupted() {
            return Err(StreamError::Interrupted { rounds: 0 });
        }
        let count = match bytes.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(failed(&folder)(error)),
        };
        file.write_all(&buffer[..count]).map_err(failed(&folder))?;
    }
    file.into_inner().map_err(|error| failed(&folder)(error.into_error()))
}
