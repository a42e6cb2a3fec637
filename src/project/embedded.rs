//! The projects of this repository that the program holds: that of the papers, and the bench.

use super::write::Template;

// The files of both by their paths in the repository, as the build script found them: FILES.
include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// Where the repository has the files that only the bench has.
const BENCH: &str = "bench/";
/// What both have: the learners of other libraries.
const SHARED: [&str; 2] = ["pipeline/learners/", "peers/"];

/// The pipeline, and the lock of its published results, with which the papers' claims are compared.
pub(crate) fn paper() -> Template {
    template(FILES.iter().filter(|(path, _)| !path.starts_with(BENCH)).copied())
}

/// The bench: public streams, learners of this program and of other libraries, and the page that compares them.
pub(crate) fn streams() -> Template {
    let shared = |path: &str| SHARED.iter().any(|folder| path.starts_with(folder));
    template(FILES.iter().filter_map(|&(path, bytes)| match path.strip_prefix(BENCH) {
        Some(own) => Some((own, bytes)),
        None => shared(path).then_some((path, bytes)),
    }))
}

fn template(files: impl Iterator<Item = (&'static str, &'static [u8])>) -> Template {
    let files = files.fold(Template::new(), |template, (path, bytes)| template.with(path, bytes));
    files.with_default(".gitignore", include_str!("templates/gitignore"))
}
