//! Experiments that vary another one, in its file.

use super::project::{SPLINE, Small};

/// What differs from the experiment [`SPLINE`].
const SIGNAL: &str = "title = 'A signal'\nstream = { targets = 'signal' }\n";

#[test]
fn where_an_experiment_is_declared_changes_no_result() {
    let project = Small::new();
    let study = "pipeline/experiments/spline-regret.toml";
    let varied = format!("{SPLINE}\n[experiment.signal]\n{SIGNAL}");
    project.write(study, &varied);
    let described = project.noregret(&["describe", "signal"]).stdout;
    assert!(described.ends_with(&format!("declared in {study}: experiment.signal\n")), "{described}");
    let made = project.run(&["run/signal"]).stderr;
    assert!(made.contains("4 made"), "{made}");
    let both = project.run(&["run/spline-regret"]).stderr;
    assert!(both.contains("4 made"), "the one that is varied shares no run: {both}");

    project.write(study, SPLINE);
    project.write("pipeline/other/signal.toml", &format!("like = 'spline-regret'\n{SIGNAL}"));
    let described = project.noregret(&["describe", "signal"]).stdout;
    assert!(described.ends_with("declared in pipeline/other/signal.toml\n"), "{described}");
    for target in ["run/signal", "run/spline-regret"] {
        let again = project.run(&[target]).stderr;
        assert!(again.contains("nothing to do"), "{again}");
    }
    // What both have from one file changes with it.
    project.edit(study, "horizons = [32, 64]", "horizons = [32, 64, 128]");
    let more = project.run(&["run/signal"]).stderr;
    assert!(more.contains("2 made"), "{more}");
    project.write(study, &varied);
    let refused = project.noregret(&["run", "run/signal"]);
    assert_eq!(refused.status, 2, "{}", refused.stderr);
    assert!(refused.stderr.contains("spline-regret.toml: experiment.signal"), "{}", refused.stderr);
}
