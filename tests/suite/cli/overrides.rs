//! Overrides of the command line touch what has their key; labels say what differs in a grid.

use std::collections::BTreeSet;

use super::{ends, printed, refused};
use crate::pipeline::project::Small;

/// The labels of the planned cells of a target.
fn labels(project: &Small, arguments: &[&str]) -> BTreeSet<String> {
    let plan = printed(project, &[&["run", "-n", "-v", "--offline"], arguments].concat());
    let label = |line: &str| Some(line.strip_prefix("run/")?.split_once(' ')?.1.split_once(" on ")?.0.to_owned());
    plan.lines().filter_map(label).collect()
}

#[test]
fn an_override_leaves_alone_what_has_no_such_key() {
    let project = Small::new();
    let adversary = "title = \"A\"\nreplicates = 1\nhorizons = [8]\nstream = { law = \"greedy-adversary\" }\n\
                     [[learners]]\nname = \"kernel-ridge\"\nkernel = \"linear\"\n";
    project.write("pipeline/experiments/adversary.toml", adversary);
    for given in ["stream.scale=none", "test_rows=5", "lambda=0.1", "replicates=1", "comparator.lambda=2"] {
        printed(&project, &["run", "-n", "run/*", given]);
    }
    // The kernel of two learners has no bandwidth.
    refused(&project, &["run", "-n", "run/*", "kernel.bandwidth=2"], &["no experiment"]);
    project.write("pipeline/experiments/adversary.toml", &adversary.replace("linear", "gaussian"));
    let plan = printed(&project, &["run", "-n", "-v", "run/*", "kernel.bandwidth=[1, 2]"]);
    assert!(plan.contains("kernel.bandwidth = 2") && plan.contains("run/spline-regret AWV on"), "{plan}");
    // With the name of an experiment it is meant for that one, which must have it.
    refused(&project, &["run", "-n", "run/*", "adversary.stream.scale=none"], &["adversary.toml", "scale"]);
    // Nothing happens silently: the target does not need what the override fits.
    let elsewhere = ["need none of the experiments that it fits: wine-quality"];
    refused(&project, &["run", "-n", "run/spline-regret", "features=5"], &elsewhere);
}

/// A tuned learner whose parameter is set may be the same as another; it is left out, with a word.
#[test]
fn curves_that_an_override_makes_equal_are_left_out() {
    let project = Small::new();
    let tuned = "\n[[learners]]\nname = \"fogd\"\nlabel = \"tuned\"\nfeatures = 20\n\
                 tune = { horizon = 50, replicates = 1, eta = [0.1, 0.2] }\n";
    let path = "pipeline/experiments/wine-quality.toml";
    project.write(path, &(crate::pipeline::project::WINE.to_owned() + tuned));
    let ended = ends(&project, 0, &["run", "-n", "-v", "run/wine-quality", "eta=0.1"]);
    assert!(ended.stderr.contains("left out: wine-quality: `tuned` has the same runs as `FOGD`"), "{}", ended.stderr);
    assert!(!ended.stdout.contains("run/wine-quality tuned"), "{}", ended.stdout);
    let zipped = crate::pipeline::project::WINE.replace("lambda = [1, 1e-3]", "zip.lambda = [1, 1e-3]");
    project.write(path, &zipped);
    assert_eq!(labels(&project, &["run/wine-quality", "lambda=5"]).len(), 2);
    // Written in the file, the same curve twice is a mistake.
    project.write(path, &zipped.replace("[1, 1e-3]", "[1, 1]"));
    refused(&project, &["run", "-n", "run/wine-quality"], &["two curves are called"]);
}

#[test]
fn labels_say_what_differs_in_a_grid() {
    let project = Small::new();
    let text = |more: &str| {
        format!(
            "title = \"G\"\nreplicates = 1\nhorizons = [8]\nstream = {{ law = \"periodic-spline\" }}\n[[learners]]\n\
             name = \"kernel-awv\"\n{more}"
        )
    };
    let grid = |more: &str| {
        project.write("pipeline/experiments/grid.toml", &text(more));
        labels(&project, &["run/grid"]).into_iter().collect::<Vec<_>>()
    };
    let kernel = "kernel = { name = \"gaussian\", bandwidth = [0.5, 2] }\n";
    assert_eq!(grid(kernel), ["kernel-awv (kernel.bandwidth = 0.5)", "kernel-awv (kernel.bandwidth = 2)"]);
    let named = format!("label = \"AWV\"\n{kernel}");
    assert_eq!(grid(&named), ["AWV (kernel.bandwidth = 0.5)", "AWV (kernel.bandwidth = 2)"]);
    // What the author wrote stays where it tells the curves apart, and so does what was unambiguous before.
    assert_eq!(grid(&format!("label = \"b = {{kernel.bandwidth}}\"\n{kernel}")), ["b = 0.5", "b = 2"]);
    assert_eq!(grid("lambda = 2\nkernel = { bandwidth = 3 }\n"), ["kernel-awv (lambda = 2)"]);
    assert_eq!(grid("kernel = [\"gaussian\", \"laplace\"]\n").len(), 2);
    // A list on the command line needs no change of a label in the file.
    project.write("pipeline/experiments/grid.toml", &text("label = \"AWV\"\n"));
    let made = labels(&project, &["run/grid", "kernel.bandwidth=[0.5, 2]"]);
    assert!(made.contains("AWV (kernel.bandwidth = 2)"), "{made:?}");
}
