//! The file of the page: opened before the first row is read, and put in its place at the end.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::PathBuf;

use noregret_data::format::parts::{is_input, placed};
use noregret_report::streamed::{story::StreamStory, write::html};

use super::collect::{StoryCollector, StoryStart};
use crate::args::StreamArgs;
use crate::error::StreamError;
use crate::temporary::Temporary;

/// What is told of a run, and where.
pub(crate) struct RunStory {
    /// The file.
    pub file: PageFile,
    /// What was found so far.
    pub(crate) collector: StoryCollector,
}

impl RunStory {
    /// Nothing was played.
    pub(crate) fn new(file: PageFile, start: StoryStart) -> Self {
        Self { file, collector: StoryCollector::new(start) }
    }
}

/// A page that is written at the end.
pub(crate) struct PageFile {
    temporary: Temporary,
    out: File,
    target: PathBuf,
    place: String,
}

impl PageFile {
    /// Makes sure that the page can be written; None where none is wanted.
    ///
    /// # Errors
    /// A place that cannot be written, or that is another file of the run.
    pub(crate) fn open(args: &StreamArgs) -> Result<Option<Self>, StreamError> {
        let Some(path) = &args.report else { return Ok(None) };
        let place = path.display().to_string();
        let failed = |cause: String| StreamError::Write { place: format!("--report {place}"), cause };
        if path.as_os_str() == "-" || fs::metadata(path).is_ok_and(|meta| !meta.is_file()) {
            return Err(StreamError::Usage(format!("--report {place} is not the name of a file")));
        }
        // What a link points to is replaced, not the link.
        let target = placed(path);
        let others =
            [("output", args.output.as_deref()), ("save", args.save.as_deref()), ("load", args.load.as_deref())];
        for (name, other) in others.into_iter().filter_map(|(name, other)| Some((name, other?))) {
            if placed(other) == target {
                return Err(StreamError::Usage(format!(
                    "--report {place} is the file of --{name}: it would be replaced"
                )));
            }
        }
        if is_input(&args.input, path) {
            return Err(StreamError::Usage(format!(
                "--report {place} is the input, or would be one of its files: it would be replaced"
            )));
        }
        let (temporary, out) = Temporary::create(&target).map_err(|error| failed(error.to_string()))?;
        Ok(Some(Self { temporary, out, target, place }))
    }

    /// Writes the page and puts it in its place.
    pub(crate) fn publish(mut self, story: &StreamStory) -> Result<(), StreamError> {
        let failed = |cause: String| StreamError::Write { place: format!("--report {}", self.place), cause };
        let page = html(story).map_err(|error| failed(error.to_string()))?;
        let written = self.out.write_all(page.as_bytes()).and_then(|()| self.out.sync_all());
        written.and_then(|()| self.temporary.publish(&self.target)).map_err(|error| failed(error.to_string()))
    }
}
