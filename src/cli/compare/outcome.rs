//! What `noregret compare` says of what it has found, as text and as JSON, and what it leaves in its folder: the leaderboard,
//! the picture, and the project.

use std::path::Path;
use std::time::Duration;

use noregret_core::epoch::Scales;
use serde_json::{Value as Json, json};

use crate::cli::compare::file::FileFacts;
use crate::cli::error::CliError;
use crate::cli::show::quoted;
use noregret_data::declaration::{Dataset, DatasetOrigin};
use noregret_data::encode::choices::{CategoryAs, DateAs, Labels};
use noregret_data::files::write;
use noregret_report::compared::{ChartFiles, ComparedStory, html};
use noregret_stream::args::AUTO;
use noregret_stream::file_args::arguments;
use noregret_stream::metrics::printed;
use noregret_study::compare::arena::Arena;
use noregret_study::compare::board::{BoardLine, Leaderboard, ShownBoard};
use noregret_study::compare::halving::{ContestResult, Judged};
use noregret_study::compare::played::{CompareMetric, put};
use noregret_study::compare::project::{Entrant, PROFILES, ProjectWriter, Study};

/// What a call has found.
pub(super) struct CompareOutcome<'a> {
    /// The file.
    pub facts: &'a FileFacts,
    /// The settings, and what was played.
    pub arena: &'a Arena,
    /// Which settings were chosen.
    pub found: &'a ContestResult,
    /// The ranking of the learners.
    pub shown: &'a ShownBoard,
    /// Learners that another project declares.
    pub elsewhere: &'a [String],
    /// Under how many seeds learners that draw random numbers were judged.
    pub replicates: u32,
    /// How long it could take.
    pub budget: Duration,
}

/// What was written, and what was left as it was.
#[derive(Default)]
struct KeptFiles {
    /// Files that the user changed.
    changed: Vec<String>,
    /// How many rows an earlier call has played, where that are more and its leaderboard therefore stays.
    earlier: Option<u64>,
    /// Whether there is a picture.
    picture: bool,
    /// Whether there is a project.
    project: bool,
}

/// A command, and which numbers its output says.
struct ShownCommand {
    line: String,
    says: String,
}

/// What is told of an outcome.
pub(super) struct OutcomeNote {
    /// The leaderboard with what explains it, and how to go on.
    pub text: String,
    /// The leaderboard with what explains it.
    pub json: Json,
}

/// What is told where there is nothing to compare.
pub(super) fn pointless(facts: &FileFacts, why: &str) -> OutcomeNote {
    let json = json!({
        "file": facts.file.display().to_string(), "file_rows": facts.rows, "target": facts.target,
        "metric": facts.metric, "leaderboard": [], "winner": null, "verdict": why, "stream": null,
    });
    OutcomeNote { text: format!("{}\n\n{why}\n", facts.words), json }
}

impl CompareOutcome<'_> {
    /// Writes everything, and says what was found.
    ///
    /// # Errors
    /// What cannot be written.
    pub(super) fn written(&self) -> Result<OutcomeNote, CliError> {
        let path = |name: &str| self.facts.root.join(name);
        let (text, json) = (self.text(), self.json());
        let mut kept = KeptFiles { earlier: self.earlier(&path("leaderboard.json")), ..KeptFiles::default() };
        // In a random order, experiments have orders of their own, which are not the one that was compared.
        if let Some(dataset) = self.facts.dataset.as_ref().filter(|_| self.facts.in_order) {
            kept.changed = self.project(dataset)?;
            kept.project = true;
        }
        if kept.earlier.is_none() {
            if let Some(ChartFiles { svg, png }) = &self.shown.picture(&self.facts.name, self.facts.metric)? {
                write(&path("leaderboard.svg"), svg.as_bytes())?;
                write(&path("leaderboard.png"), png)?;
                kept.picture = true;
            }
            write(&path("leaderboard.html"), self.page()?.as_bytes())?;
            write(&path("leaderboard.txt"), text.as_bytes())?;
            put(&path("leaderboard.json"), &json)?;
        }
        Ok(OutcomeNote { text: text + &self.further(&kept), json })
    }

    /// The page.
    fn page(&self) -> Result<String, CliError> {
        let Self { facts, found, .. } = self;
        let mut told = vec![("File".to_owned(), facts.file.display().to_string())];
        told.extend(self.command().map(|command| ("Command".to_owned(), command.line)));
        let method = self.method();
        told.push(("Method".into(), method.split_whitespace().collect::<Vec<_>>().join(" ")));
        let left_out = found.left_out.iter().map(|(learner, why)| ((*learner).to_owned(), why.clone())).collect();
        let story = ComparedStory { left_out, facts: told, ..self.shown.story(&facts.name, facts.metric) };
        html(&story).map_err(CliError::failed)
    }

    /// How many rows of the same content an earlier call has judged with this metric, where that are more.
    fn earlier(&self, path: &Path) -> Option<u64> {
        let found: Json = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
        let metric = found["metric"] == json!(self.facts.metric);
        // What was read only in part has another content each time.
        let same = metric && (self.facts.cut || found["content"] == self.arena.plate.content.as_str());
        found["rows"].as_u64().filter(|rows| same && *rows > self.shown.board.rows)
    }

    /// Writes the project, and returns the files that the user has changed.
    fn project(&self, dataset: &Dataset) -> Result<Vec<String>, CliError> {
        let Self { facts, arena, .. } = self;
        let name = &facts.name;
        let mut writer = ProjectWriter::open(&facts.root, &format!("results/compare/{name}-files.json"));
        writer.put_once("pipeline/profiles.toml", PROFILES)?;
        writer.put(&format!("pipeline/datasets/{name}.toml"), &declaration(dataset, &facts.root)?)?;
        let here = |learner: &str| !self.absent().contains(&learner);
        let mut choices: Vec<&Judged> = self.found.judged.iter().collect();
        choices.retain(|one| here(arena.settings[one.setting].learner.name));
        choices.sort_by_key(|one| self.shown.board.leaderboard.iter().position(|line| line.setting == one.setting));
        let entrants: Vec<Entrant<'_>> = choices
            .into_iter()
            .map(|choice| {
                let candidate = &arena.settings[choice.setting];
                let replicates = if candidate.learner.build.about.random { self.replicates } else { 1 };
                Entrant { candidate, choice, replicates }
            })
            .collect();
        let drawn: Vec<&str> = self.shown.drawn.iter().map(String::as_str).filter(|name| here(name)).collect();
        let study = Study {
            name,
            file: &facts.file.display().to_string(),
            rows: facts.rows,
            played: self.found.rows,
            seed: arena.seed,
            metric: facts.metric,
            stream: &facts.stream,
            unit: &facts.unit,
            replicates: self.replicates,
            apart: arena.other.as_ref().map(|(learner, _)| *learner),
            entrants: &entrants,
            drawn: &drawn,
            left_out: &self.found.left_out,
        };
        let path = format!("pipeline/experiments/{name}.toml");
        writer.put(&path, &study.text())?;
        // Earlier versions wrote the figure of the study into a file of its own.
        if !writer.kept.contains(&path) {
            writer.retire(&format!("pipeline/figures/{name}-loss.toml"));
        }
        Ok(writer.close()?)
    }

    /// The learners that were judged, and that another project declares: they are not in the one that is written.
    fn absent(&self) -> Vec<&'static str> {
        let names = self.found.judged.iter().map(|one| self.arena.settings[one.setting].learner.name);
        names.filter(|name| self.elsewhere.iter().any(|other| other == name)).collect()
    }

    /// The leaderboard with what explains it, as text.
    fn text(&self) -> String {
        let ShownBoard { board, text, .. } = self.shown;
        let mut out = format!("{}\n\n{text}\n{}\n\n{}\n", self.facts.words, board.verdict, self.method());
        for (learner, why) in &self.found.left_out {
            out += &format!("Left out: {learner}: {why}.\n");
        }
        out
    }

    /// How to go on, after the leaderboard.
    fn further(&self, kept: &KeptFiles) -> String {
        let mut out = String::new();
        if let Some(ShownCommand { line, says }) = self.command() {
            out += &format!("\nThe winner as a command{says}:\n  {line}\n");
        }
        let folder = self.facts.root.display();
        match kept.earlier {
            Some(rows) => {
                let stays =
                    format!("An earlier call played {rows} rows: its leaderboard stays in {folder}/leaderboard.txt.");
                out += &format!("\n{stays} A larger --budget plays more.\n");
            }
            None if kept.picture => {
                out += &format!(
                    "\nThe page is {folder}/leaderboard.html, its picture leaderboard.svg (and .png), its table leaderboard.txt.\n"
                );
            }
            None => out += &format!("\nThe page is {folder}/leaderboard.html, its table leaderboard.txt.\n"),
        }
        match kept.project {
            true => {
                out += &format!(
                    "The project is in {folder}: edit {folder}/pipeline/experiments/{}.toml and run `cd {} && noregret run`, \
                     which makes\n{folder}/reports/index.html\n",
                    self.facts.name,
                    quoted(&folder.to_string())
                );
            }
            false if self.arena.plate.several.is_some() => {
                out += "No project was written, as for all targets of several classes: `noregret data add` takes the file, and \
                        experiments play on it.\n";
            }
            false if self.facts.in_order && !self.facts.cut => {
                out += "No project was written: a dataset is one file, and not a folder or a pattern.\n";
            }
            false if self.facts.in_order => {
                out += "No project was written, since the file was not read to its end.\n";
            }
            false => out += "No project was written: experiments have random orders of their own.\n",
        }
        if kept.project && !self.absent().is_empty() {
            out += &format!(
                "Without {}: what the project around declares is not in the new one (copy its file to {folder}/pipeline/learners)\n",
                self.absent().join(", ")
            );
        }
        for file in &kept.changed {
            out += &format!("You changed {file}, so it was left alone; what compare found now is in {file}.new\n");
        }
        out
    }

    /// The leaderboard with everything that explains it.
    fn json(&self) -> Json {
        let left_out: Vec<_> =
            self.found.left_out.iter().map(|(learner, why)| json!({ "learner": learner, "why": why })).collect();
        let mut all = json!({
            "file": self.facts.file.display().to_string(),
            "file_rows": self.facts.rows,
            "target": self.facts.target,
            "content": self.arena.plate.content,
            "metric": self.facts.metric,
            "method": self.method(),
            "left_out": left_out,
            "stream": self.command().map(|command| command.line),
            "project": self.facts.root.display().to_string(),
        });
        if let (Some(all), Ok(Json::Object(board))) = (all.as_object_mut(), serde_json::to_value(&self.shown.board)) {
            all.extend(board);
        }
        all
    }

    /// How the numbers came about.
    fn method(&self) -> String {
        let Self { facts, found, .. } = self;
        let Leaderboard { chose: half, rows, .. } = self.shown.board;
        let which = if facts.in_order { "in the order of the file" } else { "in a random order" };
        let few = if facts.cut || rows + 1 < facts.rows {
            let all = match facts.cut {
                true => "that could not all be read".to_owned(),
                false => format!("with {} rows", facts.rows),
            };
            let budget = (10.0 * self.budget.as_secs_f64()).round() / 10.0;
            format!("Only the first {rows} rows were played, of a file {all} within the budget of {budget} s.\n")
        } else if rows < facts.rows {
            "The last row was not played, so that both halves are equal.\n".to_owned()
        } else {
            String::new()
        };
        let settings: usize = found.judged.iter().map(|one| one.settings).sum();
        let halved = |one: &Judged| one.settings > 1 && (one.finalists < one.settings || one.chosen_on < half);
        let how =
            if found.judged.iter().any(halved) { "by successive halving" } else { "each played all of these rows" };
        let seen =
            "Scales, too, are those of earlier rows (--scale epochs): the losses are those that you would have had.";
        format!(
            "{few}Settings ({settings}) were chosen on rows 1 to {half} {which}, {how}; losses are those of rows {} to {rows}, of \
             learners\nthat played all rows from the first on. They are in the unit of the file.\n\
             \u{b1} is a 95 % t interval of the difference to the first learner on the same rows, from the means of 5 to 20 blocks \
             of\nconsecutive rows (or over seeds where that is wider). It holds for each learner by itself.\n\
             {seen}\nTime is processor time of one run in the learner.",
            half + 1
        )
    }

    /// The winner as a command.
    fn command(&self) -> Option<ShownCommand> {
        let Self { facts, arena, shown: ShownBoard { board, .. }, .. } = self;
        let winner = board.winner.as_ref()?;
        let line: &BoardLine = board.leaderboard.iter().find(|line| line.learner == *winner)?;
        let candidate = &arena.settings[line.setting];
        let mut words = vec!["noregret stream --input".to_owned(), quoted(&facts.file.display().to_string())];
        words.extend(arguments(&facts.options).iter().map(|word| quoted(word)));
        if matches!(facts.options.encoding.labels, Labels::Always(_)) {
            words.push("--classes".into());
        }
        // By default it would read them in another way.
        if candidate.learner.name == AUTO && arena.other.is_none() {
            let ([categories, dates], encoding) = (facts.kinds, &facts.options.encoding);
            let one_hot = categories && encoding.category_as == CategoryAs::OneHot;
            words.extend(one_hot.then(|| "--category-as one-hot".to_owned()));
            words.extend((dates && encoding.date_as == DateAs::Both).then(|| "--date-as both".to_owned()));
        }
        // They are the defaults, and stand here so that the command says what it does.
        let Scales { inputs, targets } = arena.scales.get(line.setting).copied().unwrap_or_default();
        words.extend(inputs.then(|| "--scale epochs".to_owned()));
        words.extend(targets.then(|| "--target-scale epochs".to_owned()));
        words.push(format!("--learner {}", candidate.learner.name));
        words.extend(candidate.sets.iter().map(|set| format!("--set {}", quoted(set))));
        if !facts.in_order {
            words.push("--shuffle".into());
        }
        if arena.seed != 0 {
            words.push(format!("--seed {}", arena.seed));
        }
        let metric = facts.metric;
        words.push(format!("--metrics {} --window {}", metric.name(), board.chose));
        let says = match (facts.cut, line.seeds.first()) {
            (false, Some(loss)) => format!(
                "; of rows {} to {} it says: {} {}{}",
                board.chose + 1,
                board.rows,
                metric.name(),
                printed(*loss, metric != CompareMetric::Error),
                if line.seeds.len() > 1 { " (the first of the seeds above)" } else { "" }
            ),
            _ => String::new(),
        };
        Some(ShownCommand { line: words.join(" "), says })
    }
}

/// The text of the dataset's declaration.
fn declaration(dataset: &Dataset, root: &Path) -> Result<String, CliError> {
    let stated = match &dataset.origin {
        DatasetOrigin::Path(path) => {
            let root = std::path::absolute(root).map_err(|error| CliError::io("cannot find", root, error))?;
            let inside = path.strip_prefix(root).unwrap_or(path).to_owned();
            Dataset { origin: DatasetOrigin::Path(inside), ..dataset.clone() }
        }
        _ => dataset.clone(),
    };
    let text = toml::to_string(&stated).map_err(CliError::failed)?;
    let comment = "# The data of `noregret compare`. The file stays where it is; results are made anew when its content changes,\n\
                   # after `noregret compare` or without `content_sha256` here.\n";
    Ok(format!("{comment}{text}"))
}
