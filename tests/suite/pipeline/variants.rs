//! Runs with overrides: variants stand beside the project and beside each other, and say what they are.

use super::project::{Small, read};

const LAMBDA: [&str; 2] = ["wine-quality.fogd.eta=0.1", "wine-quality.fogd.eta=0.2"];

fn description(project: &Small, folder: &str) -> serde_json::Value {
    let path = project.path().join(folder).join("reports/figures/wine-quality-loss.json");
    serde_json::from_str(&read(&path)).unwrap()
}

#[test]
fn an_override_overwrites_nothing() {
    let project = Small::new();
    project.run(&["figure/wine-quality-loss"]);
    let published = || -> Vec<(String, Vec<u8>)> {
        project.results().into_iter().filter(|(path, _)| !path.starts_with("results/store")).collect()
    };
    let sound = published();
    // A variant that was not made yet is explained as a change of the project.
    let explained = project.noregret(&["explain", "run/wine-quality", LAMBDA[0]]).stdout;
    assert!(explained.contains("eta"), "{explained}");
    for given in LAMBDA {
        let ended = project.run(&["figure/wine-quality-loss", given]);
        assert!(ended.stderr.contains("published as a variant"), "{}", ended.stderr);
    }
    assert!(published() == sound, "what the files say stays as it is");
    assert!(project.run(&["figure/wine-quality-loss"]).stderr.contains("nothing to do"));
    let told: Vec<String> =
        LAMBDA.iter().map(|given| description(&project, &format!("variants/{given}")).to_string()).collect();
    assert_ne!(told[0], told[1]);
    for (given, text) in LAMBDA.iter().zip(&told) {
        let variant = description(&project, &format!("variants/{given}"));
        assert_eq!(variant["title"], format!("Wine ({given})"));
        assert!(variant["caption"][0].as_str().unwrap().contains(given), "{text}");
        let setup = variant["setup"].to_string();
        assert!(setup.contains(&format!("noregret run figure/wine-quality-loss {given}")), "{setup}");
        assert!(setup.contains(&format!("[\"Overrides\",\"{given}\"]")), "{setup}");
        // Made once, it is fresh, and so are the cells of the other learner.
        let again = project.run(&["figure/wine-quality-loss", given]);
        assert!(again.stderr.contains("nothing to do"), "{}", again.stderr);
    }
    let own = description(&project, "");
    assert_eq!(own["title"], "Wine");
    assert!(!own["setup"].to_string().contains("Overrides"), "{own}");
    let log = project.noregret(&["log"]).stdout;
    assert!(LAMBDA.iter().all(|given| log.contains(&format!("as variant {given}"))), "{log}");
    // A file that a variant has lost is its own.
    std::fs::remove_file(project.path().join(format!("variants/{}/reports/figures/wine-quality-loss.svg", LAMBDA[0])))
        .unwrap();
    assert!(project.run(&["figure/wine-quality-loss"]).stderr.contains("nothing to do"));
    assert!(!project.run(&["figure/wine-quality-loss", LAMBDA[0]]).stderr.contains("nothing to do"));
}

#[test]
fn gc_keeps_the_cells_of_a_variant_until_its_folder_is_removed() {
    let project = Small::new();
    let figure = ["figure/wine-quality-loss", LAMBDA[0]];
    project.run(&figure);
    assert_eq!(project.noregret(&["gc"]).status, 0);
    assert!(project.run(&figure).stderr.contains("nothing to do"));
    std::fs::remove_dir_all(project.path().join(format!("variants/{}", LAMBDA[0]))).unwrap();
    assert_eq!(project.noregret(&["gc"]).status, 0);
    let again = project.noregret(&["run", "-n", "run/wine-quality", LAMBDA[0]]);
    assert!(!again.stderr.contains("nothing to do") && !again.stdout.contains("nothing to do"), "{again:?}");
}

/// A style has a folder of its own, changes the look alone, and is drawn again when it is edited.
#[test]
fn a_style_changes_no_figure_of_the_project() {
    let project = Small::new();
    project.run(&["figure/wine-quality-loss"]);
    let svg = |folder: &str| {
        let path = project.path().join(folder).join("reports/figures/wine-quality-loss.svg");
        std::fs::read_to_string(path).unwrap()
    };
    let plain = svg("");
    let file = project.path().join("journal.toml");
    let given = ["figure/wine-quality-loss", "--style", file.to_str().unwrap()];
    std::fs::write(&file, "fnt = 'Palatino'").unwrap();
    let refused = project.noregret(&[&["run"], &given[..]].concat());
    assert!(
        refused.status != 0 && refused.stderr.contains("journal.toml") && refused.stderr.contains("fnt"),
        "{}",
        refused.stderr
    );
    std::fs::write(&file, "font = 'Palatino'").unwrap();
    assert!(project.run(&given).stderr.contains("published as a variant"));
    let styled = svg("variants/style=journal");
    let family = |svg: &str| svg.split("font-family=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    assert_eq!(family(&styled), format!("'Palatino', {}", family(&plain)));
    assert_eq!(styled.replace("'Palatino', ", ""), plain, "only the font differs");
    assert!(project.run(&given).stderr.contains("nothing to do"));
    assert!(svg("") == plain && project.run(&["figure/wine-quality-loss"]).stderr.contains("nothing to do"));
    std::fs::write(&file, "line = 2").unwrap();
    project.run(&given);
    assert!(svg("variants/style=journal") != styled);
}

#[test]
fn two_results_are_held_against_each_other() {
    let project = Small::new();
    project.run(&["figure/wine-quality-loss"]);
    project.run(&["figure/wine-quality-loss", LAMBDA[0]]);
    let other = format!("variants/{}", LAMBDA[0]);
    let ended = project.noregret(&["report", "--against", &other]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    assert!(ended.stdout.trim_end().ends_with("reports/against.html"), "{}", ended.stdout);
    let csv = read(&project.path().join("reports/against.csv"));
    let rows: Vec<&str> = csv.lines().skip(1).collect();
    // FOGD has another step; the two curves of PKRR are the same runs.
    assert!(rows[0].contains(",FOGD,") && !rows[0].starts_with("equal"), "{csv}");
    assert_eq!(rows.iter().filter(|row| row.starts_with("equal,") && row.contains("PKRR")).count(), 2, "{csv}");
    let page = read(&project.path().join("reports/against.html"));
    assert!(page.contains("FOGD") && !page.contains("http"), "{page}");
    let nothing = project.noregret(&["report", "--against", "pipeline"]);
    assert_eq!(nothing.status, 2, "{}", nothing.stderr);
    assert!(nothing.stderr.contains("contains no results"), "{}", nothing.stderr);
}

#[test]
fn the_numbers_of_a_variant_are_asked_for_by_its_name() {
    let project = Small::new();
    project.run(&["summarise/wine-quality"]);
    project.run(&["summarise/wine-quality", LAMBDA[0]]);
    let table = |more: &[&str]| {
        let words = ["query", "runs/wine-quality", "-w", "label=FOGD", "-c", "label,average_loss"];
        project.noregret(&[&words, more].concat())
    };
    let (own, other) = (table(&[]), table(&["--variant", LAMBDA[0]]));
    assert!(own.status == 0 && other.status == 0 && own.stdout != other.stdout, "{own:?} {other:?}");
    let unknown = table(&["--variant", LAMBDA[1]]);
    assert_eq!(unknown.status, 2);
    assert!(unknown.stderr.contains(&format!("there are: {}", LAMBDA[0])), "{}", unknown.stderr);
    // All runs are those of the experiments that were made.
    let all =
        project.noregret(&["query", "runs", "-w", "label=FOGD", "-c", "label,average_loss", "--variant", LAMBDA[0]]);
    assert_eq!(all.stdout, other.stdout);
    // Where tables are left to be made, the hint is to those of the variant.
    let hint = project.noregret(&["run", "run/wine-quality", LAMBDA[0], "seed=3"]).stderr;
    let run = format!("summarise/wine-quality {} seed=3`", LAMBDA[0]);
    let query = format!("--variant {}+seed=3`", LAMBDA[0]);
    assert!(hint.contains(&run) && hint.contains(&query), "{hint}");
    let missing = project.noregret(&["query", "runs/spline-regret", "--variant", LAMBDA[0]]);
    assert!(
        missing.stderr.contains("`noregret run summarise/spline-regret`, with the overrides of the variant, makes it")
    );
}
