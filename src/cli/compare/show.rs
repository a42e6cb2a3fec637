//! What `noregret compare` prints: the leaderboard, how it came about, and how to go on.

use std::path::Path;

use serde_json::json;

use crate::analysis::blocks::METHOD;
use crate::cli::compare::args::CompareArgs;
use crate::cli::compare::file::Prepared;
use crate::cli::error::CliError;
use crate::cli::file_args::arguments;
use crate::cli::shell::quoted;
use crate::cli::show::show as print;
use crate::compare::candidates::assignments;
use crate::compare::leaderboard::{Row, text};
use crate::compare::project::{Entrant, Files};

/// What is printed.
pub struct Shown<'a> {
    /// The file.
    pub prepared: &'a Prepared,
    /// What was written.
    pub files: &'a Files<'a>,
    /// The leaderboard.
    pub board: &'a [Row],
    /// Files that the user changed and that were left alone.
    pub kept: &'a [String],
    /// The project.
    pub root: &'a Path,
}

/// Prints it.
pub fn show(args: &CompareArgs, shown: &Shown<'_>) -> Result<(), CliError> {
    let Shown { prepared, files, board, kept, root } = shown;
    let best = board
        .first()
        .and_then(|row| files.entrants.iter().find(|entrant| entrant.candidate.learner.name == row.learner));
    let command = best.map(|entrant| command(args, prepared, entrant));
    let method = method(files);
    if args.json {
        let left_out: Vec<_> =
            files.left_out.iter().map(|(learner, why)| json!({ "learner": learner, "why": why })).collect();
        let all = json!({
            "file": files.file,
            "rows": files.rows,
            "metric": files.metric,
            "method": method,
            "leaderboard": board,
            "left_out": left_out,
            "stream": command,
            "project": root.display().to_string(),
        });
        return print(&format!("{all:#}\n")).map(drop);
    }
    let mut out = format!("{}\n\n{}\n{method}\n", prepared.words, text(board, files.metric));
    for (learner, why) in files.left_out {
        out += &format!("Left out: {learner}: {why}.\n");
    }
    let short = files.entrants.iter().filter(|entrant| entrant.choice.horizon < files.rows);
    let short: Vec<&str> = short.map(|entrant| entrant.candidate.learner.name).collect();
    if !short.is_empty() {
        out += &format!(
            "Cut short, since all rows would take longer than the budget of {} s: {}. Their losses are not comparable with the \
             others; a larger --budget lets them go on.\n",
            args.budget.as_secs(),
            short.join(", ")
        );
    }
    if let Some(command) = command {
        out += &format!("\nThe best setting on this file:\n  {command}\n");
    }
    let folder = root.display();
    out += &format!(
        "\nThe project is in {folder}: edit {folder}/pipeline/experiments/{}.toml and run `cd {} && noregret run`;\n\
         the report is {folder}/reports/index.html\n",
        files.name,
        quoted(&folder.to_string())
    );
    for file in *kept {
        out += &format!("You changed {file}, so it was left alone; what compare found now is in {file}.new\n");
    }
    print(&out).map(drop)
}

/// How the numbers came about.
fn method(files: &Files<'_>) -> String {
    let whole = files.entrants.iter().all(|entrant| entrant.choice.rows == files.rows);
    let full = whole && files.entrants.iter().all(|entrant| entrant.choice.finalists == entrant.choice.settings);
    let settings: usize = files.entrants.iter().map(|entrant| entrant.choice.settings).sum();
    let chosen = if full {
        format!("Settings were chosen in hindsight, on these rows: the best of all {settings}.")
    } else {
        format!(
            "Settings were chosen in hindsight by successive halving over {settings}: all on the first rows, the best on more \
             (the experiment's file says on how many)."
        )
    };
    let interval = if files.in_order {
        format!("\u{b1} is {METHOD}.")
    } else {
        "\u{b1} is a 95 % t interval over random orders of the rows.".to_owned()
    };
    format!("{interval}\n{chosen}\n{}\nTime is processor time of one run in the learner.", files.unit)
}

/// The setting as a command.
fn command(args: &CompareArgs, prepared: &Prepared, entrant: &Entrant<'_>) -> String {
    let mut words = vec!["noregret stream --input".to_owned(), quoted(&args.file.display().to_string())];
    words.extend(arguments(&prepared.options).iter().map(|word| quoted(word)));
    words.push("--scale unit".into());
    words.push(format!("--target-scale {}", prepared.target_scale.unwrap_or("none")));
    words.push(format!("--learner {}", entrant.candidate.learner.name));
    words.extend(assignments(&entrant.candidate.table).iter().map(|set| format!("--set {}", quoted(set))));
    words.join(" ")
}
