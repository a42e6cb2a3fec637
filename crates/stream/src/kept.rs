//! Outputs that a run which was killed leaves behind, for one that continues it from its last save.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::error::StreamError;
use crate::line::{OutputColumn, OutputColumns};
use crate::temporary::{OTHER, Temporary};
use noregret_model::header::Position;
use noregret_platform::files::{read_exact_at, replace, take};
use noregret_report::trace::table::{TableWriter, TraceError};

/// From where an output is continued.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resumed {
    /// What the model says of the output.
    pub position: Position,
    /// The last round before the save.
    pub round: u64,
}

/// The longest line of a CSV output in bytes, and more.
const LINE: u64 = 1024;

/// What tells one output, row or name from another: the first 8 bytes of the SHA-256.
pub(crate) fn mark(bytes: &[u8]) -> u64 {
    let digest: [u8; 32] = Sha256::digest(bytes).into();
    digest[..8].iter().fold(0, |mark, byte| mark << 8 | u64::from(*byte))
}

/// The last bytes before a place, its last line among them.
fn last(file: &File, end: u64) -> io::Result<Vec<u8>> {
    let start = end.saturating_sub(LINE);
    let mut bytes = vec![0; (end - start) as usize];
    read_exact_at(file, &mut bytes, start).map(|()| bytes)
}

fn failed(path: &Path) -> impl Fn(io::Error) -> StreamError {
    let place = path.display().to_string();
    move |error| StreamError::Write { place: place.clone(), cause: error.to_string() }
}

/// What an output is called until it is complete.
pub(super) fn partial(target: &Path) -> PathBuf {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    target.with_file_name(format!("{name}.partial"))
}

/// A CSV output that is called `NAME.partial` until it is complete.
pub(super) struct KeptOutput {
    partial: PathBuf,
    target: PathBuf,
    handle: File,
}

impl KeptOutput {
    /// Opens the partial file of `target`: empty, or as it was at a save.
    pub(super) fn open(target: &Path, resumed: Option<Resumed>) -> Result<(Self, File), StreamError> {
        let partial = partial(target);
        let file = match resumed {
            None => {
                let new = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&partial);
                let file = alone(new.map_err(failed(&partial))?, &partial)?;
                file.set_len(0).map(|()| file).map_err(failed(&partial))?
            }
            Some(resumed) => cut(target, &partial, resumed)?,
        };
        let handle = file.try_clone().map_err(failed(&partial))?;
        Ok((Self { partial, target: target.to_owned(), handle }, file))
    }

    /// Makes sure that what was written is on the disk; returns how many bytes that are, and the mark of the last ones.
    pub(super) fn sync(&mut self) -> io::Result<(u64, u64)> {
        self.handle.sync_data()?;
        let bytes = self.handle.stream_position()?;
        Ok((bytes, mark(&last(&self.handle, bytes)?)))
    }

    /// Gives it its final name.
    pub(super) fn publish(self) -> io::Result<()> {
        self.handle.sync_all()?;
        replace(&self.partial, &self.target)
    }
}

/// A file that no other stream writes to as long as it is open.
fn alone(file: File, partial: &Path) -> Result<File, StreamError> {
    if take(&file) {
        return Ok(file);
    }
    Err(StreamError::Write { place: partial.display().to_string(), cause: OTHER.into() })
}

/// Why nothing can follow on an output that was not written up to where its model was saved.
const LOST: &str = "lacks the rounds up to where the model was saved: they went elsewhere, or could not be written; go on from \
                    the model (--load MODEL) with another --output";

/// The last round that an earlier run has certainly written to an output: of the parts of a folder, or of a partial file; beyond
/// all rounds where the output is complete. None where there is nothing.
pub(super) fn last_written(output: &Path) -> io::Result<Option<u64>> {
    if output.is_dir() {
        let parts = fs::read_dir(output)?.filter_map(|entry| last_round(&entry.ok()?.file_name().to_string_lossy()));
        return Ok(parts.max());
    }
    let partial = partial(&fs::canonicalize(output).unwrap_or_else(|_| output.to_owned()));
    let Ok(file) = File::open(&partial) else { return Ok(output.is_file().then_some(u64::MAX)) };
    let end = last(&file, file.metadata()?.len())?;
    let mut lines = end.rsplit(|byte| *byte == b'\n').skip(1);
    let number = lines.next().and_then(|line| line.split(|byte| *byte == b',').next());
    Ok(number.and_then(|number| std::str::from_utf8(number).ok()?.parse().ok()))
}

/// Cuts the partial file, or the complete one of a run that ended, back to a save.
fn cut(target: &Path, partial: &Path, Resumed { position, round }: Resumed) -> Result<File, StreamError> {
    let refused = |why: &str| Err(StreamError::Resume(format!("{} {why}", target.display())));
    let Some(bytes) = position.bytes else { return refused(LOST) };
    let found = if partial.exists() { partial } else { target };
    if !found.is_file() {
        return refused(
            "is not there, and neither is its .partial file; go on from the model (--load MODEL) with another --output",
        );
    }
    let file = OpenOptions::new().read(true).write(true).open(found).map_err(failed(found))?;
    let mut file = alone(file, found)?;
    // What was written before the cut must be what the run had written, and the last line that of the round.
    let end = match last(&file, bytes) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Vec::new(),
        read => read.map_err(failed(found))?,
    };
    let line = end.strip_suffix(b"\n").map(|end| end.rsplit(|byte| *byte == b'\n').next().unwrap_or_default());
    if line.is_none_or(|line| round > 0 && !line.starts_with(format!("{round},").as_bytes())) {
        return refused(&format!("has no line of round {round} where the model was saved: it is of another run"));
    }
    if position.end.is_some_and(|saved| saved != mark(&end)) {
        return refused(&format!(
            "has another line of round {round} than the run that saved the model: it is of another run"
        ));
    }
    if found == target {
        fs::rename(target, partial).map_err(failed(target))?;
    }
    file.set_len(bytes).and_then(|()| file.seek(SeekFrom::Start(bytes))).map_err(failed(partial))?;
    Ok(file)
}

/// What output is written to.
pub(super) type Out = Box<dyn Write + Send>;

/// An error of the operating system in writing.
pub(super) fn written(error: io::Error) -> TraceError {
    TraceError::Write(error.into())
}

/// A Parquet output as a folder of files, each of which ends where a model was saved.
pub(super) struct PartFiles {
    folder: PathBuf,
    columns: OutputColumns,
    config: String,
    open: Option<(Box<TableWriter<Out>>, Temporary, File)>,
}

/// The name of the part whose last round is this one.
fn part(round: u64) -> String {
    format!("part-{round:012}.parquet")
}

/// The last round of the part called `name`.
fn last_round(name: &str) -> Option<u64> {
    name.strip_prefix("part-")?.strip_suffix(".parquet")?.parse().ok()
}

impl PartFiles {
    /// Opens the folder, which must be new or, for a run that is started `again`, is cut back to a save.
    pub(super) fn open(
        folder: &Path,
        columns: OutputColumns,
        config: &str,
        resumed: Option<Resumed>,
        again: bool,
    ) -> Result<Self, StreamError> {
        let place = folder.display();
        // A run that was killed before its first save starts from the beginning.
        let start = Resumed { position: Position { parts: true, ..Position::default() }, round: 0 };
        match resumed.or((again && folder.is_dir()).then_some(start)) {
            None => fs::create_dir(folder).map_err(|error| match error.kind() {
                io::ErrorKind::AlreadyExists => StreamError::Usage(format!(
                    "--output {place} is there already; with --save-every a Parquet output is a new folder: remove it, \
                     or go on with --resume"
                )),
                _ => failed(folder)(error),
            })?,
            Some(Resumed { position, round }) => {
                let before = || fs::read(folder.join(part(round))).ok().map(|bytes| mark(&bytes));
                if !position.parts || position.end.is_some_and(|saved| before() != Some(saved)) {
                    let why = format!("{place} is not the output of the run that saved the model");
                    return Err(StreamError::Resume(why));
                }
                for entry in fs::read_dir(folder).map_err(failed(folder))? {
                    let path = entry.map_err(failed(folder))?.path();
                    let name = path.file_name().unwrap_or_default().to_string_lossy();
                    let torn = name.starts_with(".part-") && name.ends_with(".tmp");
                    if torn || last_round(&name).is_some_and(|last| last > round) {
                        fs::remove_file(&path).map_err(failed(&path))?;
                    }
                }
            }
        }
        Ok(Self { folder: folder.to_owned(), columns, config: config.to_owned(), open: None })
    }

    /// The part that is being written.
    pub(super) fn table(&mut self) -> Result<&mut TableWriter<Out>, TraceError> {
        let (table, ..) = match self.open.take() {
            Some(open) => self.open.insert(open),
            None => {
                let (temporary, out) = Temporary::create(&self.folder.join("part-")).map_err(written)?;
                let handle = out.try_clone().map_err(written)?;
                let table = OutputColumn::table(&self.columns, Box::new(out) as Out, &self.config)?;
                self.open.insert((Box::new(table), temporary, handle))
            }
        };
        Ok(table)
    }

    /// Ends the part after round `round`; the mark of the part of that round, if there is one.
    pub(super) fn end(&mut self, round: u64) -> Result<Option<u64>, TraceError> {
        let path = self.folder.join(part(round));
        if let Some((table, temporary, handle)) = self.open.take() {
            let mut out = table.finish()?;
            let published = out.flush().and_then(|()| handle.sync_all()).and_then(|()| temporary.publish(&path));
            published.map_err(written)?;
        }
        Ok(fs::read(path).ok().map(|bytes| mark(&bytes)))
    }
}
