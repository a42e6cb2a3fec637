//! Several targets at once: each is what a stream of its own would have found.

use super::*;

fn rows(count: usize) -> String {
    let mut text = String::from("a,y,b,z\n");
    for t in 0..count {
        let at = t as f64;
        let (a, b) = (900.0 + 50.0 * (at * 0.7).sin(), (at * 0.3).cos());
        let z = if t % 17 == 5 { String::new() } else { format!("{}", 7.0 * b - a / 9.0) };
        text += &format!("{a},{},{b},{z}\n", a + 3.0 * b);
    }
    text
}

fn table(bytes: &[u8]) -> Vec<Vec<String>> {
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

fn played(args: &[&str]) -> (Vec<Vec<String>>, String) {
    let output = stream(args);
    assert!(output.status.success(), "{args:?}: {}", stderr(&output));
    (table(&output.stdout), stderr(&output))
}

const LEARNERS: [&[&str]; 4] = [
    &["--learner", "intervals"],
    &["--learner", "auto", "--set", "members=linear"],
    &["--learner", "kernel-awv"],
    &["--learner", "fogd", "--set", "eta=0.3"],
];

#[test]
fn each_is_what_a_stream_of_its_own_finds() {
    let folder = Folder::new();
    let file = folder.file("rows.csv", rows(300));
    for (learner, live) in LEARNERS.into_iter().flat_map(|learner| [(learner, false), (learner, true)]) {
        let live: &[&str] = if live { &["--live"] } else { &[] };
        let common = [learner, live, &["--input", &file, "--metrics", "rmse"]].concat();
        let (both, said) = played(&[&common[..], &["--target", "y", "--further-targets", "z"]].concat());
        let (first, _) = played(&[&common[..], &["--target", "y", "--drop", "z"]].concat());
        let (second, own) = played(&[&common[..], &["--target", "z", "--drop", "y"]].concat());
        let own_names = second[0][1..].iter().map(|name| format!("{name}_z"));
        assert_eq!(both[0], first[0].iter().cloned().chain(own_names).collect::<Vec<_>>());
        let width = first[0].len();
        for ((both, first), second) in both.iter().zip(&first).zip(&second).skip(1) {
            assert_eq!((&both[..width], &both[width..]), (&first[..], &second[1..]), "{learner:?}");
        }
        let (target, prediction, loss) = (width, width + 1, width + 2);
        assert!(
            both[6][target].is_empty() && both[6][loss].is_empty() && !both[6][prediction].is_empty(),
            "{:?}",
            both[6]
        );
        let rmse = own.split("rmse ").nth(1).unwrap().split_whitespace().next().unwrap();
        assert!(said.contains("z: 282 rounds") && said.contains(rmse), "{said} {own}");
    }
}

#[test]
fn they_are_saved_resumed_and_predicted() {
    let folder = Folder::new();
    let text = rows(200);
    let part = text.lines().take(121).collect::<Vec<_>>().join("\n") + "\n";
    let (file, first) = (folder.file("rows.csv", &text), folder.file("first.csv", part));
    let bare = folder.file("bare.csv", "b,a\n0.5,900\n");
    for learner in LEARNERS {
        let (model, output) = (folder.path("model"), folder.path("out.csv"));
        let save = ["--save", model.to_str().unwrap(), "--save-every", "40", "--output", output.to_str().unwrap()];
        let learn = [learner, &["--target", "y", "--further-targets", "z"]].concat();
        played(&[&learn[..], &["--input", &file], &save].concat());
        let whole = fs::read(&output).unwrap();
        fs::remove_file(&model).unwrap();
        played(&[&learn[..], &["--input", &first], &save].concat());
        played(&[&learn[..], &["--input", &file, "--resume"], &save].concat());
        assert_eq!(table(&fs::read(&output).unwrap()), table(&whole), "{learner:?}");
        let found = Command::new(env!("CARGO_BIN_EXE_noregret"))
            .args(["predict", "--load", model.to_str().unwrap(), "--input", &bare])
            .output()
            .unwrap();
        assert!(found.status.success(), "{}", stderr(&found));
        let found = table(&found.stdout);
        let at = |name: &str| found[0].iter().position(|one| one == name).unwrap();
        let intervals = if learner[1] == "intervals" { 2 } else { 0 };
        assert_eq!(found[0].len(), 3 + 2 * intervals, "{:?}", found[0]);
        if intervals > 0 {
            let number = |name: &str| found[1][at(name)].parse::<f64>().unwrap();
            for target in ["", "_z"] {
                let [lower, said, upper] =
                    ["lower", "prediction", "upper"].map(|name| number(&format!("{name}{target}")));
                assert!(lower < said && said < upper, "{:?}", found[1]);
            }
        }
        let [y, z] = ["prediction", "prediction_z"].map(|name| found[1][at(name)].parse::<f64>().unwrap());
        assert!((y - 901.5).abs() < 60.0 && (z + 96.5).abs() < 20.0, "{learner:?} {y} {z}");
        [model, output].iter().for_each(|path| fs::remove_file(path).unwrap());
    }
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let folder = Folder::new();
    let file = folder.file("rows.csv", "a,y,z\n1,2,3\n2,3,x\n3,4,5\n");
    let refused = |more: &[&str], status: i32, says: &[&str]| {
        let args =
            [&["--input", &file, "--target", "y", "--learner", "last-value", "--further-targets"], more].concat();
        let found = stream(&args);
        assert_eq!(found.status.code(), Some(status), "{}", stderr(&found));
        says.iter().for_each(|says| assert!(stderr(&found).contains(says), "{says}: {}", stderr(&found)));
    };
    refused(&["z"], 1, &["row 2", "`z`", "`x`"]);
    refused(&["w"], 2, &["`w`", "z"]);
    refused(&["z,z"], 2, &["z is named twice"]);
    refused(&["y"], 2, &["`y` is both the target and a further one"]);
    refused(&["z", "--target-scale", "standardise"], 2, &["--target-scale epochs"]);
    let skip = [
        "--input",
        &file,
        "--target",
        "y",
        "--learner",
        "last-value",
        "--further-targets",
        "z",
        "--on-bad-row",
        "skip",
    ];
    let (found, _) = played(&skip);
    assert_eq!((found.len(), found[2][6].as_str()), (3, "3"));
}
