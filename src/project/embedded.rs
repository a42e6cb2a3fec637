//! The projects of this repository that the program holds: that of the papers, and the bench.

use std::io::{self, Read as _};

use flate2::read::ZlibDecoder;

use super::write::Template;

// The paths in the repository and the lengths of the files of both, as the build script found them: FILES.
include!(concat!(env!("OUT_DIR"), "/files.rs"));
/// The files, one after the other: a third of their size.
static PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/files.zlib"));

/// Where the repository has the files that only the bench has.
const BENCH: &str = "bench/";
/// What both have: the learners of other libraries.
const SHARED: [&str; 2] = ["pipeline/learners/", "peers/"];

/// The pipeline, and the lock of its published results, with which the papers' claims are compared.
pub(crate) fn paper() -> io::Result<Template> {
    template(|path| (!path.starts_with(BENCH)).then_some(path))
}

/// The bench: public streams, learners of this program and of other libraries, and the page that compares them.
pub(crate) fn streams() -> io::Result<Template> {
    let shared = |path: &str| SHARED.iter().any(|folder| path.starts_with(folder));
    template(|path| path.strip_prefix(BENCH).or(shared(path).then_some(path)))
}

/// The files for which `place` has a path in the project.
fn template(place: impl Fn(&'static str) -> Option<&'static str>) -> io::Result<Template> {
    let (mut files, mut template) = (ZlibDecoder::new(PACKED), Template::new());
    for &(path, length) in FILES {
        let mut bytes = vec![0; length];
        files.read_exact(&mut bytes)?;
        template = match place(path) {
            Some(place) => template.with(place, bytes),
            None => template,
        };
    }
    Ok(template.with_default(".gitignore", include_str!("templates/gitignore")))
}
