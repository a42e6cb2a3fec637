//! The JSON Schema of the files of a project, and the reference that is made from it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use noregret_core::learner::LEARNERS;
use noregret_core::stream::{ADVERSARIES, STREAMS};
use noregret_data::declaration::Dataset;
use noregret_report::analysis::rate::file as rate;
use noregret_report::figure::registry as figures;
use noregret_report::table::registry as tables;
use noregret_study::config::draft::Draft;
use noregret_study::config::learners;
use noregret_study::config::learners::Learners;
use noregret_study::config::reference::FileKind;
use noregret_study::config::reference::text::{markdown, sections, terminal};
use noregret_study::config::study::{ItemKind, Studies};
use serde_json::Value;

use super::validator::errors;

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The files of a kind in a folder `pipeline`: those of experiments are all studies.
fn files(pipeline: &Path, file: FileKind) -> Vec<PathBuf> {
    let folders: &[&str] = match file {
        FileKind::Experiment => &[],
        FileKind::Figure => &["figures"],
        FileKind::Table => &["tables"],
        FileKind::Rates => &["rates"],
        FileKind::Dataset => &["datasets"],
        FileKind::Learner => &["learners"],
        FileKind::Profiles => return vec![pipeline.join("profiles.toml")],
        FileKind::Project => return Vec::new(),
    };
    let studies = || {
        let all = fs::read_dir(pipeline).unwrap().map(|entry| entry.unwrap().path());
        let others = ["figures", "tables", "rates", "datasets", "learners"];
        all.filter(|path| path.is_dir() && !others.iter().any(|name| path.ends_with(name))).collect()
    };
    let folders: Vec<PathBuf> = match folders {
        [] => studies(),
        some => some.iter().map(|name| pipeline.join(name)).collect(),
    };
    let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).into_iter().flatten());
    entries.map(|entry| entry.unwrap().path()).collect()
}

fn json(text: &str) -> Value {
    serde_json::to_value(text.parse::<toml::Table>().unwrap()).unwrap()
}

#[test]
fn the_schema_accepts_every_file_and_refuses_a_misspelt_key() {
    let (mut seen, mut misspelt) = (0, 0);
    for file in FileKind::ALL {
        // Experiments of this repository have learners that it declares.
        let schema = file.schema(&Learners::load(repository()).unwrap());
        for pipeline in ["pipeline", "xtask/mutants/pipeline", "xtask/soak/pipeline"] {
            for path in files(&repository().join(pipeline), file) {
                let text = fs::read_to_string(&path).unwrap();
                let value = json(&text);
                let found = errors(&schema, &value);
                assert!(found.is_empty(), "{}: {found:?}", path.display());
                seen += 1;
                // Each key of the file, and each of its first learner's, with a letter too many.
                let mut wrong = Vec::new();
                for key in value.as_object().unwrap().keys().filter(|_| file != FileKind::Profiles) {
                    let mut value = value.clone();
                    let inner = value[key].take();
                    value.as_object_mut().unwrap().remove(key);
                    value[format!("{key}x")] = inner;
                    wrong.push((key.clone(), value));
                }
                for key in
                    value.pointer("/learners/0").and_then(Value::as_object).into_iter().flat_map(|one| one.keys())
                {
                    let mut value = value.clone();
                    let learner = &mut value["learners"][0];
                    let inner = learner[key].take();
                    learner.as_object_mut().unwrap().remove(key);
                    learner[format!("{key}x")] = inner;
                    wrong.push((format!("learners.{key}"), value));
                }
                for (key, value) in wrong {
                    misspelt += 1;
                    assert!(!errors(&schema, &value).is_empty(), "{}: `{key}x` is accepted", path.display());
                }
            }
        }
    }
    assert!(seen > 200 && misspelt > 1500, "{seen}, {misspelt}");
}

/// A declared learner is a learner, with its own parameters, also as a part of another one and in `[defaults]`.
#[test]
fn the_schema_knows_the_learners_of_a_project() {
    let folder = tempfile::tempdir().unwrap();
    let learners = folder.path().join("pipeline/learners");
    fs::create_dir_all(&learners).unwrap();
    let parameter = "name = 'depth'\ndoc = 'Its depth.'\nkind = 'integer'\nrange = [1, 9]";
    let declared = format!("summary = 'S'\nversion = '1'\ncommand = ['tree']\n[[parameters]]\n{parameter}\n");
    fs::write(learners.join("tree.toml"), declared).unwrap();
    let schema = FileKind::Experiment.schema(&Learners::load(folder.path()).unwrap());
    let text = "title = 'T'\nreplicates = 1\nhorizons = [10]\nstream = { law = 'circle' }\ndefaults = { depth = 3 }\n\
                [[learners]]\nname = 'tree'\ntune = { depth = [1, 2] }\n\
                [[learners]]\nname = 'expert-mixture'\nbase = { name = 'tree', depth = 2 }\ngrid = { depth = [1, 2] }\n\
                [[learners]]\nname = 'fogd'\nfeatures = 10\n";
    assert_eq!(errors(&schema, &json(text)), Vec::<String>::new());
    assert!(!errors(&FileKind::Experiment.schema(&Learners::default()), &json(text)).is_empty());
    for (from, to) in [
        ("'tree'\ntune", "'trees'\ntune"),
        ("depth = [1, 2] }\n[", "dept = [1, 2] }\n["),
        ("'tree', depth = 2", "'tree', depth = 10"),
        ("{ depth = 3 }", "{ depht = 3 }"),
        ("features = 10", "depth = 1"),
    ] {
        let wrong = text.replacen(from, to, 1);
        assert!(wrong != text && !errors(&schema, &json(&wrong)).is_empty(), "{to} is accepted");
    }
}

#[test]
fn values_are_checked_by_the_schema() {
    let schema = FileKind::Experiment.schema(&Learners::default());
    let text = "title = 'T'\nreplicates = 1\nhorizons = [10]\nstream = { dataset = 'd', scale = 'unit' }\n\
                defaults = { bandwidth = 1 }\n[[learners]]\nname = 'fogd'\neta = { horizon_power = '-1/2' }\n\
                [[learners]]\nname = 'expert-mixture'\nbase = { name = 'pkrr-taylor', lambda = 1 }\n\
                grid = { lambda = [1, 2] }\n[profile.quick]\nreplicates = 2";
    assert_eq!(errors(&schema, &json(text)), Vec::<String>::new());
    let varied = format!("{text}\n[experiment.v-1]\ntitle = 'V'\nprofile.quick.replicates = 1");
    assert_eq!(errors(&schema, &json(&varied)), Vec::<String>::new());
    for (from, to) in [("v-1", "V_1"), ("title = 'V'", "tittle = 'V'"), ("title = 'V'", "experiment.w.title = 'V'")] {
        assert!(!errors(&schema, &json(&varied.replacen(from, to, 1))).is_empty(), "{to} is accepted");
    }
    for (from, to) in [
        ("replicates = 1", "replicates = 'one'"),
        ("[10]", "['some']"),
        ("'unit'", "'unitt'"),
        ("'unit'", "'unit', lambda = 1"),
        ("'fogd'", "'fog'"),
        ("'-1/2'", "'-1/x'"),
        ("horizon_power", "horizon_powers"),
        ("name = 'fogd'", "name = 'fogd'\nlambda = 1"),
        ("name = 'fogd'", "name = 'fogd'\nfeatures = 0"),
        ("bandwidth = 1 }", "bandwith = 1 }"),
        ("'pkrr-taylor', lambda", "'pkrr-taylor', features"),
        ("replicates = 2", "replicate = 2"),
    ] {
        let wrong = text.replacen(from, to, 1);
        assert!(wrong != text && !errors(&schema, &json(&wrong)).is_empty(), "{to} is accepted");
    }
    let figure = FileKind::Figure.schema(&Learners::default());
    let text = "kind = 'curves'\nexperiments = ['e']\ntitle = ''\nx = ''\ny = ''\nshows = ''\n\
                options = { show = 'regret', against = 'round' }";
    assert_eq!(errors(&figure, &json(text)), Vec::<String>::new());
    for (from, to) in [("'curves'", "'curve'"), ("against", "againts"), ("'curves'", "'points'")] {
        assert!(!errors(&figure, &json(&text.replacen(from, to, 1))).is_empty(), "{to} is accepted");
    }
}

/// The keys that an error of a reader names: "unknown field `zzz`, expected one of `a`, `b`".
fn expected(error: &str) -> BTreeSet<String> {
    // What follows says in which table.
    let line = error.lines().find(|line| line.contains("expected ")).unwrap_or_else(|| panic!("no keys: {error}"));
    let (_, list) = line.split_once("expected ").unwrap();
    list.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// What the reader of each kind of table says to a key that nobody knows, and the heading of the table.
fn refusals() -> Vec<(FileKind, &'static str, String)> {
    let experiment = |text: &str| {
        let text = format!("title = 'T'\nreplicates = 1\nhorizons = [1]\nstream = {{}}\nlearners = []\n{text}");
        Draft::new(("e", "e.toml"), text.parse().unwrap(), ("paper", &["paper"]), &[], &mut [], &Arc::default())
            .err()
            .unwrap()
            .to_string()
    };
    let head = "title = ''\nx = ''\ny = ''\nshows = ''\nexperiments = ['e']\n";
    let figure = |kind: &str, text: &str| {
        let text = format!("kind = '{kind}'\n{head}{text}");
        figures::read("f", &text).err().unwrap().to_string()
    };
    let options = ["curves", "functions", "points", "query-law", "dictionary-exponents", "regularity-exponents"];
    let headings = [
        "[options], kind curves",
        "[options], kind functions",
        "[options], kind points",
        "[options.rows.query-law]",
        "[options.rows.dictionary-exponents]",
        "[options.rows.regularity-exponents]",
    ];
    let table = tables::read("t", "kind = 'rates'\nzzz = 1").err().unwrap().to_string();
    let rates = |text: &str| toml::from_str::<rate::RateSpec>(text).err().unwrap().to_string();
    let dataset = |text: &str| toml::from_str::<Dataset>(text).err().unwrap().to_string();
    let learner = |text: &str| toml::from_str::<learners::LearnerFile>(text).err().unwrap().to_string();
    let mut all = vec![
        (FileKind::Experiment, "", experiment("zzz = 1")),
        (FileKind::Experiment, "[tune]", experiment("tune = { zzz = 1 }")),
        (FileKind::Figure, "", figure("curves", "zzz = 1")),
        (FileKind::Figure, "[[claims]]", figure("curves", "claims = [{ zzz = 1 }]")),
        (FileKind::Table, "", table),
        (FileKind::Rates, "", rates("zzz = 1")),
        (FileKind::Rates, "[negative]", rates("negative = { zzz = 1 }")),
        (FileKind::Dataset, "", dataset("zzz = 1")),
        (FileKind::Dataset, "[[files]]", dataset("files = [{ zzz = 1 }]")),
        (FileKind::Learner, "", learner("zzz = 1")),
        (FileKind::Learner, "[[parameters]]", learner("parameters = [{ zzz = 1 }]")),
        (FileKind::Learner, "[limits]", learner("limits = { zzz = 1 }")),
    ];
    all.extend(
        options
            .into_iter()
            .zip(headings)
            .map(|(kind, heading)| (FileKind::Figure, heading, figure(kind, "options = { zzz = 1 }"))),
    );
    all
}

#[test]
fn the_reference_names_every_key_that_is_accepted() {
    for (file, heading, refusal) in refusals() {
        let sections = sections(file);
        let section = sections.iter().find(|section| section.heading == heading);
        let section = section.unwrap_or_else(|| panic!("{}: no section {heading}: {sections:#?}", file.name()));
        let mut named: BTreeSet<String> = section.keys.iter().map(|key| key.name.clone()).collect();
        // These are taken out of the table before the rest of it is read.
        let before: &[&str] = match (file, heading) {
            (FileKind::Figure, "") => &["like"],
            (FileKind::Figure, "[[claims]]") => &["zip"],
            (FileKind::Rates, "") => &["profile", "zip"],
            _ => &[],
        };
        for key in before {
            assert!(named.remove(*key), "{} {heading}: `{key}` is not named", file.name());
        }
        assert_eq!(named, expected(&refusal), "{} {heading}", file.name());
        for key in &section.keys {
            assert!(!key.doc.is_empty() && !key.allowed.is_empty(), "{} {heading}: {key:?}", file.name());
        }
        // A reference that forgets a key does not pass.
        named.pop_first();
        assert_ne!(named, expected(&refusal));
    }
    let schema = FileKind::Experiment.schema(&Learners::default());
    let cases = schema.pointer("/definitions/entry/allOf").and_then(Value::as_array).unwrap();
    for learner in LEARNERS.iter() {
        let is = |case: &&Value| case.pointer("/if/properties/name/const").is_some_and(|name| name == learner.name);
        let keys = cases.iter().find(is).and_then(|case| case.pointer("/then/properties")).unwrap();
        assert!(learner.params.iter().all(|spec| keys.get(spec.name).is_some()), "{}", learner.name);
    }
}

#[test]
fn the_terminal_and_the_book_show_every_key() {
    let page = markdown();
    for file in FileKind::ALL {
        let text = terminal(file);
        for key in sections(file).iter().flat_map(|section| &section.keys) {
            assert!(
                text.contains(&format!("    {}", key.name)) && page.contains(&format!("`{}`", key.name)),
                "{key:?}"
            );
        }
    }
}

/// Keys of tables that also hold parameters of members are taken out one by one, so no error lists them: the files of
/// this repository use each of them.
#[test]
fn the_reference_names_the_keys_beside_parameters_that_files_use() {
    let parameters: BTreeSet<&str> = {
        let learners = LEARNERS.iter().flat_map(|entry| entry.params);
        let laws = STREAMS.iter().flat_map(|entry| entry.params);
        let adversaries = ADVERSARIES.iter().flat_map(|entry| entry.params);
        let project = Learners::load(repository()).unwrap();
        let declared: Vec<_> = project.declared().flat_map(|(_, params)| params).collect();
        learners.chain(laws).chain(adversaries).chain(declared).map(|spec| spec.name).collect()
    };
    let mut used: [BTreeSet<String>; 2] = Default::default();
    for pipeline in ["pipeline", "xtask/mutants/pipeline"] {
        let studies = Studies::read(&repository().join(pipeline)).unwrap();
        for (_, item) in studies.of(ItemKind::Experiment) {
            let value = serde_json::to_value(item.table().unwrap()).unwrap();
            let learners = value["learners"].as_array().unwrap();
            let tables = learners.iter().map(|one| (0, one)).chain([(1, &value["stream"])]);
            for (at, table) in tables {
                used[at].extend(table.as_object().unwrap().keys().cloned());
            }
        }
    }
    let sections = sections(FileKind::Experiment);
    // Laws and learners have parameters of these names, too.
    let both = ["noise", "order", "replicates", "scale", "target"];
    for (heading, used) in ["[[learners]]", "[stream]"].into_iter().zip(used) {
        let section = sections.iter().find(|section| section.heading == heading).unwrap();
        let named: BTreeSet<&str> = section.keys.iter().map(|key| key.name.as_str()).collect();
        let known = |key: &&str| !parameters.contains(key) || both.contains(key) && named.contains(key);
        let used: BTreeSet<&str> = used.iter().map(String::as_str).filter(known).collect();
        assert!(section.parameters && named == used, "{heading}: named {named:?}, used {used:?}");
    }
}
