//! `noregret data add` of servers, `noregret data update` and `noregret data remove`.

use super::{ends, printed, refused};
use crate::data::fetch::server::{Answer, Pages};
use crate::pipeline::inputs::{TINY, with_own_data};
use crate::pipeline::project::Ended;

#[test]
fn a_changed_file_is_registered_anew() {
    let project = with_own_data(TINY);
    printed(&project, &["data", "add", "own/tiny.csv", "--name", "tiny", "--target", "y", "--inputs", "b"]);
    assert!(printed(&project, &["data", "update", "tiny"]).contains("tiny: 4 rows x 1 inputs; as it was"));
    project.write("own/tiny.csv", &format!("{TINY}1,2,3\n"));
    assert_eq!(project.noregret(&["data", "verify", "tiny"]).status, 1);
    let told = printed(&project, &["data", "update", "tiny"]);
    assert!(told.contains("tiny: 5 rows x 1 inputs; changed"), "{told}");
    printed(&project, &["data", "verify", "tiny"]);
    // What cannot be read leaves the registration as it is.
    project.write("own/tiny.csv", "y,a\n1,2\n");
    refused(&project, &["data", "update", "tiny"], &["no column `b`"]);
    project.write("own/new.csv", TINY);
    assert!(printed(&project, &["data", "update", "tiny", "--file", "own/new.csv"]).contains("4 rows"));
    refused(&project, &["data", "update", "wine-quality"], &["compiled into the program"]);
    for several in ["own", "own/t*.csv", "own/no-such-*.csv"] {
        let why = [&format!("{several}: a dataset is one file"), "join its files"];
        refused(&project, &["data", "add", several, "--name", "several", "--target", "y"], &why);
        refused(&project, &["data", "update", "tiny", "--file", several], &why);
    }
}

#[test]
fn a_dataset_is_forgotten_unless_it_is_used() {
    let project = with_own_data(TINY);
    printed(&project, &["data", "add", "own/tiny.csv", "--name", "tiny", "--target", "y"]);
    refused(&project, &["data", "remove", "tiny"], &["is used by own", "--force"]);
    assert!(printed(&project, &["data", "remove", "-n", "--force", "tiny"]).contains("would remove"));
    printed(&project, &["data", "remove", "--force", "tiny"]);
    assert!(project.path().join("own/tiny.csv").is_file(), "the file stays");
    refused(&project, &["data", "remove", "tiny"], &["unknown dataset"]);
    refused(&project, &["data", "remove", "wine-quality"], &["compiled into the program"]);
    // The downloaded copy of a declared dataset.
    let declared = "name = \"far\"\ntitle = \"f\"\ncitation = \"\"\nlicence = \"\"\ntask = \"regression\"\nrows = 4\n\
                    inputs = 2\ntarget = \"y\"\n[[files]]\nname = \"far.csv\"\naddresses = []\n";
    project.write("pipeline/datasets/far.toml", declared);
    project.write("mirror/far.csv", TINY);
    printed(&project, &["data", "fetch", "--offline", "--mirror", "mirror", "far"]);
    assert!(project.path().join("data/raw/far/far.csv").is_file());
    refused(&project, &["data", "update", "far"], &["declared in pipeline/datasets", "data fetch"]);
    printed(&project, &["data", "remove", "far"]);
    assert!(!project.path().join("data/raw/far").exists());
    assert!(ends(&project, 0, &["data", "remove", "far"]).stdout.contains("not here"));
}

/// The environment names the servers; what is added is pinned, can be fetched again, and is forgotten with its files.
#[test]
fn a_dataset_of_a_server_is_added_played_and_forgotten() {
    let (project, server) = (with_own_data(TINY), Pages::start());
    let description = format!(
        r#"{{"data_set_description":{{"id":"5","name":"tiny","version":"1","url":"{}/tiny.arff","status":"active","default_target_attribute":"y"}}}}"#,
        server.root()
    );
    let features = r#"{"data_features":{"feature":[{"index":"0","name":"y","data_type":"nominal","is_target":"true"},{"index":"1","name":"a","data_type":"numeric"}]}}"#;
    server.say("/api/v1/json/data/5", 200, &description);
    server.say("/api/v1/json/data/features/5", 200, features);
    let arff = |first: &str| {
        format!("@relation t\n@attribute y {{0,1}}\n@attribute a real\n@data\n0,{first}\n1,2\n0,3\n1,4\n").into_bytes()
    };
    server.put("/tiny.arff", Answer::whole(arff("1")));
    let noregret = |arguments: &[&str]| -> Ended {
        let mut command = project.command(arguments);
        command.env("NOREGRET_OPENML", server.root()).env("NOREGRET_UCI", server.root()).output().unwrap().into()
    };
    let offline = noregret(&["data", "add", "openml:5", "--offline"]);
    assert_eq!(offline.status, 1, "{}", offline.stderr);
    assert!(offline.stderr.contains("offline") && offline.stderr.contains(&server.root()), "{}", offline.stderr);
    let unknown = noregret(&["data", "add", "uci:5"]);
    assert!(unknown.status == 1 && unknown.stderr.contains("404"), "{}", unknown.stderr);
    refused(&project, &["data", "add", "own/tiny.csv", "--name", "x", "--target", "y", "--member", "a"], &["--member"]);
    let added = noregret(&["data", "add", "openml:5"]);
    assert_eq!(added.status, 0, "{}", added.stderr);
    assert!(added.stdout.contains("tiny: 4 rows x 1 inputs, two classes in y"), "{}", added.stdout);
    printed(&project, &["run", "--offline", "run/own"]);
    assert!(printed(&project, &["data", "list"]).contains("tiny (OpenML 5, version 1) (used by own)"));
    refused(
        &project,
        &["data", "update", "tiny"],
        &["is pinned to the content that", "/tiny.arff", "data remove tiny"],
    );
    assert!(printed(&project, &["data", "pin", "tiny"]).contains("is pinned already"));
    printed(&project, &["data", "verify", "tiny"]);
    // The file is lost, and the server has another one now.
    std::fs::remove_dir_all(project.path().join("data/raw/tiny")).unwrap();
    printed(&project, &["data", "fetch", "tiny"]);
    std::fs::remove_dir_all(project.path().join("data/raw/tiny")).unwrap();
    server.put("/tiny.arff", Answer::whole(arff("1.5")));
    let changed = ends(&project, 1, &["data", "fetch", "tiny"]);
    assert!(changed.stderr.contains("content differs") && changed.stderr.contains("/tiny.arff"), "{}", changed.stderr);
    refused(&project, &["data", "remove", "tiny"], &["is used by own", "--force"]);
    printed(&project, &["data", "remove", "--force", "tiny"]);
    assert!(!project.path().join("data/raw/tiny").exists() && !project.path().join("data/added/tiny.toml").exists());
}
