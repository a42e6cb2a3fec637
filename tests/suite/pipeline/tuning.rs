//! Parameters that are chosen on other orders of the rows.

use noregret_study::config::study::ItemKind;

use super::project::{Ended, Small, read};
use crate::studies::all;

/// An experiment whose last learner chooses its step among `steps`.
fn tuned(steps: &str) -> Small {
    let project = Small::new();
    let learner = format!(
        "[[learners]]\nname = \"kernel-ogd\"\nlabel = \"tuned\"\n\
         tune = {{ horizon = 300, replicates = 1, eta = {steps} }}\n"
    );
    project.write("pipeline/experiments/wine-quality.toml", &format!("{}{learner}", super::project::WINE));
    project
}

/// Columns of the runs of a label, one line for each replicate.
fn runs(project: &Small, label: &str, columns: &str) -> Vec<String> {
    let label = format!("label={label}");
    let ended = project.noregret(&[
        "query",
        "runs/wine-quality",
        "-w",
        &label,
        "-c",
        columns,
        "-s",
        "replicate",
        "--format",
        "csv",
    ]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    ended.stdout.lines().skip(1).map(str::to_owned).collect()
}

/// The stored choice.
fn choice(project: &Small) -> serde_json::Value {
    let objects = project.files(&["results/store/objects"]);
    let texts = objects.iter().filter_map(|path| std::fs::read_to_string(path).ok());
    let choices: Vec<serde_json::Value> =
        texts.filter(|text| text.contains("\"scores\"")).map(|text| serde_json::from_str(&text).unwrap()).collect();
    assert_eq!(choices.len(), 1, "{choices:?}");
    choices[0].clone()
}

const NUMBERS: &str = "replicate,cumulative_loss,norm,p_learner_eta";

/// A step of 1e-6 learns nothing, and one of 1e6 breaks down. What plays is what would play if the chosen step were
/// written in the file, to the bit. The choice is made on another order: this learner draws no numbers, so that its loss
/// would be that of a run on the same order.
#[test]
fn the_best_setting_plays_as_if_it_were_given() {
    let project = tuned("[1e-6, 0.1, 1e6]");
    project.run(&["figure/wine-quality-loss", "table/leaderboard"]);
    let chosen = runs(&project, "tuned", NUMBERS);
    assert_eq!(chosen.len(), 2);
    let words = runs(&project, "tuned", "tuned");
    let expected = "eta = 0.1 (best of 3 settings on one other order, 300 rounds each)";
    assert!(words.iter().all(|words| words.trim_matches('"') == expected), "{words:?}");
    assert!(runs(&project, "FOGD", "tuned").iter().all(|words| words.is_empty() || words == "\"\""));
    let caption = std::fs::read_to_string(project.path().join("reports/figures/wine-quality-loss.json")).unwrap();
    assert!(caption.contains(&format!("tuned: {expected}")), "{caption}");
    let leaderboard = std::fs::read_to_string(project.path().join("reports/tables/leaderboard.md")).unwrap();
    assert!(leaderboard.contains(&format!("tuned on wine-quality: {expected}")), "{leaderboard}");

    let choice = choice(&project);
    assert_eq!(choice["candidate"], 1);
    assert!(choice["scores"][2].is_null() && choice["scores"][1]["error_rate"].is_null(), "{choice}");
    let score = choice["scores"][1]["average_loss"].as_f64().unwrap();
    let losses: Vec<f64> = runs(&project, "tuned", "average_loss").iter().map(|loss| loss.parse().unwrap()).collect();
    assert!(losses.iter().all(|loss| (loss - score).abs() > 1e-9 * score), "the same orders: {losses:?} {score}");

    project.write("pipeline/tables/tuning.toml", TABLE);
    project.run(&["table/tuning"]);
    let table = read(&project.path().join("reports/tables/tuning.md"));
    assert!(table.contains(" | 300 | 1 | 3 | eta = 0.1 | ") && table.contains(" | average loss | no | "), "{table}");
    assert!(table.contains("; eta = 1e6: broke down |"), "{table}");
    let csv = read(&project.path().join("reports/tables/tuning.csv"));
    assert!(
        csv.contains(&format!("wine-quality,wine-quality,tuned,300,1,3,eta = 0.1,{score},average loss,no,")),
        "{csv}"
    );

    project.edit(
        "pipeline/experiments/wine-quality.toml",
        "tune = { horizon = 300, replicates = 1, eta = [1e-6, 0.1, 1e6] }",
        "eta = 0.1",
    );
    project.run(&["summarise/wine-quality"]);
    assert_eq!(runs(&project, "tuned", NUMBERS), chosen);
}

/// The table of the choices of one experiment.
const TABLE: &str = "kind = 'tuning'\nexperiments = ['wine-quality']\ntitle = 'Tuned'\nshows = 'What was tried'";

/// A third of the targets are 10 too high. Least squares (the scale of 1000) follows them and has the lower loss; a small
/// scale is better on clean held-out rows, by which the choice is made. It stands at an end of its list.
#[test]
fn held_out_rows_decide_where_there_are_any() {
    let project = Small::new();
    let text = "title = 'Wine'\nreplicates = 2\nhorizons = [300]\ntest_rows = 200\n\
        tune = { horizon = 300, replicates = 2 }\n\
        [stream]\ndataset = 'wine-quality'\nscale = 'unit'\ntarget = 'standardise'\n\
        corruption = { name = 'contamination', share = 0.3, size = 10, sides = 'one' }\n\
        [[learners]]\nname = 'robust-ogd'\nlabel = 'tuned'\neta = 0.2\ntune.scale = [4, 1000]\n";
    project.write("pipeline/experiments/wine-quality.toml", text);
    project.write("pipeline/tables/tuning.toml", TABLE);
    project.run(&["table/tuning"]);
    let choice = choice(&project);
    let score = |index: usize, of: &str| choice["scores"][index][of].as_f64().unwrap();
    assert_eq!(choice["candidate"], 0, "{choice}");
    assert!(score(0, "test_loss") < score(1, "test_loss") && score(0, "average_loss") > score(1, "average_loss"));
    let table = read(&project.path().join("reports/tables/tuning.md"));
    for words in [
        "mean squared error on clean held-out rows",
        "scale is the smallest tried",
        "The choice lies at an end of a list",
    ] {
        assert!(table.contains(words), "{table}");
    }
    project.edit("pipeline/experiments/wine-quality.toml", "tune = { horizon = 300", "tune = { horizon = 1_500");
    let ended = project.noregret(&["run", "--offline", "-n"]);
    assert!(ended.status == 2 && ended.stderr.contains("test_rows"), "{}", ended.stderr);
}

/// The project's own tables have all experiments with tuned learners, each once, and no others.
#[test]
fn no_tuned_curve_is_left_out() {
    let tables = all(ItemKind::Table).into_iter().map(|(_, table)| table);
    let tables = tables.filter(|table| table["kind"].as_str() == Some("tuning"));
    let mut listed: Vec<String> =
        tables.flat_map(|table| table["experiments"].clone().try_into::<Vec<String>>().unwrap()).collect();
    listed.sort();
    let is_tuned = |experiment: &toml::Table| {
        experiment["learners"].as_array().unwrap().iter().any(|learner| learner.get("tune").is_some())
    };
    let tuned = all(ItemKind::Experiment).into_iter().filter(|(_, experiment)| is_tuned(experiment));
    let tuned: Vec<String> = tuned.map(|(name, _)| name).collect();
    assert_eq!(listed, tuned);
}

/// A choice is made once, again where its candidates change, and only then.
#[test]
fn a_choice_is_kept_until_its_candidates_change() {
    let project = tuned("[0.01, 0.1]");
    project.run(&["run/wine-quality"]);
    assert_eq!(runs_planned(&project), (0, 0));
    project.edit("pipeline/experiments/wine-quality.toml", "[0.01, 0.1]", "[1e-2, 1e-1]");
    project.edit("pipeline/experiments/wine-quality.toml", "label = \"tuned\"", "label = \"chosen\"");
    assert_eq!(runs_planned(&project), (0, 0));
    project.edit("pipeline/experiments/wine-quality.toml", "lambda = [1, 1e-3]", "lambda = [1, 1e-2]");
    assert_eq!(runs_planned(&project), (0, 2), "another learner");
    project.edit("pipeline/experiments/wine-quality.toml", "[1e-2, 1e-1]", "[1e-2, 1e-1, 1]");
    assert_eq!(runs_planned(&project), (1, 4));
    let given = project.planned(&["run/wine-quality", "kernel-ogd.eta=0.3"]);
    assert!(!given.contains("tune/"), "{given}");
}

/// Choices and runs that are planned.
fn runs_planned(project: &Small) -> (usize, usize) {
    let plan = project.planned(&["run/wine-quality"]);
    let cells = |word: &str| plan.lines().filter(|line| line.contains("wine-quality") && line.contains(word)).count();
    (cells("settings"), cells("replicate"))
}

/// Without a setting that gets through there is no choice; the other curves are not affected.
#[test]
fn settings_that_all_break_down_are_reported() {
    let project = tuned("[1e6, 1e7]");
    let Ended { status, stderr, .. } = project.noregret(&["run", "--offline", "summarise/wine-quality"]);
    assert_eq!(status, 1, "{stderr}");
    assert!(stderr.contains("every candidate broke down"), "{stderr}");
    assert_eq!(runs(&project, "FOGD", "status"), ["done", "done"]);
    assert_eq!(runs(&project, "tuned", "status"), ["failed", "failed"]);
}

#[test]
fn mistakes_in_tune_are_named() {
    for (steps, why) in
        [("[0.1]", "leaves nothing to choose"), ("[0.1, -1]", "eta"), ("[0.1, 1], lamda = [1, 2]", "lamda")]
    {
        let ended = tuned(steps).noregret(&["run", "--offline", "-n"]);
        assert_eq!(ended.status, 2, "{steps}: {}", ended.stderr);
        assert!(ended.stderr.contains(why), "{steps}: {}", ended.stderr);
    }
    let project = tuned("[0.1, 1]");
    project.edit("pipeline/experiments/wine-quality.toml", "horizon = 300, replicates", "horizon = 2_000, replicates");
    let ended = project.noregret(&["run", "--offline", "-n"]);
    assert!(ended.status == 2 && ended.stderr.contains("tune.horizon"), "{}", ended.stderr);
}

/// In the order of the file, trials would be the rounds that are compared.
#[test]
fn nothing_is_tuned_on_the_rows_that_are_compared() {
    let project = Small::new();
    let study = "pipeline/experiments/wine-quality.toml";
    project.edit(
        study,
        "label = \"FOGD\"",
        "label = \"FOGD\"\ntune = { horizon = 50, replicates = 1, eta = [0.1, 0.2] }",
    );
    project.run(&["-n", "run/wine-quality"]);
    project.edit(study, "scale = \"unit\"", "scale = \"unit\"\norder = \"file\"");
    let refused = project.noregret(&["run", "-n", "run/wine-quality"]);
    assert_eq!(refused.status, 2, "{}", refused.stderr);
    assert!(refused.stderr.contains(".tune`: trials need other orders of the rows"), "{}", refused.stderr);
}

/// A report that is made later has the reason of the settings, as the run had; what nobody tried has not failed.
#[test]
fn a_choice_that_failed_keeps_its_reason() {
    let project = tuned("[1e300, 1e301]");
    let incomplete = || {
        let figure = read(&project.path().join("reports/figures/wine-quality-loss.json"));
        figure.lines().find(|line| line.contains("Incomplete: ")).unwrap_or_default().to_owned()
    };
    project.noregret(&["report"]);
    assert!(incomplete().contains("tuned: 0 of 2 replicates; 2 missing (not made yet)"), "{}", incomplete());
    assert_eq!(project.noregret(&["run", "--offline", "figure/wine-quality-loss"]).status, 1);
    let told = incomplete();
    let why = "tuned: 0 of 2 replicates; 2 missing (its input tune/wine-quality failed: every candidate broke down in a trial";
    assert!(told.contains(why), "{told}");
    project.noregret(&["report"]);
    assert_eq!(incomplete(), told);
    let explained = project.noregret(&["explain", "run/wine-quality"]).stdout;
    assert!(explained.contains("; its input tune/wine-quality failed last time: every candidate"), "{explained}");
}
