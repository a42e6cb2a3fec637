//! Streams in several files: folders and patterns give the rounds of one file that holds all rows.

use std::sync::Arc;

use ::arrow::array::{ArrayRef, Float64Array, StringArray};
use parquet::basic::Compression;

use super::*;
use crate::data::formats::parquet;

/// The rows of a file of words, dates and gaps; colours and dates of later rows are new.
pub fn raw() -> Vec<String> {
    let colours = ["red", "blue", "green", "amber", "grey"];
    let row = |i: usize| {
        let x = if i % 11 == 5 { String::new() } else { format!("{}", (i as f64 * 0.7).sin()) };
        format!("2024-{:02}-{:02},{},{x},{}\n", 1 + i / 28, 1 + i % 28, colours[i / 30 % 5], (i as f64).cos())
    };
    (0..200).map(row).collect()
}

/// Writes rows as files of a folder, one after each of these ends; returns the folder.
fn split(folder: &Folder, name: &str, header: &str, rows: &[String], ends: &[usize]) -> String {
    let place = folder.path(name);
    fs::create_dir_all(&place).unwrap();
    let starts = std::iter::once(&0).chain(ends);
    for (number, (&start, &end)) in starts.zip(ends).enumerate() {
        fs::write(place.join(format!("part-{}.csv", number + 8)), header.to_owned() + &rows[start..end].concat())
            .unwrap();
    }
    place.to_str().unwrap().to_owned()
}

#[test]
fn files_of_a_folder_are_one_stream_in_the_order_of_their_numbers() {
    let folder = Folder::new();
    let rows: Vec<String> = table(700).lines().skip(1).map(|line| line.to_owned() + "\n").collect();
    let whole = folder.file("whole.csv", table(700));
    let parts = split(&folder, "parts", "a,b,y\n", &rows, &[100, 130, 350, 700]);
    // What other programs leave there is no part of it.
    fs::write(folder.path("parts/_SUCCESS"), "").unwrap();
    fs::write(folder.path("parts/.part-8.csv.crc"), "crc").unwrap();
    for extra in [
        &["--scale", "epochs"][..],
        &["--scale", "unit"],
        &["--shuffle"],
        &["--limit", "120"],
        &["--noise", "gaussian", "--noise-std", "0.1"],
    ] {
        let expected = rounds(&stream(&[&RIDGE[..], extra, &["--input", &whole]].concat()));
        for input in [parts.clone(), format!("{parts}/*.csv"), format!("{}/**/part-*", folder.path("").display())] {
            let found = stream(&[&RIDGE[..], extra, &["--input", &input]].concat());
            assert_eq!(rounds(&found), expected, "{extra:?} {input}");
            let told = "4 files, in the order of their names: ";
            assert!(stderr(&found).contains(told) && stderr(&found).contains("part-11.csv"), "{}", stderr(&found));
        }
    }
    // Files in another order are another stream.
    fs::rename(folder.path("parts/part-8.csv"), folder.path("parts/part-12.csv")).unwrap();
    let expected = rounds(&stream(&[&RIDGE[..], &["--input", &whole]].concat()));
    assert_ne!(rounds(&stream(&[&RIDGE[..], &["--input", &parts]].concat())), expected);
}

#[test]
fn what_is_learnt_of_words_dates_and_gaps_goes_on_in_the_next_file() {
    let folder = Folder::new();
    let (header, rows) = ("day,colour,x,y\n", raw());
    let whole = folder.file("whole.csv", header.to_owned() + &rows.concat());
    let parts = split(&folder, "parts", header, &rows, &[40, 90, 200]);
    for extra in [
        &["--learner", "kernel-ridge", "--missing", "mean"][..],
        &["--learner", "linear-ridge", "--missing", "indicator", "--category-limit", "4"],
        &["--learner", "auto", "--missing", "drop", "--position", "day"],
        &["--learner", "linear-ridge", "--missing", "drop", "--shuffle", "--category-as", "codes"],
    ] {
        let with = |input: &str| rounds(&stream(&[&["--target", "y"], extra, &["--input", input]].concat()));
        assert_eq!(with(&parts), with(&whole), "{extra:?}");
    }
    // Predictions of a saved learner, too.
    let model = folder.path("asked");
    let model = model.to_str().unwrap();
    let learn = ["--learner", "linear-ridge", "--missing", "mean", "--target", "y", "--input", &whole, "--save", model];
    assert!(stream(&learn).status.success());
    let asked = |input: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_noregret"));
        let output = command.args(["predict", "--load", model, "--input", input]).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        output.stdout
    };
    assert_eq!(String::from_utf8(asked(&parts)), String::from_utf8(asked(&whole)));
    assert!(asked(&whole).len() > 1000);
    // A run that was saved after the first file goes on in the second one, and so does one that is resumed.
    let (model, output) = (folder.path("model"), folder.path("out.csv"));
    let (model, output) = (model.to_str().unwrap(), output.to_str().unwrap());
    let learn = ["--learner", "linear-ridge", "--missing", "mean", "--target", "y"];
    let files = ["--save", model, "--save-every", "25", "--output", output];
    let expected = stream(&[&learn[..], &["--input", &whole]].concat()).stdout;
    assert!(stream(&[&learn[..], &files, &["--input", &parts, "--limit", "60"]].concat()).status.success());
    assert!(stream(&[&learn[..], &files, &["--input", &parts, "--resume"]].concat()).status.success());
    assert_eq!(String::from_utf8(fs::read(output).unwrap()), String::from_utf8(expected));
}

/// A column that only a later file has would be left out of all rows without a word.
#[test]
fn a_new_column_of_a_later_file_is_refused() {
    let folder = Folder::new();
    fs::create_dir(folder.path("parts")).unwrap();
    folder.file("parts/1.csv", table(20));
    for (name, text) in [("2.csv", "b,a,z,y\n1,2,3,4\n"), ("2.jsonl", "{\"a\":1,\"b\":2,\"y\":3,\"z\":\"w\"}\n")] {
        let new = folder.file(&format!("parts/{name}"), text);
        let parts = folder.path("parts");
        let parts = parts.to_str().unwrap();
        for extra in [&[][..], &["--missing", "mean"], &["--learner=auto"]] {
            let refused = stream(&[&["--target", "y", "--input", parts], extra].concat());
            let why = stderr(&refused);
            assert_eq!(refused.status.code(), Some(2), "{why}");
            for part in [name, "column `z` is not in", "1.csv", "--inputs", "20 rounds before are written"] {
                assert!(why.contains(part), "{part}: {why}");
            }
        }
        let named = stream(&["--target", "y", "--input", parts, "--inputs", "a,b"]);
        assert_eq!(rounds(&named).len(), 21);
        let model = folder.path("model");
        let saved = ["--target", "y", "--learner", "linear-ridge", "--input", parts, "--save", model.to_str().unwrap()];
        for more in [&[][..], &["--resume"]] {
            let refused = stream(&[&saved[..], &["--output", folder.path("out.csv").to_str().unwrap()], more].concat());
            assert!(refused.status.code() == Some(2) && stderr(&refused).contains("`z`"), "{}", stderr(&refused));
        }
        fs::remove_file(new).unwrap();
    }
}

#[test]
fn formats_and_the_order_of_columns_may_differ_from_file_to_file() {
    let folder = Folder::new();
    let columns = |from: usize| -> [(&str, ArrayRef); 3] {
        let value = |by: f64| (from..from + 30).map(move |i| (i as f64 * by).sin());
        let words = (from..from + 30).map(|i| if i % 3 == 0 { "up" } else { "down" });
        [
            ("x", Arc::new(value(0.7).collect::<Float64Array>())),
            ("way", Arc::new(words.map(Some).collect::<StringArray>())),
            ("y", Arc::new(value(1.3).collect::<Float64Array>())),
        ]
    };
    let csv = |from: usize| -> String {
        let value = |i: usize, by: f64| (i as f64 * by).sin();
        let row = |i| format!("{},{},{}\n", value(i, 1.3), if i % 3 == 0 { "up" } else { "down" }, value(i, 0.7));
        (from..from + 30).map(row).collect()
    };
    fs::create_dir(folder.path("parts")).unwrap();
    folder.file("parts/1.parquet", parquet(columns(0).to_vec(), Compression::SNAPPY));
    folder.file("parts/2.csv", "y,way,x\n".to_owned() + &csv(30));
    folder.file("parts/3.parquet", parquet(columns(60).to_vec(), Compression::ZSTD(Default::default())));
    let whole = folder.file("whole.csv", format!("y,way,x\n{}{}{}", csv(0), csv(30), csv(60)));
    let with = |input: &str| {
        rounds(&stream(&["--learner", "linear-ridge", "--target", "y", "--inputs", "x,way", "--input", input]))
    };
    assert_eq!(with(folder.path("parts").to_str().unwrap()), with(&whole));
}

#[test]
fn what_cannot_be_one_stream_is_refused_by_file() {
    let folder = Folder::new();
    let rows: Vec<String> = table(60).lines().skip(1).map(|line| line.to_owned() + "\n").collect();
    let parts = split(&folder, "parts", "a,b,y\n", &rows, &[30, 60]);
    let refused = |input: &str, extra: &[&str], status: i32, fragments: &[&str]| {
        let output = stream(&[&RIDGE[..], &["--input", input], extra].concat());
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(status), "{said}");
        for fragment in fragments {
            assert!(said.lines().last().unwrap().contains(fragment), "`{fragment}` is not in: {said}");
        }
    };
    let inside = |name: &str| format!("{parts}/{name}");
    for (flag, name) in
        [("--output", "part-10.csv"), ("--output", "more.parquet"), ("--save", "model"), ("--report", "page.html")]
    {
        refused(&parts, &[flag, &inside(name)], 2, &[flag, "the input"]);
        assert!(!folder.path("parts").join(name).exists());
    }
    refused(
        &inside("*.csv"),
        &["--output", &inside("part-10.csv")],
        2,
        &["is the input, or would be one of its files"],
    );
    // What does not match is none of its files, and neither is what begins with `_`.
    for (input, name) in [(inside("*.csv"), "model"), (parts.clone(), "_model")] {
        let output = stream(&[&RIDGE[..], &["--input", &input, "--save", &inside(name)]].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        fs::remove_file(inside(name)).unwrap();
    }
    refused(&inside("*.parquet"), &[], 2, &["*.parquet", "no file matches"]);
    refused(&inside("[a"), &[], 2, &["[a", "unclosed"]);
    // A later file that lacks a column or holds words is named.
    for (text, fragment, status) in [("a,y\n1,2\n", "`b`", 2), ("a,b,y\n1,up,2\n", "`up`", 1), ("a,y\n", "`b`", 2)] {
        fs::write(inside("part-10.csv"), text).unwrap();
        for extra in [&[][..], &["--on-bad-row", "skip"]] {
            let output = stream(&[&["--learner", "linear-ridge", "--target", "y", "--input", &parts], extra].concat());
            let said = stderr(&output);
            // A row is passed over, but not a file.
            let passed = text.contains("up") && !extra.is_empty();
            assert_eq!(output.status.code(), Some(if passed { 0 } else { status }), "{text} {said}");
            assert!(!passed || parse(&output.stdout).len() == 60, "{said}");
            assert!(passed || (said.contains("part-10.csv") && said.contains(fragment)), "{said}");
        }
    }
    // One that holds no rows is passed over.
    for text in ["", "a,b,y\n"] {
        fs::write(inside("part-10.csv"), text).unwrap();
        let output = stream(&["--learner", "linear-ridge", "--target", "y", "--input", &parts]);
        assert!(output.status.success(), "{}", stderr(&output));
        assert_eq!(parse(&output.stdout).len(), 60);
        assert!(stderr(&output).contains("part-10.csv holds no rows, and is passed over"), "{}", stderr(&output));
    }
    fs::remove_file(inside("part-10.csv")).unwrap();
    fs::create_dir(inside("deeper")).unwrap();
    refused(&parts, &[], 2, &["deeper is a folder", "**/*.parquet"]);
    fs::create_dir(folder.path("empty")).unwrap();
    refused(folder.path("empty").to_str().unwrap(), &[], 2, &["holds no file"]);
}
