//! Files as they come: words, dates, gaps, other delimiters, and what is said about them.

use super::*;

const RIDGE_ON: [&str; 4] = ["--learner", "kernel-ridge", "--target", "y"];

/// The rounds of kernel ridge regression on the numbers that a file becomes, and what was said.
fn play(folder: &Folder, text: &str, extra: &[&str]) -> (Rounds, String) {
    let file = folder.file("own.csv", text);
    let unscaled: &[&str] = if extra.contains(&"--scale") { &[] } else { &["--scale", "none"] };
    let args = [&RIDGE_ON[..], &["--input", &file, "--target-scale", "none"], unscaled, extra].concat();
    let output = stream(&args);
    (rounds(&output), stderr(&output))
}

fn refused(folder: &Folder, text: impl AsRef<[u8]>, extra: &[&str], fragments: &[&str]) {
    let file = folder.file("own.csv", text);
    let output = stream(&[&["--learner", "kernel-ridge", "--input", &file], extra].concat());
    let said = stderr(&output);
    let message = said.lines().last().unwrap();
    assert!(!output.status.success(), "{message}");
    for fragment in fragments {
        assert!(message.contains(fragment), "`{fragment}` is not in: {message}");
    }
}

#[test]
fn categories_are_one_column_for_each_value() {
    let folder = Folder::new();
    let text = "colour,a,y\nred,1,1\nblue,2,0\nred,3,2\n\"green, dark\",4,1\nblue,5,3\n";
    let (found, said) = play(&folder, text, &[]);
    let by_hand = "r,b,g,o,a,y\n1,0,0,0,1,1\n0,1,0,0,2,0\n1,0,0,0,3,2\n0,0,1,0,4,1\n0,1,0,0,5,3\n";
    assert_eq!(found, play(&folder, by_hand, &[]).0);
    assert!(said.starts_with("colour: categories in 16 columns\n"), "{said}");
    // Beyond the limit, values share the last column.
    let (limited, _) = play(&folder, text, &["--category-limit", "2"]);
    let by_hand = "r,o,a,y\n1,0,1,1\n0,1,2,0\n1,0,3,2\n0,1,4,1\n0,1,5,3\n";
    assert_eq!(limited, play(&folder, by_hand, &[]).0);
    // Numbers are categories where they are called so, and columns can be left out.
    let (_, said) = play(&folder, text, &["--categories", "a", "--drop", "colour"]);
    assert!(said.starts_with("a: categories in 16 columns\n"), "{said}");
    let (_, said) = play(&folder, text, &["--category-as", "hash"]);
    assert!(said.starts_with("colour: categories in 16 columns\n"), "{said}");
}

#[test]
fn dates_are_parts_and_days() {
    let folder = Folder::new();
    let text = "when,y\n2024-01-01,1\n2024-01-03,2\n2024-01-04,0\n";
    let (found, said) = play(&folder, text, &["--date-as", "elapsed"]);
    assert_eq!(found, play(&folder, "d,y\n0,1\n2,2\n3,0\n", &[]).0);
    assert!(said.contains("when: date in 1 columns"), "{said}");
    let (_, said) = play(&folder, text, &[]);
    assert!(said.contains("when: date in 5 columns"), "{said}");
    refused(
        &folder,
        "when,y\n2024-01-01,1\n2024-01-02,1\nsoon,2\n",
        &["--target", "y"],
        &["row 3", "`when`", "`soon`", "--drop"],
    );
}

#[test]
fn missing_values_are_filled_by_earlier_rows_or_their_rows_left_out() {
    let folder = Folder::new();
    let text = "a,b,y\n1,2,1\nNA,4,2\n3,,3\n5,6,2\n?,1,1\n";
    let (mean, _) = play(&folder, text, &["--missing", "mean"]);
    // The mean of a is 1 before row 2 and 3 before row 5, that of b is 3 before row 3.
    assert_eq!(mean, play(&folder, "a,b,y\n1,2,1\n1,4,2\n3,3,3\n5,6,2\n3,1,1\n", &[]).0);
    let (marked, _) = play(&folder, text, &["--missing", "indicator=a"]);
    let by_hand = "a,i,b,y\n1,0,2,1\n1,1,4,2\n3,0,3,3\n5,0,6,2\n3,1,1,1\n";
    assert_eq!(marked, play(&folder, by_hand, &[]).0);
    let (dropped, said) = play(&folder, text, &["--missing", "drop"]);
    assert!(said.contains(", left out because a value is missing: 3"), "{said}");
    assert_eq!(dropped, play(&folder, "a,b,y\n1,2,1\n5,6,2\n", &[]).0);
    refused(&folder, text, &["--target", "y"], &["row 2", "`a`", "--missing"]);
    refused(&folder, "a,y\n1,2\n,3\n", &["--target", "y"], &["row 2", "empty", "--missing"]);
}

/// Every prefix of a file gives the same rounds: no row sees a later one.
#[test]
fn encoders_and_running_scales_see_no_future() {
    let folder = Folder::new();
    let mut text = String::from("c,d,a,y\n");
    for i in 0..80 {
        let word = ["x", "y", "z", "w"][i * i % 7 % 4];
        let gap = if i % 11 == 5 { String::new() } else { format!("{}", (i as f64 * 0.7).sin() * 50.0) };
        text += &format!("{word},2024-{:02}-{:02},{gap},{}\n", 1 + i % 12, 1 + i % 28, 100.0 + (i as f64).cos());
    }
    // A category of a fixed number of columns, since the beginning of the file says how many there are.
    let options =
        ["--missing", "indicator", "--scale", "running", "--category-as", "hash", "--category-limit", "4", "--live"];
    let (all, _) = play(&folder, &text, &options);
    let mut lines: Vec<&str> = text.lines().collect();
    for rows in [40, 57] {
        lines.truncate(rows + 1);
        let (some, _) = play(&folder, &(lines.join("\n") + "\n"), &options);
        assert_eq!(some[..], all[..some.len()]);
        lines = text.lines().collect();
    }
}

#[test]
fn targets_of_two_words_are_signs() {
    let folder = Folder::new();
    let (found, said) = play(&folder, "a,y\n1,yes\n2,no\n3,Yes\n", &["--positive", "yes"]);
    assert_eq!(column(&found, 1), [1.0, -1.0, 1.0]);
    assert!(said.contains("yes is +1"), "{said}");
    let (found, _) = play(&folder, "a,y\n1,cat\n2,dog\n3,emu\n", &["--positive", "dog"]);
    assert_eq!(column(&found, 1), [-1.0, 1.0, -1.0]);
    // Behind noise, targets are numbers, so that there are two words.
    let noise = ["--target", "y", "--noise", "gaussian", "--noise-std", "0.1"];
    refused(&folder, "a,y\n1,cat\n2,dog\n3,emu\n", &noise, &["row 3", "`emu`", "--positive"]);
    let long = String::from("a,y\n") + &"1,cat\n2,dog\n".repeat(600) + "3,emu\n";
    let discarded = [&noise[..], &["--output", "/dev/null"]].concat();
    refused(&folder, &long, &discarded, &["row 1201", "`emu`", "`cat`", "--positive"]);
}

#[test]
fn decimal_commas_delimiters_and_no_header() {
    let folder = Folder::new();
    let plain = play(&folder, "a,b,y\n1.5,2,0.25\n-3.25,1000.5,1\n", &[]).0;
    let german = "a;b;y\n1,5;2;0,25\n-3,25;1.000,5;1\n";
    assert_eq!(play(&folder, german, &[]).0, plain, "shown by the first rows");
    assert_eq!(play(&folder, german, &["--decimal", "comma"]).0, plain);
    assert_eq!(play(&folder, "a|b|y\n1.5|2|0.25\n-3.25|1000.5|1\n", &["--delimiter", "|"]).0, plain);
    assert_eq!(play(&folder, "a b y\n1.5 2 0.25\n-3.25 1000.5 1\n", &["--delimiter", "space"]).0, plain);
    for target in ["c3", "3"] {
        let file = folder.file("bare.csv", "1.5,2,0.25\n-3.25,1000.5,1\n");
        let unscaled = ["--scale", "none", "--target-scale", "none"];
        let args = ["--learner", "kernel-ridge", "--input", &file, "--no-header", "--target", target];
        let args = [&args[..], &unscaled].concat();
        assert_eq!(rounds(&stream(&args)), plain);
    }
    refused(&folder, "1.5,2,0.25\n-3.25,1000.5,1\n", &["--target", "3"], &["column names", "--no-header"]);
    refused(&folder, "a;y\n1.5;1\n2.5;2\n1,5;1\n", &["--target", "y"], &["row 3", "`1,5`", "--decimal comma"]);
}

#[test]
fn text_in_a_column_of_numbers_says_what_to_do() {
    let folder = Folder::new();
    refused(
        &folder,
        "a,b,y\n1,2,3\n2,3,4\n1,two,3\n",
        &["--target", "y"],
        &["row 3", "`two`", "--categories", "--drop"],
    );
    refused(&folder, "a,y\n1,2\n", &["--target", "y", "--categories", "colour"], &["no column `colour`", "columns: a"]);
    refused(&folder, "a,y\n1,2\n", &["--target", "y", "--drop", "b"], &["no column `b`"]);
    let folder = Folder::new();
    let (_, said) = play(
        &folder,
        &(0..60).fold("n,a,y\n".to_owned(), |text, i| text + &format!("name {i},{i},{i}\n")),
        &["--shuffle"],
    );
    assert!(said.contains("n: nearly every row has its own value") && said.contains("--drop"), "{said}");
}

#[test]
fn what_is_no_text_is_never_shown() {
    let folder = Folder::new();
    let target = ["--target", "y"];
    for (bytes, word) in [
        (&b"PK\x03\x04\x14\0\0\0\x08\0\x9f\x1b[31m"[..], "zip archive"),
        (b"\x89HDF\r\n\x1a\n", "HDF5"),
        (b"a,y\n1,\0\x01\x02\n", "binary"),
        (b"\xff\xfea\0,\0y\0", "UTF-16"),
    ] {
        refused(&folder, bytes, &target, &[word]);
        let piped = stream_from(bytes, &[&["--learner", "kernel-ridge"], &target[..]].concat());
        let message = stderr(&piped);
        assert!(message.contains("standard input") && message.contains(word), "{message}");
        assert!(message.chars().all(|c| c == '\n' || !c.is_control()), "{message:?}");
    }
}
