//! The project of this repository: its pipeline, and the lock of its published results.

use super::write::Template;

// The files of `pipeline/` and `results/pipeline.lock` by path, as the build script found them: FILES.
include!(concat!(env!("OUT_DIR"), "/paper.rs"));

/// The files of the project whose results the papers' claims are compared with.
pub(crate) fn template() -> Template {
    let files = FILES.iter().fold(Template::new(), |template, (path, bytes)| template.with(*path, *bytes));
    files.with_default(".gitignore", include_str!("templates/gitignore"))
}
