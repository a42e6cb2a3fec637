//! Where the bytes of a stream come from.

use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Read, Write};
use std::path::PathBuf;

use crate::error::StreamError;
use noregret_data::error::DataError;
use noregret_data::format::open::detect;
use noregret_data::format::parts::{open_all, told};
use noregret_data::format::{DataSource, FileFormat, ReadOptions, RowReader};
use noregret_platform::files::TemporaryFile;
use noregret_platform::signals::is_stop_requested;

/// Where the bytes come from.
pub(super) struct InputOrigin {
    /// What is opened.
    pub source: DataSource,
    /// All files, the first one included, where there are several.
    pub parts: Vec<PathBuf>,
    /// The copy of a source that can be read only once, and the name that messages use for it. It lives as
    /// long as this value; [`TemporaryFile`] says what a killed process leaves.
    pub(crate) spooled: Option<(TemporaryFile, String)>,
}

impl InputOrigin {
    /// What is to be said of the files, where there are several.
    pub(super) fn told(&self) -> Option<String> {
        told(&self.parts)
    }

    /// Opens it from the beginning. A row of LIBSVM text that cannot be read is one for its turn, and not for the pass that
    /// counts the inputs: the rows before it are played, as those of other formats.
    pub(super) fn open(&self, options: &ReadOptions) -> Result<Box<dyn RowReader>, StreamError> {
        let opened = open_all(&self.source, &self.parts, options);
        let counted = || options.format.or_else(|| detect(&self.source).ok()) == Some(FileFormat::Libsvm);
        let opened = match opened {
            Err(error) if error.is_of_a_row() && !options.tolerant && counted() => {
                open_all(&self.source, &self.parts, &ReadOptions { tolerant: true, ..options.clone() })
            }
            opened => opened,
        };
        opened.map_err(|error| self.error(error))
    }

    /// The error with the name of the source that the user knows.
    pub(super) fn error(&self, error: DataError) -> StreamError {
        // A wait for bytes that a signal has ended.
        if is_stop_requested() {
            return StreamError::Interrupted { rounds: 0 };
        }
        let message = error.to_string();
        let message = match &self.spooled {
            Some((_, name)) => message.replace(&self.source.to_string(), name),
            None => message,
        };
        StreamError::data(&error, message)
    }
}

/// Copies a source that can be read only once into the folder for temporary files.
pub(super) fn copy_of(source: &DataSource, interrupted: &dyn Fn() -> bool) -> Result<TemporaryFile, StreamError> {
    let folder = std::env::temp_dir();
    let failed = |place: &PathBuf| {
        let place = place.display().to_string();
        move |source| StreamError::Spool { place, source }
    };
    let copy = TemporaryFile::create(&folder).map_err(failed(&folder))?;
    let mut file = io::BufWriter::new(copy.file());
    let mut bytes: Box<dyn Read> = match source {
        DataSource::Path(path) => Box::new(OpenOptions::new().read(true).open(path).map_err(failed(path))?),
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
    file.flush().map_err(failed(&folder))?;
    drop(file);
    Ok(copy)
}
