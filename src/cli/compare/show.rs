//! What `noregret compare` prints: the leaderboard, how it came about, and how to go on.

use noregret_core::epoch::Scales;
use serde_json::{Value as Json, json};

use crate::cli::compare::args::CompareArgs;
use crate::cli::compare::file::Prepared;
use crate::cli::compare::outcome::{Kept, Outcome};
use crate::cli::error::CliError;
use crate::cli::shell::quoted;
use crate::cli::show::show as print;
use noregret_data::encode::choices::{CategoryAs, DateAs, Labels};
use noregret_stream::args::AUTO;
use noregret_stream::file_args::arguments;
use noregret_stream::metrics::printed;
use noregret_study::compare::board::Line;
use noregret_study::compare::candidates::assignments;
use noregret_study::compare::leaderboard::text;
use noregret_study::compare::metric::Metric;

/// Says that there is nothing to compare, or adds to the leaderboards in JSON that this is so.
pub(super) fn pointless(
    args: &CompareArgs,
    prepared: &Prepared,
    why: &str,
    boards: &mut Vec<Json>,
) -> Result<(), CliError> {
    if args.json {
        boards.push(json!({
            "file": args.file.display().to_string(), "file_rows": prepared.rows, "target": prepared.target,
            "metric": args.metric, "leaderboard": [], "winner": null, "verdict": why, "stream": null,
        }));
        return Ok(());
    }
    print(&format!("{}\n\n{why}\n", prepared.words)).map(drop)
}

/// The leaderboard with what explains it, as text.
pub(super) fn board(outcome: &Outcome<'_>) -> String {
    let Outcome { prepared, board, args, .. } = outcome;
    let mut out =
        format!("{}\n\n{}\n{}\n\n{}\n", prepared.words, text(board, args.metric), board.verdict, method(outcome));
    for (learner, why) in outcome.left_out {
        out += &format!("Left out: {learner}: {why}.\n");
    }
    out
}

/// Prints it, or adds it to the leaderboards in JSON.
pub(super) fn show(outcome: &Outcome<'_>, kept: &Kept, boards: &mut Vec<Json>) -> Result<(), CliError> {
    if outcome.args.json {
        boards.push(json(outcome));
        return Ok(());
    }
    let mut out = board(outcome);
    if let Some(Command { line, says }) = command(outcome) {
        out += &format!("\nThe winner as a command{says}:\n  {line}\n");
    }
    let folder = outcome.root.display();
    match kept.earlier {
        Some(rows) => {
            let stays =
                format!("An earlier call played {rows} rows: its leaderboard stays in {folder}/leaderboard.txt.");
            out += &format!("\n{stays} A larger --budget plays more.\n");
        }
        None if kept.picture => {
            out +=
                &format!("\nThe picture is {folder}/leaderboard.svg (and .png), the table {folder}/leaderboard.txt.\n");
        }
        None => out += &format!("\nThe table is {folder}/leaderboard.txt.\n"),
    }
    match kept.project {
        true => {
            out += &format!(
                "The project is in {folder}: edit {folder}/pipeline/experiments/{}.toml and run `cd {} && noregret run`, \
                 which makes\n{folder}/reports/index.html\n",
                outcome.name,
                quoted(&folder.to_string())
            );
        }
        false if outcome.arena.plate.several => {
            out += "No project was written: experiments have numbers for targets, or two classes.\n";
        }
        false if outcome.args.in_order() => out += "No project was written, since the file was not read to its end.\n",
        false => out += "No project was written: experiments have random orders of their own.\n",
    }
    for file in &kept.changed {
        out += &format!("You changed {file}, so it was left alone; what compare found now is in {file}.new\n");
    }
    print(&out).map(drop)
}

/// The leaderboard with everything that explains it.
pub(super) fn json(outcome: &Outcome<'_>) -> Json {
    let left_out: Vec<_> =
        outcome.left_out.iter().map(|(learner, why)| json!({ "learner": learner, "why": why })).collect();
    let mut all = json!({
        "file": outcome.args.file.display().to_string(),
        "file_rows": outcome.prepared.rows,
        "target": outcome.prepared.target,
        "content": outcome.arena.plate.content,
        "metric": outcome.args.metric,
        "method": method(outcome),
        "left_out": left_out,
        "stream": command(outcome).map(|command| command.line),
        "project": outcome.root.display().to_string(),
    });
    if let (Some(all), Ok(Json::Object(board))) = (all.as_object_mut(), serde_json::to_value(outcome.board)) {
        all.extend(board);
    }
    all
}

/// How the numbers came about.
pub(super) fn method(outcome: &Outcome<'_>) -> String {
    let Outcome { prepared, board, found, args, .. } = outcome;
    let (half, rows) = (board.chose, board.rows);
    let which = if args.in_order() { "in the order of the file" } else { "in a random order" };
    let few = if prepared.cut || rows + 1 < prepared.rows {
        let all =
            if prepared.cut { "that could not all be read".to_owned() } else { format!("with {} rows", prepared.rows) };
        let budget = (10.0 * args.budget.as_secs_f64()).round() / 10.0;
        format!("Only the first {rows} rows were played, of a file {all} within the budget of {budget} s.\n")
    } else if rows < prepared.rows {
        "The last row was not played, so that both halves are equal.\n".to_owned()
    } else {
        String::new()
    };
    let settings: usize = found.judged.iter().map(|one| one.settings).sum();
    let halved =
        found.judged.iter().any(|one| one.settings > 1 && (one.finalists < one.settings || one.chosen_on < half));
    let how = if halved { "by successive halving" } else { "each played all of these rows" };
    let seen = "Scales, too, are those of earlier rows (--scale epochs): the losses are those that you would have had.";
    format!(
        "{few}Settings ({settings}) were chosen on rows 1 to {half} {which}, {how}; losses are those of rows {} to {rows}, of \
         learners\nthat played all rows from the first on. They are in the unit of the file.\n\
         \u{b1} is a 95 % t interval of the difference to the first learner on the same rows, from the means of 5 to 20 blocks \
         of\nconsecutive rows (or over seeds where that is wider). It holds for each learner by itself.\n\
         {seen}\nTime is processor time of one run in the learner.",
        half + 1
    )
}

/// A command, and what its output says.
pub(super) struct Command {
    /// The line.
    pub line: String,
    /// Which numbers it prints.
    pub says: String,
}

/// The winner as a command.
pub(super) fn command(outcome: &Outcome<'_>) -> Option<Command> {
    let Outcome { prepared, board, args, arena, .. } = outcome;
    let winner = board.winner.as_ref()?;
    let line: &Line = board.leaderboard.iter().find(|line| line.learner == *winner)?;
    let candidate = &arena.settings[line.setting];
    let mut words = vec!["noregret stream --input".to_owned(), quoted(&args.file.display().to_string())];
    words.extend(arguments(&prepared.options).iter().map(|word| quoted(word)));
    if matches!(prepared.options.encoding.labels, Labels::Always(_)) {
        words.push("--classes".into());
    }
    // By default it would read them in another way.
    if candidate.learner.name == AUTO && arena.other.is_none() {
        let ([categories, dates], encoding) = (prepared.kinds, &prepared.options.encoding);
        let one_hot = categories && encoding.category_as == CategoryAs::OneHot;
        words.extend(one_hot.then(|| "--category-as one-hot".to_owned()));
        words.extend((dates && encoding.date_as == DateAs::Both).then(|| "--date-as both".to_owned()));
    }
    // They are the defaults, and stand here so that the command says what it does.
    let Scales { inputs, targets } = arena.scales.get(line.setting).copied().unwrap_or_default();
    words.extend(inputs.then(|| "--scale epochs".to_owned()));
    words.extend(targets.then(|| "--target-scale epochs".to_owned()));
    words.push(format!("--learner {}", candidate.learner.name));
    words.extend(assignments(&candidate.table).iter().map(|set| format!("--set {}", quoted(set))));
    if !args.in_order() {
        words.push("--shuffle".into());
    }
    if args.seed != 0 {
        words.push(format!("--seed {}", args.seed));
    }
    words.push(format!("--metrics {} --window {}", args.metric.name(), board.chose));
    let says = match (prepared.cut, line.seeds.first()) {
        (false, Some(loss)) => format!(
            "; of rows {} to {} it says: {} {}{}",
            board.chose + 1,
            board.rows,
            args.metric.name(),
            printed(*loss, args.metric != Metric::Error),
            if line.seeds.len() > 1 { " (the first of the seeds above)" } else { "" }
        ),
        _ => String::new(),
    };
    Some(Command { line: words.join(" "), says })
}
