//! The code blocks of README.md and of the book are run: those of one page together, in one shell, in a folder of
//! their own, with the program that was built, without a network and at the quick profile.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use noregret_study::config::study::ItemKind;

use super::pages::{all, blocks, text};
use crate::studies::keys;

/// What is kept of pipeline/ where a page plays with this repository's project.
const STUDIES: [&str; 4] = [
    "pipeline/benchmarks/wine-quality.toml",
    "pipeline/pkawv/spline-regret.toml",
    "pipeline/noisy-data/noisy-linear.toml",
    "pipeline/noisy-data/noisy-linear-laws.toml",
];

/// A file such as readers have: 300 rows of two inputs and a target.
fn own_file() -> String {
    let mut text = "x1,x2,y\n".to_owned();
    for t in 0..300u32 {
        let [a, b] = [t * 37 % 101, t * 53 % 97].map(|x| f64::from(x) / 50.0 - 1.0);
        let _ = writeln!(text, "{a},{b},{}", (3.0 * a).sin() + b * b);
    }
    text
}

/// The part of this repository's project that takes seconds.
fn project(folder: &Path) {
    let copy = |name: &str| {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text(name)).unwrap();
    };
    copy("pipeline/profiles.toml");
    copy("pipeline/datasets/wine-quality.toml");
    STUDIES.iter().for_each(|name| copy(name));
    let tables = ["rates", "bounds", "costs", "errata", "leaderboard"].map(|name| (name, keys(ItemKind::Table, name)));
    let mut tables: toml::Table = tables.into_iter().map(|(name, keys)| (name.to_owned(), keys.into())).collect();
    tables["leaderboard"]["experiments"] = vec!["wine-quality"].into();
    let report = toml::Table::from_iter([("table".to_owned(), tables.into())]);
    fs::create_dir_all(folder.join("pipeline/report")).unwrap();
    fs::write(folder.join("pipeline/report/tables.toml"), toml::to_string(&report).unwrap()).unwrap();
}

/// Writes what a block says it is: `# pipeline/experiments/mine.toml` in its first line.
fn place(folder: &Path, code: &str) -> Option<()> {
    let (comment, name) = code.lines().next()?.split_once(' ')?;
    let file = [".toml", ".py", ".c"].iter().any(|extension| name.ends_with(extension));
    let named = ["#", "//"].contains(&comment) && file && !name.contains(' ');
    named.then(|| {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, code).unwrap();
    })
}

/// Plays the blocks of a page; what went wrong, if anything did.
fn play(page: &str) -> Result<usize, String> {
    let source = text(page);
    let blocks = blocks(&source);
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("data.csv"), own_file()).unwrap();
    if !source.contains("<!-- scratch: empty -->") {
        project(folder.path());
    }
    let (mut script, mut run) = ("set -euo pipefail\n".to_owned(), 0);
    for block in &blocks {
        let at = format!("{page}, line {}", block.line);
        match (&*block.language, &*block.tag) {
            ("sh" | "toml" | "rust" | "yaml" | "python" | "r" | "julia", tag)
                if tag.starts_with("not run: ") && tag.len() > 12 => {}
            ("sh", "") => {
                run += 1;
                let _ = writeln!(script, "echo '== {at}' >&2\n{}", block.code);
            }
            ("toml" | "python" | "c", "") => {
                if block.language == "toml" {
                    block.code.parse::<toml::Table>().map_err(|error| format!("{at}: {error}"))?;
                }
                if let Some((_, name)) = block.code.lines().next().and_then(|line| line.split_once(' '))
                    && place(folder.path().join("blocks").as_path(), &block.code).is_some()
                {
                    // It is put in place when the shell comes to it, as a reader does.
                    let _ = writeln!(script, "mkdir -p \"$(dirname '{name}')\"; cp \"$BLOCKS/{name}\" '{name}'");
                }
            }
            ("rust", "") => {
                let included = text("src/lib.rs").contains(&format!("../{page}"));
                included.then_some(()).ok_or(format!("{at}: src/lib.rs does not test the Rust blocks of this page"))?;
            }
            ("text" | "csv" | "json", "") => {}
            (language, tag) => {
                return Err(format!(
                    "{at}: a block of `{language}` tagged `{tag}` cannot be run; tag it \
                                                   `not run: REASON`, or call it text"
                ));
            }
        }
    }
    if run == 0 {
        return Ok(0);
    }
    let program = Path::new(env!("CARGO_BIN_EXE_noregret")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
    let mut command = Command::new("bash");
    command.args(["-c", &script]).current_dir(folder.path()).env("PATH", path).env("NOREGRET_PROFILE", "quick");
    command.env("BLOCKS", folder.path().join("blocks")).env_remove("NOREGRET_MIRROR");
    // Nothing listens there: what asks for the network is refused at once.
    for name in ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
        command.env(name, "http://127.0.0.1:9");
    }
    let ended = command.output().unwrap();
    let tail = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).into_owned();
        text[text.floor_char_boundary(text.len().saturating_sub(3000))..].to_owned()
    };
    match ended.status.success() {
        true => Ok(run),
        false => Err(format!("{page}: {}\n{}\n{}", ended.status, tail(&ended.stderr), tail(&ended.stdout))),
    }
}

#[test]
fn code_blocks_run() {
    let played: Vec<_> = all().iter().map(|page| (page.clone(), play(page))).collect();
    let wrong: Vec<&String> = played.iter().filter_map(|(_, outcome)| outcome.as_ref().err()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let run: usize = played.iter().filter_map(|(_, outcome)| outcome.as_ref().ok()).sum();
    assert!(run >= 10, "{run} blocks were run");
}
