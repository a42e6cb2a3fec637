//! After a run: query, diff, verify, report, status, dag.

use super::{ends, printed, refused};
use crate::pipeline::project::Small;

#[test]
fn after_a_run_the_command_that_makes_its_table_is_named() {
    let project = Small::new();
    let ended = project.run(&["run/spline-regret", "--profile", "quick"]);
    let command = "`noregret run summarise/spline-regret --profile quick`";
    assert!(
        ended.stderr.contains(command) && ended.stderr.contains("noregret query runs/spline-regret"),
        "{}",
        ended.stderr
    );
    refused(&project, &["query", "runs/spline-regret"], &["`noregret run summarise/spline-regret`", "--profile"]);
    refused(&project, &["query"], &["`noregret run summarise/all`", "--profile"]);
    project.run(&["summarise/spline-regret", "--profile", "quick"]);
    assert_eq!(printed(&project, &["query", "runs/spline-regret"]).lines().count(), 5);
    // All runs are those of the experiments that were made.
    assert_eq!(printed(&project, &["query"]), printed(&project, &["query", "runs/spline-regret"]));
    // Hints name a profile only where it was chosen on the command line.
    assert!(project.run(&["run/spline-regret"]).stderr.contains("`noregret run summarise/spline-regret` makes"));
}

#[test]
fn diff_takes_what_query_shows() {
    let project = Small::new();
    project.run(&["summarise/wine-quality"]);
    let shown = printed(&project, &["query", "runs/wine-quality", "-c", "run_id"]);
    let ids: Vec<&str> = shown.lines().skip(1).collect();
    let ended = ends(&project, 1, &["diff", ids[0], ids[1]]);
    assert!(ended.stdout.contains("average_loss: "), "{}", ended.stdout);
    assert_eq!(printed(&project, &["diff", ids[0], ids[0]]), "no difference\n");
    for table in ["runs/wine-quality", "traces/wine-quality"] {
        assert!(printed(&project, &["diff", table, table]).contains(" 0 differ"));
    }
    let copy = project.path().join("copy.parquet");
    std::fs::copy(project.path().join("results/runs/wine-quality.parquet"), &copy).unwrap();
    assert!(
        printed(&project, &["diff", "runs/wine-quality", "copy.parquet"]).contains("6 runs compared with 6: 0 differ")
    );
    refused(&project, &["diff", ids[0], "runs/wine-quality"], &["give two runs"]);
    refused(&project, &["diff", "runs/wine-quality", "traces/wine-quality"], &["two tables of runs, or two of traces"]);
}

#[test]
fn verify_looks_at_its_targets() {
    let project = Small::new();
    project.run(&["summarise/wine-quality"]);
    let files = |target: &[&str]| {
        let text = printed(&project, &[&["verify"], target].concat());
        text.lines().last().unwrap().split(' ').next().unwrap().parse::<usize>().unwrap()
    };
    assert_eq!(files(&["run/wine-quality"]), 6);
    assert!(files(&[]) > 6);
    // What is not made is not verified.
    let ended = ends(&project, 1, &["verify", "run/spline-regret"]);
    assert!(ended.stdout.contains("run/spline-regret: 4 of 4 not made"), "{}", ended.stdout);
    assert!(ended.stdout.contains("`noregret run run/spline-regret` makes what is missing"), "{}", ended.stdout);
    // Damage elsewhere is not its concern.
    let table = project.path().join("results/runs/wine-quality.parquet");
    std::fs::write(&table, "x").unwrap();
    printed(&project, &["verify", "run/wine-quality"]);
    let ended = ends(&project, 1, &["verify", "summarise/wine-quality"]);
    assert!(ended.stdout.contains("results/runs/wine-quality.parquet: damaged"), "{}", ended.stdout);
}

#[test]
fn report_makes_a_report_without_running_cells() {
    let project = Small::new();
    let ended = ends(&project, 0, &["report"]);
    assert!(ended.stdout.ends_with("reports/index.html\n"), "{}", ended.stdout);
    assert!(ended.stderr.contains("went without 14 cells that are not made: `noregret run`"), "{}", ended.stderr);
    let page = || std::fs::read_to_string(project.path().join("reports/report.md")).unwrap();
    let before = page();
    project.run(&["run/*", "comparator/*"]);
    let ended = ends(&project, 0, &["report"]);
    assert!(page() != before && !ended.stderr.contains("went without"), "{}", ended.stderr);
}

/// A table with the columns that were asked for, in their order, and what a mistake is told.
#[test]
fn tables_for_two_columns_have_the_columns_that_are_asked_for() {
    let project = Small::new();
    project.run(&["run/*", "comparator/*"]);
    let table = "tables/leaderboard";
    let asked = "leaderboard=average_loss,learner";
    let ended = ends(&project, 0, &["report", "--table-columns", asked]);
    assert!(ended.stderr.contains(&format!("reports/{table}-column.tex")), "{}", ended.stderr);
    let text = std::fs::read_to_string(project.path().join(format!("reports/{table}-column.tex"))).unwrap();
    assert!(text.contains("& Learner \\\\\n") && !text.contains("Error rate"), "{text}");
    refused(&project, &["report", "--table-columns", "leaderboard=lerner"], &["no column `lerner`", "learner"]);
    refused(&project, &["report", "--table-columns", "leaderbord"], &["no table `leaderbord`", "noregret list stages"]);
}

#[test]
fn status_tells_by_its_exit_status_whether_something_is_to_be_made() {
    let project = Small::new();
    printed(&project, &["status"]);
    ends(&project, 1, &["status", "--exit-code"]);
    project.run(&["run/spline-regret"]);
    ends(&project, 0, &["status", "--exit-code", "run/spline-regret"]);
    ends(&project, 1, &["status", "--exit-code", "run/*"]);
}

#[test]
fn a_plan_counts_equal_lines() {
    let project = Small::new();
    let plan = printed(&project, &["run", "-n", "--offline", "summarise/wine-quality"]);
    let lines: Vec<&str> = plan.lines().collect();
    assert_eq!(lines.len(), 3, "{plan}");
    assert!(lines[1].starts_with("run/wine-quality (6 items): not made yet"), "{plan}");
    assert_eq!(project.planned(&["summarise/wine-quality"]).lines().count(), 8);
}

#[test]
fn the_dag_of_a_target_has_what_it_needs() {
    let project = Small::new();
    let stages = |arguments: &[&str]| -> Vec<String> {
        let text = printed(&project, &[&["dag"], arguments].concat());
        text.lines().map(|line| line.split(' ').next().unwrap().to_owned()).collect()
    };
    assert_eq!(stages(&["run/wine-quality"]), ["prepare/wine-quality", "run/wine-quality"]);
    let all = stages(&[]);
    assert!(all.len() > 6 && all.iter().any(|stage| stage == "report"), "{all:?}");
    let dot = printed(&project, &["dag", "--dot", "run/wine-quality"]);
    assert!(dot.matches("label=").count() == 2 && dot.matches(" -> ").count() == 1, "{dot}");
    assert_eq!(printed(&project, &["dag", "--mermaid", "run/wine-quality"]).lines().count(), 4);
}

#[test]
fn a_condition_that_nothing_satisfies_says_so() {
    let project = Small::new();
    project.run(&["summarise/wine-quality"]);
    let query = |condition: &str| ends(&project, 0, &["query", "runs/wine-quality", "-w", condition]).stderr;
    let told = query("learner=fodg");
    assert!(told.contains("no row has learner=fodg; did you mean `fogd`? (`learner` has fogd, pkrr-taylor)"), "{told}");
    assert!(query("horizon=7").contains("(`horizon` has 300)"), "{}", query("horizon=7"));
    assert!(query("label~Z*").contains("no row has label~Z*"));
    assert_eq!(query("learner=fogd"), "");
}

#[test]
fn groups_have_intervals() {
    let project = Small::new();
    project.run(&["summarise/wine-quality"]);
    let group = ["query", "runs/wine-quality", "-g", "label", "-c", "average_loss", "--format", "csv"];
    let text = printed(&project, &group);
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("label,count,average_loss,average_loss_ci95"));
    // What grouping makes may be named, too.
    let named = ["query", "runs/wine-quality", "-g", "label", "-c", "count,average_loss_ci95", "--format", "csv"];
    assert_eq!(printed(&project, &named), text);
    let all = ["query", "runs/wine-quality", "-w", "label=FOGD", "-c", "average_loss", "--format", "csv"];
    let losses: Vec<f64> = printed(&project, &all).lines().skip(1).map(|line| line.parse().unwrap()).collect();
    let [a, b] = losses[..] else { panic!("{losses:?}") };
    let line = lines.find(|line| line.starts_with("FOGD,2,")).unwrap();
    let [mean, half] = line.splitn(4, ',').skip(2).map(|cell| cell.parse::<f64>().unwrap()).collect::<Vec<_>>()[..]
    else {
        panic!("{line}")
    };
    // t with one degree of freedom at 95 % is 12.7062; s / sqrt(2) = |a - b| / 2.
    assert!((mean - 0.5 * (a + b)).abs() < 1e-15 && (half / (12.706_204_736 * 0.5 * (a - b).abs()) - 1.0).abs() < 1e-8);
    let one = printed(&project, &["query", "runs/wine-quality", "-g", "run_id", "-c", "average_loss", "--json"]);
    assert!(one.lines().all(|line| line.contains("\"average_loss_ci95\":null")), "one value has no interval: {one}");
}
