//! Columns as people write them: numbers in disguise, and words that come later than others.

use super::*;

const UNSCALED: [&str; 4] = ["--scale", "none", "--target-scale", "none"];

fn play(file: &str, more: &[&str]) -> (Vec<u8>, String) {
    let args = [&["--learner", "kernel-ridge", "--target", "y", "--input", file], &UNSCALED[..], more].concat();
    let output = stream(&args);
    assert!(output.status.success(), "{}", stderr(&output));
    let said = stderr(&output);
    (output.stdout, said)
}

/// Numbers are read as they are meant, at the beginning of a file and beyond, and the notes say which columns have such.
#[test]
fn numbers_in_disguise_are_numbers() {
    let folder = Folder::new();
    let disguised = "a,b,c,d,y\n\"1,234,567\",$5,12%,13:45,1\n\"-2,000.5\",-$0.25,3.5 %,00:30,2\n7,4,1,01:15:36,$3\n";
    let plain = "a,b,c,d,y\n1234567,5,12,13.75,1\n-2000.5,-0.25,3.5,0.5,2\n7,4,1,1.26,3\n";
    let (found, said) = play(&folder.file("own.csv", disguised), &[]);
    assert_eq!(found, play(&folder.file("plain.csv", plain), &[]).0);
    for column in ["a", "b", "c", "d"] {
        assert!(said.contains(&format!("{column}: numbers as people write them")), "{said}");
    }
    // Its first cell is a plain number, and notes know no later row.
    assert!(!said.contains("y: numbers as people write them"), "{said}");
    let (_, said) = play(&folder.file("own.csv", disguised), &["--categories", "d"]);
    assert!(said.contains("d: categories in 16 columns") && !said.contains("d: numbers"), "{said}");
    let late = |last: &str| {
        let rows: String = (0..1200).map(|t| format!("{},{}\n", t % 7, t % 3)).collect();
        folder.file("late.csv", format!("a,y\n{rows}{last},1\n5,2\n"))
    };
    assert_eq!(play(&late("\"1,500\""), &[]).0, play(&late("1500"), &[]).0);
    // What is no number still says what to do.
    let args = ["--learner", "kernel-ridge", "--target", "y", "--input", &late("\"1,50\"")];
    let refused = stream(&[&args[..], &UNSCALED, &["--output", "/dev/null"]].concat());
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("row 1201") && stderr(&refused).contains("`1,50`"), "{}", stderr(&refused));
}

/// A year in the order of time: after 1,000 rows, two of its months were seen. Each of the others has a column of its own
/// when it comes, and rows before it are predicted as if it never came.
#[test]
fn words_that_come_later_have_columns_of_their_own() {
    let folder = Folder::new();
    let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let (each, width) = (250, 16);
    let rows = |count: usize| {
        let line = |t: usize| {
            format!("{},{},{}\n", months[t / each / 2 % 6 + 6 * (t / each % 2)], t % 5, t / each * 10 + t % 5)
        };
        (0..count).map(line).collect::<String>()
    };
    let count = 8 * each;
    let file = folder.file("own.csv", format!("month,a,y\n{}", rows(count)));
    let args = |file: &str, more: &[&str]| {
        let learner =
            ["--learner", "pkrr-taylor", "--set", "lambda=1", "--set", "order=1", "--target", "y", "--input", file];
        let output = stream(&[&learner[..], more].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        output.stdout
    };
    // By hand: a column for each month in the order of appearance.
    let mut seen: Vec<String> = Vec::new();
    let mut by_hand = (1..=width).map(|i| format!("m{i},")).collect::<String>() + "a,y\n";
    for line in rows(count).lines() {
        let (month, rest) = line.split_once(',').unwrap();
        if !seen.iter().any(|known| known == month) {
            seen.push(month.to_owned());
        }
        let slot = seen.iter().position(|known| known == month).unwrap();
        by_hand += &(0..width).map(|i| if i == slot { "1," } else { "0," }).collect::<String>();
        by_hand += &format!("{rest}\n");
    }
    assert!(seen.len() > 6, "{seen:?}");
    let by_hand = folder.file("by-hand.csv", by_hand);
    assert_eq!(args(&file, &UNSCALED), args(&by_hand, &UNSCALED));
    for more in [&[][..], &UNSCALED] {
        let all = args(&file, &[more, &["--live"]].concat());
        for cut in [10, each, 5 * each + 1] {
            let short = folder.file("short.csv", format!("month,a,y\n{}", rows(cut)));
            let short = args(&short, &[more, &["--live"]].concat());
            assert_eq!(short[..], all[..short.len()], "cut at row {cut}");
        }
    }
}

/// Words as one column of codes, in the order of their appearance.
#[test]
fn words_can_be_codes() {
    let folder = Folder::new();
    let words = folder.file("words.csv", "w,a,y\nred,1,1\nblue,2,0\nred,3,2\ngreen,4,1\nblack,5,3\n");
    let codes = folder.file("codes.csv", "w,a,y\n0,1,1\n1,2,0\n0,3,2\n2,4,1\n3,5,3\n");
    let (found, said) = play(&words, &["--category-as", "codes"]);
    assert_eq!(found, play(&codes, &[]).0);
    assert!(said.contains("w: categories as codes"), "{said}");
    let few = folder.file("few.csv", "w,a,y\n0,1,1\n1,2,0\n0,3,2\n2,4,1\n2,5,3\n");
    assert_eq!(play(&words, &["--category-as", "codes", "--category-limit", "3"]).0, play(&few, &[]).0);
}
