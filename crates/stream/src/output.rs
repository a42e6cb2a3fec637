//! Where the rounds go: CSV or Parquet, to standard output, a device, or a file that appears when it is complete.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::error::StreamError;
use crate::kept::{KeptOutput, Out, PartFiles, Resumed, last_written, partial, written};
use crate::line::{OutputColumn, OutputColumns, OutputLine};
use crate::temporary::Temporary;
use noregret_data::format::parts::{is_input, placed};
use noregret_model::header::Position;
use noregret_report::trace::table::{TableWriter, TraceError};

/// How many bytes are collected before they are written.
const BUFFER: usize = 1 << 16;

/// The ends of names of packed files.
const PACKED: [&str; 4] = ["gz", "bz2", "xz", "zst"];

/// Rows per row group of a Parquet output.
const GROUP_ROWS: usize = 1 << 17;

/// Whether anybody still reads the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WriteStatus {
    /// Yes.
    All,
    /// No: the reader of the pipe went away.
    ReaderLeft,
}

/// What is to be written, and where.
pub(crate) struct Wanted<'a> {
    /// The file; None or `-` is standard output.
    pub output: Option<&'a Path>,
    /// The input, which must be another file.
    pub input: &'a str,
    /// The models of the run, which must be other files, and the options that name them.
    pub models: &'a [(&'a str, Option<&'a Path>)],
    /// The columns.
    pub columns: OutputColumns,
    /// For the metadata of a Parquet file.
    pub config: &'a str,
    /// Whether the output is to survive a kill, so that it can be continued from a save.
    pub kept: bool,
    /// After how many rounds each the model is saved before the end, if it is.
    pub(crate) every: Option<u64>,
    /// From where the output is continued.
    pub(crate) resumed: Option<Resumed>,
    /// Whether there may be an output of the same run from before its first save.
    pub(crate) again: bool,
    /// Whether lines are written as they come.
    pub live: bool,
}

/// Takes the rounds of a run.
pub(crate) struct Sink {
    form: OutputForm,
    place: String,
    columns: OutputColumns,
    /// Whether what is written is to be seen at once.
    live: bool,
    file: Finish,
}

/// What a complete output becomes.
enum Finish {
    /// It is complete as it is.
    Nothing,
    /// A file under a temporary name, a handle for syncing it, and its final name.
    Publish(Temporary, File, PathBuf),
    /// A file that a kill leaves behind, for a run that continues it.
    Keep(KeptOutput),
}

enum OutputForm {
    Csv { out: Out, buffer: Vec<u8> },
    Parquet(Box<TableWriter<Out>>),
    Parts(PartFiles),
}

/// Refuses to begin anew where an output shows that a model was saved, which is not there: its rounds would be lost.
fn keep_earlier(output: &Path, wanted: &Wanted<'_>) -> Result<(), StreamError> {
    let round = last_written(output)
        .map_err(|error| StreamError::Write { place: output.display().to_string(), cause: error.to_string() })?;
    // A run that was killed before its first save has no more rounds than this.
    if round.is_none_or(|round| round <= wanted.every.unwrap_or(u64::MAX - 1)) {
        return Ok(());
    }
    let models = wanted.models.iter().filter(|(name, _)| *name == "save");
    let model = models.filter_map(|(_, path)| Some(path.as_ref()?.display().to_string())).collect::<String>();
    let place = output.display();
    let why = format!(
        "{place} has the rounds of a run whose model is not there ({model}): give --save the model of that run, name another \
         --output, or remove {place}"
    );
    Err(StreamError::Resume(why))
}

impl Sink {
    /// Opens the output.
    pub(crate) fn create(wanted: &Wanted<'_>) -> Result<Self, StreamError> {
        let Some(path) = wanted.output.filter(|path| path.as_os_str() != "-") else {
            return Self::new(Box::new(io::stdout()), Finish::Nothing, "standard output".into(), wanted, false);
        };
        let place = path.display().to_string();
        let failed = |error: io::Error| StreamError::Write { place: place.clone(), cause: error.to_string() };
        if is_input(wanted.input, path) {
            return Err(StreamError::Usage(format!(
                "--output {place} is the input, or would be one of its files: it would be replaced"
            )));
        }
        if let Some(packed) = path.extension().filter(|end| PACKED.iter().any(|one| end.eq_ignore_ascii_case(one))) {
            let why = format!("--output {place}: outputs are not packed; leave .{} out", packed.display());
            return Err(StreamError::Usage(why));
        }
        let own = [placed(path), placed(&partial(path))];
        for (name, model) in wanted.models {
            if model.is_some_and(|model| own.contains(&placed(model))) {
                let why = format!("--output {place} is the file of --{name}: it would be replaced");
                return Err(StreamError::Usage(why));
            }
        }
        let parquet = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("parquet"));
        if wanted.again && wanted.resumed.is_none() {
            keep_earlier(path, wanted)?;
        }
        if parquet && wanted.every.is_some() {
            let columns = || wanted.columns.clone();
            let parts = PartFiles::open(path, columns(), wanted.config, wanted.resumed, wanted.again)?;
            let (form, file) = (OutputForm::Parts(parts), Finish::Nothing);
            return Ok(Self { form, place, columns: columns(), live: wanted.live, file });
        }
        if fs::metadata(path).is_ok_and(|meta| !meta.is_file()) {
            // A device or a pipe is written to directly; a folder fails here.
            let out = OpenOptions::new().write(true).open(path).map_err(failed)?;
            return Self::new(Box::new(out), Finish::Nothing, place.clone(), wanted, parquet);
        }
        // What a link points to is replaced, not the link.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if wanted.kept && !parquet {
            let (kept, out) = KeptOutput::open(&target, wanted.resumed)?;
            return Self::new(Box::new(out), Finish::Keep(kept), place.clone(), wanted, false);
        }
        if wanted.resumed.is_some() {
            let why =
                format!("{place} is written at the end; only CSV, or Parquet with --save-every, can be continued");
            return Err(StreamError::Resume(why));
        }
        let (temporary, out) = Temporary::create(&target).map_err(failed)?;
        let handle = out.try_clone().map_err(failed)?;
        Self::new(Box::new(out), Finish::Publish(temporary, handle, target), place.clone(), wanted, parquet)
    }

    fn new(out: Out, file: Finish, place: String, wanted: &Wanted<'_>, parquet: bool) -> Result<Self, StreamError> {
        let form = if parquet {
            let table = OutputColumn::table(&wanted.columns, out, wanted.config)
                .map_err(|error| StreamError::Write { place: place.clone(), cause: error.to_string() })?;
            OutputForm::Parquet(Box::new(table))
        } else {
            let mut buffer = Vec::with_capacity(2 * BUFFER);
            if wanted.resumed.is_none() {
                OutputColumn::push_names(&wanted.columns, &mut buffer);
            }
            OutputForm::Csv { out, buffer }
        };
        Ok(Self { form, place, columns: wanted.columns.clone(), live: wanted.live, file })
    }

    /// Writes some rounds.
    pub(crate) fn write(&mut self, lines: &[OutputLine]) -> Result<WriteStatus, StreamError> {
        let outcome = match &mut self.form {
            OutputForm::Csv { out, buffer } => {
                lines.iter().for_each(|line| line.push(&self.columns, buffer));
                let full = self.live || buffer.len() >= BUFFER;
                let outcome = if full { write_out(out, buffer) } else { Ok(()) };
                outcome.and_then(|()| if self.live { out.flush() } else { Ok(()) }).map_err(written)
            }
            OutputForm::Parquet(table) => push_rows(table, &self.columns, lines),
            OutputForm::Parts(parts) => parts.table().and_then(|table| push_rows(table, &self.columns, lines)),
        };
        judge(&self.place, outcome)
    }

    /// Writes what was collected, so that a run can be continued after round `round`; returns where the output is then.
    pub(crate) fn checkpoint(&mut self, round: u64) -> Result<(Position, WriteStatus), StreamError> {
        let mut position = Position::default();
        let outcome = match &mut self.form {
            OutputForm::Csv { out, buffer } => write_out(out, buffer).and_then(|()| out.flush()).map_err(written),
            OutputForm::Parquet(_) => Ok(()),
            OutputForm::Parts(parts) => {
                position.parts = true;
                parts.end(round).map(|end| position.end = end)
            }
        };
        if let (Finish::Keep(kept), Ok(())) = (&mut self.file, &outcome) {
            let synced = kept.sync().map(|(bytes, end)| (position.bytes, position.end) = (Some(bytes), Some(end)));
            return judge(&self.place, synced.map_err(written)).map(|status| (position, status));
        }
        judge(&self.place, outcome).map(|status| (position, status))
    }

    /// Whether it takes the place of a file when it is complete.
    pub(crate) fn replaces(&self) -> bool {
        !matches!(self.file, Finish::Nothing)
    }

    /// Writes what is left after round `round` and puts the file in its place.
    pub(crate) fn finish(self, round: u64) -> Result<WriteStatus, StreamError> {
        let outcome = match self.form {
            OutputForm::Csv { mut out, mut buffer } => {
                write_out(&mut out, &mut buffer).and_then(|()| out.flush()).map_err(written)
            }
            OutputForm::Parquet(table) => table.finish().and_then(|mut out| out.flush().map_err(written)),
            OutputForm::Parts(mut parts) => parts.end(round).map(drop),
        };
        let place = self.place;
        if judge(&place, outcome)? == WriteStatus::ReaderLeft {
            return Ok(WriteStatus::ReaderLeft);
        }
        let outcome = match self.file {
            Finish::Nothing => Ok(()),
            Finish::Publish(temporary, handle, target) => handle.sync_all().and_then(|()| temporary.publish(&target)),
            Finish::Keep(kept) => kept.publish(),
        };
        judge(&place, outcome.map_err(written))
    }
}

/// A closed pipe is a normal end.
fn judge(place: &str, outcome: Result<(), TraceError>) -> Result<WriteStatus, StreamError> {
    let Err(error) = outcome else { return Ok(WriteStatus::All) };
    let cause = match error.io() {
        Some(io) if io.kind() == ErrorKind::BrokenPipe => return Ok(WriteStatus::ReaderLeft),
        Some(io) => io.to_string(),
        None => error.to_string(),
    };
    Err(StreamError::Write { place: place.to_owned(), cause })
}

fn write_out(out: &mut Out, buffer: &mut Vec<u8>) -> io::Result<()> {
    out.write_all(buffer)?;
    buffer.clear();
    Ok(())
}

fn push_rows(table: &mut TableWriter<Out>, columns: &[OutputColumn], lines: &[OutputLine]) -> Result<(), TraceError> {
    table.push(columns.iter().map(|column| column.values(lines)).collect())?;
    if table.pending_rows() >= GROUP_ROWS { table.end_group() } else { Ok(()) }
}
