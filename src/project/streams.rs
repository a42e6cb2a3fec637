//! The bench: public streams, learners of this program and of other libraries, and the page that compares them.

use super::write::Template;

// The files of `bench/`, of `pipeline/learners/` and of `peers/` by path, as the build script found them: FILES.
include!(concat!(env!("OUT_DIR"), "/streams.rs"));

/// The files of the bench.
pub(crate) fn template() -> Template {
    let files = FILES.iter().fold(Template::new(), |template, (path, bytes)| template.with(*path, *bytes));
    files.with_default(".gitignore", include_str!("templates/gitignore"))
}
