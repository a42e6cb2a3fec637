//! The pages that a reader sees: README.md and the book in docs/, with their code blocks; the book as it is made.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use tempfile::TempDir;

/// The folder of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The text of a file of the repository.
pub fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The pages of the book, relative to the repository, sorted.
pub fn chapters() -> Vec<String> {
    let (mut found, mut waiting) = (Vec::new(), vec![PathBuf::from("docs/src")]);
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(root().join(&folder)).unwrap() {
            let path = folder.join(entry.unwrap().file_name());
            if root().join(&path).is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                found.push(path.display().to_string());
            }
        }
    }
    found.sort_unstable();
    found
}

/// README.md and the pages of the book.
pub fn all() -> Vec<String> {
    let mut pages = chapters();
    pages.push("README.md".into());
    pages
}

/// A fenced block.
#[derive(Debug)]
pub struct Block {
    /// The line of the fence, from 1.
    pub line: usize,
    /// The first word behind the fence.
    pub language: String,
    /// What follows it: why the block is not run.
    pub tag: String,
    /// The lines in between.
    pub code: String,
}

/// The fenced blocks of a page.
pub fn blocks(page: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut inside = false;
    for (index, line) in page.lines().enumerate() {
        match line.trim_start().strip_prefix("```") {
            Some(_) if inside => inside = false,
            Some(info) => {
                let (language, tag) = info.split_once(' ').unwrap_or((info, ""));
                let (language, tag) = (language.to_owned(), tag.to_owned());
                blocks.push(Block { line: index + 1, language, tag, code: String::new() });
                inside = true;
            }
            None if inside => blocks.last_mut().unwrap().code += &format!("{line}\n"),
            None => {}
        }
    }
    assert!(!inside, "a block has no end");
    blocks
}

/// The book with all of its pages complete, as `make docs` makes it.
pub fn made() -> &'static Path {
    static MADE: LazyLock<TempDir> = LazyLock::new(|| {
        let folder = tempfile::tempdir().unwrap();
        let mut program = Command::new(env!("CARGO_BIN_EXE_noregret"));
        let ended = program.arg("book").arg(root().join("docs")).arg(folder.path()).output().unwrap();
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
        folder
    });
    MADE.path()
}

#[test]
fn blocks_have_languages_and_tags() {
    let found = blocks("a\n```sh not run: needs Slurm\nx\ny\n```\n\n```toml\nz = 1\n```\n");
    assert_eq!(found.len(), 2);
    assert_eq!((found[0].line, &*found[0].language, &*found[0].tag), (2, "sh", "not run: needs Slurm"));
    assert_eq!((&*found[0].code, &*found[1].tag), ("x\ny\n", ""));
}
