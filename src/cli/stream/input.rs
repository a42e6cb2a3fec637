//! The rows of a file, in as few passes as the options allow.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsRawFd as _;
use std::path::PathBuf;
use std::rc::Rc;

use crate::cli::stream::args::StreamArgs;
use crate::cli::stream::error::StreamError;
use crate::cli::stream::temporary::Temporary;
use crate::dataset::error::DataError;
use crate::dataset::format::open::open;
use crate::dataset::format::{Format, ReadOptions, RowReader, Source, Targets};
use crate::dataset::prepare::{Scale, Scaler};
use crate::dataset::table::{Table, block, read, scan};
use crate::model::header::Names;
use noregret_core::draw::{Draws, Role};

/// What is known about the columns before the file is opened.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// The columns of a model that is loaded; its scaling takes the place of the file's.
    pub columns: Option<Names>,
    /// What is expected of targets.
    pub targets: Targets,
}

/// An opened file. A pass over all of it is made only if an option or a parameter needs one, and only once.
pub struct Input<'a> {
    args: &'a StreamArgs,
    origin: Rc<Origin>,
    options: ReadOptions,
    /// A reader that has not read any row yet.
    reader: Option<Box<dyn RowReader>>,
    dim: usize,
    columns: Names,
    /// The result of a pass over the whole file.
    scanned: Option<Scanned>,
    /// The whole file, where rows are shuffled.
    table: Option<Table>,
    /// The scaling of a model that was loaded, in place of that of this file.
    scaler: Option<Scaler>,
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
    scaler: Scaler,
}

impl<'a> Input<'a> {
    /// Opens the file that `args` name, and reads it if rows are to be shuffled. `count_rows` says that
    /// [`Input::rows`] will be asked for.
    pub fn open(
        args: &'a StreamArgs,
        count_rows: bool,
        known: &Known,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Self, StreamError> {
        let source = Source::argument(&args.input);
        let fit = known.columns.is_none() && args.scale != Default::default();
        let passes = !args.shuffle && (count_rows || fit);
        let (spool, format) = match &source {
            // Standard input is CSV, spooled or not.
            Source::Stdin => (passes, Some(Format::Csv)),
            // A named pipe may hold a format whose reader makes two passes itself.
            Source::Path(path) => (fs::metadata(path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir()), None),
            Source::Bytes { .. } => (false, None),
        };
        let origin = if spool {
            let copy = copy_of(&source, interrupted)?;
            let path = Source::Path(format!("/proc/self/fd/{}", copy.as_raw_fd()).into());
            Origin { spooled: Some((copy, source.to_string())), source: path }
        } else {
            Origin { source, spooled: None }
        };
        let (target, inputs) = match &known.columns {
            Some(Names { inputs, target }) => (Some(target.clone()), Some(inputs.clone())),
            None => (args.target.clone(), args.inputs.clone()),
        };
        let targets = known.targets;
        let mut options = ReadOptions { format, target, inputs, targets, ..ReadOptions::default() };
        // LIBSVM text may end before its last column.
        let numbered = |names: &Vec<String>| names.iter().zip(1..).all(|(name, number)| *name == number.to_string());
        options.width = known.columns.as_ref().map(|names| &names.inputs).filter(|names| numbered(names)).map(Vec::len);
        let reader = origin.open(&options)?;
        let dim = reader.columns().inputs.len();
        let columns = Names { inputs: reader.columns().inputs.clone(), target: reader.columns().target.clone() };
        let scales = known.columns.is_some() && args.scale != Default::default();
        let scaler = scales.then(|| Scaler::new(args.scale.into(), dim));
        if options.inputs.is_none() {
            // So that LIBSVM text is not read once more to find its width.
            options.width = Some(dim);
        }
        let (origin, reader) = (Rc::new(origin), Some(reader));
        let mut input = Input { args, origin, options, reader, dim, columns, scanned: None, table: None, scaler };
        if args.shuffle {
            input.load()?;
        }
        Ok(input)
    }

    /// Number of inputs.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The names of the columns.
    pub fn columns(&self) -> &Names {
        &self.columns
    }

    /// The scaling of a model that is being loaded, which is to be filled in.
    pub fn scaler(&mut self) -> Option<&mut Scaler> {
        self.scaler.as_mut()
    }

    /// Number of rounds; makes a pass over the file unless one was made before.
    pub fn rows(&mut self) -> Result<u64, StreamError> {
        let rows = self.scan()?.rows;
        Ok(self.args.limit.map_or(rows, |limit| rows.min(limit.get())))
    }

    /// The rows to learn from, in the order that the options ask for.
    pub fn feed(mut self, order: &Draws) -> Result<Feed, StreamError> {
        let scaler = match Scale::from(self.args.scale) {
            Scale::None => None,
            _ => Some(match self.scaler.take() {
                Some(scaler) => scaler,
                None => self.scan()?.scaler.clone(),
            }),
        };
        let rows = match self.table.take() {
            Some(table) => {
                let order = order.at(Role::Start, 0).permutation(table.rows());
                Supply::Shuffled { table, order: order.into_iter() }
            }
            None => Supply::InOrder(self.reader()?),
        };
        let left = self.args.limit.map_or(u64::MAX, |limit| limit.get());
        Ok(Feed { rows, scaler, left, dim: self.dim, origin: self.origin })
    }

    fn reader(&mut self) -> Result<Box<dyn RowReader>, StreamError> {
        self.reader.take().map_or_else(|| self.origin.open(&self.options), Ok)
    }

    /// Makes a pass over the whole file, unless one was made before.
    fn scan(&mut self) -> Result<&Scanned, StreamError> {
        let scanned = match self.scanned.take() {
            Some(scanned) => scanned,
            None => {
                let mut scaler = Scaler::new(self.args.scale.into(), self.dim);
                let rows = scan(&mut *self.reader()?, |inputs, _| scaler.observe(inputs));
                Scanned { rows: rows.map_err(|error| self.origin.error(error))?, scaler }
            }
        };
        Ok(self.scanned.insert(scanned))
    }

    /// Reads the whole file into memory.
    fn load(&mut self) -> Result<(), StreamError> {
        let mut scaler = Scaler::new(self.args.scale.into(), self.dim);
        let table = read(&mut *self.reader()?, None, |inputs, _| scaler.observe(inputs));
        let table = table.map_err(|error| self.origin.error(error))?;
        self.scanned = Some(Scanned { rows: table.rows() as u64, scaler });
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
    scaler: Option<Scaler>,
    /// How many rows the limit still allows.
    left: u64,
    dim: usize,
    origin: Rc<Origin>,
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

    /// The scaling of the inputs.
    pub fn scaler(&mut self) -> Option<&mut Scaler> {
        self.scaler.as_mut()
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

    /// Appends the next rows, at most `most`, scaled; returns how many, 0 at the end.
    pub fn next_block(
        &mut self,
        most: usize,
        inputs: &mut Vec<f64>,
        targets: &mut Vec<f64>,
    ) -> Result<usize, StreamError> {
        let most = most.min(usize::try_from(self.left).unwrap_or(most));
        let before = inputs.len();
        let count = match &mut self.rows {
            _ if most == 0 => 0,
            Supply::InOrder(reader) => {
                reader.next_block(most, inputs, targets).map_err(|error| self.origin.error(error))?
            }
            Supply::Shuffled { table, order } => {
                let mut count = 0;
                for row in order.take(most) {
                    let start = inputs.len();
                    inputs.resize(start + self.dim, 0.0);
                    table.inputs.write_row(row, &mut inputs[start..]);
                    targets.push(table.targets[row]);
                    count += 1;
                }
                count
            }
        };
        if let Some(scaler) = &self.scaler {
            scaler.apply(&mut inputs[before..]);
        }
        self.left -= count as u64;
        Ok(count)
    }
}

/// Copies a source that can be read only once into a file without a name in the folder for temporary files.
fn copy_of(source: &Source, interrupted: &dyn Fn() -> bool) -> Result<File, StreamError> {
    let folder = std::env::temp_dir();
    let failed = |place: &PathBuf| {
        let place = place.display().to_string();
        move |source| StreamError::Spool { place, source }
    };
    let (named, file) = Temporary::create(&folder.join("noregret-stream")).map_err(failed(&folder))?;
    drop(named);
    let mut file = io::BufWriter::new(file);
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
