//! New projects from the binary alone: in folders outside the repository.

mod schema;
mod validator;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use noregret_study::config::learners::Learners;
use noregret_study::config::reference::FileKind;

use crate::data::fetch::server::{Answer, Pages};
use crate::pipeline::project::Ended;
use validator::errors;

/// Runs the program in a folder, without variables that name data or profiles.
fn noregret(folder: &Path, arguments: &[&str]) -> Ended {
    let mut command = Command::new(env!("CARGO_BIN_EXE_noregret"));
    command.current_dir(folder).args(arguments).env_remove("NOREGRET_PROFILE").env_remove("NOREGRET_MIRROR");
    command.output().unwrap().into()
}

/// The same, which succeeds.
fn done(folder: &Path, arguments: &[&str]) -> String {
    let ended = noregret(folder, arguments);
    assert_eq!(ended.status, 0, "{arguments:?}: {ended:?}");
    ended.stdout
}

/// All files below a folder, relative to it.
fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => open.push(path),
                false => drop(found.insert(path.strip_prefix(folder).unwrap().to_owned(), fs::read(&path).unwrap())),
            }
        }
    }
    found
}

/// Rows of y = a + b/2 with a header, in which `y` is a class where `classes` names two.
fn csv(rows: u32, classes: Option<[&str; 2]>) -> String {
    let mut text = "a,b,y\n".to_owned();
    for i in 0..rows {
        let (a, b) = (i * 7 % 11, i * 5 % 13);
        let y = match classes {
            None => format!("{}", f64::from(a) + f64::from(b) / 2.0),
            Some([small, large]) => if a > 5 { large } else { small }.to_owned(),
        };
        text += &format!("{a},{b},{y}\n");
    }
    text
}

#[test]
fn an_empty_folder_becomes_a_project_with_a_report() {
    let folder = tempfile::tempdir().unwrap();
    let said = done(folder.path(), &["init"]);
    assert!(said.contains("noregret run --profile quick") && !said.contains("  cd "), "{said}");
    // Files have the schema that their first line names, and keep to it.
    for (file, path) in [
        (FileKind::Experiment, "pipeline/experiments/learners.toml"),
        (FileKind::Dataset, "pipeline/datasets/wine-quality.toml"),
        (FileKind::Profiles, "pipeline/profiles.toml"),
    ] {
        let path = folder.path().join(path);
        let text = fs::read_to_string(&path).unwrap();
        let schema = text.lines().next().unwrap().strip_prefix("#:schema ").unwrap();
        let up = if file == FileKind::Profiles { "" } else { "../" };
        assert_eq!(schema, format!("{up}schemas/{}.json", file.name()));
        let schema: serde_json::Value =
            serde_json::from_slice(&fs::read(path.parent().unwrap().join(schema)).unwrap()).unwrap();
        let value = serde_json::to_value(text.parse::<toml::Table>().unwrap()).unwrap();
        assert_eq!(
            (errors(&schema, &value), schema == file.schema(&Learners::default())),
            (Vec::new(), true),
            "{}",
            path.display()
        );
        assert!(!text.contains("{{"), "{text}");
    }

    let ended = noregret(folder.path(), &["run", "--profile", "quick", "-j", "2"]);
    assert_eq!(ended.status, 0, "{ended:?}");
    let page = fs::read_to_string(folder.path().join("reports/report.md")).unwrap();
    assert!(page.contains("## Learners on wine-quality") && page.contains("figures/average-loss.svg"), "{page}");
    assert!(!page.contains("Across the papers") && page.contains("FOGD, tuned"), "{page}");
    assert!(page.contains("## What is missing and why\n\nNo figure or table is missing. If one of them leaves something out, its notes say so.") && page.contains("quick"), "{page}");
    let html = fs::read_to_string(folder.path().join("reports/own.html")).unwrap();
    assert!(html.contains("<h2>Learners on wine-quality</h2>"), "{html}");
    assert!(noregret(folder.path(), &["run", "--profile", "quick"]).stderr.contains("nothing to do"));
    // Where no profile is named, the project's default is run.
    let plan = noregret(folder.path(), &["run", "-n"]);
    assert_eq!(plan.status, 0, "{plan:?}");
    assert!(noregret(folder.path(), &["run", "--profile", "papr", "-n"]).stderr.contains("full, quick, standard"));

    // Nothing is overwritten, also where only some files are in the way.
    let before = tree(folder.path());
    let again = noregret(folder.path(), &["init"]);
    assert_eq!(again.status, 2, "{again:?}");
    assert!(
        again.stderr.contains("holds a project already") && again.stderr.contains("name another folder"),
        "{again:?}"
    );
    assert!(before == tree(folder.path()));
}

#[test]
fn a_file_of_ones_own_is_what_the_experiment_plays_on() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("My Data.csv"), csv(60, None)).unwrap();
    let wrong = noregret(folder.path(), &["init", "p", "--data", "My Data.csv", "--target", "z"]);
    assert!(wrong.status == 2 && wrong.stderr.contains("no column `z`"), "{wrong:?}");
    assert!(!folder.path().join("p/pipeline").exists() && !folder.path().join("p/data/added").exists());
    let missing = noregret(folder.path(), &["init", "p", "--data", "none.csv", "--target", "y"]);
    assert!(missing.status == 1 && missing.stderr.contains("none.csv"), "{missing:?}");
    let said = done(folder.path(), &["init", "p", "--data", "My Data.csv", "--target", "y"]);
    assert!(said.contains("  cd p\n"), "{said}");
    let project = folder.path().join("p");
    let experiment = fs::read_to_string(project.join("pipeline/experiments/learners.toml")).unwrap();
    assert!(experiment.contains("dataset = \"my-data\"") && experiment.contains("60 rows, 2 inputs"), "{experiment}");
    done(&project, &["run", "--profile", "quick", "-j", "2"]);
    let page = fs::read_to_string(project.join("reports/report.md")).unwrap();
    assert!(page.contains("## Learners on my-data") && !page.contains("wine"), "{page}");

    // Classes: -1 and +1 however they are written. The file is kept that is there already.
    for (name, classes, target) in [("signs", ["0", "1"], "\"sign\""), ("twos", ["1", "2"], "\"symmetric\"")] {
        fs::write(folder.path().join("c.csv"), csv(60, Some(classes))).unwrap();
        fs::create_dir(folder.path().join(name)).unwrap();
        fs::write(folder.path().join(name).join("README.md"), "mine").unwrap();
        done(folder.path(), &["init", name, "--data", "c.csv", "--target", "y", "--name", name]);
        let experiment = folder.path().join(name).join("pipeline/experiments/learners.toml");
        let text = fs::read_to_string(experiment).unwrap();
        assert!(text.contains(&format!("target = {target}")) && text.contains("name = \"majority\""), "{text}");
        assert_eq!(fs::read(folder.path().join(name).join("README.md")).unwrap(), b"mine");
        done(&folder.path().join(name), &["run", "--profile", "quick", "-n"]);
    }
    // Written by pandas, with a target that is missing.
    let row = |i: i32| format!("{i},{},{}\n", i % 7, if i == 5 { String::new() } else { (i % 5).to_string() });
    fs::write(folder.path().join("gap.csv"), format!(",\"a, cm\",y\n{}", (0..60).map(row).collect::<String>()))
        .unwrap();
    let gap =
        |more: &[&str]| noregret(folder.path(), &[&["init", "g", "--data", "gap.csv", "--target", "y"], more].concat());
    let refused = gap(&[]);
    assert!(refused.status == 1 && refused.stderr.contains("leave such rows out (--missing drop)"), "{refused:?}");
    let kept = gap(&["--missing", "drop", "--numbers", "\"a, cm\""]);
    assert_eq!(kept.status, 0, "{kept:?}");
    for note in ["gap: 59 rows x 2 inputs", "the index of pandas, it seems", "1 row is left out"] {
        assert!(kept.stdout.contains(note), "{note}: {kept:?}");
    }
    done(&folder.path().join("g"), &["run", "--profile", "quick", "-n"]);
    fs::write(folder.path().join("empty.csv"), "a,b,y\n,1,2\n,2,3\n").unwrap();
    let none = noregret(folder.path(), &["init", "e", "--data", "empty.csv", "--target", "y", "--missing", "drop"]);
    assert!(none.status != 0 && none.stderr.contains("every row misses a value"), "{none:?}");
    let both = noregret(folder.path(), &["init", "q", "--from", "paper", "--data", "c.csv"]);
    assert!(both.status == 2 && both.stderr.contains("--from paper"), "{both:?}");
}

#[test]
fn from_paper_unpacks_the_pipeline_of_this_repository() {
    let folder = tempfile::tempdir().unwrap();
    done(folder.path(), &["init", "papers", "--from", "paper"]);
    let root = folder.path().join("papers");
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (unpacked, original) = (tree(&root.join("pipeline")), tree(&repository.join("pipeline")));
    assert!(unpacked.len() > 100 && unpacked == original, "{} files, {} files", unpacked.len(), original.len());
    let lock = "results/pipeline.lock";
    assert!(fs::read(root.join(lock)).unwrap() == fs::read(repository.join(lock)).unwrap());
    let plan = done(&root, &["run", "-n", "--offline", "run/wine-quality", "--profile", "quick"]);
    assert!(plan.contains("run/wine-quality"), "{plan}");
}

/// The bench has the streams that it promises, each with an address and a hash, and its learners' scripts.
#[test]
fn from_streams_writes_the_bench() {
    let folder = tempfile::tempdir().unwrap();
    let said = done(folder.path(), &["init", "bench", "--from", "streams"]);
    assert!(said.contains("make peers"), "{said}");
    let root = folder.path().join("bench");
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    let of = |name: &str| (tree(&root.join(name)), tree(&repository.join(name)));
    for (unpacked, original) in [of("peers"), of("pipeline/learners")] {
        assert!(!unpacked.is_empty() && unpacked == original);
    }
    let listed = done(&root, &["data", "list", "--json"]);
    let listed: Vec<serde_json::Value> = serde_json::from_str(&listed).unwrap();
    let mut counts = [0; 3];
    for entry in &listed {
        let name = entry["name"].as_str().unwrap();
        let text = fs::read_to_string(root.join(format!("pipeline/datasets/{name}.toml"))).unwrap();
        let dataset: toml::Table = text.parse().unwrap();
        assert!(dataset["content_sha256"].as_str().is_some_and(|hash| hash.len() == 64), "{name}");
        let address = dataset["files"][0]["addresses"][0].as_str().unwrap();
        assert!(address.starts_with("https://"), "{name}: {address}");
        counts[match dataset.get("classes").and_then(toml::Value::as_array).map_or(0, Vec::len) {
            0 => 0,
            2 => 1,
            _ => 2,
        }] += 1;
    }
    assert!(counts[0] >= 12 && counts[1] >= 9 && counts[2] >= 4, "{counts:?}");
    for entry in &listed {
        assert_eq!(entry["used_by"].as_array().map(Vec::len), Some(1), "{entry}");
    }
    // What is set up by a command of its own is left out with that command.
    let ended = noregret(&root, &["check-learner", "capymoa-srp", "--classes", "3"]);
    let why = "it needs `target/capymoa/bin/python`, which is not here; remedy: ";
    let (_, remedy) = ended.stdout.split_once(why).unwrap_or_default();
    assert!(ended.status == 1 && remedy.contains("make -f peers/Makefile capymoa"), "{ended:?}");
    // The profile that is marked is run where none is named, also where another one is called paper.
    let cells = |arguments: &[&str]| -> u32 {
        let status = done(&root, &[&["status", "--offline", "run/bench-classes"], arguments].concat());
        let line = status.lines().find(|line| line.starts_with("run/bench-classes")).unwrap();
        line.split_whitespace().filter_map(|word| word.parse::<u32>().ok()).sum()
    };
    assert!(cells(&[]) > 0 && 3 * cells(&[]) == cells(&["--profile", "paper"]));
}

/// `make openml` puts on the lists what the server has, once, and names what it has not.
#[test]
fn streams_of_openml_are_put_on_the_lists_of_the_bench() {
    if !Command::new("make").arg("--version").output().is_ok_and(|made| made.status.success()) {
        return eprintln!("skipped: there is no make");
    }
    let (folder, server) = (tempfile::tempdir().unwrap(), Pages::start());
    done(folder.path(), &["init", "bench", "--from", "streams"]);
    let root = folder.path().join("bench");
    let text = |name: &str| fs::read_to_string(root.join(name)).unwrap();
    for line in text("openml.txt").lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [number, _, list, order] = words[..] else { panic!("{line}") };
        assert!(number.parse::<u32>().is_ok() && ["numbers", "classes"].contains(&list), "{line}");
        assert!(["file", "shuffle"].contains(&order), "{line}");
    }
    let lists = || ["numbers", "classes"].map(|list| text(&format!("pipeline/streams/bench-{list}.toml")));
    let openml = || -> Ended {
        let mut command = Command::new("make");
        command.args(["openml", concat!("NOREGRET=", env!("CARGO_BIN_EXE_noregret"))]).current_dir(&root);
        command.env("NOREGRET_OPENML", server.root()).output().unwrap().into()
    };
    let before = lists();
    fs::write(root.join("openml.txt"), "# a list\n5 ten numbers shuffle\n6 three classes file\n7 none numbers file\n")
        .unwrap();
    let ended = openml();
    assert!(ended.status != 0 && ended.stderr.contains("unavailable, and on no list: ten three none"), "{ended:?}");
    assert_eq!(lists(), before);
    for (number, kind) in [(5, "real"), (6, "{a,b,c}")] {
        let address = format!("{}/{number}.arff", server.root());
        let about = format!(
            r#"{{"data_set_description":{{"id":"{number}","name":"x","url":"{address}","status":"active","default_target_attribute":"y"}}}}"#
        );
        let nominal = if number == 6 { "nominal" } else { "numeric" };
        let features = format!(
            r#"{{"data_features":{{"feature":[{{"index":"0","name":"y","data_type":"{nominal}"}},{{"index":"1","name":"x","data_type":"numeric"}}]}}}}"#
        );
        server.say(&format!("/api/v1/json/data/{number}"), 200, &about);
        server.say(&format!("/api/v1/json/data/features/{number}"), 200, &features);
        let value = |t: usize| if number == 6 { ["a", "b", "c"][t % 3].to_owned() } else { format!("{}", t * t) };
        let rows: String = (0..9).map(|t| format!("{},{t}\n", value(t))).collect();
        let arff = format!("@relation t\n@attribute y {kind}\n@attribute x real\n@data\n{rows}");
        server.put(&format!("/{number}.arff"), Answer::whole(arff.into_bytes()));
    }
    for _ in 0..2 {
        let ended = openml();
        assert!(ended.status != 0 && ended.stderr.contains("on no list: none"), "{ended:?}");
        let [numbers, classes] = lists();
        assert!(numbers.contains("zip.dataset = [\"ten\", \n") && numbers.contains("zip.order = [\"shuffle\", \n"));
        assert!(classes.contains("zip.dataset = [\"three\", \n") && classes.contains("zip.order = [\"file\", \n"));
    }
    let plan = done(&root, &["data", "list"]);
    assert!(plan.contains("(used by bench-numbers)") && plan.contains("three"), "{plan}");
    done(&root, &["run", "--offline", "prepare/ten", "prepare/three"]);
}

#[test]
fn the_binary_alone_answers_in_an_empty_folder() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, says) in [
        (&["list", "learners"][..], "pkawv-taylor"),
        (&["describe", "fogd"], "features [1000]"),
        (&["describe", "experiment"], "[[learners]]"),
        (&["describe", "profiles"], "description"),
        (&["describe", "figure", "--schema"], "\"$schema\": \"http://json-schema.org/draft-07/schema#\""),
        (&["completions", "bash"], "noregret"),
    ] {
        let said = done(folder.path(), arguments);
        assert!(said.contains(says), "{arguments:?}: {said}");
    }
    for command in ["run", "status", "report", "verify", "query", "dag", "gc"] {
        let arguments = if command == "query" { vec!["query", "runs"] } else { vec![command] };
        let ended = noregret(folder.path(), &arguments);
        assert_eq!(ended.status, 2, "{ended:?}");
        assert!(ended.stderr.contains("`noregret init` writes a project"), "{ended:?}");
    }
    let wrong = noregret(folder.path(), &["describe", "fogd", "--schema"]);
    assert!(wrong.status == 2 && wrong.stderr.contains("experiment, figure, table"), "{wrong:?}");
    assert!(fs::read_dir(folder.path()).unwrap().next().is_none(), "nothing was written");
}

#[test]
fn sections_of_ones_own_come_first_and_exclude_a_paper() {
    let read = |extra: &str| {
        let text = format!("kind = 'rates'\nexperiments = []\ntitle = 'T'\nshows = 's'\n{extra}");
        noregret_report::table::registry::read("t", &text).map_err(|error| error.to_string())
    };
    assert_eq!(read("section = 'Mine'").unwrap().spec.section.as_deref(), Some("Mine"));
    assert!(read("section = 'Mine'\npaper = 'pkawv'").unwrap_err().contains("section of your own"));
}
