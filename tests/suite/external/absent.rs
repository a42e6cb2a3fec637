//! Declared learners that cannot be started, or whose files are wrong, stop nothing that does without them.

use crate::pipeline::project::Small;

const DECLARED: &str = "summary = 'Mine'\nversion = '1'\ncommand = ['COMMAND']\nfiles = ['learners/mine']\n";

/// A project with a learner of this declaration and this script, an experiment that plays it, and one that does not.
fn project(declaration: &str, script: Option<(&str, u32)>) -> Small {
    let project = super::project(&[], 50, "absent");
    let experiment = "title = 'Mine'\nreplicates = 1\nhorizons = [50]\n[stream]\nlaw = 'uniform-inputs'\ndim = 2\n\
                      [[learners]]\nname = 'mine'\n[[learners]]\nname = 'running-mean'\nlabel = 'own'\n";
    project.write("pipeline/experiments/mine.toml", experiment);
    project.write("pipeline/learners/mine.toml", declaration);
    if let Some((script, mode)) = script {
        project.write("learners/mine", script);
        let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
        std::fs::set_permissions(project.path().join("learners/mine"), mode).unwrap();
    }
    project
}

#[test]
fn a_learner_that_cannot_be_started_is_unavailable_where_it_plays_and_nowhere_else() {
    let own = DECLARED.replace("COMMAND", "learners/mine");
    for (declaration, script, needs, remedy) in [
        (own.clone(), None, "`learners/mine`, which cannot be read (No such file", "put learners/mine there, or"),
        (
            DECLARED.replace("COMMAND", "no-such-command"),
            Some(("", 0o644)),
            "`no-such-command`, which is not here",
            "install `no-such-command`, or",
        ),
        (own.clone(), Some(("#!/bin/sh\n", 0o644)), "`learners/mine`, which may not be executed", "chmod +x "),
        (
            own,
            Some(("#! /no/such/sh -e\n", 0o755)),
            "/no/such/sh, the interpreter of `learners/mine`, which is not",
            "install /no/such/sh, or change",
        ),
    ] {
        let project = project(&declaration, script);
        let ended = project.run(&["summarise/naughty"]);
        assert!(ended.stderr.contains("3 made") && !ended.stderr.contains("mine"), "{needs}: {}", ended.stderr);
        for arguments in [&["run/mine"][..], &["summarise/mine"]] {
            let ended = project.run(arguments);
            let reason = format!("the learner mine needs {needs}");
            assert!(ended.stderr.contains("unavailable") && ended.stderr.contains(&reason), "{}", ended.stderr);
            assert!(ended.stderr.contains(&format!("remedy: {remedy}")), "{remedy}: {}", ended.stderr);
        }
        project.write("data.csv", "x,y\n1,2\n3,4\n");
        let ended = project.noregret(&["stream", "--learner", "mine", "--input", "data.csv", "--target", "y"]);
        assert!(ended.status == 1 && ended.stderr.contains(needs), "{}", ended.stderr);
        assert!(ended.stderr.contains(&format!("remedy: {remedy}")), "{remedy}: {}", ended.stderr);
        // There it is: the runs are made.
        project.write("learners/mine", "x");
        project.write("pipeline/learners/mine.toml", &DECLARED.replace("COMMAND", "true"));
        let ended = project.noregret(&["run", "--offline", "run/mine"]);
        assert!(ended.status == 1 && ended.stderr.contains("ended with status 0"), "{}", ended.stderr);
        // A process that never answers may lack a package.
        let remedied = format!("{}remedy = 'install it'\n", DECLARED.replace("COMMAND", "true"));
        project.write("pipeline/learners/mine.toml", &remedied);
        let ended = project.noregret(&["run", "--offline", "run/mine"]);
        assert!(ended.stderr.contains("; remedy: install it"), "{}", ended.stderr);
    }
}

#[test]
fn a_wrong_declaration_is_an_error_where_its_learner_is_meant_and_nowhere_else() {
    for (declaration, why) in [
        (DECLARED.replace("['COMMAND']", "[]"), "`command`: must name a command"),
        ("summary = ".to_owned(), "TOML"),
        (DECLARED.replace("summary", "sumary"), "sumary"),
    ] {
        let project = project(&declaration, Some(("", 0o755)));
        let made = project.run(&["summarise/naughty"]);
        assert!(made.stderr.contains("3 made") && !made.stderr.contains("mine"), "{}", made.stderr);
        assert_eq!(project.noregret(&["list"]).status, 0);
        project.write("data.csv", "x,y\n1,2\n3,4\n");
        let over = ["--input", "data.csv", "--target", "y"];
        for arguments in [
            &["run", "--offline", "run/mine"][..],
            &["run", "--offline"],
            &["describe", "mine"],
            &["check-learner", "mine"],
            &[&["stream", "--learner", "mine"], &over[..]].concat(),
            &[&["stream", "--learner", "intervals", "--set", "base.name=mine"], &over[..]].concat(),
        ] {
            let ended = project.noregret(arguments);
            assert_eq!(ended.status, 2, "{arguments:?}: {}", ended.stderr);
            assert!(
                ended.stderr.contains("mine.toml") && ended.stderr.contains(why),
                "{arguments:?}: {}",
                ended.stderr
            );
        }
        let others = project.noregret(&[&["stream", "--learner", "running-mean"], &over[..]].concat());
        assert_eq!(others.status, 0, "{}", others.stderr);
    }
}
