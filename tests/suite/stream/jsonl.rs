//! JSON lines are the stream of the CSV with the same texts, to the byte: from a file, from a pipe, in parts, learnt, saved, gone
//! on with and asked.

use std::io::{BufRead, BufReader};

use super::parts::raw;
use super::*;

/// The lines of CSV without quotes as objects. What is empty is null in one row and absent in the next.
fn lines(csv: &str) -> Vec<String> {
    let mut rows = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let names = rows.next().unwrap();
    let object = |(i, fields): (usize, Vec<&str>)| {
        let mut members: Vec<String> = Vec::new();
        for (name, field) in names.iter().zip(fields) {
            match field {
                "" if i % 2 == 1 => {}
                "" => members.push(format!("\"{name}\":null")),
                field if field.parse::<f64>().is_ok() => members.push(format!("\"{name}\": {field}")),
                field => members.push(format!("\"{name}\":\"{field}\"")),
            }
        }
        // No order of keys counts but that of the first object.
        let turn = if i == 0 { 0 } else { i % members.len() };
        members.rotate_left(turn);
        format!("{{{}}}\n", members.join(", "))
    };
    rows.enumerate().map(object).collect()
}

/// Words, dates, gaps and numbers as CSV.
fn csv() -> String {
    "day,colour,x,y\n".to_owned() + &raw().concat()
}

fn told(output: Output) -> String {
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(output.stdout.len() > 1000);
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_stream_is_that_of_csv_with_any_options() {
    let folder = Folder::new();
    let (csv, jsonl) = (csv(), lines(&csv()).concat());
    let (rows, objects) = (folder.file("rows.csv", &csv), folder.file("rows.jsonl", &jsonl));
    let packed = folder.file("rows.ndjson.zst", zstd::encode_all(jsonl.as_bytes(), 3).unwrap());
    for extra in [
        &["--target", "y", "--learner", "kernel-ridge", "--missing", "mean"][..],
        &["--target", "y", "--learner", "linear-ridge", "--missing", "indicator", "--category-limit", "4", "--live"],
        &["--target", "y", "--learner", "auto", "--missing", "drop", "--position", "day"],
        &["--target", "y", "--learner", "linear-ridge", "--missing", "drop", "--shuffle", "--category-as", "codes"],
        &["--target", "y", "--learner", "pkrr-taylor", "--missing", "mean", "--scale", "unit", "--unseen"],
        &["--target", "y", "--learner", "linear-ridge", "--missing", "mean", "--id", "colour", "--lags", "1,3"],
        &["--target", "colour", "--learner", "kernel-ridge", "--missing", "mean", "--metrics", "error"],
        &["--target", "x", "--learner", "linear-ridge", "--inputs", "colour,y"],
        &["--target", "y", "--further-targets", "x", "--learner", "linear-ridge", "--drop", "day"],
    ] {
        let expected = told(stream(&[extra, &["--input", &rows]].concat()));
        for input in [&objects, &packed] {
            assert_eq!(told(stream(&[extra, &["--input", input]].concat())), expected, "{extra:?} {input}");
        }
        let piped = told(stream_from(csv.as_bytes(), extra));
        assert_eq!(told(stream_from(jsonl.as_bytes(), extra)), piped, "{extra:?}");
        assert_eq!(told(stream_from(jsonl.as_bytes(), &[extra, &["--format", "jsonl"]].concat())), piped);
    }
    // Numbers alone, which are read from CSV without encoders.
    let (rows, objects) = (folder.file("own.csv", table(300)), folder.file("own.jsonl", lines(&table(300)).concat()));
    for extra in [&[][..], &["--scale", "running"], &["--target-scale", "standardise"], &["--limit", "120"]] {
        let with = |input: &str| told(stream(&[&RIDGE[..], extra, &["--input", input]].concat()));
        assert_eq!(with(&objects), with(&rows), "{extra:?}");
    }
}

#[test]
fn what_is_saved_goes_on_in_either_format() {
    let folder = Folder::new();
    let lines = lines(&csv());
    let rows = folder.file("rows.csv", csv());
    let whole = folder.file("whole.jsonl", lines.concat());
    let [model, output] = ["model", "out.csv"].map(|name| folder.path(name).to_str().unwrap().to_owned());
    let learn = ["--learner", "linear-ridge", "--missing", "mean", "--target", "y"];
    let expected = told(stream(&[&learn[..], &["--input", &rows]].concat()));
    // Cut off, and resumed.
    let files = ["--save", &model, "--save-every", "25", "--output", &output, "--input", &whole];
    assert!(stream(&[&learn[..], &files, &["--limit", "60"]].concat()).status.success());
    assert!(stream(&[&learn[..], &files, &["--resume"]].concat()).status.success());
    assert_eq!(fs::read_to_string(&output).unwrap(), expected);
    // Learnt from some rows, gone on with the others, and asked.
    let header = csv().lines().take(1).map(|line| line.to_owned() + "\n").collect::<String>();
    let gone_on = |[first, rest]: [&str; 2]| {
        let part = |format: &str, from: usize, to: usize| {
            let rows =
                if format == "csv" { header.clone() + &raw()[from..to].concat() } else { lines[from..to].concat() };
            folder.file(&format!("{from}.{format}"), rows)
        };
        let (first, rest) = (part(first, 0, 80), part(rest, 80, 200));
        assert!(stream(&[&learn[..], &["--input", &first, "--save", &model]].concat()).status.success());
        told(stream(&["--load", &model, "--input", &rest]))
    };
    let expected = gone_on(["csv", "csv"]);
    for formats in [["csv", "jsonl"], ["jsonl", "csv"], ["jsonl", "jsonl"]] {
        assert_eq!(gone_on(formats), expected, "{formats:?}");
    }
    let asked = |input: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_noregret"));
        told(command.args(["predict", "--load", &model, "--input", input]).output().unwrap())
    };
    assert_eq!(asked(&whole), asked(&rows));
    let without: String = lines.iter().map(|line| line.replace("\"y\":", "\"note\":")).collect();
    assert_eq!(asked(&folder.file("asked.jsonl", without)), asked(&rows));
    // What the learner knows and the first object lacks is refused, not guessed.
    let lacking = folder.file("lacking.jsonl", lines.concat().replacen("\"colour\"", "\"color\"", 1));
    let mut command = Command::new(env!("CARGO_BIN_EXE_noregret"));
    let refused = command.args(["predict", "--load", &model, "--input", &lacking]).output().unwrap();
    assert!(!refused.status.success() && stderr(&refused).contains("did you mean `color`?"), "{}", stderr(&refused));
}

#[test]
fn files_of_several_formats_are_one_stream() {
    let folder = Folder::new();
    // The first row shows the decimal comma.
    let csv = "day,colour,x,y\n".to_owned() + &raw()[1..].concat();
    let (commas, lines) = (csv.replace(',', ";").replace('.', ","), lines(&csv));
    let whole = folder.file("whole.csv", &commas);
    fs::create_dir(folder.path("parts")).unwrap();
    let rows: Vec<&str> = commas.lines().collect();
    let csv = |rows: &[&str]| format!("day;colour;x;y\n{}\n", rows.join("\n"));
    folder.file("parts/part-8.csv", csv(&rows[1..51]));
    folder.file("parts/part-9.jsonl", lines[50..90].concat());
    // The file after it is written with commas again.
    folder.file("parts/part-10.csv", csv(&rows[91..151]));
    folder.file("parts/part-11.ndjson.zst", zstd::encode_all(lines[150..].concat().as_bytes(), 3).unwrap());
    let (parts, pattern) = (folder.path("parts"), folder.path("parts/part-*"));
    let learn = ["--learner", "linear-ridge", "--missing", "mean", "--target", "y"];
    for decimal in [&[][..], &["--decimal", "comma"]] {
        let with = |input: &str| told(stream(&[&learn[..], decimal, &["--input", input]].concat()));
        let expected = with(&whole);
        for input in [&parts, &pattern] {
            assert_eq!(with(input.to_str().unwrap()), expected, "{decimal:?}");
        }
    }
}

#[test]
fn an_object_from_a_pipe_is_answered_when_it_arrives() {
    let args = ["--learner", "kernel-ridge", "--target", "y", "--input", "-"];
    let mut child = command(&args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut pipe, mut answers) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()).lines());
    for i in 0..40 {
        // Without its answer, the next object is not sent.
        let object = format!("{{\"word\":\"{}\",\"a\":{i},\"y\":{}}}\n", ["up", "down"][i % 2], i % 3);
        pipe.write_all(object.as_bytes()).unwrap();
        if i == 0 {
            assert!(answers.next().unwrap().unwrap().starts_with("round,target"));
        }
        let answer = answers.next().unwrap().unwrap();
        assert!(answer.starts_with(&format!("{},{},", i + 1, i % 3)), "{answer}");
    }
    drop(pipe);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_bad_object_stops_the_run_or_is_passed_over() {
    let folder = Folder::new();
    let good = lines(&table(60));
    let bad = [
        "{\"a\":1,\"b\":2,\"y\":3",
        "{\"a\":1,\"b\":2,\"y\":3,\"c\":4}",
        "{\"a\":1,\"b\":2,\"b\":3,\"y\":4}",
        "{\"a\":[1],\"b\":2,\"y\":3}",
        "{\"a\":\"x\",\"b\":2,\"y\":3}",
        "[1,2,3]",
        "{\"a\":NaN,\"b\":2,\"y\":3}",
    ];
    let mut text = String::new();
    for (i, line) in good.iter().enumerate() {
        text += line;
        if let Some(bad) = bad.get(i / 5).filter(|_| i % 5 == 4) {
            text += &format!("{bad}\n");
        }
    }
    let (mixed, clean) = (folder.file("mixed.jsonl", &text), folder.file("clean.jsonl", good.concat()));
    let with = |input: &str, extra: &[&str]| stream(&[&RIDGE[..], &["--input", input, "--live"], extra].concat());
    let losses = |output: &Output| -> Vec<[f64; 3]> {
        assert!(output.status.success(), "{}", stderr(output));
        parse(&output.stdout).iter().map(|[_, target, prediction, loss, _]| [*target, *prediction, *loss]).collect()
    };
    let passed = with(&mixed, &["--on-bad-row", "skip"]);
    assert_eq!(losses(&passed), losses(&with(&clean, &[])));
    let said = stderr(&passed);
    assert!(said.contains(&format!(", {} rows that cannot be read passed over", bad.len())), "{said}");
    let piped = stream_from(text.as_bytes(), &[&RIDGE[..], &["--on-bad-row", "skip"]].concat());
    assert_eq!(losses(&piped), losses(&passed));
    let stopped = with(&mixed, &[]);
    let said = stderr(&stopped);
    assert_eq!((stopped.status.code(), parse(&stopped.stdout).len()), (Some(1), 5), "{said}");
    for part in ["mixed.jsonl: row 6 (line 6): column 18 of the line", "one object on a line of its own"] {
        assert!(said.contains(part), "`{part}` is not in: {said}");
    }
}
