//! Rows that arrive one by one, rows without a target, and what is said about a run.

use std::io::{BufRead, BufReader, Write};
use std::time::{Duration, Instant};

use super::*;

/// The bound is 10 ms from a row to its answer; each row waits for the answer to the one before. A machine with other work
/// may leave the program waiting for a processor, so that a quarter of the 40 answers must be in time, and all must come
/// before the next row is sent.
#[test]
fn a_row_from_a_pipe_is_answered_when_it_arrives() {
    let args = ["--learner", "kernel-ridge", "--target", "y", "--input", "-"];
    let mut child = command(&args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut pipe, mut answers) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()).lines());
    pipe.write_all(b"word,a,y\n").unwrap();
    let mut late = Vec::new();
    for i in 0..40 {
        std::thread::sleep(Duration::from_millis(5));
        let sent = Instant::now();
        pipe.write_all(format!("{},{i},{}\n", ["up", "down"][i % 2], i % 3).as_bytes()).unwrap();
        if i == 0 {
            assert!(answers.next().unwrap().unwrap().starts_with("round,target"));
        }
        let answer = answers.next().unwrap().unwrap();
        assert!(answer.starts_with(&format!("{},{},", i + 1, i % 3)), "{answer}");
        // The first one waits for the program to start.
        if i > 0 && sent.elapsed() > Duration::from_millis(10) {
            late.push(sent.elapsed());
        }
    }
    drop(pipe);
    assert!(child.wait().unwrap().success());
    assert!(late.len() <= 30, "{late:?}");
}

#[test]
fn rows_without_a_target_are_predicted_and_not_learned_from() {
    let folder = Folder::new();
    let all = folder.file("all.csv", "a,y\n1,2\n2,\n3,1\n2.5,NA\n2,2\n");
    let known = folder.file("known.csv", "a,y\n1,2\n3,1\n2,2\n");
    let args = ["--learner", "kernel-ridge", "--target", "y"];
    for extra in [&[][..], &["--live"], &["--target-scale", "standardise"]] {
        let output = stream(&[&args[..], &["--input", &all], extra].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        let text = String::from_utf8(output.stdout).unwrap();
        let lines: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
        let expected = rounds(&stream(&[&args[..], &["--input", &known], extra].concat()));
        let labelled: Vec<&Vec<&str>> = lines.iter().filter(|line| !line[1].is_empty()).collect();
        assert_eq!((lines.len(), labelled.len()), (5, 3));
        // Every row is a round.
        assert!(lines.iter().zip(1..).all(|(line, round)| line[0] == round.to_string()), "{lines:?}");
        for (line, round) in labelled.iter().zip(&expected) {
            let number = |i: usize| line[i].parse::<f64>().unwrap();
            assert!((1..5).all(|i| (number(i) - round[i]).abs() < 1e-9), "{line:?} {round:?}");
        }
        for line in lines.iter().filter(|line| line[1].is_empty()) {
            assert!(line[3].is_empty() && line[2].parse::<f64>().unwrap().abs() > 1e-3, "{line:?}");
        }
        let said = stderr(&stream(&[&args[..], &["--input", &all], extra].concat()));
        assert!(said.contains("5 rounds, average loss") && said.contains("over the 3 with a target"), "{said}");
    }
}

#[test]
fn shuffled_rows_keep_their_numbers() {
    let folder = Folder::new();
    let text = (1..=20).fold(String::from("a,y\n"), |text, i| text + &format!("0.5,{i}\n"));
    let file = folder.file("own.csv", text);
    let output = stream(&["--learner", "kernel-ridge", "--target", "y", "--input", &file, "--shuffle"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("round,target,prediction,loss,cumulative_loss,row"));
    let pairs: Vec<(&str, &str)> =
        lines.map(|line| (line.split(',').nth(1).unwrap(), line.rsplit(',').next().unwrap())).collect();
    assert_eq!(pairs.len(), 20);
    assert!(pairs.iter().all(|(target, row)| target == row), "{pairs:?}");
    assert!(pairs.windows(2).any(|pair| pair[0].0.parse::<u8>().unwrap() > pair[1].0.parse::<u8>().unwrap()));
}

#[test]
fn metrics_progress_and_warnings_go_to_standard_error() {
    let folder = Folder::new();
    let text =
        (0..64).fold(String::from("a,y\n"), |text, i| text + &format!("{},{}\n", i % 2, i32::from(i % 2 == 0) * 2 - 1));
    let file = folder.file("own.csv", text);
    let args = ["--learner", "kernel-ridge", "--target", "y", "--input", &file];
    let plain = stream(&args);
    let extra = ["--metrics", "squared,absolute,error,log,logistic,auc,r2", "--window", "32", "--progress"];
    let output = stream(&[&args[..], &extra].concat());
    assert!(plain.stdout == output.stdout);
    let said = stderr(&output);
    let lines: Vec<&str> = said.lines().collect();
    // A header, 1 to 64 rounds, two windows, all, the summary.
    assert_eq!(lines.len(), 1 + 7 + 2 + 1 + 1, "{said}");
    assert!(said.contains("rounds 33 to 64: squared 0.0"), "{said}");
    let average = rounds(&output)[63][4] / 64.0;
    assert!(said.contains(&format!("all 64 rounds: squared {average:.6}, absolute ")), "{said}");
    assert!(said.contains("auc 1.000000") || said.contains("auc 0.99"), "{said}");

    // Inputs a thousand apart under a Gaussian kernel of bandwidth 1: every prediction is 0.
    let far = (0..120).fold(String::from("a,y\n"), |text, i| text + &format!("{},{}\n", i * 1000, 10 + i % 3));
    let far = folder.file("far.csv", far);
    let args = ["--learner", "kernel-ridge", "--target", "y", "--input", &far];
    let said = stderr(&stream(&[&args[..], &["--scale", "none", "--target-scale", "none"]].concat()));
    assert!(
        said.contains("warning: the losses are those of predicting 0")
            && said.contains("--scale epochs")
            && said.contains("--target-scale epochs"),
        "{said}"
    );
    // What is advised helps, is the default, and is not advised where it is there already.
    let said = stderr(&stream(&args));
    assert!(!said.contains("predicting 0") && !said.contains("epochs"), "{said}");
}

#[test]
fn scales_of_the_whole_file_say_so() {
    let folder = Folder::new();
    let file = folder.file("own.csv", table(100));
    let said = |extra: &[&str]| stderr(&stream(&[&RIDGE[..], &["--input", &file], extra].concat()));
    assert!(said(&["--scale", "unit"]).contains("owe something to later rows"));
    assert!(said(&["--target-scale", "standardise"]).contains("owe something to later rows"));
    assert!(!said(&["--scale", "running"]).contains("later rows"));
    let refused = stream(&[&RIDGE[..], &["--input", &file, "--live", "--scale", "unit"]].concat());
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("need all rows first"), "{}", stderr(&refused));
}
