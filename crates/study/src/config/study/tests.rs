use super::*;

/// A study with an experiment that varies it and has a row of rates, and one that is like an experiment of another file.
const STUDY: &str = "
    title = 'the study'
    horizons = [64]
    stream = { law = 'circle', decay = 3 }
    [experiment.varied]
    title = 'varied'
    stream.decay = 2
    [experiment.varied.rate.row]
    theorem = 'robust-rate'
    [experiment.other]
    like = 'base'
    title = 'other'
    [figure.both]
    experiments = ['study', 'varied']
";

fn read(study: &str) -> Result<Studies, ConfigError> {
    let folder = tempfile::tempdir().unwrap();
    let robust = folder.path().join("robust");
    std::fs::create_dir(&robust).unwrap();
    std::fs::write(robust.join("base.toml"), "title = 'base'\nhorizons = [8]\nseed = 5").unwrap();
    std::fs::write(robust.join("broken.toml"), "title = = 3").unwrap();
    std::fs::write(robust.join("study.toml"), study).unwrap();
    Studies::read(folder.path())
}

/// What is said of one of these, with its key as TOML writes it.
fn said(studies: &Studies, kind: ItemKind, name: &str) -> Table {
    studies.get(kind, name).unwrap_or_else(|| panic!("{name} is declared")).table().unwrap()
}

#[test]
fn a_varied_experiment_has_from_its_study_what_it_does_not_say() {
    let studies = read(STUDY).unwrap();
    assert_eq!(studies.names(ItemKind::Experiment), ["base", "broken", "other", "study", "varied"]);
    let expected = "title = 'varied'\npaper = 'robust'\nhorizons = [64]\nreplicates = 10\n\
                    stream = { law = 'circle', decay = 2 }";
    assert_eq!(said(&studies, ItemKind::Experiment, "varied"), toml::from_str(expected).unwrap());
    let expected = "title = 'other'\npaper = 'robust'\nhorizons = [8]\nreplicates = 10\nseed = 5";
    assert_eq!(said(&studies, ItemKind::Experiment, "other"), toml::from_str(expected).unwrap());
    let row = said(&studies, ItemKind::Rate, "row");
    assert_eq!(row["experiment"].as_str(), Some("varied"));
    assert_eq!(row["horizons"].as_array().map(Vec::len), Some(1));
    let place = &studies.get(ItemKind::Rate, "row").unwrap().place;
    assert!(place.ends_with("study.toml: experiment.varied.rate.row"), "{place}");
}

#[test]
fn what_cannot_be_is_refused_with_its_place() {
    for (old, new, words) in [
        ("[experiment.other]", "[experiment.base]", "study.toml: experiment.base"),
        ("[experiment.other]", "[experiment.Other]", "experiment.Other"),
        ("[experiment.varied.rate.row]", "[experiment.varied.experiment.row]", "experiment.varied.experiment"),
        ("[experiment.varied.rate.row]", "[experiment.varied.rate.Row]", "experiment.varied.rate.Row"),
    ] {
        assert!(STUDY.contains(old));
        let refused = read(&STUDY.replace(old, new)).unwrap_err().to_string();
        assert!(refused.contains(words), "{refused}");
    }
    let refused = read("title = 'the study'\nexperiment = 3").unwrap_err().to_string();
    assert!(refused.contains("[experiment.NAME]"), "{refused}");
    // Whoever does not need the experiment is not stopped by it.
    for (old, new, words) in [
        ("'base'", "'bas'", "experiment.other: `like`: there is no \"bas\""),
        ("'base'", "3", "experiment.other: `like`: 3 is no name"),
        ("'base'", "'other'", "experiment.other: `like`: goes round in a circle: other, other"),
        ("'base'", "'broken'", "experiment.other: `like`: the file of broken is no TOML"),
    ] {
        let studies = read(&STUDY.replace(old, new)).unwrap();
        let refused = studies.get(ItemKind::Experiment, "other").unwrap().table().unwrap_err().to_string();
        assert!(refused.contains(words), "{refused}");
    }
}

#[test]
fn an_experiment_may_be_like_one_that_is_like_another() {
    let studies = read(&STUDY.replace("title = 'the study'", "title = 'the study'\nlike = 'base'")).unwrap();
    for (name, seed) in [("study", 5), ("varied", 5), ("other", 5)] {
        let table = said(&studies, ItemKind::Experiment, name);
        assert_eq!((table["seed"].as_integer(), table.contains_key(LIKE)), (Some(seed), false), "{name}");
    }
}

#[test]
fn names_of_stages_and_files_in_no_folder_are_refused() {
    let refused = |study: &str| read(study).unwrap_err().to_string();
    let all = refused(&STUDY.replace("experiment.other", "experiment.all"));
    assert!(all.contains("experiment.all: `all` is the name of the stage"), "{all}");
    let control = refused(&STUDY.replace("experiment.other", "experiment.control-row"));
    assert!(control.contains("negative control of the row row"), "{control}");
    assert!(read(&STUDY.replace("experiment.other", "experiment.control-other")).is_ok());
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("stray.toml"), "title = 'T'").unwrap();
    let stray = Studies::read(folder.path()).unwrap_err().to_string();
    assert!(stray.contains("stray.toml: is in no folder"), "{stray}");
}
