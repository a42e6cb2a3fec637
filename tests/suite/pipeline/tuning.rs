//! Parameters that are chosen on other orders of the rows.

use super::project::{Ended, Small};

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

    project.edit(
        "pipeline/experiments/wine-quality.toml",
        "tune = { horizon = 300, replicates = 1, eta = [1e-6, 0.1, 1e6] }",
        "eta = 0.1",
    );
    project.run(&["summarise/wine-quality"]);
    assert_eq!(runs(&project, "tuned", NUMBERS), chosen);
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
