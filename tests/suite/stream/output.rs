//! Where and when rounds are written.

use std::io::Read;

use arrow::array::AsArray;
use arrow::datatypes::{Float64Type, UInt64Type};
use clap::Parser;
use noregret_report::trace::table::batch;
use noregret_stream::{StreamArgs, StreamError, run};

use super::*;

fn file(folder: &Folder) -> String {
    folder.file("table.csv", table(700))
}

#[test]
fn the_summary_is_one_line_on_standard_error() {
    let folder = Folder::new();
    let output = stream(&[&RIDGE[..], &["--input", &file(&folder)]].concat());
    let rounds = rounds(&output);
    let summary = stderr(&output);
    assert_eq!(summary.lines().count(), 1, "{summary}");
    let average = rounds[699][4] / 700.0;
    assert!(summary.starts_with(&format!("700 rounds, average loss {average}, ")), "{summary}");
    assert!(summary.trim_end().ends_with(" seconds"), "{summary}");
}

#[test]
fn a_file_holds_what_standard_output_would() {
    let folder = Folder::new();
    let file = file(&folder);
    let args = [&RIDGE[..], &["--input", &file]].concat();
    let expected = stream(&args).stdout;
    let target = folder.path("out.csv");
    fs::write(&target, "something older and longer than nothing").unwrap();
    let output = stream(&[&args[..], &["--output", target.to_str().unwrap()]].concat());
    assert!(output.status.success() && output.stdout.is_empty());
    assert!(read(&target) == expected);
    assert_eq!(folder.names(), ["out.csv", "table.csv"], "no temporary file is left");
}

#[test]
fn parquet_holds_the_same_numbers() {
    let folder = Folder::new();
    let file = file(&folder);
    let args = [&RIDGE[..], &["--input", &file]].concat();
    let expected = rounds(&stream(&args));
    let target = folder.path("out.parquet");
    let write = || {
        let output = stream(&[&args[..], &["--output", target.to_str().unwrap()]].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        read(&target)
    };
    let bytes = write();
    assert!(write() == bytes, "the same run gives the same bytes");
    let rows = batch(bytes.into()).unwrap();
    let names: Vec<String> = rows.schema().fields().iter().map(|field| field.name().clone()).collect();
    assert_eq!(names, ["round", "target", "prediction", "loss", "cumulative_loss"]);
    for (i, round) in expected.iter().enumerate() {
        assert_eq!(rows.column(0).as_primitive::<UInt64Type>().value(i), i as u64 + 1);
        for (column, value) in rows.columns().iter().zip(round).skip(1) {
            assert_eq!(column.as_primitive::<Float64Type>().value(i), *value);
        }
    }
    assert_eq!(rows.num_rows(), expected.len());
}

#[test]
fn a_closed_pipe_is_a_normal_end() {
    let folder = Folder::new();
    // Far more rounds than a pipe can hold.
    let file = folder.file("long.csv", table(60_000));
    let mut child = command(&[&RIDGE[..], &["--input", &file, "--set", "order=1"]].concat())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut head = [0; 20];
    child.stdout.take().unwrap().read_exact(&mut head).unwrap();
    assert!(head.starts_with(b"round,target"));
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(stderr(&output), "");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said_clearly() {
    let folder = Folder::new();
    // More and fewer rounds than the output buffer can hold.
    for rows in [5, 20_000] {
        let file = folder.file("table.csv", table(rows));
        let output = stream(&[&RIDGE[..], &["--input", &file, "--output", "/dev/full"]].concat());
        assert_eq!(output.status.code(), Some(1));
        let message = stderr(&output);
        assert!(message.contains("/dev/full") && message.contains("No space left"), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let file = folder.file("table.csv", table(5));
    let output = command(&[&RIDGE[..], &["--input", &file]].concat()).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("standard output: No space left"), "{}", stderr(&output));
}

#[test]
fn a_run_without_rounds_leaves_the_older_file_alone() {
    let folder = Folder::new();
    let broken = folder.file("broken.csv", "a,b,y\n1,2\n1,2,3\n");
    let target = folder.file("out.csv", "older");
    let output = stream(&[&RIDGE[..], &["--input", &broken, "--output", &target]].concat());
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(fs::read_to_string(&target).unwrap(), "older");
    assert_eq!(folder.names(), ["broken.csv", "out.csv"]);
}

/// What was played before a row that cannot be read is written, whether or not a model is saved.
#[test]
fn a_broken_row_keeps_the_rounds_before_it() {
    let folder = Folder::new();
    let broken = folder.file("broken.csv", table(600) + "1,2,oops\n");
    let whole = rounds(&stream(&[&RIDGE[..], &["--input", &folder.file("whole.csv", table(600))]].concat()));
    for more in [&[][..], &["--save", "SAVE"]] {
        let target = folder.path("out.csv");
        let saved = folder.path("model");
        let more: Vec<&str> =
            more.iter().map(|word| if *word == "SAVE" { saved.to_str().unwrap() } else { *word }).collect();
        let args = ["--input", &broken, "--output", target.to_str().unwrap()];
        let output = stream(&[&RIDGE[..], &args, &more].concat());
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains("(600 rounds before are written"), "{}", stderr(&output));
        assert!(parse(&fs::read(&target).unwrap()) == whole, "other rounds");
    }
}

/// Models and rounds are other files, by whatever names.
#[test]
fn a_model_is_not_overwritten_by_rounds() {
    let folder = Folder::new();
    let file = file(&folder);
    let model = folder.path("model");
    let (model, same) = (model.to_str().unwrap(), folder.path("./model"));
    let same = same.to_str().unwrap();
    let save = stream(&[&RIDGE[..], &["--input", &file, "--output", "/dev/null", "--save", model]].concat());
    assert!(save.status.success(), "{}", stderr(&save));
    let before = fs::read(model).unwrap();
    let partial = folder.path("o.csv.partial");
    let partial = partial.to_str().unwrap();
    let output = folder.path("o.csv");
    for (args, option) in [
        (&["--save", model, "--output", same][..], "--save"),
        (&["--save", partial, "--output", output.to_str().unwrap()], "--save"),
    ] {
        let refused = stream(&[&RIDGE[..], &["--input", &file], args].concat());
        assert_eq!(refused.status.code(), Some(2), "{}", stderr(&refused));
        assert!(stderr(&refused).contains(&format!("is the file of {option}")), "{}", stderr(&refused));
    }
    for command in ["stream", "predict"] {
        let mut run = Command::new(env!("CARGO_BIN_EXE_noregret"));
        let refused = run.args([command, "--input", &file, "--load", model, "--output", same]).output().unwrap();
        assert_eq!(refused.status.code(), Some(2), "{}", stderr(&refused));
        assert!(stderr(&refused).contains("is the file of --load"), "{}", stderr(&refused));
    }
    assert_eq!(fs::read(model).unwrap(), before);
}

#[test]
fn the_input_is_not_overwritten() {
    let folder = Folder::new();
    let file = file(&folder);
    let output = stream(&[&RIDGE[..], &["--input", &file, "--output", &file]].concat());
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("is the input"), "{}", stderr(&output));
    assert_eq!(fs::read_to_string(&file).unwrap(), table(700));
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let folder = Folder::new();
    let file = file(&folder);
    let output = stream(&[&RIDGE[..], &["--input", &file, "--output", "/no/such/folder/out.csv"]].concat());
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("/no/such/folder/out.csv: No such file"), "{}", stderr(&output));
}

#[test]
fn a_divergence_keeps_the_rounds_before_it() {
    let folder = Folder::new();
    let file = file(&folder);
    let target = folder.path("out.csv");
    let args = ["--learner", "kernel-ogd", "--target", "y", "--set", "eta=1e30", "--input", &file];
    let output = stream(&[&args[..], &["--output", target.to_str().unwrap()]].concat());
    assert_eq!(output.status.code(), Some(1));
    let written = parse(&read(&target));
    assert!(!written.is_empty() && written.len() < 700);
    assert!(written.iter().flatten().all(|value| value.is_finite()));
    let message = stderr(&output);
    let expected = format!("kernel-ogd stopped in round {}: ", written.len() + 1);
    assert!(message.contains(&expected), "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
}

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    args: StreamArgs,
}

#[test]
fn an_interruption_keeps_the_rounds_before_it() {
    let folder = Folder::new();
    let file = file(&folder);
    let target = folder.path("out.csv");
    let line = [&["x"], &RIDGE[..], &["--input", &file, "--output", target.to_str().unwrap()]].concat();
    let asked = std::cell::Cell::new(0);
    let interrupted = || {
        asked.set(asked.get() + 1);
        asked.get() > 2
    };
    let error = run(&Line::parse_from(line).args, &interrupted, &mut |line| panic!("{line}")).unwrap_err();
    let StreamError::Interrupted { rounds } = error else { panic!("{error}") };
    assert!(rounds > 0 && rounds < 700);
    assert_eq!(parse(&read(&target)).len() as u64, rounds);
}

/// A signal is looked for between two rounds of many copies, so that what was played is written soon.
#[test]
fn a_round_of_many_copies_is_followed_by_a_look_for_signals() {
    let folder = Folder::new();
    let (file, target) = (file(&folder), folder.path("out.csv"));
    let learner = ["--learner", "kernel-ogd", "--target", "y", "--set", "eta=0.2"];
    let given = ["--input", &file, "--noise", "gaussian", "--noise-std", "1", "--copies", "300000"];
    let line = [&["x"], &learner[..], &given, &["--output", target.to_str().unwrap()]].concat();
    let asked = std::cell::Cell::new(0);
    let interrupted = || {
        asked.set(asked.get() + 1);
        asked.get() > 3
    };
    let error = run(&Line::parse_from(line).args, &interrupted, &mut |line| panic!("{line}")).unwrap_err();
    assert!(matches!(error, StreamError::Interrupted { rounds: 3 }), "{error}");
    assert_eq!(parse(&read(&target)).len(), 3);
}

/// Neurons without a known kernel predict by estimates, and the summary says what that means for the losses; neurons whose
/// kernel is known do not, and it says nothing.
#[test]
fn losses_of_estimates_are_called_so() {
    let folder = Folder::new();
    let rows: String = (0..40).map(|i| format!("{},{}\n", f64::from(i % 7) / 7.0, i % 2)).collect();
    let file = folder.file("coins.csv", format!("x,y\n{rows}"));
    let summary = |feature: &str| {
        let feature = format!("feature={{ name = \"{feature}\" }}");
        let args = ["--learner", "shrinking-gradient", "--set", "eta=0.05", "--set", "draws=4", "--set", &feature];
        let output = stream(&[&args[..], &["--input", &file, "--target", "y"]].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        stderr(&output)
    };
    let said = summary("tanh2");
    assert!(said.lines().count() == 2 && said.contains("predictions are estimates"), "{said}");
    assert!(said.contains("variance of the estimate"), "{said}");
    let said = summary("sign");
    assert!(said.lines().count() == 1 && !said.contains("estimates"), "{said}");
}
