//! Mistakes on the command line are answered with what is allowed or meant, and one mistake has one exit status.

use super::{ends, printed, refused};
use crate::pipeline::project::Small;

const AWV: &str = "title = \"A\"\nreplicates = 1\nhorizons = [8]\nstream = { law = \"periodic-spline\" }\n\
                   [[learners]]\nname = \"kernel-awv\"\n";

#[test]
fn numbers_of_options_say_what_is_allowed() {
    let project = Small::new();
    let positive = "must be an integer of at least 1";
    for arguments in [
        &["run", "-j", "0"][..],
        &["run", "-j", "two"],
        &["submit", "--print", "--cpus", "0"],
        &["stream", "--learner", "fogd", "--input", "x.csv", "--copies", "0"],
        &["stream", "--learner", "fogd", "--input", "x.csv", "--limit", "0"],
    ] {
        refused(&project, arguments, &[positive]);
        assert!(!project.noregret(arguments).stderr.contains("non-zero"));
    }
    refused(&project, &["run", "-j", "257"], &["must be at most 256"]);
    for std in ["0", "1e160", "1e-170", "nan"] {
        let std = format!("--std={std}");
        refused(&project, &["stream", "--learner", "fogd", "--input", "x.csv", &std], &["between 1e-100 and 1e100"]);
    }
    let large = ["stream", "--learner", "fogd", "--input", "x.csv", "--delay", "1000000000000"];
    refused(&project, &large, &["must be a smaller integer"]);
    refused(&project, &["query", "-n", "-3"], &["unexpected argument"]);
    refused(&project, &["query", "-n", "x"], &["must be an integer of at least 0"]);
    refused(&project, &["diff", ".", ".", "--tolerance", "little"], &["must be a number of at least 0"]);
}

/// What is damaged is told of, with the way out.
#[test]
fn damaged_logs_and_datasets_are_told_of() {
    let project = Small::new();
    project.run(&["summarise/spline-regret"]);
    let query = ["query", "runs/spline-regret", "-g", "label", "-c", "status"];
    refused(&project, &query, &["`status` has words, of which there is no mean"]);
    let grouped = printed(&project, &["query", "runs/spline-regret", "-g", "label"]);
    assert!(grouped.contains("average_loss_ci95") && !grouped.contains("weight_1"), "{grouped}");
    assert_eq!(project.noregret(&["log"]).stderr, "");
    let log = project.path().join("results/log/runs.jsonl");
    let mut lines = std::fs::read(&log).unwrap();
    lines.extend(b"garbage\n{\"a\":1}\n");
    std::fs::write(&log, lines).unwrap();
    let told = project.noregret(&["log"]);
    assert!(told.stderr.contains("runs.jsonl: 2 lines cannot be read and are left out"), "{}", told.stderr);
    assert!(told.stdout.contains("summarise/spline-regret"), "{}", told.stdout);
    project.write("data/added/big.toml", "name = \"big\"\ntit");
    refused(&project, &["data", "remove", "big"], &["big.toml is wrong; remove it to forget the dataset"]);
    refused(&project, &["data", "remove", "bigger"], &["unknown dataset `bigger`"]);
}

#[test]
fn fields_of_a_stream_are_suggested() {
    let project = Small::new();
    for given in ["stream.ordr=file", "wine-quality.stream.ordr=file"] {
        refused(&project, &["run", "-n", "run/wine-quality", given], &["stream.order"]);
    }
    let all = ["dataset", "order", "scale", "target", "noise", "corruption", "label"];
    refused(&project, &["run", "-n", "run/wine-quality", "wine-quality.stream.zzz=1"], &all);
    refused(&project, &["run", "-n", "run/wine-quality", "stream.zzz=1"], &all);
    project.edit("pipeline/experiments/wine-quality.toml", "scale = \"unit\"", "ordr = \"file\"");
    refused(&project, &["run", "-n", "run/wine-quality"], &["`stream.ordr`", "did you mean `stream.order`?"]);
}

#[test]
fn a_parameter_of_a_part_is_suggested() {
    let project = Small::new();
    project.write("pipeline/experiments/awv.toml", AWV);
    project.write("x.csv", "a,y\n1,2\n");
    let meant = "(did you mean `kernel.bandwidth`?)";
    let stream = ["stream", "--learner", "kernel-awv", "--input", "x.csv", "--target", "y", "--set", "bandwidth=0.3"];
    refused(&project, &stream, &["unknown parameter `bandwidth`", meant]);
    refused(&project, &["run", "-n", "run/awv", "kernel-awv.bandwidth=1"], &["`kernel-awv.kernel.bandwidth`"]);
    project.write("pipeline/experiments/awv.toml", &format!("{AWV}bandwidth = 1\n"));
    refused(&project, &["run", "-n", "run/awv"], &["unknown parameter `bandwidth`", meant]);
}

#[test]
fn types_are_told_in_plain_words() {
    let project = Small::new();
    let run = |given: &'static str| ["run", "-n", "run/wine-quality", given];
    refused(
        &project,
        &run("seed=-1"),
        &["a value out of range: the integer `-1`, expected an integer from 0", "`seed`"],
    );
    refused(&project, &run("replicates=x"), &["a wrong type: the text \"x\", expected an integer"]);
    refused(&project, &run("learners=[]"), &["no experiment"]);
}

#[test]
fn decimal_points_may_lead_or_trail() {
    let project = Small::new();
    for given in ["lambda=.1", "lambda=1.", "pkrr-taylor.lambda=+.5"] {
        let steps = printed(&project, &["run", "-n", "run/wine-quality", given]);
        assert!(steps.contains("run/wine-quality"), "{steps}");
    }
    let shown = printed(&project, &["run", "-n", "-v", "run/wine-quality", "lambda=.1"]);
    assert!(shown.contains("PKRR M = 1, lambda = 0.1 on"), "{shown}");
}

#[test]
fn targets_that_name_nothing_are_answered_with_what_is_meant() {
    let project = Small::new();
    for (target, meant) in [
        ("run/wine-qualty", "did you mean `run/wine-quality`?"),
        ("wine-quality", "did you mean `run/wine-quality`?"),
        ("wine-qualty", "did you mean `run/wine-quality`?"),
        ("nope", "no stage is named `nope` (`noregret list stages` lists all)"),
    ] {
        refused(&project, &["run", "-n", target], &[meant]);
    }
    // Also where another file is wrong.
    project.write("pipeline/experiments/bad.toml", "bad = [");
    refused(&project, &["run", "-n", "run/wine-qualty"], &["no stage is named"]);
}

#[test]
fn one_mistake_has_one_exit_status() {
    let project = Small::new();
    project.write("x.csv", "a,y\n1,2\n2,3\n");
    let stream = |more: &[&'static str]| [&["stream", "--learner", "running-mean"], more].concat();
    let add = |more: &[&'static str]| [&["data", "add", "--name", "mine"], more].concat();
    // A column that is not there.
    for arguments in [stream(&["--input", "x.csv", "--target", "z"]), add(&["x.csv", "--target", "z"])] {
        refused(&project, &arguments, &["no column `z`"]);
    }
    // A file that is not there.
    for arguments in [stream(&["--input", "nope.csv", "--target", "y"]), add(&["nope.csv", "--target", "y"])] {
        let ended = ends(&project, 1, &arguments);
        assert!(ended.stderr.contains("nope.csv: no such file"), "{}", ended.stderr);
    }
    // A name that nothing has.
    for arguments in [
        &["describe", "fodg"][..],
        &["data", "fetch", "wine-qualty"],
        &["data", "remove", "wine-qualty"],
        &["data", "update", "wine-qualty"],
        &["query", "runs/wine-qualty"],
        &["diff", "runs/wine-qualty", "runs/wine-quality"],
        &["run", "run/wine-qualty"],
        &["status", "run/wine-qualty"],
        &["dag", "run/wine-qualty"],
        &["verify", "run/wine-qualty"],
        &["stream", "--learner", "fodg", "--input", "x.csv", "--target", "y"],
        &["run", "--profile", "quik"],
    ] {
        refused(&project, arguments, &["did you mean"]);
    }
    // A table that is not made yet.
    for arguments in [&["query"][..], &["query", "runs/wine-quality"], &["diff", "runs/wine-quality", "runs"]] {
        refused(&project, arguments, &["is not made yet", "`noregret run summarise/"]);
    }
    // A folder that is not there.
    for arguments in [&["--project", "nowhere", "list"][..], &["-C", "nowhere", "list"]] {
        refused(&project, arguments, &["cannot read nowhere"]);
    }
}

/// One bad file disables what needs it and nothing else.
#[test]
fn only_what_is_needed_is_validated() {
    let project = Small::new();
    for bad in ["experiments/bad", "figures/bad", "tables/bad", "rates/bad", "datasets/bad"] {
        project.write(&format!("pipeline/{bad}.toml"), "bad = [");
    }
    project.write("pipeline/experiments/on-bad.toml", &AWV.replace("law = \"periodic-spline\"", "dataset = \"bad\""));
    assert!(printed(&project, &["describe", "fogd"]).starts_with("learner fogd\n"));
    let fogd = printed(&project, &["describe", "fogd"]);
    assert!(fogd.contains("  in `noregret compare`\n    eta: 0.01, 0.03, 0.1, 0.3, 1\n"), "{fogd}");
    assert!(fogd.contains("bandwidth: 0.5, 1, 2 times the typical distance of two rows\n"), "{fogd}");
    assert!(printed(&project, &["describe", "running-mean"]).contains("    a baseline, always played\n"));
    assert!(
        printed(&project, &["describe", "noisy-radial"]).contains("    left out: it learns from noisy copies only\n")
    );
    let auto = printed(&project, &["describe", "auto"]);
    for line in [
        "  members\n    mean ",
        " linear, lambda 0.3, memory 50, of the columns\n",
        "\n    kernel-1-500 ",
        " Gaussian kernel, bandwidth 1 medians, lambda 0.1, memory 500, of the columns\n",
        " mean of the 15 nearest, of the columns\n  in `noregret compare`\n",
    ] {
        assert!(auto.contains(line), "{line}: {auto}");
    }
    assert!(!fogd.contains("members"), "{fogd}");
    assert!(printed(&project, &["describe", "spline-regret"]).starts_with("experiment spline-regret\n"));
    assert!(printed(&project, &["list", "learners"]).contains("fogd"));
    let listed = printed(&project, &["list", "experiments"]);
    assert!(
        listed.contains("spline-regret  Spline:") && listed.contains("bad            cannot be used: "),
        "{listed}"
    );
    assert!(printed(&project, &["data", "list"]).contains("(used by wine-quality)"));
    printed(&project, &["run", "-n", "run/spline-regret", "table/leaderboard", "figure/wine-quality-loss"]);
    printed(&project, &["run", "-n", "run/spline-regret", "lambda=2"]);
    project.run(&["summarise/spline-regret"]);
    printed(&project, &["query", "runs/spline-regret"]);
    printed(&project, &["status", "run/spline-regret"]);
    // What needs a bad file, and what needs everything, is refused.
    for target in ["run/bad", "figure/bad", "table/bad", "rates/bad", "fetch/bad", "run/on-bad", "report"] {
        refused(&project, &["run", "-n", target], &["bad.toml"]);
    }
    refused(&project, &["run", "-n"], &["bad.toml"]);
    refused(&project, &["gc", "-n"], &["bad.toml"]);
    refused(&project, &["describe", "bad"], &["bad.toml"]);
}

#[test]
fn a_target_that_a_broken_file_hides_is_told_with_the_file() {
    let project = Small::new();
    refused(&project, &["run", "-n", "figure/gone"], &["no stage is named `figure/gone`"]);
    project.write("pipeline/more/broken.toml", "[figure.gone]\ntitle = \"a \"quote\"\n");
    refused(&project, &["run", "-n", "figure/gone"], &["no stage is named `figure/gone`", "broken.toml"]);
}
