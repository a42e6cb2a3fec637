//! `noregret book`: the pages of docs/ with what the program says of itself: parameters, `--help`, keys of files, columns.
//! And the pages of the learners, which stand in the learners' own files. None of this is kept beside the pages, so that it
//! cannot differ from the program. A line `<!-- generated: WHAT -->` says
//! where it goes; what stands right below that line is for who reads the page without it.

mod says;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, Command, ValueHint};

use super::error::CliError;
use super::exit;
use super::show::put;

/// What begins and ends the line of a page that is replaced.
const MARKER: [&str; 2] = ["<!-- generated: ", " -->"];

/// The files of the book, besides the folder of its pages.
const SETTINGS: &str = "book.toml";
/// The page that lists the learners.
const LEARNERS: &str = "learners.md";
/// The folder of the pages.
const PAGES: &str = "src";

/// Arguments of `noregret book`.
#[derive(Args, Clone, Debug)]
pub(crate) struct BookArgs {
    /// The folder docs/ of the repository
    #[arg(value_name = "FROM", value_hint = ValueHint::DirPath)]
    pub from: PathBuf,
    /// Where to write it with all pages complete, for mdBook or a reader
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
}

/// Copies the book and completes its pages. `command` is the whole command line.
pub(crate) fn run(args: &BookArgs, command: &Command, out: &mut dyn Write) -> Result<u8, CliError> {
    let from = args.from.canonicalize().map_err(|error| CliError::io("cannot read", &args.from, error))?;
    let into = std::path::absolute(&args.folder).map_err(|error| CliError::io("cannot write", &args.folder, error))?;
    // Of a folder that is yet to be made, the nearest one that is there says where it will be.
    let into = into.ancestors().find_map(|folder| folder.canonicalize().ok()).unwrap_or_default();
    if into.starts_with(&from) {
        let why =
            format!("{} would change {}, whose pages are kept as they are", args.folder.display(), args.from.display());
        return Err(CliError::usage(format!("{why}; name another folder")));
    }
    let mut made = 0;
    let mut waiting = vec![PathBuf::from(SETTINGS), PathBuf::from(PAGES)];
    while let Some(name) = waiting.pop() {
        let (from, to) = (args.from.join(&name), args.folder.join(&name));
        if from.is_dir() {
            let wrong = |error| CliError::io("cannot read", &from, error);
            for entry in fs::read_dir(&from).map_err(wrong)? {
                waiting.push(name.join(entry.map_err(wrong)?.file_name()));
            }
            continue;
        }
        let bytes = fs::read(&from).map_err(|error| CliError::io("cannot read", &from, error))?;
        let bytes = match name.extension().is_some_and(|ending| ending == "md") {
            true => {
                made += 1;
                let page = complete(&String::from_utf8_lossy(&bytes), &from, command)?;
                // The list of the learners leads to their pages, also where it recommends them.
                if name.ends_with(LEARNERS) {
                    says::linked(&page, "learners/", "").into_bytes()
                } else {
                    page.into_bytes()
                }
            }
            false => bytes,
        };
        put(&to, &bytes)?;
    }
    for (name, page) in says::pages() {
        put(&args.folder.join(PAGES).join(name), page.as_bytes())?;
        made += 1;
    }
    writeln!(out, "{}: {made} pages", args.folder.display())?;
    out.flush()?;
    Ok(exit::DONE)
}

/// A page in which each marker, with the lines right below it, is replaced by what it names.
fn complete(page: &str, path: &Path, command: &Command) -> Result<String, CliError> {
    let (mut text, mut below) = (String::with_capacity(page.len()), false);
    for (index, line) in page.lines().enumerate() {
        below &= !line.is_empty();
        let what = line.strip_prefix(MARKER[0]).and_then(|rest| rest.strip_suffix(MARKER[1]));
        if let Some(what) = what {
            let wrong = |why| format!("{}, line {}: nothing to write for `{what}`: {why}", path.display(), index + 1);
            text += says::about(what, command).map_err(|why| CliError::failed(wrong(why)))?.trim_end();
            text.push('\n');
            below = true;
        } else if !below {
            text += line;
            text.push('\n');
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn completed(page: &str) -> Result<String, CliError> {
        complete(page, Path::new("page.md"), &Command::new("noregret"))
    }

    #[test]
    fn a_marker_and_what_stands_right_below_it_are_replaced() {
        let page = completed("# A\n\n<!-- generated: quantities -->\nSee elsewhere.\nThere.\n\n## B\n").unwrap();
        assert!(page.starts_with("# A\n\n|") && page.ends_with("|\n\n## B\n"), "{page}");
        assert!(!page.contains("generated") && !page.contains("here."), "{page}");
        let plain = "# A\n<!-- a comment -->\nb\n";
        assert_eq!(completed(plain).unwrap(), plain);
    }

    #[test]
    fn the_pages_themselves_are_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("src")).unwrap();
        let (page, whole) = (folder.path().join("src/a.md"), "<!-- generated: learners -->\n");
        fs::write(&page, whole).unwrap();
        fs::write(folder.path().join("book.toml"), "").unwrap();
        for inside in ["", "made"] {
            let args = BookArgs { from: folder.path().to_owned(), folder: folder.path().join(inside) };
            let error = run(&args, &Command::new("noregret"), &mut Vec::new()).unwrap_err();
            assert!(error.message.contains("name another folder"), "{error}");
        }
        assert_eq!(fs::read_to_string(&page).unwrap(), whole);
        let other = tempfile::tempdir().unwrap();
        let args = BookArgs { from: folder.path().to_owned(), folder: other.path().join("made") };
        run(&args, &Command::new("noregret"), &mut Vec::new()).unwrap();
        assert!(fs::read_to_string(other.path().join("made/src/a.md")).unwrap().contains("fogd"));
    }

    #[test]
    fn what_nothing_is_known_of_is_refused_with_its_place() {
        for what in ["fogd", "learner fogd", "columns", "columns of", "files of"] {
            let error = completed(&format!("a\n<!-- generated: {what} -->\n")).unwrap_err();
            assert!(error.message.starts_with("page.md, line 2: "), "{what}: {error}");
        }
    }
}
