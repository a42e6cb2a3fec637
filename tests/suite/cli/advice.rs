//! Commands and options that messages advise are those of the program: each is given back to its parser.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::stream::Folder;

/// Runs the program in a folder; returns its status and all that it said.
fn said(folder: &Folder, words: &[String]) -> (Option<i32>, String) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_noregret"));
    let output = program.current_dir(folder.path("")).env_remove("NOREGRET_PROFILE").args(words).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout) + &text(output.stderr))
}

/// The commands in a text: between backticks, perhaps after `cd FOLDER &&`, or on a line of their own.
fn commands(text: &str) -> Vec<String> {
    let quoted = text.split('`').skip(1).step_by(2).map(|part| part.rsplit("&& ").next().unwrap_or(part));
    let lines = text.lines().map(str::trim_start);
    quoted.chain(lines).filter(|part| part.starts_with("noregret ")).map(String::from).collect()
}

/// Whether the program's parser takes a command, of which it may ask for more. A shell reads the words, as one that the
/// command is pasted into does; `--help` at their end is reached if nothing before it is refused.
fn parses(folder: &Folder, command: &str) -> Result<(), String> {
    let script = format!("printf '%s\\0' {command} --help");
    let output = Command::new("/bin/sh").args(["-c", &script]).output().unwrap();
    let words = String::from_utf8(output.stdout).unwrap();
    let words: Vec<String> = words.split_terminator('\0').skip(1).map(String::from).collect();
    match said(folder, &words) {
        (Some(0), _) => Ok(()),
        // It names an option, and not what follows it.
        (_, why) if why.contains("a value is required for") => Ok(()),
        (_, why) => Err(format!("{command}: {why}")),
    }
}

/// The options in a text.
fn options(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !(c.is_ascii_lowercase() || c == '-'));
    words
        .filter(|word| word.len() > 3 && word.starts_with("--"))
        .map(|word| word.trim_end_matches('-').into())
        .collect()
}

/// What is wrong with the commands and options of a message of a subcommand; and how many there are.
fn checked(folder: &Folder, subcommand: &str, message: &str) -> Result<usize, String> {
    let commands = commands(message);
    commands.iter().try_for_each(|command| parses(folder, command))?;
    // An option is one of the command that speaks, or of one that it names.
    let named = commands.iter().filter_map(|command| command.split_whitespace().nth(1));
    let help: Vec<String> =
        named.chain([subcommand]).map(|name| said(folder, &[name.into(), "--help".into()]).1).collect();
    let found = options(message);
    match found.iter().find(|option| !help.iter().any(|help| options(help).contains(option))) {
        Some(option) => Err(format!("{subcommand} has no {option}: {message}")),
        None => Ok(commands.len() + found.len()),
    }
}

/// What `stream`, `predict` and `compare` say where something is to be done otherwise, or next.
#[test]
fn what_messages_advise_is_there() {
    let folder = Folder::new();
    let rows = |line: fn(usize) -> String| (0..60).map(line).collect::<String>();
    folder.file("in.csv", "a,b,y\n".to_owned() + &rows(|i| format!("{},{},{}\n", i % 7, i % 5, i % 3)));
    folder.file("gaps.csv", "a,b,y\n".to_owned() + &rows(|i| format!(",{},{}\n", i % 5, i % 3)));
    folder.file(
        "words.csv",
        "a,b,y\n".to_owned() + &rows(|i| format!("{},{},{}\n", ["red", "green", "blue"][i % 3], i % 5, i % 3)),
    );
    folder.file("comma.csv", "a;b;y\n".to_owned() + &rows(|i| format!("1,5;{};{}\n", i % 5, i % 3)));
    folder.file("my rows.csv", include_str!("../compare/diabetes.csv"));
    fs::create_dir(folder.path("parts.parquet")).unwrap();
    let mut found = Vec::new();
    for (status, command) in [
        (0, "stream --learner running-mean --target y --input in.csv --output out.csv --save m"),
        (1, "stream --learner running-mean --target y --input gaps.csv"),
        (1, "stream --learner running-mean --target a --input words.csv --noise gaussian --noise-std 1"),
        (1, "stream --learner running-mean --target a --input words.csv --classes=blue"),
        (2, "stream --learner runing-mean --target y --input in.csv"),
        (2, "stream --learner noisy-gaussian --set covariance=0.04 --target y --input in.csv"),
        (2, "stream --learner running-mean --target y --input in.csv --noise-std 1"),
        (2, "stream --learner pkrr-nystrom --set dictionary=beforehand --target y --input in.csv"),
        (2, "stream --learner running-mean --target y --input in.csv --target-scale running"),
        (2, "stream --learner running-mean --target y --input in.csv --output parts.parquet --save p --save-every 9"),
        (2, "stream --learner running-mean --target y --input in.csv --output in.csv"),
        (1, "predict --load m --input gaps.csv"),
        (1, "predict --load m --input words.csv"),
        (1, "predict --load m --input comma.csv"),
        (2, "compare - --target y"),
        (2, "compare in.csv --target y --learners runing-mean"),
        (0, "compare 'my rows.csv' --target y --learners pkawv-taylor --budget 1h --output 'the results'"),
        (2, "compare 'my rows.csv' --target bmi --learners pkawv-taylor --output 'the results'"),
    ] {
        let words = command.split('\'').enumerate().flat_map(|(i, part)| match i % 2 {
            0 => part.split_whitespace().map(String::from).collect(),
            _ => vec![part.to_owned()],
        });
        let (ended, message) = said(&folder, &words.collect::<Vec<_>>());
        let subcommand = command.split_whitespace().next().unwrap();
        assert_eq!(ended, Some(status), "{command}: {message}");
        let count = checked(&folder, subcommand, &message).unwrap_or_else(|why| panic!("{command}: {why}"));
        found.push((command, count));
    }
    let all: usize = found.iter().map(|(_, count)| count).sum();
    assert!(all >= 20 && found.iter().filter(|(_, count)| *count > 0).count() >= 12, "{found:?}");
}

/// Every command that a text of the program names, also in messages that no test brings about; what is filled in is a word.
#[test]
fn every_command_that_the_source_names_parses() {
    let folder = Folder::new();
    let mut all = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(path) = folders.pop() {
        for entry in fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else if entry.extension().is_some_and(|end| end == "rs") {
                all.extend(named(&fs::read_to_string(entry).unwrap()));
            }
        }
    }
    all.sort();
    all.dedup();
    assert!(all.len() >= 20, "{all:?}");
    let wrong: Vec<String> = all.iter().filter_map(|command| parses(&folder, command).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The commands between backticks in the strings of a source file, and in the comments that `--help` prints.
fn named(source: &str) -> Vec<String> {
    let printed = source.lines().map(str::trim).filter(|line| !line.starts_with("//!") && !line.starts_with("// "));
    let printed: Vec<&str> = printed.map(|line| line.trim_start_matches("///").trim().trim_end_matches('\\')).collect();
    let text = printed.join(" ");
    let parts = text.match_indices("`noregret ").filter_map(|(at, _)| text[at + 1..].split('`').next());
    // The command itself is filled in where any may stand.
    let parts = parts.filter(|part| !part.starts_with("noregret {"));
    let plain = parts.filter(|part| !part.contains(['"', '(', '<', '[', '.']));
    plain.map(|part| filled(&part.split_whitespace().collect::<Vec<_>>().join(" "))).collect()
}

/// With a word in the place of what is filled in, and a shard in that of its form.
fn filled(template: &str) -> String {
    let mut parts = template.split('{');
    let first = parts.next().unwrap_or_default().to_owned();
    let text = parts.fold(first, |text, part| text + "word" + part.split_once('}').map_or("", |(_, rest)| rest));
    text.replace("I/N", "1/2")
}

/// Advice that cannot be followed is found.
#[test]
fn a_wrong_command_and_a_wrong_option_are_found() {
    let folder = Folder::new();
    for message in [
        "read it by `noregret stream --input a.csv --mising drop`",
        "make it by `noregret mak`",
        "next:\n  noregret stream --input my own rows.csv --target y",
        "see `noregret list lerners`",
        "give --categoris a",
    ] {
        assert!(checked(&folder, "stream", message).is_err(), "{message}");
    }
    let sound =
        "run `cd 'a b' && noregret run`, or give --categories a\n  noregret stream --input 'my rows.csv' --target y";
    assert_eq!(checked(&folder, "stream", sound), Ok(5));
    assert_eq!(named("// `noregret a`\n\"do `noregret data fetch {name}` \\\n  now\"\n"), ["noregret data fetch word"]);
}
