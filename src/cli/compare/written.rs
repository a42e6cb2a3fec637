//! What `noregret compare` leaves in its folder: the leaderboard, the picture, and the project.

use std::path::Path;

use serde_json::{Value as Json, json};

use crate::cli::compare::file::declaration;
use crate::cli::compare::outcome::{Kept, Outcome};
use crate::cli::compare::show;
use crate::cli::error::CliError;
use noregret_data::files::write;
use noregret_study::compare::contest::Judged;
use noregret_study::compare::grids::find;
use noregret_study::compare::memory::put;
use noregret_study::compare::picture::{Picture, drawn, picture};
use noregret_study::compare::project::{Entrant as Declared, Files, PROFILES, Writer};

/// Whether a learner is always drawn.
pub(super) fn always(learner: &str) -> bool {
    find(learner).is_some_and(|grid| grid.always)
}

/// How many rows of the same content an earlier call has judged with this metric.
fn earlier(outcome: &Outcome<'_>, path: &Path) -> Option<u64> {
    let found: Json = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
    let same =
        found["content"] == outcome.arena.plate.content.as_str() && found["metric"] == json!(outcome.args.metric);
    // What was read only in part has another content each time.
    let fewer = outcome.prepared.cut && found["metric"] == json!(outcome.args.metric);
    found["rows"].as_u64().filter(|rows| (same || fewer) && *rows > outcome.board.rows)
}

/// Writes everything.
///
/// # Errors
/// What cannot be written.
pub(super) fn all(outcome: &Outcome<'_>) -> Result<Kept, CliError> {
    let fail = CliError::failed;
    let path = |name: &str| outcome.root.join(name);
    let mut kept = Kept { earlier: earlier(outcome, &path("leaderboard.json")), ..Kept::default() };
    // In a random order, experiments have orders of their own, which are not the one that was compared.
    if outcome.prepared.dataset.is_some() && outcome.args.in_order() {
        kept.changed = project(outcome)?;
        kept.project = true;
    }
    if kept.earlier.is_some() {
        return Ok(kept);
    }
    let drawing =
        picture(outcome.board, outcome.entrants, (outcome.name, outcome.args.metric), &always).map_err(fail)?;
    let bytes = |name: &str, bytes: &[u8]| write(&path(name), bytes).map_err(|error| fail(error.to_string()));
    if let Some(Picture { svg, png }) = &drawing {
        bytes("leaderboard.svg", svg.as_bytes())?;
        bytes("leaderboard.png", png)?;
    }
    kept.picture = drawing.is_some();
    bytes("leaderboard.txt", show::board(outcome).as_bytes())?;
    put(&path("leaderboard.json"), &show::json(outcome)).map_err(fail)?;
    Ok(kept)
}

/// Writes the project, and returns the files that the user has changed.
fn project(outcome: &Outcome<'_>) -> Result<Vec<String>, CliError> {
    let fail = CliError::failed;
    let Outcome { args, name, root, .. } = outcome;
    let mut writer = Writer::open(root, &format!("results/compare/{name}-files.json"));
    writer.put_once("pipeline/profiles.toml", PROFILES).map_err(fail)?;
    if let Some(dataset) = &outcome.prepared.dataset {
        writer.put(&format!("pipeline/datasets/{name}.toml"), &declaration(dataset, root)?).map_err(fail)?;
    }
    // A learner that another project declares is not there.
    let here =
        |one: &&Judged| !outcome.elsewhere.iter().any(|name| outcome.arena.settings[one.setting].learner.name == name);
    let mut choices: Vec<&Judged> = outcome.found.judged.iter().filter(here).collect();
    let place = |one: &Judged| outcome.board.leaderboard.iter().position(|line| line.setting == one.setting);
    choices.sort_by_key(|one| place(one));
    let replicates = |one: &Judged| match outcome.arena.settings[one.setting].grid.random {
        true => args.replicates(),
        false => 1,
    };
    let entrants: Vec<Declared<'_>> = choices
        .iter()
        .map(|one| Declared {
            candidate: &outcome.arena.settings[one.setting],
            choice: one,
            replicates: replicates(one),
        })
        .collect();
    let shown = drawn(outcome.board, &always);
    let shown: Vec<&str> =
        shown.into_iter().filter(|name| !outcome.elsewhere.iter().any(|other| other == name)).collect();
    let files = Files {
        name,
        file: &args.file.display().to_string(),
        rows: outcome.prepared.rows,
        played: outcome.found.rows,
        seed: args.seed.into(),
        metric: args.metric,
        stream: &outcome.prepared.stream,
        unit: &outcome.prepared.unit,
        replicates: args.replicates(),
        apart: outcome.arena.other.as_ref().map(|(learner, _)| *learner),
        entrants: &entrants,
        drawn: &shown,
        left_out: outcome.left_out,
    };
    for (path, text) in files.all() {
        writer.put(&path, &text).map_err(fail)?;
    }
    writer.close().map_err(fail)
}
