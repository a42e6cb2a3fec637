//! `noregret data update` and `noregret data remove`.

use super::{ends, printed, refused};
use crate::pipeline::inputs::{TINY, with_own_data};

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
    refused(&project, &["data", "update", "wine-quality"], &["data fetch"]);
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
    printed(&project, &["data", "remove", "far"]);
    assert!(!project.path().join("data/raw/far").exists());
    assert!(ends(&project, 0, &["data", "remove", "far"]).stdout.contains("not here"));
}
