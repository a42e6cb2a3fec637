//! `--json` of every command that prints results: one JSON value on standard output, and nothing else.

use serde_json::Value;

use super::printed;
use crate::pipeline::inputs::{TINY, with_own_data};
use crate::pipeline::project::Small;

fn json(project: &Small, status: i32, arguments: &[&str]) -> Value {
    let ended = project.noregret(&[arguments, &["--json"]].concat());
    assert_eq!(ended.status, status, "{arguments:?}: {}", ended.stderr);
    serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {}", ended.stdout))
}

#[test]
fn every_command_that_prints_results_has_json() {
    let project = with_own_data(TINY);
    let ok = |arguments: &[&str]| json(&project, 0, arguments);
    assert_eq!(ok(&["data", "add", "own/tiny.csv", "--name", "tiny", "--target", "y"])[0]["rows"], 4);
    assert_eq!(ok(&["data", "verify", "tiny"])[0]["state"], "sound");
    assert_eq!(ok(&["data", "update", "tiny"])[0]["changed"], false);
    let datasets = ok(&["data", "list"]);
    assert_eq!((&datasets[0]["name"], &datasets[0]["used_by"][0]), (&"tiny".into(), &"own".into()));
    assert_eq!(ok(&["run", "-n", "--offline", "run/spline-regret"])["steps"].as_array().unwrap().len(), 4);
    assert_eq!(ok(&["run", "--offline", "summarise/spline-regret"])["made"]["run/spline-regret"], 4);
    assert_eq!(ok(&["status", "run/spline-regret"])[0]["fresh"], 4);
    assert_eq!(ok(&["explain", "run/spline-regret"])[0]["stage"], "run/spline-regret");
    let dag = ok(&["dag", "summarise/spline-regret"]);
    assert!(dag[2]["reads"].to_string().contains("run/spline-regret") || dag.to_string().contains("reads"), "{dag}");
    assert_eq!(ok(&["list", "kernels"])[0]["kind"], "kernel");
    assert_eq!(ok(&["describe", "fogd"])[0]["parameters"][0]["name"], "eta");
    assert_eq!(ok(&["describe", "spline-regret"])[0]["curves"][0]["label"], "AWV");
    assert!(ok(&["describe", "noisy-theorem-3"]).to_string().contains("\"kind\":\"theorem\""));
    assert_eq!(ok(&["log"])[0]["end"], "done");
    let verified = ok(&["verify", "run/spline-regret"]);
    assert_eq!((&verified["sound"], &verified["files"]), (&true.into(), &4.into()));
    assert_eq!(json(&project, 1, &["verify", "run/wine-quality"])["not_made"][0]["items"], 6);
    assert_eq!(ok(&["diff", "runs/spline-regret", "runs/spline-regret"])["differ"], false);
    assert!(ok(&["gc", "-n"])["files"].is_array());
    assert!(ok(&["clean", "-n", "run/spline-regret"])["files"].as_array().unwrap().len() > 3);
    assert!(ok(&["report"])["report"].as_str().unwrap().ends_with("reports/index.html"));
    let rows = printed(&project, &["query", "runs/spline-regret", "--json"]);
    assert!(rows.lines().count() == 4 && rows.lines().all(|row| serde_json::from_str::<Value>(row).is_ok()));
    assert_eq!(ok(&["data", "remove", "--force", "tiny"])[0]["name"], "tiny");
}
